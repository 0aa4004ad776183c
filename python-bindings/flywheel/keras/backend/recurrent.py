# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions over time, and over slices."""

from typing import Any, Callable, List, Tuple

from ... import _ops
from ..._errors.messages import about
from ...v1 import functional_ops as _functional
from ...v1.arrays import reverse as _reverse
from ...v1.conversion import as_tensor, make
from ...v1.ops import cast, concat, expand_dims, transpose
from ...v1.rnn import loop


def rnn(
    step_function: Callable[[Any, List[Any]], Tuple[Any, List[Any]]], inputs: Any, initial_states: Any,
    go_backwards: bool = False, mask: Any = None, constants: Any = None, unroll: bool = False, input_length: Any = None,
) -> Tuple[Any, Any, List[Any]]:  # fmt: skip
    """`output, states = step_function(x, states)` for each step x [batch, ...] of `inputs` [batch, time, ...], with
    `constants` after the states: the last output, all outputs, and the last states.

    One loop, whatever the time. A step that the mask [batch, time] leaves out keeps the states, and gives the first of
    them as its output. Raises ValueError for a mask without states. `unroll` and `input_length` have no effect.
    """
    x, more = as_tensor(inputs), [as_tensor(c) for c in constants or []]
    if x.static_shape is None or len(x.static_shape) < 3:
        raise ValueError(f"Input should be at least 3D, found shape {x.shape}")
    if mask is not None and not initial_states:
        raise ValueError("No initial states provided! When using masking in an RNN, you should provide initial states")
    if mask is not None and len(x.static_shape) > 3:
        raise about("flywheel.keras.backend.rnn", NotImplementedError("a mask of steps that are more than vectors"))
    order = [1, 0, *range(2, len(x.static_shape))]
    x = transpose(x, order)
    if mask is not None:
        holds = cast(transpose(as_tensor(mask), [1, 0]), x.dtype)
        x = concat([x, expand_dims(holds, -1)], 2)
    if go_backwards:
        x = _reverse(x, 0)

    def sized(y: Any, s: Any) -> Any:
        """A state with the batch of x, by name: there is nothing to be checked in the loop."""
        return _ops.add(_ops.zeros([_ops.dim(y, 1), *s._dims[1:]], s.dtype), s)

    start = [make("initial_state", sized, x, as_tensor(s)) for s in initial_states]

    def step(now: Any, states: Any) -> Tuple[Any, List[Any]]:
        if mask is None:
            output, new = step_function(now, [*states, *more])
            return output, list(new)
        counts = now[:, -1:]
        output, new = step_function(now[:, :-1], [*states, *more])
        # A choice by arithmetic: one by sizes that are not known would be checked in the loop.
        kept = [counts * a + (1.0 - counts) * b for a, b in zip(new, states)]
        return counts * output + (1.0 - counts) * states[0], kept

    outputs, last = loop(step, x, start)
    outputs = transpose(outputs, [1, 0, *range(2, len(outputs.static_shape or ()))])
    return outputs[:, -1], outputs, list(last)


def map_fn(fn: Callable[[Any], Any], elems: Any, name: Any = None, dtype: Any = None) -> Any:
    """The results of `fn` for each slice of `elems`."""
    return _functional.map_fn(fn, elems, dtype=dtype, name=name)


def foldl(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, name: Any = None) -> Any:
    """The last `a = fn(a, x)`, for each slice x of `elems`."""
    return _functional.foldl(fn, elems, initializer, name=name)


def foldr(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, name: Any = None) -> Any:
    """As `foldl`, from the last slice on."""
    return _functional.foldr(fn, elems, initializer, name=name)
