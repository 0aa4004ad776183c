# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.GradientTape`: derivatives of what was recorded (G10)."""

from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional, Tuple

from .._core import dtypes as _dtypes
from .._errors.messages import about
from .conversion import as_tensor
from .derivatives import as_list, gradients, jacobian, reaches, sources_of
from .graph import get_default_graph
from .operation import Operation, Tensor
from .variables import Variable


class GradientTape:
    """Records ops that are created in its context, and differentiates them.

    Trainable variables are watched where recorded ops take them; other tensors by `watch`, before they are used. The
    derivatives are tensors of the graph, and may be recorded by an outer tape.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True):
        self._persistent = persistent
        self._watches_variables = watch_accessed_variables
        self._graph = get_default_graph()
        self._ops: Dict[Operation, None] = {}
        self._is_recording = False
        self._has_recorded = False
        self._watched: Dict[Tensor, Any] = {}
        self._is_used = False

    def _start(self) -> None:
        self._is_recording = self._has_recorded = True
        self._graph.start_record(self._ops)

    def _stop(self) -> None:
        self._is_recording = False
        self._graph.stop_record(self._ops)

    def __enter__(self) -> "GradientTape":
        if self._is_recording:
            raise ValueError("Tape is already recording.")
        if self._has_recorded and not self._persistent:
            raise ValueError("a tape that is not persistent records once")
        self._start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self._is_recording:
            self._stop()

    def watch(self, tensor: Any) -> None:
        """Differentiates with respect to these tensors or variables, too. Raises ValueError for one that the tape
        has recorded uses of, and TypeError for one that is not floating-point."""
        for given in as_list(tensor):
            x = as_tensor(given)
            if not x.dtype.is_floating:
                raise TypeError(f"a tape watches floating-point tensors, found {_dtypes.name_of(x.dtype)}")
            if x not in self._watched and any(x in op.inputs for op in self._ops):
                raise ValueError(f"{x!r} is watched after its first use on this tape: watch it before")
            self._watched[x] = given

    def watched_variables(self) -> Tuple[Any, ...]:
        """The variables that derivatives may be with respect to."""
        found = [v for v in self._watched.values() if isinstance(v, Variable)]
        for op in self._ops:
            for x in sources_of(op):
                variable = self._variable(x)
                if variable is not None and variable not in found:
                    found.append(variable)
        return tuple(found)

    def _variable(self, x: Tensor) -> Optional[Any]:
        """Returns the trainable variable that a tensor reads, if the tape watches those by default."""
        if not self._watches_variables or x.op.type != "VariableV2":
            return None
        variable = x.op.variable
        return variable if variable.trainable else None

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Ops that are created inside are not recorded."""
        if not self._is_recording:
            raise ValueError("Tape is not recording.")
        self._stop()
        try:
            yield
        finally:
            self._start()

    def reset(self) -> None:
        """Forgets what was recorded and watched."""
        self._ops.clear()
        self._watched, self._is_used, self._has_recorded = {}, False, self._is_recording

    def gradient(self, target: Any, sources: Any, output_gradients: Any = None) -> Any:
        """The gradient of the sum of the targets with respect to each source, in a list where the sources are one;
        None for a source that is not watched, or that no target depends on. Raises RuntimeError at the second call
        of a tape that is not persistent."""
        self._use()
        roots = [as_tensor(y) for y in as_list(target)]
        kept, stops = self._recorded(roots, sources)
        weights = output_gradients
        found = gradients(roots, kept, weights, stop_gradients=stops) if kept else []
        return self._results(sources, dict(zip(kept, found)))

    def jacobian(self, target: Any, sources: Any) -> Any:
        """The derivative of each element of the target with respect to each of a source: of shape target.shape +
        source.shape. Raises NotImplementedError where the target depends on a source by ops that were not recorded,
        too."""
        self._use()
        y = as_tensor(target)
        kept, stops = self._recorded([y], sources)
        if stops:
            raise about("flywheel.v1.GradientTape.jacobian", NotImplementedError(
                f"an op that was not recorded takes a source: '{stops[0].op.name}'"))  # fmt: skip
        return self._results(sources, {x: jacobian(y, x) for x in kept})

    def _use(self) -> None:
        if self._is_used and not self._persistent:
            raise RuntimeError("GradientTape.gradient can only be called once on non-persistent tapes.")
        self._is_used = True
        if self._is_recording and not self._persistent:
            self._stop()

    def _recorded(self, roots: List[Tensor], sources: Any) -> Tuple[List[Tensor], List[Tensor]]:
        """Returns the sources that are differentiated, and the tensors on the way that are constants for this tape."""
        tracked: Dict[Tensor, bool] = {}
        given = [as_tensor(x) for x in as_list(sources)]
        kept = [x for x in dict.fromkeys(given) if self._is_tracked(x, tracked)]
        constants: List[Tensor] = []
        seen = set()
        left = list(roots)
        while left:
            y = left.pop()
            if y in seen:
                continue
            seen.add(y)
            # Behind a source there may be another one.
            if y.op in self._ops:
                left += sources_of(y.op)
            elif any(reaches([y], x, ()) for x in kept if x is not y):
                constants.append(y)
        return kept, constants

    def _is_tracked(self, x: Tensor, known: Dict[Tensor, bool]) -> bool:
        """Returns true if a tensor is watched, or was computed on the tape from one that is."""
        stack = [x]
        while stack:
            y = stack[-1]
            if y in known:
                stack.pop()
                continue
            if y in self._watched or self._variable(y) is not None:
                known[y] = True
            elif y.op not in self._ops or not y.dtype.is_floating:
                known[y] = False
            else:
                inputs = sources_of(y.op)
                left = [z for z in inputs if z not in known]
                if left:
                    stack += left
                    continue
                known[y] = any(known[z] for z in inputs)
            stack.pop()
        return known[x]

    def _results(self, sources: Any, found: Dict[Tensor, Any]) -> Any:
        if isinstance(sources, (list, tuple)):
            return [found.get(as_tensor(x)) for x in sources]
        return found.get(as_tensor(sources))
