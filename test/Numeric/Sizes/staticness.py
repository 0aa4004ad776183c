# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""X11: types that know different dimension sizes of one tensor.

Each op, and its gradient, is compiled with some dimension sizes of operands and results
unknown, at random: it computes what it computes with all of them known. The same
for no batch at all.

usage: staticness.py [--variants N] [--seed N]
"""

import argparse
import re
from typing import Any, List, Sequence, Tuple

import numpy as np

from cases import Array
from configurations import configurations, expect_close, run_tests

parser = argparse.ArgumentParser()
parser.add_argument("--variants", type=int, default=2)
parser.add_argument("--seed", type=int, default=0)
options = parser.parse_args()

# The ops, their operands and results: `8` is a dimension size that types may not know,
# `=8` one that they have to. `n` is the batch. Gradients are those of the operands
# of floats.
OPS = """
nn.matmul %0, %1 : n*4*5*f32, n*5*6*f32 -> n*4*6*f32
nn.dense %0, %1, %2 : n*4*5*f32, 5*6*f32, 6*f32 -> n*4*6*f32
nn.conv2d %0, %1 : n*5*5*=6*f32, =3*=3*=6*=4*f32 -> n*3*3*4*f32
nn.conv2d %0, %1 padding same : n*5*5*=4*f32, =3*=3*=2*=4*f32 -> n*5*5*4*f32
nn.conv2d %0, %1 strides [2, 2] padding same : n*5*5*=4*f32, =3*=3*=1*=4*f32 -> n*3*3*4*f32
nn.conv2d %0, %1 strides [2, 1] padding explicit [[1, 0], [2, 1]] : n*5*5*=4*f32, =3*=3*=2*=6*f32 -> n*2*6*6*f32
nn.conv2d %0, %1 strides [3, 2] padding same dilations [2, 1] : n*5*5*=3*f32, =3*=3*=3*=4*f32 -> n*2*3*4*f32
nn.conv2d %0, %1 strides [4, 4] padding same : n*9*8*=4*f32, =4*=5*=2*=4*f32 -> n*3*2*4*f32
nn.max_pool2d %0 window [2, 2] : n*5*5*3*f32 -> n*2*2*3*f32
nn.max_pool2d %0 window [2, 2] strides [1, 1] padding same : n*5*5*3*f32 -> n*5*5*3*f32
nn.max_pool2d %0 window [4, 5] padding same : n*9*5*3*f32 -> n*3*1*3*f32
nn.avg_pool2d %0 window [2, 2] strides [2, 3] padding same : n*5*5*3*f32 -> n*3*2*3*f32
nn.avg_pool2d %0 window [2, 2] strides [3, 1] padding explicit [[1, 0], [0, 1]] : n*5*5*3*f32 -> n*2*5*3*f32
nn.avg_pool2d %0 window [5, 4] : n*5*8*3*f32 -> n*1*2*3*f32
nn.attention %0, %1, %2 mask %3 : n*3*4*f32, n*5*4*f32, n*5*6*f32, n*3*5*f32 -> n*3*6*f32
nn.reduce sum %0 axes [1] keepdims : n*4*5*f32 -> n*1*5*f32
nn.reduce mean %0 axes [1, 2] : n*4*5*f32 -> n*f32
nn.reduce max %0 axes [1] : n*4*5*f32 -> n*5*f32
nn.reduce prod %0 axes [1] : n*4*5*f32 -> n*5*f32
nn.gather %0, %1 axis 1 : n*4*5*f32, 2*2*i32 -> n*2*2*5*f32
nn.scatter_add %0, %1, %2 axis 1 : n*4*5*f32, 2*i32, n*2*5*f32 -> n*4*5*f32
nn.scatter %0, %1, %2 axis 1 : n*4*5*f32, 2*i32, n*2*5*f32 -> n*4*5*f32
nn.take_along_axis %0, %1 axis 1 : n*4*5*f32, n*2*5*i32 -> n*2*5*f32
nn.scatter_add_along_axis %0, %1, %2 axis 1 : n*4*5*f32, n*2*5*i32, n*2*5*f32 -> n*4*5*f32
nn.cumsum %0 axis 1 exclusive : n*4*f32 -> n*4*f32
nn.cumprod %0 axis 1 reverse : n*4*f32 -> n*4*f32
nn.logcumsumexp %0 axis 1 : n*4*f32 -> n*4*f32
nn.tile %0 multiples [1, 3] : n*4*f32 -> n*12*f32
nn.softmax_cross_entropy %0, %1 reduction none : n*2*4*f32, n*2*4*f32 -> n*2*f32
nn.mean_squared_error %0, %1 reduction none : n*2*4*f32, n*2*4*f32 -> n*2*f32
nn.layer_norm %0 gamma %1 beta %2 axes [2] epsilon 1.0e-3 : n*2*4*f32, 4*f32, 4*f32 -> n*2*4*f32
nn.batch_norm_inference %0 mean %1 variance %2 gamma %3 beta %4 epsilon 0.1 \
: n*4*f32, 4*f32, 4*f32, 4*f32, 4*f32 -> n*4*f32
"""


class Case:
    def __init__(self, line: str) -> None:
        self.op, types = line.rsplit(" : ", 1)
        operands, result = types.split(" -> ")
        self.operands, self.result = operands.split(", "), result

    def shape(self, kind: str, batch: int) -> List[int]:
        return [batch if dim_size == "n" else int(dim_size.strip("=")) for dim_size in kind.split("*")[:-1]]

    def kind(self, kind: str, batch: int, rng: np.random.Generator, share: float) -> str:
        """A type of which about a `share` of the dimension sizes is unknown."""
        dim_sizes = kind.split("*")
        known = [("=" in dim_size or rng.random() >= share) for dim_size in dim_sizes[:-1]]
        parts = [str(n) if k else "?" for n, k in zip(self.shape(kind, batch), known)]
        return f"tensor<{'x'.join([*parts, dim_sizes[-1]])}>"

    def function(self, name: str, batch: int, rng: np.random.Generator, share: float) -> str:
        """The value and the gradients of its square, of types that know all."""
        def cast(value: str, source: str, target: str) -> Tuple[str, str]:
            known = self.kind(target, batch, rng, 0.0)
            if source == known:
                return "", value
            return f"  {value}c = tensor.cast {value} : {source} to {known}\n", f"{value}c"

        kinds = [self.kind(kind, batch, rng, share) for kind in self.operands]
        result = self.kind(self.result, batch, rng, share)
        floats = [i for i, kind in enumerate(self.operands) if kind.endswith("f32")]
        arguments = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(kinds))
        op = re.sub(r"%(\d)", r"%a\1", self.op)
        arrow = f"({', '.join(kinds)}) -> {result}"
        if re.search(r"nn\.(reduce|cumsum|cumprod|logcumsumexp|tile) ", op):
            arrow = f"{kinds[0]} -> {result}"
        gradients = ", ".join(f"%g{i}" for i in floats)
        sources = ", ".join(kinds[i] for i in floats)
        body = (f"  %y = {op} : {arrow}\n  %s = arith.mulf %y, %y : {result}\n"
                f"  {gradients} = train.gradient %s wrt {', '.join(f'%a{i}' for i in floats)}"
                f" : ({result}, {sources}) -> ({sources})\n")
        values, types = [], []
        for value, source, target in [("%y", result, self.result),
                                      *((f"%g{i}", kinds[i], self.operands[i]) for i in floats)]:
            text, known = cast(value, source, target)
            body += text
            values.append(known)
            types.append(self.kind(target, batch, rng, 0.0))
        return (f"func.func @{name}({arguments}) -> ({', '.join(types)}) {{\n{body}"
                f"  return {', '.join(values)} : {', '.join(types)}\n}}\n")

    def feeds(self, batch: int, rng: np.random.Generator) -> List[Array]:
        return [rng.integers(0, 4, self.shape(kind, batch)).astype(np.int32) if kind.endswith("i32")
                else rng.uniform(0.1, 1, self.shape(kind, batch)).astype(np.float32) for kind in self.operands]


CASES = [Case(line) for line in OPS.strip().splitlines()]


def check(batch: int, shares: Sequence[float]) -> None:
    rng = np.random.default_rng(options.seed)
    text = ""
    for number, case in enumerate(CASES):
        for variant, share in enumerate([0.0, *shares]):
            text += case.function(f"f{number}_{variant}", batch, rng, share)
    feeds = [case.feeds(batch, rng) for case in CASES]
    expected: List[Any] = [None] * len(CASES)
    for configuration, model in configurations(text, ("reference", "optimized")):
        model.initialize()
        for number, case in enumerate(CASES):
            for variant in range(len(shares) + 1):
                found = model.run(f"f{number}_{variant}", *feeds[number])
                if expected[number] is None:
                    expected[number] = found
                for one, other in zip(found, expected[number], strict=True):
                    expect_close(f"{configuration} {case.op} {variant}", one, other, 1e-4)


def test_types() -> None:
    """X11: a batch of 2."""
    check(2, [1.0, 0.5, 0.3][:1 + options.variants])


def test_no_batch() -> None:
    """X11: a batch of 0, which types know or not."""
    check(0, [0.5])


run_tests([test_types, test_no_batch])
