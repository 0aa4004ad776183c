# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of `watch`: numbers of variables, activations and their gradients, flags, a page and event files."""

import gc
import os
from collections import deque
from dataclasses import dataclass
from typing import Callable, Deque, Dict, List, Optional, Sequence, Tuple
from weakref import ReferenceType, ref

import numpy as np

from ._core.annotations import Array, Path
from ._errors.messages import about, wrong
from ._training import dashboard_page as _dashboard_page
from ._training import events as _events
from .namespace import LOCAL, current_namespace
from .store import Store
from .variables import Variable

__all__ = ["Dashboard", "Flag", "Record", "TensorNumbers", "Watched"]


@dataclass(frozen=True)
class TensorNumbers:
    """Numbers of a tensor in one step.

    `norm` is the Euclidean norm, `zeros` the share of elements that are 0, `nonfinite` that of NaN and infinities,
    `saturated` that of elements at an end of the range of the activation, or None if the range has no end. `low`,
    `high` and `mean` are those of finite elements, `counts` the numbers of finite elements in bins of one width from
    `low` to `high`; they are of `sampled` elements out of `size`. `unit_zeros` and `unit_saturated` are the shares of
    each unit, the last dimension of an activation, over all other dimensions.
    """

    norm: float
    zeros: float
    nonfinite: float
    saturated: Optional[float]
    low: float
    high: float
    mean: float
    size: int
    counts: Array
    unit_zeros: Optional[Array] = None
    unit_saturated: Optional[Array] = None

    @property
    def sampled(self) -> int:
        """The number of finite elements that `counts` has."""
        return int(self.counts.sum())

    @property
    def edges(self) -> Array:
        """The edges of the bins of `counts`: one more than these."""
        return np.linspace(self.low, self.high, len(self.counts) + 1)


@dataclass(frozen=True)
class Watched:
    """A variable or an activation in one step. `gradient` is that of the loss, None where it does not depend on it."""

    kind: str
    value: TensorNumbers
    gradient: Optional[TensorNumbers]


class Record:
    """A step that was watched: its number from 0, its loss, and what it had by name."""

    def __init__(self, step: int, loss: float, make: Callable[[], Dict[str, Watched]]):
        self.step, self.loss = step, loss
        self._make: Optional[Callable[[], Dict[str, Watched]]] = make
        self._tensors: Dict[str, Watched] = {}

    @property
    def tensors(self) -> Dict[str, Watched]:
        # Steps are not delayed by records that no one reads.
        if self._make is not None:
            self._tensors, self._make = self._make(), None
        return self._tensors

    def __repr__(self) -> str:
        return f"<flywheel.Record of step {self.step}: loss {self.loss:.4g}, {', '.join(self.tensors)}>"


# The problems, in the order in which they are shown.
_PROBLEMS = ("dead units", "saturated units", "saturated", "not finite", "no gradient", "vanishing gradient",
             "exploding gradient")  # fmt: skip


@dataclass(frozen=True)
class Flag:
    """A finding. `problem` is one of "dead units", "saturated units", "saturated", "not finite", "no gradient",
    "vanishing gradient" and "exploding gradient"; `units` are the numbers of the units that have it. `value` is what
    was found in the last record, and `threshold` the limit that it passes."""

    name: str
    problem: str
    value: float
    threshold: float
    units: Tuple[int, ...] = ()

    def __str__(self) -> str:
        units = f" {', '.join(map(str, self.units[:20]))}{' ...' if len(self.units) > 20 else ''}" if self.units else ""
        return f"{self.name}: {self.problem}{units} ({self.value:.3g}, threshold {self.threshold:.3g})"


class Dashboard:
    """Collects what `fw.watch` sees in every `every`-th call of a function.

    `bins` is the number of bins of histograms, which are of up to about `samples` elements, at equal distances.
    `records` are at equal distances, too: `keep` at most, and the latest one. When there are more, every second one is
    dropped, and later ones are kept half as often. The thresholds of `flags`: a unit is dead if it was 0 for all
    examples, and saturated if it was for a share of `saturated` of them, in the last `patience` records; a gradient
    vanishes if its norm is below `vanishing`, and explodes above `exploding`.

    Each store counts steps for itself, from 0 on; checkpoints do not have the count. Raises ValueError for numbers that
    are out of range.
    """

    def __init__(
        self, every: int = 100, *, bins: int = 32, samples: int = 1 << 14, keep: int = 1000, patience: int = 3,
        saturated: float = 0.95, vanishing: float = 1e-7, exploding: float = 1e3, name: str = "watch",
    ):  # fmt: skip
        for what, number in (("every", every), ("bins", bins), ("samples", samples), ("patience", patience)):
            if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
                raise about("Dashboard", ValueError(f"expected {what} of 1 or more, found {number!r}"))
        if keep < 2:
            raise about("Dashboard", ValueError(f"expected keep of 2 or more, found {keep!r}"))
        if not 0 < saturated <= 1:
            raise wrong(ValueError, "a share above 0 and up to 1", repr(saturated), "saturated", function="Dashboard")
        if not 0 <= vanishing < exploding:
            raise about("Dashboard", ValueError(f"expected vanishing below exploding, found {vanishing!r} and "
                                                f"{exploding!r}"))  # fmt: skip
        self.every, self.bins, self.samples, self.keep, self.patience = every, bins, samples, keep, patience
        self.saturated, self.vanishing, self.exploding = saturated, vanishing, exploding
        # The number of records so far, also of dropped ones.
        self.count = 0
        # Each `_stride`-th record.
        self._kept: List[Record] = []
        self._stride = 1
        self._recent: Deque[Record] = deque(maxlen=patience)
        # The definition of the function that is watched, or the op of a graph.
        self._owner: Optional[ReferenceType[object]] = None
        self._new: List[Record] = []
        self._is_listening = False
        self._steps = Variable(np.zeros((), np.int32), name=current_namespace().name(f"{name}/steps"), trainable=False,
                               collections=[LOCAL])  # fmt: skip

    def __repr__(self) -> str:
        return f"<flywheel.Dashboard of {len(self.records)} records, {len(self.flags)} flags>"

    @property
    def records(self) -> List[Record]:
        """Records at equal distances, and the latest one."""
        last = list(self._recent)[-1:]
        return self._kept if self._kept[-1:] == last else [*self._kept, *last]

    def _claim(self, owner: object) -> None:
        """Raises ValueError if the dashboard watches another function: with one count, calls in turn would be those of
        one of both functions each time."""
        if self._owner is not None and self._owner() not in (None, owner):
            # A cell that was run again leaves its last function in a cycle.
            gc.collect()
            if self._owner() is not None:
                raise about("watch", ValueError("a dashboard watches one function: give each function a dashboard of "
                                                "its own"))  # fmt: skip
        self._owner = ref(owner)

    def _begin(self, store: Store) -> str:
        """Sets the count of steps to 0 in a store that has none, and does not initialize variables itself. Returns its
        key."""
        key = self._steps._declare_value(store)
        if not store._has_value(key):
            store._set(key, np.zeros((), np.int32))
        return key

    def _add(self, record: Record) -> None:
        self._recent.append(record)
        if self._is_listening:
            self._new.append(record)
        if self.count % self._stride == 0:
            self._kept.append(record)
        self.count += 1
        if len(self._kept) > self.keep:
            self._kept = self._kept[::2]
            self._stride *= 2

    # Findings

    @property
    def flags(self) -> List[Flag]:
        """The problems by the last records, those of dead and saturated units first; none before the first one."""
        if not self._recent:
            return []
        found: List[Flag] = []
        for name, now in self._recent[-1].tensors.items():
            recent = [r.tensors[name] for r in self._recent if name in r.tensors]
            found += self._flags_of_value(name, now, recent)
            found += self._flags_of_gradient(name, now, recent)
        return sorted(found, key=lambda flag: _PROBLEMS.index(flag.problem))

    def _flags_of_value(self, name: str, now: Watched, recent: Sequence[Watched]) -> List[Flag]:
        found: List[Flag] = []
        if now.value.nonfinite > 0:
            found.append(Flag(name, "not finite", now.value.nonfinite, 0.0))
        if now.kind != "activation" or len(recent) < len(self._recent):
            return found
        zeros = _least([one.value.unit_zeros for one in recent])
        if zeros is not None and (zeros >= 1).any():
            places = np.flatnonzero(zeros >= 1)
            found.append(Flag(name, "dead units", float(zeros.max()), 1.0, tuple(map(int, places))))
        shares = _least([one.value.unit_saturated for one in recent])
        if shares is not None and (shares >= self.saturated).any():
            places = np.flatnonzero(shares >= self.saturated)
            found.append(Flag(name, "saturated units", float(shares.max()), self.saturated, tuple(map(int, places))))
        whole = [one.value.saturated for one in recent]
        if shares is None and all(share is not None and share >= self.saturated for share in whole):
            found.append(Flag(name, "saturated", float(whole[-1] or 0), self.saturated))
        return found

    def _flags_of_gradient(self, name: str, now: Watched, recent: Sequence[Watched]) -> List[Flag]:
        if now.gradient is None:
            return [Flag(name, "no gradient", 0.0, 0.0)]
        if now.gradient.nonfinite > 0:
            return [Flag(f"gradient of {name}", "not finite", now.gradient.nonfinite, 0.0)]
        norms = [np.inf if one.gradient is None else one.gradient.norm for one in recent]
        if max(norms) < self.vanishing:
            return [Flag(name, "vanishing gradient", norms[-1], self.vanishing)]
        norms = [0.0 if one.gradient is None else one.gradient.norm for one in recent]
        return [Flag(name, "exploding gradient", norms[-1], self.exploding)] if min(norms) > self.exploding else []

    # Showing

    def html(self, title: str = "Flywheel") -> str:
        """A page with all records and flags, which needs no other file."""
        thresholds = {"patience": self.patience, "saturated": self.saturated, "vanishing": self.vanishing,
                      "exploding": self.exploding, "every": self.every}  # fmt: skip
        flags = [(f.name, f.problem, f.value, f.threshold, list(f.units)) for f in self.flags]
        return _dashboard_page.page(title, self.records, flags, thresholds)

    def save(self, path: Path, title: str = "Flywheel") -> None:
        """Writes the page. Raises OSError."""
        folder = os.path.dirname(os.fspath(path))
        if folder:
            os.makedirs(folder, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html(title))

    def _repr_html_(self) -> str:
        from html import escape

        return f'<iframe srcdoc="{escape(self.html(), True)}" style="width:100%;height:600px;border:0"></iframe>'

    def write_events(self, folder: Path) -> str:
        """Writes the records as an event file for TensorBoard, and returns its path: scalars `NAME/norm`, `NAME/zeros`
        and `NAME/saturated`, those of gradients `gradients/NAME/...`, and histograms. Raises OSError."""
        writer = _events.EventWriter(folder)
        for record in self.records:
            write_record(writer, record)
        writer.close()
        return writer.path

    def _drain(self) -> List[Record]:
        """Returns the records since the last call, and keeps later ones for the next."""
        found, self._new = (self._new if self._is_listening else list(self.records)), []
        self._is_listening = True
        return found


def _least(vectors: Sequence[Optional[Array]]) -> Optional[Array]:
    known = [v for v in vectors if v is not None]
    return np.min(known, axis=0) if known and len({v.shape for v in known}) == 1 else None


def write_record(writer: _events.EventWriter, record: Record) -> None:
    """Writes a record into an event file."""
    parts = [_events.scalar_value("watch/loss", record.loss)]
    for name, watched in record.tensors.items():
        for tag, numbers in ((name, watched.value), (f"gradients/{name}", watched.gradient)):
            if numbers is None:
                continue
            parts.append(_events.scalar_value(f"{tag}/norm", numbers.norm))
            parts.append(_events.scalar_value(f"{tag}/zeros", numbers.zeros))
            if numbers.saturated is not None:
                parts.append(_events.scalar_value(f"{tag}/saturated", numbers.saturated))
            count = numbers.sampled
            squares = float(np.float64(numbers.norm) ** 2) * (count / numbers.size if numbers.size else 0.0)
            # The first bin ends at its lower edge, and is empty.
            limits, counts = numbers.edges, np.concatenate([[0], numbers.counts])
            parts.append(_events.binned_value(tag, numbers.low, numbers.high, count, numbers.mean * count, squares,
                                              limits, counts))  # fmt: skip
    writer.add_summary(b"".join(parts), record.step)
