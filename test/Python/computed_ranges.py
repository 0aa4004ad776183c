# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Large tensors whose elements follow from their places are computed and are not constants (T40): the numbers are
NumPy's, to the bit, and the module is as small for many elements as for few."""

import functools
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

import flywheel as fw


def expect_same(name: Any, function: Callable[[], Any], expected: "np.ndarray[Any, Any]") -> None:
    found = np.asarray(fw.function(function)())
    assert found.dtype == expected.dtype and found.shape == expected.shape, (name, found.dtype, found.shape)
    assert found.tobytes() == expected.tobytes(), (name, np.flatnonzero(found != expected)[:3])


def as_constant(array: "np.ndarray[Any, Any]", bounds: Tuple[Any, ...]) -> "np.ndarray[Any, Any]":
    """With the dtype of a list of Python's numbers, where no bound has one."""
    if any(isinstance(bound, np.generic) for bound in bounds):
        return array
    if array.dtype == np.float64:
        return array.astype(np.float32)
    fits = array.size == 0 or -(2**31) <= array.min() <= array.max() < 2**31
    return array.astype(np.int32) if fits else array


RANGES = [
    (2000,), (5, 3000), (5, 9000, 3), (9000, 5, -3), (0, -2000, -1), (0, 2.5e3), (0.1, 300, 0.1), (1, -2000, -0.7),
    (2**31 - 3000, 2**31 + 10), (2**40, 2**40 + 5000, 3), (-(2**31), -(2**31) + 2000), (0, 2**62, 2**51),
    (np.float32(0), np.float32(100), np.float32(0.05)), (np.int64(5), np.int64(4000)), (np.float64(0), 1300.5),
    (np.int32(3), np.int32(2500)), (0, 3000, np.float32(1.5)), (0, 1e5, 37.7), (7, 7), (7, 3), (0, 12), (3, 4, 0.1),
]  # fmt: skip
kind: Any
for bounds in RANGES:
    array = np.arange(*bounds)

    def numbered(bounds: Tuple[Any, ...] = bounds, kind: Any = None) -> Any:
        start, stop, step = (*((0, *bounds) if len(bounds) == 1 else bounds), 1)[:3]
        return fw.arange(start, stop, step, kind)

    expect_same(("arange", bounds), numbered, as_constant(array, bounds))
    # Floats that an integer type does not have are another matter.
    kinds = [np.float32, np.float64] + ([np.int64, np.uint8, np.int16, np.uint64] if array.dtype.kind == "i" else [])
    for kind in kinds:
        expect_same(("arange", bounds, kind), functools.partial(numbered, bounds, kind), array.astype(kind))

MATRICES = [(40, None, 0), (40, 50, 3), (50, 40, -3), (33, 33, 100), (33, 40, -100), (1, 2000, 5), (2000, 1, -7)]
for rows, columns, k in MATRICES:
    for kind in (np.float32, np.bool_, np.int8, np.float64, np.uint16, np.float16):

        def eye(rows: int = rows, columns: Optional[int] = columns, k: int = k, kind: Any = kind) -> Any:
            return fw.eye(rows, columns, kind, k=k)

        def tri(rows: int = rows, columns: Optional[int] = columns, k: int = k, kind: Any = kind) -> Any:
            return fw.tri(rows, columns, k, kind)

        expect_same(("eye", rows, columns, k, kind), eye, np.eye(rows, columns, k, kind))
        expect_same(("tri", rows, columns, k, kind), tri, np.tri(rows, columns, k, kind))

for start, stop, count in [(0, 1, 3000), (-5, 7.3, 2049), (7, 7, 2000), (1, 0, 5000), (0, 10**6, 4097), (0, 1, 20)]:
    for endpoint in (True, False):
        for kind in (np.float32, np.float64, np.float16, np.int32):

            def line(
                start: Any = start, stop: Any = stop, count: int = count, endpoint: bool = endpoint, kind: Any = kind
            ) -> Any:
                return fw.linspace(start, stop, count, kind, endpoint=endpoint)

            with np.errstate(over="ignore"):
                expected = np.linspace(start, stop, count, endpoint=endpoint).astype(kind)
            if np.isfinite(expected).all():
                expect_same(("linspace", start, stop, count, endpoint, kind), line, expected)

numbers = np.arange(5000, dtype=np.float32)
assert np.array_equal(fw.function(lambda x: fw.flip(x, 0))(numbers), numbers[::-1])
assert np.array_equal(fw.function(lambda x: fw.diag(x, 2))(numbers[:70]), np.diag(numbers[:70], 2))
square = np.random.default_rng(1).standard_normal((50, 50)).astype(np.float32)
assert np.array_equal(fw.function(lambda x: fw.einsum("ii->i", x))(square), np.diagonal(square))
assert np.array_equal(fw.function(lambda x: fw.sort(x, -1))(square), np.sort(square, -1))

# A billion elements are no more text than a thousand and one.
big = 10**9
side = 30000
CASES: Dict[str, Callable[[], Any]] = {
    "arange": lambda: fw.arange(big),
    "float arange": lambda: fw.arange(0.0, 1e9),
    "linspace": lambda: fw.linspace(0, 1, big),
    "eye": lambda: fw.eye(side),
    "identity": lambda: fw.identity(side),
    "tri": lambda: fw.tri(side),
    "full": lambda: fw.full((side, side), 2.5),
    "zeros": lambda: fw.zeros((side, side)),
    "flip": lambda: fw.flip(fw.ones(big), 0),
    "one_hot": lambda: fw.one_hot(np.arange(7), big),
    "broadcast": lambda: fw.broadcast_to(np.arange(7.0), (big, 7)),
    "diag": lambda: fw.diag(fw.ones(side)),
    "einsum": lambda: fw.einsum("ii->", fw.ones((side, side))),
}
for name, make in CASES.items():

    def total(make: Callable[[], Any] = make) -> Any:
        return fw.sum(fw.cast(make(), "float32"))

    text = fw.function(functools.partial(total, make), name="total").mlir()
    assert len(text) < 3000, (name, len(text))
