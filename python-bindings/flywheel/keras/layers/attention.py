# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention."""

from typing import Any, List, Optional

from ... import _ops
from ... import nn as _traced
from ..._core import dtypes as _dtypes
from ..._errors.messages import about
from ...v1.conversion import as_tensor, make
from .. import backend as K
from .. import constraints, initializers, regularizers
from ..engine.topology import Layer, to_list
from ._weighted import count_of


def _heads(x: Any, w: Any, b: Any) -> Any:
    """[batch, steps, features] by a kernel [features, heads, size] and a bias [heads, size], or none:
    [batch, heads, steps, size]."""
    y = _ops.einsum("btf,fhd->bhtd", x, w)
    return y if b is None else y + _ops.expand_dims(b, 1)


class MultiHeadAttention(Layer):
    """Attention of several heads (Vaswani and others, Attention Is All You Need, 2017), as Keras 3 computes it.

    A call takes the queries [batch, t, features] and the values [batch, s, features], and keys if they are others:
    `layer(query, value, key=None)`. `attention_mask` [batch, t, s], or what broadcasts to it, says which values a query
    attends to; with `use_causal_mask` it attends to none after its own place.
    """

    supports_masking = True
    arguments = (
        "num_heads", "key_dim", "value_dim", "dropout", "use_bias", "kernel_initializer", "bias_initializer",
        "kernel_regularizer", "bias_regularizer", "kernel_constraint", "bias_constraint",
    )  # fmt: skip
    _output_size: Optional[int]

    def __init__(
        self, num_heads: int, key_dim: int, value_dim: Optional[int] = None, dropout: float = 0.0,
        use_bias: bool = True, output_shape: Any = None, attention_axes: Any = None,
        kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
        bias_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        for name in ("flash_attention", "seed", "activity_regularizer"):
            if kwargs.pop(name, None) is not None:
                raise about("flywheel.keras.layers.MultiHeadAttention", NotImplementedError(f"{name}"))
        if attention_axes is not None:
            raise about("flywheel.keras.layers.MultiHeadAttention", NotImplementedError("attention_axes"))
        super().__init__(**kwargs)
        self.num_heads, self.key_dim = count_of(num_heads, "num_heads"), count_of(key_dim, "key_dim")
        self.value_dim = self.key_dim if value_dim is None else count_of(value_dim, "value_dim")
        if not 0 <= dropout < 1:
            raise ValueError(f"expected a dropout within [0, 1), found {dropout}")
        self.dropout, self.use_bias = dropout, use_bias
        if isinstance(output_shape, (list, tuple)):
            if len(output_shape) != 1:
                raise about("flywheel.keras.layers.MultiHeadAttention", NotImplementedError(
                    f"output_shape={output_shape}"))  # fmt: skip
            output_shape = output_shape[0]
        self._output_size = None if output_shape is None else count_of(output_shape, "output_shape")
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)

    def get_config(self) -> Any:
        # An attribute `output_shape` is that of the output.
        return {**super().get_config(), "output_shape": self._output_size}

    def build(self, input_shape: Any) -> None:
        query, value, *key = input_shape
        features = [query[-1], (key[0] if key else value)[-1], value[-1]]
        if any(len(shape) != 3 for shape in input_shape) or None in features:
            raise ValueError(f"layer {self.name} takes queries and values [batch, steps, features], found "
                             f"{list(input_shape)}")  # fmt: skip
        self._kernels: List[Any] = []
        self._biases: List[Any] = []
        sizes = [self.key_dim, self.key_dim, self.value_dim]
        for what, n, size in zip(("query", "key", "value"), features, sizes):
            self._make(what, (n, self.num_heads, size), (self.num_heads, size))
        outputs = query[-1] if self._output_size is None else self._output_size
        self._make("attention_output", (self.num_heads, self.value_dim, outputs), (outputs,))
        self.built = True

    def _make(self, what: str, shape: Any, bias_shape: Any) -> None:
        self._kernels.append(self.add_weight(f"{what}_kernel", shape, None, self.kernel_initializer,
                                             self.kernel_regularizer, True, self.kernel_constraint))  # fmt: skip
        self._biases.append(self.add_weight(f"{what}_bias", bias_shape, None, self.bias_initializer,
                                            self.bias_regularizer, True, self.bias_constraint)
                            if self.use_bias else None)  # fmt: skip

    def __call__(self, inputs: Any = None, value: Any = None, key: Any = None, **kwargs: Any) -> Any:
        query = kwargs.pop("query", inputs)
        if value is None and not isinstance(query, (list, tuple)):
            raise ValueError(f"layer {self.name} takes queries and values: layer(query, value)")
        given = to_list(query) if value is None else [query, value, *([] if key is None else [key])]
        return super().__call__(given, **kwargs)

    def call(
        self, inputs: Any, attention_mask: Any = None, return_attention_scores: bool = False, training: Any = None,
        use_causal_mask: bool = False, mask: Any = None, **kwargs: Any,
    ) -> Any:  # fmt: skip
        query, value, *key = [as_tensor(x) for x in inputs]
        if return_attention_scores:
            raise about("flywheel.keras.layers.MultiHeadAttention", NotImplementedError("return_attention_scores"))
        attended = self._attend(query, key[0] if key else value, value, attention_mask, mask, use_causal_mask, training)
        given = [w for w in (self._kernels[3], self._biases[3]) if w is not None]

        def project(x: Any, w: Any, *bias: Any) -> Any:
            y = _ops.einsum("bhtd,hdo->bto", x, w)
            return y + bias[0] if bias else y

        return make("attention_output", project, attended, *given)

    def _attend(self, query: Any, key: Any, value: Any, given: Any, own: Any, is_causal: bool, training: Any) -> Any:
        weights = [*self._kernels[:3], *[b for b in self._biases[:3] if b is not None]]
        masks = [as_tensor(m) for m in (given, *self._own_masks(own)) if m is not None]
        places = [i for i, m in enumerate((given, *self._own_masks(own))) if m is not None]

        def parts(tensors: Any) -> Any:
            q, k, v, *more = tensors
            kernels, left = more[:3], list(more[3:])
            biases = [left.pop(0) if b is not None else None for b in self._biases[:3]]
            q, k, v = (_heads(x, w, b) for x, w, b in zip((q, k, v), kernels, biases))
            return q, k, v, _mask_of(q, k, dict(zip(places, left)))

        if not self.dropout:
            def emit(*tensors: Any) -> Any:
                q, k, v, mask = parts(tensors)
                return _traced.attention(q, k, v, mask, causal=is_causal)

            return make("attention", emit, query, key, value, *weights, *masks)

        def scores(*tensors: Any) -> Any:
            q, k, _, mask = parts(tensors)
            found = _ops.einsum("bhtd,bhsd->bhts", q, k) * (1.0 / float(self.key_dim) ** 0.5)
            if is_causal:
                steps = _ops.arange(_ops.dim(q, 2))
                behind = _ops.less_equal(_ops.arange(_ops.dim(k, 2)), _ops.expand_dims(steps, -1))
                mask = behind if mask is None else _ops.logical_and(mask, behind)
            if mask is not None:
                found = _ops.where(mask, found, -1e9)
            return _traced.softmax(found)

        def weigh(shares: Any, *tensors: Any) -> Any:
            return _ops.einsum("bhts,bhsd->bhtd", shares, parts(tensors)[2])

        shares = make("attention_scores", scores, query, key, value, *weights, *masks)
        dropped = K.in_train_phase(lambda: K.dropout(shares, self.dropout), shares, training)
        return make("attention", weigh, dropped, query, key, value, *weights, *masks)

    def _own_masks(self, own: Any) -> List[Any]:
        """Returns the masks of the queries, the values and the keys."""
        found = to_list(own) if own is not None else []
        return [*found, *[None] * (3 - len(found))]

    def compute_output_shape(self, input_shape: Any) -> Any:
        query = input_shape[0]
        return (*query[:-1], query[-1] if self._output_size is None else self._output_size)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return to_list(mask)[0] if mask is not None else None


def _mask_of(q: Any, k: Any, masks: Any) -> Any:
    """[batch, heads, t, s] of all masks: the given one, and those of queries, values and keys [batch, steps]."""
    found: Any = None
    for place, mask in masks.items():
        one = _ops.cast(mask, _dtypes.bool_)
        if place == 0:
            while one.ndim < 3:
                one = _ops.expand_dims(one, 0)
            one = _ops.expand_dims(one, 1) if one.ndim == 3 else one
        elif place == 1:
            one = _ops.reshape(one, [_ops.dim(one, 0), 1, _ops.dim(one, 1), 1])
        else:
            one = _ops.reshape(one, [_ops.dim(one, 0), 1, 1, _ops.dim(one, 1)])
        found = one if found is None else _ops.logical_and(found, one)
    if found is None:
        return None
    return _ops.broadcast_to(found, [_ops.dim(q, 0), _ops.dim(q, 1), _ops.dim(q, 2), _ops.dim(k, 2)])
