# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s %t
"""P10: a model that is loaded goes on with what its layers draw, as the one that was saved does."""

import importlib.util
import json
import os
import subprocess
import sys
from typing import Any, List

import numpy as np

from flywheel import keras
from flywheel.keras import backend as K
from flywheel.keras import layers

FOLDER = sys.argv[1]
X = np.random.default_rng(1).normal(size=(12, 4)).astype(np.float32)
Y = np.random.default_rng(2).normal(size=(12, 1)).astype(np.float32)


def sequential() -> Any:
    return keras.models.Sequential([
        layers.Dense(8, activation="tanh", input_shape=(4,)), layers.Dropout(0.4), layers.GaussianNoise(0.3),
        layers.Dense(6, activation="relu"), layers.Dropout(0.2), layers.Dense(1)])  # fmt: skip


def branches() -> Any:
    """The branches are made in another order than that of the configuration."""
    x = layers.Input((4,))
    late = layers.Dropout(0.5, name="z")(layers.Dense(5, name="a")(x))
    early = layers.Dropout(0.3, name="b")(x)
    inner = keras.models.Sequential([layers.Dense(3, input_shape=(4,)), layers.GaussianDropout(0.4)])
    return keras.models.Model(x, layers.Dense(1)(layers.concatenate([early, late, inner(early)])))


def train(model: Any, count: int) -> List[float]:
    return [float(model.train_on_batch(X, Y)) for _ in range(count)]


def check(make: Any, ending: str) -> None:
    K.clear_session()
    path = os.path.join(FOLDER, f"{make.__name__}{ending}")
    model = make()
    model.compile(keras.optimizers.Adam(0.01), "mse")
    train(model, 3)
    model.save(path)
    wanted = train(model, 4)
    assert len({round(one, 6) for one in wanted}) == 4
    # In this process under other names of ops, and in a new one.
    np.testing.assert_array_equal(train(keras.models.load_model(path), 4), wanted)
    K.clear_session()
    np.testing.assert_array_equal(train(keras.models.load_model(path), 4), wanted)
    found = subprocess.run([sys.executable, __file__, FOLDER, path], check=True, capture_output=True, text=True)
    np.testing.assert_array_equal(json.loads(found.stdout), wanted)


def main() -> None:
    if len(sys.argv) > 2:
        print(json.dumps(train(keras.models.load_model(sys.argv[2]), 4)))
        return
    os.makedirs(FOLDER, exist_ok=True)
    for ending in (".safetensors", ".h5") if importlib.util.find_spec("h5py") else (".safetensors",):
        for make in (sequential, branches):
            check(make, ending)


if __name__ == "__main__":
    main()
