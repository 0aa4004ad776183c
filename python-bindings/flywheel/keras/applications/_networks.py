# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs, ends and weights of the networks of `keras.applications`."""

import os
from typing import Any, Callable

from .. import backend as K
from ..engine.network import get_source_inputs
from ..engine.training import Model
from ..layers import GlobalAveragePooling2D, GlobalMaxPooling2D, Input
from .imagenet_utils import _obtain_input_shape, file_of


def build(
    name: str, file: str, least: int, body: Callable[[Any], Any], top: Callable[[Any, int], Any], include_top: bool,
    weights: Any, input_tensor: Any, input_shape: Any, pooling: Any, classes: int,
) -> Any:  # fmt: skip
    """Returns a network: `body` of images, and then `top` or a pooling. `weights` is None, the path of a file, or
    "imagenet" for the file that Keras has put into ~/.keras/models. Raises FileNotFoundError if that is not there."""
    if weights not in ("imagenet", None) and not os.path.exists(weights):
        raise ValueError("The `weights` argument should be either `None` (random initialization), `imagenet` "
                         "(pre-training on ImageNet), or the path to the weights file to be loaded.")  # fmt: skip
    if weights == "imagenet" and include_top and classes != 1000:
        raise ValueError("If using `weights` as imagenet with `include_top` as true, `classes` should be 1000")
    path = weights
    if weights == "imagenet":
        path = file_of(file if include_top else file.replace(".h5", "_notop.h5"))
        if not path.exists():
            raise FileNotFoundError(f"{name} with weights='imagenet' reads {path}, which is not there, and nothing is "
                                    "downloaded: give weights=None, or the path of a file")  # fmt: skip
    shape = _obtain_input_shape(input_shape, 224, least, K.image_data_format(), include_top, weights)
    if input_tensor is None:
        images = Input(shape=shape)
    else:
        images = input_tensor if K.is_keras_tensor(input_tensor) else Input(tensor=input_tensor, shape=shape)
    x = body(images)
    if include_top:
        x = top(x, classes)
    elif pooling is not None:
        if pooling not in ("avg", "max"):
            raise ValueError(f"expected a pooling of None, 'avg' or 'max', found {pooling!r}")
        x = (GlobalAveragePooling2D if pooling == "avg" else GlobalMaxPooling2D)()(x)
    model = Model(images if input_tensor is None else get_source_inputs(images), x, name=name)
    if path is not None:
        model.load_weights(str(path))
    return model
