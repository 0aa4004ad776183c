# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""X11: sizes that an op requires to be equal, of which types know some only.

Each op that says its shapes in TableGen, and its gradient, is compiled with one size
left to the call in some of the places that have it, in each set of up to six of them:
it computes what it computes with all sizes known. FLYWHEEL_TEST_ALL=1 takes all sets.
"""

import itertools
import re
from pathlib import Path
from typing import Any, Dict, FrozenSet, List, Tuple

import numpy as np

import selection
from cases import Array
from configurations import configurations, expect_close, run_tests

SIZES = {"b": 2, "n": 3, "m": 4, "k": 5, "c": 6, "h": 7, "w": 8}

# The ops, their operands and results: equal letters are equal sizes, and numbers are sizes
# that types have to know. Elements are f32 unless a type is given.
OPS = """
matmul %0, %1 : (b m k, b k n) -> (b m n)
matmul %0, %1 {transpose_a, transpose_b} : (b k m, b n k) -> (b m n)
dense %0, %1, %2 : (b m k, k n, n) -> (b m n)
attention %0, %1, %2 mask %3 : (b m k, b n k, b n c, b m n) -> (b m c)
cholesky %0 : b n n -> b n n
try_cholesky %0 : b n n -> b n n, i1
triangular_solve lower %0, %1 : (b n n, b n k) -> (b n k)
triangular_solve upper %0, %1 transpose : (b n n, b n k) -> (b n k)
lstsq %0, %1 l2 0.1 : (b m n, b m k) -> (b n k)
gather %0, %1 axis 1 : (b n k, m i32) -> (b m k)
scatter_add %0, %1, %2 axis 1 : (b n k, m i32, b m k) -> (b n k)
scatter_add %0, %1, %2 axis 0 : (n k, m i32, m k) -> (n k)
scatter %0, %1, %2 axis 1 : (b n k, m i32, b m k) -> (b n k)
take_along_axis %0, %1 axis 1 : (b n k, b m k i32) -> (b m k)
scatter_add_along_axis %0, %1, %2 axis 1 : (b n k, b m k i32, b m k) -> (b n k)
cumsum %0 axis 1 : b n k -> b n k
cumprod %0 axis 1 exclusive : b n k -> b n k
logcumsumexp %0 axis 1 : b n k -> b n k
argmax %0 axis 1 : b n k -> b k i32
argmin %0 axis 2 : b n k -> b n i32
softmax_cross_entropy %0, %1 reduction none : (b n k, b n k) -> (b n)
sparse_softmax_cross_entropy %0, %1 reduction none : (b n k, b n i32) -> (b n)
sparse_softmax_cross_entropy %0, %1 : (b n k, b n i32) -> ()
sigmoid_cross_entropy %0, %1 reduction none : (b n k, b n k) -> (b n k)
mean_squared_error %0, %1 reduction none : (b n k, b n k) -> (b n)
mean_absolute_error %0, %1 : (b n k, b n k) -> ()
mean_absolute_percentage_error %0, %1 reduction sum : (b n k, b n k) -> ()
mean_squared_logarithmic_error %0, %1 reduction none : (b n k, b n k) -> (b n)
huber %0, %1 reduction none : (b n k, b n k) -> (b n)
hinge %0, %1 reduction none : (b n k, b n k) -> (b n)
squared_hinge %0, %1 reduction none : (b n k, b n k) -> (b n)
categorical_hinge %0, %1 reduction none : (b n k, b n k) -> (b n)
log_cosh %0, %1 reduction none : (b n k, b n k) -> (b n)
kl_divergence %0, %1 reduction none : (b n k, b n k) -> (b n)
poisson %0, %1 reduction none : (b n k, b n k) -> (b n)
cosine_proximity %0, %1 reduction none : (b n k, b n k) -> (b n)
binary_crossentropy %0, %1 reduction none : (b n k, b n k) -> (b n)
categorical_crossentropy %0, %1 reduction none : (b n k, b n k) -> (b n)
l2_loss %0 : b n k ->
layer_norm %0 gamma %1 beta %2 axes [2] epsilon 1.0e-3 : (b n k, k, k) -> (b n k)
rms_norm %0 gamma %1 axes [2] epsilon 1.0e-3 : (b n k, k) -> (b n k)
batch_norm_training %0 gamma %1 beta %2 epsilon 0.1 : (b n k, k, k) -> (b n k, k, k)
batch_norm_inference %0 mean %1 variance %2 gamma %3 beta %4 epsilon 0.1 : (b n k, k, k, k, k) -> (b n k)
conv2d %0, %1 padding same : (b h w 2, 3 3 2 4) -> (b h w 4)
conv2d_transpose %0, %1 like %2 padding same : (b h w 4, 3 3 2 4, b h w 2) -> (b h w 2)
conv2d_filter_grad %0, %1 padding same : (b h w 2, b h w 4) -> (3 3 2 4)
max_pool2d %0 window [2, 2] strides [1, 1] padding same : (b h w c) -> (b h w c)
max_pool2d_grad %0, %1 window [2, 3] strides [1, 1] padding same : (b h w c, b h w c) -> (b h w c)
max_pool2d_select %0, %1 window [2, 3] strides [1, 1] padding same : (b h w c, b h w c) -> (b h w c)
avg_pool2d %0 window [2, 2] strides [1, 1] padding same : (b h w c) -> (b h w c)
avg_pool2d_grad %0 like %1 window [2, 2] strides [1, 1] padding same : (b h w c, b h w c) -> (b h w c)
broadcast %0 dims [1, 2] like %1 : (n k, b n k) -> (b n k)
"""

# An operand or result, by number, and a dimension.
Place = Tuple[int, int]
Places = FrozenSet[Place]


class Case:
    def __init__(self, line: str) -> None:
        self.op, types = line.split(" : ", 1)
        self.name = self.op.split()[0]
        operands, _, results = types.partition("->")
        self.has_parentheses = operands.startswith("(")

        def split(text: str) -> List[str]:
            return [part.strip() for part in text.strip(" ()").split(",")]

        self.operands, self.results = split(operands), split(results)

    def parse(self, number: int) -> Tuple[List[str], str]:
        """Returns the sizes and the element type of an operand or a result."""
        *sizes, last = [*(self.operands + self.results)[number].split(), "f32"]
        if sizes and re.match(r"[if]\d+$", sizes[-1]):
            last = sizes.pop()
        return sizes, last

    def shape(self, number: int) -> List[int]:
        return [SIZES.get(size) or int(size) for size in self.parse(number)[0]]

    def kind(self, number: int, unknown: Places = frozenset()) -> str:
        sizes = ["?" if (number, dim) in unknown else str(size) for dim, size in enumerate(self.shape(number))]
        return f"tensor<{'x'.join([*sizes, self.parse(number)[1]])}>"

    def variants(self) -> List[Places]:
        """Returns all sets of places of one size, of which there are up to six."""
        groups: Dict[str, List[Place]] = {}
        for number in range(len(self.operands) + len(self.results)):
            for dim, size in enumerate(self.parse(number)[0]):
                if size in SIZES:
                    groups.setdefault(size, []).append((number, dim))
        return [frozenset(places) for group in groups.values() for count in range(1, min(len(group), 6) + 1)
                for places in itertools.combinations(group, count)]

    def function(self, name: str, unknown: Places) -> str:
        """The results and the gradients of the first one's squares, of types that know all."""
        numbers = range(len(self.operands) + len(self.results))
        kinds = [self.kind(number, unknown) for number in numbers]
        first = len(self.operands)
        if "cholesky" in self.name:  # It has one type.
            kinds[first] = kinds[0]
        operands, results = kinds[:first], kinds[first:]
        op = re.sub(r"%(\d)", r"%a\1", self.op)
        if "cholesky" in self.name:
            arrow = operands[0]
        elif self.has_parentheses:
            arrow = f"({', '.join(operands)}) -> ({', '.join(results)})"
        else:
            arrow = f"{operands[0]} -> {results[0]}"
        ys = ", ".join(f"%y{i}" for i in range(len(results)))
        text = f"  {ys} = nn.{op} : {arrow}\n"
        values = list(zip([f"%y{i}" for i in range(len(results))], numbers[first:]))
        floats = [i for i in range(first) if self.parse(i)[1] == "f32"]
        if self.parse(first)[1] == "f32" and self.name not in NO_DERIVATIVE:
            sources = ", ".join(operands[i] for i in floats)
            text += (f"  %s = arith.mulf %y0, %y0 : {results[0]}\n"
                     f"  {', '.join(f'%g{i}' for i in floats)} = train.gradient %s wrt "
                     f"{', '.join(f'%a{i}' for i in floats)} unconnected zeros"
                     f" : ({results[0]}, {sources}) -> ({sources})\n")
            values += [(f"%g{i}", i) for i in floats]
        returned = []
        for value, number in values:
            known = self.kind(number)
            if kinds[number] != known:
                text += f"  {value}c = tensor.cast {value} : {kinds[number]} to {known}\n"
                value += "c"
            returned.append((value, known))
        arguments = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(operands))
        types = ", ".join(known for _, known in returned)
        return (f"func.func @{name}({arguments}) -> ({types}) {{\n{text}"
                f"  return {', '.join(value for value, _ in returned)} : {types}\n}}\n")

    def feeds(self) -> List[Array]:
        rng = np.random.default_rng(1)
        feeds: List[Array] = []
        for number in range(len(self.operands)):
            shape = self.shape(number)
            if self.parse(number)[1] == "i32":
                feeds.append(rng.integers(0, 3, shape).astype(np.int32))
                continue
            feed = rng.uniform(0.1, 1, shape).astype(np.float32)
            if number == 0 and re.match("(try_)?cholesky|triangular", self.name):
                feed = feed + feed.swapaxes(1, 2) + 4 * np.eye(shape[-1], dtype=np.float32)
            feeds.append(feed)
        return feeds


NO_DERIVATIVE = ("try_cholesky", "conv2d_filter_grad", "max_pool2d_select", "broadcast")
CASES = [Case(line) for line in OPS.strip().splitlines()]


def test_ops() -> None:
    """The table has each op that says its shapes."""
    said = set()
    for path in (Path(__file__).parents[3] / "include/flywheel/Dialect/NN").glob("*.td"):
        text = path.read_text()
        heads = re.findall(r"^class (NN_\w+)(.*?)\{$", text, re.M | re.S)
        classes = {name for name, head in heads if "Shapes<" in head}
        for parent, name, traits in re.findall(r"^def NN_\w+\s*: (NN_\w+)<\s*\"(\w+)\"(.*?)\{$", text, re.M | re.S):
            if "Shapes" in traits or parent in classes:
                said.add(name)
    assert len(said) > 30, said
    missing = said - {case.name for case in CASES}
    assert not missing, f"expected cases of {sorted(missing)}"


def test_variants() -> None:
    all_variants = [(case, unknown) for case in CASES for unknown in case.variants()]
    chosen = selection.choose("partly static sizes", all_variants, 0.06)
    for case in CASES:
        variants = [frozenset(), *(unknown for other, unknown in chosen if other is case)]
        if len(variants) == 1:
            continue
        text = "".join(case.function(f"f{number}", unknown) for number, unknown in enumerate(variants))
        expected: Any = None
        for configuration, model in configurations(text, ("reference", "optimized")):
            model.initialize()
            for number, unknown in enumerate(variants):
                found = model.run(f"f{number}", *case.feeds())
                found = found if isinstance(found, tuple) else (found,)
                expected = found if expected is None else expected
                for one, other in zip(found, expected, strict=True):
                    expect_close(f"{configuration} {case.op} {sorted(unknown)}", one, other, 1e-4)


run_tests([test_ops, test_variants])
