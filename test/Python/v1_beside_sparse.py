# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Sparse tensors, their ops and gradients, as in TensorFlow 1 (X48)."""

# mypy: disable-error-code="no-untyped-call"

from typing import Any, List

import numpy as np

import flywheel.v1
from beside_tensorflow import caught, draw, program, run_all

_INDICES = [[0, 1], [0, 3], [2, 0], [3, 1], [3, 2]]
_VALUES = [1.0, -2.0, 3.0, 0.5, 4.0]


def _value(tf: Any, scale: float = 1.0) -> Any:
    return tf.SparseTensorValue(_INDICES, np.array(_VALUES, np.float32) * np.float32(scale), [5, 4])


def _parts(results: List[Any]) -> List[Any]:
    """Sparse values as lists."""
    return [list(one) if hasattr(one, "dense_shape") else one for one in results]


def _run(tf: Any, fetches: List[Any], feed: Any = None) -> List[Any]:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return _parts(session.run(fetches, feed))


def _inputs(tf: Any) -> List[Any]:
    """A constant, a placeholder without a shape, one with sizes that are open, and one with known sizes."""
    return [tf.SparseTensor(_INDICES, tf.constant(_VALUES), [5, 4]), tf.sparse_placeholder(tf.float32),
            tf.sparse_placeholder(tf.float32, [None, 4]), tf.sparse_placeholder(tf.float32, [5, 4])]  # fmt: skip


@program
def products(tf: Any) -> Any:
    found = []
    for x in _inputs(tf):
        for adjoint_a in (False, True):
            for adjoint_b in (False, True):
                m = draw(5 if adjoint_a else 4, 3)
                w = tf.Variable(m.T if adjoint_b else m)
                y = tf.sparse_tensor_dense_matmul(x, w, adjoint_a, adjoint_b)
                loss = tf.reduce_sum(y * y * y)
                fetches = [y, x, *map(tf.convert_to_tensor, tf.gradients(loss, [w, x.values]))]
                found += _run(tf, fetches, {x: _value(tf)} if x.op.type == "Placeholder" else None)
    return found


@program
def other_sizes(tf: Any) -> Any:
    """One graph is fed shapes and counts of elements in turn, none of them among these."""
    x = tf.sparse_placeholder(tf.float32)
    y = tf.sparse_placeholder(tf.float32, [None, 4])
    w = tf.constant(draw(4, 2))
    fetches = [tf.sparse_tensor_dense_matmul(x, w), tf.sparse_tensor_to_dense(x), tf.sparse_tensor_to_dense(y),
               tf.sparse_reduce_sum(y, 0), tf.sparse_reduce_sum(y, 1), tf.sparse_add(y, y)]  # fmt: skip
    found: List[Any] = []
    with tf.Session() as session:
        for rows in (5, 1, 7, 3):
            count = rows - 1
            own = tf.SparseTensorValue(np.stack([np.arange(count), np.arange(count) % 4], 1).reshape(-1, 2),
                                       np.arange(count, dtype=np.float32) + 1, [rows, 4])  # fmt: skip
            found += _parts(session.run(fetches, {x: own, y: own}))
            found += _parts(session.run(fetches, {x: own, y: tuple(own)}))
    return found


@program
def dense(tf: Any) -> Any:
    x = tf.SparseTensor(_INDICES, tf.constant(_VALUES), [5, 4])
    value = tf.placeholder(tf.float32, [3])
    places = tf.placeholder(tf.int64, [3, 1])
    made = [
        tf.sparse_tensor_to_dense(x), tf.sparse_tensor_to_dense(x, 7.0), tf.sparse.to_dense(x, -1.0),
        tf.sparse_to_dense([[0, 1], [2, 0]], [3, 2], [5.0, 6.0]), tf.sparse_to_dense([1, 3], [5], [5, 6], -1),
        tf.sparse_to_dense([1, 3], [5], 9), tf.sparse_to_dense(2, [4], 1.5),
        tf.sparse_to_dense(places, [9], value, 2.0),
        tf.sparse_to_dense([[1, 1], [0, 0]], [2, 2], [1.0, 2.0], validate_indices=False),
        tf.sparse.to_indicator(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 3, 0], [3, 2]), 5),
    ]  # fmt: skip
    loss = tf.reduce_sum(tf.square(tf.sparse_to_dense(places, [9], value, 2.0)))
    made += tf.gradients(loss, value)
    return _run(tf, made, {value: [1, 2, 3], places: [[0], [4], [8]]})


@program
def reductions(tf: Any) -> Any:
    found = []
    cube = tf.SparseTensorValue([[0, 0, 1], [0, 1, 0], [1, 0, 2], [1, 1, 2]], np.array([1, -2, 3, 4], np.float32),
                                [2, 2, 3])  # fmt: skip
    for x in (tf.SparseTensor(*cube), tf.sparse_placeholder(tf.float32, [None, 2, 3])):
        for axis in (None, 0, 1, -1, [0, 1], [1, 2], [0, 2], [-1, 0]):
            for keep in (False, True):
                made = [tf.sparse_reduce_sum(x, axis, keepdims=keep), tf.sparse_reduce_max(x, axis, keepdims=keep)]
                if axis is not None:
                    made += [tf.sparse_reduce_sum_sparse(x, axis, keepdims=keep),
                             tf.sparse.reduce_max_sparse(x, axis, keepdims=keep)]  # fmt: skip
                made += tf.gradients(tf.reduce_sum(made[0] ** 2), x.values)
                found += _run(tf, made, {x: cube} if x.op.type == "Placeholder" else None)
    return found


@program
def joined(tf: Any) -> Any:
    found = []
    for x in _inputs(tf)[::3]:
        y = tf.SparseTensor([[1, 0], [3, 1]], tf.constant([10.0, -0.5]), [5, 4])
        z = tf.SparseTensor([[1, 0], [1, 1]], tf.constant([1.0, 2.0]), [2, 4])
        d = tf.constant(draw(5, 4))
        a = tf.sparse_add(x, y)
        made = [
            a, tf.sparse_add(x, d), tf.sparse_add(d, x), tf.sparse.add(x, y, threshold=0.6), tf.sparse_maximum(x, y),
            tf.sparse_minimum(x, y), tf.sparse_concat(0, [x, y, z]), tf.sparse_concat(1, [x, y]),
            tf.sparse_concat(-1, [y, x, y]), tf.sparse_concat(1, [z, y], expand_nonconcat_dim=True),
            tf.sparse.concat(0, [x]),
        ]  # fmt: skip
        loss = tf.reduce_sum(a.values * tf.range(1.0, 7.0)) + tf.reduce_sum(made[7].values ** 2)
        made += tf.gradients(loss, [x.values, y.values])
        found += _run(tf, made, {x: _value(tf)} if x.op.type == "Placeholder" else None)
    return found


@program
def reshaped(tf: Any) -> Any:
    found = []
    for x in _inputs(tf)[::2]:
        shuffled = tf.SparseTensor([[3, 1], [0, 2], [3, 0], [0, 1]], tf.constant([1.0, 2.0, 3.0, 4.0]), [4, 3])
        made = [
            tf.sparse_reorder(shuffled), tf.sparse_transpose(x), tf.sparse_transpose(x, [0, 1]),
            tf.sparse_reshape(x, [2, 10]), tf.sparse_reshape(x, [-1]), tf.sparse_reshape(x, [5, 2, -1]),
            tf.sparse_retain(x, [True, False, True, False, True]), tf.sparse_slice(x, [0, 1], [3, 3]),
            tf.sparse_slice(x, [3, 1], [9, 2]), *tf.sparse_split(sp_input=x, num_split=3, axis=1),
            *tf.sparse_split(sp_input=x, num_split=2, axis=0), tf.sparse_softmax(x), tf.sparse_reset_shape(x),
            tf.sparse_reset_shape(x, [6, 4]), tf.sparse.expand_dims(x, 1), tf.sparse.expand_dims(x),
            *tf.sparse_fill_empty_rows(x, -9.0), tf.sparse.eye(3), tf.sparse.eye(2, 4),
            tf.sparse.from_dense([[0.0, 2.0], [3.0, 0.0]]),
        ]  # fmt: skip
        loss = sum(tf.reduce_sum(made[i].values * made[i].values) for i in (1, 3, 6, 7, 15, 17, 19))
        loss += tf.reduce_sum(made[14].values * tf.range(1.0, 6.0))
        made.append(tf.convert_to_tensor(tf.gradients(loss, x.values)[0]))
        found += _run(tf, made, {x: _value(tf)} if x.op.type == "Placeholder" else None)
    return found


@program
def each_value(tf: Any) -> Any:
    found = []
    for x in _inputs(tf)[::2]:
        made = [
            x * tf.constant(draw(5, 4)), x / tf.constant(draw(1, 4)), x * draw(5, 1), x * 2.0, x / tf.constant(4.0),
            tf.cast(x, tf.int32), tf.abs(x), tf.negative(x), tf.square(x), tf.sign(x), tf.tanh(x), tf.shape(x),
            tf.size(x), tf.rank(x),
        ]  # fmt: skip
        found += _run(tf, made, {x: _value(tf)} if x.op.type == "Placeholder" else None)
        found += [x.dtype.name, str(made[0].dtype.name)]
    return found


@program
def tables(tf: Any) -> Any:
    found = []
    table = tf.Variable(draw(6, 3))
    parts = [tf.Variable(draw(3, 2)), tf.Variable(draw(3, 2) * 2)]
    value = tf.SparseTensorValue([[0, 0], [0, 2], [2, 0], [4, 1]], np.array([1, 3, 1, 5], np.int64), [6, 3])
    weights = tf.SparseTensor(value.indices, tf.constant([0.5, 2.0, 1.0, -1.0]), [6, 3])
    for ids in (tf.SparseTensor(*value), tf.sparse_placeholder(tf.int64, [None, 3])):
        feed = {ids: value} if ids.op.type == "Placeholder" else None
        for combiner in ("sum", "mean", "sqrtn"):
            for own in (None, weights):
                y = tf.nn.embedding_lookup_sparse(table, ids, own, combiner=combiner)
                is_number = tf.where(tf.is_nan(y), tf.zeros_like(y), y)
                gradient = tf.convert_to_tensor(tf.gradients(tf.reduce_sum(y[4] ** 2), table)[0])
                found += _run(tf, [is_number, gradient] if own is not None else [y, gradient], feed)
            y = tf.nn.embedding_lookup_sparse(parts, ids, None, "div", combiner=combiner)
            z = tf.nn.embedding_lookup_sparse(parts, ids, weights, "mod", combiner="sum")
            found += _run(tf, [y, z], feed)
            found += _run(tf, [tf.nn.safe_embedding_lookup_sparse(table, ids, None, combiner),
                               tf.nn.safe_embedding_lookup_sparse(table, ids, None, combiner, 2),
                               tf.nn.safe_embedding_lookup_sparse(table, ids, weights, combiner)], feed)  # fmt: skip
    x, i, s = tf.constant(draw(5, 2)), [4, 0, 1, 1], [0, 0, 1, 3]
    made = [tf.sparse_segment_sum(x, i, s), tf.sparse_segment_mean(x, i, s), tf.sparse_segment_sqrt_n(x, i, s),
            tf.sparse_segment_sum(x, i, s, num_segments=6),
            tf.sparse.segment_mean(x, i, s, num_segments=6)]  # fmt: skip
    return found + _run(tf, made + tf.gradients(tf.reduce_sum(made[1] ** 2), x))


@program
def trained(tf: Any) -> Any:
    """Logistic regression on sparse rows: the weights after each step."""
    x = tf.sparse_placeholder(tf.float32, [None, 6])
    y = tf.placeholder(tf.float32, [None, 1])
    w = tf.Variable(draw(6, 1))
    logits = tf.sparse_tensor_dense_matmul(x, w)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
    step = tf.train.AdamOptimizer(0.1).minimize(loss)
    rng, found = np.random.RandomState(3), []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for count in (4, 4, 3, 1):
            rows = (rng.rand(count, 6) < 0.4) * rng.randn(count, 6)
            indices = np.argwhere(rows)
            own = tf.SparseTensorValue(indices, rows[tuple(indices.T)], rows.shape)
            found += session.run([loss, step], {x: own, y: rng.randint(0, 2, [count, 1])})[:1]
            found.append(session.run(w))
    return found


@program
def transcriptions(tf: Any) -> Any:
    """Losses and decoders of CTC, and distances of what is decoded."""
    x = tf.Variable(draw(7, 3, 5))
    lengths = [7, 5, 6]
    value = tf.SparseTensorValue([[0, 0], [0, 1], [0, 2], [1, 0], [2, 0]], np.array([1, 2, 2, 0, 3], np.int32), [3, 3])
    labels = tf.sparse_placeholder(tf.int32)
    loss = tf.nn.ctc_loss(labels, x, lengths)
    batch_major = tf.nn.ctc_loss(labels=tf.SparseTensor(*value), inputs=tf.transpose(x, [1, 0, 2]),
                                 sequence_length=lengths, time_major=False)  # fmt: skip
    short = tf.nn.ctc_loss(labels, x, [2, 5, 6], ignore_longer_outputs_than_inputs=True)
    (decoded,), sums = tf.nn.ctc_greedy_decoder(x, lengths)
    paths, scores = tf.nn.ctc_beam_search_decoder(x, lengths, beam_width=200, top_paths=2, merge_repeated=False)
    error = tf.edit_distance(tf.cast(decoded, tf.int32), labels)
    steps = tf.edit_distance(tf.cast(paths[0], tf.int32), labels, normalize=False)
    fetches = [loss, batch_major, short, *tf.gradients(loss, x), decoded, sums, *paths, scores, error, steps]
    return _run(tf, fetches, {labels: value})


@program
def in_branches(tf: Any) -> Any:
    x = tf.sparse_placeholder(tf.float32, [None, 4])
    w = tf.Variable(draw(4, 4))
    p = tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: tf.sparse_tensor_dense_matmul(x, w), lambda: tf.sparse_tensor_to_dense(x))
    z = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.tanh(s + tf.sparse_tensor_dense_matmul(x, w))),
                      (0, tf.sparse_tensor_to_dense(x)))[1]  # fmt: skip
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [session.run([y, z], {x: _value(tf), p: chosen}) for chosen in (True, False)]


@program
def refused(tf: Any) -> Any:
    """A wrong argument is an error in both."""
    x = tf.SparseTensor(_INDICES, tf.constant(_VALUES), [5, 4])
    p = tf.sparse_placeholder(tf.float32, [None, 4])
    actions = [
        lambda: tf.SparseTensor([0, 1], [1.0, 2.0], [3]), lambda: tf.SparseTensor([[0, 1]], [1.0, 2.0], [3, 3]),
        lambda: tf.SparseTensor([[0, 1]], [1.0], [3]), lambda: tf.SparseTensor.from_value(3),
        lambda: tf.sparse_add(tf.constant(1.0), 2.0), lambda: tf.sparse_tensor_dense_matmul(x, tf.ones([3, 2])),
        lambda: tf.sparse_retain(x, [True]), lambda: bool(x), lambda: tf.convert_to_tensor(x), lambda: tf.matmul(x, x),
        lambda: tf.sparse_tensor_to_dense(tf.constant(1.0)), lambda: tf.nn.embedding_lookup_sparse(draw(3, 2), 1, None),
        lambda: tf.nn.embedding_lookup_sparse(draw(3, 2), x, None, combiner="max"),
    ]
    found = [isinstance(caught(one), str) for one in actions]
    with tf.Session() as session:
        runs = [
            (tf.sparse_tensor_to_dense(tf.SparseTensor([[1, 1], [0, 0]], [1.0, 2.0], [2, 2])), None),
            (tf.sparse_tensor_to_dense(tf.SparseTensor([[0, 1], [0, 1]], [1.0, 2.0], [2, 2])), None),
            (tf.sparse_tensor_to_dense(tf.SparseTensor([[0, 5]], [1.0], [2, 2])), None),
            (tf.sparse_tensor_dense_matmul(tf.SparseTensor([[0, 5]], [1.0], [2, 2]), tf.ones([2, 2])), None),
            (p, {p: [1.0, 2.0]}), (p, {p: np.zeros([3, 4])}), (p, None),
            (tf.sparse_tensor_to_dense(p), {p: x}),
        ]
        return found + [isinstance(caught(lambda: session.run(y, feed)), str) for y, feed in runs]


def _ops_of(tf: Any, x: Any) -> List[Any]:
    """Ops that TensorFlow checks the indices of, or whose results it gives for any."""
    y = tf.SparseTensor([[0, 0], [4, 1]], tf.constant([1.0, 2.0]), [5, 4])
    ids = tf.SparseTensor(x.indices, tf.cast(x.values, tf.int64), x.dense_shape)
    table = tf.constant(draw(5, 4))
    return [
        tf.sparse_tensor_dense_matmul(x, draw(4, 2)), tf.sparse_tensor_to_dense(x), tf.sparse_maximum(x, y),
        tf.sparse_tensor_to_dense(x, validate_indices=False), tf.sparse_split(sp_input=x, num_split=2, axis=0)[0],
        tf.sparse_split(sp_input=x, num_split=2, axis=1)[1], tf.sparse_fill_empty_rows(x, -9.0)[0], x * draw(5, 4),
        x * draw(1, 4), x * draw(5, 1), x / tf.constant(2.0), tf.nn.embedding_lookup_sparse(table, ids, None),
        tf.nn.embedding_lookup_sparse(table, ids, x, combiner="sqrtn"), tf.sparse_add(x, y), tf.sparse_add(y, x),
        tf.sparse_add(x, table), tf.sparse_concat(0, [x, x]), tf.sparse_concat(1, [x, x]), tf.sparse_reorder(x),
        tf.sparse_transpose(x), tf.sparse_slice(x, [0, 1], [4, 3]), tf.sparse_reset_shape(x),
    ]  # fmt: skip


_ODD_INDICES = {
    "in order": [[0, 1], [0, 3], [2, 0], [3, 1]], "out of order": [[2, 0], [0, 3], [0, 1], [3, 1]],
    "repeated": [[0, 1], [0, 1], [2, 0], [3, 1]], "a high row": [[0, 1], [0, 3], [2, 0], [5, 1]],
    "a high column": [[0, 1], [0, 4], [2, 0], [3, 1]], "a negative row": [[-1, 1], [0, 3], [2, 0], [3, 1]],
    "a negative column": [[0, -1], [0, 3], [2, 0], [3, 1]], "far": [[0, 1], [0, 3], [2, 0], [3, 2**40]],
}  # fmt: skip


@program
def odd_indices(tf: Any) -> Any:
    """Indices out of the shape, out of order and repeated: the same results, or an error, in both."""
    x = tf.sparse_placeholder(tf.float32, [5, 4])
    found: List[Any] = []
    with tf.Session() as session:
        for indices in _ODD_INDICES.values():
            feed = {x: tf.SparseTensorValue(np.array(indices, np.int64), np.array([1, 2, 3, 4], np.float32), [5, 4])}
            for op in _ops_of(tf, x):
                result = caught(lambda: session.run(op, feed))
                found += [True] if isinstance(result, str) else _parts([result])
    return found


def bounds() -> None:
    """Sums and new shapes refuse indices out of the shape, where TensorFlow adds them, or has others in their place."""
    tf = flywheel.v1
    x = tf.sparse_placeholder(tf.float32, [5, 4])
    ops = [
        *[op(x, axis) for axis in (None, 0, 1, [0, 1]) for op in (tf.sparse_reduce_sum, tf.sparse_reduce_max)],
        *[op(x, axis) for axis in (0, 1) for op in (tf.sparse_reduce_sum_sparse, tf.sparse.reduce_max_sparse)],
        tf.sparse_reshape(x, [4, 5]), tf.sparse_reshape(x, [-1]), tf.edit_distance(x, x),
    ]  # fmt: skip
    with tf.Session() as session:
        for name, indices in _ODD_INDICES.items():
            feed = {x: tf.SparseTensorValue(np.array(indices, np.int64), np.array([1, 2, 3, 4], np.float32), [5, 4])}
            is_out = name in ("a high row", "a high column", "a negative row", "a negative column", "far")
            for op in ops if is_out and "column" not in name and name != "far" else ops[:-1]:
                result = caught(lambda: session.run(op, feed))
                assert isinstance(result, str) == is_out, (name, op, result)
                assert not is_out or result == "InvalidArgumentError", (name, op, result)


def other_shape() -> None:
    """A shape that was said is kept, where TensorFlow takes any."""
    tf = flywheel.v1
    p = tf.sparse_placeholder(tf.float32, [None, 4])
    with tf.Session() as session:
        feed = {p: tf.SparseTensorValue([[0, 0]], [1.0], [2, 5])}
        assert caught(lambda: session.run(tf.sparse_tensor_to_dense(p), feed)) == "ValueError"


if __name__ == "__main__":
    other_shape()
    bounds()
    run_all()
