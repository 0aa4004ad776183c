# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of ONNX that are products of matrices."""

from typing import Optional

from .. import _ops
from .. import nn as nn
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor
from .._frontends.layouts import Laid
from .._ops.emission import size, sizes
from .._ops.shapes import _product, reshape_to
from ._graph import Call, op


def rows_times(x: Tensor, w: Tensor, transpose_b: bool = False) -> Tensor:
    """`x` is [..., k], `w` [k, n], or [n, k] with `transpose_b`."""
    flat = x if x.ndim == 2 else reshape_to(x, [_product(sizes(x)[:-1]), size(x, x.ndim - 1)])
    result = nn.matmul(flat, w, transpose_b=transpose_b)
    return result if x.ndim == 2 else reshape_to(result, [*sizes(x)[:-1], size(result, 1)])


def _is_swapped(x: Laid) -> bool:
    """Returns true if the last two dimensions are swapped, and no others."""
    rank = x.ndim
    return rank >= 2 and x.order == (*range(rank - 2), rank - 1, rank - 2)


@op("MatMul")
def _matmul(call: Call, a: Laid, b: Laid) -> Laid:
    if not _dtypes.is_floating(a.dtype) or a.ndim < 2 or b.ndim < 2:
        return Laid(_ops.matmul(a.plain(), b.plain()))
    inner = a.shape[-1], b.shape[-2]
    if None not in inner and inner[0] != inner[1]:
        raise ValueError(f"{a.shape} and {b.shape} do not multiply")
    if b.ndim == 2 and a.ndim > 2:
        return Laid(rows_times(a.plain(), b.data, transpose_b=_is_swapped(b)))
    same = a.ndim == b.ndim and a.shape[:-2] == b.shape[:-2]
    if same and (_is_swapped(a) or a.is_plain) and (_is_swapped(b) or b.is_plain):
        return Laid(nn.matmul(a.data, b.data, transpose_a=_is_swapped(a), transpose_b=_is_swapped(b)))
    return Laid(_ops.matmul(a.plain(), b.plain()))


@op("Gemm")
def _gemm(call: Call, a: Laid, b: Laid, c: Optional[Laid] = None) -> Laid:
    if not _dtypes.is_floating(a.dtype):
        raise call.unsupported("of integers")
    a = a.permuted((1, 0)) if call.flag("transA") else a
    b = b.permuted((1, 0)) if call.flag("transB") else b
    alpha, beta = call.attribute("alpha"), call.attribute("beta")
    product = nn.matmul(a.data, b.data, transpose_a=not a.is_plain, transpose_b=not b.is_plain)
    if alpha != 1:
        product = _ops.multiply(product, alpha)
    if c is None or beta == 0:
        return Laid(product)
    added = c.plain() if beta == 1 else _ops.multiply(c.plain(), beta)
    return Laid(_ops.add(product, added))


@op("Einsum")
def _einsum(call: Call, *operands: Laid) -> Laid:
    return Laid(_ops.einsum(call.attribute("equation"), *[x.plain() for x in operands]))
