# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tells the modules, classes and functions of the user from those of Python, of libraries and of this package."""

import argparse
import builtins
import gc
import os
import sys
import sysconfig
import threading
import types
from typing import Any, List

from .._native import PACKAGE
from .objects import dict_of, slots_of

# Objects of these have attributes of the user.
_NAMESPACES = (types.SimpleNamespace, argparse.Namespace, threading.local)
_PACKAGES = {"site-packages", "dist-packages"}
_LIBRARIES = tuple({path for key, path in sysconfig.get_paths().items() if "lib" in key} | {"<frozen"})
# The flag of Python's types that are made by a class statement.
_HEAP_TYPE = 1 << 9
# Methods that make an object, or say what it is: none of its numbers becomes one of the function through them.
UNREAD = {"__init__", "__new__", "__post_init__", "__init_subclass__", "__set_name__", "__del__", "__repr__",
          "__str__", "__format__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__hash__",
          "__copy__", "__deepcopy__", "__setattr__", "__delattr__", "__dir__", "__class_getitem__"}  # fmt: skip


def names_in(value: Any) -> List[str]:
    """Returns the names of the attributes of an object that the user has given it, or its class."""
    names = list(dict_of(value) or ()) if not issubclass(type(value), type) else []
    kind = value if issubclass(type(value), type) else type(value)
    if issubclass(kind, threading.local) and kind is not value:
        names += value.__dict__
    names += slots_of(kind) if not issubclass(type(value), type) else []
    for base in kind.__mro__:
        is_users_own = is_users_class(base)
        names += [name for name in base.__dict__ if is_users_own or is_setting(base, name)]
    # Compiled methods are not attributes, nor is the name of a module.
    return [name for name in names if isinstance(name, str) and not name.startswith("<") and name != "_name"]


def dict_of_class(kind: type) -> Any:
    """Returns the dict of a class, behind the proxy that its `__dict__` is."""
    found = gc.get_referents(kind.__dict__)
    return found[0] if len(found) == 1 else None


def is_users(filename: str) -> bool:
    return not (filename.startswith((PACKAGE, *_LIBRARIES)) or _PACKAGES & {*filename.split(os.sep)})


def is_users_module(module: types.ModuleType) -> bool:
    # A lazy module imports what it is asked for.
    values = dict_of(module) or {}
    if values.get("__file__") is None:
        # One that is typed in, or made by a call.
        return values.get("__spec__") is None
    return is_users(values["__file__"])


def special_methods(kind: type) -> List[str]:
    """Returns the names of the methods of a class that operators and calls of its objects run."""
    return [name for base in kind.__mro__ if is_users_class(base) for name, method in base.__dict__.items()
            if name.startswith("__") and name.endswith("__") and name not in UNREAD
            and type(method) is types.FunctionType and method.__code__.co_filename != "<string>"]  # fmt: skip


def is_setting(kind: type, name: str) -> bool:
    """Returns true if a class of a library, itself, has an attribute that is a value of now and no code."""
    if not kind.__flags__ & _HEAP_TYPE or name.startswith("_") or name not in kind.__dict__:
        return False
    value = kind.__dict__[name]
    return not callable(value) and not hasattr(type(value), "__get__") and not is_opaque(kind)


def is_opaque(kind: type) -> bool:
    """Returns true if objects of a class have no attributes of the user: a variable, an optimizer, a type of Python."""
    if issubclass(kind, (*_NAMESPACES, types.FunctionType, types.ModuleType)):
        return False
    name = getattr(kind, "__module__", None) or "builtins"
    return not is_users_class(kind) and (name == "builtins" or f"{name}.".startswith("flywheel."))


def is_users_class(kind: type) -> bool:
    """Returns true if a class is in the code of a user, not in a library."""
    name = getattr(kind, "__module__", None) or "builtins"
    if name == "builtins":
        # Code that is executed without a `__name__` is called so, too.
        return bool(kind.__flags__ & _HEAP_TYPE) and getattr(builtins, kind.__name__, None) is not kind
    module = sys.modules.get(name)
    filename = getattr(module, "__file__", None)
    if filename is None:
        return module is None or name == "__main__"
    return is_users(filename)
