# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Levenberg and Marquardt's method over variables and tensors of `flywheel.v1`, and over the weights of a model of
`flywheel.keras`, with the numbers of TensorFlow Graphics' method (L4, L9, L10)."""

from typing import Any, List

import numpy as np

import flywheel.keras as keras
import flywheel.v1 as tf
from configurations import raises
from flywheel.keras import backend as K
from flywheel.math.optimizer import levenberg_marquardt

T = np.arange(4.0)
Y = 2 * np.exp(-T / 2)
BATCHES: Any = (((0, 1, 3), 0.0202129353, (1.8133102182, -0.4654850091)),
           ((0, 2, 3), 0.0001565533, (1.9824401373, -0.4970750855)),
           ((0, 1, 3), 0.0000012985, (1.9984597619, -0.4994526114)))  # fmt: skip
WHOLE: Any = [[1.8695483519, -0.5138521476], [1.9999548480, -0.4988073709], [1.9999996551, -0.4999984628]]


def variables() -> List[Any]:
    tf.reset_default_graph()
    return [tf.Variable(np.array(1.0), name="a"), tf.Variable(np.array(0.0), name="b")]


# L4: whole data; each run makes all iterations, and the variables have their values after it. The functions use their
# arguments, the variables, or a tensor that was made before.
for form in range(3):
    a, b = variables()
    before = a * tf.exp(b * T) - Y
    residual = (lambda p, q: p * tf.exp(q * T) - Y, lambda *_: a * tf.exp(b * T) - Y, lambda *_: before)[form]
    objective, values = levenberg_marquardt.minimize(residual, [a, b], 1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for found in WHOLE:
            assert session.run([values, objective])[1] < 0.02
            np.testing.assert_allclose(session.run([a, b]), found, rtol=1e-9)
        session.run(tf.global_variables_initializer())
        three, _ = levenberg_marquardt.minimize(residual, [a, b], 3)
        session.run(three)
        np.testing.assert_allclose(session.run([a, b]), WHOLE[2], rtol=1e-9)

# L9: an iteration for each batch that is fed, with a damping that is fed too.
a, b = variables()
t, y, damping = (tf.placeholder(tf.float64, shape) for shape in ([None], [None], []))
objective, _ = levenberg_marquardt.minimize([lambda *_: a * tf.exp(b * t) - y], [a, b], 1, damping)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for rows, value, expected in BATCHES:
        part = list(rows)
        assert np.isclose(session.run(objective, {t: T[part], y: Y[part], damping: 0.1}), value, rtol=1e-4)
        np.testing.assert_allclose(session.run([a, b]), expected, rtol=1e-9)

# Tensors of a graph as the start: nothing is assigned.
start = [tf.placeholder(tf.float64, []), tf.constant(np.array(0.0))]
objective, values = levenberg_marquardt.minimize(lambda p, q: p * tf.exp(q * t) - y, start, 2)
with tf.Session() as session:
    np.testing.assert_allclose(session.run(values, {start[0]: 1.0, t: T, y: Y}), WHOLE[1], rtol=1e-9)

raises(ValueError, "expected variables or tensors, found both",
       lambda: levenberg_marquardt.minimize(lambda p, q: p, [a, tf.constant(np.array(0.0))], 1))  # fmt: skip
raises(ValueError, "may not assign", lambda: levenberg_marquardt.minimize(lambda p: p.assign(p * 2.0), [a], 1))
raises(ValueError, "'max_iterations' needs to be at least 1", lambda: levenberg_marquardt.minimize(tf.sin, [a], 0))
raises(ValueError, "arrays only", lambda: levenberg_marquardt.minimize(tf.sin, [a], 1, callback=print))


class Curve(keras.layers.Layer):
    def build(self, input_shape: Any) -> None:
        self.a = self.add_weight("a", (), initializer="ones")
        self.b = self.add_weight("b", (), initializer="zeros")
        self.built = True

    def call(self, inputs: Any, **_: Any) -> Any:
        return self.a * K.exp(self.b * inputs)


# L9 and L10: the weights of a Keras model, by a compiled optimizer and by the function.
K.clear_session()
K.set_floatx("float64")
for direct in (False, True):
    model = keras.models.Sequential([Curve(input_shape=(1,))])
    model.compile(keras.optimizers.LevenbergMarquardt(0.1, restarts=True), "mse")
    x, target = K.placeholder((None, 1)), K.placeholder((None, 1))
    objective, _ = levenberg_marquardt.minimize(lambda *_, m=model, x=x, y=target: m(x) - y,
                                                model.trainable_weights, 1, 0.1)  # fmt: skip
    step = K.function([x, target], [objective])
    losses = []
    for rows, value, expected in BATCHES:
        part = list(rows)
        if direct:
            assert np.isclose(step([T[part, None], Y[part, None]])[0], value, rtol=1e-4)
        else:
            losses.append(model.train_on_batch(T[part, None], Y[part, None]))
        np.testing.assert_allclose(model.get_weights(), expected, rtol=1e-9)
    # The loss is the mean of squares before the step.
    assert direct or np.allclose(losses, [0.6760113794 * 2 / 3, 0.0176502132 * 2 / 3, 0.0001795823 * 2 / 3], rtol=1e-6)
    history = model.fit(T[:, None], Y[:, None], batch_size=4, epochs=3, verbose=0).history["loss"]
    assert history[-1] < 1e-8 and K.get_value(model.optimizer.iterations) == (3 if direct else 6)

# Weights of samples, several outputs, and a network of the size of L10.
K.set_floatx("float32")
np.random.seed(1)
inputs = keras.layers.Input((2,))
hidden = keras.layers.Dense(8, activation="tanh")(inputs)
outputs = [keras.layers.Dense(1, name=name)(hidden) for name in ("p", "q")]
network = keras.models.Model(inputs, outputs)
network.compile(keras.optimizers.get("LevenbergMarquardt"), "mse", loss_weights=[1.0, 0.5])
points = np.random.uniform(-1, 1, (64, 2)).astype(np.float32)
truth = [np.sin(points[:, :1] * 2), points[:, 1:] * points[:, :1]]
weight = [np.linspace(0.5, 1.5, 64), np.ones(64)]
found = network.fit(points, truth, batch_size=64, epochs=40, verbose=0, sample_weight=weight).history["loss"]
assert found[-1] < found[0] / 1000, found
config = keras.optimizers.serialize(network.optimizer)
assert keras.optimizers.deserialize(config).get_config() == network.optimizer.get_config()

model = keras.models.Sequential([keras.layers.Dense(1, input_shape=(2,))])
model.compile(keras.optimizers.LevenbergMarquardt(), "mae")
raises(ValueError, "expected the loss 'mse'", lambda: model.train_on_batch(points, truth[0]))
model = keras.models.Sequential([keras.layers.Dense(1, input_shape=(2,), kernel_regularizer="l2")])
model.compile(keras.optimizers.LevenbergMarquardt(), "mse")
raises(ValueError, "expected no penalties", lambda: model.train_on_batch(points, truth[0]))
raises(ValueError, "takes residuals, not a loss",
       lambda: keras.optimizers.LevenbergMarquardt().get_updates(model.total_loss, model.weights))  # fmt: skip
