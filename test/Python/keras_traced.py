# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Models of Keras in traced functions, and least squares over their weights (X38, L9, L10)."""

from typing import Any, Type

import numpy as np

import flywheel as fw
from flywheel import keras
from flywheel.keras import backend as K
from flywheel.keras.layers import BatchNormalization, Dense, Dropout, Input
from flywheel.math.optimizer import levenberg_marquardt


def raises(kind: Type[BaseException], text: str, call: Any) -> None:
    try:
        call()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"no error: {text}")


def close(a: Any, b: Any, tolerance: float = 1e-5) -> None:
    assert np.allclose(a, b, tolerance, tolerance), (a, b)


draw = np.random.default_rng(3)
x = draw.standard_normal((10, 2)).astype(np.float32)
y = (x[:, :1] * x[:, 1:]).astype(np.float32)

# Values and gradients follow the weights, whoever changes them.
model = keras.models.Sequential([Dense(6, activation="tanh", input_shape=(2,)), Dense(1)])
outside = model.trainable_weights


@fw.function
def predict(x: Any) -> Any:
    return model(x)


@fw.function
def gradients(x: Any, y: Any) -> Any:
    loss = fw.mean(fw.square(model(x) - y))
    return loss, fw.gradients(loss, outside)


def expected_gradients(a: Any, b: Any) -> Any:
    v1, b1, v2, b2 = model.get_weights()
    h = np.tanh(a @ v1 + b1)
    out = 2 * (h @ v2 + b2 - b) / len(a)
    back = (out @ v2.T) * (1 - h * h)
    return [a.T @ back, back.sum(0), h.T @ out, out.sum(0)]


for _ in range(3):
    close(predict(x), model.predict(x))
    loss, found = gradients(x, y)
    close(loss, np.mean((model.predict(x) - y) ** 2))
    for one, wanted in zip(found, expected_gradients(x, y)):
        close(one, wanted)
    model.set_weights([w + 0.25 for w in model.get_weights()])
close(predict(x[:3]), model.predict(x[:3]))
close(predict(x[:1]), model.predict(x[:1]))

# An optimizer of traced functions trains the weights, with slots of its own.
sgd = fw.optimizers.SGD(lr=0.1, momentum=0.9)


@fw.function
def train(x: Any, y: Any) -> Any:
    loss = fw.mean(fw.square(model(x) - y))
    sgd.minimize(loss, outside)
    return loss


weights, velocity = model.get_weights(), [np.zeros_like(w) for w in model.get_weights()]
for _ in range(4):
    wanted = expected_gradients(x, y)
    loss = train(x, y)
    velocity = [0.9 * v - 0.1 * g for v, g in zip(velocity, wanted)]
    weights = [w + v for w, v in zip(weights, velocity)]
    for one, value in zip(model.get_weights(), weights):
        close(one, value, 1e-4)
close(predict(x), model.predict(x))

# Training: dropout draws, and averages of batch normalization move.
inputs = Input((2,))
normal = keras.models.Model(inputs, Dropout(0.5)(BatchNormalization(momentum=0.5)(Dense(64)(inputs))))


@fw.function(static="training")
def forward(x: Any, training: Any = None) -> Any:
    return normal(x, training=training)


before = normal.get_weights()
close(forward(x), normal.predict(x))
assert all(np.array_equal(a, b) for a, b in zip(before, normal.get_weights()))
first, second = forward(x, True), forward(x, True)
assert 0.3 < np.mean(first == 0) < 0.7 and not np.array_equal(first == 0, second == 0)
kernel, bias, gamma, beta, mean, variance = normal.get_weights()
h = x @ kernel + bias
# As in Keras 2.1, the zero that the average begins with does not count.
close(mean, h.mean(0), 1e-4)
assert not np.allclose(variance, before[-1])
close(forward(x, False), normal.predict(x))
assert not np.allclose(first[first != 0].mean(), 0)
K.set_learning_phase(1)
phased = fw.function(lambda x: normal(x))
assert 0.3 < np.mean(phased(x) == 0) < 0.7
K.set_learning_phase(0)

# A layer, several inputs and outputs.
layer = Dense(3)
layer(K.placeholder((None, 2)))
apply = fw.function(lambda x: layer(x) * 2.0)
close(apply(x), 2 * (x @ layer.get_weights()[0] + layer.get_weights()[1]))
a, b = Input((2,)), Input((3,))
both = keras.models.Model([a, b], [keras.layers.concatenate([a, b]), Dense(1)(b)])
pair = fw.function(lambda a, b: both([a, b]))
for one, wanted in zip(pair(x, np.ones((10, 3), np.float32)), both.predict([x, np.ones((10, 3))])):
    close(one, wanted)

# Least squares: one op of the graph, and in a traced function; as the optimizer of the model makes them.
begin = model.get_weights()
copied = keras.models.clone_model(model)
copied.set_weights(begin)
copied.compile(keras.optimizers.LevenbergMarquardt(regularizer=0.1), "mse")
for _ in range(4):
    copied.train_on_batch(x, y)
moved = levenberg_marquardt.minimize(lambda *_: model(K.constant(x)) - y, model.trainable_weights, 4, regularizer=0.1)[
    0
]
K.get_session().run(moved)
for one, wanted in zip(model.get_weights(), copied.get_weights()):
    close(one, wanted, 2e-3)
reached = model.get_weights()
model.set_weights(begin)


@fw.function
def fit(x: Any, y: Any) -> Any:
    return levenberg_marquardt.minimize(lambda *_: model(x) - y, outside, 4, regularizer=0.1)[0]


value = fit(x, y)
for one, wanted in zip(model.get_weights(), reached):
    close(one, wanted, 1e-4)
close(value, 0.5 * np.sum((model.predict(x) - y) ** 2), 1e-3)

# Errors.
raises(ValueError, "has no weights yet", lambda: fw.function(lambda x: Dense(2)(x))(x))
raises(ValueError, "has the shape (?, 2), found (", lambda: predict(np.ones((4, 3), np.float32)))
other = fw.Variable(1.0, name="other")
raises(ValueError, "'other', which is in a store", lambda: fw.function(lambda x: model(x) * other)(x))
raises(TypeError, "unexpected keyword", lambda: fw.function(lambda x: model(x, speed=2))(x))
raises(NotImplementedError, "model.export", lambda: fw.export(predict, "never"))
raises(NotImplementedError, "a profile of 'predict'", lambda: predict.profile(x))
K.clear_session()
raises(RuntimeError, "session of that graph", lambda: predict(x))

# A first model without weights: names of later ones are found.
noise = keras.models.Sequential([keras.layers.GaussianNoise(0.5, input_shape=(2,))])
assert np.any(fw.function(lambda x: noise(x, training=True))(x) != x)
assert keras.models.Sequential([Dense(4, input_shape=(2,))]).predict(x).shape == (len(x), 4)

# A model as it is now: its layers, those that are trained, and the phase.
grown = keras.models.Sequential([Dense(4, input_shape=(2,)), Dense(3)])
grow = fw.function(lambda x: grown(x))
assert grow(x).shape == (len(x), 3)
grown.add(Dense(2))
close(grow(x), grown.predict(x))
noisy = keras.models.Sequential([Dense(4, input_shape=(2,)), keras.layers.Dropout(0.5)])
noisily = fw.function(lambda x: noisy(x))
close(noisily(x), noisy.predict(x))
K.set_learning_phase(1)
assert np.sum(noisily(x) == 0.0) > 0
K.set_learning_phase(0)
close(noisily(x), noisy.predict(x))
averaged = keras.layers.BatchNormalization(input_shape=(2,))
norms = keras.models.Sequential([averaged])
norms.compile("sgd", "mse")
update = fw.function(lambda x: norms(x, training=True))
update(x)
averaged.trainable = False
norms.compile("sgd", "mse")
begin = norms.get_weights()
update(3 * x)
for one, wanted in zip(norms.get_weights(), begin):
    np.testing.assert_array_equal(one, wanted)
frozen = keras.models.Sequential([Dense(4, input_shape=(2,)), Dense(1)])
rate = fw.optimizers.SGD(0.1)


@fw.function
def reduce_output(x: Any) -> Any:
    loss = fw.mean(frozen(x) ** 2)
    rate.minimize(loss)
    return loss


for is_trained in (False, True, False):
    frozen.layers[0].trainable = is_trained
    begin = frozen.get_weights()
    reduce_output(x)
    moved = [bool(np.any(one != old)) for one, old in zip(frozen.get_weights(), begin)]
    assert moved == [is_trained, is_trained, True, True], moved
