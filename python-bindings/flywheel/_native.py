# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads the compiled part of the package.

A package that was imported before may show an LLVM of its own to the whole process, as TensorFlow does. The compiler
would then call that one in places, which is not its own version: its libraries are to look at each other first.
"""

import ctypes
import functools
import os
import re
import sys
from typing import Any, Mapping, NoReturn, Tuple

# The folder of the package: code in it is not of the user.
PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class SignatureError(TypeError):
    """A compiled function does not take these arguments: callers may name the arguments as their own."""

    def __init__(self, text: str, function: str) -> None:
        super().__init__(text)
        self.function = function


def _shows_llvm() -> bool:
    """Returns true if everyone sees an LLVM that someone loaded."""
    try:
        return hasattr(ctypes.CDLL(None), "LLVMContextCreate")
    except (OSError, TypeError):
        return False


def _load() -> None:
    if "flywheel._flywheel" in sys.modules:
        return
    flags = sys.getdlopenflags()
    if hasattr(os, "RTLD_DEEPBIND") and _shows_llvm():
        sys.setdlopenflags(flags | os.RTLD_DEEPBIND)
    try:
        from . import _flywheel  # noqa: F401
    finally:
        sys.setdlopenflags(flags)


# Types as nanobind writes them, and what callers know them as; an object may be of any type.
_TYPES = ((r"(flywheel\._flywheel|collections\.abc)\.", ""), (r": object( \| None)?", ""),
          (r"Sequence\[(\w+)\]", r"list of \1"), (r"Mapping\[(\w+), (\w+)\]", r"dict from \1 to \2"),
          (r"Sequence", "list"), (r" \| ", " or "))  # fmt: skip


def _explain(function: Any, name: str, given: Tuple[Any, ...], keywords: Mapping[str, Any]) -> str:
    """Lists the parameters of a compiled function, and the arguments that it was called with."""
    signatures = []
    for text, _, defaults in function.__nb_signature__:
        if text.startswith("def __init__(self, *args, **kwargs)"):
            # The one that refuses all other arguments.
            continue
        parameters = text.partition("(")[2].rpartition(") ->")[0].removeprefix("self").removeprefix(", ")
        for pattern, instead in _TYPES:
            parameters = re.sub(pattern, instead, parameters)
        signatures.append(re.sub(r"\\(\d+)", lambda place: repr(defaults[int(place[1])]), parameters))  # noqa: B023
    names = [type(one).__name__ for one in given] + [f"{key}={type(x).__name__}" for key, x in keywords.items()]
    return f"{name}() takes ({') or ('.join(signatures)}), found ({', '.join(names)})"


def _wrap(function: Any, is_method: bool) -> Any:
    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except TypeError as error:
            # The only sign of it that nanobind gives.
            if "incompatible function arguments" not in str(error):
                raise
        _refuse(function, function.__name__, args[is_method:], keywords)

    return call


def _refuse(function: Any, name: str, args: Tuple[Any, ...], keywords: Mapping[str, Any]) -> NoReturn:
    raise SignatureError(_explain(function, name, args, keywords), name)


def _refuse_to_make(made: Any, args: Tuple[Any, ...], keywords: Mapping[str, Any]) -> NoReturn:
    """Raises TypeError for an object that is not made of these arguments, or not by a call: C++ calls this."""
    kind = type(made)
    for names, remedy in _MADE_BY.items():
        if kind.__name__ in names.split():
            raise TypeError(f"'{kind.__name__}' objects are not made by a call of their class: {remedy}")
    _refuse(kind.__init__, kind.__name__, args, keywords)


def _refuse_pickling(kind: type, remedy: str) -> None:
    def refuse(self: Any, *_: Any) -> NoReturn:
        raise TypeError(f"'{kind.__name__}' objects are neither copied nor pickled: {remedy}")

    for name in ("__reduce_ex__", "__copy__", "__deepcopy__"):
        setattr(kind, name, refuse)


def _finish(module: Any) -> None:
    """Has compiled functions say in plain words which arguments they take, and what is not pickled what to do."""
    for name, value in list(vars(module).items()):
        if hasattr(value, "__nb_signature__"):
            setattr(module, name, _wrap(value, False))
        elif name in _CALLED:
            for own, method in list(vars(value).items()):
                if hasattr(method, "__nb_signature__") and not own.startswith("__"):
                    setattr(value, own, _wrap(method, True))
    for names, remedy in _REMEDIES.items():
        for name in names.split():
            _refuse_pickling(getattr(module, name), remedy)


# The classes whose methods users call by name. Not those that traces are made of.
_CALLED = ("ModuleOp", "Program", "Session", "Store", "EntryInfo", "CheckpointManager", "CheckpointState",
           "DeviceArray")  # fmt: skip
_MADE_BY = {
    "Program": "`flywheel.compile` makes one of a module",
    "ModuleOp": "`flywheel.parse` makes one of a text, and `flywheel.module_of` one of traced functions",
    "CheckpointState": "`flywheel.get_checkpoint_state` reads one",
    "ArgumentInfo VariableInfo EntryInfo": "a program has those of its `entries` and `variables`",
}
_REMEDIES = {
    "Program": "compile the model again, which a cache makes fast (`flywheel-run --cache-dir`, FLYWHEEL_CACHE)",
    "Session": "make a Session of the program, and `save(path)` and `restore(path)` the values",
    "Entry": "get it from its session again, `session.entry(name)`",
    "ModuleOp": "keep its text, `str(module)`, which `flywheel.parse` reads",
    "CheckpointManager": "make another one",
    "CheckpointState": "read it again by `flywheel.get_checkpoint_state`",
    "DeviceArray": "copy it to NumPy first, `numpy.asarray(array)`",
    "ArgumentInfo VariableInfo EntryInfo": "they describe a program: ask that again",
}


_load()
_finish(sys.modules["flywheel._flywheel"])
