# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random functions, and the table of what they are made of."""

from tensor_functions import bodies, elementwise, reductions, shapes
from tensor_functions.function import DTYPES, OPS, Function, epsilon_of, new_function

__all__ = ["DTYPES", "OPS", "Function", "bodies", "elementwise", "epsilon_of", "new_function", "reductions", "shapes"]
