#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole processes, from `import` to 97 % of the test images of examples/digits: one model (64, 128, 10 units, SGD with
momentum, batches of 64, the same order of examples) with this package, its Keras, PyTorch, JAX and Keras on TensorFlow.

Each program is written as its users write it, tests after each epoch and ends at 97 %. The table has the seconds of
the process, its epochs, and the lines of the program; flywheel is also run again, when its programs are on disk.

usage: PYTHONPATH=build/python PEERS_PYTHON benchmarks/digits_to_97.py [--rounds=N]
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List, Tuple

ROOT = Path(__file__).resolve().parent.parent

# The start of all programs: it makes arrays, and batches of an epoch.
DATA = """
import numpy as np
from safetensors.numpy import load_file

data = load_file(DIGITS)
image, label = data["image"].astype(np.float32) * 0.125, data["label"].astype(np.int32)
order = np.random.default_rng(1)
train, test = np.split(order.permutation(len(label)), [len(label) * 4 // 5])

def batches():
    return np.array_split(order.permutation(train), len(train) // 64)
"""

FLYWHEEL = """
import flywheel as fw

w1, b1 = fw.Variable(fw.initializers.HeNormal(), shape=(64, 128)), fw.Variable(np.zeros(128, np.float32))
w2, b2 = fw.Variable(fw.initializers.GlorotUniform(), shape=(128, 10)), fw.Variable(np.zeros(10, np.float32))
sgd = fw.optimizers.SGD(lr=0.05, momentum=0.9)

def forward(x):
    return fw.nn.dense(fw.nn.relu(fw.nn.dense(x, w1, b1)), w2, b2)

@fw.function(dynamic=True)
def step(x, y):
    loss = fw.nn.sparse_softmax_cross_entropy(forward(x), y)
    sgd.minimize(loss)
    return loss

@fw.function(dynamic=True)
def correct(x, y):
    return fw.mean(fw.argmax(forward(x), 1) == y)

for epoch in range(1, 51):
    for rows in batches():
        step(image[rows], label[rows])
    if correct(image[test], label[test]) >= 0.97:
        break
"""

KERAS = """
from KERAS.layers import Dense
from KERAS.models import Sequential
from KERAS.optimizers import SGD

model = Sequential([Dense(128, activation="relu", input_shape=(64,)), Dense(10, activation="softmax")])
model.compile(SGD(0.05, momentum=0.9), "sparse_categorical_crossentropy", metrics=["accuracy"])
for epoch in range(1, 51):
    model.fit(image[train], label[train], batch_size=64, verbose=0)
    if model.evaluate(image[test], label[test], verbose=0)[1] >= 0.97:
        break
"""

TORCH = """
import torch

torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
sgd = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
image, label = torch.tensor(image), torch.tensor(label, dtype=torch.long)
for epoch in range(1, 51):
    for rows in batches():
        sgd.zero_grad()
        torch.nn.functional.cross_entropy(model(image[rows]), label[rows]).backward()
        sgd.step()
    with torch.no_grad():
        if (model(image[test]).argmax(1) == label[test]).float().mean() >= 0.97:
            break
"""

JAX = """
import jax
import jax.numpy as jnp

def dense(inputs, outputs):
    return order.normal(0, (2 / inputs) ** 0.5, (inputs, outputs)).astype(np.float32), np.zeros(outputs, np.float32)

params = [dense(64, 128), dense(128, 10)]
velocity = jax.tree.map(np.zeros_like, params)

def forward(params, x):
    (w1, b1), (w2, b2) = params
    return jax.nn.relu(x @ w1 + b1) @ w2 + b2

def loss(params, x, y):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(forward(params, x)), y[:, None], 1))

@jax.jit
def step(params, velocity, x, y):
    grads = jax.grad(loss)(params, x, y)
    velocity = jax.tree.map(lambda v, g: 0.9 * v - 0.05 * g, velocity, grads)
    return jax.tree.map(jnp.add, params, velocity), velocity

@jax.jit
def correct(params, x, y):
    return jnp.mean(jnp.argmax(forward(params, x), 1) == y)

for epoch in range(1, 51):
    for rows in batches():
        params, velocity = step(params, velocity, image[rows], label[rows])
    if correct(params, image[test], label[test]) >= 0.97:
        break
"""

PROGRAMS: Dict[str, str] = {
    "flywheel": FLYWHEEL, "flywheel.keras": KERAS.replace("KERAS", "flywheel.keras"), "PyTorch": TORCH, "JAX": JAX,
    "Keras on TensorFlow": KERAS.replace("KERAS", "keras")}  # fmt: skip


def run(program: str, cache: str) -> Tuple[float, int]:
    """The seconds of a process, and its epochs."""
    text = f"DIGITS = {str(ROOT / 'examples/digits/digits.safetensors')!r}\n{DATA}{program}\nprint('EPOCHS', epoch)\n"
    variables = {**os.environ, "FLYWHEEL_CACHE": cache, "TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_BACKEND": "tensorflow",
                 "CUDA_VISIBLE_DEVICES": ""}  # fmt: skip
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", text], env=variables, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(done.stderr)
    return seconds, int(done.stdout.rpartition("EPOCHS")[2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    found: Dict[str, List[Tuple[float, int]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            for name, program in PROGRAMS.items():
                is_ours = name.startswith("flywheel")
                found.setdefault(name, []).append(run(program, ""))
                if is_ours:
                    run(program, folder)
                    found.setdefault(f"{name}, from disk", []).append(run(program, folder))
    print("| program | seconds | epochs | lines |\n| --- | --- | --- | --- |")
    for name, runs in found.items():
        lines = [line for line in PROGRAMS[name.partition(",")[0]].splitlines() if line.strip()]
        print(f"| {name} | {statistics.median(s for s, _ in runs):.2f} | {runs[0][1]} | {len(lines)} |")


if __name__ == "__main__":
    main()
