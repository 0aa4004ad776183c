# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorting in StableHLO, by a comparator."""

from typing import Any, List, Optional, Tuple

from jaxlib.mlir import ir

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor
from .._ops.emission import Size, as_unsigned, signless, sizes, stretch
from .._ops.order import MOST_COMPARED, order_of, places_in_order, taken
from ._elementwise import in_total_order
from ._graph import Call, is_complex, op, type_of
from ._shapes import reshaped
from ._values import Known, of_tensor, tensors_of


@op("sort", "chlo.top_k")
def _sort(call: Call, *operands: Known) -> Any:
    if call.operation.name == "stablehlo.composite":
        return call.interpreter.decompose(call, operands)
    axis = call.integer("dimension", -1) % operands[0].ndim
    count = operands[0].shape[axis]
    if count is not None and count <= 1:
        return operands
    tensors = [x.tensor for x in operands]
    key = _find_key(call.block())
    if key is not None:
        value, is_total, descending = key
        # The left sides of comparisons with anything: the right ones have no part in the key.
        arguments = [x for x in operands for _ in range(2)]
        keys = tensors_of(call.interpreter.run_values(call.block(), arguments, call.env, [value], exact=False))[0]
        keys = in_total_order(keys) if is_total else keys
        order = places_in_order(stretch(keys, sizes(tensors[0])), axis, descending)
    else:
        order = _compare_pairs(call, tensors, axis, count)
    return [taken(x, order, axis) for x in tensors]


def _compare_pairs(call: Call, tensors: List[Tensor], axis: int, count: Optional[int]) -> Tensor:
    """Returns the order by any comparator: of several keys, for one."""
    if count is None or count > MOST_COMPARED:
        raise call.unsupported(f"by several keys, of more than {MOST_COMPARED} elements or of a size of the call")
    # [..., i, j], where i and j are two places along the dimension, which is the last one here.
    ordered = [_ops.moveaxis(signless(x), axis, -1) for x in tensors]
    pairs: List[Known] = []
    for x, own in zip(ordered, tensors):
        lead = sizes(x)
        columns, rows = reshaped(x, [*lead, 1]), reshaped(x, [*lead[:-1], 1, count])
        square: List[Size] = [*lead, count]
        pairs += [of_tensor(as_unsigned(stretch(part, square), own.dtype)) for part in (columns, rows)]
    outcome = tensors_of(call.interpreter.run_block(call.block(), pairs, call.env, exact=False))[0]
    return _ops.moveaxis(order_of(outcome, count), -1, axis)


def _find_key(block: Any) -> Optional[Tuple[Any, bool, bool]]:
    """Returns the key that a comparator compares: its value for the element on the left, if it is compared in the total
    order of floats, and if larger ones come first. None for a comparator of another form."""
    operations = [view.operation for view in block.operations]
    (result,) = operations[-1].operands
    compare = result.owner
    if isinstance(compare, ir.Block) or compare.name != "stablehlo.compare":
        return None
    left, right = compare.operands
    words = {named: str(compare.attributes[named]) for named in ("comparison_direction", "compare_type")
             if named in compare.attributes}  # fmt: skip
    descending = " GT>" in words["comparison_direction"]
    if not descending and " LT>" not in words["comparison_direction"]:
        return None
    is_total = "TOTALORDER" in words.get("compare_type", "")
    if is_complex(left):
        return None
    is_floating = _dtypes.is_floating(type_of(left)[0])
    if is_floating and not is_total:
        return None
    return (left, is_floating, descending) if _is_same(left, right, block) else None


def _is_same(left: Any, right: Any, block: Any) -> bool:
    """Returns true if `right` is computed of the element on the right as `left` is of the one on the left."""
    is_argument = [isinstance(value.owner, ir.Block) for value in (left, right)]
    if any(is_argument):
        if not all(is_argument):
            return False
        a, b = ir.BlockArgument(left), ir.BlockArgument(right)
        if a.owner != block or b.owner != block:
            return bool(left == right)
        return bool(a.arg_number % 2 == 0 and b.arg_number == a.arg_number + 1)
    a, b = left.owner, right.owner
    if a.operation.block != block or b.operation.block != block:
        return bool(left == right)
    if a.name != b.name or len(a.regions) or len(b.regions) or len(a.results) != 1:
        return False
    if {one: a.attributes[one] for one in a.attributes} != {one: b.attributes[one] for one in b.attributes}:
        return False
    return len(a.operands) == len(b.operands) and all(
        _is_same(x, y, block) for x, y in zip(a.operands, b.operands))  # fmt: skip
