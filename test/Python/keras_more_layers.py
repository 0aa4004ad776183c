# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Layers and functions that Keras 2.1 has besides (X2, X13): their shapes, configurations, and numbers by hand. Beside
Keras itself they are in keras_beside.py."""

from typing import Any

import numpy as np

from configurations import raises
from flywheel.keras import backend as K
from flywheel.keras import callbacks, initializers, preprocessing
from flywheel.keras import layers as L
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
    # The products of two vectors, and of all rows of two matrices.
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


def test_volumes() -> None:
    """Beside loops of NumPy."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(2, 5, 4, 3, 2)).astype(np.float32)
    given = L.Input((5, 4, 3, 2))
    layer = L.Conv3D(3, (2, 3, 2), strides=(2, 1, 1), padding="same", dilation_rate=1)
    outputs = [layer(given), L.MaxPooling3D((2, 2, 1))(given), L.AveragePooling3D(2, padding="same")(given),
               L.GlobalMaxPooling3D()(given), L.GlobalAveragePooling3D()(given),
               L.UpSampling3D((1, 2, 1))(given), L.ZeroPadding3D((1, (0, 2), 0))(given)]  # fmt: skip
    model = Model(given, outputs)
    found = model.predict(x)
    kernel, bias = layer.get_weights()
    assert kernel.shape == (2, 3, 2, 2, 3) and K.int_shape(outputs[0]) == (None, 3, 4, 3, 3)
    wide = np.pad(x, [(0, 0), (0, 1), (1, 1), (0, 1), (0, 0)])
    for place in np.ndindex(3, 4, 3):
        a, b, c = (i * s for i, s in zip(place, (2, 1, 1)))
        wanted = np.tensordot(wide[:, a : a + 2, b : b + 3, c : c + 2], kernel, 4) + bias
        np.testing.assert_allclose(found[0][:, place[0], place[1], place[2]], wanted, rtol=1e-4, atol=1e-5)
    for place in np.ndindex(2, 2, 3):
        a, b, c = (i * s for i, s in zip(place, (2, 2, 1)))
        np.testing.assert_array_equal(found[1][:, place[0], place[1], place[2]],
                                      x[:, a : a + 2, b : b + 2, c : c + 1].max((1, 2, 3)))  # fmt: skip
    for place in np.ndindex(3, 2, 2):
        a, b, c = (2 * i for i in place)
        wanted = x[:, a : a + 2, b : b + 2, c : c + 2].mean((1, 2, 3))
        np.testing.assert_allclose(found[2][:, place[0], place[1], place[2]], wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(found[3], x.max((1, 2, 3)))
    np.testing.assert_allclose(found[4], x.mean((1, 2, 3)), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(found[5], x.repeat(2, 2))
    np.testing.assert_array_equal(found[6], np.pad(x, [(0, 0), (1, 1), (0, 2), (0, 0), (0, 0)]))
    trained = Model(given, L.Dense(1)(L.Flatten()(L.Conv3D(2, 2, activation="relu")(given))))
    trained.compile("sgd", "mse")
    losses = [trained.train_on_batch(x, np.ones((2, 1))) for _ in range(20)]
    assert losses[-1] < 0.1 * losses[0], losses


def test_dropout_of_recurrent_layers() -> None:
    """Masks are those of a batch: each gate's, the same in all steps; none in tests."""
    x = np.ones((64, 6, 3), np.float32)
    for kind in (L.SimpleRNN, L.LSTM, L.GRU):
        given = L.Input((None, 3))
        plain = kind(5, return_sequences=True)
        dropping = kind(5, return_sequences=True, dropout=0.4, recurrent_dropout=0.3)
        outputs = [plain(given), dropping(given)]
        dropping.set_weights(plain.get_weights())
        run = K.function([given, K.learning_phase()], outputs)
        same, dropped = run([x, 0])
        np.testing.assert_allclose(dropped, same, rtol=1e-5, atol=1e-6)
        _, first = run([x, 1])
        _, second = run([x, 1])
        assert not np.allclose(first, same, atol=1e-3) and not np.allclose(first, second, atol=1e-3)
        # With inputs alone, and nothing from step to step: the elements that an example drops are the same in all
        # steps.
        alone = kind(5, return_sequences=True, dropout=0.4, recurrent_initializer="zeros", activation="linear")
        run = K.function([given, K.learning_phase()], [alone(given)])
        if kind is L.SimpleRNN:
            (steps,) = run([x, 1])
            np.testing.assert_allclose(steps, np.broadcast_to(steps[:, :1], steps.shape), rtol=1e-5, atol=1e-6)
            kernel = alone.get_weights()[0]
            for row in steps[:, 0]:
                options = [np.array(m) / 0.6 @ kernel for m in np.ndindex(2, 2, 2)]
                assert min(np.abs(row - option).max() for option in options) < 1e-5
        model = Model(given, L.Dense(1)(kind(5, dropout=0.2, recurrent_dropout=0.2)(given)))
        model.compile("sgd", "mse")
        losses = [model.train_on_batch(x, np.full((64, 1), 3.0)) for _ in range(60)]
        # One batch varies by what it drops.
        assert np.mean(losses[-20:]) < 0.5 * np.mean(losses[:2]), (kind, losses)
    raises(ValueError, "must be in [0, 1)", lambda: L.LSTM(3, dropout=1.0))


class Minimal(L.Layer):
    """The cell of the guide of Keras."""

    def __init__(self, units: int, **kwargs: Any) -> None:
        self.units = self.state_size = units
        super().__init__(**kwargs)

    def build(self, input_shape: Any) -> None:
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), initializer="uniform", name="kernel")
        self.recurrent_kernel = self.add_weight(shape=(self.units, self.units), initializer="uniform",
                                                name="recurrent_kernel")  # fmt: skip
        self.built = True

    def call(self, inputs: Any, states: Any = (), **kwargs: Any) -> Any:
        output = K.dot(inputs, self.kernel) + K.dot(states[0], self.recurrent_kernel)
        return output, [output]

    def get_config(self) -> Any:
        return {**super().get_config(), "units": self.units}


def test_cells() -> None:
    """Cells of a program over time, beside loops of NumPy: masked, backwards, on top of each other, trained."""
    x = np.random.default_rng(2).normal(size=(3, 5, 2)).astype(np.float32)
    x[1, 3:] = 0
    given = L.Input((None, 2))
    forward, back = L.RNN(Minimal(4), return_sequences=True, return_state=True), L.RNN(Minimal(4), go_backwards=True)
    masked, stack = L.RNN(Minimal(4)), L.RNN([Minimal(3), Minimal(2)])
    model = Model(given, [*forward(given), back(given), masked(L.Masking()(given)), stack(given)])
    sequence, state, last, kept, top = model.predict(x)

    def walk(weights: Any, steps: Any, counts: Any = None) -> Any:
        h = np.zeros((len(steps), len(weights[1])))
        outputs = []
        for t in range(steps.shape[1]):
            new = steps[:, t] @ weights[0] + h @ weights[1]
            h = new if counts is None else np.where(counts[:, t, None], new, h)
            outputs.append(h)
        return np.stack(outputs, 1)

    wanted = walk(forward.get_weights(), x)
    np.testing.assert_allclose(sequence, wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(state, wanted[:, -1], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(last, walk(back.get_weights(), x[:, ::-1])[:, -1], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(kept, walk(masked.get_weights(), x, x.any(-1))[:, -1], rtol=1e-4, atol=1e-5)
    first = walk(stack.get_weights()[:2], x)
    np.testing.assert_allclose(top, walk(stack.get_weights()[2:], first)[:, -1], rtol=1e-4, atol=1e-5)
    again = Model.from_config(model.get_config(), custom_objects={"Minimal": Minimal})
    again.set_weights(model.get_weights())
    np.testing.assert_array_equal(again.predict(x)[3], kept)
    trained = Model(given, L.Dense(1)(L.RNN([Minimal(8), Minimal(4)])(given)))
    trained.compile("sgd", "mse")
    losses = [trained.train_on_batch(x, np.ones((3, 1))) for _ in range(100)]
    assert losses[-1] < 0.2 * losses[0], losses[::20]
    raises(ValueError, "state_size", lambda: L.RNN(L.Dense(3)))


def test_functions_of_slices() -> None:
    x = K.variable(np.arange(6.0).reshape(3, 2))
    np.testing.assert_array_equal(K.eval(K.map_fn(lambda row: K.sum(row) * row, x)), [[0, 1], [10, 15], [36, 45]])
    np.testing.assert_array_equal(K.eval(K.foldl(lambda a, row: a * 2 + row, x)), [8, 15])
    np.testing.assert_array_equal(K.eval(K.foldr(lambda a, row: a * 2 + row, x)), [20, 27])


def test_ranks_of_merged() -> None:
    """Dimensions of an input that has fewer come after the batch, also where another one would fit."""
    rows, cube = np.arange(12.0).reshape(4, 3), np.arange(48.0).reshape(4, 4, 3)
    inputs = [L.Input((3,)), L.Input((4, 3))]
    for kind, function in ((L.Multiply, np.multiply), (L.Add, np.add), (L.Maximum, np.maximum)):
        layer = kind()
        found = Model(inputs, layer(inputs)).predict([rows, cube])
        np.testing.assert_array_equal(found, function(rows[:, None], cube))
        assert layer.compute_output_shape([(None, 3), (None, 4, 3)]) == (None, 4, 3)
    raises(ValueError, "could not be broadcast", lambda: L.Add().compute_output_shape([(None, 3), (None, 4)]))


def test_arguments_of_bidirectional() -> None:
    x = np.zeros((2, 3, 4), np.float32)
    given, states = L.Input((3, 4)), [L.Input((5,)), L.Input((5,))]
    layer = L.Bidirectional(L.SimpleRNN(5))
    starts = [np.ones((2, 5), np.float32), np.full((2, 5), -0.5, np.float32)]
    found = Model([given, *states], layer(given, initial_state=states)).predict([x, *starts])
    weights = layer.get_weights()
    expected = []
    for start, recurrent in zip(starts, (weights[1], weights[4])):
        for _ in range(3):
            start = np.tanh(start @ recurrent)
        expected.append(start)
    np.testing.assert_allclose(found, np.concatenate(expected, 1), rtol=1e-4, atol=1e-6)
    raises(ValueError, "an even number", lambda: L.Bidirectional(L.SimpleRNN(5))(given, initial_state=states[:1]))
    dropping = L.Bidirectional(L.LSTM(5, dropout=0.5))
    outputs = [dropping(given, training=True), dropping(given, training=False)]
    dropped, kept = K.function([given], outputs)([np.ones((2, 3, 4), np.float32)])
    assert not np.allclose(dropped, kept, atol=1e-4)


def test_channels_first() -> None:
    x = np.random.default_rng(1).normal(size=(2, 3, 4, 5)).astype(np.float32)
    bias = np.array([1.0, 2, 3], np.float32)
    found = K.eval(K.bias_add(K.constant(x), K.constant(bias), "channels_first"))
    np.testing.assert_allclose(found, x + bias[:, None, None], rtol=1e-6)
    raises(ValueError, "`data_format` argument must be one of",
           lambda: K.bias_add(K.constant(x), K.constant(bias), "first"))  # fmt: skip
    given = L.Input((64, 4, 5))
    y = K.function([given], [L.SpatialDropout2D(0.5, data_format="channels_first")(given, training=True)])(
        [np.ones((2, 64, 4, 5), np.float32)])[0]  # fmt: skip
    assert (y == y[:, :, :1, :1]).all() and 0 < (y == 0).mean() < 1
    raises(ValueError, "`data_format` argument must be one of", lambda: L.SpatialDropout2D(0.5, data_format="first"))


def test_choices_and_draws() -> None:
    flag = K.placeholder(())
    chosen = K.function([flag], [K.switch(K.greater(flag, 0.0), lambda: K.constant([1.0]), lambda: K.constant([2.0]))])
    assert [float(chosen([np.float32(v)])[0][0]) for v in (1, -1)] == [1, 2]
    rows = K.switch(K.constant([1.0, 0.0]), K.constant(np.ones((2, 3))), K.constant(np.zeros((2, 3))))
    np.testing.assert_array_equal(K.eval(rows), [[1, 1, 1], [0, 0, 0]])
    raises(ValueError, "Invalid `distribution`", lambda: initializers.VarianceScaling(distribution="foo"))
    raises(ValueError, "Invalid `mode`", lambda: initializers.VarianceScaling(mode="foo"))
    raises(ValueError, "positive", lambda: initializers.VarianceScaling(scale=0.0))
    board: Any = callbacks.TensorBoard
    raises(TypeError, "nonsense", lambda: board(nonsense=3))
    raises(TypeError, "unexpected keyword argument 'foo'", lambda: L.Dense(3)(L.Input((2,)), foo=1))


def test_weights_and_metrics_of_outputs() -> None:
    given = L.Input((2,))
    model = Model(given, [L.Dense(1, name="a")(given), L.Dense(1, name="b")(given)])
    model.compile("sgd", "mse", metrics={"a": [lambda t, p: K.mean(p), lambda t, p: K.mean(t)]})
    x, y = np.ones((4, 2)), np.array([0.0, 0, 1, 1])
    found = model.evaluate(x, [y, y], verbose=0)
    assert len(found) == len(model.metrics_names) == 5 and found[-1] == 0.5 != found[-2]
    a, b = (np.square(p[:, 0] - y) for p in model.predict(x))
    by_name = model.train_on_batch(x, [y, y], class_weight={"a": {0: 2.0, 1: 0.5}, "b": {0: 0.0, 1: 3.0}})
    weights = np.array([2, 2, 0.5, 0.5]), np.array([0, 0, 3.0, 3.0])
    np.testing.assert_allclose(by_name[1:3], [np.mean(a * weights[0]), np.sum(b * weights[1]) / 2], rtol=1e-5)
    raises(ValueError, "an output 'c'", lambda: model.train_on_batch(x, [y, y], class_weight={"c": {0: 1.0, 1: 1.0}}))
    raises(ValueError, "steps_per_epoch", lambda: model.fit(x, [y, y], steps_per_epoch=2, verbose=0))
    batches = iter([(x, [y, y])])
    raises(ValueError, "validation_split", lambda: model.fit(batches, steps_per_epoch=1, validation_split=0.5))


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
