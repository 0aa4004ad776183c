# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""R4, X7, X11: dimension sizes that ops require to be equal, results, entries, and
functions near their delicate points, in both lowerings."""

from typing import Any, Callable

import numpy as np

import flywheel


def session(text: str, lowering: str) -> flywheel.Session:
    """A session of the module, its variables initialised."""
    result = flywheel.Session(flywheel.compile(text, lowering=lowering))
    result.initialize(1)
    return result


def fails(error: type[Exception], words: str, call: Callable[..., Any], *arguments: Any, **feeds: Any) -> None:
    try:
        call(*arguments, **feeds)
    except error as found:
        assert words in str(found), f"expected {words!r} in {found}"
        return
    raise AssertionError(f"expected an error with {words!r}")


def check_computed_dim_size(lowering: str) -> None:
    """The dimension size of a flattened feed is checked against another feed's (R4)."""
    s = session(
        """
        func.func @f(%x: tensor<?x4xf32>, %z: tensor<?xf32>) -> tensor<f32> {
          %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
          %sum = arith.addf %flat, %z : tensor<?xf32>
          %s = nn.reduce sum %sum axes [0] : tensor<?xf32> -> tensor<f32>
          return %s : tensor<f32>
        }""",
        lowering,
    )
    x = np.ones((3, 4), np.float32)
    assert s.run("f", x=x, z=np.ones(12, np.float32)) == 24
    for dim_size in (0, 3, 11, 13, 20):
        z = np.ones(dim_size, np.float32)
        fails(flywheel.InvalidArgumentError, f"found 12 and {dim_size} in 'arith.addf'", s.run, "f", x=x, z=z)


def check_two_results(lowering: str) -> None:
    """Two results may start from equal values (X7)."""
    s = session(
        """
        func.func @f(%x: tensor<?x5xf32>) -> (tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>) {
          %a = nn.reduce sum %x axes [0, 1] : tensor<?x5xf32> -> tensor<f32>
          %b = nn.reduce max %x axes [0, 1] : tensor<?x5xf32> -> tensor<f32>
          %sq = arith.mulf %x, %x : tensor<?x5xf32>
          %c = nn.reduce sum %x axes [0] : tensor<?x5xf32> -> tensor<5xf32>
          %d = nn.reduce sum %sq axes [0] : tensor<?x5xf32> -> tensor<5xf32>
          return %a, %b, %c, %d : tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>
        }""",
        lowering,
    )
    for rows in (1, 7, 16):
        x = np.random.default_rng(rows).standard_normal((rows, 5)).astype(np.float32)
        results = s.run("f", x=x)
        values = list(results.values()) if isinstance(results, dict) else list(results)
        expected = [x.sum(), x.max(), x.sum(0), (x * x).sum(0)]
        for found, wanted in zip(values, expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def check_equal_entries(lowering: str) -> None:
    """Entries with one body stay two entries (T11)."""
    body = "(%x: tensor<3xf32>) -> tensor<3xf32> { %y = math.tanh %x : tensor<3xf32> return %y : tensor<3xf32> }"
    s = session(f"func.func @f{body}\nfunc.func @g{body}", lowering)
    x = np.array([-1, 0, 2], np.float32)
    for entry in ("f", "g"):
        np.testing.assert_allclose(s.run(entry, x=x), np.tanh(x), rtol=1e-5)


def check_near_zero(lowering: str) -> None:
    """log1p and expm1 keep their digits near 0 (X4)."""
    s = session(
        """
        func.func @f(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
          %a = math.log1p %x : tensor<?xf64>
          %b = math.expm1 %x : tensor<?xf64>
          return %a, %b : tensor<?xf64>, tensor<?xf64>
        }""",
        lowering,
    )
    x = np.array([1e-18, 1e-10, -1e-12, 0.5, 3.0])
    results = s.run("f", x=x)
    values = list(results.values()) if isinstance(results, dict) else list(results)
    np.testing.assert_allclose(values[0], np.log1p(x), rtol=1e-14)
    np.testing.assert_allclose(values[1], np.expm1(x), rtol=1e-14)


def check_product_with_zeros(lowering: str) -> None:
    """The gradient of a product is that of the other elements (G12)."""
    s = session(
        """
        func.func @f(%x: tensor<4x3xf64>) -> tensor<4x3xf64> {
          %p = nn.reduce prod %x axes [1] : tensor<4x3xf64> -> tensor<4xf64>
          %g = train.gradient %p wrt %x : (tensor<4xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
          return %g : tensor<4x3xf64>
        }""",
        lowering,
    )
    x = np.array([[2, 3, 4], [0, 3, 4], [0, 0, 4], [5, 0, -2]], np.float64)
    expected = np.array([[12, 8, 6], [12, 0, 0], [0, 0, 0], [0, -10, 0]], np.float64)
    np.testing.assert_allclose(s.run("f", x=x), expected)


def check_odd_static_batches(lowering: str) -> None:
    """Static batches and widths with tails on both sides."""
    for rows in (7, 8, 9):
        for columns in (17, 31, 33, 100):
            s = session(
                f"""
                train.variable @v : tensor<8x{columns}xf32>
                func.func @step(%x: tensor<{rows}x8xf32>) -> tensor<f32> {{
                  %v = train.read @v : tensor<8x{columns}xf32>
                  %o = nn.matmul %x, %v
                      : (tensor<{rows}x8xf32>, tensor<8x{columns}xf32>) -> tensor<{rows}x{columns}xf32>
                  %a = nn.relu %o : tensor<{rows}x{columns}xf32>
                  %l = nn.reduce sum %a axes [0, 1] : tensor<{rows}x{columns}xf32> -> tensor<f32>
                  train.minimize %l : tensor<f32> with #train.sgd<lr = 0.1>
                  return %l : tensor<f32>
                }}""",
                lowering,
            )
            x = np.random.default_rng(1).standard_normal((rows, 8)).astype(np.float32)
            v = s["v"].astype(np.float64)
            o = x @ v
            np.testing.assert_allclose(s.run("step", x=x), np.maximum(o, 0).sum(), rtol=1e-4)
            np.testing.assert_allclose(s["v"], v - 0.1 * x.T @ (o > 0), rtol=1e-4, atol=1e-5)


def check_stretching(lowering: str) -> None:
    """A dimension size stretches where its type is 1, whatever else is known of it (X11, G1)."""
    text = """
        func.func @{0}(%x: tensor<1x4xf32>, %l: tensor<?x4xf32>) -> tensor<1x4xf32> {{
          %c = tensor.cast %x : tensor<1x4xf32> to {1}
          %y = nn.broadcast %c dims [0, 1] like %l : ({1}, tensor<?x4xf32>) -> tensor<?x4xf32>
          %s = nn.reduce sum %y axes [0, 1] : tensor<?x4xf32> -> tensor<f32>
          %g = train.gradient %s wrt %x : (tensor<f32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          return %g : tensor<1x4xf32>
        }}
        func.func @{0}_static(%x: tensor<1x4xf32>) -> tensor<3x4xf32> {{
          %c = tensor.cast %x : tensor<1x4xf32> to {1}
          %y = nn.broadcast %c dims [0, 1] : ({1}) -> tensor<3x4xf32>
          return %y : tensor<3x4xf32>
        }}"""
    s = session(text.format("known", "tensor<1x?xf32>") + text.format("unknown", "tensor<?x4xf32>"), lowering)
    x = np.ones((1, 4), np.float32)
    for rows in (0, 1, 3):
        like = np.zeros((rows, 4), np.float32)
        np.testing.assert_array_equal(s.run("known", x, like), np.full((1, 4), rows, np.float32))
        if rows == 1:
            np.testing.assert_array_equal(s.run("unknown", x, like), x)
        else:
            fails(flywheel.InvalidArgumentError, "found 1 and", s.run, "unknown", x, like)
    np.testing.assert_array_equal(s.run("known_static", x), np.ones((3, 4), np.float32))
    fails(flywheel.InvalidArgumentError, "found 1 and 3 in 'nn.broadcast'", s.run, "unknown_static", x)


for lowering in ("reference", "optimized"):
    check_stretching(lowering)
    check_computed_dim_size(lowering)
    check_two_results(lowering)
    check_equal_entries(lowering)
    check_near_zero(lowering)
    check_product_with_zeros(lowering)
    check_odd_static_batches(lowering)
