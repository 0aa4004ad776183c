# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, onnx
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""B1: files of ONNX (test/Support/record_onnx.py): their outputs are those of onnxruntime; of models that are
trained, outputs and losses are those of onnx.reference, and variables after a step follow its derivatives."""

import copy
import json
from typing import Any, Dict

import numpy as np

import flywheel as fw
import flywheel.onnx
from recordings import FOLDER, compare, decode, filled

FEWEST_CASES = 11
RATE = 0.1


def check(recorded: Dict[str, Any], name: str) -> None:
    with fw.Namespace(), fw.Store():
        options: Dict[str, Any] = {}
        if "target" in recorded:
            target = filled(recorded["target"], 200)
            options = {"loss": lambda output, wanted: fw.mean(fw.square(output - wanted)),
                       "optimizer": fw.optimizers.GradientDescent(lr=RATE)}  # fmt: skip
        model = flywheel.onnx.load(FOLDER / "onnx" / f"{name}.onnx", **options)
        rtol = 1e-9 if options else 2e-5
        for call in recorded["calls"]:
            inputs = [filled(one, 100 + place) for place, one in enumerate(call["inputs"])]
            found = model(*inputs)
            outputs = found if isinstance(found, tuple) else (found,)
            assert len(outputs) == len(call["outputs"]), (name, len(outputs))
            for place, (own, leaf) in enumerate(zip(outputs, call["outputs"])):
                shapes = [one["shape"] for one in call["inputs"]]
                compare(own, decode(leaf), f"{name}, output {place} of {shapes}", rtol, rtol / 10)
        if not options:
            return
        inputs = [filled(one, 100 + place) for place, one in enumerate(recorded["calls"][0]["inputs"])]
        compare(model.step(*inputs, target), decode(recorded["loss"]), f"{name}, loss", rtol, rtol)
        state = model.state_dict()
        assert set(state) == set(recorded["first"]), (name, set(state) ^ set(recorded["first"]))
        for variable, leaf in recorded["first"].items():
            # Differences of losses have this error.
            compare(state[variable], decode(leaf), f"{name}, {variable} after a step", 1e-9, 1e-10)


def read(name: str) -> Any:
    return json.loads((FOLDER / f"onnx/{name}.json").read_text(encoding="utf-8"))


def test_cases() -> None:
    files = sorted((FOLDER / "onnx").glob("*.json"))
    assert len(files) >= FEWEST_CASES, files
    for file in files:
        check(read(file.stem), file.stem)


def test_altered_number() -> None:
    """A comparison with another number fails, in each place that has some."""
    whole = read("mlp")
    for path in (("calls", 0, "outputs", 0), ("calls", 1, "outputs", 0), ("loss",), ("first", "w1")):
        recorded = leaf = copy.deepcopy(whole)
        for part in path:
            leaf = leaf[part]
        leaf["float64"] = np.add(leaf["float64"], 1e-6).tolist()
        try:
            check(recorded, "mlp")
        except AssertionError:
            continue
        raise AssertionError(f"another number in {path} is not found")


if __name__ == "__main__":
    test_cases()
    test_altered_number()
