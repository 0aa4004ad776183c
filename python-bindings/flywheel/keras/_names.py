# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of errors for names that Keras has and we do not."""

import sys
from typing import Any, Mapping, Optional

from .._hints import nearest


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
        return f"there is no flywheel.{self._title}.{name}{nearest(name, known)}; see docs/Keras.md"
