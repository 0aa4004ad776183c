# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of Keras 2.1."""

from typing import Any

from ..engine import Input, InputLayer, Layer
from .convolutional import Conv2D, ZeroPadding2D
from .core import Activation, Dense, Dropout, Flatten, Lambda, LeakyReLU, Permute, RepeatVector, Reshape
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
    maximum,
    multiply,
    subtract,
)
from .normalization import BatchNormalization, LayerNormalization
from .pooling import AveragePooling2D, GlobalAveragePooling2D, GlobalMaxPooling2D, MaxPooling2D
from .recurrent import GRU, LSTM, SimpleRNN

__all__ = [
    "GRU", "LSTM", "Activation", "Add", "Average", "AveragePooling2D", "BatchNormalization", "Concatenate", "Conv2D",
    "Convolution2D", "Dense", "Dot", "Dropout", "Embedding", "Flatten", "GlobalAveragePooling2D",
    "GlobalMaxPooling2D", "Input", "InputLayer", "Lambda", "Layer", "LayerNormalization", "LeakyReLU", "MaxPool2D",
    "MaxPooling2D", "Maximum", "Multiply", "Permute", "RepeatVector", "Reshape", "SimpleRNN", "Subtract",
    "ZeroPadding2D", "add", "average", "concatenate", "maximum", "multiply", "subtract",
]  # fmt: skip

Convolution2D, MaxPool2D = Conv2D, MaxPooling2D


def __getattr__(name: str) -> Any:
    raise AttributeError(f"there is no flywheel.keras.layers.{name}; see docs/Keras.md")
