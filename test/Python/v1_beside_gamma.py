# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""`tf.igamma`, `tf.igammac`, `tf.zeta` and `tf.polygamma` as in TensorFlow 1, at poles and of large numbers (X49)."""

# mypy: disable-error-code="no-untyped-call"

from typing import Any, List

import numpy as np

import flywheel.v1
from beside_tensorflow import program, run_all


def _of_pairs(tf: Any, function: Any, a: Any, b: Any, has_slope: bool = True) -> List[Any]:
    x, y = (tf.placeholder(tf.float64, [None]) for _ in range(2))
    found = function(x, y)
    fetches = [found, *(tf.gradients(found, y) if has_slope else [])]
    first, second = (one.ravel() for one in np.meshgrid(a, b))
    with tf.Session() as session:
        return list(session.run(fetches, {x: first, y: second}))


def _steps(a: float) -> Any:
    """Numbers from 0 to many times a, and at distances of standard deviations from it."""
    some = a * (1 + np.array([-1, -0.9, -0.31, -0.3, -0.29, -0.1, -0.01, 0, 0.01, 0.1, 0.29, 0.3, 0.31, 1, 10]))
    return np.concatenate([some, a + np.array([-6, -3, -1, -0.1, 0.1, 1, 3, 8]) * np.sqrt(a)])


@program
def incomplete(tf: Any) -> Any:
    found: List[Any] = []
    for a in (1.0, 31.0, 33.0, 1e3, 9999.0, 10001.0, 1e5):
        x = np.maximum(_steps(a), 1e-9)
        # The slope of TensorFlow cancels far from a.
        found += _of_pairs(tf, tf.igamma, [a], x) + _of_pairs(tf, tf.igammac, [a], x, False)
    # The numbers of TensorFlow lose more and more digits near a.
    for a in (1e7, 1e9, 1e12, 1e300):
        x = a * np.array([0.0, 0.5, 0.9, 1.1, 2.0])
        found += _of_pairs(tf, tf.igamma, [a], x, False) + _of_pairs(tf, tf.igammac, [a], x, False)
    return found


@program
def orders(tf: Any) -> Any:
    orders = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 0.5, -1.0, np.nan]
    x = [0.0, -1.0, -2.0, -3.0, 1.0, 0.5, -0.5, -1.5, 2.5, 50.0, 1e10, np.inf, np.nan, 1e-300]
    found = _of_pairs(tf, tf.polygamma, orders[:7], x)
    found += _of_pairs(tf, tf.polygamma, orders[7:], x, False)
    # Terms of numbers below 0 that cancel, and an infinite order.
    halves = [-0.5, -1.5, -2.5, -3.5]
    found += _of_pairs(tf, tf.polygamma, [1.0, 2.0, 4.0, 6.0, 9.0], halves)
    found += _of_pairs(tf, tf.polygamma, [20.0, 50.0, 100.0, 168.0, 200.0], [-0.5])
    found += _of_pairs(tf, tf.polygamma, [np.inf], [0.0, -1.0, 1e-11, 0.3, 1.0, -0.5, -np.inf, np.nan])
    found += _of_pairs(tf, tf.zeta, [np.inf], [0.0, -1.0, 1e-300, 0.3, 1.0, 2.0, -0.5, np.nan], False)
    found += _of_pairs(tf, tf.zeta, [1.0, 1.5, 2.0, 3.0, 7.0, 0.5, np.nan], [1e-300, 0.5, 1.0, 2.5, 1e10, np.inf])
    return found + _of_pairs(tf, tf.zeta, [2.0, 3.0, 4.0], [0.0, -1.0, -2.0, -0.5, -1.5])


@program
def slopes_by_both(tf: Any) -> Any:
    """The derivatives by a: those of TensorFlow lose digits near a large a."""
    a = np.array([1e-8, 1e-3, 0.1, 0.5, 1.0, 1.5, 3.0, 10.0, 31.0, 33.0, 100.0, 1e3])
    x = np.concatenate([[1e-3, 0.3, 0.99, 1.0, 1.01, 2.0, 20.0], 33.0 * np.linspace(0.7, 1.3, 7), [90.0, 1010.0]])
    first, second = (one.ravel() for one in np.meshgrid(a, x))
    p, q = (tf.placeholder(tf.float64, [None]) for _ in range(2))
    fetches = [g for f in (tf.igamma, tf.igammac) for g in tf.gradients(f(p, q), [p, q])]
    with tf.Session() as session:
        return list(session.run(fetches, {p: first, q: second}))


def slopes_of_large_numbers() -> None:
    """Derivatives by a, by differences of numbers of 60 digits with mpmath; and second ones, where the order of both is
    of no importance."""
    cases = [(9999.0, 9899.01, -0.002423996577970446), (9999.0, 9999.0, -0.003989655540542916),
             (10001.0, 9900.99, -0.0024235101952022314), (10001.0, 10001.0, -0.003989256588286339),
             (1e5, 99000.0, -8.261000735968418e-06), (1e5, 100000.0, -0.001261567312316086),
             (1e5, 98102.63340389897, -1.53975656164945e-11),
             (1e5, 99683.77223398317, -0.0007655823245665119)]  # fmt: skip
    tf = flywheel.v1
    tf.reset_default_graph()
    with tf.Session() as session:
        a, x = (tf.constant([case[i] for case in cases], tf.float64) for i in (0, 1))
        found = session.run([tf.gradients(f(a, x), a)[0] for f in (tf.igamma, tf.igammac)])
        np.testing.assert_allclose(found[0], [case[2] for case in cases], rtol=1e-11)
        np.testing.assert_allclose(found[1], -found[0], rtol=0)
        a, x = tf.constant([2.5, 0.7, 40.0], tf.float64), tf.constant([1.7, 3.0, 33.0], tf.float64)
        slopes = tf.gradients(tf.igamma(a, x), [a, x])
        one, other = session.run([tf.gradients(slopes[0], x)[0], tf.gradients(slopes[1], a)[0]])
        np.testing.assert_allclose(one, other, rtol=1e-10)


def close_to_large_numbers() -> None:
    """Near a large a, by sums of 100,000 terms of 40 digits with mpmath: no other library is as exact."""
    cases = [(1e7, 9900000.0, 3.123539470267389e-221), (1e7, 9905131.670194948, 2.7919638299492805e-199),
             (1e7, 9974701.778718652, 5.893732333612203e-16),
             (1e9, 999747017.7871865, 6.1874935119000272e-16)]  # fmt: skip
    tf = flywheel.v1
    tf.reset_default_graph()
    with tf.Session() as session:
        first, second = (tf.constant([case[i] for case in cases], tf.float64) for i in (0, 1))
        found = session.run(tf.igamma(first, second))
        np.testing.assert_allclose(found, [case[2] for case in cases], rtol=1e-11)
        # The median of a large a is a - 1 / 3, and P(a, a) = 1/2 + 1 / (3 sqrt(2 pi a)).
        a = np.array([1e12, 1e16, 1e300])
        both = session.run([tf.igamma(a, a), tf.igammac(a, a)])
        np.testing.assert_allclose(both[0], 0.5 + 1 / (3 * np.sqrt(2 * np.pi * a)), rtol=1e-14)
        np.testing.assert_allclose(sum(both), 1.0, rtol=1e-15)


if __name__ == "__main__":
    close_to_large_numbers()
    slopes_of_large_numbers()
    run_all()
