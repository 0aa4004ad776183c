# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of ONNX that record_onnx.py records. Those that are trained are of float64, and their loss is the mean square
of the difference to a target; the others are of float32."""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, DOUBLE, INT64 = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT64
random = np.random.RandomState(5)


class Case(NamedTuple):
    """A model, the specs of `recordings.filled` of its inputs for each call, and of a target if it is trained."""

    name: str
    model: Any
    calls: List[List[Dict[str, Any]]]
    target: Optional[Dict[str, Any]] = None


CASES: List[Case] = []


def real(*shape: int, dtype: str = "float32", **more: Any) -> Dict[str, Any]:
    return {"shape": list(shape), "dtype": dtype, **more}


def double(*shape: int) -> Dict[str, Any]:
    return real(*shape, dtype="float64")


def whole(below: int, *shape: int) -> Dict[str, Any]:
    return {"shape": list(shape), "dtype": "int64", "below": below}


def info(name: str, *shape: Any, element: int = FLOAT) -> Any:
    return helper.make_tensor_value_info(name, element, list(shape))


def node(op: str, inputs: str, outputs: str, **attributes: Any) -> Any:
    """A node; `-` is an operand that is left out."""
    names = ["" if name == "-" else name for name in inputs.split()]
    return helper.make_node(op, names, outputs.split(), **attributes)


def weight(*shape: int, dtype: Any = np.float64) -> Any:
    return (random.standard_normal(shape) * 0.5).astype(dtype)


def narrow(*shape: int) -> Any:
    return weight(*shape, dtype=np.float32)


def ints(*values: int) -> Any:
    return np.array(values, np.int64)


def graph(nodes: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any], constants: Dict[str, Any]) -> Any:
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()]
    return helper.make_graph(list(nodes), "g", list(inputs), list(outputs), tensors)


def model(
    nodes: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any], functions: Sequence[Any] = (),
    opset: int = 18, **constants: Any,
) -> Any:  # fmt: skip
    opsets = [helper.make_opsetid("", opset), *([helper.make_opsetid("own", 1)] if functions else [])]
    return helper.make_model(graph(nodes, inputs, outputs, constants), opset_imports=opsets, ir_version=8,
                             functions=list(functions))  # fmt: skip


def case(make: Callable[[], Case]) -> Callable[[], Case]:
    CASES.append(make())
    return make


#
# Trained
#


@case
def mlp() -> Case:
    nodes = [node("Gemm", "x w1 b1", "a", transB=1), node("Tanh", "a", "h"), node("Gemm", "h w2 b2", "l", alpha=0.5),
             node("Softmax", "l", "y", axis=-1)]  # fmt: skip
    made = model(nodes, [info("x", "n", 5, element=DOUBLE)], [info("y", "n", 3, element=DOUBLE)], w1=weight(4, 5),
                 b1=weight(4), w2=weight(4, 3), b2=weight(3))  # fmt: skip
    return Case("mlp", made, [[double(6, 5)], [double(2, 5)]], double(6, 3))


@case
def attention() -> Case:
    """Heads by a shape that is computed, a normalization and a residual."""
    nodes = [node("LayerNormalization", "x g c", "z", axis=-1, epsilon=1e-3), node("Shape", "x", "s"),
             node("Slice", "s zero two", "start"), node("Concat", "start heads", "split", axis=0)]  # fmt: skip
    for name in "qkv":
        nodes += [node("MatMul", f"z w{name}", f"{name}0"), node("Reshape", f"{name}0 split", f"{name}1"),
                  node("Transpose", f"{name}1", name, perm=[0, 2, 3, 1] if name == "k" else [0, 2, 1, 3])]  # fmt: skip
    nodes += [node("MatMul", "q k", "l0"), node("Mul", "l0 scale", "l"), node("Softmax", "l", "p", axis=-1),
              node("MatMul", "p v", "o0"), node("Transpose", "o0", "o1", perm=[0, 2, 1, 3]),
              node("Reshape", "o1 s", "o"), node("Add", "o x", "y")]  # fmt: skip
    made = model(nodes, [info("x", "n", "t", 4, element=DOUBLE)], [info("y", "n", "t", 4, element=DOUBLE)],
                 g=weight(4), c=weight(4), wq=weight(4, 4), wk=weight(4, 4), wv=weight(4, 4), zero=ints(0),
                 two=ints(2), heads=ints(2, 2), scale=np.float64(0.7))  # fmt: skip
    return Case("attention", made, [[double(2, 3, 4)], [double(1, 5, 4)]], double(2, 3, 4))


@case
def convolution() -> Case:
    nodes = [node("Conv", "x w b", "a", pads=[1, 1, 1, 1], strides=[2, 1]), node("Sigmoid", "a", "h"),
             node("AveragePool", "h", "p", kernel_shape=[2, 2], strides=[2, 2]), node("Flatten", "p", "f", axis=1),
             node("MatMul", "f v", "y")]  # fmt: skip
    made = model(nodes, [info("x", 2, 2, 6, 4, element=DOUBLE)], [info("y", 2, 3, element=DOUBLE)],
                 w=weight(3, 2, 3, 3), b=weight(3), v=weight(6, 3))  # fmt: skip
    return Case("convolution", made, [[double(2, 2, 6, 4)]], double(2, 3))


@case
def embedding() -> Case:
    nodes = [node("Gather", "table i", "e", axis=0), node("ReduceMean", "e axis", "m", keepdims=0),
             node("MatMul", "m w", "a"), node("Softplus", "a", "h"), node("ReduceSum", "h one", "r", keepdims=1),
             node("Div", "h r", "y")]  # fmt: skip
    made = model(nodes, [info("i", "n", 4, element=INT64)], [info("y", "n", 3, element=DOUBLE)],
                 table=weight(7, 5), w=weight(5, 3), axis=ints(1), one=ints(1))  # fmt: skip
    return Case("embedding", made, [[whole(7, 3, 4)], [whole(7, 5, 4)]], double(3, 3))


#
# Called only
#


@case
def images() -> Case:
    nodes = [node("Conv", "x w -", "a", pads=[1, 2, 2, 1], group=2, dilations=[2, 2]),
             node("BatchNormalization", "a g b m v", "n1"), node("LeakyRelu", "n1", "h", alpha=0.2),
             node("MaxPool", "h", "p", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1),
             node("Resize", "p - scales", "r", mode="linear"), node("GlobalAveragePool", "r", "y"),
             node("ConvTranspose", "p u", "z", strides=[2, 2], output_padding=[1, 0])]  # fmt: skip
    made = model(nodes, [info("x", "n", 4, 7, 8)], [info("y", "n", 4, 1, 1), info("z", "n", 2, "a", "b")],
                 w=narrow(4, 2, 3, 3), g=narrow(4), b=narrow(4), m=narrow(4), v=np.abs(narrow(4)) + np.float32(0.5),
                 scales=np.array([1, 1, 2, 1.5], np.float32), u=narrow(4, 2, 3, 3))  # fmt: skip
    return Case("images", made, [[real(1, 4, 7, 8)], [real(3, 4, 7, 8)]])


@case
def recurrent() -> Case:
    nodes = [node("LSTM", "x w r b", "h - c", hidden_size=3, direction="bidirectional"),
             node("Squeeze", "c", "last"),
             node("GRU", "x gw gr", "g", hidden_size=2, linear_before_reset=1)]  # fmt: skip
    made = model(nodes, [info("x", 4, 2, 5)], [info("h", 4, 2, 2, 3), info("last", 2, 2, 3), info("g", 4, 1, 2, 2)],
                 w=narrow(2, 12, 5), r=narrow(2, 12, 3), b=narrow(2, 24), gw=narrow(1, 6, 5), gr=narrow(1, 6, 2))
    return Case("recurrent", made, [[real(4, 2, 5)]])


@case
def control() -> Case:
    """A branch and a loop that the step decides, and a scan."""
    then = graph([node("Exp", "x", "t")], [], [info("t", "n", 3)], {})
    other = graph([node("Neg", "x", "e0"), node("Mul", "e0 w", "e")], [], [info("e", "n", 3)], {})
    body = graph([node("Mul", "a half", "b"), node("ReduceMax", "b", "m", keepdims=0),
                  node("Greater", "m bound", "on")],
                 [info("i", element=INT64), info("given", element=TensorProto.BOOL), info("a", "n", 3)],
                 [info("on", element=TensorProto.BOOL), info("b", "n", 3)], {})  # fmt: skip
    sums = graph([node("Add", "s one", "s1"), node("Identity", "s1", "each")], [info("s", 3), info("one", 3)],
                 [info("s1", 3), info("each", 3)], {})  # fmt: skip
    nodes = [node("ReduceSum", "x", "total", keepdims=0), node("Greater", "total zero", "c"),
             node("If", "c", "y", then_branch=then, else_branch=other), node("Abs", "x", "a0"),
             node("Loop", "most true a0", "z", body=body), node("Scan", "start x", "last all", body=sums,
                                                                num_scan_inputs=1)]  # fmt: skip
    made = model(nodes, [info("x", "n", 3)],
                 [info("y", "n", 3), info("z", "n", 3), info("last", 3), info("all", "n", 3)],
                 zero=np.float32(0), w=narrow(3), half=np.float32(0.5), bound=np.float32(0.1), most=np.int64(9),
                 true=np.array(True), start=np.zeros(3, np.float32))  # fmt: skip
    return Case("control", made, [[real(4, 3)], [real(2, 3, positive=True)], [real(1, 3)]])


@case
def shapes() -> Case:
    """Shapes that are computed of the sizes of a call. A result has sizes of feeds, so that others are summed."""
    nodes = [node("Shape", "x", "s"), node("Gather", "s zero", "n", axis=0), node("Gather", "s one", "t", axis=0),
             node("Mul", "n t", "nt"), node("Unsqueeze", "nt first", "nt1"), node("Concat", "nt1 rest", "flat", axis=0),
             node("Reshape", "x flat", "y"), node("Range", "zero t one", "places"),
             node("Cast", "places", "r", to=FLOAT),
             node("Unsqueeze", "n first", "n1"), node("Unsqueeze", "t first", "t1"),
             node("Concat", "n1 t1", "square", axis=0), node("Expand", "corner square", "z"),
             node("Pad", "z pads", "p"),
             node("Slice", "p starts ends axes steps", "q"),
             node("ConstantOfShape", "square", "u", value=numpy_helper.from_array(np.array([3], np.float32))),
             node("Tile", "u repeats", "v"), node("Greater", "x zero_f", "mask"),
             node("Where", "mask x minus", "m"), node("ReduceMax", "y zero1", "y1"),
             *[node("ReduceSum", name, f"{name}1", keepdims=0) for name in "qvr"]]  # fmt: skip
    made = model(nodes, [info("x", "n", "t", 2)],
                 [info("y1", 1, 2), info("q1"), info("m", "n", "t", 2), info("v1"), info("r1")],
                 zero=np.int64(0), one=np.int64(1), first=ints(0), rest=ints(-1), zero1=ints(0), pads=ints(0, 1, 0, 2),
                 starts=ints(-1), ends=ints(-99), axes=ints(1), steps=ints(-2), minus=np.float32(-1),
                 zero_f=np.float32(0), corner=np.array([[0.5]], np.float32), repeats=ints(1, 2))  # fmt: skip
    return Case("shapes", made, [[real(2, 3, 2)], [real(4, 5, 2)]])


@case
def choices() -> Case:
    nodes = [node("TopK", "x two", "values places", axis=1), node("ArgMax", "x", "most", axis=0, keepdims=0),
             node("OneHot", "most depth onoff", "hot"), node("CumSum", "x axis", "sums"),
             node("GatherElements", "x places", "same", axis=1), node("Einsum", "x x", "gram", equation="ij,kj->ik"),
             node("ReduceLogSumExp", "x zero", "lse"), node("ScatterND", "base at lse", "changed")]  # fmt: skip
    made = model(nodes, [info("x", "n", 4)],
                 [info("values", "n", 2), info("places", "n", 2, element=INT64), info("hot", 4, 5),
                  info("sums", "n", 4), info("same", "n", 2), info("gram", "n", "n"),
                  info("changed", 3, 4), info("lse", 1, 4)],
                 two=ints(2), depth=np.int64(5), onoff=np.array([0, 2], np.float32), axis=np.int64(1),
                 at=np.array([[1]], np.int64), base=narrow(3, 4), zero=ints(0))  # fmt: skip
    return Case("choices", made, [[real(3, 4)], [real(5, 4)]])


@case
def quantized() -> Case:
    nodes = [node("QuantizeLinear", "x scale point", "q"), node("DequantizeLinear", "q scale point", "d"),
             node("MatMulInteger", "q wq point", "i"),
             node("Cast", "i", "f", to=FLOAT), node("Mul", "f scale", "y")]  # fmt: skip
    made = model(nodes, [info("x", "n", 4)], [info("d", "n", 4), info("y", "n", 2)], scale=np.float32(0.02),
                 point=np.uint8(128), wq=random.randint(-9, 9, (4, 2)).astype(np.int8))  # fmt: skip
    return Case("quantized", made, [[real(3, 4)], [real(1, 4)]])


@case
def functions() -> Case:
    """A function of the model itself, with an attribute."""
    own = helper.make_function(
        "own", "gated", ["a", "b"], ["out"],
        [node("Sigmoid", "a", "s"), helper.make_node("Elu", ["b"], ["t"]), node("Mul", "s t", "out")],
        [helper.make_opsetid("", 18)], ["alpha"])  # fmt: skip
    own.node[1].attribute.append(helper.make_attribute_ref("alpha", onnx.AttributeProto.FLOAT))
    gated = helper.make_node("gated", ["x", "h"], ["y"], domain="own", alpha=0.3)
    made = model([node("MatMul", "x w", "h"), gated], [info("x", "n", 3)], [info("y", "n", 3)], [own], w=narrow(3, 3))
    return Case("functions", made, [[real(2, 3)], [real(5, 3)]])
