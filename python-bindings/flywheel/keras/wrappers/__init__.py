# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as objects of other packages."""

from . import scikit_learn as scikit_learn

__all__ = ["scikit_learn"]
