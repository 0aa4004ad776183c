# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of tosa."""

import itertools
import math
import re
from typing import Any, Callable, Sequence, Tuple

import numpy as np

from supported.sampling import ELEMENTS, Array, Element, Sample, integers, sample, values, whole, wide

FLAG = ELEMENTS["i1"]
I32 = ELEMENTS["i32"]


def const(name: str, kind: str, number: str) -> str:
    return f'%{name} = "tosa.const"() <{{values = dense<{number}> : {kind}}}> : () -> {kind}\n'


def shape(name: str, *sizes: int) -> str:
    text = ", ".join(map(str, sizes))
    return (f"%{name} = tosa.const_shape {{values = dense<[{text}]> : tensor<{len(sizes)}xindex>}} : () -> "
            f"!tosa.shape<{len(sizes)}>\n")


def exact(fn: Callable[..., Any], t: Element, *xs: Array) -> Array:
    """fn of f64 arrays, or of Python's integers."""
    with np.errstate(all="ignore"):
        if t.is_float:
            return np.asarray(fn(*(wide(x).astype(np.float64) for x in xs)))
        try:
            return integers(fn, t.bits, t.dtype, *xs)
        except (TypeError, ValueError):
            return xs[0]


def elementwise(op: str, fn: Callable[..., Any], count: int, low: float = -2, high: float = 2, attributes: str = "",
                flag: bool = False, ulps: float = 4, zero_points: int = 0, shift: bool = False,
                all_range: bool = False) -> None:
    """An elementwise op that broadcasts its second operand."""
    def build(t: Element) -> Sample:
        shapes = [(3, 5), (1, 5), (3, 1)][:count]
        xs = [values(t, *s, low=low, high=high, seed=i) for i, s in enumerate(shapes)]
        if all_range and not t.is_float:
            xs = [whole(t, *s, seed=i) for i, s in enumerate(shapes)]
        if "intdiv" in op:
            xs[1] = np.where(xs[1] == 0, np.ones((), t.dtype), xs[1]).astype(t.dtype)
        full = list(np.broadcast_arrays(*xs))
        to = FLAG if flag else t
        if flag:
            expected = fn(*(wide(x) for x in full))
        else:
            expected = exact(fn, t, *full)
        names, kinds = [f"%a{i}" for i in range(count)], [t.tensor(*s) for s in shapes]
        head = ""
        for i in range(zero_points):
            head += const(f"z{i}", t.tensor(1), t.zero())
            names.append(f"%z{i}")
            kinds.append(t.tensor(1))
        if shift:
            head += const("s", "tensor<1xi8>", "0")
            names.append("%s")
            kinds.append("tensor<1xi8>")
        kind = to.tensor(3, 5)
        return Sample([(t.tensor(*s), x) for s, x in zip(shapes, xs)],
                      head + f"%y = {op} {', '.join(names)} {attributes} : ({', '.join(kinds)}) -> {kind}",
                      [(kind, expected)], ulps)
    sample(op)(build)


def floats(fn: Callable[..., Any]) -> Callable[..., Any]:
    def checked(*xs: Any) -> Any:
        if isinstance(xs[0], int):
            raise TypeError
        return fn(*xs)
    return checked


def either(ints: Callable[..., int], others: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *xs: ints(*xs) if isinstance(xs[0], int) else others(*xs)


def quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


elementwise("tosa.add", lambda a, b: a + b, 2)
elementwise("tosa.sub", lambda a, b: a - b, 2)
elementwise("tosa.mul", lambda a, b: a * b, 2, shift=True)
elementwise("tosa.pow", floats(np.power), 2, low=0.25)
elementwise("tosa.maximum", either(max, np.maximum), 2)
elementwise("tosa.minimum", either(min, np.minimum), 2)
elementwise("tosa.intdiv", either(quotient, np.divide), 2, low=-9, high=9)
elementwise("tosa.bitwise_and", either(lambda a, b: a & b, np.add), 2, all_range=True)
elementwise("tosa.bitwise_or", either(lambda a, b: a | b, np.add), 2, all_range=True)
elementwise("tosa.bitwise_xor", either(lambda a, b: a ^ b, np.add), 2, all_range=True)
elementwise("tosa.bitwise_not", either(lambda a: ~a, np.negative), 1, all_range=True)
elementwise("tosa.logical_and", either(lambda a, b: a & b, np.add), 2)
elementwise("tosa.logical_or", either(lambda a, b: a | b, np.add), 2)
elementwise("tosa.logical_xor", either(lambda a, b: a ^ b, np.add), 2)
elementwise("tosa.logical_not", either(lambda a: ~a, np.negative), 1)
elementwise("tosa.logical_left_shift", either(lambda a, b: a << b, np.add), 2, low=0, high=5)
elementwise("tosa.logical_right_shift", either(lambda a, b: a >> b, np.add), 2, low=0, high=5)
elementwise("tosa.arithmetic_right_shift", either(lambda a, b: a >> b, np.add), 2, low=0, high=5,
            attributes="{round = false}")
elementwise("tosa.equal", lambda a, b: a == b, 2, flag=True)
elementwise("tosa.greater", lambda a, b: a > b, 2, flag=True)
elementwise("tosa.greater_equal", lambda a, b: a >= b, 2, flag=True)
elementwise("tosa.abs", either(abs, np.abs), 1)
elementwise("tosa.negate", lambda a: -a, 1, zero_points=2)
elementwise("tosa.identity", lambda a: a, 1)
elementwise("tosa.reciprocal", floats(lambda a: 1 / a), 1, low=0.25)
elementwise("tosa.rsqrt", floats(lambda a: 1 / np.sqrt(a)), 1, low=0.25)
elementwise("tosa.sigmoid", floats(lambda a: 1 / (1 + np.exp(-a))), 1)
for name, function in (("ceil", np.ceil), ("floor", np.floor), ("exp", np.exp), ("sin", np.sin), ("cos", np.cos),
                       ("tanh", np.tanh), ("erf", np.vectorize(math.erf))):
    elementwise("tosa." + name, floats(function), 1)
elementwise("tosa.log", floats(np.log), 1, low=0.25)


@sample("tosa.clz")
def clz(t: Element) -> Sample:
    x, kind = whole(t, 7), t.tensor(7)
    expected = x if t.is_float else integers(lambda a: t.bits - a.bit_length(), t.bits, t.dtype, x, unsigned=True)
    return Sample([(kind, x)], f"%y = tosa.clz %a0 : ({kind}) -> {kind}", [(kind, expected)])


@sample("tosa.clamp")
def clamp(t: Element) -> Sample:
    x, kind = values(t, 7, low=-3, high=3), t.tensor(7)
    low, high = ("-1.0", "2.0") if t.is_float else ("0" if t.kind == "u" else "-1", "2")
    # i1 has neither number, and no attribute is of a complex one.
    bound = "i8" if t.kind == "b" else "f32" if t.name.startswith("complex") else t.name
    with np.errstate(all="ignore"):
        expected = x if t.kind == "b" else np.clip(wide(x), float(low) if t.is_float else int(low), 2)
    return Sample([(kind, x)], f"%y = tosa.clamp %a0 {{min_val = {low} : {bound}, max_val = {high} : {bound}}} : "
                  f"({kind}) -> {kind}", [(kind, expected.astype(np.float64 if t.is_float else t.dtype))])


@sample("tosa.select")
def select(t: Element) -> Sample:
    c, a, b = values(FLAG, 3, 5), whole(t, 3, 5, seed=1), whole(t, 1, 5, seed=2)
    return Sample([(FLAG.tensor(3, 5), c), (t.tensor(3, 5), a), (t.tensor(1, 5), b)],
                  f"%y = tosa.select %a0, %a1, %a2 : ({FLAG.tensor(3, 5)}, {t.tensor(3, 5)}, {t.tensor(1, 5)}) -> "
                  f"{t.tensor(3, 5)}", [(t.tensor(3, 5), np.where(c, a, b))])


@sample("tosa.cast")
def cast(t: Element) -> Sample:
    to = ELEMENTS["f32"] if not t.is_float else I32
    x = values(t, 9, low=-90, high=90)
    with np.errstate(all="ignore"):
        expected = np.round(wide(x)).astype(np.int32) if t.is_float else x.astype(np.float32)
    return Sample([(t.tensor(9), x)], f"%y = tosa.cast %a0 : ({t.tensor(9)}) -> {to.tensor(9)}",
                  [(to.tensor(9), expected)])


@sample("tosa.const")
def constant(t: Element) -> Sample:
    zero = values(ELEMENTS["f32"], 1)
    x = np.zeros(3, t.dtype)
    return Sample([("tensor<1xf32>", zero)], const("y", t.tensor(3), t.zero()).strip(), [(t.tensor(3), x)])


def reduction(op: str, fn: Callable[[Array], Any], attributes: str = "") -> None:
    def build(t: Element) -> Sample:
        x = values(t, 3, 4, low=0, high=2)
        with np.errstate(all="ignore"):
            expected = fn(x if t.kind == "b" or not t.is_float else wide(x))
        kind = t.tensor(3, 1)
        return Sample([(t.tensor(3, 4), x)], f"%y = {op} %a0 {{axis = 1 : i32}} : ({t.tensor(3, 4)}) -> {kind}",
                      [(kind, expected.astype(np.float64 if t.is_float else t.dtype))], 8)
    sample(op)(build)


reduction("tosa.reduce_sum", lambda x: x.sum(1, keepdims=True) if x.dtype != np.bool_ else np.bitwise_xor.reduce(
    x, 1, keepdims=True))
reduction("tosa.reduce_product", lambda x: x.prod(1, keepdims=True))
# Extrema of signed numbers: true is -1.
reduction("tosa.reduce_max", lambda x: x.max(1, keepdims=True) if x.dtype != np.bool_ else x.all(1, keepdims=True))
reduction("tosa.reduce_min", lambda x: x.min(1, keepdims=True) if x.dtype != np.bool_ else x.any(1, keepdims=True))
reduction("tosa.reduce_all", lambda x: x.all(1, keepdims=True))
reduction("tosa.reduce_any", lambda x: x.any(1, keepdims=True))


@sample("tosa.argmax")
def argmax(t: Element) -> Sample:
    x = whole(t, 3, 4)
    expected = x.astype(np.float64).argmax(1) if t.is_float else (~x).argmax(1) if t.kind == "b" else x.argmax(1)
    return Sample([(t.tensor(3, 4), x)],
                  f"%y = tosa.argmax %a0 {{axis = 1 : i32}} : ({t.tensor(3, 4)}) -> tensor<3xi32>",
                  [("tensor<3xi32>", expected.astype(np.int32))])


def move(op: str, before: Sequence[int], body: str, fn: Callable[[Array], Any], head: str = "") -> None:
    """Moves elements; `{a}` and `{y}` are the types of operand and result."""
    def build(t: Element) -> Sample:
        x = whole(t, *before)
        expected = fn(x)
        text = (head + body).replace("{a}", t.tensor(*before)).replace("{y}", t.tensor(*expected.shape))
        return Sample([(t.tensor(*before), x)], text.replace("{t}", t.name).replace("{zero}", t.zero()),
                      [(t.tensor(*expected.shape), expected)])
    sample(op)(build)


move("tosa.reshape", (3, 4), "%y = tosa.reshape %a0, %s : ({a}, !tosa.shape<2>) -> {y}", lambda x: x.reshape(2, 6),
     shape("s", 2, 6))
move("tosa.const_shape", (3, 4), "%y = tosa.reshape %a0, %s : ({a}, !tosa.shape<1>) -> {y}", lambda x: x.reshape(12),
     shape("s", 12))
move("tosa.concat", (3, 4), "%y = tosa.concat %a0, %a0 {axis = 0 : i32} : ({a}, {a}) -> {y}",
     lambda x: np.concatenate([x, x]))
move("tosa.slice", (3, 4), "%y = tosa.slice %a0, %b, %s : ({a}, !tosa.shape<2>, !tosa.shape<2>) -> {y}",
     lambda x: x[1:3, 0:2], shape("b", 1, 0) + shape("s", 2, 2))
move("tosa.tile", (3, 4), "%y = tosa.tile %a0, %s : ({a}, !tosa.shape<2>) -> {y}", lambda x: np.tile(x, (2, 1)),
     shape("s", 2, 1))
move("tosa.transpose", (3, 4), "%y = tosa.transpose %a0 {perms = array<i32: 1, 0>} : ({a}) -> {y}", lambda x: x.T)
move("tosa.reverse", (3, 4), "%y = tosa.reverse %a0 {axis = 1 : i32} : ({a}) -> {y}", lambda x: x[:, ::-1])
move("tosa.pad", (2, 3), "%y = tosa.pad %a0, %s, %z : ({a}, !tosa.shape<4>, tensor<1x{t}>) -> {y}",
     lambda x: np.pad(x, ((1, 1), (0, 1))), shape("s", 1, 1, 0, 1) + const("z", "tensor<1x{t}>", "{zero}"))


@sample("tosa.gather")
def gather(t: Element) -> Sample:
    x, indices = whole(t, 2, 4, 3), np.array([[3, 0, 1, 2, 3], [1, 1, 0, 2, 0]], np.int32)
    kind = t.tensor(2, 5, 3)
    return Sample([(t.tensor(2, 4, 3), x), ("tensor<2x5xi32>", indices)],
                  f"%y = tosa.gather %a0, %a1 : ({t.tensor(2, 4, 3)}, tensor<2x5xi32>) -> {kind}",
                  [(kind, np.stack([x[0, indices[0]], x[1, indices[1]]]))])


@sample("tosa.scatter")
def scatter(t: Element) -> Sample:
    x, new = whole(t, 2, 4, 3, seed=1), whole(t, 2, 2, 3, seed=2)
    indices = np.array([[3, 0], [1, 2]], np.int32)
    expected = x.copy()
    for i in range(2):
        expected[i, indices[i]] = new[i]
    kind = t.tensor(2, 4, 3)
    return Sample([(kind, x), ("tensor<2x2xi32>", indices), (t.tensor(2, 2, 3), new)],
                  f"%y = tosa.scatter %a0, %a1, %a2 : ({kind}, tensor<2x2xi32>, {t.tensor(2, 2, 3)}) -> {kind}",
                  [(kind, expected)])


@sample("tosa.table")
def table(t: Element) -> Sample:
    x, entries = values(t, 9, low=-100, high=100), values(t, 256, low=-100, high=100, seed=3)
    if t.bits == 16 and not t.is_float:
        entries = values(t, 513, low=-100, high=100, seed=3)
    expected = x
    if t.name == "i8":
        expected = entries[x.astype(int) + 128]
    if t.name == "i16":
        # Linear between entries, with seven more bits.
        index, rest = (x.astype(int) + 32768) >> 7, (x.astype(int) + 32768) & 127
        expected = (entries[index].astype(np.int32) << 7) + (
            entries[index + 1].astype(np.int32) - entries[index].astype(np.int32)) * rest
    to = I32 if t.name == "i16" else t
    kind = t.tensor(len(entries))
    return Sample([(t.tensor(9), x), (kind, entries)], f"%y = tosa.table %a0, %a1 : ({t.tensor(9)}, {kind}) -> "
                  f"{to.tensor(9)}", [(to.tensor(9), expected.astype(to.dtype))])


def accumulator(t: Element) -> str:
    """tosa has no others."""
    return "i32" if not t.is_float else "f16" if t.name == "f16" else "f32"


@sample("tosa.matmul")
def matmul(t: Element) -> Sample:
    a, b = values(t, 2, 3, 4, seed=1), values(t, 2, 4, 5, seed=2)
    to = I32 if t.name == "i8" else t
    expected = np.einsum("bmk,bkn->bmn", wide(a).astype(np.float64), wide(b).astype(np.float64))
    head = const("z", t.tensor(1), t.zero())
    kind = to.tensor(2, 3, 5)
    return Sample([(t.tensor(2, 3, 4), a), (t.tensor(2, 4, 5), b)], head +
                  f"%y = tosa.matmul %a0, %a1, %z, %z : ({t.tensor(2, 3, 4)}, {t.tensor(2, 4, 5)}, {t.tensor(1)}, "
                  f"{t.tensor(1)}) -> {kind}",
                  [(kind, expected if to.is_float else expected.astype(to.dtype))], 16)


def convolution(op: str, weights: Tuple[int, ...], pads: int) -> None:
    """A convolution of 5 by 6 (by 4) images with padding 1 and stride 1, or 2."""
    spatial = 3 if op == "tosa.conv3d" else 2
    depthwise, transposed = "depthwise" in op, "transpose" in op

    def build(t: Element) -> Sample:
        to = I32 if t.name == "i8" else t
        image = (2, 4, 5, 6, 3) if spatial == 3 else (2, 5, 6, 3)
        x, w = values(t, *image, seed=1), values(t, *weights, seed=2)
        channels = weights[2] * weights[3] if depthwise else weights[0]
        bias = values(to, channels, seed=3)
        a, b = wide(x).astype(np.float64), wide(w).astype(np.float64)
        every: Any = slice(None)
        kernel = weights[:2] if depthwise else weights[1:1 + spatial]
        if transposed:
            sizes = [(n - 1) * 2 + k for n, k in zip(image[1:-1], kernel)]
            acc = np.zeros((2, *sizes, channels))
            for at in itertools.product(*(range(n) for n in image[1:-1])):
                for k in itertools.product(*(range(n) for n in kernel)):
                    to_add = a[tuple([every, *at])] @ b[tuple([every, *k])].T
                    acc[tuple([every, *(2 * i + j for i, j in zip(at, k))])] += to_add
        else:
            padded = np.pad(a, [(0, 0)] + [(1, 1)] * spatial + [(0, 0)])
            sizes = [n + 2 - k + 1 for n, k in zip(image[1:-1], kernel)]
            acc = np.zeros((2, *sizes, channels))
            for k in itertools.product(*(range(n) for n in kernel)):
                part = padded[tuple([every, *(slice(i, i + n) for i, n in zip(k, sizes))])]
                if depthwise:
                    acc += np.einsum("...c,cm->...cm", part, b[k]).reshape(acc.shape)
                else:
                    acc += part @ b[tuple([every, *k])].T
        acc = acc + wide(bias).astype(np.float64)
        head = const("z", t.tensor(1), t.zero())
        kind = to.tensor(*acc.shape)
        ones = ", ".join(["1"] * spatial)
        attributes = ("out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>" if transposed else
                      f"dilation = array<i64: {ones}>, pad = array<i64: {', '.join(['1'] * 2 * spatial)}>, "
                      f"stride = array<i64: {ones}>")
        return Sample([(t.tensor(*image), x), (t.tensor(*weights), w), (to.tensor(channels), bias)],
                      head + f"%y = {op} %a0, %a1, %a2, %z, %z {{acc_type = {accumulator(t)}, {attributes}}} : "
                      f"({t.tensor(*image)}, {t.tensor(*weights)}, {to.tensor(channels)}, {t.tensor(1)}, "
                      f"{t.tensor(1)}) -> {kind}", [(kind, acc if to.is_float else acc.astype(to.dtype))], 32)
    sample(op)(build)


convolution("tosa.conv2d", (4, 3, 2, 3), 1)
convolution("tosa.conv3d", (4, 2, 3, 2, 3), 1)
convolution("tosa.depthwise_conv2d", (3, 2, 3, 2), 1)
convolution("tosa.transpose_conv2d", (4, 3, 2, 3), 0)


def quarter(sums: Array) -> Array:
    """A quarter as tosa defines it: a product with a rounded reciprocal."""
    multiplier, shift = (((1 << 30) + 1) << 2) // 4, 32
    return np.asarray((sums * multiplier + (1 << (shift - 1))) >> shift)


def pool(op: str, fn: Callable[[Array], Any], is_mean: bool) -> None:
    def build(t: Element) -> Sample:
        x = values(t, 1, 4, 6, 2, low=-50, high=50)
        blocks = x.reshape(1, 2, 2, 3, 2, 2).transpose(0, 1, 3, 5, 2, 4).reshape(1, 2, 3, 2, 4)
        with np.errstate(all="ignore"):
            expected = fn(wide(blocks).astype(np.float64) if t.is_float or is_mean else blocks)
        kind, to = t.tensor(1, 4, 6, 2), t.tensor(1, 2, 3, 2)
        attributes = "kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>"
        if is_mean:
            return Sample([(kind, x)], const("z", t.tensor(1), t.zero()) +
                          f"%y = tosa.avg_pool2d %a0, %z, %z {{acc_type = {accumulator(t)}, {attributes}}} : "
                          f"({kind}, {t.tensor(1)}, {t.tensor(1)}) -> {to}",
                          [(to, expected if t.is_float else quarter(blocks.astype(np.int64).sum(-1)).astype(t.dtype))],
                          8)
        return Sample([(kind, x)], f"%y = tosa.max_pool2d %a0 {{{attributes}}} : ({kind}) -> {to}",
                      [(to, expected.astype(np.float64 if t.is_float else t.dtype))])
    sample(op)(build)


pool("tosa.max_pool2d", lambda x: x.max(-1), False)
pool("tosa.avg_pool2d", lambda x: x.mean(-1), True)


@sample("tosa.resize")
def resize(t: Element) -> Sample:
    x = values(t, 1, 3, 4, 2, low=-50, high=50)
    kind, to = t.tensor(1, 3, 4, 2), t.tensor(1, 6, 8, 2)
    expected = x.repeat(2, 1).repeat(2, 2)
    # Twice the size: two elements for one, the last ones by the border.
    return Sample([(kind, x)], shape("s", 2, 1, 2, 1) + shape("o", 0, 0) + shape("b", 1, 1) +
                  '%y = tosa.resize %a0, %s, %o, %b {mode = NEAREST_NEIGHBOR} : '
                  f"({kind}, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> {to}", [(to, _nearest(x, expected))])


def _nearest(x: Array, like: Array) -> Array:
    """Returns the nearest elements; positions in the middle of two elements go to the later one."""
    rows = np.minimum((np.arange(like.shape[1]) + 1) // 2, x.shape[1] - 1)
    columns = np.minimum((np.arange(like.shape[2]) + 1) // 2, x.shape[2] - 1)
    return np.asarray(x[:, rows][:, :, columns])


@sample("tosa.rescale")
def rescale(t: Element) -> Sample:
    to = ELEMENTS["i8"]
    x, kind = values(t, 9, low=-100, high=100), t.tensor(9)
    # By 2^30 / 2^31, rounded up at halves.
    expected = np.floor(wide(x).astype(np.float64) / 2 + 0.5).astype(np.int8)
    return Sample([(kind, x)], const("m", "tensor<1xi32>", "1073741824") + const("s", "tensor<1xi8>", "31") +
                  const("z", t.tensor(1), t.zero()) + const("o", "tensor<1xi8>", "0") +
                  "%y = tosa.rescale %a0, %m, %s, %z, %o {scale32 = true, rounding_mode = SINGLE_ROUND, "
                  "per_channel = false, input_unsigned = false, output_unsigned = false} : "
                  f"({kind}, tensor<1xi32>, tensor<1xi8>, {t.tensor(1)}, tensor<1xi8>) -> {to.tensor(9)}",
                  [(to.tensor(9), expected)])


@sample("tosa.apply_scale")
def apply_scale(t: Element) -> Sample:
    x, kind = values(t, 9, low=-100, high=100), t.tensor(9)
    m, s = np.full(9, 1 << 30, np.int32), np.full(9, 31, np.int8)
    expected = np.floor(wide(x).astype(np.float64) / 2 + 0.5).astype(np.int32)
    return Sample([(kind, x), ("tensor<9xi32>", m), ("tensor<9xi8>", s)],
                  "%y = tosa.apply_scale %a0, %a1, %a2 {rounding_mode = SINGLE_ROUND} : "
                  f"({kind}, tensor<9xi32>, tensor<9xi8>) -> tensor<9xi32>", [("tensor<9xi32>", expected)])


@sample("tosa.rfft2d")
def rfft2d(t: Element) -> Sample:
    x, kind, to = values(t, 1, 4, 8), t.tensor(1, 4, 8), t.tensor(1, 4, 5)
    found = np.fft.rfft2(wide(x).astype(np.float64))
    return Sample([(kind, x)], f"%y0, %y1 = tosa.rfft2d %a0 : ({kind}) -> ({to}, {to})",
                  [(to, found.real), (to, found.imag)], 64)


@sample("tosa.fft2d")
def fft2d(t: Element) -> Sample:
    x, z, kind = values(t, 1, 4, 8, seed=1), values(t, 1, 4, 8, seed=2), t.tensor(1, 4, 8)
    found = np.fft.fft2(wide(x).astype(np.float64) + 1j * wide(z).astype(np.float64))
    return Sample([(kind, x), (kind, z)], f"%y0, %y1 = tosa.fft2d %a0, %a1 {{inverse = false}} : ({kind}, {kind}) -> "
                  f"({kind}, {kind})", [(kind, found.real), (kind, found.imag)], 64)


@sample("tosa.cond_if")
def cond_if(t: Element) -> Sample:
    c, a, b = np.array(True), whole(t, 3, seed=1), whole(t, 3, seed=2)
    kind = t.tensor(3)
    return Sample([("tensor<i1>", c), (kind, a), (kind, b)],
                  f"%y = tosa.cond_if %a0 (%p = %a1, %q = %a2) : tensor<i1> ({kind}, {kind}) -> {kind} {{\n"
                  f"^bb0(%p: {kind}, %q: {kind}):\ntosa.yield %p : {kind}\n}} else {{\n"
                  f"^bb0(%p: {kind}, %q: {kind}):\ntosa.yield %q : {kind}\n}}", [(kind, a)])


@sample("tosa.while_loop")
def while_loop(t: Element) -> Sample:
    x, i = values(t, 3), np.array(0, np.int32)
    kind = t.tensor(3)
    return Sample([("tensor<i32>", i), (kind, x)],
                  f"%n, %y = tosa.while_loop (%p = %a0, %q = %a1) : (tensor<i32>, {kind}) -> (tensor<i32>, {kind}) {{\n"
                  + const("l", "tensor<i32>", "3") +
                  "%c = tosa.greater %l, %p : (tensor<i32>, tensor<i32>) -> tensor<i1>\ntosa.yield %c : tensor<i1>\n"
                  f"}} do {{\n^bb0(%p: tensor<i32>, %q: {kind}):\n" + const("k", "tensor<i32>", "1") +
                  "%s = tosa.add %p, %k : (tensor<i32>, tensor<i32>) -> tensor<i32>\n"
                  f"%r = tosa.reverse %q {{axis = 0 : i32}} : ({kind}) -> {kind}\n"
                  f"tosa.yield %s, %r : tensor<i32>, {kind}\n}}", [(kind, x[::-1])])


@sample("tosa.yield")
def tosa_yield(t: Element) -> Sample:
    return cond_if(t)


def variable(op: str, t: Element) -> Tuple[str, str]:
    """A variable of ones, of a name that no other sample has, and that name."""
    name = re.sub(r"\W", "_", f"{op}_{t.name}")
    one = "1.0" if t.is_float else "true" if t.kind == "b" else "1"
    if t.name.startswith("complex"):
        one = "(1.0, 0.0)"
    return f"tosa.variable @{name} = dense<{one}> : {t.tensor(3)}\n", name


@sample("tosa.variable")
def tosa_variable(t: Element) -> Sample:
    kind = t.tensor(3)
    head, name = variable("variable", t)
    return Sample([], f"%y = tosa.variable_read @{name} : {kind}", [(kind, np.ones(3, t.dtype))], head=head)


@sample("tosa.variable_read")
def variable_read(t: Element) -> Sample:
    x, kind = whole(t, 3), t.tensor(3)
    head, name = variable("variable_read", t)
    return Sample([(kind, x)], f"%y0 = tosa.variable_read @{name} : {kind}\ntosa.variable_write @{name}, %a0 : {kind}\n"
                  f"%y1 = tosa.variable_read @{name} : {kind}", [(kind, np.ones(3, t.dtype)), (kind, x)], head=head)


@sample("tosa.variable_write")
def variable_write(t: Element) -> Sample:
    x, kind = whole(t, 3), t.tensor(3)
    head, name = variable("variable_write", t)
    return Sample([(kind, x)], f"tosa.variable_write @{name}, %a0 : {kind}\n%y = tosa.variable_read @{name} : {kind}",
                  [(kind, x)], head=head)
