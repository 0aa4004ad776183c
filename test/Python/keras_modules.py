# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mypy: disable-error-code="misc"
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE= %python %s %t
"""Modules, hooks and functions of Keras 2.1 that programs of its time use (X31): the functions of a model that a
subclass makes, weighted metrics, weights by name and in order, files, batches in the background."""

import http.server
import io
import json
import os
import shutil
import sys
import tarfile
import threading
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

import flywheel as fw
from configurations import raises
from flywheel import keras
from flywheel.keras import backend as K
from flywheel.keras import layers as L
from flywheel.keras.engine import get_source_inputs
from flywheel.keras.engine.topology import Layer
from flywheel.keras.engine.training import Model
from flywheel.keras.models import Sequential, clone_model, load_model, model_from_json
from flywheel.keras.preprocessing import sequence, text
from flywheel.keras.utils import GeneratorEnqueuer, OrderedEnqueuer, get_file
from flywheel.keras.utils.conv_utils import conv_input_length, conv_output_length, deconv_length, normalize_tuple
from flywheel.keras.utils.generic_utils import func_dump, func_load, has_arg

FOLDER = Path(sys.argv[1])
RNG = np.random.default_rng(0)


def dense(*names: str) -> Any:
    model = Sequential([L.Dense(3, input_shape=(4,), name=names[0]), L.Dense(2, name=names[1])])
    model.compile("sgd", "mse")
    return model


class Doubled(Model):
    """Trains with twice the loss, by a function that it makes itself."""

    made = 0

    def _make_train_function(self) -> None:
        self._check_trainable_weights_consistency()
        if self.train_function is None:
            Doubled.made += 1
            inputs = self._feed_inputs + self._feed_targets + self._feed_sample_weights
            if self.uses_learning_phase and not isinstance(K.learning_phase(), int):
                inputs += [K.learning_phase()]
            steps = self.optimizer.get_updates(params=self._collected_trainable_weights, loss=2.0 * self.total_loss)
            self.train_function = K.function(inputs, [self.total_loss, *self.metrics_tensors],
                                             updates=self.updates + steps)  # fmt: skip


def test_train_function() -> None:
    """A subclass's `_make_train_function` is called, and what it makes is what trains."""
    x, y = RNG.normal(size=(8, 4)), RNG.normal(size=(8, 2))
    given = L.Input((4,))
    layer = L.Dense(2)
    models = [kind(given, layer(given)) for kind in (Model, Doubled)]
    start = layer.get_weights()
    moves = []
    for model in models:
        layer.set_weights(start)
        model.compile("sgd", "mse", metrics=["mae"])
        assert len(model.train_on_batch(x, y)) == 2
        moves.append(layer.get_weights()[0] - start[0])
        model.fit(x, y, verbose=0)
    np.testing.assert_allclose(moves[1], 2 * moves[0], 1e-5, 1e-6)
    assert Doubled.made == 1


def test_weighted_metrics() -> None:
    x, y, w = np.ones((4, 4)), np.zeros((4, 2)), np.array([1.0, 2, 3, 6])
    model = dense("wa", "wb")
    model.compile("sgd", "mse", metrics=["mae"], weighted_metrics=["mae", "mse"])
    assert model.metrics_names == ["loss", "mean_absolute_error", "weighted_mean_absolute_error",
                                   "weighted_mean_squared_error"]  # fmt: skip
    loss, plain, weighted, squares = model.test_on_batch(x, y, w)
    np.testing.assert_allclose([weighted, squares], [3 * plain, loss], rtol=1e-5)


def test_weights_of_files() -> None:
    """By keys, by order, and by the names of layers."""
    path = str(FOLDER / "weights")
    first = dense("one", "two")
    first.save_weights(path)
    for names in (("one", "two"), ("three", "four")):
        other = dense(*names)
        other.load_weights(path)
        for a, b in zip(first.get_weights(), other.get_weights()):
            np.testing.assert_array_equal(a, b)
    other = dense("new", "two")
    kept = other.layers[0].get_weights()
    other.load_weights(path, by_name=True)
    np.testing.assert_array_equal(other.layers[0].get_weights()[0], kept[0])
    np.testing.assert_array_equal(other.layers[1].get_weights()[0], first.layers[1].get_weights()[0])
    wide = Sequential([L.Dense(5, input_shape=(4,), name="one")])
    raises(ValueError, "has the shape (4, 5), but the one of '", lambda: wide.load_weights(path, by_name=True))
    kept = wide.get_weights()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        wide.load_weights(path, by_name=True, skip_mismatch=True)
    assert len(seen) == 1 and "Skipping loading" in str(seen[0].message)
    np.testing.assert_array_equal(wide.get_weights()[0], kept[0])
    raises(ValueError, "containing 4 weights into a model with 2", lambda: wide.load_weights(path))
    raises(ValueError, "by_name=True", lambda: wide.load_weights(path, skip_mismatch=True))


def test_code_of_files() -> None:
    """A file's code is executed only if the caller says so; a copy in the process may have it."""
    path = str(FOLDER / "lambda")
    model = Sequential([L.Dense(2, input_shape=(3,)), L.Lambda(lambda x: x * 2.0)])
    model.save(path)
    x = RNG.normal(size=(2, 3))
    raises(ValueError, "safe_mode=False", lambda: load_model(path))
    raises(ValueError, "safe_mode=False", lambda: model_from_json(model.to_json()))
    np.testing.assert_allclose(load_model(path, safe_mode=False).predict(x), model.predict(x), rtol=1e-6)
    copy = clone_model(model)
    copy.set_weights(model.get_weights())
    np.testing.assert_allclose(copy.predict(x), model.predict(x), rtol=1e-6)


SCALE = 3.0


def test_code_has_its_globals() -> None:
    """A copy of a model calls the functions of the model, and code from a file finds the custom objects."""
    model = Sequential([L.Lambda(lambda x: K.abs(x) * SCALE, input_shape=(2,))])
    x = np.array([[-1.0, 2.0]])
    np.testing.assert_array_equal(clone_model(model).predict(x), [[3, 6]])
    read = model_from_json(model.to_json(), {"K": K, "SCALE": 4.0}, safe_mode=False)
    np.testing.assert_array_equal(read.predict(x), [[4, 8]])


def test_arguments_of_keras_1() -> None:
    """Samples of generators are counted in batches, and what there is not is an error."""
    model = dense("ga", "gb")

    class Batches:
        batch_size, read = 4, 0

        def __iter__(self) -> Any:
            return self

        def __next__(self) -> Any:
            Batches.read += 1
            return np.ones((4, 4)), np.zeros((4, 2))

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model.fit_generator(Batches(), samples_per_epoch=20, nb_epoch=2, nb_worker=1, verbose=0)
    assert Batches.read == 10 and any("`samples_per_epoch`" in str(one.message) for one in seen)
    raises(TypeError, "stepz", lambda: model.evaluate_generator(Batches(), steps=1, stepz=3))
    for method in (model.predict, lambda x, steps: model.evaluate(x, np.zeros((4, 2)), steps=steps, verbose=0)):
        raises(ValueError, "`steps`", lambda method=method: method(np.ones((4, 4)), steps=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert text.Tokenizer(nb_words=2).num_words == 2
        weight = K.variable(1.0)
        adam = keras.optimizers.Adam()
        assert adam.get_updates(params=[weight], constraints={}, loss=K.square(weight))
        raises(TypeError, "found params, loss, more", lambda: adam.get_updates([weight], loss=weight, more=1))
    raises(TypeError, "num_word", lambda: text.Tokenizer(num_word=2))


def test_calls_of_layers() -> None:
    a, b = L.Input((4,)), L.Input((4,))
    layer = L.Dense(3)
    first, second = layer(a), layer(b)
    raises(AttributeError, "get_output_at(node_index)", lambda: layer.output)
    assert layer.get_output_at(0) is first and layer.get_input_at(1) is b and layer.get_output_shape_at(1) == (None, 3)
    raises(ValueError, "node 2", lambda: layer.get_input_at(2))
    raises(RuntimeError, "never been called", lambda: L.Dense(1).get_input_at(0))
    assert get_source_inputs(L.add([first, second])) == [a, b]
    assert isinstance(layer, Layer) and Model(a, first).output is first


def test_networks_own_their_updates() -> None:
    """A network has the updates and losses of its own calls of a layer."""
    norm = L.BatchNormalization()
    inputs = [L.Input((3,)) for _ in range(2)]
    outputs = [norm(x) for x in inputs]
    assert len(norm.updates) == 4 and len(norm.get_updates_for(inputs[0])) == 2
    model = Model(inputs[0], outputs[0])
    assert len(model.updates) == 2
    model.trainable = False
    assert not model.updates


def test_feed_dict() -> None:
    """A function is fed the values that its `feed_dict` has at the call."""
    x, scale = K.placeholder((2,)), K.placeholder(())
    extra = {scale: 2.0}
    function = K.function([x], [x * scale], feed_dict=extra)
    np.testing.assert_array_equal(function([np.ones(2)])[0], [2, 2])
    extra[scale] = 5.0
    np.testing.assert_array_equal(function([np.ones(2)])[0], [5, 5])


def test_files() -> None:
    source, cache = FOLDER / "data.tar.gz", str(FOLDER / "cache")
    with tarfile.open(source, "w:gz") as tar:
        member = tarfile.TarInfo("inside.txt")
        member.size = 5
        tar.addfile(member, io.BytesIO(b"bytes"))
    path = get_file("data", source.as_uri(), untar=True, cache_dir=cache)
    assert (Path(path).parent / "inside.txt").read_bytes() == b"bytes"
    raises(ValueError, "another digest", lambda: get_file("other", source.as_uri(), file_hash="0" * 64,
                                                          cache_dir=cache))  # fmt: skip
    assert not (Path(cache) / "datasets" / "other").exists()
    with tarfile.open(source, "w:gz") as tar:
        tar.addfile(tarfile.TarInfo("../outside.txt"))
    raises(ValueError, "outside of its folder",
           lambda: get_file("bad.tar.gz", source.as_uri(), extract=True, cache_dir=cache))  # fmt: skip
    raises(OSError, "", lambda: get_file("none", (FOLDER / "absent").as_uri(), cache_dir=cache))


class Cut(http.server.BaseHTTPRequestHandler):
    """Says that more bytes come than do."""

    def do_GET(self) -> None:  # noqa: N802
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"0123456789")

    def log_message(self, *_: Any) -> None:
        pass


def test_files_that_are_not_whole() -> None:
    cache = str(FOLDER / "cut")
    with http.server.HTTPServer(("127.0.0.1", 0), Cut) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{server.server_address[1]}/part"
        raises(OSError, "10 of 100 bytes", lambda: get_file("part", origin, cache_dir=cache))
        server.shutdown()
    assert not list((FOLDER / "cut" / "datasets").iterdir())
    plain = FOLDER / "plain"
    plain.write_text("no archive")
    raises(ValueError, "is not an archive", lambda: get_file("x", plain.as_uri(), untar=True, cache_dir=cache))


def test_tensors_beside_layers() -> None:
    """A tensor between two layers that none made would lose the first one's weights: it is refused. One of the input
    alone is a part of the model, which cannot be called on other inputs then."""
    K.clear_session()
    x, other = keras.Input((3,)), keras.Input((3,))
    first = L.Dense(4)(x)
    for between in (first * 2.0, K.concatenate([first, first]), K.square(first)):
        raises(ValueError, "must be the output of a Keras `Layer`", lambda y=between: keras.Model(x, L.Dense(1)(y)))
    model = keras.Model(x, L.Dense(1, kernel_initializer="ones", use_bias=False)(K.square(x)))
    np.testing.assert_array_equal(model.predict(np.full((2, 3), 3.0)), [[27.0]] * 2)
    raises(ValueError, "cannot be called on other inputs", lambda: model(other))
    constant = keras.Model(x, keras.layers.add([x, K.constant(np.ones((1, 3)))]))
    np.testing.assert_array_equal(keras.Model(other, constant(other)).predict(np.ones((1, 3))), [[2.0] * 3])


def test_least_squares_take_no_constraints() -> None:
    K.clear_session()
    model = keras.Sequential([L.Dense(1, kernel_constraint="nonneg", input_shape=(2,))])
    model.compile(keras.optimizers.LevenbergMarquardt(), "mse")
    raises(ValueError, "without constraints", lambda: model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0))


def test_a_label_that_is_no_number() -> None:
    K.clear_session()
    model = keras.Sequential([L.Dense(2, activation="softmax", input_shape=(3,))])
    model.compile("sgd", "sparse_categorical_crossentropy")
    before = model.get_weights()
    raises(fw.InvalidArgumentError, "out of range", lambda: model.train_on_batch(np.ones((4, 3)), np.full(4, np.nan)))
    for old, new in zip(before, model.get_weights()):
        np.testing.assert_array_equal(new, old)


def test_archives_that_are_damaged() -> None:
    """Nothing of an archive is there unless all of it is; a folder that is there keeps what the archive has not."""
    cache = str(FOLDER / "damaged")
    folder = FOLDER / "damaged" / "datasets"
    for kind in ("tar", "zip"):
        good, bad = FOLDER / f"good.{kind}", FOLDER / f"bad.{kind}"
        members = {f"{kind}/first.txt": b"1" * 2000, f"{kind}/deep/second.txt": b"second", f"{kind}.txt": b"third"}
        if kind == "tar":
            with tarfile.open(good, "w") as tar:
                for name, data in members.items():
                    member = tarfile.TarInfo(name)
                    member.size, member.mode = len(data), 0o444
                    tar.addfile(member, io.BytesIO(data))
            bad.write_bytes(good.read_bytes()[:3076])
        else:
            with zipfile.ZipFile(good, "w") as packed:
                for name, data in members.items():
                    packed.writestr(name, data)
            bad.write_bytes(good.read_bytes().replace(b"second" + b"PK", b"secnod" + b"PK"))
        raises(ValueError, "is damaged",
               lambda: get_file(bad.name, bad.as_uri(), extract=True, cache_dir=cache))  # fmt: skip
        assert sorted(one.name for one in folder.iterdir()) == sorted([bad.name]), list(folder.iterdir())
        (folder / kind).mkdir()
        (folder / kind / "own").write_text("kept")
        (folder / kind / "first.txt").write_text("old")
        for _ in range(2):
            get_file(good.name, good.as_uri(), extract=True, cache_dir=cache)
            assert (folder / kind / "own").read_text() == "kept"
            assert all((folder / name).read_bytes() == data for name, data in members.items())
        shutil.rmtree(folder)


class Squares(keras.utils.Sequence):
    def __init__(self) -> None:
        self.epoch = 0

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> Any:
        return index * index + 100 * self.epoch

    def on_epoch_end(self) -> None:
        self.epoch += 1


def test_batches_in_the_background() -> None:
    enqueuer = OrderedEnqueuer(Squares())
    enqueuer.start(workers=2, max_queue_size=3)
    batches = enqueuer.get()
    assert [next(batches) for _ in range(8)] == [0, 1, 4, 9, 16, 25, 100, 101]
    enqueuer.stop()
    assert not enqueuer.is_running()


class Broken(Squares):
    def on_epoch_end(self) -> None:
        raise RuntimeError("no next epoch")


class Empty(Squares):
    def __len__(self) -> int:
        return 0


def several(last: Any) -> Any:
    yield 1
    yield last()


def test_batches_that_fail() -> None:
    """Errors of workers, and workers that end, end the iterator."""
    enqueuer = OrderedEnqueuer(Broken())
    enqueuer.start()
    assert list(enqueuer.get()) == [0, 1, 4, 9, 16, 25]
    raises(ValueError, "at least 1 batch", lambda: OrderedEnqueuer(Empty()).start())
    OrderedEnqueuer(Squares()).stop()
    for last, kind in ((lambda: (lambda: 2), Exception), (lambda: os._exit(3), RuntimeError)):
        background = GeneratorEnqueuer(several(last), use_multiprocessing=True)
        background.start()
        raises(kind, "", lambda background=background: list(background.get()))
        background.stop()


def test_preprocessing() -> None:
    np.testing.assert_allclose(sequence.make_sampling_table(3), [0.00315225, 0.00315225, 0.00547597], rtol=1e-4)
    series = sequence.TimeseriesGenerator(np.arange(10.0), np.arange(10), length=4, sampling_rate=2, batch_size=3)
    assert len(series) == 2
    np.testing.assert_array_equal(series[1][0], [[3, 5], [4, 6], [5, 7]])
    np.testing.assert_array_equal(series[1][1], [7, 8, 9])
    couples, labels = sequence.skipgrams([1, 2, 3], 4, window_size=1, negative_samples=0, shuffle=False)
    assert couples == [[1, 2], [2, 1], [2, 3], [3, 2]] and labels == [1] * 4
    assert text.hashing_trick("a b a", 10, len) == [2, 2, 2]


def test_utilities() -> None:
    assert has_arg(lambda x, **kwargs: x, "y", True) and not has_arg(lambda x, **kwargs: x, "y")
    scale = 3
    assert func_load(func_dump(lambda x: scale * x))(2) == 6
    assert normalize_tuple(2, 3, "strides") == (2, 2, 2)
    raises(ValueError, "tuple of 2 integers", lambda: normalize_tuple((1, 2, 3), 2, "strides"))
    for size in (5, 8, 11):
        for window, stride in ((1, 1), (3, 1), (3, 2), (4, 3)):
            found = [conv_output_length(size, window, padding, stride) for padding in ("valid", "same", "full")]
            assert found == [len(range(0, size - window + 1, stride)), len(range(0, size, stride)),
                             len(range(0, size + window - 1, stride))]  # fmt: skip
            least = conv_input_length(found[0], window, "valid", stride)
            assert least is not None and conv_output_length(least, window, "valid", stride) == found[0]
            assert deconv_length(found[1], stride, window, "same") == (found[1] or 0) * stride
    for module, name in ((keras.losses, "mean_squared_error"), (keras.activations, "relu"),
                         (keras.metrics, "binary_accuracy")):  # fmt: skip
        assert module.serialize(module.deserialize(name)) == name
    for module, made in ((keras.constraints, keras.constraints.MaxNorm(3)),
                         (keras.regularizers, keras.regularizers.l2()),
                         (keras.initializers, keras.initializers.RandomNormal(1.0))):  # fmt: skip
        again = module.deserialize(json.loads(json.dumps(module.serialize(made))))
        assert type(again) is type(made) and again.get_config() == made.get_config()
    raises(ValueError, "nothing", lambda: keras.losses.deserialize("nothing"))


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok", name)
