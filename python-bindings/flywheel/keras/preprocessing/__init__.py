# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What makes arrays of data."""

from . import sequence

__all__ = ["sequence"]
