# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that stand in for those of a package that is not installed."""

import sys
from types import ModuleType
from typing import Any


def make_module(name: str, **members: Any) -> Any:
    """Makes `import name` find a module with these members; the module around it has to be there."""
    made = sys.modules[name] = ModuleType(name)
    vars(made).update(members)
    outer, _, own = name.rpartition(".")
    if outer:
        setattr(sys.modules[outer], own, made)
    return made
