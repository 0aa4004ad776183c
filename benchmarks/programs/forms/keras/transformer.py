# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import keras
from keras import layers, ops


class Places(layers.Layer):
    def __init__(self, context, width, **options):
        super().__init__(**options)
        self.table = layers.Embedding(context, width)

    def call(self, x):
        return x + self.table(ops.arange(ops.shape(x)[1]))


def block(x, name):
    y = layers.LayerNormalization(epsilon=1e-5, name=f"{name}_norm1")(x)
    x = x + layers.MultiHeadAttention(4, 12, name=f"{name}_attention")(y, y, use_causal_mask=True)
    y = layers.LayerNormalization(epsilon=1e-5, name=f"{name}_norm2")(x)
    return x + layers.Dense(48, name=f"{name}_narrow")(layers.Dense(192, "gelu", name=f"{name}_wide")(y))


text = keras.Input((37,), dtype="int32")
x = Places(37, 48, name="places")(layers.Embedding(61, 48, name="embed")(text))
for i in range(2):
    x = block(x, f"blocks_{i}")
x = layers.LayerNormalization(epsilon=1e-5, name="norm")(x)
model = keras.Model(text, layers.Dense(61, name="head")(x))
model.compile(
    optimizer=keras.optimizers.AdamW(1e-3, weight_decay=0.01),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
)


def train(batches):
    return model.fit(batches, verbose=0).history["loss"][-1]
