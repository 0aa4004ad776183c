# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`Dataset.window`: data sets whose elements are data sets."""

import itertools
from typing import Any, Callable, List, Optional, Tuple
from typing import Iterator as Iterable

from .data import Dataset, _applied, _counts, _invalid
from .operation import Tensor
from .structures import pack

Leaves = Tuple[Any, ...]


class Windows(Dataset):
    """Windows of the elements of a data set. `flat_map` takes a function of the data sets of a window, one for each
    part of an element; methods that keep elements as they are give windows, too."""

    def __init__(self, source: Dataset, sources: List[Tensor], start: Any, key: Any):
        self._of, self._sources, self._start, self._key = source, sources, start, key
        self._form = source._form

    @property
    def _types(self) -> Any:
        raise NotImplementedError("flywheel.v1.data: elements of a window are data sets: "
                                  "flat_map(lambda window: window.batch(size)) makes tensors of them")  # fmt: skip

    @_types.setter
    def _types(self, value: Any) -> None:
        pass

    def _like(self, start: Any, types: Any = None, sources: Optional[List[Tensor]] = None) -> "Windows":
        return Windows(self._of, [*self._sources, *(sources or ())], start, self._key)

    def flat_map(self, map_func: Callable[..., Any]) -> Dataset:
        """The elements of the data sets that a function makes of the data sets of each window."""
        key = self._key

        def part(place: int) -> Callable[..., Iterable[Leaves]]:
            return lambda session, values: ((row[place],) for row in values[key])

        parts = [Dataset(0, [one], [], part(place)) for place, one in enumerate(self._of._types)]
        made = _applied(map_func, pack(self._of._form, parts))
        if not isinstance(made, Dataset):
            raise TypeError(f"`map_func` of flat_map must return a `Dataset` object, found {type(made).__name__}")

        def start(session: Any, values: Any) -> Iterable[Leaves]:
            for (rows,) in self._start(session, values):
                yield from made._start(session, {**values, key: rows})

        return Dataset(made._form, made._types, [*self._sources, *made._sources], start)


def window(dataset: Dataset, size: Any, shift: Any, stride: Any, drop_remainder: bool) -> Windows:
    """See `Dataset.window`."""
    sources, given = _counts(size, size if shift is None else shift, stride)

    def start(session: Any, values: Any) -> Iterable[Leaves]:
        count, step, apart = given(values)
        if min(count, step, apart) < 1:
            raise _invalid(f"window: expected a size, a shift and a stride of at least 1, found {count}, {step} and "
                           f"{apart}")  # fmt: skip
        rest = iter(dataset._start(session, values))
        span = (count - 1) * apart + 1
        held: List[Leaves] = []
        while True:
            held += itertools.islice(rest, span - len(held))
            rows = held[:span:apart]
            if not rows or drop_remainder and len(rows) < count:
                return
            yield (rows,)
            for _ in itertools.islice(rest, max(step - len(held), 0)):
                pass
            del held[:step]

    return Windows(dataset, [*dataset._sources, *sources], start, object())
