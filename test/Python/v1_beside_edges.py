# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, tensorflow
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Limits of types, integers, empty segments and other edges as in TensorFlow 1, and programs that raise in both."""

# mypy: disable-error-code="no-untyped-call"

from typing import Any, Callable, List

import numpy as np

import flywheel.v1
from beside_tensorflow import draw, program, run_all, tensorflow, values


@program
def limits_of_types(tf: Any) -> Any:
    inf = float("inf")
    tops = [tf.nn.top_k([-inf, -inf, 1.0], 3), tf.nn.top_k(np.array([5, 0, 0], np.uint8), 3),
            tf.nn.top_k([5, -(2**31)], 2), tf.nn.top_k([[inf, 2.0, inf], [-inf, -inf, -inf]], 2)]  # fmt: skip
    scores = [[0.1, -inf, 0.3], [0.5, 0.2, 0.1], [0.5, 0.2, 0.1], [0.2, 0.5, 0.1]]
    return values(tf, [*[list(one) for one in tops], tf.matrix_diag([inf, 1.0]),
                       tf.matrix_diag_part([[1.0, -inf], [0.0, 1.0]]),
                       tf.nn.in_top_k(tf.constant(scores), tf.constant([1, 0, 7, 0]), 2)])  # fmt: skip


@program
def images_of_bytes(tf: Any) -> Any:
    a = (np.arange(75).reshape(5, 5, 3) * 3).astype(np.uint8)
    b = a[::-1].copy()
    image = tf.image
    return values(tf, [image.rgb_to_grayscale(a), image.psnr(a, b, 255), image.adjust_contrast(a, 1.5),
                       image.adjust_brightness(a, 0.2), image.psnr(a / np.float32(255), b / np.float32(255), 1.0),
                       image.rgb_to_grayscale(a.astype(np.float32))])  # fmt: skip


@program
def dimensions(tf: Any) -> Any:
    x, y = draw(3, 4), np.abs(draw(3, 4))
    y /= y.sum(0)
    cross = [f(labels=y, logits=x, dim=0) for f in (tf.nn.softmax_cross_entropy_with_logits,
                                                    tf.nn.softmax_cross_entropy_with_logits_v2)]  # fmt: skip
    norms = [tf.norm(x, ord=o, axis=[0, 1], keepdims=k) for o in (1, np.inf, "euclidean") for k in (False, True)]
    flat = tf.placeholder(tf.float32, [None, None, 3])
    return values(tf, [cross, norms, tf.norm(x, ord=np.inf, axis=[1, 0]), tf.split(np.arange(5), [-1, 2]),
                       tf.shape(x, out_type=tf.int64), tf.one_hot([0, 2], 3, on_value=5, off_value=1),
                       tf.layers.flatten(flat)], {flat: draw(2, 4, 3)})  # fmt: skip


@program
def empty_segments(tf: Any) -> Any:
    x, ids = tf.constant([1.0, -2.0, 3.0]), [0, 0, 2]
    return values(tf, [tf.segment_max(x, ids), tf.segment_min(x, ids), tf.segment_sum(x, ids), tf.segment_prod(x, ids),
                       tf.unsorted_segment_max(x, ids, 3)])  # fmt: skip


@program
def penalties_of_convolutions(tf: Any) -> Any:
    ones = tf.ones_initializer()
    y = tf.layers.conv2d(draw(1, 3, 3, 2), 2, 2, activation=tf.nn.relu, kernel_initializer=ones, bias_initializer=ones,
                         bias_regularizer=lambda b: tf.reduce_sum(b) * 0.5,
                         activity_regularizer=lambda a: tf.reduce_sum(a) * 0.25)  # fmt: skip
    return values(tf, [y, tf.losses.get_regularization_loss()])


@program
def special_functions(tf: Any) -> Any:
    x = tf.constant([-2.5, -0.5, 0.25, 1.0, 2.5, 7.0])
    y = tf.constant([0.25, 2.5, 7.0])
    return values(tf, [tf.lgamma(x), tf.erfc(tf.constant([-1.0, 0.5, 4.0])), tf.gradients(tf.lgamma(y), y)])


Refused = Callable[[Any], Any]


def _fed(tf: Any, shape: List[Any]) -> Any:
    return tf.placeholder(tf.float32, shape)


REFUSED: List[Refused] = [
    lambda tf: tf.losses.mean_squared_error(tf.zeros([2]), tf.zeros([2, 1])),
    lambda tf: tf.losses.absolute_difference(_fed(tf, [None]), _fed(tf, [None, 1])),
    lambda tf: tf.losses.hinge_loss(tf.zeros([2]), tf.zeros([2, 1])),
    lambda tf: tf.losses.mean_squared_error(tf.zeros([2, 2]), tf.zeros([2, 2]), weights=[1.0, 2.0]),
    lambda tf: tf.gather_nd(tf.zeros([2, 3]), [[0, 4]]),
    lambda tf: tf.gather_nd(tf.zeros([2, 3]), [[-1, 0]]),
    lambda tf: tf.scatter_nd([[0, 2]], [5.0], [2, 2]),
    lambda tf: tf.confusion_matrix([0], [4], 3),
    lambda tf: tf.image.total_variation(np.zeros([4, 4, 3], np.uint8)),
    lambda tf: tf.split(np.arange(5), [2, 2]),
    lambda tf: tf.add_n([tf.zeros([2]), tf.zeros([2, 1])]),
    lambda tf: tf.where([True, False], tf.zeros([2]), tf.zeros([1])),
    lambda tf: tf.image.crop_to_bounding_box(np.zeros([4, 4, 3], np.float32), 2, 2, 3, 1),
    lambda tf: tf.nn.dropout(tf.zeros([2]), keep_prob=0.0),
]


def refusals() -> None:
    for place, refused in enumerate(REFUSED):
        for tf in (flywheel.v1, tensorflow):
            tf.reset_default_graph()
            try:
                found = values(tf, refused(tf))
            except Exception:
                continue
            raise AssertionError(f"refusal {place}: {tf.__name__} gives {found!r}")


run_all()
refusals()
