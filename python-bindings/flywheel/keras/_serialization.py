# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations: what objects are made of, in forms that JSON has."""

from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .._errors.contracts import public_form
from .._errors.hints import nearest

# Classes and functions of programs, by their names, while something is loaded.
_custom: Dict[str, Any] = {}


@contextmanager
def custom_object_scope(*objects: Optional[Mapping[str, Any]]) -> Iterator[None]:
    """Gives names to classes and functions that configurations refer to."""
    global _custom
    before = _custom
    _custom = dict(before)
    for given in objects:
        _custom.update(given or {})
    try:
        yield
    finally:
        _custom = before


def custom_objects() -> Dict[str, Any]:
    """The dict of what has a name now; changes of it last until the scope ends."""
    return _custom


# The number of elements that weights may still have, while a model is made of a file: up to the bytes of the file.
_elements_left: ContextVar[Optional[int]] = ContextVar("_elements_left", default=None)


@contextmanager
def limit_elements(count: int) -> Iterator[None]:
    """Weights that are made in this block have at most `count` elements together."""
    token = _elements_left.set(count)
    try:
        yield
    finally:
        _elements_left.reset(token)


def take_elements(what: str, shape: Sequence[int]) -> None:
    """Counts the elements of a weight before it is made. Raises ValueError for more than there may be."""
    left, count = _elements_left.get(), 1
    if left is None:
        return
    for dim_size in shape:
        count *= int(dim_size)
    if count > left:
        raise ValueError(f"{what} of the shape {tuple(shape)} has more elements than the file has bytes")
    _elements_left.set(left - count)


# True if functions may be made of the code in configurations.
_allows_code: ContextVar[bool] = ContextVar("_allows_code", default=True)


# True if the program trusts all files that it loads.
_trusts_files = False


def trust_files() -> None:
    """Lets configurations of files have code, which using the model executes."""
    global _trusts_files
    _trusts_files = True


@contextmanager
def loads_code(allowed: bool) -> Iterator[None]:
    """Says if configurations in this block may have code: those of files that others wrote may not."""
    token = _allows_code.set(allowed or _trusts_files)
    try:
        yield
    finally:
        _allows_code.reset(token)


# True if configurations have functions as they are: those of copies in the same process.
_keeps_functions: ContextVar[bool] = ContextVar("_keeps_functions", default=False)


@contextmanager
def keeping_functions() -> Iterator[None]:
    """Configurations that are made in this block have functions in place of their names or code."""
    token = _keeps_functions.set(True)
    try:
        yield
    finally:
        _keeps_functions.reset(token)


def allows_code() -> bool:
    return _allows_code.get()


def keeps_functions() -> bool:
    return _keeps_functions.get()


class Configured:
    """An object with a configuration: attributes with the names of arguments of the constructor."""

    arguments: Tuple[str, ...] = ()

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such an object."""
        return {key: plain(getattr(self, key)) for key in argument_names(type(self))}

    @classmethod
    def from_config(cls, config: Dict[str, Any]) -> Any:
        """An object of what `get_config` gave."""
        return cls(**config)


def argument_names(kind: type) -> List[str]:
    """The arguments that a class and those it is derived from name."""
    found: List[str] = []
    for one in reversed(kind.__mro__):
        found += [key for key in vars(one).get("arguments", ()) if key not in found]
    return found


def plain(value: Any) -> Any:
    """A value as JSON has it: objects by their configurations, functions by their names."""
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    if isinstance(value, (list, tuple)):
        return [plain(x) for x in value]
    if isinstance(value, dict):
        return {key: plain(x) for key, x in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if callable(value) and _keeps_functions.get():
        return value
    if callable(value):
        name = getattr(value, "__name__", "<lambda>")
        if name == "<lambda>":
            raise ValueError(f"{value!r} has no name to be saved by: define it as a function or a class")
        return name
    return value


def find(name: str, known: Mapping[str, Any], what: str) -> Any:
    """Returns a class or function by its name. Raises ValueError for an unknown name."""
    found = _custom.get(name, known.get(name))
    if found is None:
        raise ValueError(f"Unknown {what}: {name}{nearest(str(name), [*map(str, known), *map(str, _custom)])}")
    return public_form(found)


def build(config: Mapping[str, Any], known: Mapping[str, Any], what: str) -> Any:
    """The object of a configuration {"class_name", "config"}."""
    if "class_name" not in config:
        raise ValueError(f"Improper config format of a {what}: {config}")
    kind = find(config["class_name"], known, what)
    own = config.get("config") or {}
    own = dict(own) if isinstance(own, Mapping) else own
    return kind.from_config(own) if hasattr(kind, "from_config") else kind(**own)


def serialize_keras_object(instance: Any) -> Any:
    """Returns the configuration of an object, the name of a function, or None of None. Raises ValueError for an object
    that has neither."""
    if instance is None or hasattr(instance, "get_config") or callable(instance):
        return plain(instance)
    if hasattr(instance, "__name__"):
        return instance.__name__
    raise ValueError("Cannot serialize", instance)


def deserialize_keras_object(
    identifier: Any, module_objects: Optional[Mapping[str, Any]] = None, custom_objects: Any = None,
    printable_module_name: str = "object",
) -> Any:  # fmt: skip
    """Returns the object of a configuration {"class_name", "config"}, or the function of a name. Raises ValueError for
    a name that is neither in `module_objects` nor custom, and for anything else."""
    with custom_object_scope(custom_objects):
        if isinstance(identifier, dict):
            return build(identifier, module_objects or {}, printable_module_name)
        if isinstance(identifier, str):
            return find(identifier, module_objects or {}, printable_module_name)
    raise ValueError(f"Could not interpret serialized {printable_module_name}: {identifier}")


def serializers(known: Mapping[str, Any], what: str) -> Tuple[Callable[[Any], Any], Callable[..., Any]]:
    """Returns the functions `serialize` and `deserialize` of a module, whose classes and functions are `known`."""

    def serialize(instance: Any) -> Any:
        return serialize_keras_object(instance)

    def deserialize(config: Any, custom_objects: Any = None) -> Any:
        return deserialize_keras_object(config, known, custom_objects, what)

    serialize.__doc__ = f"Returns the configuration or the name of {what}. Raises ValueError for one that has neither."
    deserialize.__doc__ = (f"Returns {what} of what `serialize` returned. Raises ValueError for a name that is neither "
                           "known nor custom.")  # fmt: skip
    return serialize, deserialize
