# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""A size that only the call knows is a value (X15): what is computed of it is what a number gives, in one program for
all sizes; where Python would have to know it, each size has a program of its own, or the error says what to write."""

import math
from typing import Any, List, Sequence

import numpy as np

import flywheel as fw
from flywheel._core import tree as _tree
from size_cases import CASES, REFUSED, TABLE, UNBOUNDED

SIZES = (8, 5, 3, 8)


def rows(count: int) -> Any:
    return np.linspace(-1, 1, count * 3).astype(np.float32).reshape(count, 3)


def num_programs(function: Any) -> int:
    return len(function._traces)


def digest(x: Any) -> Any:
    """The shape, and a sum with weights: no result has a size that is computed. The last one has the dtype."""
    x = fw.as_tensor(x)
    y = fw.ravel(fw.cast(x, "float64")) if x.ndim else fw.reshape(fw.cast(x, "float64"), (1,))
    weights = fw.sin(fw.cast(fw.arange(y.shape[0]), "float64") + 1.0)
    return fw.shape(x), fw.sum(y * weights), fw.cast(fw.zeros(1), x.dtype)


def digest_of_all(x: Any) -> Any:
    """The shape, and the sum, which no buffer of a size that is computed takes."""
    return fw.shape(x), fw.sum(x)


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, 2e-5, 2e-5)


def expect_same(name: str, found: Any, expected: Any) -> None:
    for x, y in zip(_tree.flatten(found)[0], _tree.flatten(expected)[0]):
        x, y = np.asarray(x), np.asarray(y)
        assert x.dtype == y.dtype and x.shape == y.shape, (name, x.dtype, y.dtype, x.shape, y.shape)
        np.testing.assert_allclose(x, y, 2e-5, 2e-5, err_msg=name)


# Every function that takes a size or a shape, and what Python does with numbers, beside the same with numbers.


def check_cases(names: Sequence[str]) -> None:
    def all_of(x: Any) -> Any:
        return {name: [digest(y) for y in _tree.flatten(CASES[name](x, x.shape[0]))[0]] for name in names}

    dynamic, static = fw.function(all_of), fw.function(all_of, dynamic=False)
    for count in SIZES:
        found, expected = dynamic(rows(count)), static(rows(count))
        for name in names:
            expect_same(f"{name} of {count}", found[name], expected[name])
    assert num_programs(dynamic) == 1, (names, num_programs(dynamic))


names = list(CASES)
for first in range(0, len(names), 24):
    check_cases(names[first : first + 24])

# If the compiler finds no bound of a buffer, or Python has to know a size: a program for each size, or an error.


def each_size(function: Any, **options: Any) -> Any:
    return fw.function(lambda x: [digest(y) for y in _tree.flatten(function(x, x.shape[0]))[0]], **options)


for name, function in {**UNBOUNDED, **REFUSED}.items():
    on_demand, static = each_size(function), each_size(function, dynamic=False)
    for count in (5, 3):
        expect_same(name, on_demand(rows(count)), static(rows(count)))
for name, function in REFUSED.items():
    for options in ({"dynamic": True}, {"signature": [fw.spec(None, 3)]}):
        try:
            each_size(function, **options).trace(fw.spec("batch", 3))
        except TypeError as error:
            text = str(error)
            assert "dynamic='auto'" in text and ("size_cases.py:" in text or "sizes_of_calls.py:" in text), (name, text)
        else:
            raise AssertionError(name)


# The batch of a loop varies: a program for the first size, and one for all but 1.


@fw.function
def parts(x: Any) -> Any:
    n = x.shape[0]
    return fw.sum(fw.constant(TABLE)[:n]), fw.sum(fw.arange(n)), fw.sum(x) / n


for count in (8, 5, 3, 8, 1, 5, 40):
    first, second, third = parts(rows(count))
    assert first == second == count * (count - 1) / 2 and abs(third - rows(count).sum() / count) < 1e-5
assert num_programs(parts) == 2

# Sizes that are equal are known to be: by their name, and by what the program does.


@fw.function
def agree(x: Any, y: Any) -> Any:
    assert x.shape == y.shape == (x * 2).shape == (y @ fw.ones((3, 3))).shape == fw.nn.softmax(x + y).shape
    assert fw.concatenate([x, y]).shape[0] == 2 * x.shape[0] and x.reshape(-1).shape[0] == 3 * y.shape[0]
    assert x.T.shape == (3, x.shape[0]) and x[:, 0].shape[0] - y.shape[0] == 0
    return fw.sum(x * y)


for count in (8, 5, 3):
    close(agree(rows(count), rows(count)), (rows(count) ** 2).sum())
assert num_programs(agree) == 1

# As many elements as are known, in dimensions of the call.

for shape in ("(n, -1)", "(-1, n)", "(n, 24 // n)", "(n, 2, -1)", "(2, n, -1)", "(1, n, -1)"):
    parts = eval(f"lambda n: {shape}")
    shaped = fw.function(lambda x, parts=parts: digest(fw.reshape(rows(8), parts(x.shape[0]))))
    for count in (4, 3, 2, 6):
        expected = rows(8).reshape(parts(count))
        found = shaped(rows(count))
        close(found[0], expected.shape)
        close(found[1], (expected.ravel().astype(np.float64) * np.sin(np.arange(24) + 1.0)).sum())
    open_ = fw.function(
        lambda x, parts=parts: digest_of_all(fw.reshape(rows(8), parts(x.shape[0]))), dynamic=True)  # fmt: skip
    for count in (4, 3, 2, 6):
        shape_found, total = open_(rows(count))
        close(shape_found, rows(8).reshape(parts(count)).shape)
        close(total, rows(8).sum())
    try:
        shaped(rows(5))
    except (ValueError, fw.InvalidArgumentError) as error:
        assert "reshape" in str(error), error
    else:
        raise AssertionError(shape)

# A size is of its trace, and a shape that has another number of elements is an error.


def expect_error(text: str, function: Any, *args: Any, **options: Any) -> None:
    try:
        fw.function(function, **options)(*args)
    except (ValueError, TypeError, ZeroDivisionError, fw.InvalidArgumentError, fw.CompileError) as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)


expect_error("cannot reshape", lambda x: x.reshape(x.shape[0] + 1, 3), rows(4), dynamic=True)
expect_error("elements", lambda x, y: x.reshape(y.shape[0], 3), rows(4), rows(5), signature=[fw.spec(None, 3)] * 2)
expect_error("division by zero", lambda x: x.sum() // (x.shape[0] - 4) + 7 // (x.shape[0] - 4), rows(4), dynamic=True)
expect_error("division of a size by zero", lambda x: x.shape[0] // 0, rows(4), dynamic=True)
expect_error("takes no list", lambda x: x.shape[0] + [1], rows(4), dynamic=True)
expect_error("expected an integer", lambda x: fw.zeros((x.shape[0] / 2,)), rows(4), dynamic=True)
# As a number of Python, it fits into the dtype of the tensor beside it.
wide = fw.spec("n", 0, dtype="int8")
expect_error(
    "at most 127",
    lambda x, y: y + x.shape[0],
    np.zeros((300, 0), np.int8),
    np.int8(1),
    signature=[wide, fw.spec(dtype="int8")],
)
expect_error("at most 2147483647", lambda x: x.shape[0] * x.shape[0], np.zeros((50000, 0), np.int8), signature=[wide])
expect_error(
    "at least 0",
    lambda x, y: y + (x.shape[0] - 9),
    np.zeros((3, 0), np.int8),
    np.uint8(1),
    signature=[wide, fw.spec(dtype="uint8")],
)
large = fw.function(
    lambda x: (fw.cast(x.shape[0] ** 2, "int64"), 1.0 / x.shape[0] ** 2, x.shape[0] ** 2 > 2**31), signature=[wide]
)
assert [float(x) for x in large(np.zeros((50000, 0), np.int8))] == [2.5e9, np.float32(4e-10), 1.0]
# Results that int32 or int64 does not hold.
overflows: List[Any] = [
    ("2147483647", 2000, lambda n: n**3 % 10**11),
    ("2147483647", 70000, lambda n: math.ceil(n**2 / 2)),
    ("2147483647", 2000, lambda n: math.floor(n**3 / 1)),
    ("2147483647", 2000, lambda n: abs(10 - n**3)),
    ("64 bits", 3000000, lambda n: n**3 / 2),
    ("64 bits", 3000000, lambda n: n * n * (5 - n) / 2),
    ("64 bits", 2**20, lambda n: (n**3 * 7 + n**3 * 7) / 2),
]
for most, count, of_size in overflows:
    expect_error(most, lambda x, of=of_size: of(x.shape[0]), np.zeros((count, 0), np.int8), signature=[wide])
sums = fw.function(lambda x: (x.shape[0] ** 3 / 2, x.shape[0] ** 2 * (5 - x.shape[0]) / 2), signature=[wide])
close(sums(np.zeros((2000000, 0), np.int8)), (4e18, -4e18))

# Variables take a size as they take a number.


@fw.function
def assign(x: Any) -> Any:
    n = x.shape[0]
    counter.assign_add(n), counter.assign_sub(1), total.assign(n), half.assign(n / 2), mean.moving_average(n, 0.5)
    return fw.sum(x)


counter, total = fw.Variable(np.int64(0), name="counter"), fw.Variable(np.float32(0), name="total")
half, mean = fw.Variable(np.float64(0), name="half"), fw.Variable(np.float32(0), name="mean")
for n in (8, 5, 3):
    assign(rows(n))
assert num_programs(assign) == 1 and counter.numpy() == 13
close([total.numpy(), half.numpy(), mean.numpy()], [3, 1.5, 3.75])
expect_error("of type 'float'", lambda x: counter.assign(x.shape[0] / 2), rows(4), dynamic=True)

# Integers of NumPy and arrays without dimensions are sizes and axes too.
one: Any = np.array(1)
two: Any = np.int64(2)
pair: Any = np.array(2)
to_twelve: Any = np.array(12)
again: Any = np.array([2, 1])
axis: Any = np.int64(0)
for found, expected in fw.function(
    lambda x: [
        (fw.zeros((3, pair)), np.zeros((3, 2))),
        (fw.ones(pair), np.ones(2)),
        (x[:one], rows(4)[:1]),
        (fw.expand_dims(x, two), rows(4)[:, :, None]),
        (fw.stack(fw.split(x, two, 0)), rows(4).reshape(2, 2, 3)),
        (fw.tile(x, again), np.tile(rows(4), (2, 1))),
        (fw.tile(x, pair), np.tile(rows(4), 2)),
        (fw.reshape(x, to_twelve), rows(4).reshape(12)),
        (fw.repeat(x, one, 0), rows(4)),
        (fw.roll(x, one, axis), np.roll(rows(4), 1, 0)),
        (fw.moveaxis(x, axis, one), rows(4).T),
        (fw.broadcast_to(x[0, 0], pair), rows(4)[0, [0, 0]]),
    ]
)(rows(4)):
    close(found, expected)

expect_error("of shape (x.shape[0], 3) into shape (x.shape[0] + 1, 3): the tensor has 3 elements less",
             lambda x: x.reshape(x.shape[0] + 1, 3), rows(4), dynamic=True)  # fmt: skip
expect_error("top_k: k: found 5, expected at most 4", lambda x: fw.top_k(x.T, 5)[0], rows(4), dynamic=True)
expect_error("elements: found 0, expected at least 1", lambda x: fw.quantile(x, 0.5), np.zeros(0, np.float32),
             dynamic=True)  # fmt: skip
expect_error("flywheel.stack", lambda x: fw.constant([x.shape[0], 2]), rows(4), dynamic=True)
expect_error("flywheel.sqrt", lambda x: math.sqrt(x.shape[0]), rows(4), dynamic=True)
kept: List[Any] = []


@fw.function(dynamic=True)
def keep(x: Any) -> Any:
    kept.append(x.shape[0])
    return x


keep(rows(4))
uses: List[Any] = [lambda x: x * kept[0], lambda x: fw.zeros(kept[0]), lambda x: kept[0] + 1, lambda x: kept[0] == 4]
for use in uses:
    expect_error("a size of another function", use, rows(4))
assert repr(kept[0]) == "<flywheel.Size>" and isinstance(kept[0], fw.Size)
