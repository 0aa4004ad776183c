# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers, over [batch, time, inputs]."""

import math
from typing import Any, List, Optional, Tuple

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, TensorLike
from .._ops import nn_ops as ops
from ..control import scan
from ..initializers import RandomUniform
from ..module import Module
from ..variables import Variable
from ._common import as_input, count_of, zeros

__all__ = ["GRU", "LSTM"]


class _Recurrent(Module):
    _gates = 1

    def __init__(self, inputs: int, units: int, *, dtype: Any = _dtypes.float32) -> None:
        self.inputs, self.units = count_of(inputs, "inputs"), count_of(units, "units")
        self.kernel = self._drawn(self.inputs, dtype)
        self.recurrent_kernel = self._drawn(self.units, dtype)
        self.bias = zeros((self._gates * self.units,), dtype)

    def _drawn(self, fan_in: int, dtype: Any) -> Variable:
        """Glorot's uniform distribution of each gate by itself."""
        limit = math.sqrt(6 / (fan_in + self.units))
        return Variable(RandomUniform(-limit, limit), shape=(fan_in, self._gates * self.units), dtype=dtype)

    def _steps(self, x: TensorLike) -> Tensor:
        """Returns the inputs of the gates, [time, batch, gates units]."""
        x = as_input(self, x, self.kernel.dtype, ("batch", "time", self.inputs))
        return _ops.swapaxes(ops.dense(x, self.kernel, self.bias), 0, 1)

    def _state(self, steps: Tensor, given: Optional[TensorLike]) -> Tensor:
        if given is not None:
            return as_input(self, given, self.kernel.dtype, ("batch", self.units))
        return _ops.zeros([_ops.dim(steps, 1), self.units], self.kernel.dtype)

    def _gate(self, parts: Tensor, place: int) -> Tensor:
        found: Tensor = parts[:, place * self.units : (place + 1) * self.units]
        return found


class LSTM(_Recurrent):
    """Long short-term memory: outputs [batch, time, units] of [batch, time, inputs], and the last state (h, c), each
    [batch, units].

    i, f, g, o = x kernel + h recurrent_kernel + bias, in that order; c' = sigmoid(f) c + sigmoid(i) tanh(g);
    h' = sigmoid(o) tanh(c') (Hochreiter and Schmidhuber, 1997, with forget gates, as PyTorch's). `state` is where it
    begins, zeros by default; `reverse` goes from the end. Variables of `dtype`: `kernel` [inputs, 4 units],
    `recurrent_kernel` [units, 4 units], each gate of Glorot's uniform distribution, and `bias` [4 units] of zeros.
    """

    _gates = 4

    def __call__(
        self, x: TensorLike, state: Optional[Tuple[TensorLike, TensorLike]] = None, *, reverse: bool = False
    ) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
        steps = self._steps(x)
        h, c = (self._state(steps, one) for one in (state or (None, None)))

        def step(own: List[Tensor], inputs: Tensor) -> Tuple[List[Tensor], Tensor]:
            parts = inputs + ops.dense(own[0], self.recurrent_kernel)
            i, f, o = (ops.sigmoid(self._gate(parts, place)) for place in (0, 1, 3))
            c = f * own[1] + i * _ops.tanh(self._gate(parts, 2))
            h = o * _ops.tanh(c)
            return [h, c], h

        (h, c), outputs = scan(step, [h, c], steps, reverse=reverse)
        return _ops.swapaxes(outputs, 0, 1), (h, c)


class GRU(_Recurrent):
    """Gated recurrent units: outputs [batch, time, units] of [batch, time, inputs], and the last state [batch, units].

    r, z, n = x kernel + bias, in that order; R, Z, N = h recurrent_kernel + recurrent_bias;
    h' = (1 - z') tanh(n + r' N) + z' h with r' = sigmoid(r + R), z' = sigmoid(z + Z) (Cho and others, 2014, with the
    reset after the product, as PyTorch's). `state` and `reverse` as in `LSTM`. Variables of `dtype`: `kernel` [inputs,
    3 units], `recurrent_kernel` [units, 3 units], each gate of Glorot's uniform distribution, `bias` and
    `recurrent_bias` [3 units] of zeros.
    """

    _gates = 3

    def __init__(self, inputs: int, units: int, *, dtype: Any = _dtypes.float32) -> None:
        super().__init__(inputs, units, dtype=dtype)
        self.recurrent_bias = zeros((3 * self.units,), dtype)

    def __call__(
        self, x: TensorLike, state: Optional[TensorLike] = None, *, reverse: bool = False
    ) -> Tuple[Tensor, Tensor]:
        steps = self._steps(x)

        def step(h: Tensor, inputs: Tensor) -> Tuple[Tensor, Tensor]:
            own = ops.dense(h, self.recurrent_kernel, self.recurrent_bias)
            r, z = (ops.sigmoid(self._gate(inputs, place) + self._gate(own, place)) for place in (0, 1))
            n = _ops.tanh(self._gate(inputs, 2) + r * self._gate(own, 2))
            h = (1 - z) * n + z * h
            return h, h

        last, outputs = scan(step, self._state(steps, state), steps, reverse=reverse)
        return _ops.swapaxes(outputs, 0, 1), last
