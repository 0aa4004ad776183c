# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, onnx
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Files of ONNX that say more than they have, or ask for what no machine has: errors name the file and the node, and
nothing is allocated for them (B8)."""

import os
import resource
import signal
import tempfile
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Type

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import flywheel as fw
import flywheel.onnx

FOLDER = tempfile.TemporaryDirectory()
PATH = os.path.join(FOLDER.name, "strange.onnx")
node = helper.make_node
HUGE = 2**33


def model(
    nodes: Sequence[Any], dims: Sequence[Any] = (2, 3), constants: Optional[Dict[str, Any]] = None, opset: int = 21
) -> Any:
    graph = helper.make_graph(
        list(nodes), "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, list(dims))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in (constants or {}).items()])  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def refused(made: Any, *words: str, kind: Type[Exception] = ValueError) -> None:
    """The file of a model, or bytes, is refused with these words and its name."""
    with open(PATH, "wb") as file:
        file.write(made if isinstance(made, bytes) else made.SerializeToString())
    try:
        with fw.Namespace(), fw.Store():
            flywheel.onnx.load(PATH)
        raise AssertionError(f"not refused: {words}")
    except kind as error:
        for word in words:
            assert word in str(error), f"expected '{word}' in: {error}"
        assert kind is not ValueError or "strange.onnx" in str(error), error


def imported(made: Any, *inputs: Any) -> Any:
    with fw.Namespace(), fw.Store():
        return flywheel.onnx.load(made)(*inputs)


def changed(made: Any, change: Callable[[Any], None]) -> Any:
    result = onnx.ModelProto()
    result.CopyFrom(made)
    change(result)
    return result


def test_sizes() -> None:
    """Large tensors that a few bytes ask for are not made in memory."""
    counts = np.array([HUGE], np.int64)
    unsupported = flywheel.onnx.UnsupportedOpError
    for dims in ((HUGE, HUGE), (HUGE, 4), (2**24, 5)):
        refused(model([node("EyeLike", ["x"], ["y"], "eye")], dims), "EyeLike", "'eye'", kind=unsupported)
    pads = {"p": np.array([0, 0, 0, HUGE], np.int64)}
    refused(model([node("Pad", ["x", "p"], ["y"], "border", mode="edge")], constants=pads), "border", kind=unsupported)
    scales = {"e": np.zeros(0, np.float32), "s": np.array([1, 1, 2.0**33, 1], np.float32)}
    for mode in ("nearest", "linear"):
        refused(model([node("Resize", ["x", "e", "s"], ["y"], "grow", mode=mode)], (1, 1, 4, 4), scales),
                "Resize", "grow", kind=unsupported)  # fmt: skip
    refused(model([node("LRN", ["x"], ["y"], "near", size=2**40)], (1, 2, 3, 3)), "near", kind=unsupported)
    empty = helper.make_graph([], "body", [], [])
    refused(model([node("Scan", ["x"], ["y"], "scan", num_scan_inputs=2**40, body=empty)]), "strange.onnx")
    refused(model([node("Split", ["x"], ["y"], "split", num_outputs=2**40)]), "split", "strange.onnx")
    limits = {"a": np.int64(0), "b": np.int64(HUGE), "c": np.int64(1)}
    refused(model([node("Einsum", ["x"], ["y"], "sum", equation=b"\xa2K\x7fs\x19\x0f")]), "equation", "'sum'")
    # Tensors that the step would make have a type only, until it is compiled.
    for made in (
        model([node("ConstantOfShape", ["n"], ["y"])], constants={"n": counts}),
        model([node("Expand", ["x", "n"], ["y"])], (1,), {"n": counts}),
        model([node("Tile", ["x", "n"], ["y"])], (1,), {"n": counts}),
        model([node("Range", ["a", "b", "c"], ["r"]), node("Cast", ["r"], ["y"], to=1)], constants=limits),
    ):
        with fw.Namespace(), fw.Store():
            assert flywheel.onnx.load(made) is not None
    # Each of many is small.
    nodes = [node("ConstantOfShape", ["n"], ["c0"])]
    nodes += [node("Neg", [f"c{i}"], [f"c{i + 1}"]) for i in range(3000)]
    nodes += [node("Add", ["x", "c3000"], ["y"])]
    with fw.Namespace(), fw.Store():
        flywheel.onnx.load(model(nodes, (1,), {"n": np.array([65536], np.int64)}))


def test_initializers() -> None:
    """As many elements as the shape says, of one field."""
    good = model([node("Add", ["x", "w"], ["y"])], constants={"w": np.ones((2, 3), np.float32)})

    def wrong(change: Callable[[Any], None], *words: str, kind: Type[Exception] = ValueError) -> None:
        refused(changed(good, lambda one: change(one.graph.initializer[0])), *words, kind=kind)

    wrong(lambda w: w.dims.append(HUGE), "w")
    wrong(lambda w: w.dims.append(-1), "w")
    wrong(lambda w: w.ClearField("raw_data"), "w")
    wrong(lambda w: w.float_data.append(1.0), "w")
    wrong(lambda w: setattr(w, "raw_data", w.raw_data[:-1]), "w")
    wrong(lambda w: setattr(w, "data_type", 99), "w", kind=Exception)
    wrong(lambda w: setattr(w, "data_type", TensorProto.STRING), "w", kind=Exception)
    wrong(lambda w: setattr(w, "name", ""), "strange.onnx", kind=Exception)
    refused(changed(good, lambda one: one.graph.initializer.add().CopyFrom(one.graph.initializer[0])), "w")


def test_graphs() -> None:
    """Cycles, names that occur twice, and values that do not exist."""
    refused(model([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Relu", ["b"], ["y"])]), "sorted")
    refused(model([node("Relu", ["x"], ["y"]), node("Relu", ["x"], ["y"])]), "y")
    refused(model([node("Relu", ["y"], ["y"])]), "y")
    refused(model([node("Add", ["x"], ["y"], "one")]), "Add")
    refused(model([node("Min", ["x", ""], ["y"], "least")]), "'least' (Min): expected the operand 'data_0', found none")
    refused(model([node("Softmax", ["x"], ["y"], "one", axis=2**62)]), "one")
    refused(model([node("Transpose", ["x"], ["y"], "turn", perm=[2**62, 0])]), "turn")
    for axis in (2**31, 2**63 - 1, -(2**63), 2):
        norm = node("LayerNormalization", ["x", "s"], ["y"], "norm", axis=axis)
        refused(model([norm], constants={"s": np.ones(3, np.float32)}), "norm", "axis")
    for batch_dims in (-100, -(2**31), 2**62):
        picked = node("GatherND", ["x", "i"], ["y"], "pick", batch_dims=batch_dims)
        refused(model([picked], constants={"i": np.zeros((2, 1), np.int64)}), "pick", "batch_dims")
    refused(model([node("Relu", ["x"], ["y"])], (-3, 2)), "x")
    twice = changed(model([node("LeakyRelu", ["x"], ["y"], "slope", alpha=0.5)]),
                    lambda one: one.graph.node[0].attribute.add().CopyFrom(one.graph.node[0].attribute[0]))  # fmt: skip
    refused(twice, "alpha", "slope")
    other = changed(model([node("LeakyRelu", ["x"], ["y"], "slope", alpha=0.5)]),
                    lambda one: setattr(one.graph.node[0].attribute[0], "type", onnx.AttributeProto.INT))  # fmt: skip
    refused(other, "alpha")
    refused(changed(twice, lambda one: one.graph.ClearField("input")), "strange.onnx")
    refused(changed(twice, lambda one: one.ClearField("graph")), "strange.onnx")
    deep = model([node("Relu", ["x"], ["y"])])
    for _ in range(200):
        inner = onnx.GraphProto()
        inner.CopyFrom(deep.graph)
        del inner.input[:]
        deep = model([node("If", ["x"], ["y"], then_branch=inner, else_branch=inner)] if len(inner.node) < 3 else [])
        if deep.ByteSize() > 1 << 20:
            break
    refused(deep, "strange.onnx", kind=Exception)


def outside(location: str, offset: str = "0", length: str = "24", **more: str) -> Any:
    made = model([node("Add", ["x", "w"], ["y"])], constants={"w": np.ones((2, 3), np.float32)})
    w = made.graph.initializer[0]
    w.ClearField("raw_data")
    w.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, "offset": offset, "length": length, **more}.items():
        w.external_data.add(key=key, value=value)
    return made


def test_outside_data() -> None:
    """Data in files of the folder, as much as a tensor needs."""
    data = np.arange(10, dtype=np.float32)
    inside = os.path.join(FOLDER.name, "inside.data")
    data.tofile(inside)
    made = outside("inside.data", "8")
    with open(PATH, "wb") as file:
        file.write(made.SerializeToString())
    x = np.zeros((2, 3), np.float32)
    np.testing.assert_array_equal(imported(PATH, x), data[2:8].reshape(2, 3))
    elsewhere = tempfile.mkdtemp()
    data.tofile(os.path.join(elsewhere, "secret"))
    os.symlink(os.path.join(elsewhere, "secret"), os.path.join(FOLDER.name, "link"))
    os.mkfifo(os.path.join(FOLDER.name, "pipe"))
    os.mkdir(os.path.join(FOLDER.name, "folder"))
    cases: List[Tuple[Any, str]] = [
        (outside("inside.data", "20"), "found 40 bytes"), (outside("inside.data", "-4"), "expected a number of bytes"),
        (outside("inside.data", "x"), "expected a number of bytes"), (outside("inside.data", "9" * 30), "a number"),
        (outside("inside.data", length=str(2**50)), "needs 24 bytes"), (outside("inside.data", length="2"), "24 bytes"),
        (outside(f"{elsewhere}/secret"), "in the folder of the model"), (outside("../secret"), "in the folder"),
        (outside("link"), "in the folder"), (outside(""), "in the folder"), (outside("/dev/zero"), "in the folder"),
        (outside("pipe"), "no regular file"), (outside("a\0b"), "w")]  # fmt: skip
    for made, words in cases:
        refused(made, "'w'", words)
    refused(outside("nothing"), "'nothing', which cannot be read", kind=FileNotFoundError)
    refused(outside("folder"), "'w'", kind=Exception)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    signal.alarm(240)
    test_sizes()
    test_initializers()
    test_graphs()
    test_outside_data()
