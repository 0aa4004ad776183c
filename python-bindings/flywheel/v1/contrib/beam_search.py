# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The beam search of `tf.contrib.seq2seq`."""

import math
from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

from ... import _ops
from ..._core import dtypes as _dtypes
from ..._errors.messages import about
from .. import nn as _nn
from ..conversion import as_tensor, make
from ..elementwise import TABLE
from ..functional_ops import scan
from ..ops import shape
from ..structures import flatten, pack
from ..tensor_arrays import TensorArray
from .attention_wrapper import AttentionWrapperState
from .decoding import Decoder
from .helpers import embedding_of, token, tokens


class BeamSearchDecoderState(NamedTuple):
    """The beams of all examples: [batch, beam, ...]."""

    cell_state: Any
    log_probs: Any
    finished: Any
    lengths: Any
    accumulated_attention_probs: Any


class BeamSearchDecoderOutput(NamedTuple):
    """The score, the token and the beam before it of each beam of a step: [batch, beam]."""

    scores: Any
    predicted_ids: Any
    parent_ids: Any


class FinalBeamSearchDecoderOutput(NamedTuple):
    """The tokens of each beam, [batch, time, beam], the best beam first, and the outputs of the steps."""

    predicted_ids: Any
    beam_search_decoder_output: BeamSearchDecoderOutput


def gather_tree(
    step_ids: Any, parent_ids: Any, max_sequence_lengths: Any, end_token: Any, name: Optional[str] = None
) -> Any:
    """[time, batch, beam]: the tokens of the paths that end in each beam at the last of `max_sequence_lengths` [batch]
    steps, from the tokens and the beams before them of each step. After the first `end_token` of a path all are."""
    ids, parents, most = (as_tensor(x) for x in (step_ids, parent_ids, max_sequence_lengths))
    end = token(end_token)

    def start(x: Any) -> Any:
        """The beams themselves, [batch, beam], and the numbers of steps."""
        beams = _ops.cumsum(_ops.ones([_ops.dim(x, 1), _ops.dim(x, 2)], _dtypes.int32), 1) - 1
        return beams, _ops.arange(_ops.dim(x, 0), dtype=_dtypes.int32)

    beams, times = make("range", start, ids)

    def back(before: Any, now: Any) -> Any:
        def emit(beam: Any, tokens_: Any, parents_: Any, time: Any, count: Any, last: Any) -> Any:
            is_on = _ops.reshape(_ops.less(time, _ops.cast(count, _dtypes.int32)), [-1, 1])
            found = _ops.where(is_on, _ops.take_along_axis(tokens_, beam, 1), last)
            return _ops.where(is_on, _ops.take_along_axis(parents_, beam, 1), beam), found

        return tuple(make("GatherTreeStep", emit, before[0], *now, most, end))

    found = scan(back, (ids, parents, times), (beams, TABLE["zeros_like"](beams)), reverse=True)[1]

    def ended(x: Any, last: Any) -> Any:
        ends = _ops.cast(_ops.equal(x, last), _dtypes.int32)
        return _ops.where(_ops.greater(_ops.cumsum(ends, 0) - ends, 0), last, x)

    return make("GatherTree", ended, found, end, name=name)


def _rest(v: Any, first: int) -> List[Any]:
    return [_ops.dim(v, axis) if v._dims[axis] is None else v._dims[axis] for axis in range(first, v.ndim)]


class BeamSearchDecoder(Decoder):
    """Keeps the `beam_width` best beginnings of each example, by their log probabilities over ((5 + length) / 6) **
    `length_penalty_weight`, and for beams that are finished `coverage_penalty_weight` times the sum of the logarithms
    of the attention that steps of the memory have had, at most 1 each (Wu et al., 2016).

    The initial state, and the memory of an AttentionWrapper, have each example `beam_width` times: `tile_batch`.
    """

    def __init__(
        self, cell: Any, embedding: Any, start_tokens: Any, end_token: Any, initial_state: Any, beam_width: int,
        output_layer: Any = None, length_penalty_weight: float = 0.0, coverage_penalty_weight: float = 0.0,
        reorder_tensor_arrays: bool = True,
    ):  # fmt: skip
        self._cell, self._layer, self._width = cell, output_layer, int(beam_width)
        self._embed, self._start, self._end = embedding_of(embedding), tokens(start_tokens), token(end_token)
        self._by_length, self._by_coverage = length_penalty_weight, coverage_penalty_weight
        self._reorders = reorder_tensor_arrays
        self._state = pack(initial_state, [self._split(x) for x in flatten(initial_state)])

    @property
    def tracks_own_finished(self) -> bool:
        return True

    @property
    def batch_size(self) -> Any:
        return shape(self._start)[0]

    def _split(self, x: Any) -> Any:
        """[batch * beam, ...] as [batch, beam, ...]."""
        if isinstance(x, TensorArray) or len(as_tensor(x).shape) == 0:
            return x
        known, width = as_tensor(x).shape[0].value, self._width
        batch = self._start.shape[0].value
        if known is not None and batch is not None and known != batch * width:
            raise about("BeamSearchDecoder", ValueError(f"expected a state of {batch} * {width} "
                                                        f"examples, found shape {as_tensor(x).shape}. "
                                                        "Perhaps you forgot to create a zero_state "
                                                        "with batch_size=encoder_batch_size * "
                                                        "beam_width?"))  # fmt: skip
        return make("Reshape", lambda v: _ops.reshape(v, [-1, width, *_rest(v, 1)]), x)

    def _merge(self, x: Any) -> Any:
        """[batch, beam, ...] as [batch * beam, ...]."""
        if isinstance(x, TensorArray) or len(x.shape) < 2:
            return x
        return make("Reshape", lambda v: _ops.reshape(v, [-1, *_rest(v, 2)]), x)

    def _of_beams(self, x: Any, beams: Any) -> Any:
        """The parts [batch, beam, ...] of the beams [batch, beam] that are chosen."""
        if isinstance(x, TensorArray) or len(x.shape) < 2:
            return x
        width = self._width

        def emit(v: Any, i: Any) -> Any:
            rest = _rest(v, 2)
            first = _ops.reshape(_ops.arange(_ops.dim(i, 0), dtype=i.dtype) * width, [-1, 1])
            rows = _ops.take(_ops.reshape(v, [-1, *rest]), _ops.reshape(_ops.add(i, first), [-1]), 0)
            return _ops.reshape(rows, [-1, width, *rest])

        return make("GatherBeams", emit, x, beams)

    def _attention(self, state: Any) -> Any:
        """[batch, beam, time]: the mean of the alignments of all attentions in a state; None without a penalty."""
        if self._by_coverage == 0.0:
            return None
        parts = [state] if isinstance(state, AttentionWrapperState) else state if isinstance(state, tuple) else []
        found = [part.alignments for part in parts if isinstance(part, AttentionWrapperState)]
        if not found:
            raise ValueError("coverage_penalty_weight must be 0.0 if no cell is attentional.")

        def mean(each: List[Any]) -> Any:
            total = each[0]
            for x in each[1:]:
                total = total + x
            return total / float(len(each))

        return mean([mean(list(x)) if isinstance(x, tuple) else x for x in found])

    def initialize(self, name: Optional[str] = None) -> Any:
        width, dtype = self._width, flatten(self._state)[0].dtype.dtype

        def emit(x: Any) -> Any:
            first = np.arange(width) == 0
            zero = _ops.zeros([_ops.dim(x, 0), width], _dtypes.int32)
            wide = _ops.add(zero, _ops.expand_dims(x, 1))
            # All beams are the same at first: one of them is looked at.
            log_probs = _ops.add(_ops.cast(zero, dtype), np.where(first, 0.0, -math.inf).astype(dtype))
            return wide, log_probs, _ops.not_equal(zero, np.where(first, 0, 1).astype(np.int32)), _ops.cast(
                zero, _dtypes.int64)  # fmt: skip

        wide, log_probs, finished, lengths = make("BeamSearchStart", emit, self._start)
        seen = self._attention(self._state)
        state = BeamSearchDecoderState(self._state, log_probs, finished, lengths, () if seen is None else seen)
        return finished, self._embed(wide), state

    def step(self, time: Any, inputs: Any, state: Any, name: Optional[str] = None) -> Any:
        merged = pack(state.cell_state, [self._merge(x) for x in flatten(state.cell_state)])
        given = pack(inputs, [self._merge(x) for x in flatten(inputs)])
        outputs, new = self._cell(given, merged)
        logits = self._split(outputs if self._layer is None else self._layer(outputs))
        new = pack(new, [self._split(x) for x in flatten(new)])
        classes = logits.shape[-1].value
        if classes is None:
            raise about("BeamSearchDecoder", ValueError("the number of tokens must be known, found outputs of "
                                                        f"{logits.shape}"))  # fmt: skip
        seen, now = state.accumulated_attention_probs, self._attention(new)
        if now is not None:
            seen = make("AddAttention", lambda a, b, f: _ops.add(a, _ops.where(_ops.expand_dims(f, 2), 0.0, b)), seen,
                        now, state.finished)  # fmt: skip
        total, scores = self._scores(logits, state, () if now is None else (seen,), classes)
        width = self._width

        def best(y: Any, all_: Any) -> Any:
            flat = _ops.reshape(y, [-1, width * classes])
            found, places = _ops.top_k(flat, width)
            chosen = _ops.take_along_axis(_ops.reshape(all_, [-1, width * classes]), places, 1)
            places = _ops.cast(places, _dtypes.int32)
            return found, chosen, _ops.mod(places, classes), _ops.floor_divide(places, classes)

        found, log_probs, ids, beams = make("BeamSearchStep", best, scores, total)
        was_finished = self._of_beams(state.finished, beams)
        lengths = self._of_beams(state.lengths, beams)
        lengths = make("AddLength", lambda n, f: _ops.add(n, _ops.cast(_ops.logical_not(f), _dtypes.int64)), lengths,
                       was_finished)  # fmt: skip
        finished = TABLE["logical_or"](was_finished, TABLE["equal"](ids, self._end))
        following = BeamSearchDecoderState(
            pack(new, [self._of_beams(x, beams) for x in flatten(new)]), log_probs, finished, lengths,
            () if now is None else self._of_beams(seen, beams))  # fmt: skip
        return BeamSearchDecoderOutput(found, ids, beams), following, self._embed(ids), finished

    def _scores(self, logits: Any, state: BeamSearchDecoderState, seen: Tuple[Any, ...], classes: int) -> Any:
        """[batch, beam, classes]: the log probabilities of all that go on, and their scores."""
        by_length, by_coverage = self._by_length, self._by_coverage

        def emit(x: Any, before: Any, finished: Any, lengths: Any, end: Any, *attention: Any) -> Any:
            is_over = _ops.expand_dims(finished, 2)
            is_end = _ops.equal(_ops.arange(classes, dtype=_dtypes.int32), end)
            # A finished beam goes on with its end.
            lowest = -_dtypes.largest(x.dtype)
            only_end = _ops.where(is_end, _ops.zeros([classes], x.dtype), lowest)
            total = _ops.add(_ops.expand_dims(before, 2), _ops.where(is_over, only_end, x))
            scores = total
            if by_length is not None and not (isinstance(by_length, (int, float)) and by_length == 0):
                more = _ops.logical_not(_ops.logical_or(is_over, is_end))
                longer = _ops.add(_ops.expand_dims(lengths, 2), _ops.cast(more, _dtypes.int64))
                factor = _ops.power(_ops.divide(_ops.add(_ops.cast(longer, x.dtype), 5.0), 6.0), by_length)
                scores = _ops.divide(scores, factor)
            for own in attention:
                share = _ops.where(_ops.equal(own, 0.0), 1.0, _ops.minimum(own, 1.0))
                covered = _ops.multiply(_ops.sum(_ops.log(share), 2), _ops.cast(finished, x.dtype))
                scores = _ops.add(scores, _ops.expand_dims(_ops.multiply(covered, by_coverage), 2))
            return total, scores

        return make("BeamSearchScores", emit, _nn.log_softmax(logits), state.log_probs, state.finished, state.lengths,
                    self._end, *seen)  # fmt: skip

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        most = make("Max", lambda n: _ops.cast(_ops.max(n, 1), _dtypes.int32), final_state.lengths)
        found = gather_tree(outputs.predicted_ids, outputs.parent_ids, most, self._end)
        if self._reorders:
            cells = [self._sorted(x, outputs.parent_ids, final_state.lengths) for x in flatten(final_state.cell_state)]
            final_state = final_state._replace(cell_state=pack(final_state.cell_state, cells))
        return FinalBeamSearchDecoderOutput(found, outputs), final_state

    def _sorted(self, x: Any, parents: Any, lengths: Any) -> Any:
        """A TensorArray of steps as a tensor [time, batch * beam, ...], along the path of each beam. A step wrote it
        for the beams before it."""
        if not isinstance(x, TensorArray):
            return x
        width = self._width
        most = make("Max", lambda n: _ops.cast(_ops.max(n, 1), _dtypes.int32), lengths)
        own = make("range", lambda p: _ops.cumsum(_ops.ones_like(p), 2) - 1, parents)
        paths = gather_tree(parents, parents, most, width + 1)

        def emit(v: Any, path: Any, beam: Any, n: Any) -> Any:
            times = _ops.reshape(_ops.arange(_ops.dim(v, 0), dtype=_dtypes.int64), [-1, 1, 1])
            path = _ops.where(_ops.less(times, _ops.expand_dims(n, 0)), path, beam)
            count = _ops.dim(path, 1)
            rows = _ops.cast(_ops.arange(_ops.dim(v, 0) * count, dtype=_dtypes.int32) * width, path.dtype)
            places = _ops.add(_ops.reshape(path, [-1, width]), _ops.reshape(rows, [-1, 1]))
            rest = _rest(v, 2)
            taken = _ops.take(_ops.reshape(v, [-1, *rest]), _ops.reshape(places, [-1]), 0)
            return _ops.reshape(taken, [_ops.dim(v, 0), _ops.dim(v, 1), *rest])

        return make("GatherTreeFromArray", emit, x.stack(), paths, own, lengths)
