# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.nn`: what networks are made of."""

import importlib
from typing import Any, Callable, List, Optional

import numpy as np

from .. import _ops
from .. import nn as traced
from .._core import dtypes as _dtypes
from .._core.argument_checks import elements, text
from .._core.tensor import as_tensor as constant_of
from .._core.tensor import format_shape
from .._errors.messages import about
from .._ops import checks as _checks
from .._ops import emission as _emission
from .._ops import precision as _precision
from .conversion import as_tensor, make, static_of
from .elementwise import TABLE
from .operation import Tensor
from .ops import shape, stop_gradient
from .precision import rounds_once
from .random_ops import random_uniform
from .sizes import as_known, known_numbers

# The constants of `selu` (arXiv:1706.02515).
_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def _unary(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(features: Any, name: Optional[str] = None) -> Any:
        return make(kind, function, as_tensor(features), name=name)

    return op


relu = _unary("Relu", traced.relu)
relu6 = _unary("Relu6", traced.relu6)


@_precision.rounds_once(1)
def _elu_of(x: Any, alpha: float = 1.0) -> Any:
    """alpha (exp(x) - 1) where x < 0, of a trace. TensorFlow's second derivative at 0 is that of x, and its first one
    of another alpha that of what is left of 0."""
    if alpha == 1:
        return _ops.where(_ops.less(x, 0), traced.elu(x), x)
    # At 0 itself alpha x, which has the slope of the one side and the second derivative of the other.
    left = _ops.where(_ops.less(x, 0), traced.elu(x, alpha=alpha), _ops.multiply(x, alpha))
    return _ops.where(_ops.greater(x, 0), x, left)


@_precision.rounds_once(1)
def _selu(x: Any) -> Any:
    """TensorFlow's derivatives at 0 are those of what is right of it."""
    return _ops.where(_ops.less(x, 0), traced.selu(x), _ops.multiply(x, _SELU_SCALE))


elu = _unary("Elu", _elu_of)
selu = _unary("Selu", _selu)
softplus = _unary("Softplus", traced.softplus)
softsign = _unary("Softsign", traced.softsign)
for _name in ("relu", "relu6", "elu", "selu", "softplus", "softsign"):
    globals()[_name].__name__ = globals()[_name].__qualname__ = _name


def sigmoid(x: Any, name: Optional[str] = None) -> Any:
    return make("Sigmoid", _ops.sigmoid, as_tensor(x), name=name)


def tanh(x: Any, name: Optional[str] = None) -> Any:
    return make("Tanh", _ops.tanh, as_tensor(x), name=name)


def l2_loss(t: Any, name: Optional[str] = None) -> Any:
    """Half of the sum of squares."""
    return make("L2Loss", traced.l2_loss, as_tensor(t), name=name)


def leaky_relu(features: Any, alpha: float = 0.2, name: Optional[str] = None) -> Any:
    return make("LeakyRelu", lambda x: traced.leaky_relu(x, alpha), as_tensor(features), name=name)


def softmax(logits: Any, axis: Any = None, name: Optional[str] = None, dim: Any = None) -> Any:
    where = dim if axis is None else axis
    place = -1 if where is None else where
    return make("Softmax", lambda x: traced.softmax(x, place), as_tensor(logits), name=name)


def log_softmax(logits: Any, axis: Any = None, name: Optional[str] = None, dim: Any = None) -> Any:
    where = dim if axis is None else axis
    place = -1 if where is None else where
    return make("LogSoftmax", lambda x: traced.log_softmax(x, place), as_tensor(logits), name=name)


def bias_add(value: Any, bias: Any, data_format: Any = None, name: Optional[str] = None) -> Any:
    """The values with one number for each channel, those of the last dimension."""
    _nhwc(data_format)
    return make("BiasAdd", _with_bias, as_tensor(value), as_tensor(bias), name=name)


def _with_bias(x: Any, b: Any) -> Any:
    what = f"bias_add: a bias of shape {format_shape(b._dims)} for values of shape {format_shape(x._dims)}"
    if b.ndim != 1 or x.ndim < 2:
        raise about(what, ValueError("expected a vector, and values of two dimensions or more"))
    _checks.expect_equal(_emission.size(b, 0), _emission.size(x, x.ndim - 1), what)
    return _ops.add(x, b)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: Optional[str] = None) -> Any:
    return make("xw_plus_b", lambda a, w, b: _ops.add(_ops.matmul(a, w), b), as_tensor(x), weights, biases, name=name)


def _nhwc(data_format: Any) -> None:
    if data_format not in (None, "NHWC"):
        raise about("flywheel.v1.nn", NotImplementedError(f"data_format='{data_format}', expected 'NHWC'"))


def _inner(sizes: Any, what: str) -> Any:
    sizes = elements(what, sizes)
    if len(sizes) != 4 or sizes[0] != 1 or sizes[3] != 1:
        raise about("flywheel.v1.nn", NotImplementedError(f"{what} {list(sizes)}, expected 1 for the batch and the "
                                                          "channels"))  # fmt: skip
    return [int(sizes[1]), int(sizes[2])]


def conv2d(
    input: Any, filter: Any, strides: Any = None, padding: Any = None, use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC", dilations: Any = (1, 1, 1, 1), name: Optional[str] = None,
) -> Any:  # fmt: skip
    """Cross-correlation of images with filters (X2, X3)."""
    _nhwc(data_format)
    steps, holes, border = _inner(strides, "strides"), _inner(dilations, "dilations"), _border(padding)
    return make("Conv2D", lambda x, w: traced.conv2d(x, w, strides=steps, padding=border, dilations=holes),
                as_tensor(input), as_tensor(filter), name=name)  # fmt: skip


def _pool(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(value: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NHWC", name: Any = None) -> Any:
        _nhwc(data_format)
        window, steps, border = _inner(ksize, "ksize"), _inner(strides, "strides"), _border(padding)
        return make(kind, lambda x: function(x, window, strides=steps, padding=border), as_tensor(value),
                    name=name)  # fmt: skip

    return op


max_pool = _pool("MaxPool", traced.max_pool2d)
avg_pool = _pool("AvgPool", traced.avg_pool2d)
max_pool.__name__ = max_pool.__qualname__ = "max_pool"
avg_pool.__name__ = avg_pool.__qualname__ = "avg_pool"


def _named(sentinel: Any, labels: Any, logits: Any, what: str) -> None:
    if sentinel is not None or labels is None or logits is None:
        raise about(what, ValueError(f"Only call `{what}` with named arguments (labels=..., logits=..., ...)"), None)


def _cross_entropy(logits: Any, labels: Any, dim: int, name: Optional[str]) -> Any:
    def emit(x: Any, y: Any) -> Any:
        _checks.expect_alike("softmax_cross_entropy_with_logits", x, y)
        rows = [_ops.moveaxis(z, dim, -1) for z in (x, _ops.cast(y, x.dtype))]
        return traced.softmax_cross_entropy(*rows, reduction="none")

    return make("softmax_cross_entropy_with_logits", emit, logits, labels, name=name)


def softmax_cross_entropy_with_logits(
    _sentinel: Any = None, labels: Any = None, logits: Any = None, dim: int = -1, name: Optional[str] = None,
    axis: Optional[int] = None,
) -> Any:  # fmt: skip
    """-sum(labels * log_softmax(logits)) of each row (X5); gradients do not go to the labels."""
    _named(_sentinel, labels, logits, "softmax_cross_entropy_with_logits")
    return _cross_entropy(as_tensor(logits), stop_gradient(labels), dim if axis is None else axis, name)


def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: Optional[int] = None, name: Optional[str] = None, dim: Optional[int] = None
) -> Any:
    """As `softmax_cross_entropy_with_logits`, with gradients of the labels too. `dim` is the older name of `axis`."""
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'dim' and 'axis'.")
    place = next((one for one in (axis, dim) if one is not None), -1)
    return _cross_entropy(as_tensor(logits), as_tensor(labels), place, name)


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
    """The sigmoid cross entropy of each element."""
    _named(_sentinel, labels, logits, "sigmoid_cross_entropy_with_logits")

    def emit(x: Any, y: Any) -> Any:
        _checks.expect_alike("sigmoid_cross_entropy_with_logits", x, y)
        return traced.sigmoid_cross_entropy(x, y, reduction="none")

    return make("logistic_loss", emit, as_tensor(logits), as_tensor(labels), name=name)


def embedding_lookup(params: Any, ids: Any, partition_strategy: str = "mod", name: Optional[str] = None) -> Any:
    """Rows of a table (X12); of one in parts, row i is row i // n of part i % n ("mod"), or the parts are in a row
    ("div")."""
    if isinstance(params, (list, tuple)) and len(params) > 1:
        return _lookup_in_parts([as_tensor(p) for p in params], as_tensor(ids), partition_strategy, name)
    params = params[0] if isinstance(params, (list, tuple)) else params
    rows = make("embedding_lookup", traced.embedding, as_tensor(params), as_tensor(ids), name=name)
    rows.op.fields = rows.op.fields._replace(looks_up=True)
    return rows


def _lookup_in_parts(parts: List[Any], ids: Any, strategy: str, name: Optional[str]) -> Any:
    if strategy not in ("mod", "div"):
        raise ValueError(f"Unrecognized partition strategy: {strategy}")
    sizes = [p.static_shape[0] if p.static_shape else None for p in parts]
    if None in sizes:
        raise about("embedding_lookup", ValueError("the parts of a table have a known number of rows"))
    starts = np.concatenate([[0], np.cumsum([n or 0 for n in sizes])[:-1]])

    def emit(*operands: Any) -> Any:
        *tables, i = operands
        row = i
        if strategy == "mod":
            count = len(tables)
            row = _ops.add(_ops.take(starts.astype(i.dtype), _ops.mod(i, count), 0), _ops.floor_divide(i, count))
        return _ops.take(_ops.concatenate(tables, 0), row, 0)

    return make("embedding_lookup", emit, *parts, ids, name=name)


def dropout(x: Any, keep_prob: Any = None, noise_shape: Any = None, seed: Any = None, name: Optional[str] = None,
            rate: Any = None) -> Any:  # fmt: skip
    """Keeps elements with a probability and divides them by it; `keep_prob` may be a tensor. If a dimension of
    `noise_shape` is 1, the elements along it are kept or dropped together."""
    x = as_tensor(x)
    if keep_prob is None and rate is None:
        raise about("dropout", ValueError("You must provide a rate to dropout."), None)
    if not _dtypes.is_floating(x.dtype):
        raise ValueError(f"x has to be a floating point tensor since it's going to be scaled. Got {x!r}.")
    keep = keep_prob if rate is None else 1 - rate
    if isinstance(keep, (int, float)) and not 0 < keep <= 1:
        raise about("dropout", ValueError(f"keep_prob must be a number in the range (0, 1], got {keep}"))
    if isinstance(keep, (int, float)) and keep == 1:
        return x
    sizes: Any = x.static_shape
    if sizes is None or None in sizes:
        dynamic = shape(x)
        sizes = [dynamic[i] for i in range(len(x.shape))]
    if noise_shape is not None:
        given = noise_shape if isinstance(noise_shape, (list, tuple)) else [noise_shape[i] for i in range(len(sizes))]
        sizes = [own if one is None else one for own, one in zip(sizes, given)]
    noise = random_uniform(sizes, dtype=_dtypes.float32, seed=seed)
    return make("dropout", lambda a, u, k: _ops.multiply(_ops.divide(a, _ops.cast(k, a.dtype)),
                                                         _ops.cast(_ops.less(u, k), a.dtype)),
                x, noise, as_tensor(keep), name=name, types=[(x.dtype, x.static_shape)])  # fmt: skip


@rounds_once
def moments(x: Any, axes: Any, shift: Any = None, name: Optional[str] = None, keep_dims: bool = False) -> Any:
    """The mean and the variance over axes. `shift` has no effect."""
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


def in_top_k(predictions: Any, targets: Any, k: int, name: Optional[str] = None) -> Any:
    """True if each target is among the k largest predictions."""
    def emit(p: Any, t: Any) -> Any:
        what = f"in_top_k: targets of shape {format_shape(t._dims)} for predictions of shape {format_shape(p._dims)}"
        if p.ndim != 2 or t.ndim != 1:
            raise about(what, ValueError("expected a vector, and a matrix"))
        _checks.expect_equal(_emission.size(t, 0), _emission.size(p, 0), what)
        is_own = _ops.one_hot(t, p._dims[1], _dtypes.bool_)
        own = _ops.sum(_ops.where(is_own, p, _ops.zeros_like(p)), 1, True)
        larger = _ops.sum(_ops.cast(_ops.greater(p, own), _dtypes.int32), 1)
        # Nobody can say it of numbers that have no order, or of a class that is none.
        is_known = _ops.logical_and(_ops.all(_ops.isfinite(p), 1), _ops.any(is_own, 1))
        return _ops.logical_and(_ops.less(larger, k), is_known)

    return make("in_top_k", emit, as_tensor(predictions), as_tensor(targets), name=name)


def conv1d(
    value: Any, filters: Any, stride: Any = 1, padding: str = "SAME", use_cudnn_on_gpu: Any = None,
    data_format: Any = None, name: Optional[str] = None,
) -> Any:  # fmt: skip
    """Cross-correlation along time: an image of height 1."""
    if data_format not in (None, "NWC", "NHWC"):
        raise about("flywheel.v1.nn.conv1d", NotImplementedError(f"data_format='{data_format}'"))

    def emit(x: Any, w: Any) -> Any:
        found = traced.conv2d(_ops.expand_dims(x, 1), _ops.expand_dims(w, 0), strides=[1, int(stride)],
                              padding=_border(padding), dilations=[1, 1])  # fmt: skip
        return _ops.squeeze(found, 1)

    return make("Conv1D", emit, as_tensor(value), as_tensor(filters), name=name)


def _border(padding: str) -> Any:
    return text("padding", padding).lower()


def atrous_conv2d(value: Any, filters: Any, rate: int, padding: str, name: Optional[str] = None) -> Any:
    """`conv2d` with holes between the elements of the filter."""
    return conv2d(value, filters, [1, 1, 1, 1], padding, dilations=[1, rate, rate, 1], name=name)


def depthwise_conv2d(
    input: Any, filter: Any, strides: Any, padding: str, rate: Any = None, name: Optional[str] = None,
    data_format: Any = None,
) -> Any:  # fmt: skip
    """Each channel by filters of its own: [height, width, channels, multiplier]."""
    _nhwc(data_format)
    steps, holes = _inner(strides, "strides"), [1, 1] if rate is None else list(rate)

    def emit(x: Any, w: Any) -> Any:
        _checks.expect_rank("depthwise_conv2d: filter", w, 4)
        height, width, channels, times = w._dims
        _checks.expect_equal(_emission.size(x, 3), channels, f"depthwise_conv2d: channels of an input of shape "
                             f"{format_shape(x._dims)}, with a filter of shape {format_shape(w._dims)}")  # fmt: skip
        grouped = _ops.reshape(w, [height, width, 1, channels * times])
        return traced.conv2d(x, grouped, strides=steps, padding=_border(padding), dilations=holes)

    return make("depthwise", emit, as_tensor(input), as_tensor(filter), name=name)


def separable_conv2d(
    input: Any, depthwise_filter: Any, pointwise_filter: Any, strides: Any, padding: str, rate: Any = None,
    name: Optional[str] = None, data_format: Any = None,
) -> Any:  # fmt: skip
    """`depthwise_conv2d`, then a mixture of channels at each place."""
    inner = depthwise_conv2d(input, depthwise_filter, strides, padding, rate, data_format=data_format)
    return conv2d(inner, pointwise_filter, [1, 1, 1, 1], "VALID", name=name)


def conv2d_transpose(
    value: Any, filter: Any, output_shape: Any, strides: Any, padding: str = "SAME", data_format: str = "NHWC",
    name: Optional[str] = None,
) -> Any:  # fmt: skip
    """The transpose of `conv2d`, whose filter is [height, width, outputs, inputs]. If the height and width of the
    result are computed, each of them is a program."""
    _nhwc(data_format)
    steps = _inner(strides, "strides")
    x, w = as_tensor(value), as_tensor(filter)
    goal = output_shape.as_list() if hasattr(output_shape, "as_list") else output_shape
    given = as_tensor(goal).op if isinstance(goal, Tensor) else None
    if given is not None and given.type in ("stack", "Pack") and len(given.inputs) == 4:
        goal = list(given.inputs)
    elif given is not None and given.fields.literal is not None:
        goal = given.fields.literal.tolist()
    if isinstance(goal, Tensor):
        parts = [goal[1], goal[2]]
    else:
        parts = [static_of(one) for one in list(goal)[1:3]]
    if not any(isinstance(one, Tensor) for one in parts):
        high, wide = (int(one) for one in parts)
        return make("conv2d_transpose", lambda x, w: transposed(x, w, steps, [high, wide], padding), x, w, name=name)
    sizes = as_known(parts)
    depth = None if w.static_shape is None else w.static_shape[2]
    types = [(x.dtype, (None if x.static_shape is None else x.static_shape[0], None, None, depth))]
    return make("conv2d_transpose", lambda x, w, n: transposed(x, w, steps, known_numbers(n), padding), x, w, sizes,
                name=name, types=types)  # fmt: skip


def transposed(x: Any, w: Any, steps: Any, goal: Any, padding: str) -> Any:
    """A transposed convolution of a trace, with a result of this height and width."""
    kernel = list(w._dims[:2])
    same = _border(padding) == "same"
    for n, k, s, m in zip(goal, kernel, steps, x._dims[1:3]):
        expected = -(-n // s) if same else -(-(n - k + 1) // s)
        if m is not None and m != expected:
            raise about("conv2d_transpose", ValueError(f"an image of {list(goal)} comes from one of {expected}, found "
                                                       f"{m}"))  # fmt: skip
    like = _ops.zeros([_ops.dim(x, 0), *goal, w._dims[2]], x.dtype)
    return traced.conv2d_transpose(x, w, like, strides=steps, padding=_border(padding))


def weighted_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, pos_weight: Any = None, name: Optional[str] = None, targets: Any = None
) -> Any:
    """As `sigmoid_cross_entropy_with_logits`, with this weight for what is true."""

    def emit(x: Any, z: Any, q: Any) -> Any:
        _checks.expect_alike("weighted_cross_entropy_with_logits", x, z)
        factor = _ops.add(1, _ops.multiply(_ops.subtract(q, 1), z))
        log = traced.softplus(_ops.negative(x))
        return _ops.add(_ops.multiply(_ops.subtract(1, z), x), _ops.multiply(factor, log))

    wanted = labels if targets is None else targets
    return make("logistic_loss", emit, as_tensor(logits), as_tensor(wanted), pos_weight, name=name)


def crelu(features: Any, name: Optional[str] = None, axis: int = -1) -> Any:
    """relu of the features and of their negatives, side by side."""
    return make("CRelu", lambda x: _ops.concatenate([traced.relu(x), traced.relu(_ops.negative(x))], axis),
                as_tensor(features), name=name)  # fmt: skip


swish = _unary("Swish", traced.silu)


def zero_fraction(value: Any, name: Optional[str] = None) -> Any:
    """The share of elements that are 0 (M4)."""
    return make("ZeroFraction", lambda x: _ops.mean(_ops.cast(_ops.equal(x, 0), _dtypes.float32)), as_tensor(value),
                name=name)  # fmt: skip


def local_response_normalization(
    input: Any, depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5,
    name: Optional[str] = None,
) -> Any:  # fmt: skip
    """x / (bias + alpha * sum of squares of near channels) ** beta."""

    def emit(x: Any) -> Any:
        _checks.expect_rank("local_response_normalization", x, 1)
        count = x._dims[-1]
        if count is None:
            raise about("local_response_normalization", ValueError("the number of channels must be known"))
        places = np.arange(count)
        near = (np.abs(places[:, None] - places) <= depth_radius).astype(np.float64)
        sums = _ops.matmul(_ops.square(x), constant_of(near, x.dtype))
        return _ops.divide(x, _ops.power(_ops.add(bias, _ops.multiply(alpha, sums)), beta))

    return make("LRN", _precision.rounds_once()(emit), as_tensor(input), name=name)


lrn = local_response_normalization


def __getattr__(name: str) -> Any:
    # Names of modules that are built on this one.
    for module in PARTS:
        found = _module(module)
        if module == name or name in getattr(found, "NN", ()) or module == "nn_convolutions" and name in found.__all__:
            return found if module == name else getattr(found, name)
    from .namespaces import missing

    raise missing(f"nn.{name}")


def __dir__() -> List[str]:
    own = [name for name, value in globals().items() if getattr(value, "__module__", "") == __name__]
    more = [name for module in PARTS[1:] for name in getattr(_module(module), "NN", ())]
    return sorted(name for name in [*own, *more, *_module("nn_convolutions").__all__] if not name.startswith("_"))


def _module(name: str) -> Any:
    return importlib.import_module(f".{name}", __package__)


# Modules whose names this one has, too.
PARTS = ("rnn_cell", "rnn", "candidates", "ordering", "nn_convolutions", "nn_windows", "arrays", "norms", "ctc",
         "ctc_sparse", "sparse_ops", "sparse_shapes", "rnn_steps")
