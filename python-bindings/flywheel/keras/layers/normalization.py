# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers that give means and variances."""

from typing import Any

from ... import _ops
from ... import nn as _traced
from ..._errors.messages import about
from ..._nn.functions import unless_empty
from ..._ops import precision as _precision
from ...v1.conversion import as_tensor, make
from .. import backend as K
from .. import constraints, initializers, regularizers
from ..engine import Layer
from ..legacy import interfaces as _legacy


@_legacy.batch_normalization
class BatchNormalization(Layer):
    """Each channel with mean 0 and variance 1: of the batch while training, else of averages."""

    supports_masking = True
    arguments = (
        "axis", "momentum", "epsilon", "center", "scale", "beta_initializer", "gamma_initializer",
        "moving_mean_initializer", "moving_variance_initializer", "beta_regularizer", "gamma_regularizer",
        "beta_constraint", "gamma_constraint",
    )  # fmt: skip

    def __init__(
        self, axis: int = -1, momentum: float = 0.99, epsilon: float = 1e-3, center: bool = True, scale: bool = True,
        beta_initializer: Any = "zeros", gamma_initializer: Any = "ones", moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones", beta_regularizer: Any = None, gamma_regularizer: Any = None,
        beta_constraint: Any = None, gamma_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.axis, self.momentum, self.epsilon, self.center, self.scale = axis, momentum, epsilon, center, scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)
        self.beta_regularizer = regularizers.get(beta_regularizer)
        self.gamma_regularizer = regularizers.get(gamma_regularizer)
        self.beta_constraint = constraints.get(beta_constraint)
        self.gamma_constraint = constraints.get(gamma_constraint)

    def build(self, input_shape: Any) -> None:
        rank = len(input_shape)
        axis = self.axis + rank if self.axis < 0 else self.axis
        if not 0 < axis < rank or input_shape[axis] is None:
            raise ValueError(f"Axis {self.axis} of input tensor should have a defined dimension but the layer received "
                             f"an input with shape {input_shape}.")  # fmt: skip
        # The order of dimensions that has this axis last, and the order that restores it.
        self._inwards = (*(i for i in range(rank) if i != axis), axis)
        self._outwards = tuple(self._inwards.index(i) for i in range(rank))

        def add(name: str, trainable: bool = True) -> Any:
            return self.add_weight(name, (input_shape[axis],), None, getattr(self, f"{name}_initializer"),
                                   getattr(self, f"{name}_regularizer", None), trainable,
                                   getattr(self, f"{name}_constraint", None))  # fmt: skip

        self.gamma = add("gamma") if self.scale else None
        self.beta = add("beta") if self.center else None
        self.moving_mean, self.moving_variance = add("moving_mean", False), add("moving_variance", False)
        self.built = True

    def call(self, inputs: Any, training: Any = None, **kwargs: Any) -> Any:
        is_last = self._inwards[-1] == len(self._inwards) - 1
        x = as_tensor(inputs if is_last else K.permute_dimensions(inputs, self._inwards))
        given = [w for w in (self.gamma, self.beta) if w is not None]

        def restore(y: Any) -> Any:
            return y if is_last else K.permute_dimensions(y, self._outwards)

        def split(ws: Any) -> Any:
            left = iter(ws)
            return next(left) if self.scale else None, next(left) if self.center else None

        def tested(y: Any, mean: Any, variance: Any, *ws: Any) -> Any:
            return _traced.batch_norm_inference(y, mean, variance, *split(ws), epsilon=self.epsilon)

        tests = make("batch_norm", tested, x, self.moving_mean, self.moving_variance, *given)
        if training in (0, False):
            return restore(tests)
        normed, mean, variance = make("batch_norm", lambda y, *ws: _traced.batch_norm_training(
            y, *split(ws), epsilon=self.epsilon), x, *given)  # fmt: skip

        def unbiased(y: Any, v: Any) -> Any:
            count = _ops.cast(_ops.prod(_ops.shape(y)[:-1]), v.dtype)
            return v * (count / (count - (1.0 + self.epsilon)))

        variance = make("unbiased", unbiased, x, variance)
        statistics = ((self.moving_mean, mean), (self.moving_variance, variance))
        self.add_update([K.moving_average_update(average, make("unless_empty", unless_empty, x, value, average),
                                                 self.momentum) for average, value in statistics], inputs)  # fmt: skip
        return restore(K.in_train_phase(normed, tests, training))


class LayerNormalization(Layer):
    """Each sample with mean 0 and variance 1 along `axis`: the last dimension, or several of the last ones."""

    supports_masking = True
    arguments = ("axis", "epsilon", "center", "scale", "beta_initializer", "gamma_initializer")

    def __init__(
        self, axis: Any = -1, epsilon: float = 1e-3, center: bool = True, scale: bool = True,
        beta_initializer: Any = "zeros", gamma_initializer: Any = "ones", **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if isinstance(axis, float):
            # The first argument of older versions.
            axis, epsilon = -1, axis
        self.axis, self.epsilon, self.center, self.scale = axis, epsilon, center, scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)

    def build(self, input_shape: Any) -> None:
        rank = len(input_shape)
        given = list(self.axis) if isinstance(self.axis, (list, tuple)) else [self.axis]
        self._axes = sorted(axis + rank if axis < 0 else axis for axis in given)
        if self._axes != list(range(rank - len(given), rank)) or 0 in self._axes:
            raise about("flywheel.keras.layers.LayerNormalization", NotImplementedError(
                f"axis={self.axis}, expected the last ones, and not the batch"))  # fmt: skip
        shape = tuple(input_shape[axis] for axis in self._axes)
        self.gamma = self.add_weight("gamma", shape, None, self.gamma_initializer, trainable=self.scale)
        self.beta = self.add_weight("beta", shape, None, self.beta_initializer, trainable=self.center)
        self.built = True

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return make("layer_norm", lambda x, g, b: _traced.layer_norm(x, g, b, axes=self._axes, epsilon=self.epsilon),
                    as_tensor(inputs), self.gamma, self.beta)  # fmt: skip


class GroupNormalization(Layer):
    """Each group of channels of each sample with mean 0 and variance 1, over all other dimensions too."""

    supports_masking = True
    arguments = ("groups", "axis", "epsilon", "center", "scale", "beta_initializer", "gamma_initializer")

    def __init__(
        self, groups: int = 32, axis: int = -1, epsilon: float = 1e-3, center: bool = True, scale: bool = True,
        beta_initializer: Any = "zeros", gamma_initializer: Any = "ones", **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.groups, self.axis, self.epsilon, self.center, self.scale = groups, axis, epsilon, center, scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)

    def build(self, input_shape: Any) -> None:
        if self.axis not in (-1, len(input_shape) - 1):
            raise about("flywheel.keras.layers.GroupNormalization", NotImplementedError(
                f"axis={self.axis}, expected the last"))  # fmt: skip
        channels = input_shape[-1]
        # As in Keras: one group for each channel.
        self._groups = channels if self.groups == -1 else self.groups
        if channels is None or self._groups < 1 or channels % self._groups:
            raise ValueError(f"expected channels in {self.groups} groups in layer {self.name}, found {channels}")
        self.gamma = self.add_weight("gamma", (channels,), None, self.gamma_initializer) if self.scale else None
        self.beta = self.add_weight("beta", (channels,), None, self.beta_initializer) if self.center else None
        self.built = True

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        given = [w for w in (self.gamma, self.beta) if w is not None]

        def emit(x: Any, *ws: Any) -> Any:
            left = iter(ws)
            gamma, beta = (next(left) if used else None for used in (self.scale, self.center))
            return _traced.group_norm(x, self._groups, gamma, beta, epsilon=self.epsilon)

        return make("group_norm", emit, as_tensor(inputs), *given)


class RMSNormalization(Layer):
    """x over the root of the mean of its squares along the last dimension, times a weight."""

    supports_masking = True
    arguments = ("axis", "epsilon")

    def __init__(self, axis: int = -1, epsilon: float = 1e-6, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis, self.epsilon = axis, epsilon

    def build(self, input_shape: Any) -> None:
        if self.axis not in (-1, len(input_shape) - 1):
            raise about("flywheel.keras.layers.RMSNormalization", NotImplementedError(
                f"axis={self.axis}, expected the last"))  # fmt: skip
        self.scale = self.add_weight("scale", (input_shape[-1],), None, "ones")
        self.built = True

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        @_precision.rounds_once(2)
        def emit(x: Any, w: Any) -> Any:
            mean = _ops.mean(_ops.square(x), -1, True)
            return x * _ops.rsqrt(mean + self.epsilon) * w

        return make("rms_norm", emit, as_tensor(inputs), self.scale)
