# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s %S/Inputs
"""Every public name and parameter of Keras 2.1.6 and of TensorFlow 1.15 is here, or is listed with a reason (X35).

`public_surface.txt` has the names, as scripts/record-public-names writes them. `absent_names.txt` lists those that are
not here: a line has a module, its names (`*`: the whole module), `:` and the reason; a name with parameters in
brackets is a function that lacks only these, and `order` there one that takes them in another order. With the
argument --show, the program prints the lines that are missing.
"""

import importlib
import inspect
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set, Tuple

import flywheel.v1

FOLDER = Path(sys.argv[1])


def read_listed() -> Dict[Tuple[str, str], str]:
    listed: Dict[Tuple[str, str], str] = {}
    for line in (FOLDER / "absent_names.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            names, colon, reason = line.partition(" : ")
            module, *each = names.split()
            assert colon and reason.strip() and each, f"no names or no reason: {line}"
            for name in each:
                assert (module, name) not in listed, f"{module} {name} is listed twice"
                listed[module, name] = reason
    return listed


def find_module(name: str) -> Any:
    """Returns a module of this package, or None."""
    root, _, rest = name.partition(".")
    if root == "keras":
        try:
            return importlib.import_module(f"flywheel.{name}")
        except ModuleNotFoundError:
            return None
    found: Any = flywheel.v1
    for part in rest.split(".") if rest else []:
        try:
            found = getattr(found, part)
        except AttributeError:
            return None
    return found


def parameters_of(value: Any) -> List[inspect.Parameter]:
    """Returns the parameters of a function, or of a constructor: where it takes more by `**`, those of the class after
    it in the order of resolution too."""
    own = list(inspect.signature(value).parameters.values())
    for base in value.__mro__[1:-1] if inspect.isclass(value) else ():
        if not any(one.kind is one.VAR_KEYWORD for one in own):
            break
        if "__init__" in vars(base):
            own = [one for one in own if one.kind is not one.VAR_KEYWORD]
            more = inspect.signature(base).parameters.values()
            own += [one for one in more if one.name not in [x.name for x in own] and one.kind is not one.VAR_POSITIONAL]
    return own


def lacking(value: Any, parameters: List[str]) -> List[str]:
    """Returns the parameters that a call may not name."""
    try:
        found = parameters_of(value)
    except (TypeError, ValueError):
        return []
    own = [one.name for one in found]
    stars = {"*" * (1 + (one.kind is one.VAR_KEYWORD)) for one in found
             if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD)}  # fmt: skip
    named = [one for one in parameters if not one.startswith("*")]
    missing = [one for one in named if one not in own]
    # Parameters of our own come after those of both.
    given = [one.name for one in inspect.signature(value).parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD]
    both = [one for one in named if one in given]
    moved = ["order"] if [one for one in given if one != "self"][: len(both)] != both else []
    return missing + [one for one in parameters if one.startswith("*") and one.rstrip("_abcdefghijklmnopqrstuvwxyz")
                      not in stars] + moved  # fmt: skip


def find_absent() -> Iterator[Tuple[str, str]]:
    """Yields modules and names that are not here."""
    seen: Set[str] = set()
    for line in (FOLDER / "public_surface.txt").read_text().splitlines():
        module, name, *parameters = line.split()
        space = find_module(module)
        if space is None:
            if module not in seen:
                yield module, "*"
            seen.add(module)
            continue
        try:
            value = getattr(space, name)
        except AttributeError as error:
            # The error names what is missing.
            assert name in str(error), (module, name, str(error))
            yield module, name
            continue
        except ImportError as error:
            # Classes of another package, which may be absent.
            assert "tensorboardX" in str(error), (module, name, str(error))
            continue
        missing = [] if parameters == ["?"] else lacking(value, parameters)
        if missing:
            yield module, f"{name}({','.join(missing)})"


listed, absent = read_listed(), list(find_absent())
if "--show" in sys.argv:
    for one in absent:
        if one not in listed:
            print(*one)
    sys.exit()
unlisted = [one for one in absent if one not in listed]
present = [one for one in listed if one not in absent]
assert not unlisted, f"absent, without a reason in absent_names.txt: {unlisted}"
assert not present, f"in absent_names.txt, and here: {present}"
assert len(absent) > 100, "nothing was compared"
