# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A cell over time whose inputs, states and outputs a function of the program chooses."""

from typing import Any, Callable, List, Tuple

from .. import _ops
from .. import nn as traced
from .._core import dtypes as _dtypes
from .._errors.messages import about
from .control_flow import while_loop
from .conversion import as_tensor, constant, make
from .elementwise import TABLE
from .graph import get_default_graph
from .ops import cast
from .scopes import variable_scope
from .sizes import of_size
from .structures import flatten, pack
from .tensor_arrays import TensorArray


def _stays(ended: Any, old: Any, new: Any) -> Any:
    """Returns old where an example is finished, else new; new for what belongs to no example."""
    if isinstance(new, TensorArray) or len(as_tensor(new).shape) == 0:
        return new

    def emit(f: Any, a: Any, b: Any) -> Any:
        return _ops.where(_ops.reshape(f, [_ops.dim(f, 0), *[1] * (b.ndim - 1)]), a, b)

    return make("Select", emit, ended, as_tensor(old), as_tensor(new))


def _write(whole: Any, time: Any, x: Any) -> Any:
    def emit(all_: Any, t: Any, v: Any) -> Any:
        return traced.scatter(all_, _ops.reshape(_ops.cast(t, _dtypes.int64), [1]), _ops.expand_dims(v, 0), 0)

    return make("TensorArrayWrite", emit, whole, time, x, types=[(whole.dtype, whole.static_shape)])


class _Steps:
    """The steps of a cell and of the function, as the condition and the body of a loop."""

    def __init__(self, cell: Any, function: Callable[..., Any], has_state: bool):
        self._cell, self._function, self._has_state = cell, function, has_state

    def of(self, time: Any, x: Any, old: Any, extra: Any) -> Any:
        """Returns what the function returns after a step; its own state is a tensor, or a structure of them."""
        output, new = self._cell(x, old)
        ends, following, state, emitted, own = self._function(time + 1, output, new, extra if self._has_state else None)
        return ends, following, state, emitted, extra if own is None else own

    @staticmethod
    def goes_on(*state: Any) -> Any:
        return TABLE["logical_not"](TABLE["reduce_all"](state[1]))

    def body(self, time: Any, ended: Any, x: Any, old: Any, extra: Any, whole: List[Any]) -> Any:
        ends, following, new, emitted, extra = self.of(time, x, old, extra)
        states = [_stays(ended, a, b) for a, b in zip(flatten(old), flatten(new))]
        outputs = [_stays(ended, TABLE["zeros_like"](y), y) for y in flatten(emitted)]
        return (time + 1, TABLE["logical_or"](ended, ends), following, pack(old, states), extra,
                [_write(w, time, y) for w, y in zip(whole, outputs)])  # fmt: skip


def raw_rnn(
    cell: Any, loop_fn: Callable[..., Any], parallel_iterations: Any = None, swap_memory: bool = False,
    scope: Any = None,
) -> Tuple[Any, Any, Any]:  # fmt: skip
    """A cell at steps until all examples are finished: a TensorArray of outputs [batch, ...], or a structure of these,
    the last state of the cell, and that of `loop_fn`. `loop_fn(time, cell_output, cell_state, loop_state)`, which is
    called with None in place of the last three before the first step, returns which examples are finished, the next
    input and the next state of the cell, the output of the step and its own next state. Outputs of a finished
    example are 0, and its state stays. The loop runs twice: first to count the steps."""
    if not callable(loop_fn):
        raise TypeError("loop_fn must be a callable")
    with variable_scope(scope if scope is not None else "rnn"):
        ended, x, state, _, extra = loop_fn(constant(0), None, None, None)
        steps = _Steps(cell, loop_fn, extra is not None)
        start = (constant(0), as_tensor(ended), pack(x, [as_tensor(one) for one in flatten(x)]),
                 pack(state, [as_tensor(one) for one in flatten(state)]),
                 constant(0) if extra is None else extra)  # fmt: skip
        with get_default_graph().context("while"):
            # These ops are not run: they say which outputs a step has.
            sample = steps.of(constant(0), *start[2:])[3]
        counted = while_loop(steps.goes_on, lambda t, e, y, s, c: steps.body(t, e, y, s, c, [])[:5], start)
        room = of_size(cast(counted[0], _dtypes.int32))

        def zeros(y: Any) -> Any:
            rest, kind = list(y.static_shape or ())[1:], y.dtype
            if None in rest or y.static_shape is None:
                raise about("flywheel.v1.nn.raw_rnn", ValueError(
                    f"the size of an output must be known, found shape {y.shape}"))  # fmt: skip
            return make("zeros", lambda n, f: _ops.zeros([_ops.dim(n, 0), _ops.dim(f, 0), *rest], kind), room, start[1])

        kept = [zeros(as_tensor(y)) for y in flatten(sample)]
        found = while_loop(steps.goes_on, steps.body, (*start, kept))
        arrays = [TensorArray(y.dtype)._with(y, None if y.static_shape is None else y.static_shape[1:])
                  for y in flatten(found[5])]  # fmt: skip
        return pack(sample, arrays), found[3], None if extra is None else found[4]


NN = ("raw_rnn",)

__all__ = ["raw_rnn"]
