# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data in files of HDF5, and files that exist."""

from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from .. import _hdf5

__all__ = ["HDF5Matrix", "ask_to_proceed_with_overwrite"]


class HDF5Matrix:
    """The rows from `start` to `end` of a dataset in a file of HDF5, in place of an array for `fit`, `evaluate` and
    `predict`. `normalizer` is called with what is read. Takes indices from 0 on: a number, a slice, a list or
    an array of them in increasing order, which `shuffle="batch"` and `shuffle=False` of `fit` ask for. Raises
    ImportError without h5py."""

    # The open files, which matrices of the same file share.
    refs: Dict[Any, Any] = {}

    def __init__(
        self,
        datapath: Any,
        dataset: str,
        start: int = 0,
        end: Optional[int] = None,
        normalizer: Optional[Callable[[Any], Any]] = None,
    ) -> None:
        package = _hdf5.h5py()
        if package is None:
            raise ImportError("HDF5Matrix needs h5py (pip install h5py)")
        # A file may be closed by the program, or when Python ends.
        if not self.refs.get(datapath):
            self.refs[datapath] = package.File(datapath, "r")
        self.data = self.refs[datapath][dataset]
        self.start, self.normalizer = start, normalizer
        self.end: int = self.data.shape[0] if end is None else end

    def __len__(self) -> int:
        return self.end - self.start

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            first = 0 if key.start is None else key.start
            stop = len(self) if key.stop is None else key.stop
            where: Any = slice(first + self.start, stop + self.start, key.step)
            last = stop - 1
        elif isinstance(key, (int, np.integer)):
            first = last = int(key)
            where = first + self.start
        elif isinstance(key, (list, np.ndarray)):
            rows = np.asarray(key)
            first, last = (int(rows.min()), int(rows.max())) if rows.size else (0, -1)
            where = (rows + self.start).tolist()
        else:
            raise IndexError(f"expected a number, a slice, a list or an array, found {key!r}")
        if first < 0 or last >= len(self):
            raise IndexError(f"the index {key} is outside of the {len(self)} rows")
        found = self.data[where]
        return found if self.normalizer is None else self.normalizer(found)

    @property
    def shape(self) -> Tuple[int, ...]:
        return (len(self), *self.data.shape[1:])

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    @property
    def ndim(self) -> int:
        return len(self.data.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape))


def ask_to_proceed_with_overwrite(filepath: Any) -> bool:
    """Asks on the terminal if a file is to be overwritten; returns the answer."""
    question = f"[WARNING] {filepath} already exists - overwrite? [y/n]"
    while True:
        answer = input(question).strip().lower()
        if answer in ("y", "n"):
            return answer == "y"
        question = 'Enter "y" (overwrite) or "n" (cancel).'
