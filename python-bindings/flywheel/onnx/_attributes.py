# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes of a node: types, defaults, and which of them a translation reads, so that none is dropped."""

from functools import cache
from typing import Any, Dict, Iterator, Sequence, Set, Tuple

import onnx
import onnx.defs

from ._file import attribute_of


def name_of(node: Any) -> str:
    """Returns the name of a node's op, with its domain as a prefix unless that is ONNX's own."""
    return str(node.op_type) if node.domain in ("", "ai.onnx") else f"{node.domain}.{node.op_type}"


# Newer than any version.
_NEWEST = 1 << 20


@cache
def find_schema(name: str, version: int = _NEWEST) -> Any:
    """Returns the schema of an op, by its name with its domain, of this version of its domain's ops, by default of the
    newest; None if it has none."""
    domain, _, op_type = name.rpartition(".")
    try:
        return onnx.defs.get_schema(op_type, version, domain)
    except onnx.defs.SchemaError:
        return None


def _default(schema: Any, name: str) -> Any:
    """Returns the default of an attribute; None if the schema has none."""
    declared = None if schema is None else schema.attributes.get(name)
    if declared is None or declared.default_value.type == onnx.AttributeProto.UNDEFINED:
        return None
    return attribute_of(declared.default_value)


class Attributes:
    """The attributes of a node, whose op has a schema in this version.

    Raises ValueError for one that is missing, is given twice, or has another type than the schema says.
    """

    def __init__(self, node: Any, version: int):
        self._op = name_of(node)
        self._schema = find_schema(self._op, version)
        self._given: Dict[str, Any] = {}
        self._read: Set[str] = set()
        declared = {} if self._schema is None else self._schema.attributes
        for one in node.attribute:
            if one.name in self._given:
                raise ValueError(f"the attribute '{one.name}' is there twice")
            self._given[one.name] = one
            if one.name in declared and one.type != declared[one.name].type.value:
                wanted = declared[one.name].type.name
                raise ValueError(f"the attribute '{one.name}' is of another type than {wanted}")
        for name, one in declared.items():
            if one.required and name not in self._given:
                raise ValueError(f"the attribute '{name}' is missing")

    def has(self, name: str) -> bool:
        """Returns true if the node has an attribute, which counts as reading it."""
        self._read.add(name)
        return name in self._given

    def read(self, name: str, otherwise: Any = None) -> Any:
        """The value of an attribute: numbers, text, lists, arrays.

        If the node does not have it, its default in this version of the op. A version without the attribute does what
        the default of later ones says. `otherwise` is for an attribute without a default.
        """
        self._read.add(name)
        if name in self._given:
            return attribute_of(self._given[name])
        declared = self._schema is not None and name in self._schema.attributes
        found = _default(self._schema if declared else find_schema(self._op), name)
        return otherwise if found is None else found

    def graph(self, name: str) -> Any:
        """A graph that is an attribute."""
        self._read.add(name)
        return self._given[name].g

    def find_dropped(self, without: Sequence[str]) -> Iterator[Tuple[str, Any]]:
        """The attributes that nothing read and that are not what they are by default."""
        for name, one in self._given.items():
            if name not in self._read and name not in without:
                value = attribute_of(one)
                default = _default(self._schema, name)
                if type(value) is not type(default) or value != default:
                    yield name, value
