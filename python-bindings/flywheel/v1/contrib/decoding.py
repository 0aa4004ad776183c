# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders of `tf.contrib.seq2seq`, and the loop that takes their steps until all examples are finished."""

from typing import Any, NamedTuple, Optional, Tuple

from ... import _ops
from ... import nn as _traced
from ..._core import dtypes as _dtypes
from ..._errors.messages import about
from ..control_flow import while_loop
from ..conversion import as_tensor, constant, make
from ..elementwise import TABLE
from ..graph import get_default_graph
from ..ops import cast, transpose
from ..scopes import variable_scope
from ..sizes import of_size
from ..structures import flatten, pack
from ..tensor_arrays import TensorArray
from .helpers import Helper


class Decoder:
    """The base class of decoders."""

    # The largest number of steps: a tensor, if it is known.
    _bound: Any = None

    @property
    def tracks_own_finished(self) -> bool:
        """True if an example that is finished may go on: then the flags of a step are all there is."""
        return False

    @property
    def batch_size(self) -> Any:
        raise NotImplementedError

    def _prepare(self, limit: Any) -> None:
        """Is called before the loop, which takes at most `limit` steps, or as many as it needs if that is None."""

    def initialize(self, name: Optional[str] = None) -> Any:
        """The finished flags, the first inputs and the first state."""
        raise NotImplementedError

    def step(self, time: Any, inputs: Any, state: Any, name: Optional[str] = None) -> Any:
        """The outputs, the next state, the next inputs, and the finished flags."""
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """The outputs [time, batch, ...] and the last state, as they are returned."""
        return outputs, final_state


class BasicDecoderOutput(NamedTuple):
    """Outputs of a step, or of all steps."""

    rnn_output: Any
    sample_id: Any


class BasicDecoder(Decoder):
    """A cell, with a layer of its outputs, and a helper that chooses its inputs."""

    def __init__(self, cell: Any, helper: Helper, initial_state: Any, output_layer: Any = None):
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        self._cell, self._helper, self._state, self._layer = cell, helper, initial_state, output_layer
        self._bound = helper._bound

    @property
    def batch_size(self) -> Any:
        return self._helper.batch_size

    def _prepare(self, limit: Any) -> None:
        self._helper._prepare(limit)

    def initialize(self, name: Optional[str] = None) -> Any:
        return (*self._helper.initialize(), self._state)

    def step(self, time: Any, inputs: Any, state: Any, name: Optional[str] = None) -> Any:
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
        return _ops.where(_ops.reshape(f, [*[_ops.dim(f, i) for i in range(f.ndim)], *[1] * (b.ndim - f.ndim)]), a, b)

    return make("Select", emit, finished, old, new)


def _passes(x: Any) -> bool:
    """Returns true for parts of a state that belong to no example."""
    return isinstance(x, TensorArray) or len(x.shape) == 0


def _cut(x: Any, done: Any) -> Any:
    """The first steps of x: as many as `done` has elements."""
    return _ops.take(x, _ops.cumsum(_ops.ones([_ops.dim(done, 0)], _dtypes.int32), 0) - 1, 0)


class _Steps:
    """The steps of a decoder, as the condition and the body of a loop."""

    def __init__(self, decoder: Any, impute_finished: bool, limit: Any):
        self._decoder, self._imputes, self._limit = decoder, impute_finished, limit

    def goes_on(self, time: Any, ended: Any, *rest: Any) -> Any:
        """Returns true if there is another step. `rest` are the other variables of the loop."""
        is_open = TABLE["logical_not"](TABLE["reduce_all"](ended))
        return is_open if self._limit is None else TABLE["logical_and"](TABLE["less"](time, self._limit), is_open)

    def body(self, time: Any, ended: Any, x: Any, old: Any, counts: Any, whole: Any) -> Any:
        outputs, new, following, ends = self._decoder.step(time, x, old)
        leaves, states = flatten(outputs), flatten(new)
        if self._imputes:
            leaves = [_stays(ended, TABLE["zeros_like"](y), y) for y in leaves]
            states = [b if _passes(b) else _stays(ended, a, b) for a, b in zip(flatten(old), states)]
        counts = _stays(ended, counts, TABLE["zeros_like"](counts) + time + 1)
        ended = ends if self._decoder.tracks_own_finished else TABLE["logical_or"](ended, ends)
        return (time + 1, ended, following, pack(old, states), counts,
                [_write(w, time, y) for w, y in zip(whole, leaves)])  # fmt: skip


def _counted(decoder: Any, finished: Any, inputs: Any, state: Any, lengths: Any, impute_finished: bool) -> Any:
    """The number of steps of a decoder without a bound: its loop, without the outputs."""
    if any(isinstance(x, TensorArray) for x in flatten(state)):
        raise about("flywheel.v1.contrib.seq2seq.dynamic_decode", NotImplementedError(
            "with alignment_history, of a helper that has no largest number of steps: give "
            "maximum_iterations="), " ")  # fmt: skip
    steps = _Steps(decoder, impute_finished, None)
    found = while_loop(steps.goes_on, lambda t, e, x, s, c: steps.body(t, e, x, s, c, [])[:5],
                       (constant(0), finished, inputs, state, lengths))  # fmt: skip
    return found[0]


def dynamic_decode(
    decoder: Any, output_time_major: bool = False, impute_finished: bool = False, maximum_iterations: Any = None,
    parallel_iterations: int = 32, swap_memory: bool = False, scope: Any = None,
) -> Tuple[Any, Any, Any]:  # fmt: skip
    """Steps of a decoder until all examples are finished: outputs [batch, time, ...], the last state, and the number of
    steps of each example. With `impute_finished` outputs of finished examples are 0, and their states stay.

    A decoder without a largest number of steps, such as one of a GreedyEmbeddingHelper without `maximum_iterations`,
    runs twice: first to count them. Raises NotImplementedError, when it runs, for one that draws numbers.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    if maximum_iterations is not None and len(as_tensor(maximum_iterations).shape):
        raise ValueError("maximum_iterations must be a scalar")
    with variable_scope(scope, default_name="decoder"):
        finished, inputs, state = decoder.initialize()
        lengths = cast(TABLE["not_equal"](finished, finished), _dtypes.int32)
        bound = decoder._bound if maximum_iterations is None else maximum_iterations
        decoder._prepare(bound)
        if bound is None:
            bound = _counted(decoder, finished, inputs, state, lengths, impute_finished)
        limit = cast(as_tensor(bound), _dtypes.int32)
        room = of_size(limit)
        state = pack(state, [x._with_room(room) if isinstance(x, TensorArray) else x for x in flatten(state)])
        with get_default_graph().context("while"):
            # These ops are not run: they say which outputs a step has.
            sample = decoder.step(constant(0), inputs, state)[0]

        def zeros(x: Any) -> Any:
            rest, kind = list(x.static_shape or ())[1:], x.dtype
            if None in rest:
                raise about("dynamic_decode", ValueError(f"the size of an output must be known, found shape {x.shape}"))
            return make("zeros", lambda n, f: _ops.zeros([_ops.dim(n, 0), _ops.dim(f, 0), *rest], kind), room, finished)

        kept = [zeros(x) for x in flatten(sample)]
        steps = _Steps(decoder, impute_finished, limit)
        most = maximum_iterations if isinstance(maximum_iterations, int) else None
        time, _, _, last, lengths, whole = while_loop(steps.goes_on, steps.body, (constant(0), finished, inputs, state,
                                                      lengths, kept), maximum_iterations=most)  # fmt: skip
        if maximum_iterations is not None:
            done = of_size(time)
            whole = [make("cut", _cut, y, done) for y in whole]
            last = pack(last, [x._with(make("cut", _cut, x._all(), done)) if isinstance(x, TensorArray) else x
                               for x in flatten(last)])  # fmt: skip
        outputs, last = decoder.finalize(pack(sample, whole), last, lengths)
        if not output_time_major:
            outputs = pack(outputs, [transpose(y, [1, 0, *range(2, len(y.shape))]) for y in flatten(outputs)])
        return outputs, last, lengths
