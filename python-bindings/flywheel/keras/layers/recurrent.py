# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers: one loop over time."""

from typing import Any, Callable, Dict, List, Tuple

from ... import _ops, control
from ... import nn as _traced
from ..._errors.messages import about
from ...v1.conversion import as_tensor, make
from .. import activations, regularizers
from .. import backend as K
from ..engine.specs import InputSpec
from ..engine.topology import one_or_list, to_list
from ..legacy import interfaces as _legacy
from ._gated import Gated, Stateful
from .cells import RNN as RNN
from .cells import StackedRNNCells as StackedRNNCells
from .rnn_cells import GRUCell as GRUCell
from .rnn_cells import LSTMCell as LSTMCell
from .rnn_cells import SimpleRNNCell as SimpleRNNCell

_STEPS: Dict[str, Callable[..., Any]] = {
    "tanh": _ops.tanh, "sigmoid": _ops.sigmoid, "hard_sigmoid": _traced.hard_sigmoid, "relu": _traced.relu,
    "softplus": _traced.softplus, "elu": _traced.elu, "linear": lambda x: x,
}  # fmt: skip


def _in_steps(activation: Any) -> Callable[..., Any]:
    """Returns the function of an activation in a loop."""
    name = getattr(activation, "__name__", "")
    if name not in _STEPS or activations.get(name) is not activation:
        raise about("flywheel.keras", NotImplementedError(f"the activation '{name}' in a recurrent layer, expected one "
                                                          f"of {', '.join(_STEPS)}"))  # fmt: skip
    return _STEPS[name]


class CellOf:
    """The step of a recurrent layer as programs of Keras see it: with the weights and arguments of the layer."""

    def __init__(self, layer: Any):
        self._layer = layer

    @property
    def losses(self) -> List[Any]:
        own = self._layer._activity
        return [x for x in self._layer.losses if all(x is not y for y in own)]

    def get_losses_for(self, inputs: Any) -> List[Any]:
        return [] if inputs is not None else self.losses

    def __getattr__(self, name: str) -> Any:
        return getattr(self._layer, name)


class _Recurrent(Gated, Stateful):
    """The base of recurrent layers: [batch, time, inputs] becomes [batch, units], or [batch, time, units].

    A step that the mask leaves out keeps the state, and gives it as its output. A `stateful` layer begins a batch with
    the states that the one before it ended with; its batches have one size, and `reset_states` sets the states. Calls
    may take an `initial_state`. `unroll` has no effect.
    """

    input_spec = InputSpec(ndim=3)

    count = 1
    supports_masking = True
    arguments: Tuple[str, ...] = (
        "return_sequences", "return_state", "go_backwards", "stateful", "activity_regularizer")

    def __init__(
        self, units: int, activation: Any = "tanh", return_sequences: bool = False, return_state: bool = False,
        go_backwards: bool = False, stateful: bool = False, unroll: bool = False, activity_regularizer: Any = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        if "input_dim" in kwargs:
            kwargs["input_shape"] = (kwargs.pop("input_length", None), kwargs.pop("input_dim"))
        super().__init__(units, activation, **kwargs)
        self.return_sequences, self.go_backwards = return_sequences, go_backwards
        self.return_state, self.stateful = return_state, stateful
        self._activation = _in_steps(self.activation)
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self._kept: List[Any] = []
        # The penalties of outputs, which are not those of the weights.
        self._activity: List[Any] = []

    @property
    def cell(self) -> CellOf:
        return CellOf(self)

    def _state_shapes(self) -> List[Tuple[int, ...]]:
        return [(self.units,)] * self.count

    def build(self, input_shape: Any) -> None:
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        self._make_weights(shape[-1])
        if self.stateful:
            self._make_states(shape[0])
        self.built = True

    # Calls

    def step(self, x: Any, states: Any, recurrent: "_Products") -> Any:
        """The next states, of which the first is the output; `x` has the product with the kernel already."""
        raise NotImplementedError

    def _masks(self, like: Any, width: Any, rate: float, training: Any) -> List[Any]:
        """For each gate what an input of each example is multiplied with: 0 where it is dropped."""
        if not rate:
            return []

        def ones(y: Any) -> Any:
            return _ops.ones([_ops.dim(y, 0), width], y.dtype)

        kept = make("ones", ones, like)
        return [K.in_train_phase(K.dropout(kept, rate), kept, training) for _ in range(self.gates)]

    def __call__(self, inputs: Any, initial_state: Any = None, **kwargs: Any) -> Any:
        given = to_list(inputs) + ([] if initial_state is None else to_list(initial_state))
        return super().__call__(one_or_list(given), **kwargs)

    def call(self, inputs: Any, mask: Any = None, training: Any = None, **kwargs: Any) -> Any:
        x, *first = to_list(inputs)
        mask = mask[0] if isinstance(mask, list) else mask
        if first and len(first) != self.count:
            raise ValueError(f"Layer {self.name} expects {self.count} states, but was passed {len(first)} initial "
                             "states.")  # fmt: skip
        first = first or self._kept
        has_mask = mask is not None

        sequence = as_tensor(x)
        dropped = self._masks(sequence, K.int_shape(sequence)[-1], self.dropout, training)
        dropped_states = self._masks(sequence, self.units, self.recurrent_dropout, training)

        def emit(
            x: Any, start: Any, masks: Any, dropped: Any, dropped_states: Any, kernel: Any, recurrent: Any, *bias: Any
        ) -> Any:
            own = bias
            if bias and self.reset_after:
                own, bias = (bias[0][0],), (bias[0][1],)
            else:
                bias = ()
            x = _ops.swapaxes(self._inputs(x, dropped, kernel, own), 0, 1)
            return self._emit(x, start, masks, _Products(recurrent, self.units, self._sized(x, dropped_states), *bias))

        outputs = make(type(self).__name__, emit, sequence, [as_tensor(s) for s in first],
                       [mask] if has_mask else [], dropped, dropped_states, *self.weights)  # fmt: skip
        if self._kept and first is self._kept:
            self._keep(outputs[1:], inputs)
        if self.activity_regularizer is not None:
            self._activity.append(self.activity_regularizer(outputs[0]))
            self.add_loss(self._activity[-1], inputs)
        return list(outputs) if self.return_state else outputs[0]

    def _inputs(self, x: Any, dropped: Any, kernel: Any, bias: Any) -> Any:
        """[batch, time, gates]: the product with the kernel."""
        if not dropped:
            return _traced.dense(x, kernel, *bias)
        parts = [_traced.dense(x * _ops.expand_dims(mask, 1), kernel[:, i * self.units : (i + 1) * self.units])
                 for i, mask in enumerate(dropped)]  # fmt: skip
        y = parts[0] if len(parts) == 1 else _ops.concatenate(parts, 2)
        return y + bias[0] if bias else y

    def _sized(self, x: Any, given: Any) -> List[Any]:
        """[batch, units] tensors that have the batch of x [time, batch, ...] by name: there is nothing to be checked in
        the loop."""
        zeros = _ops.zeros([_ops.dim(x, 1), self.units], x.dtype)
        return [_ops.add(zeros, y) for y in given]

    def _emit(self, x: Any, start: Any, masks: Any, recurrent: "_Products") -> Any:
        zeros = _ops.zeros([_ops.dim(x, 1), self.units], x.dtype)
        states = self._sized(x, start) or [zeros] * self.count
        sequences = [x]
        if masks:
            holds = _ops.expand_dims(_ops.swapaxes(masks[0], 0, 1), -1)
            # No number of a step that does not count gets into the state.
            sequences = [_ops.where(holds, x, _ops.zeros_like(x)), _ops.cast(holds, x.dtype)]

        def body(own: Any, now: Any) -> Any:
            new = self.step(now[0], own, recurrent)
            if len(now) == 1:
                return list(new)
            # A choice by arithmetic: one by sizes that are not known would be checked in the loop.
            return [now[1] * a + (1.0 - now[1]) * b for a, b in zip(new, own)]

        last, kept = control.scan_states(body, states, sequences, [0] if self.return_sequences else [],
                                         reverse=self.go_backwards)  # fmt: skip
        return [_ops.swapaxes(kept[0], 0, 1) if self.return_sequences else last[0], *last]

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        output = (*shape[:2], self.units) if self.return_sequences else (shape[0], self.units)
        return [output, *[(shape[0], self.units)] * self.count] if self.return_state else output

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        own = mask[0] if isinstance(mask, list) else mask
        output = own if self.return_sequences else None
        return [output, *[None] * self.count] if self.return_state else output

    def _parts(self, x: Any) -> List[Any]:
        return [x[:, i * self.units : (i + 1) * self.units] for i in range(self.gates)]


class _Products:
    """Products of an output with the parts of the recurrent kernel, and their bias."""

    def __init__(self, kernel: Any, units: int, masks: List[Any], bias: Any = None):
        self._kernel, self._units, self._masks, self._bias = kernel, units, masks, bias

    def __call__(self, h: Any, first: int, count: int) -> List[Any]:
        """Returns [batch, units] for each of `count` gates."""
        if self._bias is not None:
            own = [self._bias[i * self._units : (i + 1) * self._units] for i in range(first, first + count)]
            return [y + b for y, b in zip(self._of(h, first, count), own)]
        return self._of(h, first, count)

    def _of(self, h: Any, first: int, count: int) -> List[Any]:
        if not self._masks:
            both = _ops.matmul(h, self._kernel[:, first * self._units : (first + count) * self._units])
            return [both[:, i * self._units : (i + 1) * self._units] for i in range(count)]
        return [_ops.matmul(h * self._masks[i], self._kernel[:, i * self._units : (i + 1) * self._units])
                for i in range(first, first + count)]  # fmt: skip


@_legacy.recurrent
class SimpleRNN(_Recurrent):
    """h' = activation(x kernel + h recurrent_kernel + bias)."""

    def step(self, x: Any, states: Any, recurrent: _Products) -> Any:
        return (self._activation(x + recurrent(states[0], 0, 1)[0]),)


@_legacy.recurrent
class LSTM(_Recurrent):
    """Hochreiter and Schmidhuber, 1997; gates i, f, c, o."""

    gates, count = 4, 2
    arguments = ("recurrent_activation", "unit_forget_bias")

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "hard_sigmoid",
        unit_forget_bias: bool = True, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(units, activation, **kwargs)
        self.recurrent_activation = activations.get(recurrent_activation)
        self._gate = _in_steps(self.recurrent_activation)
        self.unit_forget_bias = unit_forget_bias

    def step(self, x: Any, states: Any, recurrent: _Products) -> Any:
        i, f, c, o = (a + b for a, b in zip(self._parts(x), recurrent(states[0], 0, 4)))
        memory = self._gate(f) * states[1] + self._gate(i) * self._activation(c)
        return self._gate(o) * self._activation(memory), memory


@_legacy.recurrent
class GRU(_Recurrent):
    """Cho et al., 2014; gates z, r, h; the reset is before the product, or with `reset_after` behind it, which then has
    a bias of its own."""

    gates = 3
    arguments = ("recurrent_activation", "reset_after")

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "hard_sigmoid",
        reset_after: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(units, activation, **kwargs)
        self.reset_after = bool(reset_after)
        self.recurrent_activation = activations.get(recurrent_activation)
        self._gate = _in_steps(self.recurrent_activation)

    def step(self, x: Any, states: Any, recurrent: _Products) -> Any:
        h = states[0]
        xz, xr, xh = self._parts(x)
        hz, hr = recurrent(h, 0, 2)
        z, r = self._gate(xz + hz), self._gate(xr + hr)
        last = r * recurrent(h, 2, 1)[0] if self.reset_after else recurrent(r * h, 2, 1)[0]
        new = self._activation(xh + last)
        return (z * h + (1.0 - z) * new,)
