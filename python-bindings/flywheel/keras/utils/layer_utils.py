# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of models, and weights of other conventions."""

from typing import Any, Iterable, Optional

import numpy as np

from .. import _summary
from .. import backend as K
from .conv_utils import convert_kernel

__all__ = ["convert_all_kernels_in_model", "convert_dense_weights_data_format", "count_params", "print_summary"]

_CONVOLUTIONS = ("Conv1D", "Conv2D", "Conv3D", "Conv2DTranspose")


def count_params(weights: Iterable[Any]) -> int:
    """The number of elements of weights, each of which counts once."""
    return sum(K.count_params(weight) for weight in set(weights))


def print_summary(model: Any, line_length: Optional[int] = None, positions: Any = None, print_fn: Any = None) -> None:
    """Prints layers, shapes of their outputs and how many parameters they have: see `Model.summary`."""
    _summary.show(model, line_length, positions, print if print_fn is None else print_fn)


def convert_all_kernels_in_model(model: Any) -> None:
    """Turns the kernels of convolutions around: correlations become convolutions, and the reverse."""
    kernels = [layer.kernel for layer in model.layers if type(layer).__name__ in _CONVOLUTIONS]
    K.batch_set_value([(kernel, convert_kernel(K.get_value(kernel))) for kernel in kernels])


def convert_dense_weights_data_format(
    dense: Any, previous_feature_map_shape: Any, target_data_format: str = "channels_first"
) -> None:
    """Reorders the inputs of a dense layer, which were pictures of `previous_feature_map_shape` in the order of
    channels of the target, and had the other order when the weights were trained. Raises ValueError for another
    format."""
    if target_data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"expected channels_first or channels_last, found {target_data_format!r}")
    kernel, *bias = dense.get_weights()
    shape = tuple(previous_feature_map_shape)
    if target_data_format == "channels_first":
        before, order = (*shape[1:], shape[0]), (2, 0, 1, 3)
    else:
        before, order = (shape[2], *shape[:2]), (1, 2, 0, 3)
    moved = np.transpose(kernel.reshape((*before, kernel.shape[1])), order)
    dense.set_weights([moved.reshape(kernel.shape), *bias])
