# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments of an op of aten: which of them its translation reads, so that none is dropped."""

import inspect
from typing import Any, Callable, Dict, Iterator, List, Mapping, Sequence, Set, Tuple

import torch

# The result that PyTorch says has these already. None of them says where or how elements are stored here.
_SEEN_IN_RESULT = frozenset(("dtype", "device", "pin_memory", "memory_format", "non_blocking"))


class Arguments:
    """The arguments that a call gives, or that are the op's defaults, by their names in its schema."""

    def __init__(self, schema: Any, positional: Sequence[Any], named: Mapping[str, Any]):
        self.schema = schema.arguments
        self._values = {one.name: one.default_value for one in self.schema}
        self._values.update(zip((one.name for one in self.schema), positional))
        self._values.update(named)
        self._read: Set[str] = set()

    def read(self, name: str) -> Any:
        """The value of an argument; None where the op has no such argument."""
        self._read.add(name)
        return self._values.get(name)

    def names(self) -> List[str]:
        return [one.name for one in self.schema]

    def mapped(self, function: Callable[[str, Any], Any]) -> "Arguments":
        """The same arguments with other values, functions of their names and values. Those that are read of the result
        are read of these too."""
        result = Arguments.__new__(Arguments)
        result.schema, result._read = self.schema, self._read
        result._values = {name: function(name, value) for name, value in self._values.items()}
        return result

    def find_dropped(self, without: Sequence[str]) -> Iterator[Tuple[str, Any]]:
        """The arguments that nothing read and that are not what they are by default."""
        for one in self.schema:
            if one.name in self._read or one.name in without or one.name in _SEEN_IN_RESULT:
                continue
            value = self._values[one.name]
            if not _is_default(one, value):
                yield one.name, value


def _is_default(argument: Any, value: Any) -> bool:
    if argument.name == "layout":
        return value is None or value == torch.strided
    if not argument.has_default_value():
        return False
    default = argument.default_value
    return type(value) is type(default) and bool(value == default)


class Handler:
    """The translation of an op: a function of the call and of arguments of the op.

    Parameters that are keywords only have the name of an argument in the op's schema. The others take the arguments
    that the schema has in order, and then its keywords by their names.
    """

    def __init__(self, function: Callable[..., Any], without: Sequence[str]):
        self.function = function
        self.without: Tuple[str, ...] = tuple(without)
        self._places: List[str] = []
        self._names: List[str] = []
        for one in list(inspect.signature(function).parameters.values())[1:]:
            if one.kind is one.KEYWORD_ONLY:
                self._names.append(one.name)
            elif one.kind is one.POSITIONAL_OR_KEYWORD:
                self._places.append(one.name)
            else:
                raise TypeError(f"{function.__name__} takes {one}: an argument would be dropped unseen")

    def bind(self, arguments: Arguments) -> Dict[str, str]:
        """Returns the argument that each parameter of the function takes."""
        known = [one.name for one in arguments.schema]
        bound = {name: name for name in self._names if name in known}
        ordered = [one.name for one in arguments.schema if not one.kwarg_only and one.name not in bound]
        bound.update(zip(self._places, ordered))
        bound.update({name: name for name in self._places[len(ordered) :] if name in known and name not in ordered})
        return bound

    def translate(self, call: Any, arguments: Arguments) -> Any:
        """Translates a call by the function."""
        return self.function(call, **{own: arguments.read(name) for own, name in self.bind(arguments).items()})
