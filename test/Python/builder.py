# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""The native builder refuses what is wrong where it is made, and never crashes: random calls in any order."""

import random
from typing import Any, List

import numpy as np

import flywheel as fw
from flywheel import _flywheel
from flywheel._flywheel import Attribute

NOT_A_LIST: Any = 1
NAMES = """
nn.relu nn.reduce nn.conv2d nn.matmul nn.dense scf.if scf.for scf.while tensor.pad tensor.extract_slice
tensor.insert_slice tensor.expand_shape tensor.collapse_shape train.minimize train.gradient train.jacobian
train.custom_vjp train.read train.assign train.variable train.random train.dropout nn.layer_norm nn.attention
nn.lstsq arith.cmpf arith.select arith.constant tensor.from_elements linalg.transpose linalg.generic
train.least_squares nn.max_pool2d nn.broadcast nn.iota func.call func.return scf.yield train.yield nn.one_hot
train.apply_gradients train.jvp func.func nn.nope x
""".split()
ATTRIBUTES = [
    ("axes", Attribute.i64s([0])), ("axis", Attribute.i64(9)), ("kind", Attribute.i32(77)),
    ("strides", Attribute.i64s([0, 1])), ("operandSegmentSizes", Attribute.i32s([1, 1, 1, 0])),
    ("operandSegmentSizes", Attribute.i32s([-1, 2])), ("window", Attribute.i64s([2])),
    ("padding", Attribute.padding("same")), ("padding", Attribute.padding("nope")),
    ("padding", Attribute.padding([(1, -1)])),
    ("padding", Attribute.i64(1)), ("predicate", Attribute.i64(99)), ("value", Attribute.f64(1.0)),
    ("variable", Attribute.symbol("w")), ("optimizer", Attribute.struct("train.sgd", {"lr": 0.1})),
    ("optimizer", Attribute.string("a")), ("reduction", Attribute.i32(5)), ("dims", Attribute.i64s([5])),
    ("sym_name", Attribute.string("w")), ("static_offsets", Attribute.i64s([-1, 7])),
    ("static_sizes", Attribute.i64s([2])), ("static_strides", Attribute.i64s([1])),
    ("reassociation", Attribute.groups([[0, 1]])), ("static_output_shape", Attribute.i64s([2, 2])),
    ("permutation", Attribute.i64s([1, 0])), ("type", Attribute.unit()), ("epsilon", Attribute.f64(0.1)),
    ("var_list", Attribute.symbols(["q"])), ("rate", Attribute.f64(2.0)),
    ("distribution", Attribute.struct("train.random_uniform", {})), ("axes", Attribute.i64s(NOT_A_LIST))]  # fmt: skip
TERMINATORS = ["scf.yield", "train.vjp_yield", "linalg.yield", "tensor.yield", "train.yield", "func.return"]


def act(rng: random.Random, graph: Any, types: List[Any], values: List[Any], regions: List[Any]) -> None:
    def some(items: List[Any], most: int) -> List[Any]:
        return rng.sample(items, min(len(items), rng.randint(0, most)))

    kind = rng.random()
    if kind < 0.1:
        values += graph.begin_region(some(types, 2))
    elif kind < 0.2:
        regions.append(graph.end_region(rng.choice(TERMINATORS), some(values, 2)))
    elif kind < 0.23:
        graph.abandon_region()
    elif kind < 0.26:
        values += graph.isolate(rng.choice(regions or [None]))
    elif kind < 0.3:
        values += graph.batch(rng.choice(regions or [None]), rng.sample(values, 1), [True], 2)
    elif kind < 0.33:
        graph.depends(rng.sample(values, 1), rng.sample(values, 1))
    else:
        results = None if rng.random() < 0.4 else some(types, 2)
        name, attributes, top_level = rng.choice(NAMES), dict(some(ATTRIBUTES, 6)), rng.random() < 0.05
        values += graph.op(name, some(values, 4), results, attributes, some(regions, 2), top_level)


def run(rng: random.Random) -> None:
    graph = _flywheel.Graph("m", "/nowhere/")
    shapes = [("float32", (None, 4)), ("float32", (4, 4)), ("int32", (3,)), ("float32", ()), ("bool", None),
              ("index", None), ("float32", (2, 3, 4, 5))]  # fmt: skip
    types = [graph.type(dtype, shape) for dtype, shape in shapes]
    values, regions = list(graph.begin_function("f", types, {}, [])), []  # type: ignore[var-annotated]
    for _ in range(30):
        try:
            act(rng, graph, types, values, regions)
        except (ValueError, TypeError, RuntimeError):
            continue
    if rng.random() < 0.5:
        graph.abandon_function()
        return
    try:
        graph.end_function(rng.sample(values, 1), [])
        str(graph.finish())
    except (ValueError, TypeError, RuntimeError):
        return


for seed in range(600):
    run(random.Random(seed))

# Each mistake is an error that says what is expected.
other_type = _flywheel.Graph("m", "/nowhere/").type("float32", (4,))
graph = _flywheel.Graph("m", "/nowhere/")
x = graph.begin_function("f", [graph.type("float32", (4,))], {}, [])[0]
for words, action in (
    ("there is no op 'nn.nope'", lambda: graph.op("nn.nope", [x], None, {}, [])),
    ("does not infer the types", lambda: graph.op("nn.dense", [x, x], None, {}, [])),
    ("expected an Attribute as a, found 1", lambda: graph.op("nn.relu", [x], None, {"a": NOT_A_LIST}, [])),
    ("expected a sequence of integers as a, found 1",
     lambda: graph.op("nn.relu", [x], None, {"a": Attribute.i64s(NOT_A_LIST)}, [])),
    ("there is no attribute 'train.nope'",
     lambda: graph.op("nn.relu", [x], None, {"a": Attribute.struct("train.nope", {})}, [])),
    ("a field of 'train.sgd' that it does not have",
     lambda: graph.op("nn.relu", [x], None, {"a": Attribute.struct("train.sgd", {"nope": 1.0})}, [])),
    ("expected a value of lr, which has no default",
     lambda: graph.op("nn.relu", [x], None, {"a": Attribute.struct("train.momentum", {})}, [])),
    ("expected another value as lr, found 'a'",
     lambda: graph.op("nn.relu", [x], None, {"a": Attribute.struct("train.sgd", {"lr": "a"})}, [])),
    ("expected a finite lr, found nan",
     lambda: graph.op("nn.relu", [x], None, {"a": Attribute.struct("train.sgd", {"lr": float("nan")})}, [])),
    ("expected a type of this graph",
     lambda: graph.op("nn.relu", [x], None, {"a": Attribute.of_type(other_type)}, [])),
    ("expected the type of a tensor",
     lambda: graph.op("nn.relu", [x], None, {"a": Attribute.elements(np.ones(4), graph.type("float32", None))}, [])),
    ("expected a type of this graph",
     lambda: graph.op("nn.relu", [x], None, {"a": Attribute.elements(np.ones(4, np.float32), other_type)}, [])),
    ("expected axes within", lambda: graph.op("nn.reduce", [x], [graph.type("float32", ())],
                                              {"kind": Attribute.i32(0), "axes": Attribute.i64s([1])}, [])),
    ("is outside of functions", lambda: graph.op("nn.relu", [x], None, {}, [], True)),
    ("still being traced", graph.finish),
    ("no tensor has the dtype", lambda: graph.type("complex64", ())),
    ("at least 0, or None", lambda: graph.type("float32", (-1,))),
):  # fmt: skip
    try:
        action()
    except (fw.CompileError, ValueError, TypeError) as error:
        assert words in str(error), (words, str(error))
    else:
        raise AssertionError(f"expected an error '{words}'")
