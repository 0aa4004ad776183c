# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names outside of it that the code of a Python function reads and writes, as its bytecode has them: a function may
be in a file that has changed since, or in none."""

import dis
import enum
import types
import weakref
from typing import Any, FrozenSet, Iterator, NamedTuple, Optional, Set, Tuple


class Root(enum.Enum):
    """The kinds of the first name of a path."""

    GLOBAL = 0
    FREE = 1
    # The first argument: the object of a method.
    RECEIVER = 2


class Step(NamedTuple):
    """An attribute, or an item with a constant key."""

    is_item: bool
    key: Any


class Path(NamedTuple):
    """A name in the code of a function, and the attributes and items that it reads of that."""

    root: Root
    name: str
    steps: Tuple[Step, ...]


class Names(NamedTuple):
    """The paths that code and the functions in it read, and the names, attributes and keys that they write."""

    read: FrozenSet[Path]
    written: FrozenSet[str]
    set: FrozenSet[Step]


# By code, which functions share.
_known_names: "weakref.WeakKeyDictionary[types.CodeType, Names]" = weakref.WeakKeyDictionary()


def names_of(code: types.CodeType) -> Names:
    known = _known_names.get(code)
    if known is None:
        known = _known_names[code] = _read_names(code)
    return known


def _read_names(code: types.CodeType) -> Names:
    read: Set[Path] = set()
    written: Set[str] = set()
    stored: Set[Step] = set()
    for one in _with_inner(code):
        path: Optional[Path] = None
        # The constant or the names that were loaded last.
        constant: Any = None
        for instruction in dis.get_instructions(one):
            name = instruction.opname
            if name in ("CACHE", "EXTENDED_ARG", "COPY_FREE_VARS", "RESUME", "PUSH_NULL"):
                continue
            if path is not None and name in ("LOAD_ATTR", "LOAD_METHOD"):
                path = path._replace(steps=(*path.steps, Step(False, instruction.argval)))
                continue
            if name.startswith("LOAD_CONST"):
                constant = instruction.argval
                continue
            is_item = name == "BINARY_SUBSCR" or (name == "BINARY_OP" and instruction.argrepr == "[]")
            if path is not None and is_item and isinstance(constant, (int, str)):
                path, constant = path._replace(steps=(*path.steps, Step(True, constant))), None
                continue
            if path is not None:
                read.add(path)
            path = _first_of(one, code, instruction)
            if name in ("STORE_ATTR", "DELETE_ATTR"):
                stored.add(Step(False, instruction.argval))
            elif name in ("STORE_SUBSCR", "DELETE_SUBSCR") and isinstance(constant, (int, str)):
                stored.add(Step(True, constant))
            elif name in ("STORE_GLOBAL", "DELETE_GLOBAL") or (
                name in ("STORE_DEREF", "DELETE_DEREF") and instruction.argval in one.co_freevars
            ):
                written.add(instruction.argval)
            constant = None
        if path is not None:
            read.add(path)
    return Names(frozenset(read), frozenset(written), frozenset(stored))


def _first_of(code: types.CodeType, outer: types.CodeType, instruction: dis.Instruction) -> Optional[Path]:
    """Returns the path that begins with an instruction of `code`, which is `outer` or inside of it."""
    name = instruction.opname
    if name in ("LOAD_GLOBAL", "LOAD_NAME"):
        return Path(Root.GLOBAL, instruction.argval, ())
    first = outer.co_varnames[:1] if outer.co_argcount else ()
    if (name.startswith("LOAD_FAST") or name == "LOAD_DEREF") and (instruction.argval,) == first and (
            code is outer or instruction.argval in code.co_freevars):  # fmt: skip
        return Path(Root.RECEIVER, instruction.argval, ())
    if name in ("LOAD_DEREF", "LOAD_CLASSDEREF"):
        return Path(Root.FREE, instruction.argval, ())
    return None


def _with_inner(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from _with_inner(one)
