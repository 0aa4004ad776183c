# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Initializers, and random ops."""

import hashlib
import math
from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from .. import random
from .._core import dtypes as _dtypes
from .._errors.messages import about
from .conversion import as_tensor, constant, dtype_of
from .dtypes import as_dtype
from .graph import get_default_graph
from .operation import Fields, Tensor
from .shapes import known_sizes
from .sizes import as_sizes


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
    shape = as_sizes(shape)
    if isinstance(shape, Tensor):
        inputs = [shape]

        def emit(*sizes: Any) -> Any:
            return draw([sizes[0][i] for i in range(sizes[0]._dims[0])], kind_, number)

        types = None
    elif isinstance(shape, (list, tuple)) and any(isinstance(d, Tensor) for d in shape):
        inputs = [d for d in shape if isinstance(d, Tensor)]

        def emit(*sizes: Any) -> Any:
            given = iter(sizes)
            return draw([next(given) if isinstance(d, Tensor) else int(d) for d in shape], kind_, number)

        types = None
    else:
        sizes = list(known_sizes(shape))
        inputs = []

        def emit(*_: Any) -> Any:
            return draw(sizes, kind_, number)

        types = [(kind_, tuple(sizes))]
    return graph.create(kind, inputs, emit, types, name, Fields(is_random=True)).outputs[0]


def generator_of(kind: str, seed: Optional[int]) -> Callable[[Any], Any]:
    """For an op that Python draws: NumPy's generator of a session, whose stream has the seeds of the graph and the
    op, and goes on from run to run."""
    graph = get_default_graph()
    if seed is not None:
        graph.is_seeded = True
    what = f"{graph.seed}/{graph._count if seed is None else seed}/{kind}"
    number = int.from_bytes(hashlib.sha256(what.encode()).digest()[:8], "little")

    def of(session: Any) -> Any:
        session._seed()
        known = session._generators.get(what)
        if known is None:
            known = session._generators[what] = np.random.default_rng([session.store.seed, number])
        return known

    return of


def random_uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = _dtypes.float32, seed: Any = None, name: Any = None
) -> Tensor:
    """Draws from [minval, maxval)."""
    if maxval is None:
        if not _dtypes.is_floating(dtype_of(dtype)):
            raise ValueError(f"Must specify maxval for integer dtype {dtype_of(dtype).name}")
        maxval = 1
    return _random("RandomUniform", lambda s, d, n: random.uniform(s, float(minval), float(maxval), dtype=d, seed=n),
                   shape, dtype, seed, name)  # fmt: skip


def random_crop(value: Any, size: Any, seed: Any = None, name: Any = None) -> Any:
    """A box of this size at a random place of a tensor. Raises ValueError, or an error of the run, for a larger one."""
    from .elementwise import TABLE
    from .ops import cast, shape, slice_

    x = as_tensor(value)
    wanted = [int(n) for n in np.asarray(size).reshape(-1)]
    if x.static_shape is None or len(x.static_shape) != len(wanted):
        raise about("random_crop", ValueError(f"of a tensor of shape {x.shape}: expected as many sizes as dimensions, "
                                              f"found {wanted}"), " ")  # fmt: skip
    if any(n is not None and n < k for n, k in zip(x.static_shape, wanted)):
        raise ValueError(f"Need value.shape >= size, got {x.shape} and {wanted}")
    places = cast(TABLE["add"](TABLE["subtract"](shape(x), wanted), 1), _dtypes.float32)
    # A draw below 1, times the number of places, may be rounded to it.
    drawn = TABLE["floor"](TABLE["multiply"](random_uniform([len(wanted)], seed=seed), places))
    first = cast(TABLE["minimum"](drawn, TABLE["subtract"](places, 1.0)), _dtypes.int32)
    return slice_(x, first, wanted, name=name)


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
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        return self.make(list(known_sizes(shape)), dtype_of(dtype or self.dtype))

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
        self.value, self.verify_shape = _dtypes.copied(value), verify_shape

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
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Invalid `mode` argument: {mode}")
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(f"Invalid `distribution` argument: {distribution}")
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def make(self, shape: List[int], dtype: Any) -> Tensor:
        fan_in, fan_out = _fans(shape)
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, n)
        if self.distribution == "untruncated_normal":
            return random_normal(shape, 0.0, math.sqrt(variance), dtype, self.seed)
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


class uniform_unit_scaling_initializer(Initializer):  # noqa: N801
    """Uniform draws that keep the scale of what they are multiplied with: up to sqrt(3 / inputs) times `factor`."""

    def __init__(self, factor: float = 1.0, seed: Any = None, dtype: Any = _dtypes.float32):
        super().__init__(dtype)
        self.factor, self.seed = factor, seed

    def make(self, shape: List[int], dtype: Any) -> Tensor:
        limit = math.sqrt(3 / max(1.0, math.prod(shape[:-1]))) * self.factor
        return random_uniform(shape, -limit, limit, dtype, self.seed)


class orthogonal_initializer(Initializer):  # noqa: N801
    """Matrices whose rows or columns, whichever are fewer, are orthogonal. They are drawn when the graph is built."""

    def __init__(self, gain: float = 1.0, seed: Any = None, dtype: Any = _dtypes.float32):
        super().__init__(dtype)
        self.gain, self.seed = gain, seed

    def make(self, shape: List[int], dtype: Any) -> Tensor:
        if len(shape) < 2:
            raise ValueError("The tensor to initialize must be at least two-dimensional")
        graph = get_default_graph()
        given = [n for n in (graph.seed, self.seed) if n is not None]
        rows, columns = math.prod(shape[:-1]), shape[-1]
        entropy = [abs(n) for n in given] + [graph._count] if given else None
        drawn = np.random.default_rng(entropy).standard_normal((max(rows, columns), min(rows, columns)))
        q, r = np.linalg.qr(drawn)
        q = q * np.sign(np.diag(r))
        return constant((self.gain * (q if rows >= columns else q.T)).reshape(shape).astype(dtype))


class identity_initializer(Initializer):  # noqa: N801
    """The identity, times `gain`."""

    def __init__(self, gain: float = 1.0, dtype: Any = _dtypes.float32):
        super().__init__(dtype)
        self.gain = gain

    def make(self, shape: List[int], dtype: Any) -> Tensor:
        if len(shape) != 2:
            raise ValueError("Identity matrix initializer can only be used for 2D matrices.")
        return constant((self.gain * np.eye(shape[0], shape[1])).astype(dtype))


def _scaled(scale: float, mode: str, distribution: str) -> Callable[..., Initializer]:
    def make(seed: Any = None, dtype: Any = _dtypes.float32) -> Initializer:
        return variance_scaling_initializer(scale, mode, distribution, seed, dtype)

    return make


he_normal, he_uniform = _scaled(2.0, "fan_in", "normal"), _scaled(2.0, "fan_in", "uniform")
lecun_normal, lecun_uniform = _scaled(1.0, "fan_in", "normal"), _scaled(1.0, "fan_in", "uniform")

# `tf.initializers`.
NAMES = {
    "constant": constant_initializer, "glorot_normal": glorot_normal_initializer,
    "glorot_uniform": glorot_uniform_initializer, "he_normal": he_normal, "he_uniform": he_uniform,
    "identity": identity_initializer, "lecun_normal": lecun_normal, "lecun_uniform": lecun_uniform,
    "ones": ones_initializer, "orthogonal": orthogonal_initializer, "random_normal": random_normal_initializer,
    "random_uniform": random_uniform_initializer, "truncated_normal": truncated_normal_initializer,
    "uniform_unit_scaling": uniform_unit_scaling_initializer, "variance_scaling": variance_scaling_initializer,
    "zeros": zeros_initializer,
}  # fmt: skip
