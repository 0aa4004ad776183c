# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.contrib.seq2seq`: decoders, which take a step after another until all examples are finished."""

from typing import Any, Callable, NamedTuple, Optional, Tuple

from ... import _dtypes, _ops
from ... import nn as _traced
from .. import nn as _nn
from ..control_flow import while_loop
from ..conversion import as_tensor, constant, make
from ..elementwise import TABLE
from ..namespaces import missing
from ..ops import argmax, cast, transpose
from ..scopes import variable_scope
from ..sizes import of_size
from ..structures import flatten, pack
from . import _sequence_loss
from .attention import AttentionWrapper as AttentionWrapper
from .attention import AttentionWrapperState as AttentionWrapperState
from .attention import BahdanauAttention as BahdanauAttention
from .attention import LuongAttention as LuongAttention

sequence_loss = _sequence_loss


def tile_batch(t: Any, multiplier: int, name: Optional[str] = None) -> Any:
    """Each example `multiplier` times, one after the other, in tensors of any nest."""

    def tiled(x: Any) -> Any:
        def emit(v: Any) -> Any:
            rest = [_ops.dim(v, place) for place in range(1, len(v._dims))]
            wide = _ops.add(_ops.zeros([_ops.dim(v, 0), multiplier, *rest], v.dtype), _ops.expand_dims(v, 1))
            return _ops.reshape(wide, [-1, *rest])

        return make("tile_batch", emit, as_tensor(x))

    return pack(t, [tiled(x) for x in flatten(t)])


def _largest(logits: Any) -> Any:
    return argmax(logits, -1, output_type=_dtypes.int32)


class CustomHelper:
    """A helper of three functions."""

    # The largest number of steps: a tensor, if it is known.
    _bound: Any = None

    def __init__(self, initialize_fn: Callable[[], Any], sample_fn: Callable[..., Any],
                 next_inputs_fn: Callable[..., Any]):  # fmt: skip
        self._functions = initialize_fn, sample_fn, next_inputs_fn

    def initialize(self, name: Optional[str] = None) -> Any:
        """The finished flags, and the first inputs."""
        return self._functions[0]()

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        return self._functions[1](time=time, outputs=outputs, state=state)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None) -> Any:
        """The finished flags, the next inputs, and the next state."""
        return self._functions[2](time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class TrainingHelper(CustomHelper):
    """The inputs of a decoder are given: [batch, time, n], with `time_major` [time, batch, n]."""

    def __init__(self, inputs: Any, sequence_length: Any, time_major: bool = False, name: Optional[str] = None):
        x = as_tensor(inputs)
        self._inputs = x if time_major else transpose(x, [1, 0, *range(2, len(x.shape))])
        self._length = cast(as_tensor(sequence_length), _dtypes.int32)
        if len(self._length.shape) != 1:
            raise ValueError("Expected sequence_length to be a vector, but received shape: "
                             f"{self._length.shape}")  # fmt: skip
        self._bound = TABLE["reduce_max"](self._length)

    def _read(self, time: Any) -> Any:
        def emit(x: Any, t: Any) -> Any:
            last = _ops.shape(x)[0] - 1
            place = _ops.cast(t, last.dtype)
            return _ops.take(x, _ops.where(_ops.less(place, last), place, last), 0)

        return make("TensorArrayRead", emit, self._inputs, time)

    def initialize(self, name: Optional[str] = None) -> Any:
        return TABLE["less_equal"](self._length, 0), self._read(constant(0))

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        return _largest(outputs)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None) -> Any:
        return TABLE["less_equal"](self._length, time + 1), self._read(time + 1), state


class GreedyEmbeddingHelper(CustomHelper):
    """The embedding of the likeliest token is the next input; an example ends with `end_token`."""

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any):
        self._embed = embedding if callable(embedding) else lambda ids: _nn.embedding_lookup(embedding, ids)
        self._start, self._end = cast(as_tensor(start_tokens), _dtypes.int32), end_token
        if len(self._start.shape) != 1:
            raise ValueError("start_tokens must be a vector")

    def initialize(self, name: Optional[str] = None) -> Any:
        return TABLE["not_equal"](self._start, self._start), self._embed(self._start)

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        return _largest(outputs)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None) -> Any:
        return TABLE["equal"](sample_ids, self._end), self._embed(sample_ids), state


class BasicDecoderOutput(NamedTuple):
    """Outputs of a step, or of all steps."""

    rnn_output: Any
    sample_id: Any


class BasicDecoder:
    """A cell, with a layer of its outputs, and a helper that chooses its inputs."""

    def __init__(self, cell: Any, helper: CustomHelper, initial_state: Any, output_layer: Any = None):
        self._cell, self._helper, self._state, self._layer = cell, helper, initial_state, output_layer

    def initialize(self, name: Optional[str] = None) -> Any:
        """The finished flags, the first inputs and the first state."""
        return (*self._helper.initialize(), self._state)

    def step(self, time: Any, inputs: Any, state: Any, name: Optional[str] = None) -> Any:
        """The outputs, the next state, the next inputs, and the finished flags."""
        y, new = self._cell(inputs, state)
        if self._layer is not None:
            y = self._layer(y)
        ids = self._helper.sample(time=time, outputs=y, state=new)
        ends, following, new = self._helper.next_inputs(time=time, outputs=y, state=new, sample_ids=ids)
        return BasicDecoderOutput(y, ids), new, following, ends


def _write(whole: Any, time: Any, x: Any) -> Any:
    def emit(all_: Any, t: Any, v: Any) -> Any:
        return _traced.scatter(all_, _ops.reshape(_ops.cast(t, _dtypes.int64), [1]), _ops.expand_dims(v, 0), 0)

    return make("TensorArrayWrite", emit, whole, time, x, types=[(whole.dtype, whole.static_shape)])


def _stays(finished: Any, old: Any, new: Any) -> Any:
    """old where an example is finished, else new."""

    def emit(f: Any, a: Any, b: Any) -> Any:
        return _ops.where(_ops.reshape(f, [_ops.dim(f, 0), *[1] * (len(b._dims) - 1)]), a, b)

    return make("Select", emit, finished, old, new)


def dynamic_decode(
    decoder: Any, output_time_major: bool = False, impute_finished: bool = False, maximum_iterations: Any = None,
    parallel_iterations: int = 32, swap_memory: bool = False, scope: Any = None,
) -> Tuple[Any, Any, Any]:  # fmt: skip
    """Steps of a decoder until all examples are finished: outputs [batch, time, ...], the last state, and the number of
    steps of each example. With `impute_finished` outputs of finished examples are 0, and their states stay."""
    from ..graph import get_default_graph

    bound = maximum_iterations
    if bound is None:
        bound = getattr(getattr(decoder, "_helper", None), "_bound", None)
    if bound is None:
        raise NotImplementedError("flywheel.v1.contrib.seq2seq.dynamic_decode of a helper that has no largest number "
                                  "of steps: give maximum_iterations=")  # fmt: skip
    with variable_scope(scope, default_name="decoder"):
        finished, inputs, state = decoder.initialize()
        limit = as_tensor(bound)
        limit = cast(limit, _dtypes.int32)
        room = of_size(limit)
        with get_default_graph().context("while"):
            # These ops are not run: they say which outputs a step has.
            sample = decoder.step(constant(0), inputs, state)[0]

        def zeros(x: Any) -> Any:
            rest, kind = list(x.static_shape or ())[1:], x.dtype
            return make("zeros", lambda n, f: _ops.zeros([_ops.dim(n, 0), _ops.dim(f, 0), *rest], kind), room, finished)

        kept = [zeros(x) for x in flatten(sample)]
        lengths = cast(TABLE["not_equal"](finished, finished), _dtypes.int32)

        def goes_on(time: Any, ended: Any, *rest: Any) -> Any:
            return TABLE["logical_and"](TABLE["less"](time, limit),
                                        TABLE["logical_not"](TABLE["reduce_all"](ended)))  # fmt: skip

        def body(time: Any, ended: Any, x: Any, old: Any, counts: Any, whole: Any) -> Any:
            outputs, new, following, ends = decoder.step(time, x, old)
            leaves, states = flatten(outputs), flatten(new)
            if impute_finished:
                leaves = [_stays(ended, TABLE["zeros_like"](y), y) for y in leaves]
                states = [b if len(b.shape) == 0 else _stays(ended, a, b) for a, b in zip(flatten(old), states)]
            counts = _stays(ended, counts, TABLE["zeros_like"](counts) + time + 1)
            return (time + 1, TABLE["logical_or"](ended, ends), following, pack(old, states), counts,
                    [_write(w, time, y) for w, y in zip(whole, leaves)])  # fmt: skip

        steps = maximum_iterations if isinstance(maximum_iterations, int) else None
        time, _, _, last, lengths, whole = while_loop(goes_on, body, (constant(0), finished, inputs, state, lengths,
                                                      kept), maximum_iterations=steps)  # fmt: skip
        if maximum_iterations is not None:
            done = of_size(time)
            whole = [make("cut", _cut, y, done) for y in whole]
        if not output_time_major:
            whole = [transpose(y, [1, 0, *range(2, len(y.shape))]) for y in whole]
        return pack(sample, whole), last, lengths


def _cut(x: Any, done: Any) -> Any:
    """The first steps of x: as many as `done` has elements."""
    return _ops.take(x, _ops.cumsum(_ops.ones([_ops.dim(done, 0)], _dtypes.int32), 0) - 1, 0)


def __getattr__(name: str) -> Any:
    raise missing(f"contrib.seq2seq.{name}")
