# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traced functions as one module, and as an object file."""

import dataclasses
import os
import re
import tempfile
import warnings
from collections.abc import Iterable
from typing import Any, Callable, List, Mapping, Optional, Sequence, Union

import numpy as np

from .. import _flywheel
from .._core.annotations import Path
from .._core.argument_checks import elements, flag, instance, text
from .._core.trace import Trace
from .._errors.messages import wrong
from .._flywheel import CompileRemark, ModuleOp
from .._programs.options import StepOptions, bounds_of, check_bounds, check_kinds, check_names
from ..function import Function
from ..variables import Variable
from ._exported_values import Values
from .traced import Traced

__all__ = ["export", "module_of"]

Entry = Union[Traced, Function]


def module_of(functions: Sequence[Entry], name: str = "model") -> ModuleOp:
    """One module whose entries are these functions, with initial values and all."""
    known: List[Traced] = []
    for one in elements("functions", functions):
        instance("an element of functions", one, (Traced, Function), "a traced function")
        known.append(_traced(one))
    return _build(known, None, text("name", name))


def _traced(one: Entry) -> Traced:
    return one.trace() if isinstance(one, Function) else one


def _build(known: Sequence[Traced], entries: Optional[Sequence[str]], name: str) -> ModuleOp:
    trace = Trace(name, embeds=True)
    for place, one in enumerate(known):
        one.build(trace, entries[place] if entries is not None else None)
    return trace.graph.finish()


def _options_of(known: Sequence[Traced]) -> StepOptions:
    """Returns the options with which all are compiled. Raises ValueError if they differ."""
    definitions = [one.definition for one in known]
    for field in dataclasses.fields(StepOptions):
        values = {getattr(one.options, field.name): one.name for one in definitions}
        if len(values) > 1:
            found = ", ".join(f"{value!r} of '{name}'" for value, name in values.items())
            raise ValueError(f"expected functions with one {field.name} to be exported together, found {found}")
    return definitions[0].options


def _list_of(given: Any) -> List[Traced]:
    """Returns the functions to export. Raises TypeError and ValueError for other values."""
    listed = [given] if isinstance(given, (Traced, Function)) or callable(given) else given
    if isinstance(listed, (str, bytes)) or not isinstance(listed, Iterable):
        raise TypeError(f"expected functions of flywheel.function to export, or a list of them, found {given!r}")
    known: List[Traced] = []
    for one in list(listed):
        if not isinstance(one, (Traced, Function)):
            remedy = ": decorate it with @flywheel.function" if callable(one) else ""
            if callable(getattr(one, "export", None)):
                remedy = ": it has a method `export` of its own"
            raise TypeError(f"expected functions of flywheel.function to export, found {one!r}{remedy}")
        traced = _traced(one)
        if any(traced is other for other in known):
            raise ValueError(f"expected each function once, found '{traced.definition.name}' twice for the same "
                             "arguments")  # fmt: skip
        known.append(traced)
    if not known:
        raise ValueError("expected at least one function to export, found none")
    return known


def _names_of(known: Sequence[Traced], entries: Optional[Sequence[str]]) -> List[str]:
    """Returns the names of the entries. Raises ValueError if C cannot have them."""
    names = [one.entry_name for one in known]
    if entries is not None:
        check_names(entries=entries)
        if len(entries) != len(known):
            raise ValueError(f"expected entries to have a name for each of {len(known)} functions, found "
                             f"{len(entries)}: {', '.join(entries)}")  # fmt: skip
        names = list(entries)
    for name in names:
        if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is None or name == "init":
            expected = "another name than that of the initializer" if name == "init" else "names of C"
            raise wrong(ValueError, expected, repr(name), "entries")
        if names.count(name) > 1:
            raise ValueError(f"expected a name for each entry, found '{name}' {names.count(name)} times: give "
                             "`entries`")  # fmt: skip
        if any(name in one.owners.variables for one in known):
            raise ValueError(f"expected entries to have other names than variables, found '{name}' for both: give "
                             "`entries`")  # fmt: skip
    return names


def _frozen_of(freeze: Any, values: Values) -> List[Variable]:
    """Returns the variables to freeze; those of all functions for True. Raises TypeError and ValueError for other
    values."""
    expected = "expected freeze to be True, False or a list of variables"
    if isinstance(freeze, bool):
        return values.variables if freeze else []
    if isinstance(freeze, Variable):
        raise TypeError(f"{expected}, found one variable: write freeze=[{freeze.name}]")
    if isinstance(freeze, (str, bytes, Mapping)) or not isinstance(freeze, Iterable):
        raise TypeError(f"{expected}, found {freeze!r}")
    chosen: List[Variable] = list(freeze)
    for one in chosen:
        if not isinstance(one, Variable):
            raise TypeError(f"{expected}, found {one!r} in the list")
        if not any(one is variable for variable in values.variables):
            raise ValueError(f"expected variables of these functions to freeze, found '{one.name}'")
    if not chosen:
        raise ValueError(f"{expected}, found an empty one: freeze=False freezes none")
    return chosen


def _path_beside(path: Path) -> str:
    """Returns the path of the file of weights. Raises ValueError if it is the object."""
    given = os.fsdecode(path)
    beside = os.path.splitext(given)[0] + ".safetensors"
    if beside == given:
        raise ValueError(f"the object file and the file of weights need different paths, found '{given}' for both")
    return beside


def export(
    traces: Union[Entry, Sequence[Entry], Mapping[str, Entry]],
    path: Path,
    *,
    model_name: str = "model",
    entries: Optional[Sequence[str]] = None,
    target: str = "",
    cpu: str = "",
    features: str = "",
    opt_level: int = 3,
    max_batch: Optional[int] = None,
    max_dim_sizes: Optional[Mapping[str, int]] = None,
    winograd: Optional[bool] = None,
    memory_budget: Union[int, str, None] = None,
    weights: str = "current",
    freeze: Union[bool, Sequence[Variable]] = False,
) -> None:
    """Writes a function, or several that share variables, as one object file, and beside it the header in C and the
    description in JSON.

    The functions are compiled as they say, all in one way: `threads` (by default 1), `winograd`, `memory_budget`,
    `check_numerics`, and a GPU as their `target`; `winograd` and `memory_budget` replace theirs. Names in C begin with
    `model_name`, with `_` for what they cannot have. `entries` names the functions in C, in their order; a dict of
    functions has the names as its keys. `target` is an LLVM triple of what has the object, this machine's by default,
    or a GPU as in `compile`; `cpu`, `features` and `opt_level` are as in `compile`. `max_batch` bounds sizes that a
    call chooses, 1024 by default, and `max_dim_sizes` some of them by name: the block of state has room for that.

    `weights` says what `init` in C gives variables, slots, counters and streams of random numbers: "current" the
    values that they have in the current store, those without one what the program says; "initial" what the program
    says; "none" nothing: the object has no numbers of them, and a file `.safetensors` beside it, which `restore` of the
    header reads, has the current values. `freeze` makes constants of the values that `weights` names, True of all
    variables that nothing assigns, a list of these: they are not in the state in C. The header says which values the
    object has, and so does a line on the screen.

    Raises CompileError where the object cannot be made or written; ValueError for a path that is the header's or the
    description's, and for names and numbers that cannot be; TypeError for options of another kind.
    """
    if isinstance(freeze, (int, np.integer, np.bool_)) and freeze in (0, 1):
        freeze = flag("freeze", freeze)
    if weights not in ("current", "initial", "none"):
        raise ValueError(f'expected weights "current", "initial" or "none", found {weights!r}')
    check_kinds(model_name=model_name, target=target, cpu=cpu, features=features, opt_level=opt_level,
                max_batch=max_batch, memory_budget=memory_budget)  # fmt: skip
    if not model_name:
        raise ValueError("expected a model_name, found an empty one")
    if max_batch is not None and not 1 <= max_batch <= _flywheel._MAX_DIM_SIZE_BOUND:
        raise ValueError(f"expected max_batch within [1, {_flywheel._MAX_DIM_SIZE_BOUND}], found {max_batch}")
    if not 0 <= opt_level <= 3:
        raise ValueError(f"expected opt_level 0 to 3, found {opt_level}")
    if isinstance(traces, Mapping):
        if entries is not None:
            raise ValueError("expected names of entries as keys of the functions or as entries, found both")
        entries, traces = list(traces), list(traces.values())
    known = _list_of(traces)
    options = _options_of(known)
    names = _names_of(known, entries)
    if winograd is not None:
        options = dataclasses.replace(options, winograd=winograd)
    if memory_budget is not None:
        options = dataclasses.replace(options, memory_budget=memory_budget)
    if target and _flywheel._takes_device(target):
        options, target = dataclasses.replace(options, target=target), ""
    bounds = check_bounds("max_dim_sizes", max_dim_sizes)
    values = Values(known)
    frozen = _frozen_of(freeze, values)
    if frozen and weights == "none":
        raise ValueError('expected weights "current" or "initial" with freeze, found "none": a constant is a number of '
                         "the object")  # fmt: skip
    beside = _path_beside(path) if weights == "none" else ""
    module = _build(known, names, model_name)
    given = dict(
        options.given(), model_name=model_name, target_triple=target or None, cpu=cpu or None,
        features=features or None, max_dim_size=bounds_of(max_batch, bounds),
    )  # fmt: skip
    if frozen and freeze is not True:
        given["freeze_variables"] = [variable.name for variable in frozen]
    with tempfile.TemporaryDirectory() as folder:
        if weights == "current":
            given["initial_values"] = values.save_current(os.path.join(folder, "current")) or None
        if beside or frozen:
            kind = "external_values" if beside else "freeze"
            given[kind] = os.path.join(folder, kind)
            save = values.whole(weights == "initial", frozen)
            save(given[kind])
        # Another machine may have little memory.
        said, remarks = _flywheel._export_object(
            module, path, given, opt_level, remarks_on_bounds=target != "" and max_batch is None
        )
    for remark in remarks:
        warnings.warn(remark, CompileRemark, stacklevel=2)
    if beside:
        save(beside)
        said += f" reads {beside}"
    if said:
        print(f"{os.fsdecode(path)}: {said}")


def export_model(
    find: Callable[[str], Entry], known: Sequence[str], path: Path, entries: Any, options: Mapping[str, Any],
    bounds_of: Callable[[Sequence[Any]], Mapping[str, int]] = lambda _: {},
) -> None:  # fmt: skip
    """Exports entries of a model, of which `known` has the names and `find` makes the functions. `entries` lists some,
    or is a dict from names in C to them. `bounds_of` bounds the sizes of functions for which no option does. Raises
    TypeError and ValueError for what is none."""
    if isinstance(entries, (str, bytes)) or not isinstance(entries, Iterable):
        raise TypeError(f"expected a list of entries, or a dict from names in C to entries, found {entries!r}")
    chosen = dict(entries) if isinstance(entries, Mapping) else {name: name for name in entries}
    for one in chosen.values():
        if one not in known:
            raise ValueError(f"expected entries among {', '.join(known)}, found {one!r}")
    found = {name: find(one) for name, one in chosen.items()}
    given = check_bounds("max_dim_sizes", options.get("max_dim_sizes"))
    bounds = {**bounds_of(list(found.values())), **given}
    export(found, path, **{**options, **({"max_dim_sizes": bounds} if bounds else {})})


# A method of what this module is about.
Function._export = staticmethod(export)
