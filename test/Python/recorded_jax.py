# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Functions that JAX exported elsewhere (test/Support/record_jax.py): outputs, losses of three steps, and parameters
after the first and the last one are those of JAX. Derivatives are compared through the first step."""

import copy
import json
from typing import Any, Dict

import numpy as np

import flywheel as fw
import replayed_jax
from recordings import FOLDER, compare, decode, filled

replayed_jax.install()

import flywheel.jax  # noqa: E402

FEWEST_CASES = 14
RATE = 0.1


def check(recorded: Dict[str, Any], name: str) -> None:
    params = {one: filled(spec, place) for place, (one, spec) in enumerate(sorted(recorded["params"].items()))}
    inputs = [filled(one, 100 + place) for place, one in enumerate(recorded["inputs"])]
    target = filled(recorded["target"], 200)
    examples = [*inputs, target]
    for place, names in enumerate(recorded["sizes"] or []):
        shape = [replayed_jax.Size(names[str(axis)]) if str(axis) in names else size
                 for axis, size in enumerate(examples[place].shape)]  # fmt: skip
        examples[place] = replayed_jax.ShapeDtypeStruct(shape, examples[place].dtype)
    texts = [(FOLDER / "jax" / f"{name}.{place}.mlir").read_text(encoding="utf-8")
             for place in range(len(recorded["exports"]))]  # fmt: skip
    rtol = 2e-3 if name == "dtypes" else 1e-9
    function = replayed_jax.RecordedFunction(recorded["exports"], texts)
    with replayed_jax.replaying(function):
        model = flywheel.jax.from_function(
            function, params, tuple(examples[:-1]), loss=lambda *_: None, example_targets=(examples[-1],),
            optimizer=fw.optimizers.GradientDescent(lr=RATE))  # fmt: skip
        compare(model(*inputs), decode(recorded["output"]), f"{name}, output", rtol, rtol)
    for step, leaf in enumerate(recorded["losses"]):
        compare(model.step(*inputs, target), decode(leaf), f"{name}, loss of step {step}", rtol, rtol)
        if step == 0:
            check_params(model, recorded["first"], f"{name}, after the first step", rtol)
    check_params(model, recorded["last"], f"{name}, after the last step", rtol)


def check_params(model: Any, recorded: Dict[str, Any], what: str, rtol: float) -> None:
    found = model.params()
    assert set(found) == set(recorded), (what, found)
    for name, leaf in recorded.items():
        compare(found[name], decode(leaf), f"{what}, {name}", rtol, rtol)


def read(name: str) -> Any:
    return json.loads((FOLDER / f"jax/{name}.json").read_text(encoding="utf-8"))


def test_cases() -> None:
    files = sorted((FOLDER / "jax").glob("*.json"))
    assert len(files) >= FEWEST_CASES, files
    for file in files:
        check(read(file.stem), file.stem)


def test_altered_number() -> None:
    """A comparison with another number fails, in each place that has some."""
    whole = read("mlp")
    for path in (("output",), ("losses", 2), ("first", "w1"), ("last", "b1")):
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
