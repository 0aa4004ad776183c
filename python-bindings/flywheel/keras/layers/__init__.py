# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of Keras 2.1."""

from typing import Any

from .._names import Missing
from .._serialization import build, custom_object_scope, plain
from ..engine import Input, InputLayer, InputSpec, Layer
from .advanced_activations import ELU, PReLU, Softmax, ThresholdedReLU
from .attention import MultiHeadAttention
from .cells import RNN, StackedRNNCells
from .convolutional import (
    AtrousConvolution1D,
    AtrousConvolution2D,
    Conv1D,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
    Convolution1D,
    Convolution2D,
    Convolution2DTranspose,
    Convolution3D,
    Convolution3DTranspose,
    Cropping1D,
    Cropping2D,
    Cropping3D,
    Deconvolution2D,
    Deconvolution3D,
    DepthwiseConv2D,
    SeparableConv1D,
    SeparableConv2D,
    SeparableConvolution1D,
    SeparableConvolution2D,
    UpSampling1D,
    UpSampling2D,
    UpSampling3D,
    ZeroPadding1D,
    ZeroPadding2D,
    ZeroPadding3D,
)
from .convolutional_recurrent import ConvLSTM2D
from .core import (
    Activation,
    ActivityRegularization,
    Dense,
    Dropout,
    Flatten,
    Identity,
    Lambda,
    LeakyReLU,
    Masking,
    Permute,
    ReLU,
    RepeatVector,
    Rescaling,
    Reshape,
)
from .embeddings import Embedding
from .local import LocallyConnected1D, LocallyConnected2D
from .merge import (
    Add,
    Average,
    Concatenate,
    Dot,
    Maximum,
    Minimum,
    Multiply,
    Subtract,
    add,
    average,
    concatenate,
    dot,
    maximum,
    minimum,
    multiply,
    subtract,
)
from .noise import (
    AlphaDropout,
    GaussianDropout,
    GaussianNoise,
    SpatialDropout1D,
    SpatialDropout2D,
    SpatialDropout3D,
)
from .normalization import BatchNormalization, GroupNormalization, LayerNormalization, RMSNormalization
from .pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    AvgPool1D,
    AvgPool2D,
    AvgPool3D,
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalAveragePooling3D,
    GlobalAvgPool1D,
    GlobalAvgPool2D,
    GlobalAvgPool3D,
    GlobalMaxPool1D,
    GlobalMaxPool2D,
    GlobalMaxPool3D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    GlobalMaxPooling3D,
    MaxPool1D,
    MaxPool2D,
    MaxPool3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
)
from .recurrent import GRU, LSTM, SimpleRNN
from .rnn_cells import GRUCell, LSTMCell, SimpleRNNCell
from .wrappers import Bidirectional, TimeDistributed

__all__ = [
    "Activation", "ActivityRegularization", "Add", "AlphaDropout", "AtrousConvolution1D", "AtrousConvolution2D",
    "Average", "AveragePooling1D", "AveragePooling2D", "AveragePooling3D", "AvgPool1D", "AvgPool2D", "AvgPool3D",
    "BatchNormalization", "Bidirectional", "Concatenate", "Conv1D", "Conv2D", "Conv2DTranspose", "Conv3D",
    "Conv3DTranspose", "ConvLSTM2D", "Convolution1D", "Convolution2D", "Convolution2DTranspose", "Convolution3D",
    "Convolution3DTranspose", "Cropping1D", "Cropping2D", "Cropping3D", "Deconvolution2D", "Deconvolution3D", "Dense",
    "DepthwiseConv2D", "Dot", "Dropout", "ELU", "Embedding", "Flatten", "GRU", "GRUCell", "GaussianDropout",
    "GaussianNoise", "GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalAveragePooling3D", "GlobalAvgPool1D",
    "GlobalAvgPool2D", "GlobalAvgPool3D", "GlobalMaxPool1D", "GlobalMaxPool2D", "GlobalMaxPool3D", "GlobalMaxPooling1D",
    "GlobalMaxPooling2D", "GlobalMaxPooling3D", "GroupNormalization", "Identity", "Input", "InputLayer", "InputSpec",
    "LSTM", "LSTMCell", "Lambda", "Layer", "LayerNormalization", "LeakyReLU", "LocallyConnected1D",
    "LocallyConnected2D",
    "Masking", "MaxPool1D", "MaxPool2D", "MaxPool3D", "MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "Maximum",
    "Minimum", "MultiHeadAttention", "Multiply", "PReLU", "Permute", "RMSNormalization", "RNN", "ReLU", "RepeatVector",
    "Rescaling", "Reshape", "SeparableConv1D", "SeparableConv2D", "SeparableConvolution1D", "SeparableConvolution2D",
    "SimpleRNN", "SimpleRNNCell", "Softmax", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D",
    "StackedRNNCells", "Subtract", "ThresholdedReLU", "TimeDistributed", "UpSampling1D", "UpSampling2D", "UpSampling3D",
    "ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D", "add", "average", "concatenate", "deserialize", "dot", "maximum",
    "minimum", "multiply", "serialize", "subtract",
]  # fmt: skip

_CLASSES = {key: value for key, value in globals().items() if isinstance(value, type) and issubclass(value, Layer)}


def serialize(layer: Layer) -> Any:
    """The configuration of a layer: its class, and the arguments of it."""
    return plain(layer)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """The layer, or the model, of what `serialize` gave. Raises ValueError for a class that is neither here nor among
    the custom objects."""
    from ..engine.training import Model
    from ..legacy import layers as old
    from ..sequential import Sequential

    others = {"Highway": old.Highway, "MaxoutDense": old.MaxoutDense, "Merge": old.Merge, "Model": Model,
              "Sequential": Sequential}  # fmt: skip
    with custom_object_scope(custom_objects):
        return build(config, {**_CLASSES, **others}, "layer")


__getattr__ = Missing("keras.layers", __name__, {
    "Attention": "MultiHeadAttention", "AdditiveAttention": "MultiHeadAttention",
    "GroupQueryAttention": "MultiHeadAttention",
    "Normalization": "Rescaling, or NumPy in front of the model", "TextVectorization": "keras.preprocessing.text",
    "StringLookup": "keras.preprocessing.text", "IntegerLookup": "Embedding of numbers from 0 on",
    "Resizing": "UpSampling2D, or images of one size", "CenterCrop": "Cropping2D", "CategoryEncoding": "Embedding",
    "RandomFlip": "keras.preprocessing.image", "RandomRotation": "keras.preprocessing.image",
    "RandomZoom": "keras.preprocessing.image", "CuDNNLSTM": "LSTM", "CuDNNGRU": "GRU",
    "SpectralNormalization": "a constraint of kernels", "EinsumDense": "Dense, or Lambda of a contraction",
    "UnitNormalization": "Lambda of K.l2_normalize", "TorchModuleWrapper": "flywheel.torch",
})  # fmt: skip
