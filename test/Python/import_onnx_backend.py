# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, onnx
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""The models that ONNX tests its back ends with, one for each form of an op: those that are imported have ONNX's
results, with operands that are fed and with ones that the file has, and the others are refused by name (B1, B4).

usage: import_onnx_backend.py [--table] [WORD], in the names of models to run; FLYWHEEL_TEST_ALL=1 runs all, and
--table counts the reasons for which models are refused
"""

import collections
import re
import sys
import warnings
from typing import Any, Iterator, List, Sequence, Tuple

import numpy as np
import onnx
from onnx import numpy_helper

import flywheel as fw
import flywheel.onnx
from selection import choose

# The models of which a run without FLYWHEEL_TEST_ALL takes some.
SHARE = 0.06
# Models that draw random numbers, for which other results are not wrong.
LEFT_OUT = ("training_dropout", "bernoulli", "random")
# The tolerances of one operation more or less; a model may have several.
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
    # The first version in which an initializer is not an input as well.
    changed.ir_version = max(changed.ir_version, 4)
    yield "constant", changed, inputs[:1], outputs


def outcome(case: Any, model: Any, inputs: List[Any], outputs: List[Any]) -> Tuple[str, str]:
    """Returns the outcome of a model: "pass", "refused" by name, "other" for any other error, or "wrong"; and why."""
    try:
        with fw.Namespace(), fw.Store():
            found = flywheel.onnx.load(model)(*inputs)
    except fw.onnx.UnsupportedOpError as error:
        return "refused", str(error)
    except Exception as error:
        return "other", f"{type(error).__name__}: {' | '.join(str(error).splitlines()[:6])}"
    try:
        for wanted, own in zip(outputs, found if isinstance(found, tuple) else (found,)):
            result = np.asarray(own)
            assert result.dtype == wanted.dtype, f"{result.dtype}, not {wanted.dtype}"
            assert result.shape == wanted.shape, f"{result.shape}, not {wanted.shape}"
            np.testing.assert_allclose(result.astype(np.float64), wanted.astype(np.float64),
                                       TOLERANCES.get(str(wanted.dtype), case.rtol), 1e-5)  # fmt: skip
        return "pass", ""
    except AssertionError as error:
        lines = [line for line in str(error).splitlines() if line.strip()]
        return "wrong", " | ".join(lines[:7])


def _ops_of(case: Any) -> Tuple[str, ...]:
    """The ops of a model, of one of which a run always takes one model."""
    return tuple(sorted({node.op_type for node in case.model.graph.node}))


def is_failure(case: Any, found: str) -> bool:
    return found in ("wrong", "other") and not any(word in case.name for word in LEFT_OUT)


def print_table(results: Sequence[Tuple[str, str, str]]) -> None:
    """Prints the number of models of each outcome, and the reasons of refusals with their numbers."""
    for kind in ("fed", "constant"):
        counts = collections.Counter(found for own, found, _ in results if own == kind)
        print(f"{kind}: {', '.join(f'{count} {what}' for what, count in sorted(counts.items()))}")
    reasons = collections.Counter(
        re.sub(r"node '[^']*'|the node of '[^']*'|\d+", "N", why.splitlines()[-1])
        for kind, found, why in results if kind == "fed" and found == "refused")  # fmt: skip
    for why, count in reasons.most_common():
        print(f"{count:5} {why.strip()}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    from onnx.backend.test.loader import load_model_tests

    words = [word for word in sys.argv[1:] if word != "--table"]
    cases = load_model_tests(kind="node")
    if words:
        cases = [case for case in cases if words[0] in case.name]
    else:
        cases = choose("import_onnx_backend", cases, SHARE, _ops_of)
    results: List[Tuple[str, str, str]] = []
    failures = 0
    for case in cases:
        for kind, model, inputs, outputs in as_inputs_or_constants(case):
            found, why = outcome(case, model, inputs, outputs)
            results.append((kind, found, why))
            if is_failure(case, found):
                failures += 1
                print(f"{case.name} ({kind}): {found}: {why}", flush=True)
    if "--table" in sys.argv:
        print_table(results)
    print(", ".join(f"{count} {what}" for what, count in collections.Counter(r[1] for r in results).items()))
    sys.exit(bool(failures))
