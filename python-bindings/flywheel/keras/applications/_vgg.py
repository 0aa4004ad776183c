# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of K. Simonyan and A. Zisserman, "Very Deep Convolutional Networks for Large-Scale Image Recognition",
2014."""

from typing import Any, Sequence

from ..layers import Conv2D, Dense, Flatten, MaxPooling2D
from ._networks import build

_FILTERS = (64, 128, 256, 512, 512)


def vgg(
    depth: int, counts: Sequence[int], include_top: bool, weights: Any, input_tensor: Any, input_shape: Any,
    pooling: Any, classes: int,
) -> Any:  # fmt: skip
    """Returns a network of five blocks; `counts` has the number of convolutions of each."""

    def body(x: Any) -> Any:
        for block, (count, filters) in enumerate(zip(counts, _FILTERS), 1):
            for number in range(1, count + 1):
                x = Conv2D(filters, (3, 3), activation="relu", padding="same", name=f"block{block}_conv{number}")(x)
            x = MaxPooling2D((2, 2), strides=(2, 2), name=f"block{block}_pool")(x)
        return x

    def top(x: Any, classes: int) -> Any:
        x = Flatten(name="flatten")(x)
        for name in ("fc1", "fc2"):
            x = Dense(4096, activation="relu", name=name)(x)
        return Dense(classes, activation="softmax", name="predictions")(x)

    return build(f"vgg{depth}", f"vgg{depth}_weights_tf_dim_ordering_tf_kernels.h5", 48, body, top, include_top,
                 weights, input_tensor, input_shape, pooling, classes)  # fmt: skip
