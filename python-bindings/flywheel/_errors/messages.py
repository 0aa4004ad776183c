# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of the package by their fields: the function, the argument, what was expected and what was found.

The code that finds a wrong argument rarely knows which function the user has called. It raises an error with the fields
that it knows; `contracts` adds the others where the error leaves the package. Texts are made of fields, never of
other texts."""

import dataclasses
import re
from typing import Any, Optional, Type, TypeVar

from .._flywheel import CompileError
from ._operand_words import describe_operand

__all__ = ["Problem", "about", "add_note", "fields_of", "plain", "problem_of", "report", "report_op", "wrong"]

Error = TypeVar("Error", bound=Exception)

# The attribute of errors that has their fields.
_FIELDS = "_flywheel_problem"


def plain(text: str) -> str:
    """Returns a text without addresses of objects, and without the functions that a function is defined in, which the
    `repr` of objects has."""
    return re.sub(r"(\w+\.)*<locals>\.|(<lambda>\.)+(?=<lambda>)", "", re.sub(r" at 0x[0-9A-Fa-f]+", "", text))


@dataclasses.dataclass
class Problem:
    """The fields of an error."""

    # If nothing is expected: the whole sentence.
    text: str = ""
    # An argument may be this, and is that; and what to do instead, with the punctuation in front of it.
    expected: str = ""
    found: str = ""
    hint: str = ""
    argument: Optional[str] = None
    # The function that the sentence is about, and what is between it and the sentence; None if the text has its name.
    function: str = ""
    joint: Optional[str] = ": "
    # True if `function` is the op that refuses its operands or attributes, which is named if no caller is known.
    is_op: bool = False
    # The function that the user has called, once it is known.
    caller: str = ""
    # The line of the program in front of the sentence, and what follows it.
    place: str = ""
    notes: str = ""

    def add_caller(self, name: str) -> None:
        """Adds the function that the user has called, unless the error has one."""
        self.caller = self.caller or name

    def sentence(self) -> str:
        text = self.text
        if self.expected:
            argument = "" if self.argument is None else f" as {self.argument}"
            text = f"expected {self.expected}{argument}, found {self.found}{self.hint}"
        own = self.function.rpartition(".")[2] if self.is_op else self.function
        if own and self.joint is not None and not (self.is_op and self.caller):
            text = f"{own}{self.joint}{text}"
        # The part of a function that is wrong follows its name: "squeeze: dimension 1".
        if self.caller and (self.is_op or self.caller != self.function.partition(":")[0].rpartition(".")[2]):
            text = f"{self.caller}: {text}"
        return f"{self.place}{plain(text)}{self.notes}"


def report(error: Error, problem: Problem) -> Error:
    """Gives an error these fields, and the text that they make. Returns it."""
    setattr(error, _FIELDS, problem)
    error.args = (problem.sentence(),)
    return error


def fields_of(error: BaseException) -> Optional[Problem]:
    return getattr(error, _FIELDS, None)


def problem_of(error: Exception) -> Optional[Problem]:
    """Returns the fields of an error; if it has none, a sentence that names no function. None for an error that is
    more than a text."""
    known = fields_of(error)
    if known is not None:
        return known
    is_text = len(error.args) == 1 and isinstance(error.args[0], str)
    return Problem(text=error.args[0]) if is_text else None


def wrong(
    kind: Type[Error], expected: str, found: Any, argument: Optional[str] = None, *, function: str = "", hint: str = ""
) -> Error:
    """Makes an error of an argument. Without `argument`, it is the value that the function which raises the error has
    as its first argument: `contracts` finds its name."""
    return report(kind(), Problem(expected=expected, found=str(found), argument=argument, function=function, hint=hint))


def about(function: str, error: Error, joint: Optional[str] = ": ") -> Error:
    """Returns an error with the name of the function that its sentence is about, which is put in front of it; with
    `joint` None, the sentence has the name."""
    return report(error, Problem(text=str(error), function=function, joint=joint))


def report_op(error: Exception, name: str) -> None:
    """Gives the error of a traced op its fields: the line of the user's program precedes the sentence, and the lines of
    its callers follow it. An error that the compiler did not raise is about an attribute."""
    if not isinstance(error, CompileError):
        report(error, Problem(text=str(error), function=name))
        return
    if error.parts is None:
        return
    place, text, notes = error.parts
    if error.operand:
        expected, found = describe_operand(*error.operand)
        report(error, Problem(expected=expected, found=found, place=place, notes=notes))
        return
    # A text with an op begins with its name, as MLIR writes it.
    own = text[len(f"'{error.op}' op ") :] if error.op else text
    report(error, Problem(text=own, function=error.op, is_op=bool(error.op), place=place, notes=notes))


def add_note(error: Exception, text: str) -> None:
    """Adds to the end of an error what a user may do."""
    problem = problem_of(error)
    if problem is not None and text:
        problem.notes += text
        report(error, problem)
