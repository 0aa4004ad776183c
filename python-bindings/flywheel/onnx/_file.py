# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of ONNX: reading and checking them, their types, and writing weights back."""

import os
import re
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np
import onnx
import onnx.checker
import onnx.inliner
import onnx.numpy_helper
import onnx.shape_inference
import onnx.version_converter

from .._core.annotations import Array
from .._frontends.missing_ops import UnsupportedOpError
from ._inference import infer_shapes
from ._small import element_of
from ._tensors import as_dtype, read_external, to_array

# Earlier ones have ops that no longer exist, and broadcast by attributes.
OLDEST_OPSET = 9

# Above this a file of protobuf cannot be; data is then in a file beside it.
_MOST_BYTES = 2**31 - 2**20

# A size is a number, a name, or neither.
Dim = Union[int, str, None]


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Whatever the content of a file ends in is a ValueError that names the file."""
    try:
        yield
    except (UnsupportedOpError, OSError, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, ValueError) and name in str(error):
            raise
        raise ValueError(f"{name}: {describe_error(error)}") from error


def describe_error(error: Exception) -> str:
    """Returns the text of an error, with its type unless that is one of the usual types for a wrong model."""
    is_plain = type(error) in (ValueError, TypeError, IndexError)
    return str(error) if is_plain else f"{type(error).__name__}: {error}"


class Input:
    """An input of a graph: what a call feeds."""

    def __init__(self, info: Any, sizes: Mapping[str, int]):
        self.name: str = info.name
        what = f"input '{info.name}'"
        if info.type.WhichOneof("value") != "tensor_type":
            raise UnsupportedOpError(f"{what} is not a tensor, and others are not imported")
        # Numbers of 2 to 8 bits, whose dtype here is that of the tensor that has their values.
        self.element = element_of(info.type.tensor_type.elem_type)
        self.dtype = self.element.carrier if self.element else as_dtype(info.type.tensor_type.elem_type, what)
        dims = [_dim(dim) for dim in info.type.tensor_type.shape.dim]
        if any(isinstance(dim, int) and dim < 0 for dim in dims):
            raise ValueError(f"{what} has a dimension of {min(dim for dim in dims if isinstance(dim, int))}")
        self.dims: Tuple[Dim, ...] = tuple(sizes.get(dim, dim) if isinstance(dim, str) else dim for dim in dims)


def _dim(dim: Any) -> Dim:
    kind = dim.WhichOneof("value")
    return dim.dim_value if kind == "dim_value" else dim.dim_param or None if kind == "dim_param" else None


class Model:
    """A model of ONNX that was read; after `prepare`, functions are inlined and `graph`, inputs and outputs known."""

    def __init__(self, source: Any):
        self.path, self.proto = _read(source)
        self.name = os.path.basename(self.path) if self.path else "the ONNX model"
        self.proto = _in_known_version(self.proto, self.name)
        self.opset = _opset(self.proto, self.name)
        self.graph = self.proto.graph

    def prepare(self, sizes: Mapping[str, int]) -> None:
        """Finds what the model is made of. The file has to keep the rules of the format."""
        for node in _nodes(self.proto.graph):
            _check_for_inference(node)
        _separate_statistics(self.proto.graph)
        inlined = _inline(self.proto, self.name)
        self.graph = inlined.graph
        if self.graph.sparse_initializer:
            raise UnsupportedOpError(f"{self.name} has sparse initializers, which are not imported")
        self.initializers: Dict[str, Any] = {tensor.name: tensor for tensor in self.graph.initializer}
        self.inputs = [Input(info, sizes) for info in self.graph.input if info.name not in self.initializers]
        self.outputs: List[str] = [info.name for info in self.graph.output]
        self.output_elements = [element_of(info.type.tensor_type.elem_type) for info in self.graph.output]
        unknown = sorted(set(sizes) - {dim for one in self.graph.input for dim in _names(one)})
        if unknown:
            names = sorted({dim for one in self.graph.input for dim in _names(one)})
            raise ValueError(f"{self.name} has no dimension '{unknown[0]}', expected one of {names}")
        self.inlined = inlined

    def replace_inlined(self, proto: Any) -> None:
        """Another form of the same model, with other nodes."""
        self.inlined, self.graph = proto, proto.graph

    @property
    def versions(self) -> Dict[str, int]:
        """The version of the ops of each domain."""
        found = {"" if entry.domain == "ai.onnx" else entry.domain: entry.version for entry in self.proto.opset_import}
        return {**found, "": self.opset}

    def check(self) -> None:
        """Raises ValueError where the file breaks the rules of the format."""
        for info in self.proto.graph.input:
            if _lacks_shape(info):
                remedy = "give it one with onnx.helper.make_tensor_value_info"
                raise ValueError(f"{self.name}: input '{info.name}' has no shape: {remedy}, where a dimension that a "
                                 "call chooses is a name")  # fmt: skip
        checked = _with_output_shapes(self.proto)
        checked = self.path or checked if checked is self.proto else checked
        try:
            onnx.checker.check_model(checked)
        except (onnx.checker.ValidationError, ValueError, RuntimeError) as error:
            raise ValueError(f"{self.name} is not a valid model: {_first_lines(error)}") from None

    def infer_sizes(self) -> Dict[str, Tuple[Dim, ...]]:
        """Returns the sizes of values by name, numbers or names. Dimensions of one name have one size."""
        found = self.inlined
        try:
            bare = onnx.ModelProto()
            bare.CopyFrom(self.inlined)
            for tensor in bare.graph.initializer:
                # Sizes are computed from small tensors; the weights are not needed.
                if len(tensor.raw_data) > 4096 and tensor.name not in {info.name for info in bare.graph.input}:
                    info = onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims))
                    bare.graph.input.append(info)
            for place in reversed(range(len(bare.graph.initializer))):
                if len(bare.graph.initializer[place].raw_data) > 4096:
                    del bare.graph.initializer[place]
            found = infer_shapes(bare)
        except (onnx.shape_inference.InferenceError, ValueError, RuntimeError):
            # The names of sizes help only to see that some are equal.
            pass
        result: Dict[str, Tuple[Dim, ...]] = {}
        for info in [*found.graph.value_info, *found.graph.input, *found.graph.output]:
            if info.type.WhichOneof("value") == "tensor_type" and info.type.tensor_type.HasField("shape"):
                result[info.name] = tuple(_dim(dim) for dim in info.type.tensor_type.shape.dim)
        return result


def _with_output_shapes(proto: Any) -> Any:
    """Returns the model with shapes of outputs, which rules ask for and nothing here needs: a copy if it has none."""
    if not any(_lacks_shape(info) for info in proto.graph.output):
        return proto
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    for info in filter(_lacks_shape, copy.graph.output):
        info.type.tensor_type.shape.SetInParent()
    return copy


def _lacks_shape(info: Any) -> bool:
    return bool(info.type.HasField("tensor_type") and not info.type.tensor_type.HasField("shape"))


def _names(info: Any) -> List[str]:
    if info.type.WhichOneof("value") != "tensor_type":
        return []
    return [dim.dim_param for dim in info.type.tensor_type.shape.dim if dim.WhichOneof("value") == "dim_param"]


def _first_lines(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:3])


def _read(source: Any) -> Tuple[str, Any]:
    """Returns the path of a file, "" if there is none, and the model."""
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
        # Each format of ONNX (binary, text, JSON) has a class of its own for this error.
        raise ValueError(f"{path} is not a file of ONNX: {_first_lines(error) or type(error).__name__}") from error
    if not proto.graph.node and not proto.graph.output and not proto.opset_import:
        raise ValueError(f"{path} is not a file of ONNX: it has no graph")
    for tensor in _tensors(proto.graph):
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            try:
                read_external(tensor, os.path.dirname(path) or ".", f"initializer '{tensor.name}'")
            except (OSError, ValueError, UnsupportedOpError) as error:
                raise type(error)(f"{path}: {error}") from None
    return path, proto


def _tensors(graph: Any) -> Iterator[Any]:
    """Yields the tensors of a graph and of the graphs in it."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR:
                yield attribute.t
            elif attribute.type == onnx.AttributeProto.GRAPH:
                yield from _tensors(attribute.g)


def _nodes(graph: Any) -> Iterator[Any]:
    """Yields the nodes of a graph and of the graphs in it."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from _nodes(attribute.g)


def _version(proto: Any) -> Optional[int]:
    versions = {entry.domain: entry.version for entry in proto.opset_import}
    return versions.get("", versions.get("ai.onnx"))


def _in_known_version(proto: Any, name: str) -> Any:
    """Replaces ops of a model that are older than the imported ones by later ones, if ONNX converts them."""
    version = _version(proto)
    if version is None or not 1 <= version < OLDEST_OPSET:
        return proto
    if any(node.op_type == "Scan" for node in _nodes(proto.graph)):
        # It had a dimension of batches, which the converter drops.
        raise UnsupportedOpError(f"{name} has Scan of version {version}, expected {OLDEST_OPSET} or later")
    try:
        # The converter takes a model that keeps the rules for granted.
        checked = _with_output_shapes(proto)
        onnx.checker.check_model(checked)
        return onnx.version_converter.convert_version(checked, OLDEST_OPSET)
    except (onnx.checker.ValidationError, ValueError, RuntimeError) as error:
        raise UnsupportedOpError(f"{name} has ops of version {version}, expected {OLDEST_OPSET} or later, and ONNX "
                                 f"converts them not: {_first_lines(error)}") from None  # fmt: skip


def _opset(proto: Any, name: str) -> int:
    version = _version(proto)
    newest = onnx.defs.onnx_opset_version()
    if version is None:
        if any(node.domain in ("", "ai.onnx") for node in proto.graph.node):
            raise ValueError(f"{name} has no opset_import, the version of ONNX's ops")
        return int(newest)
    if not OLDEST_OPSET <= version <= newest:
        if version < 1:
            raise ValueError(f"{name} has ops of version {version}, expected {OLDEST_OPSET} to {newest}")
        raise UnsupportedOpError(
            f"{name} has ops of version {version}, expected {OLDEST_OPSET} to {newest}: onnx.version_converter makes "
            "others of them"
        )
    return int(version)


# Characters of an equation of Einsum.
_EQUATION = re.compile(rb"[A-Za-z.,>\s-]*")


def _check_for_inference(node: Any) -> None:
    """Raises ValueError for what ONNX's own inference takes all memory or all time for."""
    for one in node.attribute:
        if one.name == "num_outputs" and one.i != len(node.output):
            raise ValueError(f"num_outputs of node '{node.name}' is {one.i}, expected the number of its results, "
                             f"{len(node.output)}")  # fmt: skip
        if one.name == "equation" and not _EQUATION.fullmatch(one.s):
            raise ValueError(f"the equation of node '{node.name}' is {one.s!r}: expected letters, '.', ',' and '->'")


def _separate_statistics(graph: Any) -> None:
    """Gives statistics of batch norms that an exporter found equal to weights, and made one with them by an Identity,
    initializers of their own: they do not stay equal."""
    initializers = {tensor.name: tensor for tensor in graph.initializer}
    statistics = {name for node in graph.node if node.op_type == "BatchNormalization" for name in node.input[3:5]}
    for place in reversed(range(len(graph.node))):
        node = graph.node[place]
        is_copy = node.op_type == "Identity" and len(node.input) == len(node.output) == 1
        if is_copy and node.input[0] in initializers and node.output[0] in statistics:
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
        raise ValueError(f"{name} is not a valid model: {_first_lines(error)}") from None


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


# The marks of an initializer by PyTorch's exporter: parameter or buffer, and the values that were folded into it.
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
