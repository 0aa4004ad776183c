# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of compiling: what each is to be, and those of a traced function."""

import dataclasses
import hashlib
import operator
import os
import re
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .._errors.messages import wrong
from .._flywheel import ModuleOp, _digest, _options

__all__ = ["StepOptions", "bounds_of", "bytes_of", "check_bounds", "check_kinds", "check_names"]


@dataclasses.dataclass(frozen=True)
class StepOptions:
    """The options with which a traced module is compiled; see `function`. Raises TypeError for a value of another
    kind."""

    threads: Optional[int] = None
    target: str = ""
    winograd: bool = False
    check_numerics: bool = False
    memory_budget: Union[int, str, None] = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "memory_budget", bytes_of(self.memory_budget))
        for name, value in vars(self).items():
            check_kinds(**{name: value})
            if _KINDS[name][0] is int and value is not None:
                object.__setattr__(self, name, operator.index(value))

    def given(self) -> Dict[str, Any]:
        """Returns what a compilation is given."""
        return {name: value for name, value in vars(self).items() if value not in (None, "")}

    def key(self, module: ModuleOp) -> str:
        """Returns the key of a module. Equal keys in this process mean programs with equal
        results; they may be for different numbers of threads, if the processors of the process change."""
        workers = os.environ.get("FLYWHEEL_NUM_THREADS", "") if self.threads is None else ""
        parts = [workers, *map(str, vars(self).values()), _digest(module)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


# The type of each option, a value in words, and whether the option may be None.
_KINDS: Dict[str, Tuple[type, str, bool]] = {
    **_options(),
    # A call has a number, of which `bounds_of` makes a list.
    "max_dim_size": (int, _options()["max_dim_size"][1], True),
    "memory_budget": (int, "a number of bytes, such as 65536 or '2MiB',", True),
    "max_batch": (int, "a number", True),
    "opt_level": (int, "0 to 3", False),
    "name": (str, "a string", True),
}


_UNITS = {"": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def bytes_of(given: Any) -> Any:
    """Returns a number of bytes for a text with a unit, such as "2MiB"; another value as it is. Raises ValueError for a
    negative number."""
    found = re.fullmatch(r"(\d+) ?(|KiB|MiB|GiB)", given) if isinstance(given, str) else None
    if isinstance(given, (int, np.integer)) and given < 0:
        raise wrong(ValueError, _KINDS["memory_budget"][1], repr(given), "memory_budget")
    return given if found is None else int(found[1]) * _UNITS[found[2]]


def _check_kind(name: str, value: Any, kind: type, expected: str) -> None:
    if kind is int and not isinstance(value, bool):
        try:
            number = operator.index(value)
        except TypeError:
            raise wrong(TypeError, expected, repr(value), name) from None
        if not -(2**63) <= number < 2**63:
            raise wrong(ValueError, expected, f"{value!r}, which has more than 64 bits", name)
    elif kind is int or not isinstance(value, kind):
        raise wrong(TypeError, expected, repr(value), name)


def check_kinds(**options: Any) -> None:
    """Raises TypeError for an option that is of another kind than it is to be, ValueError for a number
    that is none of 64 bits. None is one that is not given."""
    for name, value in options.items():
        kind, expected, is_optional = _KINDS[name]
        value = bytes_of(value) if name == "memory_budget" else value
        if value is None and is_optional:
            continue
        if kind is list:
            is_list = isinstance(value, Sequence) and not isinstance(value, (str, bytes))
            if not is_list or not all(isinstance(one, str) for one in value):
                raise wrong(TypeError, expected, repr(value), name)
        else:
            _check_kind(name, value, kind, expected)


def check_bounds(name: str, given: Optional[Mapping[str, int]]) -> Dict[str, int]:
    """A copy of what `name` says of sizes; None says nothing. Raises as `check_kinds`."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise wrong(TypeError, "a dict from sizes to numbers", repr(given), name)
    for size, number in given.items():
        _check_kind(f"a key of {name}", size, str, "the name of a size")
        _check_kind(f"{name}[{size!r}]", number, int, "a number")
    return dict(given)


def bounds_of(others: Optional[int], named: Mapping[str, int]) -> Optional[List[str]]:
    """Returns the bounds of dimension sizes as `max_dim_size` of a compilation: of all, and of some by name."""
    texts = [] if others is None else [str(operator.index(others))]
    return [*texts, *(f"{name}={operator.index(bound)}" for name, bound in named.items())] or None


def check_names(**lists: Any) -> None:
    """Raises TypeError for a value that is not a list of strings."""
    for name, given in lists.items():
        is_list = isinstance(given, Sequence) and not isinstance(given, (str, bytes))
        if not is_list or not all(isinstance(one, str) for one in given):
            raise wrong(TypeError, "a list of strings", repr(given), name)
