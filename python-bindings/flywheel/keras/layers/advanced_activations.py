# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations with numbers or weights of their own."""

from typing import Any

from ... import nn as _traced
from ...v1.conversion import as_tensor, make
from .. import backend as K
from .. import constraints, initializers, regularizers
from ..engine import Layer
from ..legacy import interfaces as _legacy
from .core import LeakyReLU

__all__ = ["ELU", "LeakyReLU", "PReLU", "Softmax", "ThresholdedReLU"]


@_legacy.prelu
class PReLU(Layer):
    """x, or alpha x where x < 0, with a weight alpha for each element; those along `shared_axes` share theirs."""

    supports_masking = True
    arguments = ("alpha_initializer", "alpha_regularizer", "alpha_constraint", "shared_axes")

    def __init__(
        self, alpha_initializer: Any = "zeros", alpha_regularizer: Any = None, alpha_constraint: Any = None,
        shared_axes: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.alpha_initializer = initializers.get(alpha_initializer)
        self.alpha_regularizer = regularizers.get(alpha_regularizer)
        self.alpha_constraint = constraints.get(alpha_constraint)
        self.shared_axes = None if shared_axes is None else list(
            shared_axes if isinstance(shared_axes, (list, tuple)) else [shared_axes])  # fmt: skip

    def build(self, input_shape: Any) -> None:
        shape = list(input_shape[1:])
        for axis in self.shared_axes or []:
            shape[axis - 1] = 1
        self.alpha = self.add_weight("alpha", tuple(shape), None, self.alpha_initializer, self.alpha_regularizer, True,
                                     self.alpha_constraint)  # fmt: skip
        self.built = True

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.relu(inputs) - self.alpha * K.relu(-inputs)


class ELU(Layer):
    """x, or alpha (exp(x) - 1) where x < 0."""

    supports_masking = True
    arguments = ("alpha",)

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.elu(inputs, self.alpha)


class ThresholdedReLU(Layer):
    """x where it is more than theta, else 0."""

    supports_masking = True
    arguments = ("theta",)

    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.theta = theta

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return inputs * K.cast(K.greater(inputs, self.theta), K.floatx())


class Softmax(Layer):
    """Shares along an axis."""

    supports_masking = True
    arguments = ("axis",)

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return make("Softmax", lambda x: _traced.softmax(x, self.axis), as_tensor(inputs))
