# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""T9, X12: the error of an index names its axis, the index and the size, of several indices too: in `x[...]`, updates
(`x.at[...]`), `flywheel.v1`, static and dynamic sizes, functions of a batch, loops and derivatives."""

import itertools
import re
from typing import Any, Callable, List, Tuple, Type

import numpy as np

import flywheel as fw
import flywheel.v1 as tf

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
SIZES = X.shape
DYNAMIC = fw.spec(None, None, None)


ERRORS: Any = (IndexError, TypeError, ValueError)


def expect(kind: Type[BaseException], pattern: str, action: Callable[[], Any], what: str) -> None:
    try:
        action()
    except kind as error:
        assert re.search(pattern, str(error)), f"{what}: {error}"
        assert len(str(error)) < 400 and "10995116" not in str(error), f"{what}: {error}"
        return
    raise AssertionError(f"{what}: expected an error, {pattern}")


# Wrong indices that are known while tracing: what they are, and what the error says of axis {a}, of size {n}.
KNOWN: List[Tuple[Any, str]] = [
    (7, r"index 7 is out of bounds for axis {a} with size {n}"), (-9, r"index -9 is out of bounds for axis {a}"),
    (np.array([0, 7]), r"index 7 is out of bounds for axis {a} with size {n}"),
    (np.array([0, -8]), r"index -8 is out of bounds for axis {a} with size {n}"),
    ([1, 9], r"index 9 is out of bounds for axis {a} with size {n}"),
    (1.5, r"index of axis {a}: only integers.*found float"), ("a", r"index of axis {a}: only integers.*found str"),
    (np.array([0.5]), r"index of axis {a}: arrays of indices must be of integers, found float64"),
    (np.zeros(7, bool), r"index of axis {a}: a boolean index of shape \(7,\) is of dimensions of \({n},\)"),
    (slice(0, 2, 0), r"index of axis {a}: slice step cannot be zero"),
    (slice(1.5, None), r"index of axis {a}: expected an integer.*found 1.5"),
]  # fmt: skip
RIGHT: List[Any] = [0, slice(None), slice(0, 1), np.array([1, 0])]


def check_known() -> None:
    for axis, (wrong, text) in itertools.product(range(3), KNOWN):
        pattern = text.format(a=axis, n=SIZES[axis])
        for right in RIGHT:
            key = [right] * 3
            key[axis] = wrong
            keys: List[Any] = [tuple(key), tuple(key[: axis + 1])]
            if axis and not (isinstance(wrong, np.ndarray) and wrong.dtype == bool):
                keys.append((..., *key[axis:]))
            for one in keys:
                where = f"x[{one}]"
                expect(ERRORS, pattern, lambda one=one: read(one), where)  # type: ignore
                expect(ERRORS, pattern, lambda one=one: write(one), f"at {where}")  # type: ignore
    expect(IndexError, r"too many indices: 4 for a tensor of shape \(2, 3, 4\)", lambda: read((0, 0, 0, 0)), "four")
    # A new dimension has no axis of x.
    expect(IndexError, r"index 3 is out of bounds for axis 1 with size 3", lambda: read((0, None, 3)), "None")


def read(key: Any) -> Any:
    return fw.function(lambda x: x[key])(X)


def write(key: Any) -> Any:
    return fw.function(lambda x: x.at[key].add(1.0))(X)


def check_runs() -> None:
    """Indices that only the step knows: the message names the axis if several indices are in the brackets."""
    for places in ((0, 1), (0, 2), (1, 2), (0, 1, 2)):
        for axis, dtype in itertools.product(places, ("int32", "int64")):
            def key(i: Any, places: Any = places) -> Any:
                return tuple(i[places.index(a)] if a in places else slice(None) for a in range(3))

            functions = [fw.function(lambda x, i, key=key: x[key(i)]),
                         fw.function(lambda x, i, key=key: x.at[key(i)].set(0.0)),
                         fw.function(lambda x, i, key=key: x.at[key(i)].add(1.0)),
                         fw.function(lambda x, i, key=key: fw.grad(lambda y: fw.sum(y[key(i)]))(x)),
                         fw.function(lambda x, i, key=key: fw.vmap(lambda j: x[key(j)])(fw.stack([i * 0, i]))),
            ]  # fmt: skip
            for bad in (SIZES[axis], SIZES[axis] + 5, -SIZES[axis] - 1):
                index = np.zeros(len(places), dtype)
                index[places.index(axis)] = bad
                pattern = rf"index of axis {axis} out of range: expected 0 <= index < {SIZES[axis]}\b.*found {bad}\b"
                for number, function in enumerate(functions):
                    expect(fw.InvalidArgumentError, pattern, lambda: function(X, index), f"{places}, {number}")
            function = functions[0]
            right = np.array([SIZES[a] - 1 for a in places], dtype)
            selected = tuple(right[places.index(a)] if a in places else slice(None) for a in range(3))
            np.testing.assert_array_equal(function(X, right), X[selected])
            selected = tuple(-1 if a in places else slice(None) for a in range(3))
            np.testing.assert_array_equal(function(X, np.full(len(places), -1, dtype)), X[selected])
    # One that is known, and one that is not.
    mixed = fw.function(lambda x, i: x[1, :, i])
    expect(fw.InvalidArgumentError, r"index of axis 2 out of range: expected 0 <= index < 4\b.*found 6\b",
           lambda: mixed(X, np.int32(6)), "x[1, :, i]")  # fmt: skip
    np.testing.assert_array_equal(mixed(X, np.int32(3)), X[1, :, 3])
    put = fw.function(lambda x, i: x.at[1, i, 2].set(0.0))
    expect(fw.InvalidArgumentError, r"index of axis 1 out of range: expected 0 <= index < 3\b.*found 4\b",
           lambda: put(X, np.int32(4)), "x.at[1, i, 2]")  # fmt: skip
    # Dynamic sizes, and a loop.
    dynamic = fw.function(lambda x, i: fw.sum(x[1, i]), signature=[DYNAMIC, fw.spec(dtype="int32")])
    expect(fw.InvalidArgumentError, r"index of axis 1 out of range: expected 0 <= index < 3\b.*found 3\b",
           lambda: dynamic(X, np.int32(3)), "dynamic x[1, i]")  # fmt: skip
    looped = fw.function(lambda x, n: fw.fori_loop(0, n, lambda i, s: s + x[0, i, i], 0.0))
    expect(fw.InvalidArgumentError, r"index of axis 1 out of range: expected 0 <= index < 3\b.*found 3\b",
           lambda: looped(X, np.int32(4)), "a loop")  # fmt: skip
    np.testing.assert_array_equal(looped(X, np.int32(3)), X[0, [0, 1, 2], [0, 1, 2]].sum())


def check_dtypes() -> None:
    """Arrays of every dtype are indexed by several indices of the call."""
    i = np.array([0, 2])
    for dtype in ("bool", "float16", "float64", "int8", "int64", "uint8", "uint16", "uint32", "uint64"):
        table = np.arange(12).reshape(3, 4).astype(dtype)
        np.testing.assert_array_equal(fw.function(lambda a, i: a[i, i])(table, i), table[i, i])
        np.testing.assert_array_equal(fw.function(lambda i, a=table: fw.constant(a)[1, i])(i), table[1, i])
        written = table.copy()
        written[i, i] = table[1, 1]
        np.testing.assert_array_equal(fw.function(lambda a, i: a.at[i, i].set(a[1, 1]))(table, i), written)


def check_v1() -> None:
    x, places = tf.placeholder(tf.float32, [None, None, None]), tf.placeholder(tf.int32, [None, 2])
    variable = tf.get_variable("index_errors", initializer=X)
    values = tf.ones([1, 4])
    found = {"gather_nd": tf.gather_nd(x, places), "scatter_nd": tf.scatter_nd(places, values, [2, 3, 4]),
             "gather_nd of a variable": tf.gather_nd(variable, places),
             "scatter_nd_update": tf.scatter_nd_update(variable, places, values)}  # fmt: skip
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for (name, tensor), (axis, bad) in itertools.product(found.items(), ((0, 2), (1, 3), (0, -1), (1, 2**31 - 1))):
            index = np.zeros((1, 2), np.int32)
            index[0, axis] = bad
            pattern = rf"index of axis {axis} out of range: expected 0 <= index < {SIZES[axis]}\b.*found {bad}\b"
            expect(tf.errors.InvalidArgumentError, pattern,
                   lambda: session.run(tensor, {x: X, places: index}), f"{name}, {index}")  # fmt: skip
        np.testing.assert_array_equal(session.run(found["gather_nd"], {x: X, places: [[1, 2]]}), X[1, 2][None])
    for wrong, text in (((0, 7), "index 7 is out of bounds for axis 1 with size 3"), ((0, 0, 0, 0), "too many indices"),
                        ((0, 1.5), "axis 1"), ((0, "a"), "axis 1")):  # fmt: skip
        expect(ERRORS, text, lambda: variable[wrong], f"v1 [{wrong}]")


if __name__ == "__main__":
    check_known()
    check_runs()
    check_dtypes()
    check_v1()
