# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The times of ops in a run: `RunOptions`, `RunMetadata` and its `StepStats`, with the fields of TensorFlow's messages.

A run with a trace has a program of its own, whose kernels are measured (docs/Guides/CostAndProfile.md). Kernels
know the ops of the graph that they compute.
"""

import threading
import time
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional, Sequence, Set, Tuple

from .._training.events import bytes_field, int_field, text_field
from ..profile import Event, Kernel, Profile
from .emission import ancestors
from .operation import Operation

__all__ = ["DeviceStepStats", "NodeExecStats", "RunMetadata", "RunOptions", "StepStats"]


class RunOptions:
    """Options of a run. A `trace_level` above NO_TRACE measures it. `inter_op_thread_pool` and
    `report_tensor_allocations_upon_oom` have no effect: one pool of threads computes all ops, in memory that is planned
    before. Raises ValueError for an unknown option, and for a `trace_level` outside of 0 to 3, and NotImplementedError
    for another `timeout_in_ms`, `output_partition_graphs` or `debug_options` than the default."""

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = range(4)
    _REFUSED = {
        "timeout_in_ms": "a run is not stopped",
        "output_partition_graphs": "a graph is not cut into one for each device",
        "debug_options": "tensors of a run are read as its fetches, or by flywheel.watch",
    }

    def __init__(
        self, trace_level: int = NO_TRACE, timeout_in_ms: int = 0, inter_op_thread_pool: int = 0,
        output_partition_graphs: bool = False, debug_options: Any = None,
        report_tensor_allocations_upon_oom: bool = False, **others: Any,
    ):  # fmt: skip
        if others:
            raise ValueError(f'Protocol message RunOptions has no "{next(iter(others))}" field.')
        if trace_level not in range(4):
            raise ValueError(f"expected a trace_level of 0 (NO_TRACE) to 3 (FULL_TRACE), found {trace_level!r}")
        self.trace_level, self.timeout_in_ms = trace_level, timeout_in_ms
        self.inter_op_thread_pool, self.output_partition_graphs = inter_op_thread_pool, output_partition_graphs
        self.debug_options = debug_options
        self.report_tensor_allocations_upon_oom = report_tensor_allocations_upon_oom

    def __setattr__(self, name: str, value: Any) -> None:
        # Also where a program sets a field later.
        if value and name in self._REFUSED:
            raise NotImplementedError(f"flywheel.v1.RunOptions({name}={value!r}) is not implemented: "
                                      f"{self._REFUSED[name]}")  # fmt: skip
        super().__setattr__(name, value)


class NodeExecStats:
    """The time of a call of a kernel, which computes the op `node_name`, or a group of them: `ops` has the names of
    all, the one with the most work first. `all_start_micros` counts from 1970, the others from then on; fields with
    `_nanos` are the same in nanoseconds. `timeline_label` is `name = Type(inputs)`, with the types of a group joined
    by `+`."""

    memory: Tuple[Any, ...] = ()
    output: Tuple[Any, ...] = ()
    referenced_tensor: Tuple[Any, ...] = ()

    def __init__(self, label: str, ops: Sequence[str], begin_nanos: int, nanos: int, thread_id: int):
        self.node_name, self.ops, self.timeline_label, self.thread_id = ops[0], list(ops), label, thread_id
        self.all_start_nanos = self.scheduled_nanos = begin_nanos
        self.op_start_rel_nanos, self.op_end_rel_nanos, self.all_end_rel_nanos = 0, nanos, nanos
        self.all_start_micros = self.scheduled_micros = begin_nanos // 1000
        self.op_start_rel_micros, self.op_end_rel_micros, self.all_end_rel_micros = 0, nanos // 1000, nanos // 1000

    def SerializeToString(self) -> bytes:  # noqa: N802
        numbers = {2: self.all_start_micros, 4: self.op_end_rel_micros, 5: self.all_end_rel_micros,
                   9: self.scheduled_micros, 10: self.thread_id, 13: self.all_start_nanos, 15: self.op_end_rel_nanos,
                   16: self.all_end_rel_nanos, 17: self.scheduled_nanos}  # fmt: skip
        parts = [int_field(field, number) for field, number in numbers.items() if number]
        return b"".join([text_field(1, self.node_name), text_field(8, self.timeline_label), *parts])

    def __repr__(self) -> str:
        return f"<NodeExecStats {self.timeline_label}: {self.op_end_rel_nanos / 1000:.3f} us>"


class DeviceStepStats:
    """The calls of kernels on a device, by their begin."""

    def __init__(self, device: str):
        self.device = device
        self.node_stats: List[NodeExecStats] = []
        self.thread_names: Dict[int, str] = {}

    def SerializeToString(self) -> bytes:  # noqa: N802
        nodes = b"".join(bytes_field(2, node.SerializeToString()) for node in self.node_stats)
        names = b"".join(bytes_field(3, int_field(1, i) + text_field(2, n)) for i, n in self.thread_names.items())
        return text_field(1, self.device) + nodes + names


class StepStats:
    """The calls of kernels, by device."""

    def __init__(self) -> None:
        self.dev_stats: List[DeviceStepStats] = []

    def SerializeToString(self) -> bytes:  # noqa: N802
        return b"".join(bytes_field(1, device.SerializeToString()) for device in self.dev_stats)


class RunMetadata:
    """The times of the ops of a run: `step_stats`, and as tables `profiles`, one for each program that ran. Each run
    that is given the object replaces them; one without a trace leaves them empty."""

    def __init__(self) -> None:
        self.Clear()

    def Clear(self) -> None:  # noqa: N802
        self.step_stats = StepStats()
        self.profiles: List[Profile] = []

    def HasField(self, name: str) -> bool:  # noqa: N802
        """Returns true for "step_stats" of a run with a trace. Raises ValueError for another field."""
        if name != "step_stats":
            raise ValueError(f'Protocol message RunMetadata has no "{name}" field.')
        return bool(self.step_stats.dev_stats)

    def SerializeToString(self) -> bytes:  # noqa: N802
        return bytes_field(1, self.step_stats.SerializeToString()) if self.HasField("step_stats") else b""


class Measured:
    """An entry whose kernels are measured, on a session of its own."""

    def __init__(self, entry: Any, session: Any):
        self._entry, self._session = entry, session

    def __call__(self, *arrays: Any) -> Any:
        result, profile, began = None, Profile(self._session._start_profile, self._session._stop_profile), 0
        with profile:
            began = time.time_ns()
            result = self._entry(*arrays)
        return result, profile, began


class Recorder:
    """Adds what runs to a `RunMetadata`."""

    def __init__(self, metadata: RunMetadata):
        self._metadata = metadata

    def measure(self, compiled: Any, entry: Any, arrays: Sequence[Any]) -> Any:
        """Calls an entry, and adds the times of its kernels."""
        result, profile, began = entry(*arrays)
        kind = "GPU" if compiled.target else "CPU"
        device = self._device(f"/job:localhost/replica:0/task:0/device:{kind}:0")
        device.node_stats += sorted(_nodes(profile, compiled, began), key=lambda node: node.all_start_nanos)
        workers = profile.entries[0].threads
        names = {node.thread_id: f"worker {node.thread_id}" for node in device.node_stats}
        device.thread_names.update({**names, workers: "other"})
        self._metadata.profiles.append(profile)
        return result

    def called(self, op: Operation, began: int, nanos: int) -> None:
        """Adds a call of a function of Python."""
        device = self._device("/job:localhost/replica:0/task:0/device:CPU:0")
        device.node_stats.append(NodeExecStats(_label(op.name, [op]), [op.name], began, nanos, 0))

    def _device(self, name: str) -> DeviceStepStats:
        devices = self._metadata.step_stats.dev_stats
        found = [one for one in devices if one.device == name]
        if not found:
            found = [DeviceStepStats(name)]
            devices += found
        return found[0]


class _Local(threading.local):
    recorder: Optional[Recorder] = None


_local = _Local()


def current() -> Optional[Recorder]:
    """Returns what records the run of this thread, or None."""
    return _local.recorder


def is_traced(options: Any, metadata: Any) -> bool:
    """Returns true if a run with these is measured. Raises TypeError for values of other types."""
    for what, given, kind in (("options", options, RunOptions), ("run_metadata", metadata, RunMetadata)):
        if given is not None and not isinstance(given, kind):
            raise TypeError(f"expected {kind.__name__} as {what} of a run, found {type(given).__name__}")
    return metadata is not None and options is not None and options.trace_level > RunOptions.NO_TRACE


@contextmanager
def recording(options: Any, metadata: Any) -> Iterator[None]:
    """Records the runs of this thread in this block, if the options ask for that; what runs in it without any of its
    own is a part of the outer run."""
    if options is None and metadata is None:
        yield
        return
    wanted = is_traced(options, metadata)
    if metadata is not None:
        metadata.Clear()
    before = _local.recorder
    _local.recorder = Recorder(metadata) if wanted else None
    try:
        yield
    finally:
        _local.recorder = before


def _nodes(profile: Profile, compiled: Any, began: int) -> List[NodeExecStats]:
    """Returns the calls of kernels. Those that have no place in the trace, as there are too many, are one for each
    kernel and stand at the end. The time of no kernel is that of `_other`, on a thread of its own."""
    step = next(event for event in profile.events if event.phase == "step")
    shift = began - round(step.begin_seconds * 1e9)
    end = shift + round((step.begin_seconds + step.seconds) * 1e9)
    differentiated = ancestors([op for op in compiled.needed if op.type in ("gradients", "jacobian")])
    (entry,) = profile.entries
    found = [NodeExecStats("_other = Other()", ["_other"], began, max(round(entry.phases["other"] * 1e9), 0),
                           entry.threads)]  # fmt: skip
    rest = {kernel.name: (kernel.calls, kernel.seconds) for kernel in profile.kernels}
    for event in profile.events:
        if event.phase != "step":
            calls, seconds = rest.get(event.name, (0, 0.0))
            rest[event.name] = calls - 1, seconds - event.seconds
            label, names = _describe(event, compiled, differentiated)
            found.append(NodeExecStats(label, names, shift + round(event.begin_seconds * 1e9),
                                       round(event.seconds * 1e9), event.worker))  # fmt: skip
    for kernel in profile.kernels:
        calls, seconds = rest[kernel.name]
        if calls > 0:
            label, names = _describe(kernel, compiled, differentiated)
            found.append(NodeExecStats(label, names, end, max(round(seconds * 1e9), 0), 0))
    return found


def _describe(kernel: "Event | Kernel", compiled: Any, differentiated: Set[Operation]) -> Tuple[str, List[str]]:
    """Returns the label of a kernel, and the names of the ops that it computes. A derivative of an op has the name
    that TensorFlow gives it."""
    ops: Dict[str, Operation] = {}
    for source in kernel.sources:
        op = compiled.places.get(source.rpartition(" at ")[2])
        if op is not None:
            is_derivative = kernel.phase == "backward" and op in differentiated
            ops.setdefault(f"gradients/{op.name}_grad/{op.type}" if is_derivative else op.name, op)
    if not ops:
        # Copies and checks that belong to no op.
        name = kernel.name.partition(".")[2] or kernel.name
        return f"{name} = {name.partition('.')[0]}()", [name]
    return _label(next(iter(ops)), list(ops.values())), list(ops)


def _label(name: str, ops: Sequence[Operation]) -> str:
    inside = set(ops)
    inputs = [x.op.name for op in ops for x in op.inputs if x.op not in inside]
    return f"{name} = {'+'.join(op.type for op in ops)}({', '.join(dict.fromkeys(inputs))})"
