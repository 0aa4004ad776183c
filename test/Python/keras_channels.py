# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mypy: disable-error-code="arg-type, call-arg, misc, no-untyped-call"
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Layers with the channels before the sizes of space compute what they compute with the channels last (X2, X3, X31),
and arguments of Keras 1 make the layers that those of Keras 2 make."""

import warnings
from typing import Any, Dict, List, Tuple

import numpy as np

from flywheel.keras import backend as K
from flywheel.keras import layers as L
from flywheel.keras.models import Model

# A layer, its arguments, and the dimensions of space of its inputs.
LAYERS: List[Tuple[str, Dict[str, Any], int]] = [
    ("Conv1D", {"filters": 3, "kernel_size": 3, "padding": "causal", "dilation_rate": 2}, 1),
    ("Conv1D", {"filters": 3, "kernel_size": 2, "padding": "same", "strides": 2}, 1),
    ("Conv2D", {"filters": 4, "kernel_size": (3, 2), "padding": "same", "strides": (2, 1)}, 2),
    ("Conv2D", {"filters": 4, "kernel_size": 2, "dilation_rate": 2, "activation": "tanh"}, 2),
    ("Conv3D", {"filters": 2, "kernel_size": 2, "padding": "same", "strides": 2}, 3),
    ("Conv2DTranspose", {"filters": 3, "kernel_size": 3, "strides": 2, "padding": "same"}, 2),
    ("Conv3DTranspose", {"filters": 2, "kernel_size": 2, "strides": 2}, 3),
    ("Conv3DTranspose", {"filters": 2, "kernel_size": 3, "strides": 2, "padding": "same"}, 3),
    ("SeparableConv1D", {"filters": 3, "kernel_size": 2, "depth_multiplier": 2}, 1),
    ("SeparableConv2D", {"filters": 3, "kernel_size": 2, "dilation_rate": 2}, 2),
    ("DepthwiseConv2D", {"kernel_size": 2, "depth_multiplier": 2}, 2),
    ("MaxPooling1D", {"pool_size": 2}, 1), ("AveragePooling2D", {"pool_size": 2, "padding": "same"}, 2),
    ("MaxPooling3D", {"pool_size": (1, 2, 2), "padding": "same"}, 3), ("AveragePooling3D", {}, 3),
    ("GlobalMaxPooling2D", {}, 2), ("GlobalAveragePooling3D", {}, 3), ("UpSampling2D", {"size": (2, 3)}, 2),
    ("UpSampling3D", {}, 3), ("ZeroPadding2D", {"padding": ((1, 0), (0, 2))}, 2), ("ZeroPadding3D", {}, 3),
    ("Cropping2D", {"cropping": ((1, 0), (0, 2))}, 2), ("Cropping3D", {}, 3), ("Flatten", {}, 2),
]  # fmt: skip


def to_first(x: Any) -> Any:
    return np.moveaxis(x, -1, 1) if x.ndim > 2 else x


def step_of(layer: Any, x: Any, weights: Any) -> Tuple[Any, Any, Any]:
    """The outputs, the configuration of the shape, and the weights after a step of training."""
    given = L.Input(x.shape[1:])
    model = Model(given, layer(given))
    rng = np.random.default_rng(3)
    model.set_weights([rng.normal(size=w.shape) for w in model.get_weights()] if weights is None else weights)
    start = model.get_weights()
    y = model.predict(x)
    assert y.shape[1:] == tuple(layer.compute_output_shape(x.shape))[1:] == K.int_shape(model.output)[1:]
    if start:
        model.compile("sgd", "mse")
        model.train_on_batch(x, np.zeros_like(y))
    return y, start, model.get_weights()


def test_formats() -> None:
    for name, arguments, dims in LAYERS:
        x = np.random.default_rng(0).normal(size=(2, *[7, 6, 5][:dims], 3)).astype(np.float32)
        kind = getattr(L, name)
        last = step_of(kind(data_format="channels_last", **arguments), x, None)
        first = step_of(kind(data_format="channels_first", **arguments), to_first(x), last[1])
        np.testing.assert_allclose(first[0], to_first(last[0]), 1e-5, 1e-6, err_msg=name)
        for a, b in zip(first[2], last[2]):
            np.testing.assert_allclose(a, b, 1e-4, 1e-5, err_msg=name)
        # By the setting of the backend, which sequences do not follow.
        K.set_image_data_format("channels_first")
        try:
            x_set = x if dims == 1 else to_first(x)
            found = step_of(kind(**arguments), x_set, last[1])[0]
        finally:
            K.set_image_data_format("channels_last")
        np.testing.assert_allclose(found, last[0] if dims == 1 else to_first(last[0]), 1e-5, 1e-6, err_msg=name)


def test_units_follow_no_setting() -> None:
    """A bias of units is along the last dimension, whatever the place of channels."""
    x = np.zeros((2, 3, 3), np.float32)
    K.set_image_data_format("channels_first")
    try:
        y = step_of(L.Dense(3), x, [np.zeros((3, 3)), np.arange(3)])[0]
    finally:
        K.set_image_data_format("channels_last")
    np.testing.assert_array_equal(y[0, 0], [0, 1, 2])


def test_softmax_is_of_the_last_dimension() -> None:
    """As in Keras, an activation is of the results in the order that the layer gives."""
    x = np.random.default_rng(1).normal(size=(2, 3, 4, 5)).astype(np.float32)
    y = step_of(L.Conv2D(2, 1, activation="softmax", data_format="channels_first"), x, None)[0]
    np.testing.assert_allclose(y.sum(-1), np.ones(y.shape[:-1]), 1e-5)


def test_default() -> None:
    """The order of dimensions of the backend is that of layers that say none."""
    K.set_image_data_format("channels_first")
    try:
        assert L.Conv2D(2, 3).data_format == "channels_first"
        assert L.Conv2D(2, 3, data_format="channels_last").data_format == "channels_last"
        x = K.placeholder((2, 3, 8, 8))
        assert K.int_shape(K.pool2d(x, (2, 2), (2, 2))) == (2, 3, 4, 4)
        assert K.int_shape(K.resize_images(x, 2, 2, None)) == (2, 3, 16, 16)
    finally:
        K.set_image_data_format("channels_last")
    for bad in (lambda: L.Conv2D(2, 3, data_format="first"), lambda: K.set_image_data_format("NHWC")):
        try:
            bad()
        except ValueError as error:
            assert "data_format" in str(error)
        else:
            raise AssertionError("no ValueError")


def test_batch_normalization_along_an_axis() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(2.0, 3.0, size=(8, 3, 4, 5)).astype(np.float32)
    for axis in (1, 2, 3, -1, -3):
        given = L.Input((3, 4, 5))
        y = K.function([given], [L.BatchNormalization(axis=axis)(given, training=True)])([x])[0]
        others = tuple(i for i in range(4) if i != axis % 4)
        np.testing.assert_allclose(y.mean(others), 0, atol=1e-5)
        np.testing.assert_allclose(y.std(others), 1, atol=1e-3)


OLD_AND_NEW = [
    (lambda: L.Dense(output_dim=2, input_dim=3, init="normal", W_regularizer="l1", bias=False, name="x"),
     lambda: L.Dense(2, input_shape=(3,), kernel_initializer="normal", kernel_regularizer="l1", use_bias=False,
                     name="x")),
    (lambda: L.Convolution2D(5, 3, 4, subsample=(2, 2), border_mode="same", dim_ordering="th", name="x"),
     lambda: L.Conv2D(5, (3, 4), strides=(2, 2), padding="same", data_format="channels_first", name="x")),
    (lambda: L.Convolution2D(nb_filter=5, nb_row=3, nb_col=4, name="x"), lambda: L.Conv2D(5, (3, 4), name="x")),
    (lambda: L.Conv2D(5, 3, 2, name="x"), lambda: L.Conv2D(5, (3, 2), name="x")),
    (lambda: L.Convolution1D(5, filter_length=3, input_dim=3, input_length=4, name="x"),
     lambda: L.Conv1D(5, 3, input_shape=(4, 3), name="x")),
    (lambda: L.MaxPooling2D((2, 2), border_mode="same", dim_ordering="tf", name="x"),
     lambda: L.MaxPooling2D(2, padding="same", name="x")),
    (lambda: L.LSTM(output_dim=2, inner_activation="sigmoid", dropout_W=0.1, forget_bias_init="one", name="x"),
     lambda: L.LSTM(2, recurrent_activation="sigmoid", dropout=0.1, name="x")),
    (lambda: L.Dropout(p=0.4, name="x"), lambda: L.Dropout(0.4, name="x")),
    (lambda: L.AtrousConvolution2D(5, 3, 3, atrous_rate=(2, 2), name="x"),
     lambda: L.Conv2D(5, 3, dilation_rate=2, name="x")),
    (lambda: L.ZeroPadding2D(padding={"top_pad": 1, "right_pad": 4}, name="x"),
     lambda: L.ZeroPadding2D(((1, 0), (0, 4)), name="x")),
    (lambda: L.BatchNormalization(mode=0, gamma_init="zero", name="x"),
     lambda: L.BatchNormalization(gamma_initializer="zero", name="x")),
]  # fmt: skip


def test_arguments_of_keras_1() -> None:
    for old, new in OLD_AND_NEW:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert old().get_config() == new().get_config()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        L.Dense(output_dim=2)
        L.Dense(2, use_bias=True)
        assert [str(one.message) for one in seen] == ["Update your `Dense` call to the Keras 2 API: `output_dim` is "
                                                      "`units`"]  # fmt: skip
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert L.Conv2D(5, 3, 2).kernel_size == (3, 2)
        assert len(seen) == 1 and "kernel_size=(3, 2)" in str(seen[0].message)
        assert L.ZeroPadding2D({"top_pad": 1}).padding == [(1, 0), (0, 0)]
    # Two numbers beside arguments of Keras 2 may be the size and the strides.
    for bad, kind in ((lambda: L.Conv2D(32, 3, 2, padding="same"), ValueError),
                      (lambda: L.Conv2D(8, "33"), ValueError), (lambda: L.Conv2D(8, (2.7, 3)), ValueError),
                      (lambda: L.Dense(units=2, output_dim=3), TypeError),
                      (lambda: L.MaxPooling2D(dim_ordering="NHWC"), ValueError),
                      (lambda: L.BatchNormalization(mode=2), TypeError)):  # fmt: skip
        try:
            bad()
        except kind:
            continue
        raise AssertionError(f"no {kind.__name__}")


for test in (test_formats, test_units_follow_no_setting, test_softmax_is_of_the_last_dimension, test_default,
             test_batch_normalization_along_an_axis, test_arguments_of_keras_1):  # fmt: skip
    test()
    print("ok", test.__name__)
