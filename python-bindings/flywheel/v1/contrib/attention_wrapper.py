# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A cell of `tf.contrib.seq2seq` that looks at a memory at each step."""

from typing import Any, List, NamedTuple, Optional, Tuple

from ..._core import dtypes as _dtypes
from ..._errors.messages import about
from ..conversion import as_tensor, constant
from ..dtypes import as_dtype
from ..elementwise import TABLE
from ..layers import Dense
from ..ops import concat, expand_dims
from ..rnn_cell import RNNCell
from ..scopes import variable_scope
from ..structures import flatten, pack
from ..tensor_arrays import TensorArray
from .attention import zeros_of


class AttentionWrapperState(NamedTuple):
    """The state of an AttentionWrapper."""

    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any

    def clone(self, **kwargs: Any) -> "AttentionWrapperState":
        """The state with other parts in place of these, which have the same form."""
        for key, value in kwargs.items():
            old, new = flatten(getattr(self, key)), flatten(value)
            if len(old) != len(new):
                raise about("AttentionWrapperState.clone", ValueError(
                    f"expected {key} of {len(old)} tensors, found {len(new)}"))  # fmt: skip
        return self._replace(**kwargs)


def _compute_attention(mechanism: Any, output: Any, state: Any, layer: Any) -> Tuple[Any, Any, Any]:
    """Returns the attention, the alignments and the next state of the mechanism."""
    shares, kept = mechanism(output, state)
    seen = TABLE["reduce_sum"](expand_dims(shares, 2) * mechanism.values, 1)
    return (seen if layer is None else layer(concat([output, seen], 1))), shares, kept


class AttentionWrapper(RNNCell):
    """A cell that takes its inputs and the attention of the last step side by side.

    The attention is the mean of the memory by the alignments, [batch, n], or a layer of `attention_layer_size` of that
    and the cell's output. Several mechanisms, with a size or a layer each, give their attentions side by side, and
    tuples of alignments and states. `dtype` has no effect: results have the dtype of the inputs.
    """

    kind = "attention_wrapper"

    def __init__(
        self, cell: RNNCell, attention_mechanism: Any, attention_layer_size: Any = None,
        alignment_history: bool = False, cell_input_fn: Any = None, output_attention: bool = True,
        initial_cell_state: Any = None, name: Optional[str] = None, attention_layer: Any = None,
        attention_fn: Any = None, dtype: Any = None,
    ):  # fmt: skip
        super().__init__(name)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        self._mechanisms: List[Any] = list(attention_mechanism) if self._is_multi else [attention_mechanism]
        if attention_layer_size is not None and attention_layer is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        self._cell, self._output_attention = cell, output_attention
        self._input_fn = cell_input_fn or (lambda x, attention: concat([x, attention], -1))
        self._attention_fn = attention_fn or _compute_attention
        self._initial, self._is_built, self._has_history = initial_cell_state, False, alignment_history
        widths = self._each(attention_layer_size, "attention_layer_size")
        self._layers = [None if n is None else Dense(n, use_bias=False, name="attention_layer") for n in widths]
        sizes = [m.values.shape[-1].value if n is None else n for m, n in zip(self._mechanisms, widths)]
        if attention_layer is not None:
            self._layers = self._each(attention_layer, "attention_layer")
            sizes = [_units(one) for one in self._layers]
        self._attention_size = sum(sizes)

    def _each(self, value: Any, what: str) -> List[Any]:
        """Returns a value for each mechanism."""
        if value is None:
            return [None] * len(self._mechanisms)
        listed = list(value) if isinstance(value, (list, tuple)) else [value]
        if len(listed) != len(self._mechanisms):
            raise ValueError(f"If provided, {what} must contain exactly one integer per attention_mechanism, saw: "
                             f"{len(listed)} vs {len(self._mechanisms)}")  # fmt: skip
        return listed

    def _one_or_all(self, values: List[Any]) -> Any:
        return tuple(values) if self._is_multi else values[0]

    @property
    def output_size(self) -> int:
        return self._attention_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> Any:
        times = self._one_or_all([m.alignments_size for m in self._mechanisms])
        return AttentionWrapperState(self._cell.state_size, self._attention_size, (), times,
                                     times if self._has_history else (),
                                     self._one_or_all([m.state_size for m in self._mechanisms]))  # fmt: skip

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """Zeros of the memory's batch, and the initial state of the cell. Raises ValueError for another batch."""
        kind, memory = as_dtype(dtype).dtype, self._mechanisms[0].values
        known = memory.static_shape[0]
        if isinstance(batch_size, int) and known is not None and batch_size != known:
            raise about("AttentionWrapper.zero_state", ValueError(f"the batch of the memory is {known}, found "
                                                                  f"batch_size {batch_size}. With a BeamSearchDecoder, "
                                                                  "the memory and its lengths are to be tiled by "
                                                                  "tile_batch"))  # fmt: skip
        own = self._initial
        if own is None:
            size = self._cell.state_size
            own = pack(size, [zeros_of(memory, n, kind) for n in flatten(size)])
        shares = [m.initial_alignments(batch_size, kind) for m in self._mechanisms]
        history: Any = ()
        if self._has_history:
            history = self._one_or_all([TensorArray(dtype, size=0, dynamic_size=True)._of_elements(one)
                                        for one in shares])  # fmt: skip
        kept = [m.initial_state(batch_size, kind) for m in self._mechanisms]
        return AttentionWrapperState(own, zeros_of(memory, self._attention_size, kind), constant(0, _dtypes.int32),
                                     self._one_or_all(shares), history, self._one_or_all(kept))  # fmt: skip

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
        before = state.attention_state if self._is_multi else [state.attention_state]
        found = [self._attention_fn(m, output, s, layer) for m, s, layer in zip(self._mechanisms, before, self._layers)]
        attentions, shares, kept = (list(one) for one in zip(*found))
        attention = concat(attentions, 1) if self._is_multi else attentions[0]
        history = state.alignment_history
        if self._has_history:
            arrays = history if self._is_multi else [history]
            history = self._one_or_all([array.write(state.time, one) for array, one in zip(arrays, shares)])
        new = AttentionWrapperState(own, attention, state.time + 1, self._one_or_all(shares), history,
                                    self._one_or_all(kept))  # fmt: skip
        return (attention if self._output_attention else output), new


def _units(layer: Any) -> int:
    """Returns the size of what a layer makes of a cell's output and an attention."""
    known = getattr(layer, "units", None)
    if known is None:
        known = next((n for n in getattr(layer, "_args", ())[:1]), getattr(layer, "_kwargs", {}).get("units"))
    if not isinstance(known, int):
        raise about("AttentionWrapper", ValueError(f"the size of the results of {layer!r} is not known: expected a "
                                                   "Dense layer"))  # fmt: skip
    return known
