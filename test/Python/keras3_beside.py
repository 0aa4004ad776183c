# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, keras
# RUN: env FLYWHEEL_CACHE= KERAS_BACKEND=tensorflow TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""X30, O31: programs of Keras 3, once with `flywheel.keras` and once with Keras 3: what they return is the same."""

# mypy: disable-error-code="no-untyped-call, call-overload, misc, arg-type"

import importlib
from typing import Any, Callable, List

import numpy as np

from flywheel import keras as ours
from flywheel.keras import backend as K

theirs: Any = importlib.import_module("keras")
draws = np.random.RandomState(0)


def draw(*shape: int) -> Any:
    return draws.standard_normal(shape).astype(np.float32)


def set_weights(model: Any, arrays: List[Any]) -> None:
    model.set_weights([np.reshape(a, np.shape(b)) for a, b in zip(arrays, model.get_weights())])


def run_both(build: Callable[[Any], Any], use: Callable[[Any, Any], Any], what: str, tolerance: float = 2e-5) -> None:
    """`build` makes a model, whose weights are made equal, and `use` of it and of the package gives numbers."""
    K.clear_session()
    model, other = build(ours), build(theirs)
    state = np.random.RandomState(1)
    arrays = [0.3 * state.standard_normal(np.shape(a)).astype(np.float32) for a in other.get_weights()]
    assert [np.size(a) for a in arrays] == [np.size(a) for a in model.get_weights()], what
    set_weights(model, arrays)
    other.set_weights(arrays)
    found, wanted = use(ours, model), use(theirs, other)
    for a, b in zip(found, wanted):
        np.testing.assert_allclose(np.asarray(a, np.float64), np.asarray(b, np.float64), rtol=tolerance * 10,
                                   atol=tolerance, err_msg=what)  # fmt: skip
    assert len(found) == len(wanted), what


def evaluated(k: Any, x: Any) -> Any:
    return K.eval(x) if k is ours else np.asarray(x)


# Activations and losses of arrays

x = np.concatenate([draw(40), [0, 1, -1, 6, -6, 20, -20]]).astype(np.float32).reshape(1, -1)
for name in ("gelu", "silu", "swish", "mish", "relu6", "leaky_relu", "hard_silu", "hard_swish", "exponential",
             "log_softmax", "softplus", "elu", "selu", "softsign"):  # fmt: skip
    own = K.eval(getattr(ours.activations, name)(K.constant(x)))
    other = np.asarray(getattr(theirs.activations, name)(x))
    np.testing.assert_allclose(own, other, rtol=2e-5, atol=2e-6, err_msg=name)
    assert ours.activations.get(name) is not None
np.testing.assert_allclose(K.eval(ours.activations.gelu(K.constant(x), approximate=True)),
                           np.asarray(theirs.activations.gelu(x, approximate=True)), rtol=2e-5, atol=2e-6)  # fmt: skip

logits, scores = draw(6, 5), np.abs(draw(6, 5)) + 0.1
shares = scores / scores.sum(-1, keepdims=True)
hot = np.eye(5, dtype=np.float32)[draws.randint(0, 5, 6)]
labels = hot.argmax(-1).astype(np.int32)
bits = (draw(6, 5) > 0).astype(np.float32)
probabilities = 1 / (1 + np.exp(-logits))
weights = np.array([1, 0.5, 0, 2, 1, 1], np.float32)
LOSSES: List[Any] = [
    ("MeanSquaredError", {}, hot, logits), ("MeanAbsoluteError", {}, hot, logits),
    ("MeanAbsolutePercentageError", {}, hot + 1, logits), ("MeanSquaredLogarithmicError", {}, hot, scores),
    ("BinaryCrossentropy", {}, bits, probabilities), ("BinaryCrossentropy", {"from_logits": True}, bits, logits),
    ("BinaryCrossentropy", {"from_logits": True, "label_smoothing": 0.2}, bits, logits),
    ("BinaryCrossentropy", {"label_smoothing": 0.2}, bits, probabilities),
    ("CategoricalCrossentropy", {}, hot, shares), ("CategoricalCrossentropy", {"from_logits": True}, hot, logits),
    ("CategoricalCrossentropy", {"from_logits": True, "label_smoothing": 0.1}, hot, logits),
    ("CategoricalCrossentropy", {"label_smoothing": 0.1}, hot, shares),
    ("SparseCategoricalCrossentropy", {}, labels, shares),
    ("SparseCategoricalCrossentropy", {"from_logits": True}, labels, logits),
    ("SparseCategoricalCrossentropy", {"from_logits": True, "ignore_class": int(labels[0])}, labels, logits),
    ("Hinge", {}, bits, logits), ("SquaredHinge", {}, 2 * bits - 1, logits), ("CategoricalHinge", {}, hot, logits),
    ("KLDivergence", {}, shares, shares[::-1].copy()), ("Poisson", {}, scores, scores[::-1].copy()),
    ("LogCosh", {}, hot, logits), ("Huber", {}, hot, 3 * logits), ("Huber", {"delta": 0.5}, hot, logits),
    ("CosineSimilarity", {}, hot, logits),
]  # fmt: skip
for name, options, t, p in LOSSES:
    for reduction in ("sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", None):
        for w in (None, weights, weights[:, None]):
            made = [evaluated(k, getattr(k.losses, name)(reduction=reduction, **options)(
                K.constant(t) if k is ours else t, K.constant(p) if k is ours else p, sample_weight=w))
                for k in (ours, theirs)]  # fmt: skip
            assert made[0].shape == made[1].shape, (name, reduction, made)
            np.testing.assert_allclose(*made, rtol=1e-4, atol=1e-5, err_msg=f"{name} {options} {reduction} {w}")

# Weights of steps, and of samples that have steps.
steps, kept = draw(3, 6, 5), draws.randint(0, 5, (3, 6)).astype(np.int32)
for reduction in ("sum_over_batch_size", "sum", "mean_with_sample_weight", None):
    for w in (None, np.array([[1], [0.5], [2]], np.float32), np.abs(draw(3, 6)), np.zeros((3, 6), np.float32),
              np.abs(draw(3, 6, 1))):  # fmt: skip
        for options in ({}, {"ignore_class": int(kept[0, 0])}):
            made = [evaluated(k, k.losses.SparseCategoricalCrossentropy(
                from_logits=True, reduction=reduction, **options)(K.constant(kept) if k is ours else kept,
                    K.constant(steps) if k is ours else steps, sample_weight=w)) for k in (ours, theirs)]  # fmt: skip
            assert made[0].shape == made[1].shape, (reduction, options, made)
            np.testing.assert_allclose(*made, rtol=1e-4, atol=1e-5, err_msg=f"steps {options} {reduction} {w}")

METRICS: List[Any] = [
    ("BinaryAccuracy", {}, bits, probabilities), ("BinaryAccuracy", {"threshold": 0.7}, bits, probabilities),
    ("CategoricalAccuracy", {}, hot, shares), ("SparseCategoricalAccuracy", {}, labels[:, None], shares),
    ("TopKCategoricalAccuracy", {"k": 2}, hot, shares), ("MeanSquaredError", {}, hot, logits),
    ("RootMeanSquaredError", {}, hot, logits), ("Precision", {}, bits, probabilities),
    ("Recall", {}, bits, probabilities), ("Precision", {"thresholds": 0.3}, bits, probabilities),
    ("MeanAbsoluteError", {}, hot, logits), ("CosineSimilarity", {}, hot, logits),
]  # fmt: skip
for name, options, t, p in METRICS:
    for w in (None, weights):
        results = []
        for k in (ours, theirs):
            metric = getattr(k.metrics, name)(**options)
            for part in (slice(0, 2), slice(2, 6)):
                metric.update_state(t[part], p[part], sample_weight=None if w is None else w[part])
            results.append(float(metric.result()))
        np.testing.assert_allclose(*results, rtol=1e-5, err_msg=f"{name} {options} {w}")
for k in (ours, theirs):
    mean = k.metrics.Mean()
    mean.update_state([1.0, 2.0])
    mean.update_state(6.0)
    assert float(mean.result()) == 3.0


# Layers


def fitted(k: Any, model: Any, xs: Any, y: Any, epochs: int = 3, **options: Any) -> Any:
    history = model.fit(xs, y, batch_size=4, epochs=epochs, shuffle=False, verbose=0, **options)
    values = [v for name in sorted(history.history) for v in history.history[name] if name in ("loss", "val_loss")]
    return [*values, *model.get_weights(), model.predict(xs, verbose=0)]


def single(layer: Callable[[Any], Any], shape: Any) -> Callable[[Any], Any]:
    def build(k: Any) -> Any:
        inputs = k.Input(shape)
        model = k.Model(inputs, k.layers.Dense(1)(k.layers.Flatten()(layer(k)(inputs))))
        model.compile(k.optimizers.SGD(learning_rate=0.05), k.losses.MeanSquaredError())
        return model

    return build


images, targets = draw(8, 4, 4, 6), draw(8, 1)
for title, layer, shape, data in [
    ("groups", lambda k: k.layers.GroupNormalization(groups=3), (4, 4, 6), images),
    ("one group", lambda k: k.layers.GroupNormalization(groups=1, epsilon=1e-5), (4, 4, 6), images),
    ("channels", lambda k: k.layers.GroupNormalization(groups=-1), (4, 4, 6), images),
    ("layer norm", lambda k: k.layers.LayerNormalization(), (4, 4, 6), images),
    ("layer norm of two", lambda k: k.layers.LayerNormalization(axis=[2, 3], epsilon=1e-4), (4, 4, 6), images),
    ("rms norm", lambda k: k.layers.RMSNormalization(), (4, 4, 6), images),
    ("relu", lambda k: k.layers.ReLU(max_value=1.0, negative_slope=0.1, threshold=0.2), (4, 4, 6), images),
    ("rescaling", lambda k: k.layers.Rescaling(0.5, offset=-1.0), (4, 4, 6), images),
    ("gelu", lambda k: k.layers.Dense(5, activation="gelu"), (4, 4, 6), images),
    ("silu", lambda k: k.layers.Activation("silu"), (4, 4, 6), images),
    ("identity", lambda k: k.layers.Identity(), (4, 4, 6), images),
]:  # fmt: skip
    run_both(single(layer, shape), lambda k, m, data=data: fitted(k, m, data, targets), title, 1e-4)

queries, values = draw(8, 5, 6), draw(8, 7, 4)


def attention(**options: Any) -> Callable[[Any], Any]:
    call = {key: options.pop(key) for key in ("use_causal_mask",) if key in options}

    def build(k: Any) -> Any:
        q, v = k.Input((5, 6)), k.Input((7, 4))
        y = k.layers.MultiHeadAttention(num_heads=2, key_dim=3, **options)(q, v, **call)
        model = k.Model([q, v], k.layers.Dense(1)(k.layers.Flatten()(y)))
        model.compile(k.optimizers.SGD(learning_rate=0.05), "mse")
        return model

    return build


for title, options in [("attention", {}), ("no bias", {"use_bias": False}), ("values", {"value_dim": 5}),
                       ("outputs", {"output_shape": 9}), ("causal", {"use_causal_mask": True})]:  # fmt: skip
    run_both(attention(**options), lambda k, m: fitted(k, m, [queries, values], targets), title, 1e-4)

mask = draws.rand(8, 5, 5) > 0.4
mask[:, :, 0] = True


def masked(k: Any) -> Any:
    q, m = k.Input((5, 6)), k.Input((5, 5), dtype="bool")
    y = k.layers.MultiHeadAttention(num_heads=3, key_dim=2)(q, q, attention_mask=m)
    model = k.Model([q, m], k.layers.Dense(1)(k.layers.Flatten()(y)))
    model.compile(k.optimizers.SGD(learning_rate=0.05), "mse")
    return model


run_both(masked, lambda k, m: fitted(k, m, [queries, mask], targets), "masked attention", 1e-4)


def dropped(k: Any) -> Any:
    q = k.Input((5, 6))
    model = k.Model(q, k.layers.MultiHeadAttention(num_heads=2, key_dim=3, dropout=0.5)(q, q, use_causal_mask=True))
    model.compile("sgd", "mse")
    return model


run_both(dropped, lambda k, m: [m.predict(queries, verbose=0)], "dropout does not test", 1e-4)


# Optimizers, losses and metrics in a model

rows, classes = draw(12, 4), draws.randint(0, 3, 12).astype(np.int32)


def classifier(optimizer: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def build(k: Any) -> Any:
        inputs = k.Input((4,))
        model = k.Model(inputs, k.layers.Dense(3)(k.layers.Dense(5, activation="swish")(inputs)))
        model.compile(optimizer=optimizer(k), loss=k.losses.SparseCategoricalCrossentropy(from_logits=True),
                      metrics=["accuracy", k.metrics.SparseCategoricalAccuracy(name="own")])  # fmt: skip
        return model

    return build


for title, optimizer in [
    ("SGD", lambda k: k.optimizers.SGD(learning_rate=0.1, momentum=0.9, nesterov=True)),
    ("Adam", lambda k: k.optimizers.Adam(learning_rate=0.01)),
    ("AdamW", lambda k: k.optimizers.AdamW(learning_rate=0.01, weight_decay=0.1)),
    ("AdamW amsgrad", lambda k: k.optimizers.AdamW(0.02, amsgrad=True)),
    ("Lion", lambda k: k.optimizers.Lion(learning_rate=0.003)),
]:  # fmt: skip
    run_both(classifier(optimizer), lambda k, m: fitted(k, m, rows, classes, sample_weight=np.arange(12) / 6), title,
             1e-4)  # fmt: skip


def evaluations(k: Any, model: Any) -> Any:
    found = model.evaluate(rows, classes, batch_size=5, verbose=0)
    np.testing.assert_allclose(found[1], found[2], rtol=1e-6)
    return found


run_both(classifier(lambda k: "adamw"), evaluations, "metrics", 1e-5)

# A seed makes weights and batches repeat.
made_twice = []
for _ in range(2):
    K.clear_session()
    ours.utils.set_random_seed(7)
    model = classifier(lambda k: k.optimizers.Adam(learning_rate=0.01))(ours)
    history = model.fit(rows, classes, epochs=2, batch_size=5, verbose=0)
    made_twice.append([*history.history["loss"], *[w.sum() for w in model.get_weights()]])
assert made_twice[0] == made_twice[1]
