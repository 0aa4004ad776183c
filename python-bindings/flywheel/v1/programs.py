# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets of fetches as programs of the compiler."""

from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core import tensor as _tensor
from .._core import trace as _trace
from .._flywheel import Attribute, CompileError
from .._ops.emission import size
from .._ops.indexing import extract_slice
from .._programs.compilation import compile_module
from .._programs.models import compile as compile_model
from .._programs.options import StepOptions
from .devices import choose_target
from .emission import Emitter, Env, ancestors, env_of
from .operation import Operation, Tensor


class Compiled:
    """A set of fetches, compiled for a set of feeds."""

    # If ops of the program are to have ops of the graph as their places, these by the texts of places.
    places: Optional[Dict[str, Operation]] = None

    def __init__(
        self, fetches: Sequence[Any], feeds: Sequence[Tuple[Tensor, Any, Tuple[Optional[int], ...]]],
        initialized: Set[str], config: Any = None, known: Sequence[Tuple[Tensor, Any]] = (),
        decided: Optional[Dict[int, bool]] = None,
    ):  # fmt: skip
        self.fetches = list(fetches)
        # Values that are part of the program, and branches that it takes: by the numbers of ops.
        self.known, self.decided = list(known), decided or {}
        fed = {x.op for x, _, _ in feeds} | {x.op for x, _ in known}
        roots = [f if isinstance(f, Operation) else f.op for f in fetches]
        needed = sorted(ancestors(roots, fed), key=lambda op: op.id)
        self.hosts = [op for op in needed if op.fields.host is not None and op not in fed]
        self.feeds = list(feeds)
        for op in needed:
            if op.type == "Placeholder" and op not in fed:
                raise _missing(op)
            if op.fields.host_call is not None and op.outputs and op not in fed:
                raise NotImplementedError(f"'{op.name}' is computed by Python between two parts of a run, which "
                                          "Session.run does, and functions and models of Keras do not")  # fmt: skip
        self.fed = [x for x, _, _ in feeds]
        self.needed, self.initialized = needed, initialized
        self.is_op = [isinstance(f, Operation) for f in fetches]
        self.random = [op.name for op in needed if op.fields.is_random]
        self.target = choose_target((op for op in needed if op not in fed), config)
        # Dimensions of results whose sizes a program of their own computes first: (result, dimension).
        self.measured: List[Tuple[int, int]] = []
        self.sizes: Optional[_Sizes] = None
        while True:
            try:
                self.program, self.variables = self._compile(fed)
                break
            except CompileError as error:
                places = [numbers for code, numbers in error.details if code == "unknown-result-size"]
                unknown = [(result, dim) for result, dim in places if (result, dim) not in self.measured]
                if not unknown:
                    raise
                self.measured += unknown
        if self.measured:
            self.sizes = _Sizes(self)

    def _compile(self, fed: Set[Operation]) -> Tuple[Any, List[Any]]:
        module, variables = self._traced(fed)
        return compile_module(module, StepOptions(target=self.target)), variables

    def _traced(self, fed: Set[Operation]) -> Tuple[Any, List[Any]]:
        """Returns the module of the program, and its variables."""
        trace = _trace.Trace("run")
        trace.places = self.places
        shapes = [shape for _, _, shape in self.feeds] + [op.outputs[0].static_shape for op in self.hosts]
        dtypes = [dtype for _, dtype, _ in self.feeds] + [op.outputs[0].dtype for op in self.hosts]
        names = [x.op.name if x.index == 0 else x.name for x in self.fed] + [op.name for op in self.hosts]
        for result, dim in self.measured:
            shapes.append((None,))
            dtypes.append(_dtypes.int8)
            # No op has such a name.
            names.append(f"size:{result}:{dim}")
        types = [trace.type(dtype, shape or ()) for dtype, shape in zip(dtypes, shapes)]
        named = [{"train.name": Attribute.string(name)} for name in names]
        arguments = trace.graph.begin_function("run", types, {}, named)
        try:
            with _trace.tracing(trace):
                wrapped = [_tensor.wrap(v, d, s or ()) for v, d, s in zip(arguments, dtypes, shapes)]
                env = env_of(zip(self.fed, wrapped))
                env.update({op.id: [w] for op, w in zip(self.hosts, wrapped[len(self.fed) :])})
                env.update(env_of((x, _tensor.constant(array)) for x, array in self.known))
                results = self._results(trace, env, fed)
                wanted = dict(zip(self.measured, wrapped[len(wrapped) - len(self.measured) :]))
                results = [_sized(x, i, wanted) for i, x in enumerate(results)]
        except BaseException:
            trace.graph.abandon_function()
            raise
        # The functions of Python that the program calls.
        self.host_functions, self.boards = trace.host_functions, list(trace.watched_by)
        values = [x.value for x in results]
        trace.graph.end_function(values, [{"train.name": Attribute.string(f"result_{i}")} for i in range(len(values))])
        return trace.graph.finish(), list(trace.variables.values())

    def _results(self, trace: _trace.Trace, env: Env, fed: Set[Operation]) -> List[_tensor.Tensor]:
        emitter = Emitter(self.needed, env, self.initialized, self.decided)
        emitter.run()
        results = [self._result(f, emitter, fed) for f in self.fetches]
        return [x for x in results if x is not None]

    def _result(self, fetch: Any, emitter: Emitter, fed: Set[Operation]) -> Optional[_tensor.Tensor]:
        if isinstance(fetch, Operation):
            return None
        if fetch.op.type == "VariableV2" and fetch.op.fields.is_ref and fetch.op not in fed:
            # The variable itself: its last version.
            found: _tensor.Tensor = fetch.op.variable.implementation.read()
            return found
        return emitter.value(fetch)


class Profiled(Compiled):
    """A set of fetches, compiled to measure how long its kernels take: see docs/Guides/CostAndProfile.md."""

    def _compile(self, fed: Set[Operation]) -> Tuple[Any, List[Any]]:
        self.places = {}
        module, variables = self._traced(fed)
        return compile_model(module, profile=True, target=self.target or None), variables


def _sized(x: _tensor.Tensor, result: int, wanted: Dict[Tuple[int, int], _tensor.Tensor]) -> _tensor.Tensor:
    """Returns a result with dimensions that are those of feeds, which are made for that."""
    dims = [wanted.get((result, dim)) for dim in range(x.ndim)]
    if not any(one is not None for one in dims):
        return x
    if _dtypes.string == x.dtype:
        raise NotImplementedError("a fetched tensor of strings whose size is computed")
    own = [size(x, axis) if one is None else size(one, 0) for axis, one in enumerate(dims)]
    return extract_slice(x, [0] * x.ndim, own, [1] * x.ndim)


class _Sizes(Compiled):
    """The sizes of results that a program cannot tell from those of its feeds. It computes nothing else."""

    def __init__(self, whole: Compiled):
        self._whole = whole
        flat = [f for f in whole.fetches if not isinstance(f, Operation)]
        roots = [flat[place].op for place in dict.fromkeys(place for place, _ in whole.measured)]
        self._places = [(list(dict.fromkeys(p for p, _ in whole.measured)).index(p), dim) for p, dim in whole.measured]
        self.known, self.decided = whole.known, whole.decided
        fed = {x.op for x in whole.fed} | {x.op for x, _ in whole.known}
        needed = sorted(ancestors(roots, fed, by_data=True), key=lambda op: op.id)
        for op in needed:
            if op.fields.writes:
                raise NotImplementedError("the size of a fetched tensor is computed behind the assignment "
                                          f"'{op.name}': run the assignment first, then fetch the tensor")  # fmt: skip
        self.fetches = [flat[place] for place in dict.fromkeys(place for place, _ in whole.measured)]
        self.feeds, self.fed, self.hosts = whole.feeds, whole.fed, whole.hosts
        self.needed, self.initialized, self.target = needed, whole.initialized, ""
        self.measured, self.sizes, self.random = [], None, []
        self.is_op = [False for _ in self.fetches]
        self.program, self.variables = self._compile(fed)

    def _results(self, trace: _trace.Trace, env: Env, fed: Set[Operation]) -> List[_tensor.Tensor]:
        trace.draws = False
        return [_ops.shape(x) for x in super()._results(trace, env, fed)]

    def of(self, vectors: Any) -> List[Any]:
        """Feeds with the sizes that the program found."""
        found = [vectors] if len(self.fetches) == 1 else list(vectors)
        return [np.empty(int(found[place][dim]), np.int8) for place, dim in self._places]


class Counted(Compiled):
    """The module of a set of fetches, which is not compiled: placeholders have their static shapes."""

    def __init__(self, fetches: Sequence[Any]):
        roots = [f if isinstance(f, Operation) else f.op for f in fetches]
        needed = sorted(ancestors(roots), key=lambda op: op.id)
        given = [op for op in needed if op.type == "Placeholder" or op.outputs and op.fields.host_call is not None]
        for op in given:
            if op.outputs[0].static_shape is None:
                raise ValueError(f"the rank of '{op.name}' is not known, and the cost of the fetches depends on it")
        self.fetches, self.hosts = list(fetches), [op for op in needed if op.fields.host is not None]
        self.fed = [op.outputs[0] for op in given]
        self.feeds = [(x, x.dtype, x.static_shape or ()) for x in self.fed]
        self.known, self.decided, self.measured, self.initialized, self.target = [], {}, [], set(), ""
        self.needed = [op for op in needed if op not in set(given)]
        self.module, _ = self._traced(set(given))


def emit(fetches: Sequence[Any], feeds: Sequence[Tuple[Tensor, _tensor.Tensor]]) -> List[_tensor.Tensor]:
    """Emits the ops that compute fetches from these feeds into the function that is being traced. Raises
    NotImplementedError if Python computes a part of them."""
    fed = {x.op for x, _ in feeds}
    roots = [f if isinstance(f, Operation) else f.op for f in fetches]
    needed = sorted(ancestors(roots, fed), key=lambda op: op.id)
    for op in needed:
        if op.type == "Placeholder" and op not in fed:
            raise _missing(op)
        if op not in fed and (op.fields.host is not None or op.fields.host_call is not None):
            raise NotImplementedError(f"'{op.name}' is computed by Python, which an exported function has not")
    emitter = Emitter(needed, env_of(feeds), set())
    emitter.run()
    return [emitter.value(f) for f in fetches if not isinstance(f, Operation)]


def _missing(op: Operation) -> Exception:
    from .._flywheel import InvalidArgumentError

    x = op.outputs[0]
    return InvalidArgumentError(f"You must feed a value for placeholder tensor '{op.name}' with dtype "
                                f"{_dtypes.name_of(x.dtype)} and shape {x.shape}")  # fmt: skip
