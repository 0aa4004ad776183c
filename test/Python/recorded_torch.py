# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Modules that PyTorch exported elsewhere (test/Support/record_torch.py): outputs, losses of three steps, and
parameters after the first and the last one are those of PyTorch. Derivatives are compared through the first step."""

import json
from typing import Any, Callable, Dict

import numpy as np

import flywheel as fw
import replayed_torch
from recordings import FOLDER, compare, decode, filled
from replayed_torch import Dim

replayed_torch.install()

import flywheel.torch  # noqa: E402

# As test/Support/record_torch.py has PyTorch's.
OPTIMIZERS: Dict[str, Callable[[], Any]] = {
    "sgd": lambda: fw.optimizers.SGD(lr=0.1),
    "momentum": lambda: fw.optimizers.SGD(lr=0.1, momentum=0.9),
    "adam": lambda: fw.optimizers.Adam(lr=0.01, epsilon=1e-30),
    "rmsprop": lambda: fw.optimizers.RMSprop(lr=0.01, rho=0.9, epsilon=1e-8),
}
FEWEST_CASES = 15


def check_state(model: Any, recorded: Dict[str, Any], what: str, rtol: float) -> None:
    found = model.state_dict()
    assert set(found) == set(recorded), (what, set(found) ^ set(recorded))
    for name, leaf in recorded.items():
        compare(found[name].numpy(), decode(leaf), f"{what}, {name}", rtol, rtol)


def check(recorded: Dict[str, Any], name: str) -> None:
    inputs = [filled(one, 100 + place) for place, one in enumerate(recorded["inputs"])]
    targets = [filled(one, 200 + place) for place, one in enumerate(recorded["targets"])]
    shapes = recorded["sizes"] and tuple({int(axis): Dim(one, min=1, max=64) for axis, one in names.items()}
                                         for names in recorded["sizes"])  # fmt: skip
    model = flywheel.torch.from_module(
        replayed_torch.RecordedModule(recorded), tuple(inputs), loss=lambda *_: None, example_targets=tuple(targets),
        optimizer=OPTIMIZERS[recorded["optimizer"]](), dynamic_shapes=shapes)  # fmt: skip
    narrow = any(one["dtype"] == "float32" for one in recorded["parameters"])
    rtol = 1e-5 if narrow else 1e-9
    outputs = model(*inputs)
    for place, leaf in enumerate(recorded["outputs"]):
        own = outputs if len(recorded["outputs"]) == 1 else outputs[place]
        compare(own, decode(leaf), f"{name}, output {place}", rtol, rtol)
    if recorded["sizes"]:
        # Rows do not depend on each other's, but for what is summed over all of them.
        assert np.shape(model(*[np.concatenate([one, one]) for one in inputs]))[0] == 2 * len(inputs[0])
    for step, leaf in enumerate(recorded["losses"]):
        compare(model.step(*inputs, *targets), decode(leaf), f"{name}, loss of step {step}", rtol, rtol)
        if step == 0:
            check_state(model, recorded["first"], f"{name}, after the first step", rtol)
    check_state(model, recorded["last"], f"{name}, after the last step", rtol)


def test_cases() -> None:
    files = sorted((FOLDER / "torch").glob("*.json"))
    assert len(files) >= FEWEST_CASES, files
    for file in files:
        check(json.loads(file.read_text(encoding="utf-8")), file.stem)


def test_altered_number() -> None:
    """A comparison with another number fails, in each place that has some."""
    for key in ("outputs", "losses", "first", "last"):
        recorded = json.loads((FOLDER / "torch/mlp.json").read_text(encoding="utf-8"))
        parts = recorded[key]
        leaf = parts[0] if isinstance(parts, list) else parts["0.weight"]
        leaf["float64"] = np.add(leaf["float64"], 1e-6).tolist()
        try:
            check(recorded, "mlp")
        except AssertionError:
            continue
        raise AssertionError(f"another number in '{key}' is not found")


if __name__ == "__main__":
    test_cases()
    test_altered_number()
