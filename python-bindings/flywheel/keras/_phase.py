# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training or test: a function that is told which one when it is compiled has no code for the other."""

import threading
import weakref
from contextlib import contextmanager
from typing import Any, Iterator, List, MutableMapping, Optional

from .. import _ops
from .._core import dtypes as _dtypes
from ..v1.conversion import as_tensor, constant
from ..v1.graph import get_default_graph
from ..v1.operation import Fields, Operation, Tensor

# The placeholder of each graph, or a number if the phase is fixed.
placeholders: MutableMapping[Any, Any] = weakref.WeakKeyDictionary()


class _Local(threading.local):
    def __init__(self) -> None:
        self.phase: Optional[int] = None


_local = _Local()


@contextmanager
def compiling(phase: Optional[int]) -> Iterator[None]:
    """Says which phase a function is compiled for."""
    old, _local.phase = _local.phase, phase
    try:
        yield
    finally:
        _local.phase = old


def learning_phase() -> Any:
    """Returns 1 if the network trains and 0 if not: an input of functions, 0 by default."""
    graph = get_default_graph()
    found = placeholders.get(graph)
    if found is None:
        default = constant(False)
        op = graph.create("PlaceholderWithDefault", [default], lambda x: x, [(_dtypes.bool_, ())],
                          "keras_learning_phase")  # fmt: skip
        found = placeholders[graph] = op.outputs[0]
    return found


def is_phase(x: Any) -> bool:
    return isinstance(x, Tensor) and placeholders.get(x.graph) is x


def in_train_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """`x` in training, `alt` in a test; either may be a function that makes it."""
    phase = learning_phase() if training is None else training
    if isinstance(phase, (bool, int)):
        chosen = x if phase else alt
        return chosen() if callable(chosen) else chosen
    a, b = (as_tensor(y() if callable(y) else y) for y in (x, alt))
    types = [(a.dtype, b.static_shape)]
    op = get_default_graph().create(
        "InTrainPhase", [a, b, as_tensor(phase)], _select, types,
        fields=Fields(chosen=_chosen, region=_emit, is_learning_phase=is_phase(phase)))  # fmt: skip
    # Only models ask, to know whether they are to be fed the phase.
    op.outputs[0]._uses_learning_phase = True
    return op.outputs[0]


def _chosen(op: Operation) -> List[Tensor]:
    if _local.phase is None or not op.fields.is_learning_phase:
        return op.inputs
    return [op.inputs[0 if _local.phase else 1]]


def _emit(emitter: Any, op: Operation) -> Any:
    inputs = _chosen(op)
    if len(inputs) == 1:
        return emitter.value(inputs[0])
    return _select(*[emitter.value(x) for x in inputs])


def _select(a: Any, b: Any, phase: Any) -> Any:
    return _ops.where(_ops.cast(phase, _dtypes.bool_), a, b)
