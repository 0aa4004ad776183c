# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mypy: disable-error-code="arg-type, misc"
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X30: names of Keras 3 that the package has, and the errors for those that it does not have."""

from typing import Any

import numpy as np

from configurations import raises, run_tests
from flywheel import keras
from flywheel.keras import backend as K


def test_names() -> None:
    # Names that are not there say what is.
    for module, name, text in [
        (keras, "ops", "instead: flywheel.keras.backend"), (keras, "Sequentail", "did you mean 'Sequential'"),
        (keras, "mixed_precision", "instead:"),
        (keras.layers, "MultiheadAttention", "did you mean 'MultiHeadAttention'"),
        (keras.layers, "Normalization", "instead: Rescaling"), (keras.layers, "dense", "did you mean 'Dense'"),
        (keras.optimizers, "schedules", "instead: callbacks.LearningRateScheduler"),
        (keras.optimizers, "Adafactor", "instead: flywheel.optimizers.Adafactor"),
        (keras.losses, "MeanSquareError", "did you mean 'MeanSquaredError'"), (keras.losses, "Dice", "instead:"),
        (keras.metrics, "AUC", "roc_auc_score"), (keras.activations, "geluu", "did you mean 'gelu'"),
        (keras.callbacks, "EarlyStop", "did you mean 'EarlyStopping'"),
    ]:  # fmt: skip
        raises(AttributeError, text, lambda module=module, name=name: getattr(module, name))
        raises(AttributeError, f"there is no flywheel.keras{module.__name__[14:]}.{name}",
               lambda module=module, name=name: getattr(module, name))  # fmt: skip
    assert not hasattr(keras.layers, "__wrapped__")


def test_rate_by_both_names() -> None:
    # The rate by both names.
    adam = keras.optimizers.Adam(learning_rate=0.5)
    assert K.get_value(adam.lr) == 0.5 and adam.learning_rate is adam.lr
    adam.learning_rate = 0.25
    assert K.get_value(adam.lr) == 0.25
    assert abs(keras.optimizers.get("lion").get_config()["lr"] - 0.001) < 1e-9
    assert keras.optimizers.AdamW.from_config(keras.optimizers.AdamW(weight_decay=0.5).get_config()).get_config()[
        "weight_decay"] == 0.5  # fmt: skip
    raises(TypeError, "the learning rate once", lambda: keras.optimizers.SGD(0.1, learning_rate=0.2))
    raises(NotImplementedError, "a schedule", lambda: keras.optimizers.SGD(learning_rate=lambda step: 0.1))
    raises(TypeError, "instead: AdamW", lambda: keras.optimizers.Adam(weight_decay=0.1))
    raises(TypeError, "instead: clipnorm", lambda: keras.optimizers.Adam(global_clipnorm=1.0))
    raises(ValueError, "weight_decay >= 0", lambda: keras.optimizers.AdamW(weight_decay=-1.0))
    raises(ValueError, "expected a finite lr", lambda: keras.optimizers.SGD(learning_rate=float("nan")))


def test_losses_and_metrics_by_name() -> None:
    # Losses and metrics by name, by configuration, and wrong ones.
    assert isinstance(keras.losses.get("MeanSquaredError"), keras.losses.MeanSquaredError)
    made = keras.losses.BinaryCrossentropy(from_logits=True, label_smoothing=0.1, reduction="sum")
    config = {"class_name": "BinaryCrossentropy", "config": made.get_config()}
    again = keras.losses.get(config)
    assert again.from_logits and again.label_smoothing == 0.1 and again.reduction == "sum"
    for package in (keras.losses, keras.metrics):
        make = package.BinaryCrossentropy
        assert make(True, 0.1).get_config() == make(from_logits=True, label_smoothing=0.1).get_config()
        raises(TypeError, "takes 'from_logits' once", lambda: make(True, from_logits=True))
        raises(TypeError, "BinaryCrossentropy has no argument 'smooth': it takes from_logits", lambda: make(smooth=1))
        raises(TypeError, "found 4 arguments", lambda: make(True, 0.1, -1, 3))
        assert make.__module__ == package.__name__ and make.__doc__, make
    for name in ("mse", "KLD", "log_cosh", "huber", "cosine"):
        assert keras.losses.get(name) is getattr(keras.losses, name), name
    raises(ValueError, "", lambda: keras.losses.get("dim"))
    raises(ValueError, "expected a reduction", lambda: keras.losses.MeanSquaredError(reduction="average"))
    raises(TypeError, "has no argument 'smoothing'", lambda: keras.losses.BinaryCrossentropy(smoothing=0.1))
    raises(ValueError, "label_smoothing within", lambda: keras.losses.BinaryCrossentropy(label_smoothing=1.5))
    raises(NotImplementedError, "axis=1", lambda: keras.losses.CategoricalCrossentropy(axis=1))
    raises(NotImplementedError, "several thresholds", lambda: keras.metrics.Precision(thresholds=[0.1, 0.2]))
    raises(ValueError, "Unknown loss function: mean", lambda: keras.losses.get("mean"))


class Own(keras.losses.Loss):
    def call(self, y_true: Any, y_pred: Any) -> Any:
        return K.sum(K.abs(y_true - y_pred), -1)


class Spread(keras.metrics.Metric):
    def counts(self, y_true: Any, y_pred: Any, weight: Any) -> Any:
        return [K.sum(K.abs(y_true - y_pred)), K.sum(K.ones_like(y_pred))]


def test_losses_and_metrics_by_name_2() -> None:
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(2,), use_bias=False)])
    model.compile(keras.optimizers.SGD(learning_rate=0.0), Own(), metrics=[Spread(name="spread")])
    x, y = np.array([[1, 2], [3, 4], [5, 6]], np.float32), np.array([[1], [2], [3]], np.float32)
    model.set_weights([np.array([[1.0], [1.0]])])
    history = model.fit(x, y, batch_size=2, epochs=2, verbose=0)
    assert history.history["loss"] == history.history["spread"] == [5.0, 5.0], history.history
    found = model.evaluate(x, y, verbose=0, sample_weight=np.array([0.0, 0.0, 1.0]))
    np.testing.assert_allclose(found, [8.0 / 3, 5.0], rtol=1e-6)


def test_names_of_layers_are_unique() -> None:
    inputs = keras.Input((3,))
    hidden = keras.layers.Dense(5, name="h")(inputs)
    raises(ValueError, 'The name "h" is used 2 times in the model. All layer names should be unique.',
           lambda: keras.Model(inputs, keras.layers.Dense(2, name="h")(hidden)))  # fmt: skip
    # A layer that is called twice is one layer.
    square = keras.layers.Dense(3, name="square")
    assert len(keras.Model(inputs, square(square(inputs))).layers) == 2


def test_layers_refuse_options() -> None:
    # Layers refuse what they cannot do, and have configurations.
    inputs = keras.Input((4, 6))
    raises(ValueError, "channels in 4 groups", lambda: keras.layers.GroupNormalization(groups=4)(inputs))
    raises(NotImplementedError, "axis=1", lambda: keras.layers.GroupNormalization(2, axis=1)(inputs))
    raises(NotImplementedError, "axis=[1]", lambda: keras.layers.LayerNormalization(axis=[1])(inputs))
    raises(ValueError, "takes queries and values", lambda: keras.layers.MultiHeadAttention(2, 3)(inputs))
    raises(ValueError, "num_heads of at least 1", lambda: keras.layers.MultiHeadAttention(0, 3))
    raises(NotImplementedError, "return_attention_scores", lambda: keras.layers.MultiHeadAttention(2, 3)(
        inputs, inputs, return_attention_scores=True))  # fmt: skip
    attention = keras.layers.MultiHeadAttention(2, 3, value_dim=5, output_shape=7, name="attention")
    output = attention(inputs, inputs)
    assert K.int_shape(output) == (None, 4, 7)
    copied = keras.layers.deserialize(keras.layers.serialize(attention))
    assert K.int_shape(copied(inputs, inputs)) == (None, 4, 7)
    whole = keras.Model(inputs, keras.layers.ReLU(6.0)(keras.layers.RMSNormalization()(output)))
    same = keras.models.model_from_json(whole.to_json())
    same.set_weights(whole.get_weights())
    image = np.random.RandomState(0).randn(3, 4, 6).astype(np.float32)
    np.testing.assert_allclose(same.predict(image), whole.predict(image), rtol=1e-6)
    raises(ValueError, "the seed", lambda: keras.utils.set_random_seed(-1))


run_tests([test_names, test_rate_by_both_names, test_losses_and_metrics_by_name,
           test_losses_and_metrics_by_name_2, test_names_of_layers_are_unique,
           test_layers_refuse_options])  # fmt: skip
