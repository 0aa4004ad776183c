# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of `tf.contrib.seq2seq`: scores of a memory by a query, and a cell that looks at it at each step."""

import math
from typing import Any, Callable, NamedTuple, Optional, Tuple

from ... import _dtypes, _ops
from .. import nn as _nn
from ..conversion import as_tensor, constant, make
from ..elementwise import TABLE
from ..layers import Dense
from ..ops import concat, expand_dims
from ..random_ops import constant_initializer, zeros_initializer
from ..rnn_cell import RNNCell
from ..scopes import get_variable, variable_scope
from ..structures import flatten, pack


def _mask(memory: Any, lengths: Any) -> Any:
    """[batch, time]: true at the steps that examples of a memory have."""

    def emit(x: Any, n: Any) -> Any:
        steps = _ops.cumsum(_ops.ones([_ops.dim(x, 0), _ops.dim(x, 1)], _dtypes.int32), 1)
        return _ops.less_equal(steps, _ops.reshape(_ops.cast(n, _dtypes.int32), [-1, 1]))

    return make("SequenceMask", emit, memory, lengths)


class _Attention:
    """Scores of a memory [batch, time, n], of which examples have the first `memory_sequence_length` steps."""

    def __init__(self, num_units: int, memory: Any, lengths: Any, probability_fn: Any, mask_value: Any):
        x = as_tensor(memory)
        if x.static_shape is None or len(x.static_shape) != 3:
            raise ValueError(f"expected a memory of [batch, time, n], found shape {x.shape}")
        self._num_units, self._probability_fn = num_units, probability_fn or _nn.softmax
        self._mask_value = -math.inf if mask_value is None else mask_value
        self._holds = None if lengths is None else _mask(x, as_tensor(lengths))
        self.values = x
        if self._holds is not None:
            self.values = make("Select", _ops.where, expand_dims(self._holds, 2), x, TABLE["zeros_like"](x))
        self.memory_layer = Dense(num_units, use_bias=False, name="memory_layer")
        self.keys = self.memory_layer(self.values)

    def _score(self, query: Any) -> Any:
        raise NotImplementedError

    def __call__(self, query: Any, state: Any) -> Tuple[Any, Any]:
        """Returns the shares of the steps of the memory, [batch, time], as alignments and as the next state."""
        score = self._score(query)
        if self._holds is not None:
            lowest = TABLE["zeros_like"](score) + constant(self._mask_value, score.dtype)
            score = make("Select", _ops.where, self._holds, score, lowest)
        found = self._probability_fn(score)
        return found, found


class LuongAttention(_Attention):
    """score = g <keys, query> (Luong et al., 2015), g = 1 without `scale`."""

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Any = None, scale: bool = False,
        probability_fn: Optional[Callable[[Any], Any]] = None, score_mask_value: Any = None, dtype: Any = None,
        custom_key_value_fn: Any = None, name: str = "LuongAttention",
    ):  # fmt: skip
        if custom_key_value_fn is not None:
            raise NotImplementedError("flywheel.v1.contrib.seq2seq.LuongAttention: custom_key_value_fn")
        super().__init__(num_units, memory, memory_sequence_length, probability_fn, score_mask_value)
        self._scale = scale
        self._g: Any = None

    def _score(self, query: Any) -> Any:
        if query.shape[-1].value != self._num_units:
            raise ValueError("Incompatible or unknown inner dimensions between query and keys: units "
                             f"{query.shape[-1].value} and {self._num_units}")  # fmt: skip
        score = TABLE["reduce_sum"](self.keys * expand_dims(query, 1), 2)
        if not self._scale:
            return score
        if self._g is None:
            with variable_scope(None, default_name="luong_attention"):
                self._g = get_variable("attention_g", [], query.dtype, constant_initializer(1.0))
        return score * self._g


class BahdanauAttention(_Attention):
    """score = <v, tanh(keys + query_layer(query))> (Bahdanau et al., 2015); with `normalize` v has the length g, and
    tanh a bias (Salimans and Kingma, 2016)."""

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Any = None, normalize: bool = False,
        probability_fn: Optional[Callable[[Any], Any]] = None, score_mask_value: Any = None, dtype: Any = None,
        custom_key_value_fn: Any = None, name: str = "BahdanauAttention",
    ):  # fmt: skip
        if custom_key_value_fn is not None:
            raise NotImplementedError("flywheel.v1.contrib.seq2seq.BahdanauAttention: custom_key_value_fn")
        super().__init__(num_units, memory, memory_sequence_length, probability_fn, score_mask_value)
        self._normalize = normalize
        self._own: Any = None
        self.query_layer = Dense(num_units, use_bias=False, name="query_layer")

    def _variables(self, dtype: Any) -> Any:
        v = get_variable("attention_v", [self._num_units], dtype)
        if not self._normalize:
            return v, None, None
        g = get_variable("attention_g", [], dtype, constant_initializer(math.sqrt(1.0 / self._num_units)))
        return v, g, get_variable("attention_b", [self._num_units], dtype, zeros_initializer())

    def _score(self, query: Any) -> Any:
        if self._own is None:
            with variable_scope(None, default_name="bahdanau_attention"):
                asked = self.query_layer(query)
                self._own = self._variables(query.dtype)
        else:
            asked = self.query_layer(query)
        v, g, b = self._own
        both = self.keys + expand_dims(asked, 1)
        if not self._normalize:
            return TABLE["reduce_sum"](v * TABLE["tanh"](both), 2)
        unit = v / TABLE["sqrt"](TABLE["reduce_sum"](v * v))
        return TABLE["reduce_sum"](g * unit * TABLE["tanh"](both + b), 2)


class AttentionWrapperState(NamedTuple):
    """The state of an AttentionWrapper."""

    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any

    def clone(self, **kwargs: Any) -> "AttentionWrapperState":
        """The state with other parts in place of these."""
        return self._replace(**kwargs)


class AttentionWrapper(RNNCell):
    """A cell that takes its inputs and the attention of the last step side by side. The attention is the mean of the
    memory by the alignments, [batch, n], or a layer of `attention_layer_size` of that and the cell's output."""

    kind = "attention_wrapper"

    def __init__(
        self, cell: RNNCell, attention_mechanism: Any, attention_layer_size: Any = None,
        alignment_history: bool = False, cell_input_fn: Any = None, output_attention: bool = True,
        initial_cell_state: Any = None, name: Optional[str] = None, attention_layer: Any = None,
        attention_fn: Any = None, dtype: Any = None,
    ):  # fmt: skip
        super().__init__(name)
        for key, is_there in (("alignment_history", alignment_history), ("attention_fn", attention_fn is not None),
                              ("a list of attention_mechanism", isinstance(attention_mechanism, (list, tuple))),
                              ("attention_layer", attention_layer is not None)):  # fmt: skip
            if is_there:
                raise NotImplementedError(f"flywheel.v1.contrib.seq2seq.AttentionWrapper: {key}")
        self._cell, self._mechanism, self._output_attention = cell, attention_mechanism, output_attention
        self._input_fn = cell_input_fn or (lambda x, attention: concat([x, attention], -1))
        self._initial, self._is_built = initial_cell_state, False
        self._layer = None
        self._attention_size = attention_mechanism.values.shape[-1].value
        if attention_layer_size is not None:
            self._attention_size = attention_layer_size
            self._layer = Dense(attention_layer_size, use_bias=False, name="attention_layer")

    @property
    def output_size(self) -> int:
        return self._attention_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> Any:
        time = self._mechanism.values.shape[1].value
        return AttentionWrapperState(self._cell.state_size, self._attention_size, (), time, (), time)

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """Zeros of the memory's batch, and the initial state of the cell."""
        memory, kind = self._mechanism.values, as_tensor(0.0, dtype).dtype

        def zeros(n: Any) -> Any:
            return make("zeros", lambda x: _ops.zeros([_ops.dim(x, 0), n], kind), memory)

        size = self._cell.state_size
        own = self._initial
        if own is None:
            own = pack(size, [zeros(n) for n in flatten(size)])
        shares = make("zeros", lambda x: _ops.zeros([_ops.dim(x, 0), _ops.dim(x, 1)], kind), memory)
        return AttentionWrapperState(own, zeros(self._attention_size), constant(0), shares, (), shares)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(f"Expected state to be instance of AttentionWrapperState. Received type {type(state)}")
        if self._is_built:
            return self._step(as_tensor(inputs), state)
        with variable_scope(scope, default_name=self._name):
            found = self._step(as_tensor(inputs), state)
        self._is_built = True
        return found

    def _step(self, x: Any, state: AttentionWrapperState) -> Tuple[Any, Any]:
        output, own = self._cell(self._input_fn(x, state.attention), state.cell_state)
        shares, kept = self._mechanism(output, state.attention_state)
        attention = TABLE["reduce_sum"](expand_dims(shares, 2) * self._mechanism.values, 1)
        if self._layer is not None:
            attention = self._layer(concat([output, attention], 1))
        new = AttentionWrapperState(own, attention, state.time + 1, shares, (), kept)
        return (attention if self._output_attention else output), new
