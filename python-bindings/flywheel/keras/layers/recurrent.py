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
from ..engine import Layer, one_or_list, to_list

_STEPS: Dict[str, Callable[..., Any]] = {
    "tanh": _ops.tanh, "sigmoid": _ops.sigmoid, "hard_sigmoid": _traced.hard_sigmoid, "relu": _traced.relu,
    "softplus": _traced.softplus, "elu": _traced.elu, "linear": lambda x: x,
}  # fmt: skip


def _in_steps(activation: Any) -> Callable[..., Any]:
    """What an activation is in a loop."""
    name = getattr(activation, "__name__", "")
    if name not in _STEPS or activations.get(name) is not activation:
        raise NotImplementedError(f"flywheel.keras: the activation '{name}' in a recurrent layer, expected one of "
                                  f"{', '.join(_STEPS)}")  # fmt: skip
    return _STEPS[name]


class _Recurrent(Layer):
    """What recurrent layers have: [batch, time, inputs] becomes [batch, units], or [batch, time, units].

    A step that the mask leaves out keeps the state, and gives it as its output. A `stateful` layer begins a batch with
    the states that the one before it ended with; its batches have one size, and `reset_states` sets the states. Calls
    may take an `initial_state`.
    """

    gates, states = 1, 1
    supports_masking = True
    arguments: Tuple[str, ...] = (
        "units", "activation", "use_bias", "kernel_initializer", "recurrent_initializer", "bias_initializer",
        "kernel_regularizer", "recurrent_regularizer", "bias_regularizer", "kernel_constraint",
        "recurrent_constraint", "bias_constraint", "return_sequences", "return_state", "go_backwards", "stateful",
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
        if dropout or recurrent_dropout:
            raise NotImplementedError("flywheel.keras: dropout in recurrent layers; use Dropout before them")
        if activity_regularizer is not None:
            raise NotImplementedError("flywheel.keras: activity_regularizer of recurrent layers")
        if "input_dim" in kwargs:
            kwargs["input_shape"] = (kwargs.pop("input_length", None), kwargs.pop("input_dim"))
        super().__init__(**kwargs)
        self.units, self.use_bias = units, use_bias
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

    def step(self, x: Any, states: Any, recurrent: Any) -> Any:
        """The next states, of which the first is the output; `x` has the product with the kernel already."""
        raise NotImplementedError

    def __call__(self, inputs: Any, initial_state: Any = None, **kwargs: Any) -> Any:
        given = to_list(inputs) + ([] if initial_state is None else to_list(initial_state))
        return super().__call__(one_or_list(given), **kwargs)

    def call(self, inputs: Any, mask: Any = None, **kwargs: Any) -> Any:
        x, *first = to_list(inputs)
        mask = mask[0] if isinstance(mask, list) else mask
        if first and len(first) != self.states:
            raise ValueError(f"Layer {self.name} expects {self.states} states, but was passed {len(first)} initial "
                             "states.")  # fmt: skip
        first = first or self._kept
        n, has_mask = len(first), mask is not None

        def emit(x: Any, *more: Any) -> Any:
            start, masks, (kernel, recurrent, *bias) = more[:n], more[n : n + has_mask], more[n + has_mask :]
            return self._emit(x, start, masks, kernel, recurrent, bias)

        outputs = make(type(self).__name__, emit, as_tensor(x), *first, *([mask] if has_mask else []), *self.weights)
        if self._kept and first is self._kept:
            self.add_update([K.update(s, y) for s, y in zip(self._kept, outputs[1:])], inputs)
        return list(outputs) if self.return_state else outputs[0]

    def _emit(self, x: Any, start: Any, masks: Any, kernel: Any, recurrent: Any, bias: Any) -> Any:
        x = _ops.swapaxes(_traced.dense(x, kernel, *bias), 0, 1)
        zeros = _ops.zeros([_ops.dim(x, 1), self.units], x.dtype)
        # A state that is given has the batch of x, by name: there is nothing to be checked in the loop.
        states = [_ops.add(zeros, s) for s in start] or [zeros] * self.states
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


class SimpleRNN(_Recurrent):
    """h' = activation(x kernel + h recurrent_kernel + bias)."""

    def step(self, x: Any, states: Any, recurrent: Any) -> Any:
        return (self._activation(x + _ops.matmul(states[0], recurrent)),)


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

    def step(self, x: Any, states: Any, recurrent: Any) -> Any:
        i, f, c, o = self._parts(x + _ops.matmul(states[0], recurrent))
        memory = self._gate(f) * states[1] + self._gate(i) * self._activation(c)
        return self._gate(o) * self._activation(memory), memory


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

    def step(self, x: Any, states: Any, recurrent: Any) -> Any:
        h = states[0]
        xz, xr, xh = self._parts(x)
        both = _ops.matmul(h, recurrent[:, : 2 * self.units])
        z = self._gate(xz + both[:, : self.units])
        r = self._gate(xr + both[:, self.units :])
        new = self._activation(xh + _ops.matmul(r * h, recurrent[:, 2 * self.units :]))
        return (z * h + (1.0 - z) * new,)
