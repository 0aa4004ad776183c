# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers: one scan over time."""

from typing import Any, Callable, Dict, List

from ... import _ops, control
from ... import nn as _traced
from ...v1.conversion import as_tensor, make
from .. import backend as K
from .. import constraints, initializers, regularizers
from ..engine import Layer

_ACTIVATIONS: Dict[str, Callable[..., Any]] = {
    "tanh": _ops.tanh, "sigmoid": _ops.sigmoid, "hard_sigmoid": _traced.hard_sigmoid, "relu": _traced.relu,
    "softplus": _traced.softplus, "elu": _traced.elu, "linear": lambda x: x,
}  # fmt: skip


def _activation(given: Any) -> Callable[..., Any]:
    name = "linear" if given is None else getattr(given, "__name__", given)
    if name not in _ACTIVATIONS:
        raise NotImplementedError(f"flywheel.keras: the activation '{name}' in a recurrent layer, expected one of "
                                  f"{', '.join(_ACTIVATIONS)}")  # fmt: skip
    return _ACTIVATIONS[name]


class _Recurrent(Layer):
    """What recurrent layers have: [batch, time, inputs] becomes [batch, units], or [batch, time, units]."""

    gates, states = 1, 1

    def __init__(
        self, units: int, activation: Any = "tanh", use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None, bias_regularizer: Any = None, kernel_constraint: Any = None,
        recurrent_constraint: Any = None, bias_constraint: Any = None, dropout: float = 0.0,
        recurrent_dropout: float = 0.0, return_sequences: bool = False, go_backwards: bool = False,
        implementation: int = 1, **kwargs: Any,
    ) -> None:  # fmt: skip
        for key in ("return_state", "stateful", "unroll"):
            if kwargs.pop(key, False) and key != "unroll":
                raise NotImplementedError(f"flywheel.keras: {key} of recurrent layers")
        if dropout or recurrent_dropout:
            raise NotImplementedError("flywheel.keras: dropout in recurrent layers; use Dropout before them")
        if "input_dim" in kwargs:
            kwargs["input_shape"] = (kwargs.pop("input_length", None), kwargs.pop("input_dim"))
        super().__init__(**kwargs)
        self.units, self.use_bias = units, use_bias
        self.return_sequences, self.go_backwards = return_sequences, go_backwards
        self.activation = _activation(activation)
        self._kernel = (initializers.get(kernel_initializer), regularizers.get(kernel_regularizer),
                        constraints.get(kernel_constraint))  # fmt: skip
        self._recurrent = (initializers.get(recurrent_initializer), regularizers.get(recurrent_regularizer),
                           constraints.get(recurrent_constraint))  # fmt: skip
        self._bias = (initializers.get(bias_initializer), regularizers.get(bias_regularizer),
                      constraints.get(bias_constraint))  # fmt: skip

    def build(self, input_shape: Any) -> None:
        width = self.gates * self.units
        weights: List[Any] = [("kernel", (input_shape[-1], width), self._kernel),
                              ("recurrent_kernel", (self.units, width), self._recurrent)]  # fmt: skip
        if self.use_bias:
            weights.append(("bias", (width,), self._bias))
        for name, shape, (initializer, regularizer, constraint) in weights:
            setattr(self, name, self.add_weight(name, shape, None, initializer, regularizer, True, constraint))
        self.built = True

    def step(self, x: Any, states: Any, recurrent: Any) -> Any:
        """The next states, of which the first is the output; `x` has the product with the kernel already."""
        raise NotImplementedError

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        def emit(x: Any, kernel: Any, recurrent: Any, *bias: Any) -> Any:
            x = _traced.dense(x, kernel, *bias)
            x = _ops.swapaxes(x, 0, 1)
            zero = _ops.sum(x[0], -1, True) * 0.0 + _ops.zeros((1, self.units), x.dtype)
            start = tuple(zero for _ in range(self.states))

            def body(states: Any, now: Any) -> Any:
                return self.step(now, states, recurrent), None

            if self.return_sequences:
                return self._unrolled(x, start, recurrent)
            last, _ = control.scan(body, start, x, reverse=self.go_backwards)
            return last[0]

        return make(type(self).__name__, emit, as_tensor(inputs), *self.weights)

    def _unrolled(self, x: Any, states: Any, recurrent: Any) -> Any:
        # A scan collects what has static sizes only, and here the batch is dynamic.
        if x.shape[0] is None:
            raise ValueError("return_sequences takes a number of time steps that is known: give the input its shape")
        outputs = []
        for t in range(x.shape[0]):
            states = self.step(x[x.shape[0] - 1 - t if self.go_backwards else t], states, recurrent)
            outputs.append(states[0])
        return _ops.stack(outputs, 1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*input_shape[:2], self.units) if self.return_sequences else (input_shape[0], self.units)

    def _parts(self, x: Any) -> List[Any]:
        return [x[:, i * self.units : (i + 1) * self.units] for i in range(self.gates)]


class SimpleRNN(_Recurrent):
    """h' = activation(x kernel + h recurrent_kernel + bias)."""

    def step(self, x: Any, states: Any, recurrent: Any) -> Any:
        return (self.activation(x + _ops.matmul(states[0], recurrent)),)


class LSTM(_Recurrent):
    """Hochreiter and Schmidhuber, 1997; gates i, f, c, o."""

    gates, states = 4, 2

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "hard_sigmoid",
        unit_forget_bias: bool = True, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(units, activation, **kwargs)
        self.recurrent_activation = _activation(recurrent_activation)
        self.unit_forget_bias = unit_forget_bias
        if unit_forget_bias:
            inner = self._bias[0]

            def start(shape: Any, dtype: Any = None) -> Any:
                import numpy as np

                bias = np.array(inner(shape), K.floatx())
                bias[units : 2 * units] = 1.0
                return bias

            self._bias = (start, *self._bias[1:])

    def step(self, x: Any, states: Any, recurrent: Any) -> Any:
        i, f, c, o = self._parts(x + _ops.matmul(states[0], recurrent))
        gate = self.recurrent_activation
        memory = gate(f) * states[1] + gate(i) * self.activation(c)
        return gate(o) * self.activation(memory), memory


class GRU(_Recurrent):
    """Cho et al., 2014; gates z, r, h; the reset is before the product."""

    gates = 3

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "hard_sigmoid", **kwargs: Any
    ) -> None:
        if kwargs.pop("reset_after", False):
            raise NotImplementedError("flywheel.keras.layers.GRU: reset_after")
        super().__init__(units, activation, **kwargs)
        self.recurrent_activation = _activation(recurrent_activation)

    def step(self, x: Any, states: Any, recurrent: Any) -> Any:
        h = states[0]
        xz, xr, xh = self._parts(x)
        both = _ops.matmul(h, recurrent[:, : 2 * self.units])
        z = self.recurrent_activation(xz + both[:, : self.units])
        r = self.recurrent_activation(xr + both[:, self.units :])
        new = self.activation(xh + _ops.matmul(r * h, recurrent[:, 2 * self.units :]))
        return (z * h + (1.0 - z) * new,)
