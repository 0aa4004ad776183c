# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The definition of a traced function: all that is traced and compiled."""

import functools
import inspect
import re
from typing import Any, Callable, Dict, Hashable, List, Mapping, Optional, Sequence, Set, Tuple

from .._core import tree as _tree
from .._programs.options import StepOptions
from ..namespace import current_namespace


class Definition:
    """A Python function, its names, and how it is compiled. Traces keep this, and not the traced function that has
    them: so it is in no cycle, and goes with its variables as soon as nothing refers to it (N16)."""

    def __init__(
        self,
        function: Callable[..., Any],
        name: Optional[str],
        results: Optional[Sequence[str]],
        options: StepOptions,
        is_wide: bool,
    ) -> None:
        self.function, self.given_results, self.options, self.is_wide = function, results, options, is_wide
        self.signature = inspect.signature(function)
        own: str = name or str(getattr(function, "__name__", "function"))
        self.entry_name = re.sub(r"\W", "_", {"<lambda>": "function", "init": "init_"}.get(own, own))
        # Streams of random numbers go by it.
        self.own_name = current_namespace().name_function(self.entry_name, _code_of(function))
        # Optimizers and averages that its Python makes, which are made once.
        self.made: Dict[Hashable, Tuple[Mapping[str, str], Any]] = {}

    @property
    def name(self) -> str:
        """Unique among the functions of the namespace."""
        return self.own_name.text

    def feed_names(self, tree: Any, is_fed: Sequence[bool]) -> List[str]:
        """Returns a name for each argument that is fed."""
        positional, keywords = tree[1]
        parameters = list(self.signature.parameters.values())
        names: List[str] = []
        for place, child in enumerate(positional[1]):
            if place < len(parameters) and parameters[place].kind is not inspect.Parameter.VAR_POSITIONAL:
                prefix = parameters[place].name
            else:
                first = next(p.name for p in parameters if p.kind is inspect.Parameter.VAR_POSITIONAL)
                prefix = f"{first}_{place}"
            names += _tree.names(child, prefix)
        for key, child in zip(keywords[1], keywords[2]):
            names += _tree.names(child, key)
        return _unique([re.sub(r"\W", "_", name) for name, value in zip(names, is_fed) if value])

    def result_names(self, out: Any, count: int) -> List[str]:
        """Returns a name for each result. Raises ValueError for another number of names that were given."""
        if self.given_results is not None:
            if len(self.given_results) != count:
                raise ValueError(f"'{self.name}' returns {count} tensors, found {len(self.given_results)} names")
            return list(self.given_results)
        names = _tree.names(out, "result")
        if _tree.is_mapping(out):
            names = [name.removeprefix("result_") for name in names]
        return _unique([re.sub(r"\W", "_", name) for name in names])


def _code_of(function: Any) -> Any:
    """Returns the Python code of a function, a method, a partial of one or an object that is called; None of others."""
    while isinstance(function, functools.partial):
        function = function.func
    found = getattr(function, "__code__", None)
    return getattr(getattr(type(function), "__call__", None), "__code__", None) if found is None else found  # noqa: B004


def _unique(names: List[str]) -> List[str]:
    """Appends a number to each name that is already used."""
    used: Set[str] = set()
    result = []
    for name in names:
        found, count = name, 1
        while found in used:
            count += 1
            found = f"{name}_{count}"
        used.add(found)
        result.append(found)
    return result
