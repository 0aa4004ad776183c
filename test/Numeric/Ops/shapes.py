# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Upstream's ops that move elements, and their gradients, against numpy (X7, X9, X11, G13).

Static and dynamic shapes, offsets that are computed, in each configuration. All
are linear in each operand, so that numpy gets a gradient from the images of the
unit vectors.
"""

from typing import Any, Callable, List, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from cases import Cases
from configurations import configurations, expect_close, expect_equal, expect_error, run_tests

Array = NDArray[Any]
Function = Callable[..., Array]


def gradients(function: Function, inputs: List[Array], weights: Array) -> List[Array]:
    """Returns the gradients of <function(inputs), weights> with respect to each floating-point input."""
    result = []
    for number, x in enumerate(inputs):
        if x.dtype.kind != "f":
            continue
        gradient = np.zeros_like(x)
        for element in np.ndindex(x.shape):
            moved = list(inputs)
            moved[number] = x.copy()
            moved[number][element] += 1
            gradient[element] = ((function(*moved) - function(*inputs)) * weights).sum()
        result.append(gradient)
    return result


class Moves:
    """Functions and their gradients, in one module."""

    def __init__(self) -> None:
        self.text = ""
        self.calls: List[Tuple[str, List[Array], List[Array]]] = []
        self.rng = np.random.default_rng(1)

    def add(self, args: Sequence[str], result: str, body: str, inputs: Sequence[Array], function: Function) -> None:
        """`body` computes `%y` from `%a0`, `%a1`, ... of the types `args`."""
        name = f"f{len(self.calls)}"
        head = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(args))
        wrt = [i for i, x in enumerate(inputs) if x.dtype.kind == "f"]
        names, kinds = ", ".join(f"%a{i}" for i in wrt), ", ".join(args[i] for i in wrt)
        many = len(wrt) > 1
        grads = ", ".join(f"%g#{i}" for i in range(len(wrt))) if many else "%g"
        self.text += (
            f"func.func @{name}({head}, %w: {result}) -> ({result}, {kinds}) {{\n{body}\n"
            f"  %g{f':{len(wrt)}' if many else ''} = train.gradient %y wrt {names} grad_ys %w : "
            f"({result}, {kinds}, {result}) -> ({kinds})\n"
            f"  return %y, {grads} : {result}, {kinds}\n}}\n")
        inputs = list(inputs)
        value = function(*inputs)
        weights = self.draw(value.shape, value.dtype)
        self.calls.append((name, [*inputs, weights], [value, *gradients(function, inputs, weights)]))

    def draw(self, shape: Tuple[int, ...], dtype: Any = np.float64) -> Array:
        """Small integers: every sum is exact."""
        return np.asarray(self.rng.integers(-8, 9, shape)).astype(dtype)

    def check(self) -> None:
        for configuration, model in configurations(self.text):
            model.initialize()
            for name, inputs, expected in self.calls:
                found = model.run(name, *inputs)
                assert len(found) == len(expected), f"{name}: expected {len(expected)} results, found {len(found)}"
                for number, (one, other) in enumerate(zip(found, expected)):
                    expect_equal(f"{configuration} {name} result {number}\n{self.text}", one, other)


def test_slices() -> None:
    """X7: strides, steps, dropped dimensions, offsets that are computed; split."""
    m = Moves()
    x, small = m.draw((9, 7)), m.draw((4, 2))
    for kind in ("tensor<9x7xf64>", "tensor<?x7xf64>"):
        m.add([kind], "tensor<4x2xf64>",
              f"%y = tensor.extract_slice %a0[1, 2] [4, 2] [2, 3] : {kind} to tensor<4x2xf64>",
              [x], lambda x: x[1:9:2, 2:6:3])
        m.add([kind], "tensor<7xf64>", f"%y = tensor.extract_slice %a0[3, 0] [1, 7] [1, 1] : {kind} to tensor<7xf64>",
              [x], lambda x: x[3])
        m.add(["tensor<4x2xf64>", kind], kind,
              f"%y = tensor.insert_slice %a0 into %a1[1, 2] [4, 2] [2, 3] : tensor<4x2xf64> into {kind}",
              [small, x], lambda s, x: put(x, (slice(1, 9, 2), slice(2, 6, 3)), s))
        at = "  %o = tensor.extract %a1[] : tensor<i64>\n  %i = arith.index_cast %o : i64 to index\n"
        m.add([kind, "tensor<i64>"], "tensor<3x7xf64>",
              at + f"  %y = tensor.extract_slice %a0[%i, 0] [3, 7] [1, 1] : {kind} to tensor<3x7xf64>",
              [x, np.array(5)], lambda x, i: x[int(i):int(i) + 3])
        m.add([kind, "tensor<i64>", "tensor<7xf64>"], kind,
              at + f"  %y = tensor.insert_slice %a2 into %a0[%i, 0] [1, 7] [1, 1] : tensor<7xf64> into {kind}",
              [x, np.array(8), m.draw((7,))], lambda x, i, s: put(x, int(i), s))
        # Split in two along the columns, and the parts the other way round.
        m.add([kind], kind,
              "  %c0 = arith.constant 0 : index\n"
              f"  %n = tensor.dim %a0, %c0 : {kind}\n"
              f"  %l = tensor.extract_slice %a0[0, 0] [%n, 3] [1, 1] : {kind} to tensor<?x3xf64>\n"
              f"  %r = tensor.extract_slice %a0[0, 3] [%n, 4] [1, 1] : {kind} to tensor<?x4xf64>\n"
              f"  %d = tensor.concat dim(1) %r, %l : (tensor<?x4xf64>, tensor<?x3xf64>) -> tensor<?x7xf64>\n"
              "  %z = arith.constant 0.0 : f64\n"
              f"  %t = tensor.splat %z{'[%n]' if '?' in kind else ''} : {kind}\n"
              f"  %y = tensor.insert_slice %d into %t[0, 0] [%n, 7] [1, 1] : tensor<?x7xf64> into {kind}",
              [x], lambda x: np.hstack([x[:, 3:], x[:, :3]]))
    m.check()


def put(x: Array, where: Any, part: Array) -> Array:
    """x with `part` at `where`."""
    y: Array = x.copy()
    y[where] = part
    return y


OUT_OF_RANGE = """
train.variable @v : tensor<9x2xf64> = #train.zeros
func.func @take(%x: tensor<?x2xf64>, %at: tensor<i64>) -> tensor<3x2xf64> {
  %o = tensor.extract %at[] : tensor<i64>
  %i = arith.index_cast %o : i64 to index
  %y = tensor.extract_slice %x[%i, 0] [3, 2] [1, 1] : tensor<?x2xf64> to tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}
func.func @every_other(%x: tensor<?x2xf64>, %at: tensor<i64>) -> tensor<3x2xf64> {
  %o = tensor.extract %at[] : tensor<i64>
  %i = arith.index_cast %o : i64 to index
  %y = tensor.extract_slice %x[%i, 0] [3, 2] [2, 1] : tensor<?x2xf64> to tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}
func.func @put(%x: tensor<3x2xf64>, %at: tensor<i64>) {
  %v = train.read @v : tensor<9x2xf64>
  %o = tensor.extract %at[] : tensor<i64>
  %i = arith.index_cast %o : i64 to index
  %y = tensor.insert_slice %x into %v[%i, 0] [3, 2] [1, 1] : tensor<3x2xf64> into tensor<9x2xf64>
  train.assign @v, %y : tensor<9x2xf64>
  return
}
func.func @element(%x: tensor<?x2xf64>, %at: tensor<i64>) -> tensor<f64> {
  %o = tensor.extract %at[] : tensor<i64>
  %i = arith.index_cast %o : i64 to index
  %s = tensor.extract %x[%i, %i] : tensor<?x2xf64>
  %y = tensor.from_elements %s : tensor<f64>
  return %y : tensor<f64>
}
"""


def test_out_of_range() -> None:
    """X7: a slice or an element at a computed place that is not there is an error that changes nothing."""
    for configuration, model in configurations(OUT_OF_RANGE):
        model.initialize()
        x, part = np.arange(12.0).reshape(6, 2), np.ones((3, 2))
        extremes = (-1, 2**62, -2**63, 2**63 - 1)
        expect_equal(f"{configuration} take", model.run("take", x, np.array(3)), x[3:])
        expect_equal(f"{configuration} every other", model.run("every_other", x, np.array(1)), x[1::2])
        for at in (4, 6, *extremes):
            expect_error(f"{configuration} take {at}", "slice out of range of dimension 0 in 'tensor.extract_slice' at "
                         rf".*:\d+:\d+, found offset {at}, size 3, stride 1 and dimension size 6",
                         lambda: model.run("take", x, np.array(at)))
        for at in (2, *extremes):
            expect_error(f"{configuration} every other {at}", rf"slice out of range of dimension 0 .*,"
                         rf" found offset {at}, size 3, stride 2 and dimension size 6",
                         lambda: model.run("every_other", x, np.array(at)))
        expect_error(f"{configuration} too short", "slice out of range of dimension 0 .*, "
                     "found offset 0, size 3, stride 1 and dimension size 2",
                     lambda: model.run("take", x[:2].copy(), np.array(0)))
        for at in (7, *extremes):
            expect_error(f"{configuration} put {at}", "slice out of range of dimension 0 in 'tensor.insert_slice' at "
                         rf".*:\d+:\d+, found offset {at}, size 3, stride 1 and dimension size 9",
                         lambda: model.run("put", part, np.array(at)))
            expect_equal(f"{configuration} after an error", model["v"], np.zeros((9, 2)))
        model.run("put", part, np.array(6))
        expect_equal(f"{configuration} put", model["v"].sum(1), np.array([0.0] * 6 + [2.0] * 3))
        expect_equal(f"{configuration} element", model.run("element", x, np.array(1)), np.array(3.0))
        for at in (2, *extremes):
            expect_error(f"{configuration} element {at}", "index out of range of dimension [01] in 'tensor.extract' at "
                         rf".*:\d+:\d+, found index {at} and dimension size [26]",
                         lambda: model.run("element", x, np.array(at)))


def test_joins() -> None:
    """X7: concatenation along each dimension, padding with a number."""
    m = Moves()
    a, b = m.draw((4, 3)), m.draw((4, 5))
    for rows in ("4", "?"):
        m.add([f"tensor<{rows}x3xf64>", f"tensor<{rows}x5xf64>"], f"tensor<{rows}x11xf64>",
              f"  %y = tensor.concat dim(1) %a0, %a1, %a0 : (tensor<{rows}x3xf64>, tensor<{rows}x5xf64>, "
              f"tensor<{rows}x3xf64>) -> tensor<{rows}x11xf64>",
              [a, b], lambda a, b: np.hstack([a, b, a]))
        m.add([f"tensor<{rows}x3xf64>"], f"tensor<{rows}x6xf64>",
              "  %p = arith.constant 7.0 : f64\n"
              f"  %y = tensor.pad %a0 low[0, 1] high[0, 2] {{\n  ^bb0(%i: index, %j: index):\n"
              f"    tensor.yield %p : f64\n  }} : tensor<{rows}x3xf64> to tensor<{rows}x6xf64>",
              [a], lambda a: np.pad(a, ((0, 0), (1, 2)), constant_values=7))
    m.add(["tensor<4x3xf64>", "tensor<2x3xf64>"], "tensor<6x3xf64>",
          "  %y = tensor.concat dim(0) %a0, %a1 : (tensor<4x3xf64>, tensor<2x3xf64>) -> tensor<6x3xf64>",
          [a, m.draw((2, 3))], lambda a, b: np.concatenate([a, b]))
    m.check()


def test_reshapes() -> None:
    """X7: other shapes of the same elements: -1 first, a dimension of 1 more or less, transposed."""
    m = Moves()
    x = m.draw((4, 6))
    for rows in ("4", "?"):
        kind, n = f"tensor<{rows}x6xf64>", "%n" if rows == "?" else rows
        size = f"  %c0 = arith.constant 0 : index\n  %n = tensor.dim %a0, %c0 : {kind}\n"
        m.add([kind], f"tensor<{rows}x2x3xf64>",
              size + f"  %y = tensor.expand_shape %a0 [[0], [1, 2]] output_shape [{n}, 2, 3]"
              f" : {kind} into tensor<{rows}x2x3xf64>", [x], lambda x: x.reshape(-1, 2, 3))
        # Expanded and squeezed.
        m.add([kind], f"tensor<{rows}x6xf64>",
              size + f"  %e = tensor.expand_shape %a0 [[0, 1], [2]] output_shape [{n}, 1, 6]"
              f" : {kind} into tensor<{rows}x1x6xf64>\n  %s = arith.addf %e, %e : tensor<{rows}x1x6xf64>\n"
              f"  %y = tensor.collapse_shape %s [[0, 1], [2]] : tensor<{rows}x1x6xf64> into {kind}",
              [x], lambda x: 2 * x)
        empty = "%n" if rows == "?" else ""
        m.add([kind], f"tensor<6x{rows}xf64>",
              size + f"  %e = tensor.empty({empty}) : tensor<6x{rows}xf64>\n"
              f"  %y = linalg.transpose ins(%a0 : {kind}) outs(%e : tensor<6x{rows}xf64>) permutation = [1, 0]",
              [x], lambda x: x.T)
    m.add(["tensor<4x6xf64>"], "tensor<24xf64>",
          "  %y = tensor.collapse_shape %a0 [[0, 1]] : tensor<4x6xf64> into tensor<24xf64>", [x], lambda x: x.ravel())
    m.add(["tensor<4x6xf64>"], "tensor<3x8xf64>",
          "  %s = arith.constant dense<[3, 8]> : tensor<2xindex>\n"
          "  %y = tensor.reshape %a0(%s) : (tensor<4x6xf64>, tensor<2xindex>) -> tensor<3x8xf64>",
          [x], lambda x: x.reshape(3, 8))
    m.check()


def test_elements() -> None:
    """X7, X9: single elements, splats, choices, tensors made element by element."""
    m = Moves()
    x, other = m.draw((4, 3)), m.draw((4, 3))
    choice = m.draw((4, 3)) > 0
    for rows in ("4", "?"):
        kind, flags = f"tensor<{rows}x3xf64>", f"tensor<{rows}x3xi1>"
        size = f"  %c0 = arith.constant 0 : index\n  %n = tensor.dim %a0, %c0 : {kind}\n"
        m.add([kind, kind, flags], kind, f"  %y = arith.select %a2, %a0, %a1 : {flags}, {kind}",
              [x, other, choice], lambda x, y, c: np.asarray(np.where(c, x, y)))
        m.add([kind], kind,
              size + "  %c1 = arith.constant 1 : index\n"
              f"  %s = tensor.extract %a0[%c1, %c0] : {kind}\n"
              f"  %t = tensor.splat %s{'[%n]' if rows == '?' else ''} : {kind}\n"
              f"  %y = arith.addf %t, %a0 : {kind}", [x], lambda x: x + x[1, 0])
        m.add([kind, "tensor<f64>"], kind,
              size + "  %s = tensor.extract %a1[] : tensor<f64>\n  %c2 = arith.constant 2 : index\n"
              f"  %y = tensor.insert %s into %a0[%c2, %c0] : {kind}",
              [x, np.array(5.0)], lambda x, s: put(x, (2, 0), s))
        generated = (f"tensor.generate {'%n' if rows == '?' else ''} {{\n  ^bb0(%i: index, %j: index):\n"
                     "    %k = arith.addi %i, %j : index\n    %l = arith.index_cast %k : index to i64\n"
                     f"    %f = arith.sitofp %l : i64 to f64\n    tensor.yield %f : f64\n  }} : {kind}")
        m.add([kind], kind, size + f"  %t = {generated}\n  %y = arith.mulf %t, %a0 : {kind}",
              [x], lambda x: x * np.add.outer(np.arange(4), np.arange(3)))
    m.add(["tensor<4x3xf64>"], "tensor<2x2xf64>",
          "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
          "  %s = tensor.extract %a0[%c0, %c1] : tensor<4x3xf64>\n"
          "  %t = tensor.extract %a0[%c1, %c1] : tensor<4x3xf64>\n"
          "  %y = tensor.from_elements %s, %t, %t, %s : tensor<2x2xf64>",
          [x], lambda x: np.array([[x[0, 1], x[1, 1]], [x[1, 1], x[0, 1]]]))
    m.check()


def test_casts() -> None:
    """X7: to other types and back; a gradient flows through floating-point types alone (G2)."""
    m = Moves()
    for rows in ("4", "?"):
        f64, f32, f16, bf16 = (f"tensor<{rows}x9x{element}>" for element in ("f64", "f32", "f16", "bf16"))
        x = m.draw((4, 9))
        for narrow in (f32, f16, bf16):
            m.add([f64], f64, f"  %n = arith.truncf %a0 : {f64} to {narrow}\n  %d = arith.addf %n, %n : {narrow}\n"
                  f"  %y = arith.extf %d : {narrow} to {f64}", [x], lambda x: 2 * x)
        m.add([f32], f64, f"  %y = arith.extf %a0 : {f32} to {f64}", [x.astype(np.float32)],
              lambda x: x.astype(np.float64))
        for integer in ("i8", "i32", "i64"):
            kind = f"tensor<{rows}x9x{integer}>"
            # The integers of x carry no derivative.
            m.add([f64], f64, f"  %i = arith.fptosi %a0 : {f64} to {kind}\n  %f = arith.sitofp %i : {kind} to {f64}\n"
                  f"  %y = arith.addf %f, %a0 : {f64}", [x], lambda x: x + x)
            name, inputs, expected = m.calls.pop()
            m.calls.append((name, inputs, [expected[0], inputs[-1]]))
    m.check()


def test_booleans() -> None:
    """X7: any, all and counts of truth values; comparisons, with and without kept dimensions."""
    cases = Cases()
    rng = np.random.default_rng(2)
    kind = "tensor<?x5x3xi1>"
    for axes, result, kept in (((0,), "tensor<5x3xi1>", "tensor<1x5x3xi1>"),
                               ((1, 2), "tensor<?xi1>", "tensor<?x1x1xi1>"),
                               ((0, 1, 2), "tensor<i1>", "tensor<1x1x1xi1>")):
        for reduction, reduce in (("max", np.any), ("min", np.all)):
            plain = cases.add(f"{reduction} {axes}", (kind,), result,
                              f"%y = nn.reduce {reduction} %a0 axes {list(axes)} : {kind} -> {result}")
            keeping = cases.add(f"{reduction} {axes}", (kind,), kept,
                                f"%y = nn.reduce {reduction} %a0 axes {list(axes)} keepdims : {kind} -> {kept}")
            for share in (0.1, 0.9):
                x = rng.uniform(size=(4, 5, 3)) < share
                plain([x], np.asarray(reduce(x, axis=axes)))
                keeping([x], np.asarray(reduce(x, axis=axes, keepdims=True)))
    expect = cases.add("count", (kind,), "tensor<?xi32>",
                       f"%n = arith.extui %a0 : {kind} to tensor<?x5x3xi32>\n"
                       "  %y = nn.reduce sum %n axes [1, 2] : tensor<?x5x3xi32> -> tensor<?xi32>")
    expect([x], x.sum((1, 2)).astype(np.int32))
    cases.check()


def test_single_positions() -> None:
    """X7: slices of one position with a stride, of which dimensions are left out."""
    text = """
func.func @slices(%x: tensor<?x2x3xf64>, %y: tensor<2x2x1x2xf64>, %i: tensor<i64>)
    -> (tensor<?x1xf64>, tensor<2xf64>, tensor<2x1x2xf64>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2x3xf64>
  %e = tensor.extract %i[] : tensor<i64>
  %k = arith.index_cast %e : i64 to index
  %s = tensor.extract_slice %x[0, 0, 2] [%n, 1, 1] [1, 2, 1] : tensor<?x2x3xf64> to tensor<?x1xf64>
  %a = math.sin %s : tensor<?x1xf64>
  %t = tensor.extract_slice %y[%k, 0, 0, 1] [1, 1, 1, 1] [2, 2, 1, 1] : tensor<2x2x1x2xf64> to tensor<1xf64>
  %b = tensor.concat dim(0) %t, %t : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
  %z = arith.mulf %y, %y : tensor<2x2x1x2xf64>
  %c = tensor.extract_slice %z[0, %k, 0, 0] [2, 1, 1, 2] [1, 1, 2, 1] : tensor<2x2x1x2xf64> to tensor<2x1x2xf64>
  return %a, %b, %c : tensor<?x1xf64>, tensor<2xf64>, tensor<2x1x2xf64>
}
func.func @nested(%x: tensor<8x6xf64>) -> tensor<2xf64> {
  %s = tensor.extract_slice %x[1, 0] [3, 3] [2, 2] : tensor<8x6xf64> to tensor<3x3xf64>
  %t = tensor.extract_slice %s[2, 0] [1, 2] [1, 2] : tensor<3x3xf64> to tensor<2xf64>
  %r = math.sin %t : tensor<2xf64>
  return %r : tensor<2xf64>
}
"""
    rng = np.random.default_rng(8)
    x, y, w = rng.standard_normal((4, 2, 3)), rng.standard_normal((2, 2, 1, 2)), rng.standard_normal((8, 6))
    for configuration, model in configurations(text):
        a, b, c = model.run("slices", x, y, np.array(1))
        expect_close(configuration, a, np.sin(x[:, :1, 2]))
        expect_close(configuration, b, np.repeat(y[1, 0, 0, 1], 2))
        expect_close(configuration, c, np.square(y)[:, 1])
        expect_close(configuration, model.run("nested", w), np.sin(w[5, [0, 4]]))


def test_padded_twice() -> None:
    """A padding of another shape of a padding, of a batch."""
    text = """
func.func @f(%x: tensor<?x3xf64>) -> tensor<?x2x4xf64> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f64
  %p = tensor.pad %x low[0, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f64
  } : tensor<?x3xf64> to tensor<?x4xf64>
  %n = tensor.dim %p, %c0 : tensor<?x4xf64>
  %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [%n, 1, 4] : tensor<?x4xf64> into tensor<?x1x4xf64>
  %q = tensor.pad %e low[0, 1, 0] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : f64
  } : tensor<?x1x4xf64> to tensor<?x2x4xf64>
  return %q : tensor<?x2x4xf64>
}
"""
    x = np.random.default_rng(9).standard_normal((5, 3))
    for configuration, model in configurations(text):
        expect_equal(configuration, model.run("f", x), np.pad(x[:, None], ((0, 0), (1, 0), (1, 0))))


run_tests([test_slices, test_out_of_range, test_single_positions, test_joins, test_reshapes, test_padded_twice,
           test_elements, test_casts, test_booleans])
