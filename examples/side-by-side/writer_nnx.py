# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same in flax.nnx, whose cache takes one position at a time."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

text = np.fromfile("examples/digits/DATA.md", np.uint8).astype(np.int32) % 128


class Block(nnx.Module):
    def __init__(self, rngs):
        self.norm1, self.norm2 = nnx.LayerNorm(32, rngs=rngs), nnx.LayerNorm(32, rngs=rngs)
        self.attention = nnx.MultiHeadAttention(4, 32, decode=False, rngs=rngs)
        self.wide, self.narrow = nnx.Linear(32, 128, rngs=rngs), nnx.Linear(128, 32, rngs=rngs)

    def __call__(self, x, decode):
        mask = None if decode else nnx.make_causal_mask(x[..., 0])
        x = x + self.attention(self.norm1(x), mask=mask, decode=decode)
        return x + self.narrow(nnx.gelu(self.wide(self.norm2(x))))


class Writer(nnx.Module):
    def __init__(self, rngs):
        self.characters, self.places = nnx.Embed(128, 32, rngs=rngs), nnx.Embed(64, 32, rngs=rngs)
        self.blocks, self.norm = nnx.List([Block(rngs) for _ in range(2)]), nnx.LayerNorm(32, rngs=rngs)

    def __call__(self, text, first=0, decode=False):
        x = self.characters(text) + self.places(first + jnp.arange(text.shape[1]))
        for block in self.blocks:
            x = block(x, decode)
        return self.characters.attend(self.norm(x))


model = Writer(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(0.003), wrt=nnx.Param)


@nnx.jit
def step(model, optimizer, window):
    def loss_of(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(window[:, :-1]), window[:, 1:]).mean()

    loss, gradients = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, gradients)
    return loss


@nnx.jit
def follow(model, character, place, key):
    return jax.random.categorical(key, model(character, place, decode=True)[:, -1])


rng = np.random.default_rng(0)
for _ in range(200):
    loss = step(model, optimizer, text[rng.integers(0, len(text) - 65, (16, 1)) + np.arange(65)])
print(f"{loss:.3f}")
for block in model.blocks:
    block.attention.init_cache((1, 64, 32))
written = list(text[:10])
for place in range(49):
    new = follow(model, jnp.array([[written[place]]]), place, jax.random.key(place))
    if place + 1 == len(written):
        written.append(int(new[0]))
print(repr(bytes(np.array(written, np.uint8))))
