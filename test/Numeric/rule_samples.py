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
        * `@second(args, u, vs) -> gradients`: of <vjp, vs> likewise.
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
        first = gradient("g", "%y", [self.result], "%u")
        second = gradient("h", gradients("g"), types, ", ".join(f"%v{k}" for k in range(len(types))))
        vs = ", ".join(f"%v{k}: {type}" for k, type in enumerate(types))
        head = self.signature()
        body = "".join(f"  {line.strip()}\n" for line in self.body.strip().splitlines())
        returned, u, start = "%y", "%u", body
        if self.static_result:
            returned, u = "%y_static", "%u_static"
            start = body + f"  %u = tensor.cast %u_static : {outer} to {self.result}\n"
            body += f"  %y_static = tensor.cast %y : {self.result} to {outer}\n"
        return (
            f"func.func @f({head}) -> {outer} {{\n{body}  return {returned} : {outer}\n}}\n"
            f"func.func @vjp({head}, {u}: {outer}) -> ({joined}) {{\n{start}{first}"
            f"  return {gradients('g')} : {joined}\n}}\n"
            f"func.func @second({head}, {u}: {outer}, {vs}) -> ({joined}) {{\n{start}{first}{second}"
            f"  return {gradients('h')} : {joined}\n}}\n")


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

if __name__ == "__main__":
    print("\n".join(sorted(SAMPLES)))
