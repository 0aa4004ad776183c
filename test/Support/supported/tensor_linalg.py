# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of tensor and linalg."""

import itertools
import math
from typing import Any, Callable, Optional, Sequence, Tuple

import numpy as np

from supported.sampling import ELEMENTS, Array, Element, Sample, integers, sample, values, whole, wide

INDEX = ELEMENTS["index"]


def move(op: str, shape: Sequence[int], body: str, result: str, fn: Callable[[Array], Array]) -> None:
    """Moves elements of any type; `{t}` is the element type in `body`."""
    def build(t: Element) -> Sample:
        x = whole(t, *shape)
        return Sample([(t.tensor(*shape), x)], body.replace("{t}", t.name).replace("{zero}", t.zero()),
                      [(result.replace("{t}", t.name), fn(x))])
    sample(op)(build)


@sample("tensor.bitcast")
def bitcast(t: Element) -> Optional[Sample]:
    to = {"i": "ui", "u": "i"}.get(t.kind)
    target = ELEMENTS[to + t.name.lstrip("ui")] if to else ELEMENTS.get(f"i{t.bits}", t)
    x = whole(t, 4)
    return Sample([(t.tensor(4), x)], f"%y = tensor.bitcast %a0 : {t.tensor(4)} to {target.tensor(4)}",
                  [(target.tensor(4), x.view(target.dtype))])


move("tensor.cast", (3, 4), "%z = tensor.cast %a0 : tensor<3x4x{t}> to tensor<?x?x{t}>\n"
     "%y = tensor.cast %z : tensor<?x?x{t}> to tensor<3x4x{t}>", "tensor<3x4x{t}>", lambda x: x)
move("tensor.concat", (3, 4), "%y = tensor.concat dim(1) %a0, %a0 : (tensor<3x4x{t}>, tensor<3x4x{t}>) -> "
     "tensor<3x8x{t}>", "tensor<3x8x{t}>", lambda x: np.concatenate([x, x], 1))
move("tensor.extract", (4,), "%i = arith.constant 2 : index\n%e = tensor.extract %a0[%i] : tensor<4x{t}>\n"
     "%y = tensor.from_elements %e : tensor<1x{t}>", "tensor<1x{t}>", lambda x: x[2:3])
move("tensor.from_elements", (4,), "%i = arith.constant 1 : index\n%e = tensor.extract %a0[%i] : tensor<4x{t}>\n"
     "%y = tensor.from_elements %e, %e : tensor<2x{t}>", "tensor<2x{t}>", lambda x: x[[1, 1]])
move("tensor.splat", (4,), "%i = arith.constant 1 : index\n%e = tensor.extract %a0[%i] : tensor<4x{t}>\n"
     "%y = tensor.splat %e : tensor<2x3x{t}>", "tensor<2x3x{t}>", lambda x: np.full((2, 3), x[1], x.dtype))
move("tensor.extract_slice", (4, 6), "%y = tensor.extract_slice %a0[1, 0] [2, 3] [1, 2] : tensor<4x6x{t}> to "
     "tensor<2x3x{t}>", "tensor<2x3x{t}>", lambda x: x[1:3, 0:6:2])
move("tensor.insert_slice", (2, 3), "%e = tensor.splat_of : tensor<4x6x{t}>", "tensor<4x6x{t}>", lambda x: x)
move("tensor.insert", (4,), "%i = arith.constant 2 : index\n%j = arith.constant 0 : index\n"
     "%e = tensor.extract %a0[%j] : tensor<4x{t}>\n%y = tensor.insert %e into %a0[%i] : tensor<4x{t}>",
     "tensor<4x{t}>", lambda x: x[[0, 1, 0, 3]])
move("tensor.generate", (4,), "%y = tensor.generate {\n^bb0(%i: index):\n%e = tensor.extract %a0[%i] : tensor<4x{t}>\n"
     "tensor.yield %e : {t}\n} : tensor<4x{t}>", "tensor<4x{t}>", lambda x: x)
move("tensor.yield", (3,), "%y = tensor.generate {\n^bb0(%i: index):\n%j = arith.constant 1 : index\n"
     "%e = tensor.extract %a0[%j] : tensor<3x{t}>\ntensor.yield %e : {t}\n} : tensor<5x{t}>", "tensor<5x{t}>",
     lambda x: np.full(5, x[1], x.dtype))
move("tensor.collapse_shape", (3, 4), "%y = tensor.collapse_shape %a0 [[0, 1]] : tensor<3x4x{t}> into tensor<12x{t}>",
     "tensor<12x{t}>", lambda x: x.reshape(12))
move("tensor.expand_shape", (12,), "%y = tensor.expand_shape %a0 [[0, 1]] output_shape [3, 4] : tensor<12x{t}> into "
     "tensor<3x4x{t}>", "tensor<3x4x{t}>", lambda x: x.reshape(3, 4))
move("tensor.gather", (3, 4), "%i = arith.constant dense<[[0], [1]]> : tensor<2x1xindex>\n"
     "%y = tensor.gather %a0[%i] gather_dims([0]) : (tensor<3x4x{t}>, tensor<2x1xindex>) -> tensor<2x1x4x{t}>",
     "tensor<2x1x4x{t}>", lambda x: x[:2, None])
move("tensor.scatter", (2, 1, 4), "%i = arith.constant dense<[[0], [1]]> : tensor<2x1xindex>\n"
     "%e = tensor.empty() : tensor<2x4x{t}>\n"
     "%y = tensor.scatter %a0 into %e[%i] scatter_dims([0]) unique : (tensor<2x1x4x{t}>, tensor<2x4x{t}>, "
     "tensor<2x1xindex>) -> tensor<2x4x{t}>", "tensor<2x4x{t}>", lambda x: x[:, 0])
move("tensor.parallel_insert_slice", (4,), "%y = scf.forall (%i) in (4) shared_outs(%o = %a0) -> (tensor<4x{t}>) {\n"
     "%s = tensor.extract_slice %a0[%i] [1] [1] : tensor<4x{t}> to tensor<1x{t}>\nscf.forall.in_parallel {\n"
     "tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1x{t}> into tensor<4x{t}>\n}\n}", "tensor<4x{t}>",
     lambda x: x)
move("tensor.reshape", (3, 4), "%n = arith.constant 2 : index\n%m = arith.constant 6 : index\n"
     "%s = tensor.from_elements %n, %m : tensor<2xindex>\n"
     "%z = tensor.reshape %a0(%s) : (tensor<3x4x{t}>, tensor<2xindex>) -> tensor<?x?x{t}>\n"
     "%y = tensor.cast %z : tensor<?x?x{t}> to tensor<2x6x{t}>", "tensor<2x6x{t}>", lambda x: x.reshape(2, 6))


def _insert_slice(t: Element) -> Sample:
    x, whole_x = whole(t, 2, 3, seed=1), whole(t, 4, 6, seed=2)
    expected = whole_x.copy()
    expected[1:3, 0:6:2] = x
    return Sample([(t.tensor(2, 3), x), (t.tensor(4, 6), whole_x)],
                  f"%y = tensor.insert_slice %a0 into %a1[1, 0] [2, 3] [1, 2] : {t.tensor(2, 3)} into {t.tensor(4, 6)}",
                  [(t.tensor(4, 6), expected)])


def _size(op: str, text: str, number: int) -> None:
    def build(t: Element) -> Sample:
        x = whole(t, 3, 4)
        read = text.replace("{t}", t.tensor(3, 4))
        return Sample([(t.tensor(3, 4), x)], f"%c = arith.constant 1 : index\n%d = {read}\n"
                      "%e = arith.index_cast %d : index to i64\n%y = tensor.from_elements %e : tensor<1xi64>",
                      [("tensor<1xi64>", np.array([number], np.int64))])
    sample(op)(build)


from supported.sampling import SAMPLES  # noqa: E402

SAMPLES["tensor.insert_slice"] = _insert_slice
_size("tensor.dim", "tensor.dim %a0, %c : {t}", 4)
_size("tensor.rank", "tensor.rank %a0 : {t}", 2)


@sample("tensor.empty")
def empty(t: Element) -> Sample:
    x = whole(t, 3)
    return Sample([(t.tensor(3), x)], f"%e = tensor.empty() : {t.tensor(3)}\n"
                  f"%y = linalg.copy ins(%a0 : {t.tensor(3)}) outs(%e : {t.tensor(3)}) -> {t.tensor(3)}",
                  [(t.tensor(3), x)])


@sample("tensor.pad")
def pad(t: Element) -> Sample:
    x, kind = whole(t, 2, 3), t.tensor(4, 4)
    zero = "%z = arith.constant false" if t.kind == "b" else f"%z = arith.constant {t.zero()} : {t.name}"
    args = [(t.tensor(2, 3), x)]
    if t.kind == "u" or t.name in ("si8", "complex<f32>"):
        zero = f"%j = arith.constant 0 : index\n%z = tensor.extract %a1[%j] : {t.tensor(1)}"
        args.append((t.tensor(1), np.zeros(1, t.dtype)))
    return Sample(args, zero + f"\n%y = tensor.pad %a0 low[1, 0] high[1, 1] {{\n^bb0(%i: index, %k: index):\n"
                  f"tensor.yield %z : {t.name}\n}} : {t.tensor(2, 3)} to {kind}", [(kind, np.pad(x, ((1, 1), (0, 1))))])


# linalg -----------------------------------------------------------------------

def add(t: Element) -> str:
    return "arith.addf" if t.is_float else "arith.ori" if t.kind == "b" else "arith.addi"


def named(op: str, fn: Callable[..., Any], count: int, low: float = -2, high: float = 2, ulps: float = 4,
          unsigned: bool = False) -> None:
    """An elementwise op: `fn` of f64 arrays or of Python's integers."""
    def build(t: Element) -> Sample:
        shape, kind = (3, 5), t.tensor(3, 5)
        xs = [values(t, *shape, low=low, high=high, seed=i) for i in range(count)]
        if unsigned and not t.is_float and t.kind != "b":
            xs = [np.abs(x.astype(np.int64)).astype(t.dtype) for x in xs]
        if op.startswith("linalg.div") and not t.is_float:
            xs[1] = np.where(xs[1] == 0, np.ones((), t.dtype), xs[1]).astype(t.dtype)
        with np.errstate(all="ignore"):
            if t.is_float:
                expected = fn(*(wide(x).astype(np.float64) for x in xs))
            elif t.kind == "b" and op == "linalg.add":
                expected = xs[0] | xs[1]
            else:
                try:
                    expected = integers(fn, t.bits, t.dtype, *xs, unsigned=unsigned)
                except (TypeError, ValueError, OverflowError):
                    expected = xs[0]
        operands = ", ".join(f"%a{i}" for i in range(count))
        return Sample([(kind, x) for x in xs], f"%e = tensor.empty() : {kind}\n%y = {op} ins({operands} : "
                      f"{', '.join([kind] * count)}) outs(%e : {kind}) -> {kind}", [(kind, expected)], ulps)
    sample(op)(build)


def quotient(a: Any, b: Any) -> Any:
    if isinstance(a, int):
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return a / b


def both(ints: Callable[..., int], floats: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *xs: ints(*xs) if isinstance(xs[0], int) else floats(*xs)


def no_ints(*_: int) -> int:
    raise TypeError


named("linalg.copy", lambda a: a, 1)
named("linalg.add", lambda a, b: a + b, 2)
named("linalg.sub", lambda a, b: a - b, 2)
named("linalg.mul", lambda a, b: a * b, 2)
named("linalg.div", quotient, 2, low=1, high=9)
named("linalg.div_unsigned", both(lambda a, b: a // b, np.divide), 2, low=1, high=9, unsigned=True)
named("linalg.max", both(max, np.maximum), 2)
named("linalg.min", both(min, np.minimum), 2)
named("linalg.powf", both(no_ints, np.power), 2, low=0.25)
for name, function in (("exp", np.exp), ("abs", np.abs), ("ceil", np.ceil), ("floor", np.floor),
                       ("negf", lambda x: -x), ("round", lambda x: np.trunc(x + np.copysign(0.5, x))),
                       ("tanh", np.tanh), ("erf", np.vectorize(math.erf))):
    named("linalg." + name, both(no_ints, function), 1)
for name, function in (("log", np.log), ("reciprocal", lambda x: 1 / x), ("rsqrt", lambda x: 1 / np.sqrt(x)),
                       ("sqrt", np.sqrt), ("square", lambda x: x * x)):
    named("linalg." + name, both(no_ints, function), 1, low=0.25)


@sample("linalg.select")
def select(t: Element) -> Sample:
    kind, flag = t.tensor(3, 5), "tensor<3x5xi1>"
    c, a, b = values(ELEMENTS["i1"], 3, 5), whole(t, 3, 5, seed=1), whole(t, 3, 5, seed=2)
    return Sample([(flag, c), (kind, a), (kind, b)],
                  f"%e = tensor.empty() : {kind}\n%y = linalg.select ins(%a0, %a1, %a2 : "
                  f"{flag}, {kind}, {kind}) outs(%e : {kind}) -> {kind}", [(kind, np.where(c, a, b))])


@sample("linalg.fill")
def fill(t: Element) -> Sample:
    x = whole(t, 2)
    return Sample([(t.tensor(2), x)], f"%i = arith.constant 1 : index\n%v = tensor.extract %a0[%i] : {t.tensor(2)}\n"
                  f"%e = tensor.empty() : {t.tensor(3, 4)}\n"
                  f"%y = linalg.fill ins(%v : {t.name}) outs(%e : {t.tensor(3, 4)}) -> {t.tensor(3, 4)}",
                  [(t.tensor(3, 4), np.full((3, 4), x[1], t.dtype))])


def structured(op: str, head: str, tail: str, fn: Callable[[Array, Array], Array]) -> None:
    """An op with a body that adds its two arguments, or passes one on."""
    def build(t: Element) -> Sample:
        x, out = values(t, 3, 4, seed=1), values(t, 3, 4, seed=2)
        body = head.replace("{t}", t.name).replace("{add}", add(t))
        expected = fn(x, out)
        shape = "x".join(map(str, expected.shape))
        kind = f"tensor<{shape}x{t.name}>"
        return Sample([(t.tensor(3, 4), x), (t.tensor(3, 4), out)],
                      body, [(kind, expected.astype(t.dtype))])
    sample(op)(build)


def total(x: Array, out: Array) -> Array:
    if x.dtype == np.bool_:
        return np.asarray(x | out)
    with np.errstate(all="ignore"):
        return np.asarray((wide(x) + wide(out)).astype(x.dtype))


T = "tensor<3x4x{t}>"
structured("linalg.generic", "%y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> "
           f"(i, j)>], iterator_types = [\"parallel\", \"parallel\"]}} ins(%a0 : {T}) outs(%a1 : {T}) {{\n"
           f"^bb0(%p: {{t}}, %q: {{t}}):\n%s = {{add}} %p, %q : {{t}}\nlinalg.yield %s : {{t}}\n}} -> {T}", "", total)
structured("linalg.yield", f"%y = linalg.map ins(%a0 : {T}) outs(%a1 : {T})\n(%p: {{t}}, %q: {{t}}) {{\n"
           "linalg.yield %p : {t}\n}", "", lambda x, out: x)
structured("linalg.map", f"%y = linalg.map ins(%a0, %a1 : {T}, {T}) outs(%a1 : {T})\n"
           "(%p: {t}, %q: {t}, %r: {t}) {\n"
           "%s = {add} %p, %q : {t}\nlinalg.yield %s : {t}\n}", "", total)
structured("linalg.transpose", "%e = tensor.empty() : tensor<4x3x{t}>\n%y = linalg.transpose "
           f"ins(%a0 : {T}) outs(%e : tensor<4x3x{{t}}>) permutation = [1, 0]", "", lambda x, out: x.T)
structured("linalg.broadcast", "%e = tensor.empty() : tensor<3x2x4x{t}>\n%y = linalg.broadcast "
           f"ins(%a0 : {T}) outs(%e : tensor<3x2x4x{{t}}>) dimensions = [1]", "",
           lambda x, out: np.repeat(x[:, None], 2, 1))
structured("linalg.elementwise", "%y = linalg.elementwise kind=#linalg.elementwise_kind<max_signed> "
           f"ins(%a0, %a1 : {T}, {T}) outs(%a1 : {T}) -> {T}", "",
           lambda x, out: x & out if x.dtype == np.bool_ else np.maximum(x, out))


@sample("linalg.index")
def index(t: Element) -> Sample:
    x = values(t, 3, 4)
    return Sample([(t.tensor(3, 4), x)], "%e = tensor.empty() : tensor<3x4xi64>\n"
                  "%y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], "
                  f"iterator_types = [\"parallel\", \"parallel\"]}} ins(%a0 : {t.tensor(3, 4)}) "
                  f"outs(%e : tensor<3x4xi64>) {{\n"
                  f"^bb0(%p: {t.name}, %q: i64):\n%i = linalg.index 0 : index\n%j = linalg.index 1 : index\n"
                  "%k = arith.addi %i, %j : index\n%l = arith.index_cast %k : index to i64\nlinalg.yield %l : i64\n} "
                  "-> tensor<3x4xi64>",
                  [("tensor<3x4xi64>", np.add.outer(np.arange(3), np.arange(4)).astype(np.int64))])


@sample("linalg.reduce")
def reduce(t: Element) -> Sample:
    x, out = values(t, 3, 4, seed=1, low=0, high=1), values(t, 3, seed=2, low=0, high=1)
    with np.errstate(all="ignore"):
        expected = (x.any(1) | out) if t.kind == "b" else (wide(x).sum(1) + wide(out)).astype(t.dtype)
    return Sample([(t.tensor(3, 4), x), (t.tensor(3), out)],
                  f"%y = linalg.reduce {{ {add(t)} }} ins(%a0 : {t.tensor(3, 4)}) outs(%a1 : {t.tensor(3)}) "
                  "dimensions = [1]", [(t.tensor(3), expected)], 8)


@sample("linalg.softmax")
def softmax(t: Element) -> Sample:
    x, kind = values(t, 3, 4), t.tensor(3, 4)
    power = np.exp(wide(x).astype(np.float64))
    return Sample([(kind, x)], f"%e = tensor.empty() : {kind}\n%y = linalg.softmax dimension(1) ins(%a0 : {kind}) "
                  f"outs(%e : {kind}) -> {kind}", [(kind, power / power.sum(1, keepdims=True))], 4)


def product(op: str, einsum: str, shapes: Sequence[Sequence[int]], zero_points: int = 0, attributes: str = "",
            out_wide: bool = True) -> None:
    """A contraction; `einsum` of its operands is added to the destination."""
    def build(t: Element) -> Sample:
        a, b = (values(t, *shape, low=-2, high=2, seed=i) for i, shape in enumerate(shapes))
        to = ELEMENTS["i32"] if zero_points and t.kind in "i" else t
        letters = dict(zip(einsum.split("->")[0].replace(",", ""), [n for shape in shapes for n in shape]))
        out_shape = [letters[letter] for letter in einsum.split("->")[1]]
        out = values(to, *out_shape, seed=5)
        args = [(t.tensor(*a.shape), a), (t.tensor(*b.shape), b)]
        names, kinds, head = ["%a0", "%a1"], [args[0][0], args[1][0]], ""
        shift = (1, 2) if zero_points else (0, 0)
        for n, zero in enumerate(shift[:zero_points]):
            head += f"%z{n} = arith.constant {zero} : i32\n"
            names.append(f"%z{n}")
            kinds.append("i32")
        if t.kind == "b":
            exact = np.einsum(einsum, a.astype(int), b.astype(int)) > 0
            expected = exact | out
        elif t.is_float:
            expected = np.einsum(einsum, wide(a).astype(np.float64) - shift[0], wide(b).astype(np.float64) - shift[1])
            expected = expected + wide(out)
        else:
            wrapped = np.einsum(einsum, a.astype(np.int64) - shift[0], b.astype(np.int64) - shift[1])
            expected = integers(lambda p, q: p + q, to.bits, to.dtype, wrapped, out.astype(np.int64))
        kind = to.tensor(*out_shape)
        return Sample([*args, (kind, out)],
                      head + f"%y = {op} {attributes} ins({', '.join(names)} : {', '.join(kinds)}) "
                      f"outs(%a2 : {kind}) -> {kind}", [(kind, expected)], 16)
    sample(op)(build)


product("linalg.matmul", "mk,kn->mn", [(3, 4), (4, 5)])
product("linalg.quantized_matmul", "mk,kn->mn", [(3, 4), (4, 5)], 2)
product("linalg.batch_matmul", "bmk,bkn->bmn", [(2, 3, 4), (2, 4, 5)])
product("linalg.quantized_batch_matmul", "bmk,bkn->bmn", [(2, 3, 4), (2, 4, 5)], 2)
product("linalg.batch_reduce_matmul", "bmk,bkn->mn", [(2, 3, 4), (2, 4, 5)])
product("linalg.matvec", "mk,k->m", [(3, 4), (4,)])
product("linalg.vecmat", "k,kn->n", [(4,), (4, 5)])
product("linalg.batch_matvec", "bmk,bk->bm", [(2, 3, 4), (2, 4)])
product("linalg.batch_vecmat", "bk,bkn->bn", [(2, 4), (2, 4, 5)])
product("linalg.dot", "k,k->", [(4,), (4,)])
product("linalg.mmt4d", "mkab,nkcb->mnac", [(2, 3, 4, 5), (2, 3, 4, 5)])
product("linalg.batch_mmt4d", "zmkab,znkcb->zmnac", [(2, 2, 3, 4, 5), (2, 2, 3, 4, 5)])
product("linalg.contract", "mk,nk->mn", [(3, 4), (5, 4)],
        attributes="indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, "
                   "affine_map<(m, n, k) -> (m, n)>]")

Term = Tuple[Sequence[str], Sequence[str], Sequence[str]]
SIZES = {"n": 2, "c": 2, "f": 3, "g": 2, "m": 2, "d": 4, "h": 5, "w": 6}
KERNEL = {"d": 2, "h": 3, "w": 2}


def windows(op: str, image: str, filters: str, result: str, kind: str = "conv", zero_points: int = 0) -> None:
    """A convolution or a pool in the layout that its name says, with stride 1."""
    spatial = [letter for letter in "dhw" if letter in image]
    dilated = len(image) != len(spatial)

    def build(t: Element) -> Sample:
        out_size = {letter: SIZES[letter] - KERNEL[letter] + 1 if letter in spatial else SIZES[letter]
                    for letter in set(result) | set(spatial)}
        to = ELEMENTS["i32"] if zero_points and t.kind == "i" else t
        x = values(t, *(SIZES[letter] for letter in image), seed=1)
        k = values(t, *(KERNEL.get(letter, SIZES[letter]) for letter in filters), seed=2)
        out = values(to, *(out_size[letter] for letter in result), seed=3)
        shift = (1, 2) if zero_points else (0, 0)
        unsigned = op.endswith("_unsigned")
        if kind in ("max", "min") and t.is_float:
            out[...] = 0
        loops = sorted((set(result) | set(filters)) - set(spatial)) + spatial
        kernel_loops = [letter.upper() for letter in spatial]
        size = {**{letter: SIZES[letter] for letter in SIZES}, **out_size,
                **{letter.upper(): KERNEL[letter] for letter in spatial}}
        a = x.astype(np.float64) if t.is_float else x.astype(np.int64)
        b = k.astype(np.float64) if t.is_float else k.astype(np.int64)
        acc = out.astype(np.float64) if to.is_float else out.astype(np.int64)
        if unsigned and not t.is_float and t.kind != "b":
            # Non-negative numbers are the same, signed or not.
            x, out = np.abs(x), np.abs(out)
            a, acc = np.abs(a), np.abs(acc)
        order = loops + kernel_loops
        for point in itertools.product(*(range(size[letter]) for letter in order)):
            at = dict(zip(order, point))
            i = tuple(at[letter] + at[letter.upper()] if letter in spatial else at[letter] for letter in image)
            j = tuple(at[letter.upper()] if letter in spatial else at[letter] for letter in filters)
            o = tuple(at[letter] for letter in result)
            if kind == "conv":
                acc[o] += (a[i] - shift[0]) * (b[j] - shift[1])
            elif kind == "sum":
                acc[o] += a[i]
            elif t.kind == "b" and not unsigned:
                acc[o] = max(acc[o], a[i]) if kind == "min" else min(acc[o], a[i])
            else:
                acc[o] = max(acc[o], a[i]) if kind == "max" else min(acc[o], a[i])
        expected = acc if to.is_float else (acc > 0) if to.kind == "b" else integers(
            lambda p: p, to.bits, to.dtype, acc.astype(np.int64))
        head, names = "", ["%a0", "%a1"]
        kinds = [t.tensor(*x.shape), t.tensor(*k.shape)]
        for n, zero in enumerate(shift[:zero_points]):
            head += f"%z{n} = arith.constant {zero} : i32\n"
            names.append(f"%z{n}")
            kinds.append("i32")
        ones = f"dense<1> : tensor<{len(spatial)}xi64>"
        attributes = f"{{strides = {ones}, dilations = {ones}}}" if dilated else ""
        type_out = to.tensor(*out.shape)
        return Sample([(t.tensor(*x.shape), x), (t.tensor(*k.shape), k), (type_out, out)],
                      head + f"%y = {op} {attributes} ins({', '.join(names)} : {', '.join(kinds)}) "
                      f"outs(%a2 : {type_out}) -> {type_out}", [(type_out, expected)], 32)
    sample(op)(build)


def conv(name: str) -> None:
    parts = name.split("_")
    zero_points = 2 if parts[-1] == "q" else 0
    if zero_points:
        parts = parts[:-1]
    depthwise = parts[0] == "depthwise"
    dims = int(parts[parts.index("conv") + 1][0])
    layouts = parts[parts.index("conv") + 2:]
    if not layouts:
        spatial = "dhw"[3 - dims:]
        windows("linalg." + name, spatial, spatial, spatial)
        return
    image, filters = layouts
    if depthwise:
        result = image + "m" if "m" in filters else image
    else:
        result = image.replace("c", "f")
    windows("linalg." + name, image, filters, result, zero_points=zero_points)


for name in ("conv_1d", "conv_2d", "conv_3d", "conv_1d_nwc_wcf", "conv_1d_ncw_fcw", "conv_2d_nhwc_hwcf",
             "conv_2d_nhwc_fhwc", "conv_2d_nhwc_hwcf_q", "conv_2d_nhwc_fhwc_q", "conv_2d_nchw_fchw",
             "conv_2d_nchw_fchw_q", "conv_2d_ngchw_fgchw", "conv_2d_ngchw_gfchw", "conv_2d_ngchw_gfchw_q",
             "conv_2d_nhwgc_gfhwc", "conv_2d_nhwgc_gfhwc_q", "conv_3d_ndhwc_dhwcf", "conv_3d_ndhwc_dhwcf_q",
             "conv_3d_ncdhw_fcdhw", "depthwise_conv_1d_nwc_wc", "depthwise_conv_1d_ncw_cw",
             "depthwise_conv_1d_nwc_wcm", "depthwise_conv_2d_nhwc_hwc", "depthwise_conv_2d_nchw_chw",
             "depthwise_conv_2d_nhwc_hwc_q", "depthwise_conv_2d_nhwc_hwcm", "depthwise_conv_2d_nhwc_hwcm_q",
             "depthwise_conv_3d_ndhwc_dhwc", "depthwise_conv_3d_ncdhw_cdhw", "depthwise_conv_3d_ndhwc_dhwcm"):
    conv(name)
for name in ("nhwc_sum", "nchw_sum", "nhwc_max", "nhwc_max_unsigned", "nchw_max", "nhwc_min", "nhwc_min_unsigned",
             "nwc_sum", "ncw_sum", "nwc_max", "nwc_max_unsigned", "ncw_max", "nwc_min", "nwc_min_unsigned", "ndhwc_sum",
             "ndhwc_max", "ndhwc_min"):
    layout, reduction = name.split("_")[:2]
    window = "".join(letter for letter in layout if letter in "dhw")
    windows("linalg.pooling_" + name, layout, window, layout, reduction)


@sample("linalg.pack")
def pack(t: Element) -> Sample:
    x, kind = values(t, 4, 6), t.tensor(2, 2, 2, 3)
    return Sample([(t.tensor(4, 6), x)], f"%e = tensor.empty() : {kind}\n%y = linalg.pack %a0 inner_dims_pos = [0, 1] "
                  f"inner_tiles = [2, 3] into %e : {t.tensor(4, 6)} -> {kind}",
                  [(kind, x.reshape(2, 2, 2, 3).transpose(0, 2, 1, 3))])


@sample("linalg.unpack")
def unpack(t: Element) -> Sample:
    x, kind = values(t, 2, 2, 2, 3), t.tensor(4, 6)
    return Sample([(t.tensor(2, 2, 2, 3), x)], f"%e = tensor.empty() : {kind}\n%y = linalg.unpack %a0 inner_dims_pos = "
                  f"[0, 1] inner_tiles = [2, 3] into %e : {t.tensor(2, 2, 2, 3)} -> {kind}",
                  [(kind, x.transpose(0, 2, 1, 3).reshape(4, 6))])


@sample("linalg.fill_rng_2d")
def fill_rng_2d(t: Element) -> Sample:
    """Upstream's generator: of the row and the seed, then of the column and that."""
    def step(x: Array) -> Array:
        return np.asarray((x.astype(np.int64) * 1103515245 + 12345).astype(np.int32).astype(np.int64))

    drawn = step(np.arange(4)[None, :] + step(np.arange(3)[:, None] + 42))
    expected = (drawn + 2147483647.0) * (100.0 * 2.3283064e-10) + 1.0
    kind = t.tensor(3, 4)
    x = values(t, 3, 4)
    return Sample([(kind, x)], "%l = arith.constant 1.0 : f64\n%h = arith.constant 101.0 : f64\n"
                  f"%s = arith.constant 42 : i32\n%y = linalg.fill_rng_2d ins(%l, %h, %s : f64, f64, i32) "
                  f"outs(%a0 : {kind}) -> {kind}", [(kind, expected.astype(t.dtype))])
