# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose ops require something of sizes, with sizes that fit and others."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

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
    # The error of a program that the compiler does not take.
    refused: str = ""


def gradient_of_squared_softmax(x: Array) -> Array:
    exponentials = np.exp(x.astype(np.float64))
    p: Array = exponentials / exponentials.sum(1, keepdims=True)
    gradient: Array = p * (2 * p - (2 * p * p).sum(1, keepdims=True))
    return gradient


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
            ({"x": (1,), "z": (2,)},
             "slice out of range of dimension 0 in 'tensor.insert_slice' at <string>:4:16, "
             "found offset 0, size 2, stride 1 and dimension size 1"),
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
        [({"x": (7,)},
          "slice out of range of dimension 0 in 'tensor.extract_slice' at <string>:6:16, "
          "found offset 0, size -2, stride 1 and dimension size 7")],
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
            ({"x": (6,)},
             "expected at most 2^56 elements, found more in 'tensor.reshape' at <string>:3:16: "
             "1000000007 x 7208631400704185930"),
            ({"x": (0,)},
             "expected at most 2^56 elements, found more in 'tensor.reshape' at <string>:3:16: "
             "1000000007 x 7208631400704185930"),
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
            ({"x": (0,)},
             "expected at most 2^56 elements, found more in 'tensor.expand_shape' at <string>:7:16: "
             "4611686018427387904 x 4"),
            ({"x": (3,)},
             "expected at most 2^56 elements, found more in 'tensor.expand_shape' at <string>:7:16: "
             "4611686018427387904 x 4"),
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
        [({"x": (10,)}, "expected at most 2^56 elements, found more "
          "in 'tensor.pad' at <string>:5:16: 9223372036854775807")],
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
    # A read at positions that no loop bounds.
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
    # A tensor that an image is like has all of its shape.
    "avg_pool2d_grad": Case(
        """
        func.func @f(%x: tensor<?x?x?x?x{t}>, %z: tensor<?x?x?x?x{t}>) -> tensor<{t}> {{
          %y = nn.avg_pool2d_grad %x like %z window [2, 2] strides [2, 2]
              : (tensor<?x?x?x?x{t}>, tensor<?x?x?x?x{t}>) -> tensor<?x?x?x?x{t}>
          %s = nn.reduce sum %y axes [0, 1, 2, 3] : tensor<?x?x?x?x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x, z: x.sum(),
        [{"x": (2, 2, 3, 5), "z": (2, 4, 6, 5)}, {"x": (2, 2, 3, 5), "z": (2, 5, 7, 5)}],
        [
            ({"x": (2, 2, 3, 5), "z": (1, 4, 6, 5)}, "in 'nn.avg_pool2d_grad'"),
            ({"x": (2, 2, 3, 5), "z": (2, 4, 6, 4)}, "in 'nn.avg_pool2d_grad'"),
            ({"x": (2, 2, 3, 5), "z": (2, 6, 6, 5)}, "found 3 and 2 in 'nn.avg_pool2d_grad'"),
            ({"x": (2, 2, 3, 5), "z": (2, 4, 8, 5)}, "found 4 and 3 in 'nn.avg_pool2d_grad'"),
        ],
        dtypes=("f32", "f64"),
    ),
    "avg_pool2d_grad_static": Case(
        """
        func.func @f(%x: tensor<2x2x?x5x{t}>, %z: tensor<?x?x?x?x{t}>) -> tensor<{t}> {{
          %y = nn.avg_pool2d_grad %x like %z window [2, 2] strides [2, 2]
              : (tensor<2x2x?x5x{t}>, tensor<?x?x?x?x{t}>) -> tensor<2x4x?x5x{t}>
          %s = nn.reduce sum %y axes [0, 1, 2, 3] : tensor<2x4x?x5x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x, z: x.sum(),
        [{"x": (2, 2, 3, 5), "z": (2, 4, 6, 5)}],
        [
            ({"x": (2, 2, 3, 5), "z": (1, 4, 6, 5)}, "found 1 in 'nn.avg_pool2d_grad'"),
            ({"x": (2, 2, 3, 5), "z": (2, 5, 6, 5)}, "found 5 in 'nn.avg_pool2d_grad'"),
            ({"x": (2, 2, 3, 5), "z": (2, 4, 6, 4)}, "found 4 in 'nn.avg_pool2d_grad'"),
            ({"x": (2, 2, 3, 5), "z": (2, 4, 8, 5)}, "found 4 and 3 in 'nn.avg_pool2d_grad'"),
        ],
        dtypes=("f32",),
    ),
    "conv2d_transpose": Case(
        """
        func.func @f(%x: tensor<?x?x?x4x{t}>, %z: tensor<?x?x?x?x{t}>) -> tensor<{t}> {{
          %w = arith.constant dense<1.0> : tensor<2x2x3x4x{t}>
          %y = nn.conv2d_transpose %x, %w like %z strides [2, 2]
              : (tensor<?x?x?x4x{t}>, tensor<2x2x3x4x{t}>, tensor<?x?x?x?x{t}>) -> tensor<?x?x?x3x{t}>
          %s = nn.reduce sum %y axes [0, 1, 2, 3] : tensor<?x?x?x3x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x, z: 12 * x.sum(),
        [{"x": (2, 2, 3, 4), "z": (2, 4, 6, 3)}],
        [
            ({"x": (2, 2, 3, 4), "z": (1, 4, 6, 3)}, "in 'nn.conv2d_transpose'"),
            ({"x": (2, 2, 3, 4), "z": (2, 6, 6, 3)}, "found 3 and 2 in 'nn.conv2d_transpose'"),
            ({"x": (2, 2, 3, 4), "z": (2, 4, 8, 3)}, "found 4 and 3 in 'nn.conv2d_transpose'"),
            ({"x": (2, 2, 3, 4), "z": (2, 4, 6, 4)}, "found 4 in 'nn.conv2d_transpose'"),
        ],
        dtypes=("f32", "f64"),
    ),
    # Its gradients need the same of other tensors.
    "conv2d_filter_grad": Case(
        """
        func.func @f(%x: tensor<?x?x?x3x{t}>, %z: tensor<?x?x?x?x{t}>) -> tensor<{t}> {{
          %y = nn.conv2d_filter_grad %x, %z strides [2, 2]
              : (tensor<?x?x?x3x{t}>, tensor<?x?x?x?x{t}>) -> tensor<2x2x3x4x{t}>
          %s = nn.reduce sum %y axes [0, 1, 2, 3] : tensor<2x2x3x4x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x, z: sum(
            (x[:, i::2, j::2][:, :2, :3].sum(-1) * z.sum(-1)).sum() for i in range(2) for j in range(2)
        ),
        [{"x": (2, 4, 6, 3), "z": (2, 2, 3, 4)}],
        [
            ({"x": (2, 4, 6, 3), "z": (1, 2, 3, 4)}, "in 'nn.conv2d_filter_grad'"),
            ({"x": (2, 4, 6, 3), "z": (2, 3, 3, 4)}, "found 2 and 3 in 'nn.conv2d_filter_grad'"),
            ({"x": (2, 4, 6, 3), "z": (2, 2, 3, 5)}, "found 4 and 5 in 'nn.conv2d_filter_grad'"),
        ],
        dtypes=("f32", "f64"),
    ),
    "broadcast_like": Case(
        """
        func.func @f(%x: tensor<?x{t}>, %z: tensor<?x?x{t}>) -> tensor<{t}> {{
          %y = nn.broadcast %x dims [1] like %z : (tensor<?x{t}>, tensor<?x?x{t}>) -> tensor<3x?x{t}>
          %s = nn.reduce sum %y axes [0, 1] : tensor<3x?x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda x, z: 3 * x.sum(),
        [{"x": (4,), "z": (3, 4)}],
        [
            ({"x": (4,), "z": (2, 4)}, "found 2 in 'nn.broadcast'"),
            ({"x": (4,), "z": (3, 5)}, "in 'nn.broadcast'"),
        ],
        dtypes=("f32",),
    ),
    "iota_like": Case(
        """
        func.func @f(%z: tensor<?x?x{t}>) -> tensor<{t}> {{
          %y = nn.iota axis 1 like %z : (tensor<?x?x{t}>) -> tensor<?x4x{t}>
          %s = nn.reduce sum %y axes [0, 1] : tensor<?x4x{t}> -> tensor<{t}>
          return %s : tensor<{t}>
        }}""",
        lambda z: np.float32(6 * z.shape[0]),
        [{"z": (3, 4)}],
        [({"z": (3, 5)}, "found 5 in 'nn.iota'")],
        dtypes=("f32",),
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
        [({"x": (3,), "z": (4,)},
          "slice out of range of dimension 0 in 'tensor.extract_slice' at <string>:5:16, "
          "found offset 0, size 4, stride 1 and dimension size 3")],
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
        [({"x": (3, 2)}, "expected a dimension from 0 to 1, found one out of range "
          "in 'tensor.dim' at <string>:4:16: -1")],
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
        [{"x": (3, 2), "z": (6,)}, {"x": (0, 2), "z": (0,)}],
        [({"x": (3, 2), "z": (4,)}, "found 6 and 4 in 'scf.if' at <string>:8:18")],
        scalars={"n": np.array(2, np.int64)},
    ),
    # Two slices of one size, each after its guard.
    "for_with_slices_of_one_size": Case(
        """
        func.func @f(%x: tensor<?x{t}>, %y: tensor<?x{t}>) -> tensor<?x{t}> {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %n = tensor.dim %x, %c0 : tensor<?x{t}>
          %r = scf.for %q = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?x{t}> {{
            %s = tensor.extract_slice %x[0] [%q] [1] : tensor<?x{t}> to tensor<?x{t}>
            %t = tensor.extract_slice %y[0] [%q] [1] : tensor<?x{t}> to tensor<?x{t}>
            %u = arith.{add} %s, %t : tensor<?x{t}>
            %b = tensor.insert_slice %u into %a[0] [%q] [1] : tensor<?x{t}> into tensor<?x{t}>
            scf.yield %b : tensor<?x{t}>
          }}
          return %r : tensor<?x{t}>
        }}""",
        lambda x, y: np.concatenate([x[:-1] + y[: len(x) - 1], x[-1:]]),
        [{"x": (7,), "y": (7,)}, {"x": (5,), "y": (9,)}, {"x": (4,), "y": (3,)}, {"x": (1,), "y": (1,)}],
        [({"x": (9,), "y": (5,)}, "slice out of range of dimension 0 in 'tensor.extract_slice' at <string>:8:18, "
          "found offset 0, size 6, stride 1 and dimension size 5")],
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
        refused="11:18: error: expected a buffer whose size is bounded by the dimension sizes of the feeds, found "
        "'memref<?x{t}>'",
    ),
}
