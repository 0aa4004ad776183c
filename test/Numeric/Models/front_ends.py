# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s %S/../Inputs/front_ends
"""Modules that other compilers' front ends lowered to linalg, in all configurations.

Values and gradients are those of the framework that the model was written in
(G1, G12, G14, X2, X5, X7, X8, X12); then the model is trained.

usage: front_ends.py FOLDER
"""

import re
import sys
from pathlib import Path
from typing import Dict, List, Tuple

import numpy as np

from configurations import Array, configurations, expect_close, run_tests

FOLDER = Path(sys.argv[1])


def load(name: str) -> Tuple[str, List[str], List[Array], Dict[str, Array]]:
    """The module, the types of @model's arguments, the arguments, and what it must compute."""
    text = (FOLDER / f"{name}.mlir").read_text()
    signature = re.search(r"func.func private @model\((.*?)\) ->", text)
    assert signature, name
    types = re.findall(r"tensor<[^>]*>", signature.group(1))
    data = dict(np.load(FOLDER / f"{name}.npz"))
    return text, types, [data[f"a{i}"] for i in range(len(types))], data


def differentiate(text: str, types: List[str], result: str) -> str:
    """The module with an entry that computes @model and its gradients."""
    values = [f"%a{i}" for i in range(len(types))]
    wrt = [i for i, kind in enumerate(types) if "xf" in kind]
    chosen, tensors = ", ".join(values[i] for i in wrt), ", ".join(types[i] for i in wrt)
    arguments = ", ".join(f"{value}: {kind}" for value, kind in zip(values, types))
    results = ", ".join(f"%g#{i}" for i in range(len(wrt)))
    return text + f"""
    func.func @f({arguments}, %u: {result}) -> ({result}, {tensors}) {{
      %y = func.call @model({", ".join(values)}) : ({", ".join(types)}) -> {result}
      %g:{len(wrt)} = train.gradient %y wrt {chosen} grad_ys %u : ({result}, {tensors}, {result}) -> ({tensors})
      return %y, {results} : {result}, {tensors}
    }}"""


def test_gradients() -> None:
    for path in sorted(FOLDER.glob("*.mlir")):
        text, types, arguments, data = load(path.stem)
        result = "tensor<4x5xf32>" if path.stem == "convnet" else "tensor<f32>"
        for name, model in configurations(differentiate(text, types, result)):
            found = model.run("f", *arguments, data["u"])
            expected = [data["y"]] + [data[key] for key in sorted(data) if key.startswith("g")]
            assert len(found) == len(expected), path.stem
            for i, (value, golden) in enumerate(zip(found, expected)):
                assert value.shape == golden.shape, (path.stem, i)
                expect_close(f"{path.stem}, {name}, #{i}", value, golden, 1e-4 * max(1.0, abs(golden).max()))


def test_training() -> None:
    """G1: what is an argument of the module is a variable of the step that calls it."""
    text, types, arguments, data = load("lenet")
    weights = types[:-2]
    variables = "".join(f"train.variable @w{i} : {kind} = #train.zeros\n" for i, kind in enumerate(weights))
    reads = "".join(f"%w{i} = train.read @w{i} : {kind}\n" for i, kind in enumerate(weights))
    values = ", ".join(f"%w{i}" for i in range(len(weights)))
    source = f"""{text}
    {variables}
    func.func @step(%x: {types[-2]}, %label: {types[-1]}) -> tensor<f32> {{
      {reads}
      %loss = func.call @model({values}, %x, %label) : ({", ".join(types)}) -> tensor<f32>
      train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>
      return %loss : tensor<f32>
    }}"""
    for name, model in configurations(source):
        model.initialize()
        for i, weight in enumerate(arguments[:-2]):
            model[f"w{i}"] = weight
        losses = [float(model.run("step", *arguments[-2:]))]
        for i, weight in enumerate(arguments[:-2]):
            expect_close(f"{name}, w{i}", model[f"w{i}"], weight - 0.1 * data[f"g{i}"], 1e-5)
        for _ in range(60):
            losses.append(float(model.run("step", *arguments[-2:])))
        assert losses[-1] < 0.1 * losses[0], f"{name}: from {losses[0]} to {losses[-1]}"


run_tests([test_gradients, test_training])
