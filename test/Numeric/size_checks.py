# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""R4, X10, X11: whatever an op requires of sizes is checked before the step
writes anything, and the error names the op, its place and both sizes. Each
program runs on sizes that fit, with the numbers of NumPy, and fails on others,
in both lowerings and for several element types."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import flywheel
from configurations import Failure, ObjectModel, expect_error

Array = np.ndarray
Shapes = dict[str, tuple[int, ...]]


@dataclass
class Case:
    """A program, `{t}` its element type, its function of NumPy, feeds of shapes that
    fit, and of others with what the error says."""

    text: str
    expected: Callable[..., Array]
    fits: list[Shapes]
    fails: list[tuple[Shapes, str]]
    dtypes: tuple[str, ...] = ("f32", "f64", "i32")
    scalars: dict[str, Array] = field(default_factory=dict)
    # What the compiler says of a program that it does not take.
    refused: str = ""


def gradient_of_squared_softmax(x: Array) -> Array:
    exponentials = np.exp(x.astype(np.float64))
    p = exponentials / exponentials.sum(1, keepdims=True)
    return p * (2 * p - (2 * p * p).sum(1, keepdims=True))


CASES: dict[str, Case] = {
    # A size of another feed stands for one of the source.
    "expand_shape": Case(
        """
        func.func @f(%x: tensor<?x{t}>, %z: tensor<?x{t}>) -> tensor<?x3x{t}> {{
          %c = arith.constant 0 : index
          %d = tensor.dim %z, %c : tensor<?x{t}>
          %y = tensor.expand_shape %x [[0, 1]] output_shape [%d, 3] : tensor<?x{t}> into tensor<?x3x{t}>
          return %y : tensor<?x3x{t}>
        }}""",
        lambda x, z: x.reshape(-1, 3),
        [{"x": (6,), "z": (2,)}, {"x": (0,), "z": (0,)}],
        [
            ({"x": (300,), "z": (1,)}, "found 3 and 300 in 'tensor.expand_shape'"),
            ({"x": (6,), "z": (5,)}, "found 15 and 6 in 'tensor.expand_shape'"),
        ],
    ),
    # Two negative sizes make a positive product.
    "expand_shape_negative": Case(
        """
        func.func @f(%x: tensor<?x{t}>, %z: tensor<?x{t}>) -> tensor<{t}> {{
          %c0 = arith.constant 0 : index
          %c3 = arith.constant 3 : index
          %d = tensor.dim %z, %c0 : tensor<?x{t}>
          %n = arith.subi %d, %c3 : index
          %y = tensor.expand_shape %x [[0, 1]] output_shape [%n, %n] : tensor<?x{t}> into tensor<?x?x{t}>
          %s = nn.reduce sum %y axes [0, 1] : tensor<?x?x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x, z: x.sum(),
        [{"x": (4,), "z": (5,)}],
        [({"x": (4,), "z": (1,)}, "found -2 in 'tensor.expand_shape'")],
    ),
    "cast": Case(
        """
        func.func @f(%x: tensor<?x3x{t}>) -> tensor<12x{t}> {{
          %y = tensor.collapse_shape %x [[0, 1]] : tensor<?x3x{t}> into tensor<?x{t}>
          %w = tensor.cast %y : tensor<?x{t}> to tensor<12x{t}>
          return %w : tensor<12x{t}>
        }}""",
        lambda x: x.reshape(-1),
        [{"x": (4, 3)}],
        [({"x": (2, 3)}, "found 6 in 'tensor.cast'"), ({"x": (0, 3)}, "found 0 in 'tensor.cast'")],
    ),
    # Canonicalization takes the type of the one from the other.
    "cast_of_op": Case(
        """
        func.func @f(%x: tensor<?x{t}>) -> tensor<4x{t}> {{
          %c0 = arith.constant 0 : index
          %d = tensor.dim %x, %c0 : tensor<?x{t}>
          %e = tensor.empty(%d) : tensor<?x{t}>
          %y = linalg.copy ins(%x : tensor<?x{t}>) outs(%e : tensor<?x{t}>) -> tensor<?x{t}>
          %w = tensor.cast %y : tensor<?x{t}> to tensor<4x{t}>
          return %w : tensor<4x{t}>
        }}""",
        lambda x: x,
        [{"x": (4,)}],
        [({"x": (3,)}, "found 3 in 'tensor.cast'")],
    ),
    "elementwise": Case(
        """
        func.func @f(%x: tensor<?x2x{t}>, %z: tensor<?x{t}>) -> tensor<?x2x{t}> {{
          %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x2x{t}> into tensor<?x{t}>
          %y = arith.{add} %c, %z : tensor<?x{t}>
          %c0 = arith.constant 0 : index
          %d = tensor.dim %x, %c0 : tensor<?x2x{t}>
          %w = tensor.expand_shape %y [[0, 1]] output_shape [%d, 2] : tensor<?x{t}> into tensor<?x2x{t}>
          return %w : tensor<?x2x{t}>
        }}""",
        lambda x, z: x + z.reshape(-1, 2),
        [{"x": (3, 2), "z": (6,)}],
        [({"x": (3, 2), "z": (5,)}, "found 6 and 5 in 'arith.{add}'")],
    ),
    "insert_slice": Case(
        """
        func.func @f(%x: tensor<?x{t}>, %z: tensor<?x{t}>, %n: tensor<index>) -> tensor<?x{t}> {{
          %k = tensor.extract %n[] : tensor<index>
          %y = tensor.insert_slice %z into %x[0] [%k] [1] : tensor<?x{t}> into tensor<?x{t}>
          return %y : tensor<?x{t}>
        }}""",
        lambda x, z, n: np.concatenate([z, x[len(z) :]]),
        [{"x": (7,), "z": (2,)}],
        [
            ({"x": (7,), "z": (3,)}, "found 2 and 3 in 'tensor.insert_slice'"),
            ({"x": (7,), "z": (1,)}, "found 2 and 1 in 'tensor.insert_slice'"),
            ({"x": (1,), "z": (2,)}, "slice out of range"),
        ],
        scalars={"n": np.array(2, np.int64)},
    ),
    "extract_slice_negative": Case(
        """
        func.func @f(%x: tensor<?x{t}>, %n: tensor<index>) -> tensor<{t}> {{
          %k = tensor.extract %n[] : tensor<index>
          %z = arith.constant 0 : index
          %m = arith.subi %z, %k : index
          %y = tensor.extract_slice %x[0] [%m] [1] : tensor<?x{t}> to tensor<?x{t}>
          %s = nn.reduce sum %y axes [0] : tensor<?x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x, n: x.sum(),
        [],
        [({"x": (7,)}, "slice out of range of dimension 0 in 'tensor.extract_slice'")],
        scalars={"n": np.array(2, np.int64)},
    ),
    "concat": Case(
        """
        func.func @f(%x: tensor<?x2x?x{t}>, %z: tensor<?x2x{t}>) -> tensor<{t}> {{
          %a = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x2x?x{t}> into tensor<?x?x{t}>
          %y = tensor.concat dim(1) %a, %z : (tensor<?x?x{t}>, tensor<?x2x{t}>) -> tensor<?x?x{t}>
          %s = nn.reduce sum %y axes [0, 1] : tensor<?x?x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x, z: x.sum() + z.sum(),
        [{"x": (3, 2, 4), "z": (6, 2)}],
        [({"x": (3, 2, 4), "z": (5, 2)}, "found 6 and 5 in 'tensor.concat'")],
    ),
    "pad_negative": Case(
        """
        func.func @f(%x: tensor<?x{t}>, %n: tensor<index>) -> tensor<{t}> {{
          %k = tensor.extract %n[] : tensor<index>
          %z = arith.constant 0 : index
          %m = arith.subi %z, %k : index
          %v = arith.constant {zero} : {t}
          %y = tensor.pad %x low[%m] high[%k] {{
          ^bb0(%i: index):
            tensor.yield %v : {t}
          }} : tensor<?x{t}> to tensor<?x{t}>
          %s = nn.reduce sum %y axes [0] : tensor<?x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x, n: x.sum(),
        [],
        [({"x": (7,)}, "found -2 in 'tensor.pad'")],
        scalars={"n": np.array(2, np.int64)},
    ),
    "empty_negative": Case(
        """
        func.func @f(%x: tensor<?x{t}>) -> tensor<{t}> {{
          %c0 = arith.constant 0 : index
          %c4 = arith.constant 4 : index
          %d = tensor.dim %x, %c0 : tensor<?x{t}>
          %m = arith.subi %d, %c4 : index
          %v = arith.constant {one} : {t}
          %e = tensor.empty(%m) : tensor<?x{t}>
          %y = linalg.fill ins(%v : {t}) outs(%e : tensor<?x{t}>) -> tensor<?x{t}>
          %s = nn.reduce sum %y axes [0] : tensor<?x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x: np.array(len(x) - 4, x.dtype),
        [{"x": (7,)}, {"x": (4,)}],
        [({"x": (1,)}, "found -3 in 'tensor.empty'")],
    ),
    "generate_negative": Case(
        """
        func.func @f(%x: tensor<?x{t}>) -> tensor<{t}> {{
          %c0 = arith.constant 0 : index
          %c4 = arith.constant 4 : index
          %d = tensor.dim %x, %c0 : tensor<?x{t}>
          %m = arith.subi %d, %c4 : index
          %v = arith.constant {one} : {t}
          %y = tensor.generate %m {{
          ^bb0(%i: index):
            tensor.yield %v : {t}
          }} : tensor<?x{t}>
          %s = nn.reduce sum %y axes [0] : tensor<?x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x: np.array(len(x) - 4, x.dtype),
        [{"x": (7,)}],
        [({"x": (1,)}, "found -3 in 'tensor.generate'")],
    ),
    "splat_negative": Case(
        """
        func.func @f(%x: tensor<?x{t}>) -> tensor<{t}> {{
          %c0 = arith.constant 0 : index
          %c4 = arith.constant 4 : index
          %d = tensor.dim %x, %c0 : tensor<?x{t}>
          %m = arith.subi %d, %c4 : index
          %v = arith.constant {one} : {t}
          %y = tensor.splat %v[%m] : tensor<?x{t}>
          %s = nn.reduce sum %y axes [0] : tensor<?x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x: np.array(len(x) - 4, x.dtype),
        [{"x": (7,)}],
        [({"x": (1,)}, "found -3 in 'tensor.splat'")],
    ),
    "reshape": Case(
        """
        func.func @f(%x: tensor<?x{t}>, %n: tensor<1xi64>) -> tensor<{t}> {{
          %y = tensor.reshape %x(%n) : (tensor<?x{t}>, tensor<1xi64>) -> tensor<?x{t}>
          %s = nn.reduce sum %y axes [0] : tensor<?x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x, n: x.sum(),
        [{"x": (6,)}],
        [({"x": (5,)}, "found 6 and 5 in 'tensor.reshape'"), ({"x": (9,)}, "found 6 and 9 in 'tensor.reshape'")],
        scalars={"n": np.array([6], np.int64)},
    ),
    "reshape_to_matrix": Case(
        """
        func.func @f(%x: tensor<?x2x{t}>, %n: tensor<2xi64>) -> tensor<{t}> {{
          %y = tensor.reshape %x(%n) : (tensor<?x2x{t}>, tensor<2xi64>) -> tensor<?x?x{t}>
          %s = nn.reduce sum %y axes [0, 1] : tensor<?x?x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x, n: x.sum(),
        [{"x": (6, 2)}],
        [({"x": (5, 2)}, "found 12 and 10 in 'tensor.reshape'")],
        scalars={"n": np.array([3, 4], np.int64)},
    ),
    # Products and sums that are right modulo 2^64.
    "reshape_overflow": Case(
        """
        func.func @f(%x: tensor<?x{t}>, %n: tensor<2xi64>) -> tensor<{t}> {{
          %y = tensor.reshape %x(%n) : (tensor<?x{t}>, tensor<2xi64>) -> tensor<?x?x{t}>
          %s = nn.reduce sum %y axes [0, 1] : tensor<?x?x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x, n: x.sum(),
        [],
        [
            ({"x": (6,)}, "expected at most 2^56 elements, found more in 'tensor.reshape'"),
            ({"x": (0,)}, "expected at most 2^56 elements, found more in 'tensor.reshape'"),
        ],
        scalars={"n": np.array([1000000007, 7208631400704185930], np.int64)},
    ),
    "expand_shape_overflow": Case(
        """
        func.func @f(%x: tensor<?x{t}>, %n: tensor<2xindex>) -> tensor<{t}> {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %a = tensor.extract %n[%c0] : tensor<2xindex>
          %b = tensor.extract %n[%c1] : tensor<2xindex>
          %y = tensor.expand_shape %x [[0, 1]] output_shape [%a, %b] : tensor<?x{t}> into tensor<?x?x{t}>
          %s = nn.reduce sum %y axes [0, 1] : tensor<?x?x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x, n: x.sum(),
        [],
        [
            ({"x": (0,)}, "expected at most 2^56 elements, found more in 'tensor.expand_shape'"),
            ({"x": (3,)}, "expected at most 2^56 elements, found more in 'tensor.expand_shape'"),
        ],
        scalars={"n": np.array([2**62, 4], np.int64)},
    ),
    "pad_overflow": Case(
        """
        func.func @f(%x: tensor<?x{t}>, %n: tensor<index>) -> tensor<{t}> {{
          %a = tensor.extract %n[] : tensor<index>
          %v = arith.constant {zero} : {t}
          %y = tensor.pad %x low[%a] high[%a] {{
          ^bb0(%i: index):
            tensor.yield %v : {t}
          }} : tensor<?x{t}> to tensor<?x{t}>
          %w = tensor.cast %y : tensor<?x{t}> to tensor<8x{t}>
          %s = nn.reduce sum %w axes [0] : tensor<8x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x, n: x.sum(),
        [],
        [({"x": (10,)}, "expected at most 2^56 elements, found more in 'tensor.pad'")],
        scalars={"n": np.array(2**63 - 1, np.int64)},
    ),
    "generic": Case(
        """
        func.func @f(%x: tensor<?x2x{t}>, %z: tensor<?x{t}>) -> tensor<{t}> {{
          %c0 = arith.constant 0 : index
          %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x2x{t}> into tensor<?x{t}>
          %v = arith.constant {zero} : {t}
          %e = tensor.empty() : tensor<{t}>
          %f = linalg.fill ins(%v : {t}) outs(%e : tensor<{t}>) -> tensor<{t}>
          %y = linalg.dot ins(%c, %z : tensor<?x{t}>, tensor<?x{t}>) outs(%f : tensor<{t}>) -> tensor<{t}>
          return %y : tensor<{t}>
        }}""",
        lambda x, z: x.reshape(-1) @ z,
        [{"x": (3, 2), "z": (6,)}, {"x": (0, 2), "z": (0,)}],
        [({"x": (3, 2), "z": (7,)}, "found 6 and 7 in 'linalg.dot'")],
    ),
    # What is read at positions that no loop bounds.
    "window": Case(
        """
        func.func @f(%x: tensor<?x{t}>, %w: tensor<3x{t}>, %z: tensor<?x{t}>) -> tensor<?x{t}> {{
          %c0 = arith.constant 0 : index
          %d = tensor.dim %z, %c0 : tensor<?x{t}>
          %v = arith.constant {zero} : {t}
          %e = tensor.empty(%d) : tensor<?x{t}>
          %f = linalg.fill ins(%v : {t}) outs(%e : tensor<?x{t}>) -> tensor<?x{t}>
          %y = linalg.conv_1d ins(%x, %w : tensor<?x{t}>, tensor<3x{t}>) outs(%f : tensor<?x{t}>) -> tensor<?x{t}>
          return %y : tensor<?x{t}>
        }}""",
        lambda x, w, z: np.array([x[i : i + 3] @ w for i in range(len(z))], x.dtype),
        [{"x": (7,), "z": (5,), "w": (3,)}, {"x": (9,), "z": (5,), "w": (3,)}, {"x": (1,), "z": (0,), "w": (3,)}],
        [({"x": (7,), "z": (6,), "w": (3,)}, "found 7 and 8 in 'linalg.conv_1d'")],
        dtypes=("i32",),
    ),
    # Raised to nn.conv2d, which has a window at least.
    "window_of_floats": Case(
        """
        func.func @f(%x: tensor<?x{t}>, %w: tensor<3x{t}>, %z: tensor<?x{t}>) -> tensor<{t}> {{
          %c0 = arith.constant 0 : index
          %d = tensor.dim %z, %c0 : tensor<?x{t}>
          %v = arith.constant {zero} : {t}
          %e = tensor.empty(%d) : tensor<?x{t}>
          %f = linalg.fill ins(%v : {t}) outs(%e : tensor<?x{t}>) -> tensor<?x{t}>
          %y = linalg.conv_1d ins(%x, %w : tensor<?x{t}>, tensor<3x{t}>) outs(%f : tensor<?x{t}>) -> tensor<?x{t}>
          %s = nn.reduce sum %y axes [0] : tensor<?x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x, w, z: np.array(sum(x[i : i + 3] @ w for i in range(len(z))), x.dtype),
        [{"x": (7,), "z": (5,), "w": (3,)}, {"x": (9,), "z": (5,), "w": (3,)}],
        [
            ({"x": (7,), "z": (6,), "w": (3,)}, "found 7 and 8 in 'linalg.conv_1d'"),
        ],
        dtypes=("f32", "f64"),
    ),
    "matmul": Case(
        """
        func.func @f(%x: tensor<?x2x{t}>, %z: tensor<?x{t}>) -> tensor<1x1x{t}> {{
          %c0 = arith.constant 0 : index
          %d = tensor.dim %z, %c0 : tensor<?x{t}>
          %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x2x{t}> into tensor<?x{t}>
          %a = tensor.expand_shape %z [[0, 1]] output_shape [1, %d] : tensor<?x{t}> into tensor<1x?x{t}>
          %e = tensor.dim %c, %c0 : tensor<?x{t}>
          %b = tensor.expand_shape %c [[0, 1]] output_shape [%e, 1] : tensor<?x{t}> into tensor<?x1x{t}>
          %y = nn.matmul %a, %b : (tensor<1x?x{t}>, tensor<?x1x{t}>) -> tensor<1x1x{t}>
          return %y : tensor<1x1x{t}>
        }}""",
        lambda x, z: (x.reshape(-1) @ z).reshape(1, 1),
        [{"x": (3, 2), "z": (6,)}],
        [({"x": (3, 2), "z": (4,)}, "found 4 and 6 in 'nn.matmul'")],
        dtypes=("f32", "f64"),
    ),
    # The sum is used by nothing but its gradient, which does not need it.
    "dead_in_gradient": Case(
        """
        func.func @f(%x: tensor<?x2x{t}>, %z: tensor<?x{t}>) -> tensor<{t}> {{
          %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x2x{t}> into tensor<?x{t}>
          %y = arith.addf %c, %z : tensor<?x{t}>
          %s = nn.reduce sum %y axes [0] : tensor<?x{t}> -> tensor<{t}>
          %g = train.gradient %s wrt %z : (tensor<{t}>, tensor<?x{t}>) -> tensor<?x{t}>
          %r = nn.reduce sum %g axes [0] : tensor<?x{t}> -> tensor<{t}>
          return %r : tensor<{t}>
        }}""",
        lambda x, z: np.array(len(z), z.dtype),
        [{"x": (3, 2), "z": (6,)}],
        [({"x": (3, 2), "z": (4,)}, "found 6 and 4 in 'arith.addf'")],
        dtypes=("f32", "f64"),
    ),
    # The gradient has the size of the feed, not five times a quotient.
    "gradient_of_expand": Case(
        """
        func.func @f(%x: tensor<?x{t}>) -> tensor<?x{t}> {{
          %c0 = arith.constant 0 : index
          %c5 = arith.constant 5 : index
          %d = tensor.dim %x, %c0 : tensor<?x{t}>
          %q = arith.floordivsi %d, %c5 : index
          %v = tensor.expand_shape %x [[0, 1]] output_shape [%q, 5] : tensor<?x{t}> into tensor<?x5x{t}>
          %s = nn.softmax %v : tensor<?x5x{t}>
          %w = arith.mulf %s, %s : tensor<?x5x{t}>
          %g = train.gradient %w wrt %x : (tensor<?x5x{t}>, tensor<?x{t}>) -> tensor<?x{t}>
          return %g : tensor<?x{t}>
        }}""",
        lambda x: gradient_of_squared_softmax(x.reshape(-1, 5)).reshape(-1),
        [{"x": (10,)}, {"x": (5,)}, {"x": (0,)}],
        [({"x": (7,)}, "found 5 and 7 in 'tensor.expand_shape'"), ({"x": (3,)}, "found 0 and 3")],
        dtypes=("f32", "f64"),
    ),
    "gradient_of_collapse": Case(
        """
        func.func @f(%x: tensor<?x2x{t}>, %z: tensor<?x{t}>) -> tensor<?x2x{t}> {{
          %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x2x{t}> into tensor<?x{t}>
          %g = train.gradient %c wrt %x grad_ys %z : (tensor<?x{t}>, tensor<?x2x{t}>, tensor<?x{t}>) -> tensor<?x2x{t}>
          return %g : tensor<?x2x{t}>
        }}""",
        lambda x, z: z.reshape(-1, 2),
        [{"x": (3, 2), "z": (6,)}],
        [({"x": (3, 2), "z": (40,)}, "found 6 and 40 in 'train.gradient'")],
        dtypes=("f32", "f64"),
    ),
    "gradient_of_slice": Case(
        """
        func.func @f(%x: tensor<?x{t}>, %z: tensor<?x{t}>) -> tensor<?x{t}> {{
          %c0 = arith.constant 0 : index
          %d = tensor.dim %z, %c0 : tensor<?x{t}>
          %y = tensor.extract_slice %x[0] [%d] [1] : tensor<?x{t}> to tensor<?x{t}>
          %p = arith.mulf %y, %z : tensor<?x{t}>
          %g = train.gradient %p wrt %x : (tensor<?x{t}>, tensor<?x{t}>) -> tensor<?x{t}>
          return %g : tensor<?x{t}>
        }}""",
        lambda x, z: np.concatenate([z, np.zeros(len(x) - len(z), x.dtype)]),
        [{"x": (7,), "z": (3,)}, {"x": (3,), "z": (3,)}],
        [({"x": (3,), "z": (4,)}, "slice out of range")],
        dtypes=("f32", "f64"),
    ),
    "if": Case(
        """
        func.func @f(%x: tensor<?x2x{t}>, %z: tensor<?x{t}>, %n: tensor<index>) -> tensor<{t}> {{
          %c0 = arith.constant 0 : index
          %k = tensor.extract %n[] : tensor<index>
          %p = arith.cmpi ne, %k, %c0 : index
          %r = scf.if %p -> tensor<{t}> {{
            %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x2x{t}> into tensor<?x{t}>
            %y = arith.{add} %c, %z : tensor<?x{t}>
            %s = nn.reduce sum %y axes [0] : tensor<?x{t}> -> tensor<{t}>
            scf.yield %s : tensor<{t}>
          }} else {{
            %s = nn.reduce sum %z axes [0] : tensor<?x{t}> -> tensor<{t}>
            scf.yield %s : tensor<{t}>
          }}
          return %r : tensor<{t}>
        }}""",
        lambda x, z, n: x.sum() + z.sum(),
        [{"x": (3, 2), "z": (6,)}],
        [({"x": (3, 2), "z": (5,)}, "found 6 and 5 in 'arith.{add}'")],
        scalars={"n": np.array(1, np.int64)},
    ),
    "if_not_taken": Case(
        """
        func.func @f(%x: tensor<?x2x{t}>, %z: tensor<?x{t}>, %n: tensor<index>) -> tensor<{t}> {{
          %c0 = arith.constant 0 : index
          %k = tensor.extract %n[] : tensor<index>
          %p = arith.cmpi ne, %k, %c0 : index
          %r = scf.if %p -> tensor<{t}> {{
            %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x2x{t}> into tensor<?x{t}>
            %y = arith.{add} %c, %z : tensor<?x{t}>
            %s = nn.reduce sum %y axes [0] : tensor<?x{t}> -> tensor<{t}>
            scf.yield %s : tensor<{t}>
          }} else {{
            %s = nn.reduce sum %z axes [0] : tensor<?x{t}> -> tensor<{t}>
            scf.yield %s : tensor<{t}>
          }}
          return %r : tensor<{t}>
        }}""",
        lambda x, z, n: z.sum(),
        [{"x": (3, 2), "z": (6,)}, {"x": (3, 2), "z": (5,)}],
        [],
        scalars={"n": np.array(0, np.int64)},
    ),
    "while": Case(
        """
        func.func @f(%x: tensor<?x2x{t}>, %z: tensor<?x{t}>, %n: tensor<index>) -> tensor<?x{t}> {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %k = tensor.extract %n[] : tensor<index>
          %r:2 = scf.while (%i = %c0, %h = %z) : (index, tensor<?x{t}>) -> (index, tensor<?x{t}>) {{
            %p = arith.cmpi slt, %i, %k : index
            scf.condition(%p) %i, %h : index, tensor<?x{t}>
          }} do {{
          ^bb0(%i: index, %h: tensor<?x{t}>):
            %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x2x{t}> into tensor<?x{t}>
            %y = arith.{add} %c, %h : tensor<?x{t}>
            %j = arith.addi %i, %c1 : index
            scf.yield %j, %y : index, tensor<?x{t}>
          }}
          return %r#1 : tensor<?x{t}>
        }}""",
        lambda x, z, n: 2 * x.reshape(-1) + z,
        [{"x": (3, 2), "z": (6,)}],
        [({"x": (3, 2), "z": (5,)}, "found 6 and 5 in 'arith.{add}'")],
        scalars={"n": np.array(2, np.int64)},
    ),
    "computed_dimension": Case(
        """
        func.func @f(%x: tensor<?x2x{t}>, %n: tensor<index>) -> tensor<index> {{
          %k = tensor.extract %n[] : tensor<index>
          %d = tensor.dim %x, %k : tensor<?x2x{t}>
          %r = tensor.from_elements %d : tensor<index>
          return %r : tensor<index>
        }}""",
        lambda x, n: np.array(x.shape[n], np.int64),
        [{"x": (3, 2)}],
        [],
        scalars={"n": np.array(1, np.int64)},
    ),
    "computed_dimension_out_of_range": Case(
        """
        func.func @f(%x: tensor<?x2x{t}>, %n: tensor<index>) -> tensor<index> {{
          %k = tensor.extract %n[] : tensor<index>
          %d = tensor.dim %x, %k : tensor<?x2x{t}>
          %r = tensor.from_elements %d : tensor<index>
          return %r : tensor<index>
        }}""",
        lambda x, n: np.array(0, np.int64),
        [],
        [({"x": (3, 2)}, "expected a dimension from 0 to 1")],
        scalars={"n": np.array(-1, np.int64)},
    ),
    "for_in_if": Case(
        """
        func.func @f(%x: tensor<?x2x{t}>, %z: tensor<?x{t}>, %n: tensor<index>) -> tensor<?x{t}> {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %k = tensor.extract %n[] : tensor<index>
          %r = scf.for %i = %c0 to %k step %c1 iter_args(%h = %z) -> tensor<?x{t}> {{
            %p = arith.cmpi ne, %i, %c0 : index
            %s = scf.if %p -> tensor<?x{t}> {{
              %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x2x{t}> into tensor<?x{t}>
              %y = arith.{add} %c, %h : tensor<?x{t}>
              scf.yield %y : tensor<?x{t}>
            }} else {{
              scf.yield %h : tensor<?x{t}>
            }}
            scf.yield %s : tensor<?x{t}>
          }}
          return %r : tensor<?x{t}>
        }}""",
        lambda x, z, n: x.reshape(-1) + z,
        [],
        [],
        refused="""10:20: error: expected a check ("expected equal extents of dimension 0 of operands, found N and M """
        """in 'arith.{add}' at <string>:10:20") at the top level of a function, where it comes before every write, """
        """found one inside 'scf.for'""",
    ),
    # Sizes that an iteration computes.
    "for_with_sizes_inside": Case(
        """
        func.func @f(%x: tensor<?x{t}>, %n: tensor<4xindex>) -> tensor<{t}> {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %v = arith.constant dense<{zero}> : tensor<{t}>
          %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%h = %v) -> tensor<{t}> {{
            %j = arith.addi %i, %c2 : index
            %a = tensor.extract %n[%i] : tensor<4xindex>
            %b = tensor.extract %n[%j] : tensor<4xindex>
            %s = tensor.extract_slice %x[0] [%a] [1] : tensor<?x{t}> to tensor<?x{t}>
            %u = tensor.extract_slice %x[0] [%b] [1] : tensor<?x{t}> to tensor<?x{t}>
            %y = arith.{add} %s, %u : tensor<?x{t}>
            %t = nn.reduce sum %y axes [0] : tensor<?x{t}> -> tensor<{t}>
            %w = arith.{add} %h, %t : tensor<{t}>
            scf.yield %w : tensor<{t}>
          }}
          return %r : tensor<{t}>
        }}""",
        lambda x, n: 2 * x[: n[0]].sum() + 2 * x[: n[1]].sum(),
        [],
        [],
        refused="11:18: error: expected a buffer whose size is bounded by the extents of the feeds, found "
        "'memref<?x{t}>'",
    ),
}

DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32}


def make_feeds(shapes: Shapes, dtype: str, scalars: dict[str, Array]) -> dict[str, Array]:
    feeds: dict[str, Array] = dict(scalars)
    for name, shape in shapes.items():
        count = int(np.prod(shape))
        feeds[name] = (np.arange(count) % 5 + 1).reshape(shape).astype(DTYPES[dtype])
    return feeds


def check_case(name: str, case: Case, dtype: str, lowering: str) -> None:
    is_float = dtype[0] == "f"
    words = {
        "t": dtype,
        "add": "addf" if is_float else "addi",
        "zero": "0.0" if is_float else "0",
        "one": "1.0" if is_float else "1",
    }
    if case.refused:
        expect_error(
            f"{name} {dtype} {lowering}",
            re.escape(case.refused.format(**words)),
            lambda: flywheel.compile(case.text.format(**words), lowering=lowering),
            flywheel.CompileError,
        )
        return
    compiled = flywheel.compile(case.text.format(**words), lowering=lowering)
    session = flywheel.Session(compiled)
    for shapes in case.fits:
        feeds = make_feeds(shapes, dtype, case.scalars)
        found = session.run("f", **feeds)
        np.testing.assert_allclose(found, case.expected(**feeds), rtol=1e-5, err_msg=f"{name} {dtype} {lowering}")
    for shapes, text in case.fails:
        feeds = make_feeds(shapes, dtype, case.scalars)
        try:
            session.run("f", **feeds)
        except flywheel.InvalidArgumentError as error:
            message = str(error)
            assert text.format(**words) in message, f"{name} {dtype} {lowering}: expected {text!r} in {message!r}"
            assert re.search(r" at .*:\d+:\d+", message), f"{name}: expected a place in {message!r}"
        else:
            raise AssertionError(f"{name} {dtype} {lowering}: expected an error with {text!r}")


def check_variables(lowering: str) -> None:
    """Nothing is written where a check fails, not even what comes before it."""
    session = flywheel.Session(
        flywheel.compile(
            """
            train.variable @v : tensor<12xf32> = #train.ones
            train.variable @n : tensor<f32> = #train.zeros
            func.func @step(%x: tensor<?x3xf32>) -> tensor<f32> {
              %one = arith.constant dense<1.0> : tensor<f32>
              train.assign_add @n, %one : tensor<f32>
              %y = tensor.collapse_shape %x [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
              %w = tensor.cast %y : tensor<?xf32> to tensor<12xf32>
              train.assign @v, %w : tensor<12xf32>
              return %one : tensor<f32>
            }""",
            lowering=lowering,
        )
    )
    session.initialize(1)
    for rows in (0, 2, 3, 5, 400):
        try:
            session.run("step", x=np.full((rows, 3), 7, np.float32))
        except flywheel.InvalidArgumentError as error:
            assert f"found {3 * rows} in 'tensor.cast'" in str(error), error
        else:
            raise AssertionError("expected an error")
        np.testing.assert_array_equal(session["v"], np.ones(12))
        assert session["n"] == 0
    session.run("step", x=np.full((4, 3), 7, np.float32))
    np.testing.assert_array_equal(session["v"], np.full(12, 7))
    assert session["n"] == 1


def check_objects() -> None:
    """An object says the same, and leaves what is around results alone."""
    for name in ("expand_shape", "cast", "elementwise", "expand_shape_negative"):
        case = CASES[name]
        words = {"t": "f32", "add": "addf", "zero": "0.0", "one": "1.0"}
        model = ObjectModel(case.text.format(**words))
        model.initialize()
        for shapes in case.fits:
            feeds = make_feeds(shapes, "f32", case.scalars)
            np.testing.assert_allclose(model.run("f", *feeds.values()), case.expected(**feeds))
        for shapes, text in case.fails:
            feeds = make_feeds(shapes, "f32", case.scalars)
            try:
                model.run("f", *feeds.values())
            except Failure as error:
                assert text.format(**words) in str(error), f"{name}: expected {text!r} in {error}"
            else:
                raise AssertionError(f"{name}: expected an error with {text!r}")


check_objects()
for lowering in ("reference", "optimized"):
    check_variables(lowering)
    for name, case in CASES.items():
        for dtype in case.dtypes:
            check_case(name, case, dtype, lowering)
