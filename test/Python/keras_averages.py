# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE= %python %s %t
"""Averages of BatchNormalization go on from values that a program set or loaded (R10)."""

import os
import sys
from typing import Any, Callable, List

import numpy as np

from flywheel import keras
from flywheel.keras import backend as K
from flywheel.keras import layers

x = np.random.default_rng(0).normal(size=(16, 2)).astype(np.float32)
path = os.path.join(sys.argv[1], "weights.safetensors")
whole = os.path.join(sys.argv[1], "model.safetensors")
alone = os.path.join(sys.argv[1], "alone.safetensors")


def build(**given: Any) -> Any:
    K.clear_session()
    inputs = keras.Input((2,))
    return compiled(keras.Model(inputs, layers.Dense(1)(layers.BatchNormalization(name="norm", **given)(inputs))))


def compiled(model: Any) -> Any:
    model.compile("sgd", "mse")
    return model


def moved(model: Any) -> List[Any]:
    """The averages after a step."""
    model.train_on_batch(x, x[:, :1])
    inner = model.layers[-1] if isinstance(model.layers[-1], keras.Model) else model
    return list(inner.get_layer(index=1).get_weights()[2:])


def expect(found: List[Any], mean: Any, variance: Any) -> None:
    wanted_variance = x.var(0) * 16 / (16 - 1.001)
    np.testing.assert_allclose(found[0], 0.99 * mean + 0.01 * x.mean(0), rtol=1e-5)
    np.testing.assert_allclose(found[1], 0.99 * variance + 0.01 * wanted_variance, rtol=1e-5)


# An average that nothing was given to has no bias from its start.
np.testing.assert_allclose(moved(build())[0], x.mean(0), rtol=1e-5)

model = build()
for _ in range(5):
    model.train_on_batch(x + 5, x[:, :1])
model.save_weights(path)
model.save(whole)
model.save(alone, include_optimizer=False)
start = model.get_weights()[2:4]
goes_on = moved(model)


def by_load_weights(**given: Any) -> Any:
    made = build()
    made.load_weights(path, **given)
    return made


def by_set_value(made: Any) -> Any:
    for variable, value in zip(made.get_layer("norm").weights[2:], start):
        K.set_value(variable, value)
    return made


def by_assign() -> Any:
    made = build()
    for variable, value in zip(made.get_layer("norm").weights[2:], start):
        K.get_session().run(variable.assign(value))
    return made


def before_the_call() -> Any:
    return build(weights=[np.ones(2), np.zeros(2), *start])


def in_another_model(base: Any) -> Any:
    inputs = keras.Input((2,))
    return compiled(keras.Model(inputs, base(inputs)))


ways: List[Callable[[], Any]] = [
    by_load_weights, lambda: by_load_weights(by_name=True), lambda: by_load_weights(reshape=True), by_assign,
    lambda: by_set_value(build()), before_the_call, lambda: compiled(keras.models.load_model(alone)),
    lambda: compiled(keras.models.load_model(whole, compile=False)), lambda: in_another_model(by_load_weights()),
]  # fmt: skip
for way in ways:
    expect(moved(way()), *start)
saved = model.get_weights()
made = build()
made.set_weights([*saved[:2], *start, *saved[4:]])
expect(moved(made), *start)

# Averages begin again from the values of a new model, whatever constant these are, and go on from any other constant.
for given in ({}, {"moving_mean_initializer": keras.initializers.Constant(0.5)}):
    fresh = build(**given)
    first = fresh.get_weights()
    wanted = moved(fresh)
    made = build(**given)
    made.set_weights(first)
    np.testing.assert_array_equal(moved(made), wanted)
made = build()
made.set_weights([*made.get_weights()[:2], np.zeros(2), np.zeros(2), *made.get_weights()[4:]])
mean, variance = moved(made)
np.testing.assert_allclose(mean, x.mean(0), rtol=1e-5)
np.testing.assert_allclose(variance, 0.01 * x.var(0) * 16 / (16 - 1.001), rtol=1e-5)

# A whole model has what its averages are made of, in another one too.
for loaded in (keras.models.load_model(whole), in_another_model(keras.models.load_model(whole))):
    np.testing.assert_array_equal(moved(loaded)[0], goes_on[0])
