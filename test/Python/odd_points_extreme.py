# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""G20: derivatives of f32 and bf16 up to the third order, in every mode, of numbers whose squares overflow or vanish in
f32, beside f64; and of f64 beside formulas."""

import itertools
from typing import Any, Dict, List, Sequence, Tuple

import ml_dtypes
import numpy as np

import flywheel as fw
from flywheel._numerics import special
from odd_points import nested, row
from selection import choose

MODES = {1: ["R", "F"], 2: ["RR", "RF", "FR", "FF"], 3: ["RRR", "FRF", "FFF"]}
SIZES = [1e-30, 1e-20, 1e-10, 0.5, 1.0, 3.0, 1e3, 1e5, 1e10, 1e13, 1e15, 1e20, 1e25, 1e30, 1e38, 3e38]
NUMBERS = np.array([x * sign for x in SIZES for sign in (1, -1)] + [0.0, -0.0])
# Numbers of all signs and distances, as pairs.
BESIDE = np.array([1e-30, 1e-20, 1e-5, 1.0, -1.0, -3.0, 1e3, 1e13, -1e20, 1e30, 0.0])
PAIRS = [grid.ravel() for grid in np.meshgrid(BESIDE, BESIDE)]

# A function of `x`, or of `x` and `y`.
UNARY: Dict[str, str] = {
    **{name: f"fw.{name}(x)" for name in (
        "abs arctan arcsinh arccosh cos erf erfc exp expm1 log log1p log2 reciprocal rsqrt sqrt sigmoid sin square "
        "tanh sinc").split()},
    **{name: f"fw.nn.{name}(x)" for name in "relu relu6 silu softplus hard_sigmoid gelu softsign elu selu".split()},
    "gelu_tanh": "fw.nn.gelu(x, approximate=True)",
    **{f"power {p}": f"fw.power(x, {p})" for p in (0.5, 2.0, 3.0, -1.0, -0.5)},
    **{f"power of {p}": f"fw.power(x, fw.full_like(x, {p}))" for p in (0.0, 1.0, 2.0)},
}  # fmt: skip
BINARY: Dict[str, str] = {
    "arctan2": "fw.arctan2(x, y)", "multiply": "x * y", "logaddexp": "fw.logaddexp(x, y)",
    "logsumexp": "fw.logsumexp(fw.stack([x, y]), 0)", "hypot": "fw.hypot(x, y)",
    "mean_squared_error": "row(fw.nn.mean_squared_error, x, y)", "huber": "row(fw.nn.huber, x, y)",
    "log_cosh": "row(fw.nn.log_cosh, x, y)", "mean": "fw.mean(fw.stack([x, y]), 0)",
}  # fmt: skip
# Sums of parts that differ by more than the digits of f32: what is left of them is not compared.
CANCELS = ("logaddexp", "logsumexp", "sinc", "sigmoid", "silu", "softplus", "tanh", "gelu", "hypot")
# Without a higher derivative of numbers whose parts overflow.
LOW_ORDER = {"hypot": 1, "arctan2": 2}
TOLERANCES = {"float32": 2e-4, "bfloat16": 6e-2}

# The functions that are tested at infinities and NaN, and the modes there.
PAIRS_AT_ENDS: Dict[str, str] = {
    "arctan2": "fw.arctan2(x, y)", "logaddexp": "fw.logaddexp(x, y)", "hypot": "fw.hypot(x, y)",
    "power": "fw.power(x, y)",
}  # fmt: skip
AT_ENDS: Dict[str, str] = {
    **UNARY, **PAIRS_AT_ENDS,
    **{name: f"fw.{name}(x)" for name in "arccos arcsin arctanh cbrt cosh exp2 log10 sinh tan lgamma".split()},
    **{name: f"special.{name}(x)" for name in "digamma erfinv ndtri erfcx log_ndtr".split()},
    "polygamma": "special.polygamma(2, x)",
}  # fmt: skip
ENDS = {1: ["R", "F"], 2: ["RR", "FF", "FR"]}


def words_of(count: int, orders: Any) -> List[Tuple[str, str]]:
    """The modes and the places of the arguments of each derivative, the value's first."""
    return [("", ""), *((modes, "".join(word)) for order in orders
                        for word in itertools.combinations_with_replacement("01"[:count], order)
                        for modes in orders[order])]  # fmt: skip


def results_of(text: str, points: Sequence[Any], dtype: Any, orders: Any = MODES) -> List[Tuple[str, str, Any]]:
    function = eval(f"lambda {'x, y'[: 3 * len(points) - 2]}: {text}", {"fw": fw, "row": row, "special": special})
    words = words_of(len(points), orders)
    program = fw.function(lambda *args: [nested(function, modes, word)(*args) for modes, word in words])
    found = program(*[point.astype(dtype) for point in points])
    return [(modes, word, np.asarray(one, np.float64)) for (modes, word), one in zip(words, found)]


def check(name: str, dtype: Any) -> List[str]:
    """Beside f64 at the same numbers, wherever its derivatives are numbers of the dtype."""
    text = UNARY.get(name) or BINARY[name]
    points = [point.astype(dtype) for point in ([NUMBERS] if name in UNARY else PAIRS)]
    points = [point[np.all([np.isfinite(one.astype(np.float64)) for one in points], axis=0)] for point in points]
    info = ml_dtypes.finfo(dtype)
    wrong = []
    pairs = zip(results_of(text, points, dtype), results_of(text, [p.astype(np.float64) for p in points], np.float64))
    for (modes, word, found), (_, _, wanted) in pairs:
        if len(word) > LOW_ORDER.get(name, 3):
            continue
        with np.errstate(all="ignore"):
            is_number = np.isfinite(wanted) & (np.abs(wanted) < float(info.max) / 4)
            # Smaller numbers are 0.
            bound = TOLERANCES[np.dtype(dtype).name] * np.abs(wanted) + 4 * float(info.tiny)
            bound = bound + (16 * float(info.eps) if name.startswith(CANCELS) else 0)
            bad = is_number & ~(np.abs(found - wanted) <= bound)
        what = f"{name} of {np.dtype(dtype).name}, derivative {word!r} in mode {modes!r}"
        wrong += [f"{what} at {[float(one[i]) for one in points]}: {found[i]}, f64 {wanted[i]}"
                  for i in np.flatnonzero(bad)[:3]]  # fmt: skip
    return wrong


def check_wide() -> None:
    """f64, whose range nothing exceeds."""
    x = np.array([1e10, 1e155, 1e200, -1e200])
    names: Dict[str, List[Any]] = {
        "arcsinh": [1 / np.abs(x), -np.sign(x) / x / x], "arctan": [1 / x / x, -2 / x / x / x],
        "erf": [x * 0, x * 0], "erfc": [x * 0, x * 0],
    }  # fmt: skip
    for name, wanted in names.items():
        found = results_of(f"fw.{name}(x)", [x], np.float64)
        for modes, word, one in found:
            if word:
                exact = wanted[len(word) - 1] if len(word) < 3 else np.where(np.abs(x) > 1e100, 0, np.nan)
                near = np.isclose(one, exact, 1e-12, 1e-300) | np.isnan(exact)
                assert np.all(near), f"{name}, {modes!r}: {one}, expected {exact}"
    # The slope of acosh does not change its sign below -1.
    for kind, near in (("float64", 1e-12), ("float32", 1e-5), ("float16", 2e-3)):
        x = np.array([-1.5, -2.5, -3.0, -10.0])
        for _, word, found in results_of("fw.arccosh(x)", [x], np.dtype(kind), ENDS):
            if word:
                wanted = (x * x - 1) ** -0.5 if len(word) == 1 else -x * (x * x - 1) ** -1.5
                np.testing.assert_allclose(found, wanted, near)
    one, zero = np.array([1e-200, 1e-200, 0.0]), np.array([1e-200, 0.0, 1e-200])
    by_two = {(modes, word): found for modes, word, found in results_of("fw.arctan2(x, y)", [one, zero], np.float64)}
    for modes in MODES[2]:
        # -2 x y / (x^2 + y^2)^2 and (x^2 - y^2) / (x^2 + y^2)^2.
        np.testing.assert_array_equal(by_two[modes, "00"], [-np.inf, 0, 0])
        np.testing.assert_array_equal(by_two[modes, "01"], [0, np.inf, -np.inf])


def round_off(numbers: Any) -> Any:
    """0 and infinity for numbers near to them, as limits are."""
    numbers = np.where(np.abs(numbers) < 1e-30, 0.0, numbers)
    return np.where(np.abs(numbers) > 1e30, np.copysign(np.inf, numbers), numbers)


def limits_of(text: str, points: Sequence[Any]) -> List[Any]:
    """The limits of derivatives of f64 toward the infinities among the points; NaN if they are not known."""
    found = []
    for size in (1e300, 1e200):
        near = [np.where(np.isinf(one), np.copysign(size, one), one) for one in points]
        found.append([round_off(one) for _, _, one in results_of(text, near, np.float64, ENDS)])
    with np.errstate(invalid="ignore"):
        return [np.where((a == b) | (np.abs(a - b) <= 1e-6 * np.abs(a)), a, np.nan) for a, b in zip(*found)]


def check_ends(name: str) -> List[str]:
    """At NaN the derivatives of what is not linear there are NaN; at an infinity where the value is a number they are
    their limits."""
    text, count = AT_ENDS[name], 2 if name in PAIRS_AT_ENDS else 1
    points = [grid.ravel() for grid in np.meshgrid(*[[np.nan, np.inf, -np.inf, 2.5, 0.5, -3.0, 0.0]] * count)]
    points = [one[~np.all(np.isfinite(points), axis=0)] for one in points]
    ordinary = [np.array([-7.3, -2.7, -1.1, -0.4, 0.3, 0.6, 0.9, 1.7, 4.2, 8.5]) + 0.1 * i for i in range(count)]
    limits = limits_of(text, points)
    # One of them is that of each part.
    parts = [np.unique(one[np.isfinite(one)].round(9)) for _, _, one in results_of(text, ordinary, np.float64, ENDS)]
    is_nan, wrong = np.any(np.isnan(points), axis=0), []
    firsts = [limit for limit, (_, word) in zip(limits, words_of(count, ENDS)) if len(word) == 1]
    for dtype in ("float64", "float32", "float16"):
        (_, _, value), *found = results_of(text, points, np.dtype(dtype), ENDS)
        for (modes, word, one), limit, pieces in zip(found, limits[1:], parts[1:]):
            # Nothing is expected of the slope of an infinite one.
            is_known = ~is_nan & np.isfinite(value) & ~np.isnan(limit)
            if len(word) > 1:
                is_known &= np.all(np.isfinite(firsts), axis=0)
            bad = is_nan & np.isnan(value) & ~np.isnan(one) & (len(pieces) > 2)
            bad |= is_known & ~np.isclose(one, limit, 2e-3, 0)
            what = f"{name} of {dtype}, derivative {word!r} in mode {modes!r}"
            wanted = np.where(is_nan, np.nan, limit)
            wrong += [f"{what} at {[float(x[i]) for x in points]}: {one[i]}, expected {wanted[i]}"
                      for i in np.flatnonzero(bad)[:3]]  # fmt: skip
    return wrong


if __name__ == "__main__":
    check_wide()
    cases = [(name, kind) for name in [*UNARY, *BINARY] for kind in (np.dtype("float32"), fw.bfloat16)]
    errors = [line for name, kind in choose("extreme points", cases, 0.15) for line in check(name, kind)]
    errors += [line for name in AT_ENDS for line in check_ends(name)]
    assert not errors, "\n".join(errors)
