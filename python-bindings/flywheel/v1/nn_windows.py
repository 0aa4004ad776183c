# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.nn`: pools of one and two dimensions, transposes of convolutions, dilations, and derivatives of convolutions."""

from typing import Any, Callable, Optional, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.argument_checks import text
from .._errors.messages import about
from .conversion import as_tensor, make
from .derivatives import gradients
from .image_windows import _windows
from .nn import _inner, _nhwc, avg_pool, conv2d, conv2d_transpose, depthwise_conv2d, max_pool
from .nn_convolutions import conv3d
from .ops import expand_dims, matmul, squeeze, zeros


def _of_time(values: Any) -> int:
    given = [values] if isinstance(values, int) else [int(n) for n in values]
    return given[0] if len(given) == 1 else given[1]


def _pool1d(kind: str, pool: Callable[..., Any]) -> Callable[..., Any]:
    def op(
        input: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NWC", name: Optional[str] = None
    ) -> Any:
        if data_format != "NWC":
            raise about(f"flywheel.v1.nn.{kind}", NotImplementedError(f"data_format='{data_format}', expected 'NWC'"))
        image = expand_dims(as_tensor(input), 1)
        found = pool(image, [1, 1, _of_time(ksize), 1], [1, 1, _of_time(strides), 1], padding)
        return squeeze(found, 1, name)

    op.__name__ = op.__qualname__ = kind
    op.__doc__ = "Pools of windows of sequences [batch, time, channels]."
    return op


max_pool1d, avg_pool1d = _pool1d("max_pool1d", max_pool), _pool1d("avg_pool1d", avg_pool)


def _square(values: Any) -> Any:
    given = [values] * 2 if isinstance(values, int) else list(values)
    return [1, *given, 1] if len(given) == 2 else [1, given[0], given[0], 1] if len(given) == 1 else given


def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NHWC", name: Optional[str] = None
) -> Any:
    """See `max_pool`; sizes may be one or two numbers."""
    return max_pool(input, _square(ksize), _square(strides), padding, data_format, name)


def avg_pool2d(
    value: Any = None, ksize: Any = None, strides: Any = None, padding: Any = None, data_format: str = "NHWC",
    name: Optional[str] = None, input: Any = None,
) -> Any:  # fmt: skip
    """See `avg_pool`; sizes may be one or two numbers. `input` is another name of `value`."""
    return avg_pool(value if input is None else input, _square(ksize), _square(strides), padding, data_format, name)


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    Targmax: Any = _dtypes.int64,  # noqa: N803
    name: Optional[str] = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> Tuple[Any, Any]:
    """The largest elements of windows, and their places in the image [height, width, channels] in a row, or with
    `include_batch_in_index` in all images."""
    _nhwc(data_format)
    window, steps = _inner(ksize, "ksize"), _inner(strides, "strides")
    kind = Targmax if output_dtype is None else output_dtype

    def emit(x: Any) -> Any:
        high, wide, channels = x._dims[1:]
        if None in (high, wide, channels):
            raise about("max_pool_with_argmax", ValueError("the sizes of images must be known"))
        count = window[0] * window[1]

        def by_window(v: Any) -> Any:
            found = _windows(v, window, steps, [1, 1], padding)
            rows, columns = found._dims[1:3]
            return _ops.reshape(found, [-1, rows, columns, count, channels])

        low = -_dtypes.largest(x.dtype)
        # Places of padding have no number.
        numbers = np.arange(1, high * wide * channels + 1, dtype=np.int64).reshape(1, high, wide, channels)
        places = _ops.subtract(by_window(_ops.add(_ops.zeros_like(x[:1], np.int64), numbers)), 1)
        is_there = _ops.greater_equal(places, 0)
        values = _ops.where(is_there, by_window(x), low)
        best = _ops.argmax(values, 3)
        chosen = _ops.expand_dims(best, 3)
        found = _ops.squeeze(_ops.take_along_axis(values, chosen, 3), 3)
        wide_places = _ops.broadcast_to(places, [_ops.dim(x, 0), *places._dims[1:]])
        place = _ops.squeeze(_ops.take_along_axis(wide_places, chosen, 3), 3)
        if include_batch_in_index:
            batch = _ops.reshape(_ops.arange(_ops.dim(x, 0), dtype=np.int64), [-1, 1, 1, 1])
            place = _ops.add(place, _ops.multiply(batch, high * wide * channels))
        return found, _ops.cast(place, kind)

    return tuple(make("MaxPoolWithArgmax", emit, as_tensor(input), name=name))


def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str = "NWC",
    dilations: Any = None,
    name: Optional[str] = None,
) -> Any:
    """The transpose of `conv1d`, whose filter is [width, outputs, inputs]."""
    if data_format != "NWC" or dilations not in (None, 1, [1]):
        raise about("flywheel.v1.nn.conv1d_transpose", NotImplementedError("data_format and dilations"))
    sizes = [int(n) for n in np.asarray(output_shape).reshape(-1)]
    found = conv2d_transpose(
        expand_dims(as_tensor(input), 1),
        expand_dims(as_tensor(filters), 0),
        [sizes[0], 1, *sizes[1:]],
        [1, 1, _of_time(strides), 1],
        padding,
    )
    return squeeze(found, 1, name)


def _derivative(kind: str, function: Callable[..., Any], x: Any, w: Any, y: Any, of_filter: bool, name: Any) -> Any:
    """The derivative of a convolution with respect to its input or to its filter, for derivatives y of its result. It
    is linear in each of them: the one that is asked for may be zeros."""
    found = gradients(function(x, w), w if of_filter else x, grad_ys=y)[0]
    return make(kind, lambda v: v, found, name=name)


def _zeros_of(sizes: Any, like: Any) -> Any:
    """Zeros of sizes that are known, in the dtype of another tensor."""
    literal = sizes.op.fields.literal if hasattr(sizes, "op") else sizes
    if literal is None:
        raise about("flywheel.v1.nn", NotImplementedError("derivatives of convolutions for sizes that are computed"))
    return zeros([int(n) for n in np.asarray(literal)], as_tensor(like).dtype)


def _backprops(kind: str, function: Callable[..., Any]) -> Tuple[Callable[..., Any], Callable[..., Any]]:
    def of_input(
        input_sizes: Any,
        filter: Any,
        out_backprop: Any,
        strides: Any,
        padding: str,
        data_format: str = "NHWC",
        dilations: Any = (1, 1, 1, 1),
        name: Optional[str] = None,
    ) -> Any:
        x = _zeros_of(input_sizes, filter)
        return _derivative(
            f"{kind}BackpropInput",
            lambda a, b: function(a, b, strides, padding, data_format, dilations),
            x,
            as_tensor(filter),
            as_tensor(out_backprop),
            False,
            name,
        )

    def of_filter(
        input: Any,
        filter_sizes: Any,
        out_backprop: Any,
        strides: Any,
        padding: str,
        data_format: str = "NHWC",
        dilations: Any = (1, 1, 1, 1),
        name: Optional[str] = None,
    ) -> Any:
        w = _zeros_of(filter_sizes, input)
        return _derivative(
            f"{kind}BackpropFilter",
            lambda a, b: function(a, b, strides, padding, data_format, dilations),
            as_tensor(input),
            w,
            as_tensor(out_backprop),
            True,
            name,
        )

    return of_input, of_filter


depthwise_conv2d_backprop_input, depthwise_conv2d_backprop_filter = _backprops(
    "DepthwiseConv2dNative", lambda a, b, s, p, f, d: depthwise_conv2d(a, b, s, p, list(d)[1:3], data_format=f)
)
depthwise_conv2d_native_backprop_input = depthwise_conv2d_backprop_input
depthwise_conv2d_native_backprop_filter = depthwise_conv2d_backprop_filter


def depthwise_conv2d_native(
    input: Any,
    filter: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: Optional[str] = None,
) -> Any:
    """See `depthwise_conv2d`."""
    return depthwise_conv2d(input, filter, strides, padding, list(dilations)[1:3], name, data_format)


def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: Optional[str] = None,
    filters: Any = None,
) -> Any:
    """The derivative of `conv2d` with respect to its input, of these sizes."""
    w = as_tensor(filter if filters is None else filters)
    return _derivative(
        "Conv2DBackpropInput",
        lambda a, b: conv2d(a, b, strides, padding, True, data_format, dilations),
        _zeros_of(input_sizes, w),
        w,
        as_tensor(out_backprop),
        False,
        name,
    )


def conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: Optional[str] = None,
) -> Any:
    """The derivative of `conv2d` with respect to its filter, of these sizes."""
    return _derivative(
        "Conv2DBackpropFilter",
        lambda a, b: conv2d(a, b, strides, padding, True, data_format, dilations),
        as_tensor(input),
        _zeros_of(filter_sizes, input),
        as_tensor(out_backprop),
        True,
        name,
    )


def conv3d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: Optional[str] = None,
) -> Any:
    """The derivative of `conv3d` with respect to its filter, of these sizes."""
    return _derivative(
        "Conv3DBackpropFilterV2",
        lambda a, b: conv3d(a, b, strides, padding, data_format, dilations),
        as_tensor(input),
        _zeros_of(filter_sizes, input),
        as_tensor(out_backprop),
        True,
        name,
    )


conv3d_backprop_filter_v2 = conv3d_backprop_filter


def conv3d_transpose(
    value: Any,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    name: Optional[str] = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """The transpose of `conv3d`, whose filter is [depth, height, width, outputs, inputs]."""
    if dilations not in (None, 1, [1, 1, 1, 1, 1], (1, 1, 1, 1, 1)):
        raise about("flywheel.v1.nn.conv3d_transpose", NotImplementedError("dilations"))
    y = as_tensor(value if input is None else input)
    w = as_tensor(filter if filters is None else filters)
    sizes = [int(n) for n in np.asarray(output_shape).reshape(-1)]
    like = make("zeros", lambda v: _ops.zeros([_ops.dim(v, 0), *sizes[1:]], v.dtype), y)
    steps = [1, *([strides] * 3 if isinstance(strides, int) else strides), 1]
    steps = steps[1:-1] if len(steps) == 7 else steps
    return _derivative(
        "Conv3DBackpropInputV2", lambda a, b: conv3d(a, b, steps, padding, data_format), like, w, y, False, name
    )


def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: Any = None,
    dilations: Any = None,
    name: Optional[str] = None,
) -> Any:
    """The transpose of a convolution of sequences, images or volumes."""
    rank = len(as_tensor(input).shape) - 2
    if data_format not in (None, "NWC", "NHWC", "NDHWC") or dilations not in (None, 1):
        raise about("flywheel.v1.nn.conv_transpose", NotImplementedError("channels first, and dilations"))
    steps = [strides] * rank if isinstance(strides, int) else list(strides)
    steps = steps if len(steps) == rank + 2 else [1, *steps, 1]
    if rank == 1:
        return conv1d_transpose(input, filters, output_shape, steps, padding, name=name)
    if rank == 2:
        return conv2d_transpose(input, filters, output_shape, steps, padding, name=name)
    return conv3d_transpose(input, filters, output_shape, steps, padding, name=name)


def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: int, padding: str, name: Optional[str] = None
) -> Any:
    """The transpose of `atrous_conv2d`, whose filter is [height, width, outputs, inputs]."""
    y, w = as_tensor(value), as_tensor(filters)
    sizes = [int(n) for n in np.asarray(output_shape).reshape(-1)]
    like = make("zeros", lambda v: _ops.zeros([_ops.dim(v, 0), *sizes[1:]], v.dtype), y)
    return _derivative(
        "AtrousConv2DTranspose",
        lambda a, b: conv2d(a, b, [1, 1, 1, 1], padding, True, "NHWC", [1, rate, rate, 1]),
        like,
        w,
        y,
        False,
        name,
    )


def dilation2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: Optional[str] = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """The largest sums of windows and a filter [height, width, channels], of each channel."""
    w = as_tensor(filter if filters is None else filters)
    steps, holes = _inner(strides, "strides"), _inner(rates if dilations is None else dilations, "rates")
    border = text("padding", padding)

    def emit(x: Any, f: Any) -> Any:
        high, wide, channels = f._dims
        count = high * wide
        low = -_dtypes.largest(x.dtype)
        is_there = _windows(_ops.ones_like(x[:1, :, :, :1]), [high, wide], steps, holes, border)
        rows, columns = is_there._dims[1:3]
        values = _ops.reshape(_windows(x, [high, wide], steps, holes, border), [-1, rows, columns, count, channels])
        sums = _ops.add(values, _ops.reshape(f, [count, channels]))
        sums = _ops.where(_ops.greater(_ops.expand_dims(is_there, 4), 0), sums, low)
        # The derivative of equal sums is that of the first.
        first = _ops.expand_dims(_ops.argmax(sums, 3), 3)
        return _ops.squeeze(_ops.take_along_axis(sums, first, 3), 3)

    return make("Dilation2D", emit, as_tensor(input), w, name=name)


def erosion2d(value: Any, kernel: Any, strides: Any, rates: Any, padding: str, name: Optional[str] = None) -> Any:
    """The smallest differences of windows and a filter [height, width, channels], of each channel."""
    turned = make("flip", lambda f: _ops.flip(_ops.flip(f, 0), 1), as_tensor(kernel))
    return make("Erosion2D", _ops.negative, dilation2d(-as_tensor(value), turned, strides, rates, padding), name=name)


def relu_layer(x: Any, weights: Any, biases: Any, name: Optional[str] = None) -> Any:
    """relu(x weights + biases)."""
    from .nn import bias_add, relu

    return relu(bias_add(matmul(x, weights), biases), name=name)


def batch_norm_with_global_normalization(
    t: Any = None,
    m: Any = None,
    v: Any = None,
    beta: Any = None,
    gamma: Any = None,
    variance_epsilon: Any = None,
    scale_after_normalization: Any = None,
    name: Optional[str] = None,
    input: Any = None,
    mean: Any = None,
    variance: Any = None,
) -> Any:
    """See `batch_normalization`; `gamma` is used with `scale_after_normalization`."""
    from .nn import batch_normalization

    x, mu, sigma = (a if a is not None else b for a, b in ((t, input), (m, mean), (v, variance)))
    return batch_normalization(x, mu, sigma, beta, gamma if scale_after_normalization else None, variance_epsilon, name)


def collapse_repeated(labels: Any, seq_length: Any, name: Optional[str] = None) -> Tuple[Any, Any]:
    """The first `seq_length` labels of each row of [batch, time], one length or [batch] of them, without those that
    equal the label before, followed by zeros; and the new lengths, [batch]."""
    from .host_calls import host_call

    y, n = as_tensor(labels), as_tensor(seq_length)

    def call(_: Any, rows: Any, lengths: Any) -> Any:
        lengths = np.broadcast_to(lengths, (len(rows),))
        differs = np.concatenate([np.ones((len(rows), 1), bool), rows[:, 1:] != rows[:, :-1]], 1)[:, : rows.shape[1]]
        kept = [np.flatnonzero(own & (np.arange(len(own)) < count)) for own, count in zip(differs, lengths)]
        sizes = np.array([len(own) for own in kept], lengths.dtype)
        # A place behind the last element is one of the zeros.
        places = np.full((len(rows), int(sizes.max(initial=0))), rows.size, np.int64)
        for i, own in enumerate(kept):
            places[i, : len(own)] = own + i * rows.shape[1]
        return places, sizes

    batch = y.static_shape[0] if y.static_shape else None
    ops = host_call("collapse_repeated", call, [y, n], [(_dtypes.int64, (batch, None)), (n.dtype, (batch,))])

    def emit(x: Any, places: Any) -> Any:
        flat = _ops.reshape(x, [-1])
        return _ops.take(_ops.concatenate([flat, np.zeros(1, x.dtype)], 0), places, 0)

    return make("collapse_repeated", emit, y, ops[0].outputs[0], name=name), ops[1].outputs[0]


NN = (
    "atrous_conv2d_transpose",
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm_with_global_normalization",
    "collapse_repeated",
    "conv1d_transpose",
    "conv2d_backprop_filter",
    "conv2d_backprop_input",
    "conv3d_backprop_filter",
    "conv3d_backprop_filter_v2",
    "conv3d_transpose",
    "conv_transpose",
    "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input",
    "depthwise_conv2d_native",
    "depthwise_conv2d_native_backprop_filter",
    "depthwise_conv2d_native_backprop_input",
    "dilation2d",
    "erosion2d",
    "max_pool1d",
    "max_pool2d",
    "max_pool_with_argmax",
    "relu_layer",
)
