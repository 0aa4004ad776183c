# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Initializers, and random ops."""

import hashlib
import math
from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from .. import _dtypes, random
from .conversion import constant, dtype_of
from .graph import get_default_graph
from .operation import Tensor
from .shapes import plain_shape


def set_random_seed(seed: int) -> None:
    """The seed of the graph's random ops (I7)."""
    graph = get_default_graph()
    graph.seed = seed
    graph.is_seeded = True


def _random(kind: str, draw: Callable[..., Any], shape: Any, dtype: Any, seed: Optional[int], name: Any) -> Tensor:
    graph = get_default_graph()
    if seed is not None:
        graph.is_seeded = True
    what = f"{graph.seed}/{graph._count if seed is None else seed}"
    number = int.from_bytes(hashlib.sha256(what.encode()).digest()[:4], "little") >> 1
    kind_ = dtype_of(dtype)
    if isinstance(shape, Tensor):
        inputs = [shape]

        def emit(*sizes: Any) -> Any:
            return draw([sizes[0][i] for i in range(sizes[0].shape[0])], kind_, number)

        types = None
    elif isinstance(shape, (list, tuple)) and any(isinstance(d, Tensor) for d in shape):
        inputs = [d for d in shape if isinstance(d, Tensor)]

        def emit(*sizes: Any) -> Any:
            given = iter(sizes)
            return draw([next(given) if isinstance(d, Tensor) else int(d) for d in shape], kind_, number)

        types = None
    else:
        sizes = [d or 0 for d in plain_shape(shape)]
        inputs = []

        def emit(*_: Any) -> Any:
            return draw(sizes, kind_, number)

        types = [(kind_, tuple(sizes))]
    return graph.create(kind, inputs, emit, types, name, is_random=True).outputs[0]


def random_uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = _dtypes.float32, seed: Any = None, name: Any = None
) -> Tensor:
    """Draws from [minval, maxval)."""
    if maxval is None:
        if not _dtypes.is_floating(dtype_of(dtype)):
            raise ValueError(f"Must specify maxval for integer dtype {dtype_of(dtype)}")
        maxval = 1
    return _random("RandomUniform", lambda s, d, n: random.uniform(s, float(minval), float(maxval), dtype=d, seed=n),
                   shape, dtype, seed, name)  # fmt: skip


def random_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = _dtypes.float32, seed: Any = None, name: Any = None
) -> Tensor:
    """Normal draws."""
    return _random("RandomStandardNormal",
                   lambda s, d, n: random.normal(s, float(mean), float(stddev), dtype=d, seed=n),
                   shape, dtype, seed, name)  # fmt: skip


def truncated_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = _dtypes.float32, seed: Any = None, name: Any = None
) -> Tensor:
    """Normal draws within two standard deviations."""
    return _random("TruncatedNormal",
                   lambda s, d, n: random.truncated_normal(s, float(mean), float(stddev), dtype=d, seed=n),
                   shape, dtype, seed, name)  # fmt: skip


class Initializer:
    """Makes the tensor that a variable starts with."""

    def __init__(self, dtype: Any = _dtypes.float32):
        self.dtype = dtype

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        return self.make([d or 0 for d in plain_shape(shape)], dtype_of(dtype or self.dtype))

    def make(self, shape: List[int], dtype: Any) -> Tensor:
        raise NotImplementedError


class zeros_initializer(Initializer):  # noqa: N801
    """Zeros, false or empty strings."""

    def make(self, shape: List[int], dtype: Any) -> Tensor:
        return constant(np.full(shape, "" if dtype == _dtypes.string else 0), dtype)


class ones_initializer(Initializer):  # noqa: N801
    """Ones."""

    def make(self, shape: List[int], dtype: Any) -> Tensor:
        return constant(np.ones(shape), dtype)


class constant_initializer(Initializer):  # noqa: N801
    """Given numbers, the last one repeated (I2)."""

    def __init__(self, value: Any = 0, dtype: Any = _dtypes.float32, verify_shape: bool = False):
        super().__init__(dtype)
        self.value, self.verify_shape = value, verify_shape

    def make(self, shape: List[int], dtype: Any) -> Tensor:
        return constant(self.value, dtype, shape, verify_shape=self.verify_shape)


class random_uniform_initializer(Initializer):  # noqa: N801
    """Uniform draws."""

    def __init__(self, minval: Any = 0, maxval: Any = None, seed: Any = None, dtype: Any = _dtypes.float32):
        super().__init__(dtype)
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def make(self, shape: List[int], dtype: Any) -> Tensor:
        return random_uniform(shape, self.minval, self.maxval, dtype, self.seed)


class random_normal_initializer(Initializer):  # noqa: N801
    """Normal draws."""

    function = staticmethod(random_normal)

    def __init__(self, mean: float = 0.0, stddev: float = 1.0, seed: Any = None, dtype: Any = _dtypes.float32):
        super().__init__(dtype)
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def make(self, shape: List[int], dtype: Any) -> Tensor:
        return self.function(shape, self.mean, self.stddev, dtype, self.seed)


class truncated_normal_initializer(random_normal_initializer):
    """Normal draws within two standard deviations."""

    function = staticmethod(truncated_normal)


def _fans(shape: List[int]) -> Tuple[float, float]:
    if len(shape) < 2:
        own = float(shape[0]) if shape else 1.0
        return own, own
    field = math.prod(shape[:-2])
    return float(shape[-2] * field), float(shape[-1] * field)


class variance_scaling_initializer(Initializer):  # noqa: N801
    """Draws whose variance is scale / n, of fans n (I6)."""

    def __init__(
        self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "normal", seed: Any = None,
        dtype: Any = _dtypes.float32,
    ):  # fmt: skip
        super().__init__(dtype)
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def make(self, shape: List[int], dtype: Any) -> Tensor:
        fan_in, fan_out = _fans(shape)
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, n)
        if self.distribution == "uniform":
            limit = math.sqrt(3 * variance)
            return random_uniform(shape, -limit, limit, dtype, self.seed)
        return truncated_normal(shape, 0.0, math.sqrt(variance), dtype, self.seed)


class glorot_uniform_initializer(variance_scaling_initializer):
    """Glorot's, uniform."""

    def __init__(self, seed: Any = None, dtype: Any = _dtypes.float32):
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


class glorot_normal_initializer(variance_scaling_initializer):
    """Glorot's, normal."""

    def __init__(self, seed: Any = None, dtype: Any = _dtypes.float32):
        super().__init__(1.0, "fan_avg", "normal", seed, dtype)


