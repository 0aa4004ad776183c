#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of a call before anything is computed: the sum of two vectors of 4 elements, and a step that updates a
variable of 4 and returns a loss, with NumPy's arrays, here, by jax.jit and by torch.compile, each in its own process;
and here a function of a module, a tree of 8 layers in a dict, and of an array.

usage: PYTHONPATH=build/python PEERS_PYTHON benchmarks/calls.py [--rounds=N]
"""

import argparse
import statistics
import subprocess
import sys
from typing import Dict, List

HEAD = """
import sys, time
import numpy as np

a, b = np.ones(4, np.float32), np.ones(4, np.float32)

def measure(call, count=20000):
    call()
    best = []
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(count):
            call()
        best.append((time.perf_counter() - start) / count)
    return sorted(best)[2] * 1e6
"""

PROGRAMS: Dict[str, str] = {
    "flywheel": """
import flywheel as fw
w = fw.Variable(np.zeros(4, np.float32))
sgd = fw.optimizers.SGD(lr=0.1)

@fw.function
def add(x, y):
    return x + y

@fw.function
def step(x):
    loss = fw.sum(fw.square(w - x))
    sgd.minimize(loss)
    return loss

class Net(fw.Module):
    def __init__(self):
        self.layers = {f"layer{i}": fw.nn.Dense(4, 4) for i in range(8)}

    def __call__(self, x):
        for layer in self.layers.values():
            x = layer(x)
        return x

net, apply, rows = Net(), fw.function(lambda model, x: model(x)), a[None]
print(measure(lambda: add(a, b)), measure(lambda: step(a)), measure(lambda: apply(net, rows)))
""",
    "jax.jit": """
import jax, jax.numpy as jnp
add = jax.jit(lambda x, y: x + y)

@jax.jit
def update(w, x):
    loss, gradient = jax.value_and_grad(lambda w: jnp.sum(jnp.square(w - x)))(w)
    return w - 0.1 * gradient, loss

w = jnp.zeros(4)

def step():
    global w
    w, loss = update(w, a)
    return loss

print(measure(lambda: add(a, b)), measure(step))
""",
    "torch.compile": """
import torch
torch.set_num_threads(1)
add = torch.compile(lambda x, y: x + y)
w = torch.zeros(4, requires_grad=True)
sgd = torch.optim.SGD([w], lr=0.1)
loss_of = torch.compile(lambda x: torch.sum(torch.square(w - x)))
x, y = torch.from_numpy(a), torch.from_numpy(b)

def step():
    sgd.zero_grad()
    loss = loss_of(x)
    loss.backward()
    sgd.step()
    return loss

print(measure(lambda: add(x, y)), measure(step, 2000))
""",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    found: Dict[str, List[List[float]]] = {}
    for _ in range(options.rounds):
        for name, program in PROGRAMS.items():
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", HEAD + program], capture_output=True,
                                  text=True)  # fmt: skip
            if done.returncode:
                print(f"{name}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
                continue
            found.setdefault(name, []).append([float(number) for number in done.stdout.splitlines()[-1].split()])
    print("| us a call | sum | step | of a module |\n| --- | --- | --- | --- |")
    for name, runs in found.items():
        columns = [f"{statistics.median(column):.2f}" for column in zip(*runs)]
        print(f"| {name} | {' | '.join([*columns, ''][:3])} |")


if __name__ == "__main__":
    main()
