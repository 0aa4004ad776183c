# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""VGG19, with the names of layers and of the files of weights that Keras has."""

from typing import Any

from ._vgg import vgg
from .imagenet_utils import decode_predictions, preprocess_input

__all__ = ["VGG19", "decode_predictions", "preprocess_input"]


def VGG19(  # noqa: N802
    include_top: bool = True, weights: Any = "imagenet", input_tensor: Any = None, input_shape: Any = None,
    pooling: Any = None, classes: int = 1000,
) -> Any:  # fmt: skip
    """The network of 19 layers. Nothing is downloaded: `weights` is None, the path of a file, or "imagenet" if its file
    is in ~/.keras/models."""
    return vgg(19, (2, 2, 4, 4, 4), include_top, weights, input_tensor, input_shape, pooling, classes)
