# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sizes of values by ONNX's own inference, for files that nobody vouches for."""

from typing import Any

import onnx
import onnx.shape_inference

# ONNX propagates the elements of vectors one by one, however many there are.
_MOST_ELEMENTS = 1 << 20
# Ops whose results have sizes that are elements of operands. Propagation could make vectors of any size of them.
_SIZED_BY_ELEMENTS = frozenset(
    ("ConstantOfShape", "Expand", "OneHot", "Pad", "RandomNormal", "RandomUniform", "Range", "Reshape", "Resize",
     "Tile", "TopK", "Upsample"))  # fmt: skip
# A domain of ops that ONNX does not know.
_UNKNOWN_DOMAIN = "flywheel.unknown"


def infer_shapes(proto: Any) -> Any:
    """A copy of a model with the types of values that ONNX infers, also from elements that are sizes.

    Raises what ONNX's inference does: InferenceError, ValueError or RuntimeError. Memory is bounded by the size of the
    model.
    """
    found = onnx.shape_inference.infer_shapes(proto)
    if _largest_vector(found.graph) > _MOST_ELEMENTS:
        return found
    opaque = onnx.ModelProto()
    opaque.CopyFrom(found)
    opaque.opset_import.add(domain=_UNKNOWN_DOMAIN, version=1)
    _hide_sized_by_elements(opaque.graph)
    inferred = onnx.shape_inference.infer_shapes(opaque, data_prop=True)
    # With the nodes as they were.
    del found.graph.value_info[:]
    found.graph.value_info.extend(inferred.graph.value_info)
    del found.graph.output[:]
    found.graph.output.extend(inferred.graph.output)
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


def _hide_sized_by_elements(graph: Any) -> None:
    for node in graph.node:
        if node.op_type in _SIZED_BY_ELEMENTS and node.domain in ("", "ai.onnx"):
            node.domain = _UNKNOWN_DOMAIN
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                _hide_sized_by_elements(attribute.g)
