# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s --graphs 30
# RUN: %python %s --graphs 2 --gpu
"""Random train steps: reference lowering, optimized code and PyTorch.

A graph has feeds of a dynamic batch, weights, up to a dozen ops and a loss; `value` gives the loss and its gradients,
`step` trains (A5, G1, G13, G18, T4). The optimized code (of this machine, or of x86-64-v3) of each runs `value` on two
batch sizes and `step` three times, and so does the reference lowering; with PyTorch, which is optional, its autograd
and the optimizers of graphs/graph.py in numpy; without it, the gradient is compared with differences of the loss.

usage: random_graphs.py [--graphs N] [--seed N] [--size N] [--op NAME] [--against torch] [--gpu]

With --gpu the optimized code is that of a GPU, which a simulator executes.
"""

import argparse
import collections
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

import flywheel
from configurations import GPU_TARGET
from graphs import Graph, generate
from graphs.graph import DTYPES, OPTIMIZERS
from graphs.ops import OPS

Array = NDArray[Any]

# Relative to the largest number of an array.
TOLERANCES = {"f64": 1e-9, "f32": 2e-4}


def as_list(result: Any) -> List[Array]:
    return list(result) if isinstance(result, tuple) else [result]


def find_difference(what: str, found: Array, expected: Array, tolerance: float) -> str:
    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    if found.shape != expected.shape:
        return f"{what}: expected shape {expected.shape}, found {found.shape}"
    error = np.abs(found - expected)
    bound = tolerance * max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    if np.all(error <= bound):
        return ""
    where = np.unravel_index(int(np.argmax(np.where(np.isnan(error), np.inf, error))), error.shape)
    return f"{what} at {tuple(map(int, where))}: expected {expected[where]}, found {found[where]}"


def runs_of(graph: Graph, seed: int) -> List[List[Array]]:
    """The feeds of each run; the first two are those of `value`."""
    rng = np.random.default_rng([seed, 1])
    return [graph.draw_feeds(rng, batch) for batch in (4, 9, 1, 4, 7)]


def run(graph: Graph, seed: int, lowering: str, cpu: Optional[str] = None,
        target: Optional[str] = None) -> List[Tuple[str, Array]]:
    """Every number of the runs of a graph, with what to call it."""
    session = flywheel.Session(flywheel.compile(graph.module(), lowering=lowering, cpu=cpu, target=target))
    for node, values in graph.weights:
        session[node.name[1:]] = values.astype(DTYPES[graph.element])
    feeds = runs_of(graph, seed)
    # Slots and counters start as they do in a model of their own.
    session.initialize(1, [name for name in session.variables if not name.startswith("w") or "/" in name])
    numbers: List[Tuple[str, Array]] = []
    for index in range(2):
        loss, *gradients = as_list(session.run("value", *feeds[index]))
        numbers.append((f"value {index} loss", loss))
        numbers += [(f"value {index} gradient of {node.name}", g) for (node, _), g in zip(graph.weights, gradients)]
    for index in range(2, 5):
        results = as_list(session.run("step", *feeds[index]))
        numbers += [(f"step {index} result {i}", value) for i, value in enumerate(results)]
    numbers += [(f"{node.name} after the steps", session[node.name[1:]]) for node, _ in graph.weights]
    return numbers


def run_torch(graph: Graph, seed: int) -> List[Tuple[str, Array]]:
    """The same from PyTorch."""
    import torch

    dtype = {"f32": torch.float32, "f64": torch.float64}[graph.element]
    weights = {node.name: values.astype(DTYPES[graph.element]) for node, values in graph.weights}
    feeds = runs_of(graph, seed)
    slots: Dict[str, Dict[str, Array]] = collections.defaultdict(dict)
    numbers: List[Tuple[str, Array]] = []

    def evaluate(index: int) -> Tuple[Dict[str, Any], Dict[str, Array]]:
        leaves = {name: torch.tensor(value, dtype=dtype, requires_grad=True) for name, value in weights.items()}
        inputs = {node.name: torch.tensor(value) for node, value in zip(graph.feeds, feeds[index])}
        values = graph.evaluate(torch, leaves, inputs)
        loss = values[graph.loss[0].name]
        found = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True) if loss.requires_grad else []
        found = found or [None] * len(leaves)
        gradients = {name: np.zeros_like(weights[name]) if g is None else g.numpy() for name, g in zip(leaves, found)}
        return values, gradients

    for index in range(2):
        values, gradients = evaluate(index)
        numbers.append((f"value {index} loss", values[graph.loss[0].name].detach().numpy()))
        numbers += [(f"value {index} gradient of {name}", g) for name, g in gradients.items()]
    rule = OPTIMIZERS[graph.optimizer].rule
    for index in range(2, 5):
        values, gradients = evaluate(index)
        for i, node in enumerate([graph.loss[0], *graph.observed]):
            numbers.append((f"step {index} result {i}", values[node.name].detach().numpy()))
        for name, gradient in gradients.items():
            weights[name] = rule(weights[name], gradient, slots[name], index - 1).astype(weights[name].dtype)
    numbers += [(f"{name} after the steps", value) for name, value in weights.items()]
    return numbers


def compare(found: List[Tuple[str, Array]], expected: List[Tuple[str, Array]], element: str) -> str:
    for (what, value), (_, wanted) in zip(found, expected):
        if message := find_difference(what, value, wanted, TOLERANCES[element]):
            return message
    return ""


def check(seed: int, options: argparse.Namespace) -> Tuple[str, List[str]]:
    """Nothing, or what is wrong with the graph of a seed; and its ops."""
    graph = generate(seed, options.size, options.op or None)
    cpu = "x86-64-v3" if seed % 3 == 0 and not options.gpu else None
    try:
        optimized = run(graph, seed, "optimized", cpu, GPU_TARGET if options.gpu else None)
        reference = run(graph, seed, "reference")
    except Exception as error:  # Whatever it is, it is reported.
        return f"{type(error).__name__}: {error}", graph.ops
    message = compare(optimized, reference, graph.element)
    if message:
        return f"optimized and reference: {message}", graph.ops
    if options.against == "torch":
        message = compare(optimized, run_torch(graph, seed), graph.element)
        if message:
            return f"optimized and PyTorch: {message}", graph.ops
    elif graph.element == "f64":
        message = check_by_differences(graph, seed, dict(reference))
    return message, graph.ops


def check_by_differences(graph: Graph, seed: int, numbers: Dict[str, Array]) -> str:
    """The gradient along a direction, which differences of the loss give."""
    session = flywheel.Session(flywheel.compile(graph.module(), lowering="reference", entries=["value"]))
    feeds = runs_of(graph, seed)[0]
    rng = np.random.default_rng([seed, 2])
    directions = [rng.standard_normal(values.shape) for _, values in graph.weights]

    def loss(step: float) -> float:
        for (node, values), direction in zip(graph.weights, directions):
            session[node.name[1:]] = values + step * direction
        return float(as_list(session.run("value", *feeds))[0])

    found = sum(float(np.sum(numbers[f"value 0 gradient of {node.name}"] * direction))
                for (node, _), direction in zip(graph.weights, directions))
    # Two steps agree unless a kink is near: nothing can be said there.
    estimates = [(8 * (loss(h) - loss(-h)) - (loss(2 * h) - loss(-2 * h))) / (12 * h) for h in (1e-4, 3e-5)]
    if abs(estimates[0] - estimates[1]) > 1e-6 * max(1.0, abs(found)):
        return ""
    if abs(estimates[1] - found) > 1e-5 * max(1.0, abs(found)):
        return f"gradient along a direction: expected {estimates[1]}, found {found}"
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description="Compares random graphs.")
    parser.add_argument("--graphs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0, help="of the first graph")
    parser.add_argument("--size", type=int, default=12, help="ops of a graph, at most")
    parser.add_argument("--op", action="append", choices=list(OPS), help="make graphs of these only")
    parser.add_argument("--against", choices=["torch"], help="compare with another framework as well")
    parser.add_argument("--gpu", action="store_true", help="code for a GPU, on the simulator")
    parser.add_argument("--verbose", action="store_true", help="print the module of each failure")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.graphs)
    uses: collections.Counter[str] = collections.Counter()
    failures = 0
    with ThreadPoolExecutor(2) as pool:
        for seed, (message, ops) in zip(seeds, pool.map(lambda seed: check(seed, options), seeds)):
            uses.update(ops)
            if message:
                failures += 1
                print(f"seed {seed}: {message.splitlines()[0]}")
                if options.verbose:
                    print(generate(seed, options.size, options.op or None).module())
    missing = [op for op in OPS if op not in uses and not options.op]
    print(f"{options.graphs} graphs, {sum(uses.values())} ops, {failures} failures")
    if missing and options.graphs >= 40:
        print("ops in no graph:", ", ".join(missing))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
