#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records modules of PyTorch for test/Python/recorded_torch.py: what the importer is given, and PyTorch's numbers.

usage: PYTHONPATH=build/python:test/Support PYTHON test/Support/record_torch.py [CASE...]

PYTHON has PyTorch. By default all cases of torch_cases.py are recorded, into test/Python/Inputs/recorded/torch. A file
has

  parameters  of each parameter and buffer the name, shape, dtype and, for parameters, `trainable`; its elements are
              those that `recordings.filled` draws for it and its place
  inputs, targets, sizes, optimizer   what `from_module` is called with
  programs    "call" and "step": the program that PyTorch exported in each mode and decomposed. A node of its graph is a
              placeholder, or has `args`: those of a call, or of the output. `value` is what its result is like
  schemas     of each op of the programs its arguments
  outputs     of the module in evaluation mode
  losses      of three steps, `first` the parameters and buffers after the first one, `last` after the last one
"""

import sys
from typing import Any, Dict, List

import numpy as np
import torch

import flywheel.torch
from recordings import FOLDER, encode, filled, versions_of, write_json
from torch_cases import CASES, Case

STEPS = 3
# As test/Python/recorded_torch.py names them.
OPTIMIZERS: Dict[str, Any] = {
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=0.1),
    "momentum": lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9),
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=0.01, eps=1e-30),
    "rmsprop": lambda parameters: torch.optim.RMSprop(parameters, lr=0.01, alpha=0.9, eps=1e-8),
}


def _value(value: Any) -> Any:
    """Returns JSON for an argument of a node, or for what its result is like."""
    if isinstance(value, torch.fx.Node):
        return {"node": value.name}
    if isinstance(value, (list, tuple)):
        return [_value(one) for one in value]
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).partition(".")[2]}
    if isinstance(value, torch.SymBool):
        return {"condition": str(value.node.expr)}
    if isinstance(value, torch.SymInt):
        return {"size": str(value.node.expr), "hint": value.node.hint}
    if isinstance(value, torch.Tensor):
        dtype, shape = str(value.dtype).partition(".")[2], [_value(size) for size in value.shape]
        return f"{dtype}{shape}" if all(isinstance(size, int) for size in shape) else {"tensor": dtype, "shape": shape}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return {"float": repr(value)} if isinstance(value, float) else {"other": str(value)}


def _target(target: Any) -> str:
    module = getattr(target, "__module__", "")
    return f"operator.{target.__name__}" if module == "_operator" else str(target)


def _node(node: Any) -> Dict[str, Any]:
    found: Dict[str, Any] = {"name": node.name}
    if node.op == "call_function":
        found["call"] = _target(node.target)
    if node.op != "placeholder":
        found["args"] = _value(node.args)
    if node.kwargs:
        found["kwargs"] = {name: _value(value) for name, value in node.kwargs.items()}
    if "val" in node.meta:
        found["value"] = _value(node.meta["val"])
    return found


def _form(spec: Any) -> Any:
    """Returns the form of a module's result: the place of a leaf, or a list of forms."""
    tree = torch.utils._pytree.tree_unflatten(list(range(spec.num_leaves)), spec)

    def listed(one: Any) -> Any:
        return [listed(part) for part in one] if isinstance(one, (list, tuple)) else one

    return listed(tree)


def _bound(number: Any) -> Any:
    try:
        return int(number)
    except (TypeError, ValueError, OverflowError, AttributeError):
        return None


def _program(exported: Any) -> Dict[str, Any]:
    signature, constants = exported.graph_signature, {}
    for spec in signature.input_specs:
        if spec.kind.name == "CONSTANT_TENSOR":
            array = exported.constants[spec.target].numpy()
            constants[spec.target] = {"dtype": array.dtype.name, "shape": list(array.shape),
                                      "values": array.reshape(-1).tolist()}  # fmt: skip
    return {"form": _form(exported.call_spec.out_spec),
            "inputs": [[one.kind.name, one.arg.name, one.target] for one in signature.input_specs],
            "outputs": [[one.kind.name, one.arg.name, one.target] for one in signature.output_specs],
            "bounds": {str(name): _bound(one.upper) for name, one in exported.range_constraints.items()},
            "constants": constants, "nodes": [_node(node) for node in exported.graph.nodes]}  # fmt: skip


def _schemas(exported: Any) -> Dict[str, Any]:
    found = {}
    for node in exported.graph.nodes:
        schema = getattr(node.target, "_schema", None)
        if schema is not None:
            found[str(node.target)] = [[one.name, one.kwarg_only, one.has_default_value(), _value(one.default_value)]
                                       for one in schema.arguments]  # fmt: skip
    return found


def _exported(module: Any, case: Case, inputs: List[Any], targets: List[Any]) -> Dict[str, Any]:
    """Imports a module and returns the programs that the importer was given, by the mode of the module."""
    programs: Dict[str, Any] = {}
    export, decompose = torch.export.export, torch.export.ExportedProgram.run_decompositions
    modes: List[str] = []

    def noted_export(one: Any, *args: Any, **kwargs: Any) -> Any:
        modes.append("step" if one.training else "call")
        return export(one, *args, **kwargs)

    def noted(one: Any, *args: Any, **kwargs: Any) -> Any:
        programs[modes[-1]] = result = decompose(one, *args, **kwargs)
        return result

    torch.export.export, torch.export.ExportedProgram.run_decompositions = noted_export, noted
    try:
        shapes = case.sizes and tuple({int(axis): torch.export.Dim(name, min=1, max=64) for axis, name in one.items()}
                                      for one in case.sizes)  # fmt: skip
        model = flywheel.torch.from_module(
            module, tuple(inputs), loss=case.loss, optimizer=flywheel.optimizers.SGD(lr=0.1),
            example_targets=tuple(targets), dynamic_shapes=shapes)  # fmt: skip
        model(*inputs)
    finally:
        torch.export.export, torch.export.ExportedProgram.run_decompositions = export, decompose
    return programs


def record(case: Case) -> None:
    torch.manual_seed(0)
    module = case.build()
    module = module if case.keeps_dtypes else module.double()
    named = [*[(name, one, bool(one.requires_grad)) for name, one in module.named_parameters()],
             *[(name, one, None) for name, one in module.named_buffers()]]  # fmt: skip
    parameters = []
    with torch.no_grad():
        for place, (name, one, trainable) in enumerate(named):
            spec = {"name": name, "shape": list(one.shape), "dtype": str(one.dtype).partition(".")[2],
                    "trainable": trainable}  # fmt: skip
            if one.dtype == torch.int64:
                spec["below"] = 1
            elif "var" in name:
                spec["positive"] = True
            parameters.append(spec)
            one.copy_(torch.from_numpy(np.array(filled(spec, place))))
    inputs = [torch.from_numpy(filled(one, 100 + place)) for place, one in enumerate(case.inputs)]
    targets = [torch.from_numpy(filled(one, 200 + place)) for place, one in enumerate(case.targets)]
    programs = _exported(module, case, inputs, targets)
    schemas: Dict[str, Any] = {}
    for one in programs.values():
        schemas.update(_schemas(one))
    images = (torch.nn.Conv2d, torch.nn.ConvTranspose2d)
    filters = [f"{name}.weight" if name else "weight" for name, part in module.named_modules()
               if isinstance(part, images)]  # fmt: skip
    module.eval()
    with torch.no_grad():
        found = module(*inputs)
    outputs = list(found) if isinstance(found, (tuple, list)) else [found]
    module.train()
    optimizer = OPTIMIZERS[case.optimizer](module.parameters())
    losses, states = [], []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = case.loss(module(*inputs), *targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach().numpy())
        states.append({name: encode(one.detach().numpy().copy()) for name, one in module.state_dict().items()})
    write_json(FOLDER / "torch" / f"{case.name}.json", {
        "command": f"test/Support/record_torch.py {case.name}", "versions": versions_of("torch"),
        "parameters": parameters, "filters": filters, "inputs": case.inputs, "targets": case.targets,
        "sizes": case.sizes, "optimizer": case.optimizer, "outputs": [encode(one.numpy()) for one in outputs],
        "losses": [encode(one) for one in losses], "first": states[0], "last": states[-1], "schemas": schemas,
        "programs": {mode: _program(one) for mode, one in programs.items()}})  # fmt: skip


def main() -> None:
    for case in CASES:
        if not sys.argv[1:] or case.name in sys.argv[1:]:
            record(case)
            file = FOLDER / "torch" / f"{case.name}.json"
            print(f"{case.name}: {file.stat().st_size} bytes", flush=True)


if __name__ == "__main__":
    main()
