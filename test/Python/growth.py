# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""The module grows with the program, and no faster, in every stage (T44): its lines after each, of n, 2n, 4n and 8n
parts. benchmarks/growth measures the times."""

import math
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

import flywheel as fw

FIRST = 16
MOST = 1.3
Made = Tuple[Callable[..., Any], List[Any]]


def rows(n: int, m: int = 8) -> Any:
    return np.random.default_rng(0).standard_normal((n, m)).astype(np.float32)


def chain(n: int) -> Made:
    def run(x: Any) -> Any:
        for _ in range(n):
            x = fw.nn.softmax(x)
        return x

    return run, [rows(4)]


def feeds_and_outputs(n: int) -> Made:
    return lambda *xs: tuple(x + 1.0 for x in xs), list(rows(n))


def updates(n: int) -> Made:
    def run(x: Any) -> Any:
        for k in range(n):
            x = x.at[k].set(float(k))
        return x

    return run, [rows(n)]


def branches(n: int) -> Made:
    def run(x: Any) -> Any:
        for k in range(n):
            x = fw.cond(fw.sum(x) > float(k), lambda x=x: x + 1.0, lambda x=x: x * 2.0)
        return x

    return run, [rows(1)[0]]


def layers(n: int) -> Made:
    ws = [fw.Variable(shape=(8, 8), name=f"w{k}") for k in range(n)]
    adam = fw.optimizers.Adam(lr=0.01)

    def run(x: Any) -> Any:
        for w in ws:
            x = fw.nn.relu(x @ w)
        loss = fw.mean(x * x)
        adam.minimize(loss)
        return loss

    return run, [rows(4)]


def recurrence(n: int) -> Made:
    w = fw.Variable(shape=(8, 8), name="w")
    sgd = fw.optimizers.SGD(lr=0.1)

    def run(x: Any) -> Any:
        h = fw.zeros((1, 8))
        for t in range(n):
            h = fw.tanh(h @ w + x[t])
        loss = fw.mean(h * h)
        sgd.minimize(loss)
        return loss

    return run, [rows(n)]


FAMILIES: Dict[str, Callable[[int], Made]] = {
    "chain": chain,
    "concatenate": lambda n: (lambda *xs: fw.concatenate(list(xs)), list(rows(n))),
    "stack": lambda n: (lambda x: fw.stack([fw.sin(x * float(k)) for k in range(n)]), [rows(1)[0]]),
    "gradient of stack": lambda n: (
        fw.grad(lambda x: fw.sum(fw.stack([fw.sin(x * float(k)) for k in range(n)]) ** 2)),
        [rows(1)[0]],
    ),
    "split": lambda n: (lambda x: fw.concatenate(fw.split(x, n)[::-1]), [rows(n).reshape(-1)]),
    "updates": updates,
    "sums": lambda n: (lambda x: sum(fw.sum(x * float(k)) for k in range(n)), [rows(4)]),
    "stacked sums": lambda n: (lambda x: fw.stack([fw.sum(x * float(k)) for k in range(n)]), [rows(4)]),
    "outputs": lambda n: (lambda x: tuple(fw.sum(x * float(k)) for k in range(n)), [rows(4)]),
    "feeds and outputs": feeds_and_outputs,
    "slices": lambda n: (fw.grad(lambda x: sum(fw.sum(fw.sin(x[k])) for k in range(n))), [rows(n)]),
    "branches": branches,
    "layers": layers,
    "recurrence": recurrence,
}

wrong = []
for name, make in FAMILIES.items():
    lengths: Dict[str, List[int]] = {}
    for n in (FIRST, 2 * FIRST, 4 * FIRST, 8 * FIRST):
        with fw.Store():
            run, arguments = make(n)
            module = fw.function(run, name="grown").trace(*arguments).module
            lengths.setdefault("traced", []).append(str(module).count("\n"))
            for stage, _ in fw.stages():
                module = fw.lower(module, stop_after=stage)
                lengths.setdefault(stage, []).append(str(module).count("\n"))
    for stage, lines in lengths.items():
        # Lines that any n has do not count. A limit, such as that of the ops of a body, makes one step.
        grown = [max(after - before, 1) for before, after in zip(lines, lines[1:])]
        exponents = [math.log2(after / before) for before, after in zip(grown, grown[1:])]
        if min(exponents) > MOST and grown[-1] > FIRST:
            wrong.append(f"{name}, {stage}: {lines} lines")
assert not wrong, "\n".join(wrong)
