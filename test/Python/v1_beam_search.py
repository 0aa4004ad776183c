# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X37: `tf.contrib.seq2seq.BeamSearchDecoder` and `gather_tree` beside a search in NumPy that keeps whole sequences."""

from typing import Any, Dict, List, Tuple

import numpy as np

import flywheel.v1 as tf
from configurations import run_tests
from flywheel.v1.contrib import seq2seq

BATCH, BEAM, CLASSES, UNITS, TIME, END = 3, 4, 6, 5, 4, 1


def log_softmax(x: Any) -> Any:
    return x - x.max(-1, keepdims=True) - np.log(np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True))


class Beam:
    """A beginning of a sequence: its tokens, log probability, state, and what of the memory it has looked at."""

    def __init__(self, tokens: List[int], log_p: float, state: Any, ended: bool, length: int, seen: Any, path: Any):
        self.tokens, self.log_p, self.state, self.ended = tokens, log_p, state, ended
        self.length, self.seen, self.path = length, seen, path


def search(w: Dict[str, Any], memory: Any, steps: int, by_length: float, by_coverage: float) -> Tuple[Any, Any, Any]:
    """The beams of one example, best first: tokens, log probabilities and lengths; each with its alignments."""
    count = len(memory)
    beams = [Beam([0], 0.0, (np.zeros(UNITS), np.zeros(memory.shape[1])), False, 0, np.zeros(count), [])]
    scores: List[float] = []
    for _ in range(steps):
        if all(b.ended for b in beams):
            break
        found = []
        for place, b in enumerate(beams):
            h, attention = b.state
            last = b.tokens[-1]
            new = np.tanh(np.concatenate([w["table"][last], attention, h]) @ w["cell"])
            score = (memory @ w["keys"]) @ new
            shares = np.exp(log_softmax(score))
            seen = shares @ memory
            rows = log_softmax(seen @ w["out"])
            covered = b.seen if b.ended else b.seen + shares
            for token in range(CLASSES):
                if b.ended:
                    log_p = b.log_p if token == END else -np.inf
                    length = b.length
                else:
                    log_p, length = b.log_p + rows[token], b.length + (token != END)
                value = log_p / ((5 + length) / 6) ** by_length
                if by_coverage and b.ended:
                    value += by_coverage * np.log(np.minimum(np.where(covered == 0, 1, covered), 1)).sum()
                found.append((-value, place, token, Beam(
                    [*b.tokens, token], log_p, (new, seen), b.ended or token == END, b.length + (not b.ended),
                    covered, [*b.path, shares])))  # fmt: skip
        found.sort(key=lambda one: one[:3])
        beams, scores = [one[3] for one in found[:BEAM]], [-one[0] for one in found[:BEAM]]
    return beams, scores, None


def check(by_length: float, by_coverage: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    w = {"table": rng.normal(size=(CLASSES, 3)), "cell": rng.normal(size=(3 + 4 + UNITS, UNITS)),
         "keys": rng.normal(size=(4, UNITS)), "out": 3 * rng.normal(size=(4, CLASSES))}  # fmt: skip
    w = {key: value.astype(np.float32).astype(np.float64) for key, value in w.items()}
    memory = rng.normal(size=(BATCH, TIME, 4)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        tiled = seq2seq.tile_batch(tf.constant(memory), BEAM)
        cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.BasicRNNCell(UNITS), seq2seq.LuongAttention(UNITS, tiled),
                                        alignment_history=True)  # fmt: skip
        decoder = seq2seq.BeamSearchDecoder(
            cell, tf.constant(w["table"], tf.float32), tf.zeros([BATCH], tf.int32), END,
            cell.zero_state(BATCH * BEAM, tf.float32), BEAM, tf.layers.Dense(CLASSES, use_bias=False, name="out"),
            by_length, by_coverage)  # fmt: skip
        outputs, last, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=5)
        session.run(tf.global_variables_initializer())
        for v in tf.global_variables():
            own = {"memory_layer/kernel": "keys", "basic_rnn_cell/kernel": "cell", "out/kernel": "out"}
            name = next((key for part, key in own.items() if v.op.name.endswith(part)), None)
            if name:
                session.run(v.assign(w[name].astype(np.float32)))
        history = last.cell_state.alignment_history
        ids, state, steps, paths = session.run([outputs.predicted_ids, last._replace(cell_state=()),
                                                outputs.beam_search_decoder_output, history])  # fmt: skip
    assert ids.shape[1] == steps.scores.shape[1] <= 5 and paths.shape == (ids.shape[1], BATCH * BEAM, TIME)
    paths = paths.reshape(-1, BATCH, BEAM, TIME)
    for i in range(BATCH):
        beams, scores, _ = search(w, memory[i].astype(np.float64), ids.shape[1], by_length, by_coverage)
        np.testing.assert_allclose(state.log_probs[i], [b.log_p for b in beams], 1e-4, 1e-4)
        np.testing.assert_array_equal(state.lengths[i], [b.length for b in beams])
        for k, b in enumerate(beams):
            tokens = b.tokens[1:] + [END] * (ids.shape[1] - len(b.tokens) + 1)
            assert ids[i, :, k].tolist() == tokens, (i, k, ids[i, :, k], tokens)
            np.testing.assert_allclose(paths[: b.length, i, k], b.path[: b.length], 1e-4, 1e-5)
        if not any(b.ended for b in beams):
            np.testing.assert_allclose(steps.scores[i, -1], scores, 1e-4, 1e-4)


def test_beside_a_search_of_whole_sequences() -> None:
    for seed, (by_length, by_coverage) in enumerate([(0.0, 0.0), (0.9, 0.0), (0.0, 0.4), (1.0, 0.2)]):
        check(by_length, by_coverage, seed)


def test_gather_tree() -> None:
    """Paths of drawn trees, one after the other in Python."""
    rng = np.random.default_rng(5)
    steps, batch, width, end = 5, 3, 4, 9
    ids, parents = rng.integers(0, 10, (steps, batch, width)), rng.integers(0, width, (steps, batch, width))
    lengths = np.array([5, 3, 0], np.int32)
    wanted = np.full(ids.shape, end)
    for b in range(batch):
        for k in range(width):
            beam = k
            for t in range(lengths[b] - 1, -1, -1):
                wanted[t, b, k], beam = ids[t, b, beam], parents[t, b, beam]
            for t in range(1, steps):
                if end in wanted[:t, b, k]:
                    wanted[t, b, k] = end
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(seq2seq.gather_tree(ids.astype(np.int32), parents.astype(np.int32), lengths, end))
    np.testing.assert_array_equal(found, wanted)
    # The case of TensorFlow's documentation.
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(seq2seq.gather_tree(
            np.array([[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]], [[-1, -1, -1]]], np.int32),
            np.array([[[0, 0, 0]], [[0, 1, 1]], [[2, 1, 2]], [[-1, -1, -1]]], np.int32), [3], 10))  # fmt: skip
    assert found.tolist() == [[[2, 2, 2]], [[6, 5, 6]], [[7, 8, 9]], [[10, 10, 10]]], found


def test_errors() -> None:
    with tf.Graph().as_default():
        cell = tf.nn.rnn_cell.BasicRNNCell(3)
        table = tf.zeros([4, 3])
        for kind, words, action in (
            (ValueError, "tile_batch", lambda: seq2seq.AttentionWrapper(
                cell, seq2seq.LuongAttention(3, tf.zeros([2, 3, 4]))).zero_state(4, tf.float32)),
            (ValueError, "batch_size=encoder_batch_size * beam_width", lambda: seq2seq.BeamSearchDecoder(
                cell, table, tf.zeros([2], tf.int32), 1, cell.zero_state(2, tf.float32), 3)),
            (ValueError, "end_token must be a scalar", lambda: seq2seq.BeamSearchDecoder(
                cell, table, tf.zeros([2], tf.int32), [1], cell.zero_state(6, tf.float32), 3)),
            (ValueError, "start_tokens must be a vector", lambda: seq2seq.BeamSearchDecoder(
                cell, table, 0, 1, cell.zero_state(6, tf.float32), 3)),
            (ValueError, "no cell is attentional", lambda: seq2seq.dynamic_decode(seq2seq.BeamSearchDecoder(
                cell, table, tf.zeros([2], tf.int32), 1, cell.zero_state(6, tf.float32), 3,
                coverage_penalty_weight=0.1), maximum_iterations=2)),
            (TypeError, "Expected decoder", lambda: seq2seq.dynamic_decode(cell)),
        ):  # fmt: skip
            try:
                action()
            except kind as error:
                assert words in str(error), error
            else:
                raise AssertionError(words)


if __name__ == "__main__":
    run_tests([test_beside_a_search_of_whole_sequences, test_gather_tree, test_errors])
