# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import keras
from keras import layers

source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
state = layers.GRU(37, name="encoder")(layers.Embedding(61, 24, name="source")(source))
decoder = layers.GRU(37, return_sequences=True, name="decoder")
outputs = decoder(layers.Embedding(53, 24, name="target")(target), initial_state=state)
model = keras.Model([source, target], layers.Dense(53, name="output")(outputs))
model.compile(
    optimizer=keras.optimizers.Adam(1e-3),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
)


def train(batches):
    data = (((source, target[:, :-1]), target[:, 1:]) for source, target in batches)
    return model.fit(data, verbose=0).history["loss"][-1]
