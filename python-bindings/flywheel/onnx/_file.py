# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of ONNX: reading and checking them, their types, and writing weights back."""

import os
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple, Union

import numpy as np
import onnx
import onnx.checker
import onnx.external_data_helper
import onnx.inliner
import onnx.numpy_helper
import onnx.shape_inference

from .. import _dtypes
from .._importing import UnsupportedOpError
from .._types import Array

# Earlier ones have ops that are no more, and broadcast by attributes.
OLDEST_OPSET = 9

# Above this a file of protobuf cannot be; data is then in a file beside it.
_MOST_BYTES = 2**31 - 2**20

# A size is a number, a name, or neither.
Dim = Union[int, str, None]

_DTYPES: Dict[int, str] = {
    onnx.TensorProto.FLOAT: "float32", onnx.TensorProto.DOUBLE: "float64", onnx.TensorProto.FLOAT16: "float16",
    onnx.TensorProto.BFLOAT16: "bfloat16", onnx.TensorProto.INT8: "int8", onnx.TensorProto.INT16: "int16",
    onnx.TensorProto.INT32: "int32", onnx.TensorProto.INT64: "int64", onnx.TensorProto.UINT8: "uint8",
    onnx.TensorProto.UINT16: "uint16", onnx.TensorProto.UINT32: "uint32", onnx.TensorProto.UINT64: "uint64",
    onnx.TensorProto.BOOL: "bool"}  # fmt: skip


def as_dtype(element: int, what: str) -> _dtypes.DType:
    """The dtype of an element type of ONNX. Raises UnsupportedOpError for one that is not imported."""
    if element not in _DTYPES:
        known = onnx.TensorProto.DataType.items()
        name = next((name for name, number in known if number == element), str(element))
        raise UnsupportedOpError(f"{what} has elements of {name}, which are not imported")
    return _dtypes.as_dtype(_DTYPES[element])


def to_array(tensor: Any, what: str) -> Array:
    """The elements of a tensor of a file."""
    dtype = as_dtype(tensor.data_type, what)
    try:
        array = np.array(onnx.numpy_helper.to_array(tensor))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{what} is damaged: {error}") from None
    if array.dtype == dtype:
        return array
    # Packages of ONNX before 1.19 give bfloat16 as the numbers.
    return array.astype(dtype)


class Input:
    """An input of a graph: what a call feeds."""

    def __init__(self, info: Any, sizes: Mapping[str, int]):
        self.name: str = info.name
        what = f"input '{info.name}'"
        if info.type.WhichOneof("value") != "tensor_type":
            raise UnsupportedOpError(f"{what} is no tensor, and others are not imported")
        self.dtype = as_dtype(info.type.tensor_type.elem_type, what)
        if not info.type.tensor_type.HasField("shape"):
            raise ValueError(f"{what} has no shape: give it one with onnx.helper.make_tensor_value_info, where a "
                             "dimension that a call chooses is a name")  # fmt: skip
        dims = [_dim(dim) for dim in info.type.tensor_type.shape.dim]
        self.dims: Tuple[Dim, ...] = tuple(sizes.get(dim, dim) if isinstance(dim, str) else dim for dim in dims)


def _dim(dim: Any) -> Dim:
    kind = dim.WhichOneof("value")
    return dim.dim_value if kind == "dim_value" else dim.dim_param or None if kind == "dim_param" else None


class Model:
    """A model of ONNX that was read and checked: functions are inlined, sizes inferred."""

    def __init__(self, source: Any, sizes: Mapping[str, int]):
        self.path, self.proto = _read(source)
        self.name = os.path.basename(self.path) if self.path else "the ONNX model"
        self.opset = _opset(self.proto, self.name)
        _separate_statistics(self.proto.graph)
        inlined = _inline(self.proto, self.name)
        self.graph = inlined.graph
        if self.graph.sparse_initializer:
            raise UnsupportedOpError(f"{self.name} has sparse initializers, which are not imported")
        self.initializers: Dict[str, Any] = {tensor.name: tensor for tensor in self.graph.initializer}
        self.inputs = [Input(info, sizes) for info in self.graph.input if info.name not in self.initializers]
        self.outputs: List[str] = [info.name for info in self.graph.output]
        unknown = sorted(set(sizes) - {dim for one in self.graph.input for dim in _names(one)})
        if unknown:
            names = sorted({dim for one in self.graph.input for dim in _names(one)})
            raise ValueError(f"{self.name} has no dimension '{unknown[0]}', expected one of {names}")
        self._inlined = inlined

    def check(self) -> None:
        """Raises ValueError where the file breaks the rules of the format."""
        checked: Any = self.path or self.proto
        if any(not info.type.tensor_type.HasField("shape") for info in self.proto.graph.output):
            # Rules ask for shapes of outputs, which nothing here needs.
            checked = onnx.ModelProto()
            checked.CopyFrom(self.proto)
            for info in checked.graph.output:
                info.type.tensor_type.shape.SetInParent()
        try:
            onnx.checker.check_model(checked)
        except (onnx.checker.ValidationError, ValueError, RuntimeError) as error:
            raise ValueError(f"{self.name} is no valid model: {_first_lines(error)}") from None

    def infer_sizes(self) -> Dict[str, Tuple[Dim, ...]]:
        """Of values by name, the sizes that are known, and names of others: what has one name has one size."""
        found = self._inlined
        try:
            bare = onnx.ModelProto()
            bare.CopyFrom(self._inlined)
            for tensor in bare.graph.initializer:
                # What sizes are computed from is small; the weights are not needed.
                if len(tensor.raw_data) > 4096 and tensor.name not in {info.name for info in bare.graph.input}:
                    info = onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims))
                    bare.graph.input.append(info)
            for place in reversed(range(len(bare.graph.initializer))):
                if len(bare.graph.initializer[place].raw_data) > 4096:
                    del bare.graph.initializer[place]
            found = onnx.shape_inference.infer_shapes(bare, data_prop=True)
        except (onnx.shape_inference.InferenceError, ValueError, RuntimeError):
            # The names of sizes help only to see that some are equal.
            pass
        result: Dict[str, Tuple[Dim, ...]] = {}
        for info in [*found.graph.value_info, *found.graph.input, *found.graph.output]:
            if info.type.WhichOneof("value") == "tensor_type" and info.type.tensor_type.HasField("shape"):
                result[info.name] = tuple(_dim(dim) for dim in info.type.tensor_type.shape.dim)
        return result


def _names(info: Any) -> List[str]:
    if info.type.WhichOneof("value") != "tensor_type":
        return []
    return [dim.dim_param for dim in info.type.tensor_type.shape.dim if dim.WhichOneof("value") == "dim_param"]


def _first_lines(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:3])


def _read(source: Any) -> Tuple[str, Any]:
    """The path of a file, "" where there is none, and the model."""
    if isinstance(source, onnx.ModelProto):
        proto = onnx.ModelProto()
        proto.CopyFrom(source)
        outside = [t.name for t in proto.graph.initializer if t.data_location == onnx.TensorProto.EXTERNAL]
        if outside:
            raise ValueError(f"the data of initializer '{outside[0]}' is in another file: give the path of the model, "
                             "or load it with onnx.load first")  # fmt: skip
        return "", proto
    if not isinstance(source, (str, bytes, os.PathLike)):
        raise TypeError(f"expected a path or an onnx.ModelProto, found {type(source).__name__}")
    path = os.fsdecode(source)
    with open(path, "rb"):  # For Python's own errors.
        pass
    try:
        proto = onnx.load(path, load_external_data=False)
    except Exception as error:
        # Of protobuf, which has no class of its own for it that all versions share.
        raise ValueError(f"{path} is no file of ONNX: {_first_lines(error) or type(error).__name__}") from None
    if not proto.graph.node and not proto.graph.output and not proto.opset_import:
        raise ValueError(f"{path} is no file of ONNX: it has no graph")
    folder = os.path.dirname(path) or "."
    for tensor in _tensors(proto.graph):
        if not onnx.external_data_helper.uses_external_data(tensor):
            continue
        try:
            onnx.external_data_helper.load_external_data_for_tensor(tensor, folder)
        except (OSError, onnx.checker.ValidationError, ValueError, RuntimeError) as error:
            where = next((entry.value for entry in tensor.external_data if entry.key == "location"), "?")
            raise FileNotFoundError(
                f"{path}: the data of initializer '{tensor.name}' is in '{where}', which cannot be read: "
                f"{_first_lines(error)}"
            ) from None
        tensor.data_location = onnx.TensorProto.DEFAULT
        del tensor.external_data[:]
    return path, proto


def _tensors(graph: Any) -> Iterator[Any]:
    """The tensors of a graph and of the graphs in it."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR:
                yield attribute.t
            elif attribute.type == onnx.AttributeProto.GRAPH:
                yield from _tensors(attribute.g)


def _nodes(graph: Any) -> Iterator[Any]:
    """The nodes of a graph and of the graphs in it."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from _nodes(attribute.g)


def _opset(proto: Any, name: str) -> int:
    versions = {entry.domain: entry.version for entry in proto.opset_import}
    version = versions.get("", versions.get("ai.onnx"))
    newest = onnx.defs.onnx_opset_version()
    if version is None:
        raise ValueError(f"{name} says no version of ONNX's ops (opset_import)")
    if not OLDEST_OPSET <= version <= newest:
        raise ValueError(
            f"{name} has ops of version {version}, expected {OLDEST_OPSET} to {newest}: onnx.version_converter makes "
            "others of them"
        )
    return int(version)


def _separate_statistics(graph: Any) -> None:
    """Gives statistics of batch norms that an exporter found equal to weights, and made one with them by an Identity,
    initializers of their own: they do not stay equal."""
    initializers = {tensor.name: tensor for tensor in graph.initializer}
    statistics = {name for node in graph.node if node.op_type == "BatchNormalization" for name in node.input[3:5]}
    for place in reversed(range(len(graph.node))):
        node = graph.node[place]
        if node.op_type == "Identity" and node.input[0] in initializers and node.output[0] in statistics:
            copy = graph.initializer.add()
            copy.CopyFrom(initializers[node.input[0]])
            copy.name = node.output[0]
            del graph.node[place]


def _inline(proto: Any, name: str) -> Any:
    if not proto.functions:
        return proto
    try:
        return onnx.inliner.inline_local_functions(proto)
    except (onnx.checker.ValidationError, ValueError, RuntimeError) as error:
        raise ValueError(f"{name} is no valid model: {_first_lines(error)}") from None


def expand_functions(model: Model, known: Sequence[str]) -> None:
    """Replaces ops that are not known and that ONNX defines by others."""
    present = {(node.domain, node.op_type) for node in _nodes(model.graph) if node.domain in ("", "ai.onnx")}
    wanted = []
    for domain, op_type in sorted(present):
        if op_type in known:
            continue
        try:
            schema = onnx.defs.get_schema(op_type, model.opset, domain)
        except onnx.defs.SchemaError:
            continue
        if schema.has_function or schema.has_context_dependent_function:
            wanted.append(("", op_type))
    for one in wanted:
        try:
            typed = _with_types(model._inlined)
            _say_defaults(typed.graph, one[1], model.opset)
            found = onnx.inliner.inline_selected_functions(typed, [one], inline_schema_functions=True)
        except (ValueError, RuntimeError):
            # It is told as an op that is not imported.
            continue
        model._inlined, model.graph = found, found.graph


def _say_defaults(graph: Any, op_type: str, opset: int) -> None:
    """Gives nodes of this op the attributes that they have by default, which a definition may refer to."""
    schema = onnx.defs.get_schema(op_type, opset, "")
    for node in graph.node:
        if node.op_type == op_type:
            present = {attribute.name for attribute in node.attribute}
            for name, attribute in schema.attributes.items():
                if name not in present and attribute.default_value.type != onnx.AttributeProto.UNDEFINED:
                    node.attribute.add().CopyFrom(attribute.default_value)


def _with_types(proto: Any) -> Any:
    """A model that says the types of all values, as ONNX's definitions of some ops ask for."""
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    known = {info.name for info in copy.graph.input}
    for tensor in copy.graph.initializer:
        if tensor.name not in known:
            copy.graph.input.append(onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims))
    return onnx.shape_inference.infer_shapes(copy, data_prop=True)


def write(proto: Any, path: Union[str, Path], values: Mapping[str, Array]) -> None:
    """Writes a model with other values of some initializers, at once or not at all."""
    changed = onnx.ModelProto()
    changed.CopyFrom(proto)
    for tensor in changed.graph.initializer:
        if tensor.name not in values:
            continue
        array = values[tensor.name]
        for field in ("float_data", "double_data", "int32_data", "int64_data", "uint64_data", "external_data"):
            tensor.ClearField(field)
        tensor.data_location = onnx.TensorProto.DEFAULT
        tensor.raw_data = onnx.numpy_helper.from_array(np.ascontiguousarray(array)).raw_data
    path = Path(path)
    if changed.ByteSize() > _MOST_BYTES:
        onnx.save(changed, str(path), save_as_external_data=True, location=f"{path.name}.data")
        return
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(changed.SerializeToString())
    os.replace(part, path)


def attribute_of(proto: Any) -> Any:
    """The value of an attribute: numbers, text, arrays; a graph as it is."""
    value = onnx.helper.get_attribute_value(proto)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if proto.type == onnx.AttributeProto.TENSOR:
        return to_array(value, f"attribute '{proto.name}'")
    if proto.type == onnx.AttributeProto.STRINGS:
        return [text.decode("utf-8", "replace") for text in value]
    return list(value) if proto.type in (onnx.AttributeProto.INTS, onnx.AttributeProto.FLOATS) else value


# What PyTorch's exporter says of an initializer: that it is a parameter or a buffer, and what it was made of.
_KIND = "pkg.torch.export.graph_signature.InputSpec.kind"
_ORIGIN = "pkg.onnxscript.optimizer.folded_from"


def marks_in(proto: Any) -> Dict[str, Dict[str, str]]:
    """The marks of values by name: their `kind`, and the `origins` that were folded into them, as text."""
    found: Dict[str, Dict[str, str]] = {}
    for one in [*proto.graph.value_info, *proto.graph.initializer]:
        for entry in getattr(one, "metadata_props", ()):
            key = {_KIND: "kind", _ORIGIN: "origins"}.get(entry.key)
            if key is not None:
                found.setdefault(one.name, {})[key] = entry.value
    return found
