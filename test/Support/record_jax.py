#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records functions of JAX for test/Python/recorded_jax.py: what the importer is given of each, and JAX's numbers.

usage: PYTHONPATH=build/python:test/Support PYTHON test/Support/record_jax.py [CASE...]

PYTHON has JAX. By default all cases of jax_cases.py are recorded, into test/Python/Inputs/recorded/jax. A case has a
module of StableHLO for each function that the importer exports, NAME.0.mlir the step with its loss, NAME.1.mlir what a
call runs, in MLIR's generic form; and NAME.json with

  params, inputs, target, sizes   what `from_function` is called with: `recordings.filled` draws the elements
  exports   of each module the form of the result, and which of the flat arguments it takes
  output    of the function; `losses` of three steps of gradient descent, and the params after the first and last one
"""

import sys
from typing import Any, Dict, List

import jax
import numpy as np
from jax import numpy as jnp
from jax.interpreters import mlir as lowering
from jaxlib.mlir import ir

import flywheel.jax
from jax_cases import CASES, Case
from recordings import FOLDER, encode, filled, versions_of, write_json

STEPS = 3
RATE = 0.1


def _tree(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _tree(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return {"tuple": [_tree(one) for one in value]}
    if isinstance(value, list):
        return [_tree(one) for one in value]
    shape = [one if isinstance(one, int) else str(one) for one in value.shape]
    return {"dtype": np.dtype(value.dtype).name, "shape": shape}


def _generic(text: str) -> str:
    with lowering.make_ir_context():
        return str(ir.Module.parse(text).operation.get_asm(print_generic_op_form=True))


def loss_of(output: Any, target: Any) -> Any:
    return jnp.mean(jnp.square(output - target))


def _exported(case: Case, params: Any, inputs: List[Any], target: Any) -> List[Any]:
    """Imports a function; returns what JAX gave the importer, in order: results, kept arguments, text."""
    results, found = [], []
    trace, export = jax.make_jaxpr, jax.export.export

    def noted_trace(*args: Any, **kwargs: Any) -> Any:
        inner = trace(*args, **kwargs)

        def run(*arguments: Any) -> Any:
            jaxpr, result = inner(*arguments)
            results.append(_tree(result))
            return jaxpr, result

        return run

    def noted_export(*args: Any, **kwargs: Any) -> Any:
        inner = export(*args, **kwargs)

        def run(*arguments: Any) -> Any:
            exported = inner(*arguments)
            found.append(({"result": results[-1], "kept": list(exported.module_kept_var_idx)},
                          _generic(exported.mlir_module())))  # fmt: skip
            return exported

        return run

    jax.make_jaxpr, jax.export.export = noted_trace, noted_export
    try:
        examples = [*inputs, target]
        if case.sizes:
            scope = jax.export.SymbolicScope()
            examples = [jax.ShapeDtypeStruct(
                tuple(jax.export.symbolic_shape(names[str(axis)], scope=scope)[0] if str(axis) in names else size
                      for axis, size in enumerate(one.shape)), one.dtype)
                for one, names in zip(examples, case.sizes)]  # fmt: skip
        model = flywheel.jax.from_function(
            case.function, params, tuple(examples[:-1]), loss=loss_of, example_targets=(examples[-1],),
            optimizer=flywheel.optimizers.GradientDescent(lr=RATE))  # fmt: skip
        model(*inputs)
    finally:
        jax.make_jaxpr, jax.export.export = trace, export
    assert len(results) == len(found) == 2, f"{case.name} has functions with derivatives of their own"
    return found


def record(case: Case) -> None:
    params = {name: filled(one, place) for place, (name, one) in enumerate(sorted(case.params.items()))}
    inputs = [filled(one, 100 + place) for place, one in enumerate(case.inputs)]
    target = filled(case.target, 200)
    found = _exported(case, params, inputs, target)
    output = np.asarray(case.function(params, *inputs))
    slopes = jax.jit(jax.value_and_grad(lambda p: loss_of(case.function(p, *inputs), target)))
    losses: List[Any] = []
    states: List[Dict[str, Any]] = []
    for _ in range(STEPS):
        loss, gradients = slopes(params)
        params = {name: np.asarray(one - np.asarray(RATE, one.dtype) * gradients[name]) for name, one in params.items()}
        losses.append(encode(np.asarray(loss)))
        states.append({name: encode(one) for name, one in params.items()})
    for place, (_, text) in enumerate(found):
        path = FOLDER / "jax" / f"{case.name}.{place}.mlir"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    write_json(FOLDER / "jax" / f"{case.name}.json", {
        "command": f"test/Support/record_jax.py {case.name}", "versions": versions_of("jax", "jaxlib"),
        "params": case.params, "inputs": case.inputs, "target": case.target, "sizes": case.sizes,
        "exports": [one for one, _ in found], "output": encode(output), "losses": losses, "first": states[0],
        "last": states[-1]})  # fmt: skip


def main() -> None:
    jax.config.update("jax_enable_x64", True)
    for case in CASES:
        if not sys.argv[1:] or case.name in sys.argv[1:]:
            record(case)
            sizes = [file.stat().st_size for file in (FOLDER / "jax").glob(f"{case.name}.*")]
            print(f"{case.name}: {sizes} bytes", flush=True)


if __name__ == "__main__":
    main()
