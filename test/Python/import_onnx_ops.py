# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, onnx, onnxruntime
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Ops of ONNX one by one, against onnxruntime, or where it has no kernel against ONNX's own reference (B1).

usage: import_onnx_ops.py [WORD], in the names of cases to run
"""

import re
import sys
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.backend.test.loader import load_model_tests
from onnx.reference import ReferenceEvaluator

import flywheel as fw
import flywheel.onnx
from flywheel.onnx._attributes import name_of
from flywheel.onnx._graph import HANDLERS

Array = Any


class Case(NamedTuple):
    op: str
    operands: List[Optional[Array]]
    attributes: Dict[str, Any]
    outputs: Tuple[int, ...]  # The places that something uses.
    known: Tuple[int, ...]  # Places of operands that are initializers, not inputs.
    opset: int
    rtol: float
    by_reference: bool


CASES: Dict[str, Case] = {}
random = np.random.default_rng(7)


def case(
    op: str, *operands: Any, outputs: Sequence[int] = (0,), known: Sequence[int] = (), opset: int = 22,
    rtol: float = 2e-5, name: str = "", by_reference: bool = False, **attributes: Any,
) -> None:  # fmt: skip
    base = f"{op}_{opset}{'_' if name else ''}{name}"
    unique = base if base not in CASES else f"{base}_{sum(key.startswith(base) for key in CASES)}"
    arrays = [None if one is None else np.asarray(one) for one in operands]
    CASES[unique] = Case(op, arrays, attributes, tuple(outputs), tuple(known), opset, rtol, by_reference)


def numbers(*shape: int, dtype: Any = np.float32, low: float = -2.0, high: float = 2.0) -> Array:
    return np.asarray(random.uniform(low, high, shape)).astype(dtype)


def whole(*shape: int, dtype: Any = np.int64, low: int = -9, high: int = 9) -> Array:
    return random.integers(low, high, shape).astype(dtype)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


F32, F64, F16 = np.float32, np.float64, np.float16
HALF = 4e-3

# One operand.
for _op in ("Abs Atan Asinh Ceil Cos Erf Exp Floor Neg Reciprocal Relu Round Sigmoid Sign Sin Softplus Softsign Tan "
            "Tanh Elu Selu LeakyRelu HardSigmoid HardSwish Mish Celu ThresholdedRelu").split():  # fmt: skip
    case(_op, numbers(3, 7))
for _op in ("Log", "Sqrt"):
    case(_op, numbers(5, low=0.2))
for _op in ("Acos", "Asin", "Atanh"):
    case(_op, numbers(5, low=-0.9, high=0.9))
case("Acosh", numbers(5, low=1.1))
case("Cosh", numbers(5))
case("Sinh", numbers(5))
case("Identity", numbers(2, 3))
for _dtype, _tolerance in ((F64, 1e-12), (F16, HALF)):
    for _op in ("Relu", "Sigmoid", "Tanh", "Exp", "Neg", "Abs"):
        case(_op, numbers(4, 3, dtype=_dtype), rtol=_tolerance, by_reference=_dtype is F16)
case("Neg", whole(5, dtype=np.int32))
case("Abs", whole(5, dtype=np.int8))
case("Sign", whole(5))
case("Relu", whole(5, dtype=np.int32))
case("Elu", numbers(5), alpha=0.5)
case("Selu", numbers(5), alpha=1.5, gamma=0.7)
case("Celu", numbers(5), alpha=0.5)
case("LeakyRelu", numbers(5), alpha=0.3)
case("ThresholdedRelu", numbers(5), alpha=0.3)
case("HardSigmoid", numbers(9), alpha=0.4, beta=0.6)
case("Gelu", numbers(9))
case("Gelu", numbers(9), approximate="tanh")
case("Swish", numbers(9), opset=24, alpha=0.5, by_reference=True)
case("Shrink", numbers(9), lambd=0.7, bias=0.2)
case("PRelu", numbers(2, 3, 4), numbers(3, 1), known=(1,))
case("PRelu", numbers(2, 3, 4), numbers(2, 3, 4))
case("IsNaN", np.array([1, np.nan, np.inf], F32))
case("IsInf", np.array([1, np.nan, np.inf, -np.inf], F32))
case("IsInf", np.array([1, np.nan, np.inf, -np.inf], F32), detect_negative=0)
case("IsInf", np.array([1, np.nan, np.inf, -np.inf], F32), detect_positive=0)
case("Not", np.array([True, False]))
case("BitwiseNot", whole(4, dtype=np.int32), opset=18)
case("Clip", numbers(3, 5), F32(-0.5), F32(0.7))
case("Clip", numbers(3, 5), F32(-0.5), known=(1,))
case("Clip", numbers(3, 5), None, F32(0.7), known=(2,), opset=13)
case("Clip", whole(3, 5, dtype=np.int32), np.int32(-3), np.int32(4))
for _from, _to in (("float32", "INT32"), ("float32", "DOUBLE"), ("float32", "FLOAT16"), ("float32", "BOOL"),
                   ("int64", "FLOAT"), ("int32", "INT8"), ("bool", "FLOAT"), ("uint8", "INT64"), ("float64", "FLOAT"),
                   ("float32", "UINT8")):  # fmt: skip
    _given = np.array([0, 1, 2, 3]) if _to == "UINT8" or _from in ("bool", "uint8") else numbers(4, low=-5, high=5)
    case("Cast", np.asarray(_given).astype(_from), to=getattr(TensorProto, _to), name=f"{_from}_{_to}")
case("CastLike", numbers(3), whole(1), opset=19)
# X18: out of range of an integer type as the runtime has it.
_beyond = np.array([300, -1, -129, 255.9, 3e9, -3e9, 2**31, 2**32 + 512, 1e19, -1e19, np.inf, -np.inf, np.nan] * 3)
for _from in ("float16", "float32", "float64"):
    with np.errstate(over="ignore"):
        _given = _beyond.astype(_from)
    for _to in ("INT8", "UINT8", "INT16", "UINT16", "INT32", "INT64", "UINT64", "BOOL"):
        case("Cast", _given, to=getattr(TensorProto, _to), name=f"beyond_{_from}_{_to}")

# Two operands.
_shapes: List[Tuple[Tuple[int, ...], Tuple[int, ...]]] = [
    ((3, 5), (3, 5)), ((2, 3, 5), (5,)), ((3, 1), (1, 5)), ((), (4,)), ((2, 1, 3), (4, 1)), ((1, 3, 1), (7, 1, 1))]
for _op in ("Add", "Sub", "Mul", "Div", "Max", "Min"):
    for _a, _b in _shapes:
        case(_op, numbers(*_a), numbers(*_b, low=0.5))
    case(_op, numbers(3, dtype=F64), numbers(3, dtype=F64, low=0.5), rtol=1e-12)
    for _integers in (np.int32, np.int64):
        case(_op, whole(2, 9, dtype=_integers), whole(9, dtype=_integers, low=1))
    case(_op, whole(5, dtype=np.uint8, low=9, high=99), whole(5, dtype=np.uint8, low=1), by_reference=True)
case("Div", ints(7, -7, 7, -7), ints(2, 2, -2, -2))
for _op in ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"):
    case(_op, whole(3, 5, low=-2, high=2), whole(5, low=-2, high=2))
    case(_op, numbers(4, 1), numbers(3))
for _op in ("And", "Or", "Xor"):
    case(_op, whole(2, 1, low=0, high=2).astype(bool), whole(3, low=0, high=2).astype(bool))
for _op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
    case(_op, whole(4, dtype=np.int32), whole(4, dtype=np.int32), opset=18)
case("Mod", ints(7, -7, 7, -7), ints(3, 3, -3, -3))
case("Mod", ints(7, -7, 7, -7), ints(3, 3, -3, -3), fmod=1)
case("Mod", numbers(5, low=-9, high=9), numbers(5, low=0.5), fmod=1)
case("Mod", np.array([7, 200], np.uint8), np.array([3, 7], np.uint8))
case("Pow", numbers(3, low=0.1), numbers(3))
case("Pow", numbers(3), F32(2), known=(1,))
case("Pow", numbers(3, low=0.5), F32(-0.5), known=(1,))
case("Pow", numbers(3), ints(3), known=(1,))
case("Pow", whole(3, dtype=np.int32), whole(3, dtype=np.int32, low=0, high=4))
case("Pow", whole(3, low=1), np.array([0.5, 2, 1.5], F32), by_reference=True)
case("Where", np.array([[True], [False]]), numbers(2, 3), numbers(3))
case("Where", np.array([True, False]), whole(2), whole(2))
for _op in ("Sum", "Mean", "Max", "Min"):
    case(_op, numbers(2, 3), numbers(3), numbers(2, 1))
    case(_op, numbers(2, 3))

# Products.
case("MatMul", numbers(3, 5), numbers(5, 7))
case("MatMul", numbers(2, 3, 5), numbers(5, 7))
case("MatMul", numbers(2, 1, 3, 5), numbers(4, 5, 7))
case("MatMul", numbers(5), numbers(5, 7))
case("MatMul", numbers(3, 5), numbers(5))
case("MatMul", numbers(5), numbers(5))
case("MatMul", numbers(3, 5, dtype=F64), numbers(5, 7, dtype=F64), rtol=1e-12)
case("MatMul", whole(3, 5, dtype=np.int32), whole(5, 2, dtype=np.int32))
case("Gemm", numbers(3, 5), numbers(5, 7))
case("Gemm", numbers(5, 3), numbers(7, 5), numbers(7), transA=1, transB=1, alpha=0.5, beta=2.0)
case("Gemm", numbers(3, 5), numbers(5, 7), numbers(3, 1), beta=-1.0)
case("Gemm", numbers(3, 5), numbers(7, 5), numbers(1), transB=1, known=(1, 2))
case("Einsum", numbers(2, 3, 4), numbers(2, 4, 5), equation="bij,bjk->bik")
case("Einsum", numbers(3, 4), numbers(5, 4), equation="ij,kj")
case("Einsum", numbers(3, 4), equation="ij->j")

# Ops that ONNX defines by other ops.
case("Attention", numbers(2, 3, 8), numbers(2, 5, 8), numbers(2, 5, 8), opset=23, q_num_heads=2, kv_num_heads=2,
     by_reference=True)  # fmt: skip
case("CenterCropPad", numbers(5, 7), ints(3, 4), known=(1,), opset=18, by_reference=True)

# Windows.
_image = numbers(2, 4, 9, 7)
_extra: Any
for _extra in ({}, {"pads": [1, 2, 1, 0]}, {"strides": [2, 3]}, {"dilations": [2, 1]},
               {"auto_pad": "SAME_UPPER", "strides": [2, 2]}, {"auto_pad": "SAME_LOWER", "strides": [2, 2]},
               {"auto_pad": "VALID"}):  # fmt: skip
    case("Conv", _image, numbers(3, 4, 3, 2), numbers(3), known=(1, 2), name=str(len(CASES)), **_extra)
case("Conv", _image, numbers(3, 4, 3, 2), kernel_shape=[3, 2])
case("Conv", _image, numbers(6, 2, 3, 3), numbers(6), group=2, pads=[1, 1, 1, 1])
case("Conv", _image, numbers(4, 1, 3, 3), group=4)
case("Conv", numbers(2, 3, 11), numbers(5, 3, 4), numbers(5), strides=[2], pads=[1, 2], known=(1, 2))
case("Conv", numbers(2, 4, 11), numbers(2, 2, 3), group=2, dilations=[2])
case("Conv", numbers(1, 2, 5, 5, dtype=F64), numbers(3, 2, 3, 3, dtype=F64), rtol=1e-12, by_reference=True)
_small = numbers(2, 4, 5, 3)
for _extra in ({}, {"strides": [2, 3]}, {"strides": [2, 2], "pads": [1, 0, 1, 1]}, {"dilations": [2, 1]},
               {"strides": [2, 3], "output_padding": [1, 2]}, {"strides": [2, 2], "auto_pad": "SAME_UPPER"},
               {"strides": [2, 2], "output_shape": [10, 6]}):  # fmt: skip
    case("ConvTranspose", _small, numbers(4, 3, 3, 2), numbers(3), known=(1, 2), name=str(len(CASES)), **_extra)
case("ConvTranspose", _small, numbers(4, 2, 3, 3), group=2, strides=[2, 2])
case("ConvTranspose", numbers(2, 4, 6), numbers(4, 3, 4), strides=[3], output_padding=[2])
for _extra in ({}, {"strides": [2, 2]}, {"pads": [1, 1, 0, 1]}, {"strides": [2, 2], "ceil_mode": 1},
               {"strides": [2, 2], "auto_pad": "SAME_UPPER"},
               {"strides": [2, 2], "auto_pad": "SAME_LOWER"}):  # fmt: skip
    case("MaxPool", _image, kernel_shape=[3, 2], name=str(len(CASES)), **_extra)
    case("AveragePool", _image, kernel_shape=[3, 2], name=str(len(CASES)), **_extra)
case("MaxPool", numbers(2, 3, 10), kernel_shape=[3], strides=[2])
case("AveragePool", numbers(2, 3, 10), kernel_shape=[3], strides=[2], pads=[1, 1])
case("AveragePool", _image, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1)
case("GlobalAveragePool", _image)
case("GlobalMaxPool", _image)
case("GlobalAveragePool", numbers(2, 3, 5))

# Norms.
_four = [numbers(4, low=0.5), numbers(4), numbers(4), numbers(4, low=0.5)]
case("BatchNormalization", _image, *_four)
case("BatchNormalization", numbers(3, 4), *_four, epsilon=1e-2)
case("BatchNormalization", numbers(3, 4, 5), *_four, opset=14)
case("LayerNormalization", numbers(3, 4, 6), numbers(6), numbers(6))
case("LayerNormalization", numbers(3, 4, 6), numbers(4, 6), axis=1, epsilon=1e-3)
case("LayerNormalization", numbers(3, 4, 6), numbers(6), numbers(6), axis=1, by_reference=True)
case("LayerNormalization", numbers(3, 6), numbers(6), numbers(6), outputs=(0, 1, 2))
case("InstanceNormalization", _image, numbers(4), numbers(4))
case("GroupNormalization", _image, numbers(4), numbers(4), num_groups=2, epsilon=1e-3)
case("LpNormalization", numbers(3, 4), axis=1)
case("LpNormalization", numbers(3, 4), axis=0, p=1)
case("RMSNormalization", numbers(3, 4), numbers(4), opset=23, by_reference=True)
case("MeanVarianceNormalization", numbers(2, 3, 4, 4), rtol=1e-4)
for _op in ("Softmax", "LogSoftmax"):
    case(_op, numbers(3, 4, 5))
    case(_op, numbers(3, 4, 5), axis=1)
    case(_op, numbers(3, 4, dtype=F64), rtol=1e-12)
case("Dropout", numbers(3, 4))
case("Dropout", numbers(3, 4), F32(0.3), np.array(False), known=(1, 2), outputs=(0, 1))

# Losses.
_labels = np.array([[0, 2, 1], [4, 4, 3]])
for _extra in ({}, {"reduction": "sum"}, {"reduction": "none"}, {"ignore_index": 4},
               {"ignore_index": -1, "reduction": "none"}):  # fmt: skip
    case("SoftmaxCrossEntropyLoss", numbers(2, 5, 3), _labels, name=str(len(CASES)), **_extra)
    case("SoftmaxCrossEntropyLoss", numbers(2, 5, 3), _labels, numbers(5, low=0.1), name=str(len(CASES)), **_extra)
    case("NegativeLogLikelihoodLoss", numbers(2, 5, 3), _labels, name=str(len(CASES)), by_reference=True, **_extra)
case("SoftmaxCrossEntropyLoss", numbers(2, 5), np.array([3, -1]), ignore_index=-1, outputs=(0, 1))

# Reductions.
for _op in ("ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp "
            "ReduceSumSquare").split():  # fmt: skip
    _low = 0.1 if _op == "ReduceLogSum" else -2.0
    case(_op, numbers(2, 3, 4, low=_low), ints(1), known=(1,), opset=18)
    case(_op, numbers(2, 3, 4, low=_low), ints(-1, 0), known=(1,), keepdims=0, opset=18)
    case(_op, numbers(2, 3, 4, low=_low), opset=18)
    case(_op, numbers(2, 3, 4, low=_low), noop_with_empty_axes=1, opset=18, by_reference=True)
    if _op != "ReduceSum":
        case(_op, numbers(2, 3, 4, low=_low), axes=[0, 2], opset=13)
case("ReduceSum", whole(3, 4), ints(0), known=(1,))
case("ReduceMax", whole(3, 4, dtype=np.int32), ints(1), known=(1,))
case("ReduceMax", np.array([[True, False], [False, False]]), ints(1), known=(1,), opset=20)
for _op in ("ArgMax", "ArgMin"):
    case(_op, numbers(3, 4))
    case(_op, numbers(3, 4), axis=-1, keepdims=0)
    case(_op, whole(3, 9, dtype=np.int32, low=0, high=3), axis=1, select_last_index=1)
case("CumSum", numbers(3, 4), ints(1)[0], known=(1,))
case("CumSum", numbers(3, 4), ints(-2)[0], known=(1,), exclusive=1, reverse=1)

case("CumProd", numbers(3, 4), ints(1)[0], known=(1,), opset=26, by_reference=True)
case("CumProd", numbers(3, 4), ints(0)[0], known=(1,), opset=26, reverse=1, by_reference=True)

# Order and shape.
case("Reshape", numbers(2, 3, 4), ints(0, -1), known=(1,))
case("Reshape", numbers(2, 3, 4), ints(4, 3, 2), known=(1,))
case("Reshape", numbers(0, 3), ints(0, 7), known=(1,), allowzero=1)
case("Transpose", numbers(2, 3, 4))
case("Transpose", numbers(2, 3, 4), perm=[1, 2, 0])
case("Squeeze", numbers(1, 3, 1))
case("Squeeze", numbers(1, 3, 1), ints(-1), known=(1,))
case("Unsqueeze", numbers(3, 4), ints(0, -1), known=(1,))
case("Flatten", numbers(2, 3, 4))
case("Flatten", numbers(2, 3, 4), axis=0)
case("Flatten", numbers(2, 3, 4), axis=-1)
case("Expand", numbers(3, 1), ints(2, 1, 6), known=(1,))
case("Expand", numbers(3, 4), ints(1, 1), known=(1,))
case("Tile", numbers(2, 3), ints(2, 3), known=(1,))
case("Concat", numbers(2, 3), numbers(2, 1), numbers(2, 4), axis=1)
case("Concat", whole(2, 3), whole(1, 3), axis=-2)
case("Split", numbers(7, 2), ints(3, 4), known=(1,), outputs=(0, 1))
case("Split", numbers(2, 7), num_outputs=3, axis=1, outputs=(0, 1, 2), opset=18)
case("Split", numbers(2, 6), axis=-1, outputs=(0, 1), opset=13)
case("Slice", numbers(5, 6), ints(1), ints(4), known=(1, 2))
case("Slice", numbers(5, 6), ints(-1, 0), ints(-9, 2**62), ints(0, 1), ints(-2, 3), known=(1, 2, 3, 4))
case("Slice", numbers(5, 6), ints(-9, 3), ints(99, -1), ints(1, 0), known=(1, 2, 3))
case("Slice", numbers(5), ints(9), ints(-(2**63)), ints(0), ints(-1), known=(1, 2, 3, 4))
case("Pad", numbers(2, 3), ints(1, 0, 2, 3), known=(1,))
case("Pad", numbers(2, 3), ints(1, -1, 0, 2), F32(1.5), known=(1, 2))
case("Pad", numbers(2, 5), ints(2, 1), None, ints(-1), known=(1, 3), mode="reflect")
case("Pad", numbers(2, 5), ints(1, 2, 1, 0), known=(1,), mode="edge")
case("Pad", numbers(2, 5), ints(0, 2, 0, 1), known=(1,), mode="wrap", opset=19)
case("Pad", whole(2, 3), ints(0, 1, 0, 1), np.int64(-7), known=(1, 2))
case("Trilu", numbers(2, 4, 5))
case("Trilu", numbers(4, 4), ints(-1)[0], known=(1,), upper=0)
case("Trilu", np.ones((3, 3), bool), ints(1)[0], known=(1,))
case("DepthToSpace", numbers(2, 8, 2, 3), blocksize=2)
case("DepthToSpace", numbers(2, 8, 2, 3), blocksize=2, mode="CRD")
case("SpaceToDepth", numbers(2, 3, 4, 6), blocksize=2)
case("Shape", numbers(2, 3, 4))
case("Shape", numbers(2, 3, 4), start=1, end=-1)
case("Size", numbers(2, 3, 4))
case("ConstantOfShape", ints(2, 3), known=(0,))
case("ConstantOfShape", ints(2, 3), known=(0,), value=numpy_helper.from_array(np.array([7], np.int32)))
case("Range", F32(1), F32(4), F32(0.5), known=(0, 1, 2))
case("Range", ints(9)[0], ints(1)[0], ints(-3)[0], known=(0, 1, 2))
case("EyeLike", numbers(3, 4), k=1)
case("Constant", value=numpy_helper.from_array(numbers(2, 2)))
case("Constant", value_float=2.5)
case("Constant", value_ints=[1, 2])

# Indices.
case("Gather", numbers(4, 3), ints(1, -1, 0))
case("Gather", numbers(4, 3), ints(2, 0).reshape(1, 2), axis=1)
case("Gather", numbers(4, 3, 2), ints(-2)[0], known=(1,), axis=1)
case("Gather", whole(4, 3), np.array([[3, 0]], np.int32))
case("GatherElements", numbers(3, 4), ints(0, -1, 2, 1).reshape(1, 4))
case("GatherElements", numbers(3, 4), np.array([[1], [-4], [3]]), axis=1)
case("GatherND", numbers(3, 4, 2), np.array([[0, 1], [-1, 3]]))
case("GatherND", numbers(3, 4), np.array([[[2]], [[0]]]))
case("ScatterElements", numbers(3, 4), ints(2, 0, -1, 1).reshape(1, 4), numbers(1, 4))
case("ScatterElements", numbers(3, 4), np.array([[1, 1], [0, 0]]), numbers(2, 2), axis=1, reduction="add", opset=18)
case("ScatterND", numbers(3, 4), np.array([[0, 1], [2, -1]]), numbers(2))
case("ScatterND", numbers(3, 4), np.array([[1], [1]]), numbers(2, 4), reduction="add", opset=18)
case("OneHot", ints(1, -1, 7), np.int64(4), np.array([-1, 2], F32), known=(1, 2))
case("OneHot", np.array([[0, 2]]), np.int64(3), np.array([0, 1], F32), known=(1,), axis=1)
for _extra in ({}, {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}, {"nearest_mode": "ceil"},
               {"coordinate_transformation_mode": "align_corners"}, {"nearest_mode": "round_prefer_ceil"}):  # fmt: skip
    case("Resize", numbers(1, 2, 3, 4), None, np.array([1, 1, 2, 3], F32), known=(2,), name=str(len(CASES)), **_extra)
    case("Resize", numbers(1, 2, 3, 4), None, None, ints(1, 2, 5, 7), known=(3,), name=str(len(CASES)), **_extra)
# Between elements: larger and smaller, of each rule for coordinates.
for _mode in ("linear", "cubic"):
    for _rule in ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"):
        _extra = {"mode": _mode, "coordinate_transformation_mode": _rule, "name": f"{_mode}_{_rule}"}
        case("Resize", numbers(2, 3, 5, 4), None, None, ints(2, 3, 8, 3), known=(3,), by_reference=_mode == "cubic",
             **_extra)  # fmt: skip
        case("Resize", numbers(1, 2, 3, 4), None, np.array([1, 1, 2, 0.5], F32), known=(2,),
             by_reference=_mode == "cubic", **_extra)  # fmt: skip
    _extra = {"mode": _mode, "by_reference": True, "name": _mode}
    case("Resize", numbers(1, 2, 7, 9), None, None, ints(1, 2, 3, 4), known=(3,), antialias=1, **_extra)
    case("Resize", numbers(1, 2, 7, 9), None, None, ints(1, 2, 3, 4), known=(3,), antialias=1, exclude_outside=1,
         **_extra)  # fmt: skip
    case("Resize", numbers(2, 7, 9), None, None, ints(11, 5), known=(3,), axes=[2, 1], **_extra)
case("Resize", numbers(1, 1, 4, 5), None, None, ints(1, 1, 7, 8), known=(3,), mode="cubic", cubic_coeff_a=-0.5,
     exclude_outside=1)  # fmt: skip
for _policy in ("not_larger", "not_smaller"):
    case("Resize", numbers(1, 2, 4, 6), None, None, ints(7, 8), known=(3,), mode="linear", axes=[2, 3],
         keep_aspect_ratio_policy=_policy, by_reference=True)  # fmt: skip
for _mode in ("linear", "nearest"):
    case("Resize", numbers(1, 1, 5, 6), np.array([0, 0, 0.2, -0.3, 1, 1, 0.9, 1.16], F32), None, ints(1, 1, 4, 7),
         known=(1, 3), mode=_mode, coordinate_transformation_mode="tf_crop_and_resize",
         extrapolation_value=7.5)  # fmt: skip
case("Resize", numbers(1, 1, 5, 1), np.array([0, 0, 0.1, 0, 1, 1, 0.7, 1], F32), None, ints(1, 1, 1, 1), known=(1, 3),
     mode="linear", coordinate_transformation_mode="tf_crop_and_resize")  # fmt: skip
case("Resize", numbers(1, 2, 4, 4, dtype=np.float64), None, None, ints(1, 2, 6, 6), known=(3,), mode="linear",
     by_reference=True)  # fmt: skip

# Recurrences.
_time = numbers(5, 2, 3)
for _op, _gates, _states in (("LSTM", 4, 2), ("GRU", 3, 1), ("RNN", 1, 1)):
    _all = tuple(range(1 + _states))
    for _directions, _name in ((1, "forward"), (1, "reverse"), (2, "bidirectional")):
        _w, _r = numbers(_directions, _gates * 4, 3), numbers(_directions, _gates * 4, 4)
        _b, _h = numbers(_directions, _gates * 8), numbers(_directions, 2, 4)
        _extra = {"hidden_size": 4, "direction": _name, "outputs": _all}
        case(_op, _time, _w, _r, _b, known=(1, 2, 3), name=_name, **_extra)
        case(_op, _time, _w, _r, None, None, *[_h] * _states, name="state_" + _name, **_extra)
case("GRU", _time, numbers(1, 12, 3), numbers(1, 12, 4), numbers(1, 24), hidden_size=4, linear_before_reset=1,
     outputs=(0, 1))  # fmt: skip
case("RNN", _time, numbers(1, 4, 3), numbers(1, 4, 4), hidden_size=4, activations=["Relu"], outputs=(1,))
case("LSTM", _time, numbers(1, 16, 3), numbers(1, 16, 4), numbers(1, 32), np.array([5, 5], np.int32), hidden_size=4,
     known=(4,), outputs=(0, 2))  # fmt: skip


#
# Models of them
#


# In order, and by neighbours.
for _axis in (0, -1):
    case("TopK", numbers(4, 6), ints(3), known=(1,), axis=_axis, outputs=(0, 1))
case("TopK", whole(3, 5), ints(2), known=(1,), largest=0, outputs=(0, 1))
case("LRN", numbers(2, 7, 3, 3), size=5, alpha=0.02, beta=0.6, bias=1.5)
case("LRN", numbers(1, 4, 5, 1), size=3)

# Forms of earlier versions: attributes that are operands now, and what a softmax is along.
for _opset in (9, 11, 12):
    case("Softmax", numbers(2, 3, 4), opset=_opset)
    case("LogSoftmax", numbers(2, 3, 4), axis=2, opset=_opset)
    case("Softmax", numbers(2, 3, 4), axis=0, opset=_opset)
    case("Squeeze", numbers(2, 1, 4, 1), axes=[1, 3], opset=_opset)
    case("Unsqueeze", numbers(2, 3), axes=[0, 2], opset=_opset)
    case("Split", numbers(2, 6), axis=1, split=[2, 3, 1], outputs=(0, 1, 2), opset=_opset)
    case("ReduceSum", numbers(2, 3, 4), axes=[0, 2], keepdims=0, opset=_opset)
case("Dropout", numbers(3, 4), ratio=0.4, opset=11)
case("Clip", numbers(3, 4), min=-0.5, max=0.7, opset=10)
case("Pad", numbers(2, 3), pads=[0, 1, 2, 0], value=1.5, opset=10)
case("Slice", numbers(4, 5), starts=[1, -3], ends=[3, 9], axes=[0, 1], opset=9)
case("TopK", numbers(4, 6), k=2, axis=0, outputs=(0, 1), opset=9)
case("Resize", numbers(1, 2, 3, 4), np.array([1, 1, 2, 3], F32), known=(1,), opset=10)
case("Upsample", numbers(1, 2, 3, 4), np.array([1, 1, 2, 2], F32), known=(1,), opset=9)
case("Upsample", numbers(1, 2, 3, 4), np.array([1, 1, 2, 2], F32), known=(1,), mode="linear", opset=9)


def info_of(name: str, array: Array) -> Any:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def model_of(name: str, one: Case, results: Sequence[Array] = ()) -> Any:
    """The case as a model. The types of outputs are those of `results`, or not said."""
    operands, inputs, initializers = [], [], []
    for place, array in enumerate(one.operands):
        operands.append("" if array is None else f"in{place}")
        if array is not None and place in one.known:
            initializers.append(numpy_helper.from_array(array, operands[-1]))
        elif array is not None:
            inputs.append(info_of(operands[-1], array))
    names = [f"out{place}" if place in one.outputs else "" for place in range(max(one.outputs) + 1)]
    wanted = [own for own in names if own]
    outputs = [info_of(own, array) for own, array in zip(wanted, results)] if results else [
        helper.make_empty_tensor_value_info(own) for own in wanted]  # fmt: skip
    node = helper.make_node(one.op, operands, names, name, **one.attributes)
    graph = helper.make_graph([node], "op", inputs, outputs, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", one.opset)], ir_version=10)


def expected_of(model: Any, one: Case, feeds: Dict[str, Array]) -> List[Array]:
    if one.by_reference:
        results = ReferenceEvaluator(model).run(None, feeds)
    else:
        typed = onnx.shape_inference.infer_shapes(model)
        results = onnxruntime.InferenceSession(typed.SerializeToString()).run(None, feeds)
    assert len(results) == len(one.outputs)
    return [np.asarray(array) for array in results]


def check(name: str, one: Case) -> None:
    feeds = {f"in{place}": array for place, array in enumerate(one.operands)
             if array is not None and place not in one.known}  # fmt: skip
    expected = expected_of(model_of(name, one), one, feeds)
    with fw.Namespace(), fw.Store():
        model = flywheel.onnx.load(model_of(name, one, expected))
        found = model(*[feeds[own] for own in model.input_names])
    for own, array in zip(found if isinstance(found, tuple) else (found,), expected):
        assert own.dtype == array.dtype, f"{name}: {own.dtype}, expected {array.dtype}"
        assert own.shape == array.shape, f"{name}: {own.shape}, expected {array.shape}"
        if array.dtype.kind == "f":
            np.testing.assert_allclose(own, array, rtol=one.rtol, atol=one.rtol, err_msg=name)
        else:
            np.testing.assert_array_equal(own, array, err_msg=name)


if __name__ == "__main__":
    # Cases of branches and loops are in import_onnx_control.py, random ones in import_onnx_files.py, those of
    # ai.onnx.ml in import_onnx_learning.py, and import_onnx_backend.py has a model of each op of which ONNX has one.
    learned = {name for name in HANDLERS if name.startswith("ai.onnx.ml.")}
    drawn = {name for name in HANDLERS if name.startswith("Random")}
    of_onnx = {name_of(node) for case in load_model_tests(kind="node") for node in case.model.graph.node}
    assert not set(HANDLERS) - {one.op for one in CASES.values()} - {"If", "Loop", "Scan"} - drawn - learned - of_onnx
    page = (Path(__file__).resolve().parents[2] / "docs/Guides/BringYourModel.md").read_text()
    rows = [line for line in page.partition("## ONNX")[2].splitlines() if line.startswith("| ")]
    listed = set(re.findall(r"[\w.]+", " ".join(row.split("|")[1] for row in rows)))
    assert not set(HANDLERS) - listed, "not on the page: " + ", ".join(sorted(set(HANDLERS) - listed))
    failed = []
    for key, one in CASES.items():
        if len(sys.argv) < 2 or sys.argv[1] in key:
            try:
                check(key, one)
            except Exception as error:
                failed.append(f"{key}: {type(error).__name__}: {error}")
    assert not failed, "\n".join(failed)
