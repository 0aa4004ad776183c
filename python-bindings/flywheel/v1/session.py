# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions: each set of fetches is traced once, compiled, and run on the session's values."""

import os
import threading
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

import numpy as np

from .. import _dtypes, _ops, _tensor, _trace
from .._compilation import compile_module
from .._flywheel import Session as RuntimeSession
from ..store import Store, _is_stream
from .devices import choose_target
from .graph import Graph, get_default_graph
from .inference import as_list
from .initialization import is_initialized_in
from .operation import Context, Operation, Tensor

Env = Dict[int, List[Any]]


def ancestors(roots: Sequence[Operation], stop: Any = ()) -> Set[Operation]:
    """The ops that these need, and themselves, but nothing behind those in `stop`."""
    found: Set[Operation] = set()
    left = list(roots)
    while left:
        op = left.pop()
        if op in found:
            continue
        found.add(op)
        if op not in stop:
            left += needs(op)
    return found


def needs(op: Operation) -> List[Operation]:
    """What an op waits for; one whose phase is known while it is compiled takes one of its inputs."""
    inputs = op.attrs["chosen"](op) if "chosen" in op.attrs else op.inputs
    return [x.op for x in inputs] + op.control_inputs + [x.op for x in op.attrs.get("captures", [])]


def inner_ops(context: Context, outputs: Sequence[Operation]) -> Tuple[List[Operation], List[Operation]]:
    """The ops of a branch that these outputs need, in order, and what they take from outside."""
    inside: Set[Operation] = set()
    outside: Set[Operation] = set()
    left = list(outputs)
    while left:
        op = left.pop()
        if op.context is not context:
            outside.add(op)
        elif op not in inside:
            inside.add(op)
            left += needs(op)
    return sorted(inside, key=lambda op: op.id), sorted(outside, key=lambda op: op.id)


class Emitter:
    """Emits ops in the order of their creation, with the version rule (A5)."""

    def __init__(self, needed: Sequence[Operation], env: Env, initialized: Set[str]):
        self.env = env
        # The variables that have a value when the run starts.
        self.initialized = initialized
        self.needed = needed
        self.running = set(needed)
        # What comes from the ops of a `read_value`: the last write that it depends on.
        self.wanted: Dict[int, Any] = {}
        self.seen: Dict[Tuple[int, str], _tensor.Tensor] = {}
        for op in needed:
            if op.type == "ReadValue" and op.id not in env:
                writes = [a for a in ancestors([op]) if op.attrs["variable"] in a.attrs.get("writes", ())
                          and a in self.running]  # fmt: skip
                self.wanted[op.id] = max(writes, key=lambda a: a.id) if writes else None

    def run(self) -> None:
        # Implicit reads see the start of the run.
        for op in self.needed:
            if op.id in self.env:
                continue
            if self._reads_start(op):
                self.env[op.id] = [op.attrs["variable"].implementation.read()]
        for op in self.needed:
            if op.id not in self.env:
                self.emit(op)

    def _reads_start(self, op: Operation) -> bool:
        """Whether an op is the value that a variable has when the run starts."""
        if op.type == "VariableV2":
            return not op.attrs["is_ref"]
        if op.type == "ReadValue":
            return self.wanted[op.id] is None
        if op.type != "InitializedValue":
            return False
        variable = op.attrs["variable"]
        return variable.op_name in self.initialized and variable.initializer not in self.running

    def emit(self, op: Operation) -> None:
        self._emit(op)
        if op.attrs.get("is_wrt"):
            self.env[op.id] = [_ops.multiply(x, _tensor.constant(1, x.dtype)) if _dtypes.is_floating(x.dtype) else x
                               for x in self.env[op.id]]  # fmt: skip
        for variable in op.attrs.get("writes", ()):
            self.seen[op.id, variable.op_name] = variable.implementation.read()

    def _emit(self, op: Operation) -> None:
        if op.type == "ReadValue":
            write = self.wanted[op.id]
            self.env[op.id] = [self.seen[write.id, op.attrs["variable"].op_name]]
            return
        if op.type == "InitializedValue":
            variable = op.attrs["variable"]
            if variable.initializer in self.running and variable.initializer.id < op.id:
                self.env[op.id] = self.env[variable.initializer.id]
            else:
                self.env[op.id] = [self.value(op.inputs[0])]
            return
        if op.type == "Initialize":
            value = self._initial(op, self.env)
            self.env[op.id] = as_list(op.attrs["assign"](value))
        elif op.emit is None:
            self.env[op.id] = []
        elif "region" in op.attrs:
            self.env[op.id] = as_list(op.attrs["region"](self, op))
        else:
            self.env[op.id] = as_list(op.emit(*[self.value(x) for x in op.inputs]))

    def _initial(self, op: Operation, env: Env) -> _tensor.Tensor:
        """The initial value, which sees those of the variables that are initialised with it (I8)."""
        x = op.inputs[0]
        own = ancestors([x.op])
        fresh = {a.id: self.env[a.attrs["variable"].initializer.id] for a in own if a.type == "VariableV2"
                 and a.attrs["variable"].initializer in self.running}  # fmt: skip
        if not fresh:
            return self.value(x)
        inner: Env = dict(fresh)
        changed = set(fresh)
        for a in sorted(own, key=lambda a: a.id):
            if a.id in fresh:
                continue
            if any(b.op.id in changed for b in a.inputs):
                changed.add(a.id)
                assert a.emit is not None
                inner[a.id] = as_list(a.emit(*[inner[b.op.id][b.index] for b in a.inputs]))
            else:
                inner[a.id] = self.env[a.id]
        found: _tensor.Tensor = inner[x.op.id][x.index]
        return found

    def value(self, x: Tensor) -> _tensor.Tensor:
        found: _tensor.Tensor = self.env[x.op.id][x.index]
        return found

    def region(self, context: Context, outputs: Sequence[Tensor], more: Optional[Env] = None) -> List[Any]:
        """Emits the ops of a branch, and gives its outputs."""
        ops, _ = inner_ops(context, [x.op for x in outputs])
        inner = Emitter(ops, {**self.env, **(more or {})}, self.initialized)
        inner.run()
        return [inner.value(x) for x in outputs]


class Compiled:
    """A set of fetches, compiled for a set of feeds."""

    def __init__(
        self, fetches: Sequence[Any], feeds: Sequence[Tuple[Tensor, Any, Tuple[Optional[int], ...]]],
        initialized: Set[str], config: Any = None,
    ):  # fmt: skip
        self.fetches = list(fetches)
        fed = {x.op for x, _, _ in feeds}
        roots = [f if isinstance(f, Operation) else f.op for f in fetches]
        needed = sorted(ancestors(roots, fed), key=lambda op: op.id)
        self.hosts = [op for op in needed if "host" in op.attrs and op not in fed]
        self.random: List[str] = []
        for op in needed:
            if op.type == "Placeholder" and op not in fed:
                raise _missing(op)
        self.fed = [x for x, _, _ in feeds]
        trace = _trace.Trace("run")
        shapes = [shape for _, _, shape in feeds] + [op.outputs[0].static_shape for op in self.hosts]
        dtypes = [dtype for _, dtype, _ in feeds] + [op.outputs[0].dtype for op in self.hosts]
        types = [trace.type(dtype, shape or ()) for dtype, shape in zip(dtypes, shapes)]
        arguments = trace.graph.begin_function("run", types, {}, [{"train.name": ("str", f"feed_{i}")}
                                                                  for i in range(len(types))])  # fmt: skip
        try:
            with _trace.tracing(trace):
                wrapped = [_tensor.wrap(v, d, s or ()) for v, d, s in zip(arguments, dtypes, shapes)]
                env: Env = {x.op.id: [w] for x, w in zip(self.fed, wrapped)}
                env.update({op.id: [w] for op, w in zip(self.hosts, wrapped[len(self.fed) :])})
                Emitter(needed, env, initialized).run()
                results = [self._result(f, env, fed) for f in fetches]
        except BaseException:
            trace.graph.abandon_function()
            raise
        values = [x.value for x in results if x is not None]
        self.is_op = [x is None for x in results]
        trace.graph.end_function(values, [{"train.name": ("str", f"result_{i}")} for i in range(len(values))])
        self.random = [op.name for op in needed if op.attrs.get("is_random")]
        self.variables = list(trace.variables.values())
        target = choose_target((op for op in needed if op not in fed), config)
        self.program = compile_module(trace.graph.finish(), None, target)

    def _result(self, fetch: Any, env: Env, fed: Set[Operation]) -> Optional[_tensor.Tensor]:
        if isinstance(fetch, Operation):
            return None
        if fetch.op.type == "VariableV2" and fetch.op.attrs["is_ref"] and fetch.op not in fed:
            # The variable itself: its last version.
            found: _tensor.Tensor = fetch.op.attrs["variable"].implementation.read()
            return found
        value: _tensor.Tensor = env[fetch.op.id][fetch.index]
        return value


def _missing(op: Operation) -> Exception:
    from .._flywheel import InvalidArgumentError

    x = op.outputs[0]
    return InvalidArgumentError(f"You must feed a value for placeholder tensor '{op.name}' with dtype "
                                f"{_dtypes.name_of(x.dtype)} and shape {x.shape}")  # fmt: skip


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
        self._store = _containers.setdefault(target, Store(initializes=False)) if target else Store(initializes=False)
        self._entries: Dict[Any, Tuple[Compiled, Any]] = {}
        self._is_closed = False
        self._is_seeded = False
        self._contexts: List[Any] = []

    @property
    def store(self) -> Store:
        """Where the values of variables are."""
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

    def as_default(self) -> "_Default":
        """Makes this the session that `eval` and `run` of others take."""
        return _Default(self)

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Computes fetches, a tensor, an op (whose result is None), a name, or lists, tuples and dicts of
        these, with the values in `feed_dict` for tensors."""
        if self._is_closed:
            raise RuntimeError("Attempted to use a closed Session.")
        flat: List[Any] = []
        form = self._flatten(fetches, flat)
        feeds = self._feeds(feed_dict or {})
        host_only = [self._host(f) for f in flat]
        rest = [f for f, value in zip(flat, host_only) if value is None]
        results = iter(self._run(rest, feeds) if rest else [])
        values = [next(results) if value is None else value for value in host_only]
        return _unflatten(form, iter(values))

    def _host(self, fetch: Any) -> Any:
        if isinstance(fetch, Tensor) and "host" in fetch.op.attrs:
            return fetch.op.attrs["host"](self)
        return None

    def _flatten(self, fetch: Any, flat: List[Any]) -> Any:
        if fetch is None:
            raise TypeError("Fetch argument None has invalid type NoneType")
        if isinstance(fetch, tuple) and hasattr(fetch, "_fields"):
            return (lambda xs: type(fetch)(*xs), [self._flatten(x, flat) for x in fetch])
        if isinstance(fetch, (list, tuple)):
            return (type(fetch), [self._flatten(x, flat) for x in fetch])
        if isinstance(fetch, dict):
            keys = list(fetch)
            return (lambda xs: dict(zip(keys, xs)), [self._flatten(fetch[k], flat) for k in keys])
        found = self.graph.as_graph_element(fetch)
        if isinstance(found, Tensor) and "on_host" in found.op.attrs:
            # Made of the values that it is of.
            return (found.op.attrs["on_host"], [self._flatten(x, flat) for x in found.op.inputs])
        flat.append(found if isinstance(found, (Operation, Tensor)) else found._reference)
        return None

    def _feeds(self, feed_dict: Dict[Any, Any]) -> List[Tuple[Tensor, Any]]:
        feeds: List[Tuple[Tensor, Any]] = []
        for key, value in feed_dict.items():
            x = self.graph.as_graph_element(key)
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
        self._seed()
        feeds = sorted(feeds, key=lambda feed: feed[0].op.id)
        shapes = [array.shape if x.static_shape is None else x.static_shape for x, array in feeds]
        initialized = {v.op_name for v in self.graph._guarded if is_initialized_in(v, self)}
        fed = tuple((x.op.id, s) for (x, _), s in zip(feeds, shapes))
        is_soft = bool(getattr(self._config, "allow_soft_placement", False))
        key = (tuple(id(f) for f in fetches), frozenset(initialized), fed, is_soft)
        found = self._entries.get(key)
        if found is None:
            compiled = self.graph._programs.get(key)
            if compiled is None:
                compiled = Compiled(fetches, [(x, x.dtype, s) for (x, _), s in zip(feeds, shapes)], initialized,
                                    self._config)
                self.graph._programs[key] = compiled
            found = self._entries[key] = (compiled, self._bind(compiled))
        compiled, entry = found
        values = [array for _, array in feeds] + [
            np.ascontiguousarray(op.attrs["host"](self)).reshape(op.attrs["host"](self).shape)
            for op in compiled.hosts]  # fmt: skip
        result = entry(*values)
        count = compiled.is_op.count(False)
        results = iter([result] if count == 1 else result if count else [])
        return [None if is_op else _scalar(next(results)) for is_op in compiled.is_op]

    def _bind(self, compiled: Compiled) -> Any:
        """An entry on this session's values; each random op has one stream in all programs."""
        names = []
        streams: List[str] = []
        for variable in compiled.program.variables:
            name = variable.name
            slot = self.graph._slots.get(name)
            if slot is not None:
                slot.implementation._declare_value(self._store)
                name = slot.op_name
            elif _is_stream(name) and name not in self.graph.namespace.variables:
                name = f"random/{compiled.random[len(streams)] if len(streams) < len(compiled.random) else name}"
                streams.append(name)
            names.append(name)
        for own in compiled.variables:
            own._declare_value(self._store)
        binding = self._store.bind(RuntimeSession(compiled.program), names)
        missing = [name for name in streams if not self._store.is_initialized(name)]
        if missing:
            binding.initialize(missing)
        return binding.entry("run")

    def _seed(self) -> None:
        if not self._is_seeded:
            self._is_seeded = True
            self._store.seed = 0 if self.graph.is_seeded else int.from_bytes(os.urandom(7), "little")


def _convert_feed(x: Tensor, value: Any) -> Any:
    """The value of a placeholder as an array. Refuses None, and numbers that an integer dtype does not have."""
    given = np.asarray(value)
    if given.dtype == x.dtype:
        return np.ascontiguousarray(given).reshape(given.shape)
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
    if given.dtype.kind in "iuf" and array.dtype.kind in "iu" and not np.array_equal(given, array):
        raise error
    return array


def _fits(shape: Sequence[Optional[int]], given: Sequence[int]) -> bool:
    return all(wanted is None or wanted == found for wanted, found in zip(shape, given))


def _scalar(value: Any) -> Any:
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value


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


def default_session(given: Optional[Session], what: str) -> Session:
    """`given`, or the default one. Raises ValueError where there is none (R3)."""
    found = given or get_default_session()
    if found is None:
        raise ValueError(f"Cannot {what} using `run()` or `eval()`: No default session is registered. Use "
                         "`with sess.as_default()` or pass an explicit session")  # fmt: skip
    return found
