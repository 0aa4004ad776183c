# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Factors of matrices, and triangular systems."""

import math
from typing import Any, List, Literal, Sequence, Tuple

import numpy as np
from jaxlib.mlir import ir

from .. import _ops
from .. import nn as nn
from .._core.tensor import Tensor, as_tensor
from .._numerics import factors as _factors
from .._ops.emission import sizes
from ..transforms import custom_vjp
from ._export import CHOLESKY, EIGH, LU, QR, SVD, TRIANGULAR_SOLVE
from ._graph import Call, op
from ._shapes import reshaped
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


#
# Factors
#


def _configuration(call: Call) -> str:
    # An empty one is left out of the module.
    return str(ir.StringAttr(call.attribute("backend_config")).value) if call.has("backend_config") else ""


def _matrices(call: Call, a: Known, **wanted: Sequence[str]) -> Tuple[Tensor, List[int]]:
    """The matrices [count, m, n], and the sizes in front of them. Raises UnsupportedOpError for other values of
    parameters than those that are wanted."""
    for name, _, value in (word.partition("=") for word in _configuration(call).split()):
        if value not in wanted.get(name, ()):
            raise call.unsupported(f"with {name}={value}")
    if None in a.shape or 0 in a.shape:
        raise call.unsupported("of matrices without elements, or of a size that the call chooses")
    known = [size or 0 for size in a.shape]
    return reshaped(a.tensor, [math.prod(known[:-2]), *known[-2:]]), known[:-2]


def _with_front(results: Sequence[Tensor], front: List[int]) -> List[Tensor]:
    return [reshaped(x, [*front, *sizes(x)[1:]]) for x in results]


@op(QR)
def _qr(call: Call, a: Known) -> Any:
    kinds = ["False"] if (a.shape[-2] or 0) > (a.shape[-1] or 0) else ["False", "True"]
    flat, front = _matrices(call, a, pivoting=["False"], full_matrices=kinds)
    return _with_front(_factors.qr(flat), front)


@op(EIGH)
def _eigh(call: Call, a: Known) -> Any:
    any_of = ["True", "False"]
    flat, front = _matrices(call, a, lower=any_of, sort_eigenvalues=any_of, subset_by_index=["None"])
    is_lower = "lower=True" in _configuration(call).split()
    values, vectors = _factors.eigh(flat if is_lower else _ops.swapaxes(flat, -1, -2))
    return _with_front([vectors, values], front)


@op(SVD)
def _svd(call: Call, a: Known) -> Any:
    has_vectors = len(call.operation.results) > 1
    kinds = ["False"] if has_vectors and a.shape[-2] != a.shape[-1] else ["False", "True"]
    flat, front = _matrices(call, a, compute_uv=["True", "False"], full_matrices=kinds, subset_by_index=["None"])
    u, values, vt = _factors.svd(flat)
    return _with_front([values, u, vt] if has_vectors else [values], front)


@op(LU)
def _lu(call: Call, a: Known) -> Any:
    if a.shape[-1] != a.shape[-2]:
        raise call.unsupported("of matrices that are not square")
    flat, front = _matrices(call, a)
    lu, rows, exchanges = _factors.lu(flat)
    return _with_front([lu, exchanges, rows], front)
