# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph of tensor ops that knows its text and what PyTorch computes for it."""

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
# A dimension size: a number, or the name of one that only a run knows, such as "B", the batch.
DimSize = Union[int, str]
Shape = Tuple[DimSize, ...]
# A function of the module torch and the operands, by which PyTorch computes an op.
Function = Callable[..., Any]


def type_of(shape: Sequence[DimSize], element: str) -> str:
    """The MLIR type; dimension sizes with names are dynamic."""
    sizes = ("?" if isinstance(size, str) else size for size in shape)
    return "tensor<" + "".join(f"{size}x" for size in sizes) + element + ">"


@dataclass(frozen=True)
class Node:
    """A value of the graph."""
    name: str
    shape: Shape
    element: str

    @property
    def type(self) -> str:
        return type_of(self.shape, self.element)

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass
class Step:
    """The computation of a node: lines of MLIR and a function of PyTorch tensors."""
    op: str
    lines: List[str]
    result: Node
    operands: List[Node]
    function: Function


@dataclass
class Graph:
    """A train step under construction.

    Weights are variables, feeds are arguments; the loss is minimized by
    `optimizer`. The entries are `step(feeds) -> (loss, observed...)` and
    `value(feeds) -> (loss, gradients of the weights...)`.
    """
    element: str
    weights: List[Tuple[Node, Array]] = field(default_factory=list)
    feeds: List[Node] = field(default_factory=list)
    steps: List[Step] = field(default_factory=list)
    observed: List[Node] = field(default_factory=list)
    loss: List[Node] = field(default_factory=list)
    optimizer: str = "sgd"

    def fresh(self) -> str:
        return f"%v{len(self.steps)}"

    def add(self, op: str, shape: Sequence[DimSize], lines: Sequence[str], operands: Sequence[Node],
            function: Function, element: str = "") -> Node:
        """Appends an op. `{y}` and `{a}`, `{b}`, ... in its lines are the names of
        the result and the operands, `{Y}` and `{A}`, `{B}`, ... their types, `{n}` a
        number of its own."""
        result = Node(self.fresh(), tuple(shape), element or self.element)
        names: Dict[str, str] = {"y": result.name, "Y": result.type, "n": str(len(self.steps)), "T": self.element}
        for letter, operand in zip("abcdefgh", operands):
            names[letter], names[letter.upper()] = operand.name, operand.type
        text = [line.format(**names) for line in lines]
        self.steps.append(Step(op, text, result, list(operands), function))
        return result

    # The text

    def module(self) -> str:
        """The text of the module."""
        text = "".join(f"train.variable @{node.name[1:]} : {node.type} = #train.zeros\n" for node, _ in self.weights)
        feeds = ", ".join(f"{node.name}: {node.type}" for node in self.feeds)
        body = "".join(f"  {node.name} = train.read @{node.name[1:]} : {node.type}\n" for node, _ in self.weights)
        body += "".join(f"  {line}\n" for step in self.steps for line in step.lines)
        loss = self.loss[0]
        results = [loss, *self.observed]
        types = ", ".join(node.type for node in results)
        names = ", ".join(node.name for node in results)
        text += (f"func.func @step({feeds}) -> ({types}) {{\n{body}"
                 f"  train.minimize {loss.name} : {loss.type} with {OPTIMIZERS[self.optimizer].attribute}\n"
                 f"  return {names} : {types}\n}}\n")
        weights = [node for node, _ in self.weights]
        kinds = ", ".join(node.type for node in weights)
        gradients = ", ".join(f"%g#{i}" for i in range(len(weights))) if len(weights) > 1 else "%g"
        left = f"%g:{len(weights)}" if len(weights) > 1 else "%g"
        text += (f"func.func @value({feeds}) -> ({loss.type}, {kinds}) {{\n{body}"
                 f"  {left} = train.gradient {loss.name} wrt {', '.join(node.name for node in weights)} "
                 f"unconnected zeros : ({loss.type}, {kinds}) -> ({kinds})\n"
                 f"  return {loss.name}, {gradients} : {loss.type}, {kinds}\n}}\n")
        return text

    @property
    def ops(self) -> List[str]:
        return [step.op for step in self.steps]

    # The values

    def evaluate(self, torch: Any, weights: Dict[str, Any], feeds: Dict[str, Any]) -> Dict[str, Any]:
        """Every value, by name, from PyTorch tensors."""
        values = {**weights, **feeds}
        for step in self.steps:
            values[step.result.name] = step.function(torch, *(values[node.name] for node in step.operands))
        return values

    def draw_feeds(self, rng: np.random.Generator, batch: int) -> List[Array]:
        """Inputs for one run."""
        found = []
        for node in self.feeds:
            shape = [batch if dim_size == "B" else int(dim_size) for dim_size in node.shape]
            if node.element.startswith("i"):
                found.append(rng.integers(0, 3, shape).astype(np.int32))
            else:
                found.append(rng.uniform(-1.5, 1.5, shape).astype(DTYPES[node.element]))
        return found


DTYPES: Dict[str, Any] = {"f32": np.float32, "f64": np.float64}


@dataclass(frozen=True)
class Optimizer:
    """An optimizer: its attribute, and its rule on (p, g, slots, t)."""
    attribute: str
    rule: Callable[[Array, Array, Dict[str, Array], int], Array]


def sgd(p: Array, g: Array, slots: Dict[str, Array], t: int) -> Array:
    return p - 0.05 * g


def momentum(p: Array, g: Array, slots: Dict[str, Array], t: int) -> Array:
    # O2: v' = m v - lr g; p' = p + v'.
    slots["v"] = 0.9 * slots.get("v", np.zeros_like(p)) - 0.05 * g
    return p + slots["v"]


def adam(p: Array, g: Array, slots: Dict[str, Array], t: int) -> Array:
    # O6: with an epsilon that is large enough for gradients near 0 to agree.
    slots["m"] = 0.9 * slots.get("m", np.zeros_like(p)) + 0.1 * g
    slots["u"] = 0.999 * slots.get("u", np.zeros_like(p)) + 0.001 * g * g
    rate = 0.01 * np.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t)
    return np.asarray(p - rate * slots["m"] / (np.sqrt(slots["u"]) + 1e-3))


OPTIMIZERS = {
    "sgd": Optimizer("#train.sgd<lr = 0.05>", sgd),
    "momentum": Optimizer("#train.sgd<lr = 0.05, momentum = 0.9>", momentum),
    "adam": Optimizer("#train.adam<lr = 0.01, epsilon = 1.0e-3>", adam),
}
