# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""G20: the derivatives of smooth functions up to the third order, in reverse and forward mode and nested, at 0 and -0,
at ties, at saturated and tiny numbers, against mpmath (scripts/generate-odd-points); and the conventions where there is
no derivative."""

import itertools
import json
import math
import os
from fractions import Fraction
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import ml_dtypes
import numpy as np

import flywheel as fw
from flywheel._numerics import special
from odd_point_cases import BINARY, CASES
from selection import choose, takes_all

Function = Callable[..., Any]

with open(os.path.join(os.path.dirname(__file__), "Inputs/odd_points.json")) as _file:
    GOLDENS: Dict[str, Dict[str, List[Optional[float]]]] = json.load(_file)

# Relative, absolute, and the arguments of which further derivatives are numbers of the dtype, and so is what they are
# made of.
TOLERANCES = {"float64": (1e-7, 1e-12, 0.0, 1e300), "float32": (2e-4, 2e-6, 1e-18, 60.0)}

# The mode of each derivative, the innermost one first.
MODES = {1: ["R", "F"], 2: ["RR", "RF", "FR", "FF"], 3: ["RRR", "RFR", "FRF", "FFF"]}


def row(loss: Function, prediction: Any, target: Any) -> Any:
    """A loss of each element."""
    return loss(fw.expand_dims(prediction, 1), fw.expand_dims(target, 1), reduction="none")


def matrix(rows: Sequence[Sequence[Any]]) -> Any:
    """A matrix for each element of a vector."""
    like = next(x for line in rows for x in line if not isinstance(x, (int, float)))
    return fw.stack([fw.stack([like * 0 + x for x in line], 1) for line in rows], 1)


# Names that the cases use.
NAMES = {"fw": fw, "row": row, "matrix": matrix, "special": special}


def derive(function: Function, mode: str, place: int) -> Function:
    """The derivative of each element of the result by the same element of an argument."""
    if mode == "R":
        return fw.grad(lambda *args: fw.sum(function(*args)), argnums=place)

    def along(*args: Any) -> Any:
        tangents = tuple(fw.ones_like(x) if i == place else fw.zeros_like(x) for i, x in enumerate(args))
        return fw.jvp(function, args, tangents)[1]

    return along


def nested(function: Function, modes: str, places: str) -> Function:
    for mode, place in zip(modes, places):
        function = derive(function, mode, int(place))
    return function


def check(name: str, dtype: str) -> int:
    """Compares one function; how many numbers were compared."""
    rtol, atol, smallest, largest = TOLERANCES[dtype]
    ours = CASES[name].ours if name in CASES else BINARY[name][0]
    points = [(p,) for p in CASES[name].points] if name in CASES else BINARY[name][2]
    function = eval(f"lambda {'x, y'[: 3 * len(points[0]) - 2]}: {ours}", NAMES)
    given = [np.array(column, dtype) for column in zip(*points)]
    words = [(modes, word) for word in GOLDENS[name] for modes in MODES.get(len(word), [""])]

    @fw.function
    def program(*args: Any) -> Any:
        return [nested(function, modes, word)(*args) for modes, word in words]

    compared = 0
    for (modes, word), found in zip(words, program(*given)):
        for point, number, exact in zip(points, map(float, np.asarray(found)), GOLDENS[name][word]):
            sizes = [abs(p) for p in point if p]
            is_extreme = max(sizes, default=0.0) > largest or (len(word) > 1 and min(sizes, default=1.0) < smallest)
            if exact is None or is_extreme or abs(exact) > float(np.finfo(dtype).max):
                continue
            compared += 1
            bound = atol + rtol * abs(exact)
            assert abs(number - exact) <= bound, (
                f"{name} of {dtype} at {point}, derivative {word!r} in mode {modes!r}: {number}, expected {exact}")
    return compared


# A derivative of f16 or bf16 is within as many units in the last place of the largest of it and its value.
ULPS = 4
# Products of narrow tensors round, and a derivative of log_softmax is that of its rounded result.
ROUND_BETWEEN = ("det", "log_softmax_2")


def check_narrow(name: str, dtype: Any) -> int:
    """Compares values and first derivatives of a narrow type with those of f64 at the same numbers."""
    ours = CASES[name].ours if name in CASES else BINARY[name][0]
    points = [(p,) for p in CASES[name].points] if name in CASES else BINARY[name][2]
    function = eval(f"lambda {'x, y'[: 3 * len(points[0]) - 2]}: {ours}", NAMES)
    with np.errstate(over="ignore"):
        given = [np.array(column).astype(dtype) for column in zip(*points)]
    words = [(modes, str(place)) for place in range(len(given)) for modes in MODES[1]]

    @fw.function
    def program(*args: Any) -> Any:
        return [function(*args), *(nested(function, modes, word)(*args) for modes, word in words)]

    info, compared = ml_dtypes.finfo(dtype), 0
    results = [[np.asarray(one, np.float64) for one in program(*(x.astype(kind) for x in given))]
               for kind in (dtype, np.float64)]  # fmt: skip
    for (modes, word), found, wanted in zip([("", ""), *words], *results):
        size = np.maximum(np.abs(wanted), np.abs(results[1][0]))
        is_number = np.isfinite(wanted) & (size < float(info.max) / 2)
        # Inside they are of f32, whose roundings are of the size of the arguments.
        size_of_arguments = np.max([np.abs(x.astype(np.float64)) for x in given], axis=0)
        bound = ULPS * np.maximum(float(info.eps) * size, float(info.tiny)) + 2.0**-24 * size_of_arguments
        with np.errstate(invalid="ignore"):
            bad = is_number & ~(np.abs(found - wanted) <= bound)
        compared += int(np.sum(is_number))
        assert not np.any(bad), (
            f"{name} of {dtype}, derivative {word!r} in mode {modes!r} at {[x[bad] for x in given]}: {found[bad]}, "
            f"f64 {wanted[bad]}")
    return compared


def conventions() -> None:
    """Conventions at points without a derivative."""
    zero = np.zeros(3)
    cases: Dict[str, Tuple[Function, Sequence[Any], Any]] = {
        "norm": (fw.norm, [zero], zero),
        "norm of rows": (lambda x: fw.norm(x, 1), [np.zeros((2, 3))], np.zeros((2, 3))),
        "norm of order 1.5": (lambda x: fw.linalg.norm(x, 1.5), [zero], zero),
        "norm of order 0.5": (lambda x: fw.linalg.norm(x, 0.5), [zero], zero),
        "Frobenius": (lambda x: fw.linalg.norm(x, "fro", (0, 1)), [np.zeros((2, 2))], np.zeros((2, 2))),
        "std": (fw.std, [np.full(3, 0.75)], zero), "hypot": (fw.hypot, [zero, zero], zero),
        "arctan2": (fw.arctan2, [zero, zero], zero), "0 to the power": (lambda y: fw.power(zero, y), [zero], zero),
        "power of 0": (lambda x: fw.power(x, zero), [zero], zero),
        "power of NaN": (lambda x: fw.power(x, zero), [np.full(3, np.nan)], zero),
    }  # fmt: skip
    # The order of derivatives by two arguments does not matter where x^y is 0.
    for x, y in ((0.0, 1.0), (0.0, 2.0), (0.0, 1.5), (0.0, 3.0), (0.0, 0.0), (np.inf, -1.0), (0.0, 0.5), (0.0, -1.0)):
        rows = fw.function(lambda a, b: fw.hessian(fw.power, argnums=(0, 1))(a, b))(np.float64(x), np.float64(y))
        np.testing.assert_array_equal(np.asarray(rows[0][1]), np.asarray(rows[1][0]), err_msg=f"{x} ** {y}")
    for name, (function, args, expected) in cases.items():
        @fw.function
        def program(*args: Any) -> Any:
            def whole(*given: Any) -> Any:
                return fw.sum(function(*given))

            direction, slope = tuple(fw.ones_like(x) for x in args), fw.grad(whole)
            return [slope(*args), fw.jvp(whole, args, direction)[1], fw.grad(lambda *a: fw.sum(slope(*a)))(*args),
                    fw.jvp(slope, args, direction)[1]]  # fmt: skip

        by_reverse, by_forward, twice, mixed = map(np.asarray, program(*args))
        for what, found in (("reverse", by_reverse), ("second", twice), ("forward over reverse", mixed)):
            np.testing.assert_array_equal(found, expected, err_msg=f"{name}, {what}")
        assert by_forward == 0, f"{name}, forward: {by_forward}"


def powers_of_zero() -> None:
    """Second derivatives of x^y at x = 0, in every mode: limits from x > 0, along one argument without the other."""
    limits = {0.5: (-INF, -INF, 0.0), 0.25: (-INF, -INF, 0.0), 1.5: (INF, 0.0, 0.0), 2.0: (2.0, 0.0, 0.0),
              -1.0: (INF, INF, INF), 3.0: (0.0, 0.0, 0.0)}  # fmt: skip
    for dtype in ("float64", "float32", "float16"):
        words = [(modes, word) for word in ("00", "01", "10", "11") for modes in MODES[2]]
        y = np.array([*limits], dtype)
        program = fw.function(lambda a, b: [nested(fw.power, modes, word)(a, b) for modes, word in words])
        found = program(np.zeros_like(y), y)
        for (modes, word), numbers in zip(words, found):
            wanted = [limits[float(one)][int(word[0]) + int(word[1])] for one in y]
            np.testing.assert_array_equal(np.asarray(numbers), wanted, err_msg=f"{dtype}, {modes}, {word}")
    # A constant exponent 0, where x^-2 is more than the type holds.
    for kind, tiny in (("float16", 1e-3), ("float32", 1e-20), ("float64", 1e-160)):
        for modes in (mode for order in MODES.values() for mode in order):
            slope = fw.function(lambda x, modes=modes: nested(lambda z: z**0.0, modes, "0" * len(modes))(x))
            assert np.asarray(slope(np.array([tiny, -tiny, 0.0, 2.0], kind))).tolist() == [0.0] * 4, (kind, modes)


def narrow_angles() -> None:
    """Second derivatives of arctan2 that are more than f16 holds are infinite with their signs; others are numbers."""
    pairs = np.array([(1e-3, 1e-3), (1e-3, -2e-3), (1e-5, 1e-5), (6e-8, 6e-8), (0.0, 1e-3), (200.0, 300.0), (3e4, 3e4)])
    for kind in (np.dtype("float16"), fw.bfloat16):
        y, x = (column.astype(kind) for column in pairs.T)
        words = [(modes, word) for word in ("00", "01", "10", "11") for modes in MODES[2]]
        found = fw.function(lambda a, b: [nested(fw.arctan2, modes, word)(a, b) for modes, word in words])(y, x)
        a, b = y.astype(np.float64), x.astype(np.float64)
        exact = [-2 * a * b / (a * a + b * b) ** 2, (a * a - b * b) / (a * a + b * b) ** 2]
        exact.append(-exact[0])
        for (modes, word), numbers in zip(words, found):
            wanted = exact[int(word[0]) + int(word[1])]
            is_near = np.isclose(np.asarray(numbers).astype(np.float64), wanted, rtol=0.02, atol=1e-6)
            with np.errstate(over="ignore"):
                is_near |= np.isinf(wanted.astype(kind)) & (np.asarray(numbers) == wanted.astype(kind))
            # The difference of equal squares is rounded.
            is_near |= np.abs(np.asarray(numbers).astype(np.float64) - wanted) <= 1e-6 * np.abs(exact[0])
            assert np.all(is_near), f"{kind}, {modes}, {word}: {numbers}, expected {wanted}"


INF = float("inf")
# Ends of domains, and the limits of the first derivatives there, from inside. The third one of arccosh is a difference
# of infinities, as in the frameworks.
EDGES: Dict[str, Tuple[Function, float, Tuple[float, ...]]] = {
    "arcsin at 1": (fw.arcsin, 1.0, (INF, INF, INF)), "arcsin at -1": (fw.arcsin, -1.0, (INF, -INF, INF)),
    "arccos at 1": (fw.arccos, 1.0, (-INF, -INF, -INF)), "arccos at -1": (fw.arccos, -1.0, (-INF, INF, -INF)),
    "arccosh": (fw.arccosh, 1.0, (INF, -INF)), "arctanh at 1": (fw.arctanh, 1.0, (INF, INF, INF)),
    "arctanh at -1": (fw.arctanh, -1.0, (INF, -INF, INF)), "log": (fw.log, 0.0, (INF, -INF, INF)),
    "log2": (fw.log2, 0.0, (INF, -INF, INF)), "log10": (fw.log10, 0.0, (INF, -INF, INF)),
    "log1p": (fw.log1p, -1.0, (INF, -INF, INF)), "sqrt": (fw.sqrt, 0.0, (INF, -INF, INF)),
    "rsqrt": (fw.rsqrt, 0.0, (-INF, INF, -INF)), "cbrt": (fw.cbrt, 0.0, (INF, -INF, INF)),
    "reciprocal": (fw.reciprocal, 0.0, (-INF, INF, -INF)), "x^0.5": (lambda x: x**0.5, 0.0, (INF, -INF, INF)),
    "x^1.5": (lambda x: x**1.5, 0.0, (0.0, INF, -INF)), "x^-1": (lambda x: x**-1.0, 0.0, (-INF, INF, -INF)),
}  # fmt: skip


def edges() -> None:
    """Infinite, and never NaN, in every mode and of each dtype."""
    for dtype in ("float64", "float32", "float16"):
        for name, (function, point, limits) in EDGES.items():
            orders = list(MODES)[: len(limits)]

            @fw.function
            def program(x: Any, function: Function = function, orders: Any = orders) -> Any:
                return [nested(function, modes, "0" * order)(x) for order in orders for modes in MODES[order]]

            wanted = [limit for order, limit in zip(MODES, limits) for _ in MODES[order]]
            found = [float(np.asarray(y)[0]) for y in program(np.array([point], dtype))]
            assert found == wanted, f"{name} of {dtype}: {found}, expected {wanted}"


def determinants() -> None:
    """Determinants of singular matrices: cofactors, and second derivatives that are minors."""
    @fw.function
    def both(a: Any) -> Any:
        slope = fw.grad(fw.linalg.det)
        return slope(a), fw.jacobian(slope)(a), fw.jacobian(slope, mode="forward")(a)

    rng = np.random.default_rng(5)
    for n in (1, 2, 3, 4, 6):
        for rank in sorted({0, max(n - 2, 0), n - 1, n}):
            a = rng.integers(-3, 4, (n, rank)) @ rng.integers(-3, 4, (rank, n)) * 1.0
            slope, *hessians = map(np.asarray, both(a))
            scale = max(1.0, float(np.max(np.abs(a)))) ** max(n - 1, 0)
            np.testing.assert_allclose(slope, cofactors(a), rtol=1e-7, atol=1e-10 * scale, err_msg=f"{n}, {rank}")
            for hessian in hessians:
                for i in range(n):
                    for j in range(n):
                        wanted = np.zeros((n, n))
                        rest = np.delete(np.delete(a, i, 0), j, 1)
                        wanted[np.ix_([r for r in range(n) if r != i], [c for c in range(n) if c != j])] = (
                            cofactors(rest) * (-1) ** (i + j))  # fmt: skip
                        np.testing.assert_allclose(hessian[i, j], wanted, rtol=1e-7, atol=1e-9 * scale,
                                                   err_msg=f"{n}, {rank}, ({i}, {j})")  # fmt: skip
    unequal_rows()
    # The determinants of a batch, of which some are singular.
    batch = np.stack([np.diag([1.0, 2, 3, 4]), np.diag([1.0, 0, 3, 4]), np.zeros((4, 4)), np.ones((4, 4))])
    slopes = np.asarray(fw.function(fw.grad(lambda a: fw.sum(fw.linalg.det(a))))(batch))
    np.testing.assert_allclose(slopes, [cofactors(a) for a in batch], atol=1e-12)
    each = np.asarray(fw.function(fw.vmap(fw.grad(fw.linalg.det)))(batch))
    np.testing.assert_allclose(each, slopes, atol=1e-12)


def remainders() -> None:
    """By the divisor, minus the quotient that a remainder is of, which a rounded quotient may exceed: 0.7 / 0.1."""
    rng = np.random.default_rng(5)
    for dtype in ("float64", "float32", "float16", "bfloat16"):
        kind = np.dtype(dtype) if dtype != "bfloat16" else fw.bfloat16
        a = np.concatenate([[0.7, 0.3, -0.7, 1.0, 13.0, -9.0], rng.uniform(-6, 6, 400)]).astype(kind)
        b = np.concatenate([[0.1, 0.1, 0.1, 0.1, 3.0, 3.0], rng.uniform(0.06, 2, 400)]).astype(kind)

        @fw.function
        def program(x: Any, y: Any) -> Any:
            return [fw.grad(lambda d, f=f: fw.sum(f(x, d)))(y) for f in (fw.mod, fw.fmod)]

        floors, truncated = (np.asarray(one, np.float64) for one in program(a, b))
        quotients = [Fraction(float(x)) / Fraction(float(y)) for x, y in zip(a, b)]
        np.testing.assert_array_equal(floors, [-math.floor(q) for q in quotients], err_msg=f"mod of {dtype}")
        np.testing.assert_array_equal(truncated, [-math.trunc(q) for q in quotients], err_msg=f"fmod of {dtype}")


def unequal_rows() -> None:
    """Derivatives along a line up to the third, of matrices with rows of very different sizes, beside exact ones."""
    rng = np.random.default_rng(7)
    for n in (4, 5, 6):
        along = rng.integers(-4, 5, (n, n)) / 4.0
        for exponents in (0, 20, 40):
            a = rng.integers(-9, 10, (n, n)) * 2.0 ** -np.linspace(0, exponents, n).round()[:, None]

            @fw.function
            def program(x: Any, way: Any = along) -> Any:
                def slope(function: Function, mode: str) -> Function:
                    if mode == "R":
                        return lambda y: fw.sum(fw.grad(function)(y) * way)
                    return lambda y: fw.jvp(function, (y,), (fw.constant(way),))[1]

                results = []
                for modes in [mode for order in MODES.values() for mode in order]:
                    function: Function = fw.linalg.det
                    for mode in modes:
                        function = slope(function, mode)
                    results.append(function(x))
                return results

            exact = det_along(a, along)
            wanted = [exact[order] for order, modes in MODES.items() for _ in modes]
            found = [float(np.asarray(one)) for one in program(a)]
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9, err_msg=f"{n} rows to 2^-{exponents}")


def det_along(a: Any, way: Any) -> List[float]:
    """The derivatives of det(a + t way) by t at 0, by whole numbers: of each choice of one element a row."""
    terms = [Fraction(0)] * (len(a) + 1)
    for order in itertools.permutations(range(len(a))):
        sign = (-1) ** sum(x > y for i, x in enumerate(order) for y in order[i:])
        product = [Fraction(sign)]
        for row, column in enumerate(order):
            constant, slope = Fraction(float(a[row, column])), Fraction(float(way[row, column]))
            product = [constant * x + slope * y for x, y in zip([*product, Fraction(0)], [Fraction(0), *product])]
        terms = [x + y for x, y in zip(terms, product)]
    return [float(term * math.factorial(order)) for order, term in enumerate(terms)]


def cofactors(a: Any) -> Any:
    """By definition, in as many determinants."""
    n = len(a)
    return np.array([[(-1) ** (i + j) * exact_det(np.delete(np.delete(a, i, 0), j, 1)) for j in range(n)]
                     for i in range(n)]).reshape(n, n)  # fmt: skip


def exact_det(a: Any) -> float:
    """Returns the determinant of whole numbers, by the first row."""
    if len(a) == 0:
        return 1.0
    return float(sum((-1) ** j * a[0, j] * exact_det(np.delete(a[1:], j, 1)) for j in range(len(a)) if a[0, j]))


if __name__ == "__main__":
    compared = 0
    for name, dtype in choose("odd points", [(n, d) for d in TOLERANCES for n in GOLDENS], 0.15):
        compared += check(name, dtype)
    narrow = [(name, kind) for kind in (np.dtype("float16"), fw.bfloat16) for name in GOLDENS
              if not name.startswith(ROUND_BETWEEN)]  # fmt: skip
    for name, kind in choose("odd points of narrow types", narrow, 0.1):
        compared += check_narrow(name, kind)
    conventions()
    powers_of_zero()
    narrow_angles()
    edges()
    determinants()
    remainders()
    print(f"{compared} derivatives{'' if takes_all() else ' of some functions'}")
