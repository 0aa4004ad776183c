# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Errors of the functions of math, in units in the last place, over all of their range.

All numbers of f16 and bf16; of f32 and f64 all exponents, with the ends of each
and some in between. A step flushes denormal numbers: such an argument may count
as zero, and such a result be zero. docs/Precision.md states the bounds.

usage: function_precision.py [--print]
"""

import math
import os
import re
import sys
from typing import Any, Callable, Dict, List, Tuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from configurations import configurations, run_tests

Array = NDArray[Any]
FORMATS: Dict[str, Tuple[Any, Any, int]] = {
    "f16": (np.float16, np.uint16, 10), "bf16": (ml_dtypes.bfloat16, np.uint16, 7), "f32": (np.float32, np.uint32, 23),
    "f64": (np.float64, np.uint64, 52)}
# Of numbers in long double, which is exact enough for each.
vectorized = np.vectorize


def halves_away(x: Array) -> Array:
    whole = np.trunc(x)
    return np.asarray(whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1, x), 0))


FUNCTIONS: Dict[str, Callable[[Array], Array]] = {
    "absf": np.abs, "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
    "atanh": np.arctanh, "cbrt": np.cbrt, "ceil": np.ceil, "cos": np.cos, "cosh": np.cosh,
    "erf": vectorized(math.erf, otypes=[np.float64]), "erfc": vectorized(math.erfc, otypes=[np.float64]),
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "floor": np.floor, "log": np.log, "log10": np.log10,
    "log1p": np.log1p, "log2": np.log2, "round": halves_away, "roundeven": np.rint, "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin, "sinh": np.sinh, "sqrt": np.sqrt, "tan": np.tan, "tanh": np.tanh, "trunc": np.trunc}


def arguments(element: str) -> Array:
    """Every number of 16 bits; every exponent of others."""
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
    return np.concatenate([numbers, numbers | bits(1 << (width - 1))]).view(dtype)


def errors(element: str, x: Array, found: Array, exact: Array, flushed: Array) -> Array:
    """In units of the last place of `exact`; 0 where a flushed argument or result
    explains what is found, infinite where a NaN or an infinity is missing."""
    dtype, _, digits = FORMATS[element]
    info = ml_dtypes.finfo(dtype)
    least, most = float(info.smallest_normal), float(info.max)
    rounded = exact.astype(dtype).astype(np.longdouble)
    got = found.astype(np.longdouble)
    with np.errstate(all="ignore"):
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
        small = np.abs(x.astype(np.longdouble)) < least
        error = np.where(small, np.minimum(error, errors(element, x, found, flushed, None)), error)
    return np.asarray(error)




def scan(element: str) -> Dict[str, Dict[str, float]]:
    kind = f"tensor<?x{element}>"
    text = "".join(f"func.func @{name}(%x: {kind}) -> {kind} {{\n  %y = math.{name} %x : {kind}\n"
                   f"  return %y : {kind}\n}}\n"
                   for name in FUNCTIONS)
    x = arguments(element)
    wide = x.astype(np.float64 if element != "f64" else np.longdouble)
    zeros = np.copysign(0, wide)
    worst: Dict[str, Dict[str, float]] = {}
    with np.errstate(all="ignore"):
        exact = {}
        for name, function in FUNCTIONS.items():
            exact[name] = (np.asarray(function(wide)).astype(np.longdouble),
                           np.asarray(function(zeros)).astype(np.longdouble))
    for configuration, model in configurations(text, ("reference", "optimized", "avx2")):
        model.initialize()
        for name in FUNCTIONS:
            found = model.run(name, x)
            error = errors(element, x, found, *exact[name])
            at = int(np.argmax(error))
            worst.setdefault(name, {})[configuration] = float(error[at])
            if "--print" in sys.argv[1:]:
                print(f"{element} {configuration} {name}: {error[at]:.3g} ulp at {x[at]!r}: found {found[at]!r}, "
                      f"exact {exact[name][0][at]!r}; not finite {int(np.isinf(error).sum())}", flush=True)
    return worst


def read_bounds() -> Dict[str, Dict[str, float]]:
    """The table of docs/Precision.md: function, then a bound for each type."""
    path = os.path.join(os.path.dirname(__file__), "../../docs/Precision.md")
    bounds: Dict[str, Dict[str, float]] = {}
    with open(path, encoding="utf-8") as file:
        for row in re.finditer(r"^\| `math\.(\w+)` \| (.*) \|$", file.read(), re.MULTILINE):
            numbers = [float(cell) for cell in row[2].split(" | ")]
            bounds[row[1]] = dict(zip(FORMATS, numbers))
    return bounds


def test_functions() -> None:
    bounds = read_bounds()
    assert set(bounds) == set(FUNCTIONS), set(bounds) ^ set(FUNCTIONS)
    wrong: List[str] = []
    for element in FORMATS:
        for name, worst in scan(element).items():
            for configuration, error in worst.items():
                if not error <= bounds[name][element]:
                    wrong.append(f"{element} {configuration} {name}: {error:.3g} ulp")
    assert not wrong, "\n".join(wrong)


if "--print" in sys.argv[1:]:
    for one in FORMATS:
        scan(one)
else:
    run_tests([test_functions])
