# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Callbacks of models (M5): those of `flywheel.train`."""

import importlib
import json
import warnings
from typing import Any, Dict, Optional

import numpy as np

from .._errors.messages import about
from ..train import callbacks as _shared
from ..train.callbacks import (
    Callback,
    CallbackList,
    CSVLogger,
    EarlyStopping,
    History,
    LambdaCallback,
    ModelCheckpoint,
    OfRate,
    TerminateOnNaN,
    Watch,
)
from . import backend as K
from ._names import Missing
from ._tensorboard import TensorBoard

__all__ = [
    "CSVLogger", "Callback", "CallbackList", "EarlyStopping", "History", "LambdaCallback", "LearningRateScheduler",
    "ModelCheckpoint", "ReduceLROnPlateau", "RemoteMonitor", "TensorBoard", "TerminateOnNaN", "Watch",
]  # fmt: skip


class _OfOptimizer(OfRate):
    """Callbacks that read and set the rate `lr` of the optimizer of a model, of Keras or of the program."""

    def _rate(self) -> float:
        return float(K.get_value(self._variable()))

    def _set_rate(self, rate: float) -> None:
        K.set_value(self._variable(), rate)

    def _variable(self) -> Any:
        if not hasattr(self.model.optimizer, "lr"):
            raise ValueError('Optimizer must have a "lr" attribute.')
        return self.model.optimizer.lr


class LearningRateScheduler(_OfOptimizer, _shared.LearningRateScheduler):
    """Sets the rate of each epoch: schedule(epoch), or schedule(epoch, rate)."""


class ReduceLROnPlateau(_OfOptimizer, _shared.ReduceLROnPlateau):
    """Makes the rate smaller when a value has not become better for `patience` epochs. `epsilon` is `min_delta` of
    Keras before 2.1.6, and warns."""

    def __init__(
        self, monitor: str = "val_loss", factor: float = 0.1, patience: int = 10, verbose: int = 0, mode: str = "auto",
        min_delta: float = 1e-4, cooldown: int = 0, min_lr: float = 0, **kwargs: Any,
    ):  # fmt: skip
        if "epsilon" in kwargs:
            min_delta = kwargs.pop("epsilon")
            warnings.warn("`epsilon` argument is deprecated and will be removed, use `min_delta` instead.",
                          stacklevel=2)  # fmt: skip
        if kwargs:
            raise about("ReduceLROnPlateau", TypeError(f"takes no arguments {', '.join(kwargs)}"), " ")
        super().__init__(monitor, factor, patience, verbose, mode, min_delta, cooldown, min_lr)


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


__getattr__ = Missing("keras.callbacks", __name__, {
    "BackupAndRestore": "ModelCheckpoint", "ProgbarLogger": "verbose=1 of fit",
    "BaseLogger": "History", "SwapEMAWeights": "flywheel.ExponentialMovingAverage",
})  # fmt: skip
