# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""T35: what a trace sees as it is: values that Python calls equal are different arguments, where they differ in type,
in sign or in bits."""

import dataclasses
import decimal
import enum
import struct
from typing import Any, List, NamedTuple

import numpy as np

import flywheel as fw

x = np.zeros(2, np.float32)
NAN = float("nan")
OTHER_NAN = struct.unpack("<d", struct.pack("<Q", 0xFFF8000000000001))[0]


class One(enum.IntEnum):
    """Equal to 1."""

    A = 1


class Uno(enum.IntEnum):
    """Equal to 1 as well."""

    A = 1


class Pair(NamedTuple):
    """A tuple."""

    a: Any
    b: Any


@dataclasses.dataclass(frozen=True)
class Options:
    """Compares its parts."""

    rate: Any
    names: Any = ()


groups: List[List[Any]] = [
    [0.0, -0.0, 0, False, 0j, -0j, complex(0.0, -0.0), decimal.Decimal(0), decimal.Decimal("-0"),
     decimal.Decimal("0.0"), np.float32(0), np.float32(-0.0), np.float64(0), np.float64(-0.0), np.int8(0), np.int32(0),
     np.bool_(False)],
    [1, 1.0, True, One.A, Uno.A, np.float16(1), np.uint8(1), decimal.Decimal(1), decimal.Decimal("1.0")],
    [(1,), (1.0,), (True,), ((1,),), Pair(1, 2), Pair(1.0, 2), (1, 2), (1.0, 2), (True, 2), (1, np.int64(2))],
    [(0.0, ("a", -0.0)), (-0.0, ("a", -0.0)), (0.0, ("a", 0.0)), (0, ("a", 0.0))],
    [frozenset({1}), frozenset({1.0}), frozenset({True})],
    [Options(0.0), Options(-0.0), Options(0), Options(0.0, (1,)), Options(0.0, (1.0,)), Options(0.0, (True,))],
    [range(0), range(1, 1), range(2, 2)],
    ["a", b"a", np.str_("a"), np.bytes_("a")],
    [np.dtype("<f4"), np.dtype(">f4"), np.float32, "float32", np.dtype("f8")],
    [NAN, OTHER_NAN, -NAN, None],
]  # fmt: skip

for group in groups:
    seen: List[Any] = []

    def body(x: Any, value: Any, seen: List[Any] = seen) -> Any:
        seen.append(value)
        return x + float(len(seen))

    traced = fw.function(body, static="value", dynamic=False)
    results = [float(traced(x, value)[0]) for value in group]
    assert results == [i + 1.0 for i in range(len(group))], (group, results)
    for given, found in zip(group, seen):
        assert type(given) is type(found) and repr(given) == repr(found), (given, found)
    # The same ones again need no new trace, NaN neither.
    assert [float(traced(x, value)[0]) for value in group] == results and len(seen) == len(group), group

# The same holds without the argument `static`, for values that are not numbers, and for keys.
kinds = fw.function(lambda x, value: x + float(value is One.A), dynamic=False)
assert kinds(x, One.A)[0] == 1 and kinds(x, Uno.A)[0] == 0
keys = fw.function(lambda d: next(iter(d.values())) + float(type(next(iter(d))) is float), dynamic=False)
assert keys({1: x})[0] == 0 and keys({1.0: x})[0] == 1 and keys({True: x})[0] == 0

# Divisions distinguish zeros.
inverse = fw.function(lambda x, zero: (x + 1.0) / zero, static="zero")
assert inverse(x, 0.0)[0] == np.inf and inverse(x, -0.0)[0] == -np.inf
dtypes = fw.function(lambda shape: fw.constant(shape), static=0)
assert dtypes((1.0,)).dtype == np.float32 and dtypes((1,)).dtype == np.int32 and dtypes((True,)).dtype == np.bool_

for bad in ([1], {"a": 1}, (1, [2]), np.zeros(2)):
    try:
        inverse(x, bad)
    except TypeError as error:
        assert "is neither an array, a number nor hashable" in str(error), error
    else:
        raise AssertionError(f"expected an error for {bad!r}")
