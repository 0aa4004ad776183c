# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, onnx
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Models of ONNX whose sizes the call chooses, and what they compute from sizes: each at several sizes, with one
program (B1)."""

import sys
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import flywheel as fw
import flywheel.onnx

random = np.random.default_rng(5)


def node(op: str, inputs: str, outputs: str, **attributes: Any) -> Any:
    """Operands and results as words, `-` for one that is left out."""
    return helper.make_node(op, [name.strip("-") for name in inputs.split()], outputs.split(), **attributes)


def check(
    nodes: Sequence[Any], inputs: Dict[str, Sequence[Any]], constants: Dict[str, Any], sizes: Sequence[Dict[str, int]],
    opset: int = 21,
) -> None:  # fmt: skip
    """The model at these sizes, against ONNX's reference."""
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, list(dims)) for name, dims in inputs.items()]
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()]
    output = helper.make_tensor_value_info("y", TensorProto.UNDEFINED, None)
    graph = helper.make_graph(list(nodes), "graph", infos, [output], tensors)
    bare = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    feeds: List[Dict[str, Any]] = []
    for one in sizes:
        shapes = {name: [one[d] if isinstance(d, str) else d for d in dims] for name, dims in inputs.items()}
        feeds.append({name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()})
    expected = [np.asarray(ReferenceEvaluator(bare).run(None, feed)[0]) for feed in feeds]
    bare.graph.output[0].type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(expected[0].dtype)
    with fw.Namespace(), fw.Store():
        ours = flywheel.onnx.load(bare)
        for feed, wanted in zip(feeds, expected):
            found = ours(*feed.values())
            assert found.dtype == wanted.dtype and found.shape == wanted.shape, (found.shape, wanted.shape)
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
        assert len(ours._forward._traces) == 1


def i64(*values: int) -> Any:
    return np.array(values, np.int64)


BATCHES: Tuple[Dict[str, int], ...] = ({"batch": 2, "time": 5}, {"batch": 7, "time": 3}, {"batch": 1, "time": 1})


def test_reshape() -> None:
    """Sizes in the form of PyTorch's views: taken, multiplied and joined."""
    nodes = [node("Shape", "x", "s"), node("Gather", "s zero", "b"), node("Gather", "s one", "t"),
             node("Mul", "b t", "bt"), node("Unsqueeze", "bt axis", "bt1"), node("Concat", "bt1 six", "wide", axis=0),
             node("Reshape", "x wide", "flat"), node("MatMul", "flat w", "h"), node("Unsqueeze", "b axis", "b1"),
             node("Concat", "b1 minus two four", "back", axis=0), node("Reshape", "h back", "parts"),
             node("Transpose", "parts", "y", perm=[0, 2, 1, 3])]  # fmt: skip
    constants = {"zero": np.int64(0), "one": np.int64(1), "axis": i64(0), "six": i64(6), "minus": i64(-1),
                 "two": i64(2), "four": i64(4), "w": random.normal(size=(6, 8)).astype(np.float32)}  # fmt: skip
    check(nodes, {"x": ["batch", "time", 6]}, constants, BATCHES)
    check([node("Reshape", "x s", "y")], {"x": ["batch", "time", 6]}, {"s": i64(0, 0, 2, 3)}, BATCHES)
    # The sizes of a result are those of inputs, and not their products.
    total = node("ReduceMax", "h axis", "y")
    constants = {"s": i64(0, -1), "axis": i64(1)}
    check([node("Reshape", "x s", "h"), total], {"x": ["batch", "time", 6]}, constants, BATCHES)
    check([node("Flatten", "x", "h", axis=1), total], {"x": ["batch", "time", 6]}, {"axis": i64(1)}, BATCHES)
    check([node("Flatten", "x", "h", axis=2), total], {"x": ["batch", "time", 6]}, {"axis": i64(0)}, BATCHES)
    check([node("Size", "x", "y")], {"x": ["batch", "time", 6]}, {}, BATCHES)


def test_expand() -> None:
    """Zeros and rows for a batch, also by the pattern that exporters write for -1."""
    nodes = [node("Shape", "x", "b", start=0, end=1), node("Concat", "b three", "s", axis=0),
             node("ConstantOfShape", "s", "zeros"), node("Concat", "b minus", "t", axis=0),
             node("ConstantOfShape", "two", "ones", value=numpy_helper.from_array(i64(1))),
             node("Mul", "ones minus", "minuses"), node("Equal", "t minuses", "is"), node("Where", "is ones t", "u"),
             node("Expand", "row u", "rows"), node("Add", "zeros rows", "h"), node("Mul", "h x", "y")]  # fmt: skip
    constants = {"three": i64(3), "minus": i64(-1), "two": i64(2), "row": np.array([[1, 2, 3]], np.float32)}
    check(nodes, {"x": ["batch", 3]}, constants, BATCHES)
    # A 1 of the file against a size of the call, in an op that takes equal shapes.
    check([node("Greater", "x zero", "is"), node("Where", "is x row", "y")], {"x": ["batch", "time", 3]},
          {"zero": np.float32(0), "row": np.array([[[1, 2, 3]]], np.float32)}, BATCHES)  # fmt: skip


def test_range() -> None:
    """Positions, and a triangle of the scores that they may see."""
    nodes = [node("Shape", "x", "s"), node("Gather", "s one", "t"), node("Range", "zero t one", "p"),
             node("Gather", "table p", "rows"), node("Add", "x rows", "y")]  # fmt: skip
    constants = {"zero": np.int64(0), "one": np.int64(1), "table": random.normal(size=(9, 4)).astype(np.float32)}
    check(nodes, {"x": ["batch", "time", 4]}, constants, BATCHES)
    nodes = [node("Shape", "x", "t", start=1, end=2), node("Slice", "mask zero t first", "rows"),
             node("Slice", "rows zero t second", "seen"), node("Add", "x seen", "y")]  # fmt: skip
    mask = np.triu(np.full((9, 9), -9.0, np.float32), 1)
    constants = {"zero": i64(0), "first": i64(0), "second": i64(1), "mask": mask}
    check(nodes, {"x": ["batch", "time", "time"]}, constants, BATCHES)


def test_attention() -> None:
    """Products of batches of matrices, with a softmax between them."""
    nodes = [node("Transpose", "q", "k", perm=[0, 2, 1]), node("MatMul", "q k", "s"), node("Div", "s root", "n"),
             node("Softmax", "n", "a"), node("MatMul", "a q", "y")]  # fmt: skip
    check(nodes, {"q": ["batch", "time", 4]}, {"root": np.float32(2)}, BATCHES)


def test_images() -> None:
    sizes = ({"batch": 2, "high": 6, "wide": 9}, {"batch": 1, "high": 11, "wide": 5})
    inputs: Any = {"x": ["batch", 3, "high", "wide"]}
    shapes: Any = {"w": (4, 3, 3, 3), "b": 4, "t": (3, 2, 3, 3)}
    weights = {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    pool = node("GlobalAveragePool", "p", "y")
    check([node("Conv", "x w b", "h", pads=[1, 1, 1, 1], strides=[2, 1]), node("Relu", "h", "r"),
           node("MaxPool", "r", "p", kernel_shape=[2, 2]), pool], inputs, weights, sizes)  # fmt: skip
    check([node("Conv", "x w", "h", auto_pad="SAME_UPPER", strides=[2, 2]),
           node("AveragePool", "h", "p", kernel_shape=[2, 2]), pool], inputs, weights, sizes)  # fmt: skip
    check([node("ConvTranspose", "x t", "h", strides=[2, 2], output_padding=[1, 0]),
           node("MaxPool", "h", "p", kernel_shape=[3, 3], strides=[2, 2]), pool], inputs, weights, sizes)  # fmt: skip
    grown = node("MaxPool", "h", "p", kernel_shape=[3, 4], strides=[1, 2])
    modes: Any
    for modes in ({"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}, {}):
        check([node("Resize", "x - scales", "h", **modes), grown, pool], inputs,
              {"scales": np.array([1, 1, 2, 3], np.float32)}, sizes)  # fmt: skip
    check([node("DepthToSpace", "x", "h", blocksize=2), grown, pool], {"x": ["batch", 8, "high", "wide"]}, {}, sizes)


def test_indices() -> None:
    check([node("Shape", "x", "n", start=0, end=1), node("Sub", "n one", "last"), node("Gather", "x last", "y")],
          {"x": ["batch", 3]}, {"one": i64(1)}, BATCHES)  # fmt: skip
    check([node("Gather", "x last", "y", axis=1)], {"x": ["batch", "time", 3]}, {"last": i64(-1)}, BATCHES)
    check([node("Gather", "x last", "y", axis=1)], {"x": ["batch", "time", 3]}, {"last": np.int64(-1)}, BATCHES)
    check([node("Slice", "x from to axes", "h"), node("ReduceSum", "h axes", "y")], {"x": ["batch", "time", 3]},
          {"from": i64(-2), "to": i64(2**62), "axes": i64(1)}, BATCHES)  # fmt: skip


def test_norms() -> None:
    ones = {"g": random.normal(size=4).astype(np.float32), "b": random.normal(size=4).astype(np.float32)}
    check([node("LayerNormalization", "x g b", "y")], {"x": ["batch", "time", 4]}, ones, BATCHES)
    check([node("InstanceNormalization", "x g b", "y")], {"x": ["batch", 4, "time"]}, ones, BATCHES[:2])
    check([node("ReduceMean", "x axes", "h", keepdims=0), node("Concat", "h h", "y", axis=1)],
          {"x": ["batch", "time", 4]}, {"axes": i64(1)}, BATCHES)  # fmt: skip


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_") and (len(sys.argv) < 2 or sys.argv[1] in name):
            test()
