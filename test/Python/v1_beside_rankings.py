# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""`tf.metrics` of rankings, with labels that are repeated, negative or no class, and weights of all metrics by their
shapes, as in TensorFlow 1 (G2)."""

# mypy: disable-error-code="no-untyped-call"

from typing import Any, List

import numpy as np

from beside_tensorflow import caught, program, run_all

_LABELS = {
    "repeated": [[1, 1, 2], [3, 0, 3], [2, 2, 2], [4, 1, 0]],
    "negative": [[1, -1, -1], [-1, -1, -1], [2, 0, -1], [4, 4, -1]],
    "no class": [[1, 7, 2], [9, 9, 9], [2, 0, 3], [-5, 1, -5]],
    "one each": [1, 2, 2, 4],
    "a column": [[1], [2], [2], [4]],
}
_RANKED = [[1, 1, 2], [3, 3, 3], [0, 2, 4], [1, 0, 1]]
_WEIGHTS = [None, np.float32(2), np.array([0.5, 2, 0, 1], np.float32)]


def _results(tf: Any, pairs: List[Any]) -> List[Any]:
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        return [session.run([update for _, update in pairs]), session.run([value for value, _ in pairs])]


@program
def rankings(tf: Any) -> Any:
    scores = np.random.RandomState(3).rand(4, 5).astype(np.float32)
    pairs = []
    for number, labels in enumerate(_LABELS.values()):
        y, weights = tf.constant(labels, tf.int64), _WEIGHTS[number % 3]
        ranked = tf.constant(_RANKED, tf.int64)
        for class_id in (None, 1, 4, 7):
            options = {"class_id": class_id, "weights": weights}
            pairs += [f(y, scores, k, **options) for f in (tf.metrics.precision_at_k, tf.metrics.recall_at_k)
                      for k in (1, 3)]  # fmt: skip
            pairs += [tf.metrics.precision_at_top_k(y, ranked, **options),
                      tf.metrics.recall_at_top_k(y, ranked, **options)]  # fmt: skip
        pairs += [tf.metrics.average_precision_at_k(y, scores, k, weights=weights) for k in (1, 2, 3)]
    return _results(tf, pairs)


def _shapes(tf: Any, sizes: List[int]) -> List[Any]:
    """For each metric, its results for weights of some shapes beside values of `sizes`, or the name of the error."""
    rng = np.random.RandomState(5)
    labels, scores, m = rng.randint(0, 2, sizes), rng.rand(*sizes).astype(np.float32), tf.metrics
    y: Any = None
    p: Any = None
    metrics = [
        lambda w: m.mean(p, w), lambda w: m.accuracy(y, y * 0, w), lambda w: m.mean_squared_error(p * 2, p, w),
        lambda w: m.precision(y, p > 0.5, w), lambda w: m.recall(y, p > 0.5, w),
        lambda w: m.true_positives(y, p > 0.5, w),
        lambda w: m.auc(y, p, w, num_thresholds=5), lambda w: m.precision_at_thresholds(y, p, [0.3], w),
        lambda w: m.percentage_below(p, 0.5, w), lambda w: m.mean_tensor(p, w), lambda w: m.mean_iou(y, y * 0, 2, w),
        lambda w: m.mean_per_class_accuracy(y, y * 0, 2, w), lambda w: m.root_mean_squared_error(p * 2, p, w),
    ]  # fmt: skip
    shapes = [[], [1], sizes, sizes[:1], [*sizes, 1], [1] * len(sizes), [1, *sizes], [*sizes[:-1], 1], [7], [*sizes, 2]]
    out = []
    for metric in metrics:
        for shape in shapes:
            with tf.Graph().as_default():
                weights = tf.constant(1 + np.arange(np.prod(shape)).reshape(shape), tf.float32)
                y, p = tf.constant(labels), tf.constant(scores)
                out.append(caught(lambda: _results(tf, [metric(weights)])))
    return ["error" if isinstance(one, str) else one for one in out]


@program
def weights_of_vectors(tf: Any) -> Any:
    return _shapes(tf, [4])


@program
def weights_of_matrices(tf: Any) -> Any:
    return _shapes(tf, [3, 2])


if __name__ == "__main__":
    run_all()
