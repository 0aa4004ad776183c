# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One or more numeric samples of every derivative rule.

`SAMPLES` maps the name of each op that has a rule to functions of f64 tensors
with small odd shapes, a dynamic extent among them, and inputs away from kinks.
A driver checks each sample by central differences, <J v, u> = <v, J^T u>, and by
differentiating twice, which also shows that a rule emits only ops with rules.
`test/Autodiff/rules-covered.test` fails where a rule has no sample.
"""

import re
from dataclasses import dataclass
from typing import Callable, Dict, List, Tuple

try:
    import numpy as np
except ImportError:  # The table of names is of use without inputs.
    np = None


# ---------------------------------------------------------------------------
# Inputs: functions of a numpy Generator and a shape
# ---------------------------------------------------------------------------

def within(low: float, high: float) -> Callable:
    """Uniform draws from [low, high)."""
    return lambda rng, shape: rng.uniform(low, high, shape)


def signed(low: float, high: float) -> Callable:
    """Magnitudes from [low, high), either sign."""
    return lambda rng, shape: rng.uniform(low, high, shape) * rng.choice([-1.0, 1.0], shape)


def apart(offset: float) -> Callable:
    """Distinct numbers, at least 0.25 from each other and from those of another offset."""
    def draw(rng, shape):
        count = int(np.prod(shape, dtype=int))
        return (rng.permutation(count) - count / 2).reshape(shape) * 1.0 + offset
    return draw


def integers(low: int, high: int) -> Callable:
    """Integers from [low, high]."""
    return lambda rng, shape: rng.integers(low, high + 1, shape)


@dataclass
class Arg:
    """An argument: its MLIR type, its extents in the sample and its values."""
    type: str
    shape: Tuple[int, ...]
    draw: Callable
    # Whether the sample is differentiated with respect to it.
    wrt: bool = True


@dataclass
class Sample:
    """A function of `%a0`, `%a1`, ... with the value `%y` of type `result`."""
    args: List[Arg]
    body: str
    result: str
    # What the derivative with respect to each argument is known to be: 0.
    constant: bool = False
    # Relative tolerance of central differences.
    tolerance: float = 1e-6
    # The static type of the result where no argument has its extents: an entry
    # can return only extents that are known before it runs.
    static_result: str = ""

    @property
    def wrt(self) -> List[int]:
        return [i for i, arg in enumerate(self.args) if arg.wrt]

    def signature(self) -> str:
        return ", ".join(f"%a{i}: {arg.type}" for i, arg in enumerate(self.args))

    def module(self) -> str:
        """A module with

        * `@f(args) -> y`,
        * `@vjp(args, u) -> gradients`: of <y, u> with respect to each `wrt`,
        * `@second(args, u, vs) -> gradients`: of <vjp, vs> likewise,
        * `@jvp(args, vs) -> derivative`: of y along vs.
        """
        types = [self.args[i].type for i in self.wrt]
        names = [f"%a{i}" for i in self.wrt]
        many = len(types) > 1
        outer = self.static_result or self.result

        def gradients(name: str) -> str:
            return ", ".join(f"%{name}#{k}" for k in range(len(types))) if many else f"%{name}"

        def gradient(name, ys, y_types, grads):
            left = f"%{name}:{len(types)}" if many else f"%{name}"
            return (f"  {left} = train.gradient {ys} wrt {', '.join(names)} grad_ys {grads} "
                    f"unconnected zeros : ({', '.join(y_types + types + y_types)}) -> "
                    f"({', '.join(types)})\n")

        joined = ", ".join(types)
        first = gradient("first", "%y", [self.result], "%weights")
        second = gradient("second", gradients("first"), types, ", ".join(f"%dual{k}" for k in range(len(types))))
        vs = ", ".join(f"%dual{k}: {type}" for k, type in enumerate(types))
        head = self.signature()
        body = "".join(f"  {line.strip()}\n" for line in self.body.strip().splitlines())
        along = ", ".join(f"%dual{k}" for k in range(len(types)))
        forward = body + (f"  %jvp = train.jvp %y wrt {', '.join(names)} tangents {along} : "
                          f"({', '.join([self.result] + types + types)}) -> {self.result}\n")
        returned, u, moved, start = "%y", "%weights", "%jvp", body
        if self.static_result:
            returned, u = "%y_static", "%weights_static"
            start = body + f"  %weights = tensor.cast %weights_static : {outer} to {self.result}\n"
            forward += f"  %jvp_static = tensor.cast %jvp : {self.result} to {outer}\n"
            moved = "%jvp_static"
            body += f"  %y_static = tensor.cast %y : {self.result} to {outer}\n"
        return (
            f"func.func @f({head}) -> {outer} {{\n{body}  return {returned} : {outer}\n}}\n"
            f"func.func @vjp({head}, {u}: {outer}) -> ({joined}) {{\n{start}{first}"
            f"  return {gradients('first')} : {joined}\n}}\n"
            f"func.func @second({head}, {u}: {outer}, {vs}) -> ({joined}) {{\n{start}{first}{second}"
            f"  return {gradients('second')} : {joined}\n}}\n"
            f"func.func @jvp({head}, {vs}) -> {outer} {{\n{forward}  return {moved} : {outer}\n}}\n")


SAMPLES: Dict[str, List[Sample]] = {}


def sample(op: str, args: List[Arg], body: str, result: str, **options) -> None:
    SAMPLES.setdefault(op, []).append(Sample(args, body, result, **options))


def arg(type: str, draw: Callable = within(-2.0, 2.0), extents: Tuple[int, ...] = (3, 5), wrt: bool = True) -> Arg:
    """An argument whose dynamic extents take the numbers of `extents` in turn."""
    dims = re.match(r"tensor<((?:[0-9?]+x)*)", type)
    free = iter(extents)
    shape = tuple(next(free) if dim == "?" else int(dim)
                  for dim in (dims.group(1).split("x")[:-1] if dims else []))
    return Arg(type, shape, draw, wrt)


# ---------------------------------------------------------------------------
# Elementwise ops
# ---------------------------------------------------------------------------

MATRIX = "tensor<?x3xf64>"


def elementwise(op: str, *draws: Callable, **options) -> None:
    """A dynamic and a rank-0 sample of an op whose operands have one type."""
    for type in (MATRIX, "tensor<f64>"):
        operands = ", ".join(f"%a{i}" for i in range(len(draws)))
        sample(op, [arg(type, draw) for draw in draws], f"%y = {op} {operands} : {type}", type, **options)


elementwise("arith.addf", within(-2, 2), within(-2, 2))
elementwise("arith.subf", within(-2, 2), within(-2, 2))
elementwise("arith.mulf", within(-2, 2), within(-2, 2))
elementwise("arith.divf", within(-2, 2), signed(0.5, 2))
elementwise("arith.remf", apart(0.3), lambda rng, shape: np.full(shape, 1.7) * rng.choice([-1.0, 1.0], shape))
elementwise("arith.negf", within(-2, 2))
for op in ("arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"):
    elementwise(op, apart(0.0), apart(0.5))
sample("arith.select",
       [arg("tensor<?x3xi1>", lambda rng, shape: rng.integers(0, 2, shape).astype(bool), wrt=False),
        arg(MATRIX), arg(MATRIX)],
       f"%y = arith.select %a0, %a1, %a2 : tensor<?x3xi1>, {MATRIX}", MATRIX)
sample("arith.select",
       [arg("tensor<i1>", lambda rng, shape: np.bool_(True), wrt=False), arg(MATRIX), arg(MATRIX)],
       f"%c = tensor.extract %a0[] : tensor<i1>\n%y = arith.select %c, %a1, %a2 : {MATRIX}", MATRIX)
# Single precision inside: differences see its rounding.
sample("arith.extf", [arg(MATRIX)],
       f"%t = arith.truncf %a0 : {MATRIX} to tensor<?x3xf32>\n"
       f"%y = arith.extf %t : tensor<?x3xf32> to {MATRIX}", MATRIX, tolerance=1e-2)
sample("arith.truncf", [arg(MATRIX)],
       f"%t = arith.truncf %a0 : {MATRIX} to tensor<?x3xf32>\n"
       "%s = arith.mulf %t, %t : tensor<?x3xf32>\n"
       f"%y = arith.extf %s : tensor<?x3xf32> to {MATRIX}", MATRIX, tolerance=1e-2)

elementwise("math.absf", signed(0.5, 2))
for op in ("nn.sigmoid", "nn.softplus", "nn.gelu"):
    elementwise(op, within(-3, 3))
elementwise("math.acos", within(-0.9, 0.9))
elementwise("math.acosh", within(1.2, 3))
elementwise("math.asin", within(-0.9, 0.9))
elementwise("math.asinh", within(-2, 2))
elementwise("math.atan", within(-2, 2))
elementwise("math.atan2", signed(0.5, 2), signed(0.5, 2))
elementwise("math.atanh", within(-0.9, 0.9))
elementwise("math.cbrt", signed(0.5, 2))
elementwise("math.copysign", signed(0.5, 2), signed(0.5, 2))
elementwise("math.cos", within(-2, 2))
elementwise("math.cosh", within(-2, 2))
elementwise("math.erf", within(-2, 2))
elementwise("math.erfc", within(-2, 2))
elementwise("math.exp", within(-2, 2))
elementwise("math.exp2", within(-2, 2))
elementwise("math.expm1", within(-2, 2))
elementwise("math.fma", within(-2, 2), within(-2, 2), within(-2, 2))
elementwise("math.log", within(0.5, 2))
elementwise("math.log10", within(0.5, 2))
elementwise("math.log1p", within(-0.5, 2))
elementwise("math.log2", within(0.5, 2))
elementwise("math.powf", within(0.5, 2), within(-2, 2))
elementwise("math.rsqrt", within(0.5, 2))
elementwise("math.sin", within(-2, 2))
elementwise("math.sinh", within(-2, 2))
elementwise("math.sqrt", within(0.5, 2))
elementwise("math.tan", within(-1, 1))
elementwise("math.tanh", within(-2, 2))
for op in ("math.ceil", "math.floor", "math.round", "math.roundeven", "math.trunc"):
    elementwise(op, apart(0.3), constant=True)
sample("math.clampf", [arg(MATRIX, apart(0.3)), arg(MATRIX, within(-2.1, -1.9)), arg(MATRIX, within(1.9, 2.1))],
       f"%y = math.clampf %a0 to [%a1, %a2] : {MATRIX}", MATRIX)
sample("math.fpowi", [arg(MATRIX, signed(0.5, 2)), arg("tensor<?x3xi32>", integers(-2, 3), wrt=False)],
       f"%y = math.fpowi %a0, %a1 : {MATRIX}, tensor<?x3xi32>", MATRIX)
sample("math.sincos", [arg(MATRIX)],
       f"%s, %c = math.sincos %a0 : {MATRIX}\n%d = arith.mulf %c, %c : {MATRIX}\n"
       f"%y = arith.addf %s, %d : {MATRIX}", MATRIX)
sample("math.sincos", [arg(MATRIX)], f"%s, %y = math.sincos %a0 : {MATRIX}", MATRIX)

# ---------------------------------------------------------------------------
# nn
# ---------------------------------------------------------------------------

for ta in (False, True):
    for tb in (False, True):
        a = "tensor<3x?xf64>" if ta else "tensor<?x3xf64>"
        b = "tensor<2x3xf64>" if tb else "tensor<3x2xf64>"
        flags = [name for name, on in (("transpose_a", ta), ("transpose_b", tb)) if on]
        sample("nn.matmul", [arg(a, extents=(5,)), arg(b)],
               f"%y = nn.matmul %a0, %a1 {{{', '.join(flags)}}} : ({a}, {b}) -> tensor<?x2xf64>", "tensor<?x2xf64>")
sample("nn.dense", [arg("tensor<?x3xf64>", extents=(5,)), arg("tensor<3x2xf64>"), arg("tensor<2xf64>")],
       "%y = nn.dense %a0, %a1, %a2 : (tensor<?x3xf64>, tensor<3x2xf64>, tensor<2xf64>) -> tensor<?x2xf64>",
       "tensor<?x2xf64>")
sample("nn.relu", [arg(MATRIX, signed(0.5, 2))], f"%y = nn.relu %a0 : {MATRIX}", MATRIX)
sample("nn.relu", [arg("tensor<5xf64>", signed(0.5, 2))], "%y = nn.relu %a0 : tensor<5xf64>", "tensor<5xf64>")
sample("nn.softmax", [arg("tensor<?x2x3xf64>")], "%y = nn.softmax %a0 : tensor<?x2x3xf64>", "tensor<?x2x3xf64>")
sample("nn.softmax", [arg("tensor<5xf64>")], "%y = nn.softmax %a0 : tensor<5xf64>", "tensor<5xf64>")
for reduction, loss in (("none", "tensor<?xf64>"), ("mean", "tensor<f64>"), ("sum", "tensor<f64>")):
    sample("nn.softmax_cross_entropy", [arg("tensor<?x5xf64>"), arg("tensor<?x5xf64>", within(0, 1))],
           f"%y = nn.softmax_cross_entropy %a0, %a1 reduction {reduction} : "
           f"(tensor<?x5xf64>, tensor<?x5xf64>) -> {loss}", loss)
    sample("nn.sparse_softmax_cross_entropy",
           [arg("tensor<?x5xf64>"), arg("tensor<?xi32>", integers(0, 4), wrt=False)],
           f"%y = nn.sparse_softmax_cross_entropy %a0, %a1 reduction {reduction} : "
           f"(tensor<?x5xf64>, tensor<?xi32>) -> {loss}", loss)
sample("nn.softmax_cross_entropy", [arg("tensor<3x5xf64>"), arg("tensor<?x5xf64>", within(0, 1))],
       "%y = nn.softmax_cross_entropy %a0, %a1 : (tensor<3x5xf64>, tensor<?x5xf64>) -> tensor<f64>", "tensor<f64>")
for source, dims in (("tensor<3xf64>", "[1]"), ("tensor<?x1xf64>", "[0, 1]"), ("tensor<?xf64>", "[0]"),
                     ("tensor<1xf64>", "[1]"), ("tensor<f64>", "[]"), ("tensor<1x1xf64>", "[0, 1]")):
    sample("nn.broadcast", [arg(source), arg(MATRIX)],
           f"%y = nn.broadcast %a0 dims {dims} like %a1 : ({source}, {MATRIX}) -> {MATRIX}", MATRIX)
sample("nn.broadcast", [arg("tensor<2x1xf64>")],
       "%y = nn.broadcast %a0 dims [1, 3] : (tensor<2x1xf64>) -> tensor<3x2x1x5xf64>", "tensor<3x2x1x5xf64>")
for kind in ("sum", "mean", "max", "min", "prod"):
    draw = apart(0.3)
    for axes, flat, kept in (("[0]", "tensor<3x?xf64>", "tensor<1x3x?xf64>"),
                             ("[0, 2]", "tensor<3xf64>", "tensor<1x3x1xf64>"),
                             ("[0, 1, 2]", "tensor<f64>", "tensor<1x1x1xf64>")):
        sample("nn.reduce", [arg("tensor<?x3x?xf64>", draw if kind != "prod" else signed(0.5, 1.5), (2, 3))],
               f"%y = nn.reduce {kind} %a0 axes {axes} : tensor<?x3x?xf64> -> {flat}", flat)
        sample("nn.reduce", [arg("tensor<?x3x?xf64>", draw if kind != "prod" else signed(0.5, 1.5), (2, 3))],
               f"%y = nn.reduce {kind} %a0 axes {axes} keepdims : tensor<?x3x?xf64> -> {kept}", kept)
sample("nn.reduce", [arg("tensor<?x3xf64>")],
       "%y = nn.reduce sum %a0 axes [0] keepdims : tensor<?x3xf64> -> tensor<?x3xf64>", "tensor<?x3xf64>",
       static_result="tensor<1x3xf64>")

# ---------------------------------------------------------------------------
# tensor
# ---------------------------------------------------------------------------

# Where extents are computed from others, the arguments are static.
sample("tensor.cast", [arg("tensor<3x3xf64>")],
       "%d = tensor.cast %a0 : tensor<3x3xf64> to tensor<?x3xf64>\n"
       "%y = tensor.cast %d : tensor<?x3xf64> to tensor<3x?xf64>",
       "tensor<3x?xf64>",
       static_result="tensor<3x3xf64>")
sample("tensor.expand_shape", [arg("tensor<4x3xf64>")],
       "%d = tensor.cast %a0 : tensor<4x3xf64> to tensor<?x3xf64>\n"
       "%zero = arith.constant 0 : index\n%two = arith.constant 2 : index\n"
       "%n = tensor.dim %d, %zero : tensor<?x3xf64>\n%m = arith.divui %n, %two : index\n"
       "%y = tensor.expand_shape %d [[0, 1], [2]] output_shape [%m, 2, 3] : "
       "tensor<?x3xf64> into tensor<?x2x3xf64>", "tensor<?x2x3xf64>",
       static_result="tensor<2x2x3xf64>")
sample("tensor.collapse_shape", [arg("tensor<3x3x2xf64>")],
       "%d = tensor.cast %a0 : tensor<3x3x2xf64> to tensor<?x3x2xf64>\n"
       "%y = tensor.collapse_shape %d [[0, 1], [2]] : tensor<?x3x2xf64> into tensor<?x2xf64>", "tensor<?x2xf64>",
       static_result="tensor<9x2xf64>")
sample("tensor.reshape", [arg("tensor<4x3xf64>")],
       "%s = arith.constant dense<[2, 6]> : tensor<2xindex>\n"
       "%y = tensor.reshape %a0(%s) : (tensor<4x3xf64>, tensor<2xindex>) -> tensor<2x6xf64>", "tensor<2x6xf64>")
sample("tensor.extract_slice", [arg("tensor<?x5xf64>")],
       "%y = tensor.extract_slice %a0[1, 0] [2, 3] [1, 2] : tensor<?x5xf64> to tensor<2x3xf64>", "tensor<2x3xf64>")
sample("tensor.extract_slice", [arg("tensor<?x5xf64>")],
       "%n = arith.constant 2 : index\n"
       "%y = tensor.extract_slice %a0[%n, 1] [1, %n] [1, 1] : tensor<?x5xf64> to tensor<?xf64>", "tensor<?xf64>",
       static_result="tensor<2xf64>")
sample("tensor.insert_slice", [arg("tensor<2x3xf64>"), arg("tensor<?x5xf64>")],
       "%y = tensor.insert_slice %a0 into %a1[1, 0] [2, 3] [1, 2] : tensor<2x3xf64> into tensor<?x5xf64>",
       "tensor<?x5xf64>")
sample("tensor.insert_slice", [arg("tensor<2xf64>"), arg("tensor<?x5xf64>")],
       "%n = arith.constant 2 : index\n%d = tensor.cast %a0 : tensor<2xf64> to tensor<?xf64>\n"
       "%y = tensor.insert_slice %d into %a1[%n, 1] [1, %n] [1, 1] : tensor<?xf64> into tensor<?x5xf64>",
       "tensor<?x5xf64>")
sample("tensor.concat", [arg("tensor<?x3xf64>"), arg("tensor<2x3xf64>"), arg("tensor<?x3xf64>", extents=(1,))],
       "%y = tensor.concat dim(0) %a0, %a1, %a2 : (tensor<?x3xf64>, tensor<2x3xf64>, tensor<?x3xf64>) -> "
       "tensor<?x3xf64>", "tensor<?x3xf64>",
       static_result="tensor<6x3xf64>")
sample("tensor.concat", [arg("tensor<?x3xf64>"), arg("tensor<?x2xf64>")],
       "%y = tensor.concat dim(1) %a0, %a1 : (tensor<?x3xf64>, tensor<?x2xf64>) -> tensor<?x5xf64>",
       "tensor<?x5xf64>")
sample("tensor.pad", [arg("tensor<?x3xf64>")],
       "%p = arith.constant 7.0 : f64\n%y = tensor.pad %a0 low[1, 0] high[2, 1] {\n^bb0(%i: index, %j: index):\n"
       "tensor.yield %p : f64\n} : tensor<?x3xf64> to tensor<?x4xf64>", "tensor<?x4xf64>",
       static_result="tensor<6x4xf64>")
sample("tensor.splat", [arg("tensor<f64>")],
       "%n = arith.constant 3 : index\n%s = tensor.extract %a0[] : tensor<f64>\n"
       "%y = tensor.splat %s[%n] : tensor<2x?xf64>", "tensor<2x?xf64>",
       static_result="tensor<2x3xf64>")
sample("tensor.extract", [arg("tensor<?x3xf64>")],
       "%i = arith.constant 1 : index\n%s = tensor.extract %a0[%i, %i] : tensor<?x3xf64>\n"
       "%t = arith.mulf %s, %s : f64\n%y = tensor.from_elements %t, %s : tensor<2xf64>", "tensor<2xf64>")
sample("tensor.from_elements", [arg("tensor<4xf64>")],
       "%i = arith.constant 1 : index\n%j = arith.constant 3 : index\n"
       "%s = tensor.extract %a0[%i] : tensor<4xf64>\n%t = tensor.extract %a0[%j] : tensor<4xf64>\n"
       "%y = tensor.from_elements %s, %t, %s, %s, %s, %t : tensor<2x3xf64>", "tensor<2x3xf64>")
sample("tensor.insert", [arg("tensor<f64>"), arg("tensor<?x3xf64>")],
       "%i = arith.constant 1 : index\n%s = tensor.extract %a0[] : tensor<f64>\n"
       "%y = tensor.insert %s into %a1[%i, %i] : tensor<?x3xf64>", "tensor<?x3xf64>")

# ---------------------------------------------------------------------------
# linalg
# ---------------------------------------------------------------------------

sample("linalg.transpose", [arg("tensor<?x3x2xf64>", extents=(5,))],
       "%zero = arith.constant 0 : index\n%n = tensor.dim %a0, %zero : tensor<?x3x2xf64>\n"
       "%e = tensor.empty(%n) : tensor<3x2x?xf64>\n"
       "%y = linalg.transpose ins(%a0 : tensor<?x3x2xf64>) outs(%e : tensor<3x2x?xf64>) permutation = [1, 2, 0]",
       "tensor<3x2x?xf64>")
sample("linalg.broadcast", [arg("tensor<?xf64>", extents=(5,))],
       "%zero = arith.constant 0 : index\n%n = tensor.dim %a0, %zero : tensor<?xf64>\n"
       "%e = tensor.empty(%n) : tensor<3x?x2xf64>\n"
       "%y = linalg.broadcast ins(%a0 : tensor<?xf64>) outs(%e : tensor<3x?x2xf64>) dimensions = [0, 2]",
       "tensor<3x?x2xf64>")
sample("linalg.fill", [arg("tensor<f64>"), arg("tensor<?x3xf64>")],
       "%s = tensor.extract %a0[] : tensor<f64>\n"
       "%y = linalg.fill ins(%s : f64) outs(%a1 : tensor<?x3xf64>) -> tensor<?x3xf64>", "tensor<?x3xf64>")
sample("linalg.reduce", [arg("tensor<?x3x2xf64>"), arg("tensor<3xf64>")],
       "%y = linalg.reduce { arith.addf } ins(%a0 : tensor<?x3x2xf64>) outs(%a1 : tensor<3xf64>) "
       "dimensions = [0, 2]", "tensor<3xf64>")
sample("linalg.matmul", [arg("tensor<?x3xf64>", extents=(5,)), arg("tensor<3x2xf64>"),
                         arg("tensor<?x2xf64>", extents=(5,))],
       "%y = linalg.matmul ins(%a0, %a1 : tensor<?x3xf64>, tensor<3x2xf64>) outs(%a2 : tensor<?x2xf64>) "
       "-> tensor<?x2xf64>", "tensor<?x2xf64>")


def destination(type: str, name: str = "%e") -> str:
    """A destination of a type with a static shape that is overwritten."""
    return f"{name} = tensor.empty() : {type}\n"


# Named elementwise ops, through their bodies.
for op, draw in (("abs", signed(0.5, 2)), ("erf", within(-2, 2)), ("exp", within(-2, 2)), ("log", within(0.5, 2)),
                 ("negf", within(-2, 2)), ("reciprocal", signed(0.5, 2)), ("rsqrt", within(0.5, 2)),
                 ("sqrt", within(0.5, 2)), ("square", within(-2, 2)), ("tanh", within(-2, 2)),
                 ("copy", within(-2, 2))):
    sample(f"linalg.{op}", [arg(MATRIX, draw), arg(MATRIX)],
           f"%y = linalg.{op} ins(%a0 : {MATRIX}) outs(%a1 : {MATRIX}) -> {MATRIX}", MATRIX)
for op in ("ceil", "floor", "round"):
    sample(f"linalg.{op}", [arg(MATRIX, apart(0.3)), arg(MATRIX)],
           f"%y = linalg.{op} ins(%a0 : {MATRIX}) outs(%a1 : {MATRIX}) -> {MATRIX}", MATRIX, constant=True)
for op, draws in (("add", (within(-2, 2), within(-2, 2))), ("sub", (within(-2, 2), within(-2, 2))),
                  ("mul", (within(-2, 2), within(-2, 2))), ("div", (within(-2, 2), signed(0.5, 2))),
                  ("max", (apart(0.0), apart(0.5))), ("min", (apart(0.0), apart(0.5))),
                  ("powf", (within(0.5, 2), within(-2, 2)))):
    sample(f"linalg.{op}", [arg(MATRIX, draw) for draw in draws] + [arg(MATRIX)],
           f"%y = linalg.{op} ins(%a0, %a1 : {MATRIX}, {MATRIX}) outs(%a2 : {MATRIX}) -> {MATRIX}", MATRIX)
sample("linalg.select",
       [arg("tensor<?x3xi1>", lambda rng, shape: rng.integers(0, 2, shape).astype(bool), wrt=False),
        arg(MATRIX), arg(MATRIX), arg(MATRIX)],
       f"%y = linalg.select ins(%a0, %a1, %a2 : tensor<?x3xi1>, {MATRIX}, {MATRIX}) outs(%a3 : {MATRIX}) -> {MATRIX}",
       MATRIX)
sample("linalg.elementwise", [arg("tensor<3xf64>"), arg(MATRIX), arg(MATRIX)],
       "%y = linalg.elementwise kind=#linalg.elementwise_kind<mul> "
       "indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>] "
       f"ins(%a0, %a1 : tensor<3xf64>, {MATRIX}) outs(%a2 : {MATRIX}) -> {MATRIX}", MATRIX)
sample("linalg.map", [arg(MATRIX), arg(MATRIX), arg(MATRIX)],
       f"%y = linalg.map ins(%a0, %a1 : {MATRIX}, {MATRIX}) outs(%a2 : {MATRIX}) "
       "(%p: f64, %q: f64, %o: f64) { %s = math.sin %p : f64 %t = arith.mulf %s, %q : f64 linalg.yield %t : f64 }",
       MATRIX)

# Named contractions, which add to their destination.
for op, types in (("dot", ("5", "5", "")), ("matvec", ("?x3", "3", "?")), ("vecmat", ("3", "3x2", "2")),
                  ("batch_matmul", ("2x?x3", "2x3x4", "2x?x4")), ("batch_matvec", ("2x4x3", "2x3", "2x4")),
                  ("batch_vecmat", ("2x3", "2x3x4", "2x4")),
                  ("batch_reduce_matmul", ("2x?x3", "2x3x4", "?x4")),
                  ("mmt4d", ("2x3x1x2", "2x3x4x2", "2x2x1x4")),
                  ("batch_mmt4d", ("2x2x3x1x2", "2x2x3x2x2", "2x2x2x1x2"))):
    a, b, c = (f"tensor<{shape}{'x' if shape else ''}f64>" for shape in types)
    sample(f"linalg.{op}", [arg(type, extents=(5,)) for type in (a, b, c)],
           f"%y = linalg.{op} ins(%a0, %a1 : {a}, {b}) outs(%a2 : {c}) -> {c}", c)
sample("linalg.contract", [arg("tensor<?x3x2xf64>", extents=(5,)), arg("tensor<2x3x4xf64>"),
                           arg("tensor<4x?xf64>", extents=(5,))],
       "%y = linalg.contract indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k)>, "
       "affine_map<(i, j, k, l) -> (k, j, l)>, affine_map<(i, j, k, l) -> (l, i)>] "
       "ins(%a0, %a1 : tensor<?x3x2xf64>, tensor<2x3x4xf64>) outs(%a2 : tensor<4x?xf64>) -> tensor<4x?xf64>",
       "tensor<4x?xf64>")
# Transposed, from operands of less precision.
sample("linalg.matmul", [arg("tensor<3x?xf64>", extents=(5,)), arg("tensor<3x2xf64>"),
                         arg("tensor<?x2xf64>", extents=(5,))],
       "%y = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, "
       "affine_map<(i, j, k) -> (i, j)>] ins(%a0, %a1 : tensor<3x?xf64>, tensor<3x2xf64>) "
       "outs(%a2 : tensor<?x2xf64>) -> tensor<?x2xf64>", "tensor<?x2xf64>")
sample("linalg.matmul", [arg("tensor<?x3xf64>", extents=(5,)), arg("tensor<3x2xf64>"),
                         arg("tensor<?x2xf64>", extents=(5,))],
       "%s = arith.truncf %a0 : tensor<?x3xf64> to tensor<?x3xf32>\n"
       "%t = arith.truncf %a1 : tensor<3x2xf64> to tensor<3x2xf32>\n"
       "%y = linalg.matmul ins(%s, %t : tensor<?x3xf32>, tensor<3x2xf32>) "
       "outs(%a2 : tensor<?x2xf64>) -> tensor<?x2xf64>", "tensor<?x2xf64>", tolerance=1e-2)

# Reductions through their bodies: an extremum, and two sums in one.
sample("linalg.reduce", [arg("tensor<?x3x2xf64>", apart(0.0)), arg("tensor<3xf64>", within(-0.2, 0.2))],
       "%y = linalg.reduce { arith.maximumf } ins(%a0 : tensor<?x3x2xf64>) outs(%a1 : tensor<3xf64>) "
       "dimensions = [0, 2]", "tensor<3xf64>")
sample("linalg.reduce", [arg("tensor<?x3xf64>"), arg("tensor<?x3xf64>"), arg("tensor<3xf64>"), arg("tensor<3xf64>")],
       "%r:2 = linalg.reduce ins(%a0, %a1 : tensor<?x3xf64>, tensor<?x3xf64>) "
       "outs(%a2, %a3 : tensor<3xf64>, tensor<3xf64>) dimensions = [0] "
       "(%p: f64, %q: f64, %s: f64, %t: f64) { %u = arith.mulf %p, %q : f64 %v = arith.addf %u, %s : f64 "
       "%w = math.sin %q : f64 %x = arith.subf %t, %w : f64 linalg.yield %v, %x : f64, f64 }\n"
       "%y = arith.mulf %r#0, %r#1 : tensor<3xf64>",
       "tensor<3xf64>")


def generic(maps: str, iterators: str, operands: str, body: str, result: str, results: str = "%y") -> str:
    """One `linalg.generic`, over the affine maps `maps` of (i, j)."""
    indexing = ", ".join(f"affine_map<(i, j) -> ({map})>" for map in maps.split("; "))
    kinds = ", ".join(f'"{kind}"' for kind in iterators.split())
    return (f"{results} = linalg.generic {{indexing_maps = [{indexing}], iterator_types = [{kinds}]}} {operands} "
            f"{{\n{body}\n}} -> {result}\n")


# A row, a column of extent 1 and a number meet a matrix; the position counts.
sample("linalg.generic",
       [arg(MATRIX), arg("tensor<3xf64>"), arg("tensor<?x1xf64>"), arg("tensor<f64>"), arg(MATRIX)],
       "%n = tensor.extract %a3[] : tensor<f64>\n"
       + generic("i, j; j; i, 0; ; i, j", "parallel parallel",
                 f"ins(%a0, %a1, %a2, %n : {MATRIX}, tensor<3xf64>, tensor<?x1xf64>, f64) outs(%a4 : {MATRIX})",
                 "^bb0(%p: f64, %q: f64, %r: f64, %s: f64, %o: f64):\n"
                 "%i = linalg.index 1 : index\n%k = arith.index_cast %i : index to i64\n"
                 "%f = arith.sitofp %k : i64 to f64\n%t = arith.mulf %p, %q : f64\n%u = math.sin %t : f64\n"
                 "%v = math.fma %u, %r, %s : f64\n%w = arith.mulf %v, %f : f64\n"
                 "%x = arith.mulf %o, %r : f64\n%z = arith.addf %w, %x : f64\nlinalg.yield %z : f64", MATRIX), MATRIX)
# Two results, one of them summed; a number from outside of the body.
sample("linalg.generic", [arg(MATRIX), arg("tensor<3xf64>"), arg("tensor<f64>"), arg(MATRIX)],
       "%n = tensor.extract %a2[] : tensor<f64>\n"
       + generic("i, j; i, j; j", "reduction parallel",
                 f"ins(%a0 : {MATRIX}) outs(%a3, %a1 : {MATRIX}, tensor<3xf64>)",
                 "^bb0(%p: f64, %o: f64, %s: f64):\n%q = arith.mulf %p, %n : f64\n%t = math.exp %q : f64\n"
                 "%u = arith.subf %s, %t : f64\nlinalg.yield %q, %u : f64, f64",
                 f"({MATRIX}, tensor<3xf64>)", "%r:2")
       + generic("i, j; j; i, j", "parallel parallel",
                 f"ins(%r#0, %r#1 : {MATRIX}, tensor<3xf64>) outs(%a3 : {MATRIX})",
                 "^bb0(%p: f64, %q: f64, %o: f64):\n%t = arith.mulf %p, %q : f64\nlinalg.yield %t : f64", MATRIX),
       MATRIX)
# Softmax, as frameworks lower it.
sample("linalg.generic", [arg("tensor<4x3xf64>", apart(0.0))],
       "%zero = arith.constant 0.0 : f64\n%low = arith.constant -1.0e30 : f64\n"
       + destination("tensor<4x1xf64>") + destination("tensor<4x3xf64>", "%d")
       + "%f = linalg.fill ins(%low : f64) outs(%e : tensor<4x1xf64>) -> tensor<4x1xf64>\n"
       "%g = linalg.fill ins(%zero : f64) outs(%e : tensor<4x1xf64>) -> tensor<4x1xf64>\n"
       "%f1 = tensor.collapse_shape %f [[0, 1]] : tensor<4x1xf64> into tensor<4xf64>\n"
       "%g1 = tensor.collapse_shape %g [[0, 1]] : tensor<4x1xf64> into tensor<4xf64>\n"
       + generic("i, j; i", "parallel reduction", "ins(%a0 : tensor<4x3xf64>) outs(%f1 : tensor<4xf64>)",
                 "^bb0(%p: f64, %o: f64):\n%t = arith.maximumf %p, %o : f64\nlinalg.yield %t : f64",
                 "tensor<4xf64>", "%m1")
       + "%m = tensor.expand_shape %m1 [[0, 1]] output_shape [4, 1] : tensor<4xf64> into tensor<4x1xf64>\n"
       + generic("i, j; i, 0; i, j", "parallel parallel",
                 "ins(%a0, %m : tensor<4x3xf64>, tensor<4x1xf64>) outs(%d : tensor<4x3xf64>)",
                 "^bb0(%p: f64, %q: f64, %o: f64):\n%s = arith.subf %p, %q : f64\n%t = math.exp %s : f64\n"
                 "linalg.yield %t : f64", "tensor<4x3xf64>", "%x")
       + generic("i, j; i", "parallel reduction", "ins(%x : tensor<4x3xf64>) outs(%g1 : tensor<4xf64>)",
                 "^bb0(%p: f64, %o: f64):\n%t = arith.addf %p, %o : f64\nlinalg.yield %t : f64",
                 "tensor<4xf64>", "%s")
       + generic("i, j; i; i, j", "parallel parallel",
                 "ins(%x, %s : tensor<4x3xf64>, tensor<4xf64>) outs(%d : tensor<4x3xf64>)",
                 "^bb0(%p: f64, %q: f64, %o: f64):\n%t = arith.divf %p, %q : f64\nlinalg.yield %t : f64",
                 "tensor<4x3xf64>"),
       "tensor<4x3xf64>")
# Equal numbers share: the derivative of a maximum of constants is a constant.
sample("linalg.generic", [arg("tensor<f64>", within(1.0, 2.0)), arg("tensor<3xf64>", within(-2, -1))],
       "%n = tensor.extract %a0[] : tensor<f64>\n%big = tensor.splat %n : tensor<4x3xf64>\n"
       + generic("i, j; j", "reduction parallel", "ins(%big : tensor<4x3xf64>) outs(%a1 : tensor<3xf64>)",
                 "^bb0(%p: f64, %o: f64):\n%t = arith.maxnumf %o, %p : f64\nlinalg.yield %t : f64",
                 "tensor<3xf64>"), "tensor<3xf64>")

# ---------------------------------------------------------------------------
# scf
# ---------------------------------------------------------------------------

INDICES = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c4 = arith.constant 4 : index\n"

# The taken branch, with captures in common, of its own, and yielded as they are.
for taken in (True, False):
    sample("scf.if", [arg("tensor<i1>", lambda rng, shape, taken=taken: np.bool_(taken), wrt=False), arg(MATRIX),
                      arg(MATRIX), arg("tensor<f64>")],
           "%c = tensor.extract %a0[] : tensor<i1>\n%s = tensor.extract %a3[] : tensor<f64>\n"
           f"%r:2 = scf.if %c -> ({MATRIX}, f64) {{\n%p = math.sin %a1 : {MATRIX}\n%q = arith.mulf %p, %a2 : {MATRIX}\n"
           f"%t = arith.mulf %s, %s : f64\nscf.yield %q, %t : {MATRIX}, f64\n}} else {{\n"
           f"scf.yield %a1, %s : {MATRIX}, f64\n}}\n%one = arith.constant dense<1.0> : tensor<3xf64>\n"
           "%i = arith.constant 1 : index\n%f = tensor.extract %a1[%i, %i] : tensor<?x3xf64>\n"
           "%g = arith.mulf %r#1, %f : f64\n%y = tensor.insert %g into %r#0[%i, %i] : tensor<?x3xf64>", MATRIX)
# A recurrence: what is carried, what is captured, and the position all count.
sample("scf.for", [arg("tensor<3xf64>", within(-1, 1)), arg("tensor<3x3xf64>", within(-1, 1)), arg("tensor<4x3xf64>")],
       INDICES
       + "%y = scf.for %i = %c0 to %c4 step %c1 iter_args(%h = %a0) -> tensor<3xf64> {\n"
       "%x = tensor.extract_slice %a2[%i, 0] [1, 3] [1, 1] : tensor<4x3xf64> to tensor<3xf64>\n"
       "%e = tensor.empty() : tensor<3xf64>\n%z = arith.constant 0.0 : f64\n"
       "%f = linalg.fill ins(%z : f64) outs(%e : tensor<3xf64>) -> tensor<3xf64>\n"
       "%p = linalg.matvec ins(%a1, %h : tensor<3x3xf64>, tensor<3xf64>) outs(%f : tensor<3xf64>) -> tensor<3xf64>\n"
       "%q = arith.addf %p, %x : tensor<3xf64>\n%t = math.tanh %q : tensor<3xf64>\n"
       "scf.yield %t : tensor<3xf64>\n}", "tensor<3xf64>")
# Numbers and tensors that swap, from 3 by steps of 2; a count that is carried.
sample("scf.for", [arg(MATRIX, within(-1, 1)), arg(MATRIX, within(-1, 1)), arg("tensor<f64>")],
       "%l = arith.constant 3 : i32\n%u = arith.constant 8 : i32\n%t = arith.constant 2 : i32\n"
       f"%s0 = tensor.extract %a2[] : tensor<f64>\n%q0 = arith.mulf %a0, %a1 : {MATRIX}\n"
       "%r:4 = scf.for %i = %l to %u step %t iter_args(%p = %a0, %q = %q0, %s = %s0, %n = %l) "
       f"-> ({MATRIX}, {MATRIX}, f64, i32) : i32 {{\n"
       f"%f = arith.sitofp %n : i32 to f64\n%g = arith.mulf %f, %s : f64\n%sin = math.sin %g : f64\n"
       f"%m = arith.addi %n, %i : i32\n%pq = arith.mulf %p, %q : {MATRIX}\n%e = math.sin %pq : {MATRIX}\n"
       f"scf.yield %q, %e, %sin, %m : {MATRIX}, {MATRIX}, f64, i32\n}}\n"
       "%j = arith.constant 1 : index\n"
       f"%w = arith.addf %r#0, %r#1 : {MATRIX}\n%y = tensor.insert %r#2 into %w[%j, %j] : {MATRIX}", MATRIX)
# A trip count that is known when it runs, at most 4; a branch in the loop.
sample("scf.for", [arg("tensor<i64>", lambda rng, shape: np.int64(3), wrt=False), arg("tensor<3xf64>", apart(0.3))],
       INDICES
       + "%m = tensor.extract %a0[] : tensor<i64>\n%n = arith.index_cast %m : i64 to index\n"
       "%u = arith.minsi %n, %c4 : index\n"
       "%y = scf.for %i = %c0 to %u step %c1 iter_args(%h = %a1) -> tensor<3xf64> {\n"
       "%c = arith.cmpi eq, %i, %c1 : index\n"
       "%t = scf.if %c -> tensor<3xf64> {\n%p = arith.mulf %h, %a1 : tensor<3xf64>\nscf.yield %p : tensor<3xf64>\n"
       "} else {\n%p = math.sin %h : tensor<3xf64>\nscf.yield %p : tensor<3xf64>\n}\n"
       "scf.yield %t : tensor<3xf64>\n}", "tensor<3xf64>")
# A loop over the rows of a batch, inside of a loop.
sample("scf.for", [arg("tensor<?x3xf64>", within(-1, 1)), arg("tensor<3xf64>", within(-1, 1))],
       INDICES
       + "%n = tensor.dim %a0, %c0 : tensor<?x3xf64>\n%two = arith.constant 2 : index\n"
       "%y = scf.for %k = %c0 to %two step %c1 iter_args(%o = %a1) -> tensor<3xf64> {\n"
       "%r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %o) -> tensor<3xf64> {\n"
       "%x = tensor.extract_slice %a0[%i, 0] [1, 3] [1, 1] : tensor<?x3xf64> to tensor<3xf64>\n"
       "%p = arith.mulf %h, %x : tensor<3xf64>\n%q = math.cos %p : tensor<3xf64>\nscf.yield %q : tensor<3xf64>\n}\n"
       "scf.yield %r : tensor<3xf64>\n}", "tensor<3xf64>")

# ---------------------------------------------------------------------------
# train
# ---------------------------------------------------------------------------

# A rule that happens to be right.
sample("train.custom_vjp", [arg(MATRIX), arg("tensor<?x3xi32>", integers(0, 3), wrt=False), arg(MATRIX)],
       f"%y, %n = train.custom_vjp %a0, %a1, %a2 : ({MATRIX}, tensor<?x3xi32>, {MATRIX}) "
       f"-> ({MATRIX}, tensor<?x3xi32>) {{\n"
       f"^bb0(%p: {MATRIX}, %i: tensor<?x3xi32>, %q: {MATRIX}):\n%s = math.sin %p : {MATRIX}\n"
       f"%t = arith.mulf %s, %q : {MATRIX}\ntrain.vjp_yield %t, %i : {MATRIX}, tensor<?x3xi32>\n}} vjp {{\n"
       f"^bb0(%p: {MATRIX}, %i: tensor<?x3xi32>, %q: {MATRIX}, %d: {MATRIX}):\n%c = math.cos %p : {MATRIX}\n"
       f"%s = math.sin %p : {MATRIX}\n%e = arith.mulf %d, %q : {MATRIX}\n%f = arith.mulf %e, %c : {MATRIX}\n"
       f"%r = arith.mulf %d, %s : {MATRIX}\ntrain.vjp_yield %f, %r : {MATRIX}, {MATRIX}\n}}", MATRIX)

if __name__ == "__main__":
    print("\n".join(sorted(SAMPLES)))
