# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that convert data to arrays."""

from typing import Any

from ..._hints import attribute_error
from . import sequence, text

__all__ = ["sequence", "text"]


def __getattr__(name: str) -> Any:
    hint = "; instead: flywheel.v1.image, or batches of a generator" if name == "image" else ""
    raise attribute_error(f"there is no flywheel.keras.preprocessing.{name}{hint}; see docs/Keras.md", name, hint)
