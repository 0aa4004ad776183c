# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces that chrome://tracing and Perfetto show, of the times of a run."""

import json
import re
from typing import Any, Dict, List, Tuple

from ...._errors.messages import about
from ...step_stats import DeviceStepStats, NodeExecStats, StepStats

__all__ = ["Timeline"]


class Timeline:
    """The times in a `StepStats`, as a trace. A graph adds nothing. `graph` has no effect."""

    def __init__(self, step_stats: StepStats, graph: Any = None):
        if not isinstance(step_stats, StepStats):
            raise TypeError(f"expected a StepStats, such as run_metadata.step_stats, found {type(step_stats).__name__}")
        self._step_stats = step_stats

    def generate_chrome_trace_format(self, show_dataflow: bool = True, show_memory: bool = False) -> str:
        """Returns a trace as JSON: a process for each device, a thread for each worker, and with `show_dataflow`
        arrows from a kernel to those that read its results. Raises NotImplementedError for `show_memory`."""
        if show_memory:
            raise about("flywheel.v1.python.client.timeline", NotImplementedError(
                "show_memory=True; a step allocates nothing"))  # fmt: skip
        events: List[Dict[str, Any]] = []
        for pid, device in enumerate(self._step_stats.dev_stats):
            events.append({"name": "process_name", "ph": "M", "pid": pid,
                           "args": {"name": f"{device.device} Compute"}})  # fmt: skip
            for tid, name in device.thread_names.items():
                events.append({"name": "thread_name", "ph": "M", "pid": pid, "tid": tid, "args": {"name": name}})
            events += [_region(node, pid) for node in device.node_stats]
            if show_dataflow:
                events += _arrows(device, pid)
        return json.dumps({"traceEvents": events})


def _parts(label: str) -> Tuple[str, List[str]]:
    """Returns the type and the inputs that a label has."""
    match = re.match(r"(.*) = (.*)\((.*)\)$", label)
    return (match[2], match[3].split(", ") if match[3] else []) if match else ("unknown", [])


def _region(node: NodeExecStats, pid: int) -> Dict[str, Any]:
    kind, inputs = _parts(node.timeline_label)
    arguments = {"name": node.node_name, "op": kind, **{f"input{i}": name for i, name in enumerate(inputs)}}
    if len(node.ops) > 1:
        arguments["ops"] = ", ".join(node.ops)
    return {"ph": "X", "cat": "Op", "name": kind, "pid": pid, "tid": node.thread_id, "args": arguments,
            "ts": node.all_start_nanos / 1000, "dur": node.op_end_rel_nanos / 1000}  # fmt: skip


def _arrows(device: DeviceStepStats, pid: int) -> List[Dict[str, Any]]:
    """Returns the flows to each kernel, from the last call that computed its input before."""
    found: List[Dict[str, Any]] = []
    computed: Dict[str, NodeExecStats] = {}
    for node in device.node_stats:
        for name in _parts(node.timeline_label)[1]:
            before = computed.get(name)
            if before is None:
                continue
            end = (before.all_start_nanos + before.op_end_rel_nanos) / 1000
            flow = {"name": name, "cat": "DataFlow", "pid": pid, "id": len(found) // 2}
            found.append({**flow, "ph": "s", "tid": before.thread_id, "ts": end})
            found.append({**flow, "ph": "t", "tid": node.thread_id, "ts": node.all_start_nanos / 1000})
        computed.update(dict.fromkeys(node.ops, node))
    return found
