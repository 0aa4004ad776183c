# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`flywheel.watch` of tensors of a graph: an op that is run with each step."""

from typing import Any, Dict, List, Optional, Sequence

from .._core import trace as _trace
from .._errors.messages import about
from ..dashboard import Dashboard
from ..watching import Limits, Target, emit_watch, register
from .conversion import as_tensor
from .derivatives import bound_loops, mark, visit
from .graph import get_default_graph
from .operation import Fields, Operation, Tensor


def watch_graph(
    loss: Tensor, activations: Dict[str, Any], board: Dashboard, variables: Optional[Sequence[Any]],
    limits: Dict[str, Limits],
) -> Operation:  # fmt: skip
    """Returns the op: see `flywheel.watch`. By default the variables are trainable ones that the loss depends on."""
    graph = get_default_graph()
    known = set(visit([loss], ()))
    given = graph.get_collection("trainable_variables") if variables is None else list(variables)
    own: List[Any] = [v for v in given if as_tensor(v).dtype.is_floating]
    if variables is None:
        own = [v for v in own if as_tensor(v) in known]
    names = [v.op.name for v in own] + list(activations)
    kinds = ["variable"] * len(own) + ["activation"] * len(activations)
    tensors: List[Tensor] = [as_tensor(v) for v in [*own, *activations.values()]]
    unknown = [name for name in limits if name not in names]
    if unknown:
        raise about("watch", ValueError(f"expected limits of what is watched, found {', '.join(unknown)}"))
    bounds = bound_loops(known)
    mark(tensors)

    def emit(root: Any, *values: Any) -> Any:
        ranges = _trace.current().ranges
        emit_watch(root, [Target(name, kind, x, limits.get(name, ranges.get(x.value)))
                          for name, kind, x in zip(names, kinds, values)], board)  # fmt: skip
        return []

    op = graph.create("Watch", [loss, *tensors], emit, [], fields=Fields(captures=bounds))
    board._claim(op)
    return op


register(Tensor, watch_graph)
