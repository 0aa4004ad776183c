# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= FLYWHEEL_GPU_TARGET=cuda:sm_90a:bitcode %python %s
# RUN: env FLYWHEEL_CACHE= FLYWHEEL_LIBCUDA=/none/libcuda.so %python %s --without
"""Placement of ops: traced functions, models of Keras, and graphs of flywheel.v1 on a device (D1, D2, D3); with
--without on a machine that has no GPU."""

import sys
import warnings
from typing import Any, Callable, Type

import numpy as np

import flywheel
import flywheel.v1 as tf
import simulator_counters
from flywheel import keras


def expect_error(kind: Type[BaseException], text: str, call: Callable[[], Any]) -> None:
    try:
        call()
    except kind as error:
        assert text in str(error), str(error)
    else:
        raise AssertionError(f"expected an error: {text}")


def counted(call: Callable[[], Any], on_device: bool) -> Any:
    result, counts = simulator_counters.counted(call)
    assert (counts["kernels"] > 0) == on_device, counts
    return result


def test_functions() -> None:
    w = flywheel.Variable(np.ones(3, np.float32), name="w")

    @flywheel.function(target="cuda:sm_90a:bitcode")
    def add(x: Any) -> Any:
        w.assign_add(x)
        return w.read() * 2

    @flywheel.function
    def subtract(x: Any) -> Any:
        w.assign_sub(x)
        return w.read() * 2

    x = np.arange(3, dtype=np.float32)
    # The value goes where it is used next (D3).
    for _ in range(3):
        found = counted(lambda: add(x), True)
        np.testing.assert_allclose(found, 2 * (1 + x))
        np.testing.assert_allclose(counted(lambda: subtract(x), False), [2, 2, 2])
        np.testing.assert_allclose(w.numpy(), 1)
    for _ in range(3):
        add(x)
    np.testing.assert_allclose(w.numpy(), 1 + 3 * x)
    with flywheel.device("/gpu:0"):
        triple = flywheel.function(lambda x: 3 * x)
    np.testing.assert_allclose(counted(lambda: triple(x), True), 3 * x)
    elsewhere = flywheel.device("/gpu:1")
    expect_error(ValueError, "Cannot assign a device: it is to be '/gpu:1'", elsewhere.__enter__)


def test_keras() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((64, 5)).astype(np.float32)
    y = (x.sum(axis=1, keepdims=True) > 0).astype(np.float32)

    def train() -> Any:
        model = keras.models.Sequential([keras.layers.Dense(8, activation="tanh", input_shape=(5,)),
                                         keras.layers.Dense(1, activation="sigmoid")])
        model.compile(optimizer="adam", loss="binary_crossentropy")
        weights = [np.full(w.shape, 0.1 * (i + 1), np.float32) for i, w in enumerate(model.get_weights())]
        model.set_weights(weights)
        model.fit(x, y, batch_size=16, epochs=2, shuffle=False, verbose=0)
        return model.predict(x)

    def on_device() -> Any:
        with flywheel.device("/gpu:0"):
            return train()

    np.testing.assert_allclose(counted(on_device, True), counted(train, False), rtol=1e-4, atol=1e-5)


def graph(place: str) -> Any:
    tf.reset_default_graph()
    with tf.device(place):
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        v = tf.get_variable("v", [3], initializer=tf.ones_initializer())
        loss = tf.reduce_mean(tf.square(x * v - 2.0))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return x, v, loss, train


def losses(place: str, config: Any = None) -> Any:
    x, v, loss, train = graph(place)
    with tf.Session(config=config) as session:
        session.run(tf.global_variables_initializer())
        feed = {x: np.arange(6, dtype=np.float32).reshape(2, 3)}
        found = [session.run([loss, train], feed)[0] for _ in range(4)]
        return np.array([*found, *session.run(v)])


def test_graphs() -> None:
    expected = counted(lambda: losses("/cpu:0"), False)
    np.testing.assert_allclose(counted(lambda: losses("/gpu:0"), True), expected, rtol=1e-5)
    np.testing.assert_allclose(counted(lambda: losses("/job:worker/device:GPU:0"), True), expected, rtol=1e-5)
    available = "the available devices are: /cpu:0, /gpu:0"
    expect_error(tf.errors.InvalidArgumentError, available, lambda: losses("/gpu:1"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        soft = losses("/gpu:1", tf.ConfigProto(allow_soft_placement=True))
    np.testing.assert_allclose(soft, expected, rtol=1e-5)
    assert any("Cannot assign a device" in str(warning.message) for warning in caught)


def test_variables() -> None:
    text = """
train.variable @v : tensor<2xf32> {device = "/gpu:0"}
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %v = train.read @v : tensor<2xf32>
  %y = arith.mulf %x, %v : tensor<2xf32>
  return %y : tensor<2xf32>
}
"""
    flywheel.Session(flywheel.compile(text, target="cuda:sm_90a:bitcode"))
    expect_error(flywheel.InvalidArgumentError, "the available devices are: /cpu:0",
                 lambda: flywheel.Session(flywheel.compile(text)))
    expect_error(flywheel.InvalidArgumentError, "the available devices are: /cpu:0, /gpu:0",
                 lambda: flywheel.Session(flywheel.compile(text.replace("gpu:0", "gpu:1"), target="cuda")))


def without() -> None:
    """Compiling works, and what is to run says what is missing."""
    expected = losses("/cpu:0")
    expect_error(tf.errors.InvalidArgumentError, "the available devices are: /cpu:0", lambda: losses("/gpu:0"))
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        soft = losses("/gpu:0", tf.ConfigProto(allow_soft_placement=True))
    np.testing.assert_allclose(soft, expected)
    double = flywheel.function(lambda x: 2 * x, target="cuda:sm_80")
    expect_error(flywheel.FailedPreconditionError, "no driver of a GPU", lambda: double(np.ones(2, np.float32)))
    expect_error(flywheel.FailedPreconditionError, "no driver of a GPU", lambda: flywheel.DeviceArray((2,)))


if "--without" in sys.argv[1:]:
    without()
else:
    for name, test in sorted(globals().copy().items()):
        if name.startswith("test_"):
            test()
            print("ok", name, flush=True)
