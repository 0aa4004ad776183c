# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.layers`: layers that make their variables."""

from typing import Any, Optional

from . import nn
from .conversion import as_tensor
from .initializers import zeros_initializer
from .ops import matmul, reshape
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
    from .ops import where

    kept = nn.dropout(inputs, 1 - rate, noise_shape, seed, name)
    return kept if training is True else where(training, kept, inputs)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"there is no flywheel.v1.layers.{name}; see docs/v1.md")
