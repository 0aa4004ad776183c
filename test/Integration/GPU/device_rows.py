# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
# RUN: env FLYWHEEL_SIM_RACES=1 %python %s few
"""Rows of tables, scatters, sorts, and checks that loops carry: the host reads nothing of
them. A step is one graph and one wait from its second time on, its numbers are the CPU's,
those of scatters and sums of rows to the last bit, and an index out of range in the middle
changes nothing (D9)."""

import sys
from typing import Any, Tuple

import numpy as np

import flywheel
from device_and_host import TARGET, Both, run_in_each_order
from simulator_counters import counted

# With each access looked at there are fewer rows.
FEW = "few" in sys.argv


TABLES = """
train.variable @words : tensor<9001x8x!type!> = #train.random_normal
train.variable @tags : tensor<41x2x4x!type!> = #train.random_normal
func.func @step(%ids: tensor<?xi32>, %tag: tensor<?xi64>) -> tensor<!type!> {
  %words = train.read @words : tensor<9001x8x!type!>
  %tags = train.read @tags : tensor<41x2x4x!type!>
  %x = nn.gather %words, %ids axis 0 : (tensor<9001x8x!type!>, tensor<?xi32>) -> tensor<?x8x!type!>
  %t = nn.gather %tags, %tag axis 0 : (tensor<41x2x4x!type!>, tensor<?xi64>) -> tensor<?x2x4x!type!>
  %y = tensor.collapse_shape %t [[0], [1, 2]] : tensor<?x2x4x!type!> into tensor<?x8x!type!>
  %z = arith.mulf %x, %y : tensor<?x8x!type!>
  %a = math.tanh %z : tensor<?x8x!type!>
  %loss = nn.reduce mean %a axes [0, 1] : tensor<?x8x!type!> -> tensor<!type!>
  train.minimize %loss : tensor<!type!> with !with!
  return %loss : tensor<!type!>
}
"""
OPTIMIZERS = ("#train.adam<lr = 0.05>", "#train.gradient_descent<lr = 0.5>", "#train.adam<lr = 0.05> sparse lazy")
rng = np.random.default_rng(1)


def ids(count: int, most: int = 9001, dtype: Any = np.int32) -> Any:
    return rng.integers(0, most, count).astype(dtype)


def tables(element: str, optimizer: str) -> Both:
    return Both(TABLES.replace("!type!", element).replace("!with!", optimizer))


def test_updates_of_rows() -> None:
    sizes = (1, 33) if FEW else (1, 5, 700, 2049, 9001)
    for optimizer in OPTIMIZERS:
        both = tables("f32", optimizer)
        for size in sizes:
            kernels = both.repeat(ids(size), ids(size, 41, np.int64))
            # As many as there are: sorts, sums of rows and updates are a few, whatever the size.
            assert kernels <= 16 + (4 if size > 2048 else 0) + (4 if size > 8192 else 0), (size, kernels)
        # Each index many times, the last row, and the first one.
        for most, low in ((1, 0), (3, 8998)):
            both.repeat(ids(sizes[-1], most) + np.int32(low), ids(sizes[-1], 2, np.int64))
        both.compare()


def test_narrow_floats() -> None:
    for element in ("bf16", "f16"):
        both = tables(element, OPTIMIZERS[1])
        size = 33 if FEW else 300
        both.device.run("step", ids(size, 7), ids(size, 41, np.int64))
        np.testing.assert_equal(np.isfinite(np.float32(both.device["words"])).all(), True)
        both = tables(element, OPTIMIZERS[1])
        for _ in range(2):
            feeds = ids(size, 50), ids(size, 41, np.int64)
            for session in (both.device, both.host):
                session.run("step", *feeds)
        for name in ("words", "tags"):
            np.testing.assert_allclose(
                np.float32(both.device[name]), np.float32(both.host[name]), rtol=2e-2, atol=2e-2, err_msg=name
            )


def test_no_rows() -> None:
    for optimizer in OPTIMIZERS[1:]:
        both = tables("f32", optimizer)
        before = both.device["words"].copy()
        none = ids(0), ids(0, 41, np.int64)
        for session in (both.device, both.host):
            session.run("step", *none)
        np.testing.assert_array_equal(both.device["words"], before)


def test_index_out_of_range() -> None:
    size = 21 if FEW else 501
    for optimizer in OPTIMIZERS:
        both = tables("f32", optimizer)
        feeds = ids(size), ids(size, 41, np.int64)
        both.repeat(*feeds)
        for wrong in (9001, -1, np.iinfo(np.int32).min):
            bad = feeds[0].copy()
            bad[size // 2] = wrong
            both.fail(bad, feeds[1], message=f"found {wrong}")
        bad = feeds[1].copy()
        bad[7] = 41
        both.fail(feeds[0], bad, message="found 41")
        both.repeat(*feeds)
        both.compare()


SCATTERS = """
func.func @step(%x: tensor<3x7x5xf32>, %i: tensor<?x3xi16>, %u: tensor<3x?x3x5xf32>, %table: tensor<50x6x!type!>,
                %k: tensor<?xi32>, %rows: tensor<?x6x!type!>)
    -> (tensor<3x7x5xf32>, tensor<3x7x5xf32>, tensor<50x6x!type!>, tensor<50x6x!type!>) {
  %0 = nn.scatter_add %x, %i, %u axis 1 : (tensor<3x7x5xf32>, tensor<?x3xi16>, tensor<3x?x3x5xf32>) -> tensor<3x7x5xf32>
  %1 = nn.scatter %x, %i, %u axis 1 : (tensor<3x7x5xf32>, tensor<?x3xi16>, tensor<3x?x3x5xf32>) -> tensor<3x7x5xf32>
  %2 = nn.scatter_add %table, %k, %rows axis 0
      : (tensor<50x6x!type!>, tensor<?xi32>, tensor<?x6x!type!>) -> tensor<50x6x!type!>
  %3 = nn.scatter %table, %k, %rows axis 0
      : (tensor<50x6x!type!>, tensor<?xi32>, tensor<?x6x!type!>) -> tensor<50x6x!type!>
  return %0, %1, %2, %3 : tensor<3x7x5xf32>, tensor<3x7x5xf32>, tensor<50x6x!type!>, tensor<50x6x!type!>
}
"""


def test_scatters() -> None:
    for element in ("f32", "i32", "f64"):
        both = Both(SCATTERS.replace("!type!", element))
        dtype = {"f32": np.float32, "i32": np.int32, "f64": np.float64}[element]
        for count in (1, 6, 11) if FEW else (1, 6, 97, 2500):
            x, u = (rng.standard_normal(shape).astype(np.float32) for shape in ((3, 7, 5), (3, count, 3, 5)))
            table, rows = ((rng.standard_normal(shape) * 9).astype(dtype) for shape in ((50, 6), (count, 6)))
            feeds = [x, ids(3 * count, 7, np.int16).reshape(count, 3), u, table, ids(count, 50), rows]
            kernels = both.repeat(*feeds, exact=True)
            assert kernels <= 14 + (8 if count > 2000 else 0), (count, kernels)
            feeds[4] = np.full_like(feeds[4], 49)
            both.repeat(*feeds, exact=True)
        # None at all.
        both.run(x, ids(0, 7, np.int16).reshape(0, 3), u[:, :0], table, ids(0), rows[:0], exact=True)


LOOPS = """
train.variable @table : tensor<20x8xf32> = #train.random_normal
train.variable @kept : tensor<8xf32> = #train.zeros
func.func @step(%ids: tensor<5x?xi32>, %more: tensor<5x?xi64>) -> tensor<?x8xf32> {
  %t = train.read @table : tensor<20x8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %n = tensor.dim %ids, %c1 : tensor<5x?xi32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %h0 = linalg.fill ins(%z : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %h0) -> tensor<?x8xf32> {
    %one = tensor.extract_slice %ids[%i, 0] [1, %n] [1, 1] : tensor<5x?xi32> to tensor<?xi32>
    %x = nn.gather %t, %one axis 0 : (tensor<20x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
    %y = arith.addf %h, %x : tensor<?x8xf32>
    %inner = scf.for %j = %c0 to %c2 step %c1 iter_args(%g = %y) -> tensor<?x8xf32> {
      %other = tensor.extract_slice %more[%i, 0] [1, %n] [1, 1] : tensor<5x?xi64> to tensor<?xi64>
      %v = nn.gather %t, %other axis 0 : (tensor<20x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
      %w = arith.mulf %g, %v : tensor<?x8xf32>
      %a = math.tanh %w : tensor<?x8xf32>
      scf.yield %a : tensor<?x8xf32>
    }
    scf.yield %inner : tensor<?x8xf32>
  }
  %sum = nn.reduce sum %r axes [0] : tensor<?x8xf32> -> tensor<8xf32>
  train.assign_add @kept, %sum : tensor<8xf32>
  return %r : tensor<?x8xf32>
}
"""


def test_checks_in_loops() -> None:
    both = Both(LOOPS)
    for count in (1, 3) if FEW else (1, 3, 300):
        first, second = ids(5 * count, 20).reshape(5, count), ids(5 * count, 20, np.int64).reshape(5, count)
        both.repeat(first, second)
        for iteration in range(5):
            bad = first.copy()
            bad[iteration, count // 2] = -7 - iteration
            bad[4, -1] = 77
            both.fail(bad, second, message=f"found {-7 - iteration if iteration < 4 or count > 1 else 77}")
        bad = second.copy()
        bad[2, count - 1] = 20
        both.fail(first, bad, message="found 20")
        both.repeat(first, second)
    both.compare()


COUNTED = """
train.variable @table : tensor<20x8xf32> = #train.random_normal
func.func @step(%ids: tensor<5x3xi32>) -> tensor<3x8xf32> {
  %t = train.read @table : tensor<20x8xf32>
  %zero = arith.constant dense<0> : tensor<i32>
  %one = arith.constant dense<1> : tensor<i32>
  %five = arith.constant dense<5> : tensor<i32>
  %z = arith.constant dense<0.0> : tensor<3x8xf32>
  %r:2 = scf.while (%i = %zero, %h = %z) : (tensor<i32>, tensor<3x8xf32>) -> (tensor<i32>, tensor<3x8xf32>) {
    %c = arith.cmpi slt, %i, %five : tensor<i32>
    %d = tensor.extract %c[] : tensor<i1>
    scf.condition(%d) %i, %h : tensor<i32>, tensor<3x8xf32>
  } do {
  ^bb0(%i: tensor<i32>, %h: tensor<3x8xf32>):
    %row = nn.gather %ids, %i axis 0 : (tensor<5x3xi32>, tensor<i32>) -> tensor<3xi32>
    %x = nn.gather %t, %row axis 0 : (tensor<20x8xf32>, tensor<3xi32>) -> tensor<3x8xf32>
    %y = arith.addf %h, %x : tensor<3x8xf32>
    %next = arith.addi %i, %one : tensor<i32>
    scf.yield %next, %y : tensor<i32>, tensor<3x8xf32>
  }
  return %r#1 : tensor<3x8xf32>
}
"""


def test_counted_while() -> None:
    both = Both(COUNTED)
    first = ids(15, 20).reshape(5, 3)
    both.repeat(first)
    bad = first.copy()
    bad[2, 1], bad[3, 0] = 20, -5
    both.fail(bad, message="found 20")
    both.repeat(first)


def test_orders() -> None:
    def body(x: Any) -> Tuple[Any, ...]:
        values, places = flywheel.top_k(x, 3)
        return values, places, flywheel.argsort(x), flywheel.sort(x)

    size = 9 if FEW else 65
    x = np.round(rng.standard_normal((4, size)) * 4).astype(np.float32)
    device = flywheel.function(body, target=TARGET)
    expected = flywheel.function(body)(x)
    for call in range(3):
        found, counts = counted(lambda: device(x))
        for one, other in zip(found, expected):
            np.testing.assert_array_equal(np.asarray(one), np.asarray(other))
        # The first time tables of constants are copied.
        if call > 0:
            assert counts["synchronizations"] == 1 and counts["graphs"] == 1, (call, counts)


run_in_each_order([value for name, value in sorted(globals().items()) if name.startswith("test_")])
