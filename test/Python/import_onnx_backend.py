# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, onnx
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""The models that ONNX tests its back ends with, one for each form of an op: those that are imported have ONNX's
results, with operands that are fed and with ones that the file has, and the others are refused by name (B1, B4).

usage: import_onnx_backend.py [WORD], in the names of models to run
"""

import sys
import warnings
from typing import Any, Dict, Iterator, List, Tuple

import numpy as np
import onnx
from onnx import numpy_helper

import flywheel as fw
import flywheel.onnx
from selection import choose

# The models of which a run without FLYWHEEL_TEST_ALL takes some.
SHARE = 0.06
# What draws random numbers; and where onnxruntime has other results than ONNX's reference.
LEFT_OUT = ("dropout", "bernoulli", "random", "scales_linear_align_corners", "scales_cubic_align_corners")
# Of one operation more or less; a model may have several.
TOLERANCES = {"float16": 4e-3, "bfloat16": 2e-2}


def as_inputs_or_constants(case: Any) -> Iterator[Tuple[str, Any, List[Any], List[Any]]]:
    """The model of a case, and the one in which all operands but the first are initializers."""
    inputs, outputs = ([numpy_helper.to_array(one) if isinstance(one, onnx.TensorProto) else one for one in part]
                       for part in case.data_sets[0])  # fmt: skip
    yield "fed", case.model, inputs, outputs
    names = [info.name for info in case.model.graph.input]
    if len(names) < 2 or not all(isinstance(one, np.ndarray) for one in inputs):
        return
    changed = onnx.ModelProto()
    changed.CopyFrom(case.model)
    for name, array in list(zip(names, inputs))[1:]:
        changed.graph.initializer.append(numpy_helper.from_array(array, name))
    del changed.graph.input[1:]
    yield "constant", changed, inputs[:1], outputs


def check(case: Any, counts: Dict[str, int]) -> List[str]:
    failures: List[str] = []
    for kind, model, inputs, outputs in as_inputs_or_constants(case):
        try:
            with fw.Namespace(), fw.Store():
                found = flywheel.onnx.load(model)(*inputs)
        except fw.onnx.UnsupportedOpError:
            counts["refused"] += 1
            continue
        except Exception as error:
            text = f"{type(error).__name__}: {' | '.join(str(error).splitlines()[:6])}"
            # What the checker of ONNX finds wrong with its own models.
            counts["failed"] += 1
            failures.append(f"{case.name} ({kind}): {text}")
            continue
        try:
            for wanted, own in zip(outputs, found if isinstance(found, tuple) else (found,)):
                result = np.asarray(own)
                assert result.dtype == wanted.dtype, f"{result.dtype}, not {wanted.dtype}"
                assert result.shape == wanted.shape, f"{result.shape}, not {wanted.shape}"
                np.testing.assert_allclose(result.astype(np.float64), wanted.astype(np.float64),
                                           TOLERANCES.get(str(wanted.dtype), case.rtol), 1e-5)  # fmt: skip
            counts["same"] += 1
        except AssertionError as error:
            counts["failed"] += 1
            lines = [line for line in str(error).splitlines() if line.strip()]
            failures.append(f"{case.name} ({kind}): WRONG {' | '.join(lines[:7])}")
    return failures


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    from onnx.backend.test.loader import load_model_tests

    cases = [case for case in load_model_tests(kind="node") if not any(word in case.name for word in LEFT_OUT)]
    if len(sys.argv) > 1:
        cases = [case for case in cases if sys.argv[1] in case.name]
    else:
        cases = choose("import_onnx_backend", cases, SHARE)
    counts = {"same": 0, "refused": 0, "failed": 0}
    failures: List[str] = []
    for case in cases:
        for failure in check(case, counts):
            failures.append(failure)
            print(failure, flush=True)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    sys.exit(bool(failures))
