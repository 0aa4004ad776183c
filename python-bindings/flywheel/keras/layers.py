# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of Keras 2.1. Images are [batch, height, width, channels]."""

from typing import Any, List, Optional

import numpy as np

from .. import _ops
from .. import nn as _traced
from ..v1.graph import as_tensor, make
from . import activations, constraints, initializers, regularizers
from . import backend as K
from ._recurrent import GRU, LSTM, SimpleRNN
from .engine import Input, InputLayer, Layer

__all__ = [
    "GRU", "LSTM", "Activation", "Add", "Average", "AveragePooling2D", "BatchNormalization", "Concatenate", "Conv2D",
    "Convolution2D", "Dense", "Dot", "Dropout", "Embedding", "Flatten", "GlobalAveragePooling2D",
    "GlobalMaxPooling2D", "Input", "InputLayer", "Lambda", "Layer", "LayerNormalization", "LeakyReLU", "MaxPool2D",
    "MaxPooling2D", "Maximum", "Multiply", "Permute", "RepeatVector", "Reshape", "SimpleRNN", "Subtract",
    "ZeroPadding2D", "add", "average", "concatenate", "maximum", "multiply", "subtract",
]  # fmt: skip


def _pair(value: Any) -> List[int]:
    return [value, value] if isinstance(value, int) else [int(v) for v in value]


def _channels_last(data_format: Any) -> None:
    if data_format not in (None, "channels_last"):
        raise NotImplementedError(f"flywheel.keras: data_format='{data_format}', expected 'channels_last'")


class _Weighted(Layer):
    """Layers with a kernel, a bias and an activation."""

    def __init__(
        self, activation: Any = None, use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros", kernel_regularizer: Any = None, bias_regularizer: Any = None,
        activity_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)

    def _make(self, kernel_shape: Any, outputs: int) -> None:
        self.kernel = self.add_weight("kernel", kernel_shape, None, self.kernel_initializer, self.kernel_regularizer,
                                      True, self.kernel_constraint)  # fmt: skip
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight("bias", (outputs,), None, self.bias_initializer, self.bias_regularizer, True,
                                        self.bias_constraint)  # fmt: skip
        self.built = True

    def _finish(self, y: Any) -> Any:
        y = self.activation(y if self.bias is None else K.bias_add(y, self.bias))
        if self.activity_regularizer is not None:
            self.add_loss(self.activity_regularizer(y))
        return y


class Dense(_Weighted):
    """activation(x kernel + bias)."""

    def __init__(self, units: int, activation: Any = None, use_bias: bool = True, **kwargs: Any) -> None:
        if "input_dim" in kwargs:
            kwargs["input_shape"] = (kwargs.pop("input_dim"),)
        super().__init__(activation, use_bias, **kwargs)
        self.units = units

    def build(self, input_shape: Any) -> None:
        if input_shape[-1] is None:
            raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found `None`.")
        self._make((input_shape[-1], self.units), self.units)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return self._finish(make("MatMul", _traced.dense, as_tensor(inputs), self.kernel))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*input_shape[:-1], self.units)


class Conv2D(_Weighted):
    """activation(cross-correlation with the kernel + bias)."""

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None,
        dilation_rate: Any = (1, 1), activation: Any = None, use_bias: bool = True, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(activation, use_bias, **kwargs)
        _channels_last(data_format)
        self.filters, self.padding = filters, padding.lower()
        self.kernel_size, self.strides, self.dilation_rate = _pair(kernel_size), _pair(strides), _pair(dilation_rate)

    def build(self, input_shape: Any) -> None:
        self._make((*self.kernel_size, input_shape[-1], self.filters), self.filters)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        def emit(x: Any, w: Any) -> Any:
            return _traced.conv2d(x, w, strides=self.strides, padding=self.padding, dilations=self.dilation_rate)

        return self._finish(make("Conv2D", emit, as_tensor(inputs), self.kernel))

    def compute_output_shape(self, input_shape: Any) -> Any:
        windows = [(k - 1) * d + 1 for k, d in zip(self.kernel_size, self.dilation_rate)]
        sizes = [_out(n, k, s, self.padding) for n, k, s in zip(input_shape[1:3], windows, self.strides)]
        return (input_shape[0], *sizes, self.filters)


def _out(size: Optional[int], window: int, stride: int, padding: str) -> Optional[int]:
    if size is None:
        return None
    return -(-(size if padding == "same" else size - window + 1) // stride)


class _Pooling2D(Layer):
    def __init__(
        self, pool_size: Any = (2, 2), strides: Any = None, padding: str = "valid", data_format: Any = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        _channels_last(data_format)
        self.pool_size, self.padding = _pair(pool_size), padding.lower()
        self.strides = self.pool_size if strides is None else _pair(strides)

    _function: Any = None

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        function = type(self)._function
        return make(type(self).__name__, lambda x: function(x, self.pool_size, strides=self.strides,
                                                            padding=self.padding), as_tensor(inputs))  # fmt: skip

    def compute_output_shape(self, input_shape: Any) -> Any:
        sizes = [_out(n, k, s, self.padding) for n, k, s in zip(input_shape[1:3], self.pool_size, self.strides)]
        return (input_shape[0], *sizes, input_shape[3])


class MaxPooling2D(_Pooling2D):
    """The largest element of each window."""

    _function = staticmethod(_traced.max_pool2d)


class AveragePooling2D(_Pooling2D):
    """The mean of each window."""

    _function = staticmethod(_traced.avg_pool2d)


class GlobalAveragePooling2D(Layer):
    """The mean of each channel."""

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.mean(inputs, [1, 2])

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], input_shape[3])


class GlobalMaxPooling2D(GlobalAveragePooling2D):
    """The largest element of each channel."""

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.max(inputs, [1, 2])


class ZeroPadding2D(Layer):
    """Zeros around images."""

    def __init__(self, padding: Any = (1, 1), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        pairs = _pair(padding) if isinstance(padding, int) else list(padding)
        self.padding = [(p, p) if isinstance(p, int) else tuple(p) for p in pairs]

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return make("Pad", lambda x: _ops.pad(x, [(0, 0), *self.padding, (0, 0)], 0), as_tensor(inputs))

    def compute_output_shape(self, input_shape: Any) -> Any:
        sizes = [None if n is None else n + a + b for n, (a, b) in zip(input_shape[1:3], self.padding)]
        return (input_shape[0], *sizes, input_shape[3])


class Flatten(Layer):
    """All dimensions but the first as one."""

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.batch_flatten(inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], int(np.prod(input_shape[1:])))


class Reshape(Layer):
    """Another shape, without the batch; one size may be -1."""

    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        sizes = self.compute_output_shape(K.int_shape(inputs))[1:]
        # The batch by its name: the size of a result has to be that of a feed.
        return make("Reshape", lambda x: _ops.reshape(x, [_ops.dim(x, 0), *sizes]), as_tensor(inputs))

    def compute_output_shape(self, input_shape: Any) -> Any:
        known = int(np.prod([d for d in self.target_shape if d != -1]))
        count = int(np.prod(input_shape[1:]))
        if known == 0 or count % known or (-1 not in self.target_shape and count != known):
            raise ValueError(f"total size of new array must be unchanged: {input_shape[1:]} to {self.target_shape}")
        return (input_shape[0], *[count // known if d == -1 else d for d in self.target_shape])


class Permute(Layer):
    """Dimensions in another order, counted from 1."""

    def __init__(self, dims: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.permute_dimensions(inputs, (0, *self.dims))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], *[input_shape[d] for d in self.dims])


class RepeatVector(Layer):
    """[batch, n] as [batch, times, n]."""

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.n = n

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.repeat(inputs, self.n)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], self.n, input_shape[1])


class Activation(Layer):
    """An activation by itself."""

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return self.activation(inputs)


class LeakyReLU(Layer):
    """x, or alpha x where x < 0."""

    def __init__(self, alpha: float = 0.3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.relu(inputs, self.alpha)


class Dropout(Layer):
    """Drops elements at random while training (X13)."""

    def __init__(self, rate: float, noise_shape: Any = None, seed: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate, self.noise_shape, self.seed = min(1.0, max(0.0, rate)), noise_shape, seed

    def call(self, inputs: Any, training: Any = None, **kwargs: Any) -> Any:
        if not 0.0 < self.rate < 1.0:
            return inputs
        return K.in_train_phase(lambda: K.dropout(inputs, self.rate, self.noise_shape, self.seed), inputs, training)


class Lambda(Layer):
    """Any function of tensors."""

    def __init__(self, function: Any, output_shape: Any = None, arguments: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function, self.arguments, self._output_shape = function, arguments or {}, output_shape

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return self.function(inputs, **self.arguments)

    def compute_output_shape(self, input_shape: Any) -> Any:
        if callable(self._output_shape):
            return self._output_shape(input_shape)
        return input_shape if self._output_shape is None else (input_shape[0], *self._output_shape)

    def _knows_shape(self, y: Any) -> bool:
        return y.static_shape is not None


class Embedding(Layer):
    """Rows of a table, by their numbers."""

    def __init__(
        self, input_dim: int, output_dim: int, embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None, embeddings_constraint: Any = None, mask_zero: bool = False,
        input_length: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        if "input_shape" not in kwargs:
            kwargs["input_shape"] = (input_length,)
        kwargs["dtype"] = kwargs.get("dtype") or K.floatx()
        super().__init__(**kwargs)
        if mask_zero:
            raise NotImplementedError("flywheel.keras.layers.Embedding: mask_zero")
        self.input_dim, self.output_dim = input_dim, output_dim
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.embeddings_regularizer = regularizers.get(embeddings_regularizer)
        self.embeddings_constraint = constraints.get(embeddings_constraint)

    def build(self, input_shape: Any) -> None:
        self.embeddings = self.add_weight("embeddings", (self.input_dim, self.output_dim), None,
                                          self.embeddings_initializer, self.embeddings_regularizer, True,
                                          self.embeddings_constraint)  # fmt: skip
        self.built = True

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.gather(self.embeddings, K.cast(inputs, "int32"))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*input_shape, self.output_dim)


class BatchNormalization(Layer):
    """Each channel with mean 0 and variance 1: of the batch while training, else of averages."""

    def __init__(
        self, axis: int = -1, momentum: float = 0.99, epsilon: float = 1e-3, center: bool = True, scale: bool = True,
        beta_initializer: Any = "zeros", gamma_initializer: Any = "ones", moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones", **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.axis, self.momentum, self.epsilon, self.center, self.scale = axis, momentum, epsilon, center, scale
        self._initial = {"gamma": gamma_initializer, "beta": beta_initializer, "moving_mean": moving_mean_initializer,
                         "moving_variance": moving_variance_initializer}  # fmt: skip

    def build(self, input_shape: Any) -> None:
        if self.axis not in (-1, len(input_shape) - 1):
            raise NotImplementedError(f"flywheel.keras.layers.BatchNormalization: axis={self.axis}, expected the last")

        def add(name: str, trainable: bool = True) -> Any:
            return self.add_weight(name, (input_shape[-1],), None, self._initial[name], None, trainable)

        self.gamma = add("gamma") if self.scale else None
        self.beta = add("beta") if self.center else None
        self.moving_mean, self.moving_variance = add("moving_mean", False), add("moving_variance", False)
        self.built = True

    def call(self, inputs: Any, training: Any = None, **kwargs: Any) -> Any:
        x = as_tensor(inputs)
        given = [w for w in (self.gamma, self.beta) if w is not None]

        def split(ws: Any) -> Any:
            left = iter(ws)
            return next(left) if self.scale else None, next(left) if self.center else None

        def tested(y: Any, mean: Any, variance: Any, *ws: Any) -> Any:
            return _traced.batch_norm_inference(y, mean, variance, *split(ws), epsilon=self.epsilon)

        tests = make("batch_norm", tested, x, self.moving_mean, self.moving_variance, *given)
        if training in (0, False):
            return tests
        normed, mean, variance = make("batch_norm", lambda y, *ws: _traced.batch_norm_training(
            y, *split(ws), epsilon=self.epsilon), x, *given)  # fmt: skip

        def unbiased(y: Any, v: Any) -> Any:
            count = _ops.cast(_ops.prod(_ops.shape(y)[:-1]), v.dtype)
            return v * (count / (count - (1.0 + self.epsilon)))

        variance = make("unbiased", unbiased, x, variance)
        self.add_update([K.moving_average_update(self.moving_mean, mean, self.momentum),
                         K.moving_average_update(self.moving_variance, variance, self.momentum)], inputs)  # fmt: skip
        return K.in_train_phase(normed, tests, training)


class LayerNormalization(Layer):
    """Each sample with mean 0 and variance 1 along the last dimension."""

    def __init__(self, epsilon: float = 1e-3, center: bool = True, scale: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.epsilon, self.center, self.scale = epsilon, center, scale

    def build(self, input_shape: Any) -> None:
        self.gamma = self.add_weight("gamma", (input_shape[-1],), None, "ones", trainable=self.scale)
        self.beta = self.add_weight("beta", (input_shape[-1],), None, "zeros", trainable=self.center)
        self.built = True

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return make("layer_norm", lambda x, g, b: _traced.layer_norm(x, g, b, axes=[x.ndim - 1], epsilon=self.epsilon),
                    as_tensor(inputs), self.gamma, self.beta)  # fmt: skip


class _Merge(Layer):
    """Layers of several tensors."""

    def _pairwise(self, a: Any, b: Any) -> Any:
        raise NotImplementedError

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        if not isinstance(inputs, (list, tuple)) or len(inputs) < 2:
            raise ValueError("A merge layer should be called on a list of at least 2 inputs.")
        y = inputs[0]
        for x in inputs[1:]:
            y = self._pairwise(y, x)
        return y

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape[0]


class Add(_Merge):
    """The sum."""

    def _pairwise(self, a: Any, b: Any) -> Any:
        return a + b


class Subtract(_Merge):
    """The difference of two."""

    def _pairwise(self, a: Any, b: Any) -> Any:
        return a - b


class Multiply(_Merge):
    """The product, element by element."""

    def _pairwise(self, a: Any, b: Any) -> Any:
        return a * b


class Maximum(_Merge):
    """The largest, element by element."""

    def _pairwise(self, a: Any, b: Any) -> Any:
        return K.maximum(a, b)


class Average(Add):
    """The mean, element by element."""

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return super().call(inputs) / len(inputs)


class Concatenate(_Merge):
    """One after another along an axis."""

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.concatenate(inputs, self.axis)

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = list(input_shape[0])
        sizes = [s[self.axis] for s in input_shape]
        shape[self.axis] = None if None in sizes else sum(sizes)
        return tuple(shape)


class Dot(_Merge):
    """The product of the rows of two matrices."""

    def __init__(self, axes: Any = -1, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if axes not in (-1, 1, (1, 1), [1, 1]):
            raise NotImplementedError(f"flywheel.keras.layers.Dot: axes={axes}, expected 1")
        self.normalize = normalize

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        a, b = (K.l2_normalize(x, 1) for x in inputs) if self.normalize else inputs
        return K.sum(a * b, 1, True)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0][0], 1)


def add(inputs: Any, **kwargs: Any) -> Any:
    return Add(**kwargs)(inputs)


def subtract(inputs: Any, **kwargs: Any) -> Any:
    return Subtract(**kwargs)(inputs)


def multiply(inputs: Any, **kwargs: Any) -> Any:
    return Multiply(**kwargs)(inputs)


def average(inputs: Any, **kwargs: Any) -> Any:
    return Average(**kwargs)(inputs)


def maximum(inputs: Any, **kwargs: Any) -> Any:
    return Maximum(**kwargs)(inputs)


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    return Concatenate(axis, **kwargs)(inputs)


Convolution2D, MaxPool2D = Conv2D, MaxPooling2D


def __getattr__(name: str) -> Any:
    raise AttributeError(f"there is no flywheel.keras.layers.{name}; see docs/Keras.md")
