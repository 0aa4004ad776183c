# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X37: `tf.contrib.seq2seq`: attention and decoders beside NumPy, and a program that learns to reverse sequences."""

from typing import Any, Dict, List, Tuple

import numpy as np

import flywheel.v1 as tf
from configurations import run_tests
from flywheel.v1.contrib import seq2seq

BATCH, TIME, UNITS = 3, 4, 5
LENGTHS, STEPS = np.array([4, 2, 1], np.int32), np.array([2, 3, 1], np.int32)


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def reference(kind: str, w: Dict[str, Any], memory: Any, x: Any, has_layer: bool) -> Tuple[Any, Any, Any]:
    """Outputs with zeros past the end, the last alignments of each example, and its last attention."""
    mask = np.arange(TIME)[None] < LENGTHS[:, None]
    memory = memory * mask[..., None]
    keys = memory @ w["memory_layer/kernel"]
    h, attention = np.zeros((BATCH, UNITS)), np.zeros((BATCH, 6 if has_layer else memory.shape[2]))
    shares, outputs = np.zeros((BATCH, TIME)), []
    for t in range(STEPS.max()):
        new = np.tanh(np.concatenate([x[:, t], attention, h], 1) @ w["basic_rnn_cell/kernel"])
        if kind.startswith("luong"):
            score = (keys * new[:, None]).sum(2) * w.get("attention_g", 1.0)
        else:
            both, v = keys + (new @ w["query_layer/kernel"])[:, None], w["attention_v"]
            if "attention_g" in w:
                both, v = both + w["attention_b"], v * w["attention_g"] / np.linalg.norm(v)
            score = (np.tanh(both) * v).sum(2)
        found = softmax(np.where(mask, score, -np.inf))
        seen = (found[..., None] * memory).sum(1)
        if has_layer:
            seen = np.concatenate([new, seen], 1) @ w["attention_layer/kernel"]
        on = (t < STEPS)[:, None]
        outputs.append(np.where(on, seen, 0))
        h, attention, shares = np.where(on, new, h), np.where(on, seen, attention), np.where(on, found, shares)
    return np.stack(outputs, 1), shares, attention


def test_attention_beside_numpy() -> None:
    rng = np.random.default_rng(1)
    memory, x = rng.normal(size=(BATCH, TIME, 3)), rng.normal(size=(BATCH, 3, 2))
    for kind, has_layer in (("luong", True), ("luong_scaled", False), ("bahdanau", False), ("bahdanau_normed", True)):
        with tf.Graph().as_default(), tf.Session() as session:
            m, xs = tf.constant(memory, tf.float32), tf.constant(x, tf.float32)
            mechanism: Any = None
            if kind.startswith("luong"):
                mechanism = seq2seq.LuongAttention(UNITS, m, LENGTHS, scale=kind == "luong_scaled")
            else:
                mechanism = seq2seq.BahdanauAttention(UNITS, m, LENGTHS, normalize=kind == "bahdanau_normed")
            cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.BasicRNNCell(UNITS), mechanism, 6 if has_layer else None)
            decoder = seq2seq.BasicDecoder(cell, seq2seq.TrainingHelper(xs, STEPS), cell.zero_state(BATCH, tf.float32))
            outputs, last, lengths = seq2seq.dynamic_decode(decoder, impute_finished=True)
            loss = tf.reduce_sum(outputs.rnn_output * outputs.rnn_output)
            variables = tf.trainable_variables()
            slopes = tf.gradients(loss, variables)
            session.run(tf.global_variables_initializer())
            for v in variables:
                value = rng.normal(size=v.shape.as_list()).astype(np.float32) * 0.7
                session.run(v.assign(value * ("bias" not in v.name)))
            names = [next(v.op.name[v.op.name.index(k):] for k in ("memory_layer", "query_layer", "attention_layer",
                     "attention_v", "attention_g", "attention_b", "basic_rnn_cell") if k in v.op.name.split("/"))
                     for v in variables]  # fmt: skip
            w = dict(zip(names, [np.asarray(v, np.float64) for v in session.run(variables)]))
            found, state, count, grads = session.run([outputs.rnn_output, last, lengths, slopes])
            wanted = reference(kind, w, memory, x, has_layer)
            for a, b in zip((found, state.alignments, state.attention), wanted):
                np.testing.assert_allclose(a, b, 1e-4, 1e-5)
            assert (count == STEPS).all() and state.time == 3
            for name, grad in zip(names, grads):
                if name.endswith("bias"):
                    continue
                way = rng.normal(size=w[name].shape)
                sides = []
                for sign in (1, -1):
                    moved = {**w, name: w[name] + sign * 1e-5 * way}
                    sides.append((reference(kind, moved, memory, x, has_layer)[0] ** 2).sum())
                np.testing.assert_allclose((grad * way).sum(), (sides[0] - sides[1]) / 2e-5, 2e-3, 2e-4, err_msg=name)


def test_a_program_that_reverses() -> None:
    """Teacher forcing trains what greedy decoding then uses; sequences have different lengths, and end with token 1."""
    rng = np.random.default_rng(2)
    lengths = np.array([4, 3, 2, 4, 3, 2, 4, 4], np.int32)
    source = np.zeros((8, 4), np.int32)
    target, shifted = np.ones((8, 5), np.int32), np.zeros((8, 5), np.int32)
    for i, n in enumerate(lengths):
        source[i, :n] = rng.integers(2, 7, n)
        target[i, :n] = source[i, :n][::-1]
        shifted[i, 1:] = target[i, :-1]
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        table = tf.get_variable("table", [7, 8])
        seen, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(16), tf.nn.embedding_lookup(table, source), lengths,
                                        dtype=tf.float32, scope="encoder")  # fmt: skip
        cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(16), seq2seq.LuongAttention(16, seen, lengths), 16)
        start = cell.zero_state(8, tf.float32).clone(cell_state=state)
        layer = tf.layers.Dense(7, name="out")

        def decoded(helper: Any, **options: Any) -> Any:
            return seq2seq.dynamic_decode(seq2seq.BasicDecoder(cell, helper, start, layer), **options)

        logits = decoded(seq2seq.TrainingHelper(tf.nn.embedding_lookup(table, shifted), lengths + 1))[0].rnn_output
        weights = (np.arange(5)[None] <= lengths[:, None]).astype(np.float32)
        loss = seq2seq.sequence_loss(logits, tf.constant(target), tf.constant(weights))
        count = len(tf.global_variables())
        greedy, _, ends = decoded(seq2seq.GreedyEmbeddingHelper(table, tf.zeros([8], tf.int32), 1),
                                  impute_finished=True, maximum_iterations=9)  # fmt: skip
        assert len(tf.global_variables()) == count
        step = tf.train.AdamOptimizer(0.02).minimize(loss)
        session.run(tf.global_variables_initializer())
        for _ in range(200):
            _, value = session.run([step, loss])
        assert value < 0.02, value
        tokens, counts = session.run([greedy.sample_id, ends])
        assert tokens.shape == (8, 5) and (counts == lengths + 1).all(), (tokens, counts)
        assert (tokens == target * (weights > 0)).all(), tokens


def test_errors_and_tiles() -> None:
    tiled: List[Any]
    with tf.Graph().as_default(), tf.Session() as session:
        tiled = session.run(seq2seq.tile_batch([tf.constant([1, 2]), tf.constant([[3.0], [4.0]])], 2))
        assert tiled[0].tolist() == [1, 1, 2, 2] and tiled[1].tolist() == [[3], [3], [4], [4]]
        cell = tf.nn.rnn_cell.BasicRNNCell(2)
        mechanism = seq2seq.LuongAttention(3, tf.zeros([2, 3, 4]))
        for kind, words, action in (
            (ValueError, "exactly one integer",
             lambda: seq2seq.AttentionWrapper(cell, [mechanism], attention_layer_size=[1, 2])),
            (ValueError, "rank of 1 or more", lambda: seq2seq.tile_batch(tf.constant(1.0), 2)),
            (NotImplementedError, "maximum_iterations", lambda: seq2seq.dynamic_decode(seq2seq.BasicDecoder(
                cell, seq2seq.SampleEmbeddingHelper(tf.zeros([2, 2]), tf.zeros([2], tf.int32), 1),
                cell.zero_state(2, tf.float32)))),
            (ValueError, "inner dimensions", lambda: mechanism(tf.zeros([2, 2]), None)),
        ):  # fmt: skip
            try:
                action()
            except kind as error:
                assert words in str(error), error
            else:
                raise AssertionError(words)


if __name__ == "__main__":
    run_tests([test_attention_beside_numpy, test_a_program_that_reverses, test_errors_and_tiles])
