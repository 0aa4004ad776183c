# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers: one loop over time."""

from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from ... import _ops, control
from ... import nn as _traced
from ...v1.conversion import as_tensor, make
from ...v1.graph import GraphKeys, get_default_graph
from .. import activations, constraints, initializers, regularizers
from .. import backend as K
from ..engine.topology import Layer, one_or_list, to_list
from ..legacy import interfaces as _legacy

_STEPS: Dict[str, Callable[..., Any]] = {
    "tanh": _ops.tanh, "sigmoid": _ops.sigmoid, "hard_sigmoid": _traced.hard_sigmoid, "relu": _traced.relu,
    "softplus": _traced.softplus, "elu": _traced.elu, "linear": lambda x: x,
}  # fmt: skip


def _in_steps(activation: Any) -> Callable[..., Any]:
    """Returns the function of an activation in a loop."""
    name = getattr(activation, "__name__", "")
    if name not in _STEPS or activations.get(name) is not activation:
        raise NotImplementedError(f"flywheel.keras: the activation '{name}' in a recurrent layer, expected one of "
                                  f"{', '.join(_STEPS)}")  # fmt: skip
    return _STEPS[name]


class _Recurrent(Layer):
    """The base of recurrent layers: [batch, time, inputs] becomes [batch, units], or [batch, time, units].

    A step that the mask leaves out keeps the state, and gives it as its output. A `stateful` layer begins a batch with
    the states that the one before it ended with; its batches have one size, and `reset_states` sets the states. Calls
    may take an `initial_state`. With `dropout` and `recurrent_dropout` (Gal and Ghahramani, 2016) each gate drops
    inputs, and elements of the output before, of its own: the same ones in all steps of a batch.
    """

    _rank = 3

    gates, states = 1, 1
    supports_masking = True
    arguments: Tuple[str, ...] = (
        "units", "activation", "use_bias", "kernel_initializer", "recurrent_initializer", "bias_initializer",
        "kernel_regularizer", "recurrent_regularizer", "bias_regularizer", "kernel_constraint",
        "recurrent_constraint", "bias_constraint", "return_sequences", "return_state", "go_backwards", "stateful",
        "dropout", "recurrent_dropout",
    )  # fmt: skip

    def __init__(
        self, units: int, activation: Any = "tanh", use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None, bias_regularizer: Any = None, kernel_constraint: Any = None,
        recurrent_constraint: Any = None, bias_constraint: Any = None, dropout: float = 0.0,
        recurrent_dropout: float = 0.0, return_sequences: bool = False, return_state: bool = False,
        go_backwards: bool = False, stateful: bool = False, unroll: bool = False, implementation: int = 1,
        activity_regularizer: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        for key, rate in (("dropout", dropout), ("recurrent_dropout", recurrent_dropout)):
            if not 0.0 <= rate < 1.0:
                raise ValueError(f"{key} must be in [0, 1), found {rate}")
        if activity_regularizer is not None:
            raise NotImplementedError("flywheel.keras: activity_regularizer of recurrent layers")
        if "input_dim" in kwargs:
            kwargs["input_shape"] = (kwargs.pop("input_length", None), kwargs.pop("input_dim"))
        super().__init__(**kwargs)
        self.units, self.use_bias = units, use_bias
        self.dropout, self.recurrent_dropout = dropout, recurrent_dropout
        self.return_sequences, self.go_backwards = return_sequences, go_backwards
        self.return_state, self.stateful = return_state, stateful
        self.activation = activations.get(activation)
        self._activation = _in_steps(self.activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.recurrent_regularizer = regularizers.get(recurrent_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.recurrent_constraint = constraints.get(recurrent_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self._kept: List[Any] = []

    def build(self, input_shape: Any) -> None:
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        width = self.gates * self.units
        weights: List[Any] = [("kernel", (shape[-1], width), "kernel"),
                              ("recurrent_kernel", (self.units, width), "recurrent")]  # fmt: skip
        if self.use_bias:
            weights.append(("bias", (width,), "bias"))
        for name, sizes, key in weights:
            initializer, regularizer, constraint = (getattr(self, f"{key}_{kind}") for kind in
                                                    ("initializer", "regularizer", "constraint"))  # fmt: skip
            initializer = self._first_bias(initializer) if key == "bias" else initializer
            setattr(self, name, self.add_weight(name, sizes, None, initializer, regularizer, True, constraint))
        if self.stateful:
            self._make_states(shape[0])
        self.built = True

    def _first_bias(self, initializer: Any) -> Any:
        return initializer

    # States

    def _make_states(self, batch: Any) -> None:
        if batch is None:
            raise ValueError("If a RNN is stateful, it needs to know its batch size: give the first layer a "
                             "`batch_input_shape`, or Input a `batch_shape`")  # fmt: skip
        with get_default_graph().name_scope(self.name):
            self._kept = [K.zeros((batch, self.units), self.dtype, f"state_{i}") for i in range(self.states)]
        for state in self._kept:
            state.trainable = False
            get_default_graph().get_collection_ref(GraphKeys.TRAINABLE_VARIABLES).remove(state)

    def reset_states(self, states: Any = None) -> None:
        """Sets the states, by default to zeros. Raises AttributeError for a layer that is not stateful, ValueError for
        states of another number or shape."""
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        if not self._kept:
            raise ValueError(f"Layer {self.name} was not called yet: it has no states")
        given = [np.zeros(K.int_shape(s)) for s in self._kept] if states is None else to_list(states)
        if len(given) != len(self._kept):
            raise ValueError(f"Layer {self.name} expects {len(self._kept)} states, but it received {len(given)} state "
                             "values.")  # fmt: skip
        for state, value in zip(self._kept, given):
            if np.shape(value) != K.int_shape(state):
                raise ValueError(f"State of layer {self.name} is incompatible: expected shape={K.int_shape(state)}, "
                                 f"found shape={np.shape(value)}")  # fmt: skip
        K.batch_set_value(list(zip(self._kept, given)))

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
        if first and len(first) != self.states:
            raise ValueError(f"Layer {self.name} expects {self.states} states, but was passed {len(first)} initial "
                             "states.")  # fmt: skip
        first = first or self._kept
        has_mask = mask is not None

        sequence = as_tensor(x)
        dropped = self._masks(sequence, K.int_shape(sequence)[-1], self.dropout, training)
        dropped_states = self._masks(sequence, self.units, self.recurrent_dropout, training)

        def emit(
            x: Any, start: Any, masks: Any, dropped: Any, dropped_states: Any, kernel: Any, recurrent: Any, *bias: Any
        ) -> Any:
            x = _ops.swapaxes(self._inputs(x, dropped, kernel, bias), 0, 1)
            return self._emit(x, start, masks, _Products(recurrent, self.units, self._sized(x, dropped_states)))

        outputs = make(type(self).__name__, emit, sequence, [as_tensor(s) for s in first],
                       [mask] if has_mask else [], dropped, dropped_states, *self.weights)  # fmt: skip
        if self._kept and first is self._kept:
            self.add_update([K.update(s, y) for s, y in zip(self._kept, outputs[1:])], inputs)
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
        states = self._sized(x, start) or [zeros] * self.states
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
        return [output, *[(shape[0], self.units)] * self.states] if self.return_state else output

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        own = mask[0] if isinstance(mask, list) else mask
        output = own if self.return_sequences else None
        return [output, *[None] * self.states] if self.return_state else output

    def _parts(self, x: Any) -> List[Any]:
        return [x[:, i * self.units : (i + 1) * self.units] for i in range(self.gates)]


class _Products:
    """Products of an output with the parts of the recurrent kernel."""

    def __init__(self, kernel: Any, units: int, masks: List[Any]):
        self._kernel, self._units, self._masks = kernel, units, masks

    def __call__(self, h: Any, first: int, count: int) -> List[Any]:
        """Returns [batch, units] for each of `count` gates."""
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

    gates, states = 4, 2
    arguments = ("recurrent_activation", "unit_forget_bias")

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "hard_sigmoid",
        unit_forget_bias: bool = True, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(units, activation, **kwargs)
        self.recurrent_activation = activations.get(recurrent_activation)
        self._gate = _in_steps(self.recurrent_activation)
        self.unit_forget_bias = unit_forget_bias

    def _first_bias(self, initializer: Any) -> Any:
        if not self.unit_forget_bias:
            return initializer

        def start(shape: Any, dtype: Any = None) -> Any:
            bias = np.array(initializer(shape), K.floatx())
            bias[self.units : 2 * self.units] = 1.0
            return bias

        return start

    def step(self, x: Any, states: Any, recurrent: _Products) -> Any:
        i, f, c, o = (a + b for a, b in zip(self._parts(x), recurrent(states[0], 0, 4)))
        memory = self._gate(f) * states[1] + self._gate(i) * self._activation(c)
        return self._gate(o) * self._activation(memory), memory


@_legacy.recurrent
class GRU(_Recurrent):
    """Cho et al., 2014; gates z, r, h; the reset is before the product."""

    gates = 3
    arguments = ("recurrent_activation",)

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "hard_sigmoid", **kwargs: Any
    ) -> None:
        if kwargs.pop("reset_after", False):
            raise NotImplementedError("flywheel.keras.layers.GRU: reset_after")
        super().__init__(units, activation, **kwargs)
        self.recurrent_activation = activations.get(recurrent_activation)
        self._gate = _in_steps(self.recurrent_activation)

    def step(self, x: Any, states: Any, recurrent: _Products) -> Any:
        h = states[0]
        xz, xr, xh = self._parts(x)
        hz, hr = recurrent(h, 0, 2)
        z, r = self._gate(xz + hz), self._gate(xr + hr)
        new = self._activation(xh + recurrent(r * h, 2, 1)[0])
        return (z * h + (1.0 - z) * new,)
