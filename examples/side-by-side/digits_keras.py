# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same in Keras 3."""

import keras
import numpy as np
from safetensors.numpy import load_file

digits = load_file("examples/digits/digits.safetensors")
images, labels = digits["image"].astype(np.float32) / 16, digits["label"].astype(np.int32)
train, test = np.split(np.random.default_rng(0).permutation(len(labels)), [1437])


class Network(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden, self.output_layer = keras.layers.Dense(128), keras.layers.Dense(10)

    def call(self, x):
        return self.output_layer(keras.ops.relu(self.hidden(x)))


model = Network()
model.compile(
    optimizer=keras.optimizers.Adam(0.003),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
model.fit(images[train], labels[train], batch_size=32, epochs=10, verbose=0)
loss, accuracy = model.evaluate(images[test], labels[test], verbose=0)
print(f"{accuracy:.3f}")
model.save_weights("digits.weights.h5")
