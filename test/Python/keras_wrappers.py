# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Models of Keras with the methods of scikit-learn (X42)."""

import inspect
from typing import Any, List

import numpy as np

from configurations import run_tests
from flywheel.keras.layers import Dense
from flywheel.keras.models import Model, Sequential
from flywheel.keras.wrappers.scikit_learn import KerasClassifier, KerasRegressor

draw = np.random.default_rng(4)
x = draw.standard_normal((60, 4))
kinds = np.array(["low", "middle", "top"])
number = np.digitize(x[:, 0], [-0.5, 0.5])


def classify(hidden: int = 8, loss: str = "categorical_crossentropy", classes: int = 3) -> Any:
    activation = "softmax" if classes > 1 else "sigmoid"
    model = Sequential([Dense(hidden, activation="relu", input_shape=(4,)), Dense(classes, activation=activation)])
    model.compile("adam", loss, metrics=["accuracy"])
    return model


def test_labels_of_text() -> None:
    # Labels of text, of numbers, and of columns; the parameters of the model and of its methods.
    for labels, loss in ((kinds[number], "categorical_crossentropy"), (number + 5, "sparse_categorical_crossentropy")):
        wrapped = KerasClassifier(classify, hidden=16, loss=loss, epochs=150, batch_size=10, verbose=0)
        history = wrapped.fit(x, labels, sample_weight=np.ones(60))
        assert len(history.history["loss"]) == 150 and wrapped.model.layers[0].units == 16
        found, shares = wrapped.predict(x), wrapped.predict_proba(x)
        assert set(found) <= set(labels) and found.shape == (60,) and shares.shape == (60, 3)
        np.testing.assert_allclose(wrapped.score(x, labels), np.mean(found == labels), atol=1e-6)
        assert np.mean(found == labels) > 0.8
    assert len(wrapped.fit(x, number, epochs=2).history["loss"]) == 2
    wrapped = KerasClassifier(classify, epochs=1, verbose=0)
    wrapped.fit(x, np.eye(3)[number])
    assert wrapped.classes_.tolist() == [0, 1, 2] and wrapped.n_classes_ == 3
    two = KerasClassifier(classify, classes=1, loss="binary_crossentropy", epochs=60, verbose=0)
    two.fit(x, number > 0)
    shares = two.predict_proba(x)
    assert shares.shape == (60, 2)
    np.testing.assert_allclose(shares.sum(1), 1, rtol=1e-6)

    # Parameters.
    copied = KerasClassifier(**wrapped.get_params())
    assert copied.get_params() == wrapped.get_params() and copied.set_params(hidden=3).get_params()["hidden"] == 3
    refused: List[Any] = [lambda: KerasClassifier(classify, hiden=3), lambda: copied.set_params(epoch=3)]
    for made in refused:
        try:
            made()
        except ValueError as error:
            assert "is not a legal parameter" in str(error)
        else:
            raise AssertionError("no error")


class Line(KerasRegressor):
    def __call__(self, rate: float = 0.1) -> Any:
        model = Sequential([Dense(1, input_shape=(4,))])
        model.compile("sgd", "mse", metrics=["mae"])
        return model


def test_parameters() -> None:
    line = Line(epochs=60, verbose=0)
    line.fit(x, x @ np.array([1.0, 2.0, 0.0, -1.0]))
    assert line.predict(x).shape == (60,)
    np.testing.assert_allclose(line.score(x, x @ np.array([1.0, 2.0, 0.0, -1.0])),
                               -line.model.evaluate(x, x @ np.array([1.0, 2.0, 0.0, -1.0]), verbose=0)[0])  # fmt: skip


def test_arguments_of_a_sequential_model() -> None:
    # A sequential model says which arguments its methods take.
    for name in ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch"):
        assert inspect.signature(getattr(Sequential, name)) == inspect.signature(getattr(Model, name)), name


run_tests([test_labels_of_text, test_parameters, test_arguments_of_a_sequential_model])
