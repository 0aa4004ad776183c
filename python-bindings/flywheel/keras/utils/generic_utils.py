# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions that Keras 2.1 also has in `keras.utils.generic_utils`."""

from .._serialization import custom_object_scope
from . import CustomObjectScope

__all__ = ["CustomObjectScope", "custom_object_scope"]
