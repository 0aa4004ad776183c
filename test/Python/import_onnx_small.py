# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, onnx
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Numbers of 2, 4, 6 and 8 bits in ONNX models: conversions have the results of ml_dtypes for every number of 16 bits,
scales of blocks those of ONNX's reference, and derivatives are those of a conversion (B10)."""

import warnings
from typing import Any, Dict, List, Tuple

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import flywheel as fw
import flywheel.onnx

FLOATS = {
    "FLOAT8E4M3FN": ml_dtypes.float8_e4m3fn, "FLOAT8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "FLOAT8E5M2": ml_dtypes.float8_e5m2, "FLOAT8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "FLOAT4E2M1": ml_dtypes.float4_e2m1fn}  # fmt: skip
INTEGERS = {"INT4": ml_dtypes.int4, "UINT4": ml_dtypes.uint4, "INT2": ml_dtypes.int2, "UINT2": ml_dtypes.uint2}


def model(nodes: List[Any], inputs: Dict[str, Tuple[int, Any]], output: Tuple[int, Any], constants: Any = None) -> Any:
    """A model whose output is 'y'."""
    graph = helper.make_graph(
        nodes, "small", [helper.make_tensor_value_info(name, *one) for name, one in inputs.items()],
        [helper.make_tensor_value_info("y", *output)], constants or [])  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=13)


def run(proto: Any, *inputs: Any) -> np.ndarray[Any, Any]:
    with fw.Namespace(), fw.Store():
        return np.asarray(flywheel.onnx.load(proto)(*inputs))


def element(name: str) -> int:
    return int(getattr(TensorProto, name))


def cast(source: str, target: str, array: Any, **attributes: Any) -> np.ndarray[Any, Any]:
    node = helper.make_node("Cast", ["x"], ["y"], to=element(target), **attributes)
    return run(model([node], {"x": (element(source), array.shape)}, (element(target), array.shape)), array)


def check_same(found: Any, expected: Any, what: str) -> None:
    assert found.dtype == expected.dtype, f"{what}: {found.dtype}, not {expected.dtype}"
    bits = np.uint8
    wrong = found.view(bits) != expected.view(bits)
    # Signs and patterns of NaN may differ.
    wrong &= ~(np.isnan(found.astype(np.float32)) & np.isnan(expected.astype(np.float32)))
    assert not wrong.any(), f"{what}: {found[wrong][:5]}, not {expected[wrong][:5]}"


def check_floats() -> None:
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    numbers = np.random.default_rng(0).normal(size=4096) * 2.0 ** np.random.default_rng(1).integers(-20, 20, 4096)
    for name, dtype in FLOATS.items():
        finite = float(ml_dtypes.finfo(dtype).max)
        # NaN has no form in numbers of 4 bits.
        given = halves if name != "FLOAT4E2M1" else halves[~np.isnan(halves)]
        with np.errstate(all="ignore"):
            for saturate in (0, 1) if name != "FLOAT4E2M1" else (1,):
                wide = np.clip(given.astype(np.float32), -finite, finite) if saturate else given.astype(np.float32)
                found = cast("FLOAT16", name, given, saturate=saturate)
                check_same(found, wide.astype(dtype), f"float16 to {name}, saturate={saturate}")
            for source, own in (("FLOAT", numbers.astype(np.float32)), ("DOUBLE", numbers)):
                expected = np.clip(own, -finite, finite).astype(dtype)
                check_same(cast(source, name, own), expected, f"{source} to {name}")
        every = np.arange(1 << (4 if name == "FLOAT4E2M1" else 8), dtype=np.uint8).view(dtype)
        for target, wide_dtype in (("FLOAT", np.float32), ("FLOAT16", np.float16)):
            np.testing.assert_array_equal(cast(name, target, every), every.astype(wide_dtype))


def check_powers() -> None:
    bits = np.random.default_rng(2).integers(0, 1 << 31, 4096, dtype=np.uint32)
    given = np.concatenate([bits.view(np.float32), [0.0, 1e-45, np.inf, np.nan, 3e38, 1.5, 2.0]]).astype(np.float32)
    for mode in ("up", "down", "nearest"):
        for saturate in (0, 1):
            found = cast("FLOAT", "FLOAT8E8M0", given, round_mode=mode, saturate=saturate)
            expected = numpy_helper.to_float8e8m0(given, bool(saturate), mode).astype(ml_dtypes.float8_e8m0fnu)
            check_same(found, expected, f"powers, {mode}, {saturate}")
    every = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e8m0fnu)
    np.testing.assert_array_equal(cast("FLOAT8E8M0", "FLOAT", every), every.astype(np.float32))


def check_integers() -> None:
    wide = np.arange(-300, 300, dtype=np.int32)
    real = np.arange(-40, 40).astype(np.float32) * np.float32(0.7)
    for name, dtype in INTEGERS.items():
        check_same(cast("INT32", name, wide), wide.astype(dtype), f"int32 to {name}")
        check_same(cast("FLOAT", name, real), real.astype(dtype), f"float32 to {name}")
        every = np.arange(*((0, 16) if name == "UINT4" else (0, 4) if name == "UINT2" else (-8, 8) if name == "INT4"
                            else (-2, 2)))  # fmt: skip
        own = every.astype(dtype)
        for target in (np.int8, np.float32, np.int64):
            kind = helper.np_dtype_to_tensor_dtype(np.dtype(target))
            found = cast(name, TensorProto.DataType.Name(kind), own)
            np.testing.assert_array_equal(found, every.astype(target))


def check_blocks() -> None:
    """Weights of 4 bits with a scale and a zero point for each block, in the file."""
    rng = np.random.default_rng(3)
    weights, zeros = rng.integers(-8, 8, (6, 7)).astype(ml_dtypes.int4), rng.integers(-8, 8, (2, 7))
    scales, x = rng.uniform(0.5, 2, (2, 7)).astype(np.float32), rng.normal(size=(5, 6)).astype(np.float32)
    nodes = [helper.make_node("DequantizeLinear", ["w", "s", "z"], ["m"], axis=0, block_size=3),
             helper.make_node("MatMul", ["x", "m"], ["y"])]  # fmt: skip
    constants = [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(scales, "s"),
                 numpy_helper.from_array(zeros.astype(ml_dtypes.int4), "z")]  # fmt: skip
    proto = model(nodes, {"x": (TensorProto.FLOAT, (5, 6))}, (TensorProto.FLOAT, (5, 7)), constants)
    np.testing.assert_allclose(run(proto, x), ReferenceEvaluator(proto).run(None, {"x": x})[0], 1e-5, 1e-6)


def check_shapes() -> None:
    """Ops that move numbers keep their type; others are refused by its name."""
    x = np.arange(12, dtype=np.uint8).view(ml_dtypes.float8_e5m2).reshape(3, 4)
    shape = numpy_helper.from_array(np.array([6, 2]), "s")
    nodes = [helper.make_node("Transpose", ["x"], ["t"]), helper.make_node("Reshape", ["t", "s"], ["y"])]
    kind = TensorProto.FLOAT8E5M2
    proto = model(nodes, {"x": (kind, (3, 4))}, (kind, (6, 2)), [shape])
    check_same(run(proto, x), np.ascontiguousarray(x.T).reshape(6, 2), "moved")
    try:
        run(proto, x.astype(np.float32))
        raise AssertionError("float32 in place of float8_e5m2 was taken")
    except ValueError as error:
        assert "input 'x' has elements of float8_e5m2, found float32" in str(error), error
    refused = model([helper.make_node("Relu", ["x"], ["y"])], {"x": (kind, (3,))}, (kind, (3,)))
    for proto in (refused, _branch()):
        try:
            flywheel.onnx.load(proto)
            raise AssertionError("expected an error")
        except fw.onnx.UnsupportedOpError as error:
            assert "FLOAT8E5M2" in str(error), error
        except ValueError as error:
            assert "float8e5m2" in str(error).lower(), error


def _branch() -> Any:
    """A model whose branches have results of 8 bits."""
    kind = TensorProto.FLOAT8E5M2
    parts = [helper.make_graph([helper.make_node("Cast", ["x"], [name], to=kind)], name, [],
                               [helper.make_tensor_value_info(name, kind, (3,))]) for name in ("a", "b")]  # fmt: skip
    nodes = [helper.make_node("If", ["c"], ["y"], then_branch=parts[0], else_branch=parts[1])]
    return model(nodes, {"c": (TensorProto.BOOL, ()), "x": (TensorProto.FLOAT, (3,))}, (kind, (3,)))


def check_derivatives() -> None:
    """A weight is trained through a conversion as if it were not there."""
    kind = TensorProto.FLOAT8E4M3FN
    nodes = [helper.make_node("Cast", ["w"], ["q"], to=kind), helper.make_node("Cast", ["q"], ["r"], to=1),
             helper.make_node("Mul", ["x", "r"], ["y"])]  # fmt: skip
    w, x = np.array([0.3, -1.7, 25.0], np.float32), np.array([1.0, 2.0, 3.0], np.float32)
    proto = model(nodes, {"x": (1, (3,))}, (1, (3,)), [numpy_helper.from_array(w, "w")])
    with fw.Namespace(), fw.Store():
        own = flywheel.onnx.load(proto, loss=lambda y: fw.sum(y), optimizer=fw.optimizers.SGD(lr=0.1))
        np.testing.assert_allclose(own(x), x * w.astype(ml_dtypes.float8_e4m3fn).astype(np.float32))
        own.step(x)
        np.testing.assert_allclose(own.state_dict()["w"], w - 0.1 * x, rtol=1e-6)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    check_floats()
    check_powers()
    check_integers()
    check_blocks()
    check_shapes()
    check_derivatives()
    print("numbers of 2 to 8 bits are ONNX's")
