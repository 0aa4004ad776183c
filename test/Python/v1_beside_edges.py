# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Limits of types, integers, empty segments and other edges as in TensorFlow 1, and programs that raise in both (R4).
"""

# mypy: disable-error-code="no-untyped-call"

import re
from typing import Any, Callable, List, Tuple

import numpy as np

import flywheel
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
def losses_of_no_rows(tf: Any) -> Any:
    names = ("huber_loss", "mean_squared_error", "absolute_difference", "log_loss", "hinge_loss",
             "sigmoid_cross_entropy", "softmax_cross_entropy", "mean_pairwise_squared_error")  # fmt: skip
    out = []
    w = tf.get_variable("w", [3, 3], initializer=tf.ones_initializer())
    for size in (0, None):
        x, y, n = _fed(tf, size, 3), _fed(tf, size, 3), _int(tf, size)
        made = [getattr(tf.losses, name)(y, tf.matmul(x, w)) for name in names]
        made.append(tf.losses.sparse_softmax_cross_entropy(n, tf.matmul(x, w)))
        made.append(tf.losses.cosine_distance(y, tf.matmul(x, w), axis=1))
        made += [tf.losses.mean_squared_error(y, x, reduction=r) for r in (
            tf.losses.Reduction.MEAN, tf.losses.Reduction.SUM_OVER_BATCH_SIZE)]  # fmt: skip
        made += [tf.gradients(loss, w)[0] for loss in made[:3]]
        for rows in (0,) if size == 0 else (0, 2):
            feed = {x: np.abs(draw(rows, 3)), y: np.abs(draw(rows, 3)) / 9, n: np.arange(rows)}
            out.append(values(tf, made, feed))
    return out


@program
def sizes_of_one_that_repeat(tf: Any) -> Any:
    a, b, one = draw(2, 3, 4), draw(1, 4, 5), _fed(tf, None, None, 4)
    return values(tf, [tf.einsum("...ij,...jk->...ik", a, b), tf.keras.backend.batch_dot(one, a, axes=[2, 2]),
                       tf.clip_by_value(a, draw(4), 2.0), tf.matrix_set_diag(a[..., :3], draw(2, 3)),
                       tf.scatter_nd([[1, 0]], draw(1, 4), [2, 3, 4]), tf.pad(a[0], [[0, 0], [1, 2]])],
                  {one: draw(2, 3, 4)})  # fmt: skip


@program
def boxes_of_fed_sizes(tf: Any) -> Any:
    x, n, pixels = _fed(tf, None), _int(tf), _fed(tf, None, None, 3)
    made = [tf.slice(x, [1], [n]), tf.slice(x, [n], [-1]), tf.slice(x, [n], [1]), tf.slice(x, [0], [n - 3]),
            tf.split(x, 2), tf.split(x, [1, 3]), tf.split(x, [1, -1, 1]), tf.add_n([x, x, [1.0, 2.0, 3.0, 4.0]]),
            tf.where([True, False, True, False], x, -x), tf.zeros(tf.slice(tf.shape(pixels), [0], [2])),
            tf.gradients(tf.reduce_sum(tf.slice(x, [1], [n]) ** 2), x), tf.split(pixels, [1, 2], axis=-1)[1],
            tf.image.crop_to_bounding_box(pixels, 1, 0, 2, 1),
            tf.cond(n > 1, lambda: 0.0, lambda: tf.reduce_sum(tf.slice(x, [n], [7]))),
            tf.losses.mean_squared_error(x, 2 * x, weights=[1.0, 2.0, 3.0, 4.0])]  # fmt: skip
    return values(tf, made, {x: draw(4), n: 2, pixels: draw(3, 2, 3)})


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
def constraints_of_convolutions(tf: Any) -> Any:
    ones = tf.ones_initializer()
    y = tf.layers.conv2d(draw(1, 3, 3, 2), 2, 2, activation="relu", kernel_initializer=ones, bias_initializer=ones,
                         bias_constraint=lambda b: tf.clip_by_value(b, 0.25, 0.5), name="c")  # fmt: skip
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y))
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        return [s.run([y, train])[0], s.run(tf.global_variables("c/bias"))]


@program
def special_functions(tf: Any) -> Any:
    x = tf.constant([-2.5, -0.5, 0.25, 1.0, 2.5, 7.0])
    y = tf.constant([0.25, 2.5, 7.0])
    return values(tf, [tf.lgamma(x), tf.erfc(tf.constant([-1.0, 0.5, 4.0])), tf.gradients(tf.lgamma(y), y)])


# A part of our message, and what is refused: a fetch, or one with its feeds.
Refused = Tuple[str, Callable[[Any], Any]]


def _fed(tf: Any, *shape: Any) -> Any:
    return tf.placeholder(tf.float32, list(shape))


def _int(tf: Any, *shape: Any) -> Any:
    return tf.placeholder(tf.int32, list(shape))


def fed(function: Callable[..., Any], *arrays: Any) -> Callable[[Any], Any]:
    """`function` of placeholders, one for each array, of its dtype and of no known size."""

    def made(tf: Any) -> Any:
        given = [np.asarray(x) for x in arrays]
        inputs = [tf.placeholder(tf.float32 if x.dtype.kind == "f" else x.dtype, [None] * x.ndim) for x in given]
        return function(tf, *inputs), dict(zip(inputs, given))

    return made


def zeros(*shape: int) -> Any:
    return np.zeros(shape, np.float32)


ONE, TWO, FIVE, LESS = (np.int32(n) for n in (1, 2, 5, -1))

REFUSED: List[Refused] = [
    (r"mean_squared_error: shapes \(2, 1\) and \(2,\)", lambda tf: tf.losses.mean_squared_error(tf.zeros([2]),
                                                                                          tf.zeros([2, 1]))),
    (r"absolute_difference: shapes \(\?, 1\) and \(\?,\)", lambda tf: tf.losses.absolute_difference(
        _fed(tf, None), _fed(tf, None, 1))),
    (r"hinge_loss: shapes \(2, 1\) and \(2,\)", lambda tf: tf.losses.hinge_loss(tf.zeros([2]), tf.zeros([2, 1]))),
    (r"weights of shape \(2,\), values of shape \(2, 2\)", lambda tf: tf.losses.mean_squared_error(
        tf.zeros([2, 2]), tf.zeros([2, 2]), weights=[1.0, 2.0])),
    (r"cosine_distance: shapes \(2, 2\) and \(1, 2\)", lambda tf: tf.losses.cosine_distance(
        tf.ones([1, 2]), tf.ones([2, 2]), axis=1)),
    (r"softmax_cross_entropy_with_logits: shapes \(2, 2\) and \(1, 2\)", lambda tf: tf.losses.softmax_cross_entropy(
        tf.ones([1, 2]), tf.ones([2, 2]))),
    (r"sigmoid_cross_entropy_with_logits: shapes \(2, 2\) and \(1, 2\)", lambda tf: tf.losses.sigmoid_cross_entropy(
        tf.ones([1, 2]), tf.ones([2, 2]))),
    (r"mean_pairwise_squared_error: shapes \(2, 2\) and \(1, 2\)", lambda tf: tf.losses.mean_pairwise_squared_error(
        tf.ones([1, 2]), tf.ones([2, 2]))),
    (r"index of axis 1 .* index < 3 .*found 4", lambda tf: tf.gather_nd(tf.zeros([2, 3]), [[0, 4]])),
    (r"index of axis 0 .* index < 2 .*found -1", lambda tf: tf.gather_nd(tf.zeros([2, 3]), [[-1, 0]])),
    (r"index of axis 1 .* index < 2 .*found 2", lambda tf: tf.scatter_nd([[0, 2]], [5.0], [2, 2])),
    (r"index of axis 1 .* index < 3 .*found 4", lambda tf: tf.confusion_matrix([0], [4], 3)),
    (r"index of axis 1 .* index < 3 .*found 4", lambda tf: tf.metrics.mean_iou(
        tf.constant([0]), tf.constant([4]), 3)[1]),
    *[(r"index of axis 1 .* index < 2 .*found 2", lambda tf, kind=kind: getattr(tf, kind)(
        tf.get_variable("v", [2, 2]), [[0, 2]], [5.0]))
      for kind in ("scatter_nd_update", "scatter_nd_add", "scatter_nd_sub")],
    ("total_variation: .* found uint8", lambda tf: tf.image.total_variation(tf.zeros([4, 4, 3], tf.uint8))),
    (r"split: sizes \[2, 2\] of dimension 0: found 5, expected 4", lambda tf: tf.split(np.arange(5), [2, 2])),
    (r"add_n: shapes \(2,\) and \(2, 1\)", lambda tf: tf.add_n([tf.zeros([2]), tf.zeros([2, 1])])),
    (r"where: shapes \(2,\) and \(1,\)", lambda tf: tf.where([True, False], tf.zeros([2]), tf.zeros([1]))),
    (r"slice: dimension 0 .* found 3, expected at most 2", lambda tf: tf.slice(tf.zeros([2]), [1], [2])),
    (r"crop_to_bounding_box: dimension 0 .* found 5, expected at most 4", lambda tf: tf.image.crop_to_bounding_box(
        np.zeros([4, 4, 3], np.float32), 2, 2, 3, 1)),
    # A size of 1 is not repeated where dimensions are summed, or belong to each other.
    *[(rf"{name}: dimension 1 of shape \(2, 3\) is 3, dimension {axis} of shape \((1, 5|5, 1)\) is 1", function)
      for name, axis, function in [
          ("tensordot", 0, lambda tf: tf.tensordot(tf.ones([2, 3]), tf.ones([1, 5]), 1)),
          ("tensordot", 1, lambda tf: tf.tensordot(tf.ones([2, 3]), tf.ones([5, 1]), [[1], [1]])),
          ("einsum", 0, lambda tf: tf.einsum("ij,jk->ik", tf.ones([2, 3]), tf.ones([1, 5])))]],
    (r"einsum: dimension 0 of shape \(2,\) is 2, dimension 0 of shape \(1,\) is 1", lambda tf: tf.einsum(
        "i,i->i", tf.ones([2]), tf.ones([1]))),
    (r"as many dimensions of both, found \[1\] and \[0, 1\]", lambda tf: tf.tensordot(
        tf.ones([2, 3]), tf.ones([3, 5]), [[1], [0, 1]])),
    ("have no 3 dimensions", lambda tf: tf.tensordot(tf.ones([2, 3]), tf.ones([2, 3]), 3)),
    *[(r"batch_dot: dimension \d of shape .* is \d, dimension \d of shape .* is 1",
       lambda tf, a=a, b=b, axes=axes: tf.keras.backend.batch_dot(tf.ones(a), tf.ones(b), axes=axes))
      # Keras 2.1 multiplies the elements of two matrices, and repeats sizes of 1.
      for a, b, axes in [([2, 3, 4], [2, 1, 5], [1, 1]), ([2, 3, 4], [2, 5, 1], 2), ([2, 3, 4], [1, 4, 5], None)]],
    (r"bias_add: a bias of shape \(1,\) for values of shape \(2, 3\): found 1, expected 3", lambda tf: tf.nn.bias_add(
        tf.ones([2, 3]), tf.ones([1]))),
    ("bias_add: .* expected a vector", lambda tf: tf.nn.bias_add(tf.ones([2, 3]), tf.ones([2, 3]))),
    ("depthwise_conv2d: channels of an input .* found 1, expected 4", lambda tf: tf.nn.depthwise_conv2d(
        tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 4, 2]), [1, 1, 1, 1], "SAME")),
    ("depthwise_conv2d: channels of an input .* found 4, expected 1", lambda tf: tf.nn.depthwise_conv2d(
        tf.ones([1, 2, 2, 4]), tf.ones([1, 1, 1, 2]), [1, 1, 1, 1], "SAME")),
    (r"weighted_cross_entropy_with_logits: shapes \(3, 2\) and \(3, 1\)",
     lambda tf: tf.nn.weighted_cross_entropy_with_logits(tf.ones([3, 1]), tf.ones([3, 2]), 2.0)),
    *[(r"in_top_k: targets of shape \(2,\) for predictions of shape \(1, 3\): found 2, expected 1",
       lambda tf: tf.nn.in_top_k(tf.ones([1, 3]), [0, 1], 1))],
    ("scatter_nd: .* no more dimensions than there are", lambda tf: tf.scatter_nd([[0, 2, 3]], [1.0], [4, 3])),
    ("scatter_nd: .* dimension 0: found 1, expected 2", lambda tf: tf.scatter_nd([[0], [1]], [1.0], [4])),
    ("scatter_nd: .* dimension 1: found 1, expected 3", lambda tf: tf.scatter_nd([[0]], [[1.0]], [4, 3])),
    *[(rf"tile: multiples of a tensor of shape \(3, 2\): found {len(n)}, expected 2",
       lambda tf, n=n: tf.tile(tf.ones([3, 2]), n)) for n in ([2], [2, 2, 2])],
    *[(rf"pad: expected two paddings .* shape \({size}, 2\), found", lambda tf, size=size, pads=pads, mode=mode: tf.pad(
        tf.ones([size, 2]), pads, mode)) for mode in ("CONSTANT", "REFLECT", "SYMMETRIC")
      for size, pads in ((3, [[1, 0]]), (5, [[2, 1], [-1, 1]]))],
    ("cross: vectors of shape .* found 2, expected 3", lambda tf: tf.cross(tf.ones([1, 2]), tf.ones([1, 2]))),
    (r"cross: shapes \(2, 3\) and \(1, 3\) must be equal", lambda tf: tf.cross(tf.ones([2, 3]), tf.ones([1, 3]))),
    *[(rf"matrix_set_diag: .* dimension 0: found {n}, expected 2", lambda tf, n=n: tf.matrix_set_diag(
        tf.ones([2, 2]), tf.ones([n]))) for n in (1, 3)],
    (r"clip_by_value: bounds do not broadcast to shape \(5,\): with them it is \(3, 5\)", lambda tf: tf.clip_by_value(
        tf.ones([5]), tf.ones([3, 5]), 2.0)),
    ("keep_prob", lambda tf: tf.nn.dropout(tf.zeros([2]), keep_prob=0.0)),
    # Sizes that a run says.
    ("slice: dimension 0 .* found 3, expected at most 2", fed(lambda tf, x: tf.slice(x, [1], [2]), zeros(2))),
    ("slice: .* found 6, expected at most 3", fed(lambda tf, x, n: tf.slice(x, [1], [n]), zeros(3), FIVE)),
    ("slice: .* first element: found -1", fed(lambda tf, x, n: tf.slice(x, [n], [1]), zeros(3), LESS)),
    ("slice out of range .* offset 5", fed(lambda tf, x, n: tf.slice(x, [n], [-1]), zeros(3), FIVE)),
    ("slice: .* number of elements: found -4", fed(lambda tf, x, n: tf.slice(x, [0], [n - 3]), zeros(3), LESS)),
    ("slice: .* found 5, expected at most 4", fed(lambda tf, x, n: tf.while_loop(
        lambda i, _: i < 3, lambda i, a: (i + 1, a + tf.reduce_sum(tf.slice(x, [i], [n]))), [0, 0.0])[1],
        zeros(4), np.int32(3))),
    ("slice: .* found 2, expected at most 1", fed(lambda tf, x, n: tf.cond(
        n > 4, lambda: 0.0, lambda: tf.reduce_sum(tf.slice(x, [0], [n]))), zeros(1), TWO)),
    ("crop_to_bounding_box: dimension 0 .* found 5, expected at most 4", fed(
        lambda tf, x: tf.image.crop_to_bounding_box(x, 2, 1, 3, 1), zeros(4, 4, 3))),
    ("add_n: operands differ in dimension 0: found 1, expected 2", fed(
        lambda tf, x: tf.add_n([x, tf.ones([1])]), zeros(2))),
    ("add_n: operands differ in dimension 0: found 1, expected 2", fed(
        lambda tf, x, y: tf.add_n([x, tf.reshape(y, [-1, 3])]), zeros(2, 3), zeros(1, 3))),
    ("where: operands differ in dimension 0: found 1, expected 2", fed(
        lambda tf, x: tf.where([True, False], x, x), zeros(1))),
    ("where: the condition chooses rows: found 1, expected 2", fed(
        lambda tf, x, c: tf.where(c, x, x), zeros(2, 3), np.array([True]))),
    ("split: .* 2 equal parts: found 3, expected a multiple of 2", fed(lambda tf, x: tf.split(x, 2)[0], zeros(3))),
    (r"split: sizes \[1, 2\] of dimension 0: found 4, expected 3", fed(
        lambda tf, x: tf.split(x, [1, 2])[0], zeros(4))),
    (r"split: sizes \[1, -1, 2\] of dimension 0: found 2, expected at least 3", fed(
        lambda tf, x: tf.split(x, [1, -1, 2])[0], zeros(2))),
    ("weights can not be broadcast to values: found 2 in dimension 0, expected 1", fed(
        lambda tf, x: tf.losses.mean_squared_error(x, x, weights=[1.0, 2.0]), zeros(1))),
    ("tensordot: .* differ: found 1, expected 3", fed(
        lambda tf, x: tf.tensordot(tf.ones([2, 3]), x, 1), zeros(1, 5))),
    ("tensordot: .* differ: found 1, expected 3", fed(
        lambda tf, x, y: tf.tensordot(x, y, 1), zeros(2, 3), zeros(1, 5))),
    ("tensordot: .* differ: found 3, expected 1", fed(lambda tf, x: tf.tensordot(tf.ones([1]), x, 1), zeros(3))),
    ("einsum: .* differ: found 1, expected 3", fed(
        lambda tf, x, y: tf.einsum("ij,jk->ik", x, y), zeros(2, 3), zeros(1, 5))),
    ("bias_add: .* found 1, expected 3|is 3 in placeholder .* and 1 in placeholder", fed(
        lambda tf, x, y: tf.nn.bias_add(x, y), zeros(2, 3), zeros(1))),
    ("in_top_k: .* found 2, expected 1", fed(
        lambda tf, y: tf.nn.in_top_k(tf.ones([1, 3]), y, 1), np.array([0, 1], np.int32))),
    ("is 2 in placeholder .* and 3 in placeholder", fed(
        lambda tf, x, w: tf.losses.mean_squared_error(x, x, weights=w), zeros(2, 3), zeros(3, 1))),
]  # fmt: skip

# TensorFlow repeats a single row of labels or predictions, if only a run knows that it is single.
REFUSED_HERE: List[Refused] = [
    (f"{name}: operands differ in dimension 0", fed(function, zeros(2, 2)))
    for name, function in [
        ("mean_squared_error", lambda tf, x: tf.losses.mean_squared_error(tf.ones([1, 2]), x)),
        ("huber_loss", lambda tf, x: tf.losses.huber_loss(tf.ones([1, 2]), x)),
        ("hinge_loss", lambda tf, x: tf.losses.hinge_loss(tf.ones([1, 2]), x)),
        ("cosine_distance", lambda tf, x: tf.losses.cosine_distance(tf.ones([1, 2]), x, axis=1)),
        ("softmax_cross_entropy_with_logits", lambda tf, x: tf.losses.softmax_cross_entropy(tf.ones([1, 2]), x)),
        ("sigmoid_cross_entropy_with_logits", lambda tf, x: tf.losses.sigmoid_cross_entropy(tf.ones([1, 2]), x)),
        ("mean_pairwise_squared_error", lambda tf, x: tf.losses.mean_pairwise_squared_error(tf.ones([1, 2]), x)),
    ]
]


def refuse(tf: Any, refused: Callable[[Any], Any], classes: Any, pattern: str) -> None:
    """Expects an error of these classes, whose run has changed nothing."""
    tf.reset_default_graph()
    try:
        made = refused(tf)
    except classes as error:
        assert re.search(pattern, str(error)), f"{tf.__name__}: expected {pattern!r}, found {error}"
        return
    fetch, feed = made if isinstance(made, tuple) else (made, None)
    count = tf.Variable(1.0)
    moved = tf.assign(count, 2.0)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        try:
            found = session.run([fetch, moved], feed)
        except classes as error:
            assert re.search(pattern, str(error)), f"{tf.__name__}: expected {pattern!r}, found {error}"
            assert tf is tensorflow or session.run(count) == 1.0, f"{pattern!r}: the run has changed a variable"
            return
    raise AssertionError(f"{tf.__name__} gives {found!r}, expected {pattern!r}")


def refusals() -> None:
    for pattern, refused in REFUSED:
        refuse(flywheel.v1, refused, (ValueError, TypeError, flywheel.InvalidArgumentError), pattern)
        if tensorflow is not None:
            refuse(tensorflow, refused, (ValueError, TypeError, tensorflow.errors.InvalidArgumentError), "")
    for pattern, refused in REFUSED_HERE:
        refuse(flywheel.v1, refused, flywheel.InvalidArgumentError, pattern)


run_all()
refusals()
