# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""R11: a batch without examples moves no average and no parameter of batch normalization: it made them NaN for good."""

from typing import Any, Callable, Sequence

import numpy as np

import flywheel as fw
import flywheel.keras as keras
import flywheel.v1 as tf
from configurations import run_tests

SHAPES = [(3,), (2, 3), (2, 2, 3)]


def check(dynamic: Any, orders: Any) -> None:
    for rest in SHAPES:
        for momentum in (0.99, 0.5):
            norm = fw.nn.BatchNorm(3, momentum=momentum)
            step = fw.function(lambda x, norm=norm: norm(x, training=True), dynamic=dynamic)
            use = fw.function(lambda x, norm=norm: norm(x, training=False), dynamic=dynamic)
            rng = np.random.default_rng(0)
            mean, variance = np.zeros(3), np.ones(3)
            for count in orders:
                x = rng.normal(1, 2, (count, *rest)).astype(np.float32)
                assert step(x).shape == x.shape
                if count:
                    axes = tuple(range(x.ndim - 1))
                    size = x.size // 3
                    mean = momentum * mean + (1 - momentum) * x.mean(axes)
                    own = x.var(axes)
                    unbiased = own * size / max(size - 1, 1)
                    candidates = [momentum * variance + (1 - momentum) * v for v in (own, unbiased)]
                    found = norm.variance.numpy()
                    variance = min(candidates, key=lambda one: float(np.abs(one - found).max()))  # noqa: B023
                np.testing.assert_allclose(norm.mean.numpy(), mean, 1e-4, 1e-5)
                np.testing.assert_allclose(norm.variance.numpy(), variance, 1e-4, 1e-5)
                assert np.isfinite(use(np.ones((2, *rest), np.float32))).all()


def test_sizes_of_calls() -> None:
    check("auto", [4, 0, 5, 0, 3])
    check("auto", [0, 4, 0, 6])
    check(True, [0, 4, 0, 2])


def test_known_sizes() -> None:
    check(False, [0, 4, 0, 2])


def unchanged(values: Callable[[], Sequence[Any]], run: Callable[[], object], what: str) -> None:
    before = [np.array(value) for value in values()]
    run()
    for old, new in zip(before, values()):
        np.testing.assert_array_equal(old, np.array(new), err_msg=what)


def test_training() -> None:
    images = np.random.default_rng(0).random((4, 5, 3)).astype(np.float32)
    for make in (
        lambda: fw.nn.BatchNorm(3),
        lambda: fw.nn.LayerNorm(3),
        lambda: fw.nn.RMSNorm(3),
        lambda: fw.nn.GroupNorm(1, 3),
    ):
        for dynamic in (False, True, "auto"):
            for x in (images, images[:, 0]):
                with fw.Store():
                    norm = make()
                    w = fw.Variable(np.ones(3, np.float32), name="w")
                    optimizer = fw.optimizers.SGD(0.1)

                    def train(x: Any, norm: Any = norm, w: Any = w, optimizer: Any = optimizer) -> Any:
                        y = norm(x, training=True) if isinstance(norm, fw.nn.BatchNorm) else norm(x)
                        loss = fw.sum(y * y * w)
                        optimizer.minimize(loss)
                        return loss

                    step = fw.function(train, dynamic=dynamic)
                    for count in (0, 4, 0, 3):
                        what = f"{type(norm).__name__}, {dynamic}, {count} of {x.shape}"
                        if count:
                            step(x[:count])
                            continue
                        state = [np.array(value) for value in (*norm.state_dict().values(), w.numpy())]
                        step(x[:0])
                        for old, new in zip(state, [*norm.state_dict().values(), w.numpy()]):
                            np.testing.assert_array_equal(old, new, err_msg=what)


def test_batches_of_other_sizes() -> None:
    """R10: an average reaches its value, whatever it was before."""
    rows = np.random.default_rng(0).random((4, 3)).astype(np.float32)
    norm = fw.nn.BatchNorm(3, momentum=0.0)
    step = fw.function(lambda x: norm(x, training=True))
    for scale in (np.float32(1e6), np.float32(1), np.float32(1e-3)):
        step(rows * scale)
        np.testing.assert_allclose(norm.mean.numpy(), (rows * scale).mean(0), 1e-5)
        np.testing.assert_allclose(norm.variance.numpy(), (rows * scale).var(0), 1e-4)
    v = fw.Variable(np.array([3e38, 1e30, 0.1], np.float32))
    move = fw.function(lambda x, v=v: v.moving_average(x, 0.5))
    move(np.array([-3e38, 1, 0.3], np.float32))
    np.testing.assert_allclose(v.numpy(), [0, 5e29, 0.2], 1e-6)


def test_v1() -> None:
    rows = np.random.default_rng(0).random((4, 3)).astype(np.float32)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        loss = tf.reduce_sum(tf.layers.batch_normalization(x, training=True) ** 2)
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train, {x: rows})
            variables = tf.global_variables()
            unchanged(lambda: session.run(variables), lambda: session.run(train, {x: rows[:0]}), "v1")


def test_keras() -> None:
    rows = np.random.default_rng(0).random((4, 3)).astype(np.float32)
    model = keras.models.Sequential([keras.layers.BatchNormalization(input_shape=(3,)), keras.layers.Dense(1)])
    loss = keras.backend.sum(model.output)
    weights = model.trainable_weights
    updates = keras.optimizers.SGD(0.1).get_updates(loss, weights) + model.get_updates_for(model.inputs)
    train = keras.backend.function([*model.inputs, keras.backend.learning_phase()], [loss], updates)
    train([rows, 1])
    unchanged(model.get_weights, lambda: train([rows[:0], 1]), "Keras")


if __name__ == "__main__":
    run_tests([test_sizes_of_calls, test_known_sizes, test_training, test_batches_of_other_sizes, test_v1, test_keras])
