# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same in Keras 3."""

import keras
import numpy as np
from keras import layers

rng = np.random.default_rng(0)
labels = rng.integers(0, 10, 640).astype(np.int32)
images = (rng.standard_normal((640, 16, 16, 3)) + 0.3 * labels[:, None, None, None]).astype(np.float32)


class Network(keras.Model):
    def __init__(self):
        super().__init__()
        self.convs = [layers.Conv2D(n, 3, padding="same") for n in (16, 32)]
        self.norms = [layers.BatchNormalization(momentum=0.9) for _ in range(2)]
        self.pool = layers.MaxPooling2D()
        self.dropout, self.output_layer = layers.Dropout(0.2), layers.Dense(10)

    def call(self, x, training=False):
        for conv, norm in zip(self.convs, self.norms):
            x = self.pool(keras.ops.relu(norm(conv(x), training=training)))
        return self.output_layer(self.dropout(keras.ops.reshape(x, (-1, 512)), training=training))


model = Network()
model.compile(
    optimizer=keras.optimizers.AdamW(0.003, weight_decay=0.01, use_ema=True, ema_momentum=0.9),
    loss=keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1),
    metrics=["accuracy"],
)
targets = keras.utils.to_categorical(labels, 10)
model.fit(images, targets, batch_size=32, epochs=5, verbose=0)
model.optimizer.finalize_variable_values(model.trainable_variables)
loss, accuracy = model.evaluate(images, targets, verbose=0)
print(f"{accuracy:.3f}")
