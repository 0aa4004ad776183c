# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules: trees of variables."""

import copy
import re
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Set, Tuple, TypeVar, Union

import numpy as np

from ._captures import module_reads as _module_reads
from ._core import dtypes as _dtypes
from ._core import trace as _trace
from ._core import tree as _tree
from ._core.annotations import Array, Path
from ._core.members import Members
from ._core.tensor import format_shape
from ._errors.hints import ConstructorSignature, attribute_error, check_keywords, explain_attribute, is_own_attribute
from ._errors.other_frameworks import MODULE
from .namespace import Name, Namespace, current_namespace
from .store import current_store
from .variables import Variable, convert

__all__ = ["Module"]

Member = Union["Module", Variable]
Keys = Tuple[Any, ...]
Self = TypeVar("Self", bound="Module")
# Attributes of other frameworks' modules that switch something there, and what does so here.
_WITHOUT_EFFECT = {"trainable": "freeze() and unfreeze()", "requires_grad": "freeze() and unfreeze()",
                   "training": MODULE["training"]}  # fmt: skip
_VALUES = (np.ndarray, np.generic, bool, int, float, complex, str, bytes, list, tuple, dict)
_PACKAGE = __name__.split(".", 1)[0] + "."


def _make_refusal(name: str) -> Callable[..., Any]:
    def refuse(self: Any, *args: Any, **given: Any) -> Any:
        kind = type(self).__name__
        raise TypeError(f"a call of a {kind} is one of its method '__call__', found '{name}' alone: call that by its "
                        "name, or rename it")  # fmt: skip

    return refuse


class Module(_tree.Whole):
    """A tree of variables: what a class of a model derives from.

        class Block(fw.Module):
            def __init__(self, width):
                self.norm = fw.nn.LayerNorm(width)
                self.wide, self.narrow = fw.nn.Dense(width, 4 * width), fw.nn.Dense(4 * width, width)

            def __call__(self, x):
                return x + self.narrow(fw.nn.gelu(self.wide(self.norm(x))))

    Its members are the variables and modules among its attributes, and those in lists, tuples and dicts of them. The
    path of a variable is that to it from the module, `blocks/0/wide/kernel`; one that several paths lead to has the
    first of them, in the order of attributes, and is one variable. A variable that was given no name is called by its
    path from the outermost module, and that by its class, made unique: `Model/blocks/0/wide/kernel`. Names are given
    when somebody asks for one: the first call of a function does.

    A module has no mode: training and use differ by an argument of the call (`model(x, training=True)`).
    As an argument of a traced function it is what it is, without a value; a gradient with respect to it
    (`fw.grad(loss)(model, x)`) is an OrderedDict of those of its parameters, by path.

    `copy.deepcopy(model)` is another module with variables of its own, which begin with the values of now. Raises
    ValueError for a key that cannot be part of a name, TypeError for a set of members, when the tree is looked at.
    """

    _name: Name
    __signature__ = ConstructorSignature()

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if (getattr(cls.__init__, "__module__", None) or "").startswith(_PACKAGE):
            check_keywords(cls.__init__, cls.__name__, kwargs, skip=1)
        made = super().__new__(cls)
        made._enter(current_namespace(), cls.__name__)
        return made

    def _enter(self, namespace: Namespace, wanted: str) -> None:
        self.__dict__["_name"] = namespace.name(wanted, is_open=True, kind=type(self))
        namespace.add_tree(self)

    def __getattribute__(self, key: str) -> Any:
        # Nearly all reads are outside of traces.
        if _trace._stack.traces and not key.startswith("__"):
            _module_reads.note(self, key)
        return super().__getattribute__(key)

    if not TYPE_CHECKING:

        def __getattr__(self, key):
            """Raises AttributeError, and says what stands here for an attribute of another framework's modules."""
            explain_attribute(self, key, MODULE)
            return super().__getattribute__(key)

    def __init_subclass__(cls, **given: Any) -> None:
        """Has calls of a class say that they are those of `__call__`, if it has another framework's name for that."""
        super().__init_subclass__(**given)
        name = next((one for one in ("forward", "call") if hasattr(cls, one)), None)
        if name is not None and not any("__call__" in vars(base) for base in cls.__mro__):
            setattr(cls, "__call__", _make_refusal(name))  # noqa: B010

    def __setattr__(self, key: str, value: Any) -> None:
        if key in _WITHOUT_EFFECT or isinstance(self.__dict__.get(key), (Module, Variable)):
            self._check_set(key, value)
        _module_reads.forget_readers(self, key, value)
        super().__setattr__(key, value)
        self._name.unsettle()

    def _check_set(self, key: str, value: Any) -> None:
        """Raises AttributeError for an attribute that nothing would read, and TypeError for a value in place of a
        variable or a module."""
        if key in _WITHOUT_EFFECT and not hasattr(type(self), key) and not is_own_attribute(self, key):
            hint = f"; instead: {_WITHOUT_EFFECT[key]}"
            raise attribute_error(f"'{type(self).__name__}' has no attribute '{key}' to set{hint}", key, hint)
        old = self.__dict__.get(key)
        if isinstance(old, (Module, Variable)) and isinstance(value, _VALUES) and not any(self._find((key,), value)):
            is_variable = isinstance(old, Variable)
            remedy = "its set(x), or assign(x) in a traced function, gives it another value" if is_variable else (
                "its load_state_dict(state) gives it other values")  # fmt: skip
            raise TypeError(f"'{key}' of a {type(self).__name__} is a {type(old).__name__}, found a "
                            f"{type(value).__name__} in its place: {remedy}")  # fmt: skip

    def __delattr__(self, key: str) -> None:
        _module_reads.forget_readers(self, key)
        super().__delattr__(key)

    @property
    def name(self) -> str:
        """The prefix of the names of its variables: the name of the outermost module and the path from there. It may be
        set before it is asked for; setting it later raises ValueError."""
        return self._name.text

    @name.setter
    def name(self, wanted: str) -> None:
        if self._name.has_text:
            raise ValueError(f"'{self.name}' is in use: name a module before its variables are used or their names "
                             "asked for")  # fmt: skip
        self._enter(self._name.namespace, wanted)

    # The tree

    def _members(self) -> Iterator[Tuple[Keys, Member]]:
        """Yields modules and variables that belong to no inner module, with the keys on the way there."""
        if _trace._stack.traces:
            _module_reads.note(self, _module_reads.TREE)
        for key, value in list(super().__getattribute__("__dict__").items()):
            # Compiled methods are not members.
            if not key.startswith("<"):
                yield from self._find((key,), value)

    def _find(self, keys: Keys, value: Any) -> Iterator[Tuple[Keys, Member]]:
        if isinstance(value, (Module, Variable)):
            yield keys, value
        elif isinstance(value, (list, tuple)):
            for place, one in enumerate(list(value)):
                yield from self._find((*keys, place), one)
        elif isinstance(value, dict):
            texts: Dict[str, Any] = {}
            for key, one in list(value.items()):
                found = list(self._find((*keys, key), one))
                if found and texts.setdefault(str(key), key) is not key:
                    raise ValueError(f"keys {texts[str(key)]!r} and {key!r} of '{keys[-1]}' of a {type(self).__name__} "
                                     "are one in a name")  # fmt: skip
                yield from found
        elif isinstance(value, (set, frozenset)) and any(isinstance(one, (Module, Variable)) for one in value):
            raise TypeError(f"'{keys[-1]}' of a {type(self).__name__} is a set, whose members have no order and so no "
                            "names: use a list or a dict")  # fmt: skip

    def _may_grow(self) -> bool:
        return _may_grow(tuple(vars(self).values()))

    def _path(self, keys: Keys) -> str:
        """Raises ValueError for a key that cannot be part of a name."""
        texts = [str(key) for key in keys]
        for place, text in enumerate(texts):
            if not text or re.search(r"[\s/:^]", text):
                whole = f" of '{keys[place - 1]}'" if place else ""
                raise ValueError(f"key {keys[place]!r}{whole} of a {type(self).__name__} is not part of a valid name: "
                                 "expected no spaces, '/', ':' or '^', and something")  # fmt: skip
        return "/".join(texts)

    def _walk(self, prefix: str, seen: Set[int]) -> Iterator[Tuple[str, Member]]:
        yield prefix, self
        for keys, member in self._members():
            if id(member) in seen:
                continue
            seen.add(id(member))
            path = self._path(keys)
            where = f"{prefix}/{path}" if prefix else path
            if isinstance(member, Module):
                yield from member._walk(where, seen)
            else:
                yield where, member

    def named_modules(self) -> Dict[str, "Module"]:
        """All modules of the tree by path, this one (with the path '') first."""
        return {path: member for path, member in self._walk("", {id(self)}) if isinstance(member, Module)}

    def named_variables(self) -> Dict[str, Variable]:
        """All variables of the tree by path."""
        return {path: member for path, member in self._walk("", {id(self)}) if isinstance(member, Variable)}

    def named_parameters(self) -> Dict[str, Variable]:
        """The trainable variables by path: without statistics, counters and what is frozen."""
        return {path: variable for path, variable in self.named_variables().items() if variable.trainable}

    def variables(self) -> List[Variable]:
        """All variables of the tree, in the order of paths: that of attributes."""
        return Members(self.named_variables().values())

    def parameters(self) -> List[Variable]:
        """The trainable variables, as `optimizer.minimize(loss, model.parameters())` takes them; see
        `named_parameters`."""
        return Members(self.named_parameters().values())

    def _parameters(self) -> Any:
        return OrderedDict((path, variable) for path, variable in self.named_parameters().items()
                           if _dtypes.is_floating(variable.dtype))  # fmt: skip

    # Training

    def freeze(self) -> None:
        """Makes the parameters of the tree not trainable: optimizers leave them alone, and no gradient of them is
        computed. Functions that use them are traced again."""
        for variable in self.parameters():
            variable.trainable = False
            variable._is_frozen = True

    def unfreeze(self) -> None:
        """Makes what `freeze` has frozen trainable again."""
        for variable in self.variables():
            if variable._is_frozen:
                variable.trainable = True

    # Values

    def _saved(self) -> Dict[str, Variable]:
        """Returns the variables of the model's state: not those that last for some calls, such as caches."""
        return {path: variable for path, variable in self.named_variables().items() if variable.is_global}

    def state_dict(self) -> Dict[str, Array]:
        """Copies of the values in the current store by path, of all variables of the collection GLOBAL."""
        saved = self._saved()
        # One program for all, in place of one for each.
        current_store()._provide(list(saved.values()))
        return {path: variable.numpy() for path, variable in saved.items()}

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> None:
        """Sets the values in the current store to those of `state_dict` of a module of this form.

        Raises ValueError for paths that are missing or too many (unless not `strict`), or for another shape, and
        TypeError for another dtype; nothing has changed then.
        """
        own = self._saved()
        missing, unknown = [path for path in own if path not in state], [path for path in state if path not in own]
        if strict and (missing or unknown):
            parts = [f"without {', '.join(missing)}"] * bool(missing) + [f"with {', '.join(unknown)}"] * bool(unknown)
            raise ValueError(f"expected the variables of {type(self).__name__}, found a state {' and '.join(parts)}")
        values: List[Tuple[Variable, Array]] = []
        for path, variable in own.items():
            if path in state:
                try:
                    value = convert(state[path], variable.dtype)
                except TypeError as error:
                    raise TypeError(f"the value of '{path}': {error}") from None
                if value.shape != variable.shape:
                    raise ValueError(f"expected a value of shape {format_shape(variable.shape)} for '{path}', found "
                                     f"{format_shape(value.shape)}")  # fmt: skip
                values.append((variable, value))
        for variable, value in values:
            variable.set(value)

    def save(self, path: Path) -> None:
        """Writes a checkpoint (safetensors) with what `state_dict` gives. Raises OSError."""
        current_store().save(path, self._saved())

    def load(self, path: Path) -> None:
        """Reads a checkpoint that `save` of a module of this form wrote. Raises NotFoundError for a missing file or
        path, InvalidArgumentError for another dtype or shape, DataLossError; nothing has changed then."""
        current_store().restore(path, self._saved())

    # Copies

    def __copy__(self: Self) -> Self:
        made: Self = type(self).__new__(type(self))
        own = {key: value for key, value in vars(self).items() if key not in ("_name", _module_reads.READERS)}
        made.__dict__.update(own)
        return made

    def __deepcopy__(self: Self, memo: Dict[int, Any]) -> Self:
        if _trace.is_tracing():
            raise TypeError(f"'{self.name}' is copied before a function is traced, not in it: its variables would be "
                            "others each time")  # fmt: skip
        own = self.variables()
        # All at once, and named before copies are that are not in their places yet.
        if not all(variable._name.has_text and variable.is_initialized() for variable in own):
            current_store()._provide(own)
        made: Self = type(self).__new__(type(self))
        memo[id(self)] = made
        for key, value in list(vars(self).items()):
            if key not in ("_name", _module_reads.READERS):
                made.__dict__[key] = copy.deepcopy(value, memo)
        return made

    def __reduce__(self) -> Any:
        raise TypeError(f"modules are not pickled: save the values of this {type(self).__name__} with its method save, "
                        "and make it anew")  # fmt: skip

    # Text

    def __repr__(self) -> str:
        return "\n".join(self._lines("", type(self).__name__, {id(self)}))

    def _lines(self, indent: str, title: str, seen: Set[int]) -> Iterator[str]:
        own = self.variables()
        counts = [sum(int(np.prod(v.shape, dtype=np.int64)) for v in own if v.trainable is kind)
                  for kind in (True, False)]  # fmt: skip
        rest = f", {counts[1]:,} not trainable" if counts[1] else ""
        yield f"{indent}{title}: {counts[0]:,} parameters{rest}" if own else f"{indent}{title}"
        for keys, member in self._members():
            path, known = self._path(keys), id(member) in seen
            seen.add(id(member))
            if known:
                yield f"{indent}  {path}: see above"
            elif isinstance(member, Module):
                yield from member._lines(f"{indent}  ", f"{path}: {type(member).__name__}", seen)
            else:
                kind = "" if member.trainable else ", not trainable"
                shape = ", ".join(map(str, member.shape))
                yield f"{indent}  {path}: {_dtypes.name_of(member.dtype)}[{shape}]{kind}"


def _may_grow(value: Any) -> bool:
    """Returns true if something may be added to a value."""
    return isinstance(value, (list, dict)) or (isinstance(value, tuple) and any(map(_may_grow, value)))
