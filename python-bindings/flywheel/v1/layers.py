# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.layers`: layers that make their variables."""

import inspect
import math
from typing import Any, List, NamedTuple, Optional

from .. import _ops
from .. import nn as traced
from .._core import dtypes as _dtypes
from .._core.argument_checks import integer, text
from .._errors.messages import about
from .._nn.functions import unless_empty
from . import nn
from .conversion import as_tensor, constant, make
from .elementwise import TABLE
from .graph import GraphKeys, get_default_graph
from .ops import expand_dims, identity, matmul, reshape, shape, squeeze, transpose, where
from .random_ops import ones_initializer, zeros_initializer
from .scopes import get_variable, variable_scope


def _input(inputs: Any) -> Any:
    """Converts the input of a layer to a tensor with channels. Raises ValueError for a scalar."""
    x = as_tensor(inputs)
    if x.static_shape == ():
        raise ValueError("expected inputs of a layer with at least one dimension, found a scalar")
    return x


def dense(
    inputs: Any, units: int, activation: Any = None, use_bias: bool = True, kernel_initializer: Any = None,
    bias_initializer: Any = None, kernel_regularizer: Any = None,
    bias_regularizer: Any = None, activity_regularizer: Any = None,
    kernel_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True,
    name: Optional[str] = None,
    reuse: Any = None,
) -> Any:  # fmt: skip
    """activation(inputs kernel + bias)."""
    x = _input(inputs)
    with variable_scope(name, default_name="dense", reuse=reuse):
        channels = x.shape[-1].value
        if channels is None:
            raise ValueError(f"The last dimension of the inputs to `Dense` should be defined. Found shape {x.shape}.")
        kernel = get_variable("kernel", [channels, units], x.dtype, kernel_initializer, kernel_regularizer,
                              trainable, constraint=kernel_constraint)  # fmt: skip
        own = _Bias(use_bias, bias_initializer, bias_regularizer, bias_constraint, activity_regularizer, trainable)
        return _finish(matmul(x, kernel), units, own, activation)


def _pair(value: Any) -> Any:
    return [value, value] if isinstance(value, int) else list(value)


def conv2d(
    inputs: Any, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid",
    data_format: str = "channels_last", dilation_rate: Any = (1, 1), activation: Any = None, use_bias: bool = True,
    kernel_initializer: Any = None, bias_initializer: Any = None, kernel_regularizer: Any = None,
    bias_regularizer: Any = None, activity_regularizer: Any = None,
    kernel_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True,
    name: Optional[str] = None, reuse: Any = None,
) -> Any:  # fmt: skip
    """activation(conv2d(inputs, kernel) + bias)."""
    _channels_last(data_format, "conv2d")
    x = _input(inputs)
    with variable_scope(name, default_name="conv2d", reuse=reuse):
        kernel = get_variable("kernel", [*_pair(kernel_size), x.shape[-1].value, filters], x.dtype, kernel_initializer,
                              kernel_regularizer, trainable, constraint=kernel_constraint)  # fmt: skip
        y = nn.conv2d(x, kernel, [1, *_pair(strides), 1], padding, dilations=[1, *_pair(dilation_rate), 1])
        own = _Bias(use_bias, bias_initializer, bias_regularizer, bias_constraint, activity_regularizer, trainable)
        return _finish(y, filters, own, activation)


def conv1d(
    inputs: Any, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid",
    data_format: str = "channels_last", dilation_rate: Any = 1, activation: Any = None, use_bias: bool = True,
    kernel_initializer: Any = None, bias_initializer: Any = None, kernel_regularizer: Any = None,
    bias_regularizer: Any = None, activity_regularizer: Any = None,
    kernel_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True,
    name: Optional[str] = None, reuse: Any = None,
) -> Any:  # fmt: skip
    """activation(conv1d(inputs, kernel) + bias), along the second dimension."""
    _channels_last(data_format, "conv1d")
    x, step, hole = _input(inputs), _one(strides), _one(dilation_rate)
    with variable_scope(name, default_name="conv1d", reuse=reuse):
        kernel = get_variable("kernel", [_one(kernel_size), x.shape[-1].value, filters], x.dtype, kernel_initializer,
                              kernel_regularizer, trainable, constraint=kernel_constraint)  # fmt: skip

        def emit(y: Any, w: Any) -> Any:
            found = traced.conv2d(_ops.expand_dims(y, 1), _ops.expand_dims(w, 0), strides=[1, step],
                                  padding=nn._border(padding), dilations=[1, hole])  # fmt: skip
            return _ops.squeeze(found, 1)

        return _finish(make("conv1d", emit, x, kernel), filters,
            _Bias(use_bias, bias_initializer, bias_regularizer, bias_constraint, activity_regularizer, trainable),
            activation)


def conv2d_transpose(
    inputs: Any, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid",
    data_format: str = "channels_last", activation: Any = None, use_bias: bool = True, kernel_initializer: Any = None,
    bias_initializer: Any = None, kernel_regularizer: Any = None,
    bias_regularizer: Any = None, activity_regularizer: Any = None,
    kernel_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True,
    name: Optional[str] = None,
    reuse: Any = None,
) -> Any:  # fmt: skip
    """activation(the transpose of conv2d + bias): images of a size that is known get larger by the strides."""
    _channels_last(data_format, "conv2d_transpose")
    x, steps, sizes = _input(inputs), _pair(strides), _pair(kernel_size)
    old = x.shape.as_list()[1:3]
    if None in old:
        raise about("flywheel.v1.layers.conv2d_transpose", NotImplementedError(
            "does not take images of a size that a run chooses"), " ")  # fmt: skip
    goal = [n * s if padding.lower() == "same" else n * s + max(k - s, 0) for n, s, k in zip(old, steps, sizes)]
    with variable_scope(name, default_name="conv2d_transpose", reuse=reuse):
        kernel = get_variable("kernel", [*sizes, filters, x.shape[-1].value], x.dtype, kernel_initializer,
                              kernel_regularizer, trainable, constraint=kernel_constraint)  # fmt: skip
        y = make("conv2d_transpose", lambda v, w: nn.transposed(v, w, steps, goal, padding), x, kernel)
        return _finish(y, filters,
            _Bias(use_bias, bias_initializer, bias_regularizer, bias_constraint, activity_regularizer, trainable),
            activation)


def separable_conv2d(
    inputs: Any, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid",
    data_format: str = "channels_last", dilation_rate: Any = (1, 1), depth_multiplier: int = 1, activation: Any = None,
    use_bias: bool = True, depthwise_initializer: Any = None, pointwise_initializer: Any = None,
    bias_initializer: Any = None, depthwise_regularizer: Any = None, pointwise_regularizer: Any = None,
    bias_regularizer: Any = None, activity_regularizer: Any = None, depthwise_constraint: Any = None,
    pointwise_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True, name: Optional[str] = None,
    reuse: Any = None,
) -> Any:  # fmt: skip
    """A convolution of each channel by itself, then one of 1x1."""
    _channels_last(data_format, "separable_conv2d")
    x = _input(inputs)
    channels = x.shape[-1].value
    with variable_scope(name, default_name="separable_conv2d", reuse=reuse):
        depthwise = get_variable("depthwise_kernel", [*_pair(kernel_size), channels, depth_multiplier], x.dtype,
                                 depthwise_initializer, depthwise_regularizer, trainable,
                                 constraint=depthwise_constraint)  # fmt: skip
        pointwise = get_variable("pointwise_kernel", [1, 1, channels * depth_multiplier, filters], x.dtype,
                                 pointwise_initializer, pointwise_regularizer, trainable,
                                 constraint=pointwise_constraint)  # fmt: skip
        y = nn.separable_conv2d(x, depthwise, pointwise, [1, *_pair(strides), 1], padding, _pair(dilation_rate))
        own = _Bias(use_bias, bias_initializer, bias_regularizer, bias_constraint, activity_regularizer, trainable)
        return _finish(y, filters, own, activation)


def _one(value: Any) -> int:
    return int(value if isinstance(value, int) else value[0])


class _Bias(NamedTuple):
    """The options that layers apply to their result: a bias, and a penalty of the result."""

    is_used: bool
    initializer: Any = None
    regularizer: Any = None
    constraint: Any = None
    activity_regularizer: Any = None
    trainable: bool = True


def _activation(given: Any) -> Any:
    """Returns a function, or the one of this name."""
    if not isinstance(given, str):
        return given
    found = TABLE[given] if given in TABLE else identity if given == "linear" else getattr(nn, given, None)
    if not callable(found):
        raise ValueError(f"expected a function or the name of one of tf.nn as activation, found {given!r}"[:200])
    return found


def _finish(y: Any, units: int, bias: _Bias, activation: Any) -> Any:
    if bias.is_used:
        y = nn.bias_add(y, get_variable("bias", [units], y.dtype, bias.initializer or zeros_initializer(),
                                        bias.regularizer, bias.trainable, constraint=bias.constraint))  # fmt: skip
    y = y if activation is None else _activation(activation)(y)
    if bias.activity_regularizer is not None:
        get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, bias.activity_regularizer(y))
    return y


def max_pooling2d(
    inputs: Any, pool_size: Any, strides: Any, padding: str = "valid", data_format: str = "channels_last",
    name: Optional[str] = None,
) -> Any:  # fmt: skip
    _channels_last(data_format, "max_pooling2d")
    return nn.max_pool(inputs, [1, *_pair(pool_size), 1], [1, *_pair(strides), 1], padding, name=name)


def average_pooling2d(
    inputs: Any, pool_size: Any, strides: Any, padding: str = "valid", data_format: str = "channels_last",
    name: Optional[str] = None,
) -> Any:  # fmt: skip
    _channels_last(data_format, "average_pooling2d")
    return nn.avg_pool(inputs, [1, *_pair(pool_size), 1], [1, *_pair(strides), 1], padding, name=name)


def _channels_last(data_format: str, what: str) -> None:
    if text("data_format", data_format) != "channels_last":
        raise about(f"flywheel.v1.layers.{what}", NotImplementedError(
            f"data_format='{data_format}'; transpose images to channels_last"))  # fmt: skip


def _along_time(pool: Any, inputs: Any, pool_size: Any, strides: Any, padding: str, name: Optional[str]) -> Any:
    image = expand_dims(inputs, 1)
    return squeeze(pool(image, [1, 1, _one(pool_size), 1], [1, 1, _one(strides), 1], padding), 1, name=name)


def max_pooling1d(
    inputs: Any, pool_size: Any, strides: Any, padding: str = "valid", data_format: str = "channels_last",
    name: Optional[str] = None,
) -> Any:  # fmt: skip
    _channels_last(data_format, "max_pooling1d")
    return _along_time(nn.max_pool, inputs, pool_size, strides, padding, name)


def average_pooling1d(
    inputs: Any, pool_size: Any, strides: Any, padding: str = "valid", data_format: str = "channels_last",
    name: Optional[str] = None,
) -> Any:  # fmt: skip
    _channels_last(data_format, "average_pooling1d")
    return _along_time(nn.avg_pool, inputs, pool_size, strides, padding, name)


def flatten(inputs: Any, name: Optional[str] = None, data_format: str = "channels_last") -> Any:
    """All dimensions but the first as one; channels that come first are moved behind."""
    x = as_tensor(inputs)
    if data_format == "channels_first" and len(x.shape) > 2:
        x = transpose(x, [0, *range(2, len(x.shape)), 1])
    sizes = x.shape.as_list()
    if None in sizes[1:]:
        return reshape(x, [shape(x)[0], -1], name=name)
    return reshape(x, [-1, math.prod(n or 0 for n in sizes[1:])], name=name)


def dropout(inputs: Any, rate: float = 0.5, noise_shape: Any = None, seed: Any = None, training: Any = False,
            name: Optional[str] = None) -> Any:  # fmt: skip
    """Drops elements while training, which may be a tensor."""
    if training is False:
        return as_tensor(inputs)
    kept = nn.dropout(inputs, 1 - rate, noise_shape, seed, name)
    return kept if training is True else where(training, kept, inputs)


def batch_normalization(
    inputs: Any, axis: Any = -1, momentum: float = 0.99, epsilon: float = 1e-3, center: bool = True,
    scale: bool = True, beta_initializer: Any = None, gamma_initializer: Any = None,
    moving_mean_initializer: Any = None, moving_variance_initializer: Any = None, beta_regularizer: Any = None,
    gamma_regularizer: Any = None, beta_constraint: Any = None, gamma_constraint: Any = None, training: Any = False,
    trainable: bool = True, name: Optional[str] = None, reuse: Any = None, fused: Optional[bool] = None,
) -> Any:  # fmt: skip
    """Each channel with mean 0 and variance 1, times gamma plus beta: of the batch where `training`, which may be a
    tensor, holds, else of moving averages.

    These move by ops in UPDATE_OPS, which a training op is to depend on: average -= (1 - momentum) (average - value).
    The variance is that of the batch; where TensorFlow computes it fused, with n - 1 instead of n under the sum: for
    tensors of 4 or 5 dimensions of float32 or less, whose channels are the last or second dimension, unless `fused` is
    false. Variables of half precision are float32. Raises ValueError for an `axis` that the tensor does not have.
    """
    x = _input(inputs)
    rank = len(x.shape)
    place = integer("axis", axis[0] if isinstance(axis, (list, tuple)) and len(axis) == 1 else axis)
    if not -rank <= place < rank:
        raise about("batch_normalization", ValueError(f"axis={axis} of a tensor of {rank} dimensions"))
    place %= rank
    if place != rank - 1:
        order = [i for i in range(rank) if i != place] + [place]
        y = batch_normalization(
            transpose(x, order), -1, momentum, epsilon, center, scale, beta_initializer, gamma_initializer,
            moving_mean_initializer, moving_variance_initializer, beta_regularizer, gamma_regularizer, beta_constraint,
            gamma_constraint, training, trainable, name, reuse, fused if place == 1 else False)  # fmt: skip
        return transpose(y, [order.index(i) for i in range(rank)])
    unbiased = fused is not False and rank in (4, 5) and x.dtype != _dtypes.float64
    kind = _dtypes.float32 if _dtypes.is_half(x.dtype) else x.dtype
    with variable_scope(name, default_name="batch_normalization", reuse=reuse):

        def own(key: str, initializer: Any, default: Any, regularizer: Any, constraint: Any, trains: bool) -> Any:
            return get_variable(key, [x.shape[-1].value], kind, initializer or default(), regularizer, trains,
                                constraint=constraint)  # fmt: skip

        gamma = own("gamma", gamma_initializer, ones_initializer, gamma_regularizer, gamma_constraint,
                    trainable) if scale else None  # fmt: skip
        beta = own("beta", beta_initializer, zeros_initializer, beta_regularizer, beta_constraint,
                   trainable) if center else None  # fmt: skip
        averages = [own("moving_mean", moving_mean_initializer, zeros_initializer, None, None, False),
                    own("moving_variance", moving_variance_initializer, ones_initializer, None, None, False)]

        def split(given: Any) -> Any:
            left = iter(given)
            return next(left) if scale else None, next(left) if center else None

        given = [w for w in (gamma, beta) if w is not None]
        tests = make("batch_norm", lambda y, mean, variance, *ws: traced.batch_norm_inference(
            y, mean, variance, *split(ws), epsilon=epsilon), x, *averages, *given)  # fmt: skip
        if training is False:
            return tests
        normed, mean, variance = make("batch_norm", lambda y, *ws: traced.batch_norm_training(
            y, *split(ws), epsilon=epsilon), x, *given)  # fmt: skip
        if unbiased:
            variance = make("unbiased", _unbiased, x, variance)
        rate: Any = 1.0 - momentum
        if training is not True:
            rate = where(training, constant(rate, kind), constant(0.0, kind))
        for average, value in zip(averages, (mean, variance)):
            value = make("unless_empty", unless_empty, x, value, average)
            moved = average.assign_sub((average - value) * rate)
            get_default_graph().add_to_collection(GraphKeys.UPDATE_OPS, moved)
        return normed if training is True else where(training, normed, tests)


def _unbiased(x: Any, variance: Any) -> Any:
    """Returns the variance with n - 1 under the sum, if n is more than 1."""
    count = _ops.cast(_ops.prod(_ops.shape(x)[:-1]), variance.dtype)
    return variance * (count / _ops.maximum(count - 1.0, 1.0))


class Layer:
    """A layer as an object: its variables are made by the first call, and shared by the others."""

    kind = ""
    function: Any = None

    def __init__(self, *args: Any, **kwargs: Any):
        self._args, self._kwargs = args, kwargs
        self._name: Optional[str] = kwargs.pop("name", None)
        self._scope: Any = None
        self.variables: List[Any] = []

    def __call__(self, inputs: Any, **kwargs: Any) -> Any:
        is_new = self._scope is None
        graph = get_default_graph()
        if is_new:
            # Two layers of one name have variables of their own, unlike two calls of a function.
            with variable_scope(None, default_name=self._name or self.kind) as scope:
                self._scope = scope
        known = set(graph.get_collection(GraphKeys.GLOBAL_VARIABLES))
        function = type(self).function
        result = function(inputs, *self._args, **self._kwargs, **kwargs, name=self._scope, reuse=not is_new)
        if is_new:
            self.variables = [v for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES) if v not in known]
        return result

    apply = __call__

    @property
    def name(self) -> Optional[str]:
        return self._name if self._scope is None else str(self._scope.name)

    @property
    def trainable_variables(self) -> List[Any]:
        trained = get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES)
        return [v for v in self.variables if v in trained]

    weights = property(lambda self: self.variables)
    trainable_weights = trainable_variables

    def __getattr__(self, name: str) -> Any:
        # `layer.kernel`, `layer.bias`.
        for variable in self.__dict__.get("variables", ()):
            if variable.op.name.rpartition("/")[2] == name:
                return variable
        raise AttributeError(f"'{type(self).__name__}' has no '{name}'; its variables exist after the first call")


class Dense(Layer):
    """See `dense`."""

    kind, function = "dense", staticmethod(dense)


class Conv1D(Layer):
    """See `conv1d`."""

    kind, function = "conv1d", staticmethod(conv1d)


class Conv2D(Layer):
    """See `conv2d`."""

    kind, function = "conv2d", staticmethod(conv2d)


class Conv2DTranspose(Layer):
    """See `conv2d_transpose`."""

    kind, function = "conv2d_transpose", staticmethod(conv2d_transpose)


class SeparableConv2D(Layer):
    """See `separable_conv2d`."""

    kind, function = "separable_conv2d", staticmethod(separable_conv2d)


class BatchNormalization(Layer):
    """See `batch_normalization`."""

    kind, function = "batch_normalization", staticmethod(batch_normalization)


class _Plain:
    """A layer as an object that has no variables."""

    function: Any = None

    def __init__(self, *args: Any, name: Optional[str] = None, **kwargs: Any):
        self._args, self._kwargs, self.name = args, kwargs, name
        self.variables: List[Any] = []

    weights = trainable_variables = trainable_weights = property(lambda self: self.variables)

    def __call__(self, inputs: Any, **kwargs: Any) -> Any:
        return type(self).function(inputs, *self._args, **self._kwargs, **kwargs, name=self.name)

    apply = __call__


def _plain(name: str, function: Any) -> Any:
    made = type(name, (_Plain,), {"__doc__": f"See `{function.__name__}`.", "function": staticmethod(function)})
    _sign(made)
    return made


def _sign(layer: Any) -> None:
    """Gives a class of layers the parameters of its function that calls do not have."""
    own = inspect.signature(layer.function).parameters.values()
    layer.__signature__ = inspect.Signature([one for one in own if one.name not in ("inputs", "reuse", "training")])


for _layer in (Dense, Conv1D, Conv2D, Conv2DTranspose, SeparableConv2D, BatchNormalization):
    _sign(_layer)


Flatten, Dropout = _plain("Flatten", flatten), _plain("Dropout", dropout)
MaxPooling1D, AveragePooling1D = _plain("MaxPooling1D", max_pooling1d), _plain("AveragePooling1D", average_pooling1d)
MaxPooling2D, AveragePooling2D = _plain("MaxPooling2D", max_pooling2d), _plain("AveragePooling2D", average_pooling2d)


def __getattr__(name: str) -> Any:
    from .namespaces import missing

    raise missing(f"layers.{name}")
