# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE= %python %s %t
"""N14: `tf.contrib.slim` and `tf.contrib.framework.arg_scope`: defaults of layers, their names and training."""

import sys
import threading
from typing import Any

import numpy as np

import flywheel.v1 as tf
from configurations import raises, run_tests
from flywheel.v1.contrib import slim

FOLDER = sys.argv[1]


@slim.add_arg_scope
def add(x: float, y: float = 0.0, z: float = 0.0) -> float:
    return x + y + z


@slim.add_arg_scope
def times(x: float, y: float = 1.0) -> float:
    return x * y


def test_arg_scopes() -> None:
    """Defaults are those of the innermost block that has one; a scope is opened again; a thread has its own."""
    assert slim is tf.contrib.slim and slim.arg_scope is tf.contrib.framework.arg_scope
    with slim.arg_scope([add, times], y=2.0) as outer:
        assert add(1.0) == 3 and times(3.0) == 6 and add(1.0, y=5.0) == 6 and add(1.0, z=4.0) == 7
        with slim.arg_scope([add], z=10.0):
            assert add(1.0) == 13 and times(3.0) == 6
            with slim.arg_scope(outer):
                assert add(1.0) == 3
            with slim.arg_scope([add], y=0.0):
                assert add(1.0) == 11
        found = []
        thread = threading.Thread(target=lambda: found.append(add(1.0)))
        thread.start()
        thread.join()
        assert found == [1.0] and slim.current_arg_scope() == {add: {"y": 2.0}, times: {"y": 2.0}}
    assert add(1.0) == 1 and add.__name__ == "add" and slim.has_arg_scope(add) and not slim.has_arg_scope(raises)
    raises(ValueError, "raises is not decorated", lambda: slim.arg_scope([raises], y=1).__enter__())
    raises(ValueError, "kwargs must be empty", lambda: slim.arg_scope(outer, y=1).__enter__())
    raises(TypeError, "must either be a list/tuple or reused scope", lambda: slim.arg_scope(add, y=1).__enter__())  # type: ignore[arg-type]
    # An error ends the block, too.
    raises(ZeroDivisionError, "", lambda: fail())
    assert add(1.0) == 1


def fail() -> None:
    with slim.arg_scope([add], y=7.0):
        raise ZeroDivisionError


def network(x: Any, trains: Any) -> Any:
    """As programs of slim write it."""
    with slim.arg_scope([slim.conv2d, slim.fully_connected], activation_fn=tf.nn.elu,
                        weights_regularizer=slim.l2_regularizer(0.01), normalizer_fn=slim.batch_norm), \
            slim.arg_scope([slim.batch_norm], is_training=trains, decay=0.5):  # fmt: skip
        h = slim.repeat(x, 2, slim.conv2d, 4, [3, 3], scope="conv1")
        h = slim.max_pool2d(h, [2, 2], scope="pool1")
        h = slim.separable_conv2d(h, 5, [3, 3], depth_multiplier=2, scope="apart")
        h = slim.stack(slim.flatten(h), slim.fully_connected, [6, 5], scope="fc")
        return slim.fully_connected(h, 3, activation_fn=None, normalizer_fn=None, scope="out")


def test_losses() -> None:
    """Predictions come first; each is the loss of tf.losses."""
    rng = np.random.default_rng(4)
    shares, labels = rng.uniform(0.1, 0.9, (3, 4)).astype(np.float32), np.eye(4, dtype=np.float32)[[0, 2, 3]]
    with tf.Graph().as_default(), tf.Session() as session:
        pairs = [
            (getattr(slim.losses, name)(shares, labels), getattr(tf.losses, name)(labels, shares))
            for name in ("absolute_difference", "mean_squared_error", "mean_pairwise_squared_error", "log_loss",
                         "sigmoid_cross_entropy", "softmax_cross_entropy")
        ]  # fmt: skip
        pairs.append((slim.losses.sparse_softmax_cross_entropy(shares, [0, 2, 3]),
                      tf.losses.sparse_softmax_cross_entropy([0, 2, 3], shares)))  # fmt: skip
        assert len(tf.losses.get_losses()) == 14
        hinge = slim.losses.hinge_loss(shares, labels)
        for ours, theirs in session.run(pairs):
            assert ours == theirs
        right = np.log(np.exp(shares).sum(1)) - (shares * labels).sum(1)
        np.testing.assert_allclose(session.run(pairs[-1][0]), right.mean(), 1e-6)
        np.testing.assert_allclose(session.run(hinge), np.maximum(0, 1 - (2 * labels - 1) * shares), 1e-6)


def test_names() -> None:
    with tf.Graph().as_default():
        network(tf.placeholder(tf.float32, [None, 8, 8, 2]), True)
        names = [v.op.name for v in tf.trainable_variables()]
        assert names == [
            "conv1/conv1_1/weights", "conv1/conv1_1/BatchNorm/beta", "conv1/conv1_2/weights",
            "conv1/conv1_2/BatchNorm/beta", "apart/depthwise_weights", "apart/pointwise_weights", "apart/biases",
            "fc/fc_1/weights", "fc/fc_1/BatchNorm/beta", "fc/fc_2/weights", "fc/fc_2/BatchNorm/beta", "out/weights",
            "out/biases",
        ], names  # fmt: skip
        averages = [f"{n}/BatchNorm/moving_{m}" for n in ("conv1/conv1_1", "conv1/conv1_2", "fc/fc_1", "fc/fc_2")
                    for m in ("mean", "variance")]  # fmt: skip
        assert {v.op.name for v in slim.get_model_variables()} == {*names, *averages}
        assert [v.op.name for v in slim.get_variables("out")] == ["out/weights", "out/biases"]
        assert len(slim.losses.get_regularization_losses()) == 5
        assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 8
        own = slim.model_variable("own", [2], initializer=tf.ones_initializer())
        assert own in slim.get_model_variables() and slim.variable("own", [2], reuse=True) is own


def test_what_layers_compute() -> None:
    x = np.random.default_rng(0).normal(size=(2, 5, 5, 3)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        y = slim.separable_conv2d(x, None, 3, 2, stride=2, activation_fn=None, scope="s")
        same = tf.nn.depthwise_conv2d(x, tf.get_default_graph().get_collection("variables")[0], [1, 2, 2, 1], "SAME")
        session.run(tf.global_variables_initializer())
        found, wanted = session.run([y, same])
        np.testing.assert_allclose(found, wanted, 1e-6)
        assert y.shape.as_list() == [2, 3, 3, 6]


def train_step(clip: float = 0.0, factors: Any = None) -> Any:
    tf.set_random_seed(3)
    w = tf.get_variable("w", initializer=np.array([3.0, 4.0], np.float32))
    b = tf.get_variable("b", initializer=np.float32(1.0))
    count = tf.get_variable("n", initializer=0.0, trainable=False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(count, 1.0))
    loss = tf.reduce_sum(w * w) / 2 + b * b
    return w, b, slim.learning.create_train_op(loss, tf.train.GradientDescentOptimizer(0.5), clip_gradient_norm=clip,
                                               gradient_multipliers=factors)  # fmt: skip


def test_train_ops() -> None:
    """Each gradient is multiplied, then cut to a norm by itself; ops of the collection run; the loss is finite."""
    for clip, factors, w_after, b_after in (
        (0.0, None, [1.5, 2.0], 0.0), (1.0, None, [2.7, 3.6], 0.5), (0.0, {"b": 0.25}, [1.5, 2.0], 0.75),
    ):  # fmt: skip
        with tf.Graph().as_default(), tf.Session() as session:
            w, b, op = train_step(clip, factors)
            session.run(tf.global_variables_initializer())
            assert session.run(op) == 13.5
            np.testing.assert_allclose(session.run(w), w_after, 1e-6)
            np.testing.assert_allclose(session.run(b), b_after, 1e-6)
            found = {v.op.name: session.run(v) for v in tf.global_variables()}
            assert found["n"] == 1 and found["global_step"] == 1, found
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.get_variable("x", initializer=-1.0)
        op = slim.learning.create_train_op(tf.log(x), tf.train.GradientDescentOptimizer(0.5))
        session.run(tf.global_variables_initializer())
        raises(tf.errors.InvalidArgumentError, "LossTensor is inf or nan", lambda: session.run(op))
    with tf.Graph().as_default():
        raises(ValueError, "found 'other'", lambda: train_step(factors={"other": 1.0}))


def test_training() -> None:
    """A loop that goes on from its checkpoint."""
    rng = np.random.default_rng(1)
    x, labels = rng.normal(size=(24, 8, 8, 2)).astype(np.float32), rng.integers(0, 3, 24)
    losses = []
    for steps in (4, 12, 12):
        with tf.Graph().as_default():
            tf.set_random_seed(5)
            logits = network(tf.constant(x), True)
            tf.losses.sparse_softmax_cross_entropy(labels, logits)
            op = slim.learning.create_train_op(tf.losses.get_total_loss(), tf.train.MomentumOptimizer(0.02, 0.9))
            losses.append(slim.learning.train(op, f"{FOLDER}/model", number_of_steps=steps, log_every_n_steps=0))
    assert losses[1] < losses[0] and losses[2] is None, losses


def test_random_crops() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(2)
        image = np.arange(5 * 4 * 2).reshape(5, 4, 2)
        crop = tf.random_crop(image, [3, 4, 1])
        fed = tf.placeholder(tf.int64, [None, 4, 2])
        other = tf.random_crop(fed, [2, 2, 2])
        seen = set()
        for _ in range(60):
            got, more = session.run([crop, other], {fed: image})
            row, column = divmod(int(got[0, 0, 0]), 8)
            np.testing.assert_array_equal(got, image[row : row + 3, :, column : column + 1])
            seen.add((row, column))
            row, column = divmod(int(more[0, 0, 0]), 8)
            np.testing.assert_array_equal(more, image[row : row + 2, column // 2 : column // 2 + 2])
        assert seen == {(r, c) for r in range(3) for c in range(2)}, seen
        raises(ValueError, "Need value.shape >= size", lambda: tf.random_crop(image, [6, 4, 2]))
        raises(tf.errors.InvalidArgumentError, "slice", lambda: session.run(other, {fed: image[:1]}))
    assert tf.newaxis is None and tf.__version__.startswith("1.") and tf.__version__ == tf.VERSION


if __name__ == "__main__":
    run_tests([test_arg_scopes, test_losses, test_names, test_what_layers_compute, test_train_ops, test_training,
               test_random_crops])
