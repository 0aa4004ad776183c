# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Initializers: what weights begin with. They draw by NumPy, so that `numpy.random.seed` makes them repeat."""

from typing import Any, Dict, Optional, Tuple

import numpy as np

from .._core import dtypes as _dtypes
from .._core.argument_checks import optional_integer, text
from .._errors.contracts import public_form
from .._errors.messages import about
from . import backend as K
from ._serialization import Configured, build, find, serializers


class Initializer(Configured):
    """A function of a shape."""

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        raise NotImplementedError


class Zeros(Initializer):
    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return np.zeros(shape, dtype or K.floatx())


class Ones(Initializer):
    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return np.ones(shape, dtype or K.floatx())


class Constant(Initializer):
    """One value everywhere."""

    arguments = ("value",)

    def __init__(self, value: Any = 0):
        self.value = _dtypes.copied(value)

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return np.full(shape, self.value, dtype or K.floatx())


class _Random(Initializer):
    arguments: Tuple[str, ...] = ("seed",)

    def __init__(self, seed: Optional[int] = None):
        self.seed = seed

    def _draws(self) -> Any:
        seed = optional_integer("seed", self.seed)
        return np.random.default_rng(np.random.randint(2**31 - 1) if seed is None else seed % 2**64)

    def _truncated(self, stddev: float, shape: Any) -> Any:
        draws = self._draws()
        x = draws.normal(0, 1, shape)
        while (far := np.abs(x) > 2).any():
            x[far] = draws.normal(0, 1, int(far.sum()))
        return x * stddev


class RandomNormal(_Random):
    arguments = ("mean", "stddev")

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: Optional[int] = None):
        super().__init__(seed)
        self.mean, self.stddev = mean, stddev

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return self._draws().normal(self.mean, self.stddev, shape).astype(dtype or K.floatx())


class RandomUniform(_Random):
    arguments = ("minval", "maxval")

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: Optional[int] = None):
        super().__init__(seed)
        self.minval, self.maxval = minval, maxval

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return self._draws().uniform(self.minval, self.maxval, shape).astype(dtype or K.floatx())


class TruncatedNormal(RandomNormal):
    """Normal within two standard deviations."""

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return (self.mean + self._truncated(self.stddev, shape)).astype(dtype or K.floatx())


class VarianceScaling(_Random):
    """Draws whose variance depends on how many inputs and outputs there are."""

    arguments = ("scale", "mode", "distribution")

    def __init__(
        self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "normal", seed: Optional[int] = None
    ):
        super().__init__(seed)
        if scale <= 0.0:
            raise ValueError(f"`scale` must be a positive float. Got: {scale}")
        for what, one in (("mode", mode), ("distribution", distribution)):
            text(what, one)
        for what, given, known in (("mode", mode.lower(), ("fan_in", "fan_out", "fan_avg")),
                                   ("distribution", distribution.lower(), ("normal", "uniform"))):  # fmt: skip
            if given not in known:
                raise ValueError(f"Invalid `{what}` argument: expected one of {known} but got {given}")
        self.scale, self.mode, self.distribution = scale, mode.lower(), distribution.lower()

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        fan_in, fan_out = fans(tuple(shape))
        by = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        scale = self.scale / max(1.0, by)
        if self.distribution == "normal":
            x = self._truncated(np.sqrt(scale), shape)
        else:
            limit = np.sqrt(3.0 * scale)
            x = self._draws().uniform(-limit, limit, shape)
        return np.asarray(x, dtype or K.floatx())


class Orthogonal(_Random):
    """Rows or columns that are orthogonal to each other."""

    arguments = ("gain",)

    def __init__(self, gain: float = 1.0, seed: Optional[int] = None):
        super().__init__(seed)
        self.gain = gain

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        flat = (int(np.prod(shape[:-1])), shape[-1])
        u, _, v = np.linalg.svd(self._draws().normal(0, 1, flat), full_matrices=False)
        return (self.gain * (u if u.shape == flat else v).reshape(shape)).astype(dtype or K.floatx())


class Identity(Initializer):
    arguments = ("gain",)

    def __init__(self, gain: float = 1.0):
        self.gain = gain

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        if len(shape) != 2 or shape[0] != shape[1]:
            raise about("Identity", ValueError("matrix initializer can only be used for 2D square matrices."), " ")
        return self.gain * np.eye(shape[0], dtype=dtype or K.floatx())


def fans(shape: Tuple[int, ...], data_format: str = "channels_last") -> Tuple[float, float]:
    """Returns the numbers of inputs and outputs of a unit (I6); a kernel in Theano's order, "channels_first", has the
    filters and channels first."""
    if data_format == "channels_first" and len(shape) > 2:
        shape = (*shape[2:], shape[1], shape[0])
    if len(shape) < 2:
        size = float(np.prod(shape))
        return size, size
    window = float(np.prod(shape[:-2]))
    return shape[-2] * window, shape[-1] * window


# As Keras calls it inside.
_compute_fans = fans


def _scaled(scale: float, mode: str, distribution: str) -> Any:
    def make(seed: Optional[int] = None) -> VarianceScaling:
        return VarianceScaling(scale, mode, distribution, seed)

    return make


glorot_uniform, glorot_normal = _scaled(1.0, "fan_avg", "uniform"), _scaled(1.0, "fan_avg", "normal")
he_uniform, he_normal = _scaled(2.0, "fan_in", "uniform"), _scaled(2.0, "fan_in", "normal")
lecun_uniform, lecun_normal = _scaled(1.0, "fan_in", "uniform"), _scaled(1.0, "fan_in", "normal")
zero, zeros, one, ones, constant = Zeros, Zeros, Ones, Ones, Constant
uniform, random_uniform, normal, random_normal = RandomUniform, RandomUniform, RandomNormal, RandomNormal
truncated_normal, orthogonal, identity = TruncatedNormal, Orthogonal, Identity


_NAMES: Dict[str, Any] = {
    key: value for key, value in globals().items()
    if callable(value) and not key.startswith("_") and key not in (
        "Any", "Configured", "Dict", "Initializer", "Optional", "Tuple", "build", "fans", "find", "public_form",
        "serializers")
}  # fmt: skip


serialize, deserialize = serializers(_NAMES, "an initializer")


def get(identifier: Any) -> Any:
    """An initializer, by its name, its configuration, or as it is."""
    if isinstance(identifier, type) and issubclass(identifier, Initializer):
        return identifier()
    if isinstance(identifier, dict):
        return build(identifier, _NAMES, "initializer")
    if callable(identifier):
        return identifier
    found = find(str(identifier), _NAMES, "initializer")
    # The function of a program is one already; what is here makes one.
    return found() if found is public_form(_NAMES.get(str(identifier))) or isinstance(found, type) else found
