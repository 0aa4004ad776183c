# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Callbacks of training loops: what is done at each step and epoch (M5)."""

import csv
import importlib
import inspect
import os
import shutil
import sys
import time
import warnings
from typing import Any, Callable, Dict, List, Optional, Union

import numpy as np

from .._core.annotations import Path
from .._errors.messages import about, wrong
from .._training.events import EventWriter, histogram_value, scalar_value
from ..dashboard import Dashboard, write_record


class Callback:
    """The methods that `fit` of a `Loop`, and of models of Keras, calls; it sets `model`, which is the loop or the
    model, and `params` before. A callback that sets `model.stop_training` ends the training after this batch."""

    model: Any = None
    params: Dict[str, Any] = {}
    # The arrays that `fit` of a model of Keras validates with: inputs, targets and weights; None of what gives batches.
    validation_data: Any = None

    def set_params(self, params: Dict[str, Any]) -> None:
        self.params = params

    def set_model(self, model: Any) -> None:
        self.model = model

    def on_train_begin(self, logs: Any = None) -> None: ...

    def on_train_end(self, logs: Any = None) -> None: ...

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None: ...

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None: ...

    def on_batch_begin(self, batch: int, logs: Any = None) -> None: ...

    def on_batch_end(self, batch: int, logs: Any = None) -> None: ...


def listed(given: Any) -> List[Any]:
    """Returns the callbacks that a caller gives. Raises TypeError for a value that is not a list of them."""
    if given is None:
        return []
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"expected a list of callbacks, found {given!r}")
    for callback in given:
        if isinstance(callback, type) or not hasattr(callback, "set_model"):
            raise TypeError(f"expected callbacks, such as History(), found {callback!r}")
    return list(given)


class CallbackList(Callback):
    """Several callbacks, in order."""

    def __init__(self, callbacks: List[Any]):
        self.callbacks = callbacks

    def set_params(self, params: Dict[str, Any]) -> None:
        for c in self.callbacks:
            c.set_params(params)

    def set_model(self, model: Any) -> None:
        for c in self.callbacks:
            c.set_model(model)

    def on_train_begin(self, logs: Any = None) -> None:
        for c in self.callbacks:
            c.on_train_begin(logs)

    def on_train_end(self, logs: Any = None) -> None:
        for c in self.callbacks:
            c.on_train_end(logs)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        for c in self.callbacks:
            c.on_epoch_begin(epoch, logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        for c in self.callbacks:
            c.on_epoch_end(epoch, logs)

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        for c in self.callbacks:
            c.on_batch_begin(batch, logs)

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        for c in self.callbacks:
            c.on_batch_end(batch, logs)


class History(Callback):
    """Records the results of each epoch: `history` by name."""

    def on_train_begin(self, logs: Any = None) -> None:
        self.epoch: List[int] = []
        self.history: Dict[str, List[Any]] = {}

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.epoch.append(epoch)
        for key, value in (logs or {}).items():
            self.history.setdefault(key, []).append(value)

    def plot(self, keys: Any = None, ax: Any = None) -> Any:
        """Draws curves with matplotlib; returns the axes."""
        plt = importlib.import_module("matplotlib.pyplot")

        if ax is None:
            ax = plt.subplots()[1]
        for key in keys or self.history:
            ax.plot([e + 1 for e in self.epoch], self.history[key], label=key)
        ax.set_xlabel("epoch")
        ax.legend()
        return ax


class LambdaCallback(Callback):
    """Functions as a callback."""

    def __init__(
        self, on_epoch_begin: Any = None, on_epoch_end: Any = None, on_batch_begin: Any = None,
        on_batch_end: Any = None, on_train_begin: Any = None, on_train_end: Any = None,
        **functions: Callable[..., Any],
    ):  # fmt: skip
        given = {
            "on_epoch_begin": on_epoch_begin, "on_epoch_end": on_epoch_end, "on_batch_begin": on_batch_begin,
            "on_batch_end": on_batch_end, "on_train_begin": on_train_begin, "on_train_end": on_train_end, **functions,
        }  # fmt: skip
        for name, function in given.items():
            if not hasattr(Callback, name):
                raise TypeError(f"there is no event {name}")
            if function is not None:
                setattr(self, name, function)


class TerminateOnNaN(Callback):
    """Stops when a loss is not a number."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        loss = (logs or {}).get("loss")
        if loss is not None and not np.isfinite(loss):
            print(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


class Monitor(Callback):
    """Callbacks that watch whether a value gets better."""

    def __init__(self, monitor: str, mode: str, min_delta: float = 0.0):
        self.monitor = monitor
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"mode is auto, min or max, found {mode}")
        rises = mode == "max" or (mode == "auto" and ("acc" in monitor or monitor.startswith("fmeasure")))
        self._sign = 1.0 if rises else -1.0
        self.min_delta = abs(min_delta)
        self._forget()

    def _forget(self) -> None:
        self.best = -self._sign * np.inf

    def _improves(self, value: Any) -> bool:
        return bool(self._sign * (value - self.best) > self.min_delta)

    def _value(self, logs: Any) -> Any:
        value = (logs or {}).get(self.monitor)
        if value is None:
            warnings.warn(f"{type(self).__name__} needs `{self.monitor}`, available are: {', '.join(logs or {})}",
                          RuntimeWarning, stacklevel=4)  # fmt: skip
        return value


class EarlyStopping(Monitor):
    """Stops when a value has not become better for `patience` epochs."""

    def __init__(
        self, monitor: str = "val_loss", min_delta: float = 0, patience: int = 0, verbose: int = 0, mode: str = "auto"
    ):
        super().__init__(monitor, mode, min_delta)
        self.patience, self.verbose = patience, verbose
        self.stopped_epoch = 0

    def on_train_begin(self, logs: Any = None) -> None:
        self._forget()
        self.wait = self.stopped_epoch = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        value = self._value(logs)
        if value is None:
            return
        if self._improves(value):
            self.best, self.wait = value, 0
            return
        self.wait += 1
        if self.wait >= self.patience:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs: Any = None) -> None:
        if self.stopped_epoch > 0 and self.verbose:
            print(f"Epoch {self.stopped_epoch + 1:05d}: early stopping")


class ModelCheckpoint(Monitor):
    """Saves the model after epochs, or its weights; names may have `{epoch:02d}` and logs."""

    def __init__(
        self, filepath: Union[str, "os.PathLike[str]"], monitor: str = "val_loss", verbose: int = 0,
        save_best_only: bool = False, save_weights_only: bool = False, mode: str = "auto", period: int = 1,
    ):  # fmt: skip
        super().__init__(monitor, mode)
        self.save_weights_only = save_weights_only
        self.filepath, self.verbose, self.save_best_only, self.period = filepath, verbose, save_best_only, period
        self._since = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._since += 1
        if self._since < self.period:
            return
        self._since = 0
        if self.save_best_only:
            value = self._value(logs)
            if value is None or not self._improves(value):
                return
            self.best = value
        path = os.fspath(self.filepath).format(epoch=epoch + 1, **(logs or {}))
        if self.verbose:
            print(f"Epoch {epoch + 1:05d}: saving model to {path}")
        (self.model.save_weights if self.save_weights_only else self.model.save)(path, overwrite=True)


class OfRate(Callback):
    """Callbacks that read and set the learning rate of the model."""

    def _rate(self) -> float:
        return float(self.model.learning_rate())

    def _set_rate(self, rate: float) -> None:
        self.model.set_learning_rate(rate)


class LearningRateScheduler(OfRate):
    """Sets the rate of each epoch: schedule(epoch), or schedule(epoch, rate)."""

    def __init__(self, schedule: Callable[..., float], verbose: int = 0):
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        rate = self._rate()
        new = self.schedule(epoch, rate) if self._takes_rate() else self.schedule(epoch)
        if not isinstance(new, (float, np.floating)):
            raise ValueError('The output of the "schedule" function should be float.')
        self._set_rate(float(new))

    def _takes_rate(self) -> bool:
        """Returns true if the schedule can be called with two arguments, or does not tell."""
        try:
            signature = inspect.signature(self.schedule)
        except (TypeError, ValueError):
            return True
        try:
            signature.bind(0, 0.0)
        except TypeError:
            return False
        return True


class ReduceLROnPlateau(OfRate, Monitor):
    """Makes the rate smaller when a value has not become better for `patience` epochs."""

    def __init__(
        self, monitor: str = "val_loss", factor: float = 0.1, patience: int = 10, verbose: int = 0, mode: str = "auto",
        min_delta: float = 1e-4, cooldown: int = 0, min_lr: float = 0, epsilon: Optional[float] = None,
    ):  # fmt: skip
        if factor >= 1.0:
            raise about("ReduceLROnPlateau", ValueError("does not support a factor >= 1.0."), " ")
        super().__init__(monitor, mode, min_delta if epsilon is None else epsilon)
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown, self.min_lr = cooldown, min_lr
        self.wait = self._cooling = 0

    def on_train_begin(self, logs: Any = None) -> None:
        self._forget()
        self.wait = self._cooling = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        old = self._rate()
        (logs if logs is not None else {})["lr"] = old
        value = self._value(logs)
        if value is None:
            return
        if self._cooling > 0:
            self._cooling -= 1
            self.wait = 0
        if self._improves(value):
            self.best, self.wait = value, 0
        elif self._cooling == 0:
            self.wait += 1
            if self.wait >= self.patience and old > self.min_lr:
                new = max(old * self.factor, self.min_lr)
                self._set_rate(float(new))
                if self.verbose:
                    print(f"Epoch {epoch + 1:05d}: reducing learning rate to {new}")
                self._cooling, self.wait = self.cooldown, 0


class CSVLogger(Callback):
    """Writes what each epoch gave to a file."""

    def __init__(self, filename: Path, separator: str = ",", append: bool = False):
        self.filename, self.separator, self.append = filename, separator, append

    def on_train_begin(self, logs: Any = None) -> None:
        self._has_header = self.append and os.path.exists(self.filename) and os.path.getsize(self.filename) > 0
        self._file = open(self.filename, "a" if self.append else "w", newline="")  # noqa: SIM115
        self._keys: Optional[List[str]] = None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        logs = logs or {}
        writer = csv.writer(self._file, delimiter=self.separator)
        if self._keys is None:
            self._keys = sorted(logs)
            if not self._has_header:
                writer.writerow(["epoch", *self._keys])
        writer.writerow([epoch, *[logs.get(k, "NA") for k in self._keys]])
        self._file.flush()

    def on_train_end(self, logs: Any = None) -> None:
        self._file.close()


class TensorBoard(Callback):
    """Writes event files for TensorBoard in a folder: of each epoch the scalars that it gave, with `write_steps` those
    of each batch too, and, each `histogram_freq` epochs, histograms of the weights."""

    def __init__(self, log_dir: Path = "./logs", histogram_freq: int = 0, write_steps: bool = False) -> None:
        self.log_dir, self.histogram_freq, self.write_steps = log_dir, histogram_freq, write_steps

    def on_train_begin(self, logs: Any = None) -> None:
        self._writer = EventWriter(self.log_dir)
        self._step = 0

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        if self.write_steps:
            values = {key: value for key, value in (logs or {}).items() if key not in ("batch", "size")}
            self._write({f"batch/{key}": value for key, value in values.items()}, self._step)
            self._step += 1

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._write(logs or {}, epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            for name, value in self.model.weight_values().items():
                self._writer.add_summary(histogram_value(name, value), epoch)
        self._writer.flush()

    def _write(self, logs: Dict[str, Any], step: int) -> None:
        for key, value in logs.items():
            self._writer.add_summary(scalar_value(key, float(value)), step)

    def on_train_end(self, logs: Any = None) -> None:
        self._writer.close()


class Watch(Callback):
    """Saves the page of a dashboard after each epoch, and with `log_dir` writes event files for TensorBoard.

    A step of a `Loop` calls `flywheel.watch` with the dashboard. Models of Keras add their trainable weights and the
    outputs of their layers to it: `model.fit(x, y, callbacks=[Watch("watch.html")])`. `board` is by default a
    `flywheel.Dashboard` that looks at every `every`-th step.
    """

    def __init__(
        self, path: Optional[Path] = "watch.html", log_dir: Optional[Path] = None, board: Any = None, every: int = 100
    ):
        if board is not None and not isinstance(board, Dashboard):
            raise wrong(TypeError, "a flywheel.Dashboard", repr(board), "board", function="Watch")
        self.path, self.log_dir = path, log_dir
        self.board = Dashboard(every) if board is None else board

    def on_train_begin(self, logs: Any = None) -> None:
        self._writer = None if self.log_dir is None else EventWriter(self.log_dir)
        self.board._drain()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self._writer is not None:
            for record in self.board._drain():
                write_record(self._writer, record)
            self._writer.flush()
        if self.path is not None:
            self.board.save(self.path)

    def on_train_end(self, logs: Any = None) -> None:
        if self._writer is not None:
            self._writer.close()


class _Bar:
    """Prints the progress of an epoch, by tqdm if it is installed, and its result."""

    def __init__(self, title: str, steps: Optional[int], verbose: int):
        self._verbose = verbose
        self._start = time.monotonic()
        self._bar: Any = None
        if not verbose:
            return
        print(title)
        if verbose == 1 and sys.stderr.isatty():
            try:
                tqdm = importlib.import_module("tqdm").tqdm
            except ImportError:
                return
            # A terminal that does not tell its size, as in containers, is taken for one of 80 columns.
            columns, lines = shutil.get_terminal_size()
            self._bar = tqdm(total=steps, leave=False, ncols=columns - 1, nrows=lines)

    def update(self, logs: Callable[[], Dict[str, float]]) -> None:
        if self._bar is not None:
            self._bar.update()
            if self._bar.n % 16 == 0:
                self._bar.set_postfix(logs(), refresh=False)

    def close(self, logs: Dict[str, float]) -> None:
        if self._bar is not None:
            self._bar.close()
        if self._verbose:
            values = "".join(f" - {k}: {v:.4f}" for k, v in logs.items())
            print(f" - {time.monotonic() - self._start:.0f}s{values}")


def progress(title: str, steps: Optional[int], verbose: int) -> _Bar:
    return _Bar(title, steps, verbose)
