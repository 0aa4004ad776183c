# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import keras
from keras import layers

inputs = x = keras.Input((20, 20, 3))
for i, filters in enumerate((18, 37)):
    x = layers.Conv2D(filters, 3, padding="same", name=f"convs_{i}")(x)
    x = layers.BatchNormalization(momentum=0.9, epsilon=1e-5, name=f"norms_{i}")(x)
    x = layers.MaxPooling2D()(layers.ReLU()(x))
x = layers.Dropout(0.2, name="dropout")(layers.GlobalAveragePooling2D()(x))
model = keras.Model(inputs, layers.Dense(10, name="output")(x))
model.compile(
    optimizer=keras.optimizers.Adam(1e-3),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
)


def train(batches):
    return model.fit(batches, verbose=0).history["loss"][-1]
