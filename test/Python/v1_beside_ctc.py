# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Decoders of CTC find the labels and the scores that TensorFlow's find, with beams of any width (X39)."""

# mypy: disable-error-code="no-untyped-call"

from typing import Any, Callable, List

import numpy as np

import selection
from beside_tensorflow import PROGRAMS, RECORDINGS, caught, run_all


def decoded(tf: Any, seed: int) -> List[Any]:
    rng = np.random.RandomState(seed)
    time, batch, classes = rng.randint(1, 9), rng.randint(1, 4), rng.randint(2, 7)
    x = (rng.randn(time, batch, classes) * rng.choice([0.3, 1.0, 3.0, 10.0])).astype(np.float32)
    lengths, width = rng.randint(1, time + 1, batch), int(rng.choice([1, 2, 3, 4, 8, 20, 100]))
    paths, merges = int(rng.randint(1, min(width, 3) + 1)), bool(rng.randint(2))
    logits = tf.placeholder(tf.float32, [None, None, classes])
    beams, scores = tf.nn.ctc_beam_search_decoder(logits, lengths, width, paths, merge_repeated=merges)
    (best,), sums = tf.nn.ctc_greedy_decoder(logits, lengths, merge_repeated=merges)
    with tf.Session() as session:
        found = caught(lambda: session.run([list(beams), scores], {logits: x}))
        # A beam may find fewer labels than there are paths.
        return [found if isinstance(found, str) else [list(map(list, found[0])), found[1]],
                list(session.run(best, {logits: x})), session.run(sums, {logits: x})]  # fmt: skip


def wrong_lengths(tf: Any) -> List[Any]:
    x, lengths = tf.constant(np.zeros((3, 2, 4), np.float32)), tf.placeholder(tf.int32, [None])
    made = [tf.nn.ctc_greedy_decoder(x, lengths)[1], tf.nn.ctc_beam_search_decoder(x, lengths)[1]]
    with tf.Session() as session:
        return [caught(lambda: session.run(one, {lengths: given}))
                for one in made for given in ([3, 4], [1], [1, 2, 3])]  # fmt: skip


def of_seed(seed: int) -> Callable[[Any], Any]:
    def program(tf: Any) -> Any:
        return decoded(tf, seed)

    program.__name__ = f"decoded, seed {seed}"
    return program


if __name__ == "__main__":
    PROGRAMS.append(wrong_lengths)
    drawn = [of_seed(seed) for seed in selection.choose("v1_beside_ctc", range(300), 0.15)]
    # Results are recorded for the cases that are chosen by default.
    PROGRAMS.extend(one for one in drawn if one.__name__ in RECORDINGS)
    run_all()
