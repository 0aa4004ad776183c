# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Layers and functions that Keras 2.1 has besides (X2, X13): their shapes, configurations, and numbers by hand. Beside
Keras itself they are in keras_beside.py."""

from typing import Any, Callable

import numpy as np

from flywheel.keras import backend as K
from flywheel.keras import layers as L
from flywheel.keras import preprocessing
from flywheel.keras.models import Model

IMAGE, STEPS = (6, 8, 4), (9, 4)
LAYERS = [
    (L.Conv2DTranspose(3, 3, strides=(2, 1), padding="same"), IMAGE), (L.Conv2DTranspose(3, (2, 4), strides=3), IMAGE),
    (L.SeparableConv2D(5, 3, depth_multiplier=2, pointwise_regularizer="l2"), IMAGE),
    (L.DepthwiseConv2D((3, 2), strides=2, padding="same", depth_multiplier=3, activation="relu"), IMAGE),
    (L.UpSampling2D((2, 3)), IMAGE), (L.Cropping2D(((1, 2), (0, 3))), IMAGE), (L.PReLU(shared_axes=[1, 2]), IMAGE),
    (L.PReLU(), STEPS), (L.ELU(0.5), STEPS), (L.ThresholdedReLU(0.3), STEPS), (L.Softmax(1), STEPS),
    (L.UpSampling1D(3), STEPS), (L.ZeroPadding1D((2, 1)), STEPS), (L.Cropping1D((0, 2)), STEPS),
    (L.GaussianNoise(0.5), STEPS), (L.GaussianDropout(0.3), STEPS), (L.AlphaDropout(0.3), STEPS),
    (L.SpatialDropout1D(0.4), STEPS), (L.SpatialDropout2D(0.4), IMAGE), (L.ActivityRegularization(0.1, 0.2), STEPS),
]  # fmt: skip


def raises(kind: Any, words: str, thunk: Callable[[], Any]) -> None:
    try:
        thunk()
    except kind as error:
        assert words in str(error), error
        return
    raise AssertionError(f"no {kind.__name__}")


def test_shapes_and_configurations() -> None:
    """A layer says the shape that it makes, and what is made of its configuration is the same layer."""
    for layer, shape in LAYERS:
        x = np.random.default_rng(0).normal(size=(3, *shape)).astype(np.float32)
        given = L.Input(shape)
        model = Model(given, layer(given))
        y = model.predict(x)
        assert y.shape[1:] == tuple(layer.compute_output_shape((None, *shape)))[1:], (layer.name, y.shape)
        other = L.deserialize(L.serialize(layer))
        assert type(other) is type(layer) and other.get_config() == layer.get_config(), layer.name
        again = L.Input(shape)
        twin = Model(again, other(again))
        twin.set_weights(model.get_weights())
        np.testing.assert_allclose(twin.predict(x), y, rtol=1e-6, err_msg=layer.name)


def test_numbers() -> None:
    x = np.arange(1.0, 5.0, dtype=np.float32).reshape(1, 2, 2, 1)
    given = L.Input((2, 2, 1))
    model = Model(given, [L.UpSampling2D()(given), L.ThresholdedReLU(2.0)(given)])
    large, kept = model.predict(x)
    np.testing.assert_array_equal(large[0, :, :, 0], [[1, 1, 2, 2], [1, 1, 2, 2], [3, 3, 4, 4], [3, 3, 4, 4]])
    np.testing.assert_array_equal(kept.reshape(-1), [0, 0, 3, 4])
    transposed = L.Conv2DTranspose(1, 2, strides=2, use_bias=False, kernel_initializer="ones")
    model = Model(given, transposed(given))
    np.testing.assert_array_equal(model.predict(x), large)
    # Of two vectors, and of all rows of two matrices.
    a, b = L.Input((3,)), L.Input((2, 3))
    model = Model([a, b], [L.dot([a, a], axes=1), L.Dot((2, 1))([b, a])])
    u, v = np.array([[1.0, 2, 3]]), np.array([[[1.0, 0, 1], [0, 2, 0]]])
    square, rows = model.predict([u, v])
    np.testing.assert_array_equal(square, [[14]])
    np.testing.assert_array_equal(rows, [[4, 4]])
    raises(ValueError, "that of the batch", lambda: L.dot([a, a], axes=0))


def test_noise() -> None:
    """Only while training, with the mean and the deviation that a layer says; whole channels where it says so."""
    x = np.full((200, 50, 4), 2.0, np.float32)
    for layer, mean, deviation in (
        (L.GaussianNoise(0.5), 2.0, 0.5), (L.GaussianDropout(0.2), 2.0, 1.0), (L.SpatialDropout1D(0.25), 2.0, None),
    ):  # fmt: skip
        given = L.Input((50, 4))
        run = K.function([given, K.learning_phase()], [layer(given)])
        np.testing.assert_array_equal(run([x, 0])[0], x)
        drawn = run([x, 1])[0]
        assert abs(drawn.mean() - mean) < 0.15, (layer.name, drawn.mean())
        if deviation is not None:
            assert abs(drawn.std() - deviation) < 0.03, (layer.name, drawn.std())
        else:
            assert np.all(drawn == drawn[:, :1]) and set(np.unique(drawn)) == {0.0, np.float32(2.0 / 0.75)}
    normal = np.random.default_rng(0).normal(size=(400, 100)).astype(np.float32)
    given = L.Input((100,))
    run = K.function([given, K.learning_phase()], [L.AlphaDropout(0.3)(given)])
    found = run([normal, 1])[0]
    assert abs(found.mean()) < 0.02 and abs(found.std() - 1) < 0.02, (found.mean(), found.std())


def test_penalty() -> None:
    given = L.Input((3,))
    model = Model(given, L.ActivityRegularization(l1=0.5, l2=0.25)(given))
    model.compile("sgd", "mse")
    x = np.array([[1.0, -2, 3], [0, 1, 0]])
    np.testing.assert_allclose(model.evaluate(x, x, verbose=0), 0.5 * 7 + 0.25 * 15, rtol=1e-6)


def test_sequences() -> None:
    pad = preprocessing.sequence.pad_sequences
    np.testing.assert_array_equal(pad([[1, 2, 3], [4], []]), [[1, 2, 3], [0, 0, 4], [0, 0, 0]])
    np.testing.assert_array_equal(pad([[1, 2, 3], [4]], maxlen=2), [[2, 3], [0, 4]])
    np.testing.assert_array_equal(pad([[1, 2, 3], [4]], 2, padding="post", truncating="post", value=9),
                                  [[1, 2], [4, 9]])  # fmt: skip
    assert pad([[1.5]], dtype="float32").dtype == np.float32
    raises(ValueError, "'pre' or 'post'", lambda: pad([[1]], padding="left"))


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
