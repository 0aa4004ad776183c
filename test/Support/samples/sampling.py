# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numeric samples of derivative rules, and the table of them.

`SAMPLES` maps the name of each op that has a rule to functions of f64 tensors
with small odd shapes, a dynamic dimension size among them, and inputs away from kinks.
A driver checks each sample by central differences, <J v, u> = <v, J^T u>, and by
differentiating twice, which also shows that a rule emits only ops with rules.
`test/Autodiff/rules-covered.test` fails where a rule has no sample.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
from numpy.typing import NDArray

# Draws values of a shape from a generator.
Draw = Callable[[np.random.Generator, Tuple[int, ...]], Any]

# ---------------------------------------------------------------------------
# Inputs: functions of a numpy Generator and a shape
# ---------------------------------------------------------------------------

def within(low: float, high: float) -> Draw:
    """Uniform draws from [low, high)."""
    return lambda rng, shape: rng.uniform(low, high, shape)


def signed(low: float, high: float) -> Draw:
    """Magnitudes from [low, high), either sign."""
    return lambda rng, shape: rng.uniform(low, high, shape) * rng.choice([-1.0, 1.0], shape)


def apart(offset: float) -> Draw:
    """Distinct numbers, at least 0.25 from each other and from those of another offset."""
    def draw(rng: np.random.Generator, shape: Tuple[int, ...]) -> NDArray[Any]:
        count = int(np.prod(shape, dtype=int))
        return (rng.permutation(count) - count / 2).reshape(shape) * 1.0 + offset
    return draw


def integers(low: int, high: int) -> Draw:
    """Integers from [low, high]."""
    return lambda rng, shape: rng.integers(low, high + 1, shape)


def always(value: bool) -> Draw:
    """That boolean."""
    return lambda rng, shape: np.bool_(value)


@dataclass
class Arg:
    """An argument: its MLIR type, its dimension sizes in the sample and its values."""
    type: str
    shape: Tuple[int, ...]
    draw: Draw
    # True if the sample is differentiated with respect to it.
    wrt: bool = True


@dataclass
class Sample:
    """A function of `%a0`, `%a1`, ... with the value `%y` of type `result`."""
    args: List[Arg]
    body: str
    result: str
    # True if the derivative with respect to each argument is known to be 0.
    constant: bool = False
    # Relative tolerance of central differences.
    tolerance: float = 1e-6
    # The static type of the result where no argument has its dimension sizes: an entry
    # can return only dimension sizes that are known before it runs.
    static_result: str = ""
    # JAX's form of `y`: an expression, or lines that assign `y`, of `a0`, `a1`, ... and the names `jax`, `jnp`, `lax`
    # and `np`. Its values and gradients are committed: see scripts/generate-goldens.
    jax: str = ""

    @property
    def wrt(self) -> List[int]:
        return [i for i, arg in enumerate(self.args) if arg.wrt]

    @property
    def digest(self) -> str:
        """Changes with the sample, but for how its inputs are drawn."""
        parts = [arg.type + str(arg.shape) + str(arg.wrt) for arg in self.args]
        return hashlib.sha256("\n".join([*parts, self.body, self.result, self.jax]).encode()).hexdigest()[:12]

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

        def gradient(name: str, ys: str, y_types: List[str], grads: str) -> str:
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


DTYPES = {"f64": np.float64, "f32": np.float32, "i32": np.int32, "i64": np.int64, "i1": np.bool_}


def draw(arg: Arg, rng: np.random.Generator) -> NDArray[Any]:
    """Values of an argument."""
    element = arg.type.split("<")[-1].rstrip(">").split("x")[-1]
    return np.array(arg.draw(rng, arg.shape), DTYPES[element], order="C")


def as_list(result: Any) -> List[NDArray[Any]]:
    """The results of a call."""
    return list(result) if isinstance(result, tuple) else [result]


SAMPLES: Dict[str, List[Sample]] = {}


def sample(op: str, args: List[Arg], body: str, result: str, **options: Any) -> None:
    SAMPLES.setdefault(op, []).append(Sample(args, body, result, **options))


ANY = within(-2.0, 2.0)


def arg(type: str, draw: Draw = ANY, dim_sizes: Tuple[int, ...] = (3, 5), wrt: bool = True) -> Arg:
    """An argument whose dynamic dimension sizes take the numbers of `dim_sizes` in turn."""
    dims = re.match(r"tensor<((?:[0-9?]+x)*)", type)
    free = iter(dim_sizes)
    shape = tuple(next(free) if dim == "?" else int(dim)
                  for dim in (dims.group(1).split("x")[:-1] if dims else []))
    return Arg(type, shape, draw, wrt)


MATRIX = "tensor<?x3xf64>"


def elementwise(op: str, *draws: Draw, **options: Any) -> None:
    """A dynamic and a rank-0 sample of an op whose operands have one type."""
    for type in (MATRIX, "tensor<f64>"):
        operands = ", ".join(f"%a{i}" for i in range(len(draws)))
        sample(op, [arg(type, draw) for draw in draws], f"%y = {op} {operands} : {type}", type, **options)
