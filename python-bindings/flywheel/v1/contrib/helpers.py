# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers of the decoders of `tf.contrib.seq2seq`: they sample from the outputs of a step, and choose the inputs of
the next one."""

from typing import Any, Callable, Optional

from ... import _ops
from ..._core import dtypes as _dtypes
from ..._errors.messages import about
from .. import nn as _nn
from ..conversion import as_tensor, constant, make
from ..dtypes import as_dtype
from ..elementwise import TABLE
from ..ops import argmax, cast, concat, shape, transpose
from ..random_ops import random_uniform
from ..shapes import TensorShape
from ..structures import flatten, pack


def _largest(logits: Any) -> Any:
    return argmax(logits, -1, output_type=_dtypes.int32)


def _drawn(logits: Any, uniform: Any) -> Any:
    """[batch]: classes by the softmax of logits [batch, classes], from uniform draws of [0, 1), one each: how many of
    the sums of probabilities are not above them."""

    def emit(x: Any, u: Any) -> Any:
        sums = _ops.cumsum(_ops.exp(_ops.subtract(x, _ops.logsumexp(x, -1, True))), x.ndim - 1)
        # A sum of all of them may be rounded to less than a draw.
        below = _ops.less_equal(sums[..., :-1], _ops.expand_dims(_ops.cast(u, x.dtype), -1))
        return _ops.sum(_ops.cast(below, _dtypes.int32), -1)

    return make("Multinomial", emit, as_tensor(logits), uniform)


def _at(x: Any, time: Any) -> Any:
    """The slice at a step; the last one after it."""

    def emit(y: Any, t: Any) -> Any:
        last = _ops.shape(y)[0] - 1
        place = _ops.cast(t, last.dtype)
        return _ops.take(y, _ops.where(_ops.less(place, last), place, last), 0)

    return make("TensorArrayRead", emit, x, time)


def _chosen(choice: Any, one: Any, other: Any) -> Any:
    """The rows of `one` where a vector holds, else those of `other`."""

    def emit(c: Any, a: Any, b: Any) -> Any:
        return _ops.where(_ops.reshape(c, [_ops.dim(c, 0), *[1] * (a.ndim - 1)]), a, b)

    return make("Select", emit, choice, one, other)


def embedding_of(embedding: Any) -> Callable[[Any], Any]:
    """Returns a function of tokens, or the one that looks them up in a table."""
    return embedding if callable(embedding) else lambda ids: _nn.embedding_lookup(embedding, ids)


def tokens(start_tokens: Any) -> Any:
    """Returns a vector of tokens, int32."""
    found = cast(as_tensor(start_tokens), _dtypes.int32)
    if len(found.shape) != 1:
        raise ValueError("start_tokens must be a vector")
    return found


def token(end_token: Any) -> Any:
    """Returns a token, int32."""
    found = cast(as_tensor(end_token), _dtypes.int32)
    if len(found.shape) != 0:
        raise ValueError("end_token must be a scalar")
    return found


class Helper:
    """The base class of helpers."""

    # The largest number of steps: a tensor, if it is known.
    _bound: Any = None

    def _prepare(self, limit: Any) -> None:
        """Is called before the loop, which takes at most `limit` steps, or as many as it needs if that is None."""

    @property
    def batch_size(self) -> Any:
        raise about("batch_size", NotImplementedError("has not been implemented"), " ")

    @property
    def sample_ids_shape(self) -> Any:
        return TensorShape([])

    @property
    def sample_ids_dtype(self) -> Any:
        return as_dtype(_dtypes.int32)

    def initialize(self, name: Optional[str] = None) -> Any:
        """The finished flags [batch], and the first inputs."""
        raise about("initialize", NotImplementedError("has not been implemented"), " ")

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        """Returns the samples of the outputs of a step."""
        raise about("sample", NotImplementedError("has not been implemented"), " ")

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None) -> Any:
        """The finished flags, the next inputs, and the next state."""
        raise about("next_inputs", NotImplementedError("has not been implemented"), " ")


class CustomHelper(Helper):
    """A helper of three functions."""

    def __init__(
        self, initialize_fn: Callable[[], Any], sample_fn: Callable[..., Any], next_inputs_fn: Callable[..., Any],
        sample_ids_shape: Any = None, sample_ids_dtype: Any = None,
    ):  # fmt: skip
        self._functions = initialize_fn, sample_fn, next_inputs_fn
        self._shape = TensorShape([] if sample_ids_shape is None else sample_ids_shape)
        self._dtype = as_dtype(_dtypes.int32 if sample_ids_dtype is None else sample_ids_dtype)
        self._batch: Any = None

    @property
    def batch_size(self) -> Any:
        if self._batch is None:
            raise about("batch_size", ValueError("accessed before initialize was called"), " ")
        return self._batch

    @property
    def sample_ids_shape(self) -> Any:
        return self._shape

    @property
    def sample_ids_dtype(self) -> Any:
        return self._dtype

    def initialize(self, name: Optional[str] = None) -> Any:
        finished, inputs = self._functions[0]()
        self._batch = shape(finished)[0]
        return finished, inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        return self._functions[1](time=time, outputs=outputs, state=state)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None) -> Any:
        return self._functions[2](time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class TrainingHelper(Helper):
    """The inputs of a decoder are given: [batch, time, n], with `time_major` [time, batch, n], or a nest of them."""

    def __init__(self, inputs: Any, sequence_length: Any, time_major: bool = False, name: Optional[str] = None):
        given = [as_tensor(x) for x in flatten(inputs)]
        self._form = inputs
        self._steps = [x if time_major else transpose(x, [1, 0, *range(2, len(x.shape))]) for x in given]
        self._length = cast(as_tensor(sequence_length), _dtypes.int32)
        if len(self._length.shape) != 1:
            raise ValueError("Expected sequence_length to be a vector, but received shape: "
                             f"{self._length.shape}")  # fmt: skip
        self._bound = TABLE["reduce_max"](self._length)

    @property
    def inputs(self) -> Any:
        return self._form

    @property
    def sequence_length(self) -> Any:
        return self._length

    @property
    def batch_size(self) -> Any:
        return shape(self._length)[0]

    def _read(self, time: Any) -> Any:
        return pack(self._form, [_at(x, time) for x in self._steps])

    def initialize(self, name: Optional[str] = None) -> Any:
        return TABLE["less_equal"](self._length, 0), self._read(constant(0))

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        return _largest(outputs)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None) -> Any:
        return TABLE["less_equal"](self._length, time + 1), self._read(time + 1), state


class _Scheduled(TrainingHelper):
    """A helper that takes outputs in place of the given inputs with a probability, a scalar or one for each example.
    All steps are drawn before the loop, which may be differentiated then."""

    def __init__(self, inputs: Any, sequence_length: Any, sampling_probability: Any, time_major: bool, seed: Any):
        super().__init__(inputs, sequence_length, time_major)
        self._probability = cast(as_tensor(sampling_probability), _dtypes.float32)
        if len(self._probability.shape) > 1:
            raise ValueError("sampling_probability must be either a scalar or a vector. saw shape: "
                             f"{self._probability.shape}")  # fmt: skip
        self._choices = self._draw(seed)

    def _draw(self, seed: Any) -> Any:
        """[time, batch]: uniform draws."""
        return random_uniform([self._bound, shape(self._length)[0]], seed=seed)

    def _is_sampled(self, time: Any) -> Any:
        """[batch]: true for examples whose next inputs are made of the outputs."""
        return TABLE["less"](_at(self._choices, time), self._probability)


class ScheduledEmbeddingTrainingHelper(_Scheduled):
    """As `TrainingHelper`, but with a probability the next input of an example is the embedding of a token that is
    drawn of the outputs (Bengio et al., 2015). Tokens of examples that draw none are -1."""

    def __init__(
        self, inputs: Any, sequence_length: Any, embedding: Any, sampling_probability: Any, time_major: bool = False,
        seed: Any = None, scheduling_seed: Any = None, name: Optional[str] = None,
    ):  # fmt: skip
        super().__init__(inputs, sequence_length, sampling_probability, time_major, scheduling_seed)
        self._embed = embedding_of(embedding)
        self._uniform = self._draw(seed)

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        ids = _drawn(outputs, _at(self._uniform, time))
        return _chosen(self._is_sampled(time), ids, TABLE["zeros_like"](ids) - 1)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None) -> Any:
        finished, given, state = super().next_inputs(time, outputs, state, sample_ids)
        found = self._embed(TABLE["maximum"](sample_ids, 0))
        return finished, _chosen(TABLE["greater"](sample_ids, -1), found, given), state


class ScheduledOutputTrainingHelper(_Scheduled):
    """As `TrainingHelper`, but with a probability the next input of an example is its output, or `next_inputs_fn` of
    that. `auxiliary_inputs` stand beside both. Samples are 1 where the output is taken, else 0."""

    def __init__(
        self, inputs: Any, sequence_length: Any, sampling_probability: Any, time_major: bool = False, seed: Any = None,
        next_inputs_fn: Any = None, auxiliary_inputs: Any = None, name: Optional[str] = None,
    ):  # fmt: skip
        beside = None if auxiliary_inputs is None else as_tensor(auxiliary_inputs)
        whole = inputs if beside is None else concat([as_tensor(inputs), beside], -1)
        super().__init__(whole, sequence_length, sampling_probability, time_major, seed)
        self._function = next_inputs_fn
        self._beside = beside
        if beside is not None and not time_major:
            self._beside = transpose(beside, [1, 0, *range(2, len(beside.shape))])

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        return cast(self._is_sampled(time), _dtypes.int32)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None) -> Any:
        finished, given, state = super().next_inputs(time, outputs, state, sample_ids)
        own = outputs if self._function is None else self._function(outputs)
        if self._beside is not None:
            own = concat([own, _at(self._beside, time + 1)], -1)
        return finished, _chosen(cast(sample_ids, _dtypes.bool_), own, given), state


class GreedyEmbeddingHelper(Helper):
    """The embedding of the likeliest token is the next input; an example ends with `end_token`."""

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any):
        self._embed = embedding_of(embedding)
        self._start, self._end = tokens(start_tokens), token(end_token)

    @property
    def batch_size(self) -> Any:
        return shape(self._start)[0]

    def initialize(self, name: Optional[str] = None) -> Any:
        return TABLE["not_equal"](self._start, self._start), self._embed(self._start)

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        return _largest(outputs)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None) -> Any:
        return TABLE["equal"](sample_ids, self._end), self._embed(sample_ids), state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """As `GreedyEmbeddingHelper`, but tokens are drawn by the softmax of the outputs over `softmax_temperature`."""

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any, softmax_temperature: Any = None,
                 seed: Any = None):  # fmt: skip
        super().__init__(embedding, start_tokens, end_token)
        self._temperature, self._seed = softmax_temperature, seed
        self._uniform: Any = None

    def _prepare(self, limit: Any) -> None:
        if limit is None:
            raise about("flywheel.v1.contrib.seq2seq.dynamic_decode", NotImplementedError(
                "of a SampleEmbeddingHelper: give maximum_iterations=, all steps are drawn "
                "before the loop"), " ")  # fmt: skip
        # A run that finds out how many steps there are sees the same draws.
        self._uniform = random_uniform([limit, shape(self._start)[0]], seed=self._seed)

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        logits = outputs if self._temperature is None else outputs / self._temperature
        shares = random_uniform([shape(self._start)[0]]) if self._uniform is None else _at(self._uniform, time)
        return _drawn(logits, shares)


class InferenceHelper(Helper):
    """A helper of functions: `sample_fn` makes samples of outputs, `next_inputs_fn` inputs of samples, which are the
    inputs without it, and `end_fn` says which samples end an example."""

    def __init__(
        self, sample_fn: Callable[[Any], Any], sample_shape: Any, sample_dtype: Any, start_inputs: Any,
        end_fn: Callable[[Any], Any], next_inputs_fn: Any = None,
    ):  # fmt: skip
        self._sample, self._end, self._following = sample_fn, end_fn, next_inputs_fn
        self._shape, self._dtype = TensorShape(sample_shape), as_dtype(sample_dtype)
        self._start = as_tensor(start_inputs)

    @property
    def batch_size(self) -> Any:
        return shape(self._start)[0]

    @property
    def sample_ids_shape(self) -> Any:
        return self._shape

    @property
    def sample_ids_dtype(self) -> Any:
        return self._dtype

    def initialize(self, name: Optional[str] = None) -> Any:
        return make("zeros", lambda x: _ops.zeros([_ops.dim(x, 0)], _dtypes.bool_), self._start), self._start

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        return self._sample(outputs)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None) -> Any:
        following = sample_ids if self._following is None else self._following(sample_ids)
        return self._end(sample_ids), following, state


