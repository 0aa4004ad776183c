# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.summary`: scalars, histograms and the graph in event files, which TensorBoard shows. Needs tensorboardX.

A summary is computed by the run that fetches it, of the values of that run, and changes none of them (M3).
"""

import importlib
from typing import Any, Callable, List, Optional, Sequence

import numpy as np

from .. import _dtypes
from .conversion import as_tensor
from .graph import Graph, GraphKeys, get_default_graph
from .operation import Operation, Tensor


def _module(name: str) -> Any:
    try:
        return importlib.import_module(f"tensorboardX.{name}")
    except ImportError as error:
        raise ImportError("flywheel.v1.summary needs the package tensorboardX: pip install tensorboardX") from error


def _create(kind: str, name: str, x: Tensor, value: Callable[[Any, str, Any], Any], collections: Any) -> Tensor:
    """An op whose result, a serialized Summary, is made on the host of the fetched elements."""
    graph = get_default_graph()
    tag = graph.unique_name(name, mark_as_used=False)

    def build(elements: Sequence[Any]) -> bytes:
        proto = _module("proto.summary_pb2")
        made: bytes = proto.Summary(value=[value(proto.Summary, tag, elements[0])]).SerializeToString()
        return made

    found = graph.create(kind, [x], None, [(_dtypes.string, ())], name, on_host=build).outputs[0]
    graph.add_to_collections(collections or [GraphKeys.SUMMARIES], found)
    return found


def scalar(name: str, tensor: Any, collections: Any = None, family: Optional[str] = None) -> Tensor:
    """One number. Raises ValueError for a tensor of more."""
    x = as_tensor(tensor)
    if x.static_shape not in (None, ()):
        raise ValueError(f"tags and values are not the same shape: [] != {x.shape} (tag '{name}')")
    return _create("ScalarSummary", f"{family}/{name}" if family else name, x,
                   lambda proto, tag, value: proto.Value(tag=tag, simple_value=float(value)), collections)  # fmt: skip


def _limits() -> "np.ndarray[Any, Any]":
    """The right ends of bins, as TensorFlow's: each 1.1 times the one before."""
    ends = 1e-12 * 1.1 ** np.arange(774)
    return np.concatenate([[-np.finfo(np.float64).max], -ends[::-1], [0.0], ends, [np.finfo(np.float64).max]])


def _histogram(proto: Any, tag: str, value: Any) -> Any:
    x = np.asarray(value, np.float64).ravel()
    if not np.isfinite(x).all():
        raise ValueError(f"Nan in summary histogram for: {tag}")
    limits = _limits()
    counts = np.bincount(np.searchsorted(limits, x, side="right"), minlength=len(limits))
    used = counts.nonzero()[0]
    # With an empty bin before the first one, where it begins.
    kept = slice(max(used[0] - 1, 0), used[-1] + 1) if len(used) else slice(0, 0)
    parts = {"min": x.min(), "max": x.max()} if len(x) else {}
    histogram = _module("proto.summary_pb2").HistogramProto(
        **parts, num=len(x), sum=x.sum(), sum_squares=(x * x).sum(), bucket_limit=limits[kept].tolist(),
        bucket=counts[kept].tolist())  # fmt: skip
    return proto.Value(tag=tag, histo=histogram)


def histogram(name: str, values: Any, collections: Any = None, family: Optional[str] = None) -> Tensor:
    """How often elements are in each of 1550 bins. Elements that are not finite are a ValueError of the run."""
    return _create("HistogramSummary", f"{family}/{name}" if family else name, as_tensor(values), _histogram,
                   collections)  # fmt: skip


def merge(inputs: Sequence[Tensor], collections: Any = None, name: Optional[str] = None) -> Tensor:
    """All of these summaries in one."""

    def build(elements: Sequence[bytes]) -> bytes:
        proto = _module("proto.summary_pb2").Summary
        whole = proto()
        for part in elements:
            whole.value.extend(proto.FromString(part).value)
        found: bytes = whole.SerializeToString()
        return found

    graph = get_default_graph()
    listed = list(inputs)
    for x in listed:
        if "on_host" not in x.op.attrs:
            raise TypeError(f"expected summaries, found {x!r}")
    found = graph.create("MergeSummary", listed, None, [(_dtypes.string, ())], name, on_host=build).outputs[0]
    graph.add_to_collections(collections or [], found)
    return found


def merge_all(key: Any = GraphKeys.SUMMARIES, scope: Optional[str] = None) -> Optional[Tensor]:
    """All summaries of the graph in one, None where there are none."""
    found = get_default_graph().get_collection(key, scope)
    return merge(found) if found else None


class FileWriter:
    """Writes event files in a folder."""

    def __init__(
        self, logdir: str, graph: Optional[Graph] = None, max_queue: int = 10, flush_secs: int = 120,
        graph_def: Any = None, filename_suffix: Optional[str] = None, session: Any = None,
    ):  # fmt: skip
        self._logdir = logdir
        self._writer = _module("writer").FileWriter(logdir, max_queue, flush_secs, filename_suffix or "")
        if graph is not None:
            self.add_graph(graph)

    def get_logdir(self) -> str:
        return self._logdir

    def __enter__(self) -> "FileWriter":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Writes what a run gave for a summary."""
        proto = _module("proto.summary_pb2").Summary
        made = proto.FromString(bytes(summary)) if isinstance(summary, bytes) else summary
        self._writer.add_summary(made, None if global_step is None else int(global_step))

    def add_graph(self, graph: Graph, global_step: Any = None) -> None:
        """Writes the ops of a graph, with their names, devices and inputs."""
        definition = _module("proto.graph_pb2").GraphDef(node=[_node(op) for op in graph.get_operations()])
        event = _module("proto.event_pb2").Event(graph_def=definition.SerializeToString())
        self._writer.add_event(event, None if global_step is None else int(global_step))

    def add_event(self, event: Any) -> None:
        self._writer.add_event(event)

    def flush(self) -> None:
        self._writer.flush()

    def close(self) -> None:
        self._writer.close()

    def reopen(self) -> None:
        self._writer.reopen()


def _node(op: Operation) -> Any:
    inputs: List[str] = [x.op.name + (f":{x.index}" if x.index else "") for x in op.inputs]
    return _module("proto.node_def_pb2").NodeDef(
        name=op.name, op=op.type, device=op.device,
        input=inputs + [f"^{other.name}" for other in op.control_inputs])  # fmt: skip


def __getattr__(name: str) -> Any:
    raise AttributeError(f"there is no flywheel.v1.summary.{name}; see docs/v1.md")
