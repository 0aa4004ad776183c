# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import keras
from keras import layers

user, item = keras.Input((), dtype="int32"), keras.Input((), dtype="int32")
factors = layers.Embedding(6037, 24, name="users")(user), layers.Embedding(3701, 24, name="items")(item)
model = keras.Model([user, item], layers.Dot(axes=1)(factors))
model.compile(
    optimizer=keras.optimizers.Adagrad(0.05, initial_accumulator_value=0.0, epsilon=1e-14),
    loss="mean_squared_error",
)


def train(batches):
    pairs = (((user, item), rating) for user, item, rating in batches)
    return model.fit(pairs, verbose=0).history["loss"][-1]
