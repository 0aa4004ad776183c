# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the data of models: arrays, and iterables of batches."""

from typing import Any, Callable, Iterator, List, Optional, Tuple
from typing import Sequence as Listed

import numpy as np

from .._core import dtypes as _dtypes
from .utils import Sequence

# Stands for the batch of an iterator that has ended.
_END = object()


def arrays(
    given: Any, names: Listed[str], shapes: Listed[Any], what: str, check: Optional[Callable[[List[Any]], None]] = None
) -> List[Any]:
    """Arrays for the inputs of these names. Raises ValueError for another number or shape of them; `check` of the
    arrays may say more."""
    if isinstance(given, dict):
        missing = [n for n in names if n not in given]
        if missing:
            raise ValueError(f'No data provided for "{missing[0]}". Need data for each key in: {list(names)}')
        listed = [given[n] for n in names]
    elif isinstance(given, (list, tuple)) and (len(names) > 1 or (len(given) == 1 and np.ndim(given[0]) > 0)):
        listed = list(given)
    else:
        listed = [given]
    if len(listed) != len(names):
        raise ValueError(f"expected {len(names)} {what} arrays, found {len(listed)}")
    found = [a.tocsr() if is_sparse(a) else _dtypes.as_numpy(a) for a in listed]
    for i, (a, shape) in enumerate(zip(found, shapes)):
        if a.ndim == 1 and len(shape) == 2:
            found[i] = a.reshape(-1, 1)
    if check is not None:
        check(found)
    for a, shape, name in zip(found, shapes, names):
        if a.dtype.kind in "USOcmM":
            raise TypeError(f"Error when checking {what}: expected {name} to be an array of numbers but got one of "
                            f"{a.dtype}")  # fmt: skip
        if a.ndim != len(shape) or any(d not in (None, n) for d, n in zip(shape[1:], a.shape[1:])):
            raise ValueError(f"Error when checking {what}: expected {name} to have shape {tuple(shape)} but got array "
                             f"with shape {a.shape}")  # fmt: skip
    return found


def _by_output(by_class: Any, names: Listed[str]) -> List[Any]:
    """Returns the weights of classes of each output: from one dict for all, a list, or a dict by the names of
    outputs."""
    if isinstance(by_class, (list, tuple)):
        if len(by_class) != len(names):
            raise ValueError(f"expected a class_weight for each output of {list(names)}, found {len(by_class)}")
        return list(by_class)
    if by_class is not None and not isinstance(by_class, dict):
        raise TypeError(f"expected a class_weight that is a dict or a list of them, found {type(by_class).__name__}")
    if not by_class or not any(isinstance(key, str) for key in by_class):
        return [by_class] * len(names)
    unknown = [key for key in by_class if key not in names]
    if unknown:
        raise ValueError(f"class_weight is of an output {unknown[0]!r}, expected one of {list(names)}")
    return [by_class.get(name) for name in names]


def weights(sample: Any, by_class: Any, targets: Listed[Any], names: Listed[str], ranks: Listed[int]) -> List[Any]:
    """A weight for each sample of each output, or with a rank of 2 for each step of it."""
    if isinstance(sample, dict):
        listed = [sample.get(n) for n in names]
    elif isinstance(sample, tuple) and len(names) > 1:
        raise TypeError(f"expected a sample_weight that is a list or a dict, for outputs {list(names)}, found a tuple")
    elif isinstance(sample, list) and len(sample) == len(names) and any(
            one is not None and np.ndim(one) > 0 for one in sample):
        listed = list(sample)
    else:
        listed = [sample] * len(names)
    made = []
    for given, classes_of, y, rank in zip(listed, _by_output(by_class, names), targets, ranks):
        if rank == 2 and y.ndim < 3:
            raise ValueError("expected targets with steps for the sample_weight_mode 'temporal', found those of shape "
                             f"{y.shape}")  # fmt: skip
        shape = y.shape[:rank]
        w = np.ones(shape, np.float32) if given is None else _dtypes.as_numpy(given, np.float32)
        if w.shape != shape:
            more = "" if rank == 2 else "; weights of steps need sample_weight_mode='temporal'"
            raise ValueError(f"Found a sample_weight array with shape {w.shape} for targets with shape {y.shape}: "
                             f"expected {shape}{more}")  # fmt: skip
        if classes_of and rank == 2:
            raise ValueError("class_weight cannot be combined with sample weights of steps")
        if classes_of:
            classes = (y.toarray() if is_sparse(y) else y).reshape(rows_of(y), -1)
            classes = classes.argmax(1) if classes.shape[1] > 1 else classes[:, 0]
            missing = sorted(set(np.unique(classes).astype(int).tolist()) - set(classes_of))
            if missing:
                raise ValueError(f"`class_weight` must contain all classes in the data. The classes {missing} exist in "
                                 "the data but not in `class_weight`.")  # fmt: skip
            w = w * np.array([classes_of[int(c)] for c in classes], np.float32)
        made.append(w)
    return made


def size_of(batch_size: Any) -> int:
    """Returns the rows of a batch, 32 by default. Raises ValueError for a value that is not a number of rows."""
    if batch_size is None:
        return 32
    if not isinstance(batch_size, (int, np.integer)) or isinstance(batch_size, bool) or batch_size < 1:
        raise ValueError(f"expected a batch_size of at least 1, found {batch_size!r}")
    return int(batch_size)


def split(count: int, part: float) -> int:
    """Returns the number of the first of `count` samples, without those that `validation_split=part` keeps for
    validation. Raises ValueError if either has none."""
    if not 0.0 <= part < 1.0:
        raise ValueError(f"expected a validation_split of at least 0 and less than 1, found {part}")
    at = int(count * (1.0 - part))
    if at in (0, count):
        raise ValueError(f"expected a validation_split that leaves samples for both, found {part} of {count} samples: "
                         f"{at} to train with and {count - at} to validate")  # fmt: skip
    return at


def slices(
    values: Listed[Any], count: int, size: int, order: Optional[Callable[[], Any]]
) -> Iterator[Tuple[List[Any], int]]:
    """Yields batches of rows, in an order; one of no rows if there are none."""
    rows = None if order is None else order()
    for start, stop in make_batches(count, size) or [(0, 0)]:
        batch = slice_arrays(values, start, stop) if rows is None else slice_arrays(values, rows[start:stop])
        yield batch, stop - start


def make_batches(count: int, size: int) -> List[Tuple[int, int]]:
    """Returns the first row of each batch, and that behind its last."""
    return [(start, min(count, start + size)) for start in range(0, count, size)]


def slice_arrays(arrays: Any, start: Any = None, stop: Optional[int] = None) -> Any:
    """Returns rows from `start` on up to `stop`, or those of a list of numbers, of an array, or of each in a list; None
    of None."""
    if arrays is None:
        return [None]
    rows = np.asarray(start) if hasattr(start, "__len__") else slice(start, stop)
    if isinstance(arrays, list):
        return [one if one is None else one[rows] for one in arrays]
    return arrays[rows]


def check_array_lengths(inputs: Any, targets: Any, sample_weights: Any = None) -> None:
    """Raises ValueError unless all arrays have as many samples; None has none."""
    counts = [{rows_of(one) for one in (given if isinstance(given, list) else [given])}
              for given in (inputs, targets, sample_weights)]  # fmt: skip
    for found, what in zip(counts, ("input arrays", "target arrays", "sample_weight arrays")):
        if len(found) > 1:
            raise ValueError(f"All {what} should have the same number of samples. Found {sorted(found)}")
    (x, y, w) = counts
    if x and y and x != y:
        raise ValueError("Input arrays should have the same number of samples as target arrays. Found "
                         f"{min(x)} input samples and {min(y)} target samples.")  # fmt: skip
    if y and w and y != w:
        raise ValueError("Sample_weight arrays should have the same number of samples as target arrays. Found "
                         f"{min(w)} sample_weight samples and {min(y)} target samples.")  # fmt: skip


def is_sparse(x: Any) -> bool:
    """Returns true for a sparse matrix of SciPy."""
    return hasattr(x, "tocsr")


def rows_of(x: Any) -> int:
    """Returns the number of rows; None has none."""
    return 0 if x is None else int(x.shape[0]) if is_sparse(x) else len(x)


def is_stream(x: Any) -> bool:
    """Returns true if this gives batches: it is iterable, and not an array."""
    is_data = is_sparse(x) or hasattr(x, "__array__") or isinstance(x, (list, tuple, dict))
    return hasattr(x, "__iter__") and not is_data


def stream(x: Any, steps: Optional[int], shuffles: bool = False) -> Callable[[], Iterator[Tuple[Any, Any, Any]]]:
    """The batches (inputs, targets, weights) of one epoch. A source that ends begins again in the next epoch; batches
    of a `Sequence` may come in another order each time."""
    if isinstance(x, Sequence):
        return lambda: _numbered(x, steps, shuffles)
    if hasattr(x, "__next__") and steps is None:
        raise ValueError("steps are required where batches come from a generator, which does not end")
    state: List[Any] = [None]

    def epoch() -> Iterator[Tuple[Any, Any, Any]]:
        if steps is None:
            yield from (_parts(b) for b in x)
            return
        for i in range(steps):
            if state[0] is None:
                state[0] = iter(x)
            batch = next(state[0], _END)
            if batch is _END:
                state[0] = iter(x)
                batch = next(state[0], _END)
            if batch is _END:
                raise ValueError(f"expected {steps} batches an epoch, found that no more came after {i} of this one")
            yield _parts(batch)

    return epoch


def _numbered(x: Sequence, steps: Optional[int], shuffles: bool) -> Iterator[Tuple[Any, Any, Any]]:
    count = len(x)
    order = np.random.permutation(count) if shuffles else np.arange(count)
    for i in range(count if steps is None else steps):
        yield _parts(x[int(order[i % count])])
    x.on_epoch_end()


def _parts(batch: Any) -> Tuple[Any, Any, Any]:
    if not isinstance(batch, (list, tuple)):
        return batch, None, None
    if len(batch) not in (2, 3):
        raise ValueError(f"expected batches (x, y) or (x, y, sample_weight), found one of {len(batch)} parts")
    return batch[0], batch[1], batch[2] if len(batch) == 3 else None
