# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X51: `tf.contrib.crf` beside all sequences of tags, one after the other."""

import itertools
from typing import Any, Dict, Tuple

import numpy as np

import flywheel.v1 as tf
from configurations import run_tests

crf = tf.contrib.crf

Tags = Tuple[int, ...]


def every(x: Any, table: Any, n: int) -> Dict[Tags, float]:
    """The scores of all sequences of tags of n steps."""
    return {tags: float(sum(x[t, k] for t, k in enumerate(tags)) + sum(table[a, b] for a, b in zip(tags, tags[1:])))
            for tags in itertools.product(range(x.shape[1]), repeat=n)}  # fmt: skip


def counts_of(tags: Tags, x: Any, table: Any) -> Tuple[Any, Any]:
    """The derivatives of the score of tags."""
    by_x, by_table = np.zeros(x.shape), np.zeros(table.shape)
    for t, k in enumerate(tags):
        by_x[t, k] += 1
    for a, b in zip(tags, tags[1:]):
        by_table[a, b] += 1
    return by_x, by_table


def likelihood(x: Any, tags: Tags, table: Any) -> Tuple[float, float, Any, Any]:
    """The score of tags, its likelihood, and the derivatives of that: what these tags have less what all have, by their
    probabilities. 0 of no tags."""
    if not tags:
        return 0.0, 0.0, np.zeros(x.shape), np.zeros(table.shape)
    scores = every(x, table, len(tags))
    norm = np.logaddexp.reduce(list(scores.values()))
    by_x, by_table = counts_of(tags, x, table)
    for other, score in scores.items():
        own = counts_of(other, x, table)
        by_x, by_table = by_x - np.exp(score - norm) * own[0], by_table - np.exp(score - norm) * own[1]
    return scores[tags], scores[tags] - norm, by_x, by_table


def draw(seed: int) -> Tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(seed)
    # Every third one has examples without steps.
    batch, time, count = int(rng.integers(1, 5)), seed % 6 + 1, int(rng.integers(1, 4))
    lengths = rng.integers(0 if seed % 3 == 0 else 1, time + 1, batch)
    return (rng.normal(size=(batch, time, count)), rng.normal(size=(count, count)),
            rng.integers(0, count, (batch, time)), lengths)  # fmt: skip


def test_beside_all_sequences() -> None:
    for seed in range(12):
        x, table, tags, lengths = draw(seed)
        kind = np.dtype("float64" if seed % 4 else "float32")
        near = 1e-10 if kind == np.float64 else 2e-5
        # Sizes that only a run knows, or known ones.
        sizes = [None, None, x.shape[2]] if seed % 2 else list(x.shape)
        with tf.Graph().as_default(), tf.Session() as session:
            scores, moves = tf.placeholder(kind, sizes), tf.constant(table, kind)
            given = tf.placeholder(tf.int32, sizes[:2])
            ends = tf.placeholder(tf.int64 if seed % 2 else tf.int32, [None])
            value, same = crf.crf_log_likelihood(scores, given, ends, moves)
            assert same is moves
            slopes = tf.gradients(value, [scores, moves])
            parts = [crf.crf_sequence_score(scores, given, ends, moves), crf.crf_log_norm(scores, ends, moves),
                     crf.crf_unary_score(given, ends, scores) + crf.crf_binary_score(given, ends, moves)]  # fmt: skip
            best = crf.crf_decode(scores, moves, ends)
            feed = {scores: x, given: tags, ends: lengths}
            found, slopes, (score, norm, both), (decoded, top) = session.run([value, slopes, parts, best], feed)
        wanted = [likelihood(own, tuple(row[:n]), table) for own, row, n in zip(x, tags, lengths)]
        np.testing.assert_allclose(score, [one[0] for one in wanted], near, near)
        np.testing.assert_allclose(both, score, near, near)
        np.testing.assert_allclose(found, [one[1] for one in wanted], near, near)
        np.testing.assert_allclose(score - norm, found, near, near)
        np.testing.assert_allclose(slopes[0], [one[2] for one in wanted], near, near)
        np.testing.assert_allclose(slopes[1], sum(one[3] for one in wanted), near, near)
        assert decoded.dtype == np.int32 and decoded.shape == (len(x), x.shape[1])
        for own, row, n, most in zip(x, decoded, lengths, top):
            # As in TensorFlow, an example without steps has the first tag.
            all_ = every(own, table, max(n, 1))
            best_tags = max(all_, key=lambda one: all_[one])
            assert tuple(row[: max(n, 1)]) == best_tags and not row[max(n, 1) :].any(), (seed, row, best_tags)
            np.testing.assert_allclose(most, all_[best_tags], near)
            path, total = crf.viterbi_decode(own[: max(n, 1)], table)
            assert tuple(path) == best_tags
            np.testing.assert_allclose(total, all_[best_tags])


def test_ties_and_infinities() -> None:
    """The first tag of equal scores is taken; a transition that cannot be has no part in sums, nor in gradients."""
    with tf.Graph().as_default(), tf.Session() as session:
        tags, score = session.run(crf.crf_decode(np.zeros((1, 4, 3), np.float32), np.zeros((3, 3), np.float32), [4]))
        assert tags.tolist() == [[0, 0, 0, 0]] and score.tolist() == [0.0]
        assert crf.viterbi_decode(np.zeros((4, 3)), np.zeros((3, 3)))[0] == [0, 0, 0, 0]
        table = np.array([[0.5, -np.inf, 0.1], [0.2, 0.3, -np.inf], [-np.inf, 0.7, 0.0]])
        x = np.random.default_rng(3).normal(size=(1, 5, 3))
        moves = tf.constant(table)
        norm = crf.crf_log_norm(x, [5], moves)
        found, slope = session.run([norm, tf.gradients(norm, moves)[0]])
        np.testing.assert_allclose(found, [np.logaddexp.reduce(list(every(x[0], table, 5).values()))])
        assert np.all(slope[np.isinf(table)] == 0) and np.all(np.isfinite(slope))


def test_several_tags() -> None:
    """The sum over the sequences of the tags that are allowed at each step."""
    x, table, tags, _ = draw(10)
    lengths = np.arange(len(x)) + 1
    allowed = np.random.default_rng(1).integers(0, 2, x.shape) == 1
    allowed[np.arange(len(x))[:, None], np.arange(x.shape[1])[None], tags] = True
    with tf.Graph().as_default(), tf.Session() as session:
        scores = tf.constant(x)
        total = crf.crf_multitag_sequence_score(scores, allowed, lengths, tf.constant(table))
        found, slope = session.run([total, tf.gradients(total, scores)[0]])
    for own, may, n, value in zip(x, allowed, lengths.tolist(), found):
        chosen = [score for one, score in every(own, table, n).items() if all(may[t, k] for t, k in enumerate(one))]
        np.testing.assert_allclose(value, np.logaddexp.reduce(chosen))
    assert np.all(slope[~allowed] == 0) and np.all(np.isfinite(slope))


def test_cells() -> None:
    """The steps of the sums and of the decoder, as cells of a recurrent network."""
    x, table, tags, lengths = draw(5)
    with tf.Graph().as_default(), tf.Session() as session:
        moves = tf.constant(table)
        rest = tf.maximum(lengths - 1, 0)
        _, last = tf.nn.dynamic_rnn(crf.CrfForwardRnnCell(moves), x[:, 1:], rest, tf.constant(x[:, 0]))
        norm, other = session.run([tf.reduce_logsumexp(last, 1), crf.crf_log_norm(x, lengths, moves)])
        np.testing.assert_allclose(norm, other)
        places, best = crf.CrfDecodeForwardRnnCell(moves)(x[:, 1], tf.constant(x[:, 0]))
        end = tf.expand_dims(tf.cast(tf.argmax(best, 1), tf.int32), 1)
        before, _ = crf.CrfDecodeBackwardRnnCell(table.shape[0])(places, end)
        pairs, wanted = session.run([tf.concat([before, end], 1),
                                     crf.crf_decode(x[:, :2], moves, [2] * len(x))[0]])  # fmt: skip
        assert pairs.tolist() == wanted.tolist()


def test_refusals() -> None:
    with tf.Graph().as_default():
        unknown = tf.placeholder(tf.float32, [None, None, None])
        cases: Any = [(lambda: crf.crf_log_norm(np.zeros((2, 3)), [1, 1], np.zeros((3, 3))), "[batch, time, tags]"),
                      (lambda: crf.crf_log_likelihood(unknown, [[0]], [1]), "number of tags"),
                      (lambda: crf.crf_nothing, "contrib.crf.crf_nothing")]  # fmt: skip
        for make, words in cases:
            try:
                make()
            except (ValueError, AttributeError) as error:
                assert words in str(error), error
            else:
                raise AssertionError(f"no error of {words}")


def test_a_tagger_learns() -> None:
    """A tagger as of 2018: a network of both directions below the chain, trained on sentences of a few lengths, decoded
    by Python and in the graph. Its tags depend on the next word."""
    rng = np.random.default_rng(1)
    data = []
    for _ in range(32):
        words = rng.integers(1, 6, rng.integers(2, 8))
        data.append((words, (words + np.append(words[1:], 0)) % 3))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(3)
        word_ids = tf.placeholder(tf.int32, [None, None], name="word_ids")
        labels = tf.placeholder(tf.int32, [None, None], name="labels")
        lengths = tf.reduce_sum(tf.sign(word_ids), 1)
        keep = tf.placeholder_with_default(1.0, [])
        with tf.variable_scope("words"):
            embeddings = tf.nn.embedding_lookup(tf.get_variable("table", [6, 10]), word_ids)
        with tf.variable_scope("bi-lstm"):
            (forward, backward), _ = tf.nn.bidirectional_dynamic_rnn(
                tf.contrib.rnn.LSTMCell(12), tf.contrib.rnn.LSTMCell(12), embeddings, sequence_length=lengths,
                dtype=tf.float32)
            output = tf.nn.dropout(tf.concat([forward, backward], axis=-1), keep)
        with tf.variable_scope("proj"):
            w = tf.get_variable("W", [24, 3], initializer=tf.contrib.layers.xavier_initializer())
            b = tf.get_variable("b", [3], initializer=tf.zeros_initializer())
            logits = tf.reshape(tf.matmul(tf.reshape(output, [-1, 24]), w) + b, [-1, tf.shape(output)[1], 3])
        log_likelihood, transitions = tf.contrib.crf.crf_log_likelihood(
            inputs=logits, tag_indices=labels, sequence_lengths=lengths)
        assert transitions in tf.trainable_variables() and transitions.op.name == "transitions"
        loss = tf.reduce_mean(-log_likelihood)
        optimizer = tf.train.AdamOptimizer(learning_rate=0.02)
        pairs = [(tf.clip_by_value(g, -5.0, 5.0), v) for g, v in optimizer.compute_gradients(loss)]
        train_op = optimizer.apply_gradients(pairs)
        decoded, _ = tf.contrib.crf.crf_decode(logits, transitions, lengths)
        session.run(tf.global_variables_initializer())
        losses = []
        for _ in range(180):
            batch = [data[i] for i in rng.permutation(32)[:16]]
            time = max(len(words) for words, _ in batch)
            x, y = (np.array([np.pad(one[k], (0, time - len(one[k]))) for one in batch]) for k in (0, 1))
            losses.append(session.run([train_op, loss], {word_ids: x, labels: y, keep: 0.9})[1])
        scores, table, tags, ends = session.run([logits, transitions, decoded, lengths], {word_ids: x})
    assert np.mean(losses[-10:]) < 0.1 * losses[0], (losses[0], losses[-10:])
    # By Python, as programs decoded before there was crf_decode.
    for own, row, n in zip(scores, tags, ends):
        path, _ = tf.contrib.crf.viterbi_decode(own[:n], table)
        assert path == row[:n].tolist()
    holds = np.arange(time)[None] < ends[:, None]
    assert (tags == y)[holds].mean() > 0.97


if __name__ == "__main__":
    run_tests([test_beside_all_sequences, test_ties_and_infinities, test_several_tags, test_cells, test_refusals,
               test_a_tagger_learns])
