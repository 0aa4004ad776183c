# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import keras
from keras import layers, ops


class Similarity(layers.Layer):
    def build(self, *shapes):
        self.scale = self.add_weight(shape=(), initializer=keras.initializers.Constant(2.0))

    def call(self, a, b):
        a, b = (x / ops.norm(x, axis=1, keepdims=True) for x in (a, b))
        return ops.exp(self.scale) * a @ ops.transpose(b)


def error(label, scores):
    losses = (ops.sparse_categorical_crossentropy(label, s, from_logits=True) for s in (scores, ops.transpose(scores)))
    return sum(losses) / 2


image, text = keras.Input((64,)), keras.Input((12,), dtype="int32")
h = layers.Dense(100, activation="relu", name="hidden")(image)
words = layers.GlobalAveragePooling1D()(layers.Embedding(61, 48, name="words")(text))
pair = layers.Dense(37, name="image")(h), layers.Dense(37, name="text")(words)
model = keras.Model([image, text], Similarity(name="scale")(*pair))
model.compile(
    optimizer=keras.optimizers.AdamW(1e-3, weight_decay=0.01, use_ema=True, ema_momentum=0.99),
    loss=error,
)


def train(batches):
    for batch in batches:  # `fit` would end with the average in place of the weights.
        loss = model.train_on_batch(batch, ops.arange(len(batch[0])))
    return loss
