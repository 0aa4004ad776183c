# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base of layers of units."""

from typing import Any, Tuple

import numpy as np

from .. import activations, constraints, initializers, regularizers
from .. import backend as K
from ..engine import Layer


def count_of(number: Any, what: str) -> int:
    """Returns a number of units or filters. Raises ValueError if it is not a positive integer."""
    if not isinstance(number, (int, np.integer)) or isinstance(number, bool) or number < 1:
        raise ValueError(f"expected {what} of at least 1, found {number!r}")
    return int(number)


class Weighted(Layer):
    """Layers with a kernel, a bias and an activation."""

    arguments: Tuple[str, ...] = (
        "activation", "use_bias", "kernel_initializer", "bias_initializer", "kernel_regularizer", "bias_regularizer",
        "activity_regularizer", "kernel_constraint", "bias_constraint",
    )  # fmt: skip

    def __init__(
        self, activation: Any = None, use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros", kernel_regularizer: Any = None, bias_regularizer: Any = None,
        activity_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)

    def _make(self, kernel_shape: Any, outputs: int) -> None:
        self.kernel = self.add_weight("kernel", kernel_shape, None, self.kernel_initializer, self.kernel_regularizer,
                                      True, self.kernel_constraint)  # fmt: skip
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight("bias", (outputs,), None, self.bias_initializer, self.bias_regularizer, True,
                                        self.bias_constraint)  # fmt: skip
        self.built = True

    def _finish(self, y: Any) -> Any:
        """Adds the bias to the last dimension, and applies the activation."""
        return self._activate(y if self.bias is None else K.bias_add(y, self.bias, "channels_last"))

    def _activate(self, y: Any) -> Any:
        y = self.activation(y)
        if self.activity_regularizer is not None:
            self.add_loss(self.activity_regularizer(y))
        return y
