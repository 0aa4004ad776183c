# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""tf.metrics of flywheel.v1 over batches of several sizes, beside NumPy on all of them (M1)."""

from typing import Any, List

import numpy as np

import flywheel.v1 as tf
from configurations import raises, run_tests


def area(labels: Any, predictions: Any, weights: Any, curve: str, method: str, count: int) -> float:
    points: List[Any] = []
    e = 1e-6
    for i in range(count):
        t = -1e-7 if i == 0 else 1 + 1e-7 if i == count - 1 else i / (count - 1)
        above = predictions > np.float32(t)
        tp, fp = weights[above & (labels > 0)].sum(), weights[above & (labels == 0)].sum()
        fn, tn = weights[~above & (labels > 0)].sum(), weights[~above & (labels == 0)].sum()
        recall = (tp + e) / (tp + fn + e)
        points.append((fp / (fp + tn + e), recall) if curve == "ROC" else (recall, (tp + e) / (tp + fp + e)))
    total = 0.0
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        height = {"trapezoidal": (y0 + y1) / 2, "minoring": min(y0, y1), "majoring": max(y0, y1)}[method]
        total += (x0 - x1) * height
    return total


rng = np.random.default_rng(0)
y = tf.placeholder(tf.float32, [None])
p = tf.placeholder(tf.float32, [None])
w = tf.placeholder(tf.float32, [None])
classes = tf.round(p)
tf.add_to_collection("kept", p)
pairs = {
    "mean": tf.metrics.mean(p),
    "weighted mean": tf.metrics.mean(p, w),
    "accuracy": tf.metrics.accuracy(y, classes, name="accuracy"),
    "weighted accuracy": tf.metrics.accuracy(tf.cast(y, tf.int32), tf.cast(classes, tf.int32), w),
    "mse": tf.metrics.mean_squared_error(y, p, w),
    "mae": tf.metrics.mean_absolute_error(y, p),
    "rmse": tf.metrics.root_mean_squared_error(y, p),
    "precision": tf.metrics.precision(y, classes),
    "weighted precision": tf.metrics.precision(y, classes, w),
    "recall": tf.metrics.recall(y, classes, w, updates_collections="updates", metrics_collections=["values"]),
    "tp": tf.metrics.true_positives(y, classes),
    "fp": tf.metrics.false_positives(y, classes, w),
    "fn": tf.metrics.false_negatives(y, classes),
    "tn": tf.metrics.true_negatives(y, classes),
    "roc": tf.metrics.auc(y, p, w),
    "pr": tf.metrics.auc(tf.cast(y, tf.bool), p, curve="PR", num_thresholds=50),
    "minoring": tf.metrics.auc(y, p, num_thresholds=7, summation_method="minoring"),
    "majoring": tf.metrics.auc(y, p, num_thresholds=7, summation_method="majoring"),
}


def expected(ys: Any, ps: Any, ws: Any) -> Any:
    hits = (ys == np.round(ps)) * 1.0
    above = np.round(ps) > 0
    tp, fp, fn, tn = (above & (ys > 0)), (above & (ys == 0)), (~above & (ys > 0)), (~above & (ys == 0))
    one = np.ones_like(ws)
    return {
        "mean": ps.mean(), "weighted mean": np.average(ps, weights=ws), "accuracy": hits.mean(),
        "weighted accuracy": np.average(hits, weights=ws), "mse": np.average((ys - ps) ** 2, weights=ws),
        "mae": np.abs(ys - ps).mean(), "rmse": np.sqrt(((ys - ps) ** 2).mean()),
        "precision": tp.sum() / max((tp | fp).sum(), 1), "weighted precision": ws[tp].sum() / ws[tp | fp].sum(),
        "recall": ws[tp].sum() / ws[tp | fn].sum(), "tp": tp.sum(), "fp": ws[fp].sum(), "fn": fn.sum(), "tn": tn.sum(),
        "roc": area(ys, ps, ws, "ROC", "trapezoidal", 200), "pr": area(ys, ps, one, "PR", "trapezoidal", 50),
        "minoring": area(ys, ps, one, "ROC", "minoring", 7), "majoring": area(ys, ps, one, "ROC", "majoring", 7),
    }  # fmt: skip


values = {key: pair[0] for key, pair in pairs.items()}
updates = {key: pair[1] for key, pair in pairs.items()}


def test_metrics() -> None:
    names = [v.name for v in tf.local_variables()]
    assert {"accuracy/total:0", "accuracy/count:0", "precision/true_positives/count:0", "auc/false_positives:0"} <= {
        *names
    }
    assert tf.get_collection(tf.GraphKeys.METRIC_VARIABLES) == tf.local_variables()
    assert not tf.global_variables() and not tf.trainable_variables()
    assert pairs["accuracy"][0].name == "accuracy/value:0" and pairs["accuracy"][1].name == "accuracy/update_op:0"
    assert tf.get_collection("updates") == [updates["recall"]] and tf.get_collection("values") == [values["recall"]]


def test_v1_metrics() -> None:
    with tf.Session() as sess:
        raises(tf.errors.FailedPreconditionError, "uninitialized", lambda: sess.run(values))
        for _ in range(2):
            sess.run(tf.local_variables_initializer())
            before = sess.run(values)
            # Before the first batch: areas are those of equal points but for PR's.
            assert all(before[k] == 0 for k in before if k not in ("pr", "roc", "minoring", "majoring")), before
            seen: Any = [np.zeros(0, np.float32)] * 3
            for size in (5, 1, 12, 9):
                batch = [rng.integers(0, 2, size), rng.random(size), rng.random(size)]
                batch = [b.astype(np.float32) for b in batch]
                seen = [np.concatenate([a, b]) for a, b in zip(seen, batch)]
                after = sess.run(updates, dict(zip((y, p, w), batch)))
                if size == 12:
                    # In a run of both, the value is that before the update.
                    both = sess.run([values["mean"], updates["mean"]], dict(zip((y, p, w), batch)))
                    assert np.isclose(both[0], seen[1].mean(), rtol=1e-5)
                    doubled = np.concatenate([seen[1], batch[1]])
                    assert np.isclose(both[1], doubled.mean(), rtol=1e-5)
                    for v, x in zip(tf.local_variables()[:2], (seen[1].sum(), len(seen[1]))):
                        v.load(np.float32(x), sess)
            wanted = expected(*[a.astype(np.float64) for a in seen])
            now = sess.run(values)
            for key in pairs:
                assert np.isclose(now[key], wanted[key], rtol=2e-4, atol=1e-5), (key, now[key], wanted[key])
                assert np.isclose(after[key], now[key], rtol=1e-6), key


def test_weights_that_are_of_rows() -> None:
    # Weights that are of rows, and of none; shapes that do not go together.
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant([[1.0, 2.0], [5.0, 8.0]])
        by_row = tf.metrics.mean(x, [1.0, 3.0])[1]
        scalar = tf.metrics.mean(x, 0.0)[1]
        column = tf.metrics.accuracy(tf.constant([[1], [2]]), tf.constant([1, 3]))[1]
        sess.run(tf.local_variables_initializer())
        assert sess.run([by_row, scalar, column]) == [(3.0 + 39.0) / 8, 0.0, 0.5]
        raises(ValueError, "incompatible", lambda: tf.metrics.accuracy(tf.zeros([3]), tf.zeros([4])))
        raises(ValueError, "unknown", lambda: tf.metrics.auc(x, x, curve="XY"))
        raises(AttributeError, "flywheel.v1.metrics.nothing", lambda: tf.metrics.nothing)


run_tests([test_metrics, test_v1_metrics, test_weights_that_are_of_rows])
