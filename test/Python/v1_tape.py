# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Derivatives in graphs of flywheel.v1: tapes (G10), and tensors that are the same value as another one."""

from typing import Any

import numpy as np

import flywheel.v1 as tf
from configurations import raises, run_tests

sess = tf.Session()


def run(fetches: Any, feeds: Any = None) -> Any:
    sess.run(tf.variables_initializer([v for v in tf.global_variables() if v not in known]))
    known.extend(v for v in tf.global_variables() if v not in known)
    return sess.run(fetches, feeds)


known: Any = []

# A derivative is with respect to one tensor, not to others of the same value.
x = tf.placeholder(tf.float32, [])
feed = {x: 5.0}


def test_derivative_is_with_respect() -> None:
    c = tf.constant(3.0)
    assert run(tf.gradients(c * 3.0 + c, c)) == [4.0]
    for same in (tf.identity(x), tf.reshape(x, []), tf.cast(x, tf.float32), x + 0.0):
        assert run(tf.gradients(same * x, same), feed) == [5.0]
        assert run(tf.gradients(same * x, x), feed) == [10.0]
    p = tf.placeholder_with_default(3.0, [])
    assert run(tf.gradients(p * 3.0, p)) == [3.0]


def test_derivative_of_a_constant() -> None:
    # G19: also of a constant, and of what is constant for one gradient.
    one, other = tf.ones([]), tf.ones([])
    assert run(tf.gradients(one * one * other, [one, other])) == [2.0, 1.0]
    for same in (tf.identity(x), tf.reshape(x, []), x + 0.0):
        assert run(tf.gradients(same * x, x, stop_gradients=[same]), feed) == [5.0]
    a, b = tf.sin(x), tf.sin(x)
    np.testing.assert_allclose(run(tf.gradients(a * b, x, stop_gradients=[b]), feed), [np.sin(5.0) * np.cos(5.0)], 1e-6)
    a, b = x * x, x * x
    assert run(tf.gradients(a + 2.0 * b, [a, b, x]), feed) == [1.0, 2.0, 30.0]


def test_reads_of_variables() -> None:
    # G19: a read is a value of its own; the variable is all of its reads.
    held = tf.Variable(3.0, name="held")
    read, again = held.read_value(), tf.identity(held)
    y = read * read * again
    assert run(tf.gradients(y, [read, again, held])) == [18.0, 9.0, 27.0]


def test_what_was_recorded() -> None:
    # G10: what was recorded, of what is watched.
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert run(tape.gradient(y, x), feed) == 10.0
    raises(RuntimeError, "only be called once", lambda: tape.gradient(y, x))
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x) is None


def test_what_was_recorded_last() -> None:
    v = tf.Variable(2.0, name="v")
    frozen = tf.Variable(4.0, name="frozen", trainable=False)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v * frozen
        z = y * x
    dy = tape.gradient(y, [v, frozen])
    assert dy[1] is None and run(dy[0]) == 16.0 and [w.name for w in tape.watched_variables()] == ["v:0"]
    assert run(tape.gradient(z, y), feed) == 5.0 and run(tape.gradient([y, z], v), feed) == 96.0
    assert run(tape.gradient(z, v, output_gradients=tf.constant(0.5)), feed) == 40.0
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(frozen)
        y = v * v * frozen
    dy = tape.gradient(y, [v, frozen])
    assert dy[0] is None and run(dy[1]) == 4.0


def test_ops_outside_of_the_tape() -> None:
    # Ops outside of the tape are constants, though they depend on the source.
    outside = x * x
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, outside])
        y = outside * x
        with tape.stop_recording():
            hidden = x * 3.0
        z = y * hidden
    assert run(tape.gradient(y, [x, outside]), feed) == [25.0, 5.0]
    assert run(tape.gradient(z, x), feed) == 25.0 * 15.0
    raises(NotImplementedError, "was not recorded", lambda: tape.jacobian(z, x))
    tape.reset()
    assert tape.gradient(y, x) is None


def test_second_derivatives_by_nested_tapes() -> None:
    # Second derivatives by nested tapes: d3(x^4)/dx3 at 2 is 48 (G11).
    with tf.GradientTape() as third:
        third.watch(x)
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = x * x * x * x
            d1 = first.gradient(y, x)
        d2 = second.gradient(d1, x)
    assert run([d1, d2, third.gradient(d2, x)], {x: 2.0}) == [32.0, 48.0, 48.0]


def test_tape() -> None:
    # G5: y = (a b, a + b^2) at (2, 3).
    ab = tf.placeholder(tf.float64, [2])
    with tf.GradientTape() as tape:
        tape.watch(ab)
        y = tf.stack([ab[0] * ab[1], ab[0] + ab[1] * ab[1]])
    assert run(tape.jacobian(y, ab), {ab: [2.0, 3.0]}).tolist() == [[3, 2], [1, 6]]


def test_through_branches_and_loops() -> None:
    # Through branches and loops.
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cond(x > 3.0, lambda: x * x, lambda: 7.0 * x)
    slope = tape.gradient(y, x)
    assert run(slope, feed) == 10.0 and run(slope, {x: 1.0}) == 7.0


def test_errors() -> None:
    # Errors.
    number = tf.placeholder(tf.int32, [])
    with tf.GradientTape() as tape:
        raises(TypeError, "floating-point", lambda: tape.watch(number))
        _ = x * x
        raises(ValueError, "watched after its first use", lambda: tape.watch(x))
        raises(ValueError, "already recording", tape.__enter__)
    raises(ValueError, "records once", tape.__enter__)
    raises(ValueError, "not recording", lambda: tape.stop_recording().__enter__())


def test_loop_of_training_by_hand() -> None:
    # A loop of training by hand.
    w = tf.Variable([1.0, -2.0], name="w")
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(w - [3.0, 4.0]))
    step = w.assign_sub(0.1 * tape.gradient(loss, w))
    expected = np.array([1.0, -2.0])
    for _ in range(5):
        run(step)
        expected = expected - 0.2 * (expected - [3, 4])
    np.testing.assert_allclose(run(w), expected, rtol=1e-5)


run_tests([test_derivative_is_with_respect, test_derivative_of_a_constant, test_reads_of_variables,
           test_what_was_recorded, test_what_was_recorded_last, test_ops_outside_of_the_tape,
           test_second_derivatives_by_nested_tapes, test_tape, test_through_branches_and_loops, test_errors,
           test_loop_of_training_by_hand])  # fmt: skip
