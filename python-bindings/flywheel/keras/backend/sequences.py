# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Connectionist temporal classification: see `flywheel.v1.ctc`."""

from typing import Any, List, Tuple

from ... import _ops
from ...v1 import ctc as _ctc
from ...v1 import ops as _v1
from ...v1.arrays import gather_nd, sequence_mask
from ...v1.conversion import as_tensor, make
from ...v1.host_ops import places_where
from ...v1.sparse_tensors import SparseTensor
from . import operations as _operations
from .settings import epsilon


def ctc_batch_cost(y_true: Any, y_pred: Any, input_length: Any, label_length: Any) -> Any:
    """The losses [batch, 1] of probabilities [batch, time, classes], of which the last is the blank, by labels
    [batch, labels] and lengths [batch, 1]. A loss of labels that need more steps than there are is infinite."""
    logits = _operations.log(as_tensor(y_pred) + epsilon())
    labels, steps = (_operations.cast(_operations.squeeze(as_tensor(x), -1), "int32")
                     for x in (label_length, input_length))  # fmt: skip
    found = _ctc.ctc_loss_v2(_operations.cast(y_true, "int32"), logits, labels, steps, logits_time_major=False,
                             blank_index=-1)  # fmt: skip
    return _operations.expand_dims(found, 1)


def ctc_label_dense_to_sparse(labels: Any, label_lengths: Any) -> Any:
    """Labels [batch, labels], of which each example has some first ones, as a sparse tensor."""
    x, lengths = as_tensor(labels), as_tensor(label_lengths)
    is_label = sequence_mask(make("Reshape", lambda n: _ops.reshape(n, [-1]), lengths), _v1.shape(x)[1])
    indices = places_where(is_label)
    return SparseTensor(indices, gather_nd(x, indices), _v1.shape(x, out_type="int64"))


def ctc_decode(
    y_pred: Any, input_length: Any, greedy: bool = True, beam_width: int = 100, top_paths: int = 1
) -> Tuple[List[Any], Any]:
    """The labels that probabilities [batch, time, classes] are decoded to, filled with -1: the most likely class of
    each step, or the `top_paths` most likely labels of `beam_width`; and their scores. Python decodes them in the run.

    The scores are those of TensorFlow 1.8: negative sums of logarithms [batch, 1], or logarithms [batch, top_paths]
    where the largest probability of each step counts as 1.
    """
    logits = _operations.log(as_tensor(y_pred) + epsilon())
    lengths = _operations.cast(input_length, "int32")
    if greedy:
        decoded, scores = _ctc.decode_greedy(logits, lengths)
        return [decoded], scores
    return _ctc.decode_beam(logits, lengths, int(beam_width), int(top_paths), is_relative=True)
