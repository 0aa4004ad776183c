# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of other versions and back ends of Keras, in the shapes and the order of the layers here."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

# The gates of recurrent layers of Keras 1, which kept a kernel, a recurrent kernel and a bias for each, in the order of
# Keras 2: an LSTM had i, c, f, o.
_GRU_GATES, _LSTM_GATES = (0, 1, 2), (0, 2, 1, 3)
# True for the back ends whose convolutions are cross-correlations, as here.
_CORRELATES = {"tensorflow": True, "cntk": True, "theano": False}


def preprocess_weights_for_loading(
    layer: Any,
    weights: Sequence[Any],
    original_keras_version: Optional[str] = None,
    original_backend: Optional[str] = None,
    reshape: bool = False,
) -> List[Any]:
    """Returns the weights of a layer from a file as the layer here takes them. `original_keras_version` "1" turns the
    kernels of convolutions and the gates of recurrent layers into those of Keras 2; `original_backend` "theano" flips
    the kernels of convolutions; `reshape` gives the kernel of a convolution with as many elements its shape. The
    weights of `CuDNNLSTM` and `CuDNNGRU` become those of `LSTM` and of `GRU(reset_after=True)`. Raises ValueError for
    weights that do not fit."""
    from .. import layers
    from ..engine.network import Network

    weights = list(weights)
    is_old = original_keras_version is not None and original_keras_version.partition(".")[0] == "1"
    if isinstance(layer, (Network, layers.TimeDistributed, layers.Bidirectional)):
        found: List[Any] = []
        for inner, count in _counts(layer, len(weights), is_old):
            own, weights = weights[:count], weights[count:]
            found += preprocess_weights_for_loading(inner, own, original_keras_version, original_backend, reshape)
        return found
    change = _changes().get(type(layer))
    if is_old and change is not None and weights:
        weights = change(layer, weights)
    if isinstance(layer, (layers.Conv1D, layers.Conv2D, layers.Conv3D, layers.Conv2DTranspose, layers.ConvLSTM2D)):
        kernels = 2 if isinstance(layer, layers.ConvLSTM2D) else 1
        weights = [*_convolutions(layer, weights[:kernels], original_backend, reshape), *weights[kernels:]]
    return _from_cudnn(layer, weights)


def _counts(layer: Any, total: int, is_old: bool) -> List[Tuple[Any, int]]:
    """Returns the layers inside of another one, in the order of their weights, with how many of the `total` arrays of a
    file are each one's. Raises ValueError for another number."""
    from .. import layers

    trained, others = _parts(layer)
    counts = [(one, count) for one, count in [*trained, *others] if count]
    expected = sum(count for _, count in counts)
    if is_old and total != expected:
        # Recurrent layers of Keras 1 have arrays for each gate.
        gates = {layers.GRU: 3, layers.LSTM: 4, layers.ConvLSTM2D: 4}
        counts = [(one, gates.get(type(one), 1) * count) for one, count in counts]
        expected = sum(count for _, count in counts)
    if total != expected:
        raise ValueError(f"'{layer.name}' expects {expected} weights, found {total}")
    return counts


def _parts(layer: Any) -> Tuple[List[Tuple[Any, int]], List[Tuple[Any, int]]]:
    """Returns the innermost layers with their numbers of weights that are trained, and of the others."""
    from .. import layers
    from ..engine.network import Network

    if isinstance(layer, Network):
        inner = layer.layers
    elif isinstance(layer, layers.TimeDistributed):
        inner = [layer.layer]
    elif isinstance(layer, layers.Bidirectional):
        inner = [layer.forward_layer, layer.backward_layer]
    else:
        return [(layer, len(layer.trainable_weights))], [(layer, len(layer.non_trainable_weights))]
    parts = [_parts(one) for one in inner]
    trained, others = ([pair for part in parts for pair in part[i]] for i in (0, 1))
    return (trained, others) if layer.trainable else ([], [*trained, *others])


def _changes() -> Dict[Any, Callable[[Any, List[Any]], List[Any]]]:
    """Returns how the weights of each class of layers changed from Keras 1 to Keras 2."""
    from .. import layers

    return {layers.Conv1D: _conv_1d, layers.Conv2D: _conv, layers.Conv3D: _conv,
            layers.Conv2DTranspose: _conv_transpose, layers.GRU: lambda layer, ws: _joined(ws, _GRU_GATES),
            layers.LSTM: lambda layer, ws: _joined(ws, _LSTM_GATES), layers.ConvLSTM2D: _conv_lstm}  # fmt: skip


def _joined(weights: List[Any], gates: Sequence[int]) -> List[Any]:
    """Returns a kernel, a recurrent kernel and a bias of all gates; each gate has such three."""
    if len(weights) != 3 * len(gates):
        return weights
    return [np.concatenate([weights[3 * gate + part] for gate in gates], axis=-1) for part in range(3)]


def _filters_last(kernel: Any) -> Any:
    """Returns a kernel [filters, channels, ...] as [..., channels, filters]."""
    return np.moveaxis(kernel, (1, 0), (-2, -1))


def _conv_1d(layer: Any, weights: List[Any]) -> List[Any]:
    # Keras 1.2 had [size, 1, channels, filters], Keras 1.1 [filters, channels, size, 1].
    kernel, size = np.asarray(weights[0]), layer.kernel_size[0]
    if kernel.ndim == 3:
        return weights
    if kernel.ndim != 4 or (kernel.shape[:2] != (size, 1) or kernel.shape[3] != layer.filters):
        if kernel.ndim != 4 or kernel.shape[0] != layer.filters or kernel.shape[2:] != (size, 1):
            raise ValueError(f"layer '{layer.name}' expects a kernel of Keras 1 of the shape ({size}, 1, channels, "
                             f"{layer.filters}), found {kernel.shape}")  # fmt: skip
        kernel = _filters_last(kernel)
    return [kernel[:, 0], *weights[1:]]


def _conv(layer: Any, weights: List[Any]) -> List[Any]:
    return [_filters_last(weights[0]), *weights[1:]] if layer.data_format == "channels_first" else weights


def _conv_transpose(layer: Any, weights: List[Any]) -> List[Any]:
    # Keras 2 has [rows, columns, filters, channels].
    order = (2, 3, 0, 1) if layer.data_format == "channels_first" else (0, 1, 3, 2)
    return [np.transpose(weights[0], order), *weights[1:]]


def _conv_lstm(layer: Any, weights: List[Any]) -> List[Any]:
    if len(weights) != 12:
        return weights
    kernel, recurrent, bias = _joined(weights, _LSTM_GATES)
    if layer.data_format == "channels_first":
        kernel, recurrent = (np.transpose(one, (2, 3, 1, 0)) for one in (kernel, recurrent))
    return [kernel, recurrent, bias]


def _convolutions(layer: Any, kernels: List[Any], backend: Optional[str], reshape: bool) -> List[Any]:
    """Returns the kernels of a layer of convolutions, flipped if the back end did not correlate, and in the shape of
    the layer."""
    from .. import backend as K
    from ..utils.conv_utils import convert_kernel

    if backend is not None and backend not in _CORRELATES:
        raise ValueError(f"expected weights of one of the back ends {', '.join(_CORRELATES)}, found '{backend}'")
    if backend is not None and not _CORRELATES[backend]:
        kernels = [convert_kernel(one) for one in kernels]
    shapes = [K.int_shape(w) for w in layer.weights[: len(kernels)]]
    if reshape and shapes[0] != np.shape(kernels[0]):
        if np.size(kernels[0]) != np.prod(shapes[0]):
            raise ValueError(f"Weights must be of equal size to apply a reshape operation: layer '{layer.name}' has "
                             f"the shape {shapes[0]}, the file {np.shape(kernels[0])}")  # fmt: skip
        return [np.reshape(kernels[0], shapes[0]), *kernels[1:]]
    # Kernels [rows, columns, channels, filters] for a layer that keeps [filters, channels, rows, columns].
    turned = [np.transpose(one, (3, 2, 0, 1)) if np.ndim(one) == 4 else one for one in kernels]
    fits = [np.shape(one) for one in turned] == shapes and [np.shape(one) for one in kernels] != shapes
    return turned if fits else kernels


def _from_cudnn(layer: Any, weights: List[Any]) -> List[Any]:
    """Returns the weights of `LSTM` or `GRU` of ones of `CuDNNLSTM` or `CuDNNGRU`, which have two biases for each gate
    and kernels whose elements lie in another order. Raises ValueError for a bias of another layer."""
    from .. import layers

    gates = {layers.LSTM: 4, layers.GRU: 3}.get(type(layer))
    if gates is None or len(weights) != 3 or np.ndim(weights[1]) != 2:
        return weights
    kernel, recurrent, bias = (np.asarray(w) for w in weights)
    both = 2 * gates * recurrent.shape[0]
    after = gates == 3 and layer.reset_after
    own = (2, both // 2) if after else (both // 2,)
    if bias.shape == own:
        return weights
    if bias.shape != (both,) or (gates == 3 and not after):
        raise ValueError(f"layer '{layer.name}' expects a bias of the shape {own}, found {bias.shape}")
    kernel = np.hstack([one.reshape(one.shape[::-1]).T for one in np.hsplit(kernel, gates)])
    recurrent = np.hstack([one.T for one in np.hsplit(recurrent, gates)])
    return [kernel, recurrent, bias.reshape(own) if after else bias.reshape(2, -1).sum(0)]
