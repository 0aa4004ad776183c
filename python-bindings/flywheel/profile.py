# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The times of the kernels of a step: results of `Session.profile`."""

import html
import json
import os
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import _flywheel
from ._functions.arguments import feed
from ._programs.models import compile as compile_model
from .store import Store, current_store
from .variables import provide_host_values

if TYPE_CHECKING:
    from ._functions.traced import Traced

Path = Union[str, "os.PathLike[str]"]
_COLORS = {"forward": "#4878cf", "backward": "#d1605e", "update": "#6acc65", "other": "#b0b0b0"}


@dataclass(frozen=True)
class Kernel:
    """The times of all calls of a kernel; None if a size that no feed has decides them. `bound_seconds` is the time at
    the peaks of the machine, of operations or of bytes, whichever is longer, for the `threads` that executed them;
    `bound_by` says which: "flops", or "L1", "L2" or "memory", the level that the bytes of a call fit. None on a GPU."""

    name: str
    entry: str
    phase: str
    sources: List[str]
    calls: int
    seconds: float
    iterations: Optional[int]
    flops: Optional[int]
    bytes: Optional[int]
    threads: int
    bound_seconds: Optional[float]
    bound_by: Optional[str]

    @property
    def times_bound(self) -> Optional[float]:
        """The time of the kernel over its bound: None if that is 0 or not known."""
        return self.seconds / self.bound_seconds if self.bound_seconds else None

    @property
    def flops_per_second(self) -> Optional[float]:
        return self.flops / self.seconds if self.flops is not None and self.seconds > 0 else None

    @property
    def bytes_per_second(self) -> Optional[float]:
        return self.bytes / self.seconds if self.bytes is not None and self.seconds > 0 else None


@dataclass(frozen=True)
class ProfiledEntry:
    """The times of all calls of an entry. `phases` are the seconds of "forward", "backward", "update" and "other";
    `coverage` is the share of the kernels."""

    name: str
    calls: int
    seconds: float
    coverage: float
    threads: int
    peak_flops_per_second: float
    peak_bytes_per_second: float
    peak_l1_bytes_per_second: float
    peak_l2_bytes_per_second: float
    phases: Dict[str, float]
    kernels: List[Kernel]


@dataclass(frozen=True)
class Event:
    """A call of a kernel, with its phase and its sources; or of an entry, whose phase is "step", without any.
    `begin_seconds` is the time since the profile began, `worker` the thread that executed it."""

    name: str
    phase: str
    sources: List[str]
    begin_seconds: float
    seconds: float
    worker: int


def _read_event(record: Dict[str, Any]) -> Event:
    return Event(record["name"], record["cat"], record.get("args", {}).get("sources", []), record["ts"] / 1e6,
                 record["dur"] / 1e6, record["tid"] - 1)  # fmt: skip


def _read_kernel(entry: str, record: Dict[str, Any]) -> Kernel:
    def number(key: str) -> Optional[int]:
        return None if record[key] is None else int(record[key])

    return Kernel(
        name=record["name"],
        entry=entry,
        phase=record["phase"],
        sources=record["sources"],
        calls=record["calls"],
        seconds=record["seconds"],
        iterations=number("iterations"),
        flops=number("flops"),
        bytes=number("bytes"),
        threads=record["threads"],
        bound_seconds=record["bound_seconds"],
        bound_by=record["bound_by"],
    )


def _read_entry(record: Dict[str, Any]) -> ProfiledEntry:
    kernels = [_read_kernel(record["name"], kernel) for kernel in record["kernels"]]
    return ProfiledEntry(**{**record, "kernels": kernels})


class Profile:
    """A profile of the calls of a session: str() gives a table.

        with session.profile() as profile:
            step(image, label)
        print(profile)
        profile.save("trace.json")  # For Perfetto, ui.perfetto.dev.

    It has numbers once the `with` block has ended.
    """

    def __init__(self, start: Callable[[], None], stop: Callable[[], Tuple[str, str, str]]) -> None:
        self._start = start
        self._stop = stop
        self._table: Optional[str] = None
        self._trace = ""
        self._entries: List[ProfiledEntry] = []
        self._dropped = 0

    def __enter__(self) -> "Profile":
        self._start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._table, text, self._trace = self._stop()
        record = json.loads(text)
        self._entries = [_read_entry(entry) for entry in record["entries"]]
        self._dropped = record["dropped_events"]

    def _measure(self, run: Callable[[], Any]) -> None:
        with self:
            run()

    def _check(self) -> None:
        if self._table is None:
            raise RuntimeError("expected a profile that has ended: leave its with block first")

    @property
    def entries(self) -> List[ProfiledEntry]:
        """The entries that were called."""
        self._check()
        return self._entries

    @property
    def kernels(self) -> List[Kernel]:
        """The kernels of all entries, in the order of the program."""
        return [kernel for entry in self.entries for kernel in entry.kernels]

    @property
    def dropped_events(self) -> int:
        """Calls of kernels that are counted, but are not in the trace, for want of room."""
        self._check()
        return self._dropped

    @property
    def events(self) -> List[Event]:
        """The calls, but those that `dropped_events` counts, and a worker's calls of kernels behind the first 1024 of
        each step."""
        self._check()
        return [_read_event(record) for record in json.loads(self._trace)["traceEvents"] if record["ph"] == "X"]

    def save(self, path: Path) -> None:
        """Writes a trace that Perfetto and chrome://tracing read. Raises OSError."""
        self._check()
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._trace)

    def __str__(self) -> str:
        return "<flywheel.Profile that has not ended>" if self._table is None else self._table

    def _repr_html_(self) -> str:
        self._check()
        return "".join(_draw(entry) for entry in self._entries) + (
            f"<pre>{html.escape(str(self))}</pre>"
        )


def _draw(entry: ProfiledEntry) -> str:
    """Bars of the kernels, longest first, as SVG."""
    rows = sorted(entry.kernels, key=lambda kernel: -kernel.seconds)
    bars = [(kernel.name, kernel.phase, kernel.seconds) for kernel in rows]
    bars.append(("other", "other", entry.phases["other"]))
    longest = max((seconds for _, _, seconds in bars), default=0.0) or 1.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="800" height="{20 * len(bars) + 24}" '
        'font-family="sans-serif" font-size="12">',
        f'<text x="0" y="14">{html.escape(entry.name)}: '
        f"{entry.seconds / entry.calls * 1e6:.2f} us a call</text>",
    ]
    for number, (name, phase, seconds) in enumerate(bars):
        y = 20 * number + 22
        width = max(0.0, 300 * seconds / longest)
        parts.append(
            f'<text x="0" y="{y + 13}">{html.escape(name)}</text>'
            f'<rect x="380" y="{y}" width="{width:.1f}" height="16" fill="{_COLORS[phase]}"/>'
            f'<text x="{386 + width:.1f}" y="{y + 13}">'
            f"{seconds / entry.calls * 1e6:.2f} us</text>"
        )
    return "".join(parts) + "</svg>"


def profile_calls(traced: "Traced", values: Sequence[Any], calls: int) -> Profile:
    """A profile of calls of a traced function, on copies of the values of the current store, after one call that is
    not measured."""
    traced.refuse_home("a profile", "run_metadata of Session.run, K.function or compile")
    program = compile_model(traced.module, profile=True, **traced.definition.options.given())
    store = current_store()
    scratch = Store(store.seed, store.initializes)
    variables = list(traced.owners.variables.values())
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "values.safetensors")
        for namespace in dict.fromkeys(variable.namespace for variable in variables):
            with namespace:
                if store._save_values(path, [namespace]):
                    scratch.restore(path)
    provide_host_values(scratch, variables)
    session = _flywheel.Session(program)
    entry = scratch.bind_program(program, traced.owners, session).entry(traced.entry_name)
    if len(traced.host_functions):
        _flywheel._set_host_functions(entry, traced.host_functions)
    feeds = [feed(value, leaf) for value, leaf in zip(values, traced.leaves)]
    entry(*feeds)
    profile = Profile(session._start_profile, session._stop_profile)
    with profile:
        for _ in range(calls):
            entry(*feeds)
    return profile
