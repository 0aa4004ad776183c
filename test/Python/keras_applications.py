# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t.home
# RUN: env FLYWHEEL_CACHE= HOME=%t.home %python %s
"""Networks of `keras.applications` have the layers and the numbers of weights that their papers and Keras have, read
files of weights, and take images as they were trained with (X50)."""

import tempfile
import warnings
from pathlib import Path
from typing import Any, Callable, Type

import numpy as np

from flywheel import keras
from flywheel.keras import backend as K
from flywheel.keras.applications import VGG16, VGG19, ResNet50, imagenet_utils
from flywheel.keras.applications import vgg16 as module


def raises(error: Type[Exception], text: str, action: Callable[[], Any]) -> None:
    try:
        action()
    except error as caught:
        assert text in str(caught), str(caught)
        return
    raise AssertionError(f"expected {error.__name__}: {text}")


def networks() -> None:
    for function, count, layers, last in ((VGG16, 138357544, 23, "predictions"), (VGG19, 143667240, 26, "predictions"),
                                          (ResNet50, 25636712, 177, "fc1000")):  # fmt: skip
        K.clear_session()
        model = function(weights=None)
        assert (model.count_params(), len(model.layers)) == (count, layers), (function, len(model.layers))
        assert model.layers[-1].name == last and model.output_shape == (None, 1000)
        assert model.input_shape == (None, 224, 224, 3)
    names = [layer.name for layer in model.layers]
    assert {"conv1", "bn_conv1", "res2a_branch1", "bn5c_branch2c", "res4f_branch2b"} <= set(names), names
    assert K.int_shape(model.get_layer("res5a_branch2a").kernel) == (1, 1, 1024, 512)
    K.clear_session()
    small = VGG16(weights=None, include_top=False, input_shape=(48, 64, 3), pooling="max")
    assert [layer.name for layer in small.layers][1:4] == ["block1_conv1", "block1_conv2", "block1_pool"]
    x = np.random.RandomState(0).rand(2, 48, 64, 3).astype(np.float32)
    found = small.predict(x)
    assert found.shape == (2, 512) and np.isfinite(found).all()
    features = keras.Model(small.input, small.get_layer("block3_conv2").output).predict(x)
    assert features.shape == (2, 12, 16, 256)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "own.safetensors")
        small.save_weights(path)
        K.clear_session()
        image = keras.layers.Input((48, 64, 3))
        again = VGG16(weights=path, include_top=False, input_tensor=image, input_shape=(48, 64, 3), pooling="max")
        np.testing.assert_allclose(again.predict(x), found, rtol=1e-5)
    raises(FileNotFoundError, "nothing is downloaded", lambda: VGG16(include_top=False))
    raises(ValueError, "`classes` should be 1000", lambda: VGG19(classes=10))
    raises(ValueError, "path to the weights file", lambda: ResNet50(weights="no such file"))
    raises(ValueError, "at least 197x197", lambda: ResNet50(weights=None, include_top=False, input_shape=(100, 200, 3)))


def images() -> None:
    x = np.random.RandomState(1).uniform(0, 255, (2, 4, 5, 3)).astype(np.float32)
    wanted = {"caffe": x[..., ::-1] - np.array([103.939, 116.779, 123.68]), "tf": x / 127.5 - 1,
              "torch": (x / 255 - np.array([0.485, 0.456, 0.406])) / np.array([0.229, 0.224, 0.225])}  # fmt: skip
    turned = np.ascontiguousarray(x.transpose(0, 3, 1, 2))
    for mode, expected in wanted.items():
        for own, form, back in ((x, "channels_last", (0, 1, 2, 3)), (turned, "channels_first", (0, 2, 3, 1))):
            one = imagenet_utils.preprocess_input(own.copy(), form, mode)
            np.testing.assert_allclose(one.transpose(back), expected, rtol=1e-5, atol=1e-4)
            tensor = K.eval(imagenet_utils.preprocess_input(K.constant(own), form, mode))
            np.testing.assert_allclose(tensor.transpose(back), expected, rtol=1e-5, atol=1e-4)
            single = imagenet_utils.preprocess_input(own[0].copy(), form, mode)
            np.testing.assert_allclose(single, one[0], rtol=1e-6)
    assert module.preprocess_input is imagenet_utils.preprocess_input
    raises(ValueError, "expects a batch of predictions", lambda: module.decode_predictions(np.ones((2, 10))))
    raises(FileNotFoundError, "nothing is downloaded", lambda: module.decode_predictions(np.ones((2, 1000))))
    folder = Path("~/.keras/models").expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    names = ", ".join(f'"{i}": ["n{i:08}", "class {i}"]' for i in range(1000))
    (folder / "imagenet_class_index.json").write_text(f"{{{names}}}")
    scores = np.zeros((1, 1000))
    scores[0, [7, 3]] = 0.6, 0.4
    assert module.decode_predictions(scores, top=2) == [[("n00000007", "class 7", 0.6), ("n00000003", "class 3", 0.4)]]
    raises(AttributeError, "VGG16, VGG19 and ResNet50 are there", lambda: keras.applications.Xception)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    networks()
    images()
