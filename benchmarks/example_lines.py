#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many lines the models of examples/ take, their training with them: with this package, its Keras, JAX without
further libraries, and Keras on TensorFlow.

Each program is run, for a few steps, and has to lower its loss: what is counted works. Lines are those that are not
empty, without the data that all share. `digits_to_97.py` has the programs of examples/digits.

usage: PYTHONPATH=build/python PEERS_PYTHON benchmarks/example_lines.py
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Dict

ROOT = Path(__file__).resolve().parent.parent

# What the programs of an example begin with: `batches` are those of training.
LENET_DATA = """
import numpy as np
from safetensors.numpy import load_file

data = load_file(DIGITS)
image, label = data["image"].reshape(-1, 8, 8, 1).astype(np.float32) * 0.125, data["label"].astype(np.int32)
order, losses = np.random.default_rng(1), []
batches = [order.integers(0, len(label), 64) for _ in range(40)]
"""
LENET = {
    "flywheel": """
import flywheel as fw

def layer(*shape):
    return fw.Variable(fw.initializers.HeNormal(), shape=shape), fw.Variable(np.zeros(shape[-1], np.float32))

conv1, conv2 = layer(5, 5, 1, 32), layer(3, 3, 32, 64)
dense1, dense2, output = layer(256, 120), layer(120, 84), layer(84, 10)
adam = fw.optimizers.Adam(lr=0.002)

def convolve(x, w, b):
    return fw.nn.max_pool2d(fw.nn.relu(fw.nn.conv2d(x, w, padding="same") + b), [2, 2])

def forward(x):
    x = fw.nn.dropout(fw.reshape(convolve(convolve(x, *conv1), *conv2), (None, 256)), 0.5)
    return fw.nn.dense(fw.nn.relu(fw.nn.dense(fw.nn.relu(fw.nn.dense(x, *dense1)), *dense2)), *output)

@fw.function(dynamic=True)
def step(x, y):
    loss = fw.nn.sparse_softmax_cross_entropy(forward(x), y)
    adam.minimize(loss)
    return loss

for rows in batches:
    losses.append(step(image[rows], label[rows]))
""",
    "KERAS": """
from KERAS.layers import Conv2D, Dense, Dropout, Flatten, MaxPooling2D
from KERAS.models import Sequential
from KERAS.optimizers import Adam

model = Sequential([
    Conv2D(32, 5, padding="same", activation="relu", input_shape=(8, 8, 1)), MaxPooling2D(),
    Conv2D(64, 3, padding="same", activation="relu"), MaxPooling2D(), Flatten(), Dropout(0.5),
    Dense(120, activation="relu"), Dense(84, activation="relu"), Dense(10, activation="softmax")])
model.compile(Adam(0.002), "sparse_categorical_crossentropy")
for rows in batches:
    losses.append(model.train_on_batch(image[rows], label[rows]))
""",
    "JAX": """
import jax
import jax.numpy as jnp

def layer(*shape):
    return order.normal(0, (2 / np.prod(shape[:-1])) ** 0.5, shape).astype(np.float32), np.zeros(shape[-1], np.float32)

params = [layer(5, 5, 1, 32), layer(3, 3, 32, 64), layer(256, 120), layer(120, 84), layer(84, 10)]
moments = [jax.tree.map(np.zeros_like, params)] * 2

def convolve(x, w, b):
    y = jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.lax.reduce_window(jax.nn.relu(y + b), -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

def forward(params, x, key):
    conv1, conv2, (w1, b1), (w2, b2), (w3, b3) = params
    x = convolve(convolve(x, *conv1), *conv2).reshape(-1, 256)
    x = jnp.where(jax.random.bernoulli(key, 0.5, x.shape), 2 * x, 0)
    return jax.nn.relu(jax.nn.relu(x @ w1 + b1) @ w2 + b2) @ w3 + b3

def loss(params, x, y, key):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(forward(params, x, key)), y[:, None], 1))

@jax.jit
def step(params, moments, t, x, y, key):
    value, grads = jax.value_and_grad(loss)(params, x, y, key)
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], grads)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], grads)
    rate = 0.002 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    return jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), params, m, v), [m, v], value

for t, rows in enumerate(batches, 1):
    params, moments, value = step(params, moments, float(t), image[rows], label[rows], jax.random.key(t))
    losses.append(value)
""",
}

TEXT_DATA = """
import numpy as np

order, losses = np.random.default_rng(1), []
text = order.permutation(96)[np.arange(20000) * 7 % 96].astype(np.int32)
starts = [order.integers(0, len(text) - 65, 16)[:, None] + np.arange(64) for _ in range(40)]
"""
TRANSFORMER = {
    "flywheel": """
import flywheel as fw

def draw(*shape):
    return fw.Variable(fw.initializers.RandomNormal(stddev=0.1), shape=shape)

def norm(x, gamma, beta):
    return fw.nn.layer_norm(x, gamma, beta, axes=[2], epsilon=1e-5)

def pair(first, size):
    return fw.Variable(np.full(size, first, np.float32)), fw.Variable(np.zeros(size, np.float32))

def block():
    heads = [draw(64, 64) for _ in range(4)]
    return heads, pair(1, 64), pair(1, 64), (draw(64, 256), draw(256)), (draw(256, 64), draw(64))

characters, positions, blocks, last, scores = draw(96, 64), draw(64, 64), [block(), block()], pair(1, 64), draw(64, 96)
adam = fw.optimizers.Adam(lr=0.003)

def attend(x, query, key, value, merge):
    q, k, v = (fw.swapaxes(fw.reshape(x @ w, (None, 64, 4, 16)), 1, 2) for w in (query, key, value))
    return fw.reshape(fw.swapaxes(fw.nn.attention(q, k, v, causal=True), 1, 2), (None, 64, 64)) @ merge

def forward(ids):
    x = fw.nn.embedding(characters, ids) + positions
    for heads, norm1, norm2, widen, narrow in blocks:
        x = x + fw.nn.dropout(attend(norm(x, *norm1), *heads), 0.2)
        x = x + fw.nn.dropout(fw.nn.dense(fw.nn.gelu(fw.nn.dense(norm(x, *norm2), *widen)), *narrow), 0.2)
    return norm(x, *last) @ scores

@fw.function(dynamic=True)
def step(ids, following):
    loss = fw.nn.sparse_softmax_cross_entropy(forward(ids), following)
    adam.minimize(loss)
    return loss

for index in starts:
    losses.append(step(text[index], text[index + 1]))
""",
    "JAX": """
import jax
import jax.numpy as jnp

def draw(*shape):
    return order.normal(0, 0.1, shape).astype(np.float32)

def pair(first, size):
    return np.full(size, first, np.float32), np.zeros(size, np.float32)

def block():
    heads = [draw(64, 64) for _ in range(4)]
    return heads, pair(1, 64), pair(1, 64), (draw(64, 256), draw(256)), (draw(256, 64), draw(64))

params = draw(96, 64), draw(64, 64), [block(), block()], pair(1, 64), draw(64, 96)
moments = [jax.tree.map(np.zeros_like, params)] * 2

def norm(x, gamma, beta):
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(var + 1e-5) * gamma + beta

def dropout(x, key):
    return jnp.where(jax.random.bernoulli(key, 0.8, x.shape), x / 0.8, 0)

def attend(x, query, key, value, merge):
    q, k, v = ((x @ w).reshape(-1, 64, 4, 16) for w in (query, key, value))
    return jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(-1, 64, 64) @ merge

def forward(params, ids, key):
    characters, positions, blocks, last, scores = params
    x = characters[ids] + positions
    for heads, norm1, norm2, (w1, b1), (w2, b2) in blocks:
        key, key1, key2 = jax.random.split(key, 3)
        x = x + dropout(attend(norm(x, *norm1), *heads), key1)
        x = x + dropout(jax.nn.gelu(norm(x, *norm2) @ w1 + b1) @ w2 + b2, key2)
    return norm(x, *last) @ scores

def loss(params, ids, following, key):
    rows = jax.nn.log_softmax(forward(params, ids, key))
    return -jnp.mean(jnp.take_along_axis(rows, following[:, :, None], 2))

@jax.jit
def step(params, moments, t, ids, following, key):
    value, grads = jax.value_and_grad(loss)(params, ids, following, key)
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], grads)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], grads)
    rate = 0.003 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    return jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), params, m, v), [m, v], value

for t, index in enumerate(starts, 1):
    params, moments, value = step(params, moments, float(t), text[index], text[index + 1], jax.random.key(t))
    losses.append(value)
""",
    "Keras on TensorFlow": """
import keras
from keras import layers

def block(x):
    y = layers.LayerNormalization()(x)
    y = layers.MultiHeadAttention(4, 16)(y, y, use_causal_mask=True)
    x = x + layers.Dropout(0.2)(y)
    y = layers.Dense(256, activation="gelu")(layers.LayerNormalization()(x))
    return x + layers.Dropout(0.2)(layers.Dense(64)(y))

ids = keras.Input((64,), dtype="int32")
places = layers.Embedding(64, 64)(np.arange(64)[None])
x = block(block(layers.Embedding(96, 64)(ids) + places))
model = keras.Model(ids, layers.Dense(96)(layers.LayerNormalization()(x)))
model.compile(keras.optimizers.Adam(0.003), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
for index in starts:
    losses.append(model.train_on_batch(text[index], text[index + 1]))
""",
}

FACTORS_DATA = """
import numpy as np
from safetensors.numpy import load_file

matrix, order, losses = load_file(DIGITS)["image"].astype(np.float32), np.random.default_rng(1), []
batches = [np.divmod(order.integers(0, matrix.size, 512).astype(np.int32), 64) for _ in range(60)]
mean = matrix.mean()
"""
FACTORIZATION = {
    "flywheel": """
import flywheel as fw

def table(rows, columns, deviation):
    return fw.Variable(fw.initializers.RandomNormal(stddev=deviation), shape=(rows, columns))

tables = table(1797, 16, 0.1), table(64, 16, 0.1), table(1797, 1, 0.0), table(64, 1, 0.0)
adam = fw.optimizers.Adam(lr=0.02)

@fw.function(dynamic=True)
def step(row, column, rating):
    u, v, b, c = (fw.nn.embedding(own, index) for own, index in zip(tables, (row, column, row, column)))
    error = mean + b[:, 0] + c[:, 0] + fw.sum(u * v, 1) - rating
    loss = fw.mean(error * error)
    adam.minimize(loss + 0.01 * (fw.mean(fw.sum(u * u, 1)) + fw.mean(fw.sum(v * v, 1))))
    return loss

for row, column in batches:
    losses.append(step(row, column, matrix[row, column]))
""",
    "JAX": """
import jax
import jax.numpy as jnp

def table(rows, columns, deviation):
    return order.normal(0, deviation, (rows, columns)).astype(np.float32)

params = table(1797, 16, 0.1), table(64, 16, 0.1), table(1797, 1, 0.0), table(64, 1, 0.0)
moments = [jax.tree.map(np.zeros_like, params)] * 2

def loss(params, row, column, rating):
    u, v, b, c = (own[index] for own, index in zip(params, (row, column, row, column)))
    error = jnp.mean((mean + b[:, 0] + c[:, 0] + jnp.sum(u * v, 1) - rating) ** 2)
    return error + 0.01 * (jnp.mean(jnp.sum(u * u, 1)) + jnp.mean(jnp.sum(v * v, 1))), error

@jax.jit
def step(params, moments, t, row, column, rating):
    (_, value), grads = jax.value_and_grad(loss, has_aux=True)(params, row, column, rating)
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], grads)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], grads)
    rate = 0.02 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    return jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), params, m, v), [m, v], value

for t, (row, column) in enumerate(batches, 1):
    params, moments, value = step(params, moments, float(t), row, column, matrix[row, column])
    losses.append(value)
""",
    "Keras on TensorFlow": """
import keras
from keras import layers

row, column = keras.Input((), dtype="int32"), keras.Input((), dtype="int32")
u, v = layers.Embedding(1797, 16)(row), layers.Embedding(64, 16)(column)
biases = layers.Embedding(1797, 1)(row) + layers.Embedding(64, 1)(column)
model = keras.Model([row, column], float(mean) + biases + layers.Dot(1)([u, v]))
model.compile(keras.optimizers.Adam(0.02), "mse")
for row, column in batches:
    losses.append(model.train_on_batch([row, column], matrix[row, column][:, None]))
""",
}

EXAMPLES = {"lenet": (LENET_DATA, LENET), "transformer": (TEXT_DATA, TRANSFORMER),
            "matrix-factorization": (FACTORS_DATA, FACTORIZATION)}  # fmt: skip


def spellings(programs: Dict[str, str]) -> Dict[str, str]:
    """The programs by the framework that they are for: one for both kinds of Keras is two."""
    result = {name: text for name, text in programs.items() if name != "KERAS"}
    if "KERAS" in programs:
        result["flywheel.keras"] = programs["KERAS"].replace("KERAS", "flywheel.keras")
        result["Keras on TensorFlow"] = programs["KERAS"].replace("KERAS", "keras")
    return result


def check(example: str, name: str, data: str, program: str) -> None:
    """Runs a program. Exits with an error where its loss does not fall."""
    text = f"DIGITS = {str(ROOT / 'examples/digits/digits.safetensors')!r}\n{data}{program}\n"
    text += "assert np.mean(losses[-5:]) < 0.9 * np.mean(losses[:5]), losses\n"
    variables = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_BACKEND": "tensorflow", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", text], env=variables, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"error: {example} with {name}:\n{done.stderr[-2000:]}")


def main() -> None:
    columns = ["flywheel", "flywheel.keras", "JAX", "Keras on TensorFlow"]
    print(f"| example | {' | '.join(columns)} |")
    print(f"| --- |{' --- |' * len(columns)}")
    for example, (data, programs) in EXAMPLES.items():
        found = spellings(programs)
        for name, program in found.items():
            check(example, name, data, program)
        counts = {name: sum(bool(line.strip()) for line in program.split("\n")) for name, program in found.items()}
        print(f"| {example} | {' | '.join(str(counts.get(name, '-')) for name in columns)} |", flush=True)


if __name__ == "__main__":
    main()
