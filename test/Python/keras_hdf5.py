# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, h5py
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE= %peers_python %s %t
"""Models and weights in files of HDF5, in the layout of Keras 2 (O13, X31)."""

import json
import os
import sys
import warnings
from typing import Any, List

import h5py  # type: ignore[import-not-found]
import numpy as np

import flywheel as fw
from configurations import raises
from flywheel.keras import backend as K
from flywheel.keras import layers, optimizers
from flywheel.keras.models import Input, Model, Sequential, load_model
from flywheel.keras.utils.io_utils import HDF5Matrix

folder = sys.argv[1]
rng = np.random.default_rng(0)
x = rng.normal(size=(6, 8, 8, 2)).astype(np.float32)
y = rng.normal(size=(6, 3)).astype(np.float32)
path = os.path.join(folder, "model.h5")


def make() -> Any:
    inner = Sequential([layers.Conv2D(3, 3, input_shape=(8, 8, 2)), layers.BatchNormalization(), layers.Flatten()])
    inputs = Input((8, 8, 2))
    features = inner(inputs)
    outputs = layers.add([layers.Dense(3)(features), layers.Dense(3, use_bias=False)(features)])
    return Model(inputs, outputs)


# A model that is saved, loaded and trained on is the one that was not: from a name, and from an open file.
for kind in (optimizers.SGD, optimizers.RMSprop, optimizers.Adam, optimizers.Nadam):
    K.clear_session()
    model = make()
    model.compile(kind(lr=0.01), "mse", metrics=["mae"])
    for _ in range(2):
        model.train_on_batch(x, y)
    memory = h5py.File(kind.__name__, "w", driver="core", backing_store=False)
    model.save(path)
    model.save(memory)
    expected = [model.train_on_batch(x, y) for _ in range(3)]
    values = model.get_weights()
    for source in (path, memory):
        K.clear_session()
        loaded = load_model(source)
        np.testing.assert_array_equal([loaded.train_on_batch(x, y) for _ in range(3)], expected)
        for a, b in zip(loaded.get_weights(), values):
            np.testing.assert_array_equal(a, b)
assert load_model(path, compile=False).optimizer is None
assert not [name for name in os.listdir(folder) if name.endswith(".part")]

# The layout of Keras 2.1: names as bytes of fixed size, a Sequential model as the list of its layers.
with h5py.File(path) as file:
    assert file.attrs["keras_version"] == b"2.1.6" and file.attrs["backend"] == b"tensorflow"
    config = json.loads(file.attrs["model_config"])
    assert config["class_name"] == "Model" and isinstance(config["config"]["layers"][1]["config"], list)
    assert {"optimizer_config", "loss", "metrics", "loss_weights", "sample_weight_mode"} <= {
        *json.loads(file.attrs["training_config"])}  # fmt: skip
    group = file["model_weights"]
    names = [name.decode() for name in group.attrs["layer_names"]]
    assert names == ["input_1", "sequential_1", "dense_1", "dense_2", "add_1"]
    inner_names = [name.decode() for name in group["sequential_1"].attrs["weight_names"]]
    assert inner_names[:3] == ["conv2d_1/kernel:0", "conv2d_1/bias:0", "batch_normalization_1/gamma:0"]
    assert group["dense_1"]["dense_1/kernel:0"].shape == (108, 3)
    assert file["optimizer_weights"].attrs["weight_names"].dtype.kind == "S"

# Weights alone, in order, by name and in another shape.
K.clear_session()
small = Sequential([layers.Dense(4, input_shape=(3,), name="a"), layers.Dense(2, name="b")])
kept = small.get_weights()
weights = os.path.join(folder, "weights.hdf5")
small.save_weights(weights)
other = Sequential([layers.Dense(4, input_shape=(3,), name="x"), layers.Dense(2, name="b")])
other.load_weights(weights, by_name=True)
np.testing.assert_array_equal(other.get_weights()[2], kept[2])
assert (other.get_weights()[0] != kept[0]).any()
other.load_weights(weights)
np.testing.assert_array_equal(other.get_weights()[0], kept[0])
other.load_weights(path_of := h5py.File(weights, "r"))
path_of.close()
third = Sequential([layers.Dense(4, input_shape=(3,), name="a"), layers.Dense(5, name="b")])
before = third.get_weights()
raises(ValueError, "has the shape (4, 5), but the one of", lambda: third.load_weights(weights))
raises(ValueError, "has the shape (4, 5), but the one of", lambda: third.load_weights(weights, by_name=True))
for old, new in zip(before, third.get_weights()):
    np.testing.assert_array_equal(new, old)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    third.load_weights(weights, by_name=True, skip_mismatch=True)
assert any("Skipping loading of weights" in str(w.message) for w in caught)
np.testing.assert_array_equal(third.get_weights()[0], kept[0])
raises(ValueError, "containing 2 layers into a model with 1 layers",
       lambda: Sequential([layers.Dense(4, input_shape=(3,))]).load_weights(weights))  # fmt: skip
raises(FileExistsError, "overwrite is False", lambda: small.save_weights(weights, overwrite=False))
raises(ValueError, "No model found", lambda: load_model(weights))

# A file of Keras 1 says no version: an LSTM has arrays for each gate.
recurrent = Sequential([layers.LSTM(2, input_shape=(4, 3))])
own = [rng.normal(size=w.shape).astype(np.float32) for w in recurrent.get_weights()]
parts = [np.split(w, 4, axis=-1) for w in own]
old_values: List[Any] = [part[gate] for gate in (0, 2, 1, 3) for part in parts]
old_path = os.path.join(folder, "keras1.h5")
with h5py.File(old_path, "w") as file:
    file.attrs["layer_names"] = [b"lstm_9"]
    group = file.create_group("lstm_9")
    group.attrs["weight_names"] = [f"w_{i}".encode() for i in range(12)]
    for i, value in enumerate(old_values):
        group[f"w_{i}"] = value
recurrent.load_weights(old_path)
for a, b in zip(recurrent.get_weights(), own):
    np.testing.assert_array_equal(a, b)

# Damaged files, and no h5py.
with open(path, "rb") as source:
    data = source.read()
odd = os.path.join(folder, "odd.h5")
for cut in (8, 100, len(data) // 2):
    with open(odd, "wb") as out:
        out.write(data[:cut])
    raises(fw.DataLossError, "odd.h5", lambda: load_model(odd))
for key, what in (("layer_names", "attribute"), ("dense_1", "group")):
    with open(odd, "wb") as out:
        out.write(data)
    with h5py.File(odd, "a") as file:
        if what == "attribute":
            del file["model_weights"].attrs[key]
        else:
            del file["model_weights"][key]
    raises(fw.DataLossError, key, lambda: load_model(odd))
with h5py.File(odd, "w") as file:
    file.attrs["model_config"] = small.to_json()
    group = file.create_group("model_weights/a")
    file["model_weights"].attrs["layer_names"] = [b"a"]
    group.attrs["weight_names"] = [b"huge"]
    group.create_dataset("huge", (10**9, 10**6), chunks=(100, 100), dtype="f4")
raises(fw.DataLossError, "has 0 bytes of values", lambda: load_model(odd))
package, sys.modules["h5py"] = sys.modules["h5py"], None  # type: ignore[assignment]
raises(fw.DataLossError, "pip install h5py", lambda: load_model(path))
raises(ImportError, "pip install h5py", lambda: HDF5Matrix(path, "x"))
sys.modules["h5py"] = package

# Rows of a dataset in place of an array.
table = os.path.join(folder, "table.h5")
with h5py.File(table, "w") as file:
    file["x"] = rng.normal(size=(40, 3)).astype(np.float32)
    file["y"] = rng.normal(size=(40, 2)).astype(np.float32)
rows, targets = HDF5Matrix(table, "x", 10, 30), HDF5Matrix(table, "y", 10, 30)
assert (rows.shape, len(rows), rows.ndim, rows.size, rows.dtype) == ((20, 3), 20, 2, 60, np.float32)
whole = h5py.File(table)["x"][10:30]
for index in (3, slice(2, 5), slice(None), slice(4, None), [1, 4], np.array([0, 19])):
    np.testing.assert_array_equal(rows[index], whole[index])
    np.testing.assert_array_equal(HDF5Matrix(table, "x", 10, 30, lambda z: 2 * z)[index], 2 * whole[index])
wrong: Any
for wrong in (20, -1, slice(0, 21), [3, 20], np.array([-1]), None, "a"):
    raises(IndexError, "", lambda: rows[wrong])
small.compile("sgd", "mse")
small.fit(rows, targets, batch_size=8, epochs=2, shuffle="batch", verbose=0)
np.testing.assert_array_equal(small.predict(rows), small.predict(whole))
assert small.evaluate(rows, targets, verbose=0) == small.evaluate(whole, targets[:], verbose=0)

# Configurations as Keras 2.1.6 writes them: the calls of a network inside of another one are counted from 1 on, and
# layers have arguments that are inherited there.
K.clear_session()
model = make()
config = model.get_config()
assert config["layers"][2]["inbound_nodes"][0][0][:3] == ["sequential_1", 1, 0]
assert [w.shape for w in Model.from_config(config).get_weights()] == [w.shape for w in model.get_weights()]
for name, given in (("SpatialDropout1D", {"rate": 0.5, "noise_shape": None, "seed": 3}),
                    ("SpatialDropout2D", {"rate": 0.5, "noise_shape": None, "seed": None}),
                    ("ConvLSTM2D", {"filters": 2, "kernel_size": [2, 2], "unroll": False}),
                    ("Embedding", {"input_dim": 3, "output_dim": 2, "activity_regularizer": None})):  # fmt: skip
    made = layers.deserialize({"class_name": name, "config": {"name": "one", "trainable": True, **given}})
    assert made.name == "one" and type(made).__name__ == name
raises(TypeError, "Unrolling", lambda: layers.ConvLSTM2D(2, 2, unroll=True))
raises(NotImplementedError, "SpatialDropout1D: noise_shape", lambda: layers.SpatialDropout1D(0.5, noise_shape=(1, 2)))
table_layer = layers.Embedding(3, 2, activity_regularizer="l2", input_length=4)
embedded = Sequential([table_layer])
embedded.compile("sgd", lambda expected, found: 0.0 * K.sum(found, [1, 2]))
numbers = np.array([[0, 1, 2, 2]])
squares = 0.01 * np.sum(np.square(table_layer.get_weights()[0][numbers]))
np.testing.assert_allclose(embedded.evaluate(numbers, np.zeros((1, 4, 2)), verbose=0), squares, rtol=1e-6)
with h5py.File("in memory", "w", driver="core", backing_store=False) as file:
    Sequential([layers.Conv1D(2, 3, input_shape=(8, 2)), layers.MaxPooling1D()]).save(file)
    assert b"data_format" not in np.bytes_(file.attrs["model_config"])
