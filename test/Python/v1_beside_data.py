# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, tensorflow
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Data sets that are made of elements of others have the elements of TensorFlow, in its order (G2)."""

# mypy: disable-error-code="no-untyped-call"

from typing import Any, List

import numpy as np

import flywheel.v1
from beside_tensorflow import caught, program, run_all


def _all(tf: Any, dataset: Any) -> List[Any]:
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    out = []
    with tf.Session() as session:
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


def refused() -> None:
    data = flywheel.v1.data.Dataset
    assert caught(lambda: data.range(3).flat_map(lambda x: x)) == "TypeError"
    for cycle, block in ((0, 1), (2, 0)):
        assert caught(lambda: data.range(3).interleave(data.from_tensors, cycle, block)) == "ValueError"  # noqa: B023
    batches = data.range(7).apply(flywheel.v1.contrib.data.batch_and_drop_remainder(3))
    assert [len(x) for x in _all(flywheel.v1, batches)] == [3, 3]


if __name__ == "__main__":
    run_all()
    refused()
