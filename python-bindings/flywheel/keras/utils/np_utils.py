# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Keras 2.1 has under this name, too."""

from . import normalize, to_categorical

__all__ = ["normalize", "to_categorical"]
