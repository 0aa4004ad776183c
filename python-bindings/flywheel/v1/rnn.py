# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent networks: cells over time."""

from typing import Any, Callable, List, Sequence, Tuple

from .. import _ops, control
from .._core import dtypes as _dtypes
from .conversion import as_tensor, dtype_of, make
from .elementwise import TABLE
from .emission import captures_of
from .graph import get_default_graph
from .operation import Fields, Operation, Tensor
from .ops import cast, concat, identity, split, stack, transpose, unstack
from .rnn_cell import RNNCell, tensors_of
from .scopes import variable_scope
from .structures import flatten, pack


def _start(cell: RNNCell, initial_state: Any, dtype: Any, x: Tensor, axis: int) -> Any:
    """Returns the first state, by default zeros. Its batch is that of x, along this axis: loops need no check of it."""
    if initial_state is None and dtype is None:
        raise ValueError("If there is no initial_state, you must give a dtype.")
    sizes = flatten(cell.state_size)
    if initial_state is None:
        kind = dtype_of(dtype)
        zeros = [make("zeros", lambda y, n=n: _ops.zeros([_ops.dim(y, axis), n], kind), x) for n in sizes]
        return pack(cell.state_size, zeros)
    given = tensors_of(initial_state)
    if len(given) != len(sizes):
        raise ValueError(f"expected a state of {len(sizes)} tensors, found one of {len(given)}")

    def sized(y: Any, s: Any) -> Any:
        return _ops.add(_ops.zeros([_ops.dim(y, axis), *s._dims[1:]], s.dtype), s)

    return pack(initial_state, [make("initial_state", sized, x, s) for s in given])


def static_rnn(
    cell: RNNCell, inputs: Sequence[Any], initial_state: Any = None, dtype: Any = None, sequence_length: Any = None,
    scope: Any = None,
) -> Tuple[List[Any], Any]:  # fmt: skip
    """A cell at each of the inputs, [batch, n] each: the list of outputs, and the last state. Past the
    `sequence_length` of an example outputs are 0, and its state stays."""
    if not inputs:
        raise ValueError("inputs must not be empty")
    steps = [as_tensor(x) for x in inputs]
    with variable_scope(scope if scope is not None else "rnn"):
        state = _start(cell, initial_state, dtype, steps[0], 0)
        outputs = []
        for t, x in enumerate(steps):
            output, new = cell(x, state)
            if sequence_length is not None:
                holds = make("is_step", lambda n, t=t: _ops.reshape(_ops.greater(n, t), [-1, 1]),
                             as_tensor(sequence_length))  # fmt: skip
                output = _choose(holds, output, TABLE["zeros_like"](output))
                new = pack(new, [_choose(holds, a, b) for a, b in zip(tensors_of(new), tensors_of(state))])
            outputs.append(output)
            state = new
        return outputs, state


def dynamic_rnn(
    cell: RNNCell, inputs: Any, sequence_length: Any = None, initial_state: Any = None, dtype: Any = None,
    parallel_iterations: Any = None, swap_memory: bool = False, time_major: bool = False, scope: Any = None,
) -> Tuple[Any, Any]:  # fmt: skip
    """A cell over inputs [batch, time, n], with `time_major` [time, batch, n], whose sizes may be of a run: outputs of
    that form, and the last state. One loop, whatever the time. Past the `sequence_length` of an example outputs are
    0, and its state stays."""
    if not getattr(cell, "_is_tuple", True):
        return _packed(cell, inputs, sequence_length, initial_state, dtype, time_major=time_major, scope=scope)
    with variable_scope(scope if scope is not None else "rnn"):
        x = as_tensor(inputs)
        if x.static_shape is None or len(x.static_shape) < 2:
            raise ValueError(f"expected inputs of [batch, time, ...], found shape {x.shape}")
        x = x if time_major else transpose(x, [1, 0, *range(2, len(x.static_shape))])
        state = _start(cell, initial_state, dtype, x, 1)
        outputs, last = loop(cell, x, state, sequence_length)
        return outputs if time_major else transpose(outputs, [1, 0, 2]), last


def _packed(cell: Any, inputs: Any, lengths: Any, initial_state: Any, *args: Any, **kwargs: Any) -> Tuple[Any, Any]:
    """`dynamic_rnn` of a cell whose state is one tensor of its parts side by side: the loop carries the parts."""
    cell._is_tuple = True
    try:
        sizes = flatten(cell.state_size)
        parts = None if initial_state is None else pack(cell.state_size, split(initial_state, sizes, 1))
        outputs, last = dynamic_rnn(cell, inputs, lengths, parts, *args, **kwargs)
        return outputs, concat(flatten(last), 1)
    finally:
        cell._is_tuple = False


def bidirectional_dynamic_rnn(
    cell_fw: RNNCell, cell_bw: RNNCell, inputs: Any, sequence_length: Any = None, initial_state_fw: Any = None,
    initial_state_bw: Any = None, dtype: Any = None, parallel_iterations: Any = None, swap_memory: bool = False,
    time_major: bool = False, scope: Any = None,
) -> Tuple[Any, Any]:  # fmt: skip
    """`dynamic_rnn` by one cell from the first step on, and by another from the last step of each example back: pairs
    of outputs, and of last states."""
    x = as_tensor(inputs)
    axis = 0 if time_major else 1

    def turned(y: Any) -> Any:
        """The steps of each example in reverse; those past its end stay."""
        if sequence_length is None:
            return make("ReverseV2", lambda v: _ops.flip(v, axis), y)
        return make("ReverseSequence", lambda v, n: _turn(v, n, axis), y, as_tensor(sequence_length))

    with variable_scope(scope if scope is not None else "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            first = dynamic_rnn(cell_fw, x, sequence_length, initial_state_fw, dtype, time_major=time_major,
                                scope=forward)  # fmt: skip
        with variable_scope("bw") as backward:
            output, state = dynamic_rnn(cell_bw, turned(x), sequence_length, initial_state_bw, dtype,
                                        time_major=time_major, scope=backward)  # fmt: skip
    return (first[0], turned(output)), (first[1], state)


def static_bidirectional_rnn(
    cell_fw: RNNCell, cell_bw: RNNCell, inputs: Sequence[Any], initial_state_fw: Any = None,
    initial_state_bw: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None,
) -> Tuple[List[Any], Any, Any]:  # fmt: skip
    """`static_rnn` by one cell from the first input on, and by another from the last one back: the outputs of both side
    by side, and the last state of each."""
    if not inputs:
        raise ValueError("inputs must not be empty")
    steps = [as_tensor(x) for x in inputs]

    def turned(xs: Sequence[Any]) -> List[Any]:
        if sequence_length is None:
            return list(xs)[::-1]
        whole = make("ReverseSequence", lambda v, n: _turn(v, n, 0), stack(list(xs)), as_tensor(sequence_length))
        return unstack(whole, len(xs))

    with variable_scope(scope if scope is not None else "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            ahead, last = static_rnn(cell_fw, steps, initial_state_fw, dtype, sequence_length, forward)
        with variable_scope("bw") as backward:
            back, first = static_rnn(cell_bw, turned(steps), initial_state_bw, dtype, sequence_length, backward)
    return [concat([a, b], 1) for a, b in zip(ahead, turned(back))], last, first


def _turn(x: Any, lengths: Any, axis: int) -> Any:
    """Step t of an example is that of length - 1 - t, as long as there is one: of a trace."""
    y = x if axis == 1 else _ops.swapaxes(x, 0, 1)
    zeros = _ops.zeros([_ops.dim(y, place) for place in range(3)], _dtypes.int32)
    steps = _ops.cumsum(_ops.add(zeros, 1), 1) - 1
    back = _ops.reshape(_ops.cast(lengths, _dtypes.int32), [-1, 1, 1]) - 1 - steps
    taken = _ops.take_along_axis(y, _ops.where(_ops.less(back, 0), steps, back), 1)
    return taken if axis == 1 else _ops.swapaxes(taken, 0, 1)


def _steps(x: Any, lengths: Any) -> Any:
    """Returns a mask of the steps that examples have: [time, batch, 1]."""
    ones = _ops.ones([_ops.dim(x, 0), 1, 1], _dtypes.int32)
    return _ops.less_equal(_ops.cumsum(ones, 0), _ops.reshape(_ops.cast(lengths, _dtypes.int32), [1, -1, 1]))


def _choose(holds: Any, x: Any, y: Any) -> Any:
    """x where the step holds, [time, batch, 1] or [batch, 1], else y."""
    return make("Select", _ops.where, holds, x, y)


def loop(
    cell: Callable[[Any, Any], Tuple[Any, Any]], x: Tensor, state: Any, sequence_length: Any = None
) -> Tuple[Tensor, Any]:
    """The outputs of a cell at all steps of x, [time, batch, ...], and the last state. The state has the batch of x by
    name."""
    graph = get_default_graph()
    start = tensors_of(state)
    sequences = [x]
    if sequence_length is not None:
        holds = make("is_step", _steps, x, as_tensor(sequence_length))
        # No number of another step gets into the state.
        sequences = [_choose(holds, x, TABLE["zeros_like"](x)), cast(holds, x.dtype)]
    with graph.context("while") as context:

        def variable(dtype: Any, shape: Any) -> Tensor:
            return graph.create("LoopVariable", [], None, [(dtype, shape)]).outputs[0]

        now = [variable(y.dtype, None if y.static_shape is None else y.static_shape[1:]) for y in sequences]
        old = [variable(s.dtype, s.static_shape) for s in start]
        output, new = cell(now[0], pack(state, list(old)))
        leaves = tensors_of(new)
        if [s.dtype for s in leaves] != [s.dtype for s in start]:
            raise TypeError(f"the state of a cell keeps its dtypes, found {[s.dtype.name for s in start]} and "
                            f"{[s.dtype.name for s in leaves]}: is it that of initial_state?")  # fmt: skip
        # If the output is a part of the state, it is kept once.
        place = next((i for i, s in enumerate(leaves) if s is output), len(start))
        if sequence_length is not None:
            # A choice by arithmetic: a branch of sizes that are not known would be checked in the loop.
            leaves = [a * cast(now[1], a.dtype) + b * cast(1 - now[1], a.dtype) for a, b in zip(leaves, old)]
        results = [identity(y) for y in (leaves if place < len(start) else [*leaves, output])]
    captures = captures_of(context, [y.op for y in results])

    def region(emitter: Any, op: Operation) -> Any:
        values = [emitter.value(y) for y in op.inputs]
        taken, first = values[: len(sequences)], values[len(sequences) :]
        if place == len(start):
            # There is no output yet: zeros in its place.
            first.append(_ops.zeros([_ops.dim(taken[0], 1), *(output.static_shape or ())[1:]], output.dtype))

        def body(states: Any, slices: Any) -> Any:
            own = {y.op.id: [v] for y, v in zip([*now, *old], [*slices, *states])}
            return list(emitter.region(context, results, own))

        last, kept = control.scan_states(body, first, taken, [place])
        return [*kept, *last[: len(start)]]

    types = [(output.dtype, (*(x.static_shape or (None, None))[:2], *(output.static_shape or (None, None))[1:]))]
    types += [(s.dtype, s.static_shape) for s in start]
    op = graph.create("rnn", [*sequences, *start], lambda *ys: ys, types,
                      fields=Fields(captures=captures, region=region))  # fmt: skip
    outputs = op.outputs[0]
    if sequence_length is not None:
        outputs = _choose(holds, outputs, TABLE["zeros_like"](outputs))
    return outputs, pack(state, list(op.outputs[1:]))

# The names of these that `tf.nn` has too.
NN = (
    "bidirectional_dynamic_rnn", "dynamic_rnn", "static_bidirectional_rnn", "static_rnn",
)  # fmt: skip
