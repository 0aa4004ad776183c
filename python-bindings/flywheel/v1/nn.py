# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.nn`: what networks are made of."""

import importlib
from typing import Any, Callable, Optional

from .. import _dtypes, _ops
from .. import nn as traced
from .conversion import as_tensor, make
from .initializers import random_uniform
from .ops import TABLE, shape, stop_gradient


def _unary(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(features: Any, name: Optional[str] = None) -> Any:
        return make(kind, function, as_tensor(features), name=name)

    return op


relu = _unary("Relu", traced.relu)
relu6 = _unary("Relu6", traced.relu6)
elu = _unary("Elu", traced.elu)
selu = _unary("Selu", traced.selu)
softplus = _unary("Softplus", traced.softplus)
softsign = _unary("Softsign", traced.softsign)
sigmoid = _unary("Sigmoid", _ops.sigmoid)
tanh = _unary("Tanh", _ops.tanh)
l2_loss = _unary("L2Loss", traced.l2_loss)


def leaky_relu(features: Any, alpha: float = 0.2, name: Optional[str] = None) -> Any:
    return make("LeakyRelu", lambda x: traced.leaky_relu(x, alpha), as_tensor(features), name=name)


def _last(axis: Any, rank: int, what: str) -> None:
    if axis not in (None, -1, rank - 1):
        raise NotImplementedError(f"flywheel.v1.nn.{what}: axis={axis}, expected the last one")


def softmax(logits: Any, axis: Any = None, name: Optional[str] = None, dim: Any = None) -> Any:
    x = as_tensor(logits)
    _last(dim if axis is None else axis, len(x.shape), "softmax")
    return make("Softmax", traced.softmax, x, name=name)


def log_softmax(logits: Any, axis: Any = None, name: Optional[str] = None, dim: Any = None) -> Any:
    x = as_tensor(logits)
    _last(dim if axis is None else axis, len(x.shape), "log_softmax")
    return make("LogSoftmax", traced.log_softmax, x, name=name)


def bias_add(value: Any, bias: Any, data_format: Any = None, name: Optional[str] = None) -> Any:
    _nhwc(data_format)
    return make("BiasAdd", _ops.add, as_tensor(value), as_tensor(bias), name=name)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: Optional[str] = None) -> Any:
    return make("xw_plus_b", lambda a, w, b: _ops.add(_ops.matmul(a, w), b), as_tensor(x), weights, biases, name=name)


def _nhwc(data_format: Any) -> None:
    if data_format not in (None, "NHWC"):
        raise NotImplementedError(f"flywheel.v1.nn: data_format='{data_format}', expected 'NHWC'")


def _inner(sizes: Any, what: str) -> Any:
    if len(sizes) != 4 or sizes[0] != 1 or sizes[3] != 1:
        raise NotImplementedError(f"flywheel.v1.nn: {what} {list(sizes)}, expected 1 for the batch and the channels")
    return [int(sizes[1]), int(sizes[2])]


def conv2d(
    input: Any, filter: Any, strides: Any = None, padding: Any = None, use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC", dilations: Any = (1, 1, 1, 1), name: Optional[str] = None,
) -> Any:  # fmt: skip
    """Cross-correlation of images with filters (X2, X3)."""
    _nhwc(data_format)
    steps, holes, border = _inner(strides, "strides"), _inner(dilations, "dilations"), padding.lower()
    return make("Conv2D", lambda x, w: traced.conv2d(x, w, strides=steps, padding=border, dilations=holes),
                as_tensor(input), as_tensor(filter), name=name)  # fmt: skip


def _pool(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(value: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NHWC", name: Any = None) -> Any:
        _nhwc(data_format)
        window, steps = _inner(ksize, "ksize"), _inner(strides, "strides")
        return make(kind, lambda x: function(x, window, strides=steps, padding=padding.lower()), as_tensor(value),
                    name=name)  # fmt: skip

    return op


max_pool = _pool("MaxPool", traced.max_pool2d)
avg_pool = _pool("AvgPool", traced.avg_pool2d)


def _named(sentinel: Any, labels: Any, logits: Any, what: str) -> None:
    if sentinel is not None or labels is None or logits is None:
        raise ValueError(f"Only call `{what}` with named arguments (labels=..., logits=..., ...)")


def softmax_cross_entropy_with_logits(
    _sentinel: Any = None, labels: Any = None, logits: Any = None, dim: int = -1, name: Optional[str] = None
) -> Any:
    """-sum(labels * log_softmax(logits)) of each row (X5); gradients do not go to the labels."""
    _named(_sentinel, labels, logits, "softmax_cross_entropy_with_logits")
    return make("softmax_cross_entropy_with_logits",
                lambda x, y: traced.softmax_cross_entropy(x, _ops.cast(y, x.dtype), reduction="none"),
                as_tensor(logits), stop_gradient(labels), name=name)  # fmt: skip


def softmax_cross_entropy_with_logits_v2(
    _sentinel: Any = None, labels: Any = None, logits: Any = None, dim: int = -1, name: Optional[str] = None
) -> Any:
    """As `softmax_cross_entropy_with_logits`, with gradients of the labels too."""
    _named(_sentinel, labels, logits, "softmax_cross_entropy_with_logits_v2")
    return make("softmax_cross_entropy_with_logits",
                lambda x, y: traced.softmax_cross_entropy(x, _ops.cast(y, x.dtype), reduction="none"),
                as_tensor(logits), as_tensor(labels), name=name)  # fmt: skip


def sparse_softmax_cross_entropy_with_logits(
    _sentinel: Any = None, labels: Any = None, logits: Any = None, name: Optional[str] = None
) -> Any:
    """-log_softmax(logits)[label] of each row."""
    _named(_sentinel, labels, logits, "sparse_softmax_cross_entropy_with_logits")
    return make("sparse_softmax_cross_entropy_with_logits",
                lambda x, y: traced.sparse_softmax_cross_entropy(x, y, reduction="none"),
                as_tensor(logits), as_tensor(labels), name=name)  # fmt: skip


def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None, labels: Any = None, logits: Any = None, name: Optional[str] = None
) -> Any:
    """Of each element."""
    _named(_sentinel, labels, logits, "sigmoid_cross_entropy_with_logits")
    return make("logistic_loss", lambda x, y: traced.sigmoid_cross_entropy(x, y, reduction="none"),
                as_tensor(logits), as_tensor(labels), name=name)  # fmt: skip


def embedding_lookup(params: Any, ids: Any, partition_strategy: str = "mod", name: Optional[str] = None) -> Any:
    """Rows of a table (X12)."""
    if isinstance(params, (list, tuple)):
        if len(params) != 1:
            raise NotImplementedError("flywheel.v1.nn.embedding_lookup: a table in several parts")
        params = params[0]
    rows = make("embedding_lookup", traced.embedding, as_tensor(params), as_tensor(ids), name=name)
    rows.op.attrs["looks_up"] = True
    return rows


def dropout(x: Any, keep_prob: Any = None, noise_shape: Any = None, seed: Any = None, name: Optional[str] = None,
            rate: Any = None) -> Any:  # fmt: skip
    """Keeps elements with a probability and divides them by it; `keep_prob` may be a tensor."""
    if noise_shape is not None:
        raise NotImplementedError("flywheel.v1.nn.dropout: noise_shape")
    x = as_tensor(x)
    keep = keep_prob if rate is None else 1 - rate
    if isinstance(keep, float) and keep == 1.0:
        return x
    sizes: Any = x.static_shape
    if sizes is None or None in sizes:
        dynamic = shape(x)
        sizes = [dynamic[i] for i in range(len(x.shape))]
    noise = random_uniform(sizes, dtype=_dtypes.float32, seed=seed)
    return make("dropout", lambda a, u, k: _ops.multiply(_ops.divide(a, _ops.cast(k, a.dtype)),
                                                         _ops.cast(_ops.less(u, k), a.dtype)),
                x, noise, as_tensor(keep), name=name, types=[(x.dtype, x.static_shape)])  # fmt: skip


def moments(x: Any, axes: Any, shift: Any = None, name: Optional[str] = None, keep_dims: bool = False) -> Any:
    """The mean and the variance over axes."""
    x = as_tensor(x)
    mean = TABLE["reduce_mean"](x, axes, keep_dims)
    kept = TABLE["reduce_mean"](x, axes, True)
    return mean, TABLE["reduce_mean"](TABLE["squared_difference"](x, kept), axes, keep_dims)


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float, name: Optional[str] = None
) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset."""
    factor = TABLE["rsqrt"](TABLE["add"](variance, variance_epsilon))
    factor = factor if scale is None else TABLE["multiply"](factor, scale)
    y = TABLE["multiply"](TABLE["subtract"](x, mean), factor)
    return y if offset is None else TABLE["add"](y, offset)


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: Optional[str] = None, dim: Any = None) -> Any:
    """x / its norm over axes."""
    axes = dim if axis is None else axis
    total = TABLE["reduce_sum"](TABLE["square"](x), axes, True)
    return TABLE["multiply"](x, TABLE["rsqrt"](TABLE["maximum"](total, epsilon)))


def in_top_k(predictions: Any, targets: Any, k: int, name: Optional[str] = None) -> Any:
    """Whether each target is among the k largest predictions."""
    def emit(p: Any, t: Any) -> Any:
        own = _ops.sum(_ops.multiply(p, _ops.one_hot(t, p.shape[1], p.dtype)), 1, True)
        larger = _ops.sum(_ops.cast(_ops.greater(p, own), _dtypes.int32), 1)
        return _ops.less(larger, k)

    return make("in_top_k", emit, as_tensor(predictions), as_tensor(targets), name=name)


def __getattr__(name: str) -> Any:
    # Cells and loops are made of what is above.
    if name == "rnn_cell":
        return importlib.import_module(".rnn_cell", __package__)
    if name in ("dynamic_rnn", "static_rnn"):
        return getattr(importlib.import_module(".rnn", __package__), name)
    raise AttributeError(f"there is no flywheel.v1.nn.{name}; see docs/v1.md")
