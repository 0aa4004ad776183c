# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random functions: their text, and what NumPy computes for them.

An entry of `OPS` appends an op to a function and returns its result, or None where
no values fit. `graphs.graph` keeps the text; a function has several element types
and two dimension sizes that only a run knows, "B" and "C".
"""

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from graphs.graph import DimSize, Graph, Node, type_of
from harness import Rng, choose

Array = NDArray[Any]
Maker = Callable[["Function", Rng], Optional[Node]]

DTYPES: Dict[str, Any] = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "i1": np.dtype(bool),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
}
FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i8", "i16", "i32", "i64")
DIM_SIZES: Sequence[DimSize] = ("B", "B", "C", 1, 2, 3, 4, 5, 8)
MAX_ELEMENTS = 20000
OPS: Dict[str, Maker] = {}


def epsilon_of(dtype: Any) -> float:
    """The relative error of a rounding; 0 of integers."""
    dtype = np.dtype(dtype)
    return 0.0 if dtype.kind in "biu" else float(ml_dtypes.finfo(dtype).eps)


@dataclass
class Function:
    """A function under construction: nodes in order, and what it returns."""

    graph: Graph
    nodes: List[Node] = field(default_factory=list)
    results: List[Node] = field(default_factory=list)
    # Feeds that index a dimension, with its size.
    bounds: Dict[str, int] = field(default_factory=dict)

    def module(self) -> str:
        feeds = ", ".join(f"{node.name}: {node.type}" for node in self.graph.feeds)
        types = ", ".join(node.type for node in self.results)
        body = "".join(f"  {line}\n" for step in self.graph.steps for line in step.lines)
        names = ", ".join(node.name for node in self.results)
        return f"func.func @f({feeds}) -> ({types}) {{\n{body}  return {names} : {types}\n}}\n"

    def up_to(self, step: int) -> "Function":
        """Returns the function that ends after that number of steps, and returns the last result."""
        graph = Graph(self.graph.element, feeds=self.graph.feeds, steps=self.graph.steps[:step])
        return Function(graph, self.nodes, [graph.steps[-1].result], self.bounds)

    def draw(self, rng: Rng, node: Node, shape: Sequence[int]) -> Array:
        dtype = DTYPES[node.element]
        if node.element == "i1":
            return rng.integers(0, 2, shape).astype(bool)
        if node.element in INTEGERS:
            low, high = (0, self.bounds[node.name]) if node.name in self.bounds else (-100, 101)
            return rng.integers(low, high, shape).astype(dtype)
        return rng.uniform(-2, 2, shape).astype(dtype)

    def pick(
        self, rng: Rng, *elements: str, rank: int = 0, of: Optional[Node] = None, static: Sequence[int] = ()
    ) -> Optional[Node]:
        """A node of one of the elements and at least that rank; like `of`; with those
        dimensions static. Late ones rather than early ones."""
        found = [
            node
            for node in self.nodes
            if node.element in elements
            and node.rank >= rank
            and (of is None or (node.shape == of.shape and node.element == of.element))
            and all(isinstance(node.shape[i], int) for i in static)
        ]
        if not found:
            return None
        weights = np.arange(1, len(found) + 1) ** 1.5
        return found[int(rng.choice(len(found), p=weights / weights.sum()))]

    def feed(self, shape: Sequence[DimSize], element: str, bound: int = 0) -> Node:
        node = Node(f"%x{len(self.graph.feeds)}", tuple(shape), element)
        self.graph.feeds.append(node)
        self.nodes.append(node)
        if bound:
            self.bounds[node.name] = bound
        return node

    def add(
        self,
        op: str,
        shape: Sequence[DimSize],
        element: str,
        lines: Sequence[str],
        operands: Sequence[Node],
        function: Callable[..., Any],
    ) -> Node:
        return self.graph.add(op, shape, lines, operands, lambda _, *values: function(*values), element)

    def sizes(self, shape: Sequence[DimSize]) -> Tuple[List[str], str]:
        """Lines that compute the dynamic dimension sizes of a shape, and their names."""
        lines, names = [], []
        tag = f"{len(self.graph.steps)}"
        for i, dim_size in enumerate(shape):
            if isinstance(dim_size, str):
                owners = (node for node in self.graph.feeds if dim_size in node.shape)
                node, dim = next((node, node.shape.index(dim_size)) for node in owners)
                lines += [
                    f"%k{tag}_{i} = arith.constant {dim} : index",
                    f"%e{tag}_{i} = tensor.dim {node.name}, %k{tag}_{i} : {node.type}",
                ]
                names.append(f"%e{tag}_{i}")
        return lines, ", ".join(names)

    def empty(self, shape: Sequence[DimSize], element: str) -> Tuple[List[str], str]:
        """Lines that make a destination, and its name."""
        lines, names = self.sizes(shape)
        name = f"%o{len(self.graph.steps)}"
        return [*lines, f"{name} = tensor.empty({names}) : {type_of(shape, element)}"], name


def elements_of(shape: Sequence[DimSize]) -> int:
    return int(np.prod([33 if isinstance(dim_size, str) else dim_size for dim_size in shape], dtype=int))


def new_function(rng: Rng, size: int, ops: Sequence[str]) -> Function:
    """`size` ops or fewer, of those named."""
    function = Function(Graph("f32"))
    elements = [choose(rng, FLOATS), choose(rng, INTEGERS), choose(rng, ["f32", "f64", "i32", "i1"])]
    for element in elements:
        for _ in range(int(rng.integers(1, 3))):
            rank = int(rng.integers(0, 4))
            function.feed([choose(rng, DIM_SIZES) for _ in range(rank)], element)
    for _ in range(int(rng.integers(1, size + 1))):
        for _ in range(20):
            node = OPS[choose(rng, ops)](function, rng)
            if node is not None:
                function.nodes.append(node)
                break
    computed = [step.result for step in function.graph.steps] or function.nodes
    extra = [node for node in computed[:-1] if rng.integers(4) == 0]
    function.results = [computed[-1], *extra]
    return function


def register(name: str) -> Callable[[Maker], Maker]:
    def keep(maker: Maker) -> Maker:
        OPS[name] = maker
        return maker

    return keep


def unsigned(x: Array) -> Array:
    return (
        x.view(x.dtype.str.replace("i", "u")) if x.ndim else np.asarray(x[None].view(x.dtype.str.replace("i", "u"))[0])
    )


def bits_of(x: Array) -> int:
    return x.dtype.itemsize * 8


def splat(f: Function, like: Node, value: str) -> List[str]:
    """%s{n}, a constant in the shape of {a}."""
    return [
        f"%p{{n}} = arith.constant dense<{value}> : tensor<{like.element}>",
        f"%s{{n}} = nn.broadcast %p{{n}} dims [] like {{a}} : (tensor<{like.element}>, {{A}}) -> {{A}}",
    ]


def wide(function: Callable[[Array], Any]) -> Callable[[Array], Any]:
    return lambda x: function(x.astype(np.float64))
