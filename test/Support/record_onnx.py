#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records models of ONNX for test/Python/recorded_onnx.py, and the numbers of other evaluators.

usage: PYTHONPATH=build/python:test/Support PYTHON test/Support/record_onnx.py [CASE...]

PYTHON has onnx and onnxruntime. By default all cases of onnx_cases.py are recorded, into
test/Python/Inputs/recorded/onnx. A case has NAME.onnx, the model, and NAME.json with

  calls    of each call the inputs, of which `recordings.filled` draws the elements, and the outputs: of onnxruntime, or
           of onnx.reference if the model is trained
  target   if the model is trained; `loss` before the step, and the `first` values of what is trained after a step of
           gradient descent, whose derivatives are differences of losses of onnx.reference
"""

import sys
from typing import Any, Dict, List

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

from onnx_cases import CASES, Case
from recordings import FOLDER, encode, filled, versions_of, write_json

RATE = 0.1
# The derivatives have an error of the order of the fourth power of this difference.
STEP = 1e-4


def _drawn(specs: List[Dict[str, Any]]) -> List[Any]:
    return [filled(one, 100 + place) for place, one in enumerate(specs)]


def _run(case: Case, inputs: List[Any]) -> List[Any]:
    feeds = {one.name: array for one, array in zip(case.model.graph.input, inputs)}
    if case.target is not None:
        return list(ReferenceEvaluator(case.model).run(None, feeds))
    session = onnxruntime.InferenceSession(case.model.SerializeToString(), providers=["CPUExecutionProvider"])
    return list(session.run(None, feeds))


def _loss(case: Case, values: Dict[str, Any]) -> Any:
    """Returns the loss with these values of initializers."""
    changed = onnx.ModelProto()
    changed.CopyFrom(case.model)
    for tensor in changed.graph.initializer:
        if tensor.name in values:
            tensor.CopyFrom(numpy_helper.from_array(values[tensor.name], tensor.name))
    (output,) = _run(case._replace(model=changed), _drawn(case.calls[0]))
    assert case.target is not None
    return np.mean(np.square(output - filled(case.target, 200)))


def _slope(case: Case, values: Dict[str, Any], name: str, place: int) -> Any:
    """Returns the derivative of the loss for one element, by differences of fourth order."""
    found = 0.0
    for steps, factor in ((1, 8), (-1, -8), (2, -1), (-2, 1)):
        moved = values[name].copy()
        moved.reshape(-1)[place] += steps * STEP
        found += factor * _loss(case, {**values, name: moved})
    return found / (12 * STEP)


def record(case: Case) -> None:
    onnx.checker.check_model(case.model, full_check=True)
    content: Dict[str, Any] = {
        "command": f"test/Support/record_onnx.py {case.name}", "versions": versions_of("onnx", "onnxruntime"),
        "calls": [{"inputs": specs, "outputs": [encode(one) for one in _run(case, _drawn(specs))]}
                  for specs in case.calls]}  # fmt: skip
    if case.target is not None:
        values = {one.name: numpy_helper.to_array(one) for one in case.model.graph.initializer
                  if one.data_type == onnx.TensorProto.DOUBLE and one.dims}  # fmt: skip
        slopes = {name: np.reshape([_slope(case, values, name, place) for place in range(one.size)], one.shape)
                  for name, one in values.items()}  # fmt: skip
        content.update(target=case.target, loss=encode(np.asarray(_loss(case, values))),
                       first={name: encode(one - RATE * slopes[name]) for name, one in values.items()})  # fmt: skip
    (FOLDER / "onnx").mkdir(parents=True, exist_ok=True)
    onnx.save(case.model, FOLDER / "onnx" / f"{case.name}.onnx")
    write_json(FOLDER / "onnx" / f"{case.name}.json", content)


def main() -> None:
    for case in CASES:
        if not sys.argv[1:] or case.name in sys.argv[1:]:
            record(case)
            sizes = [file.stat().st_size for file in (FOLDER / "onnx").glob(f"{case.name}.*")]
            print(f"{case.name}: {sizes} bytes", flush=True)


if __name__ == "__main__":
    main()
