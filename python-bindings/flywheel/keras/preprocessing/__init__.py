# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that convert data to arrays."""

from typing import Any

from . import image, sequence, text

__all__ = ["image", "sequence", "text"]


def __getattr__(name: str) -> Any:
    raise AttributeError(f"there is no flywheel.keras.preprocessing.{name}; see docs/Keras.md")
