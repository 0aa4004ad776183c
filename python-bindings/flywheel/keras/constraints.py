# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constraints: what an optimizer does to new weights (O12)."""

from typing import Any

from . import backend as K


class Constraint:
    """A function of weights."""

    def __call__(self, w: Any) -> Any:
        return w


class NonNeg(Constraint):
    """Weights below 0 become 0."""

    def __call__(self, w: Any) -> Any:
        return w * K.cast(K.greater_equal(w, 0.0), w.dtype)


class MaxNorm(Constraint):
    """Norms along `axis` are at most `max_value`."""

    def __init__(self, max_value: float = 2, axis: Any = 0):
        self.max_value, self.axis = max_value, axis

    def __call__(self, w: Any) -> Any:
        norms = K.sqrt(K.sum(K.square(w), self.axis, True))
        return w * (K.clip(norms, 0, self.max_value) / (K.epsilon() + norms))


class UnitNorm(Constraint):
    """Norms along `axis` are 1."""

    def __init__(self, axis: Any = 0):
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        return w / (K.epsilon() + K.sqrt(K.sum(K.square(w), self.axis, True)))


class MinMaxNorm(Constraint):
    """Norms along `axis` move by `rate` towards the interval."""

    def __init__(self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Any = 0):
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, w: Any) -> Any:
        norms = K.sqrt(K.sum(K.square(w), self.axis, True))
        wanted = self.rate * K.clip(norms, self.min_value, self.max_value) + (1 - self.rate) * norms
        return w * (wanted / (K.epsilon() + norms))


max_norm, non_neg, unit_norm, min_max_norm = MaxNorm, NonNeg, UnitNorm, MinMaxNorm
maxnorm, nonneg, unitnorm = MaxNorm, NonNeg, UnitNorm


def get(identifier: Any) -> Any:
    """A constraint, by its name or as it is."""
    if identifier is None or callable(identifier):
        return identifier
    found = globals().get(str(identifier))
    if not isinstance(found, type):
        raise ValueError(f"Could not interpret constraint identifier: {identifier}")
    return found()
