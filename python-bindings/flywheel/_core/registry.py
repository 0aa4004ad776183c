# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of later rooms that tensors need: operators are ops, and a shape has sizes. Each room registers its own."""

from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .. import _ops as ops
    from .._numerics import numpy_functions
    from .._ops import arithmetic, sizes, updates

__all__ = ["arithmetic", "numpy_functions", "ops", "register", "sizes", "updates"]


def register(**modules: ModuleType) -> None:
    """Has the rooms above find modules here, by their names."""
    globals().update(modules)
