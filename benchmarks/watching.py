#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of `fw.watch`: steps of two networks of dense layers, plain, watched in each 100th step, and in each one, in
turn in one process, with one thread.

usage: PYTHONPATH=build/python python benchmarks/watching.py [--rounds=N]
"""

import argparse
import statistics
import time
from typing import Any, Callable, Dict, List, Optional

import numpy as np

import flywheel as fw

# Units of the layers, the rows of a batch, and the steps of a round.
NETWORKS = {"784-512-512-10, batch 128": ([784, 512, 512, 10], 128, 200),
            "64-128-128-10, batch 64": ([64, 128, 128, 10], 64, 4000)}  # fmt: skip
FORMS: Dict[str, Optional[int]] = {"plain": None, "every=100": 100, "every=1": 1}


def make(units: List[int], rows: int, every: Optional[int]) -> Callable[[], Any]:
    """Returns a call of a step."""
    layers = [fw.nn.Dense(a, b) for a, b in zip(units, units[1:])]
    sgd = fw.optimizers.SGD(lr=1e-3)
    board = None if every is None else fw.Dashboard(every=every)

    @fw.function(threads=1)
    def step(x: Any, labels: Any) -> Any:
        seen = {}
        for number, layer in enumerate(layers[:-1]):
            x = seen[f"hidden{number}"] = fw.nn.relu(layer(x))
        loss = fw.nn.sparse_softmax_cross_entropy(layers[-1](x), labels)
        if board is not None:
            fw.watch(loss, seen, to=board)
        sgd.minimize(loss)
        return loss

    rng = np.random.default_rng(1)
    x, labels = rng.random((rows, units[0]), np.float32), rng.integers(0, units[-1], rows).astype(np.int32)
    return lambda: step(x, labels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    rounds: int = parser.parse_args().rounds
    for name, (units, rows, count) in NETWORKS.items():
        steps = {form: make(units, rows, every) for form, every in FORMS.items()}
        times: Dict[str, List[float]] = {form: [] for form in steps}
        for number in range(rounds + 1):
            for form, step in steps.items():
                start = time.perf_counter()
                for _ in range(count):
                    step()
                # The first round compiles.
                if number:
                    times[form].append((time.perf_counter() - start) / count * 1e6)
        plain = statistics.median(times["plain"])
        print(name, *(f"{form} {statistics.median(t):.1f} us ({statistics.median(t) / plain - 1:+.1%})"
                      for form, t in times.items()), sep="  ")  # fmt: skip


if __name__ == "__main__":
    main()
