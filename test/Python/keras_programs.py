# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Programs for Keras 2.1 that do more than stack layers: embeddings and an LSTM, a residual network with batch
normalization, a loss and a train function of one's own, an optimizer of TensorFlow (O29)."""

from typing import Any

import numpy as np

import flywheel.v1 as tf
from flywheel import keras
from flywheel.keras import backend as K
from flywheel.keras.layers import (
    LSTM,
    Activation,
    BatchNormalization,
    Conv2D,
    Dense,
    Embedding,
    GlobalAveragePooling2D,
    add,
)
from flywheel.keras.models import Input, Model, Sequential

rng = np.random.default_rng(0)
np.random.seed(0)
tf.set_random_seed(0)

# The order of two words decides.
words = rng.integers(2, 20, size=(200, 6))
positive = rng.integers(0, 2, size=200)
words[np.arange(200), rng.integers(0, 6, size=200)] = positive
model: Any = Sequential()
model.add(Embedding(20, 8, input_length=6))
model.add(LSTM(16))
model.add(Dense(1, activation="sigmoid"))
model.compile(loss="binary_crossentropy", optimizer=keras.optimizers.Adam(lr=0.02), metrics=["accuracy"])
model.fit(words, positive, epochs=12, batch_size=32, verbose=0)
assert model.evaluate(words, positive, verbose=0)[1] > 0.95

# A residual block.
K.clear_session()
tf.set_random_seed(0)
inputs = Input(shape=(6, 6, 1))
x = Activation("relu")(BatchNormalization()(Conv2D(8, 3, padding="same")(inputs)))
y = BatchNormalization()(Conv2D(8, 3, padding="same")(x))
x = Activation("relu")(add([x, y]))
outputs = Dense(2, activation="softmax")(GlobalAveragePooling2D()(x))
model = Model(inputs=inputs, outputs=outputs)
model.compile(optimizer=keras.optimizers.SGD(lr=0.1, momentum=0.9, nesterov=True), metrics=["accuracy"],
              loss="sparse_categorical_crossentropy")  # fmt: skip
images = rng.normal(size=(120, 6, 6, 1)).astype(np.float32)
# Stripes along one axis or the other.
kinds = rng.integers(0, 2, size=120)
stripes = np.tile(np.array([1.0, -1.0]), 3)
images += np.where(kinds[:, None, None] == 0, stripes[None, :, None], stripes[None, None, :])[..., None]
history = model.fit(images, kinds, batch_size=32, epochs=12, verbose=0)
assert history.history["loss"][-1] < 0.3 * history.history["loss"][0]
assert len(model.updates) == 4 and len(model.non_trainable_weights) == 4


# A loss of one's own, and an optimizer of TensorFlow: the counter counts once a step (O29).
def scaled_error(y_true: Any, y_pred: Any) -> Any:
    return K.mean(K.square(y_pred - y_true), axis=-1) * 0.5


K.clear_session()
model = Sequential([Dense(1, input_shape=(3,), kernel_initializer="zeros", use_bias=False)])
model.compile(tf.train.GradientDescentOptimizer(0.1), scaled_error)
a, b = rng.normal(size=(10, 3)).astype(np.float32), rng.normal(size=(10, 1)).astype(np.float32)
w = np.zeros((3, 1))
for _ in range(4):
    loss = model.train_on_batch(a, b)
    assert np.isclose(loss, 0.5 * ((a @ w - b) ** 2).mean(), rtol=1e-5)
    w -= 0.1 * a.T @ (a @ w - b) / 10
np.testing.assert_allclose(model.get_weights()[0], w, rtol=1e-4, atol=1e-6)
assert K.get_value(model.optimizer.iterations) == 4

# A model in a model: its layers update what they have of the new inputs.
K.clear_session()
inner = Sequential([Dense(4, input_shape=(3,), kernel_regularizer="l2"), BatchNormalization()])
model = Sequential([inner, Dense(1)])
model.compile("adam", "mse")
model.train_on_batch(a, b)
average: Any = model.weights[6]
assert len(model.weights) == 8 and average.op_name.endswith("moving_mean") and K.get_value(average).any()
inner.compile("adam", "mse")
assert np.isfinite(inner.train_on_batch(a, np.zeros((10, 4))))

# A train function of one's own, with the output of a layer and a gradient.
K.clear_session()
model = Sequential([Dense(4, activation="relu", input_shape=(3,), name="hidden"), Dense(1)])
target = K.placeholder((None, 1))
loss = K.mean(K.square(model.output - target))
updates = keras.optimizers.RMSprop(lr=0.01).get_updates(params=model.trainable_weights, loss=loss)
gradient = K.gradients(loss, model.input)[0]
train = K.function([model.input, target], [loss, model.get_layer("hidden").output, gradient], updates=updates)
before = model.get_weights()
value, hidden, slope = train([a, b])
np.testing.assert_allclose(hidden, np.maximum(a @ before[0] + before[1], 0), rtol=1e-4, atol=1e-6)
error = hidden @ before[2] + before[3] - b
np.testing.assert_allclose(slope, 2 / 10 * (error @ before[2].T * (hidden > 0)) @ before[0].T, rtol=1e-3, atol=1e-5)
assert np.isclose(value, (error**2).mean(), rtol=1e-5)
values = [train([a, b])[0] for _ in range(50)]
assert values[-1] < 0.8 * value
