# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.layers`: layers that make their variables."""

from typing import Any, Optional

from .. import _ops
from .. import nn as traced
from . import nn
from .conversion import as_tensor, constant, make
from .graph import GraphKeys, get_default_graph
from .initializers import ones_initializer, zeros_initializer
from .ops import matmul, reshape, where
from .scopes import get_variable, variable_scope


def dense(
    inputs: Any, units: int, activation: Any = None, use_bias: bool = True, kernel_initializer: Any = None,
    bias_initializer: Any = None, kernel_regularizer: Any = None, trainable: bool = True, name: Optional[str] = None,
    reuse: Any = None,
) -> Any:  # fmt: skip
    """activation(inputs kernel + bias)."""
    x = as_tensor(inputs)
    with variable_scope(name, default_name="dense", reuse=reuse):
        kernel = get_variable("kernel", [x.shape[-1].value, units], x.dtype, kernel_initializer, kernel_regularizer,
                              trainable)  # fmt: skip
        y = matmul(x, kernel)
        if use_bias:
            y = nn.bias_add(y, get_variable("bias", [units], x.dtype, bias_initializer or zeros_initializer(),
                                            trainable=trainable))  # fmt: skip
        return y if activation is None else activation(y)


def _pair(value: Any) -> Any:
    return [value, value] if isinstance(value, int) else list(value)


def conv2d(
    inputs: Any, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid",
    data_format: str = "channels_last", dilation_rate: Any = (1, 1), activation: Any = None, use_bias: bool = True,
    kernel_initializer: Any = None, bias_initializer: Any = None, kernel_regularizer: Any = None,
    trainable: bool = True, name: Optional[str] = None, reuse: Any = None,
) -> Any:  # fmt: skip
    """activation(conv2d(inputs, kernel) + bias)."""
    if data_format != "channels_last":
        raise NotImplementedError(f"flywheel.v1.layers.conv2d: data_format='{data_format}'")
    x = as_tensor(inputs)
    with variable_scope(name, default_name="conv2d", reuse=reuse):
        kernel = get_variable("kernel", [*_pair(kernel_size), x.shape[-1].value, filters], x.dtype, kernel_initializer,
                              kernel_regularizer, trainable)  # fmt: skip
        y = nn.conv2d(x, kernel, [1, *_pair(strides), 1], padding, dilations=[1, *_pair(dilation_rate), 1])
        if use_bias:
            y = nn.bias_add(y, get_variable("bias", [filters], x.dtype, bias_initializer or zeros_initializer(),
                                            trainable=trainable))  # fmt: skip
        return y if activation is None else activation(y)


def max_pooling2d(inputs: Any, pool_size: Any, strides: Any, padding: str = "valid", name: Optional[str] = None) -> Any:
    return nn.max_pool(inputs, [1, *_pair(pool_size), 1], [1, *_pair(strides), 1], padding, name=name)


def average_pooling2d(inputs: Any, pool_size: Any, strides: Any, padding: str = "valid", name: Any = None) -> Any:
    return nn.avg_pool(inputs, [1, *_pair(pool_size), 1], [1, *_pair(strides), 1], padding, name=name)


def flatten(inputs: Any, name: Optional[str] = None) -> Any:
    """All dimensions but the first as one."""
    x = as_tensor(inputs)
    count = 1
    for d in x.shape.as_list()[1:]:
        count *= d or 0
    return reshape(x, [-1, count], name=name)


def dropout(inputs: Any, rate: float = 0.5, noise_shape: Any = None, seed: Any = None, training: Any = False,
            name: Optional[str] = None) -> Any:  # fmt: skip
    """Drops elements while training, which may be a tensor."""
    if training is False:
        return as_tensor(inputs)
    kept = nn.dropout(inputs, 1 - rate, noise_shape, seed, name)
    return kept if training is True else where(training, kept, inputs)


def batch_normalization(
    inputs: Any, axis: int = -1, momentum: float = 0.99, epsilon: float = 1e-3, center: bool = True,
    scale: bool = True, beta_initializer: Any = None, gamma_initializer: Any = None,
    moving_mean_initializer: Any = None, moving_variance_initializer: Any = None, beta_regularizer: Any = None,
    gamma_regularizer: Any = None, beta_constraint: Any = None, gamma_constraint: Any = None, training: Any = False,
    trainable: bool = True, name: Optional[str] = None, reuse: Any = None, fused: Optional[bool] = None,
) -> Any:  # fmt: skip
    """Each channel with mean 0 and variance 1, times gamma plus beta: of the batch where `training`, which may be a
    tensor, holds, else of moving averages.

    These move by ops in UPDATE_OPS, which a training op is to depend on: average -= (1 - momentum) (average - value).
    The variance is that of the batch, for images (or with `fused`) with n - 1 instead of n under the sum, as in
    TensorFlow. Raises NotImplementedError for another axis than the last one.
    """
    x = as_tensor(inputs)
    rank = len(x.shape)
    if axis not in (-1, rank - 1):
        raise NotImplementedError(f"flywheel.v1.layers.batch_normalization: axis={axis}, expected the last one")
    unbiased = rank == 4 if fused is None else fused
    with variable_scope(name, default_name="batch_normalization", reuse=reuse):

        def own(key: str, initializer: Any, default: Any, regularizer: Any, constraint: Any, trains: bool) -> Any:
            return get_variable(key, [x.shape[-1].value], x.dtype, initializer or default(), regularizer, trains,
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
            rate = where(training, constant(rate, x.dtype), constant(0.0, x.dtype))
        for average, value in zip(averages, (mean, variance)):
            moved = average.assign_sub((average - value) * rate)
            get_default_graph().add_to_collection(GraphKeys.UPDATE_OPS, moved)
        return normed if training is True else where(training, normed, tests)


def _unbiased(x: Any, variance: Any) -> Any:
    """The variance with n - 1 under the sum, where n is more than 1."""
    count = _ops.cast(_ops.prod(_ops.shape(x)[:-1]), variance.dtype)
    return variance * (count / _ops.maximum(count - 1.0, 1.0))


def __getattr__(name: str) -> Any:
    raise AttributeError(f"there is no flywheel.v1.layers.{name}; see docs/v1.md")
