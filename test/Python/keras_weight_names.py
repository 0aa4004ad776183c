# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mypy: disable-error-code="arg-type, misc"
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X32: the weights of a layer are named in one scope, that of the call which builds it, as in Keras 2.1.6:
`dense_1/kernel:0` and `dense_1/bias:0`."""

from typing import Any, Callable, List

import numpy as np

from configurations import run_tests
from flywheel import keras
from flywheel.keras import backend as K
from flywheel.keras import layers as L


class Scaled(L.Layer):
    """A layer of a user, which has a layer of its own."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.inner = L.Dense(2)

    def build(self, input_shape: Any) -> None:
        self.scale = self.add_weight("scale", (input_shape[-1],), initializer="ones")
        self.shift = self.add_weight(name="shift", shape=(input_shape[-1],), initializer="zeros")
        self.inner.build(input_shape)
        super().build(input_shape)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return self.inner.call(inputs * self.scale + self.shift)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*input_shape[:-1], 2)


def names(*layers: Any) -> List[str]:
    return [w.name for layer in layers for w in layer.weights]


def both(scope: str, *parts: str) -> List[str]:
    return [f"{scope}/{part}:0" for part in parts or ("kernel", "bias")]


def sequential(*layers: Any) -> List[str]:
    keras.Sequential(list(layers))
    return names(*layers)


def test_layers() -> None:
    """Each kind of layer, unnamed and named."""
    norm = ("gamma", "beta", "moving_mean", "moving_variance")
    lstm = ("kernel", "recurrent_kernel", "bias")
    image, text = {"input_shape": (8, 8, 2)}, {"input_shape": (5, 3)}
    cases: List[Any] = [
        (lambda n: [L.Dense(4, input_shape=(3,), **n)], "dense_1", both("@")),
        (lambda n: [L.Conv2D(4, 3, **image, **n)], "conv2d_1", both("@")),
        (lambda n: [L.Conv1D(4, 3, **text, **n)], "conv1d_1", both("@")),
        (lambda n: [L.SeparableConv2D(4, 3, **image, **n)], "separable_conv2d_1",
         both("@", "depthwise_kernel", "pointwise_kernel", "bias")),
        (lambda n: [L.Conv2DTranspose(4, 3, **image, **n)], "conv2d_transpose_1", both("@")),
        (lambda n: [L.BatchNormalization(**image, **n)], "batch_normalization_1", both("@", *norm)),
        (lambda n: [L.PReLU(**image, **n)], "p_re_lu_1", both("@", "alpha")),
        (lambda n: [L.Embedding(4, 3, input_length=2, **n)], "embedding_1", both("@", "embeddings")),
        (lambda n: [L.LSTM(4, **text, **n)], "lstm_1", both("@", *lstm)),
        (lambda n: [L.GRU(4, **text, **n)], "gru_1", both("@", *lstm)),
        (lambda n: [L.SimpleRNN(4, stateful=True, batch_input_shape=(2, 5, 3), **n)], "simple_rnn_1", both("@", *lstm)),
        (lambda n: [L.TimeDistributed(L.Dense(4), **text, **n)], "time_distributed_1", both("@")),
        (lambda n: [L.Bidirectional(L.LSTM(4, name="own"), **text, **n)], "bidirectional_1",
         both("@/forward_own", *lstm) + both("@/backward_own", *lstm)),
        (lambda n: [Scaled(input_shape=(3,), **n)], "scaled_1", both("@", "scale", "shift")),
    ]  # fmt: skip
    for make, default, expected in cases:
        for given, scope in (({}, default), ({"name": "mine"}, "mine")):
            K.clear_session()
            layers = make(given)
            found = sequential(*layers)
            assert found == [text.replace("@", scope) for text in expected], (found, scope)
            inner = getattr(layers[0], "inner", None)
            if inner is not None:
                # It is built in the scope of the layer that has it.
                assert names(inner) == both(scope), names(inner)


def test_models() -> None:
    """Several layers, of one name, used again, in models in models and in a scope of the user's."""
    K.clear_session()
    assert sequential(L.Dense(4, input_shape=(3,)), L.Dense(2)) == both("dense_1") + both("dense_2")
    x = keras.Input((3,))
    shared = L.Dense(3)
    y = shared(shared(x))
    other = L.Dense(3)
    other(y)
    # The second call of a layer has a scope of its own, but no weights.
    assert names(shared, other) == both("dense_3") + both("dense_4")
    first, second = L.Dense(2, name="a"), L.Dense(2, name="a")
    first(x), second(x)
    assert names(first, second) == both("a") + both("a_1")
    inner = keras.Sequential([L.Dense(3, input_shape=(3,), name="inside")])
    outer = keras.Sequential([inner, L.Dense(1, name="outside")])
    assert [w.name for w in outer.weights] == both("inside") + both("outside")
    nested = keras.Model(x, L.Dense(1, name="last")(inner(x)))
    assert [w.name for w in nested.weights] == both("inside") + both("last")
    with K.name_scope("tower"):
        own = L.Dense(2, name="own")
        own(x)
    assert names(own) == both("tower/own")
    # Built by the user, outside of a call, it is in no scope.
    alone = L.Dense(2, name="alone")
    alone.build((None, 3))
    assert names(alone) == ["kernel:0", "bias:0"]


def test_values() -> None:
    """Names do not choose what is trained, saved and restored."""
    K.clear_session()
    make: Callable[[], Any] = lambda: keras.Sequential([L.Dense(4, input_shape=(3,)), L.BatchNormalization(), Scaled()])  # noqa: E731
    x, y = np.ones((4, 3), np.float32), np.zeros((4, 2), np.float32)
    one, two = make(), make()
    two.set_weights(one.get_weights())
    for model in (one, two):
        model.compile("adam", "mse")
        model.fit(x, y, epochs=2, verbose=0)
    for a, b in zip(one.get_weights(), two.get_weights()):
        np.testing.assert_array_equal(a, b)


if __name__ == "__main__":
    run_tests([test_layers, test_models, test_values])
