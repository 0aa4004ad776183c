# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Callbacks of models (M5): those of `flywheel.train`."""

import importlib
import json
import warnings
from typing import Any, Dict, Optional

import numpy as np

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
    Watch,
)
from ._names import Missing

__all__ = [
    "CSVLogger", "Callback", "CallbackList", "EarlyStopping", "History", "LambdaCallback", "LearningRateScheduler",
    "ModelCheckpoint", "ReduceLROnPlateau", "RemoteMonitor", "TensorBoard", "TerminateOnNaN", "Watch",
]  # fmt: skip


class RemoteMonitor(Callback):
    """Posts the results of each epoch to a server, as JSON in the field `field` of a form, or with `send_as_json` as it
    is. A server that does not answer is a warning. Needs the package requests."""

    def __init__(
        self, root: str = "http://localhost:9000", path: str = "/publish/epoch/end/", field: str = "data",
        headers: Optional[Dict[str, str]] = None, send_as_json: bool = False,
    ):  # fmt: skip
        self.root, self.path, self.field = root, path, field
        self.headers, self.send_as_json = headers, send_as_json

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        try:
            requests = importlib.import_module("requests")
        except ImportError:
            raise ImportError("RemoteMonitor requires the `requests` library.") from None
        sent = {"epoch": epoch, **{key: value.item() if isinstance(value, (np.ndarray, np.generic)) else value
                                   for key, value in (logs or {}).items()}}  # fmt: skip
        try:
            if self.send_as_json:
                requests.post(self.root + self.path, json=sent, headers=self.headers)
            else:
                requests.post(self.root + self.path, {self.field: json.dumps(sent)}, headers=self.headers)
        except requests.exceptions.RequestException:
            warnings.warn(f"Warning: could not reach RemoteMonitor root server at {self.root}", stacklevel=2)


class TensorBoard(_shared.TensorBoard):
    """Writes scalars, and histograms of weights, for TensorBoard. `batch_size`, `embeddings_layer_names` and
    `embeddings_metadata` have no effect, and the graph, `write_graph`, is not written."""

    def __init__(self, log_dir: str = "./logs", histogram_freq: int = 0, batch_size: int = 32, write_graph: bool = True,
                 write_grads: bool = False, write_images: bool = False, embeddings_freq: int = 0,
                 embeddings_layer_names: Any = None, embeddings_metadata: Any = None):  # fmt: skip
        if write_grads or write_images or embeddings_freq:
            raise NotImplementedError("flywheel.keras.callbacks.TensorBoard: only scalars and histograms of weights")
        super().__init__(log_dir, histogram_freq)


__getattr__ = Missing("keras.callbacks", __name__, {
    "BackupAndRestore": "ModelCheckpoint", "ProgbarLogger": "verbose=1 of fit",
    "BaseLogger": "History", "SwapEMAWeights": "flywheel.ExponentialMovingAverage",
})  # fmt: skip
