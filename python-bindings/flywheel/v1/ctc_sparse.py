# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Connectionist temporal classification with sparse labels, as TensorFlow 1 has it: the last class is the blank."""

from typing import Any, Dict, List, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._ops import checks as _checks
from .conversion import as_tensor, make
from .ctc import ctc_loss_v2, decode_beam, decode_greedy
from .host_calls import InvalidArgument, host_call
from .operation import Tensor
from .ops import transpose
from .scatters import unsorted_segment_sum
from .sparse_ops import sparse_tensor_to_dense
from .sparse_tensors import SparseTensor, as_sparse

__all__ = ["ctc_beam_search_decoder", "ctc_greedy_decoder", "ctc_loss"]

# Names in `tf.nn`.
NN = ("ctc_beam_search_decoder", "ctc_beam_search_decoder_v2", "ctc_greedy_decoder", "ctc_loss")

_i64 = _dtypes.int64


def ctc_loss(
    labels: Any, inputs: Any = None, sequence_length: Any = None, preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True, ignore_longer_outputs_than_inputs: bool = False, time_major: bool = True,
    logits: Any = None,
) -> Tensor:  # fmt: skip
    """See `ctc_loss_v2`; `labels` is a sparse tensor [batch, labels], and the last class the blank. Labels that need
    more steps than there are are an error of the run, or with `ignore_longer_outputs_than_inputs` have a loss of 0."""
    if preprocess_collapse_repeated or not ctc_merge_repeated:
        raise NotImplementedError("flywheel.v1.nn.ctc_loss: preprocess_collapse_repeated=True and "
                                  "ctc_merge_repeated=False, which are other models than CTC")  # fmt: skip
    own = as_sparse(labels, "labels").of_rank(2)
    given = inputs if logits is None else logits
    if given is None or sequence_length is None:
        raise ValueError("ctc_loss takes labels, inputs and sequence_length")
    x = as_tensor(given)
    dense = sparse_tensor_to_dense(own, validate_indices=False)
    ones = make("ones", lambda v: _ops.ones([_ops.dim(v, 0)], _dtypes.int32), own.values)
    lengths = unsorted_segment_sum(ones, own.indices[:, 0], own.sizes()[0])
    found = ctc_loss_v2(dense, x, lengths, sequence_length, time_major, None, -1)

    def emit(loss: Any) -> Any:
        is_possible = _ops.less(loss, np.inf)
        if not ignore_longer_outputs_than_inputs:
            _checks.expect(_ops.all(_ops.logical_or(is_possible, _ops.not_equal(loss, loss))),
                           "ctc_loss: Not enough time for target transition sequence; "
                           "ignore_longer_outputs_than_inputs=True gives such labels a loss of 0")  # fmt: skip
            return loss
        return _ops.where(_ops.equal(loss, np.inf), _ops.zeros_like(loss), loss)

    checked: Tensor = make("CTCLoss", emit, found)
    return checked


def _as_sparse(dense: Tensor, merges: bool = False) -> SparseTensor:
    """Returns labels [batch, labels], which -1 fills, as a sparse tensor; with `merges`, runs of a label as one."""

    def run(_: Any, d: Any) -> Any:
        rows = [row[row >= 0] for row in d]
        if merges:
            rows = [row[np.concatenate([[True], row[1:] != row[:-1]])] if len(row) else row for row in rows]
        indices = np.array([[i, j] for i, row in enumerate(rows) for j in range(len(row))], np.int64).reshape(-1, 2)
        values = np.concatenate([*rows, np.empty(0, np.int64)]).astype(np.int64)
        return indices, values, np.array([len(rows), max(map(len, rows), default=0)], np.int64)

    types = [(_i64, (None, 2)), (_i64, (None,)), (_i64, (2,))]
    return SparseTensor(*[op.outputs[0] for op in host_call("DenseToSparse", run, [dense], types)])


def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True
) -> Tuple[List[SparseTensor], Tensor]:
    """The most likely classes of logits [time, batch, classes] as a list of one sparse tensor, with `merge_repeated`
    each run of one once, without the blank; and the sums [batch, 1] of their logits, with the sign changed."""
    decoded, sums = decode_greedy(transpose(as_tensor(inputs), [1, 0, 2]), sequence_length, merge_repeated)
    return [_as_sparse(decoded)], sums


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1, merge_repeated: bool = True
) -> Tuple[List[SparseTensor], Tensor]:
    """The `top_paths` most likely labels of logits [time, batch, classes], and the logarithms of their probabilities
    [batch, top_paths]. With `merge_repeated`, as in TensorFlow, runs of a label in a result are one."""
    x = transpose(as_tensor(inputs), [1, 0, 2])
    decoded, scores = decode_beam(x, sequence_length, int(beam_width), int(top_paths))
    return [_as_sparse(one, merge_repeated) for one in decoded], scores


def ctc_beam_search_decoder_v2(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> Tuple[List[SparseTensor], Tensor]:
    """See `ctc_beam_search_decoder`; labels are as they are."""
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, False)


def _distance(a: List[Any], b: List[Any]) -> int:
    """Returns the number of insertions, deletions and substitutions between sequences (Levenshtein, 1966)."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance") -> Tensor:
    """The Levenshtein distance of the sequences of the last dimension; with `normalize` it is divided by the length of
    the true one. Python computes it."""
    x, y = as_sparse(hypothesis, "hypothesis"), as_sparse(truth, "truth")
    if x.dtype != y.dtype:
        raise TypeError(f"edit_distance: values of {x.dtype.name} and {y.dtype.name}: cast one of them")
    rank = len(y.static_shape or x.static_shape or ())
    if not rank:
        raise ValueError("edit_distance: the rank of the sparse tensors must be known")

    def run(_: Any, *parts: Any) -> Any:
        own: List[Dict[Any, List[Any]]] = [{}, {}]
        shape = np.maximum(parts[2], parts[5])[:-1]
        for found, (indices, values) in zip(own, (parts[:2], parts[3:5])):
            if ((indices[:, :-1] < 0) | (indices[:, :-1] >= shape)).any():
                raise InvalidArgument(f"edit_distance: an index is out of bounds: need 0 <= index < {shape.tolist()}")
            for index, value in zip(indices.tolist(), values.tolist()):
                found.setdefault(tuple(index[:-1]), []).append(value)
        made = np.zeros(tuple(shape), np.float32)
        for place in np.ndindex(*made.shape):
            a, b = own[0].get(place, []), own[1].get(place, [])
            made[place] = _distance(a, b)
            if normalize:
                made[place] = made[place] / len(b) if b else np.inf if a else 0.0
        return made

    made: Tensor = host_call("EditDistance", run, [*x.parts, *y.parts], [(_dtypes.float32, (None,) * (rank - 1))],
                             name)[0].outputs[0]  # fmt: skip
    return made
