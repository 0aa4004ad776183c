# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of arith and math."""

import math
from typing import Any, Callable, Optional

import numpy as np

from supported.sampling import ELEMENTS, Array, Element, Sample, integers, sample, values, whole, wide

N = 19  # No multiple of a vector.


def elementwise(op: str, fn: Callable[..., Any], *ranges: Any, ulps: float = 2.0, attributes: str = "") -> None:
    """`fn` of f64 arrays, for floating-point types."""
    def build(t: Element) -> Sample:
        xs = [values(t, N, low=low, high=high, seed=i) for i, (low, high) in enumerate(ranges)]
        kind = t.tensor(N)
        # Other types are refused.
        expected = xs[0]
        if t.is_float:
            with np.errstate(all="ignore"):
                expected = fn(*(wide(x) for x in xs))
        operands = ", ".join(f"%a{i}" for i in range(len(xs)))
        return Sample([(kind, x) for x in xs], f"%y = {op} {operands}{attributes} : {kind}", [(kind, expected)],
                      ulps)
    sample(op)(build)


def classify(op: str, fn: Callable[[Array], Array]) -> None:
    def build(t: Element) -> Sample:
        x = np.array([0.0, -0.0, 1.5, -3.0, np.inf, -np.inf, np.nan], np.float32)
        x = x.astype(t.dtype) if t.is_float else values(t, 7)
        flag = ELEMENTS["i1"].tensor(7)
        return Sample([(t.tensor(7), x)], f"%y = {op} %a0 : {t.tensor(7)}", [(flag, fn(wide(x)))])
    sample(op)(build)


def integral(op: str, fn: Callable[..., int], count: int = 2, unsigned: bool = False, low: Optional[int] = None,
             high: Optional[int] = None, nonzero: bool = False) -> None:
    """`fn` of Python's integers, for integer types; the last operand in [low, high]."""
    def build(t: Element) -> Sample:
        xs = [whole(t, N, seed=i) for i in range(count)]
        if low is not None and high is not None:
            xs[-1] = values(t, N, low=low, high=min(high, t.bits - 1), seed=7)
            if t.kind == "b":
                xs[-1] = np.zeros(N, np.bool_)
        if nonzero:
            xs[-1] = np.where(xs[-1] == 0, np.ones((), t.dtype), xs[-1]).astype(t.dtype)
        kind = t.tensor(N)
        expected = xs[0] if t.is_float else integers(fn, t.bits, t.dtype, *xs, unsigned=unsigned)
        operands = ", ".join(f"%a{i}" for i in range(count))
        return Sample([(kind, x) for x in xs], f"%y = {op} {operands} : {kind}", [(kind, expected)])
    sample(op)(build)


def towards_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


U = (-2.0, 2.0)
P = (0.25, 2.0)
elementwise("arith.addf", lambda a, b: a + b, U, U)
elementwise("arith.subf", lambda a, b: a - b, U, U)
elementwise("arith.mulf", lambda a, b: a * b, U, U)
elementwise("arith.divf", lambda a, b: a / b, U, P)
elementwise("arith.remf", np.fmod, (-8, 8), P)
elementwise("arith.negf", lambda a: -a, U)
elementwise("arith.maximumf", np.maximum, U, U)
elementwise("arith.minimumf", np.minimum, U, U)
elementwise("arith.maxnumf", np.fmax, U, U)
elementwise("arith.minnumf", np.fmin, U, U)
integral("arith.addi", lambda a, b: a + b)
integral("arith.subi", lambda a, b: a - b)
integral("arith.muli", lambda a, b: a * b)
integral("arith.andi", lambda a, b: a & b)
integral("arith.ori", lambda a, b: a | b)
integral("arith.xori", lambda a, b: a ^ b)
integral("arith.shli", lambda a, b: a << b, low=0, high=63)
integral("arith.shrsi", lambda a, b: a >> b, low=0, high=63)
integral("arith.shrui", lambda a, b: a >> b, unsigned=True, low=0, high=63)
integral("arith.maxsi", max)
integral("arith.minsi", min)
integral("arith.maxui", max, unsigned=True)
integral("arith.minui", min, unsigned=True)
integral("arith.divsi", towards_zero, nonzero=True)
integral("arith.remsi", lambda a, b: a - b * towards_zero(a, b), nonzero=True)
integral("arith.floordivsi", lambda a, b: a // b, nonzero=True)
integral("arith.ceildivsi", lambda a, b: -(-a // b), nonzero=True)
integral("arith.divui", lambda a, b: a // b, unsigned=True, nonzero=True)
integral("arith.remui", lambda a, b: a % b, unsigned=True, nonzero=True)
integral("arith.ceildivui", lambda a, b: -(-a // b), unsigned=True, nonzero=True)


def extended(op: str, second: Callable[[int, int, int], int], first: Callable[[int, int], int], unsigned: bool,
             is_flag: bool = False) -> None:
    def build(t: Element) -> Sample:
        a, b = whole(t, N, seed=1), whole(t, N, seed=2)
        kind = t.tensor(N)
        other = ELEMENTS["i1"] if is_flag else t
        if t.is_float:
            low, high = a, b
        else:
            low = integers(first, t.bits, t.dtype, a, b, unsigned=unsigned)
            high = integers(lambda x, y: second(x, y, t.bits), other.bits, other.dtype, a, b, unsigned=unsigned)
        tail = f"{kind}, {other.tensor(N)}" if is_flag else kind
        return Sample([(kind, a), (kind, b)], f"%y0, %y1 = {op} %a0, %a1 : {tail}",
                      [(kind, low), (other.tensor(N), high)])
    sample(op)(build)


extended("arith.addui_extended", lambda a, b, n: (a + b) >> n, lambda a, b: a + b, True, is_flag=True)
extended("arith.mulsi_extended", lambda a, b, n: (a * b) >> n, lambda a, b: a * b, False)
extended("arith.mului_extended", lambda a, b, n: (a * b) >> n, lambda a, b: a * b, True)


@sample("arith.cmpi")
def cmpi(t: Element) -> Sample:
    a, b = whole(t, N, seed=1), whole(t, N, seed=2)
    b[::3] = a[::3]
    flag = ELEMENTS["i1"]
    expected = [a == b] if t.is_float else [
        integers(lambda x, y: x < y, 1, np.bool_, a, b),
        integers(lambda x, y: x <= y, 1, np.bool_, a, b, unsigned=True)]
    kind = t.tensor(N)
    if len(expected) == 1:
        return Sample([(kind, a), (kind, b)], f"%y = arith.cmpi slt, %a0, %a1 : {kind}",
                      [(flag.tensor(N), expected[0])])
    return Sample([(kind, a), (kind, b)],
                  f"%y0 = arith.cmpi slt, %a0, %a1 : {kind}\n%y1 = arith.cmpi ule, %a0, %a1 : {kind}",
                  [(flag.tensor(N), expected[0]), (flag.tensor(N), expected[1])])


@sample("arith.cmpf")
def cmpf(t: Element) -> Sample:
    a, b = values(t, N, seed=1), values(t, N, seed=2)
    if t.is_float:
        a[3], b[5] = np.nan, np.inf
    kind, flag = t.tensor(N), ELEMENTS["i1"].tensor(N)
    return Sample([(kind, a), (kind, b)], f"%y0 = arith.cmpf olt, %a0, %a1 : {kind}\n"
                                          f"%y1 = arith.cmpf une, %a0, %a1 : {kind}",
                  [(flag, wide(a) < wide(b)), (flag, wide(a) != wide(b))])


@sample("arith.select")
def select(t: Element) -> Sample:
    c, a, b = values(ELEMENTS["i1"], N), values(t, N, seed=1), values(t, N, seed=2)
    kind, flag = t.tensor(N), ELEMENTS["i1"].tensor(N)
    return Sample([(flag, c), (kind, a), (kind, b)], f"%y = arith.select %a0, %a1, %a2 : {flag}, {kind}",
                  [(kind, np.where(c, a, b))])


@sample("arith.constant")
def constant(t: Element) -> Sample:
    x = values(t, 3, low=0, high=2) if not t.is_float else np.array([1, 0.5, 2]).astype(t.dtype)
    text = ", ".join(str(v).lower() if t.kind == "b" else str(float(v)) if t.is_float else str(v) for v in x.tolist())
    if t.name.startswith("complex"):
        text = ", ".join(f"({float(v)}, 0.0)" for v in x)
    kind = t.tensor(3)
    zero = values(ELEMENTS["f32"], 1)
    return Sample([(ELEMENTS["f32"].tensor(1), zero)], f"%y = arith.constant dense<[{text}]> : {kind}", [(kind, x)])


def cast(op: str, to: Callable[[Element], Optional[Element]], fn: Callable[[Array, Element, Element], Array],
         data: Callable[[Element], Array]) -> None:
    def build(t: Element) -> Optional[Sample]:
        target = to(t)
        if target is None:
            return None
        x = data(t)
        with np.errstate(all="ignore"):
            expected = fn(x, t, target)
        return Sample([(t.tensor(N), x)], f"%y = {op} %a0 : {t.tensor(N)} to {target.tensor(N)}",
                      [(target.tensor(N), expected)])
    sample(op)(build)


def named(name: str) -> Element:
    return ELEMENTS[name]


def ones(t: Element) -> Array:
    """Numbers whose bits are those of floating-point numbers near 1."""
    if t.is_float:
        return values(t, N, low=1, high=2)
    if t.bits not in (16, 32, 64):
        return values(t, N, low=0, high=100)
    return values(ELEMENTS[f"f{t.bits}"], N, low=1, high=2).view(t.dtype)


def everything(t: Element) -> Array:
    return whole(t, N)


def wider(t: Element) -> Element:
    return named({"i1": "i8", "i8": "i16", "i16": "i64", "i32": "i64", "f16": "f32", "bf16": "f32", "f32": "f64",
                  "ui8": "ui16", "ui16": "ui32", "ui32": "ui64", "tf32": "f32"}.get(
                      t.name, "f64" if t.is_float else "i64"))


def narrower(t: Element) -> Element:
    return named({"i8": "i1", "i16": "i8", "i32": "i8", "i64": "i32", "f32": "bf16", "f64": "f16", "f16": "f16",
                  "ui16": "ui8", "ui32": "ui8", "ui64": "ui8", "tf32": "f16"}.get(
                      t.name, "f16" if t.is_float else "i1"))


cast("arith.extf", wider, lambda x, t, to: x.astype(np.float64), lambda t: values(t, N))
cast("arith.truncf", narrower, lambda x, t, to: x.astype(to.dtype).astype(np.float64), lambda t: values(t, N))
cast("arith.extsi", wider,
     lambda x, t, to: x if t.is_float else integers(lambda a: a, to.bits, to.dtype, x), everything)
cast("arith.extui", wider,
     lambda x, t, to: x if t.is_float else integers(lambda a: a, to.bits, to.dtype, x, unsigned=True), everything)
cast("arith.trunci", narrower,
     lambda x, t, to: x if t.is_float else integers(lambda a: a, to.bits, to.dtype, x), everything)
cast("arith.index_cast", lambda t: named("index") if t.kind != "x" else named("i32"),
     lambda x, t, to: x if t.is_float else integers(lambda a: a, to.bits, to.dtype, x), everything)
cast("arith.index_castui", lambda t: named("index") if t.kind != "x" else named("i32"),
     lambda x, t, to: x if t.is_float else integers(lambda a: a, to.bits, to.dtype, x, unsigned=True), everything)
cast("arith.sitofp", lambda t: named("f32"),
     lambda x, t, to: -x.astype(np.float64) if t.kind == "b" else x.astype(np.float32), everything)
cast("arith.uitofp", lambda t: named("f64"),
     lambda x, t, to: (x if t.kind == "b" or t.is_float else x.view(f"uint{t.bits}")).astype(np.float64),
     everything)
cast("arith.fptosi", lambda t: named("i32"), lambda x, t, to: np.trunc(wide(x)).astype(np.int32),
     lambda t: values(t, N, low=-90, high=90))
cast("arith.fptoui", lambda t: named("i8"), lambda x, t, to: np.trunc(wide(x)).astype(np.uint8).view(np.int8),
     lambda t: values(t, N, low=0, high=250))
cast("arith.bitcast",
     lambda t: named({"i8": "i8", "i16": "f16", "i32": "f32", "i64": "f64", "f16": "i16", "bf16": "i16", "f32": "i32",
                      "f64": "i64", "i1": "i1"}.get(t.name, "f32" if not t.is_float else "i32")),
     lambda x, t, to: x if t.kind == "b" or x.dtype.itemsize != np.dtype(to.dtype).itemsize else x.view(to.dtype),
     lambda t: ones(t))


def scaling(op: str, to: Callable[[Element], Element]) -> None:
    def build(t: Element) -> Sample:
        x, scales = values(t, N), "tensor<19xf8E8M0FNU>"
        return Sample([(t.tensor(N), x), (scales, x)], f"%y = {op} %a0, %a1 : {t.tensor(N)}, {scales} to "
                      f"{to(t).tensor(N)}", [(to(t).tensor(N), x)])
    sample(op)(build)


scaling("arith.scaling_extf", wider)
scaling("arith.scaling_truncf", narrower)

for name, function, bounds in (
        ("absf", np.abs, U), ("acos", np.arccos, (-0.9, 0.9)), ("acosh", np.arccosh, (1.2, 3)),
        ("asin", np.arcsin, (-0.9, 0.9)), ("asinh", np.arcsinh, U), ("atan", np.arctan, U),
        ("atanh", np.arctanh, (-0.9, 0.9)), ("cbrt", np.cbrt, U), ("ceil", np.ceil, U), ("cos", np.cos, U),
        ("cosh", np.cosh, U), ("erf", np.vectorize(math.erf), U), ("erfc", np.vectorize(math.erfc), U),
        ("exp", np.exp, U), ("exp2", np.exp2, U), ("expm1", np.expm1, U), ("floor", np.floor, U),
        ("log", np.log, P), ("log10", np.log10, P), ("log1p", np.log1p, P), ("log2", np.log2, P),
        ("round", lambda x: np.trunc(x + np.copysign(0.5, x)), U), ("roundeven", np.round, U),
        ("rsqrt", lambda x: 1 / np.sqrt(x), P), ("sin", np.sin, U), ("sinh", np.sinh, U), ("sqrt", np.sqrt, P),
        ("tan", np.tan, (-1, 1)), ("tanh", np.tanh, U), ("trunc", np.trunc, U)):
    elementwise("math." + name, function, bounds, ulps=4)
elementwise("math.atan2", np.arctan2, U, U, ulps=4)
elementwise("math.copysign", np.copysign, U, U)
elementwise("math.powf", np.power, P, U, ulps=4)
elementwise("math.fma", lambda a, b, c: a * b + c, U, U, U)
classify("math.isfinite", np.isfinite)
classify("math.isinf", np.isinf)
classify("math.isnan", np.isnan)
classify("math.isnormal", lambda x: np.isfinite(x) & (x != 0))
integral("math.absi", abs, 1)
integral("math.ctpop", lambda a: bin(a).count("1"), 1, unsigned=True)


def counting(op: str, fn: Callable[[str], int]) -> None:
    def build(t: Element) -> Sample:
        x = whole(t, N)
        expected = x if t.is_float else integers(lambda a: fn(f"{a:0{t.bits}b}"), t.bits, t.dtype, x, unsigned=True)
        return Sample([(t.tensor(N), x)], f"%y = {op} %a0 : {t.tensor(N)}", [(t.tensor(N), expected)])
    sample(op)(build)


counting("math.ctlz", lambda text: len(text) - len(text.lstrip("0")))
counting("math.cttz", lambda text: len(text) - len(text.rstrip("0")))


def power(a: int, b: int) -> int:
    if b >= 0:
        return pow(a, b, 1 << 64)
    return 1 if a == 1 else (1 if b % 2 == 0 else -1) if a == -1 else 0


@sample("math.ipowi")
def ipowi(t: Element) -> Sample:
    a, b = whole(t, N, seed=1), values(t, N, low=-5, high=63, seed=2)
    if not t.is_float:
        a[:4] = np.array([1, 1, 2, 3] if t.kind in "bu" else [1, -1, -2, 3]).astype(t.dtype)
        a = np.where(a == 0, np.ones((), t.dtype), a).astype(t.dtype)
    kind = t.tensor(N)
    expected = a if t.is_float else integers(power, t.bits, t.dtype, a, b)
    return Sample([(kind, a), (kind, b)], f"%y = math.ipowi %a0, %a1 : {kind}", [(kind, expected)])


@sample("math.fpowi")
def fpowi(t: Element) -> Sample:
    x, n = values(t, N), values(ELEMENTS["i32"], N, low=-3, high=3)
    x = np.where(wide(x) == 0, np.ones((), t.dtype), x).astype(t.dtype)
    kind, power_kind = t.tensor(N), ELEMENTS["i32"].tensor(N)
    return Sample([(kind, x), (power_kind, n)], f"%y = math.fpowi %a0, %a1 : {kind}, {power_kind}",
                  [(kind, np.power(wide(x).astype(np.float64), n))], 4)


@sample("math.clampf")
def clampf(t: Element) -> Sample:
    kind = t.tensor(N)
    x, low, high = values(t, N), values(t, N, low=-2, high=-1, seed=3), values(t, N, low=0, high=1, seed=4)
    return Sample([(kind, x), (kind, low), (kind, high)], f"%y = math.clampf %a0 to [%a1, %a2] : {kind}",
                  [(kind, np.clip(wide(x), wide(low), wide(high)))])


@sample("math.sincos")
def sincos(t: Element) -> Sample:
    kind, x = t.tensor(N), values(t, N)
    return Sample([(kind, x)], f"%y0, %y1 = math.sincos %a0 : {kind}",
                  [(kind, np.sin(wide(x))), (kind, np.cos(wide(x)))], 4)
