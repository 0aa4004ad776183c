# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Factors of matrices, and triangular systems."""

import math
from typing import Literal

import numpy as np
from jaxlib.mlir import ir

from .. import _ops
from .. import nn as nn
from .._tensor import Tensor, as_tensor
from ..transforms import custom_vjp
from ._export import CHOLESKY, TRIANGULAR_SOLVE
from ._graph import Call, op
from ._values import Known


def _factor(a: Tensor) -> Tensor:
    """Factors matrices. One that is not positive definite has a factor of nan, as in JAX; among several it is an error
    of the step."""
    if any(size != 1 for size in a._dims[:-2]):
        return nn.cholesky(a)
    factor, holds = nn.try_cholesky(a)
    return _ops.where(holds, factor, math.nan)


@custom_vjp
def _cholesky_of(a: Tensor) -> Tensor:
    return _factor(a)


@_cholesky_of.defvjp
def _cholesky_vjp(a: Tensor, weights: Tensor) -> Tensor:
    """Transposes JAX's rule, which takes a change of all elements (Murray, Differentiation of the Cholesky
    decomposition, 2016, equation 8); in `nn.cholesky` all of it is in the lower triangle."""
    factor = _factor(a)
    inner = nn.triangle(nn.matmul(factor, weights, transpose_a=True), "lower")
    size = factor._dims[-1] or 0
    halves = np.ones((size, size)) - 0.5 * np.eye(size)
    rows = nn.triangular_solve(factor, _ops.multiply(inner, as_tensor(halves, a.dtype)), "lower", transpose=True)
    columns = nn.triangular_solve(factor, _ops.swapaxes(rows, -1, -2), "lower", transpose=True)
    return _ops.swapaxes(columns, -1, -2)


@op(CHOLESKY)
def _cholesky(call: Call, a: Known) -> Tensor:
    if call.shape[-1] is None:
        raise call.unsupported("of matrices whose size the call chooses")
    return _cholesky_of(a.tensor)  # type: ignore[no-any-return]


@op(TRIANGULAR_SOLVE)
def _triangular_solve(call: Call, a: Known, b: Known) -> Tensor:
    words = str(ir.StringAttr(call.attribute("backend_config")).value).split()
    transposes = "transpose_a" in words
    left, right = a.tensor, b.tensor
    if "left_side" not in words:
        # x op(a) = b is op(a)^T x^T = b^T.
        right = _ops.swapaxes(right, -1, -2)
        transposes = not transposes
    kind: Literal["lower", "upper"] = "lower" if "lower" in words else "upper"
    x = nn.triangular_solve(left, right, kind, transpose=transposes, unit_diagonal="unit_diagonal" in words)
    return x if "left_side" in words else _ops.swapaxes(x, -1, -2)
