# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, onnx
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Files of ONNX: which initializers are variables, what is written back (B3), and what is refused, with the nodes that
are to blame (B4)."""

import os
import sys
import tempfile
from typing import Any, Callable, Dict, List, Optional, Sequence, Type

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import flywheel as fw
import flywheel.onnx

FOLDER = tempfile.TemporaryDirectory()
random = np.random.default_rng(3)


def weight(*shape: int) -> Any:
    return random.normal(size=shape).astype(np.float32)


def build(
    nodes: Sequence[Any], inputs: Dict[str, Any], initializers: Optional[Dict[str, Any]] = None,
    outputs: Sequence[str] = ("y",), opset: int = 21, element: int = TensorProto.FLOAT, functions: Sequence[Any] = (),
    domains: Sequence[str] = (), out_element: Optional[int] = None,
) -> Any:  # fmt: skip
    """A model; of an input a list is the shape."""
    graph = helper.make_graph(
        list(nodes), "graph",
        [one if isinstance(one, onnx.ValueInfoProto) else helper.make_tensor_value_info(name, element, one)
         for name, one in inputs.items()],
        [helper.make_tensor_value_info(name, out_element or element, None) for name in outputs],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in (initializers or {}).items()])  # fmt: skip
    ids = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=ids, ir_version=10, functions=list(functions))


def node(op: str, inputs: Sequence[str], outputs: Sequence[str], name: str = "", **attributes: Any) -> Any:
    return helper.make_node(op, list(inputs), list(outputs), name, **attributes)


def same(model: Any, *feeds: Any) -> Any:
    """The imported model, which gives what ONNX's reference does."""
    ours = flywheel.onnx.load(model)
    wanted = ReferenceEvaluator(model).run(None, dict(zip(ours.input_names, feeds)))
    found = ours(*feeds)
    for own, array in zip(found if isinstance(found, tuple) else (found,), wanted):
        np.testing.assert_allclose(own, array, rtol=1e-5, atol=1e-6)
        assert own.dtype == array.dtype
    return ours


def refused(kind: Type[Exception], action: Callable[[], Any], *parts: str) -> Any:
    before = dict(fw.current_namespace().variables)
    try:
        action()
    except kind as error:
        for part in parts:
            assert part in str(error), f"{part!r} is not in: {error}"
        assert fw.current_namespace().variables == before, "variables were made"
        return error
    raise AssertionError(f"nothing was refused: {parts}")


DENSE = [node("MatMul", ["x", "w"], ["h"]), node("Add", ["h", "b"], ["y"])]


def dense() -> Any:
    return build(DENSE, {"x": ["batch", 3]}, {"w": weight(3, 2), "b": weight(2)})


#
# Variables
#


def test_variables() -> None:
    nodes = [
        node("Conv", ["x", "/conv/onnx::W 1", "c.bias"], ["h"]),
        node("BatchNormalization", ["h", "g", "b", "m", "v"], ["n"]), node("Mul", ["n", "scale"], ["s"]),
        node("Clip", ["s", "low"], ["t"]), node("Gather", ["t", "place"], ["u"], axis=1),
        node("ReduceSum", ["u", "axes"], ["y"], keepdims=0)]  # fmt: skip
    model = build(nodes, {"x": ["batch", 2, 5, 5]}, {
        "/conv/onnx::W 1": weight(4, 2, 3, 3), "c.bias": weight(4), "g": weight(4), "b": weight(4), "m": weight(4),
        "v": np.ones(4, np.float32), "scale": np.float32(3), "low": np.float32(0), "place": np.array([3, 0]),
        "axes": np.array([2, 3]), "unused": weight(2)})  # fmt: skip
    ours = same(model, weight(2, 2, 5, 5))
    assert {name: variable.trainable for name, variable in ours.variables.items()} == {
        "/conv/onnx::W 1": True, "c.bias": True, "g": True, "b": True, "m": False, "v": False}  # fmt: skip
    assert ours.variables["/conv/onnx::W 1"].name == "conv/onnx_W_1"
    # Trained are those that are named; a number then too.
    named = flywheel.onnx.load(model, trainable=["c.bias", "scale"], name="named")
    assert [name for name, variable in named.variables.items() if variable.trainable] == ["c.bias", "scale"]
    assert named.variables["scale"].name == "named/scale"
    some = flywheel.onnx.load(model, trainable=lambda name: name == "g", name="some")
    assert [name for name, variable in some.variables.items() if variable.trainable] == ["g"]
    refused(ValueError, lambda: flywheel.onnx.load(model, trainable=["nobody"]), "no initializer 'nobody'")
    refused(ValueError, lambda: flywheel.onnx.load(model, trainable=["axes"]), "'axes'", "no floating-point")
    refused(TypeError, lambda: flywheel.onnx.load(model, trainable="g"), "a list of names")


def test_states() -> None:
    ours = flywheel.onnx.load(dense(), loss="mean_squared_error", optimizer=fw.optimizers.SGD(lr=0.1))
    x, y = weight(5, 3), weight(5, 2)
    state = ours.state_dict()
    losses = [float(ours.step(x, y)) for _ in range(10)]
    w, b = state["w"].astype(np.float64), state["b"].astype(np.float64)
    for loss in losses:
        error = x @ w + b - y
        np.testing.assert_allclose(loss, np.mean(error**2), rtol=1e-4)
        w, b = w - 0.1 * 2 * x.T @ error / 10, b - 0.1 * 2 * error.sum(0) / 10
    np.testing.assert_allclose(ours.state_dict()["w"], w, rtol=1e-4, atol=1e-5)
    # To a file and back.
    path = os.path.join(FOLDER.name, "dense.onnx")
    ours.export_weights(path)
    written = onnx.load(path)
    np.testing.assert_array_equal(numpy_helper.to_array(written.graph.initializer[0]), ours.state_dict()["w"])
    assert written.graph.node == dense().graph.node
    ours.load_state_dict(state)
    np.testing.assert_allclose(ours(x), x @ state["w"] + state["b"], rtol=1e-5, atol=1e-5)
    trained = {**state, "w": state["w"] * 2}
    refused(ValueError, lambda: ours.load_state_dict({"w": state["w"]}), "it lacks ['b']")
    refused(ValueError, lambda: ours.load_state_dict({**trained, "b": weight(3)}), "'b' has the shape (2,)")
    refused(TypeError, lambda: ours.load_state_dict({**trained, "b": np.zeros(2)}), "float32, found float64")
    np.testing.assert_array_equal(ours.state_dict()["w"], state["w"])
    refused(OSError, lambda: ours.export_weights(os.path.join(FOLDER.name, "nowhere", "dense.onnx")))


def test_losses() -> None:
    """A loss of the file, a function of several outputs, names; and what is none."""
    nodes = [*DENSE, node("SoftmaxCrossEntropyLoss", ["y", "labels"], ["loss"])]
    labels = helper.make_tensor_value_info("labels", TensorProto.INT64, ["batch"])
    model = build(nodes, {"x": ["batch", 3], "labels": labels}, {"w": weight(3, 2), "b": weight(2)}, ["loss", "y"])
    sgd = fw.optimizers.SGD(lr=0.1)
    ours = flywheel.onnx.load(model, loss=lambda outputs: outputs[0], optimizer=sgd)
    x, wanted = weight(5, 3), np.array([0, 1, 1, 0, 1])
    losses = [float(ours.step(x, wanted)) for _ in range(5)]
    by_name = flywheel.onnx.load(dense_of(model), loss="sparse_softmax_cross_entropy", optimizer=sgd,
                                 targets=[fw.spec("batch", dtype="int64")], name="other")  # fmt: skip
    np.testing.assert_allclose([float(by_name.step(x, wanted)) for _ in range(5)], losses, rtol=1e-5)
    assert losses[-1] < losses[0]
    refused(ValueError, lambda: flywheel.onnx.load(model, loss="guess", optimizer=sgd), "no loss 'guess'", "huber")
    refused(ValueError, lambda: flywheel.onnx.load(model, optimizer=sgd), "both a loss and an optimizer")
    third = flywheel.onnx.load(model, name="third")
    refused(ValueError, lambda: third.step(x, wanted), "flywheel.onnx.load needs a loss and an optimizer")
    refused(ValueError, lambda: ours.step(x), "has 2 inputs, x, labels: found 1")
    refused(ValueError, lambda: ours(x, training=True), "for traced functions")


def dense_of(model: Any) -> Any:
    """The same weights without the loss."""
    arrays = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    return build(DENSE, {"x": ["batch", 3]}, arrays)


def test_calls() -> None:
    ours = flywheel.onnx.load(dense())
    refused(ValueError, lambda: ours(weight(5, 4)), "(?, 3)")
    refused(TypeError, lambda: ours(np.zeros((5, 3))), "float32")
    fixed = flywheel.onnx.load(dense(), sizes={"batch": 4}, name="fixed")
    assert fixed(weight(4, 3)).shape == (4, 2)
    refused(ValueError, lambda: fixed(weight(5, 3)), "(4, 3)")
    refused(ValueError, lambda: flywheel.onnx.load(dense(), sizes={"time": 4}), "no dimension 'time'", "['batch']")

    @fw.function
    def wrong(x: Any) -> Any:
        return ours(fw.cast(x, "float64"))

    refused(ValueError, lambda: wrong(weight(5, 3)), "input 'x' is float32(?, 3), found float64(5, 3)")


def test_names_of_sizes() -> None:
    """Feeds, results and sizes have the names of the file."""
    text = flywheel.onnx.load(dense())._forward.mlir()
    assert 'train.dims = ["batch", ""]' in text and 'train.name = "x"' in text and 'train.name = "y"' in text, text


#
# Forms of graphs
#


def test_functions() -> None:
    """Functions of the file, also with attributes and in each other."""
    ids = [helper.make_opsetid("", 21), helper.make_opsetid("own", 1)]
    nodes = [helper.make_node("LeakyRelu", ["a"], ["c"]), helper.make_node("Tanh", ["c"], ["b"])]
    nodes[0].attribute.add(name="alpha", ref_attr_name="alpha", type=onnx.AttributeProto.FLOAT)
    leak = helper.make_function("own", "Leak", ["a"], ["b"], nodes, ids, ["alpha"])
    nodes = [helper.make_node("Leak", ["a"], ["c"], domain="own", alpha=0.3),
             helper.make_node("Add", ["c", "a"], ["b"])]  # fmt: skip
    twice = helper.make_function("own", "Twice", ["a"], ["b"], nodes, ids, [])
    nodes = [helper.make_node("Twice", ["x"], ["h"], domain="own"),
             helper.make_node("Leak", ["h"], ["y"], domain="own", alpha=0.5)]  # fmt: skip
    ours = flywheel.onnx.load(build(nodes, {"x": ["batch", 3]}, functions=[leak, twice], domains=["own"]))
    x = weight(4, 3)
    h = np.tanh(np.where(x > 0, x, 0.3 * x)) + x
    np.testing.assert_allclose(ours(x), np.tanh(np.where(h > 0, h, 0.5 * h)), rtol=1e-5)


def test_expansion() -> None:
    """An op without a translation of its own that ONNX defines by others."""
    model = build([node("CenterCropPad", ["x", "size"], ["y"], axes=[1])], {"x": [2, 7]}, {"size": np.array([4])})
    same(model, weight(2, 7))


def test_branches() -> None:
    """A condition that is known, by sizes here; what is around a branch is seen in it."""
    then = helper.make_graph([node("Mul", ["x", "w"], ["then_out"])], "then", [],
                             [helper.make_tensor_value_info("then_out", TensorProto.FLOAT, None)])  # fmt: skip
    other = helper.make_graph([node("Add", ["x", "own"], ["else_out"])], "else", [],
                              [helper.make_tensor_value_info("else_out", TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(np.array([1, 2, 3], np.float32), "own")])  # fmt: skip
    nodes = [node("Shape", ["x"], ["shape"]), node("Gather", ["shape", "one"], ["width"]),
             node("Equal", ["width", "three"], ["is"]),
             node("If", ["is"], ["y"], then_branch=then, else_branch=other)]  # fmt: skip
    for three, trained in ((3, ["w"]), (4, ["w"])):
        model = build(nodes, {"x": ["batch", 3]}, {"one": np.int64(1), "three": np.int64(three), "w": weight(3)})
        with fw.Namespace(), fw.Store():
            ours = same(model, weight(4, 3))
            assert list(ours.variables) == trained


def test_tied() -> None:
    """One initializer at two places, once transposed, and as a result."""
    nodes = [node("MatMul", ["x", "w"], ["h"]), node("Transpose", ["w"], ["t"]), node("MatMul", ["h", "t"], ["y"]),
             node("Identity", ["w"], ["out"])]  # fmt: skip
    x, w = weight(4, 3), weight(3, 2)
    model = build(nodes, {"x": ["batch", 3]}, {"w": w}, ["y", "out"])
    ours = flywheel.onnx.load(model, loss=lambda outputs, target: fw.mean(fw.square(outputs[0] - target)),
                              optimizer=fw.optimizers.SGD(lr=0.01))  # fmt: skip
    ours.step(x, x)
    e = 2 * (x @ w @ w.T - x) / x.size
    np.testing.assert_allclose(ours.state_dict()["w"], w - 0.01 * (x.T @ e @ w + e.T @ x @ w), rtol=1e-4, atol=1e-5)


def test_half() -> None:
    """bfloat16 and float16, there and back."""
    import ml_dtypes

    for element, dtype in ((TensorProto.BFLOAT16, ml_dtypes.bfloat16), (TensorProto.FLOAT16, np.float16)):
        w = weight(3, 2).astype(dtype)
        model = build([node("MatMul", ["x", "w"], ["y"])], {"x": ["batch", 3]}, {"w": w}, element=element)
        ours = flywheel.onnx.load(model, name=np.dtype(dtype).name)
        x = weight(4, 3).astype(dtype)
        found = ours(x)
        assert found.dtype == np.dtype(dtype)
        wanted = x.astype(np.float32) @ w.astype(np.float32)
        np.testing.assert_allclose(found.astype(np.float32), wanted, rtol=2e-2, atol=2e-2)
        ours.variables["w"].set((w * 2).astype(dtype))
        path = os.path.join(FOLDER.name, "half.onnx")
        ours.export_weights(path)
        written = numpy_helper.to_array(onnx.load(path).graph.initializer[0])
        np.testing.assert_array_equal(written, (w * 2).astype(dtype))


def test_dropout() -> None:
    """A step drops, inference does not, and neither does a step that keeps the modes of the file."""
    nodes = [node("Dropout", ["x", "ratio", "mode"], ["d"]), node("Mul", ["d", "w"], ["y"])]
    for mode in (False, True):
        arrays = {"ratio": np.float32(0.5), "mode": np.array(mode), "w": np.ones(1000, np.float32)}
        model = build(nodes, {"x": [1000]}, arrays)
        with fw.Namespace(), fw.Store():
            ours = flywheel.onnx.load(model, loss=lambda y: fw.mean(y), optimizer=fw.optimizers.SGD(lr=0.0))
            x = np.ones(1000, np.float32)
            np.testing.assert_array_equal(ours(x), x)
            drawn = [float(ours.step(x)) for _ in range(3)]
            assert len(set(drawn)) > 1 and all(0.8 < one < 1.2 for one in drawn), drawn
            kept = flywheel.onnx.load(model, loss=lambda y: fw.mean(y), optimizer=fw.optimizers.SGD(lr=0.0),
                                      keep_modes=True, name="kept")  # fmt: skip
            assert (float(kept.step(x)) != 1) == mode


#
# Refusals
#


def test_missing_ops() -> None:
    """All ops and attributes, with their nodes, before anything is compiled."""
    nodes = [node("NonZero", ["x"], ["a"], "first"), node("Cast", ["a"], ["b"], to=TensorProto.FLOAT),
             node("NonZero", ["x"], ["c"], "second"), node("Bernoulli", ["x"], ["d"]),
             helper.make_node("Magic", ["x"], ["y"], "third", domain="my.domain"),
             node("Relu", ["x"], ["e"], "fourth", strength=3)]  # fmt: skip
    model = build(nodes, {"x": ["batch", 3]}, domains=["my.domain"])
    error = refused(
        flywheel.onnx.UnsupportedOpError, lambda: flywheel.onnx.load(model), "of this ONNX model are not imported",
        "NonZero, node 'first', node 'second'", "my.domain.Magic, node 'third'",
        "Relu with the attribute 'strength', node 'fourth'")  # fmt: skip
    assert ("NonZero", "node 'first'") in [tuple(one) for one in error.missing]


def test_missing_forms() -> None:
    nodes = [node("MaxPool", ["x"], ["a"], "pool", kernel_shape=[2, 2], dilations=[2, 2]),
             node("Relu", ["a"], ["b"]), node("ReduceSum", ["x", "axes"], ["sum"], keepdims=0),
             node("Cast", ["sum"], ["shape"], to=TensorProto.INT64),
             node("Resize", ["x", "", "scales"], ["y"], "grow", coordinate_transformation_mode="tf_half_pixel_for_nn"),
             node("Reshape", ["x", "shape"], ["c"], "form")]  # fmt: skip
    known = {"scales": np.array([1, 1, 2, 2], np.float32), "axes": np.array([0, 1, 3])}
    model = build(nodes, {"x": ["n", 1, "h", 6]}, known)
    error = refused(
        flywheel.onnx.UnsupportedOpError, lambda: flywheel.onnx.load(model), "3 ops of this ONNX model",
        "MaxPool with windows of a size that the call chooses, node 'pool'",
        "Resize with coordinate_transformation_mode 'tf_half_pixel_for_nn', node 'grow'",
        "Reshape with 'shape' that the step computes, node 'form'")  # fmt: skip
    assert len(error.missing) == 3
    # If the translation has to know an input, by the call that brings it.
    shape = helper.make_tensor_value_info("shape", TensorProto.INT64, [2])
    nodes = [node("Reshape", ["x", "shape"], ["c"], "form"), node("NonZero", ["c"], ["d"]), node("Relu", ["c"], ["y"])]
    model = build([nodes[0], nodes[2]], {"x": [4, 6], "shape": shape})
    ours = flywheel.onnx.load(model)
    assert ours.chosen_names == ["shape"]
    x = weight(4, 6)
    for wanted in ([8, 3], [-1, 2], [8, 3]):
        np.testing.assert_array_equal(ours(x, np.array(wanted)), np.maximum(x.reshape(wanted), 0))
    whole = fw.function(lambda x: ours(x, np.array([3, -1])) * 2)
    np.testing.assert_array_equal(whole(x), np.maximum(x.reshape(3, -1), 0) * 2)
    refused(flywheel.onnx.UnsupportedOpError, lambda: fw.function(lambda x, shape: ours(x, shape))(x, np.array([8, 3])),
            "Reshape with 'shape' that the step computes, node 'form'")  # fmt: skip
    refused(ValueError, lambda: ours(x, np.array([7, 7])), "node 'form'", "cannot reshape")
    refused(ValueError, lambda: ours(x, np.array([8, 3, 1])), "input 'shape' is int64(2,)")
    refused(ValueError, lambda: ours(x), "has 2 inputs, x, shape: found 1")
    refused(flywheel.onnx.UnsupportedOpError, lambda: flywheel.onnx.load(build(nodes, {"x": [4, 6], "shape": shape})),
            "NonZero")  # fmt: skip
    text = build([node("Identity", ["x"], ["y"])], {"x": ["n"]}, element=TensorProto.STRING)
    refused(flywheel.onnx.UnsupportedOpError, lambda: flywheel.onnx.load(text), "input 'x' has elements of STRING")


def test_wrong_models() -> None:
    """Errors name the node, and say what was expected."""

    def wrong(nodes: List[Any], *parts: str, **options: Any) -> None:
        model = build(nodes, {"x": ["batch", 3]}, {"w": weight(4, 2), "i": np.array([1, 2])}, **options)
        refused(ValueError, lambda: flywheel.onnx.load(model), *parts)

    wrong([node("MatMul", ["x", "w"], ["y"], "product")], "node 'product' (MatMul)", "do not multiply")
    wrong([node("MatMul", ["x", "nothing"], ["y"], "product")], "nothing")
    wrong([node("Concat", ["x", "x"], ["y"], "join", axis=2)], "node 'join'", "out of bounds")
    wrong([node("Softmax", ["x"], ["y"], "share", axis=-3)], "node 'share'", "axis -3 is out of bounds")
    wrong([node("Transpose", ["x"], ["y"], "turn", perm=[0, 0])], "node 'turn'", "each of 2 dimensions once as perm")
    wrong([node("Relu", ["x", "x"], ["y"])], "not a valid model")
    other = build([node("Relu", ["x"], ["y"])], {"x": [3]}, opset=99)
    refused(flywheel.onnx.UnsupportedOpError, lambda: flywheel.onnx.load(other), "version 99, expected 9")
    # Older ops become those of version 9, where ONNX converts them.
    old = build([helper.make_node("Add", ["x", "y0"], ["y"], axis=0, broadcast=1)], {"x": [2, 3], "y0": [2]}, opset=6)
    x, y = weight(2, 3), weight(2)
    np.testing.assert_array_equal(flywheel.onnx.load(old)(x, y), x + y[:, None])
    gone = build([node("GivenTensorFill", ["x"], ["y"])], {"x": [3]}, opset=6)
    refused(flywheel.onnx.UnsupportedOpError, lambda: flywheel.onnx.load(gone), "version 6, expected 9 or later")
    shapeless = onnx.ModelProto()
    shapeless.CopyFrom(dense())
    shapeless.graph.input[0].type.tensor_type.ClearField("shape")
    refused(ValueError, lambda: flywheel.onnx.load(shapeless), "input 'x' has no shape")
    nodes = [node("Cast", ["x"], ["h"], to=TensorProto.DOUBLE), node("Add", ["x", "h"], ["y"], "sum")]
    mixed = build(nodes, {"x": [3]})
    refused(ValueError, lambda: flywheel.onnx.load(mixed), "node 'sum' (Add)", "float32 and float64")


def test_wrong_files() -> None:
    path = os.path.join(FOLDER.name, "wrong.onnx")
    refused(FileNotFoundError, lambda: flywheel.onnx.load(path), "wrong.onnx")
    refused(TypeError, lambda: flywheel.onnx.load(3), "expected a path or an onnx.ModelProto, found int")
    data = dense().SerializeToString()
    for content in (b"", b"no model at all", data[: len(data) // 2], data[:-3], bytes(reversed(data))):
        with open(path, "wb") as file:
            file.write(content)
        refused(ValueError, lambda: flywheel.onnx.load(path), "wrong.onnx")
    # A byte that is another one is refused too, or makes another model.
    flipped = bytearray(data)
    for place in range(0, len(data), 7):
        flipped[place] ^= 0x15
        with open(path, "wb") as file:
            file.write(flipped)
        try:
            with fw.Namespace(), fw.Store():
                flywheel.onnx.load(path)
        except (ValueError, flywheel.onnx.UnsupportedOpError, FileNotFoundError):
            pass
        flipped[place] ^= 0x15


def test_outside_data() -> None:
    """Data in a file beside the model, which may be gone."""
    path = os.path.join(FOLDER.name, "outside.onnx")
    model = dense()
    w, b = (numpy_helper.to_array(one) for one in model.graph.initializer)
    onnx.save(model, path, save_as_external_data=True, location="outside.data", size_threshold=0)
    ours, x = flywheel.onnx.load(path), weight(4, 3)
    np.testing.assert_allclose(ours(x), x @ w + b, rtol=1e-5, atol=1e-6)
    ours.export_weights(os.path.join(FOLDER.name, "inside.onnx"))
    os.remove(os.path.join(FOLDER.name, "outside.data"))
    again = flywheel.onnx.load(os.path.join(FOLDER.name, "inside.onnx"), name="again")
    np.testing.assert_array_equal(again(x), ours(x))
    refused(FileNotFoundError, lambda: flywheel.onnx.load(path), "'w' is in 'outside.data', which cannot be read")
    refused(ValueError, lambda: flywheel.onnx.load(onnx.load(path, load_external_data=False)), "in another file")


def test_random() -> None:
    """Draws of the right kind, others at each call."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 500])
    nodes = [
        node("RandomNormalLike", ["x"], ["a"], mean=2.0, scale=0.5), node("RandomUniformLike", ["x"], ["b"], low=-1.0),
        node("RandomNormal", [], ["c"], shape=[1000]),
        node("RandomUniform", [], ["d"], shape=[3], dtype=11)]  # fmt: skip
    shapes = {"a": ["batch", 500], "b": ["batch", 500], "c": [1000], "d": [3]}
    outputs = [helper.make_tensor_value_info(name, 11 if name == "d" else 1, shape) for name, shape in shapes.items()]
    graph = helper.make_graph(nodes, "draws", [x], outputs)
    ours = flywheel.onnx.load(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9))
    first, second = (ours(np.zeros((4, 500), np.float32)) for _ in range(2))
    assert first[0].shape == (4, 500) and first[3].dtype == np.float64 and not (first[0] == second[0]).any()
    assert abs(first[0].mean() - 2) < 0.06 and abs(first[0].std() - 0.5) < 0.05 and abs(first[2].mean()) < 0.15
    assert -1 <= first[1].min() < -0.9 and 0.9 < first[1].max() < 1


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_") and (len(sys.argv) < 2 or sys.argv[1] in name):
            with fw.Namespace(), fw.Store():
                test()
