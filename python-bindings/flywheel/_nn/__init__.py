# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of `flywheel.nn`: layers, which are modules, functions, and windows of any number of dimensions."""

from ._attention import KeyValueCache, MultiHeadAttention
from ._convolutions import Conv1D, Conv2D, Conv3D, ConvTranspose1D, ConvTranspose2D
from ._dense import Dense, Dropout, Embedding, Sequential
from ._norms import BatchNorm, GroupNorm, LayerNorm, RMSNorm
from ._recurrent import GRU, LSTM

__all__ = [
    "GRU", "LSTM", "BatchNorm", "Conv1D", "Conv2D", "Conv3D", "ConvTranspose1D", "ConvTranspose2D", "Dense", "Dropout",
    "Embedding", "GroupNorm", "KeyValueCache", "LayerNorm", "MultiHeadAttention", "RMSNorm", "Sequential",
]  # fmt: skip
