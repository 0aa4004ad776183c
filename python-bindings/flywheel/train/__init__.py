# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training loops over traced functions, and their callbacks, which models of Keras use as well."""

from .callbacks import (
    Callback,
    CallbackList,
    CSVLogger,
    EarlyStopping,
    History,
    LambdaCallback,
    LearningRateScheduler,
    ModelCheckpoint,
    ReduceLROnPlateau,
    TensorBoard,
    TerminateOnNaN,
    Watch,
)
from .loop import Loop

__all__ = [
    "CSVLogger", "Callback", "CallbackList", "EarlyStopping", "History", "LambdaCallback",
    "LearningRateScheduler", "Loop", "ModelCheckpoint", "ReduceLROnPlateau", "TensorBoard", "TerminateOnNaN",
    "Watch",
]  # fmt: skip
