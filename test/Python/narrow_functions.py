# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Functions element by element of all numbers of float16 and bfloat16, against float64 rounded once (V3, X4).

Those of two numbers take pairs: each number with another one, and all of zeros, infinities, NaN and the like. An
error is in units in the last place; infinities, NaN and the sign of a zero are exact. usage: narrow_functions.py
[--print] [NAME...]
"""

import fractions
import math
import sys
from typing import Any, Callable, Dict, List, Tuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

import flywheel as fw
import flywheel.v1 as tf

Array = NDArray[Any]
Function = Callable[..., Any]
DTYPES = {"f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16)}


def each(function: Callable[[float], float]) -> Function:
    def total(x: float) -> float:
        try:
            return function(x)
        except (OverflowError, ValueError):
            return math.inf

    return np.vectorize(total, otypes=[np.float64])


def lgamma(x: float) -> float:
    return math.inf if math.isinf(x) else math.lgamma(x)


def sigmoid(x: Array) -> Array:
    return np.asarray(np.where(x < 0, np.exp(np.minimum(x, 0)) / (1 + np.exp(np.minimum(x, 0))), 1 / (1 + np.exp(-x))))


def softplus(x: Array) -> Array:
    return np.asarray(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


def sinc_or_nan(x: float) -> float:
    if not math.isfinite(x):
        return math.nan
    rest, is_odd = math.remainder(x, 1), math.fmod(round(x), 2) != 0
    return 1.0 if x == 0 else math.sin(math.pi * (-rest if is_odd else rest)) / (math.pi * x)


SELU = (1.0507009873554804934193349852946, 1.6732632423543772848170429916717)

# The name of a function here, the function in float64, and the largest error. 0.5 is the least possible error; 0.51 if
# float32 is rounded once more.
UNARY: Dict[str, Tuple[Function, Function, float]] = {
    "abs": (fw.abs, np.abs, 0), "arccos": (fw.arccos, np.arccos, 0.51), "arccosh": (fw.arccosh, np.arccosh, 0.51),
    "arcsin": (fw.arcsin, np.arcsin, 0.51), "arcsinh": (fw.arcsinh, np.arcsinh, 0.51),
    "arctan": (fw.arctan, np.arctan, 0.51), "arctanh": (fw.arctanh, np.arctanh, 0.51),
    "cbrt": (fw.cbrt, np.cbrt, 0.51), "ceil": (fw.ceil, np.ceil, 0), "cos": (fw.cos, np.cos, 0.51),
    "cosh": (fw.cosh, np.cosh, 0.51), "deg2rad": (fw.deg2rad, np.deg2rad, 0.51),
    "erf": (fw.erf, each(math.erf), 0.51), "erfc": (fw.erfc, each(math.erfc), 0.51), "exp": (fw.exp, np.exp, 0.51),
    "exp2": (fw.exp2, np.exp2, 0.51), "expm1": (fw.expm1, np.expm1, 0.51), "floor": (fw.floor, np.floor, 0),
    "lgamma": (fw.lgamma, each(lgamma), 0.51), "log": (fw.log, np.log, 0.51), "log10": (fw.log10, np.log10, 0.51),
    "log1p": (fw.log1p, np.log1p, 0.51), "log2": (fw.log2, np.log2, 0.51), "negative": (fw.negative, np.negative, 0),
    "rad2deg": (fw.rad2deg, np.rad2deg, 0.51), "reciprocal": (fw.reciprocal, np.reciprocal, 0.51),
    "rint": (fw.rint, np.rint, 0), "rsqrt": (fw.rsqrt, lambda x: 1 / np.sqrt(x), 0.51),
    "sigmoid": (fw.sigmoid, sigmoid, 0.51), "sign": (fw.sign, np.sign, 0),
    "sinc": (fw.sinc, np.vectorize(sinc_or_nan, otypes=[np.float64]), 0.51), "sin": (fw.sin, np.sin, 0.51),
    "sinh": (fw.sinh, np.sinh, 0.51), "sqrt": (fw.sqrt, np.sqrt, 0.51),
    "square": (fw.square, np.square, 0.5), "tan": (fw.tan, np.tan, 0.51), "tanh": (fw.tanh, np.tanh, 0.51),
    "trunc": (fw.trunc, np.trunc, 0),
    **{f"power_{n}": (lambda x, n=n: fw.power(x, n), lambda x, n=n: x**n, 0.51) for n in (2, 3, 5, 8, -1, -2, 0.5)},
    "nn.relu": (fw.nn.relu, lambda x: np.maximum(x, 0), 0),
    "nn.relu6": (fw.nn.relu6, lambda x: np.clip(x, 0, 6), 0),
    "nn.elu": (fw.nn.elu, lambda x: np.where(x > 0, x, np.expm1(np.where(x > 0, 0, x))), 0.51),
    "nn.selu": (fw.nn.selu, lambda x: SELU[0] * np.where(x > 0, x, SELU[1] * np.expm1(np.where(x > 0, 0, x))), 0.51),
    "nn.softplus": (fw.nn.softplus, softplus, 0.51),
    "nn.softsign": (fw.nn.softsign, lambda x: np.where(np.isinf(x), np.sign(x), x / (1 + np.abs(x))), 0.51),
    "nn.sigmoid": (fw.nn.sigmoid, sigmoid, 0.51),
    "nn.silu": (fw.nn.silu, lambda x: x * sigmoid(x), 0.51),
    "nn.hard_sigmoid": (fw.nn.hard_sigmoid, lambda x: np.clip(0.2 * x + 0.5, 0, 1), 0.51),
    "nn.leaky_relu": (lambda x: fw.nn.leaky_relu(x, 0.3), lambda x: np.where(x > 0, x, 0.3 * x), 0.51),
}  # fmt: skip
# Odd functions, for which -0 is -0.
ODD = ("arcsin arcsinh arctan arctanh cbrt deg2rad erf expm1 log1p negative rad2deg rint sign sin sinh tan tanh trunc "
       "ceil floor nn.softsign nn.elu nn.selu nn.silu nn.leaky_relu power_3 power_5 sqrt").split()  # fmt: skip


HYPOT = np.vectorize(math.hypot, otypes=[np.float64])

BINARY: Dict[str, Tuple[Function, Function, float]] = {
    "add": (fw.add, np.add, 0.5), "subtract": (fw.subtract, np.subtract, 0.5),
    "multiply": (fw.multiply, np.multiply, 0.5), "divide": (fw.divide, np.divide, 0.51),
    "maximum": (fw.maximum, np.maximum, 0), "minimum": (fw.minimum, np.minimum, 0), "fmax": (fw.fmax, np.fmax, 0),
    "fmin": (fw.fmin, np.fmin, 0), "fmod": (fw.fmod, np.fmod, 0), "mod": (fw.mod, np.mod, 0.5),
    "divmod": (lambda x, y: fw.divmod(x, y)[1], np.mod, 0.5),
    "arctan2": (fw.arctan2, np.arctan2, 0.51), "hypot": (fw.hypot, HYPOT, 0.51),
    "logaddexp": (fw.logaddexp, np.logaddexp, 0.51), "copysign": (fw.copysign, np.copysign, 0),
    "power": (fw.power, np.power, 0.51), "float_power": (fw.float_power, np.power, 0.51),
    "heaviside": (fw.heaviside, np.heaviside, 0),
}  # fmt: skip


def numbers(dtype: "np.dtype[Any]") -> Array:
    return np.arange(1 << 16, dtype=np.uint16).view(dtype)


def pairs(dtype: "np.dtype[Any]") -> List[Array]:
    rng = np.random.default_rng(3)
    info = ml_dtypes.finfo(dtype)
    odd = np.array([0.0, -0.0, 1, -1, 2, -2, 3, 0.5, float(info.max), -float(info.max), float(info.smallest_normal),
                    math.inf, -math.inf, math.nan]).astype(dtype)  # fmt: skip
    near = (rng.standard_normal(1 << 15) * 4).astype(dtype)
    every = numbers(dtype)
    first = [every, near, np.repeat(odd, len(odd)), (rng.standard_normal(1 << 15) * 300).astype(dtype)]
    second = [rng.permutation(every), rng.permutation(near), np.tile(odd, len(odd)),
              (rng.standard_normal(1 << 15) * 2).astype(dtype)]  # fmt: skip
    return [np.concatenate(first), np.concatenate(second)]


def spacing(exact: Array, dtype: "np.dtype[Any]") -> Array:
    info = ml_dtypes.finfo(dtype)
    size = np.clip(np.abs(exact), float(info.smallest_normal), float(info.max))
    return np.asarray(np.exp2(np.floor(np.log2(size)) - info.nmant))


def largest_error(inputs: List[Array], found: Array, exact: Array, keeps_sign: bool) -> Tuple[float, str]:
    """In units in the last place, and where. A denormal number, argument or result, may count as 0."""
    dtype = found.dtype
    info = ml_dtypes.finfo(dtype)
    tiny = float(info.smallest_normal)
    with np.errstate(all="ignore"):
        value, nearest = found.astype(np.float64), exact.astype(dtype).astype(np.float64)
        error = np.abs(value - exact) / spacing(exact, dtype)
        is_right = (value == nearest) | (np.isnan(value) & np.isnan(exact))
        error = np.where(is_right, np.where(np.isfinite(error), np.minimum(error, 0.5), 0), error)
        error = np.where(np.isnan(error), np.inf, error)
        error = np.where((np.abs(exact) < tiny) & (np.abs(value) <= tiny), 0, error)
        if dtype != np.float16:
            # A factor of it was a denormal number.
            error = np.where((np.abs(exact) < tiny * 2**7) & (value == 0), 0, error)
        if dtype != np.float16:
            # Float32 has no smaller numbers: a denormal argument counts as 0.
            for x in inputs:
                wide = x.astype(np.float64)
                error = np.where((wide != 0) & (np.abs(wide) < tiny * 2**10), 0, error)
    if keeps_sign:
        zero = (exact == 0) & (found == 0) & (np.signbit(found) != np.signbit(exact))
        error = np.where(zero, np.inf, error)
    at = int(np.argmax(error))
    where = ", ".join(str(float(x[at])) for x in inputs)
    return float(error[at]), f"of {where}: found {value[at]}, expected {nearest[at]}"


def check(table: Dict[str, Tuple[Function, Function, float]], arguments: Callable[[Any], List[Array]]) -> List[str]:
    failures = []
    chosen = {name: row for name, row in table.items() if not NAMES or name in NAMES}
    for element, dtype in DTYPES.items():
        inputs = arguments(dtype)
        wide = [x.astype(np.float64) for x in inputs]
        found = fw.function(lambda *xs: [row[0](*xs) for row in chosen.values()])(*inputs) if chosen else []
        for (name, (_, exactly, bound)), result in zip(chosen.items(), found):
            with np.errstate(all="ignore"):
                exact = np.asarray(exactly(*wide), np.float64)
            result = np.asarray(result)
            assert result.dtype == dtype, f"{name}: {result.dtype}"
            error, where = largest_error(inputs, result, exact, name in ODD or len(inputs) == 2)
            if "--print" in sys.argv:
                print(f"{name} {element}: {error:.4f} {where}")
            if error > bound:
                failures.append(f"{name} {element}: {error:.4f} units, at most {bound} expected, {where}")
    return failures


def floor_quotients() -> List[str]:
    """By fractions, which are exact; of all types. In float64 quotients of up to 51 bits."""
    failures = []
    for dtype in (*DTYPES.values(), np.dtype(np.float32), np.dtype(np.float64)):
        info = ml_dtypes.finfo(dtype)
        if dtype.itemsize == 2:
            a, b = (x[::16] for x in pairs(dtype))
        else:
            rng = np.random.default_rng(5)
            a, b = ((rng.standard_normal(4000) * 10.0 ** rng.integers(-9, 9, 4000)).astype(dtype) for _ in "ab")
            # Next to whole multiples.
            a[::2] = np.nextafter((b * np.trunc(a / b))[::2], np.resize(np.array([-np.inf, np.inf], dtype), 2000))
        wide = [x.astype(np.float64) for x in (a, b)]
        keep = np.isfinite(wide[0]) & np.isfinite(wide[1]) & (np.abs(wide[1]) >= float(info.smallest_normal))
        keep &= (wide[0] == 0) | (np.abs(wide[0]) >= float(info.smallest_normal))
        if dtype == np.float64:
            with np.errstate(all="ignore"):
                keep &= np.abs(wide[0] / wide[1]) < 2.0**51
        a, b = a[keep], b[keep]
        exact = [fractions.Fraction(x) // fractions.Fraction(y) for x, y in zip(wide[0][keep], wide[1][keep])]
        wanted = np.array([rounded(n, dtype) for n in exact]).astype(dtype)
        for name, function in (("floor_divide", fw.floor_divide), ("divmod", lambda x, y: fw.divmod(x, y)[0])):
            found = np.asarray(fw.function(function)(a, b))
            wrong = np.flatnonzero(found != wanted)
            if wrong.size:
                i = wrong[0]
                failures.append(f"{name} {dtype}: {wrong.size} of {len(a)} wrong, {a[i]} // {b[i]} is {found[i]}, "
                                f"not {wanted[i]}")  # fmt: skip
    return failures


def rounded(n: int, dtype: "np.dtype[Any]") -> float:
    """The nearest number that has as many digits, the even one of two."""
    digits = ml_dtypes.finfo(dtype).nmant + 1
    shift = max(abs(n).bit_length() - digits, 0)
    whole, rest = abs(n) >> shift, abs(n) & ((1 << shift) - 1)
    half = 1 << shift >> 1
    whole += shift > 0 and (rest > half or (rest == half and whole & 1))
    try:
        return math.copysign(float(whole << shift), n)
    except OverflowError:
        return math.copysign(math.inf, n)


def gelu() -> List[str]:
    """x (1 + erf(x / sqrt 2)) / 2: the sum cancels, so the error is one of x."""
    failures = []
    for element, dtype in DTYPES.items():
        x = numbers(dtype)
        x = x[np.isfinite(x.astype(np.float64))]
        exact = np.array([0.5 * one * math.erfc(-one * math.sqrt(0.5)) for one in x.astype(np.float64).tolist()])
        found = np.asarray(fw.function(fw.nn.gelu)(x)).astype(np.float64)
        bound = 0.51 * spacing(exact, dtype) + np.abs(x.astype(np.float64)) * 2.0**-22 + 2e-38
        wrong = np.flatnonzero(np.abs(found - exact) > bound)
        failures += [f"gelu {element} of {x[i]}: found {found[i]}, expected {exact[i]}" for i in wrong[:1]]
    return failures


def digamma() -> List[str]:
    """Checks v1's digamma of positive numbers against differences of lgamma in float64."""
    failures = []
    for element, dtype in DTYPES.items():
        x = numbers(dtype)
        x = x[(x > 2e-3) & (x < 1e4)]
        wide = x.astype(np.float64)
        # By the recurrence to x + 20, and the asymptotic series there.
        z = wide + 20
        series = 1 / (12 * z**2) - 1 / (120 * z**4) + 1 / (252 * z**6) - 1 / (240 * z**8)
        exact = np.log(z) - 0.5 / z - series - sum(1 / (wide + i) for i in range(20))
        with tf.Graph().as_default(), tf.Session() as session:
            fed = tf.placeholder(dtype, [None])
            found = np.asarray(session.run(tf.digamma(fed), {fed: x}))
        error, where = largest_error([x], found, exact, False)
        if error > 0.52:
            failures.append(f"digamma {element}: {error:.4f} units {where}")
    return failures


if __name__ == "__main__":
    NAMES = [name for name in sys.argv[1:] if not name.startswith("--")]
    failures = check(UNARY, lambda dtype: [numbers(dtype)]) + check(BINARY, pairs)
    failures += [] if NAMES else floor_quotients() + gelu() + digamma()
    assert not failures, "\n".join(failures)
