# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numerical methods."""

from . import optimizer

__all__ = ["optimizer"]
