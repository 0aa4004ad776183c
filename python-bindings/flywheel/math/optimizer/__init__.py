# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Methods that minimize."""

from . import levenberg_marquardt

__all__ = ["levenberg_marquardt"]
