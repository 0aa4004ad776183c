# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of several heads, with a cache of keys and values."""

import weakref
from typing import Any, List, Optional, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core.tensor import Tensor, TensorLike, as_tensor, format_shape
from .._ops import nn_ops as ops
from .._ops.checks import expect, expect_equal
from .._ops.emission import Size, size, sizes
from .._ops.shapes import reshape_to
from ..initializers import Initializer, Zeros
from ..module import Module
from ..namespace import LOCAL
from ..variables import Variable
from . import functions
from ._common import as_input, count_of
from ._dense import Dense

__all__ = ["KeyValueCache", "MultiHeadAttention"]


# The layer that a cache has been used at since the last reset.
_LAYERS: "weakref.WeakKeyDictionary[KeyValueCache, weakref.ref[MultiHeadAttention]]" = weakref.WeakKeyDictionary()


class KeyValueCache(Module):
    """Keys and values of the positions so far, for attention that goes on from there.

    Variables of the collection LOCAL, which no checkpoint has: `keys` and `values` [batch, heads, capacity, width] of
    `dtype`, and `length`, int32, how many positions are in use. They are updated in place: a step costs no copy of the
    cache, and one program is for all lengths. A step beyond the capacity is an error, and changes nothing. Each
    layer has a cache of its own: a call of a second layer before `reset` raises ValueError.
    """

    def __init__(
        self, batch: int, capacity: int, heads: int, width: int, *, dtype: Any = _dtypes.float32
    ) -> None:
        shape = [count_of(n, what) for n, what in
                 ((batch, "batch"), (heads, "heads"), (capacity, "capacity"), (width, "width"))]  # fmt: skip
        self.batch, self.capacity = shape[0], shape[2]
        self.keys, self.values = (
            Variable(Zeros(), shape=shape, dtype=dtype, trainable=False, collections=[LOCAL]) for _ in range(2)
        )
        self.length = Variable(Zeros(), shape=(), dtype=_dtypes.int32, trainable=False, collections=[LOCAL])

    def reset(self) -> None:
        """Begins again, without positions: between calls, or in a traced function, which a C program calls first."""
        _LAYERS.pop(self, None)
        self.length.assign(0)
        # A NaN in a position that is not in use is one in the sum over all positions. In C nothing else gives variables
        # that are not in GLOBAL a value.
        for variable in (self.keys, self.values):
            if _trace.is_tracing():
                variable.assign(_ops.zeros(variable.shape, variable.dtype))
            else:
                variable.set(np.zeros(variable.shape, variable.dtype))

    def extend(self, keys: Tensor, values: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        """Adds keys and values [batch, heads, t, width] in a traced function. Returns those of all `capacity`
        positions, of which the ones in use are valid, and the positions [t] of the new ones. Positions beyond the
        capacity are an error of the step, or a ValueError if there are too many in one call."""
        start, remedy = self.length.read(), "call its reset() to begin again, or make a cache with a larger capacity"
        count = _ops.dim(keys, 2)
        if isinstance(count, int) and count > self.capacity:
            raise ValueError(f"cache '{self.name}' has a capacity of {self.capacity} positions, found {count} in one "
                             f"call: {remedy}")  # fmt: skip
        expect(start + count <= self.capacity,
               f"cache '{self.name}' is full: its capacity is {self.capacity} positions; {remedy}")  # fmt: skip
        positions = start + _ops.arange(_ops.dim(keys, 2))
        found = [variable.assign(ops.scatter(variable, positions, new, 2))
                 for variable, new in ((self.keys, keys), (self.values, values))]  # fmt: skip
        self.length.assign_add(_ops.cast(_ops.dim(keys, 2), _dtypes.int32))
        return found[0], found[1], positions


class MultiHeadAttention(Module):
    """Attention of `heads` heads: [batch, t, width] becomes [batch, t, width] (Vaswani and others, Attention Is All You
    Need, 2017); see `flywheel.nn.attention`.

    Keys and values are of x, or of a `context` [batch, s, width]. With `causal` a position attends to itself and those
    before it. `rotary`, a base such as 10000.0, turns queries and keys by their positions (`flywheel.nn.rotary`).
    `kv_heads` heads of keys and values, by default as many as heads, are shared by as many queries each (Ainslie and
    others, GQA, 2023). `head_width` is width / heads by default.

    A `mask`, booleans that broadcast to [batch, heads, t, s], says by true what a query attends to. A `cache` of
    `make_cache` has the positions of the calls before: x continues them, and s is its capacity in a mask.

    Modules: `q`, `k`, `v` and `o`, `Dense`s with or without `bias`. Raises ValueError for sizes that do not fit.
    """

    def __init__(
        self, width: int, heads: int, *, kv_heads: Optional[int] = None, head_width: Optional[int] = None,
        causal: bool = False, rotary: Optional[float] = None, bias: bool = True,
        initializer: Optional[Initializer] = None, dtype: Any = _dtypes.float32,
    ) -> None:  # fmt: skip
        self.width, self.heads = count_of(width, "width"), count_of(heads, "heads")
        self.kv_heads = self.heads if kv_heads is None else count_of(kv_heads, "kv_heads")
        if self.heads % self.kv_heads:
            raise ValueError(f"expected kv_heads that divide {self.heads} heads, found {self.kv_heads}")
        if head_width is None and self.width % self.heads:
            raise ValueError(f"expected heads that divide the width {self.width}, or a head_width, found {self.heads}")
        self.head_width = self.width // self.heads if head_width is None else count_of(head_width, "head_width")
        if rotary is not None and self.head_width % 2:
            raise ValueError(f"expected heads of an even width for rotary positions, found {self.head_width}")
        self.causal, self.rotary = causal, rotary
        outer, inner = self.heads * self.head_width, self.kv_heads * self.head_width

        def dense(inputs: int, outputs: int) -> Dense:
            return Dense(inputs, outputs, bias=bias, initializer=initializer, dtype=dtype)

        self.q, self.k, self.v = dense(self.width, outer), dense(self.width, inner), dense(self.width, inner)
        self.o = dense(outer, self.width)

    def make_cache(self, batch: int, capacity: int) -> KeyValueCache:
        """A cache for calls with batches of this size, of up to `capacity` positions."""
        return KeyValueCache(batch, capacity, self.kv_heads, self.head_width, dtype=self.k.kernel.dtype)

    def __call__(
        self, x: TensorLike, context: Optional[TensorLike] = None, *, mask: Optional[TensorLike] = None,
        cache: Optional[KeyValueCache] = None,
    ) -> Tensor:  # fmt: skip
        form = ("batch", "time", self.width)
        x = as_input(self, x, self.q.kernel.dtype, form)
        if context is not None and cache is not None:
            raise ValueError(f"layer '{self.name}' (MultiHeadAttention) takes a context or a cache, found both")
        if cache is not None:
            x = self._fit_cache(x, cache)
        other = x if context is None else as_input(self, context, self.q.kernel.dtype, form)
        q = self._split(self.q(x), self.heads)
        k, v = self._split(self.k(other), self.kv_heads), self._split(self.v(other), self.kv_heads)
        positions = None
        if cache is not None:
            positions = cache.length.read() + _ops.arange(_ops.dim(x, 1))
        if self.rotary is not None:
            q = functions.rotary(q, positions, base=self.rotary)
            k = functions.rotary(k, positions, base=self.rotary)
        causal = self.causal
        if cache is not None:
            k, v, positions = cache.extend(k, v)
            last = _ops.expand_dims(positions, 1) if causal else cache.length.read() - 1
            used = _ops.arange(cache.capacity) <= last
            mask = used if mask is None else _ops.logical_and(mask, used)
            causal = False
        y = self._attend(q, k, v, mask, causal)
        old = sizes(x)
        return self.o(reshape_to(_ops.swapaxes(y, 1, 2), [*old[:2], self.heads * self.head_width]))

    def _fit_cache(self, x: Tensor, cache: KeyValueCache) -> Tensor:
        """`x` with the batch of the cache. Another one that the call chooses is an error of the step."""
        wanted = (x._dims[0], self.kv_heads, cache.capacity, self.head_width)
        if cache.keys.dtype != self.k.kernel.dtype or any(
            a not in (None, b) for a, b in zip(wanted, cache.keys.shape)
        ):
            raise ValueError(f"layer '{self.name}' (MultiHeadAttention) takes a cache of "
                             f"{_dtypes.name_of(self.k.kernel.dtype)}{format_shape(wanted)}, found "
                             f"{_dtypes.name_of(cache.keys.dtype)}{format_shape(cache.keys.shape)}")  # fmt: skip
        known = _LAYERS.setdefault(cache, weakref.ref(self))()
        if known is None:
            _LAYERS[cache] = weakref.ref(self)
        elif known is not self:
            raise ValueError(f"layer '{self.name}' (MultiHeadAttention) takes a cache of its own, found that of "
                             f"'{known.name}': make one for each layer")  # fmt: skip
        batch = cache.keys.shape[0]
        expect_equal(size(x, 0), batch, f"layer '{self.name}' (MultiHeadAttention): the batch of its cache")
        return _ops.emission.stretch(x, [batch, *sizes(x)[1:]])

    def _split(self, x: Tensor, heads: int) -> Tensor:
        """[batch, heads, t, head width] of [batch, t, heads head width]."""
        old = sizes(x)
        return _ops.swapaxes(reshape_to(x, [old[0], old[1], heads, self.head_width]), 1, 2)

    def _attend(self, q: Tensor, k: Tensor, v: Tensor, mask: Optional[TensorLike], causal: bool) -> Tensor:
        queries, keys = sizes(q), sizes(k)
        if mask is not None:
            mask = _mask(self, as_tensor(mask), [*queries[:3], keys[2]])
        if self.kv_heads == self.heads:
            return ops.attention(q, k, v, mask, causal=causal)
        # Each head of keys and values beside the queries that share it.
        parts = self.heads // self.kv_heads
        lead: List[Size] = [queries[0], self.kv_heads, parts]
        k, v = (_ops.emission.stretch(_ops.expand_dims(one, 2), [*lead, *keys[2:]]) for one in (k, v))
        if isinstance(mask, Tensor):
            mask = reshape_to(mask, [*lead, queries[2], keys[2]])
        y = ops.attention(reshape_to(q, [*lead, *queries[2:]]), k, v, mask, causal=causal)
        return reshape_to(y, queries)


def _mask(layer: Module, mask: Tensor, wanted: List[Size]) -> Tensor:
    if not _dtypes.is_bool(mask.dtype):
        raise TypeError(f"layer '{layer.name}' (MultiHeadAttention) takes a mask of booleans, found "
                        f"{_dtypes.name_of(mask.dtype)}")  # fmt: skip
    known = [n if isinstance(n, int) else None for n in wanted]
    if mask.ndim > 4 or any(a not in (None, 1, b) and b is not None for a, b in zip(mask._dims[::-1], known[::-1])):
        raise ValueError(f"layer '{layer.name}' (MultiHeadAttention) takes a mask that broadcasts to "
                         f"{format_shape(tuple(known))}, found {format_shape(mask._dims)}")  # fmt: skip
    return _ops.emission.stretch(mask, wanted)
