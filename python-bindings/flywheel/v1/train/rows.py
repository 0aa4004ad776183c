# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Updates of tables along gradients of the rows that were looked up: the optimizers of the compiler apply them to
these rows, where the table and its slots are (O30)."""

from typing import Any, Callable, Dict, List

from ..conversion import as_tensor
from ..graph import get_default_graph
from ..operation import Fields, Operation, Tensor
from ..variables import Variable


class RowUpdate:
    """A constructor of an optimizer of the compiler for one variable.

    `make` takes the name of the optimizer. `scalars` are the values that its variables have in a step, numbers or
    tensors; `slots` the variables of its slots, in its order. Without `decays_all`, rows that were not looked up stay
    as they are, slots too, as in TensorFlow.
    """

    def __init__(
        self, make: Callable[[str], Any], scalars: Dict[str, Any], slots: List[Variable], decays_all: bool = False
    ):
        self.make, self.scalars, self.slots, self.decays_all = make, scalars, slots, decays_all


def apply_rows(gradient: Tensor, variable: Variable, update: RowUpdate) -> Operation:
    """An op that updates a table along the gradient of some of its rows."""
    if variable.constraint is not None:
        raise RuntimeError(f"Cannot use a constraint function on a sparse variable: '{variable.op_name}'")
    graph = get_default_graph()
    with graph.namespace:
        # A name without a number at its end: slots add theirs.
        optimizer = update.make(graph.unique_name("rows") + "/state")
        # The scalars have the dtype of the variable.
        optimizer._settle_dtype([variable.implementation])
        places = {key: getattr(optimizer, key) for key in update.scalars}
    for i, slot in enumerate(update.slots):
        graph._slots[f"{variable.op_name}/{optimizer.name}" + (f"_{i}" if i else "")] = slot
    scalars = [as_tensor(value, variable.dtype) for value in update.scalars.values()]
    written = [variable, *update.slots]

    def region(emitter: Any, op: Operation) -> Any:
        # The state is that at the start of the run, which is the current one if nothing has written it.
        for other in emitter.needed:
            both = [v for v in written if v in other.fields.writes]
            if other.id < op.id and both:
                raise NotImplementedError(f"variable '{both[0].op_name}' is assigned by '{other.name}' in the run that "
                                          f"updates rows of it by '{op.name}': run one after the other")  # fmt: skip
        values = [emitter.value(x) for x in op.inputs]
        for place, value in zip(places.values(), values[1:]):
            place.assign(value)
        optimizer.apply_gradients([(values[0], variable.implementation)], lazy=not update.decays_all)
        return []

    return graph.create("SparseApply" + type(optimizer).__name__, [gradient, *scalars], _emitted_by_region,
                        [], "update_rows", Fields(region=region, writes=written))  # fmt: skip


def _emitted_by_region(*_: Any) -> None:
    return None
