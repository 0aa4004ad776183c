# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches and loops of ONNX."""

from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from .. import _ops, control
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._flywheel import Value
from .._frontends.layouts import Laid, size_tensor
from .._ops.emission import Size, index_op, sizes
from .._ops.indexing import scalar_at
from .._ops.shapes import to_index
from ._graph import Call, op
from ._known import Known


def _plain(results: Sequence[Any]) -> List[Tensor]:
    return [one.laid().plain() if isinstance(one, Known) else one.plain() for one in results]


def _scalar(x: Any, dtype: _dtypes.DType) -> Tensor:
    """Converts a tensor of one element to one without dimensions."""
    tensor = x.laid().plain() if isinstance(x, Known) else x.plain()
    if tensor.ndim and tensor._static_size != 1:
        raise ValueError(f"expected one element, found the shape {tensor._dims}")
    return _ops.cast(_ops.reshape(tensor, ()) if tensor.ndim else tensor, dtype)


@op("If", raw=(0,))
def _if(call: Call, condition: Any) -> List[Any]:
    branches = call.graph("then_branch"), call.graph("else_branch")
    if isinstance(condition, Known):
        return call.interpreter.run_inner(branches[0 if bool(condition.array.reshape(-1)[0]) else 1])

    def run(graph: Any) -> Callable[[], List[Tensor]]:
        return lambda: _plain(call.interpreter.run_body(graph, []))

    return _same_types(call, lambda: control.cond(_scalar(condition, _dtypes.bool_), *map(run, branches)))


def _same_types(call: Call, run: Callable[[], Sequence[Tensor]]) -> List[Laid]:
    """Returns the results of a branch or loop, whose types are those of its parts."""
    try:
        return [Laid(x) for x in run()]
    except control.TypeMismatch as error:
        raise call.unsupported(f"where {error}") from None


#
# Loops
#


def _is_true(x: Any) -> bool:
    return isinstance(x, Known) and x.is_static and bool(x.array.reshape(-1)[0])


@op("Loop", raw=(0, 1))
def _loop(call: Call, limit: Any = None, condition: Any = None, *states: Laid) -> List[Laid]:
    body, carried = call.graph("body"), [x.plain() for x in states]
    names = [info.name for info in body.input]
    if len(names) != len(carried) + 2 or len(body.output) < len(carried) + 1:
        raise ValueError(f"expected a body with {len(carried) + 2} inputs and {len(carried) + 1} outputs or more")
    if isinstance(condition, Known) and not _is_true(condition):
        if len(body.output) > len(carried) + 1:
            raise call.unsupported("that never runs, and collects values")
        return list(states)

    def run(number: Any, holds: Any, own: Sequence[Tensor]) -> List[Any]:
        return call.interpreter.run_body(body, [Laid(number), holds, *(Laid(x) for x in own)])

    # False if the body may end the loop. The body is traced once to find out, and that trace is discarded.
    holds_on = _is_true(control.probe(carried, lambda index, own: run(_counter(index), Known(np.array(True)), own))[0])
    is_counted = limit is not None and holds_on and (condition is None or _is_true(condition))
    collects = len(body.output) > len(carried) + 1
    if is_counted and collects and not isinstance(limit, Known):
        # Room for it is set aside before the step runs.
        raise call.unsupported("that collects values, how often the step computes")
    if is_counted:
        count = limit.sizes()[0] if isinstance(limit, Known) else to_index(_scalar(limit, _dtypes.int64))
        return _counted(call, count if isinstance(limit, Known) else index_op("maxsi", count, 0), carried, run)
    if collects:
        raise call.unsupported("that collects values, and ends by a condition that the step computes")
    return _conditional(call, limit, condition, carried, run)


Run = Callable[[Any, Any, Sequence[Tensor]], List[Any]]


def _counter(index: Value) -> Tensor:
    return size_tensor(index, _dtypes.int64)


def _counted(call: Call, count: Size, carried: List[Tensor], run: Run) -> List[Laid]:
    if isinstance(count, int):
        # Practice has "no limit" as the largest number.
        if count >= 2**31:
            raise call.unsupported("without a limit")
        count = max(count, 0)

    def step(index: Value, own: List[Tensor]) -> Tuple[List[Tensor], List[Tensor]]:
        results = _plain(run(_counter(index), Known(np.array(True)), own)[1:])
        return results[: len(carried)], results[len(carried) :]

    return _same_types(call, lambda: [x for part in control.collect(count, carried, step) for x in part])


def _conditional(call: Call, limit: Any, condition: Any, carried: List[Tensor], run: Run) -> List[Laid]:
    bound: Optional[int] = None
    last: Optional[Tensor] = None
    if isinstance(limit, Known) and limit.is_static:
        number = int(limit.array.reshape(-1)[0])
        bound = max(number, 0) if number < 2**31 else None
    elif limit is not None:
        last = _scalar(limit, _dtypes.int64)
    first = as_tensor(True) if condition is None else _scalar(condition, _dtypes.bool_)
    known = [sizes(x) for x in carried]

    def test(state: Any) -> Tensor:
        number, holds, _ = state
        return holds if last is None else _ops.logical_and(_ops.less(number, last), holds)

    def body(state: Any) -> Any:
        number, _, own = state
        named = [control.with_sizes(x, lengths) for x, lengths in zip(own, known)]
        results = run(number, Laid(as_tensor(True)), named)
        new = [control.in_place_of(x, y, lengths) for x, y, lengths in zip(_plain(results[1:]), own, known)]
        return _ops.add(number, 1), _scalar(results[0], _dtypes.bool_), new

    init = (as_tensor(0, _dtypes.int64), first, carried)
    return _same_types(call, lambda: control.while_loop(test, body, init, max_iterations=bound)[2])


@op("Scan")
def _scan(call: Call, *operands: Laid) -> List[Laid]:
    body, number = call.graph("body"), call.attribute("num_scan_inputs")
    split = len(operands) - number
    if number < 1 or split < 0 or len(body.input) != len(operands) or len(body.output) < split:
        raise ValueError(f"expected a body with {len(operands)} inputs and {split} outputs or more")
    carried = [x.plain() for x in operands[:split]]
    axes = call.attribute("scan_input_axes", [0] * number)
    inputs = [_ops.moveaxis(x.plain(), axis, 0) for x, axis in zip(operands[split:], axes)]
    lengths = {x._dims[0] for x in inputs if x._dims[0] is not None}
    if len(lengths) > 1:
        raise ValueError(f"expected scan inputs of one length, found {sorted(lengths)}")
    count: Size = next(iter(lengths)) if lengths else call.dim_size(split, operands[split], axes[0])
    from_end = call.attribute("scan_input_directions", [0] * number)
    collected = len(body.output) - split
    to_front = call.attribute("scan_output_directions", [0] * collected)

    def step(index: Value, own: List[Tensor]) -> Tuple[List[Tensor], List[Tensor]]:
        slices = [scalar_at(x, control.from_end(count, index) if ends else index) for x, ends in zip(inputs, from_end)]
        results = _plain(call.interpreter.run_body(body, [*map(Laid, own), *map(Laid, slices)]))
        return results[:split], results[split:]

    def run() -> List[Tensor]:
        states, rows = control.collect(count, carried, step, [bool(one) for one in to_front])
        places = call.attribute("scan_output_axes", [0] * collected)
        return [*states, *(_ops.moveaxis(y, 0, axis) for y, axis in zip(rows, places))]

    return _same_types(call, run)
