# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import jax.numpy as jnp
import optax
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs):
        self.norm1, self.norm2 = (nnx.LayerNorm(48, epsilon=1e-5, rngs=rngs) for _ in range(2))
        self.attention = nnx.MultiHeadAttention(4, 48, decode=False, rngs=rngs)
        self.wide, self.narrow = nnx.Linear(48, 192, rngs=rngs), nnx.Linear(192, 48, rngs=rngs)

    def __call__(self, x):
        x = x + self.attention(self.norm1(x), mask=nnx.make_causal_mask(x[..., 0]))
        return x + self.narrow(nnx.gelu(self.wide(self.norm2(x)), approximate=False))


class Writer(nnx.Module):
    def __init__(self, rngs):
        self.embed, self.places = nnx.Embed(61, 48, rngs=rngs), nnx.Embed(37, 48, rngs=rngs)
        self.blocks = nnx.Sequential(Block(rngs), Block(rngs))
        self.norm, self.head = nnx.LayerNorm(48, epsilon=1e-5, rngs=rngs), nnx.Linear(48, 61, rngs=rngs)

    def __call__(self, text):
        x = self.embed(text) + self.places(jnp.arange(text.shape[1]))
        return self.head(self.norm(self.blocks(x)))


model = Writer(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adamw(1e-3, weight_decay=0.01), wrt=nnx.Param)


@nnx.jit
def step(model, optimizer, text, following):
    def loss_of(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(text), following).mean()

    loss, gradients = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, gradients)
    return loss


def train(batches):
    cached = nnx.cached_partial(step, model, optimizer)
    for text, following in batches:
        loss = cached(text, following)
    return loss
