# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Data sets that are made of elements of others have the elements of TensorFlow, in its order (G2)."""

# mypy: disable-error-code="no-untyped-call"

from typing import Any, List

import numpy as np

import flywheel.v1
from beside_tensorflow import caught, program, run_all


def _all(tf: Any, dataset: Any) -> List[Any]:
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as session:
        return _rest(tf, session, element)


def _rest(tf: Any, session: Any, element: Any) -> List[Any]:
    out = []
    while True:
        try:
            out.append(session.run(element))
        except tf.errors.OutOfRangeError:
            return out


@program
def flat_map(tf: Any) -> Any:
    data = tf.data.Dataset
    pairs = data.from_tensor_slices((np.arange(6).reshape(3, 2), np.arange(3, dtype=np.float32)))
    out = _all(tf, pairs.flat_map(lambda x, y: data.from_tensor_slices(x)))
    out += _all(tf, pairs.flat_map(lambda x, y: data.from_tensors({"x": x, "y": y}).repeat(2)))
    out += _all(tf, data.range(4).flat_map(lambda n: data.from_tensor_slices(tf.range(n)).map(lambda x: x * x)))
    out += _all(tf, data.range(3).flat_map(lambda _: data.range(2)).batch(4))
    return out


@program
def interleave(tf: Any) -> Any:
    data, out = tf.data.Dataset, []
    for cycle in (1, 2, 3, 5):
        for block in (1, 2, 4):
            for count in (0, 1, 4):
                source = data.range(count).map(lambda n: (n * 5) % 4)
                made = source.interleave(lambda n: data.from_tensors(n).repeat(n), cycle, block)
                out.append(_all(tf, made))
    return out


@program
def counts_of_tensors(tf: Any) -> Any:
    data, n = tf.data.Dataset, tf.constant(2, tf.int64)
    seven = data.range(7)
    made = [seven.take(n), seven.skip(n), seven.shard(n, n - 1), data.range(2).repeat(n), data.range(n, n * 4, n),
            seven.take(-1), seven.skip(-1), seven.take(n * 0), seven.batch(n), seven.batch(n + 1, drop_remainder=True),
            seven.map(lambda x: tf.range(x)).padded_batch(n + 1, [None])]  # fmt: skip
    out: List[Any] = [_all(tf, one) for one in made]
    size = tf.placeholder(tf.int64, [])
    batches = tf.data.make_initializable_iterator(seven.batch(size).repeat(size - 2))
    element = batches.get_next()
    with tf.Session() as session:
        for count in (3, 5):
            session.run(batches.initializer, {size: count})
            out += [session.run(element) for _ in range(3)]
        return [*out, caught(lambda: session.run(batches.initializer, {size: 0}) or session.run(element))]


@program
def tensors_from_outside(tf: Any) -> Any:
    """Functions of elements see tensors from outside as they were where the iterator began."""
    data, out = tf.data.Dataset, []
    n, words = tf.placeholder(tf.int64, []), tf.placeholder(tf.string, [])
    other = tf.placeholder_with_default(np.int64(2), [])
    parts = tf.unstack(tf.placeholder_with_default(np.arange(3), [3]))
    drawn = tf.random_uniform([], 0, 1000, tf.int64, seed=1)
    count = tf.data.make_one_shot_iterator(data.range(10)).get_next()
    three, m = data.range(3), n * 2

    def loop(x: Any) -> Any:
        return tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a + m * x), [tf.zeros([], tf.int64), x])[1]

    def branches(x: Any) -> Any:
        return tf.cond(x > 0, lambda: x + parts[0], lambda: x * 10 + parts[1]) + parts[2] * n

    def pairs(x: Any) -> Any:
        inner = data.range(2).map(lambda y: y + 100 * x + 1000 * m)
        return inner.flat_map(lambda z: data.from_tensors(z + x).repeat(n)).filter(lambda z: z < 1000 * n + x * m)

    def counted(k: Any, step: Any) -> Any:
        assert isinstance(k, np.generic) and isinstance(step, np.generic)
        yield from range(0, int(k), int(step))

    made = [three.map(lambda x: x + m), three.map(lambda x: (x, words)), three.map(lambda x: m),
            three.filter(lambda x: x < n), three.filter(lambda x: x < n - other), three.map(loop), three.map(branches),
            three.flat_map(lambda x: data.range(n)), three.flat_map(lambda x: data.range(x, x + m)),
            three.flat_map(pairs), three.interleave(lambda x: data.range(x + m), 2, 1),
            three.interleave(lambda x: data.range(x + m), n, n), three.map(lambda x: x * other + count),
            three.map(lambda x: tf.range(x)).padded_batch(n, [None], other), three.shuffle(n - n + 1),
            data.from_generator(counted, tf.int64, [], args=(m, 3)),
            three.apply(tf.data.experimental.map_and_batch(lambda x: x + n, n)),
            three.apply(tf.data.experimental.parallel_interleave(lambda x: data.range(n), cycle_length=2)),
            three.apply(tf.data.experimental.enumerate_dataset(n))]  # fmt: skip
    for dataset in made:
        iterator = tf.data.make_initializable_iterator(dataset)
        element = iterator.get_next()
        with tf.Session() as session:
            for value in (2, 3):
                session.run(iterator.initializer, {n: value, words: f"{value}", other: value + 1})
                out += _rest(tf, session, element)
    iterator = tf.data.make_initializable_iterator(three.map(lambda x: drawn))
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        out.append(len(set(_rest(tf, session, element))))
    out += _all(tf, three.map(lambda x: x + other))
    for dataset in (three.map(lambda x: x + m), data.range(m), three.map(lambda x: x + count)):
        out.append(caught(lambda: tf.data.make_one_shot_iterator(dataset)))  # noqa: B023
    return out


@program
def fed_outputs(tf: Any) -> Any:
    """Each output of an op may be fed, in any order."""
    a, b = tf.unstack(tf.placeholder(tf.float32, [2]))
    with tf.Session() as session:
        feeds: List[Any] = [{a: 1, b: 2}, {b: 3, a: 5}]
        return [session.run(a - b, one) for one in feeds] + [session.run(b * b, {b: 3}), session.run(a * a, {a: 7})]


@program
def experimental(tf: Any) -> Any:
    data, own = tf.data.Dataset, tf.data.experimental
    numbers = data.from_tensor_slices((np.arange(7), np.arange(14.0).reshape(7, 2)))
    out = _all(tf, numbers.apply(own.map_and_batch(lambda n, x: (n + 1, x * 2.0), 3)))
    out += _all(tf, numbers.apply(own.map_and_batch(lambda n, x: n, 3, drop_remainder=True)))
    out += _all(tf, numbers.batch(3).apply(own.unbatch()))
    out += _all(tf, data.range(5).batch(2).apply(own.unbatch()))
    out += _all(tf, numbers.apply(own.enumerate_dataset(4)))
    out += _all(tf, data.range(3).apply(own.parallel_interleave(lambda n: data.range(n), cycle_length=2)))
    passes = np.reshape(_all(tf, data.range(6).apply(own.shuffle_and_repeat(6, 2, seed=3))), [2, 6])
    return [*out, np.sort(passes), own.AUTOTUNE]


@program
def windows(tf: Any) -> Any:
    data = tf.data.Dataset
    out = []
    for size, shift, stride, drop in ((3, 2, 1, True), (3, None, 1, False), (2, 1, 3, False), (2, 3, 1, False),
                                      (5, 1, 2, True), (1, 1, 1, False), (9, 2, 1, False), (9, 2, 1, True)):
        made = data.range(8).window(size, shift, stride, drop)
        out += _all(tf, made.flat_map(lambda one, size=size: one.batch(size)))
    pairs = data.from_tensor_slices((np.arange(5), np.arange(10.0).reshape(5, 2)))
    doubled = pairs.window(2).flat_map(lambda a, b: data.zip((a.batch(2), b.map(lambda x: x * 2.0).batch(2))))
    out += _all(tf, doubled)
    named = data.from_tensor_slices({"a": np.arange(4), "b": np.arange(4) * 3})
    out += _all(tf, named.window(3, 1, drop_remainder=True).flat_map(lambda one: one["b"].batch(3)))
    series = data.range(12).window(4, 1, drop_remainder=True).skip(2).take(3).repeat(2)
    out += _all(tf, series.flat_map(lambda one: one.batch(4)).map(lambda x: (x[:-1], x[-1:])).batch(2))
    return [*out, caught(lambda: _all(tf, data.range(3).window(0).flat_map(lambda one: one.batch(2)))) is not None]


def refused() -> None:
    data = flywheel.v1.data.Dataset
    for call in (lambda one: one.batch(2), lambda one: one.map(lambda x: x), lambda one: data.zip((one, one)),
                 lambda one: one.make_one_shot_iterator()):  # fmt: skip
        assert caught(lambda: call(data.range(3).window(2))) == "NotImplementedError"  # noqa: B023
    assert caught(lambda: data.range(3).flat_map(lambda x: x)) == "TypeError"
    for cycle, block in ((0, 1), (2, 0)):
        assert caught(lambda: data.range(3).interleave(data.from_tensors, cycle, block)) == "ValueError"  # noqa: B023
    batches = data.range(7).apply(flywheel.v1.contrib.data.batch_and_drop_remainder(3))
    assert [len(x) for x in _all(flywheel.v1, batches)] == [3, 3]
    a, b = flywheel.v1.unstack(flywheel.v1.placeholder(flywheel.v1.float32, [2]))
    with flywheel.v1.Session() as session:
        assert caught(lambda: session.run(a + b, {b: 3})) == caught(lambda: session.run(a, {b: 3}))
        assert caught(lambda: session.run(a, {b: 3})) == "NotImplementedError"


@program
def feedable(tf: Any) -> Any:
    """One graph takes elements of training or of tests, by the handle that a run is fed."""
    train = tf.data.Dataset.from_tensor_slices((np.arange(6, dtype=np.float32), np.arange(6))).repeat().batch(2)
    test = tf.data.Dataset.from_tensor_slices((np.arange(3, dtype=np.float32) - 9, np.arange(3))).batch(2)
    handle = tf.placeholder(tf.string, [])
    iterator = tf.data.Iterator.from_string_handle(handle, (tf.float32, tf.int64), ([None], [None]))
    x, y = iterator.get_next()
    w = tf.Variable(1.0)
    loss = tf.reduce_mean(tf.square(w * x - tf.cast(y, tf.float32) - 1.0))
    step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    texts = [tf.data.make_one_shot_iterator(train).string_handle()]
    again = tf.data.make_initializable_iterator(test)
    texts.append(again.string_handle())
    found: List[Any] = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first, second = session.run(texts)
        for _ in range(2):
            for _ in range(4):
                found += session.run([x, y, loss, step], {handle: first})[:3]
            session.run(again.initializer)
            for _ in range(3):
                found.append(caught(lambda: session.run([x, loss], {handle: second})))
        found += [caught(lambda: session.run(x, {handle: "no iterator"})) == "InvalidArgumentError",
                  iterator.output_types == (tf.float32, tf.int64)]  # fmt: skip
        return [*found, session.run(w)]


if __name__ == "__main__":
    run_all()
    refused()
