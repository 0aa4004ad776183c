# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of Keras 2.1."""

from typing import Any

from .._serialization import build, custom_object_scope, plain
from ..engine import Input, InputLayer, Layer
from .advanced_activations import ELU, PReLU, Softmax, ThresholdedReLU
from .cells import RNN, StackedRNNCells
from .convolutional import Conv1D, Conv2D, ZeroPadding2D
from .core import (
    Activation,
    ActivityRegularization,
    Dense,
    Dropout,
    Flatten,
    Lambda,
    LeakyReLU,
    Masking,
    Permute,
    RepeatVector,
    Reshape,
)
from .embeddings import Embedding
from .merge import (
    Add,
    Average,
    Concatenate,
    Dot,
    Maximum,
    Multiply,
    Subtract,
    add,
    average,
    concatenate,
    dot,
    maximum,
    multiply,
    subtract,
)
from .more_convolutions import Conv2DTranspose, DepthwiseConv2D, SeparableConv2D
from .noise import AlphaDropout, GaussianDropout, GaussianNoise, SpatialDropout1D, SpatialDropout2D
from .normalization import BatchNormalization, LayerNormalization
from .pooling import (
    AveragePooling1D,
    AveragePooling2D,
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    MaxPooling1D,
    MaxPooling2D,
)
from .recurrent import GRU, LSTM, SimpleRNN
from .resampling import Cropping1D, Cropping2D, UpSampling1D, UpSampling2D, ZeroPadding1D
from .volumes import (
    AveragePooling3D,
    Conv3D,
    GlobalAveragePooling3D,
    GlobalMaxPooling3D,
    MaxPooling3D,
    UpSampling3D,
    ZeroPadding3D,
)
from .wrappers import Bidirectional, TimeDistributed

__all__ = [
    "Activation", "ActivityRegularization", "Add", "AlphaDropout", "Average", "AveragePooling1D", "AveragePooling2D",
    "AveragePooling3D", "AvgPool1D", "AvgPool2D", "AvgPool3D", "BatchNormalization", "Bidirectional", "Concatenate",
    "Conv1D", "Conv2D", "Conv2DTranspose", "Conv3D", "Convolution1D", "Convolution2D", "Convolution3D", "Cropping1D",
    "Cropping2D", "Deconvolution2D", "Dense", "DepthwiseConv2D", "Dot", "Dropout", "ELU", "Embedding", "Flatten", "GRU",
    "GaussianDropout", "GaussianNoise", "GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalAveragePooling3D",
    "GlobalAvgPool2D", "GlobalMaxPool2D", "GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalMaxPooling3D", "Input",
    "InputLayer", "LSTM", "Lambda", "Layer", "LayerNormalization", "LeakyReLU", "Masking", "MaxPool1D", "MaxPool2D",
    "MaxPool3D", "MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "Maximum", "Multiply", "PReLU", "Permute", "RNN",
    "RepeatVector", "Reshape", "SeparableConv2D", "SimpleRNN", "Softmax", "SpatialDropout1D", "SpatialDropout2D",
    "StackedRNNCells", "Subtract", "ThresholdedReLU", "TimeDistributed", "UpSampling1D", "UpSampling2D", "UpSampling3D",
    "ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D", "add", "average", "concatenate", "deserialize", "dot", "maximum",
    "multiply", "serialize", "subtract",
]  # fmt: skip

Convolution1D, Convolution2D, MaxPool1D, MaxPool2D = Conv1D, Conv2D, MaxPooling1D, MaxPooling2D
AvgPool1D, AvgPool2D, Deconvolution2D = AveragePooling1D, AveragePooling2D, Conv2DTranspose
GlobalMaxPool2D, GlobalAvgPool2D = GlobalMaxPooling2D, GlobalAveragePooling2D
Convolution3D, MaxPool3D, AvgPool3D = Conv3D, MaxPooling3D, AveragePooling3D
_CLASSES = {key: value for key, value in globals().items() if isinstance(value, type) and issubclass(value, Layer)}


def serialize(layer: Layer) -> Any:
    """The configuration of a layer: its class, and the arguments of it."""
    return plain(layer)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """The layer, or the model, of what `serialize` gave. Raises ValueError for a class that is neither here nor among
    the custom objects."""
    from ..sequential import Sequential
    from ..training import Model

    with custom_object_scope(custom_objects):
        return build(config, {**_CLASSES, "Model": Model, "Sequential": Sequential}, "layer")


def __getattr__(name: str) -> Any:
    raise AttributeError(f"there is no flywheel.keras.layers.{name}; see docs/Keras.md")
