# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches of arrays and of safetensors files."""

import operator
import os
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

import numpy as np

from ._core import dtypes as _dtypes
from ._core import trace as _trace
from ._errors.messages import wrong
from .store import current_store

__all__ = ["Batches", "load"]


def _rows_of(array: Any) -> Any:
    _dtypes.refuse_masked(array)
    return array if isinstance(array, np.ndarray) else np.asarray(array)


class Batches:
    """Batches of rows of arrays, in another order in each epoch where `shuffle`.

    `arrays` are arrays of one length, in a tuple, list or dict, whose form the batches have; NumPy's memory maps are
    read row by row. A last batch that is shorter comes too, unless `drop_last`. Batches are copies of the rows.
    Iterating it is one epoch; the orders follow from `seed`, or without one from `set_seed`. `len` is how many batches
    there are.
    Models of `flywheel.keras` train on it as it is.
    Raises ValueError for arrays of different lengths, or a batch size below 1; TypeError for a value that is not an
    array.
    """

    def __init__(
        self, arrays: Any, batch_size: int = 32, *, shuffle: bool = True, drop_last: bool = False,
        seed: Optional[int] = None,
    ):  # fmt: skip
        try:
            batch_size = operator.index(batch_size)
        except TypeError:
            raise wrong(TypeError, "an integer", repr(batch_size), "batch_size") from None
        if batch_size < 1:
            raise ValueError(f"expected a batch size of 1 or more, found {batch_size}")
        self._names: Optional[List[str]] = list(arrays) if isinstance(arrays, Mapping) else None
        listed = list(arrays.values()) if isinstance(arrays, Mapping) else list(arrays) if isinstance(
            arrays, (tuple, list)) else [arrays]  # fmt: skip
        self._form = type(arrays) if isinstance(arrays, (tuple, list)) else None
        self._arrays: Sequence[Any] = [_rows_of(a) for a in listed]
        if not listed:
            raise ValueError("expected one array or more, found none")
        for place, (array, given) in enumerate(zip(self._arrays, listed)):
            if array.ndim == 0:
                name = f" as {self._names[place]!r}" if self._names else f" at {place}" if self._form else ""
                raise TypeError(f"expected arrays with rows, found {type(given).__name__}{name}")
        lengths = {len(a) for a in self._arrays}
        if len(lengths) != 1:
            raise ValueError(f"expected arrays of one length, found {sorted(lengths)}")
        self._count = lengths.pop()
        self.batch_size, self.shuffle, self.drop_last = batch_size, shuffle, drop_last
        is_integer = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
        if seed is not None and (not is_integer or seed < 0):
            raise wrong(TypeError, "an integer of 0 or more, or None,", repr(seed), "seed")
        self._draws = None if seed is None else np.random.default_rng(seed)

    def __len__(self) -> int:
        full, rest = divmod(self._count, self.batch_size)
        return full + int(rest > 0 and not self.drop_last)

    def _draw_order(self) -> Any:
        draws = np.random.default_rng(current_store()._draw_seed()) if self._draws is None else self._draws
        return draws.permutation(self._count)

    def __iter__(self) -> Iterator[Any]:
        _trace.refuse_values("a batch", "one as an argument, in a loop outside over the batches")
        order = self._draw_order() if self.shuffle else None
        for i in range(len(self)):
            rows: Any = slice(i * self.batch_size, (i + 1) * self.batch_size)
            # Copies, which code may change without a change of the data.
            chosen = [np.array(a[rows]) if order is None else a[order[rows]] for a in self._arrays]
            if self._names is not None:
                yield dict(zip(self._names, chosen))
            elif self._form is not None:
                # A named tuple takes its fields one by one.
                yield self._form(*chosen) if hasattr(self._form, "_fields") else self._form(chosen)
            else:
                yield chosen[0]


def load(path: "str | os.PathLike[str]", keys: Optional[Sequence[str]] = None) -> Dict[str, Any]:
    """The arrays of a safetensors file, by name, or those that `keys` lists. Raises KeyError for a key that it has
    not, ValueError for a file that is damaged or of another kind."""
    _trace.refuse_values(f"what '{path}' has", "arrays that are loaded outside, as arguments")
    # Not before it is needed: importing the package takes time.
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    if isinstance(keys, (str, bytes)):
        raise wrong(TypeError, "a list of names", repr(keys), "keys")
    try:
        found: Dict[str, Any] = load_file(path)
    except SafetensorError as error:
        raise ValueError(f"'{os.fspath(path)}' is damaged, or no safetensors file: {error}") from None
    if keys is None:
        return found
    for key in keys:
        if key not in found:
            raise KeyError(f"'{os.fspath(path)}' has no '{key}', only {', '.join(found)}")
    return {key: found[key] for key in keys}
