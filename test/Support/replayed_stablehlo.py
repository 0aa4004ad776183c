# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads MLIR's generic form, with the classes and methods of the Python bindings that the importer of StableHLO uses.

    "stablehlo.add"(%0, %1) <{attribute = value, ...}> ({ regions }) {more = value} : (types) -> types

An attribute is its text, and is read where it is asked for. Locations are not recorded.
"""

import re
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

#
# Types and attributes
#

_ELEMENTS = {"i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "ui8": "uint8",
             "ui16": "uint16", "ui32": "uint32", "ui64": "uint64", "f16": "float16", "bf16": "bfloat16",
             "f32": "float32", "f64": "float64"}  # fmt: skip


class IntegerType(str):
    pass


class ShapedType:
    """A tensor type, from its text."""

    def __init__(self, text: Any):
        self._text = str(text)
        *dims, element = self._text[len("tensor<") : -1].split("x")
        self._dims = [None if dim == "?" else int(dim) for dim in dims]
        self.element_type = IntegerType(element) if re.fullmatch(r"u?i\d+", element) else element

    def __str__(self) -> str:
        return self._text

    @property
    def rank(self) -> int:
        return len(self._dims)

    def is_dynamic_dim(self, axis: int) -> bool:
        return self._dims[axis] is None

    def get_dim_size(self, axis: int) -> Optional[int]:
        return self._dims[axis]


RankedTensorType = ShapedType


class Attribute:
    def __init__(self, text: Any):
        self.text = str(text)

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: Any) -> bool:
        return str(self) == str(other)

    def __hash__(self) -> int:
        return hash(self.text)

    def maybe_downcast(self) -> "Attribute":
        return self


class StringAttr(Attribute):
    @property
    def value(self) -> str:
        return self.text[1:-1]


class FlatSymbolRefAttr(Attribute):
    @property
    def value(self) -> str:
        return self.text[1:]


class IntegerAttr(Attribute):
    @property
    def value(self) -> int:
        text = self.text.partition(" :")[0]
        return {"true": 1, "false": 0}[text] if text in ("true", "false") else int(text)


class FloatAttr(Attribute):
    @property
    def value(self) -> float:
        return float(self.text)


class DenseI64ArrayAttr(Attribute):
    def __iter__(self) -> Iterator[Any]:
        found = self.text[len("array<") : -1].partition(":")[2]
        return iter([_number(one.strip()) for one in found.split(",")] if found.strip() else [])


class DenseBoolArrayAttr(DenseI64ArrayAttr):
    pass


class DenseElementsAttr(Attribute):
    """`dense<[[1, 2]]> : tensor<1x2xi64>`"""

    def __init__(self, text: Any):
        super().__init__(text)
        self._inside, _, kind = self.text[len("dense<") :].rpartition("> : ")
        self._type = ShapedType(kind)

    @property
    def is_splat(self) -> bool:
        return not self._inside.startswith(("[", '"')) and self._inside != ""

    def get_splat_value(self) -> Attribute:
        return FloatAttr(str(self._splat())) if "f" in self._type.element_type else IntegerAttr(self._inside)

    def _splat(self) -> Any:
        return self._elements([self._inside])[0]

    def _elements(self, words: Sequence[str]) -> Any:
        dtype = np.dtype(_ELEMENTS[self._type.element_type])
        if any(word.startswith("0x") for word in words) and dtype.kind not in "iub":
            bits = np.dtype(f"u{dtype.itemsize}")
            return np.array([np.array(int(word, 16), bits).view(dtype) if word.startswith("0x") else
                             np.array(_number(word)).astype(dtype) for word in words], dtype)  # fmt: skip
        return np.array([_number(word) for word in words]).astype(dtype)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        shape = [self._type.get_dim_size(axis) or 0 for axis in range(self._type.rank)]
        if self.is_splat:
            found = np.broadcast_to(self._splat(), shape)
        elif self._inside.startswith('"0x'):
            kind = np.dtype(_ELEMENTS[self._type.element_type])
            found = np.frombuffer(bytes.fromhex(self._inside[3:-1]), kind).reshape(shape)
        else:
            found = self._elements(re.findall(r"[^\s,\[\]]+", self._inside)).reshape(shape)
        return np.array(found, dtype)


DenseIntElementsAttr = DenseElementsAttr


def _number(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)


def _attribute(text: str) -> Attribute:
    kinds = {'"': StringAttr, "@": FlatSymbolRefAttr, "array<i64": DenseI64ArrayAttr, "array<i1": DenseBoolArrayAttr,
             "dense<": DenseElementsAttr}  # fmt: skip
    for start, kind in kinds.items():
        if text.startswith(start):
            return kind(text)
    return IntegerAttr(text) if re.match(r"(-?\d+( :|$))|true$|false$", text) else Attribute(text)


class DimensionNumbers:
    """`#stablehlo.gather<offset_dims = [1], index_vector_dim = 1>`, or that of a convolution,
    `#stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>`."""

    def __init__(self, attribute: Attribute):
        text = str(attribute)
        self._known: Dict[str, Any] = {}
        for name, listed, number in re.findall(r"(\w+) = (?:\[([^\]]*)\]|(\d+))", text):
            self._known[name] = int(number) if number else [int(one) for one in listed.split(",") if one.strip()]
        if text.startswith("#stablehlo.conv"):
            words = {"input": ("batch", "feature"), "kernel": ("output_feature", "input_feature"),
                     "output": ("batch", "feature")}  # fmt: skip
            for (role, names), listed in zip(words.items(), re.findall(r"\[([^\]]*)\]", text)):
                axes = [one.strip() for one in listed.split(",")]
                letters = "oi" if role == "kernel" else "bf"
                for name, letter in zip(names, letters):
                    self._known[f"{role}_{name}_dimension"] = axes.index(letter)
                places = sorted((int(one), place) for place, one in enumerate(axes) if one.isdigit())
                self._known[f"{role}_spatial_dimensions"] = [place for _, place in places]

    # The bindings call some otherwise than the text does.
    _NAMES = {"scattered_dims_to_operand_dims": "scatter_dims_to_operand_dims"}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._known.get(self._NAMES.get(name, name), 0 if name == "index_vector_dim" else [])


#
# Ops
#


class Value:
    def __init__(self, kind: str, owner: Any, arg_number: int = 0):
        self.type, self.owner, self.arg_number = kind, owner, arg_number


def BlockArgument(value: Value) -> Value:  # noqa: N802  # As in the bindings.
    return value


class Block:
    def __init__(self) -> None:
        self.arguments: List[Value] = []
        self.operations: List[Operation] = []


class Region:
    def __init__(self, block: Block):
        self.blocks = [block]


class Operation:
    location = ""

    def __init__(self, name: str, block: Optional[Block]):
        self.name, self.block = name, block
        self.operands: List[Value] = []
        self.results: List[Value] = []
        self.attributes: Dict[str, Attribute] = {}
        self.regions: List[Region] = []

    @property
    def operation(self) -> "Operation":
        return self


class Module:
    def __init__(self, body: Block):
        self.body = body

    @staticmethod
    def parse(text: str) -> "Module":
        return Module(_Reader(text).operation(None, {}).regions[0].blocks[0])


_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


class _Reader:
    def __init__(self, text: str):
        self._text, self._place = text, 0

    def _skip(self, word: str) -> bool:
        """Skips a word, with spaces before it, if it is next."""
        place = re.compile(r"\s*").match(self._text, self._place).end()  # type: ignore[union-attr]
        if not self._text.startswith(word, place):
            return False
        self._place = place + len(word)
        return True

    def _expect(self, word: str) -> None:
        if not self._skip(word):
            line = self._text.count("\n", 0, self._place) + 1
            raise ValueError(f"line {line}: expected {word!r}, found {self._text[self._place : self._place + 40]!r}")

    def _match(self, pattern: str) -> str:
        found = re.compile(r"\s*(" + pattern + ")").match(self._text, self._place)
        if found is None:
            self._expect(pattern)
        assert found is not None
        self._place = found.end()
        return found[1]

    def _until(self, ends: str) -> str:
        """Returns the text up to one of these characters, outside of brackets and strings."""
        start = self._place
        open_ones: List[str] = []
        while True:
            one = self._text[self._place]
            if one == '"':
                self._place = self._text.index('"', self._place + 1)
            elif self._text.startswith("->", self._place):
                self._place += 1
            elif not open_ones and one in ends:
                return self._text[start : self._place].strip()
            elif one in _CLOSING:
                open_ones.append(_CLOSING[one])
            elif open_ones and one == open_ones[-1]:
                open_ones.pop()
            self._place += 1

    def _attributes(self, end: str) -> Dict[str, Attribute]:
        found: Dict[str, Attribute] = {}
        while not self._skip(end):
            name = self._match(r'[\w.$]+|"[^"]*"').strip('"')
            found[name] = _attribute(self._until(",}")) if self._skip("=") else Attribute("unit")
            self._skip(",")
        return found

    def _types(self) -> List[str]:
        if not self._skip("("):
            return [self._until("\n,})")]
        found = []
        while not self._skip(")"):
            found.append(self._until(",)"))
            self._skip(",")
        return found

    def operation(self, block: Optional[Block], values: Dict[str, Value]) -> Operation:
        names: List[Tuple[str, int]] = []
        if self._skip("%"):
            name = "%" + self._match(r"\w+")
            names = [(name, int(self._match(r"\d+")) if self._skip(":") else 0)]
            self._expect("=")
        made = Operation(self._match(r'"[\w.]+"').strip('"'), block)
        self._expect("(")
        while not self._skip(")"):
            made.operands.append(values[self._match(r"%\w+(?:#\d+)?")])
            self._skip(",")
        if self._skip("<{"):
            made.attributes.update(self._attributes("}>"))
        if self._skip("("):
            while not self._skip(")"):
                made.regions.append(self._region(values))
                self._skip(",")
        if self._skip("{"):
            made.attributes.update(self._attributes("}"))
        self._expect(":")
        self._types()
        self._expect("->")
        made.results = [Value(kind, made) for kind in self._types()]
        for name, count in names:
            values.update({f"{name}#{i}": one for i, one in enumerate(made.results)} if count
                          else {name: made.results[0]})  # fmt: skip
        return made

    def _region(self, outer: Dict[str, Value]) -> Region:
        self._expect("{")
        block, values = Block(), dict(outer)
        if self._skip("^"):
            self._match(r"\w+")
            if self._skip("("):
                while not self._skip(")"):
                    name = self._match(r"%\w+")
                    self._expect(":")
                    argument = Value(self._until(",)"), block, len(block.arguments))
                    block.arguments.append(argument)
                    values[name] = argument
                    self._skip(",")
            self._expect(":")
        while not self._skip("}"):
            block.operations.append(self.operation(block, values))
        return Region(block)
