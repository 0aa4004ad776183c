# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""The order of elements along a dimension, against NumPy's stable sort in each configuration (X7, X11)."""

from typing import Any, List, Tuple

import numpy as np
from numpy.typing import NDArray

from cases import DTYPES, Cases, tensor
from configurations import run_tests

Array = NDArray[Any]
TYPES = {**DTYPES, "f16": np.float16, "i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8, "i1": np.bool_}
# The declared shape, the dimension sizes, and the axis.
SHAPES: Tuple[Tuple[Any, Any, int], ...] = (
    (("?",), (1,), 0), (("?",), (0,), 0), ((37,), (37,), 0), (("?", 5), (7, 5), 1), (("?", 5), (7, 5), 0),
    ((3, "?", 2), (3, 33, 2), 1), ((4, 6, 3), (4, 6, 3), 0), ((0, 3), (0, 3), 1), (("?", 3, "?"), (2, 3, 4), 1),
    ((5000,), (5000,), 0),
)  # fmt: skip


def draw(rng: np.random.Generator, sizes: Tuple[int, ...], dtype: Any) -> Array:
    """Numbers of both signs, some of them equal; of floats also both zeros, infinities and NaN of both signs."""
    if np.issubdtype(dtype, np.bool_):
        return rng.integers(0, 2, sizes).astype(dtype)
    if np.issubdtype(dtype, np.integer):
        limits = np.iinfo(dtype)
        special: List[Any] = [limits.min, limits.max, 0, -1, 1]
        x = rng.integers(limits.min, limits.max, sizes, dtype, endpoint=True)
    else:
        tiny = np.finfo(dtype).tiny
        special = [0.0, -0.0, np.inf, -np.inf, np.nan, np.copysign(np.nan, -1), tiny, -tiny, 1, -1]
        x = (rng.normal(size=sizes) * 10.0 ** rng.integers(-3, 4, sizes)).astype(dtype)
    chosen = rng.random(sizes) < 0.3
    x[chosen] = rng.choice(np.array(special, dtype), int(chosen.sum()))
    return x


def reference(x: Array, axis: int, descending: bool) -> Array:
    """The order of numbers: integers in place of truth values; descending by ranks, which keeps equal ones in order."""
    # float64 and int64 have every number of the other types.
    x = x.astype(np.float64 if np.issubdtype(x.dtype, np.floating) else np.int64)
    if not descending:
        return np.argsort(x, axis, kind="stable").astype(np.int32)
    flipped = np.flip(x, axis)
    order = np.flip(np.argsort(flipped, axis, kind="stable"), axis)
    return np.asarray(x.shape[axis] - 1 - order, np.int32)


def test_argsort() -> None:
    """X7: NaN is the largest, zeros are equal, equal elements stay in order."""
    rng = np.random.default_rng(3)
    cases = Cases()
    for element, dtype in TYPES.items():
        for number, (shape, sizes, axis) in enumerate(SHAPES):
            descending = bool(number % 2) != (element in ("f32", "i8"))
            source, result = tensor(shape, element), tensor(shape, "i32")
            word = " descending" if descending else ""
            expect = cases.add(f"argsort {element} {number}", (source,), result,
                               f"%y = nn.argsort %a0 axis {axis}{word} : {source} -> {result}")
            x = draw(rng, sizes, dtype)
            expect([x], reference(x, axis, descending))
    cases.check()


run_tests([test_argsort])
