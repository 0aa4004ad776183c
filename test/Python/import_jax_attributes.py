# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, jax
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Attributes of StableHLO's ops: a translation reads each, or the op is refused by the attribute's name (B6)."""

from types import SimpleNamespace
from typing import Any, List

import numpy as np
from jax import lax
from jax.interpreters import mlir as lowering
from jaxlib.mlir import ir

import flywheel as fw
import flywheel.jax
from flywheel.jax._graph import Interpreter
from flywheel.jax._values import of_tensor, tensors_of


def run(body: str) -> Any:
    """Returns the results of a function of a tensor<2x3xf32> for zeros, ones and twos."""
    text = f"func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {{\n{body}\n return %y : tensor<2x3xf32>\n}}"
    context = lowering.make_ir_context()
    with context:
        module = ir.Module.parse(text)
    exported: Any = SimpleNamespace(context=context, customs=[], functions={"main": module.body.operations[0]})
    x = np.arange(6, dtype=np.float32).reshape(2, 3) % 3
    return np.asarray(fw.function(lambda a: tensors_of(Interpreter(exported).run([of_tensor(a)]))[0])(x))


def refused(body: str, *words: str) -> None:
    try:
        run(body)
        raise AssertionError(f"not refused: {body}")
    except fw.jax.UnsupportedOpError as error:
        for word in words:
            assert word in str(error), error


ADD = " %y = stablehlo.add %x, %x {{{0}}} : tensor<2x3xf32>"
COMPARE = """ %z = stablehlo.constant dense<[[-0.0, 0.0, 1.0], [-0.0, 0.0, 1.0]]> : tensor<2x3xf32>
 %o = stablehlo.constant dense<0.0> : tensor<2x3xf32>
 %c = stablehlo.compare LT, %z, %o, {0} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
 %y = stablehlo.convert %c : (tensor<2x3xi1>) -> tensor<2x3xf32>"""


def test_attributes() -> None:
    doubled: List[Any] = [0, 2, 4]
    np.testing.assert_array_equal(run(ADD.format(""))[0], doubled)
    # Attributes that other tools put on an op.
    np.testing.assert_array_equal(run(ADD.format('mhlo.frontend_attributes = {a = "b"}'))[0], doubled)
    refused(ADD.format("rounding = 3 : i32"), "stablehlo.add with the attribute 'rounding' = 3")
    # For constants too, -0.0 is before 0.0 in the total order.
    np.testing.assert_array_equal(run(COMPARE.format("FLOAT"))[0], [0, 0, 0])
    np.testing.assert_array_equal(run(COMPARE.format("TOTALORDER"))[0], [1, 0, 0])


def test_algorithm() -> None:
    """Products in other types than the operands'."""

    def model(w: Any, x: Any) -> Any:
        return lax.dot(x, w, precision=lax.DotAlgorithmPreset.BF16_BF16_F32, preferred_element_type=np.float32)

    try:
        flywheel.jax.from_function(model, np.ones((3, 3), np.float32), (np.ones((2, 3), np.float32),))
        raise AssertionError("not refused")
    except fw.jax.UnsupportedOpError as error:
        assert "stablehlo.dot_general with the attribute 'algorithm'" in str(error), error
        assert "import_jax_attributes.py" in str(error), error


if __name__ == "__main__":
    test_attributes()
    test_algorithm()
