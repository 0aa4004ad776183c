# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Every function of `math`, over all magnitudes, against the C library in f64.

f64 at 1e-9; f32 at rtol 1e-5 and atol 1e-6 of the exact value at the rounded
arguments; f16 and bf16 to one unit in the last place. The points are
log-spaced, of both signs, with zeros of both signs, infinities, NaN, and the
neighbourhood of what a function is special at. Denormal numbers may count as 0.
"""

import math
from typing import Any, Callable, Dict, List, Tuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from configurations import IN_PROCESS, configurations, run_tests

Array = NDArray[Any]
DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
# Relative, and absolute.
TOLERANCES = {"f64": (1e-9, 1e-12), "f32": (1e-5, 1e-6), "f16": (1e-3, 1e-7), "bf16": (8e-3, 1e-37)}


def each(function: Callable[..., float]) -> Callable[..., Array]:
    return np.vectorize(function, otypes=[np.float64])


UNARY: Dict[str, Callable[[Array], Array]] = {
    "absf": np.abs, "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh,
    "atan": np.arctan, "atanh": np.arctanh, "cbrt": np.cbrt, "ceil": np.ceil, "cos": np.cos, "cosh": np.cosh,
    "erf": each(math.erf), "erfc": each(math.erfc), "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1,
    "floor": np.floor, "log": np.log, "log10": np.log10, "log1p": np.log1p, "log2": np.log2,
    "roundeven": np.round, "rsqrt": lambda x: 1 / np.sqrt(x), "sin": np.sin, "sinh": np.sinh, "sqrt": np.sqrt,
    "tan": np.tan, "tanh": np.tanh, "trunc": np.trunc,
}
BINARY: Dict[str, Callable[[Array, Array], Array]] = {
    "atan2": np.arctan2, "copysign": np.copysign, "powf": np.power,
}
# Odd functions that are as small as their argument: it is what they are near 0,
# to relative precision, with the sign of a zero.
IDENTITY_AT_ZERO = ("asin", "asinh", "atan", "atanh", "expm1", "log1p", "sin", "sinh", "tan", "tanh")


def lowest(dtype: Any, margin: float) -> float:
    """A number so small that `margin` times less is flushed; f16 is computed in f32."""
    return float(ml_dtypes.finfo(dtype).smallest_normal) * (1 if dtype == np.float16 else margin)


def points(dtype: Any) -> Array:
    info = ml_dtypes.finfo(dtype)
    magnitudes = np.logspace(math.log10(lowest(dtype, 1e4)), math.log10(float(info.max)) - 1e-3, 700)
    near = np.linspace(0, 8, 321)
    turns = np.arange(1, 40) * np.pi / 2
    exact = np.array([0.0, 1.0, 0.5, 2.0, 1e6, 1e9, float(info.max), np.inf, np.nan])
    x = np.concatenate([magnitudes, near, turns, exact]).astype(dtype)
    return np.concatenate([x, -x])


def compare(what: str, element: str, x: List[Array], found: Array, expected: Array) -> List[str]:
    """Returns the errors: at most one line."""
    relative, absolute = TOLERANCES[element]
    dtype = DTYPES[element]
    info = ml_dtypes.finfo(dtype)
    with np.errstate(over="ignore"):
        rounded = expected.astype(dtype).astype(np.float64)
    value = found.astype(np.float64)
    # A number that rounds to infinity in one order of operations is the largest number in another.
    edge = np.abs(expected) > float(info.max) * (1 - relative)
    bound = absolute + relative * np.abs(expected)
    with np.errstate(invalid="ignore"):
        close = np.abs(value - rounded) <= bound
    ok = close | (value == rounded) | (np.isnan(value) & np.isnan(rounded)) | (
        edge & (np.abs(value) > float(info.max) * (1 - 4 * relative)) & (np.sign(value) == np.sign(expected)))
    if ok.all():
        return []
    i = int(np.argmin(ok))
    at = ", ".join(str(a[i]) for a in x)
    return [f"{what} {element}: {int((~ok).sum())} of {ok.size}, first at {at}: "
            f"expected {rounded[i]}, found {value[i]}"]


def module(names: List[str], element: str, arity: int) -> str:
    kind = f"tensor<?x{element}>"
    text = ""
    for name in names:
        head = ", ".join(f"%a{i}: {kind}" for i in range(arity))
        operands = ", ".join(f"%a{i}" for i in range(arity))
        text += (f"func.func @{name}({head}) -> {kind} {{\n  %y = math.{name} {operands} : {kind}\n"
                 f"  return %y : {kind}\n}}\n")
    return text


def check(functions: Dict[str, Any], element: str, inputs: List[Array]) -> List[str]:
    """Returns the errors: a line for each function and configuration."""
    failures: List[str] = []
    arguments = [x.astype(np.float64) for x in inputs]
    for configuration, model in configurations(module(list(functions), element, len(inputs)), IN_PROCESS):
        model.initialize()
        for name, function in functions.items():
            with np.errstate(all="ignore"):
                expected = function(*arguments)
            found = model.run(name, *inputs)
            failures += compare(f"{configuration} {name}", element, inputs, found, expected)
            if name in IDENTITY_AT_ZERO:
                failures += check_near_zero(f"{configuration} {name}", element, inputs[0], found, expected)
    return failures


def check_near_zero(what: str, element: str, x: Array, found: Array, expected: Array) -> List[str]:
    """Tiny results have the precision and the sign of large ones."""
    with np.errstate(invalid="ignore"):
        small = np.abs(x.astype(np.float64)) < 1e-2
        # An intermediate value of a smaller number may be flushed.
        normal = np.abs(x.astype(np.float64)) > lowest(DTYPES[element], 1e8)
    zero = x == 0
    if np.any(np.signbit(found[zero]) != np.signbit(x[zero])):
        return [f"{what} {element}: expected the sign of a zero to stay"]
    at = small & normal
    error = np.abs(found[at].astype(np.float64) / expected[at] - 1)
    worst = int(np.argmax(error))
    if error[worst] <= TOLERANCES[element][0]:
        return []
    return [f"{what} {element}: at {x[at][worst]}: expected {expected[at][worst]}, found {found[at][worst]}"]


def test_unary() -> None:
    failures = [line for element, dtype in DTYPES.items() for line in check(UNARY, element, [points(dtype)])]
    assert not failures, "\n".join(failures)


def test_binary() -> None:
    failures: List[str] = []
    for element, dtype in (("f64", np.float64), ("f32", np.float32)):
        x = points(dtype)[::17]
        special = np.array([0.0, -0.0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, np.inf, -np.inf, np.nan], dtype)
        x = np.concatenate([x, special])
        first, second = (a.ravel() for a in np.meshgrid(x, x))
        failures += check(BINARY, element, [first, second])
    assert not failures, "\n".join(failures)


def test_whole_powers() -> None:
    """math.fpowi: exact parity of any exponent."""
    text = ("func.func @f(%x: tensor<?xf32>, %n: tensor<?xi32>) -> tensor<?xf32> {\n"
            "  %y = math.fpowi %x, %n : tensor<?xf32>, tensor<?xi32>\n  return %y : tensor<?xf32>\n}\n")
    pairs: List[Tuple[float, int]] = [(x, n) for x in (0.0, -0.0, 1, -1, 2, -2, 0.5, -1.5, np.inf, -np.inf, np.nan)
                                      for n in (0, 1, -1, 2, -2, 3, -3, 7, 2**31 - 1, -2**31, 2**24 + 1)]
    x = np.array([a for a, _ in pairs], np.float32)
    n = np.array([b for _, b in pairs], np.int32)
    for configuration, model in configurations(text):
        model.initialize()
        with np.errstate(all="ignore"):
            expected = np.power(x.astype(np.float64), n.astype(np.float64))
            failures = compare(f"{configuration} fpowi", "f32", [x, n], model.run("f", x, n), expected)
        assert not failures, failures


if __name__ == "__main__":
    run_tests([test_unary, test_binary, test_whole_powers])
