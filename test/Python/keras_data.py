# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Batches of arrays and of safetensors, by themselves and in a model of Keras."""

import os
from typing import Any, NamedTuple

import numpy as np

from configurations import raises
from flywheel import data
from flywheel.keras.layers import Dense
from flywheel.keras.models import Sequential

x, y = np.arange(10.0).reshape(10, 1), np.arange(10)
batches = data.Batches((x, y), 4, seed=1)
first, second = [list(batches) for _ in range(2)]
assert len(batches) == 3 and [len(b[1]) for b in first] == [4, 4, 2]
orders = [np.concatenate([b[1] for b in epoch]) for epoch in (first, second)]
assert all(sorted(order) == list(range(10)) for order in orders) and orders[0].tolist() != orders[1].tolist()
assert all((b[0][:, 0] == b[1]).all() for b in first + second)
again = np.concatenate([b[1] for b in data.Batches((x, y), 4, seed=1)])
assert again.tolist() == orders[0].tolist()
plain = list(data.Batches({"x": x, "y": y}, 4, shuffle=False, drop_last=True))
assert [b["y"].tolist() for b in plain] == [[0, 1, 2, 3], [4, 5, 6, 7]]
assert next(iter(data.Batches(y, 3, shuffle=False))).tolist() == [0, 1, 2]
raises(ValueError, "arrays of one length, found [3, 10]", lambda: data.Batches((x, y[:3])))
raises(ValueError, "batch size of 1 or more", lambda: data.Batches(x, 0))
make: Any = data.Batches
raises(TypeError, "an integer as batch_size, found '3'", lambda: make(x, "3"))
raises(TypeError, "an integer as batch_size, found 2.5", lambda: make(x, 2.5))
raises(TypeError, "arrays with rows, found NoneType", lambda: make(None))
raises(TypeError, "arrays with rows, found float", lambda: make(3.0))
raises(TypeError, "arrays with rows, found generator", lambda: make(row for row in x))
raises(TypeError, "arrays with rows, found int as 'y'", lambda: data.Batches({"x": x, "y": 3}))


class Pair(NamedTuple):
    x: Any
    y: Any


pair = next(iter(data.Batches(Pair(x, y), np.int64(3), shuffle=False)))
assert type(pair) is Pair and pair.y.tolist() == [0, 1, 2] and pair.x.shape == (3, 1)

path = os.path.join(os.path.dirname(__file__), "../../examples/digits/digits.safetensors")
digits = data.load(path, ["image", "label"])
raises(KeyError, "has no 'pixels', only", lambda: data.load(path, ["pixels"]))
raises(TypeError, "expected a list of names as keys, found 'image'", lambda: data.load(path, "image"))
raises(ValueError, f"'{__file__}' is damaged, or no safetensors file", lambda: data.load(__file__))
images = digits["image"].reshape(-1, 64).astype(np.float32) / 16
model = Sequential([Dense(10, activation="softmax", input_shape=(64,))])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["acc"])
stream = data.Batches((images, digits["label"]), 64, seed=0)
losses = model.fit(stream, epochs=6, verbose=0).history["loss"]
assert losses == sorted(losses, reverse=True) and losses[-1] < 0.75 * losses[0]
