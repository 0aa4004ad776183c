# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X15: sizes, steps, shifts and depths of a graph that a run is fed, beside NumPy; and their derivatives."""

from typing import Any, Callable, Dict, Tuple

import numpy as np

import flywheel.v1 as tf
from configurations import run_tests

T = np.arange(12, dtype=np.float32)
ROWS = np.arange(12, dtype=np.float32).reshape(3, 4)


def banded(x: Any, lower: int, upper: int) -> Any:
    i, j = np.indices(x.shape)
    return np.where((i - j <= (lower if lower >= 0 else 99)) & (j - i <= (upper if upper >= 0 else 99)), x, 0)


# The graph's function of t, [12], and of the number k, and NumPy's.
CASES: Dict[str, Tuple[Callable[[Any, Any], Any], Callable[[Any, int], Any]]] = {
    "step": (lambda t, k: t[::k], lambda t, k: t[::k]),
    "step back": (lambda t, k: t[::-k], lambda t, k: t[::-k]),
    "bounds and step": (lambda t, k: t[k : 4 * k : k], lambda t, k: t[k : 4 * k : k]),
    "steps of rows": (
        lambda t, k: tf.reshape(t, [3, 4])[:, ::k], lambda t, k: t.reshape(3, 4)[:, ::k]),
    "step and place": (
        lambda t, k: tf.reshape(t, [3, 4])[1, ::k], lambda t, k: t.reshape(3, 4)[1, ::k]),
    "roll": (lambda t, k: tf.roll(t, k, 0), lambda t, k: np.roll(t, k)),
    "roll by two": (
        lambda t, k: tf.roll(tf.reshape(t, [3, 4]), [k, 1], [0, 1]),
        lambda t, k: np.roll(t.reshape(3, 4), [k, 1], [0, 1])),
    "reshape": (lambda t, k: tf.reshape(t, [k, -1]), lambda t, k: t.reshape(k, -1)),
    "reshape to columns": (lambda t, k: tf.reshape(t, [-1, k]), lambda t, k: t.reshape(-1, k)),
    "reshape in three": (lambda t, k: tf.reshape(t, [2, k, -1]), lambda t, k: t.reshape(2, k, -1)),
    "reshape to both": (
        lambda t, k: tf.reshape(t, tf.stack([12 // k, k])), lambda t, k: t.reshape(12 // k, k)),
    "sums of rows": (
        lambda t, k: tf.reduce_sum(tf.reshape(t, [k, -1]), 1), lambda t, k: t.reshape(k, -1).sum(1)),
    "split": (lambda t, k: tf.split(t, [k, 12 - k])[1] * 2, lambda t, k: t[k:] * 2),
    "split the rest": (lambda t, k: tf.split(t, tf.stack([k, -1]))[1], lambda t, k: t[k:]),
    "broadcast_to": (
        lambda t, k: tf.broadcast_to(t[:4], [k, 4]), lambda t, k: np.broadcast_to(t[:4], (k, 4))),
    "band": (
        lambda t, k: tf.matrix_band_part(tf.reshape(t, [3, 4]), k - 2, 0),
        lambda t, k: banded(t.reshape(3, 4), k - 2, 0)),
    "matrix_diag": (lambda t, k: tf.matrix_diag(t[:k]), lambda t, k: np.diag(t[:k])),
    "linspace": (lambda t, k: tf.linspace(t[1], t[9], k), lambda t, k: np.linspace(t[1], t[9], k)),
    "one_hot": (
        lambda t, k: tf.one_hot([0, 2, 1], k) * t[:3, None], lambda t, k: np.eye(3)[[0, 2, 1]][:, :k] * t[:3, None]),
    "one_hot along 0": (
        lambda t, k: tf.one_hot([0, 2, 1], k, 5.0, 1.0, axis=0) * t[:3],
        lambda t, k: (1 + 4 * np.eye(3)[[0, 2, 1]][:, :k].T) * t[:3]),
    "ones": (lambda t, k: tf.ones(k) * t[3], lambda t, k: np.ones(k) * t[3]),
    "zeros": (lambda t, k: tf.zeros([k, 2]) + t[:2], lambda t, k: np.zeros((k, 2)) + t[:2]),
}  # fmt: skip


def test_numbers() -> None:
    for name, (ours, numpys) in CASES.items():
        with tf.Graph().as_default():
            t, k = tf.placeholder(tf.float32, [12]), tf.placeholder(tf.int32, [])
            y = ours(t, k)
            total = tf.reduce_sum(y * y)
            slope = tf.gradients(total, t)[0]
            with tf.Session() as session:
                for number in (2, 3, 2, 1):
                    found, own, change = session.run([y, slope, total], {t: T, k: number})
                    wanted = numpys(T, number)
                    np.testing.assert_allclose(found, wanted, 1e-6, err_msg=f"{name}, {number}")
                    assert found.shape == wanted.shape, (name, number)
                    # Each function is linear in t: the square's slope along t is twice the square, but for an offset.
                    zero = numpys(T * 0, number)
                    linear = (2 * wanted * (wanted - zero)).sum()
                    np.testing.assert_allclose((own * T).sum(), linear, 1e-4, err_msg=f"slope of {name}, {number}")
                    np.testing.assert_allclose(change, (wanted * wanted).sum(), 1e-5)


def test_variables() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        k, t = tf.Variable(2), tf.constant(T)
        session.run(tf.global_variables_initializer())
        found = session.run([tf.one_hot([0, 1], k), tf.linspace(0.0, 1.0, k), tf.roll(t, k, 0), t[::k]])
        for one, wanted in zip(found, (np.eye(2), [0, 1], np.roll(T, 2), T[::2])):
            np.testing.assert_array_equal(one, wanted)


def test_places() -> None:
    """Numbers from outside in a loop, negative ones, and sizes of a batch, which have one program."""
    with tf.Graph().as_default(), tf.Session() as session:
        k, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [None, 4])
        rolled = tf.map_fn(lambda row: tf.roll(row, k, 0), x)
        hot = tf.map_fn(lambda row: tf.one_hot(1, 4) * row, x)
        banded_ = tf.map_fn(lambda row: tf.reduce_sum(tf.matrix_band_part(row[:, None] * row, k, 0), 1), x)
        eye, band = tf.one_hot([0, 1], tf.shape(x)[0]), tf.matrix_band_part(x, k, 0)
        points = tf.linspace(0.0, 1.0, tf.shape(x)[0])
        for number in (1, -5):
            found = session.run([rolled, hot, banded_, eye, band, points], {k: number, x: ROWS})
            wanted = (np.roll(ROWS, number, 1), ROWS * [0, 1, 0, 0],
                      np.stack([banded(np.outer(row, row), number, 0).sum(1) for row in ROWS]),
                      np.eye(3)[:2], banded(ROWS, number, 0), np.linspace(0, 1, 3))  # fmt: skip
            for one, other in zip(found, wanted):
                np.testing.assert_allclose(one, other, 1e-6)


def test_errors() -> None:
    with tf.Graph().as_default():
        k, r = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [])
        t = tf.constant(T)
        pieces = tf.placeholder(tf.int32, [None])
        for make, text in (
            (lambda: tf.one_hot([1], r), "cast it"),
            (lambda: tf.one_hot([1], 2.7), "expected integers, found 2.7"),
            (lambda: tf.linspace(0.0, 1.0, 2.7), "expected integers"),
            (lambda: tf.linspace(0.0, 1.0, 0), "linspace: num: found 0, expected at least 1"),
            (lambda: tf.matrix_band_part(tf.ones([2, 2]), 1.9, 0), "expected integers"),
            (lambda: t[:: tf.constant(2.9)], "expected integers"),
            (lambda: tf.split(t, pieces), "split: expected a number of pieces, or their sizes as a vector of known"),
        ):
            try:
                make()
            except (TypeError, ValueError) as error:
                assert text in str(error), error
            else:
                raise AssertionError(text)
        with tf.Session() as session:
            for y, number, text in (
                (t[::k], 0, "step"),
                (tf.reshape(t, [k, -1]), 5, "12"),
                (tf.split(t, [k, 4])[0], 5, "split"),
                (tf.linspace(0.0, 1.0, k), 0, "linspace: num: found 0, expected at least 1"),
            ):
                try:
                    session.run(y, {k: number})
                except Exception as error:
                    assert text in str(error), error
                else:
                    raise AssertionError(text)


def test_sizes_of_shapes() -> None:
    """Sizes of shapes are numbers to compute with and to give as numbers; those that are not known stay unknown."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 4])
        n, unknown = x.shape[1], x.shape[0]
        assert [n + 1, 1 + n, n - 1, 6 - n, n * 2, n // 3, 9 // n, n % 3, 7 % n] == [5, 5, 3, 2, 8, 1, 2, 1, 3]
        assert n < 5 and n <= 4 and n > 3 and n >= 4 and (unknown < 3) is None and (unknown + 1).value is None
        given: Any = {x: np.arange(8.0).reshape(2, 4)}
        parts, sizes, slices, double = session.run(
            [tf.split(x, n, 1), tf.split(x, [n - 1, 1], 1), tf.unstack(x, n, 1), x * n], given)  # fmt: skip
        assert len(parts) == 4 and sizes[0].shape == (2, 3) and slices[3].tolist() == [3, 7] and double[1, 3] == 28
        assert session.run([tf.constant(n), tf.cast(n, tf.float32), x[:, : n - 1][0, 2]], given) == [4, 4, 2]
        assert session.run(tf.zeros_like(tf.constant(["a", "b"]))).tolist() == [b"", b""]
        assert session.run(tf.zeros_like(tf.constant(["a"]), tf.int32)).tolist() == [0]
        text = tf.placeholder(tf.string, [None])
        for kind, words, action in (
            (TypeError, "please use //", lambda: n / 2), (TypeError, "not known", lambda: tf.split(x, unknown, 1)),
            (NotImplementedError, "sizes must be known", lambda: tf.zeros_like(text)),
            (TypeError, "found string", lambda: tf.ones_like(text)),
        ):  # fmt: skip
            try:
                action()
            except kind as error:
                assert words in str(error), error
            else:
                raise AssertionError(words)


if __name__ == "__main__":
    run_tests([test_numbers, test_variables, test_places, test_errors, test_sizes_of_shapes])
