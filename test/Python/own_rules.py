# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""G15: rules that are JAX's pair of a forward function, which returns the result and residuals, and a backward one. The
derivatives are those of the pair, in each transform; where it is the true one, they are those of the formula."""

import collections
import functools
from typing import Any, Callable, Dict, List, Tuple, Type

import numpy as np

import flywheel as fw
from configurations import run_tests

Point = collections.namedtuple("Point", ["x", "y"])
X = np.array([0.3, -1.2, 2.5])


def close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(np.asarray(found), wanted, 1e-9, 1e-12)


def make_sine(factor: float = 1.0) -> Any:
    """Returns sin, whose derivative is `factor` times that of sin."""
    sine = fw.custom_vjp(fw.sin)
    sine.defvjp(lambda x: (sine(x), fw.cos(x)), lambda c, g: (factor * c * g,))
    return sine


def test_residuals() -> None:
    """Residuals are trees of any values: numbers, texts, None and functions stay what they are."""

    @fw.custom_vjp
    def product(a: Any, b: Any) -> Any:
        return a * b["w"]

    def forward(a: Any, b: Any) -> Any:
        return product(a, b), {"a": a, "b": Point(b["w"], None), "rest": [2.0, "text", None, fw.sin]}

    def backward(kept: Any, g: Any) -> Any:
        number, text, nothing, function = kept["rest"]
        assert type(number) is float and text == "text" and nothing is None and function is fw.sin
        assert kept["b"].y is None
        return number * kept["b"].x * g, {"w": kept["a"] * g}

    product.defvjp(forward, backward)
    step = fw.function(fw.grad(lambda a, b: fw.sum(product(a, b)), (0, 1)))
    found = step(X, {"w": X + 1})
    close(found[0], 2 * (X + 1))
    close(found[1]["w"], X)


def test_transforms() -> None:
    """The pair holds in each transform: factor 3 tells it from the derivative of sin."""
    sine = make_sine(3.0)
    cases: Dict[str, Tuple[Callable[[Any], Any], Any]] = {
        "value": (sine, np.sin(X)),
        "grad": (fw.grad(lambda x: fw.sum(sine(x))), 3 * np.cos(X)),
        "vjp": (lambda x: fw.vjp(sine, x)[1](2 * x)[0], 6 * X * np.cos(X)),
        "jacobian": (fw.jacobian(sine), np.diag(3 * np.cos(X))),
        "vmap": (fw.vmap(sine), np.sin(X)),
        "grad in vmap": (fw.vmap(fw.grad(sine)), 3 * np.cos(X)),
        "vmap in grad": (fw.grad(lambda x: fw.sum(fw.vmap(sine)(x))), 3 * np.cos(X)),
        "cond": (fw.grad(lambda x: fw.sum(fw.cond(x[0] > 0, lambda: sine(x), lambda: x))), 3 * np.cos(X)),
        "scan": (fw.grad(lambda x: fw.scan(lambda s, y: (s + sine(y), None), fw.constant(np.float64(0)), x)[0]),
                 3 * np.cos(X)),
        "twice": (fw.grad(lambda x: fw.sum(sine(2 * sine(x)))), 18 * np.cos(X) * np.cos(2 * np.sin(X))),
    }  # fmt: skip
    for name, (function, wanted) in cases.items():
        try:
            close(fw.function(function)(X), wanted)
        except AssertionError as error:
            raise AssertionError(name) from error


def test_second_derivatives() -> None:
    """A derivative of the backward function is through the residuals, by the ops that the forward one computes them
    with."""
    sine = make_sine()
    close(fw.function(fw.hessian(lambda x: fw.sum(sine(x))))(X), np.diag(-np.sin(X)))
    # The result itself as the residual: 2 (1 - y) is the rule, whose derivative is -2 y' = -4 (1 - y).
    decay = fw.custom_vjp(lambda x: 1 - fw.exp(-2 * x))

    def forward(x: Any) -> Any:
        y = decay(x)
        return y, y

    decay.defvjp(forward, lambda y, g: (2 * (1 - y) * g,))
    close(fw.function(fw.grad(fw.grad(decay)))(np.float64(0.5)), -4 * np.exp(-1.0))


def test_results() -> None:
    """Cotangents have the form of the result; a result of integers has None."""

    @fw.custom_vjp
    def parts(x: Any) -> Any:
        return {"y": fw.sin(x), "n": (fw.argmax(x), x * 2)}

    def backward(x: Any, g: Any) -> Any:
        assert g["n"][0] is None
        return (g["y"] * fw.cos(x) + 10 * g["n"][1],)

    parts.defvjp(lambda x: (parts(x), x), backward)
    found = fw.function(fw.grad(lambda x: (lambda p: fw.sum(p["y"]) + fw.sum(p["n"][1]))(parts(x))))(X)
    close(found, np.cos(X) + 10)


def test_arguments() -> None:
    """Arguments by keyword and defaults have places, as in JAX; None as a cotangent is zeros of all of an argument; a
    number is one of the arguments."""

    @fw.custom_vjp
    def scaled(x: Any, weights: Any, scale: Any = 2.0) -> Any:
        return x * scale + weights["b"]

    scaled.defvjp(lambda x, weights, scale: (scaled(x, weights, scale), scale), lambda kept, g: (g * kept, None, None))
    function = fw.function(fw.grad(lambda x, w: fw.sum(scaled(x, w)) + fw.sum(scaled(x, weights=w, scale=5.0)), (0, 1)))
    found = function(X, {"b": X})
    close(found[0], [7.0] * 3)
    close(found[1]["b"], [0.0] * 3)
    # A rule of one function takes arguments by keyword, too.
    power = fw.custom_vjp(lambda x, n: x**n)
    power.defvjp(lambda x, n, g: (n * x ** (n - 1) * g, None))
    close(fw.function(fw.grad(lambda x: fw.sum(power(x, n=np.float64(3)))))(X), 3 * X**2)


def test_settings() -> None:
    """Arguments of `nondiff_argnums` are any values, which come first in the backward function, as in JAX."""
    seen: List[Any] = []

    @functools.partial(fw.custom_vjp, nondiff_argnums=(0, 2))
    def apply(function: Any, x: Any, mode: str) -> Any:
        return function(x)

    def backward(function: Any, mode: str, x: Any, g: Any) -> Any:
        seen.append(mode)
        return (g * function(x) * 2,)

    apply.defvjp(lambda function, x, mode: (apply(function, x, mode), x), backward)
    close(fw.function(fw.grad(lambda x: fw.sum(apply(fw.cos, x, "double"))))(X), 2 * np.cos(X))
    assert set(seen) == {"double"}

    @fw.custom_vjp(nondiff_argnums=1)
    def clipped(x: Any, limit: float) -> Any:
        return x

    clipped.defvjp(lambda x, limit, g: fw.clip(g, -limit, limit))
    close(fw.function(fw.grad(lambda x: fw.sum(clipped(x, 0.5) * x)))(X), np.clip(X, -0.5, 0.5) + X)


def test_modules_and_steps() -> None:
    """An optimizer updates variables along the rule's derivative."""
    w = fw.Variable(np.float64(1.0), name="w")
    sine = make_sine(3.0)
    step = fw.function(lambda: fw.optimizers.SGD(lr=0.1).minimize(sine(w)))
    step()
    close(w.numpy(), 1 - 0.3 * np.cos(1.0))


def test_errors() -> None:
    def of(forward: Any, backward: Any) -> Callable[[], Any]:
        own: Any = fw.custom_vjp(lambda x, t: x * t["w"])
        own.__name__ = "own"

        def call() -> Any:
            own.defvjp(forward, backward)
            return fw.function(fw.grad(lambda x, t: fw.sum(own(x, t))))(X, {"w": X})

        return call

    def good(x: Any, t: Any) -> Any:
        return x * t["w"], (x, t)

    cases: Dict[str, Tuple[Callable[[], Any], Type[Exception]]] = {
        "own: expected the result and the residuals, a pair, from the forward function, found Tensor":
            (of(lambda x, t: x * t["w"], lambda r, g: (g, None)), TypeError),
        "a pair, from the forward function, found a tuple of 3":
            (of(lambda x, t: (x * t["w"], x, t), lambda r, g: (g, None)), TypeError),
        "own: expected a result of the forward function as that of the function, * of float64(3,), found (*, *)":
            (of(lambda x, t: ((x, x), None), lambda r, g: (g, None)), ValueError),
        "own: expected a tuple of the cotangent of each of 2 arguments from the backward function, found Tensor":
            (of(good, lambda r, g: g), TypeError),
        "from the backward function, found 1 of them": (of(good, lambda r, g: (g,)), TypeError),
        "own: expected a cotangent of the form of argument 1, {'w': *}, from the backward function, found *":
            (of(good, lambda r, g: (g, g)), ValueError),
        "own: the cotangent of argument 0 has its shape (3,), found () from the backward function":
            (of(good, lambda r, g: (fw.sum(g), None)), ValueError),
        "expected a function of 2 parameters, residuals and cotangents of the result, as backward":
            (of(good, lambda r, g, more: (g, None)), TypeError),
        "expected a function as backward, found int": (of(good, 3), TypeError),
        "nondiff_argnums": (lambda: fw.function(lambda x: make_sine()("text"))(X), TypeError),
    }  # fmt: skip
    for text, (call, kind) in cases.items():
        try:
            call()
            raise AssertionError(f"expected {kind.__name__}: {text}")
        except kind as error:
            assert text in str(error), error


if __name__ == "__main__":
    run_tests([test_residuals, test_transforms, test_second_derivatives, test_results, test_arguments, test_settings,
               test_modules_and_steps, test_errors])  # fmt: skip
