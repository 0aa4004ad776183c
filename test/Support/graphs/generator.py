# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes random graphs of bounded size."""

from typing import List, Optional, Sequence

import numpy as np

from graphs.graph import OPTIMIZERS, DimSize, Graph, Node
from graphs.ops import MAX_ELEMENTS, OPS, weight

# A batch of a run, at most.
MAX_BATCH = 9


def elements(shape: Sequence[DimSize]) -> int:
    return int(np.prod([MAX_BATCH if isinstance(dim_size, str) else dim_size for dim_size in shape], dtype=int))


def generate(seed: int, size: int = 12, ops: Optional[Sequence[str]] = None) -> Graph:
    """The graph of a seed: `size` ops, or fewer, of those named (by default all),
    and a loss that depends on the last of its values."""
    rng = np.random.default_rng(seed)
    graph = Graph("f64" if rng.integers(2) else "f32")
    for index in range(int(rng.integers(1, 3))):
        rank = int(rng.integers(1, 5))
        shape: List[DimSize] = ["B", *(int(rng.choice([1, 2, 3, 5, 8])) for _ in range(rank - 1))]
        graph.feeds.append(Node(f"%x{index}", tuple(shape), graph.element))
    for _ in range(int(rng.integers(1, 3))):
        weight(graph, rng, [int(rng.choice([1, 3, 4, 8])) for _ in range(int(rng.integers(0, 3)))])
    names = list(ops or OPS)
    nodes: List[Node] = [*graph.feeds]
    for _ in range(int(rng.integers(3, size + 1))):
        made = OPS[str(rng.choice(names))](graph, rng, [*nodes, *(node for node, _ in graph.weights)])
        if made is not None and elements(made.shape) <= MAX_ELEMENTS:
            nodes.append(made)
    finish(graph, rng, nodes)
    graph.optimizer = str(rng.choice(list(OPTIMIZERS)))
    return graph


def finish(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> None:
    """A loss of the last values, what else is returned, and a use of each weight."""
    terms: List[Node] = []
    used = {operand.name for step in graph.steps for operand in step.operands}
    last = [node for node in nodes[-3:] if node.element == graph.element]
    # A use need not lead to the loss: the first weight has one that does.
    weights = [node for i, (node, _) in enumerate(graph.weights) if i == 0 or node.name not in used]
    for node in [*last, *weights]:
        square = graph.add("arith.mulf", node.shape, ["{y} = arith.mulf {a}, {a} : {A}"], [node], lambda t, x: x * x)
        line = f"{{y}} = nn.reduce mean {{a}} axes {list(range(node.rank))} : {{A}} -> {{Y}}"
        terms.append(graph.add("nn.reduce", (), [line], [square], lambda t, x: x.mean()))
    loss = terms[0]
    for term in terms[1:]:
        loss = graph.add("arith.addf", (), ["{y} = arith.addf {a}, {b} : {A}"], [loss, term], lambda t, x, y: x + y)
    graph.loss = [loss]
    computed = [node for node in nodes if node not in graph.feeds]
    if computed and rng.integers(2):
        graph.observed = [computed[int(rng.integers(len(computed)))]]
