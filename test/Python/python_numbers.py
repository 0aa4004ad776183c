# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""V6: numbers of Python, in lists and as arguments of traced functions too, are not rounded before they meet float64,
and take the floating-point dtype of what they meet."""

import operator
from typing import Any, Callable, Tuple

import numpy as np

import flywheel as fw
from configurations import run_tests

X = np.linspace(-1.05, 1.1, 7)
W = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
M = X[:4].reshape(2, 2) + 3 * np.eye(2)


def are_close(a: Any, b: Any) -> bool:
    return a.dtype == b.dtype and np.allclose(a, b, rtol=1e-13, atol=1e-14)


def close(name: str, found: Any, expected: Any) -> None:
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape, (name, found.dtype, found.shape)
    assert np.allclose(found, expected, rtol=1e-13, atol=1e-14), (name, np.abs(found - expected).max())


def lists_beside_float64() -> None:
    cases: dict[str, Tuple[Callable[..., Any], Any]] = {
        "interp": (lambda m, x: m.interp(x, [-0.1, 0.1, 0.7], [0.1, 0.2, 0.3]), X),
        "add": (lambda m, x: x + W, X),
        "radd": (lambda m, x: W + x, X),
        "matmul": (lambda m, x: x @ W, X),
        "average": (lambda m, x: m.average(x, weights=W), X),
        "polyval": (lambda m, x: m.polyval([0.1, 0.2, 0.3], x), X),
        "convolve": (lambda m, x: m.convolve(x, [0.1, 0.2]), X),
        "concatenate": (lambda m, x: m.concatenate([x, [0.1]]), X),
        "append": (lambda m, x: m.append(x, [0.1, 0.2]), X),
        "stack": (lambda m, x: m.stack([x, W]), X),
        "hstack": (lambda m, x: m.hstack([x, [0.1]]), X),
        "outer": (lambda m, x: m.outer(x, [0.1, 0.2]), X),
        "dot": (lambda m, x: m.dot(x, W), X),
        "einsum": (lambda m, x: m.einsum("i,i->", x, W), X),
        "kron": (lambda m, x: m.kron(x, [0.1]), X),
        "cross": (lambda m, x: m.cross(x, [0.1, 0.2, 0.3]), X[:3]),
        "vdot": (lambda m, x: m.vdot(x, W), X),
        "power": (lambda m, x: m.power(m.abs(x), W), X),
        "minimum": (lambda m, x: m.minimum(x, W), X),
        "select": (lambda m, x: m.select([x > 0.1, x < -0.1], [x, W], 0.3), X),
        "solve": (lambda m, x: m.linalg.solve(x, [0.1, 0.2]), M),
        "array": (lambda m, x: x + m.array(W), X),
        "scalar": (lambda m, x: x + m.array(0.1), X),
        "where": (lambda m, x: m.where(x > 0, 0.1, 0.3) * x, X),
        "nested": (lambda m, x: x @ [[0.1, 0.2], [0.3, 0.7]], M),
        "arctan2": (lambda m, x: m.arctan2(x, W), X),
        "hypot": (lambda m, x: m.hypot(x, W), X),
        "equal": (lambda m, x: m.equal(m.abs(x) * 0 + W, W), X),
        "clip": (lambda m, x: m.clip(x, W, [0.9] * 7), X),
        "inner": (lambda m, x: m.inner(x, W), X),
        "tensordot": (lambda m, x: m.tensordot(x, W, 1), X),
        "searchsorted": (lambda m, x: m.searchsorted([0.1, 0.2], x * 0 + 0.1), X),
        "full": (lambda m, x: m.full((7,), 0.1) * x, X),
    }
    failures = []
    for name, (function, x) in cases.items():
        expected = np.asarray(function(np, x))
        found = np.asarray(fw.function(lambda x, function=function: function(fw, x))(x))
        is_equal = np.array_equal if expected.dtype.kind != "f" else are_close
        if found.shape != expected.shape or not is_equal(found, expected):
            failures.append((name, found.dtype, np.abs(found - expected).max()))
    assert not failures, failures


def lists_beside_narrow_floats() -> None:
    half = np.ones(2, np.float16)
    for name, function in {"add": lambda x: x + [0.5, 2.0], "where": lambda x: fw.where(x > 0, 0.5, 2.0) * x,
                           "maximum": lambda x: fw.maximum(x, [0.5, 2.0])}.items():  # fmt: skip
        assert fw.function(function)(half).dtype == np.float16, name
    # An array of its own has a dtype.
    assert fw.function(lambda x: x + fw.array([0.5, 2.0]))(half).dtype == np.float32
    assert fw.function(lambda: fw.array([0.1]))().dtype == np.float32
    assert fw.function(lambda x: x + [0.5, 2.0])(np.ones(2, np.int32)).dtype == np.float32


def arguments() -> None:
    traces = []

    @fw.function
    def scaled(x: Any, s: Any) -> Any:
        traces.append(x.dtype)
        return x * s

    close("float64", scaled(X, 0.1), X * 0.1)
    count = len(traces)
    close("another number", scaled(X, 0.3), X * 0.3)
    assert len(traces) == count
    narrow = X.astype(np.float32)
    assert np.array_equal(scaled(narrow, 0.1), narrow * np.float32(0.1)) and scaled(narrow, 0.1).dtype == np.float32
    assert scaled(np.ones(2, np.float16), 0.5).dtype == np.float16
    assert scaled(np.ones(2, np.int32), 0.5).dtype == np.float32
    assert fw.function(lambda s: s)(0.1) == np.float32(0.1) and fw.function(lambda s: s)(0.1).dtype == np.float32
    assert fw.function(lambda s: s * 2 + 1)(0.1).dtype == np.float32
    for name, function, expected in [
        ("sum of numbers", lambda x, s: x * (1 - s), X * (1 - 0.1)),
        ("function", lambda x, s: x * fw.exp(-s * 2), X * np.exp(-0.2)),
        ("keyword in a list", lambda x, s: x + fw.stack([s] * 7), X + 0.1),
        ("branch", lambda x, s: fw.cond(x[0] > 0, lambda: x, lambda: x * s), X * 0.1),
        ("loop", lambda x, s: fw.fori_loop(0, 2, lambda i, y: y * s, x), X * 0.1 * 0.1),
        ("where", lambda x, s: fw.where(x > 0, x, s), np.where(X > 0, X, 0.1)),
    ]:
        close(name, fw.function(function)(X, 0.1), expected)
    close("dict", fw.function(lambda x, p: x * p["rate"])(X, {"rate": 0.1}), X * 0.1)
    v = fw.Variable(np.ones(3), name="v")

    @fw.function
    def set_value(s: Any) -> None:
        v.assign(v * s)

    set_value(0.1)
    close("variable", v.numpy(), np.ones(3) * 0.1)


def derivatives_of_arguments() -> None:
    def loss(s: Any, x: Any) -> Any:
        return fw.sum(x * s) + fw.cast(s * s, "float32")

    found = fw.function(lambda x, s: fw.grad(loss)(s, x))(X, 0.1)
    assert abs(float(found) - (X.sum() + 0.2)) < 1e-6
    of_tensor = fw.function(lambda x, s: fw.gradients(fw.sum(x * s * s), s))(X, 0.1)
    assert abs(float(of_tensor) - 2 * 0.1 * X.sum()) < 1e-13
    halves = fw.function(lambda x, s: fw.gradients(fw.sum(x * s * s), s))(X.astype(np.float32), 0.1)
    assert halves.dtype == np.float32 and abs(float(halves) - 2 * 0.1 * X.sum()) < 1e-6
    close("constant", fw.function(lambda x: fw.grad(lambda s: fw.sum(x * s * s))(0.1))(X), 2 * 0.1 * X.sum())


def integers_as_arguments() -> None:
    x = np.arange(2)
    for order in [(1, 2**40), (2**40, 1), (-1, -(2**40), 5, 2**31 - 1, 2**31)]:
        add = fw.function(lambda x, n: x + n)
        for number in (*order, *order):
            assert np.array_equal(add(x, number), x + number), (order, number)


# The binary operators of integers.
OPERATORS = (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.pow, operator.and_,
             operator.or_, operator.xor, operator.lshift, operator.rshift)  # fmt: skip
COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)


def integers_in_code() -> None:
    """An integer in the code takes the dtype of the tensor, as in NumPy 2 and JAX; beside booleans it is an int32."""
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        x = np.array([1, 2, 5], name)
        for compute in OPERATORS:
            for swapped in (False, True):
                def body(a: Any, compute: Any = compute, swapped: bool = swapped) -> Any:
                    return compute(3, a) if swapped else compute(a, 3)

                found, wanted = fw.function(body)(x), body(x)
                assert found.dtype == wanted.dtype == x.dtype, (name, compute, found.dtype, wanted.dtype)
                assert np.array_equal(found, wanted), (name, compute, found, wanted)
    bits = np.array([True, False])
    for compute in OPERATORS:
        found, wanted = fw.function(lambda a, compute=compute: compute(a, 3))(bits), compute(bits, 3)
        assert found.dtype == np.int32 and np.array_equal(found, wanted), (compute, found, wanted)
    for compute in (operator.floordiv, operator.mod, operator.pow):
        found = fw.function(lambda a, compute=compute: compute(a, a))(np.ones(2, bool))
        assert found.dtype == np.int32 and np.array_equal(found, compute(np.ones(2, np.int32), 1)), (compute, found)


def comparisons_beyond() -> None:
    """An integer that the dtype of a tensor does not hold is larger, or smaller, than all elements."""
    for name in ("int8", "uint8", "int32", "uint32", "uint64"):
        info = np.iinfo(name)
        x = np.array([info.min, 1, info.max], name)
        for number in (int(info.min) - 1, int(info.max) + 1, -(2**70), 2**70):
            for compare in COMPARISONS:
                for swapped in (False, True):
                    def body(a: Any, compare: Any = compare, swapped: bool = swapped, number: int = number) -> Any:
                        return compare(number, a) if swapped else compare(a, number)

                    found = fw.function(body)(x)
                    wanted = np.array([body(int(one)) for one in x])
                    assert found.dtype == bool and np.array_equal(found, wanted), (name, number, compare, found)


def sums_of_narrow_integers() -> None:
    """Sums, products, running ones and traces of integers of 8 and 16 bits have 32, and do not wrap as soon."""
    for name, wide in (("int8", "int32"), ("uint8", "uint32"), ("int16", "int32"), ("bool", "int32")):
        x = np.full((3, 3), 100 if name != "bool" else 1, name)
        functions: Tuple[Tuple[Any, Any], ...] = (
            (fw.sum, np.sum), (fw.prod, lambda a: np.prod(a[0])), (fw.cumsum, np.cumsum), (fw.trace, np.trace),
            (fw.cumprod, lambda a: np.cumprod(a[0])))  # fmt: skip
        for ours, numpys in functions:
            is_product = ours in (fw.prod, fw.cumprod)
            found = fw.function(ours)(x[0] if is_product else x)
            assert found.dtype == wide and np.array_equal(found, numpys(x)), (name, ours, found)
    narrow = fw.function(lambda x: (fw.cumsum(x, dtype="int8"), x.cumsum(dtype="int8")))(np.full(3, 100, np.int8))
    assert all(one.dtype == np.int8 and one.tolist() == [100, -56, 44] for one in narrow), narrow


def dtypes_of_arguments() -> None:
    """An integer that is an argument has a dtype of its own, int32: no element is lost where the tensor is narrower."""
    wanted = {"int8": "int32", "uint8": "int32", "int16": "int32", "int32": "int32", "int64": "int64",
              "uint32": "int64", "float16": "float16", "float32": "float32", "float64": "float64"}  # fmt: skip
    for name, dtype in wanted.items():
        found = fw.function(lambda x, n: x + n)(np.array([1, 2], name), 300)
        assert found.dtype == dtype and np.array_equal(found, [301, 302]), (name, found.dtype, found)


run_tests([lists_beside_float64, lists_beside_narrow_floats, arguments, derivatives_of_arguments,
           integers_as_arguments, integers_in_code, comparisons_beyond, sums_of_narrow_integers,
           dtypes_of_arguments])  # fmt: skip
