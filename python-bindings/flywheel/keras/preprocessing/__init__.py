# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that convert data to arrays."""

from typing import Any

from ..._errors.contracts import explain_all as _explain_all
from ..._errors.contracts import public_names as _public_names
from . import image, sequence, text

__all__ = ["image", "sequence", "text"]


for _module in (image, sequence, text):
    _explain_all(vars(_module), _public_names(vars(_module)))


def __getattr__(name: str) -> Any:
    raise AttributeError(f"there is no flywheel.keras.preprocessing.{name}; see docs/Guides/Keras.md")
