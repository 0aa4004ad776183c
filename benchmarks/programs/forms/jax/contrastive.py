# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import jax.numpy as jnp
import optax
from flax import nnx


class Towers(nnx.Module):
    def __init__(self, rngs):
        self.hidden, self.image = nnx.Linear(64, 100, rngs=rngs), nnx.Linear(100, 37, rngs=rngs)
        self.words, self.text = nnx.Embed(61, 48, rngs=rngs), nnx.Linear(48, 37, rngs=rngs)
        self.scale = nnx.Param(jnp.array(2.0))

    def __call__(self, image, text):
        a = self.image(nnx.relu(self.hidden(image)))
        b = self.text(jnp.mean(self.words(text), axis=1))
        a, b = (x / jnp.linalg.norm(x, axis=1, keepdims=True) for x in (a, b))
        return jnp.exp(self.scale[...]) * a @ b.T


model = Towers(nnx.Rngs(0))
average = nnx.clone(model)
optimizer = nnx.Optimizer(model, optax.adamw(1e-3, weight_decay=0.01), wrt=nnx.Param)


@nnx.jit
def step(model, average, optimizer, image, text):
    def loss_of(model):
        scores, label = model(image, text), jnp.arange(image.shape[0])
        losses = (optax.softmax_cross_entropy_with_integer_labels(s, label) for s in (scores, scores.T))
        return sum(loss.mean() for loss in losses) / 2

    loss, gradients = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, gradients)
    nnx.update(average, optax.incremental_update(nnx.state(model), nnx.state(average), 0.01))
    return loss


def train(batches):
    cached = nnx.cached_partial(step, model, average, optimizer)
    for image, text in batches:
        loss = cached(image, text)
    return loss
