# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""`keras.preprocessing.image` with the numbers of Keras 2.1.6 and of SciPy for the same seeds (X41)."""

import warnings
from typing import Any, Type

import numpy as np

from flywheel import keras
from flywheel.keras.preprocessing import image


def raises(kind: Type[BaseException], text: str, call: Any) -> None:
    try:
        call()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"no error: {text}")


# One picture by each way to fill: what Keras 2.1.6 gives for this seed.
RECORDED = {
    "nearest": [4.2041, 3.6668, 4.5248, 6.2096, 5.5383, 7.225, 8.9098, 10.5947, 9.2205, 10.6301, 10.6301, 10.6301],
    "constant": [0.9051, 0.9051, 4.5248, 6.2096, 0.9051, 7.225, 8.6896, 8.6896, 0.9051, 0.9051, 0.9051, 0.9051],
    "reflect": [4.2041, 3.6668, 4.5248, 6.2096, 5.5383, 7.225, 8.9098, 10.5947, 9.2205, 10.6301, 10.6301, 10.6301],
    "wrap": [8.9349, 8.9349, 4.5248, 6.2096, 2.5402, 7.225, 8.9098, 8.9349, 6.9252, 8.61, 5.2948, 6.9797],
}
x = np.arange(12, dtype=np.float32).reshape(3, 4, 1)
for mode, wanted in RECORDED.items():
    every: Any = {"rotation_range": 40, "width_shift_range": 0.3, "height_shift_range": 0.2, "shear_range": 20,
             "zoom_range": 0.4, "horizontal_flip": True, "channel_shift_range": 2.0}  # fmt: skip
    for data_format, picture in (("channels_last", x), ("channels_first", np.moveaxis(x, 2, 0))):
        change = image.ImageDataGenerator(fill_mode=mode, cval=-1.0, data_format=data_format, **every)
        np.testing.assert_allclose(change.random_transform(picture, seed=4).ravel(), wanted, atol=1e-4)
bright = image.ImageDataGenerator(brightness_range=(0.5, 2)).random_transform(
    np.arange(12, dtype=np.float32).reshape(2, 2, 3), seed=2)  # fmt: skip
assert bright.ravel().tolist() == [0, 26, 53, 79, 106, 132, 160, 186, 213, 240, 255, 255]

# The mean and the deviation of changed pictures, and batches in the order of the seed.
change = image.ImageDataGenerator(featurewise_center=True, featurewise_std_normalization=True, zoom_range=0.2)
data = np.arange(48, dtype=np.float32).reshape(4, 3, 4, 1)
change.fit(data, augment=True, rounds=2, seed=1)
np.testing.assert_allclose([change.mean.item(), change.std.item()], [23.95357322692871, 13.95215129852295], rtol=1e-6)
flow = change.flow(data, np.arange(4), batch_size=3, seed=7)
(first, labels), (_, more), (_, again) = next(flow), next(flow), next(flow)
assert (labels.tolist(), more.tolist(), again.tolist()) == ([2, 1, 0], [3], [1, 3, 0])
np.testing.assert_allclose(first[0].ravel(), [0.0448, 0.096, 0.1813, 0.2599, 0.3108, 0.3619, 0.4473, 0.5258, 0.5767,
                                              0.6278, 0.7132, 0.7917], atol=1e-4)  # fmt: skip

# Places by hand: a shift by whole elements, in each way to fill.
row = np.arange(1.0, 5.0).reshape(1, 4, 1)
for mode, left, right in (("nearest", [1, 1, 1, 2], [3, 4, 4, 4]), ("constant", [9, 9, 1, 2], [3, 4, 9, 9]),
                          ("reflect", [2, 1, 1, 2], [3, 4, 4, 3]), ("wrap", [2, 3, 1, 2], [3, 4, 2, 3])):  # fmt: skip
    for shift, wanted_row in ((-2, left), (2, right)):
        matrix = np.array([[1, 0, 0], [0, 1, shift], [0, 0, 1]])
        found = image.apply_transform(row, matrix, 2, mode, 9.0)
        assert found.ravel().tolist() == wanted_row, (mode, shift, found.ravel())

# Principal components: what is whitened has the identity as its covariance.
draw = np.random.default_rng(2)
samples = draw.standard_normal((400, 2, 3, 1)) @ np.ones((1, 1)) + draw.standard_normal((400, 1, 1, 1))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    white = image.ImageDataGenerator(zca_whitening=True, featurewise_std_normalization=True)
assert len(caught) == 2 and white.featurewise_center and not white.featurewise_std_normalization
white.fit(samples)
flat = white.standardize(samples.astype(np.float32)).reshape(400, 6)
np.testing.assert_allclose(flat.T @ flat / 400, np.eye(6), atol=1e-3)

# By number, parts of the data, and a model that trains on them.
pictures = draw.random((10, 4, 4, 1))
sequence = image.ImageDataGenerator(rescale=2.0, validation_split=0.3).flow(
    pictures, np.arange(10), batch_size=4, shuffle=False, subset="validation")  # fmt: skip
assert len(sequence) == 1
np.testing.assert_allclose(sequence[0][0], 2 * pictures[:3], rtol=1e-6)
raises(ValueError, "has length 1", lambda: sequence[1])
model = keras.models.Sequential([keras.layers.Flatten(input_shape=(4, 4, 1)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
history = model.fit_generator(image.ImageDataGenerator(horizontal_flip=True).flow(pictures, np.ones(10), batch_size=5),
                              steps_per_epoch=2, epochs=8, verbose=0).history  # fmt: skip
assert history["loss"][-1] < history["loss"][0]

raises(ValueError, "strictly between 0 and 1", lambda: image.ImageDataGenerator(validation_split=5))
raises(ValueError, "fill_mode", lambda: image.ImageDataGenerator(fill_mode="mirror"))
raises(ValueError, "rank 4", lambda: image.ImageDataGenerator().flow(np.ones((3, 4, 4))))
raises(ValueError, "Invalid subset", lambda: image.ImageDataGenerator().flow(pictures, subset="test"))
raises(ValueError, "same length", lambda: image.ImageDataGenerator().flow(pictures, np.ones(3)))
raises(ValueError, "two floats", lambda: image.random_zoom(x, (1, 2, 3)))
raises(ValueError, "rank 3", lambda: image.array_to_img(np.ones((2, 2))))
