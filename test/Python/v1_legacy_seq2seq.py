# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X37: decoders of `tf.contrib.legacy_seq2seq` beside NumPy, and a translator with buckets."""

from typing import Any, Dict, List

import numpy as np

import flywheel.v1 as tf
from configurations import run_tests

legacy = tf.contrib.legacy_seq2seq
BATCH, UNITS, SYMBOLS, SIZE = 3, 4, 5, 2


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def drawn(session: Any, seed: int) -> Dict[str, Any]:
    """Gives all variables other values, and returns these by their names."""
    rng = np.random.default_rng(seed)
    session.run(tf.global_variables_initializer())
    found = {}
    for v in tf.global_variables():
        found[v.op.name] = rng.normal(size=v.shape.as_list()).astype(np.float32) * np.float32(0.7)
        session.run(v.assign(found[v.op.name]))
    return found


def run_cell(w: Dict[str, Any], scope: str, x: Any, h: Any) -> Any:
    scope += "/basic_rnn_cell/"
    return np.tanh(np.concatenate([x, h], 1) @ w[scope + "kernel"] + w[scope + "bias"])


def test_decoders_of_lists() -> None:
    """char-rnn: the likeliest symbol of an output is the next input."""
    rng = np.random.default_rng(1)
    inputs = [rng.normal(size=(BATCH, SIZE)).astype(np.float32) for _ in range(4)]
    with tf.Graph().as_default(), tf.Session() as session:
        table, out = tf.get_variable("table", [SYMBOLS, SIZE]), tf.get_variable("out", [UNITS, SYMBOLS])

        def loop(last: Any, _: int) -> Any:
            return tf.nn.embedding_lookup(table, tf.stop_gradient(tf.argmax(tf.matmul(last, out), 1)))

        cell = tf.nn.rnn_cell.BasicRNNCell(UNITS)
        with tf.variable_scope("own"):
            free, _ = legacy.rnn_decoder(inputs, cell.zero_state(BATCH, tf.float32), cell, loop, scope="rnnlm")
            taught, last = legacy.rnn_decoder(inputs, cell.zero_state(BATCH, tf.float32), cell, scope="rnnlm")
        both, _ = legacy.basic_rnn_seq2seq(inputs[:2], inputs[2:], tf.nn.rnn_cell.BasicRNNCell(UNITS))
        tied, _ = legacy.tied_rnn_seq2seq(inputs[:2], inputs[2:], tf.nn.rnn_cell.BasicRNNCell(UNITS))
        w = drawn(session, 2)
        found = session.run([free, taught, last, both, tied])
    names = sorted(name for name in w if "kernel" in name)
    assert names == ["basic_rnn_seq2seq/rnn/basic_rnn_cell/kernel",
                     "basic_rnn_seq2seq/rnn_decoder/basic_rnn_cell/kernel",
                     "combined_tied_rnn_seq2seq/tied_rnn_seq2seq/basic_rnn_cell/kernel",
                     "own/rnnlm/basic_rnn_cell/kernel"], names  # fmt: skip
    for is_free, own in ((True, found[0]), (False, found[1])):
        h, x = np.zeros((BATCH, UNITS)), inputs[0]
        for t in range(4):
            h = run_cell(w, "own/rnnlm", x, h)
            np.testing.assert_allclose(own[t], h, 1e-4, 1e-5)
            x = w["table"][(h @ w["out"]).argmax(1)] if is_free else inputs[min(t + 1, 3)]
    np.testing.assert_allclose(found[2], h, 1e-4, 1e-5)
    for scopes, own in ((("basic_rnn_seq2seq/rnn", "basic_rnn_seq2seq/rnn_decoder"), found[3]),
                        (("combined_tied_rnn_seq2seq/tied_rnn_seq2seq",) * 2, found[4])):  # fmt: skip
        h = np.zeros((BATCH, UNITS))
        for t in range(4):
            h = run_cell(w, scopes[t > 1], inputs[t], h)
            if t > 1:
                np.testing.assert_allclose(own[t - 2], h, 1e-4, 1e-5)


def attention(w: Dict[str, Any], memory: Any, h: Any, heads: int) -> List[Any]:
    found = []
    for k in range(heads):
        query = h @ w[f"attention_decoder/Attention_{k}/kernel"] + w[f"attention_decoder/Attention_{k}/bias"]
        keys = memory @ w[f"attention_decoder/AttnW_{k}"][0, 0]
        shares = softmax((np.tanh(keys + query[:, None]) * w[f"attention_decoder/AttnV_{k}"]).sum(2))
        found.append((shares[..., None] * memory).sum(1))
    return found


def test_attention() -> None:
    rng = np.random.default_rng(3)
    inputs = [rng.normal(size=(BATCH, SIZE)).astype(np.float32) for _ in range(3)]
    memory = rng.normal(size=(BATCH, 6, 3)).astype(np.float32)
    for heads, size, looks in ((1, None, False), (2, 5, True)):
        with tf.Graph().as_default(), tf.Session() as session:
            cell = tf.nn.rnn_cell.BasicRNNCell(UNITS)
            start = tf.constant(rng.normal(size=(BATCH, UNITS)).astype(np.float32))
            outputs, last = legacy.attention_decoder(inputs, start, tf.constant(memory), cell, size, heads,
                                                     initial_state_attention=looks)  # fmt: skip
            w = drawn(session, 4)
            found, end, h = session.run([outputs, last, start])
        seen = attention(w, memory, h, heads) if looks else [np.zeros((BATCH, 3))] * heads
        for x, own in zip(inputs, found):
            x = np.concatenate([x, *seen], 1) @ w["attention_decoder/kernel"] + w["attention_decoder/bias"]
            h = run_cell(w, "attention_decoder", x, h)
            seen = attention(w, memory, h, heads)
            scope = "attention_decoder/AttnOutputProjection/"
            y = np.concatenate([h, *seen], 1) @ w[scope + "kernel"] + w[scope + "bias"]
            np.testing.assert_allclose(own, y, 1e-4, 1e-5)
        np.testing.assert_allclose(end, h, 1e-4, 1e-5)


def test_a_translator_with_buckets() -> None:
    """A program that reverses sequences: buckets have the same variables, and a fed boolean switches to its own
    symbols."""
    rng = np.random.default_rng(5)
    buckets = [(2, 3), (3, 4)]
    encoder = [tf.placeholder(tf.int32, [None]) for _ in range(3)]
    decoder = [tf.placeholder(tf.int32, [None]) for _ in range(5)]
    weights = [tf.placeholder(tf.float32, [None]) for _ in range(4)]
    free = tf.placeholder(tf.bool, [])

    def model(x: Any, y: Any) -> Any:
        return legacy.embedding_attention_seq2seq(x, y, tf.nn.rnn_cell.GRUCell(24), 7, 7, 12, feed_previous=free)

    outputs, losses = legacy.model_with_buckets(encoder, decoder, decoder[1:], weights, buckets, model)
    names = [v.op.name for v in tf.trainable_variables()]
    assert len(names) == len(set(names)) == 20 and all(name.startswith("embedding_attention") for name in names), names
    steps = [tf.train.AdamOptimizer(0.02).minimize(one) for one in losses]
    plain, _ = legacy.embedding_rnn_seq2seq(encoder[:2], decoder[:2], tf.nn.rnn_cell.GRUCell(3), 7, 7, 2)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())

        def feed(which: int, is_free: bool) -> Any:
            first, second = buckets[which]
            words = rng.integers(2, 7, (24, first))
            target = np.concatenate([words[:, ::-1], np.ones((24, 1), int)], 1)
            given: Any = {x: words[:, i] for i, x in enumerate(encoder[:first])}
            given.update({x: (np.zeros(24) if i == 0 else target[:, i - 1]) for i, x in enumerate(decoder[:second])})
            given.update({decoder[second]: target[:, -1], free: is_free})
            given.update({x: np.ones(24) for x in weights[:second]})
            return given, target

        for step in range(240):
            session.run(steps[step % 2], feed(step % 2, False)[0])
        for which in range(2):
            given, target = feed(which, True)
            found, value = session.run([outputs[which], losses[which]], given)
            assert (np.stack(found, 1).argmax(2) == target).mean() > 0.97 and value < 0.2, (which, value)
        assert session.run(plain, feed(0, False)[0])[1].shape == (24, 7)


def test_reuse() -> None:
    """Wrappers with `reuse` take the variables that others of their scope have made, or refuse if there are none."""
    tf.reset_default_graph()
    words = tf.constant([0, 1])

    def wrapped(reuse: Any) -> Any:
        inner = legacy.EmbeddingWrapper(tf.nn.rnn_cell.BasicRNNCell(3), 5, 2, reuse=reuse)
        cell = legacy.OutputProjectionWrapper(inner, 4, reuse=reuse)
        return cell(words, cell.zero_state(2, tf.float32))[0]

    try:
        wrapped(True)
    except ValueError as error:
        assert "embedding" in str(error) or "output_projection_wrapper" in str(error), error
    else:
        raise AssertionError("expected an error without variables to reuse")
    first = wrapped(None)
    count = len(tf.global_variables())
    again = wrapped(True)
    assert len(tf.global_variables()) == count == 5, tf.global_variables()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(*session.run([first, again]))


def test_wrappers_of_attention() -> None:
    """A wrapper has the state of zeros of its cell, which may count steps: the same outputs as without it."""
    tf.reset_default_graph()
    memory = tf.constant(np.random.default_rng(5).normal(size=(2, 4, 3)), tf.float32)
    cell = tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.BasicRNNCell(3),
                                               tf.contrib.seq2seq.LuongAttention(3, memory))  # fmt: skip
    outputs = [one(tf.ones([2, 3]), one.zero_state(2, tf.float32))[0]
               for one in (cell, tf.nn.rnn_cell.DropoutWrapper(cell))]  # fmt: skip
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(*session.run(outputs))


if __name__ == "__main__":
    run_tests([test_decoders_of_lists, test_attention, test_a_translator_with_buckets, test_reuse,
               test_wrappers_of_attention])  # fmt: skip
