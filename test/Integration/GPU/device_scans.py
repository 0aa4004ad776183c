# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
# RUN: env FLYWHEEL_SIM_RACES=1 %python %s few
"""Running sums and products, Cholesky factors and triangular systems: a step is one graph and
one wait from its second time on, and sums are added up in the order that docs/Guides/GPU.md says,
to the last bit (D9)."""

import sys
from typing import Any, Callable, Tuple

import numpy as np

from device_and_host import Both, run_in_each_order

# With each access looked at there are fewer and smaller cases.
FEW = "few" in sys.argv
rng = np.random.default_rng(1)

SCAN = """
func.func @step(%x: tensor<!type!>) -> tensor<!type!> {
  %0 = nn.!op! %x axis !axis! !how! : tensor<!type!> -> tensor<!type!>
  return %0 : tensor<!type!>
}
"""
HOW = ("", "exclusive", "reverse", "exclusive reverse")


def scan_along(step: Callable[[Any, Any], Any], x: Any, start: Any) -> Tuple[Any, Any]:
    """Returns the values before each element of axis 0, and the last value."""
    before = np.empty_like(x)
    for number, element in enumerate(x):
        before[number] = start
        start = step(start, element)
    return before, start


def scan_by_runs(step: Callable[[Any, Any], Any], x: Any, start: Any, num_runs: int) -> Any:
    """The same as a block does: by runs, whose totals are scanned by doubling distances."""
    size = -(-len(x) // num_runs)
    runs = [x[run * size:(run + 1) * size] for run in range(num_runs)]
    totals = np.stack([scan_along(step, run, start)[1] for run in runs])
    distance = 1
    while distance < num_runs:
        totals = np.concatenate([totals[:distance], step(totals[:-distance], totals[distance:])])
        distance *= 2
    starts = [start, *totals[:-1]]
    return np.concatenate([scan_along(step, run, before)[0] for run, before in zip(runs, starts)])


def scan(step: Callable[[Any, Any], Any], x: Any, neutral: float, axis: int, how: str) -> Any:
    moved = np.moveaxis(x, axis, 0)
    if "reverse" in how:
        moved = moved[::-1]
    start = np.full(moved.shape[1:], neutral, x.dtype)
    if len(moved) <= 128 or moved[0].size >= 16384:
        before, _ = scan_along(step, moved, start)
    else:
        before = scan_by_runs(step, moved, start, 256 if axis == x.ndim - 1 else 8)
    found = before if "exclusive" in how else step(before, moved)
    return np.moveaxis(found[::-1] if "reverse" in how else found, 0, axis)


def scanned(op: str, shape: Any, axis: int, how: str, element: str = "f32") -> str:
    kind = "x".join([*("?" if size is None else str(size) for size in shape), element])
    text = SCAN.replace("!type!", kind).replace("!op!", op).replace("!axis!", str(axis))
    return text.replace("!how!", how)


def add(one: Any, other: Any) -> Any:
    return one + other


def multiply(one: Any, other: Any) -> Any:
    return one * other


def numbers(op: str, shape: Any, dtype: Any = np.float32) -> Any:
    if np.issubdtype(dtype, np.integer):
        return rng.integers(-9, 10, shape).astype(dtype)
    x = rng.standard_normal(shape)
    return (1 + 0.02 * x if op == "cumprod" else x).astype(dtype)


def test_bits_of_scans() -> None:
    """Scans of a size that the call chooses: the host chooses the method by it."""
    lengths = (1, 2, 129, 300) if FEW else (1, 2, 127, 128, 129, 256, 257, 1000)
    for op, step, neutral in (("cumsum", add, 0), ("cumprod", multiply, 1)):
        for axis in (0, 1, 2):
            for how in HOW[:1] if FEW else HOW:
                both = Both(scanned(op, (None, None, None), axis, how), atol=1e-4)
                for length in lengths:
                    shape = [2, 3, 5]
                    shape[axis] = length
                    x = numbers(op, shape)
                    kernels = both.repeat(x)
                    assert kernels == 1, kernels
                    expected = scan(step, x, neutral, axis, how)
                    np.testing.assert_array_equal(both.device.run("step", x), expected, err_msg=f"{op} {axis} {how}")
                empty = np.zeros([0 if dim == axis else 3 for dim in range(3)], np.float32)
                both.run(empty)
                both.run(np.swapaxes(empty, axis, axis - 1))


def test_scans_of_known_sizes() -> None:
    """The CPU's bits where a row is short or there are many; integers wrap as there."""
    shapes = ((40, 70), (70, 40)) if FEW else ((40, 70), (70, 40), (17000, 130), (130, 17000), (3, 4096))
    for shape in shapes:
        for axis in (0, 1):
            exact = shape[axis] <= 128 or shape[1 - axis] >= 16384
            x = numbers("cumsum", shape)
            both = Both(scanned("cumsum", shape, axis, ""), atol=1e-3)
            assert both.run(x, exact=exact)["kernels"] == 1
    for element, dtype in (("i32", np.int32), ("i8", np.int8), ("f64", np.float64)):
        for op in ("cumsum", "cumprod"):
            x = numbers(op, (3, 300), dtype)
            both = Both(scanned(op, (3, 300), 1, "reverse", element))
            assert both.repeat(x, exact=element != "f64") == 1


def test_narrow_floats() -> None:
    for length in (20, 500):
        x = numbers("cumsum", (2, length), np.float16)
        both = Both(scanned("cumsum", (2, length), 1, "", "f16"), atol=1e-2)
        both.run(x)
        # Summed up in f32, and rounded once.
        expected = scan(add, x.astype(np.float32), 0, 1, "").astype(np.float16)
        np.testing.assert_array_equal(both.device.run("step", x), expected)


def test_logarithms() -> None:
    for axis in (0, 1):
        for how in ("", "reverse"):
            both = Both(scanned("logcumsumexp", (None, None), axis, how), atol=1e-4)
            for shape in ((3, 5), (200, 150)) if FEW else ((3, 5), (400, 3), (3, 400), (300, 300)):
                x = 10 * numbers("cumsum", shape)
                x[0] = -np.inf
                x[-1, -1] = np.inf
                both.run(x)
                moved = np.flip(x, axis) if how else x
                expected = np.logaddexp.accumulate(moved.astype(np.float64), axis)
                expected = np.flip(expected, axis) if how else expected
                np.testing.assert_allclose(both.device.run("step", x), expected, rtol=3e-5, atol=1e-5)


TRAINED = """
train.variable @w : tensor<!type!> = #train.random_normal<mean = 1.0, stddev = 0.1>
func.func @step(%x: tensor<?x!type!>) -> tensor<f32> {
  %w = train.read @w : tensor<!type!>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x!type!>
  %p = nn.cumsum %w axis 0 : tensor<!type!> -> tensor<!type!>
  %q = nn.cumprod %w axis 1 exclusive : tensor<!type!> -> tensor<!type!>
  %l = nn.logcumsumexp %w axis 1 reverse : tensor<!type!> -> tensor<!type!>
  %a = arith.addf %p, %q : tensor<!type!>
  %b = arith.addf %a, %l : tensor<!type!>
  %m = nn.reduce mean %x axes [0] : tensor<?x!type!> -> tensor<!type!>
  %c = arith.mulf %b, %m : tensor<!type!>
  %d = math.tanh %c : tensor<!type!>
  %loss = nn.reduce mean %d axes [0, 1] : tensor<!type!> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam<lr = 0.01>
  return %loss : tensor<f32>
}
"""


def test_gradients_of_scans() -> None:
    for shape in ((5, 7),) if FEW else ((5, 7), (150, 4), (3, 140)):
        both = Both(TRAINED.replace("!type!", f"{shape[0]}x{shape[1]}xf32"))
        for _ in range(2):
            both.repeat(numbers("cumsum", (3, *shape)))
        both.compare()


FACTORS = """
func.func @step(%a: tensor<!batch!?x?x!type!>, %b: tensor<!batch!?x?x!type!>)
    -> (tensor<!batch!?x?x!type!>, tensor<!batch!?x?x!type!>, tensor<!batch!?x?x!type!>, tensor<!batch!?x?x!type!>) {
  %l = nn.cholesky %a : tensor<!batch!?x?x!type!>
  %y = nn.triangular_solve lower %l, %b
      : (tensor<!batch!?x?x!type!>, tensor<!batch!?x?x!type!>) -> tensor<!batch!?x?x!type!>
  %x = nn.triangular_solve lower %l, %y transpose
      : (tensor<!batch!?x?x!type!>, tensor<!batch!?x?x!type!>) -> tensor<!batch!?x?x!type!>
  %u = nn.triangular_solve upper %a, %b transpose unit_diagonal
      : (tensor<!batch!?x?x!type!>, tensor<!batch!?x?x!type!>) -> tensor<!batch!?x?x!type!>
  return %l, %y, %x, %u : tensor<!batch!?x?x!type!>, tensor<!batch!?x?x!type!>, tensor<!batch!?x?x!type!>,
                          tensor<!batch!?x?x!type!>
}
"""


def positive(*shape: int) -> Any:
    a = rng.standard_normal(shape)
    return a @ np.swapaxes(a, -1, -2) / shape[-1] + np.eye(shape[-1])


def test_factors_and_systems() -> None:
    sizes = (1, 5, 35) if FEW else (1, 2, 5, 31, 32, 33, 70)
    for batch in ((), (3,), (2, 5)):
        text = FACTORS.replace("!batch!", "?x" * len(batch)).replace("!type!", "f64")
        both = Both(text)
        for size in sizes:
            for columns in (1, 33):
                a, b = positive(*batch, size, size), rng.standard_normal((*batch, size, columns))
                if a.size + b.size < 500:
                    # One launch each, one for the flag, and copies of what is replaced.
                    kernels = both.repeat(a, b)
                    assert kernels <= 14, kernels
                else:
                    # Larger results are waited for.
                    both.run(a, b)
                factor, y, x, u = both.device.run("step", a, b)
                np.testing.assert_allclose(factor, np.linalg.cholesky(a), rtol=1e-9, atol=1e-12)
                np.testing.assert_allclose(y, np.linalg.solve(factor, b), rtol=1e-9, atol=1e-11)
                np.testing.assert_allclose(x, np.linalg.solve(a, b), rtol=1e-8, atol=1e-10)
                upper = np.triu(a, 1) + np.eye(size)
                np.testing.assert_allclose(np.swapaxes(upper, -1, -2) @ u, b, rtol=1e-7, atol=1e-9)
        none = [np.zeros((*batch, 0, 0)), np.zeros((*batch, 0, 2))]
        both.run(*none)
        if batch:
            both.run(np.zeros((0, *batch[1:], 3, 3)), np.zeros((0, *batch[1:], 3, 2)))


def test_not_positive_definite() -> None:
    both = Both(FACTORS.replace("!batch!", "?x").replace("!type!", "f64"))
    # More matrices than there are blocks.
    count = 5 if FEW else 1027
    a, b = positive(count, 2, 2), rng.standard_normal((count, 2, 1))
    both.repeat(a, b)
    for wrong in (0, count // 2, count - 1):
        bad = a.copy()
        bad[wrong, 1, 1] = -1
        both.fail(bad, b, message="Cholesky decomposition was not successful")
        bad[wrong, 1, 1] = np.nan
        both.fail(bad, b, message="Cholesky decomposition was not successful")
    both.repeat(a, b)


SOLVED = """
train.variable @a : tensor<3x!n!x!n!xf32> = #train.random_normal<stddev = 0.3>
func.func @step(%x: tensor<3x!n!x2xf32>) -> tensor<f32> {
  %a = train.read @a : tensor<3x!n!x!n!xf32>
  %eye = arith.constant dense<!eye!> : tensor<3x!n!x!n!xf32>
  %t = nn.matmul %a, %a {transpose_b} : (tensor<3x!n!x!n!xf32>, tensor<3x!n!x!n!xf32>) -> tensor<3x!n!x!n!xf32>
  %s = arith.addf %t, %eye : tensor<3x!n!x!n!xf32>
  %l = nn.cholesky %s : tensor<3x!n!x!n!xf32>
  %y = nn.triangular_solve lower %l, %x
      : (tensor<3x!n!x!n!xf32>, tensor<3x!n!x2xf32>) -> tensor<3x!n!x2xf32>
  %q = arith.mulf %y, %y : tensor<3x!n!x2xf32>
  %loss = nn.reduce mean %q axes [0, 1, 2] : tensor<3x!n!x2xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.gradient_descent<lr = 0.5>
  return %loss : tensor<f32>
}
"""


def test_gradients_of_factors() -> None:
    for size in (3,) if FEW else (3, 40):
        eye = np.broadcast_to(np.eye(size), (3, size, size)).tolist()
        both = Both(SOLVED.replace("!eye!", str(eye)).replace("!n!", str(size)))
        for _ in range(2):
            both.repeat(numbers("cumsum", (3, size, 2)))
        both.compare()


run_in_each_order([value for name, value in sorted(globals().items()) if name.startswith("test_")])
