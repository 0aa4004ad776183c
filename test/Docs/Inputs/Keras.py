# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The data of docs/Guides/Keras.md.
import numpy as np

from flywheel.data import load
from flywheel.keras.utils import to_categorical

np.random.seed(1)
digits = load("examples/digits/digits.safetensors")
image, label = digits["image"].astype("float32") / 16, to_categorical(digits["label"], 10)
x_train, y_train, x_test, y_test = image[:1497], label[:1497], image[1497:], label[1497:]


def check():
    assert history.history["val_acc"][-1] > 0.85, history.history
    np.testing.assert_allclose(K.get_value(p), [0.9, -1.8, 2.7], rtol=1e-6)
