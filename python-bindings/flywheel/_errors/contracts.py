# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Annotations as contracts: the errors of public functions for arguments that do not match their annotations.

Nothing is checked before a call. If a call fails with an error that no `raise` statement raised, such as a number that
is not iterable, the arguments are compared with the annotations of their parameters.
"""

import collections.abc
import contextlib
import dis
import functools
import inspect
import itertools
import os
import re
import sys
import traceback
import types
import typing
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .._flywheel import CompileError
from .._native import PACKAGE, SignatureError
from .hints import check_keywords
from .messages import about, fields_of, plain, problem_of, report, wrong

__all__ = ["explain_all", "explained", "public_form", "public_names"]

_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep
# Python's own modules, and functions that NumPy makes. Code that a user types is in such files too: <stdin>, <string>.
_GENERATED = ("<frozen ", "<__array_function__")
# The files whose functions call the bindings, which raise errors in their name.
_CALLS_BINDINGS = frozenset(PACKAGE + name for name in ("_native.py", os.path.join("_core", "trace.py"), "store.py"))
# Errors that Python and the bindings raise of themselves.
_IMPLICIT = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, AssertionError, RuntimeError,
             np.ma.MAError)  # fmt: skip
# An attribute of functions that are `explained`, and of what they were before: the former.
_MARK = "_flywheel_is_explained"
_RAISE = dis.opmap["RAISE_VARARGS"]


def _conforms(value: Any, hint: Any) -> bool:
    """Returns true if a value is of an annotated type, as far as that can be told."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any or isinstance(hint, (str, typing.TypeVar)):
        return True
    if hint is None or hint is type(None):
        return value is None
    if origin is typing.Union:
        return any(_conforms(value, part) for part in parts)
    if origin is typing.Literal:
        return isinstance(value, (str, int)) and value in parts
    if hint is int:
        return isinstance(value, typing.SupportsIndex) and getattr(value, "ndim", 0) == 0
    if hint is float:
        return isinstance(value, (int, float, np.number))
    if hint is bool:
        return isinstance(value, (bool, np.bool_))
    if hint is collections.abc.Callable or origin is collections.abc.Callable:
        return callable(value)
    if origin is not None and isinstance(origin, type) and issubclass(origin, collections.abc.Mapping):
        return isinstance(value, collections.abc.Mapping)
    if origin is not None and isinstance(origin, type) and issubclass(origin, collections.abc.Iterable):
        if isinstance(value, (str, bytes)) or not isinstance(value, collections.abc.Iterable):
            return False
        if origin is tuple and parts[-1:] != (...,):
            return isinstance(value, collections.abc.Sequence) and len(value) == len(parts) and all(
                _conforms(one, part) for one, part in zip(value, parts))  # fmt: skip
        return not isinstance(value, collections.abc.Sequence) or all(_conforms(one, parts[0]) for one in value)
    if origin is os.PathLike:
        return isinstance(value, os.PathLike)
    return not isinstance(hint, type) or isinstance(value, hint)


def _describe(hint: Any, many: bool = False) -> str:
    """Describes an annotated type in words; with `many`, in the plural."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    words = {int: ("an integer", "integers"), float: ("a number", "numbers"), str: ("a str", "strings"),
             bool: ("True or False", "True or False")}  # fmt: skip
    if hint in words:
        return words[hint][many]
    if hint is None or hint is type(None):
        return "None"
    if origin is typing.Union:
        return " or ".join(dict.fromkeys(_describe(part, many) for part in parts))
    if origin is typing.Literal:
        return " or ".join(map(repr, parts))
    if hint is collections.abc.Callable or origin is collections.abc.Callable:
        return "functions" if many else "a function"
    if origin is not None and isinstance(origin, type) and issubclass(origin, collections.abc.Mapping):
        return "a dict"
    if origin is not None and isinstance(origin, type) and issubclass(origin, collections.abc.Iterable):
        return f"{'lists' if many else 'a list'} of {_describe(parts[0], True)}"
    name = getattr(hint, "__name__", str(hint))
    return name if many else f"a {name}"


def _show(value: Any) -> str:
    text = f"{type(value).__name__} of shape {value.shape}" if isinstance(value, np.ndarray) else repr(value)
    text = plain(text)
    return text if len(text) <= 80 else text[:77] + "..."


# The errors whose texts are about the package's own code.
_OF_CODE = (AttributeError, LookupError, AssertionError, ZeroDivisionError, TypeError)


def _is_refused_by(function: types.FunctionType, text: str) -> bool:
    """Returns true if a text of Python says that this function has other parameters than a call of it has arguments."""
    found = re.fullmatch(r"(.*)\(\) (takes|missing) (?:from \d+ to )?(\d+) (.*)", text)
    if found is None or found.group(1) != function.__qualname__:
        return False
    code = function.__code__
    if found.group(2) == "takes":
        return code.co_argcount == int(found.group(3))
    return set(re.findall(r"'(\w+)'", found.group(4))) <= set(code.co_varnames)


def _describe_call(name: str, own: Mapping[str, Any], error: Exception) -> str:
    """Describes a call that failed although the type of each argument is the one that its annotation names."""
    text = str(error)
    for parameter, value in own.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(one, types.FunctionType) and _is_refused_by(one, text):
                return f"{name} calls {parameter} with other arguments than it has: {text}"
    listed = ", ".join(f"{parameter}={_show(value)}" for parameter, value in own.items())
    if isinstance(error, OverflowError):
        return f"{name}: expected numbers of 64 bits, found {listed}"
    kind = re.search(r"'([\w.]+)' object", text)
    odd = [one for one, value in own.items() if kind and type(value).__name__ == kind.group(1).rpartition(".")[2]]
    if len(odd) == 1:
        return f"{name}: {odd[0]} cannot be {_show(own[odd[0]])}"
    # NumPy says which dtypes it does not convert.
    is_of_code = isinstance(error, _OF_CODE) and not text.startswith("Cannot cast array data")
    return f"{name} does not take {listed}" + ("" if is_of_code else f": {text}")


def _is_implicit(error: Exception, trace: Optional[types.TracebackType]) -> bool:
    """Returns true if nobody has raised the error on purpose, and no code of a user is below: it raises what it likes.
    Other errors of the bindings than those of their signatures are raised on purpose."""
    last = trace
    while last is not None:
        file = last.tb_frame.f_code.co_filename
        if not _is_of_package(file):
            return False
        if last.tb_next is None:
            if file in _CALLS_BINDINGS:
                return isinstance(error, SignatureError)
            return last.tb_frame.f_code.co_code[last.tb_lasti] != _RAISE or file.startswith(_NUMPY)
        last = last.tb_next
    return True


def _name_of(function: Callable[..., Any], args: Tuple[Any, ...]) -> Tuple[str, bool]:
    """Returns the name of a function for the user, and true for a method, whose first argument is its object."""
    # The constructor of a class, and the call of an object, have the name of the class.
    owner = function.__qualname__.removesuffix(".__init__").removesuffix(".__call__")
    is_method = owner != function.__qualname__
    # A name that Python has, or that a namespace gives a function of the package, ends or begins with an underscore.
    return type(args[0]).__name__ if is_method and args else function.__name__.strip("_"), is_method


def _add_names(error: Exception, function: Callable[..., Any], args: Tuple[Any, ...], given: Mapping[str, Any]) -> None:
    """Adds the function that the user has called, and the argument that is wrong, to the fields of an error that the
    package has raised."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)][1:]
    if not frames or not all(_is_of_package(frame.f_code.co_filename) for frame in frames):
        return
    # An error of the compiler has fields if it is of an op that is traced; others are about lines of a file.
    problem = fields_of(error) if isinstance(error, CompileError) else problem_of(error)
    if problem is None or problem.caller:
        return
    name = _name_of(function, args)[0]
    if isinstance(error, SignatureError) and error.function == name:
        return
    problem.add_caller(name)
    if problem.expected and problem.argument is None and not problem.place:
        problem.argument = _culprit(function, args, given, frames[-1])
    report(error, problem)


def _culprit(
    function: Callable[..., Any], args: Tuple[Any, ...], given: Mapping[str, Any], frame: types.FrameType
) -> Optional[str]:
    """Returns the parameter whose argument is the first one of the function that has raised an error: one that looks
    at a single argument. None if that is the called one, which has all."""
    code = frame.f_code
    is_called = code is getattr(inspect.unwrap(function), "__code__", None)
    if is_called or not code.co_argcount or code.co_varnames[0] not in frame.f_locals:
        return None
    value = frame.f_locals[code.co_varnames[0]]
    try:
        own = inspect.signature(function).bind(*args, **given).arguments
    except (TypeError, ValueError):
        return None
    found = [parameter for parameter, one in list(own.items())[_name_of(function, args)[1] :] if one is value]
    return found[0] if len(found) == 1 else None


def _is_of_package(file: str) -> bool:
    return file.startswith((PACKAGE, _NUMPY, *_GENERATED)) or file == contextlib.__file__


def _explain(
    function: Callable[..., Any], args: Tuple[Any, ...], given: Mapping[str, Any], error: Exception
) -> Optional[Exception]:
    """Returns an error that names the first argument of another type. If no argument is, returns one that names all
    arguments and what `error` says."""
    name, is_method = _name_of(function, args)
    try:
        bound = inspect.signature(function).bind(*args, **given)
        hints = typing.get_type_hints(function)
    except (TypeError, NameError, ValueError):
        return None
    own = dict(list(bound.arguments.items())[is_method:])
    for parameter, value in own.items():
        hint = hints.get(parameter, Any)
        kind = bound.signature.parameters[parameter].kind
        values: List[Any] = list(value) if kind is inspect.Parameter.VAR_POSITIONAL else [value]
        if kind is inspect.Parameter.VAR_KEYWORD:
            continue
        for one in values:
            if not _conforms(one, hint):
                return wrong(TypeError, _describe(hint), _show(one), parameter, function=name)
    return about(name, ValueError(_describe_call(name, own, error)), None)


def _takes(function: Callable[..., Any], args: Tuple[Any, ...], given: Mapping[str, Any]) -> bool:
    """Returns true if a function has parameters for these arguments, or is one that does not show its parameters."""
    try:
        signature = inspect.signature(function)
    except ValueError:
        return True
    try:
        signature.bind(*args, **given)
    except TypeError:
        return False
    return True


def _count_arguments(
    function: Callable[..., Any], name: str, args: Tuple[Any, ...], given: Mapping[str, Any], skip: int
) -> Optional[TypeError]:
    """Returns an error that says how many arguments a function takes, or which it needs, as Python does. `skip` is the
    number of leading arguments that the user does not count, as the object of a method. None if the arguments fit."""
    parameters = list(inspect.signature(function).parameters.values())
    places = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    needed = [one for one in places if one.default is one.empty]
    if len(args) > len(places) and not any(one.kind is one.VAR_POSITIONAL for one in parameters):
        most, least = len(places) - skip, len(needed) - skip
        takes = f"{most}" if most == least else f"from {least} to {most}"
        given_count = len(args) - skip
        return TypeError(f"{name}() takes {takes} positional argument{'s'[: most != 1]} but {given_count} were given")
    keywords = [one for one in parameters if one.kind is one.KEYWORD_ONLY and one.default is one.empty]
    for kind, wanted in (("positional", places[len(args) :]), ("keyword-only", keywords)):
        missing = [f"'{one.name}'" for one in wanted if one.default is one.empty and one.name not in given]
        if missing:
            listed = missing[0] if len(missing) == 1 else " and ".join(missing) if len(missing) == 2 else (
                ", ".join(missing[:-1]) + f", and {missing[-1]}")  # fmt: skip
            count = f"{len(missing)} required {kind} argument{'s'[: len(missing) != 1]}"
            return TypeError(f"{name}() missing {count}: {listed}")
    return None


def _replace(
    error: Exception, function: Callable[..., Any], args: Tuple[Any, ...], given: Mapping[str, Any]
) -> Optional[Exception]:
    """Returns the error to raise in place of one that a call of `function` raised; None if that says what is wrong."""
    below = error.__traceback__.tb_next if error.__traceback__ else None
    is_wrapper = hasattr(function, "__wrapped__")
    if below is None or (is_wrapper and isinstance(error, TypeError) and not _takes(function, args, given)):
        # Python says itself which arguments a function does not have, but for those by keyword.
        name, is_method = _name_of(function, args)
        check_keywords(function, name, given, skip=is_method)
        # A method may be one of a class that the user has not named, and a wrapper takes all arguments.
        return _count_arguments(function, name, args, given, is_method) if is_method or is_wrapper else None
    # The package has classes of errors.
    home = type(error).__module__.partition(".")[0]
    is_own = home not in ("builtins", "numpy") and not isinstance(error, SignatureError)
    if is_own or not _is_implicit(error, below):
        return None
    better = _explain(function, args, given, error)
    return None if isinstance(error, SignatureError) and not isinstance(better, TypeError) else better


def explained(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which says what it expects where a call fails at what is inside of it."""

    @functools.wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        try:
            return function(*args, **given)
        except _IMPLICIT as error:
            better = _replace(error, function, args, given)
            try:
                if better is None:
                    # The one that the user has called adds its name.
                    if not sys._getframe(1).f_code.co_filename.startswith(PACKAGE):
                        _add_names(error, function, args, given)
                    raise
                raise better from error
            finally:
                # An error in a local of a frame that its traceback has would keep all of them until a collection.
                del better

    setattr(call, _MARK, call)
    setattr(function, _MARK, call)
    return call


def _name_made(function: types.FunctionType, name: str) -> None:
    """Gives a function that another function has made the name by which users call it, which errors have."""
    if "<locals>" in function.__qualname__ and function.__name__ == function.__code__.co_name:
        function.__name__ = function.__qualname__ = name


def explain_all(
    namespace: Dict[str, Any], names: Iterable[str], methods: Sequence[str] = ("__init__", "__call__")
) -> None:
    """Replaces functions of a namespace by `explained` ones, and these methods of its classes and of what they are
    derived from in the package."""
    for name in names:
        value = namespace[name]
        if isinstance(value, types.FunctionType):
            _name_made(value, name)
            namespace[name] = public_form(value) if hasattr(value, _MARK) else explained(value)
        elif isinstance(value, type) and not issubclass(value, BaseException):
            package = __name__.partition(".")[0]
            for kind, method in itertools.product(value.__mro__, methods):
                own = vars(kind).get(method)
                is_ours = kind.__module__.partition(".")[0] == package
                if is_ours and isinstance(own, types.FunctionType) and not hasattr(own, _MARK):
                    setattr(kind, method, explained(own))


def public_form(value: Any) -> Any:
    """Returns what `explain_all` has put in the place of a function, or the value itself."""
    return getattr(value, _MARK, value) if isinstance(value, types.FunctionType) else value


def public_names(namespace: Mapping[str, Any]) -> List[str]:
    """Returns the names that a module lists, and those that it defines itself without an underscore."""
    own = [name for name, value in namespace.items()
           if not name.startswith("_") and getattr(value, "__module__", None) == namespace["__name__"]]  # fmt: skip
    return list(dict.fromkeys([*namespace.get("__all__", ()), *own]))
