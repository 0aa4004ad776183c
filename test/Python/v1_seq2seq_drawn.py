# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X37: decoders of `tf.contrib.seq2seq` beside NumPy, for drawn sizes, lengths, cells, attentions and options."""

from typing import Any, Callable, Dict, List, Tuple

import numpy as np

import flywheel.v1 as tf
import selection
from configurations import run_tests
from flywheel.v1.contrib import seq2seq

Arrays = Dict[str, Any]


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class Case:
    """The sizes, options and arrays that one seed draws."""

    def __init__(self, seed: int):
        rng = np.random.default_rng(seed)
        self.rng = rng
        self.batch, self.steps, self.width = (int(rng.integers(1, n)) for n in (5, 6, 4))
        self.time, self.depth, self.units, self.classes = (int(rng.integers(1, n)) for n in (6, 5, 6, 6))
        self.cell = str(rng.choice(["rnn", "gru", "lstm"]))
        self.attention = str(rng.choice(["none", "luong", "luong_scaled", "bahdanau", "bahdanau_normed", "luong_mono",
                                         "bahdanau_mono"]))  # fmt: skip
        self.mode = str(rng.choice(["recursive", "parallel"]))
        self.layer = int(rng.integers(1, 5)) if rng.random() < 0.5 else None
        self.gives_attention = bool(rng.random() < 0.7)
        self.has_lengths, self.has_out = rng.random() < 0.7, rng.random() < 0.6
        self.is_major, self.imputes, self.reads_major = (bool(rng.random() < 0.5) for _ in range(3))
        self.most = int(rng.integers(1, 7)) if rng.random() < 0.4 else None
        self.lengths = rng.integers(1, self.time + 1, self.batch).astype(np.int32)
        # A sequence may be empty, but not all of them.
        self.counts = rng.integers(0, self.steps + 1, self.batch).astype(np.int32)
        self.counts[rng.integers(self.batch)] = self.steps
        self.memory = rng.normal(size=(self.batch, self.time, self.depth)).astype(np.float32)
        self.x = rng.normal(size=(self.batch, self.steps, self.width)).astype(np.float32)
        self.table = rng.normal(size=(self.classes, self.width)).astype(np.float32)

    @property
    def name(self) -> str:
        return ", ".join(f"{key} {value}" for key, value in vars(self).items()
                         if isinstance(value, (int, str, bool, type(None))))  # fmt: skip


def run_cell(kind: str, w: Arrays, x: Any, state: Tuple[Any, ...]) -> Tuple[Any, Tuple[Any, ...]]:
    """Returns the output and the state of a cell: BasicRNNCell, GRUCell and BasicLSTMCell, as their papers have it."""
    if kind == "rnn":
        new = np.tanh(np.concatenate([x, state[0]], 1) @ w["kernel"] + w["bias"])
        return new, (new,)
    if kind == "gru":
        both = sigmoid(np.concatenate([x, state[0]], 1) @ w["gates/kernel"] + w["gates/bias"])
        r, u = np.split(both, 2, 1)
        c = np.tanh(np.concatenate([x, r * state[0]], 1) @ w["candidate/kernel"] + w["candidate/bias"])
        new = u * state[0] + (1 - u) * c
        return new, (new,)
    c, h = state
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ w["kernel"] + w["bias"], 4, 1)
    c = c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
    h = np.tanh(c) * sigmoid(o)
    return h, (c, h)


class Attention:
    def __init__(self, case: Case, w: Arrays):
        self.case, self.w = case, w
        lengths = case.lengths if case.has_lengths else np.full(case.batch, case.time)
        holds = np.arange(case.time)[None] < lengths[:, None]
        self.holds, self.memory = holds, case.memory * holds[..., None]
        self.keys = self.memory @ w["memory_layer/kernel"]

    def shares(self, query: Any, before: Any) -> Any:
        case, w = self.case, self.w
        if case.attention.startswith("luong"):
            score = (self.keys * query[:, None]).sum(2)
            score = score * w["attention_g"] if case.attention == "luong_scaled" else score
        else:
            both, v = self.keys + (query @ w["query_layer/kernel"])[:, None], w["attention_v"]
            if case.attention == "bahdanau_normed":
                both, v = both + w["attention_b"], v * w["attention_g"] / np.linalg.norm(v)
            score = (np.tanh(both) * v).sum(2)
        if not case.attention.endswith("mono"):
            return softmax(np.where(self.holds, score, -np.inf))
        p = sigmoid(np.where(self.holds, score + w["attention_score_bias"], -np.inf))
        found = np.zeros_like(before)
        for j in range(case.time):
            for k in range(j + 1):
                found[:, j] += p[:, j] * before[:, k] * np.prod(1 - p[:, k:j], 1)
        return found


def decoded(case: Case, w: Arrays, greedy: bool) -> Tuple[Any, Any, Any, Any]:
    """Returns outputs [batch, steps, n], tokens, numbers of steps, and the outputs of the last state of the cell."""
    own = Attention(case, w) if case.attention != "none" else None
    state: Tuple[Any, ...] = tuple(np.zeros((case.batch, case.units)) for _ in range(2 if case.cell == "lstm" else 1))
    seen = np.zeros((case.batch, case.layer or case.depth))
    shares = np.zeros((case.batch, case.time))
    if case.attention.endswith("mono"):
        shares[:, 0] = 1
    finished = np.zeros(case.batch, bool) if greedy else case.counts == 0
    counts = np.zeros(case.batch, int)
    now = case.table[np.zeros(case.batch, int)] if greedy else case.x[:, 0]
    outputs, tokens = [], []
    t = 0
    while not finished.all() and (case.most is None or t < case.most) and t < 30:
        y, new = run_cell(case.cell, w, np.concatenate([now, seen], 1) if own else now, state)
        now_seen, now_shares = seen, shares
        if own:
            now_shares = own.shares(y, shares)
            now_seen = (now_shares[..., None] * own.memory).sum(1)
            if case.layer:
                now_seen = np.concatenate([y, now_seen], 1) @ w["attention_layer/kernel"]
            y = now_seen if case.gives_attention else y
        y = y @ w["out/kernel"] if case.has_out else y
        token = y.argmax(1)
        keep = finished[:, None] & case.imputes
        outputs.append(np.where(keep, 0, y))
        tokens.append(np.where(keep[:, 0], 0, token))
        state = tuple(np.where(keep, a, b) for a, b in zip(state, new))
        seen, shares = np.where(keep, seen, now_seen), np.where(keep, shares, now_shares)
        counts = np.where(finished, counts, t + 1)
        t += 1
        if greedy:
            finished = finished | (token == 1)
            now = case.table[token]
        else:
            finished = finished | (t >= case.counts)
            now = case.x[:, t] if t < case.steps and not finished.all() else np.zeros_like(now)
    return np.stack(outputs, 1), np.stack(tokens, 1), counts, state[-1]


def build(case: Case, greedy: bool) -> Tuple[Any, Any, Any]:
    cell: Any = {"rnn": tf.nn.rnn_cell.BasicRNNCell, "gru": tf.nn.rnn_cell.GRUCell,
                 "lstm": tf.nn.rnn_cell.BasicLSTMCell}[case.cell](case.units)  # fmt: skip
    if case.attention != "none":
        kind: Any = {"luong": seq2seq.LuongAttention, "luong_mono": seq2seq.LuongMonotonicAttention,
                     "bahdanau": seq2seq.BahdanauAttention,
                     "bahdanau_mono": seq2seq.BahdanauMonotonicAttention}[
            case.attention.replace("_scaled", "").replace("_normed", "")]  # fmt: skip
        options: Dict[str, Any] = {"mode": case.mode} if case.attention.endswith("mono") else {}
        options.update({"scale": True} if case.attention == "luong_scaled" else {})
        options.update({"normalize": True} if case.attention == "bahdanau_normed" else {})
        # Sizes that only a run knows.
        memory = tf.placeholder_with_default(case.memory, [None, None, case.depth])
        cell = seq2seq.AttentionWrapper(cell, kind(case.units, memory, case.lengths if case.has_lengths else None,
                                                   **options), case.layer,
                                        output_attention=case.gives_attention)  # fmt: skip
    if greedy:
        helper: Any = seq2seq.GreedyEmbeddingHelper(tf.constant(case.table), tf.zeros([case.batch], tf.int32), 1)
    else:
        given = np.swapaxes(case.x, 0, 1) if case.reads_major else case.x
        x = tf.placeholder_with_default(given, [None, None, case.width])
        helper = seq2seq.TrainingHelper(x, case.counts, time_major=case.reads_major)
    layer = tf.layers.Dense(case.classes, use_bias=False, name="out") if case.has_out else None
    decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(case.batch, tf.float32), layer)
    result: Tuple[Any, Any, Any] = seq2seq.dynamic_decode(decoder, case.is_major, case.imputes, case.most)
    return result


_NAMES = ("memory_layer", "query_layer", "attention_layer", "attention_v", "attention_g", "attention_b",
          "attention_score_bias", "gates", "candidate", "out")  # fmt: skip


def own_name(name: str) -> str:
    parts = name.split("/")
    at = next((k for k, part in enumerate(parts) if part in _NAMES), len(parts) - 1)
    return "/".join(parts[at:])


def check(seed: int, greedy: bool) -> None:
    case = Case(seed)
    if greedy:
        # Tokens are places in the table, and a bound ends what does not end.
        case.has_out, case.most = True, case.most or 5
    with tf.Graph().as_default(), tf.Session() as session:
        outputs, last, counts = build(case, greedy)
        variables = tf.trainable_variables()
        loss = tf.reduce_sum(tf.square(outputs.rnn_output))
        slopes = [] if greedy else tf.gradients(loss, variables)
        session.run(tf.global_variables_initializer())
        w = {}
        for v in variables:
            value = case.rng.normal(size=v.shape.as_list()).astype(np.float32) * np.float32(0.8)
            session.run(v.assign(value))
            w[own_name(v.op.name)] = value.astype(np.float64)
        cell_state = last.cell_state if case.attention != "none" else last
        final = cell_state.h if case.cell == "lstm" else cell_state
        y, ids, n, end, found_slopes = session.run([outputs.rnn_output, outputs.sample_id, counts, final, slopes])
    if case.is_major:
        y, ids = np.swapaxes(y, 0, 1), np.swapaxes(ids, 0, 1)
    wanted, tokens, steps, state = decoded(case, w, greedy)
    np.testing.assert_allclose(y, wanted, 1e-3, 2e-4, err_msg=case.name)
    np.testing.assert_array_equal(n, steps, err_msg=case.name)
    np.testing.assert_array_equal(ids, tokens, err_msg=case.name)
    np.testing.assert_allclose(end, state, 1e-3, 2e-4, err_msg=case.name)
    for v, slope in zip(variables, found_slopes):
        key = own_name(v.op.name)
        way = case.rng.normal(size=w[key].shape)
        sides = [(decoded(case, {**w, key: w[key] + sign * 1e-5 * way}, greedy)[0] ** 2).sum() for sign in (1, -1)]
        numeric = (sides[0] - sides[1]) / 2e-5
        found = 0.0 if slope is None else float((slope * way).sum())
        np.testing.assert_allclose(found, numeric, 5e-3, 5e-3, err_msg=f"{key}: {case.name}")


def of_kind(greedy: bool) -> Callable[[], None]:
    def test() -> None:
        seeds: List[int] = selection.choose("v1_seq2seq_drawn", range(150), 0.08)
        for seed in seeds:
            check(seed, greedy)

    test.__name__ = "test_greedy" if greedy else "test_training"
    return test


if __name__ == "__main__":
    run_tests([of_kind(False), of_kind(True)])
