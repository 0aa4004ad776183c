# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.contrib.crf`: linear chains of tags (Lafferty et al., 2001), by their scores [batch, time, tags] and those of
transitions [tag, next tag]."""

import math
from typing import Any, Dict, List, Tuple

import numpy as np

from ... import _ops, control
from ..._core import dtypes as _dtypes
from ..._errors.contracts import explain_all
from ..conversion import as_tensor, make
from ..namespaces import missing
from ..operation import Tensor
from ..rnn_cell import RNNCell
from ..scopes import get_variable

_i32 = _dtypes.int32


def _inputs(inputs: Any, sequence_lengths: Any) -> Tuple[Tensor, Tensor]:
    x = as_tensor(inputs)
    if x.static_shape is None or len(x.static_shape) != 3:
        raise ValueError(f"expected scores of [batch, time, tags], found shape {x.shape}")
    return x, as_tensor(sequence_lengths)


def _steps(x: Any) -> Any:
    """Returns the numbers of the steps, [batch, time]."""
    return _ops.subtract(_ops.cumsum(_ops.ones([_ops.dim(x, 0), _ops.dim(x, 1)], _i32), 1), 1)


def _chosen(x: Any, tags: Any) -> Any:
    """Returns the scores of tags, [batch, time]."""
    return _ops.take_along_axis(x, _ops.expand_dims(_ops.cast(tags, _i32), 2), 2)[:, :, 0]


def _unary(tags: Any, lengths: Any, x: Any) -> Any:
    holds = _ops.less(_steps(x), _ops.expand_dims(_ops.cast(lengths, _i32), 1))
    own = _chosen(x, tags)
    return _ops.sum(_ops.where(holds, own, _ops.zeros_like(own)), 1)


def _binary(tags: Any, lengths: Any, table: Any) -> Any:
    count = _ops.dim(table, 1)
    places = _ops.add(_ops.multiply(_ops.cast(tags[:, :-1], _i32), count), _ops.cast(tags[:, 1:], _i32))
    own = _ops.take(_ops.reshape(table, [-1]), places, 0)
    holds = _ops.less(_ops.add(_steps(places), 1), _ops.expand_dims(_ops.cast(lengths, _i32), 1))
    return _ops.sum(_ops.where(holds, own, _ops.zeros_like(own)), 1)


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Tensor:
    """The sums [batch] of the scores of tags [batch, time]."""
    x, lengths = _inputs(inputs, sequence_lengths)
    found: Tensor = make("CrfUnaryScore", _unary, as_tensor(tag_indices), lengths, x)
    return found


def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Tensor:
    """The sums [batch] of the scores of the transitions between tags [batch, time]."""
    found: Tensor = make("CrfBinaryScore", _binary, as_tensor(tag_indices), as_tensor(sequence_lengths),
                         as_tensor(transition_params))  # fmt: skip
    return found


def crf_sequence_score(inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Tensor:
    """The scores [batch] of sequences of tags [batch, time], 0 of an empty one."""
    unary = crf_unary_score(tag_indices, sequence_lengths, inputs)
    found: Tensor = unary + crf_binary_score(tag_indices, sequence_lengths, transition_params)
    return found


def _forward(x: Any, lengths: Any, table: Any, reduce: Any) -> Tuple[Any, List[Any]]:
    """Goes through the steps after the first one: returns the last scores [batch, tags], and what `reduce` gives of
    [batch, tag, next tag] at each step, beside the next scores, if it gives more."""
    rest = _ops.swapaxes(x, 0, 1)[1:]
    n = _ops.expand_dims(_ops.cast(lengths, _i32), 1)
    runs = _ops.less(_ops.add(_steps(x[:, 1:]), 1), n)
    runs = _ops.expand_dims(_ops.swapaxes(runs, 0, 1), 2)
    moves = _ops.expand_dims(table, 0)
    first = x[:, 0]
    more = reduce(_ops.add(_ops.expand_dims(first, 2), moves))[1:]

    def body(own: Any, now: Any) -> Any:
        scores = own[0]
        score, holds = now
        best, *others = reduce(_ops.add(_ops.expand_dims(scores, 2), moves))
        kept = [_ops.where(holds, one, _ops.zeros_like(one)) for one in others]
        return [_ops.where(holds, _ops.add(best, score), scores), *kept]

    start = [first, *[_ops.zeros_like(one) for one in more]]
    state, kept = control.scan_states(body, start, [rest, runs], list(range(1, len(start))))
    return state[0], kept


def _log_norm(x: Any, lengths: Any, table: Any) -> Any:
    last, _ = _forward(x, lengths, table, lambda scores: [_ops.logsumexp(scores, 1)])
    total = _ops.logsumexp(last, 1)
    return _ops.where(_ops.greater(_ops.cast(lengths, _i32), 0), total, _ops.zeros_like(total))


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> Tensor:
    """The logarithms [batch] of the sums of exp(score) over all sequences of tags, 0 of an empty one."""
    x, lengths = _inputs(inputs, sequence_lengths)
    found: Tensor = make("CrfLogNorm", _log_norm, x, lengths, as_tensor(transition_params))
    return found


def _allowed(x: Any, is_tag: Any) -> Any:
    return _ops.where(is_tag, x, _ops.full_like(x, -math.inf))


def crf_multitag_sequence_score(inputs: Any, tag_bitmap: Any, sequence_lengths: Any, transition_params: Any) -> Tensor:
    """As `crf_log_norm`, over the sequences whose tags are all true in `tag_bitmap` [batch, time, tags]."""
    x, lengths = _inputs(inputs, sequence_lengths)
    if as_tensor(tag_bitmap).dtype != _dtypes.bool_:
        raise ValueError(f"expected tag_bitmap of dtype bool, found {as_tensor(tag_bitmap).dtype.name}")
    return crf_log_norm(make("Allowed", _allowed, x, as_tensor(tag_bitmap)), lengths, transition_params)


def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None
) -> Tuple[Tensor, Any]:
    """The logarithms [batch] of the probabilities of tags [batch, time], and the scores of transitions [tags, tags]: a
    new variable "transitions" if there are none."""
    x, lengths = _inputs(inputs, sequence_lengths)
    if transition_params is None:
        count = (x.static_shape or (None,))[-1]
        if count is None:
            raise ValueError(f"the number of tags must be known, found shape {x.shape}")
        transition_params = get_variable("transitions", [count, count], x.dtype)
    score = crf_sequence_score(x, tag_indices, lengths, transition_params)
    return score - crf_log_norm(x, lengths, transition_params), transition_params


def _decode(x: Any, lengths: Any, table: Any) -> Tuple[Any, Any]:
    def best(scores: Any) -> List[Any]:
        return [_ops.max(scores, 1), _ops.cast(_ops.argmax(scores, 1), _i32)]

    last, (before,) = _forward(x, lengths, table, best)
    n = _ops.expand_dims(_ops.cast(lengths, _i32), 1)
    tag = _ops.expand_dims(_ops.cast(_ops.argmax(last, 1), _i32), 1)
    holds = _ops.expand_dims(_ops.swapaxes(_ops.less(_ops.add(_steps(x[:, 1:]), 1), n), 0, 1), 2)

    def body(own: Any, now: Any) -> Any:
        places, runs = now
        return [_ops.where(runs, _ops.take_along_axis(places, own[0], 1), own[0])]

    # From the last step of each sequence back: `tags` are those before the steps, the last one first.
    _, (tags,) = control.scan_states(body, [tag], [before, holds], [0], reverse=True)
    whole = _ops.concatenate([_ops.swapaxes(_ops.flip(tags, 0), 0, 1)[:, :, 0], tag], 1)
    is_step = _ops.less(_steps(whole), _ops.maximum(n, 1))
    return _ops.where(is_step, whole, _ops.zeros_like(whole)), _ops.max(last, 1)


def crf_decode(potentials: Any, transition_params: Any, sequence_length: Any) -> Tuple[Tensor, Tensor]:
    """The tags [batch, time], int32, of the highest score, 0 past the end of a sequence; and their scores [batch]
    (Viterbi, 1967)."""
    x, lengths = _inputs(potentials, sequence_length)
    tags, scores = make("CrfDecode", _decode, x, lengths, as_tensor(transition_params))
    return tags, scores


def viterbi_decode(score: Any, transition_params: Any) -> Tuple[List[Any], Any]:
    """As `crf_decode`, of arrays: the best tags of scores [time, tags], and their score."""
    x, table = np.asarray(score), np.asarray(transition_params)
    total, places = x[0], []
    for row in x[1:]:
        both = total[:, None] + table
        places.append(both.argmax(0))
        total = (row + both.max(0)).astype(x.dtype)
    tags = [total.argmax()]
    for place in reversed(places):
        tags.append(place[tags[-1]])
    return tags[::-1], total.max()


class _Chain(RNNCell):
    """A step along chains, which has no variables of its own."""

    def __init__(self, transition_params: Any):
        super().__init__()
        self._table = as_tensor(transition_params)
        sizes = self._table.static_shape
        if sizes is None or len(sizes) != 2 or sizes[0] is None:
            raise ValueError(f"expected scores of transitions of [tags, tags], found shape {self._table.shape}")
        self._count: int = sizes[0]

    @property
    def state_size(self) -> Any:
        return self._count

    @property
    def output_size(self) -> int:
        return self._count

    def build(self, inputs: int, dtype: Any) -> Dict[str, Any]:
        return {}


def _moved(state: Any, table: Any) -> Any:
    return _ops.add(_ops.expand_dims(state, 2), _ops.expand_dims(table, 0))


def _summed(x: Any, state: Any, table: Any) -> Any:
    return _ops.add(x, _ops.logsumexp(_moved(state, table), 1))


def _best(x: Any, state: Any, table: Any) -> Tuple[Any, Any]:
    scores = _moved(state, table)
    return _ops.cast(_ops.argmax(scores, 1), _i32), _ops.add(x, _ops.max(scores, 1))


def _followed(places: Any, tag: Any) -> Any:
    return _ops.take_along_axis(places, tag, 1)


class CrfForwardRnnCell(_Chain):
    """From the logarithms [batch, tags] of the sums of exp(score) over the sequences up to a step, by their last tags,
    those of the next step, whose scores are the input."""

    def call(self, x: Any, state: Any, weights: Dict[str, Any]) -> Tuple[Any, Any]:
        new = make("CrfForward", _summed, x, state, self._table)
        return new, new


class CrfDecodeForwardRnnCell(_Chain):
    """From the highest scores [batch, tags] of the sequences up to a step, by their last tags, those of the next step;
    the output has the tags before these, int32."""

    def call(self, x: Any, state: Any, weights: Dict[str, Any]) -> Tuple[Any, Any]:
        tags, new = make("CrfDecodeForward", _best, x, state, self._table)
        return tags, new


class CrfDecodeBackwardRnnCell(RNNCell):
    """From the tag [batch, 1] of a step, int32, the one before it, of outputs of `CrfDecodeForwardRnnCell`."""

    def __init__(self, num_tags: int):
        super().__init__()
        self._count = num_tags

    @property
    def state_size(self) -> Any:
        return 1

    @property
    def output_size(self) -> int:
        return 1

    def build(self, inputs: int, dtype: Any) -> Dict[str, Any]:
        return {}

    def call(self, x: Any, state: Any, weights: Dict[str, Any]) -> Tuple[Any, Any]:
        new = make("CrfDecodeBackward", _followed, x, state)
        return new, new


__all__ = [
    "CrfDecodeBackwardRnnCell",
    "CrfDecodeForwardRnnCell",
    "CrfForwardRnnCell",
    "crf_binary_score",
    "crf_decode",
    "crf_log_likelihood",
    "crf_log_norm",
    "crf_multitag_sequence_score",
    "crf_sequence_score",
    "crf_unary_score",
    "viterbi_decode",
]

explain_all(globals(), __all__)


def __getattr__(name: str) -> Any:
    raise missing(f"contrib.crf.{name}")
