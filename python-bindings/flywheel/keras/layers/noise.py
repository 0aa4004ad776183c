# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Noise while training."""

from typing import Any, Tuple

from ..._errors.messages import about
from ...v1.conversion import as_tensor, make
from .. import backend as K
from ..engine import Layer
from ..legacy import interfaces as _legacy
from ..utils.conv_utils import normalize_data_format


def _like(x: Any, draw: Any) -> Any:
    """Random numbers of the shape of x."""
    return draw(K.shape(x))


@_legacy.gaussian_noise
class GaussianNoise(Layer):
    """Adds numbers of this standard deviation."""

    supports_masking = True
    arguments = ("stddev",)

    def __init__(self, stddev: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.stddev = stddev

    def call(self, inputs: Any, training: Any = None, **kwargs: Any) -> Any:
        def noised() -> Any:
            return inputs + _like(inputs, lambda shape: K.random_normal(shape, 0.0, self.stddev))

        return K.in_train_phase(noised, inputs, training)


@_legacy.dropout
class GaussianDropout(Layer):
    """Multiplies by numbers of mean 1, and the standard deviation that dropout with this rate has."""

    supports_masking = True
    arguments = ("rate",)

    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate = rate

    def call(self, inputs: Any, training: Any = None, **kwargs: Any) -> Any:
        if not 0.0 < self.rate < 1.0:
            return inputs
        deviation = (self.rate / (1.0 - self.rate)) ** 0.5

        def noised() -> Any:
            return inputs * _like(inputs, lambda shape: K.random_normal(shape, 1.0, deviation))

        return K.in_train_phase(noised, inputs, training)


class AlphaDropout(Layer):
    """Drops elements for SELU: mean and variance stay (Klambauer et al., Self-Normalizing Neural Networks, 2017)."""

    supports_masking = True
    arguments = ("rate", "noise_shape", "seed")

    def __init__(self, rate: float, noise_shape: Any = None, seed: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if noise_shape is not None:
            raise about("flywheel.keras.layers.AlphaDropout", NotImplementedError("noise_shape"))
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: Any = None, **kwargs: Any) -> Any:
        if not 0.0 < self.rate < 1.0:
            return inputs
        low = -1.0507009873554805 * 1.6732632423543772
        a = ((1 - self.rate) * (1 + self.rate * low**2)) ** -0.5
        b = -a * low * self.rate

        def dropped() -> Any:
            drawn = _like(inputs, lambda shape: K.random_uniform(shape, seed=self.seed))
            kept = K.cast(K.greater_equal(drawn, self.rate), K.floatx())
            return a * (inputs * kept + low * (1 - kept)) + b

        return K.in_train_phase(dropped, inputs, training)


class _SpatialDropout(Layer):
    """Drops whole channels of an example."""

    supports_masking = True
    arguments: Tuple[str, ...] = ("rate", "seed")
    rank = 0
    data_format: Any = None

    def __init__(self, rate: float, *, noise_shape: Any = None, seed: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        # Configurations of Keras have one that is None.
        if noise_shape is not None:
            raise about(f"flywheel.keras.layers.{type(self).__name__}", NotImplementedError("noise_shape"))
        self.rate, self.seed = rate, seed

    def call(self, inputs: Any, training: Any = None, **kwargs: Any) -> Any:
        if not 0.0 < self.rate < 1.0:
            return inputs

        def dropped() -> Any:
            shape = K.shape(inputs)
            ones = [1] * self.rank
            is_first = self.data_format == "channels_first"
            channels = K.int_shape(inputs)[1 if is_first else -1]
            drawn_shape = [shape[0], *([channels, *ones] if is_first else [*ones, channels])]
            drawn = K.random_uniform(drawn_shape, seed=self.seed)
            kept = K.cast(K.greater_equal(drawn, self.rate), K.floatx())
            return make("SpatialDropout", lambda x, k: x * k / (1.0 - self.rate), as_tensor(inputs), kept)

        return K.in_train_phase(dropped, inputs, training)


@_legacy.spatial_dropout
class SpatialDropout1D(_SpatialDropout):
    """Drops whole channels of sequences."""

    rank = 1


class _Formatted(_SpatialDropout):
    arguments = ("data_format",)

    def __init__(self, rate: float, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(rate, **kwargs)
        self.data_format = normalize_data_format(data_format)


@_legacy.spatial_dropout
class SpatialDropout2D(_Formatted):
    """Drops whole channels of images."""

    rank = 2


@_legacy.spatial_dropout
class SpatialDropout3D(_Formatted):
    """Drops whole channels of volumes."""

    rank = 3
