# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Epochs of steps: what `Loop` and the models of Keras share, and loops over traced functions."""

from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .._core.annotations import Array, Path
from .._errors.messages import wrong
from ..namespace import trainable_variables
from ..store import save
from .callbacks import CallbackList, History, listed, progress

__all__ = ["Loop"]


class Means:
    """Means of what batches give, by their sizes; of the names in `last` the last value (M1)."""

    def __init__(self, names: Sequence[str], last: Sequence[str] = ()) -> None:
        self.names, self.last = list(names), list(last)
        self.sums = [0.0] * len(self.names)
        self.count = 0

    def add(self, results: Sequence[Any], size: int) -> None:
        self.count += size
        for i, (name, value) in enumerate(zip(self.names, results)):
            self.sums[i] = float(value) if name in self.last else self.sums[i] + float(value) * size

    def values(self) -> List[float]:
        """One a name: several metrics may have the same."""
        return [s if n in self.last else s / max(self.count, 1) for n, s in zip(self.names, self.sums)]

    def logs(self) -> Dict[str, float]:
        return dict(zip(self.names, self.values()))


def run_epochs(
    owner: Any,
    callbacks: CallbackList,
    begin: Callable[[], Means],
    batches: Callable[[], Iterable[Tuple[Any, int]]],
    step: Callable[[Any], Sequence[Any]],
    validate: Callable[[], Mapping[str, float]],
    epochs: int,
    *,
    initial_epoch: int = 0,
    steps: Optional[int] = None,
    verbose: int = 1,
) -> None:
    """Runs epochs until there were `epochs`, or a callback sets `owner.stop_training`.

    `begin` makes the means of an epoch, `batches` gives batches and their sizes, `step` of a batch gives a value for
    each name of the means (names may become known in the first step), and `validate` what is added to the logs of the
    epoch.
    """
    owner.stop_training = False
    callbacks.on_train_begin({})
    for epoch in range(initial_epoch, epochs):
        callbacks.on_epoch_begin(epoch, {})
        means = begin()
        bar = progress(f"Epoch {epoch + 1}/{epochs}", steps, verbose)
        for i, (batch, size) in enumerate(batches()):
            callbacks.on_batch_begin(i, {"batch": i, "size": size})
            results = step(batch)
            means.add(results, size)
            callbacks.on_batch_end(i, {"batch": i, "size": size, **dict(zip(means.names, results))})
            bar.update(means.logs)
            if owner.stop_training:
                break
        logs = means.logs()
        logs.update(validate())
        bar.close(logs)
        callbacks.on_epoch_end(epoch, logs)
        if owner.stop_training:
            break
    callbacks.on_train_end({})


def _size_of(batch: Any) -> int:
    """Returns the number of examples of a batch: the size of the first dimension of its first array that has one."""
    parts = batch.values() if isinstance(batch, Mapping) else batch if isinstance(batch, (tuple, list)) else [batch]
    for part in parts:
        shape = np.shape(part)
        if shape:
            return int(shape[0])
    return 1


def _call(function: Callable[..., Any], batch: Any) -> Any:
    """Calls a function of a batch: a tuple or list is its arguments, a dict those by keyword."""
    if isinstance(batch, Mapping):
        return function(**batch)
    return function(*batch) if isinstance(batch, (tuple, list)) else function(batch)


class _Named:
    """A step or a test whose results have names."""

    def __init__(self, function: Callable[..., Any], names: Optional[Sequence[str]]) -> None:
        self._function = function
        self._given = None if names is None else list(names)

    def __call__(self, batch: Any) -> Dict[str, Any]:
        """Returns the results by name. Raises ValueError for a result that is not one number, and for other names."""
        made = _call(self._function, batch)
        if isinstance(made, Mapping):
            found = dict(made)
        else:
            values = list(made) if isinstance(made, (tuple, list)) else [made]
            names = self._given or ["loss", *[f"value_{i}" for i in range(1, len(values))]]
            if len(names) != len(values):
                raise ValueError(f"expected a name for each of {len(values)} results of a step, found {names}")
            found = dict(zip(names, values))
        for name, value in found.items():
            if np.size(value) != 1:
                raise ValueError(f"expected a number as '{name}' of a step, found the shape {np.shape(value)}: return "
                                 "its mean")  # fmt: skip
        return {name: np.asarray(value).reshape(())[()] for name, value in found.items()}


class Loop:
    """Epochs of a step, with progress, a history and callbacks, as `fit` of Keras has them.

        loop = fw.train.Loop(step, test=test, callbacks=[fw.train.CSVLogger("log.csv"), fw.train.TensorBoard("logs")])
        history = loop.fit(fw.data.Batches((images, labels), 64), epochs=10, validation=(test_images, test_labels))
        history.history["val_loss"]

    `step` and `test` are functions, traced ones say, of a batch: of the elements of a tuple or list, or by keyword of
    those of a dict. They return a number, the loss, several in a tuple (`names` are those of them, by default `loss`,
    `value_1` ...), or a dict from names to numbers; the logs of an epoch are their means over its examples, and those
    of `test` have the prefix `val_`. `optimizer` is the one whose rate callbacks change, and `variables`, by default
    the trainable ones of the namespace, are those whose histograms `TensorBoard` writes.
    """

    def __init__(
        self,
        step: Callable[..., Any],
        *,
        test: Optional[Callable[..., Any]] = None,
        callbacks: Optional[Sequence[Any]] = None,
        names: Optional[Sequence[str]] = None,
        optimizer: Any = None,
        variables: Optional[Iterable[Any]] = None,
    ) -> None:
        for what, function in (("step", step), ("test", test)):
            if function is not None and not callable(function):
                raise wrong(TypeError, "a function", repr(function), what)
        self._step = _Named(step, names)
        self._test = None if test is None else _Named(test, names)
        self._callbacks = listed(callbacks)
        self.optimizer = optimizer
        self._variables = None if variables is None else list(variables)
        self.stop_training = False
        self.history: Optional[History] = None

    def fit(
        self,
        batches: Any,
        epochs: int = 1,
        *,
        validation: Any = None,
        steps: Optional[int] = None,
        initial_epoch: int = 0,
        verbose: int = 1,
    ) -> History:
        """Trains for some epochs, and returns the history of all of them.

        `batches` is iterated in each epoch (`fw.data.Batches`, a list, a DataLoader of PyTorch), or is a function that
        returns an iterable; one that can be iterated once, such as a generator, is for one epoch, or for several of
        `steps` batches each. A tuple or dict of arrays is one batch. `validation` is the same for `test`. `verbose` is
        0 for silence, 1 for a bar (by tqdm, on a terminal) and a line for each epoch, 2 for the lines. Raises
        ValueError for `validation` without a test, for an epoch without a batch, and for results that are not a number
        each; TypeError for an array, and for a list of several arrays, which may be one batch or several.
        """
        if validation is not None and self._test is None:
            raise ValueError("expected a Loop with a test for validation: Loop(step, test=...)")
        if not isinstance(epochs, (int, np.integer)) or isinstance(epochs, bool):
            raise TypeError(f"expected a number of epochs, found {epochs!r}")
        source = _Source(batches, steps)
        if validation is not None:
            _batches_of(validation)
        self.history = History()
        # The history comes last, and has what the others add.
        every = CallbackList([*self._callbacks, self.history])
        every.set_model(self)
        length = source.length
        every.set_params({"epochs": epochs, "steps": length, "verbose": verbose,
                          "do_validation": validation is not None})  # fmt: skip
        means = Means([])

        def begin() -> Means:
            nonlocal means
            means = Means([])
            return means

        def step(batch: Any) -> List[Any]:
            found = self._step(batch)
            _check_names(means, found)
            return [found[name] for name in means.names]

        run_epochs(self, every, begin, source.epoch, step, lambda: self._validate(validation), epochs,
                   initial_epoch=initial_epoch, steps=length, verbose=verbose)  # fmt: skip
        return self.history

    def evaluate(self, batches: Any) -> Dict[str, float]:
        """Returns the means of what `test` gives over `batches`, which are as those of `fit`."""
        if self._test is None:
            raise ValueError("expected a Loop with a test: Loop(step, test=...)")
        means = Means([])
        for batch, size in _Source(batches, None).epoch():
            found = self._test(batch)
            _check_names(means, found)
            means.add([found[name] for name in means.names], size)
        return means.logs()

    def _validate(self, validation: Any) -> Dict[str, float]:
        if validation is None:
            return {}
        return {f"val_{name}": value for name, value in self.evaluate(validation).items()}

    # For callbacks

    def weight_values(self) -> Dict[str, Array]:
        """The values of the variables whose histograms are written, by name."""
        chosen = trainable_variables() if self._variables is None else self._variables
        return {variable.name: variable.numpy() for variable in chosen}

    def learning_rate(self) -> float:
        """The rate of `optimizer`. Raises ValueError if there is no optimizer."""
        return float(self._rate().numpy())

    def set_learning_rate(self, rate: float) -> None:
        """Changes the rate of `optimizer`, for the next step."""
        self._rate().set(rate)

    def _rate(self) -> Any:
        found = getattr(self.optimizer, "lr", None)
        if found is None or not hasattr(found, "set"):
            raise ValueError('expected a Loop whose optimizer has a rate that can be set, "lr": Loop(step, '
                             f"optimizer=...), found {self.optimizer!r}")  # fmt: skip
        return found

    def save(self, path: Path, overwrite: bool = True) -> None:
        """Writes a checkpoint of the current store, as `fw.save`."""
        save(path)

    save_weights = save


def _check_names(means: Means, found: Mapping[str, Any]) -> None:
    if not means.count and not means.names:
        means.names, means.sums = list(found), [0.0] * len(found)
    if set(means.names) != set(found):
        raise ValueError(f"expected the results {means.names} of each step of an epoch, found {list(found)}")


def _batches_of(given: Any) -> Any:
    """Returns an iterable of batches, or a function that makes one: a tuple or dict of arrays is one batch, and all
    else gives batches. Raises TypeError if it may be either: an array, and a list of several arrays."""
    if hasattr(given, "shape") or np.isscalar(given):
        found = f"an array of shape {np.shape(given)}" if hasattr(given, "shape") else repr(given)
        raise TypeError(f"expected batches, or one batch as a tuple or dict of arrays, found {found}: write (x,) for "
                        "one batch, or fw.data.Batches(x, size) for batches of its rows")  # fmt: skip
    if isinstance(given, Mapping):
        if not given or not all(_is_array(part) for part in given.values()):
            raise TypeError("expected batches, or one batch as a dict of arrays, found a dict of "
                            f"{_kinds(given.values())}: write [batch] for one batch")  # fmt: skip
        return [given]
    if isinstance(given, (tuple, list)) and any(_is_array(part) for part in given):
        is_tuple, count = isinstance(given, tuple), len(given)
        if is_tuple and all(_is_array(part) for part in given):
            return [given]
        # A list of one array is one batch in either way.
        if is_tuple or count > 1:
            raise TypeError(f"expected batches, or one batch as a tuple or dict of arrays, found a "
                            f"{type(given).__name__} of {_kinds(given)}: write (x, y) or [batch] for one batch, and "
                            "[(x,), (y,)] for several of an array each")  # fmt: skip
    return given


def _is_array(part: Any) -> bool:
    return hasattr(part, "shape") or np.isscalar(part)


def _kinds(parts: Iterable[Any]) -> str:
    return ", ".join(sorted({type(part).__name__ for part in parts})) or "nothing"


class _Source:
    """Batches of epochs."""

    def __init__(self, given: Any, steps: Optional[int]) -> None:
        given = _batches_of(given)
        if not callable(given) and not hasattr(given, "__iter__"):
            raise TypeError(f"expected batches, or a function that returns them, found {given!r}")
        is_once = hasattr(given, "__next__")
        self._make: Callable[[], Any] = given if callable(given) and not is_once else lambda: iter(given)
        self._steps = steps
        # The number of batches, or None if it is not known.
        self.length: Optional[int] = steps if steps is not None else len(given) if hasattr(given, "__len__") else None

    def epoch(self) -> Iterable[Tuple[Any, int]]:
        count = 0
        made = iter(self._make())
        while self._steps is None or count < self._steps:
            try:
                batch = next(made)
            except StopIteration:
                break
            count += 1
            yield batch, _size_of(batch)
        if not count or (self._steps is not None and count < self._steps):
            wanted = "a batch or more" if self._steps is None else f"{self._steps} batches"
            raise ValueError(f"expected {wanted} in each epoch, found {count}: what is iterated once, such as a "
                             "generator, has no second epoch (give a list, fw.data.Batches or a function)")  # fmt: skip
