# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE= %python %s %t
"""A frozen model inside another one stays frozen in configurations, copies and files (O13)."""

import os
import sys
from typing import Any, List

import numpy as np

from flywheel import keras
from flywheel.keras import backend as K
from flywheel.keras.layers import Dense, TimeDistributed
from flywheel.keras.models import Model, Sequential, clone_model, load_model, model_from_json

rng = np.random.default_rng(0)
x, y = rng.normal(size=(16, 3)), rng.normal(size=(16, 1))
endings = [".safetensors"]
try:
    import h5py  # type: ignore[import-not-found] # noqa: F401

    endings.append(".h5")
except ImportError:
    pass


def base(is_sequential: bool) -> Any:
    if is_sequential:
        made: Any = Sequential([Dense(4, activation="tanh", input_shape=(3,))], name="base")
    else:
        inputs = keras.Input((3,))
        made = Model(inputs, Dense(4, activation="tanh")(inputs), name="base")
    made.trainable = False
    return made


def outer(inner: Any, is_sequential: bool, steps: bool) -> Any:
    if steps:
        return Sequential([TimeDistributed(inner, input_shape=(2, 3)), Dense(1)])
    if is_sequential:
        return Sequential([inner, Dense(1)])
    inputs = keras.Input((3,))
    return Model(inputs, Dense(1)(inner(inputs)))


def losses(model: Any, data: Any, wanted: Any) -> List[float]:
    return list(model.fit(data, wanted, verbose=0, epochs=2, shuffle=False).history["loss"])


for inner_sequential, outer_sequential, steps in ((True, True, False), (False, True, False), (True, False, False),
                                                  (False, False, False), (True, True, True)):  # fmt: skip
    for optimizer in (keras.optimizers.SGD(momentum=0.9), "adam"):
        for ending in endings:
            K.clear_session()
            model = outer(base(inner_sequential), outer_sequential, steps)
            data = np.stack([x, x], 1) if steps else x
            wanted = np.stack([y, y], 1) if steps else y
            model.compile(optimizer if isinstance(optimizer, str) else keras.optimizers.SGD(momentum=0.9), "mse")
            losses(model, data, wanted)
            path = os.path.join(sys.argv[1], f"model{ending}")
            model.save(path)
            for copy in (load_model(path), load_model(path, compile=False), clone_model(model),
                         model_from_json(model.to_json())):  # fmt: skip
                assert len(copy.trainable_weights) == len(model.trainable_weights) == 2
            loaded = load_model(path)
            before = loaded.layers[-2].get_weights()
            assert losses(loaded, data, wanted) == losses(model, data, wanted)
            for one, other in zip(before, loaded.layers[-2].get_weights()):
                np.testing.assert_array_equal(one, other)

# A model that was compiled before the program froze it trains its weights, as a discriminator does, when loaded too.
K.clear_session()
model = base(True)
model.trainable = True
model.add(Dense(1))
model.compile("adam", "mse")
losses(model, x, y)
model.trainable = False
path = os.path.join(sys.argv[1], "model.safetensors")
model.save(path)
loaded = load_model(path)
assert not loaded.trainable and losses(loaded, x, y) == losses(model, x, y)
assert "trainable" not in Sequential([Dense(1, input_shape=(3,))]).get_config()
