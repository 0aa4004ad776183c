# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the graph, what they are fed, and values outside of them."""

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ..._core import dtypes as _dtypes
from ..._core.argument_checks import elements
from ..._flywheel import InvalidArgumentError
from ..._programs.models import cost
from ...v1 import ops as _v1
from ...v1 import step_stats
from ...v1.attempts import RETRIED, attempts
from ...v1.conversion import as_tensor
from ...v1.emission import ancestors
from ...v1.graph import get_default_graph
from ...v1.operation import Operation, Tensor
from ...v1.programs import Compiled, Counted, Profiled
from ...v1.session import Session
from ...v1.sparse_tensors import SparseTensor, SparseTensorValue, feeds_of, sparse_placeholder
from ...v1.variables import Variable
from .. import _phase
from . import sessions
from .operations import to_dense
from .settings import floatx
from .variables import update, variable_of


def placeholder(
    shape: Any = None, ndim: Optional[int] = None, dtype: Any = None, sparse: bool = False, name: Optional[str] = None
) -> Any:
    """A tensor that functions are fed; a sparse one is fed a matrix of SciPy, or a `SparseTensorValue`."""
    sizes = shape if shape is not None else None if ndim is None else (None,) * ndim
    if sparse:
        made = sparse_placeholder(dtype or floatx(), sizes, name)
        made._keras_shape = made.static_shape
        return made
    return _v1.placeholder(dtype or floatx(), sizes, name)


def is_placeholder(x: Any) -> bool:
    if isinstance(x, SparseTensor):
        return x.values.op.type == "Placeholder"
    return isinstance(x, Tensor) and x.op.type == "Placeholder"


def is_keras_tensor(x: Any) -> bool:
    """Returns true if a tensor is the result of a layer."""
    if not isinstance(x, (Tensor, Variable, SparseTensor)):
        raise ValueError(f"Unexpectedly found an instance of type `{type(x)}`. Expected a symbolic tensor instance.")
    return hasattr(x, "_keras_history")


def set_learning_phase(value: int) -> None:
    """Fixes the phase: 0 is test, 1 is training."""
    if value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    _phase.placeholders[get_default_graph()] = value


def in_test_phase(x: Any, alt: Any, training: Any = None) -> Any:
    return _phase.in_train_phase(alt, x, training)


class Function:
    """Calls a part of the graph: see `function`."""

    def __init__(
        self, inputs: Any, outputs: Any, updates: Any = None, name: Optional[str] = None, **session_kwargs: Any
    ) -> None:
        fetches = session_kwargs.pop("fetches", None) or []
        # Its values are read at each call.
        self._feed_dict: Dict[Any, Any] = session_kwargs.pop("feed_dict", None) or {}
        self._options, self._metadata = session_kwargs.pop("options", None), session_kwargs.pop("run_metadata", None)
        self._kind = Profiled if step_stats.is_traced(self._options, self._metadata) else Compiled
        if session_kwargs:
            raise ValueError(f"Some keys in session_kwargs are not supported at this time: {list(session_kwargs)}")
        for what, given in (("`inputs` to a", inputs), ("`outputs` of a", outputs), ("`updates` in a", updates or [])):
            if not isinstance(given, (list, tuple)):
                raise TypeError(f"{what} Keras backend function should be a list or tuple.")
        self.inputs = list(inputs)
        self.outputs = [as_tensor(x) for x in outputs]
        self.name = name
        self.graph = get_default_graph()
        self._roots: List[Any] = list(self.outputs)
        for one in [*(updates or []), *fetches]:
            made = update(*one) if isinstance(one, tuple) else one
            self._roots.append(made.op if isinstance(made, (Tensor, Variable)) else made)
        phases = [i for i, x in enumerate(self.inputs) if _phase.is_phase(x)]
        self._phase_at = phases[0] if phases else -1
        # Inputs that calls are fed, and their tensors: a sparse one has three.
        self._taken = [(i, x if isinstance(x, SparseTensor) else as_tensor(x))
                       for i, x in enumerate([*self.inputs, *self._feed_dict]) if i not in phases]  # fmt: skip
        self._fed = [part for _, x in self._taken for part in (x.parts if isinstance(x, SparseTensor) else [x])]
        self._is_split = any(op.fields.host_call is not None or op.fields.on_host is not None for op in ancestors(
            [x if isinstance(x, Operation) else x.op for x in self._roots], {x.op for x in self._fed}))  # fmt: skip
        self._entries: Dict[Any, Tuple[Session, Compiled, Any]] = {}
        # By phase and shapes of feeds, the number of the first attempt that did not fail, if it is not 0.
        self._attempts: Dict[Any, int] = {}
        # By phase, what calls take that are fed arrays as they are.
        self._cases: Dict[Optional[int], Tuple[Session, Any]] = {}

    def __call__(self, inputs: Sequence[Any]) -> List[Any]:
        if self._metadata is not None:
            with step_stats.recording(self._options, self._metadata):
                return self._call(inputs)
        if type(inputs) is list and len(inputs) == len(self.inputs):
            at = self._phase_at
            phase = inputs[at] if at >= 0 else None
            case = self._cases.get(phase) if phase is None or type(phase) is int else None
            if case is not None and case[0] is sessions.current_session():
                values = inputs if at < 0 else inputs[:at] + inputs[at + 1 :]
                if all([type(value) is np.ndarray for value in values]):
                    try:
                        return self._results(case[1](*values))
                    except InvalidArgumentError:
                        # Nothing has changed: what is to be converted is, or the error says more.
                        pass
        return self._call(inputs)

    def _call(self, inputs: Sequence[Any]) -> List[Any]:
        """Checks the feeds, compiles and calls."""
        if not isinstance(inputs, (list, tuple)):
            raise TypeError("`inputs` should be a list or tuple.")
        if len(inputs) != len(self.inputs):
            raise ValueError(f"expected {len(self.inputs)} inputs, found {len(inputs)}")
        given = [*inputs, *self._feed_dict.values()]
        arrays = [self._feed(part, value) for i, x in self._taken for part, value in _parts_of(x, given[i])]
        phase = int(inputs[self._phase_at]) if self._phase_at >= 0 else None
        if self._is_split:
            return self._run_parts(phase, arrays)
        own = (phase, *[a.shape for a in arrays])
        problem: Optional[Exception] = None
        for number, shapes, decides in attempts(list(zip(self._fed, arrays)),
                                                self._attempts.get(own, 0)):  # fmt: skip
            if decides:
                break
            try:
                results = self._call_for(phase, shapes, arrays)
            except RETRIED as error:
                problem = problem or error
                continue
            if number:
                self._attempts[own] = number
            return results
        assert problem is not None
        raise problem

    def _run_parts(self, phase: Optional[int], arrays: List[Any]) -> List[Any]:
        """Calls a function a part of which Python computes, as a run of the session."""
        session = sessions.get_session()
        session._seed()
        feeds: List[Any] = list(zip(self._fed, arrays))
        if phase is not None:
            feeds.append((as_tensor(self.inputs[self._phase_at]), np.asarray(bool(phase))))
        # A run makes results on the host, such as summaries.
        return list(session.run(self._roots, dict(feeds)))[: len(self.outputs)]

    def _call_for(self, phase: Optional[int], shapes: List[Any], arrays: List[Any]) -> List[Any]:
        """Calls the program for these shapes of the feeds, which may have open sizes."""
        key = (phase, *shapes)
        session = sessions.current_session()
        found = self._entries.get(key)
        if found is None or found[0] is not session:
            compiled = found[1] if found is not None else self._compile(phase, shapes)
            if sessions.initializes():
                sessions.initialize(session)
            session._seed()
            found = self._entries[key] = (session, compiled, session._bind(compiled))
            is_general = all(shape == x.static_shape for shape, x in zip(shapes, self._fed))
            is_general = is_general and len(self._fed) == len(self._taken)
            if not compiled.hosts and not self._feed_dict and is_general:
                self._cases[phase] = (session, found[2])
        _, compiled, entry = found
        hosts = [op.value_on_host(session) for op in compiled.hosts]
        recorder = step_stats.current() if self._kind is Profiled else None
        if recorder is not None:
            return self._results(recorder.measure(compiled, entry, [*arrays, *hosts]))
        return self._results(entry(*arrays, *hosts))

    def _results(self, result: Any) -> List[Any]:
        count = len(self.outputs)
        results = (result,) if count == 1 else result if count else ()
        return [x if x.shape else x[()] for x in results]

    def _feed(self, x: Tensor, value: Any) -> Any:
        array = _dtypes.as_numpy(value.toarray() if is_matrix_of_scipy(value) else value, x.dtype)
        shape = x.static_shape
        if shape is not None and (
            len(shape) != array.ndim or any(d not in (None, n) for d, n in zip(shape, array.shape))
        ):
            raise ValueError(f"Cannot feed value of shape {array.shape} for Tensor '{x.name}', which has shape "
                             f"'{x.shape}'")  # fmt: skip
        return array

    def cost(self, phase: Optional[int] = None, bindings: Optional[Mapping[str, int]] = None) -> Dict[str, Any]:
        """Returns the operations and bytes of a call in a phase: see `flywheel.cost`."""
        with _phase.compiling(phase):
            found: Dict[str, Any] = cost(Counted(self._roots).module, bindings=bindings)
        return found

    def also(self, op: Any) -> "Function":
        """Returns a function that computes the same, and runs an op."""
        return Function(self.inputs, self.outputs, [*self._roots[len(self.outputs) :], op], self.name,
                        feed_dict=self._feed_dict, options=self._options, run_metadata=self._metadata)  # fmt: skip

    def _compile(self, phase: Optional[int], shapes: Any) -> Compiled:
        feeds = [(x, x.dtype, s) for x, s in zip(self._fed, shapes)]
        with _phase.compiling(phase):
            return self._kind(self._roots, feeds, set())


def function(inputs: Any, outputs: Any, updates: Any = None, **kwargs: Any) -> Function:
    """Returns a function that computes `outputs` of `inputs`, from the values that variables have at the call, and then
    does the `updates`: pairs of a variable and its new value, or results of `update` (R7)."""
    return Function(inputs, outputs, updates, **kwargs)


def get_value(x: Any) -> Any:
    """A copy of the value of a variable (R9)."""
    if not isinstance(x, Variable):
        return eval(x)
    value = sessions.get_session().store[x.op_name]
    return value[()] if not value.shape else value


def batch_get_value(ops: Sequence[Any]) -> List[Any]:
    return [get_value(x) for x in ops]


def set_value(x: Variable, value: Any) -> None:
    """Sets a variable now; nothing is compiled."""
    array = _dtypes.as_numpy(value, variable_of(x).dtype)
    if array.shape != tuple(x.shape.as_list()):
        raise ValueError(f"Cannot feed value of shape {array.shape} for variable '{x.name}', which has shape {x.shape}")
    x.load(array, sessions.current_session())


def batch_set_value(tuples: Sequence[Tuple[Variable, Any]]) -> None:
    for pair in elements("tuples", tuples):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise TypeError(f"expected pairs of a variable and a value as tuples, found {type(pair).__name__}")
        x, value = pair
        set_value(x, value)


def eval(x: Any) -> Any:
    """The value of a tensor or a variable; a sparse one as an array."""
    return function([], [to_dense(x)])([])[0]


def is_matrix_of_scipy(value: Any) -> bool:
    """Returns true for a sparse matrix of SciPy, which nothing else needs."""
    return hasattr(value, "tocoo")


def _parts_of(x: Any, value: Any) -> List[Tuple[Any, Any]]:
    """Returns the feeds of an input: three of a sparse one."""
    if not isinstance(x, SparseTensor):
        return [(x, value)]
    if is_matrix_of_scipy(value):
        own = value.tocoo()
        value = SparseTensorValue(np.stack([own.row, own.col], 1).astype(np.int64), own.data, own.shape)
    return [(part, array) for part, array in feeds_of(x, value)]
