# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE= %python %s %t
"""Models of Keras: programs as people wrote them for 2.1, on digits, and layers beside NumPy (X6, R8, M1, M2),
and weights that are frozen after `compile` (C8)."""

import os
import sys
import warnings
from typing import Any

import numpy as np
from safetensors.numpy import load_file

import flywheel as fw
import flywheel.v1 as tf
from flywheel import keras
from flywheel.keras import backend as K
from flywheel.keras.layers import Conv2D, Dense, Dropout, Flatten, MaxPooling2D
from flywheel.keras.models import Sequential
from flywheel.keras.optimizers import SGD, RMSprop

folder = sys.argv[1]
data = load_file(os.path.join(os.path.dirname(__file__), "../../examples/digits/digits.safetensors"))
image, label = data["image"].reshape(-1, 64), data["label"]
x_train, x_test = image[:1497].astype("float32"), image[1497:].astype("float32")
x_train /= 16
x_test /= 16
num_classes = 10
y_train = keras.utils.to_categorical(label[:1497], num_classes)
y_test = keras.utils.to_categorical(label[1497:], num_classes)
np.random.seed(1)
tf.set_random_seed(1)

# The MLP of Keras' examples.
model: Any = Sequential()
model.add(Dense(128, activation="relu", input_shape=(64,)))
model.add(Dropout(0.2))
model.add(Dense(128, activation="relu"))
model.add(Dropout(0.2))
model.add(Dense(num_classes, activation="softmax"))
model.summary()
model.compile(loss="categorical_crossentropy", optimizer=RMSprop(), metrics=["accuracy"])
history = model.fit(x_train, y_train, batch_size=64, epochs=10, verbose=1, validation_data=(x_test, y_test))
score = model.evaluate(x_test, y_test, verbose=0)
print("Test loss:", score[0], "Test accuracy:", score[1])
assert score[1] > 0.85 and history.history["acc"][-1] > 0.93 and model.metrics_names == ["loss", "acc"]
assert sorted(history.history) == ["acc", "loss", "val_acc", "val_loss"] and len(history.history["loss"]) == 10
assert np.isclose(history.history["val_acc"][-1], score[1])
assert np.isclose((model.predict_classes(x_test) == label[1497:]).mean(), score[1])
# The last batch is shorter, and nothing is compiled for it.
assert len(model._function("train")._entries) == 1 and 1497 % 64 != 0

# Weights on disk.
path = os.path.join(folder, "mlp.safetensors")
model.save_weights(path)
before = model.predict(x_test)
values = model.get_weights()
model.set_weights([w * 0 for w in values])
np.testing.assert_allclose(model.predict(x_test), 0.1, rtol=1e-5)
model.load_weights(path)
np.testing.assert_array_equal(model.predict(x_test), before)
assert "dense_1/kernel" in load_file(path)

# The convolutional network.
K.clear_session()
model = Sequential()
tf.set_random_seed(1)
model.add(Conv2D(16, kernel_size=(3, 3), activation="relu", input_shape=(8, 8, 1)))
model.add(Conv2D(32, (3, 3), activation="relu"))
model.add(MaxPooling2D(pool_size=(2, 2)))
model.add(Dropout(0.25))
model.add(Flatten())
model.add(Dense(64, activation="relu"))
model.add(Dropout(0.5))
model.add(Dense(num_classes, activation="softmax"))
assert [layer.output_shape for layer in model.layers[:5]] == [
    (None, 6, 6, 16), (None, 4, 4, 32), (None, 2, 2, 32), (None, 2, 2, 32), (None, 128)]  # fmt: skip
model.compile(loss=keras.losses.categorical_crossentropy, optimizer=keras.optimizers.Adadelta(), metrics=["accuracy"])
model.fit(x_train.reshape(-1, 8, 8, 1), y_train, batch_size=64, epochs=12, verbose=0)
assert model.evaluate(x_test.reshape(-1, 8, 8, 1), y_test, verbose=0)[1] > 0.85

# R8, M2: beside NumPy; the loss and metrics of a step are those before it.
K.clear_session()
model = Sequential([Dense(10, activation="softmax", input_dim=64)])
model.compile(SGD(lr=0.1, momentum=0.9), "sparse_categorical_crossentropy", metrics=["accuracy"])
w, b = (v.astype(np.float64) for v in model.get_weights())
assert np.abs(w).max() < np.sqrt(6 / 74) and not b.any()
vw, vb = np.zeros_like(w), np.zeros_like(b)
for i in range(20):
    part = slice(i * 50, i * 50 + 50)
    t = np.eye(10)[label[part]]
    e = np.exp(x_train[part] @ w + b)
    p = e / e.sum(1, keepdims=True)
    loss, accuracy = model.train_on_batch(x_train[part], label[part])
    assert np.isclose(loss, -np.log((p * t).sum(1)).mean(), rtol=1e-4)
    assert np.isclose(accuracy, (p.argmax(1) == label[part]).mean())
    vw = 0.9 * vw - 0.1 * x_train[part].T @ (p - t) / 50
    vb = 0.9 * vb - 0.1 * (p - t).mean(0)
    w, b = w + vw, b + vb
np.testing.assert_allclose(model.get_weights()[0], w, rtol=1e-3, atol=1e-5)

try:
    model.train_on_batch(x_train[:2], np.array([3, 10]))
except fw.InvalidArgumentError as error:
    assert "10" in str(error)
else:
    raise AssertionError("expected an error of the label")
np.testing.assert_allclose(model.get_weights()[0], w, rtol=1e-3, atol=1e-5)

# X6: mean squared error; sample weights, and what class weights make of them.
K.clear_session()
model = Sequential([keras.layers.Activation("linear", input_shape=(2,))])
model.compile("sgd", "mse")
x, y = np.array([[1.0, 2], [3, 5]]), np.array([[0.0, 2], [3, 1]])
assert model.test_on_batch(x, y) == 4.25
assert model.test_on_batch(x, y, sample_weight=np.array([1.0, 0.0])) == 0.5
assert model.test_on_batch(x, y, sample_weight=np.array([2.0, 1.0])) == 4.5


# M1: a stateful metric counts over the batches of an epoch.
class TruePositives(keras.layers.Layer):
    def __init__(self) -> None:
        super().__init__(name="true_positives")
        self.stateful = True
        self.true_positives = K.variable(0.0)

    def reset_states(self) -> None:
        K.set_value(self.true_positives, 0)

    def __call__(self, y_true: Any, y_pred: Any) -> Any:  # type: ignore[override]
        now = K.sum(y_true * K.round(y_pred))
        self.add_update(K.update_add(self.true_positives, now))
        return self.true_positives + now


K.clear_session()
model = Sequential([keras.layers.Activation("linear", input_shape=(1,))])
model.compile("sgd", "mse", metrics=[TruePositives()])
hits = np.array([1.0, 0, 1, 1, 0, 0]).reshape(6, 1)
seen: Any = []
for _ in range(2):
    outputs: Any = []
    model._reset_metrics()
    for i in range(3):
        outputs.append(model.test_on_batch(hits[2 * i : 2 * i + 2], np.ones((2, 1)))[1])
    seen.append(outputs)
assert seen == [[1, 3, 3], [1, 3, 3]]
assert model.evaluate(hits, np.ones((6, 1)), batch_size=2, verbose=0)[1] == 3

# C8: what is trained is what was trainable when the model was compiled.
model = Sequential([Dense(3, input_shape=(2,)), Dense(1)])
model.compile("sgd", "mse")
model.layers[0].trainable = False
for compiles_again in (False, True):
    if compiles_again:
        model.compile("sgd", "mse")
    before = model.get_weights()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(np.ones((4, 2)), np.zeros((4, 1)), verbose=0)
    changed = [not np.array_equal(old, new) for old, new in zip(before, model.get_weights())]
    assert changed == [not compiles_again, not compiles_again, True, True], changed
    assert any("Discrepancy" in str(c.message) for c in caught) == (not compiles_again)
