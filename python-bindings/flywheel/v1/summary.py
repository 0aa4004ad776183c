# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.summary`: scalars, histograms and the graph in event files, which TensorBoard shows.

A summary is computed by the run that fetches it, of the values of that run, and changes none of them (M3).
"""

import importlib
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Set

import numpy as np

from .._core import dtypes as _dtypes
from .._errors.messages import about
from .._training import events as _events
from .conversion import as_tensor
from .graph import Graph, GraphKeys, get_default_graph
from .operation import Fields, Operation, Tensor
from .step_stats import RunMetadata


def _proto(name: str) -> Any:
    """Returns a module of classes of messages, which programs may ask for and nothing here needs."""
    try:
        return importlib.import_module(f"tensorboardX.proto.{name}")
    except ImportError as error:
        raise ImportError("the classes of flywheel.v1.summary are those of the package tensorboardX: pip install "
                          "tensorboardX") from error  # fmt: skip


def _create(kind: str, name: str, x: Tensor, value: Callable[[str, Any], bytes], collections: Any) -> Tensor:
    """Creates an op whose result, a serialized Summary, is made on the host of the fetched elements."""
    graph = get_default_graph()
    tag = graph.unique_name(name, mark_as_used=False)

    def build(elements: Sequence[Any]) -> bytes:
        return value(tag, elements[0])

    found = graph.create(kind, [x], None, [(_dtypes.string, ())], name, Fields(on_host=build)).outputs[0]
    graph.add_to_collections(collections or [GraphKeys.SUMMARIES], found)
    return found


def scalar(name: str, tensor: Any, collections: Any = None, family: Optional[str] = None) -> Tensor:
    """One number. Raises ValueError for a tensor of more."""
    x = as_tensor(tensor)
    if x.static_shape not in (None, ()):
        raise ValueError(f"tags and values are not the same shape: [] != {x.shape} (tag '{name}')")
    return _create("ScalarSummary", f"{family}/{name}" if family else name, x,
                   lambda tag, value: _events.scalar_value(tag, float(value)), collections)  # fmt: skip


def histogram(name: str, values: Any, collections: Any = None, family: Optional[str] = None) -> Tensor:
    """The counts of elements in 1550 bins. Elements that are not finite are a ValueError of the run."""
    return _create("HistogramSummary", f"{family}/{name}" if family else name, as_tensor(values),
                   _events.histogram_value, collections)  # fmt: skip


def merge(inputs: Sequence[Tensor], collections: Any = None, name: Optional[str] = None) -> Tensor:
    """All of these summaries in one."""

    def build(elements: Sequence[bytes]) -> bytes:
        # One after the other, they are one.
        return b"".join(elements)

    graph = get_default_graph()
    listed = list(inputs)
    for x in listed:
        if x.op.fields.on_host is None:
            raise TypeError(f"expected summaries, found {x!r}")
    found = graph.create("MergeSummary", listed, None, [(_dtypes.string, ())], name, Fields(on_host=build)).outputs[0]
    graph.add_to_collections(collections or [], found)
    return found


def merge_all(
    key: Any = GraphKeys.SUMMARIES, scope: Optional[str] = None, name: Optional[str] = None
) -> Optional[Tensor]:
    """All summaries of the graph in one, None if it has none."""
    found = get_default_graph().get_collection(key, scope)
    return merge(found, name=name) if found else None


class FileWriter:
    """Writes event files in a folder, once there are `max_queue` events, or `flush_secs` seconds have passed with the
    event before. Raises NotImplementedError for `graph_def` and `session`."""

    def __init__(
        self, logdir: str, graph: Optional[Graph] = None, max_queue: int = 10, flush_secs: int = 120,
        graph_def: Any = None, filename_suffix: Optional[str] = None, session: Any = None,
    ):  # fmt: skip
        if graph_def is not None or session is not None:
            raise about("flywheel.v1.summary.FileWriter", NotImplementedError("graph_def and session; give graph"))
        self._logdir = logdir
        self._writer = _events.EventWriter(logdir, filename_suffix or "")
        self._run_tags: Set[str] = set()
        self._limits, self._waiting, self._flushed = (max_queue, flush_secs), 0, time.monotonic()
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
        made = bytes(summary) if isinstance(summary, bytes) else summary.SerializeToString()
        self._writer.add_summary(made, None if global_step is None else int(global_step))
        self._queued()

    def add_graph(self, graph: Graph, global_step: Any = None) -> None:
        """Writes the ops of a graph, with their names, devices and inputs."""
        definition = b"".join(_events.bytes_field(1, _node(op)) for op in graph.get_operations())
        self._writer.add_graph(definition, None if global_step is None else int(global_step))
        self._queued()

    def add_run_metadata(self, run_metadata: RunMetadata, tag: str, global_step: Any = None) -> None:
        """Writes the times of a run. Raises ValueError for a tag that is used already."""
        if not isinstance(run_metadata, RunMetadata):
            raise TypeError(f"expected a RunMetadata, found {type(run_metadata).__name__}")
        if tag in self._run_tags:
            raise ValueError("The provided tag was already used for this event type")
        self._run_tags.add(tag)
        self._writer.add_run_metadata(tag, run_metadata.SerializeToString(),
                                      None if global_step is None else int(global_step))  # fmt: skip
        self._queued()

    def add_event(self, event: Any) -> None:
        self._writer.add_event(event.SerializeToString())
        self._queued()

    def _queued(self) -> None:
        self._waiting += 1
        if self._waiting >= self._limits[0] or time.monotonic() >= self._flushed + self._limits[1]:
            self.flush()

    def flush(self) -> None:
        self._writer.flush()
        self._waiting, self._flushed = 0, time.monotonic()

    def close(self) -> None:
        self._writer.close()

    def reopen(self) -> None:
        """Does nothing: the first write after `close` begins another file."""


def _node(op: Operation) -> bytes:
    """Returns a serialized NodeDef."""
    inputs: List[str] = [x.op.name + (f":{x.index}" if x.index else "") for x in op.inputs]
    inputs += [f"^{other.name}" for other in op.control_inputs]
    parts = [(1, op.name), (2, op.type), *[(3, one) for one in inputs], (4, op.device or "")]
    return b"".join(_events.text_field(field, text) for field, text in parts)


def image(
    name: str, tensor: Any, max_outputs: int = 3, collections: Any = None, family: Optional[str] = None
) -> Tensor:
    """The first images of a batch [batch, height, width, channels] as PNG: bytes as they are, and other elements scaled
    to 255, those below 0 with 0 at 127. Needs the package Pillow."""
    x = as_tensor(tensor)
    if x.static_shape is not None and len(x.static_shape) != 4:
        raise ValueError(f"summary.image takes [batch, height, width, channels], found shape {x.shape} (tag '{name}')")
    base = f"{family}/{name}" if family else name

    def values(tag: str, value: Any) -> bytes:
        count = min(max_outputs, len(value))
        tags = [f"{tag}/image" if max_outputs == 1 else f"{tag}/image/{i}" for i in range(count)]
        return b"".join(_encoded(one, value[i]) for i, one in enumerate(tags))

    return _create("ImageSummary", base, x, values, collections)


def _encoded(tag: str, value: Any) -> bytes:
    import io

    try:
        pictures = importlib.import_module("PIL.Image")
    except ImportError as error:
        raise ImportError("flywheel.v1.summary.image needs the package Pillow: pip install pillow") from error
    data = np.asarray(value)
    if data.dtype != np.uint8:
        finite = np.where(np.isfinite(data), data, 0).astype(np.float64)
        low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
        if low < 0:
            scale = max(abs(low), abs(high))
            data = finite * (127 / scale if scale else 0) + 128
        else:
            data = finite * (255 / high if high else 0)
        data = data.astype(np.uint8)
    high, wide, channels = data.shape
    picture = pictures.fromarray(data[:, :, 0] if channels == 1 else data)
    out = io.BytesIO()
    picture.save(out, "PNG")
    return _events.image_value(tag, (high, wide, channels), out.getvalue())


def summary_iterator(path: str) -> Any:
    raise about("flywheel.v1.train.summary_iterator", NotImplementedError("event files are read by TensorBoard"))


class FileWriterCache:
    """One writer a folder."""

    _writers: Dict[str, "FileWriter"] = {}

    @staticmethod
    def get(logdir: str) -> "FileWriter":
        found = FileWriterCache._writers.get(logdir)
        if found is None:
            found = FileWriterCache._writers[logdir] = FileWriter(logdir)
        return found

    @staticmethod
    def clear() -> None:
        for writer in FileWriterCache._writers.values():
            writer.close()
        FileWriterCache._writers.clear()


def __getattr__(name: str) -> Any:
    if name == "Summary":
        return _proto("summary_pb2").Summary
    if name == "Event":
        return _proto("event_pb2").Event
    from .namespaces import missing

    raise missing(f"summary.{name}")
