# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same in flax.nnx."""

import os

import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp
from flax import nnx
from safetensors.numpy import load_file

digits = load_file("examples/digits/digits.safetensors")
images, labels = digits["image"].astype(np.float32) / 16, digits["label"].astype(np.int32)
train, test = np.split(np.random.default_rng(0).permutation(len(labels)), [1437])


class Network(nnx.Module):
    def __init__(self, rngs):
        self.hidden, self.output = nnx.Linear(64, 128, rngs=rngs), nnx.Linear(128, 10, rngs=rngs)

    def __call__(self, x):
        return self.output(nnx.relu(self.hidden(x)))


model = Network(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(0.003), wrt=nnx.Param)


@nnx.jit
def step(model, optimizer, image, label):
    def loss_of(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(image), label).mean()

    loss, gradients = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, gradients)
    return loss


@nnx.jit
def accuracy(model, image, label):
    return jnp.mean(jnp.argmax(model(image), 1) == label)


for epoch in range(10):
    for rows in np.split(np.random.default_rng(epoch).permutation(train)[:1408], 44):
        step(model, optimizer, images[rows], labels[rows])
print(f"{accuracy(model, images[test], labels[test]):.3f}")
with ocp.StandardCheckpointer() as checkpointer:
    checkpointer.save(os.path.abspath("digits"), nnx.state(model))
