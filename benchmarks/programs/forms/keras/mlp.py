# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import keras
from keras import layers

model = keras.Sequential(
    [
        keras.Input((64,)),
        layers.Dense(100, activation="relu", name="hidden"),
        layers.Dense(37, activation="relu", name="middle"),
        layers.Dense(10, name="output"),
    ]
)
model.compile(
    optimizer=keras.optimizers.SGD(0.05, momentum=0.9),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
)


def train(batches):
    return model.fit(batches, verbose=0).history["loss"][-1]
