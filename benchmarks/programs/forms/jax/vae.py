# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import jax.numpy as jnp
import optax
from flax import nnx


class Autoencoder(nnx.Module):
    def __init__(self, rngs):
        self.hidden, self.mean = nnx.Linear(64, 100, rngs=rngs), nnx.Linear(100, 9, rngs=rngs)
        self.logvar, self.back = nnx.Linear(100, 9, rngs=rngs), nnx.Linear(9, 100, rngs=rngs)
        self.output = nnx.Linear(100, 64, rngs=rngs)

    def encode(self, x):
        h = nnx.relu(self.hidden(x))
        return self.mean(h), self.logvar(h)

    def decode(self, z):
        return self.output(nnx.relu(self.back(z)))


model = Autoencoder(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)


@nnx.jit
def step(model, optimizer, image, noise):
    def loss_of(model):
        mean, logvar = model.encode(image)
        scores = model.decode(mean + jnp.exp(0.5 * logvar) * noise)
        error = optax.sigmoid_binary_cross_entropy(scores, image).sum()
        divergence = -0.5 * jnp.sum(1 + logvar - jnp.square(mean) - jnp.exp(logvar))
        return (error + divergence) / image.shape[0]

    loss, gradients = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, gradients)
    return loss


def train(batches):
    cached = nnx.cached_partial(step, model, optimizer)
    for image, noise in batches:
        loss = cached(image, noise)
    return loss
