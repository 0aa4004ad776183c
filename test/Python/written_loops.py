# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""G16: the gradient of a loop that writes elements of a tensor and reads others is right, and takes memory for what its
iterations read, not for the tensor in each of them; so does the gradient of that."""

import re
import sys
from typing import Any, Callable, Dict

import numpy as np

import flywheel as fw
import flywheel.v1 as tf

Function = Callable[[Any], Any]


def loop(body: Callable[[Any, Any, Any], Any], first: int = 1) -> Function:
    """The sum of squares of what a loop writes, which starts with x."""

    def function(x: Any) -> Any:
        written = fw.fori_loop(first, x.shape[0], lambda i, p: body(i, p, x), x)
        return fw.sum(fw.square(written))

    return function


def rows(x: Any) -> Any:
    table = fw.reshape(x, [-1, 4])
    written = fw.fori_loop(
        1, table.shape[0], lambda i, p: p.at[i].set(fw.tanh(p[i - 1]) * table[i]), fw.zeros_like(table) + x[:4]
    )
    return fw.sum(fw.square(written))


def two_dimensions(x: Any) -> Any:
    """Writes the second column of a table, row by row."""
    table = fw.reshape(x, [-1, 4])
    written = fw.fori_loop(1, table.shape[0], lambda i, p: p.at[i, 1].set(fw.sin(p[i - 1, 1]) + p[i, 2]), table)
    return fw.sum(fw.square(written))


def along_row(x: Any) -> Any:
    """Writes the second row of a table, column by column."""
    table = fw.reshape(x, [4, -1])
    written = fw.fori_loop(1, table.shape[1], lambda i, p: p.at[1, i].set(fw.sin(p[1, i - 1]) * p[2, i]), table)
    return fw.sum(fw.square(written))


def diagonal(x: Any) -> Any:
    """Writes elements of a table at two indices that the step knows."""
    table = fw.reshape(x, [-1, 4])
    written = fw.fori_loop(
        1, table.shape[0], lambda i, p: p.at[i, i % 4].add(fw.sin(p[i - 1, (i - 1) % 4]) * p[i, (i + 1) % 4]), table
    )
    return fw.sum(fw.square(written))


def whole(x: Any) -> Any:
    """Elements that a mask of all of them names."""
    places = fw.arange(x.shape[0])
    written = fw.fori_loop(1, x.shape[0], lambda i, p: fw.where(places == i, fw.sin(p[i - 1]) + x[i], p), x)
    return fw.sum(fw.square(written))


def bounded(x: Any) -> Any:
    count = x.shape[0]
    step: Any = lambda s: (s[0] + 1, s[1].at[s[0]].set(fw.sin(s[1][s[0] - 1]) + x[s[0]]))  # noqa: E731
    start = (fw.constant(np.int32(1)), x)
    return fw.sum(fw.square(fw.while_loop(lambda s: s[0] < count, step, start, max_iterations=count)[1]))


def nested(x: Any) -> Any:
    width = 4

    def outer(j: Any, p: Any) -> Any:
        def inner(k: Any, q: Any) -> Any:
            i = j * width + k
            return q.at[i].set(fw.sin(q[fw.maximum(i - 1, 0)]) + x[i])

        return fw.fori_loop(0, width, inner, p)

    return fw.sum(fw.square(fw.fori_loop(0, x.shape[0] // width, outer, x)))


def tables(x: Any) -> Any:
    """Reads of what the loop does not write, in another order."""
    last = x.shape[0] - 1
    state = fw.fori_loop(0, x.shape[0], lambda i, s: fw.sin(s) * x[i] + x[last - i], fw.sum(x[:1]))
    return fw.square(state)


def half(x: Any) -> Any:
    return fw.cast(loop(lambda i, p, y: p.at[i].set(fw.sin(p[i - 1]) + y[i]))(fw.cast(x, np.float16)), x.dtype)


FUNCTIONS: Dict[str, Function] = {
    "copy": loop(lambda i, p, x: p.at[i].set(p[i - 1])),
    "product": loop(lambda i, p, x: p.at[i].set(p[i - 1] * x[i])),
    "sin": loop(lambda i, p, x: p.at[i].set(fw.sin(p[i - 1]) + x[i])),
    "two_lags": loop(lambda i, p, x: p.at[i].set(fw.sin(p[i - 1]) * p[i - 2]), 2),
    "own": loop(lambda i, p, x: p.at[i].add(p[i] * p[i - 1])),
    "twice": loop(lambda i, p, x: p.at[i].set(fw.sin(p[i - 1])).at[i - 1].add(x[i])),
    "read_back": loop(lambda i, p, x: (lambda q: q.at[i].add(fw.cos(q[i])))(p.at[i].set(fw.sin(p[i - 1])))),
    "where": loop(lambda i, p, x: p.at[i].set(fw.where(p[i - 1] > 0.3, fw.sin(p[i - 1]), x[i] * p[i - 2])), 2),
    "cond": loop(lambda i, p, x: fw.cond(x[i] > 0.3, lambda: p.at[i].set(fw.sin(p[i - 1])), lambda: p)),
    "read_in_cond": loop(
        lambda i, p, x: p.at[i].set(fw.cond(x[i] > 0.3, lambda: fw.sin(p[i - 1]), lambda: x[i] * p[i - 1]))
    ),
    "rows": rows,
    "two_dimensions": two_dimensions,
    "along_row": along_row,
    "diagonal": diagonal,
    "whole": whole,
    "while": bounded,
    "nested": nested,
    "tables": tables,
}


def second(function: Function) -> Function:
    return lambda x: fw.sum(fw.grad(function)(x) * fw.cos(x))


def check_gradient(name: str, function: Function) -> None:
    x = np.linspace(-0.7, 1.1, 16)
    value, step = fw.function(function), 1e-6
    found = fw.function(fw.grad(function))(x)
    units = np.eye(x.size) * step
    expected = [(float(value(x + unit)) - float(value(x - unit))) / (2 * step) for unit in units]
    np.testing.assert_allclose(found, expected, 1e-6, 1e-7, err_msg=name)


def workspace(function: Function, size: int) -> int:
    gradient = fw.function(fw.grad(function), threads=1)
    bytes_: int = gradient.trace(np.zeros(size, np.float32)).program.entries[0].workspace_bytes()
    return bytes_


def check_workspace(name: str, function: Function, limit: int) -> None:
    """Twice the size takes twice the memory, which is at most `limit` vectors."""
    small, large = workspace(function, 2048), workspace(function, 4096)
    if large > 2.2 * small or large > limit * 4 * 4096:
        sys.exit(f"{name}: expected at most {limit} vectors, found {small} bytes for 2048 elements, {large} for 4096")


def check_steps(name: str, function: Function) -> None:
    """No iteration computes or copies all of a dimension."""
    size = 4 * 1009
    module = fw.function(fw.grad(function)).trace(np.zeros(size, np.float32)).module
    depth = 0
    for line in str(fw.lower(module, stop_after="flywheel-bufferize")).splitlines():
        if "scf.for" in line or depth:
            depth += line.count("{") - line.count("}")
        moves = re.match(r"\s*(memref\.copy|linalg\.(generic|fill))", line)
        if depth and moves and re.search(r"memref<[0-9x]*(1009|4036)", line):
            sys.exit(f"{name}: an iteration computes a whole: {line.strip()}")


for name in ("sin", "own", "two_dimensions", "along_row", "diagonal"):
    check_steps(name, FUNCTIONS[name])

for name, function in FUNCTIONS.items():
    check_gradient(name, function)
    check_gradient(f"second order of {name}", second(function))
    check_workspace(name, function, 12)
    check_workspace(f"second order of {name}", second(function), 40)
check_workspace("half", half, 12)


# A TensorArray of TensorFlow 1 is such a tensor.
def written_array(count: int) -> "tuple[Any, Any, Any]":
    x = tf.placeholder(tf.float64, [count])
    array = tf.TensorArray(tf.float64, count, element_shape=[]).write(0, x[0])

    def body(i: Any, own: Any) -> Any:
        return i + 1, own.write(i, tf.sin(own.read(i - 1)) * x[i])

    last = tf.while_loop(lambda i, own: i < count, body, [tf.constant(1), array])[1].stack()
    return x, last, tf.gradients(tf.reduce_sum(tf.square(last)), x)[0]


with tf.Graph().as_default(), tf.Session() as session:
    x, last, gradient = written_array(8)
    values = np.linspace(0.2, 1.4, 8)
    found = session.run(gradient, {x: values})
    for k, unit in enumerate(np.eye(8) * 1e-6):
        ends = [np.sum(np.square(session.run(last, {x: values + sign * unit}))) for sign in (1, -1)]
        np.testing.assert_allclose(found[k], (ends[0] - ends[1]) / 2e-6, 1e-6, 1e-7)


# Rows that a loop picks of a computed tensor: the ops between are computed of these rows alone.
def picked(x: Any) -> Any:
    return fw.sum((x * x)[[0, -1]])


table = np.random.default_rng(0).standard_normal((3, 4))
along = np.ones((3, 4))


def in_a_loop(x: Any) -> Any:
    def body(_: Any, own: Any) -> Any:
        return own + fw.jvp(picked, (x,), (fw.constant(along),))[1]

    return fw.fori_loop(0, 2, body, fw.constant(0.0, "float64"))


np.testing.assert_allclose(fw.function(in_a_loop)(table), 4 * np.sum(table[[0, -1]]), rtol=1e-12)
