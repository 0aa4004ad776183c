# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import keras
from keras import layers, ops


class Sample(layers.Layer):
    def call(self, mean, logvar, noise):
        divergence = -0.5 * ops.sum(1 + logvar - ops.square(mean) - ops.exp(logvar))
        self.add_loss(divergence / ops.shape(mean)[0])
        return mean + ops.exp(0.5 * logvar) * noise


def error(image, scores):
    return ops.sum(ops.binary_crossentropy(image, scores, from_logits=True), axis=1)


image, noise = keras.Input((64,)), keras.Input((9,))
h = layers.Dense(100, activation="relu", name="hidden")(image)
z = Sample()(layers.Dense(9, name="mean")(h), layers.Dense(9, name="logvar")(h), noise)
h = layers.Dense(100, activation="relu", name="back")(z)
model = keras.Model([image, noise], layers.Dense(64, name="output")(h))
model.compile(optimizer=keras.optimizers.Adam(1e-3), loss=error)


def train(batches):
    pairs = (((image, noise), image) for image, noise in batches)
    return model.fit(pairs, verbose=0).history["loss"][-1]
