# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nested tuples, lists, dicts and data classes of values, flat and back."""

import contextlib
import dataclasses
import threading
import types
import weakref
from collections import OrderedDict, defaultdict
from typing import Any, Callable, Dict, Hashable, Iterator, List, Sequence, Tuple

import numpy as np

from .identity import is_hashable
from .members import Members
from .tensor import Tensor

LEAF = "*"
_MAPPINGS = (dict, OrderedDict, defaultdict)
Spec = Hashable


class _Keys(Tuple[Any, ...]):
    """The keys of a dict, sorted: dicts of equal keys have one form. `order` has them as the dict does."""

    order: Tuple[Any, ...]


class Whole:
    """An object that trees keep as it is, without leaves: a module, whose variables are not values of a tree."""

    def _parameters(self) -> Any:
        """Returns a tree of the tensors for derivatives with respect to the object."""
        raise NotImplementedError


class _Kept:
    """A `Whole` or a variable in a form: equal to itself only, whatever its class compares, and not kept alive."""

    __slots__ = ("_id", "_reference", "_what")

    def __init__(self, value: Any) -> None:
        self._id, self._reference, self._what = id(value), weakref.ref(value), type(value).__name__

    @property
    def value(self) -> Any:
        found = self._reference()
        if found is None:
            raise ReferenceError(f"the {self._what} that this tree was made of no longer exists")
        return found

    @property
    def reference(self) -> "weakref.ref[Any]":
        return self._reference

    @property
    def what(self) -> str:
        return self._what

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        mine = self._reference()
        return mine is not None and isinstance(other, _Kept) and other._reference() is mine

    def __hash__(self) -> int:
        return self._id


class _Open(threading.local):
    """The objects whose attributes are being taken apart: one that leads back to it is kept as it is."""

    def __init__(self) -> None:
        self.ids: List[int] = []


_open = _Open()


def flatten(tree: Any) -> Tuple[List[Any], Spec]:
    """The leaves in order, and what else there is to the tree, which is hashable.

    Tuples (also named ones), lists and dicts are nodes, and so are an OrderedDict, a
    defaultdict, and objects of data classes that have arrays or cannot be hashed; of their attributes that are no
    fields only arrays are leaves, and the form has the others. The leaves of a dict are
    in the order of its sorted keys, but for those of an OrderedDict; None and a `Whole` have no leaves.
    """
    leaves: List[Any] = []
    return leaves, _flatten(tree, leaves)


def _flatten(tree: Any, leaves: List[Any]) -> Spec:
    if tree is None:
        return None
    if isinstance(tree, Whole):
        return (Whole, _Kept(tree))
    kind = type(tree)
    if kind is Members:
        kind = list
    if kind is tuple or kind is list or (isinstance(tree, tuple) and hasattr(tree, "_fields")):
        return (kind, tuple(_flatten(child, leaves) for child in tree))
    if kind in _MAPPINGS:
        keys = tuple(tree) if kind is OrderedDict else _Keys(_sorted(tree))
        if isinstance(keys, _Keys):
            keys.order = tuple(tree)
        children = tuple(_flatten(tree[key], leaves) for key in keys)
        return (kind, keys, children, tree.default_factory) if kind is defaultdict else (kind, keys, children)
    if dataclasses.is_dataclass(kind) and id(tree) not in _open.ids and not kind.__module__.startswith("flywheel."):
        own: List[Any] = []
        fields = tuple(_flatten(getattr(tree, field.name), own) for field in dataclasses.fields(tree))
        # One of numbers and names is an argument like them: settings, of which each value has a trace.
        if any(map(_is_array, own)) or not is_hashable(tree):
            leaves += own
            others = _others(tree)
            _open.ids.append(id(tree))
            try:
                return (kind, (*fields, *(_flatten_other(value, leaves) for value in others.values())), tuple(others))
            finally:
                _open.ids.pop()
    leaves.append(tree)
    return LEAF


class _Constant:
    """A value in a form: a number or a text, or another object, which is equal to itself only."""

    __slots__ = ("_key", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        is_plain = isinstance(value, (bool, int, float, complex, str, bytes, np.generic))
        self._key = (type(value), repr(value) if is_plain else id(value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Constant) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


class _Other:
    """The first part of the form of an attribute that is not a field: only its arrays are leaves."""


def _others(tree: Any) -> Dict[str, Any]:
    """Returns the attributes of an object of a data class that are not fields: `__post_init__` or another class has set
    them."""
    fields = {field.name for field in dataclasses.fields(tree)}
    found = {name: value for name, value in getattr(tree, "__dict__", {}).items() if name not in fields}
    for kind in type(tree).__mro__:
        for name, member in vars(kind).items() if "__slots__" in vars(kind) else ():
            if isinstance(member, types.MemberDescriptorType) and member.__name__ not in fields:
                with contextlib.suppress(AttributeError):
                    found[name] = member.__get__(tree, type(tree))
    return found


def _flatten_other(value: Any, leaves: List[Any]) -> Spec:
    own: List[Any] = []
    spec = _flatten(value, own)
    leaves += [one for one in own if _is_array(one)]
    return (_Other, (spec,), tuple(LEAF if _is_array(one) else _constant(one) for one in own))


def _constant(value: Any) -> Any:
    # A form keeps no variable.
    return _Kept(value) if type(value).__module__.startswith("flywheel.") else _Constant(value)


def _is_array(value: Any) -> bool:
    # Variables are objects that a trace reads.
    return isinstance(value, np.ndarray) or hasattr(value, "__dlpack__") or _is_tensor(value)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def orders(spec: Any) -> Hashable:
    """The orders of the keys of all dicts of a form, which code may read; forms are equal whatever they are."""
    if spec is None or spec == LEAF or spec[0] is Whole:
        return None
    own = spec[1].order if isinstance(spec[1], _Keys) else None
    return own, tuple(orders(child) for child in _children(spec))


def _children(spec: Any) -> Tuple[Any, ...]:
    found: Tuple[Any, ...] = spec[2] if spec[0] in _MAPPINGS else spec[1]
    return found


def _sorted(keys: Any) -> Tuple[Any, ...]:
    """Sorts keys in one order each time, also if they are of several types."""
    try:
        return tuple(sorted(keys))
    except TypeError:
        return tuple(sorted(keys, key=lambda key: (type(key).__name__, repr(key))))


def is_mapping(spec: Any) -> bool:
    """Returns true if the root of a tree is a dict of some kind."""
    return isinstance(spec, tuple) and spec[0] in _MAPPINGS


def unflatten(spec: Spec, leaves: Sequence[Any]) -> Any:
    """The tree that `flatten` took apart, with these leaves."""
    return _unflatten(spec, iter(leaves))


def _unflatten(spec: Any, leaves: Iterator[Any], of_whole: Callable[[Whole], Any] = lambda whole: whole) -> Any:
    if spec is None:
        return None
    if spec == LEAF:
        return next(leaves)
    if spec[0] is Whole:
        return of_whole(spec[1].value)
    if spec[0] in _MAPPINGS:
        found = {key: _unflatten(child, leaves, of_whole) for key, child in zip(spec[1], spec[2])}
        items = [(key, found[key]) for key in getattr(spec[1], "order", spec[1])]
        return defaultdict(spec[3], items) if spec[0] is defaultdict else spec[0](items)
    if spec[0] is _Other:
        own = [next(leaves) if one == LEAF else one.value for one in spec[2]]
        return _unflatten(spec[1][0], iter(own), of_whole)
    children = [_unflatten(child, leaves, of_whole) for child in spec[1]]
    if spec[0] is list:
        return children
    if dataclasses.is_dataclass(spec[0]):
        made: Any = object.__new__(spec[0])  # type: ignore[arg-type]
        for name, child in zip(_attributes(spec), children):
            object.__setattr__(made, name, child)
        return made
    return tuple(children) if spec[0] is tuple else spec[0](*children)


def map_leaves(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """The tree with `function` of each leaf, and of those in its place in other
    trees of the same form. Raises ValueError for another form."""
    leaves, spec = flatten(tree)
    columns = [leaves]
    for other in others:
        more, form = flatten(other)
        if form != spec:
            raise ValueError(f"expected trees of one form, found {describe(spec)} and {describe(form)}")
        columns.append(more)
    return unflatten(spec, [function(*row) for row in zip(*columns)])


def wholes(spec: Any) -> List["weakref.ref[Whole]"]:
    """References to what a form has as it is."""
    if spec is None or spec == LEAF:
        return []
    if spec[0] is Whole:
        return [spec[1].reference]
    return [one for child in _children(spec) for one in wholes(child)]


def with_parameters(tree: Any) -> Any:
    """The tree with, in place of each `Whole`, the tree of what derivatives with respect to it are of."""
    leaves, spec = flatten(tree)
    return _unflatten(spec, iter(leaves), lambda whole: whole._parameters())


def describe(spec: Any) -> str:
    """A form for people: `(*, {'w': *})`."""
    if spec is None or spec == LEAF:
        return str(spec)
    if spec[0] is Whole:
        return str(spec[1].what)
    if spec[0] in _MAPPINGS:
        return "{" + ", ".join(f"{key!r}: {describe(child)}" for key, child in zip(spec[1], spec[2])) + "}"
    if spec[0] is _Other:
        return describe(spec[1][0])
    if dataclasses.is_dataclass(spec[0]):
        fields = zip(_attributes(spec), spec[1])
        return f"{_name_of(spec[0])}({', '.join(f'{name}={describe(child)}' for name, child in fields)})"
    inner = ", ".join(describe(child) for child in spec[1])
    return f"[{inner}]" if spec[0] is list else f"({inner})"


def names(spec: Any, prefix: str) -> List[str]:
    """A name for each leaf: the prefix, and the keys and positions on the way."""
    if spec is None:
        return []
    if spec == LEAF:
        return [prefix]
    if spec[0] is Whole:
        return []
    if spec[0] is _Other:
        return [name for name, one in zip(names(spec[1][0], prefix), spec[2]) if one == LEAF]
    keys: Sequence[Any] = spec[1] if spec[0] in _MAPPINGS else range(len(spec[1]))
    if dataclasses.is_dataclass(spec[0]):
        keys = _attributes(spec)
    return [name for key, child in zip(keys, _children(spec)) for name in names(child, f"{prefix}_{key}")]


def _attributes(spec: Any) -> List[str]:
    """The names of the attributes of an object of a data class that a form has."""
    return [*(field.name for field in dataclasses.fields(spec[0])), *spec[2]]


def _name_of(kind: Any) -> str:
    return str(kind.__name__)
