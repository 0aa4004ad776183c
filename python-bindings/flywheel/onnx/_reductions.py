# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of ONNX along dimensions."""

from typing import Any, Callable, Dict, List, Optional

import numpy as np

from .. import _ops, linalg
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._frontends.layouts import Laid
from .._ops.emission import normalize_axes
from .._ops.precision import rounds_once
from ._graph import Call, op
from ._known import Known


@rounds_once()
def _log_sum(x: Tensor, axes: Any, keepdims: bool) -> Tensor:
    return _ops.log(_ops.sum(x, axes, keepdims))


@rounds_once()
def _sum_of_squares(x: Tensor, axes: Any, keepdims: bool) -> Tensor:
    return _ops.sum(_ops.square(x), axes, keepdims)


_REDUCTIONS: Dict[str, Callable[..., Tensor]] = {
    "ReduceSum": _ops.reductions.reduce_sum, "ReduceMean": _ops.mean, "ReduceMax": _ops.reductions.reduce_max,
    "ReduceMin": _ops.reductions.reduce_min,
    "ReduceProd": _ops.reductions.reduce_prod, "ReduceLogSumExp": _ops.logsumexp, "ReduceLogSum": _log_sum,
    "ReduceL1": lambda x, axes, keepdims: _ops.sum(_ops.abs(x), axes, keepdims),
    "ReduceL2": _ops.norm, "ReduceSumSquare": _sum_of_squares,
}  # fmt: skip


@op(*_REDUCTIONS, known=(1,))
def _reduce(call: Call, x: Laid, axes: Optional[Known] = None) -> Laid:
    """The axes are an attribute in earlier versions."""
    listed: List[int] = [int(axis) for axis in axes.array] if axes is not None else call.attribute("axes", [])
    function, name = _REDUCTIONS[call.op], call.op
    if not _dtypes.is_floating(x.dtype) and name in ("ReduceMean", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp"):
        raise call.unsupported("of integers")
    keepdims, is_noop = call.flag("keepdims"), call.flag("noop_with_empty_axes")
    if x.ndim == 0 or not listed and is_noop:
        # One element at a time.
        return x.like(_alone(name, x.data))
    dropped = set(normalize_axes(listed or range(x.ndim), x.ndim))
    result = function(x.data, tuple(x.places(sorted(dropped))), keepdims)
    if keepdims:
        return x.like(result)
    kept = [axis for axis in range(x.ndim) if axis not in dropped]
    return Laid(result, [kept.index(axis) for axis in x.order if axis in kept])


def _alone(name: str, x: Tensor) -> Tensor:
    """Reduces single elements."""
    if name in ("ReduceL1", "ReduceL2"):
        return _ops.abs(x)
    if name == "ReduceSumSquare":
        return _ops.square(x)
    return _ops.log(x) if name == "ReduceLogSum" else x


@op("ArgMax", "ArgMin")
def _argmax(call: Call, x: Laid) -> Laid:
    function = _ops.argmax if call.op == "ArgMax" else _ops.argmin
    axis, data = call.axis(x), x.plain()
    if call.flag("select_last_index"):
        # The first one from the end.
        total = data._dims[axis]
        if total is None:
            raise call.unsupported("with select_last_index, of a size that the call chooses")
        found = _ops.subtract(total - 1, function(_ops.flip(data, axis), axis))
    else:
        found = function(data, axis)
    result = _ops.cast(found, _dtypes.int64)
    return Laid(_ops.expand_dims(result, axis) if call.flag("keepdims") else result)


@op("CumSum", "CumProd", known=(1,))
def _cumulative(call: Call, x: Laid, axis: Known) -> Laid:
    function = _ops.cumsum if call.op == "CumSum" else _ops.cumprod
    place = x.place(int(axis.array.reshape(())))
    exclusive, reverse = call.flag("exclusive"), call.flag("reverse")
    return x.like(function(x.data, place, exclusive, reverse, x.data.dtype))


@op("Hardmax")
def _hardmax(call: Call, x: Laid) -> Laid:
    data, axis = x.plain(), call.axis(x)
    if call.opset < 13:
        # All dimensions from there on are one.
        raise call.unsupported("of versions before 13")
    total = data._dims[axis]
    if total is None:
        raise call.unsupported("of a size that the call chooses")
    first = _ops.expand_dims(_ops.argmax(data, axis), axis)
    shape = [1] * data.ndim
    shape[axis] = total
    places = as_tensor(np.arange(total, dtype=np.int32).reshape(shape))
    return Laid(_ops.cast(_ops.equal(_ops.cast(first, _dtypes.int32), places), data.dtype))


@op("Det")
def _det(call: Call, x: Laid) -> Laid:
    return Laid(linalg.det(x.plain()))
