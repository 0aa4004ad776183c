# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, tensorboardX
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE= %peers_python %s %t
"""tf.summary of flywheel.v1: event files, read back record by record (M3)."""

import os
import struct
import sys
from typing import Any, List

import numpy as np
from tensorboardX.proto import event_pb2, graph_pb2, summary_pb2

import flywheel.v1 as tf
from configurations import raises, run_tests


def events(folder: str) -> List[Any]:
    """The records of the event file in a folder: length, check, event, check."""
    (name,) = os.listdir(folder)
    with open(os.path.join(folder, name), "rb") as file:
        data = file.read()
    found, at = [], 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        found.append(event_pb2.Event.FromString(data[at + 12 : at + 12 + length]))
        at += length + 16
    return found


def test_summary() -> None:
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    w = tf.Variable(np.ones((3, 2), np.float32), name="w")
    with tf.name_scope("layer"):
        y = tf.matmul(x, w, name="product")
        tf.summary.histogram("y", y)
    loss = tf.reduce_sum(tf.square(y))
    rate = tf.placeholder_with_default(0.01, [])
    tf.summary.scalar("loss", loss)
    tf.summary.scalar("rate", rate, family="train")
    hidden = tf.summary.scalar("hidden", loss, collections=["other"])
    step = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    merged = tf.summary.merge_all()
    assert tf.summary.merge_all("nothing") is None and merged is not None
    rng = np.random.default_rng(0)
    batches = [rng.normal(size=(4 + i, 3)).astype(np.float32) for i in range(3)]
    folder = os.path.join(sys.argv[1], "run")
    weights, losses, results = np.ones((3, 2)), [], []
    with tf.Session() as sess, tf.summary.FileWriter(folder, sess.graph) as writer:
        assert writer.get_logdir() == folder
        sess.run(tf.global_variables_initializer())
        for i, batch in enumerate(batches):
            summary, _ = sess.run([merged, step], {x: batch})
            assert isinstance(summary, bytes)
            writer.add_summary(summary, i)
            product = batch @ weights
            losses.append((product**2).sum())
            results.append(product)
            weights = weights - 0.01 * 2 * batch.T @ product
        # Reading changes nothing of the training.
        np.testing.assert_allclose(sess.run(w), weights, rtol=1e-4)
        alone = summary_pb2.Summary.FromString(sess.run(hidden, {x: batches[0]}))
        assert alone.value[0].tag == "hidden"

    found = events(folder)
    assert found[0].file_version == "brain.Event:2"
    graphs = [e.graph_def for e in found if e.graph_def]
    nodes = {node.name: node for node in graph_pb2.GraphDef.FromString(graphs[0]).node}
    assert len(graphs) == 1 and nodes["layer/product"].op == "MatMul"
    assert list(nodes["layer/product"].input) == ["x", "w/read"]
    shown = [e for e in found if e.HasField("summary")]
    assert [e.step for e in shown] == [0, 1, 2]
    for event, value, product in zip(shown, losses, results):
        by_tag = {one.tag: one for one in event.summary.value}
        assert sorted(by_tag) == ["layer/y", "loss", "train/rate"]
        assert np.isclose(by_tag["loss"].simple_value, value, rtol=1e-4)
        assert np.isclose(by_tag["train/rate"].simple_value, 0.01)
        histogram = by_tag["layer/y"].histo
        assert histogram.num == product.size and sum(histogram.bucket) == product.size
        assert np.allclose([histogram.min, histogram.max, histogram.sum], [product.min(), product.max(), product.sum()],
                           rtol=1e-4)  # fmt: skip
        assert np.isclose(histogram.sum_squares, (product**2).sum(), rtol=1e-4)
        limits = np.array([-np.inf, *histogram.bucket_limit])
        # Elements that are as near to an end as rounding are in either bin.
        counts = np.histogram(product, limits)[0]
        assert np.abs(counts.cumsum() - np.cumsum(histogram.bucket)).max() <= 1, (counts, histogram.bucket)

    with tf.Session() as sess:
        bad = tf.summary.histogram("bad", tf.log(rate - 1.0))
        raises(ValueError, "Nan in summary histogram for: bad", lambda: sess.run(bad))
        raises(ValueError, "not the same shape", lambda: tf.summary.scalar("s", tf.zeros([2])))
        raises(TypeError, "expected summaries", lambda: tf.summary.merge([loss]))
        raises(AttributeError, "flywheel.v1.summary.audio; instead", lambda: tf.summary.audio)


run_tests([test_summary])
