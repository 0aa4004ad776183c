# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same in Keras 3, whose attention has no cache: all characters are computed again for each, padded to one size."""

import keras
import numpy as np
from keras import layers, ops

text = np.fromfile("examples/digits/DATA.md", np.uint8).astype(np.int32) % 128


class Block(layers.Layer):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = layers.LayerNormalization(), layers.LayerNormalization()
        self.attention = layers.MultiHeadAttention(4, 8)
        self.wide, self.narrow = layers.Dense(128), layers.Dense(32)

    def call(self, x):
        y = self.norm1(x)
        x = x + self.attention(y, y, use_causal_mask=True)
        return x + self.narrow(keras.activations.gelu(self.wide(self.norm2(x))))


class Writer(keras.Model):
    def __init__(self):
        super().__init__()
        self.characters, self.places = layers.Embedding(128, 32), layers.Embedding(64, 32)
        self.blocks, self.norm = [Block() for _ in range(2)], layers.LayerNormalization()

    def call(self, text):
        x = self.characters(text) + self.places(ops.arange(ops.shape(text)[1]))
        for block in self.blocks:
            x = block(x)
        return ops.matmul(self.norm(x), ops.transpose(self.characters.embeddings))


model = Writer()
model.compile(
    optimizer=keras.optimizers.Adam(0.003),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
)
rng = np.random.default_rng(0)
for _ in range(200):
    window = text[rng.integers(0, len(text) - 65, (16, 1)) + np.arange(65)]
    loss = model.train_on_batch(window[:, :-1], window[:, 1:])
print(f"{loss:.3f}")
written = list(text[:10])
for _ in range(40):
    padded = np.zeros((1, 64), np.int32)
    padded[0, : len(written)] = written
    scores = model.predict_on_batch(padded)[:, len(written) - 1]
    written.append(int(keras.random.categorical(scores, 1)[0, 0]))
print(repr(bytes(np.array(written, np.uint8))))
