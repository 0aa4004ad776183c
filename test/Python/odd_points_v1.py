# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""G20: derivatives of functions of `flywheel.v1` and of the backend of Keras at zeros and ties: those of smooth
functions up to the second, and 0 or the identity at points without one."""

from typing import Any, Callable, Dict, List, Tuple

import numpy as np

import flywheel.keras as keras
import flywheel.v1 as tf
from flywheel.keras import backend as K

ZERO, ONES, EQUAL = np.zeros((2, 2)), np.ones((2, 2)), np.full((2, 2), 0.75)
SCALE = 1.0507009873554805
SINGULAR, COFACTORS = np.array([[1.0, 2.0], [2.0, 4.0]]), np.array([[4.0, -2.0], [-2.0, 1.0]])

# A function of [2, 2] numbers, where it is derived, its derivative there, and that of the derivative's sum.
Case = Tuple[Callable[[Any], Any], Any, Any, Any]
CASES: Dict[str, Case] = {
    "norm": (tf.norm, ZERO, ZERO, ZERO), "norm of rows": (lambda x: tf.norm(x, axis=1), ZERO, ZERO, ZERO),
    "global_norm": (lambda x: tf.global_norm([x]), ZERO, ZERO, ZERO),
    "clip_by_norm": (lambda x: tf.clip_by_norm(x, 1.5), ZERO, ONES, ZERO),
    "clip_by_norm of rows": (lambda x: tf.clip_by_norm(x, 1.5, [1]), ZERO, ONES, ZERO),
    "clip_by_global_norm": (lambda x: tf.clip_by_global_norm([x], 2.0)[0][0], ZERO, ONES, ZERO),
    "clip_by_average_norm": (lambda x: tf.clip_by_average_norm(x, 1.0), ZERO, ONES, ZERO),
    "l2_normalize": (lambda x: tf.nn.l2_normalize(x, 0, 1e-4), ZERO, 100 * ONES, ZERO),
    "reduce_std": (tf.math.reduce_std, EQUAL, ZERO, ZERO), "K.std": (K.std, EQUAL, ZERO, ZERO),
    "determinant": (tf.matrix_determinant, SINGULAR, COFACTORS, np.array([[1.0, -1.0], [-1.0, 1.0]])),
    "determinant of 0": (tf.matrix_determinant, ZERO, ZERO, np.array([[1.0, -1.0], [-1.0, 1.0]])),
    "atan2": (lambda x: tf.atan2(x, 2.0 * x), ZERO, ZERO, ZERO), "x^0": (lambda x: tf.pow(x, 0.0), ZERO, ZERO, ZERO),
    "x^1": (lambda x: tf.pow(x, ONES), ZERO, ONES, ZERO), "x^2": (lambda x: tf.pow(x, 2 * ONES), ZERO, ZERO, 2 * ONES),
    "0^x": (lambda x: tf.pow(ZERO, x), ONES, ZERO, ZERO),
    "huber_loss": (lambda x: tf.losses.huber_loss(ZERO, x, reduction="none"), ZERO, ZERO, ONES),
    "weighted_cross_entropy": (lambda x: tf.nn.weighted_cross_entropy_with_logits(ONES * 0.5, x, 3.0), ZERO,
                               ZERO - 0.5, ONES * 0.5),
    "sigmoid_cross_entropy": (lambda x: tf.nn.sigmoid_cross_entropy_with_logits(labels=ZERO, logits=x), ZERO,
                              ONES * 0.5, ONES * 0.25),
    "softplus": (tf.nn.softplus, ZERO, ONES * 0.5, ONES * 0.25),
    "log_sigmoid": (tf.log_sigmoid, ZERO, ONES * 0.5, ONES * -0.25),
    "elu": (tf.nn.elu, ZERO, ONES, ZERO), "K.elu": (lambda x: K.elu(x, 0.5), ZERO, ONES * 0.5, ZERO),
    "selu": (tf.nn.selu, ZERO, ONES * SCALE, ZERO),
    "Keras's selu": (keras.activations.selu, ZERO, ONES * SCALE * 1.6732632423543772, ZERO),
    "categorical_hinge at its corner": (lambda x: keras.losses.categorical_hinge(np.eye(2), x), np.eye(2), ZERO, ZERO),
    "K.sqrt of negative numbers": (K.sqrt, -ONES, ZERO, ZERO), "ReLU": (keras.layers.ReLU(), ZERO, ZERO, ZERO),
    "ReLU at its threshold": (keras.layers.ReLU(2.0, 0.1, 0.5), ONES * 0.5, ZERO, ZERO),
    "ReLU below it": (keras.layers.ReLU(2.0, 0.1, 0.5), ZERO, ONES * 0.1, ZERO),
    "leaky ReLU": (keras.layers.ReLU(None, 0.1), ZERO, ONES * 0.1, ZERO),
    "ReLU at 6": (keras.layers.ReLU(6.0), ONES * 6, ZERO, ZERO),
    "digamma of negative numbers": (tf.digamma, -ONES / 2, ONES * 8.934802200544679, ONES * -0.8287966442343202),
    "a negative number to the power of": (lambda x: tf.pow(-ONES, x), 2 * ONES, ZERO, ZERO),
    "softsign": (tf.nn.softsign, ZERO, ONES, ZERO),
    "reduce_prod": (tf.reduce_prod, ZERO, ZERO, ZERO),
    "maximum": (lambda x: tf.maximum(x, ZERO), ZERO, ONES, ZERO),
    "maximum by it": (lambda x: tf.maximum(ZERO, x), ZERO, ZERO, ZERO),
}  # fmt: skip


def check_values() -> None:
    """Values at points where only TensorFlow's or Keras's definition says what they are."""
    nan = float("nan")
    x = tf.constant([6.0, 2.5, 6.0], tf.float64)
    y = tf.constant([0.2, 0.0001, 4.0], tf.float64)
    values: Dict[str, Tuple[Any, Any]] = {
        "//": (x // y, [30, 25000, 1]), "floordiv": (tf.floordiv(x, y), [30, 25000, 1]),
        "digamma": (tf.digamma(tf.constant([-0.5, -1243052.498569127, 3.0], tf.float64)),
                    [0.03648997397857652, 14.0472032533891, 0.92278433509846714]),
        "argmax": (tf.argmax([[nan, 0.5, 0.25], [0.5, nan, 1.0], [nan, nan, nan]], 1), [1, 2, 0]),
        "argmin": (tf.argmin([[nan, 0.5, 0.25], [0.5, nan, 1.0], [nan, nan, nan]], 1), [2, 0, 0]),
        "categorical_accuracy": (keras.metrics.categorical_accuracy(ONES[:1] * [1, 0], tf.constant([[nan, 0.5]])), [0]),
        "K.sqrt": (K.sqrt(tf.constant([-4.0, 0.0, 4.0])), [0, 0, 2]),
        "ReLU": (keras.layers.ReLU(2.0, 0.1, 0.5)(tf.constant([[-0.5, 0.5, 0.75, 3.0]])), [[-0.1, 0, 0.75, 2]]),
    }  # fmt: skip
    with tf.Session() as session:
        for name, (tensor, expected) in values.items():
            np.testing.assert_allclose(session.run(tensor), expected, rtol=1e-6, atol=1e-7, err_msg=name)


def main() -> None:
    check_values()
    programs: List[Any] = []
    feeds = {}
    for function, point, _, _ in CASES.values():
        x = tf.placeholder(tf.float64, [2, 2])
        feeds[x] = point
        first = tf.gradients(tf.reduce_sum(function(x)), x)[0]
        second = tf.gradients(tf.reduce_sum(first), x)[0]
        programs.append((first, tf.zeros_like(x) if second is None else second))
    with tf.Session() as session:
        for (name, (*_, slope, twice)), found in zip(CASES.items(), session.run(programs, feeds)):
            np.testing.assert_allclose(found[0], slope, atol=1e-12, err_msg=name)
            np.testing.assert_allclose(found[1], twice, atol=1e-12, err_msg=f"{name}, second")


if __name__ == "__main__":
    main()
