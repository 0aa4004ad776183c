# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Operations of graphs, of runs of a session and of models of Keras (F1, F2, F4)."""

from typing import Any

import numpy as np

import flywheel.v1 as tf
from configurations import run_tests
from flywheel import keras
from flywheel.keras import backend as K


def once(report: Any) -> Any:
    return report["before"]["entries"][0]["once"]


def test_product_of_random_matrices() -> None:
    # A product of random matrices: the whole graph has two operations for each number that is drawn.
    a, b = tf.Variable(tf.random_normal([25, 16])), tf.Variable(tf.random_normal([16, 9]))
    y = tf.matmul(a, b)
    options = tf.profiler.ProfileOptionBuilder.float_operation()
    assert tf.profiler.profile(tf.get_default_graph(), options=options).total_float_ops == 8288
    tf.profiler.profile(options={"select": ["float_ops"]})
    both, one = tf.gradients(y, [a, b]), tf.gradients(y, [a])
    with tf.Session() as session:
        # A run, its backward pass, and that as a difference.
        assert once(session.cost(y))["total"]["flops"] == 7200
        assert once(session.cost([y, *both]))["backward"]["flops"] == 14400
        assert once(session.cost([y, *one]))["backward"]["flops"] == 7200
        assert once(session.cost([y, *both]))["total"]["flops"] - once(session.cost(y))["total"]["flops"] == 14400
        x = tf.placeholder(tf.float32, [None, 16])
        assert once(session.cost(tf.matmul(x, b)))["total"]["flops"] == "288*batch"
        assert once(session.cost(tf.matmul(x, b), {"batch": 10}))["total"]["flops"] == 2880
        try:
            session.cost(tf.placeholder(tf.float32) * 2.0)
        except ValueError as error:
            assert "the rank of '" in str(error) and "is not known" in str(error)
        else:
            raise AssertionError("no error")
    parameters = tf.profiler.profile(options={"select": ["params"]})
    assert parameters.total_parameters == 25 * 16 + 16 * 9
    try:
        tf.profiler.profile(options={"select": ["occurrence"]})
    except NotImplementedError as error:
        assert "select=['occurrence']" in str(error)
    else:
        raise AssertionError("no error")


def test_product_of_random_matrices_2() -> None:
    K.clear_session()
    model = keras.models.Sequential([keras.layers.Dense(5, input_shape=(4,)), keras.layers.Dropout(0.5)])
    model.compile("sgd", "mse")
    assert once(model.cost("predict"))["total"]["flops"] == "45*batch"
    step = once(model.cost(bindings={"batch": 8}))
    assert step["backward"]["flops"] > 2 * 4 * 5 * 8 and step["update"]["flops"] > 0
    weights = model.get_weights()
    assert model.train_on_batch(np.ones((8, 4)), np.ones((8, 5))) > 0
    assert not np.array_equal(model.get_weights()[0], weights[0])
    product = K.function([model.input], [K.dot(model.input, K.ones((4, 3)))])
    assert once(product.cost())["total"]["flops"] == "24*batch"


run_tests([test_product_of_random_matrices, test_product_of_random_matrices_2])
