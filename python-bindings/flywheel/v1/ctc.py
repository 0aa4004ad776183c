# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Connectionist temporal classification (Graves et al., 2006): the loss, and what sequences are decoded to."""

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .. import _dtypes, _ops, control
from .. import nn as _nn
from .._errors import about
from .conversion import as_tensor, make
from .host_calls import host_call
from .operation import Tensor

__all__ = ["ctc_loss_v2"]

# Names in `tf.nn`.
NN = ("ctc_loss_v2",)

# The logarithm of a probability of 0: finite, so that derivatives are.
_NEVER = -1e30


def ctc_loss_v2(
    labels: Any, logits: Any, label_length: Any, logit_length: Any, logits_time_major: bool = True, unique: Any = None,
    blank_index: Optional[int] = None, name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The negative logarithm of the probability that logits [time, batch, classes], or with `logits_time_major=False`
    [batch, time, classes], are read as the labels [batch, labels], of which each example has `label_length`, after
    `logit_length` steps: repetitions count once, and blanks not at all. `blank_index` is by default 0; a negative one
    counts from the end. A loss of labels that need more steps is infinite, and its derivative 0.

    Narrow numbers are computed in float32. Raises NotImplementedError for `unique`, which changes no result.
    """
    if unique is not None:
        raise about("flywheel.v1.nn.ctc_loss_v2", NotImplementedError(
            "does not take unique: leave it out, which gives the same"), " ")  # fmt: skip
    x = as_tensor(logits)
    if x.static_shape is None or len(x.static_shape) != 3 or x.static_shape[-1] is None:
        raise ValueError(f"expected logits of three dimensions, of a known number of classes, found shape {x.shape}")
    blank = 0 if blank_index is None else int(blank_index)
    classes = x.static_shape[-1]
    if not -classes <= blank < classes:
        raise ValueError(f"expected a blank_index in [{-classes}, {classes}), found {blank}")

    def emit(x: Any, labels: Any, label_length: Any, logit_length: Any) -> Any:
        kind = x.dtype if x.dtype == _dtypes.float64 else _dtypes.float32
        wide = _ops.cast(x if logits_time_major else _ops.swapaxes(x, 0, 1), kind)
        return _ops.cast(_emit_loss(wide, labels, label_length, logit_length, blank % classes), x.dtype)

    found: Tensor = make("CTCLoss", emit, x, as_tensor(labels), as_tensor(label_length), as_tensor(logit_length),
                         name=name)  # fmt: skip
    return found


def _emit_loss(x: Any, labels: Any, label_length: Any, logit_length: Any, blank: int) -> Any:
    """Emits the forward recursion over the steps. States are two: after a blank in front of label j, `at_blank` of
    [batch, labels + 1], and after label j, `at_label` of [batch, labels]."""
    kind = x.dtype
    batch, count = _ops.dim(x, 1), _ops.dim(labels, 1)
    # With the batch of the logits by name: there is nothing to be checked in the loop.
    labels = _ops.cast(labels, _dtypes.int32) + _ops.zeros([batch, count], _dtypes.int32)
    lengths = _ops.cast(label_length, _dtypes.int32) + _ops.zeros([batch], _dtypes.int32)
    steps = _ops.cast(logit_length, _dtypes.int32) + _ops.zeros([batch], _dtypes.int32)
    log_p = _nn.log_softmax(x)
    # Padding may have any number.
    place = _ops.zeros([batch, count], _dtypes.int32) + _ops.arange(count, dtype=_dtypes.int32)
    labels = _ops.where(place < _ops.expand_dims(lengths, 1), labels, _ops.zeros_like(labels))
    rows = _ops.zeros([_ops.dim(x, 0), batch, count], _dtypes.int32) + _ops.expand_dims(labels, 0)
    of_labels = _ops.take_along_axis(log_p, rows, 2)
    of_blank = log_p[:, :, blank : blank + 1]
    time = _ops.arange(_ops.dim(x, 0), dtype=_dtypes.int32)
    time = _ops.zeros([_ops.dim(x, 0), batch, 1], _dtypes.int32) + _ops.reshape(time, [_ops.dim(x, 0), 1, 1])
    runs = _ops.cast(time < _ops.expand_dims(_ops.expand_dims(steps, 0), 2), kind)

    never = _ops.full([batch, 1], _NEVER, kind)
    before = _ops.concatenate([_ops.full([batch, 1], -1, _dtypes.int32), labels[:, :-1]], 1)
    repeats = _ops.where(_ops.equal(labels, before), _ops.full([batch, count], _NEVER, kind),
                         _ops.zeros([batch, count], kind))  # fmt: skip
    at_label = _ops.full([batch, count], _NEVER, kind)
    at_blank = _ops.concatenate([_ops.zeros([batch, 1], kind), at_label], 1)

    def body(own: Any, now: Any) -> Any:
        blanks, marks = own
        label, empty, holds = now
        after_blank = empty + _ops.logaddexp(blanks, _ops.concatenate([never, marks], 1))
        skipped = _ops.concatenate([never, marks[:, :-1]], 1) + repeats
        after_label = label + _ops.logaddexp(_ops.logaddexp(marks, blanks[:, :-1]), skipped)
        return [holds * a + (1.0 - holds) * b for a, b in ((after_blank, blanks), (after_label, marks))]

    (blanks, marks), _ = control.scan_states(body, [at_blank, at_label], [of_labels, of_blank, runs])
    ends = _ops.expand_dims(lengths, 1)
    ends_blank = _ops.take_along_axis(blanks, ends, 1)
    ends_label = _ops.take_along_axis(_ops.concatenate([never, marks], 1), ends, 1)
    total = _ops.logaddexp(ends_blank, ends_label)[:, 0]
    return _ops.where(total < 0.5 * _NEVER, _ops.full([batch], np.inf, kind), -total)


# Decoding, which Python does: results have the sizes that they come to.


def decode_greedy(logits: Any, lengths: Any) -> Tuple[Tensor, Tensor]:
    """Returns the most likely classes of logits [batch, time, classes], each run of one once and without the blank, the
    last class, filled with -1; and the sums [batch, 1] of the logits taken, with the sign changed."""

    def run(_: Any, x: Any, lengths: Any) -> Any:
        best = x.argmax(2)
        rows, sums = [], []
        for row, own, n in zip(best, x, lengths):
            taken = row[:n]
            first = np.concatenate([[True], taken[1:] != taken[:-1]]) if n else np.zeros(0, bool)
            rows.append(taken[first & (taken != x.shape[2] - 1)])
            sums.append(-own[np.arange(n), taken].sum())
        return _dense(rows), np.array(sums, x.dtype).reshape(-1, 1)

    x = as_tensor(logits)
    batch = (x.static_shape or (None,))[0]
    ops = host_call("CTCGreedyDecoder", run, [x, as_tensor(lengths)],
                    [(_dtypes.int64, (batch, None)), (x.dtype, (batch, 1))])  # fmt: skip
    return ops[0].outputs[0], ops[1].outputs[0]


def decode_beam(logits: Any, lengths: Any, width: int, paths: int) -> Tuple[List[Tensor], Tensor]:
    """Returns the `paths` most likely labels of logits [batch, time, classes], of `width` that are kept in each step,
    filled with -1; and their scores [batch, paths], the logarithm of the probability, where the largest one of each
    step counts as 1."""
    if not 1 <= paths <= width:
        raise ValueError(f"expected top_paths from 1 to beam_width = {width}, found {paths}")

    def run(_: Any, x: Any, lengths: Any) -> Any:
        found = [_search(own[:n].astype(np.float64), width, paths) for own, n in zip(x, lengths)]
        decoded = [_dense([np.array(one[k][0], np.int64) for one in found]) for k in range(paths)]
        return [*decoded, np.array([[score for _, score in one] for one in found], x.dtype).reshape(-1, paths)]

    x = as_tensor(logits)
    batch = (x.static_shape or (None,))[0]
    ops = host_call("CTCBeamSearchDecoder", run, [x, as_tensor(lengths)],
                    [*[(_dtypes.int64, (batch, None))] * paths, (x.dtype, (batch, paths))])  # fmt: skip
    return [op.outputs[0] for op in ops[:-1]], ops[-1].outputs[0]


def _dense(rows: List[Any]) -> Any:
    found = np.full((len(rows), max(map(len, rows), default=0)), -1, np.int64)
    for place, row in enumerate(rows):
        found[place, : len(row)] = row
    return found


def _search(x: Any, width: int, paths: int) -> List[Tuple[Tuple[int, ...], float]]:
    """Returns the best labels of logits [time, classes], with their scores. Raises ValueError if there are fewer."""
    blank = x.shape[1] - 1
    # By labels, the logarithms of the probabilities that the last step was a blank, and that it was a label.
    beams: Dict[Tuple[int, ...], Tuple[float, float]] = {(): (0.0, -np.inf)}
    for row in x:
        row = row - row.max()
        new: Dict[Tuple[int, ...], Tuple[float, float]] = {}

        def add(
            labels: Tuple[int, ...], a: float, b: float, new: Dict[Tuple[int, ...], Tuple[float, float]] = new
        ) -> None:
            c, d = new.get(labels, (-np.inf, -np.inf))
            new[labels] = float(np.logaddexp(a, c)), float(np.logaddexp(b, d))

        for labels, (at_blank, at_label) in beams.items():
            both = float(np.logaddexp(at_blank, at_label))
            last = labels[-1] if labels else -1
            add(labels, both + row[blank], at_label + row[last] if labels else -np.inf)
            for label in range(blank):
                add((*labels, label), -np.inf, (at_blank if label == last else both) + row[label])
        kept = sorted(new, key=lambda labels: -float(np.logaddexp(*new[labels])))[:width]
        beams = {labels: new[labels] for labels in kept}
    if len(beams) < paths:
        raise ValueError(f"expected at least {paths} labels to choose from, found {len(beams)}")
    return [(labels, float(np.logaddexp(*beams[labels]))) for labels in list(beams)[:paths]]
