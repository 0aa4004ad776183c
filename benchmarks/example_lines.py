#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the lines of the models of examples/, with their training: with this package, its Keras, JAX without further
libraries, and Keras on TensorFlow.

Each program is run, for a few steps, and has to lower its loss: what is counted works. Lines are those that are not
empty, without the data that all share. `digits_to_97.py` has the programs of examples/digits.

usage: PYTHONPATH=build/python PEERS_PYTHON benchmarks/example_lines.py [EXAMPLE...]
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Dict

ROOT = Path(__file__).resolve().parent.parent

# The start of the programs of an example: `batches` are those of training.
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

RESNET_DATA = """
import numpy as np
from safetensors.numpy import load_file

data = load_file(DIGITS)
image, label = data["image"].reshape(-1, 8, 8, 1).astype(np.float32) * 0.125, data["label"].astype(np.int32)
order, losses = np.random.default_rng(1), []
batches = [order.integers(0, len(label), 64) for _ in range(40)]
"""
RESNET = {
    "flywheel": """
import flywheel as fw

class Convolution:
    def __init__(self, size, inputs, outputs, stride=1):
        self.w = fw.Variable(fw.initializers.HeNormal(), shape=(size, size, inputs, outputs))
        self.norm = [fw.Variable(np.full(outputs, k in (0, 3), np.float32), trainable=k < 2) for k in range(4)]
        self.stride = stride

    def __call__(self, x):
        y = fw.nn.conv2d(x, self.w, strides=[self.stride, self.stride], padding="same")
        return fw.nn.batch_norm(y, *self.norm, training=True, momentum=0.9)

stem, first, second = Convolution(3, 1, 16), Convolution(3, 16, 16), Convolution(3, 16, 16)
third, fourth, project = Convolution(3, 16, 32, 2), Convolution(3, 32, 32), Convolution(1, 16, 32, 2)
w, b = fw.Variable(shape=(32, 10)), fw.Variable(np.zeros(10, np.float32))
sgd = fw.optimizers.SGD(lr=0.1, momentum=0.9, nesterov=True)

def forward(x):
    x = fw.nn.relu(stem(x))
    x = fw.nn.relu(x + second(fw.nn.relu(first(x))))
    x = fw.nn.relu(project(x) + fourth(fw.nn.relu(third(x))))
    return fw.nn.dense(x.mean((1, 2)), w, b)

@fw.function(dynamic=True)
def step(x, y):
    loss = fw.nn.sparse_softmax_cross_entropy(forward(x), y)
    sgd.minimize(loss)
    return loss

for rows in batches:
    losses.append(step(image[rows], label[rows]))
""",
    "KERAS": """
from KERAS.layers import Activation, Add, BatchNormalization, Conv2D, Dense, GlobalAveragePooling2D, Input
from KERAS.models import Model
from KERAS.optimizers import SGD

def convolve(x, filters, size=3, stride=1):
    return BatchNormalization(momentum=0.9)(Conv2D(filters, size, strides=stride, padding="same", use_bias=False)(x))

def block(x, filters, stride, shortcut):
    y = Activation("relu")(convolve(x, filters, stride=stride))
    return Activation("relu")(Add()([shortcut, convolve(y, filters)]))

images = Input((8, 8, 1))
x = Activation("relu")(convolve(images, 16))
x = block(x, 16, 1, x)
x = block(x, 32, 2, convolve(x, 32, 1, 2))
model = Model(images, Dense(10, activation="softmax")(GlobalAveragePooling2D()(x)))
model.compile(SGD(0.1, momentum=0.9, nesterov=True), "sparse_categorical_crossentropy")
for rows in batches:
    losses.append(model.train_on_batch(image[rows], label[rows]))
""",
    "JAX": """
import jax
import jax.numpy as jnp

def convolution(size, inputs, outputs):
    w = order.normal(0, (2 / (size * size * inputs)) ** 0.5, (size, size, inputs, outputs)).astype(np.float32)
    return (w, np.ones(outputs, np.float32), np.zeros(outputs, np.float32)), (np.zeros(outputs), np.ones(outputs))

shapes = [(3, 1, 16), (3, 16, 16), (3, 16, 16), (3, 16, 32), (3, 32, 32), (1, 16, 32)]
layers, averages = zip(*[convolution(*shape) for shape in shapes])
params = layers, order.normal(0, 0.2, (32, 10)).astype(np.float32), np.zeros(10, np.float32)
velocity = jax.tree.map(np.zeros_like, params)

def convolve(x, layer, average, stride=1):
    w, gamma, beta = layer
    y = jax.lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    mean, var = y.mean((0, 1, 2)), y.var((0, 1, 2))
    average = 0.9 * average[0] + 0.1 * mean, 0.9 * average[1] + 0.1 * var
    return (y - mean) * jax.lax.rsqrt(var + 0.001) * gamma + beta, average

def forward(params, averages, x):
    layers, w, b = params
    y, stem = convolve(x, layers[0], averages[0])
    x = jax.nn.relu(y)
    y, first = convolve(x, layers[1], averages[1])
    y, second = convolve(jax.nn.relu(y), layers[2], averages[2])
    x = jax.nn.relu(x + y)
    y, third = convolve(x, layers[3], averages[3], 2)
    y, fourth = convolve(jax.nn.relu(y), layers[4], averages[4])
    shortcut, project = convolve(x, layers[5], averages[5], 2)
    return jax.nn.relu(shortcut + y).mean((1, 2)) @ w + b, (stem, first, second, third, fourth, project)

def loss(params, averages, x, y):
    scores, averages = forward(params, averages, x)
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(scores), y[:, None], 1)), averages

@jax.jit
def step(params, velocity, averages, x, y):
    (value, averages), grads = jax.value_and_grad(loss, has_aux=True)(params, averages, x, y)
    velocity = jax.tree.map(lambda v, g: 0.9 * v - 0.1 * g, velocity, grads)
    return jax.tree.map(lambda p, v, g: p + 0.9 * v - 0.1 * g, params, velocity, grads), velocity, averages, value

for rows in batches:
    params, velocity, averages, value = step(params, velocity, averages, image[rows], label[rows])
    losses.append(value)
""",
}

# A discriminator is better at the beginning, whatever becomes of the pair.
GAN_DATA = """
import numpy as np
from safetensors.numpy import load_file

image = load_file(DIGITS)["image"].astype(np.float32) / 8 - 1
order, losses = np.random.default_rng(1), []
batches = [order.integers(0, len(image), 100) for _ in range(28)]
"""
GAN = {
    "flywheel": """
import flywheel as fw

def network(*sizes):
    return [(fw.Variable(fw.initializers.HeNormal(), shape=shape), fw.Variable(np.zeros(shape[1], np.float32)))
            for shape in zip(sizes, sizes[1:])]

generator, discriminator = network(32, 128, 128, 64), network(64, 128, 128, 1)
adams = [fw.optimizers.Adam(lr=0.0005, beta_1=0.5) for _ in range(2)]

def apply(layers, x):
    for w, b in layers[:-1]:
        x = fw.nn.leaky_relu(fw.nn.dense(x, w, b), alpha=0.2)
    return fw.nn.dense(x, *layers[-1])

def answers(images, expected):
    scores = apply(discriminator, images)
    return fw.nn.sigmoid_cross_entropy(scores, fw.full_like(scores, expected))

def make():
    return fw.tanh(apply(generator, fw.random.normal((100, 32))))

@fw.function
def discriminate(images):
    loss = answers(images, 1.0) + answers(make(), 0.0)
    adams[0].minimize(loss, var_list=[x for layer in discriminator for x in layer])
    return loss

@fw.function
def deceive():
    loss = answers(make(), 1.0)
    adams[1].minimize(loss, var_list=[x for layer in generator for x in layer])
    return loss

for rows in batches:
    losses.append(discriminate(image[rows]))
    deceive()
""",
    "flywheel.keras": """
from flywheel.keras.layers import Dense, Input, LeakyReLU
from flywheel.keras.models import Model, Sequential
from flywheel.keras.optimizers import Adam

def network(*layers):
    return Sequential([Dense(128, input_shape=layers[0]), LeakyReLU(0.2), Dense(128), LeakyReLU(0.2), layers[1]])

def draw():
    return order.normal(0, 1, (100, 32)).astype(np.float32)

generator = network((32,), Dense(64, activation="tanh"))
discriminator = network((64,), Dense(1, activation="sigmoid"))
discriminator.compile(Adam(0.0005, 0.5), "binary_crossentropy")
discriminator.trainable = False
noise = Input((32,))
pair = Model(noise, discriminator(generator(noise)))
pair.compile(Adam(0.0005, 0.5), "binary_crossentropy")
yes, no = np.ones((100, 1), np.float32), np.zeros((100, 1), np.float32)
for rows in batches:
    made = generator.predict_on_batch(draw())
    losses.append(discriminator.train_on_batch(image[rows], yes) + discriminator.train_on_batch(made, no))
    pair.train_on_batch(draw(), yes)
""",
    "Keras on TensorFlow": """
import keras
import tensorflow as tf
from keras.layers import Dense, Input, LeakyReLU

def network(size, *last):
    hidden = [layer for _ in range(2) for layer in (Dense(128), LeakyReLU(0.2))]
    return keras.Sequential([Input((size,)), *hidden, Dense(*last)])

generator, discriminator = network(32, 64, "tanh"), network(64, 1)
adams = [keras.optimizers.Adam(0.0005, 0.5) for _ in range(2)]
answer = keras.losses.BinaryCrossentropy(from_logits=True)

@tf.function
def step(images):
    with tf.GradientTape() as one, tf.GradientTape() as two:
        made = discriminator(generator(tf.random.normal((100, 32))))
        loss = answer(tf.ones((100, 1)), discriminator(images)) + answer(tf.zeros((100, 1)), made)
        deceived = answer(tf.ones((100, 1)), made)
    weights = discriminator.trainable_variables
    adams[0].apply_gradients(zip(one.gradient(loss, weights), weights))
    weights = generator.trainable_variables
    adams[1].apply_gradients(zip(two.gradient(deceived, weights), weights))
    return loss

for rows in batches:
    losses.append(step(image[rows]))
""",
    "JAX": """
import jax
import jax.numpy as jnp

def network(*sizes):
    return [(order.normal(0, (2 / shape[0]) ** 0.5, shape).astype(np.float32), np.zeros(shape[1], np.float32))
            for shape in zip(sizes, sizes[1:])]

generator, discriminator = network(32, 128, 128, 64), network(64, 128, 128, 1)
moments = [[jax.tree.map(np.zeros_like, params)] * 2 for params in (generator, discriminator)]

def apply(layers, x):
    for w, b in layers[:-1]:
        x = jax.nn.leaky_relu(x @ w + b, 0.2)
    return x @ layers[-1][0] + layers[-1][1]

def answers(discriminator, images, expected):
    scores = apply(discriminator, images)
    return jnp.mean(jax.nn.softplus(scores) - expected * scores)

def make(generator, key):
    return jnp.tanh(apply(generator, jax.random.normal(key, (100, 32))))

def adam(params, moments, t, grads):
    m = jax.tree.map(lambda m, g: 0.5 * m + 0.5 * g, moments[0], grads)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], grads)
    rate = 0.0005 * jnp.sqrt(1 - 0.999**t) / (1 - 0.5**t)
    return jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), params, m, v), [m, v]

@jax.jit
def discriminate(discriminator, moments, t, generator, images, key):
    value, grads = jax.value_and_grad(lambda params: answers(params, images, 1.0)
                                      + answers(params, make(generator, key), 0.0))(discriminator)
    return *adam(discriminator, moments, t, grads), value

@jax.jit
def deceive(generator, moments, t, discriminator, key):
    grads = jax.grad(lambda params: answers(discriminator, make(params, key), 1.0))(generator)
    return adam(generator, moments, t, grads)

for t, rows in enumerate(batches, 1):
    one, two = jax.random.split(jax.random.key(t))
    discriminator, moments[1], value = discriminate(discriminator, moments[1], float(t), generator, image[rows], one)
    generator, moments[0] = deceive(generator, moments[0], float(t), discriminator, two)
    losses.append(value)
""",
}

CURVE_DATA = """
import numpy as np

t, losses = np.linspace(0, 10, 1000), []
bells = [np.array([3.0, 2.0, 4.0]), np.array([2.0, 5.0, 8.0]), np.array([0.7, 1.0, 0.5]), np.array(1.0)]
y = (bells[0] * np.exp(-(((t[:, None] - bells[1]) / bells[2]) ** 2))).sum(1) + bells[3]
start = [np.array([2.0, 2.0, 2.0]), np.array([2.3, 4.6, 7.7]), np.array([1.0, 1.0, 1.0]), np.array(0.5)]
"""
CURVE = {
    "flywheel": """
import flywheel as fw
from flywheel.math.optimizer import levenberg_marquardt

def residuals(heights, centers, widths, base):
    return fw.sum(heights * fw.exp(-(((t[:, None] - centers) / widths) ** 2)), 1) + base - y

levenberg_marquardt.minimize(residuals, start, 12, 1e-3, callback=lambda i, objective, x: losses.append(objective))
""",
    "JAX": """
import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree

jax.config.update("jax_enable_x64", True)
x, unravel = ravel_pytree([jnp.array(part) for part in start])

def residuals(x):
    heights, centers, widths, base = unravel(x)
    return jnp.sum(heights * jnp.exp(-(((t[:, None] - centers) / widths) ** 2)), 1) + base - y

@jax.jit
def iterate(x, regularizer):
    r, j = residuals(x), jax.jacfwd(residuals)(x)
    factor = jax.scipy.linalg.cho_factor(j.T @ j + regularizer * jnp.eye(x.size))
    candidate = x - jax.scipy.linalg.cho_solve(factor, j.T @ r)
    before, after = 0.5 * r @ r, 0.5 * jnp.sum(residuals(candidate) ** 2)
    accepted = after <= before
    return (jnp.where(accepted, candidate, x), jnp.where(accepted, regularizer / 10, regularizer * 10),
            jnp.minimum(before, after))

regularizer = 1e-3
for _ in range(12):
    x, regularizer, objective = iterate(x, regularizer)
    losses.append(objective)
""",
}

EXAMPLES = {"lenet": (LENET_DATA, LENET), "resnet": (RESNET_DATA, RESNET), "transformer": (TEXT_DATA, TRANSFORMER),
            "matrix-factorization": (FACTORS_DATA, FACTORIZATION), "gan": (GAN_DATA, GAN),
            "least-squares": (CURVE_DATA, CURVE)}  # fmt: skip

# The criteria of losses other than that the last ones are lower.
LOWERED = {"gan": "min(losses) < 0.8 * losses[0]"}


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
    text += f"assert {LOWERED.get(example, 'np.mean(losses[-5:]) < 0.9 * np.mean(losses[:5])')}, losses\n"
    variables = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_BACKEND": "tensorflow", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", text], env=variables, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"error: {example} with {name}:\n{done.stderr[-2000:]}")


def main() -> None:
    columns = ["flywheel", "flywheel.keras", "JAX", "Keras on TensorFlow"]
    print(f"| example | {' | '.join(columns)} |")
    print(f"| --- |{' --- |' * len(columns)}")
    for example, (data, programs) in EXAMPLES.items():
        if sys.argv[1:] and example not in sys.argv[1:]:
            continue
        found = spellings(programs)
        for name, program in found.items():
            check(example, name, data, program)
        counts = {name: sum(bool(line.strip()) for line in program.split("\n")) for name, program in found.items()}
        print(f"| {example} | {' | '.join(str(counts.get(name, '-')) for name in columns)} |", flush=True)


if __name__ == "__main__":
    main()
