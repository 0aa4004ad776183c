# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""G1, G16, C6: a variable that nothing reads but the body of a loop or a branch is trained, and has derivatives."""

from typing import Any, Callable, Dict

import numpy as np

import flywheel as fw

# The derivative of the sum of h -> h w, three times from x, at w and x.
W = np.array([0.5, 2.0, -1.5])
X = np.array([1.0, 0.25, 2.0])
CUBE = 3 * X * W**2

Body = Callable[[Any], Any]


def three_times(w: fw.Variable) -> Dict[str, Body]:
    """x w^3 in loops of all kinds."""

    def multiply(h: Any) -> Any:
        return h * w

    def nested(x: Any) -> Any:
        # The read is in a branch of a loop.
        return fw.fori_loop(0, 3, lambda i, h: fw.cond(i >= 0, lambda: h * w, lambda: h), x)

    def around(x: Any) -> Any:
        # The loop is in a branch.
        return fw.cond(fw.sum(x) > -100, lambda: fw.fori_loop(0, 3, lambda i, h: h * w, x), lambda: x)

    def twice(x: Any) -> Any:
        first = fw.fori_loop(0, 2, lambda i, h: h * w, x)
        return fw.fori_loop(5, 6, lambda i, h: h * w, first)

    def while_less(x: Any) -> Any:
        return fw.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * w), (0, x), max_iterations=5)[1]

    return {
        "fori_loop": lambda x: fw.fori_loop(0, 3, lambda i, h: multiply(h), x),
        "scan": lambda x: fw.scan(lambda h, _: (h * w, h), x, length=3)[0],
        "collected": lambda x: fw.scan(lambda h, _: (h * w, h * w), x, length=3)[1][2],
        "while_loop": while_less,
        "cond": lambda x: fw.cond(fw.sum(x) > -100, lambda: x * w * w * w, lambda: x),
        "nested": nested,
        "around": around,
        "twice": twice,
    }


def test_minimize() -> None:
    for name in three_times(fw.Variable(W, name="probe")):
        for lists in (False, True):
            with fw.Namespace(), fw.Store():
                w, other = fw.Variable(W, name="w"), fw.Variable(W, name="other")
                body, sgd = three_times(w)[name], fw.optimizers.SGD(lr=0.125)

                @fw.function
                def step(x: Any) -> Any:
                    loss = fw.sum(body(x))
                    sgd.minimize(loss, [w] if lists else None)
                    return loss

                np.testing.assert_allclose(step(X), np.sum(X * W**3), rtol=1e-12)
                np.testing.assert_allclose(w.numpy(), W - 0.125 * CUBE, rtol=1e-12, err_msg=name)
                np.testing.assert_array_equal(other.numpy(), W)


def test_derivatives() -> None:
    """Gradients, also of a read before the loop and one after it; Jacobians, directions, second derivatives, and
    derivatives of many positions at once."""
    for name in three_times(fw.Variable(W, name="probe")):
        with fw.Namespace(), fw.Store():
            w = fw.Variable(W, name="w")
            body = three_times(w)[name]

            @fw.function
            def all_of(x: Any) -> Any:
                y = body(x)
                first = fw.gradients(fw.sum(y), [w])[0]
                second = fw.gradients(fw.sum(first), [w])[0]
                along = fw.jvp_of(y, w, fw.ones_like(w))
                jacobian = fw.jacobian_of(y, w)
                _, inner = fw.value_and_grad(lambda: fw.sum(body(x)), variables=[w])()
                early = w.read()
                before = fw.gradients(fw.sum(body(x)), [early])[0]
                return first, second, along, jacobian, inner[0], before

            first, second, along, jacobian, inner, before = all_of(X)
            for found in (first, along, inner, before):
                np.testing.assert_allclose(found, CUBE, rtol=1e-12, err_msg=name)
            np.testing.assert_allclose(second, 6 * X * W, rtol=1e-12, err_msg=name)
            np.testing.assert_allclose(jacobian, np.diag(CUBE), rtol=1e-12, err_msg=name)

            @fw.function
            def rows(xs: Any) -> Any:
                w.read()
                return fw.vmap(lambda x: fw.grad(lambda: fw.sum(body(x)), variables=[w])()[0])(xs)

            xs = np.stack([X, 2 * X])
            np.testing.assert_allclose(rows(xs), 3 * xs * W**2, rtol=1e-12, err_msg=name)


def test_microbatches() -> None:
    """The parts of a batch are a loop that reads the weights."""
    with fw.Namespace(), fw.Store():
        w, sgd = fw.Variable(W, name="w"), fw.optimizers.SGD(lr=0.5)

        @fw.function
        def step(x: Any) -> Any:
            loss = fw.microbatch(lambda rows: fw.mean(fw.square(rows @ w)), 3)(x)
            sgd.minimize(loss)
            return loss

        x = np.random.default_rng(0).normal(size=(6, 3))
        step(x)
        np.testing.assert_allclose(w.numpy(), W - 0.5 * 2 * x.T @ (x @ W) / 6, rtol=1e-12)


def test_unconnected() -> None:
    """A variable that a loop reads, and no derivative flows from, has none: an error, or None."""
    with fw.Namespace(), fw.Store():
        w, u = fw.Variable(W, name="w"), fw.Variable(W, name="u")

        @fw.function
        def found(x: Any) -> Any:
            def body(i: Any, state: Any) -> Any:
                h, k = state
                return h * fw.stop_gradient(w), k * u

            h, _ = fw.fori_loop(0, 3, body, (x, x))
            assert fw.gradients(fw.sum(h), [w, u]) == [None, None]
            return h

        np.testing.assert_allclose(found(X), X * W**3)


def test_assigned() -> None:
    """A loop that reads a target and assigns it hides values of it: that is refused, where it was nothing before."""
    with fw.Namespace(), fw.Store():
        w = fw.Variable(W, name="w")

        def body(i: Any, h: Any) -> Any:
            h = h * w
            w.assign(h)
            return h

        for derivative in (
            lambda y: fw.gradients(y, [w])[0],
            lambda y: fw.jacobian_of(y, w),
            lambda y: fw.optimizers.SGD(lr=0.1).minimize(y),
        ):

            @fw.function
            def step(x: Any) -> Any:
                y = fw.sum(fw.fori_loop(0, 3, body, x))
                found = derivative(y)
                return y if found is None else found

            try:
                step(X)
            except fw.CompileError as error:
                assert "no derivative rule for 'scf.for'" in str(error) and "@w in its regions" in str(error), error
            else:
                raise AssertionError("a derivative that is wrong")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
