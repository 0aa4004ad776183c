# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of what is exported, as checkpoints."""

import os
import tempfile
from typing import Callable, Dict, List, Sequence

from .._flywheel import Session
from .._programs.compilation import compile_module
from .._programs.options import StepOptions
from ..store import Store, current_store
from ..variables import Variable, provide_host_values
from .traced import Traced


class Values:
    """The values that the variables of some functions have in the current store, or begin with: of those that were
    traced, and of those that the compiler adds."""

    def __init__(self, known: Sequence[Traced]) -> None:
        self._known = known
        for one in known:
            one.refuse_home("an export", "model.export")
        self._store = current_store()
        self.variables: List[Variable] = list(
            dict.fromkeys(variable for one in known for variable in one.owners.variables.values())
        )

    def save_current(self, path: str) -> str:
        """Writes the values that exist. Returns the path, which is empty if there are none."""
        found = self._store._values_of([one.owners for one in self._known])
        if found:
            self._store._save_keys(path, found)
        return path if found else ""

    def whole(self, is_initial: bool, more: Sequence[Variable] = ()) -> Callable[[str], None]:
        """Returns a function that writes a value of each GLOBAL variable, and of `more`, to a checkpoint: the initial
        value, or unless `is_initial` the current one if the variable has one."""
        begun = self._begin()
        owners, names = [one.owners for one in self._known], {variable.name for variable in more}
        with begun:
            for variable in more:
                begun.value(variable)
        keys = begun._values_of(owners, names)
        current = {} if is_initial else self._store._values_of(owners, names)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "current")
            if current:
                self._store._save_keys(path, current)
                begun._restore_keys(path, {name: keys[name] for name in current if name in keys})
        return lambda path: begun._save_keys(path, keys)

    def _begin(self) -> Store:
        """Returns a store in which all variables have their initial values, as the seed of the current one draws
        them."""
        begun = Store(seed=self._store.seed)
        for one in self._known:
            provide_host_values(begun, list(one.owners.variables.values()))
            # Initial values are the same wherever steps are executed.
            is_here = not one.definition.options.target
            program = one.program if is_here else compile_module(one.module, StepOptions())
            keys: Dict[str, None] = dict.fromkeys(begun._keys(program, one.owners))
            binding = begun.bind(Session(program), list(keys))
            binding.initialize([key for key in keys if not begun._has_value(key)])
        return begun
