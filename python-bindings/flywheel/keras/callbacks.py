# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Callbacks of models (M5): those of `flywheel.train`."""

from typing import Any

from ..train import callbacks as _shared
from ..train.callbacks import (
    Callback,
    CallbackList,
    CSVLogger,
    EarlyStopping,
    History,
    LambdaCallback,
    LearningRateScheduler,
    ModelCheckpoint,
    ReduceLROnPlateau,
    TerminateOnNaN,
)
from ._names import Missing

__all__ = [
    "CSVLogger", "Callback", "CallbackList", "EarlyStopping", "History", "LambdaCallback", "LearningRateScheduler",
    "ModelCheckpoint", "ReduceLROnPlateau", "TensorBoard", "TerminateOnNaN",
]  # fmt: skip


class TensorBoard(_shared.TensorBoard):
    """Writes scalars, and histograms of weights, for TensorBoard."""

    def __init__(self, log_dir: str = "./logs", histogram_freq: int = 0, batch_size: int = 32, write_graph: bool = True,
                 write_grads: bool = False, write_images: bool = False, embeddings_freq: int = 0,
                 embeddings_layer_names: Any = None, embeddings_metadata: Any = None):  # fmt: skip
        if write_grads or write_images or embeddings_freq:
            raise NotImplementedError("flywheel.keras.callbacks.TensorBoard: only scalars and histograms of weights")
        super().__init__(log_dir, histogram_freq)


__getattr__ = Missing("keras.callbacks", __name__, {
    "RemoteMonitor": "LambdaCallback", "BackupAndRestore": "ModelCheckpoint", "ProgbarLogger": "verbose=1 of fit",
    "BaseLogger": "History", "SwapEMAWeights": "flywheel.ExponentialMovingAverage",
})  # fmt: skip
