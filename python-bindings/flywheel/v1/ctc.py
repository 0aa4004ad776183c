# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Connectionist temporal classification (Graves et al., 2006): the loss, and what sequences are decoded to."""

import heapq
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .. import _flywheel, _ops, control
from .. import nn as _nn
from .._core import dtypes as _dtypes
from .._errors.messages import about
from .conversion import as_tensor, make
from .host_calls import InvalidArgument, host_call
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


def _checked_lengths(x: Any, lengths: Any) -> Any:
    """Returns the lengths of logits [batch, time, classes]. Raises FailedPreconditionError, as TensorFlow does, if they
    are not those of that batch and time."""
    n = np.asarray(lengths)
    if n.shape != x.shape[:1]:
        raise _flywheel.FailedPreconditionError(
            f"len(sequence_length) != batch_size: expected {x.shape[0]} lengths, found shape {n.shape}")  # fmt: skip
    if n.size and not 0 <= n.min() <= n.max() <= x.shape[1]:
        raise _flywheel.FailedPreconditionError(
            f"expected a sequence_length from 0 to the {x.shape[1]} steps, found {n.tolist()}")  # fmt: skip
    return n


def decode_greedy(logits: Any, lengths: Any, merges: bool = True) -> Tuple[Tensor, Tensor]:
    """Returns the most likely classes of logits [batch, time, classes], with `merges` each run of one once, and without
    the blank, the last class, filled with -1; and the sums [batch, 1] of the logits taken, with the sign changed."""

    def run(_: Any, x: Any, lengths: Any) -> Any:
        best = x.argmax(2)
        rows, sums = [], []
        for row, own, n in zip(best, x, _checked_lengths(x, lengths)):
            taken = row[:n]
            kept = taken != x.shape[2] - 1
            if merges and n:
                kept &= np.concatenate([[True], taken[1:] != taken[:-1]])
            rows.append(taken[kept])
            sums.append(-own[np.arange(n), taken].sum())
        return _dense(rows), np.array(sums, x.dtype).reshape(-1, 1)

    x = as_tensor(logits)
    batch = (x.static_shape or (None,))[0]
    ops = host_call("CTCGreedyDecoder", run, [x, as_tensor(lengths)],
                    [(_dtypes.int64, (batch, None)), (x.dtype, (batch, 1))])  # fmt: skip
    return ops[0].outputs[0], ops[1].outputs[0]


def decode_beam(
    logits: Any, lengths: Any, width: int, paths: int, is_relative: bool = False
) -> Tuple[List[Tensor], Tensor]:
    """Returns the `paths` most likely labels of logits [batch, time, classes], of `width` that are kept in each step,
    filled with -1; and the logarithms of their probabilities [batch, paths]. With `is_relative`, as before TensorFlow
    1.14, the largest probability of each step counts as 1."""
    if not 1 <= paths <= width:
        raise ValueError(f"expected top_paths from 1 to beam_width = {width}, found {paths}")

    def run(_: Any, x: Any, lengths: Any) -> Any:
        kind = x.dtype if x.dtype == np.float64 else np.float32
        rows = x.astype(kind) - x.max(2, keepdims=True).astype(kind)
        if not is_relative:
            rows = rows - np.log(np.exp(rows).sum(2, keepdims=True))
        found = [_search(own[:n], width, paths) for own, n in zip(rows, _checked_lengths(x, lengths))]
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


class _Prefix:
    """Labels that a beam may hold. The logarithms of probabilities that they are read so far, and that the last step
    was a blank, or their last label; of this step (`new`), and of the one before (`old`). A prefix is in the beam if
    its new total is above that of 0."""

    def __init__(self, labels: Tuple[int, ...], parent: Optional["_Prefix"], zero: Any):
        self.labels, self.parent = labels, parent
        self.children: Dict[int, _Prefix] = {}
        self.old = self.new = (zero, zero, zero)

    def repeats(self, label: int) -> bool:
        return bool(self.labels) and self.labels[-1] == label


def _add(a: Any, b: Any) -> Any:
    """Returns the logarithm of the sum of two probabilities, by their logarithms."""
    a, b = (a, b) if a > b else (b, a)
    return a if b == -np.inf else a + np.log1p(np.exp(b - a))


def _go_on(prefix: _Prefix, row: Any, zero: Any) -> None:
    """Computes the probabilities of a prefix of the beam after a step that adds no label to it."""
    label, parent = zero, prefix.parent
    if parent is not None:
        last = prefix.labels[-1]
        if parent.new[2] != zero:
            label = _add(prefix.new[1], parent.old[0] if parent.repeats(last) else parent.old[2])
        else:
            label = prefix.new[1]
        label = label + row[last]
    blank = prefix.old[2] + row[-1]
    prefix.new = (blank, label, _add(blank, label))


def _search(log_p: Any, width: int, paths: int) -> List[Tuple[Tuple[int, ...], float]]:
    """Returns the best labels by logarithms of probabilities [time, classes], with their own ones. Raises ValueError if
    there are fewer.

    A label is added to the prefixes in the order of their probabilities, and a prefix leaves the beam as soon as
    `width` better ones are known: what it had is lost, also if a later parent makes it anew. A parent that has left
    still makes others. So it is in TensorFlow, and which labels a narrow beam finds depends on it.
    """
    zero = log_p.dtype.type(-np.inf)
    one = log_p.dtype.type(0)
    root = _Prefix((), None, zero)
    root.new = (one, zero, one)
    beam = [root]
    for row in log_p:
        beam.sort(key=lambda prefix: -prefix.new[2])
        for prefix in beam:
            prefix.old = prefix.new
        for prefix in beam:
            _go_on(prefix, row, zero)
        # The least probable one first; a number makes ties of them comparable.
        heap = [(prefix.new[2], -place, prefix) for place, prefix in enumerate(beam)]
        heapq.heapify(heap)
        count = len(heap)

        def is_better(total: Any, heap: List[Any] = heap) -> bool:
            return bool(total > zero and (len(heap) < width or total > heap[0][0]))

        for prefix in beam:
            if not is_better(prefix.old[2]):
                continue
            for label, value in enumerate(row[:-1]):
                child = prefix.children.get(label)
                if child is not None and child.new[2] != zero:
                    continue
                total = value + (prefix.old[0] if prefix.repeats(label) else prefix.old[2])
                if not is_better(total):
                    if child is not None:
                        child.old = child.new = (zero, zero, zero)
                    continue
                if child is None:
                    child = prefix.children[label] = _Prefix((*prefix.labels, label), prefix, zero)
                child.new = (zero, total, total)
                count += 1
                if len(heap) == width:
                    gone = heapq.heapreplace(heap, (total, -count, child))[2]
                    gone.new = (zero, zero, zero)
                else:
                    heapq.heappush(heap, (total, -count, child))
        beam = [entry[2] for entry in heap]
    if len(beam) < paths:
        raise InvalidArgument(f"Less leaves in the beam search than requested: expected {paths} labels to choose from, "
                              f"found {len(beam)}")  # fmt: skip
    beam.sort(key=lambda prefix: -prefix.new[2])
    return [(prefix.labels, prefix.new[2]) for prefix in beam[:paths]]
