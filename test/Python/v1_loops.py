# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mypy: disable-error-code="arg-type, no-untyped-def, union-attr"
# REQUIRES: python
# RUN: rm -rf %t && env FLYWHEEL_CACHE=%t %python %s
"""X10, G6: loops of a graph are counted in runs that need a gradient alone, a wrong count is an error, and the cost of
a loop from a number to a number is that of all iterations."""

from typing import Any

import numpy as np

from flywheel import InvalidArgumentError
from flywheel import v1 as tf
from flywheel.v1.host_calls import parts_of


def loop(n: Any, x: Any) -> Any:
    return tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * x), [0, tf.constant(1.0)])[1]


def test_counts() -> None:
    n, x = tf.placeholder(tf.int32, ()), tf.Variable(1.1)
    outer = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * loop(i + 1, x)), [0, tf.constant(1.0)])[1]
    for y in (loop(n, x), outer):
        (g,) = tf.gradients(y, x)
        feeds = [(n, np.int32(3))]
        assert not parts_of([y], feeds) and parts_of([g], feeds)
        bounds = g.op.fields.captures
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            value, found = session.run([y, g], {n: 3})
            # A power: 3, and 1 + 2 + 3.
            power = 3 if len(bounds) == 1 else 6
            np.testing.assert_allclose([value, found], [1.1**power, power * 1.1 ** (power - 1)], rtol=1e-5)
            for place, bound in enumerate(bounds):
                few = {b: np.empty(3 if i != place else 1, np.int8) for i, b in enumerate(bounds)}
                try:
                    session.run(g, {n: 3, **few})
                except InvalidArgumentError as error:
                    assert "longer than when its iterations were counted" in str(error), error
                else:
                    raise AssertionError(f"expected an error of {bound!r}")


def test_cost() -> None:
    x, n = tf.placeholder(tf.float32, [60, 60]), tf.placeholder(tf.int32, ())

    def body(i, a):
        return i + 1, a * 2.0 + 1.0

    for limit, wanted in ((10, 72010), (0, 0)):
        y = tf.while_loop(lambda i, a, limit=limit: i < limit, body, [0, x])[1]
        with tf.Session() as session:
            entry = session.cost(y)["before"]["entries"][0]
            assert entry["with_iterations"]["total"]["flops"] == wanted, entry
            assert [one["trips"] for one in entry["loops"]] == ([limit] if limit else [])
    y = tf.while_loop(lambda i, a: i < n, body, [0, x])[1]
    with tf.Session() as session:
        assert session.cost(y)["before"]["entries"][0]["loops"][0]["trips"] is None


def test_matrices() -> None:
    """The numbers are TensorFlow 2.21's."""
    a = tf.constant([[1, 2], [3, 4], [5, 6]], tf.float32)
    b = tf.constant(np.arange(6, dtype="f").reshape(2, 3))
    s = tf.svd(a, compute_uv=False)
    (g,) = tf.gradients(s, a)
    q, r = tf.qr(a)
    full_q, full_r = tf.qr(a, full_matrices=True)
    values, u, v = tf.svd(a, full_matrices=True)
    e, w = tf.self_adjoint_eig(tf.constant([[2, 9], [1, 3]], tf.float32))
    grids = tf.meshgrid(tf.constant([[1, 2], [3, 4]]), tf.constant([5, 6, 7]))
    parts = tf.diag_part(tf.constant(np.arange(36, dtype="f").reshape(2, 3, 2, 3)))
    (of_diag,) = tf.gradients(tf.diag(b) ** 2.0, b)
    fetches = [s, g, q, r, full_q, full_r, values, u, v, e, w, grids, parts, of_diag, tf.trace(b), tf.diag(b),
               tf.matrix_diag_part(b)]  # fmt: skip
    with tf.Session() as session:
        s, g, q, r, full_q, full_r, values, u, v, e, w, grids, parts, of_diag, trace, diag, part = session.run(fetches)
    given = np.array([[1, 2], [3, 4], [5, 6]], "f")
    np.testing.assert_allclose(s, [9.525518, 0.51429987], rtol=1e-5)
    np.testing.assert_allclose(g, [[-0.551003, 0.7278247], [0.1361583, 0.5610655], [0.8233206, 0.3943058]], rtol=1e-4)
    np.testing.assert_allclose(q, [[-0.169031, 0.897085], [-0.507093, 0.276027], [-0.845154, -0.345033]], rtol=1e-4)
    np.testing.assert_allclose(r, [[-5.91608, -7.437357], [0, 0.8280785]], rtol=1e-4, atol=1e-6)
    assert full_q.shape == (3, 3) and full_r.shape == (3, 2) and u.shape == (3, 3) and v.shape == (2, 2)
    for unit in (full_q, u, v, w):
        np.testing.assert_allclose(unit.T @ unit, np.eye(len(unit)), atol=1e-5)
    np.testing.assert_allclose(full_q @ full_r, given, rtol=1e-4)
    np.testing.assert_allclose(u[:, :2] * values @ v.T, given, rtol=1e-4)
    # Only the lower triangle is read.
    np.testing.assert_allclose(e, np.linalg.eigvalsh([[2, 1], [1, 3]]), rtol=1e-5)
    assert grids[0].tolist() == [[1, 2, 3, 4]] * 3 and grids[1].tolist() == [[5] * 4, [6] * 4, [7] * 4]
    assert parts.tolist() == [[0, 7, 14], [21, 28, 35]] and trace == 4 and part.tolist() == [0, 4]
    np.testing.assert_allclose(of_diag, 2 * np.arange(6).reshape(2, 3))
    assert diag.shape == (2, 3, 2, 3) and diag[1, 2, 1, 2] == 5 and diag.sum() == 15
    wrong: Any = None
    for wrong in (lambda: tf.diag_part(b), lambda: tf.cumsum(b, axis=[1]), lambda: tf.diag(tf.constant(1.0))):
        try:
            wrong()
        except (TypeError, ValueError):
            continue
        raise AssertionError("expected an error")


def test_one_program_for_many_counts() -> None:
    """The room of a gradient doubles: counts from 0 to 16 have one program, and those from 17 to 32."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        n, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [])
        y = loop(n, x)
        slope = tf.gradients(y, x)[0]
        programs = []
        for count in (3, 16, 0, 1, 9, 17, 32, 20):
            found = session.run([y, slope], {n: count, x: 1.1})
            np.testing.assert_allclose(found, [1.1**count, count * 1.1 ** (count - 1)], 1e-4)
            programs.append(len(graph._programs))
        assert programs[0] == programs[4] and programs[5] == programs[7] == programs[4] + 1, programs


def test_loops_in_branches() -> None:
    """Loops without a bound, in a branch, also one in a loop, have gradients."""

    def power(a: Any, n: Any, x: Any) -> Any:
        return tf.while_loop(lambda j, b: j < n, lambda j, b: (j + 1, b * x), [0, a])[1]

    with tf.Graph().as_default(), tf.Session() as session:
        n, m, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [])

        def body(i: Any, a: Any) -> Any:
            return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: power(a, n, x), lambda: a * 2.0)

        y = tf.while_loop(lambda i, a: i < m, body, [0, tf.constant(1.0)])[1]
        z = tf.cond(n > 2, lambda: power(x, n, x), lambda: power(x * x, n + 1, x))
        slopes = tf.gradients(y, x)[0], tf.gradients(z, x)[0]
        for count, times in ((3, 1), (2, 3), (5, 4), (0, 2)):
            found = session.run([y, z, *slopes], {n: count, m: times, x: 1.1})
            one, other, factor = count * ((times + 1) // 2), count + 1 if count > 2 else count + 3, 2.0 ** (times // 2)
            wanted = [factor * 1.1**one, 1.1**other, factor * one * 1.1 ** (one - 1), other * 1.1 ** (other - 1)]
            np.testing.assert_allclose(found, wanted, 1e-4)


test_counts()
test_cost()
test_matrices()
test_one_program_for_many_counts()
test_loops_in_branches()
