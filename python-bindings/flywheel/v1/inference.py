# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of what ops make, found by a trace that is thrown away."""

import threading
from typing import Any, Callable, List, Optional, Sequence, Tuple

from .._core import tensor as _tensor
from .._core import trace as _trace
from .operation import Tensor


def infer(emit: Callable[..., Any], inputs: Sequence[Tensor]) -> List[Tuple[Any, Optional[_trace.Shape]]]:
    """The types of what `emit` makes, by a trace that is thrown away."""
    if any(x.static_shape is None for x in inputs):
        try:
            types = _infer(emit, inputs)
        except (LookupError, NotImplementedError, TypeError, ValueError):
            # The op takes no scalar, which stands in for a tensor of any rank.
            return [(next(x.dtype for x in inputs if x.static_shape is None), None)]
        return [(dtype, None) for dtype, _ in types]
    return _infer(emit, inputs)


class _Spare(threading.local):
    """A trace of this thread in which no function is being made, and how often it may still be used: what ops make
    constants of stays in it."""

    trace: Optional[_trace.Trace] = None
    left = 0


_spare = _Spare()
_USES = 256


def _infer(emit: Callable[..., Any], inputs: Sequence[Tensor]) -> List[Tuple[Any, Optional[_trace.Shape]]]:
    trace, left = _spare.trace, _spare.left
    # An op that is made while another one is emitted has a trace of its own.
    _spare.trace = None
    if trace is None:
        trace, left = _trace.Trace("types"), _USES
    found = _infer_in(trace, emit, inputs)
    # Variables of one name may be of different graphs.
    if left > 1 and not trace.variables:
        trace.signed.clear()
        _spare.trace, _spare.left = trace, left - 1
    return found


def _infer_in(
    trace: _trace.Trace, emit: Callable[..., Any], inputs: Sequence[Tensor]
) -> List[Tuple[Any, Optional[_trace.Shape]]]:
    shapes: List[_trace.Shape] = [() if x.static_shape is None else x.static_shape for x in inputs]
    types = [trace.type(x.dtype.dtype, shape) for x, shape in zip(inputs, shapes)]
    arguments = trace.graph.begin_function("types", types, {}, [{} for _ in types])
    try:
        with _trace.tracing(trace):
            wrapped = [_tensor.wrap(v, x.dtype.dtype, shape) for v, x, shape in zip(arguments, inputs, shapes)]
            results = as_list(emit(*wrapped))
            return [(x.dtype, x._dims) for x in results]
    finally:
        trace.graph.abandon_function()


def as_list(result: Any) -> List[_tensor.Tensor]:
    """Returns the results of an emitter as tensors."""
    if result is None:
        return []
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    return [_tensor.as_tensor(x) for x in results]
