# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of errors for names that Keras has and we do not."""

import sys
from typing import Any, Mapping, Optional

from .._errors.hints import attribute_error, nearest


class Missing:
    """A `__getattr__` of a module, which says what there is instead: what `hints` say, or the name that is most like
    it."""

    def __init__(self, title: str, module: str, hints: Optional[Mapping[str, str]] = None) -> None:
        self._title, self._module, self._hints = title, module, dict(hints or {})

    def __call__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise attribute_error(self.message(name), name, self._hint(name))

    def message(self, name: str) -> str:
        return f"there is no flywheel.{self._title}.{name}{self._hint(name)}; see docs/Guides/Keras.md"

    def _hint(self, name: str) -> str:
        hint = self._hints.get(name)
        if hint is not None:
            return f"; instead: {hint}"
        return nearest(name, [one for one in vars(sys.modules[self._module]) if not one.startswith("_")])
