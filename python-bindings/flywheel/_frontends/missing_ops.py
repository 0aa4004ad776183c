# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors that the importers of other frameworks' models share: missing ops, and where the model uses them."""

from types import FunctionType
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Tuple

# File, line and function of a model's source.
Frame = Tuple[str, int, str]


class MissingOp(NamedTuple):
    """An op of a model that has no translation, and where the model has it."""

    name: str
    location: str


class UnsupportedOpError(NotImplementedError):
    """A model has ops that are not imported. Nothing was compiled.

    `missing` lists all of them, each with the line of the model that it comes from.
    """

    def __init__(self, message: str, missing: Iterable[MissingOp] = ()):
        super().__init__(message)
        self.missing: List[MissingOp] = list(missing)


def refuse(framework: str, missing: List[MissingOp]) -> UnsupportedOpError:
    """The error for these ops: each op once, with the lines that have it."""
    lines: Dict[str, List[str]] = {}
    for name, location in missing:
        known = lines.setdefault(name, [])
        if location not in known:
            known.append(location)
    count = len(lines)
    are = "s of this {} model are" if count > 1 else " of this {} model is"
    text = [f"{count} op{are.format(framework)} not imported:"]
    text += [f"  {name}, {_places(places)}" for name, places in lines.items()]
    return UnsupportedOpError("\n".join(text), missing)


def _places(places: List[str]) -> str:
    shown = ", ".join(place or "at an unknown line" for place in places[:3])
    return shown + (f" and {len(places) - 3} more" if len(places) > 3 else "")


def needs(package: str, extra: str) -> ImportError:
    """The error for a framework that is not installed."""
    return ImportError(f"flywheel.{extra} needs the package '{package}': pip install flywheel[{extra}]")


def _somewhere(thunk: Callable[[], Any]) -> Any:
    return thunk()


def at_line(frame: Optional[Frame], thunk: Callable[[], Any]) -> Any:
    """Calls a function as if the model's line did, so that its ops have this location."""
    if frame is None:
        return thunk()
    file, line, name = frame
    code = _somewhere.__code__.replace(co_filename=file, co_firstlineno=line - 1, co_name=name)
    return FunctionType(code, {})(thunk)


__all__: Tuple[str, ...] = ("Frame", "MissingOp", "UnsupportedOpError", "at_line", "needs", "refuse")
