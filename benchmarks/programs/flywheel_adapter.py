# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forms of Flywheel: weights have the names and layouts of `programs.py`."""

from __future__ import annotations

from typing import Any

from programs import Array, Layer


def find(form: Any, path: str) -> Any:
    found = form
    for part in path.split("/"):
        found = getattr(found, "layers", found)[int(part)] if part.isdigit() else getattr(found, part)
    return found


def adopt(batch: tuple[Array, ...]) -> tuple[Any, ...]:
    return batch


def place(form: Any, weights: dict[str, Layer], still: bool) -> None:
    for path, layer in weights.items():
        found = find(form, path)
        if layer.kind == "dropout":
            found.rate = 0.0 if still else found.rate
        elif layer.kind == "scalar":
            found.set(layer.values["value"])
        else:
            for name, value in layer.values.items():
                getattr(found, name).set(value)
