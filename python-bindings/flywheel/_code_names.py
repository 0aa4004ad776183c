# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names outside of it that the code of a Python function reads, as its bytecode has them: a function may be in a
file that has changed since, or in none."""

import contextlib
import dis
import enum
import functools
import types
import weakref
from typing import Any, FrozenSet, Iterator, List, NamedTuple, Optional, Set, Tuple

# Names by which code reads attributes whose names it does not contain.
_REFLECTIVE = frozenset(("vars", "dir", "__dict__", "__slots__", "__getstate__", "asdict", "astuple", "fields",
                         "attrgetter", "getmembers"))  # fmt: skip
# Functions whose second argument is the name of an attribute, which the object need not have.
_ASKING = ("getattr", "hasattr")
# Names by which code writes names that it does not contain, and methods that write items.
_WRITING = frozenset(("setattr", "delattr", "globals", "vars", "exec", "eval", "__dict__", "__setattr__", "__delattr__",
                      "import_module", "reload"))  # fmt: skip
_CHANGING = frozenset(("append", "appendleft", "extend", "extendleft", "insert", "add", "update", "clear", "remove",
                       "discard", "pop", "popleft", "popitem", "setdefault", "sort", "reverse", "rotate", "fill", "put",
                       "itemset", "resize", "next", "__setitem__", "__delitem__", "shuffle", "copyto", "heappush",
                       "heappop"))  # fmt: skip
_STORES = ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_NAME", "DELETE_NAME", "STORE_DEREF", "DELETE_DEREF", "STORE_ATTR",
           "DELETE_ATTR")  # fmt: skip
# Functions that execute text.
_EXECUTING = frozenset(("eval", "exec"))
_READS = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "LOAD_SUPER_METHOD", "IMPORT_FROM")
_NO_CONSTANT = object()
_CALLS = ("PRECALL", "CALL", "CALL_FUNCTION")
_SKIPPED = ("CACHE", "EXTENDED_ARG", "COPY_FREE_VARS", "RESUME", "PUSH_NULL", "NOP", "PRECALL")


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


class Import(NamedTuple):
    """A module that a function imports itself, by the name and level that `import` has."""

    name: str
    level: int


class Names(NamedTuple):
    """The names in code and in the functions inside of it. The code may read only these attributes of an object that it
    is given, unless it `is_reflective`."""

    paths: FrozenSet[Path]
    # Names of attributes, and all strings, which may be such names or keys.
    attributes: FrozenSet[str]
    # The attributes that are asked for by `getattr` and `hasattr`.
    asked: FrozenSet[str]
    imports: FrozenSet[Import]
    is_reflective: bool
    # True if it compares values other than constants: what the class of a value compares is read.
    compares: bool
    # True if it calls the methods of the next class, which have the names of its own.
    has_super: bool
    # True if it may read global names that are among its strings.
    reads_globals: bool
    # The global names, the variables of closures and the attributes that it assigns or deletes.
    written: FrozenSet[str]
    # True if it may assign any, by the name in a text.
    writes_any: bool
    # True if it assigns items.
    writes_items: bool


# By code, which functions share.
_known_names: "weakref.WeakKeyDictionary[types.CodeType, Names]" = weakref.WeakKeyDictionary()


# The code of functions that steps call while they run: it reads nothing that a trace has.
_host_codes: "weakref.WeakSet[types.CodeType]" = weakref.WeakSet()


def add_host_function(function: Any) -> None:
    """Leaves out what a function reads, which the host calls when a step runs."""
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is not None and code not in _host_codes:
        _host_codes.add(code)
        _known_names.clear()


def names_of(code: types.CodeType) -> Names:
    known = _known_names.get(code)
    if known is None:
        known = _known_names[code] = _read_names(code)
    return known


def _read_names(code: types.CodeType) -> Names:
    paths: Set[Path] = set()
    attributes: Set[str] = set()
    asked: Set[str] = set()
    imports: Set[Import] = set()
    written: Set[str] = set()
    is_reflective, compares, writes_items = False, False, False
    whole = list(_with_inner(code))
    for one in whole:
        instructions = list(dis.get_instructions(one))
        paths.update(_paths(code, one, instructions))
        attributes.update(_texts(one.co_consts))
        for place, instruction in enumerate(instructions):
            name = instruction.opname
            if name in _READS:
                attributes.add(instruction.argval)
            elif name in _STORES:
                written.add(instruction.argval)
            elif name in ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE"):
                writes_items = True
            elif name == "IMPORT_NAME":
                level = instructions[place - 2].argval if place >= 2 else 0
                imports.add(Import(instruction.argval, level if isinstance(level, int) else 0))
            elif name in ("COMPARE_OP", "CONTAINS_OP"):
                compares = compares or not instructions[place - 1].opname.startswith("LOAD_CONST")
            elif name in ("LOAD_GLOBAL", "LOAD_NAME") and instruction.argval in _ASKING:
                wanted = _second_argument(instructions, place)
                if isinstance(wanted, str):
                    asked.add(wanted)
                else:
                    is_reflective = True
        is_reflective = is_reflective or not _REFLECTIVE.isdisjoint(one.co_names)
    return Names(frozenset(paths), frozenset(attributes), frozenset(asked), frozenset(imports), is_reflective, compares,
                 any("super" in one.co_names for one in whole),
                 any("globals" in one.co_names for one in whole), frozenset(written),
                 any(not _WRITING.isdisjoint(one.co_names) for one in whole),
                 writes_items or any(not _CHANGING.isdisjoint(one.co_names) for one in whole))  # fmt: skip


def _paths(outer: types.CodeType, code: types.CodeType, instructions: List[dis.Instruction]) -> Iterator[Path]:
    """Yields the paths of `code`, which is `outer` or inside of it."""
    path: Optional[Path] = None
    # The constant that was loaded after the path.
    constant: Any = _NO_CONSTANT
    for instruction in instructions:
        name = instruction.opname
        if name in _SKIPPED:
            continue
        if path is not None:
            if constant is _NO_CONSTANT:
                if name in ("LOAD_ATTR", "LOAD_METHOD"):
                    path = path._replace(steps=(*path.steps, Step(False, instruction.argval)))
                    continue
                if name.startswith("LOAD_CONST") or name == "LOAD_SMALL_INT":
                    constant = instruction.argval
                    continue
            elif isinstance(constant, (int, str)) and (
                name == "BINARY_SUBSCR" or (name == "BINARY_OP" and instruction.argrepr == "[]")
            ):
                path, constant = path._replace(steps=(*path.steps, Step(True, constant))), _NO_CONSTANT
                continue
            yield path
        constant = _NO_CONSTANT
        *before, path = _loaded(outer, code, instruction)
        for one in before:
            if one is not None:
                yield one
    if path is not None:
        yield path


def _loaded(outer: types.CodeType, code: types.CodeType, instruction: dis.Instruction) -> List[Optional[Path]]:
    """Returns the paths that begin with what an instruction pushes, in order; None for other values."""
    name = instruction.opname
    if name in ("LOAD_GLOBAL", "LOAD_NAME"):
        return [Path(Root.GLOBAL, instruction.argval, ())]
    first = outer.co_varnames[:1] if outer.co_argcount else ()
    if ("LOAD_FAST" in name or name == "LOAD_DEREF") and (code is outer or first and first[0] in code.co_freevars):
        # Newer versions of Python load two variables at once.
        loaded = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
        found = [Path(Root.RECEIVER, one, ()) if (one,) == first else None for one in loaded]
        if any(found):
            return [*found]
    if name in ("LOAD_DEREF", "LOAD_CLASSDEREF"):
        return [Path(Root.FREE, instruction.argval, ())]
    return [None]


def _second_argument(instructions: List[dis.Instruction], place: int) -> Any:
    """Returns the constant that a call of the function which is loaded at `place` has as its second argument; None if
    it is computed, or if there is no such call."""
    constant: Any = _NO_CONSTANT
    depth = 0
    for instruction in instructions[place + 1 :]:
        if constant is not _NO_CONSTANT and instruction.opname in _CALLS and instruction.arg == depth:
            return constant
        before = depth
        depth += dis.stack_effect(instruction.opcode, instruction.arg)
        if depth < 1 or instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
            return None
        if before == 1 and instruction.opname.startswith("LOAD_CONST"):
            constant = instruction.argval
        elif depth <= 2:
            # It is a part of what is computed.
            constant = _NO_CONSTANT
    return None


def _texts(constants: Tuple[Any, ...]) -> Iterator[str]:
    for one in constants:
        if isinstance(one, str):
            yield one
        elif isinstance(one, (tuple, frozenset)):
            yield from _texts(tuple(one))


def _with_inner(code: types.CodeType) -> Iterator[types.CodeType]:
    if code in _host_codes:
        return
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from _with_inner(one)
    if not _EXECUTING.isdisjoint(code.co_names):
        for text in _texts(code.co_consts):
            with contextlib.suppress(SyntaxError, ValueError):
                yield from _with_inner(compile(text, "<string>", "exec"))
