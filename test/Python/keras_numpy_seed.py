# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""I7: `numpy.random.seed` makes what layers of Keras draw repeat, as in Keras 2.1, whose random functions without a
seed draw one by `numpy.random.randint`."""

from typing import Any, Callable, List, Optional

import numpy as np

from configurations import run_tests
from flywheel import keras
from flywheel.keras import backend as K
from flywheel.keras import layers

X = np.random.default_rng(1).normal(size=(12, 4)).astype(np.float32)
Y = np.random.default_rng(2).normal(size=(12, 1)).astype(np.float32)
Noise = Callable[[], Any]


def losses_of(noise: Noise, seed: Optional[int], before_fit: Optional[int] = None) -> List[float]:
    """Returns losses of training in a new session. The weights and the order of rows are always the same."""
    K.clear_session()
    if seed is not None:
        np.random.seed(seed)
    model = keras.models.Sequential([
        layers.Dense(8, kernel_initializer="ones", input_shape=(4,)), noise(),
        layers.Dense(1, kernel_initializer="ones"),
    ])  # fmt: skip
    model.compile(keras.optimizers.SGD(0.01), "mse")
    if before_fit is not None:
        np.random.seed(before_fit)
    found: List[float] = model.fit(X, Y, 4, 3, verbose=0, shuffle=False).history["loss"]
    return found


def check(noise: Noise) -> None:
    first = losses_of(noise, 3)
    assert len(set(first)) == 3 and np.isfinite(first).all(), first
    assert losses_of(noise, 3) == first
    assert losses_of(noise, 4) != first
    assert losses_of(noise, None) != first
    # The seed is drawn where the layer is called.
    assert losses_of(noise, 3, before_fit=9) == first


def test_dropout() -> None:
    check(lambda: layers.Dropout(0.5))


def test_noise() -> None:
    check(lambda: layers.GaussianNoise(0.5))
    check(lambda: layers.GaussianDropout(0.5))


def test_own_seeds() -> None:
    """A layer with a seed of its own draws the same numbers whatever NumPy's seed is."""
    first = losses_of(lambda: layers.Dropout(0.5, seed=5), 3)
    assert losses_of(lambda: layers.Dropout(0.5, seed=5), 4) == first
    assert losses_of(lambda: layers.Dropout(0.5, seed=6), 3) != first


def test_place_in_the_stream() -> None:
    """Each op draws one number of NumPy's, as in Keras, where what follows is drawn from the same place."""
    K.clear_session()
    np.random.seed(3)
    K.random_uniform((2,))
    K.random_normal((2,))
    K.random_uniform((2,), seed=1)
    after = np.random.rand()
    np.random.seed(3)
    np.random.randint(10**7, size=2)
    assert after == np.random.rand()


if __name__ == "__main__":
    run_tests([test_dropout, test_noise, test_own_seeds, test_place_in_the_stream])
