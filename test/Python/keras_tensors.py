# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Models of Keras whose inputs and targets are tensors, and GRU that resets after the product (X40)."""

from typing import Any, Type

import numpy as np

import flywheel.v1 as tf
from flywheel import keras
from flywheel.keras import backend as K
from flywheel.keras.layers import GRU, RNN, Dense, GRUCell, Input
from flywheel.keras.models import Model


def raises(kind: Type[BaseException], text: str, call: Any) -> None:
    try:
        call()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"no error: {text}")


draw = np.random.default_rng(5)
x, z = draw.standard_normal((8, 3)).astype(np.float32), draw.standard_normal((8, 2)).astype(np.float32)
y = draw.standard_normal((8, 1)).astype(np.float32)
variable = K.variable(x)


def build(first: Any) -> Any:
    second = Input((2,), name="second")
    hidden = Dense(4, activation="tanh", kernel_initializer=keras.initializers.RandomNormal(seed=1))(first)
    joined = keras.layers.concatenate([hidden, second])
    return Model([first, second], Dense(1, kernel_initializer=keras.initializers.RandomNormal(seed=2))(joined))


# A model that is fed one of two inputs trains as one that is fed both; what the variable holds counts.
plain, own = build(Input((3,))), build(Input(tensor=variable))
own.set_weights(plain.get_weights())
for model, data in ((plain, [x, z]), (own, z)):
    model.compile(keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    model.reached = [model.train_on_batch(data, y), *[model.test_on_batch(data, y)], model.predict_on_batch(data)]
    history = model.fit(data, y, epochs=2, batch_size=8, verbose=0, shuffle=False).history
    model.reached += [history["loss"], model.evaluate(data, y, batch_size=8, verbose=0), model.predict(data)]
for a, b in zip(plain.reached, own.reached):
    np.testing.assert_allclose(a, b, rtol=1e-5)
for a, b in zip(plain.get_weights(), own.get_weights()):
    np.testing.assert_allclose(a, b, rtol=1e-5)
K.set_value(variable, 2 * x)
np.testing.assert_allclose(own.predict(z), plain.predict([2 * x, z]), rtol=1e-4, atol=1e-6)
K.set_value(variable, x)

# Targets that are tensors, and nothing that is fed.
first = Input(tensor=variable)
whole = Model(first, Dense(1, name="out")(first))
fed = keras.models.Sequential([Dense(1, input_shape=(3,))])
fed.set_weights(whole.get_weights())
fed.compile("sgd", "mse")
for targets in ([K.variable(y)], {"out": K.variable(y)}, K.variable(y)):
    whole.set_weights(fed.get_weights())
    whole.compile("sgd", "mse", target_tensors=targets)
    losses = whole.fit(epochs=2, steps_per_epoch=3, verbose=0).history["loss"]
    wanted = [np.mean([fed.train_on_batch(x, y) for _ in range(3)]) for _ in range(2)]
    np.testing.assert_allclose(losses, wanted, rtol=1e-5)
    np.testing.assert_allclose(whole.evaluate(steps=2, verbose=0), fed.test_on_batch(x, y), rtol=1e-5)
    np.testing.assert_allclose(whole.predict(None, steps=2), np.tile(fed.predict(x), (2, 1)), rtol=1e-5)
    weights = draw.random(8)
    np.testing.assert_allclose(whole.test_on_batch(None, None, sample_weight=weights),
                               fed.test_on_batch(x, y, sample_weight=weights), rtol=1e-5)  # fmt: skip
raises(ValueError, "specify the `steps_per_epoch`", lambda: whole.fit(None, None, batch_size=4))
raises(ValueError, "specify the `steps`", lambda: whole.predict(None))
raises(ValueError, "expected no targets", lambda: whole.train_on_batch(None, y))
raises(ValueError, "expected no inputs", lambda: whole.train_on_batch(x, None))
raises(ValueError, "one entry per model outputs", lambda: fed.compile("sgd", "mse", target_tensors=[variable] * 2))
raises(ValueError, "Unknown entry", lambda: fed.compile("sgd", "mse", target_tensors={"other": None}))
raises(TypeError, "list or dict", lambda: fed.compile("sgd", "mse", target_tensors=set()))

# A target that is a placeholder of the program is fed.
target = tf.placeholder(tf.float32, [None, 1])
fed.compile("sgd", "mse", target_tensors=[target])
assert fed.train_on_batch(x, y) > 0


# Keras 2.1.6: h' = z h + (1 - z) tanh(x w + b + r (h u + c)).
def run(x: Any, kernel: Any, recurrent: Any, bias: Any) -> Any:
    n, h, outputs = len(recurrent), np.zeros((len(x), len(recurrent))), []
    for t in range(x.shape[1]):
        a, b = x[:, t] @ kernel + bias[0], h @ recurrent + bias[1]
        z, r = (np.clip(0.2 * (a + b)[:, i * n : (i + 1) * n] + 0.5, 0, 1) for i in range(2))
        h = z * h + (1 - z) * np.tanh(a[:, 2 * n :] + r * b[:, 2 * n :])
        outputs.append(h)
    return np.stack(outputs, 1)


sequence = draw.standard_normal((4, 5, 3))
for layer in (GRU(6, reset_after=True, return_sequences=True),
              RNN(GRUCell(6, reset_after=True), return_sequences=True)):  # fmt: skip
    inputs = Input((5, 3))
    model = Model(inputs, layer(inputs))
    assert [w.shape for w in model.get_weights()] == [(3, 18), (6, 18), (2, 18)]
    model.set_weights([0.4 * draw.standard_normal(w.shape) for w in model.get_weights()])
    np.testing.assert_allclose(model.predict(sequence), run(sequence, *model.get_weights()), atol=1e-6)
    again = Model.from_config(model.get_config())
    again.set_weights(model.get_weights())
    np.testing.assert_allclose(again.predict(sequence), model.predict(sequence), atol=1e-6)
    model.compile("sgd", "mse")
    before = model.get_weights()
    model.train_on_batch(sequence, np.zeros((4, 5, 6)))
    assert all(np.abs(a - b).max() > 0 for a, b in zip(before, model.get_weights()))
plain_gru = GRU(6, reset_after=True, use_bias=False)
plain_gru(Input((5, 3)))
assert len(plain_gru.get_weights()) == 2
