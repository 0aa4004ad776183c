# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that Python computes: those whose results have sizes that depend on values, and functions of the program.

A run with such ops has several parts: what they are made of is computed first, by programs that write nothing, and
what they give is fed to the rest. Random tensors that both see are drawn once.
"""

import time
from typing import Any, Callable, Dict, Iterable, List, Sequence, Set, Tuple

import numpy as np

from .._core import dtypes as _dtypes
from . import step_stats
from .emission import ancestors
from .graph import get_default_graph
from .operation import Fields, Operation, Tensor

Feeds = List[Tuple[Tensor, Any]]


class HostCall:
    """A function of a session and of arrays, which gives arrays, and the ops of its results."""

    def __init__(self, function: Callable[..., Any], inputs: Sequence[Tensor]):
        self.function, self.inputs = function, list(inputs)
        self.ops: List[Operation] = []

    def run(self, session: Any, arrays: Sequence[Any]) -> Feeds:
        """Calls the function and returns the feeds of its results."""
        outputs = [op.outputs[0] for op in self.ops if op.outputs]
        made = self.function(session, *arrays)
        results = [] if not outputs else list(made) if isinstance(made, (list, tuple)) else [made]
        if len(results) != len(outputs):
            raise ValueError(f"'{self.ops[0].name}' is to give {len(outputs)} results, found {len(results)}")
        return [(x, self._checked(x, value)) for x, value in zip(outputs, results)]

    def _checked(self, x: Tensor, value: Any) -> Any:
        array = _dtypes.as_numpy(value)
        if array.dtype != x.dtype and x.dtype != _dtypes.string:
            raise InvalidArgument(f"'{x.op.name}' is to give {_dtypes.name_of(x.dtype)}, found {array.dtype}")
        shape = x.static_shape
        if shape is not None and (len(shape) != array.ndim
                                  or any(n not in (None, m) for n, m in zip(shape, array.shape))):  # fmt: skip
            raise InvalidArgument(f"'{x.op.name}' is to give the shape {x.shape}, found {array.shape}")
        return array


def InvalidArgument(text: str) -> Exception:  # noqa: N802
    from .._flywheel import InvalidArgumentError

    return InvalidArgumentError(text)


def host_call(
    kind: str, function: Callable[..., Any], inputs: Sequence[Tensor], types: Sequence[Tuple[Any, Any]],
    name: Any = None,
) -> List[Operation]:  # fmt: skip
    """The ops of a function's results, or one of none. `function` takes the session and the inputs as arrays."""
    graph = get_default_graph()
    if graph._open.contexts:
        raise NotImplementedError(f"{kind} in a branch or the body of a loop: Python computes it between two parts of "
                                  "a run; use it outside, and tf.where inside")  # fmt: skip
    call = HostCall(function, inputs)
    for own in [[one] for one in types] or [[]]:
        call.ops.append(graph.create(kind, list(inputs), None, own, name, Fields(host_call=call)))
    return call.ops


class _Part:
    """Calls that need nothing of each other, and what is to be computed for them."""

    def __init__(self, calls: List[HostCall], drawn: List[Tensor]):
        self._calls, self._drawn = calls, drawn
        self._wanted = list(dict.fromkeys([*drawn, *[x for call in calls for x in call.inputs]]))

    def run(self, session: Any, feeds: Feeds) -> Feeds:
        """Returns the feeds to add to those of the run."""
        given = {x: array for x, array in feeds}
        wanted = [x for x in self._wanted if x not in given]
        values = {**given, **dict(zip(wanted, session._run_wanted(wanted, feeds)))}
        made: Feeds = [(x, np.asarray(values[x])) for x in self._drawn]
        for call in self._calls:
            began = time.time_ns()
            made += call.run(session, [np.asarray(values[x]) for x in call.inputs])
            recorder = step_stats.current()
            if recorder is not None:
                recorder.called(call.ops[0], began, time.time_ns() - began)
        return made


def prints_of(fetches: Sequence[Any], feeds: Feeds) -> List[Tuple[List[Tensor], Callable[[List[Any]], None]]]:
    """Returns the outputs that a run prints at its end: tensors, and a function of their values."""
    fed = {x.op for x, _ in feeds}
    needed = ancestors([f if isinstance(f, Operation) else f.op for f in fetches], fed)
    found = [op.fields.prints for op in sorted(needed, key=lambda op: op.id)]
    return [one for one in found if one is not None]


def _calls_of(ops: Iterable[Operation], fed: Set[Operation]) -> List[HostCall]:
    """Returns the calls whose results these ops are, but for ops that are fed."""
    calls = [None if op in fed else op.fields.host_call for op in ops]
    return list(dict.fromkeys(call for call in calls if call is not None))


def parts_of(fetches: Sequence[Any], feeds: Feeds) -> List[_Part]:
    """The parts of a run that come before the program of its fetches, in order."""
    fed = {x.op for x, _ in feeds}
    roots = [f if isinstance(f, Operation) else f.op for f in fetches]
    needed = ancestors(roots, fed)
    calls = _calls_of(sorted(needed, key=lambda op: op.id), fed)
    if not calls:
        return []
    levels: Dict[HostCall, int] = {}
    before: Dict[HostCall, Any] = {}
    for call in calls:
        before[call] = ancestors([x.op for x in call.inputs] + call.ops[0].control_inputs, fed)
        levels[call] = 1 + max((levels[one] for one in _calls_of(before[call], fed)), default=-1)
        _check(call, before[call])
    parts, seen = [], set(fed)
    for level in range(max(levels.values()) + 1):
        own = [call for call in calls if levels[call] == level]
        drawn = sorted({op for call in own for op in before[call] if op.fields.is_random} - seen,
                       key=lambda op: op.id)  # fmt: skip
        seen.update(drawn)
        parts.append(_Part(own, [op.outputs[0] for op in drawn]))
    return parts


def _check(call: HostCall, before: Any) -> None:
    """Raises NotImplementedError for a call that would see, or do, something twice."""
    name = call.ops[0].name
    for op in before:
        if op.fields.writes:
            raise NotImplementedError(f"'{name}' depends on the assignment '{op.name}' of the same run, and Python "
                                      "computes it before variables are written: run the assignment first")  # fmt: skip
        if op.fields.region is not None and any(a.fields.is_random and a.context is not None
                                        for a in op.graph.get_operations()):  # fmt: skip
            raise NotImplementedError(f"'{name}' depends on the branch or loop '{op.name}' of a graph that draws "
                                      "random numbers in one: they would be drawn twice")  # fmt: skip
