# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t && env FLYWHEEL_CACHE= %python %s %t
"""X36: a Sequential model without an `input_shape` is built for the first data that it gets, as in Keras 2.2."""

import os
import sys
from typing import Any, Callable, Dict, Iterator

import numpy as np

import flywheel.keras as keras
from configurations import run_tests
from flywheel.keras import layers

X = np.random.default_rng(0).random((8, 3)).astype(np.float32)
Y = X.sum(1, keepdims=True)


def sequential(*parts: Any) -> Any:
    return keras.models.Sequential(list(parts))


def refuses(text: str, call: Callable[[], object]) -> None:
    try:
        call()
    except (ValueError, AttributeError) as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)


def test_training() -> None:
    """The numbers are those of a model that knows its shape from the start."""
    early = sequential(layers.Dense(4, activation="tanh", input_shape=(3,)), layers.Dense(1))
    late = sequential(layers.Dense(4, activation="tanh"), layers.Dense(1))
    for model in (early, late):
        model.compile("sgd", "mse", metrics=["mae"])
    late.build((None, 3))
    late.set_weights(early.get_weights())
    for model in (early, late):
        model.fit(X, Y, epochs=3, shuffle=False, verbose=0)
    for a, b in zip(early.get_weights(), late.get_weights()):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(early.predict(X), late.predict(X))


def batches() -> Iterator[Any]:
    """Batches of which none is lost: each has another target."""
    number = 0.0
    while True:
        yield X, Y + number
        number += 1


class Whole(keras.utils.Sequence):
    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: int) -> Any:
        return X, Y


def test_data() -> None:
    calls: Dict[str, Callable[[Any], object]] = {
        "fit": lambda m: m.fit(X, Y, verbose=0),
        "list": lambda m: m.fit([X], [Y], verbose=0),
        "dict": lambda m: m.fit({f"{m.layers[0].name}_input": X}, Y, verbose=0),
        "train_on_batch": lambda m: m.train_on_batch(X, Y),
        "test_on_batch": lambda m: m.test_on_batch(X, Y),
        "evaluate": lambda m: m.evaluate(X, Y, verbose=0),
        "predict": lambda m: m.predict(X),
        "predict_on_batch": lambda m: m.predict_on_batch(X),
        "generator": lambda m: m.fit_generator(batches(), 2, 1, verbose=0),
        "sequence": lambda m: m.fit_generator(Whole(), 1, 1, verbose=0),
    }
    for name, call in calls.items():
        model = sequential(layers.Dense(2, activation="relu"), layers.BatchNormalization(), layers.Dense(1))
        model.compile("sgd", "mse")
        call(model)
        assert [w.shape for w in model.get_weights()][0] == (3, 2), name
        assert model.count_params() == 8 + 8 + 3, name
    numbers = sequential(layers.Dense(1))
    numbers.compile("sgd", "mse")
    numbers.fit(np.arange(4.0), np.arange(4.0), verbose=0)
    assert numbers.get_weights()[0].shape == (1, 1)
    first = sequential(layers.Dense(1, kernel_initializer="zeros"))
    first.compile(keras.optimizers.SGD(0.0), "mse")
    found = first.fit_generator(batches(), 1, 2, verbose=0).history["loss"]
    wanted = [((Y + number) ** 2).mean() for number in (0, 1)]
    np.testing.assert_allclose(found, wanted, 1e-5)


def test_composition() -> None:
    inner = sequential(layers.Dense(3))
    model = sequential(inner, layers.Dense(2))
    assert model.predict(X).shape == (8, 2) and len(inner.get_weights()) == 2
    x = keras.layers.Input((3,))
    assert keras.models.Model(x, sequential(layers.Dense(2))(x)).predict(X).shape == (8, 2)
    again = keras.models.model_from_json(sequential(layers.Dense(3), layers.Dense(1)).to_json())
    assert again.predict(X).shape == (8, 1)


def test_errors() -> None:
    model = sequential(layers.Dense(4), layers.Dense(1))
    for call in (
        model.get_weights, model.summary, model.count_params, lambda: model.weights, lambda: model.inputs, model.build,
        lambda: model.save(os.path.join(sys.argv[1], "model.safetensors")),
    ):  # fmt: skip
        refuses("this model has not been built", call)
    wrong = sequential(layers.Dense(4), layers.Conv2D(3, 3))
    wrong.compile("sgd", "mse")
    refuses("expected ndim=4", lambda: wrong.fit(X, Y, verbose=0))
    wrong.pop()
    wrong.add(layers.Dense(1))
    # The layer that was built for other data is built again.
    wrong.fit(np.ones((8, 5), np.float32), Y, verbose=0)
    assert [w.shape for w in wrong.get_weights()] == [(5, 4), (4,), (4, 1), (1,)]
    loss = sequential(layers.Dense(1))
    loss.compile("sgd", "nope")
    refuses("Unknown loss function", lambda: loss.fit(X, Y, verbose=0))


if __name__ == "__main__":
    run_tests([test_training, test_data, test_composition, test_errors])
