# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent ops of ONNX: one loop over time."""

from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from .. import _ops
from .. import nn as nn
from .._core import trace as _trace
from .._core.tensor import Tensor, as_tensor
from .._flywheel import Value
from .._frontends.layouts import Laid
from .._ops.emission import Size, empty, index_of, size, sizes, stretch
from .._ops.indexing import insert_slice, scalar_at
from .._ops.shapes import reshape_to
from ..control import _for
from ._graph import Call, op
from ._known import Known
from ._layers import rows_times

_ACTIVATIONS: Dict[str, Callable[[Tensor], Tensor]] = {
    "Sigmoid": _ops.sigmoid, "Tanh": _ops.tanh, "Relu": nn.relu, "Softplus": nn.softplus, "Softsign": nn.softsign,
}  # fmt: skip

_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
_DEFAULTS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}

# The next states, of which the first is the output, from the product of the input with its weights and the states.
Step = Callable[[Tensor, List[Tensor]], List[Tensor]]


def _insert(y: Tensor, into: Tensor, index: Value) -> Tensor:
    """Inserts a slice in its place of the first dimension."""
    return insert_slice(y, into, [index, *[0] * y.ndim], [1, *sizes(y)], [1] * into.ndim)


def _loop(x: Tensor, states: List[Tensor], step: Step, collects: bool, reverse: bool) -> Tuple[List[Tensor], Any]:
    """Returns the last states of [time, batch, ...], and all outputs, [time, batch, hidden], if they are wanted."""
    count = size(x, 0)
    buffers = [empty([count, *sizes(states[0])], x.dtype)] if collects else []

    def body(index: Value, own: List[Tensor]) -> List[Tensor]:
        trace = _trace.current()
        if reverse:
            last = trace.op("arith.subi", [index_of(count), trace.index(1)], [trace.index_type()])[0]
            index = trace.op("arith.subi", [last, index], [trace.index_type()])[0]
        new = step(scalar_at(x, index), own[: len(states)])
        return new + [_insert(new[0], into, index) for into in own[len(states) :]]

    results = _for(count, states + buffers, body)
    return results[: len(states)], results[len(states)] if collects else None


class _Weights:
    """The weights of one direction."""

    def __init__(self, call: Call, place: int, hidden: int, w: Laid, r: Laid, b: Optional[Laid]):
        self.hidden = hidden
        self.w, self.r = (_ops.getitem(one.plain(), place) for one in (w, r))
        gates = _GATES[call.op]
        self.wb = self.rb = None
        if b is not None:
            row = _ops.getitem(b.plain(), place)
            self.wb = _ops.getitem(row, slice(0, gates * hidden))
            self.rb = _ops.getitem(row, slice(gates * hidden, 2 * gates * hidden))

    def of_input(self, x: Tensor, with_rb: bool) -> Tensor:
        """The product with all time steps, and the biases that may be added at once."""
        result = rows_times(x, self.w, transpose_b=True)
        if self.wb is not None and self.rb is not None:
            result = _ops.add(result, _ops.add(self.wb, self.rb) if with_rb else self.wb)
        return result

    def part(self, x: Tensor, place: int, count: int = 1) -> Tensor:
        """Gates of a product, along the last dimension."""
        return _ops.getitem(x, (..., slice(place * self.hidden, (place + count) * self.hidden)))

    def times(self, h: Tensor) -> Tensor:
        return nn.matmul(h, self.r, transpose_b=True)


def _lstm_step(weights: _Weights, functions: List[Callable[[Tensor], Tensor]]) -> Step:
    f, g, k = functions

    def step(x: Tensor, states: List[Tensor]) -> List[Tensor]:
        h, c = states
        both = _ops.add(x, weights.times(h))
        # Input, output, forget, cell.
        i, o, forget, cell = (weights.part(both, place) for place in range(4))
        memory = _ops.add(_ops.multiply(f(forget), c), _ops.multiply(f(i), g(cell)))
        return [_ops.multiply(f(o), k(memory)), memory]

    return step


def _gru_step(weights: _Weights, functions: List[Callable[[Tensor], Tensor]], resets_after: bool) -> Step:
    f, g = functions
    # Update, reset, hidden.
    gates_r, hidden_r = (_ops.getitem(weights.r, slice(a * weights.hidden, b * weights.hidden))
                         for a, b in ((0, 2), (2, 3)))  # fmt: skip
    bias = None if weights.rb is None else weights.part(weights.rb, 2)
    gate_bias = None if weights.rb is None else weights.part(weights.rb, 0, 2)

    def step(x: Tensor, states: List[Tensor]) -> List[Tensor]:
        (h,) = states
        if resets_after:
            product = weights.times(h)
            gates, inner = weights.part(product, 0, 2), weights.part(product, 2)
        else:
            gates = nn.matmul(h, gates_r, transpose_b=True)
        gates = _ops.add(weights.part(x, 0, 2), gates)
        gates = gates if gate_bias is None else _ops.add(gates, gate_bias)
        z, r = f(weights.part(gates, 0)), f(weights.part(gates, 1))
        if resets_after:
            inner = _ops.multiply(r, inner if bias is None else _ops.add(inner, bias))
        else:
            inner = nn.matmul(_ops.multiply(r, h), hidden_r, transpose_b=True)
            inner = inner if bias is None else _ops.add(inner, bias)
        new = g(_ops.add(weights.part(x, 2), inner))
        return [_ops.add(_ops.multiply(_ops.subtract(1.0, z), new), _ops.multiply(z, h))]

    return step


def _rnn_step(weights: _Weights, functions: List[Callable[[Tensor], Tensor]]) -> Step:
    def step(x: Tensor, states: List[Tensor]) -> List[Tensor]:
        return [functions[0](_ops.add(x, weights.times(states[0])))]

    return step


def _functions(call: Call, directions: int) -> List[List[Callable[[Tensor], Tensor]]]:
    """Returns the activations of each direction."""
    defaults = _DEFAULTS[call.op]
    given = call.attribute("activations") if call.has("activations") else None
    names = given or defaults * directions
    known = {name.lower(): function for name, function in _ACTIVATIONS.items()}
    for name in names:
        if name.lower() not in known:
            raise call.unsupported(f"with the activation '{name}'")
    if len(names) != len(defaults) * directions:
        raise ValueError(f"expected {len(defaults) * directions} activations, found {len(names)}")
    found = [known[name.lower()] for name in names]
    return [found[i * len(defaults) : (i + 1) * len(defaults)] for i in range(directions)]


def _check_lengths(call: Call, x: Tensor, lengths: Any) -> None:
    if lengths is None:
        return
    is_whole = isinstance(lengths, Known) and lengths.is_static and x._dims[0] is not None and bool(
        np.all(lengths.array == x._dims[0]))  # fmt: skip
    if not is_whole:
        raise call.unsupported("with sequence_lens that are not all of the time")


# Parameters of activations that are not imported.
@op("LSTM", "GRU", "RNN", without="activation_alpha activation_beta", raw=(4,))
def _recurrent(
    call: Call, x: Laid, w: Laid, r: Laid, b: Optional[Laid] = None, lengths: Any = None, h: Optional[Laid] = None,
    c: Optional[Laid] = None, peepholes: Optional[Laid] = None,
) -> List[Any]:  # fmt: skip
    for name in ("clip", "input_forget"):
        if call.attribute(name, 0):
            raise call.unsupported(f"with {name}")
    if peepholes is not None:
        raise call.unsupported("with peepholes")
    direction = call.word("direction", "forward", "reverse", "bidirectional")
    is_batch_first = call.flag("layout")
    if is_batch_first:
        x = x.permuted((1, 0, 2))
        h, c = (None if one is None else one.permuted((1, 0, 2)) for one in (h, c))
    data = x.plain()
    _check_lengths(call, data, lengths)
    hidden, directions = w.shape[1], 2 if direction == "bidirectional" else 1
    if hidden is None or w.shape[0] != directions:
        raise ValueError(f"expected the weights of {directions} direction{'s'[: directions - 1]}, found {w.shape}")
    hidden //= _GATES[call.op]
    if call.attribute("hidden_size", hidden) != hidden:
        raise ValueError(f"expected a hidden size of {call.attribute('hidden_size')}, found {hidden}")
    functions = _functions(call, directions)
    batch = size(data, 1)
    outputs: List[Any] = []
    lasts: List[List[Tensor]] = []
    for place in range(directions):
        weights = _Weights(call, place, hidden, w, r, b)
        product = weights.of_input(data, with_rb=call.op != "GRU")
        states = [_first_state(data, one, place, batch, hidden) for one in ([h, c] if call.op == "LSTM" else [h])]
        if call.op == "LSTM":
            step = _lstm_step(weights, functions[place])
        elif call.op == "GRU":
            step = _gru_step(weights, functions[place], call.flag("linear_before_reset"))
        else:
            step = _rnn_step(weights, functions[place])
        reverse = direction == "reverse" or place == 1
        last, every = _loop(product, states, step, call.wants(0), reverse)
        outputs.append(every)
        lasts.append(last)
    results: List[Any] = [None if outputs[0] is None else Laid(_ops.stack(outputs, 1))]
    results += [Laid(_ops.stack([one[i] for one in lasts], 0)) for i in range(len(lasts[0]))]
    if is_batch_first:
        orders = [(2, 0, 1, 3), (1, 0, 2), (1, 0, 2)]
        results = [None if one is None else one.permuted(order) for one, order in zip(results, orders)]
    return results


def _first_state(x: Tensor, given: Optional[Laid], place: int, batch: Size, hidden: int) -> Tensor:
    if given is not None:
        state: Tensor = _ops.getitem(given.plain(), place)
        return reshape_to(state, [batch, hidden])
    return stretch(as_tensor(0, x.dtype), [batch, hidden])
