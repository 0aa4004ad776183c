# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of compiling: what each is to be, and those of a traced function."""

import dataclasses
import hashlib
import operator
import os
from typing import Any, Dict, Mapping, Optional, Sequence

from ._flywheel import ModuleOp, _digest

__all__ = ["StepOptions", "check_bounds", "check_kinds", "check_names"]


@dataclasses.dataclass(frozen=True)
class StepOptions:
    """The options with which a traced module is compiled; see `function`. Raises TypeError for a value of another
    kind."""

    threads: Optional[int] = None
    target: str = ""
    winograd: bool = False
    check_numerics: bool = False
    memory_budget: Optional[int] = None

    def __post_init__(self) -> None:
        check_kinds(threads=self.threads, winograd=self.winograd, check_numerics=self.check_numerics,
                    memory_budget=self.memory_budget, target=self.target)  # fmt: skip
        for name in ("threads", "memory_budget"):
            number = getattr(self, name)
            object.__setattr__(self, name, None if number is None else operator.index(number))

    def key(self, module: ModuleOp) -> str:
        """Returns the key of a module. Equal keys in this process mean equal programs."""
        workers = os.environ.get("FLYWHEEL_NUM_THREADS", "") if self.threads is None else str(self.threads)
        options = [self.target, self.winograd, self.check_numerics, self.memory_budget]
        parts = [workers, *map(str, options), _digest(module)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


# The type of each option, that type in words, and whether the option may be None.
_KINDS = {
    "threads": (int, "a number of threads", True),
    "memory_budget": (int, "a number of bytes", True),
    "min_shared_work": (int, "a number of operations", False),
    "max_dim_size": (int, "a number, or a dict from sizes to numbers,", True),
    "max_batch": (int, "a number", True),
    "opt_level": (int, "0 to 3", False),
    "winograd": (bool, "True or False", False),
    "check_numerics": (bool, "True or False", False),
    "profile": (bool, "True or False", False),
    "target": (str, "a string such as 'cuda:sm_90a'", True),
    "cpu": (str, "a string such as 'x86-64-v3'", True),
    "features": (str, "a string such as '+avx2,-fma'", True),
    "lowering": (str, "'optimized' or 'reference'", True),
    "model_name": (str, "a string", True),
    "name": (str, "a string", True),
}


def _check_kind(name: str, value: Any, kind: type, expected: str) -> None:
    if kind is int and not isinstance(value, bool):
        try:
            number = operator.index(value)
        except TypeError:
            raise TypeError(f"expected {expected} as {name}, found {value!r}") from None
        if not -(2**63) <= number < 2**63:
            raise ValueError(f"expected {expected} as {name}, found {value!r}, which has more than 64 bits")
    elif kind is int or not isinstance(value, kind):
        raise TypeError(f"expected {expected} as {name}, found {value!r}")


def check_kinds(**options: Any) -> None:
    """Raises TypeError for an option that is of another kind than it is to be, ValueError for a number
    that is none of 64 bits. None is one that is not given."""
    for name, value in options.items():
        kind, expected, is_optional = _KINDS[name]
        if value is not None or not is_optional:
            _check_kind(name, value, kind, expected)


def check_bounds(name: str, given: Optional[Mapping[str, int]]) -> Dict[str, int]:
    """A copy of what `name` says of sizes; None says nothing. Raises as `check_kinds`."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"expected a dict from sizes to numbers as {name}, found {given!r}")
    for size, number in given.items():
        _check_kind(f"a key of {name}", size, str, "the name of a size")
        _check_kind(f"{name}[{size!r}]", number, int, "a number")
    return dict(given)


def check_names(**lists: Any) -> None:
    """Raises TypeError for a value that is not a list of strings."""
    for name, given in lists.items():
        is_list = isinstance(given, Sequence) and not isinstance(given, (str, bytes))
        if not is_list or not all(isinstance(one, str) for one in given):
            raise TypeError(f"expected a list of strings as {name}, found {given!r}")
