# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The data sets of Keras, which are not there: nothing is downloaded."""

from typing import Any, NoReturn


class _Missing:
    def __init__(self, name: str):
        self._name = name

    def load_data(self, *_: Any, **__: Any) -> NoReturn:
        """Raises NotImplementedError."""
        raise NotImplementedError(f"flywheel.keras.datasets.{self._name}: nothing is downloaded; read the arrays from "
                                  "a file, by numpy.load or flywheel.data.load")  # fmt: skip


boston_housing, cifar10, cifar100, fashion_mnist, imdb, mnist, reuters = (
    _Missing(name) for name in ("boston_housing", "cifar10", "cifar100", "fashion_mnist", "imdb", "mnist", "reuters")
)
