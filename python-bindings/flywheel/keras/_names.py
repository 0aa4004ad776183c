# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is said of a name of Keras that is not there."""

import difflib
import sys
from typing import Any, Mapping, Optional


class Missing:
    """A `__getattr__` of a module, which says what there is instead: what `hints` say, or the name that is most like
    it."""

    def __init__(self, title: str, module: str, hints: Optional[Mapping[str, str]] = None) -> None:
        self._title, self._module, self._hints = title, module, dict(hints or {})

    def __call__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(self.message(name))

    def message(self, name: str) -> str:
        hint = self._hints.get(name)
        if hint is not None:
            return f"there is no flywheel.{self._title}.{name}; instead: {hint}; see docs/Keras.md"
        known = [one for one in vars(sys.modules[self._module]) if not one.startswith("_")]
        lower = {one.lower(): one for one in known}
        found = difflib.get_close_matches(name.lower(), lower, 1, 0.75)
        nearest = f"; did you mean '{lower[found[0]]}'?" if found else ""
        return f"there is no flywheel.{self._title}.{name}{nearest}; see docs/Keras.md"
