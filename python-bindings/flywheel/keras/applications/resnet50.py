# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ResNet50 (K. He et al., "Deep Residual Learning for Image Recognition", 2015), with the names of layers and of the
files of weights that Keras has."""

from typing import Any

from .. import backend as K
from ..layers import (
    Activation,
    AveragePooling2D,
    BatchNormalization,
    Conv2D,
    Dense,
    Flatten,
    MaxPooling2D,
    ZeroPadding2D,
    add,
)
from ._networks import build
from .imagenet_utils import decode_predictions, preprocess_input

__all__ = ["ResNet50", "decode_predictions", "preprocess_input"]

# The numbers of blocks in the stages 2 to 5.
_BLOCKS = (3, 4, 6, 3)


def _convolved(x: Any, filters: int, size: int, strides: int, name: str, branch: str) -> Any:
    """Returns a convolution and the normalization of its channels."""
    axis = 3 if K.image_data_format() == "channels_last" else 1
    x = Conv2D(filters, (size, size), strides=(strides, strides), padding="same" if size == 3 else "valid",
               name=f"res{name}_branch{branch}")(x)  # fmt: skip
    return BatchNormalization(axis=axis, name=f"bn{name}_branch{branch}")(x)


def _block(x: Any, filters: int, stage: int, block: int) -> Any:
    """Returns a bottleneck and what goes past it, which the first block of a stage projects."""
    name = f"{stage}{chr(ord('a') + block)}"
    strides = 2 if block == 0 and stage > 2 else 1
    y = Activation("relu")(_convolved(x, filters, 1, strides, name, "2a"))
    y = Activation("relu")(_convolved(y, filters, 3, 1, name, "2b"))
    y = _convolved(y, 4 * filters, 1, 1, name, "2c")
    past = _convolved(x, 4 * filters, 1, strides, name, "1") if block == 0 else x
    return Activation("relu")(add([y, past]))


def ResNet50(  # noqa: N802
    include_top: bool = True, weights: Any = "imagenet", input_tensor: Any = None, input_shape: Any = None,
    pooling: Any = None, classes: int = 1000,
) -> Any:  # fmt: skip
    """The network of 50 layers. Nothing is downloaded: `weights` is None, the path of a file, or "imagenet" if its file
    is in ~/.keras/models."""

    def body(x: Any) -> Any:
        axis = 3 if K.image_data_format() == "channels_last" else 1
        x = ZeroPadding2D(padding=(3, 3), name="conv1_pad")(x)
        x = Conv2D(64, (7, 7), strides=(2, 2), padding="valid", name="conv1")(x)
        x = Activation("relu")(BatchNormalization(axis=axis, name="bn_conv1")(x))
        x = MaxPooling2D((3, 3), strides=(2, 2))(x)
        for stage, count in enumerate(_BLOCKS, 2):
            for block in range(count):
                x = _block(x, 2 ** (stage + 4), stage, block)
        return AveragePooling2D((7, 7), name="avg_pool")(x)

    def top(x: Any, classes: int) -> Any:
        return Dense(classes, activation="softmax", name="fc1000")(Flatten()(x))

    return build("resnet50", "resnet50_weights_tf_dim_ordering_tf_kernels.h5", 197, body, top, include_top, weights,
                 input_tensor, input_shape, pooling, classes)  # fmt: skip
