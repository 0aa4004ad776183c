# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions: each set of fetches is traced once, compiled, and run on the session's values."""

import os
import threading
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

import numpy as np

from .. import _flywheel
from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._errors.messages import about, wrong
from .._flywheel import Session as RuntimeSession
from .._programs.models import cost
from ..store import FlatStore, Store, is_stream
from . import step_stats
from .attempts import RETRIED, attempts
from .complex_tensors import ComplexTensor, value_of
from .complex_tensors import feeds_of as feeds_of_complex
from .emission import ancestors
from .graph import Graph, get_default_graph
from .host_calls import parts_of, prints_of
from .initialization import is_initialized_in
from .lost_updates import warn_of_lost_updates
from .operation import Operation, Tensor
from .programs import Compiled, Counted, Profiled
from .sparse_tensors import SparseTensor, SparseTensorValue, feeds_of

# Values of sessions that share a container.
_containers: Dict[str, Store] = {}


class Session:
    """Runs ops of a graph, and has the values of its variables (R1, R2).

    An op on a device that this machine does not have raises InvalidArgumentError when it is run, or with
    `config.allow_soft_placement` runs on the CPU, with a warning.
    """

    def __init__(self, target: str = "", graph: Optional[Graph] = None, config: Any = None):
        self.graph = get_default_graph() if graph is None else graph
        self._config = config
        own = FlatStore(initializes=False)
        # Names of the graph are keys as they are, whatever a traced function declares first.
        own._suffix(self.graph.namespace)
        self._store = _containers.setdefault(target, own) if target else own
        self._entries: Dict[Any, Tuple[Compiled, Any]] = {}
        self._is_closed = False
        self._is_seeded = False
        self._contexts: List[Any] = []
        # The generators of ops for which Python draws numbers, by the op.
        self._generators: Dict[str, Any] = {}
        # The positions in data sets.
        self._iterators: Dict[Any, Any] = {}
        # The variables that Keras has seen to have values.
        self._keras_initialized: Set[Any] = set()

    @property
    def store(self) -> Store:
        """The store that holds the values of variables."""
        return self._store

    def close(self) -> None:
        """Gives up the session: nothing runs in it any more."""
        self._is_closed = True
        self._entries.clear()

    def __enter__(self) -> "Session":
        context = self.graph.as_default()
        context.__enter__()
        self._contexts.append(context)
        _local.sessions.append(self)
        return self

    def __exit__(self, *error: Any) -> None:
        _local.sessions.remove(self)
        self._contexts.pop().__exit__(*error)
        self.close()

    def __getitem__(self, key: Any) -> Any:
        raise TypeError(f"a Session has no items, found [{key!r}]: run(fetches) computes tensors and variables")

    def as_default(self) -> "_Default":
        """Makes this the session that `eval` and `run` of others take."""
        return _Default(self)

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Computes fetches, a tensor, an op (whose result is None), a name, or lists, tuples and dicts of
        these, with the values in `feed_dict` for tensors.

        With options of a `trace_level` above NO_TRACE, `run_metadata` has the times of ops: see `RunMetadata`.
        """
        if self._is_closed:
            raise RuntimeError("Attempted to use a closed Session.")
        with step_stats.recording(options, run_metadata):
            return self._run_all(fetches, feed_dict)

    def _run_all(self, fetches: Any, feed_dict: Any) -> Any:
        flat: List[Any] = []
        form = self._flatten(fetches, flat)
        if feed_dict is not None and not isinstance(feed_dict, Mapping):
            raise wrong(TypeError, "a dict of tensors to values", type(feed_dict).__name__, "feed_dict")
        feeds = self._feeds(feed_dict or {})
        # As in TensorFlow, a tensor that is fed is fetched as the array that was fed: texts in it stay texts.
        fed = dict(feeds)
        host_only = [fed[f] if f in fed else self._host(f) for f in flat]
        rest = [f for f, value in zip(flat, host_only) if value is None]
        results = iter(self._run(rest, feeds) if rest else [])
        values = [next(results) if value is None else value for value in host_only]
        return _unflatten(form, iter(values))

    def cost(self, fetches: Any, bindings: Optional[Mapping[str, int]] = None) -> Dict[str, Any]:
        """Returns the operations and bytes of a run of fetches, without running it: see `flywheel.cost`.

        Placeholders have their static shapes; `bindings` says what open sizes are, such as {"batch": 32}. Raises
        ValueError for a placeholder of unknown rank.
        """
        flat: List[Any] = []
        self._flatten(fetches, flat)
        found: Dict[str, Any] = cost(Counted(flat).module, bindings=bindings)
        return found

    def make_callable(self, fetches: Any, feed_list: Any = None, accept_options: bool = False) -> Callable[..., Any]:
        """A function of the values in the order of `feed_list`, with `accept_options` also of `options` and
        `run_metadata`."""
        keys = list(feed_list or ())

        def call(*values: Any, options: Any = None, run_metadata: Any = None) -> Any:
            if len(values) != len(keys):
                raise ValueError(f"feed_list has {len(keys)} elements, but {len(values)} values were passed")
            return self.run(fetches, dict(zip(keys, values)), options, run_metadata)

        return call if accept_options else lambda *values: call(*values)

    @property
    def graph_def(self) -> Any:
        return self.graph.as_graph_def()

    def list_devices(self) -> List[Any]:
        raise about("flywheel.v1.Session.list_devices", NotImplementedError(
            "there are /cpu:0 and, where there is one, /gpu:0"))  # fmt: skip

    def partial_run(self, *_: Any, **__: Any) -> Any:
        raise about("flywheel.v1.Session.partial_run", NotImplementedError("use run"))

    partial_run_setup = partial_run

    def _host(self, fetch: Any) -> Any:
        if isinstance(fetch, Tensor) and fetch.op.fields.host is not None:
            found = fetch.op.fields.host(self)
            # The caller may write to it: a constant has an array of its own.
            return found.copy() if isinstance(found, np.ndarray) else found
        return None

    def _flatten(self, fetch: Any, flat: List[Any]) -> Any:
        if fetch is None:
            raise TypeError("Fetch argument None has invalid type NoneType")
        if isinstance(fetch, SparseTensor):
            return (lambda xs: SparseTensorValue(*xs), [self._flatten(x, flat) for x in fetch.parts])
        if isinstance(fetch, ComplexTensor):
            return (value_of, [self._flatten(x, flat) for x in fetch.parts])
        if isinstance(fetch, tuple) and hasattr(fetch, "_fields"):
            return (lambda xs: type(fetch)(*xs), [self._flatten(x, flat) for x in fetch])
        if isinstance(fetch, (list, tuple)):
            return (type(fetch), [self._flatten(x, flat) for x in fetch])
        if isinstance(fetch, dict):
            keys = list(fetch)
            return (lambda xs: dict(zip(keys, xs)), [self._flatten(fetch[k], flat) for k in keys])
        try:
            found = self.graph.as_graph_element(fetch)
        except TypeError:
            raise TypeError(f"Fetch argument {fetch!r} has invalid type {type(fetch).__name__}, must be a string or "
                            "Tensor. (Can not convert it into a Tensor or Operation.)") from None  # fmt: skip
        except (KeyError, ValueError) as error:
            raise ValueError(f"Fetch argument {fetch!r} cannot be interpreted as a Tensor. ({error.args[0]})") from None
        if isinstance(found, Tensor) and found.op.fields.on_host is not None:
            # Made of the values that it is of.
            return (found.op.fields.on_host, [self._flatten(x, flat) for x in found.op.inputs])
        flat.append(found if isinstance(found, (Operation, Tensor)) else found._reference)
        return None

    def _single(self, feed_dict: Mapping[Any, Any]) -> Iterator[Tuple[Any, Any]]:
        """Feeds of one tensor each: those of a tuple of tensors, as states of cells are, are a tuple of values, and
        that of a sparse tensor has three parts, and that of complex numbers two."""
        for key, value in feed_dict.items():
            if isinstance(key, SparseTensor):
                yield from feeds_of(key, value)
                continue
            if isinstance(key, ComplexTensor):
                yield from feeds_of_complex(key, value)
                continue
            if not isinstance(key, tuple):
                yield key, value
                continue
            if not isinstance(value, (list, tuple, np.ndarray)) or len(value) != len(key):
                raise ValueError(f"a feed of {len(key)} tensors takes as many values, found {type(value).__name__}"
                                 + (f" of {len(value)}" if hasattr(value, "__len__") else ""))  # fmt: skip
            yield from self._single(dict(zip(key, value)))

    def _feeds(self, feed_dict: Mapping[Any, Any]) -> List[Tuple[Tensor, Any]]:
        feeds: List[Tuple[Tensor, Any]] = []
        for key, value in self._single(feed_dict):
            try:
                x = self.graph.as_graph_element(key)
            except (KeyError, TypeError, ValueError) as error:
                raise TypeError(f"Cannot interpret feed_dict key as Tensor: {error.args[0]}") from None
            if isinstance(x, Operation):
                raise TypeError(f"Cannot interpret feed_dict key as Tensor: {x!r}")
            x = x if isinstance(x, Tensor) else x._as_graph_tensor()
            if isinstance(value, (Tensor, Operation)):
                raise TypeError("The value of a feed cannot be a tf.Tensor object. Acceptable feed values include "
                                "Python scalars, strings, lists, numpy ndarrays.")  # fmt: skip
            array = _convert_feed(x, value)
            shape = x.static_shape
            if shape is not None and (len(shape) != array.ndim
                                      or not _fits(shape, array.shape)):  # fmt: skip
                raise ValueError(f"Cannot feed value of shape {array.shape} for Tensor '{x.name}', which has shape "
                                 f"'{x.shape}'")  # fmt: skip
            feeds.append((x, array))
        return feeds

    def _run(self, fetches: List[Any], feeds: List[Tuple[Tensor, Any]]) -> List[Any]:
        """Runs what Python computes, a part at a time, and then the rest: variables are written in that one only."""
        self._seed()
        key = (tuple(map(id, fetches)), frozenset(x.op.id for x, _ in feeds))
        found = self.graph._parts.get(key)
        if found is None:
            prints = prints_of(fetches, feeds)
            printed = [x for tensors, _ in prints for x in tensors]
            found = self.graph._parts[key] = (printed, prints, parts_of([*fetches, *printed], feeds))
        printed, prints, parts = found
        for part in parts:
            feeds = feeds + part.run(self, feeds)
        if not prints:
            return self._run_program(fetches, feeds)
        results = self._run_program([*fetches, *printed], feeds)
        shown = iter(results[len(fetches) :])
        for tensors, show in prints:
            show([next(shown) for _ in tensors])
        return results[: len(fetches)]

    def _run_wanted(self, wanted: List[Tensor], feeds: List[Tuple[Tensor, Any]]) -> List[Any]:
        """Returns the values of tensors that Python's functions need."""
        host_only = [self._host(x) for x in wanted]
        rest = [x for x, value in zip(wanted, host_only) if value is None]
        results = iter(self._run_program(rest, feeds) if rest else [])
        return [next(results) if value is None else value for value in host_only]

    def _run_program(self, fetches: List[Any], feeds: List[Tuple[Tensor, Any]]) -> List[Any]:
        """Runs one program for all sizes of the feeds. If there is none, or if it fails, those for the sizes of this
        run are tried, and then that for the branches that it takes: an error has changed nothing."""
        known = [(x, array) for x, array in feeds if x.op.fields.is_known]
        feeds = sorted((feed for feed in feeds if not feed[0].op.fields.is_known), key=_place_of_feed)
        place = None
        if self.graph._attempts:
            place = (tuple(map(id, fetches)), tuple((x.op.id, x.index, array.shape) for x, array in feeds))
        first = self.graph._attempts.get(place, 0)
        problem: Optional[Exception] = None
        for number, shapes, decides in attempts(feeds, first):
            try:
                decided = self._decisions(fetches, feeds, known) if decides else {}
                if decides and not decided:
                    continue
                found = self._run_for(fetches, feeds, shapes, known, decided)
            except RETRIED as error:
                # The error of a run says more than that there is no program for all sizes.
                is_of_run = isinstance(error, _flywheel.InvalidArgumentError)
                if problem is None or isinstance(problem, _flywheel.CompileError) and is_of_run:
                    problem = error
                continue
            if number:
                place = (tuple(map(id, fetches)), tuple((x.op.id, x.index, array.shape) for x, array in feeds))
                self.graph._attempts[place] = number
            return found
        assert problem is not None
        raise problem

    def _decisions(
        self, fetches: List[Any], feeds: List[Tuple[Tensor, Any]], known: List[Tuple[Tensor, Any]]
    ) -> Dict[int, bool]:
        """Returns which branch each op with two branches takes, by the numbers of the ops, if values that nothing
        writes and that nothing draws decide that."""
        fed = {x.op for x, _ in [*feeds, *known]}
        needed = ancestors([f if isinstance(f, Operation) else f.op for f in fetches], fed)
        choices = sorted((op for op in needed if op.type == "cond" and op.context is None), key=lambda op: op.id)
        decided: Dict[int, bool] = {}
        for op in choices:
            before = ancestors([op.inputs[0].op], fed)
            if not any(a.fields.writes or a.fields.is_random for a in before):
                decided[op.id] = bool(self._run_wanted([op.inputs[0]], [*feeds, *known])[0])
        return decided

    def _run_for(
        self, fetches: List[Any], feeds: List[Tuple[Tensor, Any]], shapes: List[Any], known: List[Tuple[Tensor, Any]],
        decided: Dict[int, bool],
    ) -> List[Any]:  # fmt: skip
        """Runs the program of these fetches for these shapes of the feeds, which may have open sizes."""
        initialized = {v.op_name for v in self.graph._guarded if is_initialized_in(v, self)}
        fed = tuple((x.op.id, x.index, s) for (x, _), s in zip(feeds, shapes))
        is_soft = bool(getattr(self._config, "allow_soft_placement", False))
        parts = tuple((x.op.id, x.index, array.shape, array.tobytes()) for x, array in known)
        recorder = step_stats.current()
        kind = Compiled if recorder is None else Profiled
        key = (kind, tuple(id(f) for f in fetches), frozenset(initialized), fed, is_soft, parts,
               tuple(decided.items()))  # fmt: skip
        found = self._entries.get(key)
        if found is None:
            compiled = self.graph._programs.get(key)
            if isinstance(compiled, Exception):
                # Without the frames of earlier runs, which keep their arrays.
                raise compiled.with_traceback(None)
            if compiled is None:
                given = [(x, x.dtype, s) for (x, _), s in zip(feeds, shapes)]
                try:
                    compiled = kind(fetches, given, initialized, self._config, known, decided)
                except RETRIED as error:
                    self.graph._programs[key] = error
                    raise
                warn_of_lost_updates(compiled.needed)
                self.graph._programs[key] = compiled
            found = self._entries[key] = (compiled, self._bind(compiled))
        compiled, entry = found
        values = [array for _, array in feeds] + [
            op.value_on_host(self) for op in compiled.hosts]  # fmt: skip
        result = entry(*values) if recorder is None else recorder.measure(compiled, entry, values)
        count = compiled.is_op.count(False)
        results = iter([result] if count == 1 else result if count else [])
        return [None if is_op else _scalar(next(results)) for is_op in compiled.is_op]

    def _bind(self, compiled: Compiled) -> Any:
        """Returns an entry on this session's values; each random op has one stream in all programs."""
        names = []
        streams: List[str] = []
        # The counts of dashboards are not variables of the graph.
        counts = {board._steps.name: board._begin(self._store) for board in compiled.boards}
        for variable in compiled.program.variables:
            name = counts.get(variable.name, variable.name)
            slot = self.graph._slots.get(name)
            if slot is not None:
                slot.implementation._declare_value(self._store)
                name = slot.op_name
            elif is_stream(name) and name not in self.graph.namespace.variables:
                name = f"random/{compiled.random[len(streams)] if len(streams) < len(compiled.random) else name}"
                streams.append(name)
            names.append(name)
        for own in compiled.variables:
            own._declare_value(self._store)
        own_session = RuntimeSession(compiled.program)
        binding = self._store.bind(own_session, names)
        missing = [name for name in streams if not self._store.is_initialized(name)]
        if missing:
            binding.initialize(missing)
        entry: Any = binding.entry("run")
        sizes = compiled.sizes
        if len(compiled.host_functions):
            _flywheel._set_host_functions(entry, compiled.host_functions)
        if isinstance(compiled, Profiled):
            entry = step_stats.Measured(entry, own_session)
        if sizes is None:
            return entry
        measure = self._bind(sizes)
        return lambda *arrays: entry(*arrays, *sizes.of(measure(*arrays)))

    def _seed(self) -> None:
        if not self._is_seeded:
            self._is_seeded = True
            if self.graph.is_seeded:
                self._store.seed = 0
            elif self.graph.numpy_seed is not None:
                self._store.seed = self.graph.numpy_seed
            else:
                self._store.seed = int.from_bytes(os.urandom(7), "little")


def _convert_feed(x: Tensor, value: Any) -> Any:
    """Returns the value of a placeholder as an array. Refuses None, and numbers that an integer dtype does not have."""
    given = _dtypes.as_numpy(value)
    if given.dtype == x.dtype:
        return given
    kind = f"a feed of {_dtypes.name_of(x.dtype)}, Tensor '{x.name}'"
    if given.dtype.kind == "O" and any(part is None for part in given.reshape(-1)):
        raise TypeError(f"Cannot convert None to {kind}")
    text = str(given) if given.ndim == 0 else f"of dtype {given.dtype}"
    error = TypeError(f"Type of feed value {text} is not compatible with {kind}. Try explicitly setting the type of "
                      "the feed tensor to a larger type (e.g. int64).")  # fmt: skip
    try:
        array = _dtypes.literal(value, x.dtype).reshape(given.shape)
    except OverflowError:
        raise error from None
    except (TypeError, ValueError) as problem:
        raise ValueError(f"{problem}: {kind}") from None
    if given.dtype.kind in "iuf" and array.dtype.kind in "iu" and not np.array_equal(given, array):
        raise error
    return array


def _place_of_feed(feed: Tuple[Tensor, Any]) -> Tuple[int, int]:
    """The order of feeds in programs: of the same tensors, programs are the same."""
    return feed[0].op.id, feed[0].index


def _fits(shape: Sequence[Optional[int]], given: Sequence[int]) -> bool:
    return all(wanted is None or wanted == found for wanted, found in zip(shape, given))


def _scalar(value: Any) -> Any:
    """Returns a result as TensorFlow gives it: an array of no dimensions is a scalar, and strings are bytes."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        value = as_bytes(value)
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value


def as_bytes(array: Any) -> Any:
    """Returns an array of strings as one of bytes, in UTF-8."""
    made = np.empty(array.shape, object)
    made.reshape(-1)[:] = [x.encode("utf-8", "surrogateescape") if isinstance(x, str) else x for x in array.reshape(-1)]
    return made


def _unflatten(form: Any, values: Any) -> Any:
    if form is None:
        return next(values)
    return form[0]([_unflatten(child, values) for child in form[1]])


class InteractiveSession(Session):
    """A session that is the default one from its creation to `close`."""

    def __init__(self, target: str = "", graph: Optional[Graph] = None, config: Any = None):
        super().__init__(target, graph, config)
        _local.sessions.append(self)

    def close(self) -> None:
        super().close()
        if self in _local.sessions:
            _local.sessions.remove(self)


class _Default:
    def __init__(self, session: Session):
        self._session = session

    def __enter__(self) -> Session:
        _local.sessions.append(self._session)
        return self._session

    def __exit__(self, *_: Any) -> None:
        _local.sessions.remove(self._session)


class _Local(threading.local):
    def __init__(self) -> None:
        self.sessions: List[Session] = []


_local = _Local()


def get_default_session() -> Optional[Session]:
    """The innermost session that is a default one."""
    return _local.sessions[-1] if _local.sessions else None


# If Keras is imported, functions that find its session, and that give variables of a session values.
others: List[Tuple[Callable[[], Session], Callable[[Session], None]]] = []


def enter_traced(graph: Graph) -> None:
    """Makes the function that is being traced one of the variables of a graph: its calls work on the values of the
    default session, or of that of Keras. Raises ValueError for variables of two graphs."""
    trace = _trace.current()
    if trace.home is None:
        trace.home = graph, lambda: _store_of(graph)
        _session_of(graph)
    elif trace.home[0] is not graph:
        raise ValueError(f"'{trace.name}' uses variables of two graphs")


def _store_of(graph: Graph) -> Store:
    session = _session_of(graph)
    for _, prepare in others:
        prepare(session)
    return session.store


def _session_of(graph: Graph) -> Session:
    session = get_default_session() or next((find() for find, _ in others), None)
    if session is None or session.graph is not graph:
        raise RuntimeError("a function that uses variables of a graph works on the values of a session of that graph: "
                           "expected it to be the default one, as in `with sess:`")  # fmt: skip
    return session


def default_session(given: Optional[Session], what: str) -> Session:
    """Returns `given`, or the default session. Raises ValueError if there is none (R3)."""
    found = given or get_default_session()
    if found is None:
        raise ValueError(f"Cannot {what} using `run()` or `eval()`: No default session is registered. Use "
                         "`with sess.as_default()` or pass an explicit session")  # fmt: skip
    return found
