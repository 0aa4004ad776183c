# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of operands, and constraints of them, in words of Python."""

import re
from typing import Tuple

_ELEMENTS = {"!train.string": "strings", "i1": "bool", "bf16": "bfloat16"}
# The names of kinds of operands in MLIR that a program with its types in Python does not have.
_KINDS = {"signless-integer-like": "integers", "floating-point-like": "floating-point numbers"}


def describe_operand(expected: str, found: str) -> Tuple[str, str]:
    """Returns what an operand may be, and what it is, in words of Python; `expected` is a constraint and `found` a
    type, as MLIR writes them."""
    return _kind(expected), _type(found)


def _kind(text: str) -> str:
    if text in _KINDS:
        return _KINDS[text]
    words = re.sub(r"(\d+-bit )?signless integer", "integer", text.removeprefix("ranked "))
    words = re.sub(r"\binteger( or integer)+", "integer", words).removesuffix(" values")
    return f"a {words} numbers" if words.startswith("tensor of ") else words


def _type(text: str) -> str:
    found = re.fullmatch(r"tensor<(?:[\dx?]*x)?([^x<>]+)>", text)
    if found is None:
        return text
    element = found.group(1)
    width = re.fullmatch(r"(ui|si|i|f)(\d+)", element)
    names = {"ui": "uint", "si": "int", "i": "int", "f": "float"}
    name = _ELEMENTS.get(element) or (f"{names[width.group(1)]}{width.group(2)}" if width else element)
    return f"a tensor of {name}"
