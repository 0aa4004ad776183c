# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, onnx, onnxruntime
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Attributes of ONNX's ops beside their schemas: each has the effect that ONNX says, or is refused by name (B4).

Each model that ONNX tests an op with gets the attributes of its op's schema, one at a time, with other values than the
default; what is imported has the results of ONNX's reference, or of onnxruntime.

usage: import_onnx_attributes.py [WORD], in the names of models to change
"""

import sys
import warnings
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np
import onnx
import onnxruntime
from onnx import AttributeProto, TensorProto, helper
from onnx.reference import ReferenceEvaluator

import flywheel as fw
import flywheel.onnx
from flywheel.onnx._attributes import Attributes, find_schema
from flywheel.onnx._graph import HANDLERS
from import_onnx_backend import LEFT_OUT, TOLERANCES
from selection import choose

SHARE = 0.03
WORDS: Dict[str, List[str]] = {
    "auto_pad": ["SAME_UPPER", "SAME_LOWER", "VALID"], "mode": ["DCR", "CRD", "nearest", "linear", "cubic", "reflect",
                                                                "edge", "wrap", "constant"],
    "direction": ["reverse", "bidirectional"], "approximate": ["tanh"], "reduction": ["none", "sum", "add", "mul"],
    "coordinate_transformation_mode": ["asymmetric", "align_corners", "half_pixel", "pytorch_half_pixel"],
    "nearest_mode": ["floor", "ceil", "round_prefer_ceil"], "keep_aspect_ratio_policy": ["not_larger", "not_smaller"],
}  # fmt: skip
# The reference draws random numbers, or reads these as onnxruntime does not.
# Ops for which ONNX's reference is wrong: it takes pads twice, and has infinities at large numbers.
BY_RUNTIME = {"AveragePool", "ConvTranspose", "LogSoftmax", "MaxPool"}
OPTIONS = onnxruntime.SessionOptions()
OPTIONS.log_severity_level = 4
UNSURE = {"seed", "dtype", "to", "stash_type", "training_mode", "storage_order", "output_shape", "axes", "momentum"}


def values_of(name: str, kind: int, node: Any) -> Iterator[Any]:
    """Values of an attribute that are not its default, as a rule."""
    if kind == AttributeProto.INT:
        yield from (0, 1, 2, -1)
    elif kind == AttributeProto.FLOAT:
        yield from (0.375, 1.75)
    elif kind == AttributeProto.STRING:
        yield from WORDS.get(name, ["what there is not"])
    elif kind == AttributeProto.INTS:
        old = next((list(one.ints) for one in node.attribute if one.name == name), [1, 1])
        yield from ([one + 1 for one in old], [1] * len(old), [0] * len(old))


def changed(case: Any) -> Iterator[Tuple[str, Any]]:
    """The models with one attribute changed."""
    (node,) = case.model.graph.node
    for name, declared in find_schema(node.op_type, case.model.opset_import[0].version).attributes.items():
        if name in UNSURE:
            continue
        for value in values_of(name, declared.type.value, node):
            model = onnx.ModelProto()
            model.CopyFrom(case.model)
            own = model.graph.node[0]
            for place in reversed(range(len(own.attribute))):
                if own.attribute[place].name == name:
                    del own.attribute[place]
            own.attribute.append(helper.make_attribute(name, value, attr_type=declared.type.value))
            for output in model.graph.output:
                output.type.tensor_type.ClearField("shape")
            yield f"{case.name} with {name}={value}", model


def check(what: str, model: Any, inputs: List[Any], counts: Dict[str, int]) -> str:
    """Returns the error; empty if there is none."""
    feeds = dict(zip([info.name for info in model.graph.input], inputs))
    try:
        if model.graph.node[0].op_type in BY_RUNTIME:
            wanted = onnxruntime.InferenceSession(model.SerializeToString(), OPTIONS).run(None, feeds)
        else:
            wanted = ReferenceEvaluator(model).run(None, feeds)
    except Exception:
        counts["without a reference"] += 1
        return ""
    try:
        with fw.Namespace(), fw.Store():
            found = flywheel.onnx.load(model)(*inputs)
    except (fw.onnx.UnsupportedOpError, ValueError):
        counts["refused"] += 1
        return ""
    for own, result in zip(found if isinstance(found, tuple) else (found,), wanted):
        array = np.asarray(own)
        if not isinstance(result, np.ndarray) or array.shape != result.shape:
            return f"{what}: found {array.shape}, not {np.shape(result)}"
        tolerance = TOLERANCES.get(str(result.dtype), 1e-3)
        if not np.allclose(array.astype(np.float64), result.astype(np.float64), tolerance, 1e-5, equal_nan=True):
            return f"{what}: found {array.reshape(-1)[:6]}, not {result.reshape(-1)[:6]}"
    counts["same"] += 1
    return ""


def test_reading() -> None:
    """An attribute that nothing reads is found, unless it is the default; a missing one or one of another type is
    wrong."""

    def attributes(op: str, opset: int = 22, **given: Any) -> Attributes:
        return Attributes(helper.make_node(op, ["x"], ["y"], **given), opset)

    assert list(attributes("LeakyRelu", alpha=0.01).find_dropped(())) == []
    assert [name for name, _ in attributes("LeakyRelu", alpha=0.5).find_dropped(())] == ["alpha"]
    assert list(attributes("LeakyRelu", alpha=0.5).find_dropped(("alpha",))) == []
    read = attributes("LeakyRelu", alpha=0.5)
    assert read.read("alpha") == 0.5 and list(read.find_dropped(())) == []
    # Defaults are those of the version; without the attribute, a version does what is the default of later ones.
    assert attributes("Softmax", 11).read("axis") == 1 and attributes("Softmax", 13).read("axis") == -1
    assert (
        attributes("TopK", 10).read("largest") == 1 and attributes("DepthToSpace", 9, blocksize=2).read("mode") == "DCR"
    )
    twice = helper.make_node("LeakyRelu", ["x"], ["y"], alpha=0.5)
    twice.attribute.append(twice.attribute[0])
    wrong: List[Tuple[Callable[[], Any], str]] = [
        (lambda: Attributes(twice, 22), "there twice"), (lambda: attributes("Cast"), "'to' is missing"),
        (lambda: attributes("LeakyRelu", alpha="x"), "another type than FLOAT"),
    ]  # fmt: skip
    for make, words in wrong:
        try:
            make()
            raise AssertionError(f"not refused: {words}")
        except ValueError as error:
            assert words in str(error), error


def test_without() -> None:
    """An attribute that a translation need not read is one of some version of its op."""
    for name, handler in HANDLERS.items():
        for one in handler.without:
            schema = find_schema(name) or find_schema(name, 9)
            assert one in schema.attributes or name in ("GroupNormalization", "LSTM", "GRU", "RNN", "CastLike"), (
                name,
                one,
            )


def test_dropped_results() -> None:
    """A result that no translation makes is refused by its name."""
    rate = helper.make_node("Constant", [], ["r"], value_float=0.5)
    on = helper.make_node("Constant", [], ["t"], value=helper.make_tensor("t", TensorProto.BOOL, [], [True]))
    nodes = [rate, on, helper.make_node("Dropout", ["x", "r", "t"], ["a", "i"]),
             helper.make_node("Cast", ["i"], ["y"], to=TensorProto.FLOAT)]  # fmt: skip
    graph = helper.make_graph(nodes, "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 2, 2])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    try:
        flywheel.onnx.load(model)
        raise AssertionError("not refused")
    except fw.onnx.UnsupportedOpError as error:
        assert "Dropout with a mask" in str(error), error


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    from onnx.backend.test.loader import load_model_tests

    test_reading()
    test_without()
    test_dropped_results()
    cases = [case for case in load_model_tests(kind="node") if not any(word in case.name for word in LEFT_OUT)
             and len(case.model.graph.node) == 1 and case.model.graph.node[0].op_type in HANDLERS
             and len(case.model.opset_import) == 1 and case.model.opset_import[0].version >= 9
             and all(isinstance(one, np.ndarray) for one in case.data_sets[0][0])]  # fmt: skip
    if len(sys.argv) > 1:
        cases = [case for case in cases if sys.argv[1] in case.name]
    else:
        cases = choose("import_onnx_attributes", cases, SHARE)
    counts = {"same": 0, "refused": 0, "without a reference": 0}
    failures: List[str] = []
    for case in cases:
        for what, model in changed(case):
            failure = check(what, model, case.data_sets[0][0], counts)
            if failure:
                failures.append(failure)
                print(failure, flush=True)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    sys.exit(bool(failures))
