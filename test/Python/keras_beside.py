# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Programs as people wrote them for Keras, once with `flywheel.keras` and once with Keras 2 on TensorFlow, whose
results are recorded ones where it is not installed: what they return is the same (R5, R8, M2, M5, O1 to O10). Left out
is where Keras 2.1, which is followed here, differs from later versions: the averages of batch norms, `hard_sigmoid` in
recurrent layers, the root of RMSprop."""

# mypy: disable-error-code="no-untyped-call"

import importlib
import tempfile
import warnings
from typing import Any, Callable, List

import numpy as np

import flywheel.keras
from flywheel.keras import backend
from recordings import Recordings, compare

Program = Callable[[Any], Any]
PROGRAMS: List[Program] = []
RECORDINGS = Recordings("keras_beside", "tf_keras")


def program(function: Program) -> Program:
    PROGRAMS.append(function)
    return function


def draw(*shape: int) -> Any:
    return np.random.RandomState(sum(shape) + 3).randn(*shape).astype(np.float32)


def layers_of(model: Any) -> List[Any]:
    """The layers of a model, and of models in it, in the order in which `get_weights` has them."""
    return [one for layer in model.layers for one in (layers_of(layer) if hasattr(layer, "layers") else [layer])]


def set_weights(model: Any) -> None:
    """The same numbers for both; variances are positive."""
    made = []
    ordered = [weight for layer in layers_of(model) for weight in layer.weights]
    for i, (weight, array) in enumerate(zip(ordered, model.get_weights())):
        drawn = np.random.RandomState(i + array.size).randn(*array.shape) * 0.3
        made.append((np.abs(drawn) + 0.5 if "var" in weight.name else drawn).astype(np.float32))
    model.set_weights(made)


def leaves(tree: Any) -> List[Any]:
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in leaves(tree[key])]
    return [leaf for one in tree for leaf in leaves(one)] if isinstance(tree, (list, tuple)) else [tree]


def _of_keras(function: Program) -> List[Any]:
    other: Any = importlib.import_module("tf_keras")
    other.backend.clear_session()
    # Some shapes are of a class of TensorFlow's.
    return [one if isinstance(one, str) else np.asarray(one, float) for one in leaves(function(other))]


def check(function: Program) -> None:
    backend.clear_session()
    found = leaves(function(flywheel.keras))
    wanted = RECORDINGS.expect(function.__name__, lambda: _of_keras(function))
    assert len(found) == len(wanted), (function.__name__, len(found), len(wanted))
    for place, (own, other) in enumerate(zip(found, wanted)):
        own = own if isinstance(own, str) else np.asarray(own, float)
        compare(own, other, f"{function.__name__}, result {place}", rtol=2e-3, atol=2e-4)


@program
def mlp_fit(keras: Any) -> Any:
    L = keras.layers
    m = keras.models.Sequential(
        [
            L.Dense(16, activation="relu", input_shape=(10,)),
            L.Dense(8, activation="tanh", kernel_regularizer=keras.regularizers.l2(0.01)),
            L.Dense(3, activation="softmax"),
        ]
    )
    m.compile(optimizer=keras.optimizers.SGD(0.1, momentum=0.9), loss="categorical_crossentropy", metrics=["accuracy"])
    set_weights(m)
    y = np.eye(3)[np.arange(50) % 3].astype(np.float32)
    h = m.fit(draw(50, 10), y, batch_size=8, epochs=3, shuffle=False, validation_split=0.2, verbose=0)
    r = {k.replace("accuracy", "acc"): v for k, v in h.history.items()}
    return [
        r,
        m.evaluate(draw(20, 10), y[:20], verbose=0),
        m.predict(draw(7, 10), verbose=0),
        m.get_weights(),
        m.count_params(),
    ]


@program
def weights_fit(keras: Any) -> Any:
    L = keras.layers
    m = keras.models.Sequential([L.Dense(4, activation="sigmoid", input_dim=6), L.Dense(1, activation="sigmoid")])
    m.compile("adam", "binary_crossentropy", metrics=["acc"])
    set_weights(m)
    y = (draw(40) > 0).astype(np.float32)
    h1 = m.fit(draw(40, 6), y, batch_size=10, epochs=2, shuffle=False, class_weight={0: 1.0, 1: 3.0}, verbose=0).history
    h2 = m.fit(
        draw(40, 6), y, batch_size=16, epochs=2, shuffle=False, sample_weight=np.abs(draw(40)), verbose=0
    ).history
    return [
        h1["loss"],
        h2["loss"],
        m.get_weights(),
        m.train_on_batch(draw(10, 6), y[:10]),
        m.test_on_batch(draw(10, 6), y[:10]),
        m.predict_on_batch(draw(3, 6)),
    ]


@program
def functional(keras: Any) -> Any:
    L = keras.layers
    a = L.Input((5,))
    b = L.Input((3,))
    x = L.Dense(4, activation="relu")(a)
    y = L.Dense(4)(b)
    z = L.concatenate([x, y])
    z = L.add([L.Dense(4)(z), x])
    o1 = L.Dense(2, name="o1")(z)
    o2 = L.Dense(1, activation="sigmoid", name="o2")(z)
    m = keras.models.Model([a, b], [o1, o2])
    m.compile("adam", loss={"o1": "mse", "o2": "binary_crossentropy"}, loss_weights={"o1": 1.0, "o2": 0.5})
    set_weights(m)
    h = m.fit(
        [draw(20, 5), draw(20, 3)],
        [draw(20, 2), (draw(20, 1) > 0).astype(np.float32)],
        batch_size=6,
        epochs=2,
        shuffle=False,
        verbose=0,
    ).history
    return [h["loss"], h["o1_loss"], h["o2_loss"], m.predict([draw(2, 5), draw(2, 3)], verbose=0), m.get_weights()]


@program
def cnn(keras: Any) -> Any:
    L = keras.layers
    m = keras.models.Sequential()
    m.add(L.Conv2D(4, (3, 3), activation="relu", input_shape=(12, 12, 2)))
    m.add(L.MaxPooling2D((2, 2)))
    m.add(L.Conv2D(6, 3, padding="same", strides=2))
    m.add(L.BatchNormalization())
    m.add(L.Activation("relu"))
    m.add(L.Dropout(0.0))
    m.add(L.Flatten())
    m.add(L.Dense(5, activation="softmax"))
    m.compile(loss="sparse_categorical_crossentropy", optimizer=keras.optimizers.Adam(0.01))
    set_weights(m)
    h = m.fit(draw(16, 12, 12, 2), np.arange(16) % 5, batch_size=8, epochs=3, shuffle=False, verbose=0).history
    return [h["loss"], [w.shape for w in m.get_weights()]]


@program
def rnn(keras: Any) -> Any:
    L = keras.layers
    m = keras.models.Sequential(
        [
            L.Embedding(20, 6, mask_zero=True, input_length=7),
            L.LSTM(5, return_sequences=True, recurrent_activation="sigmoid"),
            L.GRU(4, reset_after=False, recurrent_activation="sigmoid")
            if keras is not flywheel.keras
            else L.GRU(4, recurrent_activation="sigmoid"),
            L.Dense(1),
        ]
    )
    m.compile("sgd", "mse")
    set_weights(m)
    x = np.random.RandomState(0).randint(1, 20, (9, 7))
    x[2, 4:] = 0
    x[5, 1:] = 0
    h = m.fit(x, draw(9, 1), batch_size=4, epochs=2, shuffle=False, verbose=0).history
    return [h["loss"], m.predict(x, verbose=0), m.get_weights()]


@program
def callbacks(keras: Any) -> Any:
    L = keras.layers
    m = keras.models.Sequential([L.Dense(3, input_shape=(4,)), L.Dense(1)])
    m.compile(keras.optimizers.SGD(0.05), "mse")
    set_weights(m)
    seen: Any = []

    class Recorder(keras.callbacks.Callback):  # type: ignore[misc]
        def on_train_begin(self, logs: Any = None) -> None:
            seen.append("b")

        def on_epoch_end(self, e: Any, logs: Any = None) -> None:
            seen.append((e, float(logs["loss"]), float(logs["val_loss"])))

        def on_batch_end(self, b: Any, logs: Any = None) -> None:
            seen.append(b)

    d = tempfile.mkdtemp()
    h = m.fit(
        draw(12, 4),
        draw(12, 1),
        batch_size=5,
        epochs=6,
        shuffle=False,
        validation_data=(draw(6, 4), draw(6, 1)),
        verbose=0,
        callbacks=[
            Recorder(),
            keras.callbacks.EarlyStopping("val_loss", patience=1),
            keras.callbacks.CSVLogger(d + "/l.csv"),
            keras.callbacks.LearningRateScheduler(lambda e: 0.05 * 0.5**e),
            keras.callbacks.ReduceLROnPlateau(patience=1),
        ],
    )
    return [
        seen,
        h.history["loss"],
        len(open(d + "/l.csv").read().splitlines()),
        float(keras.backend.get_value(m.optimizer.lr)),
    ]


@program
def custom(keras: Any) -> Any:
    B = keras.backend
    L = keras.layers

    class Scale(L.Layer):  # type: ignore[misc, name-defined]
        def __init__(self, k: float = 2.0, **kw: Any) -> None:
            super(Scale, self).__init__(**kw)
            self.k = k

        def build(self, s: Any) -> None:
            self.w = self.add_weight(name="w", shape=(int(s[-1]),), initializer="ones", trainable=True)
            super(Scale, self).build(s)

        def call(self, x: Any) -> Any:
            return x * self.w * self.k

        def compute_output_shape(self, s: Any) -> Any:
            return s

    def loss(t: Any, p: Any) -> Any:
        return B.mean(B.square(t - p) * B.abs(t), axis=-1)

    def met(t: Any, p: Any) -> Any:
        return B.mean(B.abs(t - p))

    m = keras.models.Sequential([L.Dense(3, input_shape=(4,)), Scale(1.5), L.Lambda(lambda x: x + 1.0)])
    m.compile(keras.optimizers.Adam(0.05), loss=loss, metrics=[met])
    set_weights(m)

    def gen() -> Any:
        i = 0
        while True:
            i += 1
            yield draw(5, 4) * i, draw(5, 3)

    h = (m.fit_generator if hasattr(m, "fit_generator") and keras is flywheel.keras else m.fit)(
        gen(), steps_per_epoch=3, epochs=2, verbose=0
    )
    return [h.history["loss"], h.history["met"], m.get_weights(), m.layers[1].trainable_weights[0].shape[0]]


@program
def freeze(keras: Any) -> Any:
    L = keras.layers
    m = keras.models.Sequential([L.Dense(3, input_shape=(4,), name="a"), L.Dense(2, name="b")])
    m.get_layer("a").trainable = False
    m.compile("sgd", "mse")
    set_weights(m)
    w = m.get_weights()[0].copy()
    m.fit(draw(8, 4), draw(8, 2), epochs=1, batch_size=4, shuffle=False, verbose=0)
    return [
        np.abs(w - m.get_weights()[0]).max(),
        m.get_weights(),
        len(m.trainable_weights),
        len(m.non_trainable_weights),
    ]


@program
def opts(keras: Any) -> Any:
    out = []
    L = keras.layers
    for o in (
        keras.optimizers.SGD(0.1, nesterov=True, momentum=0.5),
        keras.optimizers.Adagrad(0.1)
        if keras is flywheel.keras
        else keras.optimizers.legacy.Adagrad(0.1, initial_accumulator_value=0.0),
        keras.optimizers.Adadelta(1.0),
        keras.optimizers.Adamax(0.02),
        keras.optimizers.Adam(0.02, clipnorm=0.5)
        if keras is flywheel.keras
        else keras.optimizers.Adam(0.02, global_clipnorm=0.5),
        keras.optimizers.SGD(0.1, clipvalue=0.05),
    ):
        m = keras.models.Sequential([L.Dense(3, input_shape=(4,))])
        m.compile(o, "mse")
        set_weights(m)
        for i in range(3):
            m.train_on_batch(draw(6, 4), draw(6, 3))
        out.append(m.get_weights())
    return out


@program
def images(keras: Any) -> Any:
    L = keras.layers
    i = L.Input((8, 8, 3))
    x = L.Conv2DTranspose(4, 3, strides=2, padding="same", activation="relu")(i)
    x = L.SeparableConv2D(6, 3, padding="same", depth_multiplier=2)(x)
    x = L.DepthwiseConv2D(3, strides=2)(x)
    x = L.UpSampling2D((2, 3))(x)
    x = L.Cropping2D(((1, 2), (0, 1)))(x)
    x = L.PReLU(shared_axes=[1, 2], alpha_initializer="ones")(x)
    x = L.ELU(0.7)(x)
    x = L.Conv2DTranspose(2, (2, 3), strides=(1, 2))(x)
    x = L.ThresholdedReLU(0.1)(x)
    x = L.SpatialDropout2D(0.0)(x)
    x = L.GlobalAveragePooling2D()(x)
    x = L.Softmax()(x)
    m = keras.models.Model(i, x)
    m.compile("sgd", "mse")
    set_weights(m)
    h = m.fit(draw(6, 8, 8, 3), draw(6, 2), batch_size=3, epochs=2, shuffle=False, verbose=0).history
    return [h["loss"], m.predict(draw(2, 8, 8, 3), verbose=0), [w.shape for w in m.get_weights()]]


@program
def sequences(keras: Any) -> Any:
    L = keras.layers
    i = L.Input((9, 4))
    x = L.ZeroPadding1D((1, 2))(i)
    x = L.Conv1D(5, 3, padding="causal", dilation_rate=2)(x)
    x = L.UpSampling1D(2)(x)
    x = L.Cropping1D((2, 1))(x)
    x = L.ActivityRegularization()(x)
    y = L.TimeDistributed(L.Dense(3))(x)
    z = L.Bidirectional(L.LSTM(2, recurrent_activation="sigmoid"))(y)
    g = L.GlobalMaxPooling1D()(y)
    o = L.Dense(2)(L.concatenate([z, g]))
    m = keras.models.Model(i, o)
    m.compile("sgd", "mae")
    set_weights(m)
    h = m.fit(draw(5, 9, 4), draw(5, 2), batch_size=5, epochs=2, shuffle=False, verbose=0).history
    return [h["loss"], m.predict(draw(2, 9, 4), verbose=0)]


@program
def dots(keras: Any) -> Any:
    L = keras.layers
    a = L.Input((4,))
    b = L.Input((4,))
    c = L.Input((3, 4))
    d = L.Input((5, 4))
    m = keras.models.Model(
        [a, b, c, d],
        [
            L.dot([a, b], axes=1),
            L.dot([a, b], 1, normalize=True),
            L.Dot(axes=2)([c, d]),
            L.Dot((2, 1))([c, a]),
            L.Dot((1, 2))([a, c]),
        ],
    )
    return m.predict([draw(2, 4), draw(2, 4) + 1, draw(2, 3, 4), draw(2, 5, 4)], verbose=0)


@program
def backend_functions(keras: Any) -> Any:
    B = keras.backend
    i = B.placeholder((None, 6, 6, 2))
    s = B.placeholder((None, 5, 3))
    t = B.placeholder((None, 5, 3))
    o = [
        B.conv2d(i, B.constant(draw(3, 3, 2, 4)), padding="same"),
        B.conv1d(s, B.constant(draw(2, 3, 4)), strides=2),
        B.pool2d(i, (2, 2), (2, 2), pool_mode="avg"),
        B.pool2d(i, (3, 3), padding="same"),
        B.depthwise_conv2d(i, B.constant(draw(3, 3, 2, 2))),
        B.separable_conv2d(i, B.constant(draw(3, 3, 2, 2)), B.constant(draw(1, 1, 4, 3))),
        B.batch_dot(s, t, axes=[2, 2]),
        B.batch_dot(s, t, axes=[1, 1]),
        B.cumsum(s, 1),
        B.cumprod(s, axis=2),
        B.reverse(s, 1),
        B.repeat_elements(s, 2, 1),
        B.resize_images(i, 2, 3, "channels_last"),
        B.temporal_padding(s, (1, 2)),
        B.spatial_2d_padding(i, ((1, 0), (2, 1))),
        B.in_top_k(s[:, 0, :], B.argmax(t[:, 0, :], -1), 2)
        if keras is not flywheel.keras
        else B.in_top_k(s[:, 0, :], B.cast(B.argmax(t[:, 0, :], -1), "int32"), 2),
        B.softmax(s),
        B.l2_normalize(s, -1),
        B.categorical_crossentropy(B.softmax(t), B.softmax(s)),
        B.categorical_crossentropy(B.softmax(t), s, from_logits=True),
        B.binary_crossentropy(B.sigmoid(t), B.sigmoid(s)),
        B.binary_crossentropy(B.sigmoid(t), s, from_logits=True),
        B.var(s, 1),
        B.std(s, -1, True),
        B.hard_sigmoid(s),
        B.relu(s, alpha=0.1, max_value=0.5),
        B.elu(s, 0.5),
        B.switch(B.greater(s, 0), s, t),
        B.clip(s, -0.5, 0.5),
        B.dot(s, B.constant(draw(3, 2))),
        B.normalize_batch_in_training(s, B.constant([1.0, 2.0, 3.0]), B.constant([0.0, 1.0, 0.0]), [0, 1])[0],
    ]
    f = B.function([i, s, t], o)
    return f([draw(2, 6, 6, 2), draw(2, 5, 3), draw(2, 5, 3) + 0.3])


@program
def padseq(keras: Any) -> Any:
    p = keras.preprocessing.sequence.pad_sequences
    return [
        p([[1, 2, 3], [4], []]),
        p([[1, 2, 3], [4, 5]], maxlen=2),
        p([[1, 2, 3], [4, 5]], maxlen=2, truncating="post", padding="post", value=-1),
        p([[1.5], [2.5, 3.5]], dtype="float32", padding="post"),
        keras.utils.to_categorical([1, 0, 3]),
    ]


@program
def tokens(keras: Any) -> Any:
    texts = ["The cat sat on the mat!", "the dog, the log", "A cat; a dog."]
    out = []
    for options in ({}, {"num_words": 4}, {"oov_token": "?"}, {"char_level": True}):
        tokenizer = keras.preprocessing.text.Tokenizer(**options)
        tokenizer.fit_on_texts(texts)
        out.append([tokenizer.word_index, tokenizer.texts_to_sequences([*texts, "the bird"])])
        out += [tokenizer.texts_to_matrix(texts, mode) for mode in ("binary", "count", "freq", "tfidf")]
    return out


@program
def added_losses(keras: Any) -> Any:
    L, B = keras.layers, keras.backend
    x = L.Input((6,))
    h = L.Dense(4, activation="tanh")(x)
    y = L.Dense(6)(h)
    m = keras.models.Model(x, [y, h])
    m.add_loss(B.mean(B.square(y - x)) + 0.1 * B.mean(B.abs(h)))
    m.compile(keras.optimizers.SGD(0.1))
    set_weights(m)
    steps = [m.train_on_batch(draw(8, 6)) for _ in range(3)]
    h1 = m.fit(draw(8, 6), epochs=2, batch_size=4, shuffle=False, verbose=0).history["loss"]
    return [steps, h1, m.get_weights()]


@program
def numbered_batches(keras: Any) -> Any:
    class Batches(keras.utils.Sequence):  # type: ignore[misc]
        def __len__(self) -> int:
            return 3

        def __getitem__(self, index: int) -> Any:
            return draw(5, 4) + index, draw(5, 3)

    m = keras.models.Sequential([keras.layers.Dense(3, input_dim=4)])
    m.compile("sgd", "mse")
    set_weights(m)
    h = m.fit(Batches(), epochs=2, shuffle=False, verbose=0, validation_data=Batches())
    return [h.history, m.get_weights()]


@program
def weights_of_steps(keras: Any) -> Any:
    L = keras.layers
    classes = L.TimeDistributed(L.Dense(2, activation="softmax"))
    m = keras.models.Sequential([L.Conv1D(4, 2, input_shape=(5, 3)), classes])
    m.compile("sgd", "categorical_crossentropy", sample_weight_mode="temporal")
    set_weights(m)
    y = np.eye(2)[np.arange(12).reshape(3, 4) % 2]
    w = np.abs(draw(3, 4)) + 0.1
    return [[m.train_on_batch(draw(3, 5, 3), y, sample_weight=w) for _ in range(2)], m.get_weights()]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for one in PROGRAMS:
        check(one)
