# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations, by their names in Keras 2.1."""

import warnings
from typing import Any

from .. import _ops
from .. import nn as _traced
from .._ops import precision as _precision
from ..v1 import nn as _nn
from ..v1.conversion import as_tensor, make
from . import backend as K
from ._names import Missing
from ._serialization import Configured, find, serializers


def softmax(x: Any, axis: int = -1) -> Any:
    """exp(x) over its sum along an axis. Raises ValueError for a tensor of less than two dimensions."""
    if K.ndim(x) is not None and K.ndim(x) < 2:
        raise ValueError(f"Cannot apply softmax to a tensor that is {K.ndim(x)}D")
    return _nn.softmax(x, axis)


def elu(x: Any, alpha: float = 1.0) -> Any:
    return K.elu(x, alpha)


def selu(x: Any) -> Any:
    """Keras multiplies what `elu` makes, which has the slope of the left side at 0; `tf.nn.selu` has the other one."""

    @_precision.rounds_once(1)
    def emit(y: Any) -> Any:
        return _ops.multiply(_nn._elu_of(y, _nn._SELU_ALPHA), _nn._SELU_SCALE)

    return make("Selu", emit, as_tensor(x))


def softplus(x: Any) -> Any:
    return _nn.softplus(x)


def softsign(x: Any) -> Any:
    return _nn.softsign(x)


def relu(x: Any, alpha: float = 0.0, max_value: Any = None) -> Any:
    return K.relu(x, alpha, max_value)


def tanh(x: Any) -> Any:
    return K.tanh(x)


def sigmoid(x: Any) -> Any:
    return K.sigmoid(x)


def hard_sigmoid(x: Any) -> Any:
    return K.hard_sigmoid(x)


def linear(x: Any) -> Any:
    return x


# Keras 3 has these, and Keras 2 does not.


def gelu(x: Any, approximate: bool = False) -> Any:
    """x times the normal distribution function of x."""
    return make("Gelu", lambda y: _traced.gelu(y, approximate=approximate), as_tensor(x))


def silu(x: Any) -> Any:
    """x sigmoid(x)."""
    return make("Silu", _traced.silu, as_tensor(x))


swish = silu


def mish(x: Any) -> Any:
    """x tanh(softplus(x))."""
    return make("Mish", lambda y: y * _ops.tanh(_traced.softplus(y)), as_tensor(x))


def relu6(x: Any) -> Any:
    """x, at least 0 and at most 6."""
    return make("Relu6", _traced.relu6, as_tensor(x))


def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """x, or negative_slope x where x < 0."""
    return make("LeakyRelu", lambda y: _traced.leaky_relu(y, negative_slope), as_tensor(x))


def hard_silu(x: Any) -> Any:
    """x times x / 6 + 1/2, at least 0 and at most 1."""
    return make("HardSilu", lambda y: y * _traced.relu6(y + 3.0) / 6.0, as_tensor(x))


hard_swish = hard_silu


def exponential(x: Any) -> Any:
    return K.exp(x)


def log_softmax(x: Any, axis: int = -1) -> Any:
    """The logarithm of `softmax`."""
    return make("LogSoftmax", lambda value: _traced.log_softmax(value, axis), as_tensor(x))


_NAMES = {f.__name__: f for f in (
    softmax, elu, selu, softplus, softsign, relu, tanh, sigmoid, hard_sigmoid, linear, gelu, silu, mish, relu6,
    leaky_relu, hard_silu, exponential, log_softmax,
)}  # fmt: skip
_NAMES.update(swish=silu, hard_swish=hard_silu)


serialize, deserialize = serializers(_NAMES, "an activation function")


def get(identifier: Any) -> Any:
    """An activation, by its name or as it is; None is the identity."""
    if identifier is None:
        return linear
    if callable(identifier):
        if isinstance(identifier, Configured):
            warnings.warn(f"Do not pass a layer instance (such as {type(identifier).__name__}) as the activation "
                          "argument of another layer. Instead, advanced activation layers should be used just like any "
                          "other layer in a model.", stacklevel=2)  # fmt: skip
        return identifier
    return find(str(identifier), _NAMES, "activation function")


__getattr__ = Missing("keras.activations", __name__, {
    "celu": "elu", "glu": "layers.Multiply of the halves, one of them by sigmoid", "squareplus": "softplus",
    "tanh_shrink": "layers.Subtract of x and tanh", "sparse_plus": "softplus", "hard_tanh": "layers.Lambda of K.clip",
})  # fmt: skip
