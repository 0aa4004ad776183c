# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Indices, segments, matrices, order, images, volumes, monitored sessions and averages of tensors, as in TensorFlow 1
(A5, M1, P7, R1, X2, X7, X8)."""

# mypy: disable-error-code="no-untyped-call"

import os
import tempfile
from typing import Any, List

import numpy as np

from beside_tensorflow import draw, program, run_all, values


@program
def scatters(tf: Any) -> Any:
    v = tf.Variable(draw(5, 2))
    writes = [
        tf.scatter_update(v, [0, 2], [[1.0, 1.0], [2.0, 2.0]]), tf.scatter_add(v, [1, 1], np.ones((2, 2), np.float32)),
        tf.scatter_sub(v, 3, [1.0, 1.0]), tf.scatter_nd_update(v, [[0, 1], [4, 0]], [7.0, 8.0]),
        tf.scatter_nd_add(v, [[2]], [[1.0, 2.0]]),
    ]  # fmt: skip
    ids = [0, 1, 0, 2, 1, 0]
    x = tf.constant(draw(6, 2))
    sums = [tf.unsorted_segment_sum(x, ids, 4), tf.unsorted_segment_max(x, ids, 3), tf.unsorted_segment_mean(x, ids, 3),
            tf.unsorted_segment_prod(x, ids, 3), tf.segment_sum(x, [0, 0, 1, 1, 2, 2]), tf.segment_min(x, sorted(ids)),
            tf.scatter_nd([[1], [3], [1]], [9.0, 10.0, 1.0], [5]), tf.confusion_matrix([1, 0, 1], [1, 1, 0]),
            tf.gradients(tf.unsorted_segment_sum(x, ids, 3)[1, 0] ** 2, x)[0]]  # fmt: skip
    some = [0, -1, 1, -3, 1, 0]
    sums += [function(x, some, 3) for function in (tf.unsorted_segment_sum, tf.unsorted_segment_sqrt_n)]
    sums += [tf.gradients(tf.unsorted_segment_sum(x, some, 3) ** 2, x)[0], tf.unique([0.0, np.nan, 0.0, np.nan])[1],
             tf.digamma(tf.constant([-1.0, -2.0, -0.5]))]  # fmt: skip
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        return [[s.run(w) for w in writes], s.run(v), s.run(sums)]


@program
def matrices(tf: Any) -> Any:
    a = tf.constant(draw(2, 4, 4))
    spd = tf.matmul(a, a, transpose_b=True) + 4.0 * np.eye(4, dtype=np.float32)
    b = tf.constant(draw(2, 4, 1))
    l = tf.cholesky(spd)
    fetches = [
        tf.matrix_inverse(a), tf.matrix_determinant(a), tf.matrix_solve(a, b), l, tf.cholesky_solve(l, b),
        tf.matrix_triangular_solve(l, b), tf.matrix_band_part(a, 1, 0), tf.matrix_band_part(a, -1, 1),
        tf.matrix_set_diag(a[0], [1.0, 2.0, 3.0, 4.0]), tf.gradients(tf.matrix_determinant(a), a)[0],
        tf.gradients(tf.reduce_sum(tf.matrix_inverse(a) ** 2), a)[0], tf.linalg.det(spd), tf.linalg.inv(spd),
    ]  # fmt: skip
    return values(tf, fetches)


@program
def order(tf: Any) -> Any:
    a = tf.constant(draw(3, 7))
    x = tf.Variable(draw(3))
    y = tf.reduce_sum(x**3)
    top, where = tf.nn.top_k(a, 3)
    i = tf.constant([[5, 3], [7, -2]])
    fetches = [
        top, where, tf.gradients(top, a)[0], tf.nn.top_k(a, 7), tf.sort(a), tf.argsort(a, direction="DESCENDING"),
        tf.invert_permutation([2, 0, 1]), tf.reverse_sequence(a, [2, 7, 1], 1),
        tf.histogram_fixed_width(a, [-1.0, 1.0], 5),
        tf.truncatediv(i, 2), tf.div_no_nan(a, tf.zeros_like(a)), tf.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.5]),
        tf.lgamma(tf.abs(a) + 0.1), tf.digamma(tf.abs(a) + 0.1), tf.erfc(a), tf.math.reduce_std(a, 1),
        tf.math.reduce_variance(a), tf.strided_slice(a, [0, 1], [2, 5], [1, 2]),
        tf.pad(a, [[0, 0], [2, 1]], "SYMMETRIC"),
        tf.space_to_batch_nd(tf.reshape(a, [1, 3, 7, 1]), [3, 1], [[0, 0], [0, 0]]), tf.hessians(y, x)[0],
        tf.batch_to_space_nd(tf.reshape(a, [3, 7, 1, 1]), [3, 1], [[0, 0], [0, 0]]), tf.arg_min(a, 1), tf.arg_max(a, 0),
        tf.clip_by_average_norm(a, 0.1),
    ]  # fmt: skip
    return values(tf, fetches)


@program
def windows_and_images(tf: Any) -> Any:
    v, w = tf.constant(draw(1, 4, 5, 4, 2)), tf.constant(draw(2, 2, 2, 2, 3))
    x = tf.constant(draw(2, 4, 6, 3))
    fetches = [
        tf.nn.conv3d(v, w, [1, 1, 1, 1, 1], "SAME"), tf.nn.max_pool3d(v, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "VALID"),
        tf.nn.convolution(x, tf.constant(draw(3, 3, 3, 2)), "SAME", strides=[2, 1]),
        tf.nn.pool(x, [2, 2], "AVG", "VALID"),
        tf.nn.fused_batch_norm(x, tf.ones([3]), tf.zeros([3])), tf.nn.weighted_moments(x, [0, 1], tf.abs(x)),
        tf.nn.log_poisson_loss(tf.abs(x), x, True), tf.image.resize_nearest_neighbor(x, [8, 3]),
        tf.image.resize_bilinear(x, [7, 9]), tf.image.resize_images(x, [8, 12], align_corners=True),
        tf.image.flip_up_down(x[0]), tf.image.rot90(x[0]), tf.image.per_image_standardization(x[0]),
        tf.image.rgb_to_grayscale(x), tf.image.resize_image_with_crop_or_pad(x, 6, 4), tf.image.central_crop(x[0], 0.5),
        tf.image.adjust_contrast(x, 2.0), tf.image.total_variation(x),
        tf.losses.mean_pairwise_squared_error(x, tf.abs(x)),
    ]  # fmt: skip
    return values(tf, fetches)


@program
def classes(tf: Any) -> Any:
    labels, predictions = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.int64, [None])
    value, update = zip(tf.metrics.mean_iou(labels, predictions, 3),
                        tf.metrics.mean_per_class_accuracy(labels, predictions, 3),
                        tf.metrics.percentage_below(labels, 1),
                        tf.metrics.mean_tensor(tf.to_float(predictions[:2]) * tf.ones([2])))  # fmt: skip
    out = []
    with tf.Session() as s:
        s.run(tf.local_variables_initializer())
        for seed in range(3):
            rng = np.random.RandomState(seed)
            s.run(update, {labels: rng.randint(0, 3, 8), predictions: rng.randint(0, 3, 8)})
            out.append(s.run(value))
    return out


@program
def hooks(tf: Any) -> Any:
    folder = tempfile.mkdtemp()
    seen = []

    class Losses(tf.train.SessionRunHook):  # type: ignore[misc]
        def before_run(self, run_context: Any) -> Any:
            return tf.train.SessionRunArgs(loss)

        def after_run(self, run_context: Any, run_values: Any) -> None:
            seen.append(run_values.results)

    for last in (4, 7):
        tf.reset_default_graph()
        w = tf.get_variable("w", initializer=draw(3, 1))
        loss = tf.reduce_mean(tf.square(tf.matmul(tf.constant(draw(8, 3)), w) - 1.0))
        step = tf.train.get_or_create_global_step()
        train = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=step)
        own = [tf.train.StopAtStepHook(last_step=last), Losses(), tf.train.NanTensorHook(loss),
               tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=10)]  # fmt: skip
        with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=own, save_summaries_steps=None) as session:
            while not session.should_stop():
                session.run(train)
    state = tf.train.get_checkpoint_state(folder)
    return [seen, state.model_checkpoint_path.rpartition("-")[2]]


@program
def listeners(tf: Any) -> Any:
    seen: List[Any] = []

    class Seen(tf.train.CheckpointSaverListener):  # type: ignore[misc]
        def begin(self) -> None:
            self.twice = w * 2.0

        def before_save(self, session: Any, global_step_value: int) -> None:
            seen.append(["before", global_step_value, session.run(self.twice)])

        def after_save(self, session: Any, global_step_value: int) -> bool:
            seen.append(["after", global_step_value, bool(tf.train.latest_checkpoint(folder))])
            return global_step_value == 4

        def end(self, session: Any, global_step_value: int) -> None:
            seen.append(["end", global_step_value])

    folder = tempfile.mkdtemp()
    w = tf.get_variable("w", initializer=1.0)
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(w), global_step=step)
    own = [tf.train.CheckpointSaverHook(folder, save_steps=2, listeners=[Seen()])]
    with tf.train.MonitoredSession(hooks=own) as session:
        for _ in range(9):
            if not session.should_stop():
                session.run(train)
    return seen


@program
def checkpoints_without_a_state(tf: Any) -> Any:
    folder = tempfile.mkdtemp()
    w = tf.get_variable("w", initializer=1.0)
    saver = tf.train.Saver(max_to_keep=1, pad_step_number=True)
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        kept = [saver.save(s, os.path.join(folder, "m"), n, write_state=False) for n in (1, 2)]
        kept += [saver.save(s, os.path.join(folder, "plain"), write_state=False)]
        out = [[os.path.basename(path) for path in kept], sorted(os.listdir(folder)).count("checkpoint"),
               tf.train.latest_checkpoint(folder) is None, len(saver.last_checkpoints)]  # fmt: skip
        saver.save(s, os.path.join(folder, "m"), 3)
        s.run(tf.assign(w, 5.0))
        saver.restore(s, kept[0])
        return [out, s.run(w), len(saver.last_checkpoints), os.path.basename(tf.train.latest_checkpoint(folder))]


@program
def averages_of_tensors(tf: Any) -> Any:
    x, trains = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.bool)
    mean, variance = tf.nn.moments(x, [0])
    ema = tf.train.ExponentialMovingAverage(0.5)

    def of_batch() -> Any:
        with tf.control_dependencies([ema.apply([mean, variance])]):
            return tf.identity(mean), tf.identity(variance)

    found = tf.cond(trains, of_batch, lambda: (ema.average(mean), ema.average(variance)))
    step = tf.train.get_or_create_global_step()
    w = tf.Variable([1.0, 2.0], name="w")
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(tf.square(w - 5.0)), global_step=step)
    of_weights = tf.train.ExponentialMovingAverage(0.99, step)
    with tf.control_dependencies([train]):
        move = of_weights.apply([w])
    out = []
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for is_training in (True, True, False):
            out.append(s.run(found, {x: draw(4, 3), trains: is_training}))
        for _ in range(3):
            s.run(move)
            out.append(s.run(of_weights.average(w)))
    return out


@program
def sequences_both_ways(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None, 4, 3])
    cells = [tf.nn.rnn_cell.BasicLSTMCell(5) for _ in range(2)]
    outputs, *states = tf.nn.static_bidirectional_rnn(*cells, tf.unstack(x, 4, 1), dtype=tf.float32)
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for v in tf.trainable_variables():
            v.load(draw(*v.get_shape().as_list()) * 0.2, s)
        first = s.run([outputs, states], {x: draw(2, 4, 3)})
        return [first, [v.name for v in tf.trainable_variables()]]


@program
def states_in_one_tensor(tf: Any) -> Any:
    x, start = tf.placeholder(tf.float32, [None, 4, 3]), tf.placeholder(tf.float32, [None, 10])
    cells = [tf.nn.rnn_cell.GRUCell(5) for _ in range(2)]
    outputs, last = tf.nn.dynamic_rnn(tf.nn.rnn_cell.MultiRNNCell(cells, state_is_tuple=False), x, initial_state=start)
    grads = tf.gradients(tf.reduce_sum(outputs), tf.trainable_variables())
    with tf.Session() as s:
        for v in tf.trainable_variables():
            s.run(v.assign(draw(*v.get_shape().as_list()) * 0.2))
        return s.run([outputs, last, grads], {x: draw(2, 4, 3), start: draw(2, 10)})


@program
def tables_in_parts(tf: Any) -> Any:
    parts = [tf.Variable(draw(n, 2)) for n in (3, 3, 2)]
    ids = tf.constant([[0, 7], [4, 5], [1, 0]])
    found = [tf.nn.embedding_lookup(parts, ids, partition_strategy=way) for way in ("mod", "div")]
    grads = [tf.convert_to_tensor(g) for g in tf.gradients(tf.reduce_sum(found[0] ** 2), parts)]
    return values(tf, [found, grads])


@program
def templates_and_noise(tf: Any) -> Any:
    scaled = tf.make_template("scaled", lambda x: x * tf.get_variable("s", [], initializer=tf.ones_initializer()))
    first, second = scaled(tf.ones([4, 3, 2])), scaled(tf.ones([2]))
    kept = tf.nn.dropout(first, keep_prob=0.5, noise_shape=[4, 1, 2])
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        values = s.run(kept)
        both = bool((values == values[:, :1]).all()), bool(np.isin(values, [0, 2]).all())
        return [both, s.run(second), [v.name for v in tf.global_variables()]]


@program
def checkpoints_by_name(tf: Any) -> Any:
    path = tempfile.mkdtemp() + "/model"
    a, b = tf.Variable(draw(2), name="a"), tf.Variable(draw(3, 2), name="b")
    optimizer = tf.train.AdamOptimizer(0.1)
    optimizer.minimize(tf.reduce_sum(a) + tf.reduce_sum(b))
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        kept = tf.train.Saver({"x": a, "b": b}).save(s, path, write_meta_graph=False)
    reader = tf.train.load_checkpoint(kept)
    return [tf.train.list_variables(kept), tf.train.load_variable(kept, "x"), reader.has_tensor("y"),
            sorted(reader.get_variable_to_shape_map()), [v.name for v in optimizer.variables()]]  # fmt: skip


def wrong_uses() -> None:
    """Two dtypes, conditions that are none, loops that change what they carry, and feeds and fetches of nothing."""
    import flywheel.v1 as tf

    one, whole = tf.constant([1.0, 2.0], name="one"), tf.constant([1, 2], name="whole")
    session = tf.Session()
    for kind, words, what in (
        (TypeError, "type float32 that does not match type int32", lambda: whole + one),
        (TypeError, "cast one of whole:0 and one:0", lambda: tf.multiply(whole, one)),
        (TypeError, "Expected int32, got 1.5", lambda: whole * 1.5),
        (TypeError, "does not match type", lambda: tf.concat([one, whole], 0)),
        (TypeError, "has DataType int32", lambda: tf.log(whole)),
        (TypeError, "must be a boolean scalar", lambda: tf.cond(tf.constant(1.0), lambda: one, lambda: one)),
        (TypeError, "must keep the dtype", lambda: tf.while_loop(lambda i: i < 3, tf.to_float, [tf.constant(0)])),
        (ValueError, "not an invariant", lambda: tf.while_loop(
            lambda i, x: i < 3, lambda i, x: (i + 1, tf.concat([x, x], 0)), [0, one])),
        (TypeError, "feed_dict key as Tensor: The name 'none'", lambda: session.run(one, {"none:0": 1})),
        (TypeError, "Fetch argument 3 has invalid type int", lambda: session.run(3)),
        (ValueError, "a feed of float32, Tensor 'one:0'", lambda: session.run(one, {one: ["a", "b"]})),
        (ValueError, "a pair (c, h) of tensors", lambda: tf.nn.rnn_cell.BasicLSTMCell(2)(tf.ones([1, 1]), one)),
        (NotImplementedError, "x.eval()", lambda: one.numpy()),
    ):  # fmt: skip
        try:
            what()
        except kind as error:
            assert words in str(error), error
        else:
            raise AssertionError(words)


def of_contrib() -> None:
    """Parts that TensorFlow 2 no longer has: layers under the names of tf.contrib, and its cells and losses."""
    import flywheel.v1 as tf

    tf.reset_default_graph()
    tf.set_random_seed(1)
    x = tf.placeholder(tf.float32, [None, 8, 8, 1])
    trains = tf.placeholder(tf.bool)
    layers = tf.contrib.layers
    own = {"is_training": trains}
    h = layers.conv2d(x, 3, [3, 3], normalizer_fn=layers.batch_norm, normalizer_params=own, scope="c")
    h = layers.fully_connected(layers.flatten(layers.max_pool2d(h, 2)), 5, scope="f")
    loss = tf.reduce_mean(layers.layer_norm(h) * tf.constant(draw(5)) + h)
    train = layers.optimize_loss(loss, None, 0.02, "SGD", clip_gradients=1.0)
    names = ["c/weights", "c/BatchNorm/beta", "f/weights", "f/biases", "LayerNorm/beta", "LayerNorm/gamma"]
    assert [v.op.name for v in tf.trainable_variables()] == names, [v.op.name for v in tf.trainable_variables()]
    y = tf.constant([[1, 2], [0, 1]])
    logits, weights = tf.constant(draw(2, 2, 3)), tf.constant([[1.0, 0.5], [1.0, 0.0]])
    sequence = tf.contrib.seq2seq.sequence_loss(logits, y, weights)
    assert isinstance(tf.contrib.rnn.BasicLSTMCell(3), tf.nn.rnn_cell.RNNCell)
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        feed = {x: draw(6, 8, 8, 1), trains: True}
        found = [s.run(train, feed) for _ in range(5)]
        assert found[-1] < found[0] and s.run(tf.train.get_global_step()) == 5, found
        p = np.exp(draw(2, 2, 3))
        picked = np.take_along_axis(p / p.sum(-1, keepdims=True), np.array([[1, 2], [0, 1]])[..., None], 2)[..., 0]
        assert np.isclose(s.run(sequence), (-np.log(picked) * [[1.0, 0.5], [1.0, 0.0]]).sum() / 2.5)


def arguments_of_contrib() -> None:
    """Initializers, regularizers and collections that layers of tf.contrib are given."""
    import flywheel.v1 as tf

    tf.reset_default_graph()
    layers, graph = tf.contrib.layers, tf.get_default_graph()
    x = tf.constant(draw(4, 6, 6, 2))
    inits = {"beta": tf.constant_initializer(2.0), "gamma": tf.constant_initializer(3.0),
             "moving_mean": tf.constant_initializer(4.0), "moving_variance": tf.constant_initializer(5.0)}  # fmt: skip
    layers.batch_norm(x, scale=True, param_initializers=inits, param_regularizers={
        "beta": tf.contrib.layers.l1_regularizer(0.5), "gamma": tf.contrib.layers.l1_regularizer(0.25)},
        variables_collections={"beta": ["betas"], "moving_mean": ["means", "moved"], "moving_variance": ["moved"]},
        outputs_collections="out", scope="n")  # fmt: skip
    options: Any = {"variables_collections": ["own"], "outputs_collections": ["out"]}
    h = layers.conv2d(x, 2, 3, scope="c", **options)
    layers.conv2d(x, 2, 3, scope="c", reuse=True, **options)
    layers.conv2d_transpose(h, 2, 3, scope="t", **options)
    layers.layer_norm(h, scope="l", **options)
    layers.fully_connected(layers.flatten(h, outputs_collections="out"), 2, scope="f",
                           variables_collections={"weights": "weights", "biases": "biases"})  # fmt: skip
    for layer in (layers.max_pool2d, layers.avg_pool2d):
        layer(h, 2, outputs_collections="out")
    layers.dropout(h, outputs_collections="out")
    found = {key: [v.op.name for v in graph.get_collection(key)] for key in
             ("betas", "means", "moved", "own", "weights", "biases")}  # fmt: skip
    expected = {"betas": ["n/beta"], "means": ["n/moving_mean"], "moved": ["n/moving_mean", "n/moving_variance"],
                "own": ["c/weights", "c/biases", "t/weights", "t/biases", "l/beta", "l/gamma"],
                "weights": ["f/weights"], "biases": ["f/biases"]}  # fmt: skip
    assert found == expected, found
    assert len(graph.get_collection("out")) == 9, graph.get_collection("out")
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for key, value in (("beta", 2.0), ("gamma", 3.0), ("moving_mean", 4.0), ("moving_variance", 5.0)):
            variable = next(v for v in tf.global_variables() if v.op.name == f"n/{key}")
            assert s.run(variable).tolist() == [value] * 2, key
        assert sorted(s.run(graph.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))) == [1.5, 2.0]


def what_is_not_there() -> None:
    """Arguments that would change a result, and are not computed by, are refused."""
    import flywheel.v1 as tf

    tf.reset_default_graph()
    layers, x = tf.contrib.layers, tf.zeros([1, 4, 4, 2])
    for what, words in (
        (lambda: layers.max_pool2d(x, 2, data_format="NCHW"), "NCHW"),
        (lambda: layers.avg_pool2d(x, 2, data_format="NCHW"), "NCHW"),
        (lambda: layers.conv2d(x, 2, 2, data_format="NCHW"), "NCHW"),
        (lambda: layers.conv2d_transpose(x, 2, 2, data_format="NCHW"), "NCHW"),
        (lambda: tf.norm(tf.zeros([2, 2]), ord=2, axis=[0, 1]), "norm of matrices: ord=2"),
    ):
        try:
            what()
        except NotImplementedError as error:
            assert words in str(error), error
        else:
            raise AssertionError(words)


def what_is_missing() -> None:
    """A name that is not there says so, and what to use."""
    import flywheel.v1 as tf

    for what, words in ((lambda: tf.estimator.Estimator, "flywheel.keras"),
                        (lambda: tf.train.import_meta_graph, "build it again"), (lambda: tf.FIFOQueue, "Batches"),
                        (lambda: tf.contrib.slim.nets.vgg, "layers")):  # fmt: skip
        try:
            what()
        except AttributeError as error:
            assert "there is no flywheel.v1." in str(error) and words in str(error), error
        else:
            raise AssertionError(words)
    assert not hasattr(tf, "no_such_name")


run_all()
wrong_uses()
of_contrib()
arguments_of_contrib()
what_is_not_there()
what_is_missing()
