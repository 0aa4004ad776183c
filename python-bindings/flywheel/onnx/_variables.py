# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The choice of initializers that are variables, and of those that are trained."""

import contextlib
import re
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

import numpy as np
import onnx

from .._core.annotations import Array
from ..namespace import current_namespace
from ..variables import Variable
from ._attributes import name_of
from ._file import Model, marks_in
from ._graph import HANDLERS
from ._known import Known
from ._tensors import to_array

# Names of initializers, or what tells of a name whether its variable is trained.
Trainable = Union[Sequence[str], Callable[[str], bool], None]

# As convolutions have filters here.
_FILTERS = (2, 3, 1, 0)


class Use(NamedTuple):
    """An operand of a node."""

    op: str
    place: int


def arrange(array: Array, order: Optional[Sequence[int]]) -> Array:
    """An array with dimension `order[i]` as its dimension i."""
    return array if order is None else array.transpose(order)


def find_uses(graph: Any, aliases: Dict[str, str], uses: Dict[str, List[Use]]) -> Dict[str, List[Use]]:
    """Returns the ops that take each name, also in inner graphs."""
    for node in graph.node:
        if node.op_type == "Identity":
            aliases[node.output[0]] = aliases.get(node.input[0], node.input[0])
        for place, name in enumerate(node.input):
            if name and node.op_type != "Identity":
                uses.setdefault(aliases.get(name, name), []).append(Use(name_of(node), place))
        for attribute in node.attribute:
            if attribute.HasField("g"):
                find_uses(attribute.g, aliases, uses)
    for output in graph.output:
        uses.setdefault(aliases.get(output.name, output.name), []).append(Use("", 0))
    return uses


def _is_statistic(use: Use) -> bool:
    return use.op == "BatchNormalization" and use.place in (3, 4)


def _is_read_early(use: Use) -> bool:
    """Returns true if a translation has to know the value."""
    return use.op in HANDLERS and use.place in HANDLERS[use.op].known


def choose(model: Model, wanted: "Wanted") -> Tuple[Dict[str, bool], Set[str]]:
    """The names of initializers that are variables, with whether they are trained, in the order of the file; and
    those of filters, which are kept in another order."""
    uses = find_uses(model.graph, {}, {})
    kinds = _kinds(model)
    result: Dict[str, bool] = {}
    filters: Set[str] = set()
    for name, tensor in model.initializers.items():
        given = wanted.given[name]
        own = uses.get(name, [])
        is_float = _is_float(tensor)
        if given and not is_float:
            raise ValueError(f"initializer '{name}' is trainable, and has no floating-point elements")
        if given and any(_is_read_early(use) for use in own):
            raise ValueError(f"initializer '{name}' is trainable, and {own[0].op} has to know it before the step")
        if not is_float or any(_is_read_early(use) for use in own) or not own:
            continue
        kind = kinds.get(name)
        if not given and (kind == "" or kind is None and not tensor.dims):
            # A number of the model, such as a scale.
            continue
        is_trained = kind in (None, "PARAMETER") and not any(_is_statistic(use) for use in own)
        result[name] = is_trained if given is None else given
        if len(tensor.dims) == 4 and all(use.op in ("Conv", "ConvTranspose") and use.place == 1 for use in own):
            filters.add(name)
    return result, filters


def _is_float(tensor: Any) -> bool:
    return tensor.data_type in (onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT16,
                                onnx.TensorProto.BFLOAT16)  # fmt: skip


def _kinds(model: Model) -> Dict[str, str]:
    """Returns the kind of each initializer in a file whose parameters are marked; "" is neither parameter nor
    buffer."""
    marks = marks_in(model.proto)
    if not any(mark.get("kind") == "PARAMETER" for mark in marks.values()):
        return {}
    kinds: Dict[str, str] = {}
    for name, tensor in model.initializers.items():
        mark = marks.get(name, {})
        if "kind" in mark:
            kinds[name] = mark["kind"]
            continue
        # One that was made of others, such as a transposed one. Names of parts of a module have dots, those of
        # constants are numbered.
        origins = re.findall(r"'([^']+)'", mark.get("origins", "")) or [name]
        is_named = any("." in one for one in origins)
        is_made = not any(re.fullmatch(r"val_\d+", one) for one in origins) and not _is_uniform(name, tensor)
        kinds[name] = "PARAMETER" if is_named or is_made else ""
    return kinds


def _is_uniform(name: str, tensor: Any) -> bool:
    array = to_array(tensor, f"initializer '{name}'") if _is_float(tensor) else np.zeros(0)
    return array.size == 0 or bool(np.all(array == array.reshape(-1)[0]))


class Wanted:
    """The user's choice of the initializers that are trained: `given` has None if the default rule decides."""

    def __init__(self, trainable: Trainable, names: Iterable[str]):
        if isinstance(trainable, str):
            raise TypeError(f"expected a list of names as trainable, found the str '{trainable}'")
        self.given: Dict[str, Optional[bool]] = dict.fromkeys(names)
        if callable(trainable):
            self.given = {name: bool(trainable(name)) for name in self.given}
        elif trainable is not None:
            listed = list(trainable)
            for name in listed:
                if name not in self.given:
                    raise ValueError(f"there is no initializer '{name}' to be trained")
            self.given = {name: name in listed for name in self.given}


def make_variables(
    model: Model, wanted: Wanted, prefix: str, orders: Dict[int, Tuple[int, ...]]
) -> Tuple[Dict[str, Variable], Dict[str, Known]]:
    """Variables and constants by the names of initializers. The order of dimensions that some variables have, by the
    variable's id, goes to `orders`."""
    chosen, filters = choose(model, wanted)
    variables: Dict[str, Variable] = {}
    constants: Dict[str, Known] = {}
    with current_namespace().name_scope(prefix) if prefix else contextlib.nullcontext():
        for name, tensor in model.initializers.items():
            array = to_array(tensor, f"initializer '{name}'")
            if name not in chosen:
                constants[name] = Known(array)
                continue
            order = _FILTERS if name in filters else None
            value: Array = np.array(arrange(array, order), order="C")
            variable = Variable(value, name=legal_name(name), trainable=chosen[name])
            variables[name] = variable
            if order is not None:
                orders[id(variable)] = order
    return variables, constants


def legal_name(name: str) -> str:
    """A name that a variable may have: without spaces, ':' and '^', and parts that are empty."""
    parts = [re.sub(r"[\s:^]+", "_", part) for part in name.split("/")]
    return "/".join(part for part in parts if part) or "initializer"
