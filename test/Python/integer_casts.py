# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X18: casts of numbers that no integer of the type is near: of feeds, of constants and of Python's numbers, in each
front end as documented."""

import warnings
from typing import Any, Callable, List, Tuple

import numpy as np
from numpy.typing import NDArray

import flywheel as fw
import flywheel.keras.backend as K
import flywheel.v1 as tf
from flywheel._core import dtypes as _dtypes

Array = NDArray[Any]

INTEGERS = [np.dtype(kind) for kind in "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split()]
FLOATS = [_dtypes.as_dtype(kind) for kind in ("float16", "bfloat16", "float32", "float64")]
ENDS = [sign * 2.0**n for n in (7, 8, 15, 16, 31, 32, 63, 64, 100) for sign in (1, -1)]
VALUES = np.array([0, -0.0, 0.99, -0.99, 127.5, -128.5, 255.9, 300, -300, 3e9, 5e9, 1e19, *ENDS,
                   *(e * 1.5 for e in ENDS), np.inf, -np.inf, np.nan])  # fmt: skip


def saturated(x: float, dtype: "np.dtype[Any]") -> int:
    """Returns the nearest integer in range; 0 for NaN."""
    info = np.iinfo(dtype)
    if np.isnan(x):
        return 0
    return info.max if x >= info.max else info.min if x <= info.min else int(x)


def wrapped(x: float, dtype: "np.dtype[Any]") -> int:
    """Returns the result of the instructions of x86-64, which NumPy and TensorFlow are compiled to."""
    bits = 32 if dtype.itemsize < 4 or dtype == np.int32 else 64
    if dtype == np.uint64 and x >= 2.0**63:
        return int(x) if x < 2.0**64 else 0
    is_inside = np.isfinite(x) and -(2 ** (bits - 1)) <= int(x) < 2 ** (bits - 1)
    whole = int(x) if is_inside else -(2 ** (bits - 1))
    low: int = whole % 2 ** (8 * dtype.itemsize)
    return low - 2 ** (8 * dtype.itemsize) if low > np.iinfo(dtype).max else low


def in_v1(x: Array, dtype: "np.dtype[Any]") -> List[Tuple[str, Any]]:
    with tf.Graph().as_default():
        fed, held = tf.placeholder(x.dtype, x.shape), tf.constant(x)
        outputs = [tf.cast(fed, dtype), tf.cast(held, dtype), K.cast(fed, dtype.name)]
        with tf.Session() as session:
            return list(zip(("v1", "v1 of a constant", "keras"), session.run(outputs, {fed: x})))


def in_package(x: Array, dtype: "np.dtype[Any]") -> List[Tuple[str, Any]]:
    fed = fw.function(lambda y: fw.cast(y, dtype))(x)
    held = fw.function(lambda: fw.cast(fw.constant(x), dtype))()
    found = [("a feed", fed), ("a constant", held)]
    # A literal of another dtype.
    found.append(("a literal", fw.function(lambda: fw.constant(x, dtype))()))
    return found


def test_casts() -> None:
    rules: List[Tuple[Callable[..., Any], Callable[..., int]]] = [(in_package, saturated), (in_v1, wrapped)]
    for source in FLOATS:
        with np.errstate(over="ignore"):
            x = VALUES.astype(source)
        for dtype in INTEGERS:
            for run, rule in rules:
                expected = np.array([rule(float(one), dtype) for one in x], dtype)
                for what, found in run(x, dtype):
                    found = np.asarray(found)
                    assert found.dtype == dtype, f"{what}: {found.dtype}"
                    wrong = np.flatnonzero(found != expected)
                    assert not wrong.size, (f"{what}, {source} to {dtype}: {x[wrong[0]]} is {found[wrong[0]]}, "
                                            f"expected {expected[wrong[0]]}")  # fmt: skip
        assert np.array_equal(fw.function(lambda y: fw.cast(y, bool))(x), x != 0)


def test_integers() -> None:
    """The lowest bits are kept, as NumPy keeps them; numbers are rounded once, and what is not 0 is True."""
    rng = np.random.default_rng(2)
    for source in (*INTEGERS, np.dtype(bool)):
        info = np.iinfo(np.uint8 if source.kind == "b" else source)
        x = rng.integers(info.min, info.max, 67, info.dtype, endpoint=True)
        x[:4] = info.min, info.max, 0, 1
        x = x.astype(source)
        kinds = [*INTEGERS, np.dtype(bool), np.dtype(np.float32), np.dtype(np.float64)]
        found = fw.function(lambda y: [fw.cast(y, kind) for kind in kinds])(x)
        held = fw.function(lambda: [fw.cast(fw.constant(x), kind) for kind in kinds])()
        for kind, fed, constant in zip(kinds, found, held):
            expected = x.astype(kind)
            assert np.array_equal(np.asarray(fed), expected), (source, kind, fed, expected)
            assert np.array_equal(np.asarray(constant), expected), (source, kind, constant, expected)


def test_numbers() -> None:
    """Casts of Python's numbers; none wraps without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fw.function(lambda: fw.constant([300.0, -300.0, float("nan"), 1.9], "int8"))()
        assert np.asarray(found).tolist() == [127, -128, 0, 1]
        assert int(fw.function(lambda: fw.full((), 1e10, "int32"))()) == 2**31 - 1


if __name__ == "__main__":
    test_casts()
    test_integers()
    test_numbers()
