# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of `tf.contrib.seq2seq`: shares of the steps of a memory, by the scores of a query."""

import math
from typing import Any, Callable, Optional, Tuple

import numpy as np

from ... import _ops
from ..._core import dtypes as _dtypes
from .. import nn as _nn
from ..arrays import cumprod, cumsum
from ..conversion import as_tensor, constant, dtype_of, make
from ..elementwise import TABLE
from ..functional_ops import scan
from ..layers import Dense
from ..ops import argmax, cast, clip_by_value, concat, expand_dims, one_hot, shape, transpose
from ..random_ops import constant_initializer, random_normal, zeros_initializer
from ..scopes import get_variable, variable_scope


def _mask(memory: Any, lengths: Any) -> Any:
    """[batch, time]: true at the steps that examples of a memory have."""

    def emit(x: Any, n: Any) -> Any:
        steps = _ops.cumsum(_ops.ones([_ops.dim(x, 0), _ops.dim(x, 1)], _dtypes.int32), 1)
        return _ops.less_equal(steps, _ops.reshape(_ops.cast(n, _dtypes.int32), [-1, 1]))

    return make("SequenceMask", emit, memory, lengths)


def zeros_of(x: Any, size: Any, dtype: Any) -> Any:
    """Zeros [batch, size] for the batch of a tensor, or [batch, time] of a memory, if `size` is None."""

    def emit(v: Any) -> Any:
        return _ops.zeros([_ops.dim(v, 0), _ops.dim(v, 1) if size is None else size], dtype)

    return make("zeros", emit, x)


def hardmax(logits: Any, name: Optional[str] = None) -> Any:
    """1 where a row has its largest element first, and else 0."""
    x = as_tensor(logits)
    depth = x.shape[-1].value
    return one_hot(argmax(x, -1), shape(x)[-1] if depth is None else depth, dtype=x.dtype, name=name)


def safe_cumprod(x: Any, *args: Any, **kwargs: Any) -> Any:
    """`tf.cumprod` of numbers from 0 to 1, by a sum of logarithms."""
    given = as_tensor(x)
    kind = given.dtype.dtype
    # The exponents of bfloat16 are those of float32.
    least = float(np.finfo(kind if kind.name in ("float16", "float64") else np.float32).tiny)
    return TABLE["exp"](cumsum(TABLE["log"](clip_by_value(given, least, 1.0)), *args, **kwargs))


def monotonic_attention(p_choose_i: Any, previous_attention: Any, mode: str) -> Any:
    """[batch, time]: the probability that each step is attended to (Raffel et al., 2017), if steps are looked at in
    order from the one of before on and each is chosen with the probability `p_choose_i`. "recursive" is exact,
    "parallel" divides by a product that is bounded below, and "hard" takes probabilities 0 and 1."""
    p, before = as_tensor(p_choose_i), as_tensor(previous_attention)
    if mode == "recursive":
        kept = transpose(1 - concat([TABLE["zeros_like"](p[:, :1]), p[:, :-1]], 1))
        found = scan(lambda q, x: x[0] * q + x[1], [kept, transpose(before)], TABLE["zeros_like"](p[:, 0]))
        return p * transpose(found)
    if mode == "parallel":
        left = safe_cumprod(1 - p, 1, True)
        return p * left * cumsum(before / clip_by_value(left, 1e-10, 1.0), 1)
    if mode == "hard":
        chosen = p * cumsum(before, 1)
        return chosen * cumprod(1 - chosen, 1, True)
    raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")


class AttentionMechanism:
    """The base class of attentions: a call takes a query and a state, and gives alignments and the next state."""

    @property
    def alignments_size(self) -> Any:
        raise NotImplementedError

    @property
    def state_size(self) -> Any:
        raise NotImplementedError


class _Attention(AttentionMechanism):
    """Scores of a memory [batch, time, n], of which examples have the first `memory_sequence_length` steps."""

    # The scope of variables.
    kind = ""

    def __init__(self, num_units: int, memory: Any, lengths: Any, probability_fn: Any, mask_value: Any,
                 custom_key_value_fn: Any = None, dtype: Any = None):  # fmt: skip
        x = as_tensor(memory)
        if dtype is not None and dtype_of(dtype) != x.dtype:
            raise TypeError(f"expected a memory of dtype {dtype_of(dtype).name}, found {x.dtype.name}: cast it")
        if x.static_shape is None or len(x.static_shape) != 3:
            raise ValueError(f"expected a memory of [batch, time, n], found shape {x.shape}")
        self._num_units = num_units
        self._probability_fn = probability_fn or (lambda score, _: _nn.softmax(score))
        self._mask_value = -math.inf if mask_value is None else mask_value
        self._holds = None if lengths is None else _mask(x, as_tensor(lengths))
        self.values = x
        if self._holds is not None:
            self.values = make("Select", _ops.where, expand_dims(self._holds, 2), x, TABLE["zeros_like"](x))
        self.memory_layer = Dense(num_units, use_bias=False, name="memory_layer")
        self.keys = self.memory_layer(self.values)
        if custom_key_value_fn is not None:
            self.keys, self.values = custom_key_value_fn(self.keys, self.values)
        self._own: Any = None

    @property
    def batch_size(self) -> Any:
        return shape(self.values)[0]

    @property
    def alignments_size(self) -> Any:
        known = self.values.shape[1].value
        return shape(self.values)[1] if known is None else known

    @property
    def state_size(self) -> Any:
        return self.alignments_size

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """[batch, time]: zeros, of the batch of the memory."""
        return zeros_of(self.values, None, dtype)

    def initial_state(self, batch_size: Any, dtype: Any) -> Any:
        return self.initial_alignments(batch_size, dtype)

    def _variables(self, query: Any) -> Any:
        """Makes the variables of the scores, in the scope of the attention."""
        raise NotImplementedError

    def _score(self, query: Any, own: Any) -> Any:
        raise NotImplementedError

    def __call__(self, query: Any, state: Any) -> Tuple[Any, Any]:
        """Returns the shares of the steps of the memory, [batch, time], as alignments and as the next state."""
        if self._own is None:
            with variable_scope(None, default_name=self.kind):
                self._own = self._variables(query)
        score = self._score(query, self._own)
        if self._holds is not None:
            lowest = TABLE["zeros_like"](score) + constant(self._mask_value, score.dtype)
            score = make("Select", _ops.where, self._holds, score, lowest)
        found = self._probability_fn(score, state)
        return found, found


def _of_score(probability_fn: Optional[Callable[[Any], Any]]) -> Any:
    return None if probability_fn is None else lambda score, _: probability_fn(score)


class LuongAttention(_Attention):
    """score = g <keys, query> (Luong et al., 2015), g = 1 without `scale`."""

    kind = "luong_attention"

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Any = None, scale: bool = False,
        probability_fn: Optional[Callable[[Any], Any]] = None, score_mask_value: Any = None, dtype: Any = None,
        custom_key_value_fn: Any = None, name: str = "LuongAttention",
    ):  # fmt: skip
        super().__init__(num_units, memory, memory_sequence_length, _of_score(probability_fn), score_mask_value,
                         custom_key_value_fn, dtype)  # fmt: skip
        self._scale = scale

    def _variables(self, query: Any) -> Any:
        if query.shape[-1].value != self._num_units:
            raise ValueError("Incompatible or unknown inner dimensions between query and keys: units "
                             f"{query.shape[-1].value} and {self._num_units}")  # fmt: skip
        return get_variable("attention_g", [], query.dtype, constant_initializer(1.0)) if self._scale else ()

    def _score(self, query: Any, own: Any) -> Any:
        score = TABLE["reduce_sum"](self.keys * expand_dims(query, 1), 2)
        return score * own if self._scale else score


class BahdanauAttention(_Attention):
    """score = <v, tanh(keys + query_layer(query))> (Bahdanau et al., 2015); with `normalize` v has the length g, and
    tanh a bias (Salimans and Kingma, 2016)."""

    kind = "bahdanau_attention"

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Any = None, normalize: bool = False,
        probability_fn: Optional[Callable[[Any], Any]] = None, score_mask_value: Any = None, dtype: Any = None,
        custom_key_value_fn: Any = None, name: str = "BahdanauAttention",
    ):  # fmt: skip
        super().__init__(num_units, memory, memory_sequence_length, _of_score(probability_fn), score_mask_value,
                         custom_key_value_fn, dtype)  # fmt: skip
        self._normalize = normalize
        self.query_layer = Dense(num_units, use_bias=False, name="query_layer")

    def _variables(self, query: Any) -> Any:
        self.query_layer(query)
        v = get_variable("attention_v", [self._num_units], query.dtype)
        if not self._normalize:
            return v, None, None
        g = get_variable("attention_g", [], query.dtype, constant_initializer(math.sqrt(1.0 / self._num_units)))
        return v, g, get_variable("attention_b", [self._num_units], query.dtype, zeros_initializer())

    def _score(self, query: Any, own: Any) -> Any:
        v, g, b = own
        both = self.keys + expand_dims(self.query_layer(query), 1)
        if not self._normalize:
            return TABLE["reduce_sum"](v * TABLE["tanh"](both), 2)
        unit = v / TABLE["sqrt"](TABLE["reduce_sum"](v * v))
        return TABLE["reduce_sum"](g * unit * TABLE["tanh"](both + b), 2)


class _Monotonic(_Attention):
    """Attention that never goes back: the scores, with a bias of their own, are logits of choosing a step."""

    _bias_init = 0.0

    def _choose(self, sigmoid_noise: float, seed: Any, mode: str) -> Callable[[Any, Any], Any]:
        def probability(score: Any, before: Any) -> Any:
            if sigmoid_noise > 0:
                score = score + sigmoid_noise * random_normal(shape(score), dtype=score.dtype, seed=seed)
            p = cast(score > 0, score.dtype) if mode == "hard" else _nn.sigmoid(score)
            return monotonic_attention(p, before, mode)

        return probability

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """[batch, time]: 1 at the first step."""

        def emit(v: Any) -> Any:
            steps = _ops.cumsum(_ops.ones([_ops.dim(v, 0), _ops.dim(v, 1)], _dtypes.int32), 1)
            return _ops.cast(_ops.equal(steps, 1), dtype)

        return make("one_hot", emit, self.values)

    def _variables(self, query: Any) -> Any:
        own = super()._variables(query)
        return own, get_variable("attention_score_bias", [], query.dtype, constant_initializer(self._bias_init))

    def _score(self, query: Any, own: Any) -> Any:
        return super()._score(query, own[0]) + own[1]


class BahdanauMonotonicAttention(_Monotonic, BahdanauAttention):
    """Attention that never goes back (Raffel et al., 2017), by the scores of `BahdanauAttention` and a bias."""

    kind = "bahdanau_monotonic_attention"

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Any = None, normalize: bool = False,
        score_mask_value: Any = None, sigmoid_noise: float = 0.0, sigmoid_noise_seed: Any = None,
        score_bias_init: float = 0.0, mode: str = "parallel", dtype: Any = None,
        name: str = "BahdanauMonotonicAttention",
    ):  # fmt: skip
        BahdanauAttention.__init__(self, num_units, memory, memory_sequence_length, normalize, None, score_mask_value,
                                   dtype)  # fmt: skip
        self._probability_fn = self._choose(sigmoid_noise, sigmoid_noise_seed, mode)
        self._bias_init = score_bias_init


class LuongMonotonicAttention(_Monotonic, LuongAttention):
    """Attention that never goes back (Raffel et al., 2017), by the scores of `LuongAttention` and a bias."""

    kind = "luong_monotonic_attention"

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Any = None, scale: bool = False,
        score_mask_value: Any = None, sigmoid_noise: float = 0.0, sigmoid_noise_seed: Any = None,
        score_bias_init: float = 0.0, mode: str = "parallel", dtype: Any = None, name: str = "LuongMonotonicAttention",
    ):  # fmt: skip
        LuongAttention.__init__(self, num_units, memory, memory_sequence_length, scale, None, score_mask_value,
                                dtype)  # fmt: skip
        self._probability_fn = self._choose(sigmoid_noise, sigmoid_noise_seed, mode)
        self._bias_init = score_bias_init
