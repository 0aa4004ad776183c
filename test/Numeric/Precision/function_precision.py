# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Errors of the functions of math, in units in the last place, over all of their range.

All numbers of f16 and bf16; of f32 and f64 all exponents, with the ends of each
and some in between, and more of them where functions bend. Functions of two numbers
have all pairs of zeros, infinities, NaN and the like, and as many others. A step
flushes denormal numbers: such an argument may count as zero, and such a result be
zero. docs/Precision.md states the bounds, which hold on a GPU, too.

usage: function_precision.py [--print]
"""

import os
import re
import sys
from typing import Any, Callable, Dict, List, Tuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from configurations import configurations, make, run_tests

Array = NDArray[Any]
FORMATS: Dict[str, Tuple[Any, Any, int]] = {
    "f16": (np.float16, np.uint16, 10), "bf16": (ml_dtypes.bfloat16, np.uint16, 7), "f32": (np.float32, np.uint32, 23),
    "f64": (np.float64, np.uint64, 52)}
def halves_away(x: Array) -> Array:
    whole = np.trunc(x)
    return np.asarray(whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1, x), 0))


def error_functions(x: Array) -> Tuple[Array, Array]:
    """erf and erfc of `x` in long double, wrong by less than 0.02 units of f64: by the series
    2 / sqrt(pi) exp(-x^2) sum 2^n x^(2n + 1) / (2n + 1)!! up to 1, and by the continued fraction
    exp(-x^2) / sqrt(pi) / (x + 1/2 / (x + 1 / (x + 3/2 / ...))) of erfc above."""
    x = x.astype(np.longdouble)

    def exponential(size: Array) -> Array:
        # exp(-size^2), of a square without an error.
        high = (size.astype(np.float64).view(np.uint64) & ~np.uint64((1 << 27) - 1)).view(np.float64)
        first = high.astype(np.longdouble)
        return np.asarray(np.exp(-first * first) * np.exp(-(size - first) * (size + first)))

    size, root = np.abs(x), np.sqrt(np.arccos(np.longdouble(-1)))
    near, far = np.minimum(size, 1), np.clip(size, 1, 28)
    term = total = near
    for n in range(1, 40):
        term = term * 2 * near * near / (2 * n + 1)
        total = total + term
    fraction = far
    for n in range(400, 0, -1):
        fraction = far + np.longdouble(n) / 2 / fraction
    small = np.copysign(2 / root * total * exponential(near), x)
    rest = exponential(far) / fraction / root
    erf = np.where(size < 1, small, np.copysign(1 - rest, x))
    erfc = np.where(size < 1, 1 - small, np.where(x < 0, 2 - rest, rest))
    return np.where(np.isnan(x), x, erf), np.where(np.isnan(x), x, erfc)


# Functions of numbers in long double, which is exact enough for each.
FUNCTIONS: Dict[str, Callable[[Array], Array]] = {
    "absf": np.abs, "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
    "atanh": np.arctanh, "cbrt": np.cbrt, "ceil": np.ceil, "cos": np.cos, "cosh": np.cosh,
    "erf": lambda x: error_functions(x)[0], "erfc": lambda x: error_functions(x)[1],
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "floor": np.floor, "log": np.log, "log10": np.log10,
    "log1p": np.log1p, "log2": np.log2, "round": halves_away, "roundeven": np.rint, "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin, "sinh": np.sinh, "sqrt": np.sqrt, "tan": np.tan, "tanh": np.tanh, "trunc": np.trunc}
BINARY: Dict[str, Callable[[Array, Array], Array]] = {"atan2": np.arctan2, "powf": np.power}
NAMES = (*FUNCTIONS, *BINARY)


def arguments(element: str) -> Array:
    """Every number of 16 bits; every exponent of others, those near 1 often."""
    dtype, bits, digits = FORMATS[element]
    if bits is np.uint16:
        return np.arange(1 << 16, dtype=np.uint16).view(dtype)
    width = np.dtype(bits).itemsize * 8
    exponents = np.arange(1 << (width - 1 - digits), dtype=bits) << bits(digits)
    rng = np.random.default_rng(1)
    count = 60 if element == "f32" else 8
    mantissas = np.concatenate([np.array([0, 1, 2, (1 << digits) - 1, 1 << (digits - 1)], bits),
                                rng.integers(0, 1 << digits, count, bits)])
    numbers = np.add.outer(exponents, mantissas).reshape(-1)
    # From 2^-6 to 2^7.
    middle = (len(exponents) // 2 - 1 + np.arange(-6, 7)).astype(bits) << bits(digits)
    often = np.add.outer(middle, rng.integers(0, 1 << digits, 4000 if element == "f32" else 400, bits)).reshape(-1)
    numbers = np.concatenate([numbers, often])
    return np.concatenate([numbers, numbers | bits(1 << (width - 1))]).view(dtype)


def pairs(element: str, x: Array) -> Tuple[Array, Array]:
    """Each number of `x` with another one, of any size and of its own, and all pairs of special ones."""
    dtype = FORMATS[element][0]
    rng = np.random.default_rng(2)
    info = ml_dtypes.finfo(dtype)
    special = np.array([0.0, float(info.smallest_normal), 0.5, 1.0, 2.0, 3.0, float(info.max), np.inf]).astype(dtype)
    special = np.concatenate([special, -special, np.array([np.nan]).astype(dtype)])
    first, second = np.meshgrid(special, special)
    with np.errstate(all="ignore"):
        near = (x.astype(np.longdouble) * np.exp2(rng.uniform(-4, 4, x.shape))).astype(dtype)
    other = np.where(rng.random(x.shape) < 0.5, rng.permutation(x), near)
    return np.concatenate([first.reshape(-1), x]), np.concatenate([second.reshape(-1), other])


def errors(element: str, small: Array, found: Array, exact: Array, flushed: Any) -> Array:
    """In units of the last place of `exact`; 0 where a result, or an argument where
    `small`, that is flushed explains what is found, infinite where a NaN or an
    infinity is missing."""
    dtype, _, digits = FORMATS[element]
    info = ml_dtypes.finfo(dtype)
    least, most = float(info.smallest_normal), float(info.max)
    with np.errstate(all="ignore"):
        rounded = exact.astype(dtype).astype(np.longdouble)
        got = found.astype(np.longdouble)
        exponent = np.floor(np.log2(np.clip(np.abs(exact), least, most)))
        unit = np.exp2(exponent - digits)
        error = np.abs(got - exact) / unit
        same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
        # The largest number for an infinity, and the other way, are a unit apart.
        edge = (np.abs(got) >= most) & (np.abs(rounded) >= most) & (np.sign(got) == np.sign(rounded))
        error = np.where(edge, np.where(same, 0, 1), error)
        error = np.where(same, np.minimum(np.where(np.isfinite(error), error, 0), 0.5), error)
        error = np.where(np.isnan(error), np.inf, error)
        is_flushed = (np.abs(exact) < least) & (got == 0)
        error = np.where(is_flushed, 0, error)
    if flushed is not None:
        error = np.where(small, np.minimum(error, errors(element, small, found, flushed, None)), error)
    return np.asarray(error)


class Case:
    """The arguments of a function, and its results in a wider type."""

    def __init__(self, element: str, args: Tuple[Array, ...], function: Callable[..., Array]) -> None:
        self.args = args
        with np.errstate(all="ignore"):
            wide = [x.astype(np.float64 if element != "f64" else np.longdouble) for x in args]
        least = float(ml_dtypes.finfo(FORMATS[element][0]).smallest_normal)
        are_small = [np.abs(x) < least for x in wide]
        flushed = [np.where(small, np.copysign(0, x), x) for small, x in zip(are_small, wide)]
        self.small = np.any(are_small, axis=0)
        with np.errstate(all="ignore"):
            self.exact = np.asarray(function(*wide)).astype(np.longdouble)
            self.flushed = np.asarray(function(*flushed)).astype(np.longdouble)


def program(element: str) -> str:
    kind = f"tensor<?x{element}>"
    text = "".join(f"func.func @{name}(%x: {kind}) -> {kind} {{\n  %y = math.{name} %x : {kind}\n"
                   f"  return %y : {kind}\n}}\n" for name in FUNCTIONS)
    return text + "".join(f"func.func @{name}(%x: {kind}, %y: {kind}) -> {kind} {{\n"
                          f"  %z = math.{name} %x, %y : {kind}\n  return %z : {kind}\n}}\n" for name in BINARY)


def scan(element: str) -> Dict[str, Dict[str, float]]:
    x = arguments(element)
    both = pairs(element, x)
    cases = {name: Case(element, (x,), function) for name, function in FUNCTIONS.items()}
    cases.update((name, Case(element, both, function)) for name, function in BINARY.items())
    worst: Dict[str, Dict[str, float]] = {}
    models = list(configurations(program(element), ("reference", "optimized", "avx2")))
    # Always: each function has code of its own for the device, which has no library.
    if os.environ.get("FLYWHEEL_LIBCUDA"):
        models.append(("gpu", make(program(element), "gpu")))
    for configuration, model in models:
        model.initialize()
        for name, case in cases.items():
            found = model.run(name, *case.args)
            error = errors(element, case.small, found, case.exact, case.flushed)
            at = int(np.argmax(error))
            worst.setdefault(name, {})[configuration] = float(error[at])
            if "--print" in sys.argv[1:]:
                print(f"{element} {configuration} {name}: {error[at]:.5g} ulp at {[a[at] for a in case.args]!r}: found "
                      f"{found[at]!r}, exact {case.exact[at]!r}; not finite {int(np.isinf(error).sum())}", flush=True)
    return worst


def read_bounds() -> Dict[str, Dict[str, float]]:
    """The table of docs/Precision.md: function, then a bound for each type."""
    path = os.path.join(os.path.dirname(__file__), "../../../docs/Precision.md")
    bounds: Dict[str, Dict[str, float]] = {}
    with open(path, encoding="utf-8") as file:
        for row in re.finditer(r"^\| `math\.(\w+)` \| (.*) \|$", file.read(), re.MULTILINE):
            numbers = [float(cell) for cell in row[2].split(" | ")]
            bounds[row[1]] = dict(zip(FORMATS, numbers))
    return bounds


def test_functions() -> None:
    bounds = read_bounds()
    assert set(bounds) == set(NAMES), set(bounds) ^ set(NAMES)
    wrong: List[str] = []
    for element in FORMATS:
        for name, worst in scan(element).items():
            for configuration, error in worst.items():
                bound = bounds[name][element]
                # The C library's, which the table has, is less exact than that of the device.
                if (configuration, name, element) == ("gpu", "erfc", "f64"):
                    bound = 1
                if not error <= bound:
                    wrong.append(f"{element} {configuration} {name}: {error:.5g} ulp")
    assert not wrong, "\n".join(wrong)


if "--print" in sys.argv[1:]:
    for one in FORMATS:
        scan(one)
else:
    run_tests([test_functions])
