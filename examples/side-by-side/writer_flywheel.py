# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A transformer of characters that is trained, and then writes with a cache of keys and values."""

import numpy as np

import flywheel as fw

text = np.fromfile("examples/digits/DATA.md", np.uint8).astype(np.int32) % 128


class Block(fw.Module):
    def __init__(self):
        self.norm1, self.norm2 = fw.nn.LayerNorm(32), fw.nn.LayerNorm(32)
        self.attention = fw.nn.MultiHeadAttention(32, 4, causal=True)
        self.wide, self.narrow = fw.nn.Dense(32, 128), fw.nn.Dense(128, 32)

    def __call__(self, x, cache):
        x = x + self.attention(self.norm1(x), cache=cache)
        return x + self.narrow(fw.nn.gelu(self.wide(self.norm2(x))))


class Writer(fw.Module):
    def __init__(self):
        self.characters, self.places = fw.nn.Embedding(128, 32), fw.nn.Embedding(64, 32)
        self.blocks, self.norm = [Block() for _ in range(2)], fw.nn.LayerNorm(32)

    def __call__(self, text, caches=(None, None)):
        first = 0 if caches[0] is None else caches[0].length
        x = self.characters(text) + self.places(first + fw.arange(fw.dim(text, 1)))
        for block, cache in zip(self.blocks, caches):
            x = block(x, cache)
        return self.characters.attend(self.norm(x))


model = Writer()
adam = fw.optimizers.Adam(lr=0.003)
caches = [block.attention.make_cache(1, 64) for block in model.blocks]


@fw.function
def step(window):
    loss = fw.nn.sparse_softmax_cross_entropy(model(window[:, :-1]), window[:, 1:])
    adam.minimize(loss)
    return loss


@fw.function
def follow(text):
    return fw.random.categorical(model(text, caches)[:, -1])


rng = np.random.default_rng(0)
for _ in range(200):
    loss = step(text[rng.integers(0, len(text) - 65, (16, 1)) + np.arange(65)])
print(f"{loss:.3f}")
written = [text[:10]]
for _ in range(40):
    written.append(follow(written[-1][None]))
print(repr(bytes(np.concatenate(written).astype(np.uint8))))
