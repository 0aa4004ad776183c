# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Gradients of tables that rows are looked up in (O30): against the dense formula in NumPy."""

from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

import flywheel
from configurations import ALL, IN_PROCESS, configurations, expect_close, expect_equal, expect_error, run_tests
from optimizer_rules import RULES, spell

Array = NDArray[Any]

# A table so large that the gradient is rows without being asked.
SHAPE = (2048, 32)
NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


def kind(shape: Sequence[object], element: str) -> str:
    return f"tensor<{''.join(f'{dim_size}x' for dim_size in shape)}{element}>"


# The first ones are tested in more than one way.
OPTIMIZERS: Sequence[Tuple[str, Dict[str, Any]]] = (
    ("gradient_descent", dict(lr=0.1)),
    ("momentum", dict(lr=0.1, nesterov=True)),
    ("adam", dict(lr=0.05, beta_2=0.99, epsilon=0.01)),
    ("sgd", dict(lr=0.1, momentum=0.9)),
    ("adagrad", dict(lr=0.05, epsilon=0.01)),
    ("tf_adagrad", dict(lr=0.1)),
    ("rmsprop", dict(lr=0.05, epsilon=0.01)),
    ("ftrl", dict(lr=0.1, l1=0.1, l2=0.5)),
    ("adamw", dict(lr=0.05, epsilon=0.01, weight_decay=0.5)),
    ("adabelief", dict(lr=0.05, epsilon=0.01, weight_decay=0.5)),
)
MOMENTUM, ADAM = OPTIMIZERS[1], OPTIMIZERS[2]
Optimizer = Tuple[str, Dict[str, Any]]


class Reference:
    """A table and its slots in f64."""

    def __init__(self, table: Array, optimizer: Optimizer, lazy: bool) -> None:
        name, options = optimizer
        self.rule, self.lazy = RULES[name](table, **options), lazy

    @property
    def table(self) -> Array:
        return self.rule.p

    @table.setter
    def table(self, value: Array) -> None:
        self.rule.p = value

    def step(self, gradient: Array, touched: Array) -> None:
        before = [self.rule.p, *self.rule.slots]
        self.rule.step(gradient)
        if not self.lazy:
            return
        shape = (-1, *[1] * (gradient.ndim - 1))
        is_touched = np.isin(np.arange(len(gradient)), touched).reshape(shape)
        self.rule.p, *self.rule.slots = (
            np.where(is_touched, new, old) for new, old in zip([self.rule.p, *self.rule.slots], before))


def add_rows(shape: Sequence[int], ids: Array, rows: Array) -> Array:
    total = np.zeros(shape)
    np.add.at(total, ids.astype(np.int64), rows)
    return total


def squares(rows: str, targets: str, loss: str, type_: str) -> str:
    """The squared distance of looked-up rows to targets."""
    return f"""
  %d_{loss} = arith.subf {rows}, {targets} : {type_}
  %{loss} = arith.mulf %d_{loss}, %d_{loss} : {type_}"""


class Case(NamedTuple):
    """A table, and what looks up rows in it."""

    shape: Tuple[int, ...]
    ids: Tuple[object, ...]
    integer: str
    element: str = "f64"


def model_text(case: Case, optimizer: Optimizer, form: str, constraint: str = "") -> str:
    table = kind(case.shape, case.element)
    ids = kind(case.ids, case.integer)
    rows = kind((*case.ids, *case.shape[1:]), case.element)
    attributes = f" {{constraint = {constraint}}}" if constraint else ""
    return f"""
train.variable @table : {table} = #train.random_normal<stddev = 1.0, seed = 7>{attributes}
func.func @step(%ids: {ids}, %y: {rows}) {{
  %t = train.read @table : {table}
  %e = nn.gather %t, %ids axis 0 : ({table}, {ids}) -> {rows}
  {squares("%e", "%y", "loss", rows)}
  train.minimize %loss : {rows} with {spell(*optimizer)} {form}
  return
}}
"""


def draw(case: Case, rng: np.random.Generator, count: int, highest: int) -> Tuple[Array, Array]:
    """Indices below `highest`, and targets."""
    dim_sizes = [count if dim_size == "?" else int(str(dim_size)) for dim_size in case.ids]
    ids = rng.integers(0, highest, dim_sizes).astype(f"int{case.integer[1:]}")
    targets = rng.normal(size=(*dim_sizes, *case.shape[1:])).astype(NUMPY[case.element])
    return ids, targets


def check_case(case: Case, optimizer: Optimizer, form: str, names: Sequence[str], counts: Sequence[int],
               highest: int) -> None:
    """Steps of several sizes, against NumPy, and alike to the bit in all configurations."""
    found: List[Dict[str, Array]] = []
    for name, model in configurations(model_text(case, optimizer, form), names):
        model.initialize()
        rng = np.random.default_rng(3)
        reference = Reference(model["table"], optimizer, "lazy" in form)
        for count in counts:
            ids, targets = draw(case, rng, count, highest)
            model.run("step", ids, targets)
            rows = 2 * (reference.table[ids.astype(np.int64)] - targets)
            reference.step(add_rows(case.shape, ids, rows), ids.astype(np.int64))
        what = f"{case}, {optimizer} {form}, {name}"
        expect_close(what, model["table"], reference.table)
        snapshot = model.snapshot()
        for slot, expected in zip([key for key in snapshot if key.startswith("table/")], reference.rule.slots):
            expect_close(f"{what}: {slot}", snapshot[slot], expected)
        found.append(snapshot)
    for snapshot in found[1:]:
        for key, value in snapshot.items():
            expect_equal(f"{case}, {optimizer} {form}: {key}", value, found[0][key])


def test_optimizers() -> None:
    """Duplicates within a batch, rows that come again, and a batch without any."""
    case = Case(SHAPE, ("?",), "i32")
    for number, optimizer in enumerate(OPTIMIZERS):
        for form in ("", "sparse lazy"):
            names = ("optimized",) if number > 2 else ALL if form else IN_PROCESS
            check_case(case, optimizer, form, names, (40, 7, 0, 64), 50)


def test_all_rows_once() -> None:
    """Indices at both ends of the table, and more of them than it has rows."""
    case = Case((64, 3), ("?",), "i32")
    for optimizer in OPTIMIZERS[:3]:
        check_case(case, optimizer, "sparse lazy", IN_PROCESS, (1, 500), 64)


def test_shapes() -> None:
    """Numbers of dimensions of tables and of indices, and types of indices."""
    for case in (
            Case((65536,), ("?",), "i32"),
            Case((65536,), (), "i64"),
            Case((4096, 4, 5), ("?",), "i64"),
            Case((4096, 4, 5), (3, 2), "i32"),
            Case((2048, 40), ("?", 3), "i32"),
            Case((2048, 40), ("?", 2, 2), "i64"),
            Case((2048, 40), (), "i32"),
            Case((2048, 33), (6,), "i8"),
            Case((2048, 33), (5,), "i32", "f32"),
    ):
        check_case(case, ADAM, "", ("reference", "optimized"), (5, 0, 9), 7)
        check_case(case, ADAM, "sparse lazy", ("reference", "optimized"), (5, 0, 9), 7)


def test_narrow() -> None:
    """Sums of duplicates in f16 are rounded once."""
    case = Case(SHAPE, ("?",), "i32", "f16")
    ids = np.zeros(3, np.int32)
    results = []
    for name, model in configurations(model_text(case, ("sgd", dict(lr=1.0)), "sparse lazy"), IN_PROCESS):
        model.initialize()
        start = np.zeros(SHAPE, np.float16)
        model["table"] = start
        targets = np.zeros((3, SHAPE[1]), np.float16)
        # Rows of the gradient: 2048, 1 and 1. In f16, 2048 + 1 is 2048.
        targets[:, :] = np.array([-1024, -0.5, -0.5], np.float16)[:, None]
        model.run("step", ids, targets)
        expect_equal(f"f16, {name}", model["table"][0], np.full(SHAPE[1], -2050, np.float16))
        expect_equal(f"f16, {name}", model["table"][1:], start[1:])
        results.append(model["table"])


def test_out_of_range() -> None:
    """An index that is none is an error of the step, which changes nothing."""
    case = Case(SHAPE, ("?",), "i32")
    for form in ("", "sparse lazy"):
        for name, model in configurations(model_text(case, ("momentum", dict(lr=0.1)), form), ALL):
            model.initialize()
            before = model.snapshot()
            for bad in (SHAPE[0], -1, 2**31 - 1):
                ids = np.array([3, bad, 3, 0], np.int32)
                expect_error(name, "index out of range", lambda ids=ids: model.run(  # type: ignore[misc]
                    "step", ids, np.zeros((4, SHAPE[1]))))
            for key, value in model.snapshot().items():
                expect_equal(f"{name}: {key}", value, before[key])


def test_two_lookups() -> None:
    """Two gathers of one table, with indices of two types: one update."""
    table, left, right = kind(SHAPE, "f64"), kind(("?", SHAPE[1]), "f64"), kind((4, SHAPE[1]), "f64")
    for form in ("", "sparse lazy"):
        for optimizer in OPTIMIZERS[:3]:
            text = f"""
train.variable @table : {table} = #train.random_normal<stddev = 1.0>
func.func @step(%i: tensor<?xi32>, %y: {left}, %j: tensor<4xi64>, %z: {right}) {{
  %t = train.read @table : {table}
  %e = nn.gather %t, %i axis 0 : ({table}, tensor<?xi32>) -> {left}
  %f = nn.gather %t, %j axis 0 : ({table}, tensor<4xi64>) -> {right}
  {squares("%e", "%y", "l", left)}
  {squares("%f", "%z", "r", right)}
  %ls = nn.reduce sum %l axes [0, 1] : {left} -> tensor<f64>
  %rs = nn.reduce sum %r axes [0, 1] : {right} -> tensor<f64>
  %loss = arith.addf %ls, %rs : tensor<f64>
  train.minimize %loss : tensor<f64> with {spell(*optimizer)} {form}
  return
}}
"""
            found: List[Array] = []
            for name, model in configurations(text, IN_PROCESS):
                model.initialize()
                rng = np.random.default_rng(5)
                reference = Reference(model["table"], optimizer, bool(form))
                for count in (6, 0, 3):
                    i = rng.integers(0, 9, count).astype(np.int32)
                    j = np.array([1, 2, 1, 2047])
                    y, z = rng.normal(size=(count, SHAPE[1])), rng.normal(size=(4, SHAPE[1]))
                    model.run("step", i, y, j, z)
                    gradient = (add_rows(SHAPE, i, 2 * (reference.table[i] - y)) +
                                add_rows(SHAPE, j, 2 * (reference.table[j] - z)))
                    reference.step(gradient, np.concatenate([i, j]))
                expect_close(f"{optimizer} {form}, {name}", model["table"], reference.table)
                found.append(model["table"])
            for other in found[1:]:
                expect_equal(f"{optimizer} {form}", other, found[0])


def test_tied() -> None:
    """A table that is looked up and multiplied by: the sum of rows and of a dense gradient updates every row."""
    rows, width = SHAPE
    table, looked_up, scores = kind(SHAPE, "f64"), kind((5, width), "f64"), kind((5, rows), "f64")
    for optimizer in OPTIMIZERS[:3]:
        text = f"""
train.variable @table : {table} = #train.random_normal<stddev = 0.1>
func.func @step(%ids: tensor<5xi32>, %y: {scores}) {{
  %t = train.read @table : {table}
  %e = nn.gather %t, %ids axis 0 : ({table}, tensor<5xi32>) -> {looked_up}
  %h = math.tanh %e : {looked_up}
  %z = nn.matmul %h, %t {{transpose_b}} : ({looked_up}, {table}) -> {scores}
  {squares("%z", "%y", "loss", scores)}
  train.minimize %loss : {scores} with {spell(*optimizer)}
  return
}}
"""
        for name, model in configurations(text, IN_PROCESS):
            model.initialize()
            rng = np.random.default_rng(4)
            reference = Reference(model["table"], optimizer, False)
            for _ in range(2):
                ids, y = rng.integers(0, 9, 5).astype(np.int32), rng.normal(size=(5, rows))
                ids[:2] = rows - 1
                model.run("step", ids, y)
                h = np.tanh(reference.table[ids])
                error = 2 * (h @ reference.table.T - y)
                gradient = error.T @ h + add_rows(SHAPE, ids, (error @ reference.table) * (1 - h * h))
                reference.step(gradient, ids)
            expect_close(f"{optimizer}, {name}", model["table"], reference.table)


def test_by_hand() -> None:
    """A gradient that is clipped by value and by norm, returned, and applied."""
    table, rows = kind(SHAPE, "f64"), kind(("?", SHAPE[1]), "f64")
    for returned in (False, True):
        text = f"""
train.variable @table : {table} = #train.random_normal<stddev = 1.0>
func.func @step(%ids: tensor<?xi32>, %y: {rows}) -> (tensor<f64>{", " + table if returned else ""}) {{
  %t = train.read @table : {table}
  %e = nn.gather %t, %ids axis 0 : ({table}, tensor<?xi32>) -> {rows}
  {squares("%e", "%y", "loss", rows)}
  %g = train.gradient %loss wrt %t : ({rows}, {table}) -> {table}
  %low = arith.constant dense<-1.5> : {table}
  %high = arith.constant dense<1.5> : {table}
  %up = arith.maximumf %g, %low : {table}
  %clipped = arith.minimumf %up, %high : {table}
  %doubled = arith.addf %clipped, %clipped : {table}
  %squares = arith.mulf %doubled, %doubled : {table}
  %sum = nn.reduce sum %squares axes [0, 1] : {table} -> tensor<f64>
  %norm = math.sqrt %sum : tensor<f64>
  %three = arith.constant dense<3.0> : tensor<f64>
  %bound = arith.maximumf %norm, %three : tensor<f64>
  %factor = arith.divf %three, %bound : tensor<f64>
  %factors = nn.broadcast %factor dims [] : (tensor<f64>) -> {table}
  %scaled = arith.mulf %doubled, %factors : {table}
  train.apply_gradients %scaled : {table} to [@table]
      with {spell(*MOMENTUM)} sparse lazy
  return %norm{", %scaled" if returned else ""} : tensor<f64>{", " + table if returned else ""}
}}
"""
        for name, model in configurations(text, ALL):
            model.initialize()
            rng = np.random.default_rng(11)
            reference = Reference(model["table"], MOMENTUM, True)
            for count in (6, 3, 0):
                ids = rng.integers(0, 5, count).astype(np.int32)
                y = rng.normal(size=(count, SHAPE[1]))
                out = model.run("step", ids, y)
                gradient = 2 * np.clip(add_rows(SHAPE, ids, 2 * (reference.table[ids] - y)), -1.5, 1.5)
                norm = np.sqrt(np.sum(gradient * gradient))
                gradient *= 3.0 / max(norm, 3.0)
                expect_close(f"norm, {name}", out[0] if returned else out, norm)
                if returned:
                    expect_close(f"gradient, {name}", out[1], gradient)
                reference.step(gradient, ids)
            expect_close(f"by hand, {name}", model["table"], reference.table)


def test_clauses() -> None:
    """Clips by clauses work on rows, and a decay of weights is part of the rule."""
    case = Case(SHAPE, ("?",), "i32")
    for form in ("", "sparse lazy"):
        clauses = f"weight_decay 0.5 clip_global_norm 3.0 clip_value 0.75 {form}"
        for name, model in configurations(model_text(case, MOMENTUM, clauses), IN_PROCESS):
            model.initialize()
            rng = np.random.default_rng(19)
            reference = Reference(model["table"], MOMENTUM, bool(form))
            for count in (6, 3):
                ids, y = draw(case, rng, count, 5)
                model.run("step", ids, y)
                gradient = add_rows(SHAPE, ids, 2 * (reference.table[ids] - y))
                gradient *= 3.0 / max(np.sqrt(np.sum(gradient**2)), 3.0)
                old = reference.table
                reference.step(np.clip(gradient, -0.75, 0.75), ids)
                is_decayed = np.isin(np.arange(SHAPE[0]), ids)[:, None] if form else True
                reference.table = reference.table - np.where(is_decayed, 0.1 * 0.5 * old, 0.0)
            expect_close(f"{clauses}, {name}", model["table"], reference.table)


def test_control_flow() -> None:
    """Gathers in a branch and in a loop: dense, and right."""
    table, rows = kind(SHAPE, "f64"), kind((4, SHAPE[1]), "f64")
    text = f"""
train.variable @table : {table} = #train.random_normal<stddev = 1.0>
func.func @branch(%flag: tensor<i1>, %ids: tensor<4xi32>) {{
  %t = train.read @table : {table}
  %c = tensor.extract %flag[] : tensor<i1>
  %e = scf.if %c -> ({rows}) {{
    %0 = nn.gather %t, %ids axis 0 : ({table}, tensor<4xi32>) -> {rows}
    scf.yield %0 : {rows}
  }} else {{
    %0 = arith.constant dense<1.0> : {rows}
    scf.yield %0 : {rows}
  }}
  %loss = arith.mulf %e, %e : {rows}
  train.minimize %loss : {rows} with {spell(*MOMENTUM)}
  return
}}
func.func @loop(%ids: tensor<4xi32>) {{
  %t = train.read @table : {table}
  %zero = arith.constant dense<0.0> : {rows}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %zero) -> ({rows}) {{
    %0 = nn.gather %t, %ids axis 0 : ({table}, tensor<4xi32>) -> {rows}
    %1 = arith.addf %s, %0 : {rows}
    scf.yield %1 : {rows}
  }}
  %loss = arith.mulf %sum, %sum : {rows}
  train.minimize %loss : {rows} with {spell(*MOMENTUM)}
  return
}}
"""
    ids = np.array([5, 2, 5, 2047], np.int32)
    for entry in ("branch", "loop"):
        for name, model in configurations(text, IN_PROCESS, [entry]):
            model.initialize()
            reference = Reference(model["table"], MOMENTUM, False)
            for flag in (True, False, True):
                if entry == "branch":
                    model.run("branch", np.array(flag), ids)
                    rows_ = 2 * reference.table[ids] * flag
                else:
                    model.run("loop", ids)
                    rows_ = 18 * reference.table[ids]
                reference.step(add_rows(SHAPE, ids, rows_), ids)
            expect_close(f"{entry}, {name}", model["table"], reference.table)


def max_norm(w: Array) -> Array:
    norm = np.sqrt(np.sum(w * w, axis=1, keepdims=True))
    return np.asarray(w * np.minimum(norm, 2.0) / (1e-7 + norm))


def test_constraints() -> None:
    """V13: of every row, or with `sparse lazy` of those that are looked up."""
    case = Case(SHAPE, ("?",), "i32")
    projections: Dict[str, Callable[[Array], Array]] = {
        "#train.non_neg": lambda w: np.maximum(w, 0.0),
        "#train.max_norm<max = 2.0, axis = 1>": max_norm,
    }
    for constraint, project in projections.items():
        for form in ("", "sparse lazy"):
            for name, model in configurations(model_text(case, MOMENTUM, form, constraint), IN_PROCESS):
                model.initialize()
                rng = np.random.default_rng(13)
                reference = Reference(model["table"], MOMENTUM, bool(form))
                for count in (6, 3):
                    ids, y = draw(case, rng, count, 5)
                    model.run("step", ids, y)
                    reference.step(add_rows(SHAPE, ids, 2 * (reference.table[ids] - y)), ids)
                    projected = project(reference.table)
                    if form:
                        is_touched = np.isin(np.arange(SHAPE[0]), ids)[:, None]
                        projected = np.where(is_touched, projected, reference.table)
                    reference.table = projected
                expect_close(f"{constraint} {form}, {name}", model["table"], reference.table)


def test_constraint_of_columns() -> None:
    """Norms along the rows of a table need all of them."""
    case = Case(SHAPE, ("?",), "i32")
    for name, model in configurations(model_text(case, MOMENTUM, "sparse lazy", "#train.unit_norm"), IN_PROCESS):
        model.initialize()
        reference = Reference(model["table"], MOMENTUM, True)
        ids, y = draw(case, np.random.default_rng(17), 6, 5)
        model.run("step", ids, y)
        reference.step(add_rows(SHAPE, ids, 2 * (reference.table[ids] - y)), ids)
        norm = np.sqrt(np.sum(reference.table**2, axis=0, keepdims=True))
        expect_close(name, model["table"], reference.table / (1e-7 + norm))


def test_workspace() -> None:
    """The step of a large table has no gradient of its size."""
    case = Case((1000000, 64), (1024,), "i32", "f32")
    for optimizer, form, limit in (
            (("gradient_descent", dict(lr=0.1)), "", 1 << 20),
            (("sgd", dict(lr=0.1)), "sparse lazy", 1 << 20),
            (ADAM, "sparse lazy", 1 << 20),
            (ADAM, "", 1 << 20),
            # In the reference lowering the squares of rows, which are of f64.
            (ADAM, "clip_global_norm 1.0 sparse lazy", 3 << 19),
    ):
        for lowering in ("reference", "optimized"):
            program = flywheel.compile(model_text(case, optimizer, form), lowering=lowering)
            size = next(entry for entry in program.entries if entry.name == "step").workspace_bytes()
            if size > limit:
                raise AssertionError(f"{optimizer} {form}, {lowering}: expected at most {limit} bytes of "
                                     f"workspace, found {size}")


def test_divisions_by_zero() -> None:
    """A quotient of a zero is 0 where the divisor is known to be none; what may be 0 / 0 is
    computed for every row, as with a dense gradient."""
    case = Case(SHAPE, ("?",), "i32")
    for name, model in configurations(model_text(case, ("adagrad", dict(lr=0.1, epsilon=0.0)), ""), ALL):
        model.initialize()
        start = model["table"]
        ids = np.array([1, 2], np.int32)
        model.run("step", ids, start[ids] - 1)
        expect_close(f"{name}: rows", model["table"][ids], start[ids] - 0.1)
        assert np.isnan(np.delete(model["table"], ids, 0)).all(), name
    table, rows = kind(SHAPE, "f64"), kind(("?", SHAPE[1]), "f64")
    text = f"""
train.variable @table : {table} = #train.random_normal<stddev = 1.0>
func.func @step(%ids: tensor<?xi32>, %y: {rows}, %count: tensor<f64>) {{
  %t = train.read @table : {table}
  %e = nn.gather %t, %ids axis 0 : ({table}, tensor<?xi32>) -> {rows}
  {squares("%e", "%y", "loss", rows)}
  %g = train.gradient %loss wrt %t : ({rows}, {table}) -> {table}
  %counts = nn.broadcast %count dims [] : (tensor<f64>) -> {table}
  %mean = arith.divf %g, %counts : {table}
  train.apply_gradients %mean : {table} to [@table] with {spell("gradient_descent", dict(lr=0.1))}
  return
}}
"""
    for name, model in configurations(text, ALL):
        model.initialize()
        reference = Reference(model["table"], ("gradient_descent", dict(lr=0.1)), False)
        ids, y = np.array([7, 2, 7], np.int32), np.ones((3, SHAPE[1]))
        model.run("step", ids, y, np.array(4.0))
        reference.step(add_rows(SHAPE, ids, 2 * (reference.table[ids] - y)) / 4, ids)
        expect_close(f"{name}: mean", model["table"], reference.table)
        model.run("step", ids, y, np.array(0.0))
        assert np.isnan(np.delete(model["table"], ids, 0)).all(), name


if __name__ == "__main__":
    run_tests([test_optimizers, test_all_rows_once, test_shapes, test_narrow, test_out_of_range, test_two_lookups,
               test_tied, test_by_hand, test_clauses, test_control_flow, test_constraints, test_constraint_of_columns,
               test_workspace, test_divisions_by_zero])
