# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Special functions, counts, pieces, images, windows, volumes, matrices, rankings and distributions, as in TensorFlow 1
(X2, X7, X8, M1)."""

# mypy: disable-error-code="no-untyped-call"

import functools
from typing import Any, List

import numpy as np

import flywheel.v1
from beside_tensorflow import caught, draw, program, run_all, values


@program
def special_functions(tf: Any) -> Any:
    x, y = tf.constant(np.abs(draw(3, 4)) + 0.3), tf.constant(draw(3, 4))
    z = tf.constant([[0.0, 1.0, 2.0, 0.0]] * 3)
    fetches = [
        tf.math.xdivy(z, z),
        tf.math.xlogy(z, x),
        tf.math.multiply_no_nan(y, z),
        tf.math.reciprocal_no_nan(z),
        tf.lbeta(x),
        tf.zeta(x + 1.5, x),
        tf.polygamma(z + 1.0, x),
        tf.polygamma(z, x),
        tf.math.polyval([y, x, 2.0], y),
        tf.scalar_mul(2, y),
        tf.math.divide_no_nan(y, z),
        tf.gradients(tf.math.xlogy(z, z), z)[0],
        tf.gradients(tf.math.xdivy(z, z), z)[0],
        tf.gradients(tf.zeta(x + 1.5, x), x)[0],
        tf.saturate_cast(tf.constant([-1e9, -3.7, 300.0, 1e10]), tf.int8),
        tf.saturate_cast([-5, 300, 7], tf.uint8),
        tf.saturate_cast(tf.constant([1e10, -1e10, 2.5]), tf.int32),
        tf.math.multiply_no_nan(np.inf + y, z),
    ]
    a, b = tf.constant([12, -7, 5], tf.int32), tf.constant([10, 3, 1], tf.int32)
    bits = [
        getattr(tf.bitwise, name)(a, b)
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")
    ]
    return values(tf, [*fetches, *bits, tf.bitwise.invert(a)])


@program
def counts_and_places(tf: Any) -> Any:
    n = tf.placeholder(tf.int32, [None])
    w = tf.constant([0.5, 1.0, 2.0, 4.0, 8.0])
    fetches = [
        tf.bincount(n),
        tf.bincount(n, w),
        tf.bincount(n, minlength=7),
        tf.bincount(n, w, maxlength=3),
        tf.math.bincount(n, minlength=2, maxlength=9, dtype=tf.int64),
        tf.repeat(n, 2),
        tf.repeat([[1, 2], [3, 4]], 3, 1),
        tf.repeat(n, n),
        tf.repeat([[1, 2], [3, 4]], [2, 1], 0),
        tf.repeat([[1, 2], [3, 4]], n[:2], 1),
        tf.searchsorted(tf.constant([[1.0, 3.0, 3.0], [0.0, 2.0, 4.0]]), tf.constant([[3.0, 0.5], [2.0, 9.0]])),
        tf.searchsorted([[1.0, 3.0, 3.0]], [[3.0, 0.5]], "right", tf.int64),
        tf.unravel_index([5, 0, 7], [2, 2, 2]),
        tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], 5),
        tf.math.is_non_decreasing(n),
        tf.math.is_strictly_increasing(n[:2]),
        tf.math.is_strictly_increasing([1, 2, 3]),
    ]
    return values(tf, fetches, {n: [1, 4, 1, 0, 2]})


@program
def pieces(tf: Any) -> Any:
    x, i = tf.constant(draw(4, 3)), tf.constant([[1], [3]])
    u = tf.constant(draw(2, 3))
    p = tf.placeholder(tf.float32, [None, 3])
    fetches: List[Any] = [
        tf.tensor_scatter_update(x, i, u),
        tf.tensor_scatter_add(p, [[1], [1]], u),
        tf.tensor_scatter_sub(x, i, u),
        tf.tensor_scatter_nd_update(x, [[0, 1], [2, 2]], [7.0, 8.0]),
        tf.batch_gather(x, [[0, 2], [1, 1], [2, 0], [0, 0]]),
        tf.batch_gather(tf.reshape(x, [2, 2, 3]), [[1, 0, 1], [0, 0, 1]]),
        tf.dynamic_stitch(
            [6, [4, 1], [[5, 2], [0, 3]]], [[61, 62], [[41, 42], [11, 12]], [[[51, 52], [21, 22]], [[1, 2], [31, 32]]]]
        ),
        tf.dynamic_stitch(
            [tf.constant([0, 2]), tf.constant([1, 0])], [tf.constant(draw(2, 2)), tf.constant(draw(2, 2))]
        ),
        tf.parallel_stack([x[0], x[1]]),
        tf.ensure_shape(p, [4, 3]),
        tf.identity_n([x, i]),
        tf.shape_n([x, u]),
        tf.broadcast_dynamic_shape(tf.shape(p), [5, 1, 1]),
        tf.floor_div([7, -7], [2, 2]),
        tf.space_to_batch(tf.reshape(x, [1, 4, 3, 1]), [[0, 0], [1, 0]], 2),
        tf.batch_to_space(tf.reshape(x, [4, 1, 3, 1]), [[0, 0], [0, 1]], 2),
        tf.required_space_to_batch_paddings([5, 7], [2, 3])[0],
        tf.where_v2([True, False, True], x, 0.0 * x + 1.0),
        tf.gradients(tf.tensor_scatter_update(x, i, u)[1:] ** 2, [x, u]),
        tf.bitcast(tf.constant([1.0, -2.0]), tf.int32),
        tf.gradients(tf.batch_gather(x, [[0, 2], [1, 1], [2, 0], [0, 0]]) ** 2, x),
    ]
    shapes = [
        tf.broadcast_static_shape(tf.TensorShape([None, 3]), tf.TensorShape([4, 1])).as_list(),
        caught(lambda: tf.ensure_shape(x, [3, 3])),
        tf.is_numeric_tensor(x),
        tf.get_static_value(i),
        caught(lambda: tf.broadcast_static_shape(tf.TensorShape([2]), tf.TensorShape([3]))),
    ]
    flags = [
        caught(lambda: tf.assert_integer(x)),
        caught(lambda: tf.assert_rank_in(x, [1, 3])),
        caught(lambda: tf.assert_same_float_dtype([x, i])),
        tf.assert_same_float_dtype([x, u]).name,
        caught(lambda: tf.assert_proper_iterable(x)),
        caught(lambda: tf.assert_rank(x, 1, message="m")),
    ]
    v = tf.Variable(3)
    counter = tf.count_up_to(v, 5)
    found = values(tf, fetches, {p: draw(4, 3)})
    with tf.Session() as s:
        s.run(v.initializer)
        with tf.control_dependencies([tf.assert_near(x, x + 1e-9)]):
            near = s.run(tf.identity(x))
        seen = [s.run(counter), s.run(counter), s.run(v)]
        return [found, shapes, flags, near, seen]


@program
def colors(tf: Any) -> Any:
    x = tf.constant(np.random.RandomState(1).uniform(size=(2, 4, 5, 3)).astype(np.float32))
    grey = tf.constant([[[0.5, 0.5, 0.5], [0.0, 0.0, 0.0], [1.0, 0.2, 0.2]]])
    whole = tf.constant(np.random.RandomState(2).randint(0, 256, (3, 3, 3)).astype(np.uint8))
    image = tf.image
    fetches = [
        image.rgb_to_hsv(x),
        image.rgb_to_hsv(grey),
        image.hsv_to_rgb(x),
        image.rgb_to_yiq(x),
        image.yiq_to_rgb(x),
        image.rgb_to_yuv(x),
        image.yuv_to_rgb(x),
        image.adjust_hue(x, 0.3),
        image.adjust_saturation(x, 0.4),
        image.adjust_gamma(x, 0.5, 2.0),
        image.adjust_saturation(grey, 3.0),
        image.resize_with_crop_or_pad(x, 3, 8),
        image.image_gradients(x),
        image.sobel_edges(x),
        image.transpose(x),
        image.extract_image_patches(x, [1, 2, 3, 1], [1, 1, 2, 1], [1, 2, 1, 1], "VALID"),
        image.extract_image_patches(x, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "SAME"),
        tf.extract_volume_patches(tf.reshape(x, [1, 2, 4, 5, 3]), [1, 2, 2, 2, 1], [1, 1, 2, 1, 1], "SAME"),
        image.resize_image_with_pad(x, 9, 9),
        image.resize_image_with_pad(x, 3, 7),
        image.adjust_brightness(whole, 0.1),
    ]
    big = tf.constant(np.random.RandomState(3).uniform(size=(2, 24, 24, 2)).astype(np.float32))
    other = big + 0.1 * tf.reverse(big, [1])
    fetches += [image.ssim(big, other, 1.0), image.ssim_multiscale(big, other, 1.0, [0.4, 0.6], 5)]
    return values(tf, fetches)


@program
def boxes(tf: Any) -> Any:
    x = tf.constant(np.random.RandomState(1).uniform(size=(2, 6, 7, 3)).astype(np.float32))
    boxes = tf.constant([[0.1, 0.2, 0.8, 0.9], [0.0, 0.0, 1.0, 1.0], [-0.2, 0.1, 1.2, 0.6], [0.5, 0.5, 0.5, 0.5]])
    frames = np.array(
        [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1]], np.float32
    )
    scores = np.array([0.9, 0.75, 0.6, 0.95, 0.5], np.float32)
    image = tf.image
    fetches = [
        image.crop_and_resize(x, boxes, [0, 1, 1, 0], [3, 4]),
        image.crop_and_resize(x, boxes, [0, 1, 1, 0], [3, 4], "nearest", 0.5),
        image.crop_and_resize(x, boxes, [0, 1, 1, 0], [1, 1]),
        image.non_max_suppression(frames, scores, 3),
        image.non_max_suppression(frames, scores, 5, 0.95, 0.6),
        image.non_max_suppression_with_scores(frames, scores, 5, 1.0, soft_nms_sigma=0.5),
        image.non_max_suppression_padded(frames, scores, 5, pad_to_max_output_size=True),
        image.non_max_suppression_overlaps(np.eye(5, dtype=np.float32), scores, 3),
        image.draw_bounding_boxes(x, [[[0.1, 0.2, 0.8, 0.9], [0.5, 0.0, 1.5, 0.4]]] * 2),
        image.extract_glimpse(x, [3, 4], [[0.0, 0.5], [-0.9, 0.2]], uniform_noise=False)[:1],
    ]
    slope = tf.gradients(tf.reduce_sum(image.crop_and_resize(x, boxes, [0, 1, 1, 0], [3, 4]) ** 2), x)
    return values(tf, [fetches, slope])


@program
def windows(tf: Any) -> Any:
    s, x, v = tf.constant(draw(2, 7, 3)), tf.constant(draw(2, 5, 6, 3)), tf.constant(draw(1, 3, 4, 4, 2))
    w, f = tf.constant(draw(3, 3, 3)), tf.constant(draw(2, 2, 3, 4))
    y = tf.constant(draw(2, 5, 6, 4))
    one = [1, 1, 1, 1]
    fetches = [
        tf.nn.max_pool1d(s, 2, 2, "VALID"),
        tf.nn.avg_pool1d(s, [3], [1], "SAME"),
        tf.nn.max_pool2d(x, 2, 1, "SAME"),
        tf.nn.avg_pool2d(x, [2, 3], [1, 2], "VALID"),
        tf.nn.conv1d_transpose(s, tf.constant(draw(3, 4, 3)), [2, 14, 4], 2),
        tf.nn.conv_transpose(x, tf.constant(draw(3, 3, 4, 3)), [2, 10, 12, 4], 2),
        tf.nn.conv3d_transpose(v, tf.constant(draw(2, 2, 2, 3, 2)), [1, 6, 8, 8, 3], [1, 2, 2, 2, 1]),
        tf.nn.atrous_conv2d_transpose(y, f, [2, 5, 6, 3], 2, "SAME"),
        tf.nn.dilation2d(x, w, strides=[1, 2, 1, 1], rates=[1, 1, 2, 1], padding="SAME"),
        tf.nn.erosion2d(x, w, one, one, "VALID"),
        tf.nn.conv2d_backprop_input([2, 5, 6, 3], f, y, one, "SAME"),
        tf.nn.conv2d_backprop_filter(x, [2, 2, 3, 4], y, one, "SAME"),
        tf.nn.depthwise_conv2d_native(x, tf.constant(draw(2, 2, 3, 2)), one, "SAME"),
        tf.nn.depthwise_conv2d_native_backprop_filter(x, [2, 2, 3, 1], x, one, "SAME"),
        tf.nn.depthwise_conv2d_native_backprop_input([2, 5, 6, 3], tf.constant(draw(2, 2, 3, 1)), x, one, "SAME"),
        tf.nn.conv3d_backprop_filter_v2(v, [1, 2, 2, 2, 3], tf.constant(draw(1, 3, 4, 4, 3)), [1] * 5, "SAME"),
        tf.nn.relu_layer(s[0], tf.constant(draw(3, 2)), [0.1, 0.2]),
        tf.nn.batch_norm_with_global_normalization(
            x, *tf.unstack(tf.abs(x[:4, 0, 0]))[:1], tf.abs(x[0, 1, 0]), x[0, 2, 0], x[0, 3, 0], 1e-3, True
        ),
        tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]], [5, 3]),
    ]
    for padding in ("VALID", "SAME"):
        fetches += list(tf.nn.max_pool_with_argmax(x, [1, 2, 3, 1], [1, 2, 2, 1], padding))
    fetches += list(tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID", include_batch_in_index=True))
    fetches += [tf.gradients(tf.nn.dilation2d(x, w, strides=one, rates=one, padding="SAME") ** 2, [x, w])]
    return values(tf, fetches)


@program
def matrices(tf: Any) -> Any:
    a, b = tf.constant(draw(2, 4, 4)), tf.constant(draw(2, 4, 3))
    spd = tf.matmul(a, a, transpose_b=True) + 4.0 * np.eye(4, dtype=np.float32)
    low = tf.matmul(draw(4, 2), draw(2, 3))
    d = [tf.constant(draw(2, 4)), tf.constant(np.abs(draw(2, 4)) + 4), tf.constant(draw(2, 4) * 0.5)]
    compact = tf.stack(d, 1)
    fetches = [
        tf.linalg.adjoint(b),
        tf.linalg.matvec(b, tf.constant(draw(2, 3))),
        tf.linalg.logdet(spd),
        tf.linalg.slogdet(a),
        tf.linalg.matrix_rank(tf.stack([low, draw(4, 3)])),
        tf.linalg.pinv(b),
        tf.linalg.pinv(low),
        tf.linalg.expm(a),
        tf.linalg.expm(8.0 * a[0]),
        tf.linalg.normalize(b, axis=1),
        tf.linalg.matrix_transpose(b),
        tf.linalg.eigvalsh(spd),
        tf.linalg.tridiagonal_solve(compact, b),
        tf.linalg.tridiagonal_matmul(compact, b),
        tf.linalg.tridiagonal_solve([x[:, :4] for x in d], b, "sequence"),
        tf.linalg.tensor_diag_part(a[0]),
        tf.gradients(tf.linalg.logdet(spd), a)[0],
        tf.gradients(tf.reduce_sum(tf.linalg.expm(a)), a)[0],
        tf.gradients(tf.reduce_sum(tf.linalg.pinv(b) ** 2), b)[0],
    ]
    return values(tf, fetches)


@program
def thresholds_and_rankings(tf: Any) -> Any:
    rng = np.random.RandomState(0)
    y, p = tf.placeholder(tf.bool, [None]), tf.placeholder(tf.float32, [None])
    labels, scores = tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32, [None, 5])
    w = tf.placeholder(tf.float32, [None])
    metrics = tf.metrics
    pairs = [
        getattr(metrics, f"{name}_at_thresholds")(y, p, [0.2, 0.5, 0.9])
        for name in ("true_positives", "false_positives", "true_negatives", "false_negatives", "precision", "recall")
    ]
    pairs += [
        metrics.recall_at_thresholds(y, p, [0.4], w),
        metrics.sensitivity_at_specificity(y, p, 0.6),
        metrics.specificity_at_sensitivity(y, p, 0.7, num_thresholds=20),
        metrics.precision_at_k(labels, scores, 2),
        metrics.recall_at_k(labels, scores, 3),
        metrics.precision_at_k(labels, scores, 3, class_id=1),
        metrics.recall_at_k(labels, scores, 3, class_id=1),
        metrics.average_precision_at_k(labels, scores, 3),
        metrics.recall_at_k(labels[:, 0], scores, 2),
        metrics.precision_at_top_k(labels, tf.nn.top_k(scores, 2)[1] + 0),
        metrics.mean_cosine_distance(tf.nn.l2_normalize(scores, 1), tf.nn.l2_normalize(scores[:, ::-1], 1), 1),
        metrics.precision_at_k(labels, scores, 2, weights=w),
    ]
    value, update = zip(*pairs)
    out = []
    with tf.Session() as s:
        s.run(tf.local_variables_initializer())
        for _ in range(3):
            first = rng.randint(0, 5, 6)
            feed = {
                y: rng.rand(6) > 0.4,
                p: rng.rand(6),
                labels: np.stack([first, (first + 1 + rng.randint(0, 4, 6)) % 5], 1),
                scores: rng.rand(6, 5),
                w: rng.rand(6),
            }
            out.append([s.run(update, feed), s.run(value)])
    return out


@program
def distributions(tf: Any) -> Any:
    d = tf.distributions
    loc, scale = tf.constant(draw(3)), tf.constant(np.abs(draw(3)) + 0.5)
    x, p = tf.constant(draw(2, 3)), tf.constant([0.2, 0.5, 0.9])
    unit = tf.sigmoid(x)
    simplex = tf.nn.softmax(x)
    own = [
        (d.Normal(loc, scale), d.Normal(0.0, 2.0), x),
        (d.Bernoulli(probs=p), d.Bernoulli(logits=loc), [[0, 1, 1]] * 2),
        (d.Categorical(logits=x), d.Categorical(probs=simplex * 0.0 + 1 / 3), [2, 0]),
        (d.Gamma(scale, scale + 1.0), d.Gamma(2.0, 3.0), tf.abs(x)),
        (d.Beta(scale, scale + 1.0), d.Beta(2.0, 3.0), unit),
        (d.Dirichlet(scale), d.Dirichlet([1.0, 2.0, 3.0]), simplex),
    ]
    fetches = []
    for one, other, value in own:
        fetches += [one.log_prob(value), one.prob(value), one.entropy(), d.kl_divergence(one, other)]
        fetches += [] if isinstance(one, d.Categorical) else [one.mean()]
    normal, laplace, uniform = own[0][0], d.Laplace(loc, scale), d.Uniform(loc, loc + scale)
    exponential, student = d.Exponential(scale), d.StudentT(scale + 2.0, loc, scale)
    for one in (normal, laplace, uniform):
        fetches += [one.cdf(x), one.stddev(), one.variance(), one.log_prob(x), one.entropy(), one.mean()]
    fetches += [
        exponential.log_prob(tf.abs(x)),
        exponential.cdf(tf.abs(x)),
        student.log_prob(x),
        d.Multinomial(4.0, probs=[0.2, 0.3, 0.5]).log_prob([1.0, 1.0, 2.0]),
        own[1][0].variance(),
        own[1][0].mode(),
        own[2][0].mode(),
        own[3][0].variance(),
        own[4][0].variance(),
        normal.batch_shape_tensor(),
        tf.gradients(normal.log_prob(x), [loc, scale]),
        tf.gradients(own[2][0].entropy(), x),
        tf.gradients(own[2][0].log_prob([2, 0]), x),
        tf.gradients(d.kl_divergence(own[0][0], own[0][1]), [loc, scale]),
    ]
    draws = [
        tf.shape(normal.sample(4)),
        tf.shape(own[2][0].sample([2, 1])),
        tf.shape(own[1][0].sample()),
        tf.gradients(tf.reduce_sum(normal.sample(5)), loc),
    ]
    more = [
        normal.batch_shape.as_list(),
        normal.event_shape.as_list(),
        own[5][0].event_shape.as_list(),
        caught(lambda: d.kl_divergence(normal, own[1][0])),
        caught(lambda: d.Bernoulli()),
    ]
    return [values(tf, [fetches, draws]), more]


@program
def distributions_at_their_ends(tf: Any) -> Any:
    d, x = tf.distributions, tf.constant([-20.0, -3.0, 0.0, 2.0])
    a, n = tf.constant([[1.5, 2.0, 4.0], [0.5, 2.0, 3.0]]), tf.constant([0.5, 1.5, 3.0])
    normal, laplace = d.Normal(0.5, 2.0), d.Laplace(0.5, 2.0)
    fetches: List[Any] = [d.Uniform(0.0, 2.0).prob([np.nan, 1.0, 3.0])]
    for one in (normal, laplace):
        fetches += [one.log_cdf(x), tf.gradients(one.log_cdf(x), x), one.log_survival_function(-x)]
    fetches += [d.Normal(0.0, 1.0).log_cdf(-20.0), d.Laplace(0.0, 1.0).log_cdf(-60.0)]
    student, dirichlet = d.StudentT(n, 0.5, 2.0), d.Dirichlet(a)
    fetches += [student.mean(), student.variance(), student.entropy(), dirichlet.variance(), dirichlet.stddev()]
    fetches += [d.Dirichlet(a[0]).mode(), d.Dirichlet(a[1]).mode()]
    fetches += [d.Multinomial(4.0, probs=[0.2, 0.3, 0.5]).variance(), d.Beta(a, 2.5).mode()]
    counted = d.Multinomial([[2.0, 4.0], [3.0, 1.0]], probs=[[0.2, 0.8], [0.5, 0.5]])
    fetches += [counted.batch_shape_tensor(), counted.event_shape_tensor(), counted.mean()]
    fetches += [d.Exponential(2.0).log_survival_function(60.0)]
    types = [caught(lambda: d.Normal(0, 1)), d.Normal(np.float64(0), np.float64(1)).dtype.name]
    return [values(tf, fetches), types]


@program
def limits_and_derivatives(tf: Any) -> Any:
    image, losses = tf.image, tf.losses
    x, boxes = tf.constant(draw(2, 6, 5, 2)), tf.constant([[0.1, 0.2, 0.73, 0.9], [0.9, 0.05, 0.21, 1.3]])
    crop = image.crop_and_resize(x, boxes, [0, 1], [3, 4])
    y, w = tf.constant([1.0, 2.0, 4.0]), tf.constant([-1.0, -2.0, 0.5])
    one = losses.Reduction.SUM_OVER_NONZERO_WEIGHTS
    fetches = [
        tf.gradients(tf.reduce_sum(crop**2), boxes)[0],
        losses.compute_weighted_loss(y, w, reduction=losses.Reduction.MEAN),
        losses.compute_weighted_loss(y, w, reduction=one),
        image.draw_bounding_boxes(tf.zeros([1, 5, 5, 1]), [[[0.1, 0.1, 0.8, 0.8]]]),
        image.ssim(tf.abs(tf.ones([12, 12, 2]) * 0.3), tf.abs(tf.constant(draw(12, 12, 2))), 1.0),
        tf.saturate_cast(tf.constant([-1e9, 2.5, 1e9]), tf.float16),
        tf.saturate_cast(tf.constant([-100000, 7, 100000]), tf.float16),
    ]
    return values(tf, fetches)


def refusals() -> None:
    tf = flywheel.v1
    tf.reset_default_graph()
    d = tf.distributions
    for make in (d.Normal, d.Laplace):
        assert caught(functools.partial(make, 0.0, 1.0, validate_args=True)) == "NotImplementedError"
        assert caught(functools.partial(make, 0.0, 1.0, allow_nan_stats=False)) == "NotImplementedError"
    # TensorFlow's mode of a batch of these is an error.
    with tf.Session() as s:
        mode = s.run(d.Dirichlet([[2.0, 3.0], [0.5, 2.0]]).mode())
    assert np.allclose(mode[0], [1 / 3, 2 / 3]) and np.isnan(mode[1]).all(), mode
    k = tf.placeholder(tf.int32, [])
    with tf.Session() as s:
        for one in (d.Categorical(probs=[0.3, 0.7]).log_prob(k), tf.unravel_index([k], [2, 1])):
            s.run(one, {k: 1})
            wrong = [caught(functools.partial(s.run, one, {k: n})) for n in (-1, 2)]
            assert wrong == ["InvalidArgumentError"] * 2, wrong


@program
def layers_of_volumes(tf: Any) -> Any:
    x, s = tf.constant(draw(1, 4, 4, 4, 2)), tf.constant(draw(2, 6, 3))
    made = tf.constant_initializer(np.linspace(-1, 1, 7))
    fetches = [
        tf.layers.conv3d(x, 3, 2, kernel_initializer=made),
        tf.layers.max_pooling3d(x, 2, 2),
        tf.layers.conv3d_transpose(x, 3, 2, 2, kernel_initializer=made),
        tf.layers.average_pooling3d(x, 2, 1, "same"),
        tf.layers.separable_conv1d(s, 4, 3, depthwise_initializer=made, pointwise_initializer=made),
        tf.layers.Conv3D(2, 2, padding="same", kernel_initializer=made, name="own")(x),
    ]
    names = sorted(v.op.name for v in tf.global_variables())
    return [values(tf, fetches), names]


@program
def around(tf: Any) -> Any:
    n, x = tf.placeholder(tf.int32, []), tf.constant(draw(3))
    chosen = tf.switch_case(n, [lambda: x * 2.0, lambda: x - 1.0], default=lambda: x * x)
    nest = tf.nest
    form = {"b": [1, 2], "a": (3,)}
    plain = [nest.flatten(form), nest.map_structure(lambda a, b: a + b, [1, (2,)], [3, (4,)])]
    plain += [nest.pack_sequence_as([0, (0, 0)], [1, 2, 3]), nest.is_nested({}), nest.is_nested(1)]
    plain += [caught(lambda: nest.assert_same_structure([1, 2], [1])), tf.compat.as_bytes("a"), tf.compat.as_text(b"b")]
    plain += [caught(lambda: nest.assert_same_structure([1, 2], (1, 2))), tf.compat.as_str_any(3)]
    free = tf.constant(draw(2))
    zeros = tf.gradients(x * x, [x, free], unconnected_gradients=tf.UnconnectedGradients.ZERO)
    first = tf.transpose(tf.reshape(tf.range(24), [2, 3, 4, 1]), [0, 3, 1, 2])
    moments = [tf.round(tf.reduce_mean(one) * 5.0) for one in (
        tf.random_gamma([4000], 2.0, 5.0), tf.random_poisson(3.0, [4000]), tf.random.poisson(2.0, [4000]))]  # fmt: skip
    with tf.Session() as s:
        cases = [s.run(chosen, {n: k}) for k in (0, 1, 7)]
        return [cases, plain, s.run([zeros, moments, tf.layers.flatten(first, data_format="channels_first")])]


if __name__ == "__main__":
    refusals()
    run_all(needs_keras=["layers_of_volumes"])
