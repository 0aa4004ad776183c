#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the names that flywheel.v1 and flywheel.keras have, a module a line, with how many there are.

usage: PYTHONPATH=build/python python3 scripts/list_vocabulary.py
"""

import importlib
from types import ModuleType
from typing import Any, List

MODULES = [
    "v1", "v1.nn", "v1.nn.rnn_cell", "v1.layers", "v1.losses", "v1.metrics", "v1.train", "v1.summary",
    "v1.data", "v1.image", "v1.distributions",
    "keras.backend", "keras.layers", "keras.models", "keras.optimizers", "keras.losses", "keras.metrics",
    "keras.callbacks", "keras.initializers", "keras.regularizers", "keras.constraints", "keras.activations",
    "keras.utils", "keras.preprocessing.sequence", "keras.preprocessing.text",
]  # fmt: skip
# Modules whose names other ones have.
PARTS = {
    "flywheel.v1.image": ("image_boxes", "image_colors", "image_windows"), "flywheel.v1.layers": ("layers_volumes",),
    "flywheel.v1.metrics": ("metrics_thresholds",),
}  # fmt: skip


def find(name: str) -> Any:
    """A module, or what a module gives by a name."""
    outer, _, last = name.rpartition(".")
    try:
        return importlib.import_module(f"flywheel.{name}")
    except ImportError:
        return getattr(importlib.import_module(f"flywheel.{outer}"), last)


def names_of(module: Any) -> List[str]:
    """Returns the names that a module defines, or lists in `__all__`."""
    found = {name for name in getattr(module, "__all__", ()) if not isinstance(getattr(module, name), ModuleType)}
    if "__dir__" in vars(module):
        found.update(dir(module))
    for name, value in vars(module).items():
        if name.startswith("_") or isinstance(value, ModuleType) or not callable(value):
            continue
        origin = getattr(value, "__module__", "")
        is_shared = module.__name__ == "flywheel.v1" and origin.startswith("flywheel.v1.")
        is_part = origin.rpartition(".")[2] in PARTS.get(module.__name__, ())
        if origin == module.__name__ or is_shared or is_part:
            found.add(name)
    return sorted(found)


def main() -> None:
    total = 0
    for name in MODULES:
        names = names_of(find(name))
        total += len(names)
        print(f"flywheel.{name} ({len(names)}): {', '.join(names)}")
    print(f"{total} names")


if __name__ == "__main__":
    main()
