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
# Functions that execute text.
_EXECUTING = frozenset(("eval", "exec"))
_READS = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "LOAD_SUPER_METHOD", "IMPORT_FROM")
_NO_CONSTANT = object()
_CALLS = ("PRECALL", "CALL", "CALL_FUNCTION")
# Instructions that keep a value on the stack which is needed once more.
_KEEPING = ("COPY", "SWAP", "DUP_TOP", "DUP_TOP_TWO", "ROT_TWO", "ROT_THREE")
_SKIPPED = ("CACHE", "EXTENDED_ARG", "COPY_FREE_VARS", "RESUME", "PUSH_NULL", "NOP", "PRECALL")


class Root(enum.Enum):
    """The kinds of the first name of a path."""

    GLOBAL = 0
    FREE = 1
    # The first argument: the object of a method.
    RECEIVER = 2


# The instructions that assign and delete names.
_STORES = {"STORE_GLOBAL": Root.GLOBAL, "DELETE_GLOBAL": Root.GLOBAL, "STORE_NAME": Root.GLOBAL,
           "DELETE_NAME": Root.GLOBAL, "STORE_DEREF": Root.FREE, "DELETE_DEREF": Root.FREE, "STORE_ATTR": None,
           "DELETE_ATTR": None}  # fmt: skip


class Step(NamedTuple):
    """An attribute, or an item with a constant key."""

    is_item: bool
    key: Any


class Path(NamedTuple):
    """A name in the code of a function, and the attributes and items that it reads of that."""

    root: Root
    name: str
    steps: Tuple[Step, ...]
    # True if the value is only read to compute the next one of the same place, as a counter is.
    is_update: bool = False
    # True if the last step is assigned or deleted, and not read.
    is_assigned: bool = False


class Assigned(NamedTuple):
    """A name that code assigns or deletes: a global one, the variable of a closure, or for None an attribute."""

    name: str
    root: Optional[Root]
    # The path of the object of an attribute; None if the code computes the object.
    owner: Optional[Path] = None


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
    written: FrozenSet[Assigned]
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
    written: Set[Assigned] = set()
    # The offsets of the instructions that read attributes for updates only.
    updating: Set[int] = set()
    is_reflective, compares, writes_items = False, False, False
    whole = list(_with_inner(code))
    for one in whole:
        instructions = list(dis.get_instructions(one))
        updating.clear()
        paths.update(_paths(code, one, instructions, written, updating))
        attributes.update(_texts(one.co_consts))
        for place, instruction in enumerate(instructions):
            name = instruction.opname
            if name in _READS:
                if instruction.offset not in updating:
                    attributes.add(instruction.argval)
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


def _paths(
    outer: types.CodeType, code: types.CodeType, all_instructions: List[dis.Instruction], written: Set[Assigned],
    updating: Set[int],
) -> Iterator[Path]:  # fmt: skip
    """Yields the paths of `code`, which is `outer` or inside of it. Adds what it assigns to `written`, and the offsets
    of instructions that read attributes for updates only to `updating`."""
    instructions = [one for one in all_instructions if one.opname not in _SKIPPED]
    path: Optional[Path] = None
    # The constant that was loaded after the path.
    constant: Any = _NO_CONSTANT
    # The object of the attribute that an update assigns at its end.
    updated: Optional[Path] = None
    for place, instruction in enumerate(instructions):
        name = instruction.opname
        if name in _STORES:
            owner = (path if constant is _NO_CONSTANT else None) or updated
            written.add(Assigned(instruction.argval, _STORES[name], owner if _STORES[name] is None else None))
            updated = None
        if path is not None:
            update = _update_of(path, constant, instructions, place, updating)
            if update is not None:
                yield update
                updated = path if name in _KEEPING else None
                path, constant = None, _NO_CONSTANT
            elif constant is _NO_CONSTANT:
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
            if path is not None and constant is _NO_CONSTANT and name in ("STORE_ATTR", "DELETE_ATTR"):
                yield path._replace(steps=(*path.steps, Step(False, instruction.argval)), is_assigned=True)
            elif path is not None:
                yield path
        constant = _NO_CONSTANT
        *before, path = _loaded(outer, code, instruction)
        for one in before:
            if one is not None:
                yield one
    if path is not None:
        yield path


def _update_of(
    path: Path, constant: Any, instructions: List[dis.Instruction], place: int, updating: Set[int]
) -> Optional[Path]:
    """Returns the path of the place that the code at `place`, where it has loaded a path and perhaps a constant, only
    updates by a constant or a local variable: `n += 1`, `self.n += k`, `self.n = self.n + 1`, `counts["n"] += 1`.
    Returns None for other code."""
    names = [one.opname for one in instructions[place : place + 12]]
    num_kept = next((n for n, name in enumerate(names) if name not in _KEEPING), len(names))
    if num_kept:
        reads = instructions[place + num_kept]
        if constant is not _NO_CONSTANT:
            is_item = isinstance(constant, (int, str)) and (reads.opname == "BINARY_SUBSCR" or reads.argrepr == "[]")
            step, store = Step(True, constant) if is_item else None, ("STORE_SUBSCR", None)
        else:
            step = Step(False, reads.argval) if reads.opname == "LOAD_ATTR" else None
            store = "STORE_ATTR", reads.argval
        end = _end_of_update(instructions, place + num_kept + 1)
        while end is not None and instructions[end].opname in _KEEPING:
            end += 1
        if step is None or end is None or (instructions[end].opname, instructions[end].argval) != store:
            return None
        updating.add(reads.offset)
        return path._replace(steps=(*path.steps, step), is_update=True)
    # A constant after the path is what is added.
    end = _end_of_update(instructions, place if constant is _NO_CONSTANT else place - 1)
    if end is None:
        return None
    if not path.steps:
        store = instructions[end].opname, instructions[end].argval
        is_update = store[0] in _STORES and store[0].startswith("STORE") and store[1] == path.name
        return path._replace(is_update=True) if is_update and path.root is _STORES[store[0]] else None
    # The object of the attribute is loaded once more.
    first = place - 1 - len(path.steps) - (constant is not _NO_CONSTANT)
    count = len(path.steps)
    loads = [(one.opname, one.argval) for one in instructions[first : first + count]]
    again = [(one.opname, one.argval) for one in instructions[end : end + count]]
    if any(one.is_item for one in path.steps) or loads != again or len(instructions) <= end + count:
        return None
    store = instructions[end + count].opname, instructions[end + count].argval
    if store != ("STORE_ATTR", path.steps[-1].key):
        return None
    updating.add(instructions[first + count].offset)
    return path._replace(is_update=True)


def _end_of_update(instructions: List[dis.Instruction], place: int) -> Optional[int]:
    """Returns the place after a constant or a local variable at `place` and a binary operator; None for other code."""
    if place + 2 >= len(instructions):
        return None
    added, operator = instructions[place].opname, instructions[place + 1]
    is_simple = added.startswith("LOAD_CONST") or added in ("LOAD_SMALL_INT", "LOAD_FAST", "LOAD_FAST_BORROW")
    is_operator = operator.opname.startswith(("BINARY_", "INPLACE_")) and operator.opname != "BINARY_SUBSCR"
    return place + 2 if is_simple and is_operator and operator.argrepr != "[]" else None


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
