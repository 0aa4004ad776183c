# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that treat each element alone, and casts."""

import math
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

import numpy as np

from graphs.graph import Node
from harness import Rng, choose
from tensor_functions.function import (
    DTYPES,
    FLOATS,
    INTEGERS,
    OPS,
    Array,
    Function,
    bits_of,
    register,
    splat,
    unsigned,
    wide,
)


def cube_root(x: Array) -> Array:
    return np.asarray(np.cbrt(x.astype(np.float64)))


def each(x: Array, function: Callable[[Any], Any], dtype: Any) -> Array:
    """A function of Python numbers, element by element."""
    return np.asarray(np.vectorize(function, otypes=[dtype])(x))


def error_function(x: Array) -> Array:
    return each(x.astype(np.float64), math.erf, np.float64)


def round_away(x: Array) -> Array:
    numbers = x.astype(np.float64)
    return np.asarray(np.copysign(np.floor(np.abs(numbers) + 0.5), numbers))


def count_leading(x: Array) -> Array:
    return each(unsigned(x), lambda v: bits_of(x) - int(v).bit_length(), np.int64)


def count_trailing(x: Array) -> Array:
    return each(unsigned(x), lambda v: bits_of(x) if v == 0 else (int(v) & -int(v)).bit_length() - 1, np.int64)


def count_ones(x: Array) -> Array:
    return each(unsigned(x), lambda v: bin(int(v)).count("1"), np.int64)


# For each op, an expression that keeps its argument in its domain, and its function. Functions of f16 and bf16 are
# computed in a wider type and rounded once.
FLOAT_UNARY: Dict[str, Tuple[str, Callable[[Array], Any]]] = {
    "arith.negf": ("", lambda x: -x),
    "math.absf": ("", np.abs),
    "math.sin": ("", wide(np.sin)),
    "math.cos": ("", wide(np.cos)),
    "math.tan": ("sin", wide(np.tan)),
    "math.tanh": ("", wide(np.tanh)),
    "math.exp": ("sin", wide(np.exp)),
    "math.exp2": ("sin", wide(np.exp2)),
    "math.expm1": ("sin", wide(np.expm1)),
    "math.log": ("positive", wide(np.log)),
    "math.log2": ("positive", wide(np.log2)),
    "math.log10": ("positive", wide(np.log10)),
    "math.log1p": ("positive", wide(np.log1p)),
    "math.sqrt": ("positive", wide(np.sqrt)),
    "math.rsqrt": ("positive", wide(lambda x: 1 / np.sqrt(x))),
    "math.cbrt": ("", cube_root),
    "math.erf": ("", error_function),
    "math.atan": ("", wide(np.arctan)),
    "math.sinh": ("sin", wide(np.sinh)),
    "math.cosh": ("sin", wide(np.cosh)),
    "math.asinh": ("", wide(np.arcsinh)),
    "math.floor": ("", wide(np.floor)),
    "math.ceil": ("", wide(np.ceil)),
    "math.trunc": ("", wide(np.trunc)),
    "math.round": ("", round_away),
    "math.roundeven": ("", wide(np.rint)),
    "nn.relu": ("", lambda x: np.maximum(x, 0)),
    "nn.sigmoid": ("", wide(lambda x: 1 / (1 + np.exp(-x)))),
    "nn.softplus": ("", wide(lambda x: np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0))),
    "nn.relu6": ("", lambda x: np.clip(x, 0, 6)),
}
FLOAT_BINARY: Dict[str, Callable[[Array, Array], Any]] = {
    "arith.addf": lambda x, y: x + y,
    "arith.subf": lambda x, y: x - y,
    "arith.mulf": lambda x, y: x * y,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "math.copysign": np.copysign,
    "math.atan2": lambda x, y: np.arctan2(x.astype(np.float64), y.astype(np.float64)),
}
INTEGER_BINARY: Dict[str, Callable[[Array, Array], Any]] = {
    "arith.addi": lambda x, y: x + y,
    "arith.subi": lambda x, y: x - y,
    "arith.muli": lambda x, y: x * y,
    "arith.andi": lambda x, y: x & y,
    "arith.ori": lambda x, y: x | y,
    "arith.xori": lambda x, y: x ^ y,
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.maxui": lambda x, y: np.maximum(unsigned(x), unsigned(y)),
    "arith.minui": lambda x, y: np.minimum(unsigned(x), unsigned(y)),
}
# By a divisor of 1 to 8, or a shift of 0 to 7.
INTEGER_BY_SMALL: Dict[str, Tuple[int, Callable[[Array, Array], Any]]] = {
    "arith.divsi": (1, lambda x, y: np.trunc(x / y) if bits_of(x) < 64 else np.where(x < 0, -(-x // y), x // y)),
    "arith.remsi": (1, np.fmod),
    "arith.floordivsi": (1, lambda x, y: x // y),
    "arith.ceildivsi": (1, lambda x, y: -(-x // y)),
    "arith.divui": (1, lambda x, y: unsigned(x) // unsigned(y)),
    "arith.remui": (1, lambda x, y: unsigned(x) % unsigned(y)),
    "arith.shli": (0, lambda x, y: x << y),
    "arith.shrsi": (0, lambda x, y: x >> y),
    "arith.shrui": (0, lambda x, y: unsigned(x) >> unsigned(y)),
}
INTEGER_UNARY: Dict[str, Callable[[Array], Any]] = {
    "math.absi": np.abs,
    "math.ctlz": count_leading,
    "math.cttz": count_trailing,
    "math.ctpop": count_ones,
}


def add_float_unary(op: str) -> None:
    guard, function = FLOAT_UNARY[op]

    def make(f: Function, rng: Rng) -> Optional[Node]:
        x = f.pick(rng, *FLOATS)
        if x is None:
            return None
        if guard == "sin":
            x = f.add("math.sin", x.shape, x.element, ["{y} = math.sin {a} : {A}"], [x], wide(np.sin))
        elif guard == "positive":
            x = f.add(
                "x * x + 1",
                x.shape,
                x.element,
                splat(f, x, "1.0") + ["%q{n} = arith.mulf {a}, {a} : {A}", "{y} = arith.addf %q{n}, %s{n} : {A}"],
                [x],
                lambda u: u * u + u.dtype.type(1),
            )
        return f.add(op, x.shape, x.element, [f"{{y}} = {op} {{a}} : {{A}}"], [x], function)

    OPS[op] = make


def add_binary(op: str, elements: Sequence[str], function: Callable[[Array, Array], Any]) -> None:
    def make(f: Function, rng: Rng) -> Optional[Node]:
        x = f.pick(rng, *elements)
        y = x and f.pick(rng, *elements, of=x)
        if x is None or y is None:
            return None
        return f.add(op, x.shape, x.element, [f"{{y}} = {op} {{a}}, {{b}} : {{A}}"], [x, y], function)

    OPS[op] = make


def add_by_small(op: str) -> None:
    least, function = INTEGER_BY_SMALL[op]

    def make(f: Function, rng: Rng) -> Optional[Node]:
        x = f.pick(rng, *INTEGERS)
        y = x and f.pick(rng, *INTEGERS, of=x)
        if x is None or y is None:
            return None
        lines = splat(f, x, "7") + ["%m{n} = arith.andi {a}, %s{n} : {A}"]
        amount = "%m{n}"
        if least:
            lines += [
                f"%u{{n}} = arith.constant dense<1> : tensor<{x.element}>",
                f"%t{{n}} = nn.broadcast %u{{n}} dims [] like {{a}} : (tensor<{x.element}>, {{A}}) -> {{A}}",
                "%d{n} = arith.addi %m{n}, %t{n} : {A}",
            ]
            amount = "%d{n}"
        lines.append(f"{{y}} = {op} {{b}}, {amount} : {{A}}")
        return f.add(
            op,
            x.shape,
            x.element,
            lines,
            [x, y],
            lambda v, u: function(u, ((v & v.dtype.type(7)) + v.dtype.type(least)).astype(v.dtype)),
        )

    OPS[op] = make


def add_integer_unary(op: str) -> None:
    def make(f: Function, rng: Rng) -> Optional[Node]:
        x = f.pick(rng, *INTEGERS)
        return x and f.add(op, x.shape, x.element, [f"{{y}} = {op} {{a}} : {{A}}"], [x], INTEGER_UNARY[op])

    OPS[op] = make


for name in FLOAT_UNARY:
    add_float_unary(name)
for name, numbers in FLOAT_BINARY.items():
    add_binary(name, FLOATS, numbers)
for name, numbers in INTEGER_BINARY.items():
    add_binary(name, INTEGERS, numbers)
for name in ("andi", "ori", "xori"):
    add_binary(f"arith.{name} of booleans", ["i1"], INTEGER_BINARY[f"arith.{name}"])
    OPS.pop(f"arith.{name} of booleans")
for name in INTEGER_BY_SMALL:
    add_by_small(name)
for name in INTEGER_UNARY:
    add_integer_unary(name)


@register("arith.divf")
def make_division(f: Function, rng: Rng) -> Optional[Node]:
    x = f.pick(rng, *FLOATS)
    y = x and f.pick(rng, *FLOATS, of=x)
    if x is None or y is None:
        return None
    lines = splat(f, x, "1.0") + [
        "%q{n} = arith.mulf {b}, {b} : {A}",
        "%d{n} = arith.addf %q{n}, %s{n} : {A}",
        "{y} = arith.divf {a}, %d{n} : {A}",
    ]
    return f.add("arith.divf", x.shape, x.element, lines, [x, y], lambda u, v: u / (v * v + v.dtype.type(1)))


COMPARISONS = {
    "oeq": np.equal,
    "ogt": np.greater,
    "oge": np.greater_equal,
    "olt": np.less,
    "ole": np.less_equal,
    "une": np.not_equal,
    "ult": np.less,
    "uge": np.greater_equal,
}
ORDERS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "slt": np.less,
    "sle": np.less_equal,
    "sgt": np.greater,
    "sge": np.greater_equal,
}


@register("arith.cmp")
def make_comparison(f: Function, rng: Rng) -> Optional[Node]:
    x = f.pick(rng, *FLOATS, *INTEGERS)
    y = x and f.pick(rng, *FLOATS, *INTEGERS, of=x)
    if x is None or y is None:
        return None
    table: Dict[str, Any] = COMPARISONS if x.element in FLOATS else ORDERS
    order = choose(rng, list(table))
    op = "arith.cmpf" if x.element in FLOATS else "arith.cmpi"
    return f.add(op, x.shape, "i1", [f"{{y}} = {op} {order}, {{a}}, {{b}} : {{A}}"], [x, y], table[order])


@register("arith.select")
def make_select(f: Function, rng: Rng) -> Optional[Node]:
    c = f.pick(rng, "i1")
    same = c and [node for node in f.nodes if node.shape == c.shape]
    x = choose(rng, same) if same else None
    y = x and f.pick(rng, *DTYPES, of=x)
    if c is None or x is None or y is None:
        return None
    return f.add(
        "arith.select", x.shape, x.element, ["{y} = arith.select {a}, {b}, {c} : {A}, {B}"], [c, x, y], np.where
    )


@register("casts")
def make_cast(f: Function, rng: Rng) -> Optional[Node]:
    """Between all types; of numbers that both have."""
    x = f.pick(rng, *DTYPES)
    if x is None:
        return None
    to = choose(rng, [element for element in DTYPES if element != x.element and element != "i1"])
    source, target = DTYPES[x.element], DTYPES[to]
    if x.element in FLOATS and to in FLOATS:
        if source.itemsize == target.itemsize:
            return None
        op = "arith.extf" if target.itemsize > source.itemsize else "arith.truncf"
    elif x.element in FLOATS:
        x = f.add("math.sin", x.shape, x.element, ["{y} = math.sin {a} : {A}"], [x], wide(np.sin))
        x = f.add(
            "100 x",
            x.shape,
            x.element,
            splat(f, x, "100.0") + ["{y} = arith.mulf {a}, %s{n} : {A}"],
            [x],
            lambda u: u * u.dtype.type(100),
        )
        op = "arith.fptosi"
    elif to in FLOATS:
        op = "arith.uitofp" if x.element == "i1" else choose(rng, ["arith.sitofp", "arith.uitofp"])
    elif source.itemsize == target.itemsize and x.element != "i1":
        return None
    else:
        wider = x.element == "i1" or target.itemsize > source.itemsize
        op = (
            ("arith.extui" if x.element == "i1" else choose(rng, ["arith.extsi", "arith.extui"]))
            if wider
            else "arith.trunci"
        )
    without_sign = x.element != "i1" and op in ("arith.uitofp", "arith.extui")

    def cast(u: Array) -> Array:
        return np.asarray((unsigned(u) if without_sign else u).astype(target))

    return f.add(op, x.shape, to, [f"{{y}} = {op} {{a}} : {{A}} to {{Y}}"], [x], cast)
