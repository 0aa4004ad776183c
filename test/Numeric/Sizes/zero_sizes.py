# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""X7, X11, X16: shapes with a dimension of size 0, beside dynamic ones, through ops that change shapes.

Each function has the values and the gradients of its operands. Some sizes are 0 by
their type alone, some at run time alone.
"""

import warnings
from typing import Tuple

import numpy as np

from cases import Cases
from configurations import configurations, expect_equal, expect_error, run_tests

ZEROS = "  %z = arith.constant 0.5 : f64\n"
C0 = "  %c0 = arith.constant 0 : index\n"


def empty(*shape: int) -> "np.ndarray[Tuple[int, ...], np.dtype[np.float64]]":
    return np.ones(shape)


def test_reshapes() -> None:
    """Collapsed and expanded beside a dynamic size; the number of elements is none for any size."""
    cases = Cases()
    kind = "tensor<0x4x?xf64>"
    expect = cases.add("collapse", (kind,), "tensor<f64>",
                       f"%e = math.cos %a0 : {kind}\n"
                       f"  %c = tensor.collapse_shape %e [[0, 1, 2]] : {kind} into tensor<?xf64>\n"
                       "  %s = math.sin %c : tensor<?xf64>\n"
                       "  %t = nn.cumsum %s axis 0 : tensor<?xf64> -> tensor<?xf64>\n"
                       "  %y = nn.reduce sum %t axes [0] : tensor<?xf64> -> tensor<f64>")
    for n in (0, 1, 7):
        expect([empty(0, 4, n)], np.array(0.0))
    # A buffer like that of a feed that is collapsed.
    kind = "tensor<?x0xf64>"
    expect = cases.add("collapse and insert", (kind,), "tensor<f64>",
                       f"{C0}  %c = tensor.collapse_shape %a0 [[0, 1]] : {kind} into tensor<?xf64>\n"
                       "  %s = math.sin %c : tensor<?xf64>\n  %n = tensor.dim %c, %c0 : tensor<?xf64>\n"
                       "  %i = tensor.insert_slice %s into %c[0] [%n] [1] : tensor<?xf64> into tensor<?xf64>\n"
                       "  %e = tensor.expand_shape %i [[0, 1]] output_shape [1, %n]"
                       " : tensor<?xf64> into tensor<1x?xf64>\n"
                       f"{ZEROS}  %p = tensor.pad %e low[1, 0] high[0, 0] {{\n  ^bb0(%k: index, %l: index):\n"
                       "    tensor.yield %z : f64\n  } : tensor<1x?xf64> to tensor<2x?xf64>\n"
                       "  %y = nn.reduce sum %p axes [0, 1] : tensor<2x?xf64> -> tensor<f64>")
    for n in (0, 5):
        expect([empty(n, 0)], np.array(0.0))
    expect = cases.add("expand", ("tensor<?xf64>",), "tensor<f64>",
                       "%c3 = arith.constant 3 : index\n  %s = math.sin %a0 : tensor<?xf64>\n"
                       "  %e = tensor.expand_shape %s [[0, 1]] output_shape [%c3, 0]"
                       " : tensor<?xf64> into tensor<?x0xf64>\n"
                       "  %t = nn.cumsum %e axis 0 : tensor<?x0xf64> -> tensor<?x0xf64>\n"
                       "  %y = nn.reduce sum %t axes [0, 1] : tensor<?x0xf64> -> tensor<f64>")
    expect([empty(0)], np.array(0.0))
    cases.check()


def test_joins() -> None:
    """A concatenation with nothing, a padding of nothing, on either side and beside dynamic sizes."""
    cases = Cases()
    x = np.arange(6.0).reshape(2, 3)
    for rows in ("2", "?"):
        expect = cases.add("concat", (f"tensor<{rows}x3xf64>", f"tensor<{rows}x0xf64>"), f"tensor<{rows}x6xf64>",
                           f"%s = math.absf %a1 : tensor<{rows}x0xf64>\n"
                           f"  %y = tensor.concat dim(1) %s, %a0, %a1, %a0 : (tensor<{rows}x0xf64>, "
                           f"tensor<{rows}x3xf64>, tensor<{rows}x0xf64>, tensor<{rows}x3xf64>) -> tensor<{rows}x6xf64>")
        expect([x, empty(2, 0)], np.hstack([x, x]))
    kind = "tensor<0x?xf64>"
    expect = cases.add("concat of nothing", (kind, "tensor<?xf64>"), "tensor<?xf64>",
                       f"%t = tensor.concat dim(1) %a0, %a0 : ({kind}, {kind}) -> {kind}\n"
                       f"  %u = tensor.concat dim(0) %t, %t : ({kind}, {kind}) -> {kind}\n"
                       f"  %r = nn.reduce sum %u axes [0, 1] : {kind} -> tensor<f64>\n"
                       "  %y = nn.add %a1, %r : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>")
    expect([empty(0, 3), x.ravel()], x.ravel())
    expect = cases.add("pad", ("tensor<6x0x3xf64>",), "tensor<7x1x5xf64>",
                       f"%s = math.sin %a0 : tensor<6x0x3xf64>\n{ZEROS}"
                       "  %y = tensor.pad %s low[1, 1, 0] high[0, 0, 2] {\n  ^bb0(%i: index, %j: index, %k: index):\n"
                       "    tensor.yield %z : f64\n  } : tensor<6x0x3xf64> to tensor<7x1x5xf64>")
    expect([empty(6, 0, 3)], np.full((7, 1, 5), 0.5))
    cases.check()


MODEL = """
train.variable @v : tensor<0x3xf64> = #train.zeros
train.variable @w : tensor<4xf64> = #train.ones
func.func @step(%x: tensor<0x4x?xf64>, %i: tensor<0x4x?xi32>, %u: tensor<0x4x?xf64>)
    -> (tensor<f64>, tensor<0x4x?xf64>) {
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c2 : tensor<0x4x?xf64>
  %v = train.read @v : tensor<0x3xf64>
  %w = train.read @w : tensor<4xf64>
  %s = nn.scatter_add_along_axis %x, %i, %u axis 1
      : (tensor<0x4x?xf64>, tensor<0x4x?xi32>, tensor<0x4x?xf64>) -> tensor<0x4x?xf64>
  %f = tensor.collapse_shape %s [[0, 1], [2]] : tensor<0x4x?xf64> into tensor<0x?xf64>
  %c = nn.cumprod %f axis 0 : tensor<0x?xf64> -> tensor<0x?xf64>
  %e = tensor.expand_shape %c [[0, 1], [2]] output_shape [0, 4, %n] : tensor<0x?xf64> into tensor<0x4x?xf64>
  %k = nn.take_along_axis %e, %i axis 1 : (tensor<0x4x?xf64>, tensor<0x4x?xi32>) -> tensor<0x4x?xf64>
  %p = nn.reduce sum %k axes [0, 2] : tensor<0x4x?xf64> -> tensor<4xf64>
  %q = arith.addf %p, %w : tensor<4xf64>
  %l = nn.reduce sum %q axes [0] : tensor<4xf64> -> tensor<f64>
  %g = train.gradient %l wrt %x : (tensor<f64>, tensor<0x4x?xf64>) -> (tensor<0x4x?xf64>)
  %d = arith.addf %v, %v : tensor<0x3xf64>
  train.assign @v, %d : tensor<0x3xf64>
  train.minimize %l : tensor<f64> with #train.sgd<lr = 0.5>
  return %l, %g : tensor<f64>, tensor<0x4x?xf64>
}
"""


def test_step() -> None:
    """A step with a variable and feeds of no elements trains the others."""
    for configuration, model in configurations(MODEL):
        model.initialize()
        for n in (0, 1, 5):
            before = model["w"]
            loss, grad = model.run("step", empty(0, 4, n), np.zeros((0, 4, n), np.int32), empty(0, 4, n))
            expect_equal(f"{configuration} loss", loss, np.array(before.sum()))
            expect_equal(f"{configuration} gradient", grad, empty(0, 4, n))
            expect_equal(f"{configuration} w", model["w"], before - 0.5)
        expect_equal(f"{configuration} v", model["v"], empty(0, 3))


MEAN = """
train.variable @w : tensor<3xf64> = dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
func.func @step(%x: tensor<?x3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  %w = train.read @w : tensor<3xf64>
  %p = nn.mul %x, %w : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  %loss = nn.reduce mean %p axes [0, 1] : tensor<?x3xf64> -> tensor<f64>
  %columns = nn.reduce mean %p axes [0] : tensor<?x3xf64> -> tensor<3xf64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = 1.0>
  return %loss, %columns : tensor<f64>, tensor<3xf64>
}
"""


def test_mean() -> None:
    """A mean over no rows is NaN, as in NumPy; its gradient is a sum over no rows."""
    for configuration, model in configurations(MEAN):
        model.initialize()
        w = np.array([1.0, 2.0, 3.0])
        for n in (0, 2):
            x = empty(n, 3) * 2
            with np.errstate(invalid="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                expected = np.mean(x * w), np.mean(x * w, 0)
            for found, value in zip(model.run("step", x), expected):
                np.testing.assert_allclose(found, value, 1e-12, err_msg=f"{configuration} {n}")
            w = w - x.sum(0) / max(x.size, 1)
            np.testing.assert_allclose(model["w"], w, 1e-12, err_msg=f"{configuration} {n} w")


CHECKED = """
func.func @expand(%x: tensor<?xf64>) -> tensor<f64> {
  %n = arith.constant 3 : index
  %e = tensor.expand_shape %x [[0, 1]] output_shape [%n, 0] : tensor<?xf64> into tensor<?x0xf64>
  %y = nn.reduce sum %e axes [0, 1] : tensor<?x0xf64> -> tensor<f64>
  return %y : tensor<f64>
}
"""


def test_checked() -> None:
    """That a size is 0 is still checked where it is not known."""
    for configuration, model in configurations(CHECKED):
        model.initialize()
        expect_equal(configuration, model.run("expand", empty(0)), np.array(0.0))
        expect_error(configuration, r"make up dimension 0 of the source, found 0 and 5",
                     lambda: model.run("expand", empty(5)))


run_tests([test_reshapes, test_joins, test_step, test_mean, test_checked])
