# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Tensors whose sizes are computed, from those of feeds or from values, and what Python computes in a run, as in
TensorFlow 1 (R1, R4, X11)."""

# mypy: disable-error-code="no-untyped-call"

from typing import Any

import numpy as np

from beside_tensorflow import draw, program, run_all, values


@program
def arithmetic_on_sizes(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None, 3])
    a = tf.placeholder(tf.int32, [None])
    b = tf.shape(x)[0]
    fetches = [
        tf.range(b), tf.range(0, b - 1), tf.range(1, b, 2), tf.range(b) * tf.shape(x)[1] + a, tf.zeros([b, 4]),
        tf.zeros(tf.stack([b, 2])), tf.fill([b, 1], 2.0), tf.tile(tf.constant([[1.0, 2.0]]), [b, 1]),
        tf.tile(tf.constant([[1.0, 2.0]]), tf.stack([b, 1])), tf.reshape(x, [b, -1]), tf.reshape(x, [b * 3]),
        tf.reshape(x, [-1, b]), tf.reshape(x, tf.shape(x)), tf.reshape(x, tf.concat([tf.shape(x)[:1], [3, 1]], 0)),
        tf.ones(tf.shape(x)), tf.slice(x, [0, 0], [b, 1]), tf.slice(x, [0, 1], [-1, 2]), x[: b - 1], x[:-1], x[1:],
        x[::2], tf.concat([x, x], 0), tf.zeros(tf.unstack(tf.shape(x))), tf.eye(b), tf.eye(2, batch_shape=[b]),
        tf.reshape(x, [tf.reduce_prod(tf.shape(x))]), tf.pad(x, [[0, 0], [1, 1]], "REFLECT"),
        tf.reduce_sum(x) / tf.cast(b, tf.float32), tf.shape(tf.random_uniform([b, 2])),
    ]  # fmt: skip
    index = tf.stack([tf.range(b, dtype=tf.int32), a], axis=1)
    fetches += [tf.gather_nd(x, index), tf.gather(tf.reshape(x, [-1]), tf.range(0, b) * 3 + a)]
    out = []
    with tf.Session() as s:
        for n in (4, 7):
            out.append(s.run(fetches, {x: draw(n, 3), a: np.arange(n) % 3}))
    return out


@program
def sizes_of_values(tf: Any) -> Any:
    n = tf.placeholder(tf.int32, [])
    lengths = tf.placeholder(tf.int32, [None])
    x = tf.placeholder(tf.float32, [None, 4])
    mask = tf.sequence_mask(lengths, dtype=tf.float32)
    fetches = [tf.range(n), tf.zeros([n, 2]), tf.range(tf.reduce_max(lengths)), mask, tf.reduce_sum(mask, 1),
               tf.reshape(x, [n, -1]), tf.tile(x, [1, n])]  # fmt: skip
    with tf.Session() as s:
        return [s.run(fetches, {n: k, lengths: [1, 3, 2, k], x: draw(4, 4)}) for k in (2, 8)]


@program
def masks(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None])
    w = tf.Variable(draw(3, 1))
    p = tf.squeeze(tf.matmul(x, w), 1)
    known = tf.not_equal(y, -1.0)
    loss = tf.reduce_mean(tf.square(tf.boolean_mask(y, known) - tf.boolean_mask(p, known)))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    other = [
        tf.boolean_mask(x, x > 0.0), tf.boolean_mask(x, known), tf.where(x > 0.0), tf.gradients(loss, w)[0],
        tf.boolean_mask([1, 2, 3], [True, False, True]), tf.boolean_mask(x, [True, False, True], axis=1),
        *tf.dynamic_partition(x, tf.cast(known, tf.int32), 2), *tf.unique(tf.cast(y, tf.int32)),
        *tf.setdiff1d(tf.cast(y, tf.int32), [1, 2]),
    ]  # fmt: skip
    feed = {x: draw(5, 3), y: [1.0, -1.0, 2.0, 1.0, -1.0]}
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        out = [s.run([loss, train, *other], feed) for _ in range(3)]
        return [out, s.run(w)]


@program
def functions_of_python(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None, 2])
    v = tf.Variable(2.0)
    one = tf.py_func(lambda a: np.float32(a.sum()), [x * v], tf.float32)
    two, three = tf.py_func(lambda a: (a[::-1], np.int64(len(a))), [x], [tf.float32, tf.int64])
    two.set_shape([None, 2])
    # A function of what another one gave.
    four = tf.py_func(lambda a, b: a + b, [one, two], tf.float32)
    add = tf.assign_add(v, one)
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        feed = {x: draw(3, 2)}
        return [s.run([one, two + 1.0, three, four], feed), s.run([add, four], feed), s.run(v)]


@program
def one_draw_in_both_parts(tf: Any) -> Any:
    u = tf.random_uniform([50])
    chosen = tf.boolean_mask(u, u > 0.5)
    with tf.Session() as s:
        drawn, found = s.run([u, chosen])
        return bool(np.array_equal(found, drawn[drawn > 0.5])), bool((s.run(u) != drawn).any())


@program
def assertions(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None])
    v = tf.Variable(1.0)
    with tf.control_dependencies([tf.assert_positive(x), tf.assert_less(x, 5.0), tf.Assert(tf.size(x) > 1, [x])]):
        add = tf.assign_add(v, tf.reduce_sum(x))
    finite = tf.check_numerics(tf.log(x), "log of x")
    out = []
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        out.append(s.run(add, {x: [1.0, 2.0]}))
        for bad in ([-1.0, 1.0], [1.0, 6.0], [1.0]):
            try:
                s.run(add, {x: bad})
            except tf.errors.InvalidArgumentError:
                # Nothing has changed.
                out.append(s.run(v))
        out.append(s.run(finite, {x: [1.0]}))
        try:
            s.run(finite, {x: [-1.0]})
        except tf.errors.InvalidArgumentError as error:
            out.append("log of x" in str(error))
    return out


@program
def arrays_of_tensors(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [5, 3])
    given = tf.TensorArray(tf.float32, 5).unstack(x)
    _, made = tf.while_loop(lambda i, _: i < 5, lambda i, t: (i + 1, t.write(i, given.read(i) * 2.0)),
                            [0, tf.TensorArray(tf.float32, 5)])  # fmt: skip
    y = made.stack()
    z = tf.placeholder(tf.float32, [None, 2])
    n = tf.shape(z)[0]
    _, back = tf.while_loop(lambda i, _: i < n, lambda i, t: (i + 1, t.write(n - 1 - i, z[i])),
                            (tf.constant(0), tf.TensorArray(tf.float32, n)))  # fmt: skip
    with tf.Session() as s:
        return s.run([y, tf.gradients(tf.reduce_sum(y**2), x)[0], back.stack()], {x: draw(5, 3), z: draw(4, 2)})


@program
def data_sets(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    whole = tf.data.Dataset.from_tensor_slices((x, y)).map(lambda a, b: (a * 2.0, b)).repeat(2).batch(4)
    iterator = tf.data.make_initializable_iterator(whole)
    a, b = iterator.get_next()
    w = tf.get_variable("w", initializer=draw(3, 1))
    loss = tf.losses.mean_squared_error(b, tf.matmul(a, w))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

    def uneven() -> Any:
        for i in range(4):
            yield [i] * (i + 1), i

    rows = tf.data.Dataset.from_generator(uneven, (tf.int32, tf.int64), (tf.TensorShape([None]), tf.TensorShape([])))
    padded = tf.data.make_one_shot_iterator(rows.filter(lambda _, i: i > 0).padded_batch(2, ([None], []))).get_next()
    both = tf.data.Iterator.from_structure(tf.int64, tf.TensorShape([]))
    numbers = both.get_next()
    starts = [both.make_initializer(tf.data.Dataset.range(*ends)) for ends in ((3,), (7, 9))]
    out = []
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        s.run(iterator.initializer, {x: draw(5, 3), y: draw(5, 1)})
        try:
            while True:
                out.append(s.run([loss, train, a])[::2])
        except tf.errors.OutOfRangeError:
            out.append("end")
        out.append([s.run(padded), s.run(padded)])
        for start in starts:
            s.run(start)
            out.append([s.run(numbers), s.run(numbers)])
        return [out, s.run(w)]


@program
def rows_of_two_lookups(tf: Any) -> Any:
    table = tf.Variable(draw(10, 4))
    a, b = tf.placeholder(tf.int32, [None, None]), tf.placeholder(tf.int32, [None, None])
    x, y = tf.nn.embedding_lookup(table, a), tf.nn.embedding_lookup(table, b)
    # Both parts of a batch after one another, and apart again.
    z = tf.concat(tf.split(tf.concat([x, x * 2.0], 0), 2, axis=0), 2)
    loss = tf.reduce_sum(tf.square(x)) + tf.reduce_sum(tf.square(y)) + tf.reduce_mean(z)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    out = []
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for n in (3, 5):
            out.append(s.run([loss, z, train], {a: np.arange(2 * n).reshape(2, n), b: np.arange(12).reshape(3, 4) % 5}))
        return [out, s.run(table)]


def refusals() -> None:
    """Ops that Python computes see no variable that the run has written, and are in no branch."""
    import flywheel.v1 as tf

    tf.reset_default_graph()
    v = tf.Variable([1.0, -1.0])
    new = v.assign([2.0, 3.0])
    found = tf.boolean_mask(new, new > 0.0)
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for what, words in ((lambda: s.run(found), "depends on the assignment"),
                            (lambda: tf.cond(tf.constant(True), lambda: tf.boolean_mask(v, v > 0.0), lambda: v),
                             "in a branch or the body of a loop")):  # fmt: skip
            try:
                what()
            except NotImplementedError as error:
                assert words in str(error), error
            else:
                raise AssertionError(f"expected an error of '{words}'")
        assert s.run(v).tolist() == [1.0, -1.0]


def losses_of_samples() -> None:
    """Noise-contrastive estimation and sampled softmax learn, and the streams of samples repeat with the seed."""
    import flywheel.v1 as tf

    for loss_of, rate in ((tf.nn.nce_loss, 1.0), (tf.nn.sampled_softmax_loss, 1.0)):
        firsts = []
        for _ in range(2):
            tf.reset_default_graph()
            tf.set_random_seed(3)
            words, near = tf.placeholder(tf.int32, [16]), tf.placeholder(tf.int32, [16, 1])
            table = tf.Variable(tf.random_uniform([50, 8], -1.0, 1.0))
            w, b = tf.Variable(tf.truncated_normal([50, 8], stddev=0.35)), tf.Variable(tf.zeros([50]))
            loss = tf.reduce_mean(loss_of(weights=w, biases=b, labels=near, num_sampled=5, num_classes=50,
                                          inputs=tf.nn.embedding_lookup(table, words)))  # fmt: skip
            train = tf.train.AdagradOptimizer(rate).minimize(loss)
            rng, kept = np.random.RandomState(0), []
            with tf.Session() as s:
                s.run(tf.global_variables_initializer())
                for _ in range(150):
                    c = rng.randint(0, 50, 16)
                    kept.append(s.run([loss, train], {words: c, near: (c[:, None] + 1) % 50})[0])
            assert np.mean(kept[-20:]) < 0.7 * np.mean(kept[:20]), kept
            firsts.append(kept[0])
        assert firsts[0] == firsts[1], firsts


@program
def samples_given(tf: Any) -> Any:
    w, b = tf.Variable(draw(20, 4)), tf.Variable(draw(20))
    labels, inputs = tf.constant([[3], [7], [1]]), tf.constant(draw(3, 4))
    sampled = (tf.constant([3, 11, 5, 0], tf.int64), tf.constant(np.full((3, 1), 0.2, np.float32)),
               tf.constant([0.3, 0.1, 0.2, 0.9]))  # fmt: skip
    fetches = [f(weights=w, biases=b, labels=labels, inputs=inputs, num_sampled=4, num_classes=20,
                 sampled_values=sampled) for f in (tf.nn.nce_loss, tf.nn.sampled_softmax_loss)]  # fmt: skip
    return values(tf, [fetches, tf.convert_to_tensor(tf.gradients(fetches[1], [b])[0])])


run_all()
refusals()
losses_of_samples()
