# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions that Keras 2.1 also has in `keras.utils.np_utils`."""

from . import normalize, to_categorical

__all__ = ["normalize", "to_categorical"]
