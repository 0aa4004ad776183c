# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sizes of values by ONNX's own inference, for files that nobody vouches for."""

from typing import Any, Callable

import onnx
import onnx.shape_inference

# ONNX propagates the elements of vectors one by one, however many there are.
_MOST_ELEMENTS = 1 << 20
# Ops whose results have sizes that are elements of operands. Propagation could make vectors of any size of them.
_SIZED_BY_ELEMENTS = frozenset(
    ("ConstantOfShape", "Expand", "OneHot", "Pad", "RandomNormal", "RandomUniform", "Range", "Reshape", "Resize",
     "Tile", "TopK", "Upsample"))  # fmt: skip
# Attributes that number or count dimensions, which ONNX reads elements of shapes by, whatever they are.
_OF_DIMENSIONS = frozenset(("axes", "axis", "batch_axis", "batch_dims", "perm", "time_axis"))
# More than any tensor has.
_MOST_DIMENSIONS = 128
# A domain of ops that ONNX does not know.
_UNKNOWN_DOMAIN = "flywheel.unknown"


def infer_shapes(proto: Any) -> Any:
    """A copy of a model with the types of values that ONNX infers, also from elements that are sizes.

    Raises what ONNX's inference does: InferenceError, ValueError or RuntimeError. Memory is bounded by the size of the
    model.
    """
    found = _infer_without(proto, _has_odd_dimensions)
    if _largest_vector(found.graph) > _MOST_ELEMENTS:
        return found
    inferred = _infer_without(found, lambda node: _has_odd_dimensions(node) or node.op_type in _SIZED_BY_ELEMENTS,
                              data_prop=True)  # fmt: skip
    for name in ("value_info", "output"):
        found.graph.ClearField(name)
        getattr(found.graph, name).extend(getattr(inferred.graph, name))
    return found


def _largest_vector(graph: Any) -> int:
    """Returns the largest size of a value of one dimension, in this graph and those in it."""
    largest = 0
    for info in [*graph.value_info, *graph.input, *graph.output]:
        dims = info.type.tensor_type.shape.dim
        if len(dims) == 1:
            largest = max(largest, dims[0].dim_value)
    for tensor in graph.initializer:
        if len(tensor.dims) == 1:
            largest = max(largest, tensor.dims[0])
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                largest = max(largest, _largest_vector(attribute.g))
    return largest


def _has_odd_dimensions(node: Any) -> bool:
    """Returns true for a node with a dimension that no tensor has, which may crash ONNX."""
    for attribute in node.attribute:
        if attribute.name in _OF_DIMENSIONS:
            least = 0 if attribute.name == "batch_dims" else -_MOST_DIMENSIONS
            if any(not least <= number < _MOST_DIMENSIONS for number in (attribute.i, *attribute.ints)):
                return True
    return False


def _infer_without(proto: Any, is_hidden: Callable[[Any], bool], **options: Any) -> Any:
    """Returns a model with the types of values, but for those that some of ONNX's own nodes compute."""
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    _exchange_domain(copy, "", _UNKNOWN_DOMAIN, is_hidden)
    found = onnx.shape_inference.infer_shapes(copy, **options)
    _exchange_domain(found, _UNKNOWN_DOMAIN, "", lambda node: True)
    return found


def _exchange_domain(proto: Any, old: str, new: str, is_wanted: Callable[[Any], bool]) -> None:
    """Moves nodes of one domain to another, in the graph and the functions of a model."""
    for owner, body in [(proto, proto.graph), *((function, function) for function in proto.functions)]:
        if _move(body, old, new, is_wanted) and all(known.domain != new for known in owner.opset_import):
            owner.opset_import.add(domain=new, version=1)


def _move(graph: Any, old: str, new: str, is_wanted: Callable[[Any], bool]) -> bool:
    """Returns true if there are such nodes, in this graph or in those in it."""
    found = False
    for node in graph.node:
        domain = "" if node.domain == "ai.onnx" else node.domain
        if domain == old and is_wanted(node):
            node.domain = new
            found = True
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                found = _move(attribute.g, old, new, is_wanted) or found
    return found
