# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constraints: what an optimizer does to new weights (O12)."""

from typing import Any

from ..v1.norms import norm
from ..v1.precision import rounds_once
from . import backend as K
from ._serialization import Configured, build, find, serializers


def _norms(w: Any, axis: Any) -> Any:
    """Norms along `axis`, whose derivatives at 0 are 0, as those of `norm` are."""
    return norm(w, axis=axis, keepdims=True)


class Constraint(Configured):
    """A function of weights."""

    def __call__(self, w: Any) -> Any:
        return w


class NonNeg(Constraint):
    """Weights below 0 become 0."""

    def __call__(self, w: Any) -> Any:
        return w * K.cast(K.greater_equal(w, 0.0), w.dtype)


class MaxNorm(Constraint):
    """Norms along `axis` are at most `max_value`."""

    arguments = ("max_value", "axis")

    def __init__(self, max_value: float = 2, axis: Any = 0):
        self.max_value, self.axis = max_value, axis

    def __call__(self, w: Any) -> Any:
        @rounds_once
        def project(w: Any) -> Any:
            norms = _norms(w, self.axis)
            return w * (K.clip(norms, 0, self.max_value) / (K.epsilon() + norms))

        return project(w)


class UnitNorm(Constraint):
    """Norms along `axis` are 1."""

    arguments = ("axis",)

    def __init__(self, axis: Any = 0):
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        return rounds_once(lambda w: w / (K.epsilon() + _norms(w, self.axis)))(w)


class MinMaxNorm(Constraint):
    """Norms along `axis` move by `rate` towards the interval."""

    arguments = ("min_value", "max_value", "rate", "axis")

    def __init__(self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Any = 0):
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, w: Any) -> Any:
        @rounds_once
        def project(w: Any) -> Any:
            norms = _norms(w, self.axis)
            wanted = self.rate * K.clip(norms, self.min_value, self.max_value) + (1 - self.rate) * norms
            return w * (wanted / (K.epsilon() + norms))

        return project(w)


max_norm, non_neg, unit_norm, min_max_norm = MaxNorm, NonNeg, UnitNorm, MinMaxNorm
maxnorm, nonneg, unitnorm = MaxNorm, NonNeg, UnitNorm


_NAMES = {key: value for key, value in globals().items() if isinstance(value, type) and issubclass(value, Constraint)}


serialize, deserialize = serializers(_NAMES, "a constraint")


def get(identifier: Any) -> Any:
    """A constraint, by its name, its configuration, or as it is."""
    if identifier is None or callable(identifier):
        return identifier
    if isinstance(identifier, dict):
        return build(identifier, _NAMES, "constraint")
    found = find(str(identifier), _NAMES, "constraint")
    return found() if isinstance(found, type) else found
