# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""The native builder refuses what is wrong where it is made, and never crashes: random calls in any order."""

import random
from typing import Any, List

import flywheel as fw
from flywheel import _flywheel

NAMES = """
nn.relu nn.reduce nn.conv2d nn.matmul nn.dense scf.if scf.for scf.while tensor.pad tensor.extract_slice
tensor.insert_slice tensor.expand_shape tensor.collapse_shape train.minimize train.gradient train.jacobian
train.custom_vjp train.read train.assign train.variable train.random train.dropout nn.layer_norm nn.attention
nn.lstsq arith.cmpf arith.select arith.constant tensor.from_elements linalg.transpose linalg.generic
train.least_squares nn.max_pool2d nn.broadcast nn.iota func.call func.return scf.yield train.yield nn.one_hot
train.apply_gradients train.jvp func.func nn.nope x
""".split()
ATTRIBUTES = [
    ("axes", ("i64s", [0])), ("axis", ("i64", 9)), ("kind", ("i32", 77)), ("strides", ("i64s", [0, 1])),
    ("operandSegmentSizes", ("i32s", [1, 1, 1, 0])), ("operandSegmentSizes", ("i32s", [-1, 2])),
    ("window", ("i64s", [2])), ("padding", ("text", "#nn.padding<same>")), ("padding", ("i64", 1)),
    ("predicate", ("i64", 99)),
    ("value", ("f32", 1.0)), ("variable", ("symbol", "w")), ("optimizer", ("struct", ("train.sgd", {"lr": 0.1}))),
    ("optimizer", ("str", "a")), ("reduction", ("i32", 5)), ("dims", ("i64s", [5])),
    ("sym_name", ("str", "w")),
    ("static_offsets", ("i64s", [-1, 7])), ("static_sizes", ("i64s", [2])), ("static_strides", ("i64s", [1])),
    ("reassociation", ("groups", [[0, 1]])), ("static_output_shape", ("i64s", [2, 2])),
    ("permutation", ("i64s", [1, 0])),
    ("type", ("unit", None)), ("epsilon", ("f64", 0.1)), ("var_list", ("symbols", ["q"])), ("rate", ("f64", 2.0)),
    ("distribution", ("struct", ("train.random_uniform", {}))), ("axes", ("nope", 1))]  # fmt: skip
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
graph = _flywheel.Graph("m", "/nowhere/")
x = graph.begin_function("f", [graph.type("float32", (4,))], {}, [])[0]
for words, action in (
    ("there is no op 'nn.nope'", lambda: graph.op("nn.nope", [x], None, {}, [])),
    ("does not infer the types", lambda: graph.op("nn.dense", [x, x], None, {}, [])),
    ("there is no kind of attribute 'nope'", lambda: graph.op("nn.relu", [x], None, {"a": ("nope", 1)}, [])),
    ("expected axes within", lambda: graph.op("nn.reduce", [x], [graph.type("float32", ())],
                                              {"kind": ("i32", 0), "axes": ("i64s", [1])}, [])),
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
