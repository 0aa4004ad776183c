# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traced functions as one module, and as an object file."""

import dataclasses
import os
import re
import tempfile
from typing import List, Mapping, Optional, Sequence, Union

from . import _flywheel
from ._flywheel import ModuleOp
from ._kinds import elements, instance, text
from ._options import StepOptions, check_bounds, check_kinds
from ._trace import Trace
from ._traced import Traced
from ._types import Path
from .function import Function
from .store import current_store
from .variables import Variable

__all__ = ["export", "module_of"]


def module_of(functions: Sequence[Union[Traced, Function]], name: str = "model") -> ModuleOp:
    """One module whose entries are these functions, with initial values and all."""
    trace = Trace(text("name", name), embeds=True)
    for one in elements("functions", functions):
        instance("an element of functions", one, (Traced, Function), "a traced function")
        (one.trace() if isinstance(one, Function) else one).build(trace)
    return trace.graph.finish()


def _options_of(functions: Sequence[Union[Traced, Function]]) -> StepOptions:
    """What all are compiled with. Raises ValueError where they differ."""
    owners: List[Function] = [one if isinstance(one, Function) else one.owner for one in functions]
    for field in dataclasses.fields(StepOptions):
        values = {getattr(owner.options, field.name): owner.name for owner in owners}
        if len(values) > 1:
            found = ", ".join(f"{value!r} of '{name}'" for value, name in values.items())
            raise ValueError(f"expected functions with one {field.name} to be exported together, found {found}")
    return owners[0].options if owners else StepOptions()


def export(
    traces: Union[Traced, Function, Sequence[Union[Traced, Function]]],
    path: Path,
    *,
    model_name: str = "model",
    target: str = "",
    cpu: str = "",
    features: str = "",
    max_dim_sizes: Optional[Mapping[str, int]] = None,
    winograd: Optional[bool] = None,
    memory_budget: Optional[int] = None,
    weights: str = "current",
    freeze: Union[bool, Sequence[Variable]] = False,
) -> None:
    """Writes a function, or several that share variables, as one object file: see
    `Function.export`, and `module_of`. They are compiled as they say, all in one way;
    `winograd` and `memory_budget` are those of `compile` and replace theirs."""
    if weights not in ("current", "initial"):
        raise ValueError(f'expected weights "current" or "initial", found {weights!r}')
    check_kinds(model_name=model_name, target=target, cpu=cpu, features=features, memory_budget=memory_budget)
    given = [traces] if isinstance(traces, (Traced, Function)) else list(traces)
    options = _options_of(given)
    if winograd is not None:
        options = dataclasses.replace(options, winograd=winograd)
    if memory_budget is not None:
        options = dataclasses.replace(options, memory_budget=memory_budget)
    if re.match(r"(cpu|cuda|rocm)\b", target):
        options, target = dataclasses.replace(options, target=target), ""
    bounds = check_bounds("max_dim_sizes", max_dim_sizes)
    module, store = module_of(given, model_name), current_store()
    with tempfile.TemporaryDirectory() as folder:
        current = frozen = ""
        frozen_names: List[str] = []
        known: List[Traced] = [one.trace() if isinstance(one, Function) else one for one in given]
        variables = [variable for one in known for variable in one.owners.variables.values()]
        path_of_values = os.path.join(folder, "current.safetensors")
        if weights == "current" and store._save_values(path_of_values, dict.fromkeys(v.namespace for v in variables)):
            current = path_of_values
        if freeze is not False:
            chosen = variables if freeze is True else list(freeze)
            frozen, frozen_names = os.path.join(folder, "frozen.safetensors"), []
            for variable in chosen:
                store.value(variable)
            # Numbers of optimizers too, which no entry may assign.
            store._save_values(frozen, dict.fromkeys(v.namespace for v in chosen))
            if freeze is not True:
                frozen_names = [variable.name for variable in chosen]
        _flywheel._export_object(
            module, path, model_name=model_name, triple=target, cpu=cpu, features=features, max_dim_sizes=bounds,
            threads=options.threads, winograd=options.winograd, device=options.target,
            check_numerics=options.check_numerics, memory_budget=options.memory_budget, initial_values=current,
            freeze=frozen, freeze_variables=frozen_names,
        )  # fmt: skip
