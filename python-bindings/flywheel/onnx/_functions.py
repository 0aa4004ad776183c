# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that have no translation and that ONNX defines by others, in their place."""

from typing import Any, Container, Dict, Iterator, List, Mapping, Optional

import onnx
import onnx.inliner

from ._attributes import find_schema, name_of
from ._file import Model
from ._graph import version_of
from ._inference import infer_shapes

# The domain of the definitions of single nodes, until they are inlined.
_DOMAIN = "flywheel.definitions"
# The largest number of rounds for one model: definitions may have nodes that are defined by others.
_MOST_ROUNDS = 8


def _nodes(graph: Any) -> Iterator[Any]:
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from _nodes(attribute.g)


def expand_functions(model: Model, known: Container[str]) -> None:
    """Replaces ops that are not known and that ONNX defines by others."""
    for _ in range(_MOST_ROUNDS):
        if not any(_schema(node, model.versions) for node in _nodes(model.graph) if not _is_known(node, known)):
            return
        try:
            found = _expanded(model, known)
        except (ValueError, RuntimeError):
            # It is told as an op that is not imported.
            return
        if found is None:
            return
        model.replace_inlined(found)


def _is_known(node: Any, known: Container[str]) -> bool:
    return name_of(node) in known


def _schema(node: Any, versions: Mapping[str, int]) -> Any:
    """Returns the schema of an op that is defined by others in this version; None for any other."""
    schema = find_schema(name_of(node), version_of(node, versions))
    defines = schema is not None and (schema.has_function or schema.has_context_dependent_function)
    return schema if defines else None


def _expanded(model: Model, known: Container[str]) -> Optional[Any]:
    """Replaces each node that has a definition by it; returns None if no node has one."""
    typed = _with_types(model.inlined)
    types = {info.name: info.type for info in
             [*typed.graph.input, *typed.graph.value_info, *typed.graph.output]}  # fmt: skip
    for node in _nodes(typed.graph):
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                types.update({info.name: info.type for info in [*attribute.g.input, *attribute.g.value_info]})
    count = 0
    for node in _nodes(typed.graph):
        schema = None if _is_known(node, known) else _schema(node, model.versions)
        definition = None if schema is None else _definition(node, schema, types, model.versions)
        if definition is None:
            continue
        count += 1
        definition.domain, definition.name = _DOMAIN, f"{node.op_type}_{count}"
        node.domain, node.op_type = _DOMAIN, definition.name
        typed.functions.append(definition)
    if not count:
        return None
    typed.opset_import.add(domain=_DOMAIN, version=1)
    return onnx.inliner.inline_local_functions(typed)


def _definition(node: Any, schema: Any, types: Mapping[str, Any], versions: Mapping[str, int]) -> Any:
    """Returns the function that defines a node of this schema; None if ONNX has none for its operands."""
    _say_defaults(node, schema)
    version = version_of(node, versions)
    text = b""
    if schema.has_context_dependent_function:
        # One that is left out has the empty type.
        given = [types.get(name, onnx.TypeProto()).SerializeToString() for name in node.input]
        wanted = _newest(schema.context_dependent_function_opset_versions, version)
        text = schema.get_context_dependent_function_with_opset_version(wanted, node.SerializeToString(), given)
    elif schema.has_function:
        wanted = _newest(schema.function_opset_versions, version)
        text = schema.get_function_with_opset_version(wanted)
    if not text:
        return None
    definition = onnx.FunctionProto()
    definition.ParseFromString(text)
    # It is inlined if its ops are those of the model's versions.
    for entry in definition.opset_import:
        domain = "" if entry.domain == "ai.onnx" else entry.domain
        if domain in versions:
            own, entry.version = entry.version, versions[domain]
            nodes = [one for one in definition.node if one.domain == entry.domain]
            if not all(_means_the_same(one, own, entry.version) for one in nodes):
                return None
    return definition


def _means_the_same(node: Any, version: int, other: int) -> bool:
    """Returns true if an op has the same operands and attributes in two versions."""
    schemas = [find_schema(name_of(node), one) for one in (version, other)]
    if None in schemas:
        return False
    forms = [([one.name for one in schema.inputs], sorted(schema.attributes)) for schema in schemas]
    return bool(forms[0] == forms[1])


def _newest(versions: List[int], own: int) -> int:
    """Returns the newest of these that a model of version `own` may use."""
    return max((version for version in versions if version <= own), default=versions[0])


def _say_defaults(node: Any, schema: Any) -> None:
    """Gives a node the attributes that it has by default, which a definition may refer to."""
    present = {attribute.name for attribute in node.attribute}
    for name, attribute in schema.attributes.items():
        if name not in present and attribute.default_value.type != onnx.AttributeProto.UNDEFINED:
            node.attribute.add().CopyFrom(attribute.default_value)


def _with_types(proto: Any) -> Any:
    """Returns a model with the types of all values, which ONNX's definitions of some ops ask for."""
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    known: Dict[str, Any] = {info.name: info for info in copy.graph.input}
    for tensor in copy.graph.initializer:
        if tensor.name not in known:
            copy.graph.input.append(onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims))
    return infer_shapes(copy)
