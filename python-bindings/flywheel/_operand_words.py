# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of MLIR about the type of an operand, in words of Python."""

import re

_ELEMENTS = {"!train.string": "strings", "i1": "bool", "bf16": "bfloat16"}
# The names of kinds of operands in MLIR that a program with its types in Python does not have.
_KINDS = {"signless-integer-like": "integers", "floating-point-like": "floating-point numbers"}


def explain_operand(text: str) -> str:
    """Returns the text of an error, in which an operand of a wrong type is described by its dtype."""
    return re.sub(r"'[\w.]+' op operand #\d+ must be (.*?), but got '([^']*)'",
                  lambda found: f"expected {_kind(found.group(1))}, found {_type(found.group(2))}", text)  # fmt: skip


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
