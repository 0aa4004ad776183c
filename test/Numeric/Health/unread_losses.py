# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""X5: a label out of range is an error of a step that reads the gradient of a loss and not the loss, and the step
changes nothing."""

from typing import Any, Callable, List

import numpy as np

import flywheel as fw
import flywheel.v1 as tf

X = np.ones((6, 5), np.float32)
GOOD = np.array([0, 1, 2, 3, 1, 2], np.int32)
BAD = [np.array([0, 1, 2, 3, 1, label], np.int32) for label in (4, 9, -1)]


def expect_refused(action: Callable[[np.ndarray], Any], variables: Callable[[], List[np.ndarray]]) -> None:
    """Checks that `action` takes good labels, refuses others, and then leaves the variables as they were."""
    action(GOOD)
    for labels in BAD:
        before = variables()
        try:
            action(labels)
        except fw.InvalidArgumentError as error:
            text = str(error)
            assert "label out of range: expected 0 <= label < 4 in 'nn.sparse_softmax_cross_entropy' at " in text, text
            assert text.endswith(f", found {labels[-1]}"), text
        else:
            raise AssertionError(f"{labels[-1]} is a label")
        for old, new in zip(before, variables()):
            np.testing.assert_array_equal(old, new)


def test_minimize() -> None:
    w = fw.Variable(np.zeros((5, 4), np.float32), name="w")
    sgd = fw.optimizers.SGD(lr=0.1)

    @fw.function
    def step(x, y):  # type: ignore[no-untyped-def]
        sgd.minimize(fw.nn.sparse_softmax_cross_entropy(x @ w, y))

    expect_refused(lambda y: step(X, y), lambda: [np.array(w.numpy())])


def test_grad() -> None:
    def loss(w, y):  # type: ignore[no-untyped-def]
        return fw.nn.sparse_softmax_cross_entropy(X @ w, y)

    grad = fw.function(fw.grad(loss))
    expect_refused(lambda y: grad(np.zeros((5, 4), np.float32), y), lambda: [])


def test_loop() -> None:
    """The losses of the steps of a loop are added up, and nobody reads the sum."""

    def loss(w, y):  # type: ignore[no-untyped-def]
        def body(total, label):  # type: ignore[no-untyped-def]
            return total + fw.nn.sparse_softmax_cross_entropy(X[:1] @ w, fw.reshape(label, (1,))), total

        return fw.scan(body, fw.constant(np.float32(0)), y)[0]

    grad = fw.function(fw.grad(loss))
    expect_refused(lambda y: grad(np.zeros((5, 4), np.float32), y), lambda: [])


def test_v1() -> None:
    for mean in (tf.reduce_mean, tf.reduce_sum):
        tf.reset_default_graph()
        x, y = tf.placeholder(tf.float32, [None, 5]), tf.placeholder(tf.int32, [None])
        w = tf.Variable(tf.zeros([5, 4]))
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=tf.matmul(x, w))
        train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(mean(losses))
        session = tf.Session()
        session.run(tf.global_variables_initializer())
        expect_refused(lambda labels: session.run(train, {x: X, y: labels}), lambda: [session.run(w)])  # noqa: B023


def test_module() -> None:
    text = """
    train.variable @w : tensor<5x4xf32> = #train.zeros
    func.func @step(%x: tensor<?x5xf32>, %y: tensor<?xi32>) {
      %w = train.read @w : tensor<5x4xf32>
      %z = nn.matmul %x, %w : (tensor<?x5xf32>, tensor<5x4xf32>) -> tensor<?x4xf32>
      %loss = nn.sparse_softmax_cross_entropy %z, %y : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<f32>
      train.minimize %loss : tensor<f32> with #train.adam<lr = 0.1>
      return
    }"""
    for lowering in ("reference", "optimized"):
        session = fw.Session(fw.compile(text, lowering=lowering))
        session.initialize(1)
        expect_refused(lambda y: session.run("step", X, y), lambda: [session["w"]])  # noqa: B023


if __name__ == "__main__":
    for test in (test_minimize, test_grad, test_loop, test_v1, test_module):
        test()
