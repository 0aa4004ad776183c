# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X37: helpers of `tf.contrib.seq2seq` that sample, monotonic and several attentions, the history of alignments, and
the loss of sequences, beside NumPy."""

from typing import Any, List

import numpy as np

import flywheel.v1 as tf
from configurations import run_tests
from flywheel.v1.contrib import seq2seq

BATCH, TIME, UNITS, CLASSES = 64, 5, 4, 4
LENGTHS = np.full(BATCH, TIME, np.int32)
RNG = np.random.default_rng(3)
TABLE = RNG.normal(size=(CLASSES, 3)).astype(np.float32)
CELL = RNG.normal(size=(3 + UNITS, UNITS)).astype(np.float32)
OUT = RNG.normal(size=(UNITS, CLASSES)).astype(np.float32)


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def decode(helper: Any, fetches: Any = None, **options: Any) -> Any:
    """Runs a decoder with the weights above; returns the outputs, and what `fetches` makes of the results."""
    cell = tf.nn.rnn_cell.BasicRNNCell(UNITS)
    decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(BATCH, tf.float32),
                                   tf.layers.Dense(CLASSES, use_bias=False, name="out"))  # fmt: skip
    found = seq2seq.dynamic_decode(decoder, **options)
    more = [] if fetches is None else fetches(*found)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for v in tf.global_variables():
            value = {"out/kernel": OUT, "basic_rnn_cell/kernel": CELL}
            for part, own in value.items():
                if v.op.name.endswith(part):
                    session.run(v.assign(own))
        return session.run([found[0], found[2], more])


def run_cell(x: Any, h: Any) -> Any:
    new = np.tanh(np.concatenate([x, h], 1) @ CELL)
    return new @ OUT, new


def test_samples_of_outputs() -> None:
    """Each step draws anew, by the softmax of its logits over the temperature, and feeds what it drew."""
    for temperature in (None, 0.5):
        with tf.Graph().as_default():
            helper = seq2seq.SampleEmbeddingHelper(tf.constant(TABLE), tf.zeros([BATCH], tf.int32), -1, temperature, 7)
            (y, ids), lengths, _ = decode(helper, maximum_iterations=40)
        assert ids.shape == (BATCH, 40) and (lengths == 40).all() and (ids[:, 1:] != ids[:, :-1]).any()
        h, last = np.zeros((BATCH, UNITS)), np.zeros(BATCH, int)
        expected, found = np.zeros(CLASSES), np.zeros(CLASSES)
        for t in range(40):
            logits, h = run_cell(TABLE[last], h)
            # The cell amplifies what is rounded away.
            np.testing.assert_allclose(y[:, t], logits, 1e-3, 2e-3)
            last = ids[:, t]
            expected += softmax(logits / (temperature or 1.0)).sum(0)
            found += np.bincount(last, minlength=CLASSES)
        # The bound is five standard deviations of 2,560 draws.
        np.testing.assert_allclose(found, expected, atol=5 * np.sqrt(BATCH * 40 / 4))


def test_scheduled_embeddings() -> None:
    """A token that was drawn is fed, else the given input is; and the loop has gradients."""
    x = RNG.normal(size=(BATCH, TIME, 3)).astype(np.float32)
    for probability in (0.0, 0.4, 1.0):
        with tf.Graph().as_default():
            helper = seq2seq.ScheduledEmbeddingTrainingHelper(tf.constant(x), LENGTHS, tf.constant(TABLE), probability,
                                                              seed=1, scheduling_seed=2)  # fmt: skip
            (y, ids), _, grads = decode(helper, lambda o, *_: tf.gradients(tf.reduce_sum(o.rnn_output**2),
                                                                           tf.trainable_variables()))  # fmt: skip
        share = (ids >= 0).mean()
        assert abs(share - probability) < 0.1 and all(np.isfinite(g).all() and g.any() for g in grads[:1])
        h, now, likely = np.zeros((BATCH, UNITS)), x[:, 0], 0.0
        for t in range(TIME):
            logits, h = run_cell(now, h)
            np.testing.assert_allclose(y[:, t], logits, 1e-4, 1e-4)
            likely += softmax(logits)[np.arange(BATCH), np.maximum(ids[:, t], 0)].mean() / TIME
            if t + 1 < TIME:
                now = np.where(ids[:, t, None] >= 0, TABLE[np.maximum(ids[:, t], 0)], x[:, t + 1])
        assert probability < 1 or likely > 0.3


def test_scheduled_outputs() -> None:
    x = RNG.normal(size=(BATCH, TIME, 2)).astype(np.float32)
    beside = RNG.normal(size=(BATCH, TIME, 1)).astype(np.float32)
    with tf.Graph().as_default():
        helper = seq2seq.ScheduledOutputTrainingHelper(
            tf.constant(x), LENGTHS, tf.fill([BATCH], 0.5), seed=1, next_inputs_fn=lambda o: o[:, :2] * 2.0,
            auxiliary_inputs=tf.constant(beside))  # fmt: skip
        (y, taken), _, _ = decode(helper)
    assert 0.4 < taken.mean() < 0.6 and set(np.unique(taken)) == {0, 1}
    h, now = np.zeros((BATCH, UNITS)), np.concatenate([x[:, 0], beside[:, 0]], 1)
    for t in range(TIME):
        logits, h = run_cell(now, h)
        np.testing.assert_allclose(y[:, t], logits, 1e-4, 1e-4)
        if t + 1 < TIME:
            own = np.where(taken[:, t, None] == 1, logits[:, :2] * 2, x[:, t + 1])
            now = np.concatenate([own, beside[:, t + 1]], 1)


def test_inference_without_tokens_and_without_a_bound() -> None:
    """Outputs are the next inputs until their sum is large; the number of steps is found by a run before."""
    start = RNG.normal(size=(BATCH, 3)).astype(np.float32)
    with tf.Graph().as_default():
        helper = seq2seq.InferenceHelper(
            lambda o: o[:, :3], [3], tf.float32, tf.constant(start),
            lambda s: tf.greater(tf.reduce_sum(s, 1), 0.5))  # fmt: skip
        (y, samples), lengths, _ = decode(helper, impute_finished=True, maximum_iterations=30)
        again = seq2seq.InferenceHelper(lambda o: o[:, :3], [3], tf.float32, tf.constant(start),
                                        lambda s: tf.less(tf.reduce_sum(s, 1), 1e9))  # fmt: skip
        with tf.variable_scope("again"):
            (once, _), ones, _ = decode(again)
    assert once.shape == (BATCH, 1, CLASSES) and (ones == 1).all()
    h, now, left = np.zeros((BATCH, UNITS)), start, np.ones(BATCH, bool)
    for t in range(y.shape[1]):
        logits, new = run_cell(now, h)
        np.testing.assert_allclose(y[:, t], np.where(left[:, None], logits, 0), 1e-3, 1e-3)
        h, now = np.where(left[:, None], new, h), logits[:, :3]
        assert (lengths[left] > t).all()
        left = left & ~(logits[:, :3].sum(1) > 0.5)


def test_greedy_without_a_bound() -> None:
    out = np.zeros((UNITS, CLASSES))
    with tf.Graph().as_default(), tf.Session() as session:
        # The state counts: token t is likeliest after t steps.
        class Counter(tf.nn.rnn_cell.RNNCell):  # type: ignore[misc]
            state_size = output_size = CLASSES

            def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
                new = state + 1.0
                return -tf.square(new - np.arange(CLASSES, dtype=np.float32)), new

        helper = seq2seq.GreedyEmbeddingHelper(tf.zeros([CLASSES, 2]), tf.zeros([2], tf.int32), 3)
        decoder = seq2seq.BasicDecoder(Counter(), helper, tf.zeros([2, CLASSES]))
        (_, ids), _, lengths = seq2seq.dynamic_decode(decoder)
        assert session.run(ids).tolist() == [[1, 2, 3]] * 2 and session.run(lengths).tolist() == [3, 3]
    assert not out.any()


def test_history_and_several_attentions() -> None:
    """[time, batch, steps of the memory], of each of two mechanisms, whose attentions stand side by side."""
    rng = np.random.default_rng(4)
    memory, x = rng.normal(size=(2, 3, 4)).astype(np.float32), rng.normal(size=(2, 5, 3)).astype(np.float32)
    for most in (None, 3):
        with tf.Graph().as_default(), tf.Session() as session:
            m = tf.constant(memory)
            own = [seq2seq.LuongAttention(UNITS, m, [3, 2]), seq2seq.LuongAttention(
                UNITS, m, probability_fn=seq2seq.hardmax)]  # fmt: skip
            cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.BasicRNNCell(UNITS), own, [2, 3], True)
            decoder = seq2seq.BasicDecoder(cell, seq2seq.TrainingHelper(tf.constant(x), [5, 5]),
                                           cell.zero_state(2, tf.float32))  # fmt: skip
            outputs, state, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=most)
            assert outputs.rnn_output.shape.as_list()[2] == 5 == cell.output_size
            session.run(tf.global_variables_initializer())
            soft, hard, last, time = session.run([*[h.stack() for h in state.alignment_history], state.alignments,
                                                  state.time])  # fmt: skip
        assert time == (most or 5) and soft.shape == hard.shape == (most or 5, 2, 3)
        np.testing.assert_allclose(soft.sum(2), 1, 1e-5)
        assert (soft[:, 1, 2] == 0).all() and set(np.unique(hard)) <= {0, 1} and (hard.sum(2) == 1).all()
        for whole, own_last in zip((soft, hard), last):
            np.testing.assert_array_equal(whole[-1], own_last)


def test_monotonic_attention() -> None:
    """By the sums over the steps that were not chosen (Raffel et al., 2017, equation 9)."""
    rng = np.random.default_rng(6)
    p, before = rng.uniform(size=(3, 5)), softmax(rng.normal(size=(3, 5)))
    wanted = np.zeros((3, 5))
    for j in range(5):
        for k in range(j + 1):
            wanted[:, j] += p[:, j] * before[:, k] * np.prod(1 - p[:, k:j], 1)
    with tf.Graph().as_default(), tf.Session() as session:
        for mode in ("recursive", "parallel"):
            found = session.run(seq2seq.monotonic_attention(tf.constant(p, tf.float32),
                                                            tf.constant(before, tf.float32), mode))  # fmt: skip
            np.testing.assert_allclose(found, wanted, 1e-4, 1e-5)
        chosen, place = [[0.0, 1.0, 0.0, 1.0, 1.0]], [[0.0, 0.0, 1.0, 0.0, 0.0]]
        hard = session.run(seq2seq.monotonic_attention(chosen, place, "hard"))
        assert hard.tolist() == [[0, 0, 0, 1, 0]]
        cumulative = session.run(seq2seq.safe_cumprod(tf.constant([0.5, 0.2, 0.0, 1.0])))
        np.testing.assert_allclose(cumulative, [0.5, 0.1, 0, 0], 1e-5, 1e-37)
        memory = tf.constant(rng.normal(size=(2, 4, 3)).astype(np.float32))
        for kind in (seq2seq.BahdanauMonotonicAttention, seq2seq.LuongMonotonicAttention):
            mechanism: Any = kind(UNITS, memory, score_bias_init=-1.0)
            first = mechanism.initial_alignments(2, tf.float32)
            found, state = mechanism(tf.ones([2, UNITS]), first)
            session.run(tf.global_variables_initializer())
            a, b = session.run([first, found])
            assert a.tolist() == [[1, 0, 0, 0]] * 2 and (b.sum(1) <= 1 + 1e-5).all() and (b >= 0).all()
            assert any(v.op.name.endswith("attention_score_bias") for v in tf.global_variables())


def test_losses_of_sequences() -> None:
    rng = np.random.default_rng(8)
    logits, labels = rng.normal(size=(2, 3, 4)), rng.integers(0, 4, (2, 3))
    weights = np.array([[0.5, 1.0, 0.0], [0.0, 2.0, 0.0]])
    each = -np.log(softmax(logits)[np.arange(2)[:, None], np.arange(3), labels]) * weights
    with tf.Graph().as_default(), tf.Session() as session:

        def loss(*options: Any) -> Any:
            made: Any = seq2seq.sequence_loss(tf.constant(logits, tf.float32), tf.constant(labels),
                                              tf.constant(weights, tf.float32), *options)  # fmt: skip
            return session.run(made)

        some = (weights != 0).astype(float)
        cases: List[Any] = [
            ((), each.sum() / 3.5), ((True, False), each.sum(1) / weights.sum(1)),
            ((False, True), each.sum(0) / np.where(weights.sum(0), weights.sum(0), 1)), ((False, False), each),
            ((False, False, True, True), each.sum() / 3), ((False, False, True, False), each.sum(1) / some.sum(1)),
            ((False, False, False, True), each.sum(0) / np.maximum(some.sum(0), 1)),
        ]  # fmt: skip
        for options, wanted in cases:
            np.testing.assert_allclose(loss(*options), wanted, 1e-5, 1e-6, err_msg=str(options))
        try:
            loss(True, True, True, True)
        except ValueError as error:
            assert "same time" in str(error)
        else:
            raise AssertionError("two reductions")


if __name__ == "__main__":
    run_tests([value for name, value in list(globals().items()) if name.startswith("test_")])
