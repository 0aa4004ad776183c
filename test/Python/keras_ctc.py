# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Connectionist temporal classification against all alignments, and Keras 2.1.6's own numbers (X39)."""

import itertools
from typing import Any, Dict, List, Tuple

import numpy as np

import flywheel.v1 as tf
from flywheel import keras
from flywheel.keras import backend as K

draw = np.random.default_rng(11)


def collapse(path: Any, blank: int) -> Tuple[int, ...]:
    """Returns the labels of an alignment."""
    return tuple(k for k, _ in itertools.groupby(path) if k != blank)


def probabilities(x: Any, blank: int) -> Dict[Tuple[int, ...], float]:
    """Returns the probability of each sequence of labels, by all alignments of logits [time, classes]."""
    p = np.exp(x - x.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    found: Dict[Tuple[int, ...], float] = {}
    for path in itertools.product(range(x.shape[1]), repeat=len(x)):
        labels = collapse(path, blank)
        found[labels] = found.get(labels, 0.0) + float(np.prod(p[np.arange(len(x)), path]))
    return found


def loss_of(x: Any, labels: List[int], blank: int) -> float:
    return -float(np.log(probabilities(x, blank).get(tuple(labels), 0.0) or 1e-300))


# Repeated labels, no label, fewer steps than there are, blanks first, last and between; and derivatives.
x = draw.standard_normal((5, 4, 3))
lengths, steps = np.array([2, 1, 0, 2, 2]), np.array([4, 3, 4, 3, 4])
for blank in (0, 1, 2, -1):
    b = blank % 3
    a, c = [k for k in range(3) if k != b]
    labels = np.array([[a, c], [c, -7], [a, a], [a, a], [c, c]])
    logits = tf.placeholder(tf.float64, [None, None, 3])
    given = tf.placeholder(tf.int32, [None, None])
    loss = tf.nn.ctc_loss_v2(given, logits, lengths, steps, logits_time_major=False, blank_index=blank)
    gradient = tf.gradients(loss, logits)[0]
    with tf.Session() as session:
        found, slope = session.run([loss, gradient], {logits: x, given: labels})
        wanted = [loss_of(one[:n], list(row[:k]), b) for one, row, n, k in zip(x, labels, steps, lengths)]
        np.testing.assert_allclose(found, wanted, rtol=1e-10)
        for place in itertools.product(range(5), range(4), range(3)):
            moved = [x.copy(), x.copy()]
            moved[0][place] += 1e-5
            moved[1][place] -= 1e-5
            high, low = (session.run(loss, {logits: one, given: labels})[place[0]] for one in moved)
            np.testing.assert_allclose(slope[place], (high - low) / 2e-5, atol=1e-8)
        major = tf.nn.ctc_loss_v2(given, np.swapaxes(x, 0, 1), lengths, steps, blank_index=blank)
        np.testing.assert_allclose(session.run(major, {given: labels}), found, rtol=1e-12)

# Classes that are equally likely, as those of a new network: sums of equal numbers have derivatives, too.
even = tf.constant(np.zeros((1, 4, 3)))
slope_of_even = tf.gradients(tf.nn.ctc_loss_v2([[1, 1]], even, [2], [4], logits_time_major=False), even)[0]
with tf.Session() as session:
    slope = session.run(slope_of_even)[0]
for spot in itertools.product(range(4), range(3)):
    moved = [np.zeros((4, 3)), np.zeros((4, 3))]
    moved[0][spot], moved[1][spot] = 1e-5, -1e-5
    high, low = (loss_of(one, [1, 1], 0) for one in moved)
    np.testing.assert_allclose(slope[spot], (high - low) / 2e-5, atol=1e-8)

# Labels that need more steps: an infinite loss, and nothing to learn from it.
short = tf.constant(x[:1, :2])
loss = tf.nn.ctc_loss_v2([[1, 1]], short, [2], [2], logits_time_major=False)
with tf.Session() as session:
    found, slope = session.run([loss, tf.gradients(loss, short)[0]])
assert np.isposinf(found).all() and np.all(slope == 0)

# Keras's test of its backend.
inputs = np.array(
    [[[0.633766, 0.221185, 0.0917319, 0.0129757, 0.0142857, 0.0260553],
      [0.111121, 0.588392, 0.278779, 0.0055756, 0.00569609, 0.010436],
      [0.0357786, 0.633813, 0.321418, 0.00249248, 0.00272882, 0.0037688],
      [0.0663296, 0.643849, 0.280111, 0.00283995, 0.0035545, 0.00331533],
      [0.458235, 0.396634, 0.123377, 0.00648837, 0.00903441, 0.00623107]],
     [[0.30176, 0.28562, 0.0831517, 0.0862751, 0.0816851, 0.161508],
      [0.24082, 0.397533, 0.0557226, 0.0546814, 0.0557528, 0.19549],
      [0.230246, 0.450868, 0.0389607, 0.038309, 0.0391602, 0.202456],
      [0.280884, 0.429522, 0.0326593, 0.0339046, 0.0326856, 0.190345],
      [0.423286, 0.315517, 0.0338439, 0.0393744, 0.0339315, 0.154046]]], np.float32)  # fmt: skip
cost = K.eval(K.ctc_batch_cost(K.variable([[0, 1, 2, 1, 0], [0, 1, 1, 0, -1]], "int32"), K.variable(inputs),
                               K.variable([[5], [5]], "int32"), K.variable([[5], [4]], "int32")))  # fmt: skip
np.testing.assert_allclose(cost, [[3.34211], [5.42262]], atol=1e-5)

# Decoding: the best class of each step, and the best of all labels where the beam has room for all.
(decoded,), scores = K.ctc_decode(K.constant(inputs), K.constant([5, 3]))
best = inputs.argmax(2)
rows = [collapse(best[0], 5), collapse(best[1][:3], 5)]
wanted_rows = np.full((2, max(map(len, rows))), -1)
for i, row in enumerate(rows):
    wanted_rows[i, : len(row)] = row
assert np.array_equal(K.eval(decoded), wanted_rows), K.eval(decoded)
np.testing.assert_allclose(K.eval(scores), [[-np.log(inputs[0].max(1)).sum()], [-np.log(inputs[1][:3].max(1)).sum()]],
                           rtol=1e-4)  # fmt: skip
p = np.exp(x[0]) / np.exp(x[0]).sum(1, keepdims=True)
paths, scores = K.ctc_decode(K.constant(p[np.newaxis]), K.constant([4]), greedy=False, beam_width=80, top_paths=3)
order = sorted(probabilities(x[0], 2).items(), key=lambda one: -one[1])[:3]
relative = -np.log(p.max(1)).sum()
for path, score, (labels_of, probability) in zip(paths, K.eval(scores)[0], order):
    assert tuple(K.eval(path)[0]) == labels_of, (K.eval(path), order)
    np.testing.assert_allclose(score, np.log(probability) + relative, atol=1e-4)

# A function, and a model that learns to write a label.
frames = K.placeholder((None, 5, 6))
read = K.function([frames, K.learning_phase()], [K.ctc_decode(frames, K.constant([5, 5]))[0][0]])
assert np.array_equal(read([inputs, 0])[0][0], rows[0])
first = keras.layers.Input((6, 4))
predicted = keras.layers.TimeDistributed(keras.layers.Dense(3, activation="softmax"))(first)
truth, width = keras.layers.Input((2,)), keras.layers.Input((1,))
cost_of = keras.layers.Lambda(lambda xs: K.ctc_batch_cost(xs[0], xs[1], 6 * K.ones_like(xs[2]), xs[2]))
model = keras.models.Model([first, truth, width], cost_of([truth, predicted, width]))
model.compile(keras.optimizers.Adam(0.1), lambda _, y: y)
data = [draw.standard_normal((2, 6, 4)), np.array([[0, 1], [1, 0]]), np.array([[2], [1]])]
losses = [model.train_on_batch(data, np.zeros((2, 1))) for _ in range(60)]
assert losses[-1] < 0.2 * losses[0], losses
