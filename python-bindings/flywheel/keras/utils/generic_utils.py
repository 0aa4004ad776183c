# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Keras 2.1 has under this name, too."""

from .._serialization import custom_object_scope
from . import CustomObjectScope

__all__ = ["CustomObjectScope", "custom_object_scope"]
