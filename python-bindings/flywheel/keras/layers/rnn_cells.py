# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cells of recurrent networks: one step of `SimpleRNN`, `GRU` and `LSTM`, for `RNN` and `StackedRNNCells`."""

from typing import Any, List, Tuple

from ... import _ops
from ...v1.conversion import as_tensor, make
from .. import activations
from .. import backend as K
from ._gated import Gated


class Cell(Gated):
    """The base of cells: `call(inputs, states)` gives the output, which is the first new state, and all new states."""

    count = 1
    _dropped: List[Any]
    _dropped_states: List[Any]

    @property
    def state_size(self) -> Any:
        return self.units if self.count == 1 else (self.units,) * self.count

    def build(self, input_shape: Any) -> None:
        self._make_weights((input_shape[0] if isinstance(input_shape, list) else input_shape)[-1])
        self.built = True

    def draw(self, inputs: Any, width: int, training: Any = None) -> None:
        """Draws what the steps on `inputs`, [batch, ...], drop: `RNN` does so before its loop."""
        self._drawn = (self._masks(inputs, width, self.dropout, training),
                       self._masks(inputs, self.units, self.recurrent_dropout, training))  # fmt: skip

    def forget(self) -> None:
        """Makes the next call draw for itself."""
        self._drawn = None  # type: ignore[assignment]

    def _masks(self, like: Any, width: int, rate: float, training: Any) -> List[Any]:
        if not rate:
            return []
        kept = make("ones", lambda y: _ops.ones([_ops.dim(y, 0), width], y.dtype), as_tensor(like))
        return [K.in_train_phase(K.dropout(kept, rate), kept, training) for _ in range(self.gates)]

    def call(self, inputs: Any, states: Any = (), training: Any = None, **kwargs: Any) -> Any:
        drawn = getattr(self, "_drawn", None)
        if drawn is None:
            self.draw(inputs, K.int_shape(inputs)[-1], training)
            drawn = self._drawn
            self.forget()
        self._dropped, self._dropped_states = drawn
        new = self.step(self._products(inputs, self.kernel, self._dropped, True), list(states))
        return new[0], list(new)

    def step(self, x: List[Any], states: List[Any]) -> Tuple[Any, ...]:
        """Returns the new states from the products of the inputs with the kernel, by gates."""
        raise NotImplementedError

    def _products(
        self, x: Any, kernel: Any, masks: List[Any], is_input: bool, first: int = 0, count: int = 0
    ) -> List[Any]:
        bias: Any = None
        if self.use_bias:
            bias = self.bias[0 if is_input else 1] if self.reset_after else self.bias if is_input else None
        found = []
        for i in range(first, first + (count or self.gates)):
            part = slice(i * self.units, (i + 1) * self.units)
            y = K.dot(x * masks[i] if masks else x, kernel[:, part])
            found.append(y if bias is None else K.bias_add(y, bias[part]))
        return found

    def _recurrent(self, h: Any, first: int = 0, count: int = 0) -> Any:
        return self._products(h, self.recurrent_kernel, self._dropped_states, False, first, count)


class SimpleRNNCell(Cell):
    """h' = activation(x kernel + h recurrent_kernel + bias)."""

    def step(self, x: List[Any], states: List[Any]) -> Tuple[Any, ...]:
        return (self.activation(x[0] + self._recurrent(states[0])[0]),)


class GRUCell(Cell):
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

    def step(self, x: List[Any], states: List[Any]) -> Tuple[Any, ...]:
        h = states[0]
        z, r = (self.recurrent_activation(a + b) for a, b in zip(x, self._recurrent(h, 0, 2)))
        last = r * self._recurrent(h, 2, 1)[0] if self.reset_after else self._recurrent(r * h, 2, 1)[0]
        new = self.activation(x[2] + last)
        return (z * h + (1.0 - z) * new,)


class LSTMCell(Cell):
    """Hochreiter and Schmidhuber, 1997; gates i, f, c, o."""

    gates, count = 4, 2
    arguments = ("recurrent_activation", "unit_forget_bias")

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "hard_sigmoid",
        unit_forget_bias: bool = True, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(units, activation, **kwargs)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.unit_forget_bias = unit_forget_bias

    def step(self, x: List[Any], states: List[Any]) -> Tuple[Any, ...]:
        i, f, c, o = (a + b for a, b in zip(x, self._recurrent(states[0])))
        gate = self.recurrent_activation
        memory = gate(f) * states[1] + gate(i) * self.activation(c)
        return gate(o) * self.activation(memory), memory
