# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`Model` and `Sequential`."""

from .engine import Input
from .training import Model, Sequential

__all__ = ["Input", "Model", "Sequential"]
