# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations, by their names in Keras 2.1."""

from typing import Any

from ..v1 import nn as _nn
from . import backend as K
from ._serialization import find


def softmax(x: Any, axis: int = -1) -> Any:
    """exp(x) over its sum along the last axis."""
    return _nn.softmax(x, axis)


def elu(x: Any, alpha: float = 1.0) -> Any:
    return K.elu(x, alpha)


def selu(x: Any) -> Any:
    return _nn.selu(x)


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


_NAMES = {f.__name__: f for f in (softmax, elu, selu, softplus, softsign, relu, tanh, sigmoid, hard_sigmoid, linear)}


def get(identifier: Any) -> Any:
    """An activation, by its name or as it is; None is the identity."""
    if identifier is None:
        return linear
    if callable(identifier):
        return identifier
    return find(str(identifier), _NAMES, "activation function")
