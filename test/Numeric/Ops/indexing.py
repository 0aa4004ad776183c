# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Slices at indices, and scans, against numpy in each configuration (X7, X9, X11, X12)."""

from typing import Any, List, Tuple

import numpy as np
from numpy.typing import NDArray

from cases import DTYPES, Cases, tensor
from configurations import configurations, expect_close, expect_equal, expect_error, run_tests

Array = NDArray[Any]
NUMBERS = {**DTYPES, "i32": np.int32, "f16": np.float16}
INDICES = {"i32": np.int32, "i64": np.int64, "i8": np.int8, "i16": np.int16}


def draw(rng: np.random.Generator, shape: Tuple[int, ...], dtype: Any) -> Array:
    """Small integers: sums are exact in any type and order."""
    return np.asarray(rng.integers(-8, 9, shape)).astype(dtype)


# The declared shapes and the dimension sizes of x and of the indices, and the axis.
GATHERS: Tuple[Tuple[Any, Any, Any, Any, int], ...] = (
    ((10, 64), (10, 64), ("?",), (7,), 0),
    (("?", 5), (9, 5), ("?", 3), (2, 3), 0),
    ((4, 17), (4, 17), (), (), 0),
    ((3, 6, 33), (3, 6, 33), ("?",), (4,), 1),
    (("?", 6, "?"), (2, 6, 7), (2, "?"), (2, 5), 1),
    ((3, 5), (3, 5), ("?",), (11,), 1),
    ((5,), (5,), (3, 2), (3, 2), 0),
    ((5, 1), (5, 1), (1,), (1,), 0),
    ((5, 9), (5, 9), ("?",), (0,), 0),
    ((0, 9), (0, 9), ("?",), (0,), 0),
    ((5, 0), (5, 0), ("?",), (4,), 0),
    ((2, 3, 4, 5), (2, 3, 4, 5), ("?",), (6,), 2),
)


def test_gather() -> None:
    """X7, X11: numpy's take: every axis, duplicates, no indices, empty slices."""
    rng = np.random.default_rng(1)
    cases = Cases()
    for element, dtype in NUMBERS.items():
        for number, (x_shape, x_dim_sizes, i_shape, i_dim_sizes, axis) in enumerate(GATHERS):
            integer = list(INDICES)[number % len(INDICES)]
            x, i = tensor(x_shape, element), tensor(i_shape, integer)
            y = tensor((*x_shape[:axis], *i_shape, *x_shape[axis + 1:]), element)
            expect = cases.add(f"gather {element} {axis}", (x, i), y,
                               f"%y = nn.gather %a0, %a1 axis {axis} : ({x}, {i}) -> {y}")
            values = draw(rng, x_dim_sizes, dtype)
            # numpy cannot draw from an empty range.
            indices = np.asarray(rng.integers(0, max(1, x_dim_sizes[axis]), i_dim_sizes)).astype(INDICES[integer])
            expect([values, indices], np.take(values, indices.astype(np.int64), axis))
    cases.check()


def test_scatters() -> None:
    """X12: numpy's add.at and assignment: every axis, duplicates, no updates."""
    rng = np.random.default_rng(2)
    cases = Cases("scatters")
    for element, dtype in NUMBERS.items():
        for number, (x_shape, x_dim_sizes, i_shape, i_dim_sizes, axis) in enumerate(GATHERS):
            integer = list(INDICES)[number % len(INDICES)]
            x, i = tensor(x_shape, element), tensor(i_shape, integer)
            u = tensor((*x_shape[:axis], *i_shape, *x_shape[axis + 1:]), element)
            expect = cases.add(f"scatter_add {element} {axis}", (x, i, u), x,
                               f"%y = nn.scatter_add %a0, %a1, %a2 axis {axis} : ({x}, {i}, {u}) -> {x}",
                               (element, number, "add"))
            values = draw(rng, x_dim_sizes, dtype)
            indices = np.asarray(rng.integers(0, max(1, x_dim_sizes[axis]), i_dim_sizes)).astype(INDICES[integer])
            updates = draw(rng, (*x_dim_sizes[:axis], *i_dim_sizes, *x_dim_sizes[axis + 1:]), dtype)
            result, replaced = values.copy(), values.copy()
            where: Any = (slice(None),) * axis + (indices.astype(np.int64),)
            np.add.at(result, where, updates)
            expect([values, indices, updates], result)
            expect = cases.add(f"scatter {element} {axis}", (x, i, u), x,
                               f"%y = nn.scatter %a0, %a1, %a2 axis {axis} : ({x}, {i}, {u}) -> {x}",
                               (element, number, "put"))
            # The last of those for one place stays.
            for at in np.ndindex(indices.shape):
                left: Any = (slice(None),) * axis
                replaced[left + (indices[at],)] = updates[left + at]
            expect([values, indices, updates], replaced)
    cases.check()


# The declared shape and the dimension sizes of x, the positions along the axis as declared and as found, and the axis.
ALONG_AXIS: Tuple[Tuple[Any, Any, Any, int, int], ...] = (
    ((7,), (7,), 12, 12, 0),
    (("?", 5), (9, 5), "?", 3, 0),
    (("?", 5), (9, 5), 3, 3, 1),
    ((3, 6, 33), (3, 6, 33), "?", 4, 1),
    ((2, "?", 7), (2, 4, 7), 9, 9, 2),
    (("?", 5), (0, 5), 2, 2, 1),
    ((4, 5), (4, 5), "?", 0, 1),
    ((2, 3, 4, 5), (2, 3, 4, 5), 6, 6, 2),
    ((1, 1), (1, 1), 1, 1, 1),
)


def test_along_axis() -> None:
    """X7, X12: numpy's take_along_axis and the additions that undo it, of every type and axis."""
    rng = np.random.default_rng(6)
    cases = Cases("along an axis")
    for element, dtype in {**NUMBERS, "i8": np.int8, "i64": np.int64}.items():
        for number, (shape, dim_sizes, declared, count, axis) in enumerate(ALONG_AXIS):
            integer = list(INDICES)[number % len(INDICES)]
            x = tensor(shape, element)
            i_shape = (*shape[:axis], declared, *shape[axis + 1:])
            i, y = tensor(i_shape, integer), tensor(i_shape, element)
            expect = cases.add(f"take {element} {axis}", (x, i), y,
                               f"%y = nn.take_along_axis %a0, %a1 axis {axis} : ({x}, {i}) -> {y}",
                               (element, number, "take"))
            values = draw(rng, dim_sizes, dtype)
            i_dim_sizes = (*dim_sizes[:axis], count, *dim_sizes[axis + 1:])
            indices = np.asarray(rng.integers(0, max(1, dim_sizes[axis]), i_dim_sizes)).astype(INDICES[integer])
            wide = indices.astype(np.int64)
            expect([values, indices], np.take_along_axis(values, wide, axis))
            expect = cases.add(f"scatter_add {element} {axis}", (x, i, y), x,
                               f"%y = nn.scatter_add_along_axis %a0, %a1, %a2 axis {axis} : ({x}, {i}, {y}) -> {x}",
                               (element, number, "add"))
            updates, result = draw(rng, i_dim_sizes, dtype), values.copy()
            where = list(np.indices(i_dim_sizes))
            where[axis] = wide
            np.add.at(result, tuple(where), updates)
            expect([values, indices, updates], result)
    cases.check()


PICK = """
train.variable @v : tensor<3x4xf32> = #train.ones
func.func @take(%i: tensor<3x?xi32>) -> tensor<3x?xf32> {
  %v = train.read @v : tensor<3x4xf32>
  %y = nn.take_along_axis %v, %i axis 1 : (tensor<3x4xf32>, tensor<3x?xi32>) -> tensor<3x?xf32>
  return %y : tensor<3x?xf32>
}
func.func @add(%i: tensor<3x?xi32>, %u: tensor<3x?xf32>) {
  %v = train.read @v : tensor<3x4xf32>
  %y = nn.scatter_add_along_axis %v, %i, %u axis 1
      : (tensor<3x4xf32>, tensor<3x?xi32>, tensor<3x?xf32>) -> tensor<3x4xf32>
  train.assign @v, %y : tensor<3x4xf32>
  return
}
// Nothing of the loss is a value of the step: the gradient alone needs the indices.
func.func @step(%i: tensor<3x?xi32>) {
  %v = train.read @v : tensor<3x4xf32>
  %y = nn.take_along_axis %v, %i axis 1 : (tensor<3x4xf32>, tensor<3x?xi32>) -> tensor<3x?xf32>
  %loss = nn.reduce sum %y axes [0, 1] : tensor<3x?xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.5>
  return
}
func.func @sizes(%x: tensor<?x4xf32>, %i: tensor<?x2xi32>) -> tensor<?x2xf32> {
  %y = nn.take_along_axis %x, %i axis 1 : (tensor<?x4xf32>, tensor<?x2xi32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
"""


def test_along_axis_errors() -> None:
    """X12, S3: an index is checked against the axis, and an error changes nothing; so are sizes."""
    start = np.arange(12, dtype=np.float32).reshape(3, 4)
    for configuration, model in configurations(PICK):
        model.initialize()
        model["v"] = start
        # Rows that follow in memory do not continue the first.
        for bad in (4, -1, 11, np.iinfo(np.int32).max):
            indices = np.array([[0, bad], [1, 1], [2, 3]], np.int32)
            message = rf"index out of range: expected 0 <= index < 4 in 'nn.\w+' at .*:\d+:\d+, found {bad}\b"
            expect_error("take", message, lambda: model.run("take", indices))
            expect_error("add", message, lambda: model.run("add", indices, np.ones((3, 2), np.float32)))
            expect_error("step", message, lambda: model.run("step", indices))
            expect_equal(f"{configuration} after an error", model["v"], start)
        indices = np.array([[0, 0], [1, 3], [2, 2]], np.int32)
        expect_equal(configuration, model.run("take", indices), np.take_along_axis(start, indices, 1))
        expected = start.copy()
        np.add.at(expected, (np.arange(3)[:, None], indices), np.float32(1))
        model.run("add", indices, np.ones((3, 2), np.float32))
        expect_equal(f"{configuration} add", model["v"], expected)
        model["v"] = start
        model.run("step", indices)
        np.subtract.at(expected, (np.arange(3)[:, None], indices), np.float32(1.5))
        expect_equal(f"{configuration} step", model["v"], expected)
        if configuration in ("reference", "optimized"):  # In C one number is the dimension size of both.
            expect_error(configuration, "it is 3 in placeholder 'x' and 2 in placeholder 'i' of shape .2, 2., expected "
                         "equal ones in 'nn.take_along_axis'",
                         lambda: model.run("sizes", start, np.zeros((2, 2), np.int32)))


def test_boolean_indices() -> None:
    """An index of i1 is 0 or 1; what is gathered may be truth values."""
    cases = Cases()
    expect = cases.add("i1", ("tensor<2x3xi1>", "tensor<?xi1>"), "tensor<?x3xi1>",
                       "%y = nn.gather %a0, %a1 axis 0 : (tensor<2x3xi1>, tensor<?xi1>) -> tensor<?x3xi1>")
    table = np.array([[True, False, True], [False, False, True]])
    pick = np.array([True, True, False])
    expect([table, pick], table[pick.astype(int)])
    cases.check()


EMBEDDING = """
train.variable @table : tensor<{n}x{d}xf32> = #train.zeros
func.func @look(%i: tensor<?xi32>) -> tensor<?x{d}xf32> {{
  %t = train.read @table : tensor<{n}x{d}xf32>
  %y = nn.gather %t, %i axis 0 : (tensor<{n}x{d}xf32>, tensor<?xi32>) -> tensor<?x{d}xf32>
  return %y : tensor<?x{d}xf32>
}}
func.func @step(%i: tensor<?xi32>, %target: tensor<?x{d}xf32>) -> tensor<f32> {{
  %t = train.read @table : tensor<{n}x{d}xf32>
  %y = nn.gather %t, %i axis 0 : (tensor<{n}x{d}xf32>, tensor<?xi32>) -> tensor<?x{d}xf32>
  %e = arith.subf %y, %target : tensor<?x{d}xf32>
  %s = arith.mulf %e, %e : tensor<?x{d}xf32>
  %loss = nn.reduce sum %s axes [0, 1] : tensor<?x{d}xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with {optimizer}
  return %loss : tensor<f32>
}}
func.func @bump(%i: tensor<?xi32>, %u: tensor<?x{d}xf32>) {{
  %t = train.read @table : tensor<{n}x{d}xf32>
  %y = nn.scatter_add %t, %i, %u axis 0
      : (tensor<{n}x{d}xf32>, tensor<?xi32>, tensor<?x{d}xf32>) -> tensor<{n}x{d}xf32>
  train.assign @table, %y : tensor<{n}x{d}xf32>
  return
}}
"""


def test_embedding() -> None:
    """X12, O30: an embedding trains; duplicates add up; an index out of range changes nothing (S3)."""
    n, d, rate = 11, 19, 0.125
    rng = np.random.default_rng(3)
    start = rng.standard_normal((n, d)).astype(np.float32)
    batches: List[Tuple[Array, Array]] = [
        (np.array(indices, np.int32), rng.standard_normal((len(indices), d)).astype(np.float32))
        for indices in ([3], [3, 3, 0, 10, 3], [], [7, 1, 7])]

    def sgd(table: Array, gradient: Array, slots: List[Array]) -> None:
        table -= rate * gradient

    def adam(table: Array, gradient: Array, slots: List[Array]) -> None:
        if not slots:
            slots += [np.zeros((n, d)), np.zeros((n, d)), np.zeros(())]
        slots[2] += 1
        slots[0][:] = 0.9 * slots[0] + 0.1 * gradient
        slots[1][:] = 0.999 * slots[1] + 0.001 * gradient ** 2
        step = rate * np.sqrt(1 - 0.999 ** slots[2]) / (1 - 0.9 ** slots[2])
        table -= step * slots[0] / (np.sqrt(slots[1]) + 1e-7)

    for optimizer, update in ((f"#train.sgd<lr = {rate}>", sgd), (f"#train.adam<lr = {rate}>", adam)):
        text = EMBEDDING.format(n=n, d=d, optimizer=optimizer)
        for configuration, model in configurations(text):
            model.initialize()
            model["table"] = start
            table, slots = start.astype(np.float64), []  # type: Array, List[Array]
            for indices, target in batches:
                what = f"{configuration} {optimizer} {indices}"
                expect_close(what, model.run("look", indices), table[indices].astype(np.float32))
                error = table[indices] - target
                expect_close(f"{what} loss", model.run("step", indices, target), np.float32((error ** 2).sum()), 1e-4)
                gradient = np.zeros((n, d))
                np.add.at(gradient, indices, 2 * error)
                update(table, gradient, slots)
                expect_close(what, model["table"], table.astype(np.float32), 1e-5)
            before = {name: model[name] for name in model.variables()}
            for bad in (-1, n, np.iinfo(np.int32).min):
                indices = np.array([2, bad, 2], np.int32)
                target = np.ones((3, d), np.float32)
                message = rf"index out of range: expected 0 <= index < {n} in 'nn.\w+' at .*:\d+:\d+, found {bad}\b"
                expect_error("look", message, lambda: model.run("look", indices))
                expect_error("step", message, lambda: model.run("step", indices, target))
                expect_error("bump", message, lambda: model.run("bump", indices, target))
                for name, value in before.items():
                    expect_equal(f"{configuration} {name} after an error", model[name], value)
            indices, updates = batches[1]
            model.run("bump", indices, updates)
            expected = before["table"].copy()
            np.add.at(expected, indices, updates)
            expect_close(f"{configuration} bump", model["table"], expected)


def test_checked_dim_sizes() -> None:
    """X11: dimension sizes that only the step knows are checked; so is an index into nothing."""
    text = """
func.func @add(%x: tensor<?x?xf32>, %i: tensor<?xi32>, %u: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = nn.scatter_add %x, %i, %u axis 0
      : (tensor<?x?xf32>, tensor<?xi32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
func.func @take(%x: tensor<?x3xf32>, %i: tensor<?xi32>) -> tensor<?x3xf32> {
  %y = nn.gather %x, %i axis 0 : (tensor<?x3xf32>, tensor<?xi32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
"""
    for configuration, model in configurations(text, ("reference", "optimized")):
        model.initialize()
        x, i = np.ones((4, 3), np.float32), np.array([1, 2], np.int32)
        sums = model.run("add", x, i, np.ones((2, 3), np.float32)).sum(1)
        expect_equal(configuration, sums, np.array([3, 6, 6, 3], np.float32))
        expect_error(configuration,
                     "it is 2 in placeholder 'i' and 3 in placeholder 'u' .*, expected equal ones in 'nn.scatter_add'",
                     lambda: model.run("add", x, i, np.ones((3, 3), np.float32)))
        expect_error(configuration,
                     "it is 3 in placeholder 'x' and 4 in placeholder 'u' .*, expected equal ones in 'nn.scatter_add'",
                     lambda: model.run("add", x, i, np.ones((2, 4), np.float32)))
        expect_error(configuration, "index out of range: expected 0 <= index < 0 in 'nn.gather' at .*:8:8, found 1",
                     lambda: model.run("take", np.ones((0, 3), np.float32), i))


def test_cumsum() -> None:
    """X7: every axis, both directions, with and without the element itself."""
    rng = np.random.default_rng(4)
    cases = Cases("cumsum")
    for element, dtype in {**NUMBERS, "i8": np.int8}.items():
        for shape, sizes in (((7,), (7,)), (("?", 5), (4, 5)), (("?", 33), (6, 33)), ((2, "?", 3, 17), (2, 5, 3, 17)),
                             (("?", 3), (0, 3)), ((1, 1), (1, 1))):
            kind = tensor(shape, element)
            for axis in range(len(shape)):
                for flags in ("", " exclusive", " reverse", " exclusive reverse"):
                    expect = cases.add(f"cumsum {element} {axis}{flags}", (kind,), kind,
                                       f"%y = nn.cumsum %a0 axis {axis}{flags} : {kind} -> {kind}",
                                       (element, (shape, axis), flags))
                    x = draw(rng, sizes, dtype)
                    flipped = np.flip(x, axis) if "reverse" in flags else x
                    sums = np.cumsum(flipped, axis, dtype=dtype)
                    if "exclusive" in flags:
                        sums = sums - flipped
                    expect([x], np.flip(sums, axis) if "reverse" in flags else sums)
    cases.check()


def test_cumprod() -> None:
    """X7: products of every axis, both directions, with and without the element itself, and with zeros."""
    rng = np.random.default_rng(5)
    cases = Cases("cumprod")
    for element, dtype in {**NUMBERS, "i8": np.int8, "i64": np.int64}.items():
        for shape, dim_sizes in (((7,), (7,)), (("?", 5), (4, 5)), ((2, "?", 3, 17), (2, 5, 3, 17)), (("?", 3), (0, 3)),
                               ((1, 1), (1, 1))):
            kind = tensor(shape, element)
            for axis in range(len(shape)):
                for flags in ("", " exclusive", " reverse", " exclusive reverse"):
                    expect = cases.add(f"cumprod {element} {axis}{flags}", (kind,), kind,
                                       f"%y = nn.cumprod %a0 axis {axis}{flags} : {kind} -> {kind}",
                                       (element, (shape, axis), flags))
                    # Products of powers of 2 are exact, those of integers wrap.
                    x = rng.choice([0, 1, -1, 2, -2, 2], dim_sizes).astype(dtype)
                    flipped = np.flip(x, axis) if "reverse" in flags else x
                    if "exclusive" in flags:
                        ones = np.ones((*dim_sizes[:axis], 1, *dim_sizes[axis + 1:]), dtype)
                        flipped = np.delete(np.concatenate([ones, flipped], axis), -1, axis)
                    products = np.cumprod(flipped, axis, dtype=dtype)
                    expect([x], np.flip(products, axis) if "reverse" in flags else products)
    cases.check()


def test_logcumsumexp() -> None:
    """X7: every axis and direction; no overflow, nothing lost before a large number, infinities and NaN."""
    rng = np.random.default_rng(6)
    cases = Cases("logcumsumexp")
    floats = {**DTYPES, "f16": np.float16}
    # Exponentials of the second are 0 or infinite.
    draws = (rng.normal(0, 3, 100), [-3e4, -700, 0, 700, 3e4], [-np.inf, -np.inf, -1, 2],
             [-np.inf, -np.inf, np.inf, -1, 2, 2, 3, np.nan])
    for element, dtype in floats.items():
        for shape, dim_sizes in (((7,), (7,)), (("?", 5), (4, 5)), ((2, "?", 3, 17), (2, 5, 3, 17)), (("?", 3), (0, 3)),
                               ((1, 1), (1, 1))):
            kind = tensor(shape, element)
            for axis in range(len(shape)):
                for flags in ("", " reverse"):
                    expect = cases.add(f"logcumsumexp {element} {axis}{flags}", (kind,), kind,
                                       f"%y = nn.logcumsumexp %a0 axis {axis}{flags} : {kind} -> {kind}",
                                       (element, (shape, axis), flags))
                    for values in draws:
                        x = rng.choice(values, dim_sizes).astype(dtype)
                        flipped = np.flip(x, axis) if "reverse" in flags else x
                        with np.errstate(invalid="ignore"):
                            sums = np.logaddexp.accumulate(flipped.astype(np.float64), axis)
                        expect([x], (np.flip(sums, axis) if "reverse" in flags else sums).astype(dtype))
    cases.check()


def test_logcumsumexp_of_infinities() -> None:
    """X7: derivatives are finite where sums are 0, as after a mask."""
    kind = "tensor<4xf32>"
    text = (f"func.func @f(%x: {kind}, %g: {kind}) -> {kind} {{\n  %y = nn.logcumsumexp %x axis 0 : {kind} -> {kind}\n"
            f"  %d = train.gradient %y wrt %x grad_ys %g : ({kind}, {kind}, {kind}) -> {kind}\n"
            f"  return %d : {kind}\n}}\n")
    for configuration, model in configurations(text):
        model.initialize()
        x = np.array([-np.inf, 1e4, -np.inf, 1e4], np.float32)
        found = model.run("f", x, np.array([2, 3, 5, 7], np.float32))
        expect_close(configuration, found, np.array([2, 3 + 5 + 3.5, 0, 3.5], np.float32), 1e-3)


def test_iota() -> None:
    """X9: positions along each dimension, as integers and as floats."""
    cases = Cases()
    for element, dtype in {**NUMBERS, "i64": np.int64, "i8": np.int8}.items():
        like = tensor(("?", 3, 17), "f32")
        for axis in range(3):
            result = tensor(("?", 3, 17), element)
            expect = cases.add(f"iota {element} {axis}", (like,), result,
                               f"%y = nn.iota axis {axis} like %a0 : ({like}) -> {result}")
            for batch in (1, 5, 0):
                shape = (batch, 3, 17)
                expect([np.zeros(shape, np.float32)], np.indices(shape)[axis].astype(dtype))
        static = tensor((40,), element)
        expect = cases.add(f"iota {element}", (), static, f"%y = nn.iota axis 0 : () -> {static}")
        expect([], np.arange(40).astype(dtype))
    cases.check()


NESTED = """
train.variable @table : tensor<5x3xf32> = #train.ones
func.func @branch(%i: tensor<?xi32>, %c: tensor<i1>) -> tensor<?x3xf32> {
  %t = train.read @table : tensor<5x3xf32>
  %p = tensor.extract %c[] : tensor<i1>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %i, %c0 : tensor<?xi32>
  %z = arith.constant 0.0 : f32
  %none = tensor.splat %z[%n] : tensor<?x3xf32>
  %y = scf.if %p -> tensor<?x3xf32> {
    %g = nn.gather %t, %i axis 0 : (tensor<5x3xf32>, tensor<?xi32>) -> tensor<?x3xf32>
    scf.yield %g : tensor<?x3xf32>
  } else {
    scf.yield %none : tensor<?x3xf32>
  }
  return %y : tensor<?x3xf32>
}
// A recurrence over words, one at a time; trains the table.
func.func @words(%i: tensor<7xi32>) -> tensor<f32> {
  %t = train.read @table : tensor<5x3xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %start = arith.constant dense<1.0> : tensor<3xf32>
  %last = scf.for %k = %c0 to %c7 step %c1 iter_args(%h = %start) -> tensor<3xf32> {
    %one = tensor.extract_slice %i[%k] [1] [1] : tensor<7xi32> to tensor<i32>
    %v = nn.gather %t, %one axis 0 : (tensor<5x3xf32>, tensor<i32>) -> tensor<3xf32>
    %next = arith.mulf %h, %v : tensor<3xf32>
    scf.yield %next : tensor<3xf32>
  }
  %loss = nn.reduce sum %last axes [0] : tensor<3xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.125>
  return %loss : tensor<f32>
}
// Follows links until one leads to itself.
func.func @follow(%links: tensor<?xi32>, %start: tensor<i32>) -> tensor<i32> {
  %end = scf.while (%at = %start) : (tensor<i32>) -> tensor<i32> {
    %next = nn.gather %links, %at axis 0 : (tensor<?xi32>, tensor<i32>) -> tensor<i32>
    %a = tensor.extract %at[] : tensor<i32>
    %b = tensor.extract %next[] : tensor<i32>
    %go = arith.cmpi ne, %a, %b : i32
    scf.condition(%go) %next : tensor<i32>
  } do {
  ^bb0(%next: tensor<i32>):
    scf.yield %next : tensor<i32>
  }
  return %end : tensor<i32>
}
// The loss of each of the rows alone, in a loop with a branch.
func.func @losses(%z: tensor<4x3xf32>, %labels: tensor<4xi32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<f32>
  %total = scf.for %k = %c0 to %c4 step %c1 iter_args(%sum = %zero) -> tensor<f32> {
    %l = tensor.extract %labels[%k] : tensor<4xi32>
    %c9 = arith.constant 9 : i32
    %known = arith.cmpi ne, %l, %c9 : i32
    %next = scf.if %known -> tensor<f32> {
      %row = tensor.extract_slice %z[%k, 0] [1, 3] [1, 1] : tensor<4x3xf32> to tensor<1x3xf32>
      %label = tensor.extract_slice %labels[%k] [1] [1] : tensor<4xi32> to tensor<1xi32>
      %one = nn.sparse_softmax_cross_entropy %row, %label
          : (tensor<1x3xf32>, tensor<1xi32>) -> tensor<f32>
      %s = arith.addf %sum, %one : tensor<f32>
      scf.yield %s : tensor<f32>
    } else {
      scf.yield %sum : tensor<f32>
    }
    scf.yield %next : tensor<f32>
  }
  return %total : tensor<f32>
}
"""


def test_branches_and_loops() -> None:
    """X10, X12: inside of branches and loops an index out of range is an error that changes nothing, too."""
    rng = np.random.default_rng(7)
    table = rng.uniform(0.5, 1.5, (5, 3)).astype(np.float32)
    message = r"index out of range: expected 0 <= index < 5 in 'nn.gather' at .*:\d+:\d+, found "
    for configuration, model in configurations(NESTED):
        model.initialize()
        model["table"] = table
        good, bad = np.array([4, 0, 4], np.int32), np.array([4, 5, 0], np.int32)
        expect_equal(configuration, model.run("branch", good, np.array(True)), table[good])
        expect_equal(configuration, model.run("branch", bad, np.array(False)), np.zeros((3, 3), np.float32))
        expect_error(configuration, f"{message}5", lambda: model.run("branch", bad, np.array(True)))

        words = np.array([1, 1, 3, 0, 2, 1, 3], np.int32)
        product = table[words].prod(0)
        expect_close(f"{configuration} words", model.run("words", words), product.sum())
        gradient = np.stack([(words == word).sum() * product / table[word] for word in range(5)])
        expect_close(f"{configuration} table", model["table"], table - 0.125 * gradient, 1e-5)
        model["table"] = table
        for place in (0, 3, 6):
            wrong = words.copy()
            wrong[place] = -1
            # The first one counts, in the first iteration that has one.
            wrong[-1] = 5 if place < 6 else -1
            expect_error(f"{configuration} words", f"{message}-1", lambda: model.run("words", wrong))
            expect_equal(f"{configuration} table after an error", model["table"], table)

        links = np.array([3, 1, 0, 4, 1], np.int32)
        expect_equal(f"{configuration} links", model.run("follow", links, np.array(2, np.int32)), np.int32(1))
        links[3] = 17
        expect_error(f"{configuration} links", r"index out of range: expected 0 <= index < 5 "
                     r"in 'nn.gather' at .*:\d+:\d+, found 17",
                     lambda: model.run("follow", links, np.array(2, np.int32)))

        z = rng.standard_normal((4, 3)).astype(np.float32)
        labels = np.array([2, 9, 0, 1], np.int32)
        logs = z - np.log(np.exp(z).sum(1, keepdims=True))
        expect_close(f"{configuration} losses", model.run("losses", z, labels),
                     -sum(logs[k, n] for k, n in enumerate(labels) if n != 9), 1e-5)
        labels[3] = 3
        expect_error(f"{configuration} losses", r"label out of range: expected 0 <= label < 3 in "
                     r".* at .*:\d+:\d+, found 3",
                     lambda: model.run("losses", z, labels))


def test_tile() -> None:
    """X7: numpy's tile."""
    rng = np.random.default_rng(5)
    cases = Cases()
    for element, dtype in {**NUMBERS, "i1": np.bool_}.items():
        sizes: Any = ((("?", 3), (4, 3), (1, 5)), ((2, 1, 17), (2, 1, 17), (3, 2, 2)), ((), (), ()),
                      ((3,), (3,), (0,)), (("?", 2, "?"), (1, 2, 9), (1, 3, 1)))
        for shape, dim_sizes, multiples in sizes:
            source = tensor(shape, element)
            result = tensor([n if n == "?" else n * m for n, m in zip(shape, multiples)], element)
            expect = cases.add(f"tile {element}", (source,), result,
                               f"%y = nn.tile %a0 multiples {list(multiples)} : {source} -> {result}")
            x = draw(rng, dim_sizes, dtype)
            expect([x], np.tile(x, multiples))
    cases.check()


def test_argmin() -> None:
    """X7: the first of equal elements, NaN before all."""
    rng = np.random.default_rng(6)
    cases = Cases("argmin")
    for element, dtype in {**DTYPES, "i32": np.int32, "i8": np.int8, "i1": np.bool_}.items():
        source = tensor(("?", 3, 17), element)
        for axis, shape in ((0, (3, 17)), (1, ("?", 17)), (2, ("?", 3))):
            result = tensor(shape, "i64" if axis else "i32")
            least = cases.add(f"argmin {element} {axis}", (source,), result,
                              f"%y = nn.argmin %a0 axis {axis} : {source} -> {result}", (element, axis, "min"))
            most = cases.add(f"argmax {element} {axis}", (source,), result,
                             f"%y = nn.argmax %a0 axis {axis} : {source} -> {result}", (element, axis, "max"))
            for batch in (1, 6):
                x = draw(rng, (batch, 3, 17), dtype)
                if np.issubdtype(dtype, np.floating):
                    x[0, 1, 3] = np.nan
                index = np.int64 if axis else np.int32
                least([x], np.argmin(x, axis).astype(index))
                most([x], np.argmax(x, axis).astype(index))
    cases.check()


SLICES = """
func.func @one(%x: tensor<?xf32>) -> tensor<1xf32> {
  %0 = tensor.extract_slice %x[0] [1] [2] : tensor<?xf32> to tensor<1xf32>
  return %0 : tensor<1xf32>
}
func.func @some(%x: tensor<?xf32>, %n: tensor<i64>, %s: tensor<i64>) -> tensor<f32> {
  %a = tensor.extract %n[] : tensor<i64>
  %b = tensor.extract %s[] : tensor<i64>
  %count = arith.index_cast %a : i64 to index
  %stride = arith.index_cast %b : i64 to index
  %0 = tensor.extract_slice %x[1] [%count] [%stride] : tensor<?xf32> to tensor<?xf32>
  %1 = nn.reduce sum %0 axes [0] : tensor<?xf32> -> tensor<f32>
  return %1 : tensor<f32>
}
"""


def test_slices() -> None:
    """A slice reads up to its last position, which a single one has at its offset."""
    for configuration, model in configurations(SLICES):
        for size in range(1, 9):
            x = np.arange(1, size + 1, dtype=np.float32)
            expect_equal(configuration, model.run("one", x), x[:1])
            for count in range(1, 5):
                for stride in (-9, -2, -1, 1, 2, 3, 100, 2**62):
                    last = 1 + (count - 1) * stride
                    if size > 1 and 0 <= last < size:
                        expected = sum(x[1 + i * stride] for i in range(count))
                        expect_close(f"{configuration} {size} {count} {stride}",
                                     model.run("some", x, np.array(count), np.array(stride)), np.float32(expected))
                    else:
                        expect_error(f"{configuration} {size} {count} {stride}",
                                     "slice out of range of dimension 0 in 'tensor.extract_slice' at .*, found "
                                     f"offset 1, size {count}, stride {stride} and dimension size {size}",
                                     lambda: model.run("some", x, np.array(count), np.array(stride)))
        expect_error(configuration, "slice out of range of dimension 0 in 'tensor.extract_slice' at .*, found "
                     "offset 0, size 1, stride 2 and dimension size 0",
                     lambda: model.run("one", np.zeros(0, np.float32)))


run_tests([test_gather, test_scatters, test_along_axis, test_along_axis_errors, test_boolean_indices, test_embedding,
           test_checked_dim_sizes, test_cumsum, test_cumprod, test_logcumsumexp, test_logcumsumexp_of_infinities,
           test_iota, test_branches_and_loops, test_tile, test_argmin, test_slices])
