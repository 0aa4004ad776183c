# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Weights of Keras 1, of Theano and of layers of cuDNN become those of the layers here (X31)."""

from typing import Any, List

import numpy as np

from configurations import raises
from flywheel.keras import layers
from flywheel.keras.engine.topology import preprocess_weights_for_loading as load
from flywheel.keras.models import Sequential

rng = np.random.default_rng(0)


def weights_of(layer: Any) -> List[Any]:
    """Gives a layer random weights, and returns them."""
    layer.set_weights([rng.normal(size=w.shape).astype(np.float32) for w in layer.get_weights()])
    return [np.array(w) for w in layer.get_weights()]


def same(found: List[Any], expected: List[Any]) -> None:
    assert len(found) == len(expected), (len(found), len(expected))
    for a, b in zip(found, expected):
        np.testing.assert_array_equal(a, b)


def gates_apart(weights: List[Any], order: List[int]) -> List[Any]:
    """Keras 1 had a kernel, a recurrent kernel and a bias for each gate."""
    parts = [np.split(w, len(order), axis=-1) for w in weights]
    return [part[gate] for gate in order for part in parts]


lstm, gru = layers.LSTM(2, input_shape=(3, 5)), layers.GRU(2, input_shape=(3, 5))
conv_lstm = layers.ConvLSTM2D(5, (3, 2), input_shape=(6, 4, 4, 3))
Sequential([lstm]), Sequential([gru]), Sequential([conv_lstm])
layer: Any
for layer, order in ((lstm, [0, 2, 1, 3]), (gru, [0, 1, 2]), (conv_lstm, [0, 2, 1, 3])):
    own = weights_of(layer)
    same(load(layer, gates_apart(own, order), "1"), own)
    same(load(layer, gates_apart(own, order), "1.2.2"), own)
    # A layer of Keras 1 that had all gates in one array, and any layer of Keras 2.
    same(load(layer, own, "1"), own)
    same(load(layer, own, "2.1.6"), own)

# Convolutions: [filters, channels, rows, columns] where channels are first.
for make, axes, place in (
    (lambda **more: layers.Conv2D(2, (3, 2), input_shape=(4, 5, 6), **more), (3, 2, 0, 1), "channels_first"),
    (lambda **more: layers.Conv2D(2, (3, 2), input_shape=(4, 5, 6), **more), (0, 1, 2, 3), "channels_last"),
    (lambda **more: layers.Conv2DTranspose(2, (3, 2), input_shape=(4, 5, 6), **more), (2, 3, 0, 1), "channels_first"),
    (lambda **more: layers.Conv2DTranspose(2, (3, 2), input_shape=(4, 5, 6), **more), (0, 1, 3, 2), "channels_last"),
    (lambda **more: layers.Conv3D(2, (3, 2, 1), input_shape=(4, 5, 6, 7), **more), (4, 3, 0, 1, 2), "channels_first"),
):
    layer = make(data_format=place)
    model: Any = Sequential([layer])
    own = weights_of(layer)
    old = [np.transpose(own[0], axes), own[1]]
    same(load(layer, old, "1"), own)
    same(load(model, old, "1"), own)
    # Theano's convolutions turn the kernel around.
    turned = [own[0][::-1, ::-1] if own[0].ndim == 4 else own[0][::-1, ::-1, ::-1], own[1]]
    same(load(layer, turned, "2.1.6", "theano"), own)
    same(load(model, turned, "2.1.6", "theano"), own)
    same(load(layer, own, "2.1.6", "cntk"), own)
    same(load(layer, [own[0].reshape(1, -1), own[1]], reshape=True), own)
    raises(ValueError, "of equal size", lambda: load(layer, [own[0][:1], own[1]], reshape=True))
    raises(ValueError, "one of the back ends tensorflow, cntk, theano, found 'x'", lambda: load(layer, own, "2", "x"))
conv = layers.Conv1D(4, 3, input_shape=(7, 2))
Sequential([conv])
own = weights_of(conv)
same(load(conv, [own[0][:, None], own[1]], "1"), own)
same(load(conv, [np.transpose(own[0], (2, 1, 0))[..., None], own[1]], "1"), own)
raises(ValueError, "of the shape (3, 1, channels, 4), found (5, 5, 5, 5)",
       lambda: load(conv, [np.ones((5, 5, 5, 5)), own[1]], "1"))  # fmt: skip

# Layers inside of others: the weights that are trained lie before the others.
both = layers.Bidirectional(layers.LSTM(3), input_shape=(4, 2))
Sequential([both])
own = weights_of(both)
same(load(both, gates_apart(own[:3], [0, 2, 1, 3]) + gates_apart(own[3:], [0, 2, 1, 3]), "1"), own)
inner = Sequential([
    layers.TimeDistributed(layers.Conv2DTranspose(2, 3), input_shape=(3, 5, 5, 1)),
    layers.BatchNormalization(),
    layers.ConvLSTM2D(2, 2),
])  # fmt: skip
inner.layers[2].trainable = False
outer = Sequential([inner, layers.Flatten(), layers.Dense(2), layers.BatchNormalization()])
for layer in inner.layers + outer.layers[2:]:
    weights_of(layer)
by_layer = {layer.name: layer.get_weights() for layer in inner.layers + outer.layers[2:]}
transpose, norm, recurrent = (by_layer[layer.name] for layer in inner.layers)
dense, last = (by_layer[layer.name] for layer in outer.layers[2:])
# As `weights` lists them, which is the order of files.
expected = [*transpose, *norm[:2], *dense, *last[:2], *norm[2:], *recurrent, *last[2:]]
old = [np.transpose(transpose[0], (0, 1, 3, 2)), transpose[1], *norm[:2], *dense, *last[:2], *norm[2:],
       *gates_apart(recurrent, [0, 2, 1, 3]), *last[2:]]  # fmt: skip
same(load(outer, old, "1"), expected)
same(load(outer, expected, "2.1.6"), expected)
raises(ValueError, "expects 24 weights, found 23", lambda: load(outer, old[:-1], "1"))
raises(ValueError, "expects 15 weights, found 14", lambda: load(outer, expected[:-1], "2.1.6"))

# Layers of cuDNN have two biases for each gate, and their kernels lie in the other order.
after = layers.GRU(2, input_shape=(3, 5), reset_after=True)
Sequential([after])
for layer, gates in ((lstm, 4), (after, 3)):
    own = weights_of(layer)
    kernels = np.hstack([k.T.ravel().reshape(k.shape) for k in np.hsplit(own[0], gates)])
    recurrents = np.hstack([k.T for k in np.hsplit(own[1], gates)])
    bias = rng.normal(size=2 * gates * 2).astype(np.float32)
    own[2] = bias[: gates * 2] + bias[gates * 2 :] if gates == 4 else bias.reshape(2, -1)
    same(load(layer, [kernels, recurrents, bias]), own)
    raises(ValueError, "expects a bias of the shape", lambda: load(layer, [kernels, recurrents, bias[1:]]))
raises(ValueError, "expects a bias of the shape (6,), found (12,)", lambda: load(gru, [kernels, recurrents, bias]))
