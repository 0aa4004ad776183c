# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Steps with a memory budget, in all configurations.

A step that recomputes values instead of keeping them computes the same, bit for
bit, as one that keeps them all: results, variables and slots, over several
steps. And its workspace is within the budget.
"""

from typing import List, Sequence, Tuple

import numpy as np

import flywheel
from configurations import ALL, Array, Model, expect_equal, expect_error, make, run_tests
from graphs import Graph, generate
from graphs.graph import DTYPES

BATCH = 24
WIDTH = 16
STEPS = 3
# Seeds and sizes of random graphs, and how they are lowered.
GRAPHS = ((910106, 14, "optimized"), (910109, 14, "optimized"), (910106, 24, "reference"), (910107, 24, "reference"),
          (910112, 24, "reference"), (910123, 24, "reference"))

# A budget is for one worker: each has buffers of its own. On a GPU nothing is on a stack, and the budgets
# here are those of a CPU.
ONE_WORKER = tuple(name for name in ALL if name not in ("workers", "gpu"))


def function(arguments: str, lines: Sequence[str]) -> str:
    body = "\n".join("  " + line for line in lines)
    return f"func.func @step({arguments}) -> tensor<f32> {{\n{body}\n}}\n"


def squared_error(output: str, batch: str = "?") -> List[str]:
    matrix = f"tensor<{batch}x{WIDTH}xf32>"
    return [
        f"%error = arith.subf {output}, %t : {matrix}",
        f"%square = arith.mulf %error, %error : {matrix}",
        f"%loss = nn.reduce mean %square axes [0, 1] : {matrix} -> tensor<f32>",
    ]


def dense(i: int, x: str, batch: str = "?") -> List[str]:
    matrix = f"tensor<{batch}x{WIDTH}xf32>"
    return [
        f"%w{i} = train.read @w{i} : tensor<{WIDTH}x{WIDTH}xf32>",
        f"%b{i} = train.read @b{i} : tensor<{WIDTH}xf32>",
        f"%z{i} = nn.dense {x}, %w{i}, %b{i} : "
        f"({matrix}, tensor<{WIDTH}x{WIDTH}xf32>, tensor<{WIDTH}xf32>) -> {matrix}",
    ]


def variables(layers: int) -> str:
    return "".join(
        f"train.variable @w{i} : tensor<{WIDTH}x{WIDTH}xf32> = #train.glorot_uniform\n"
        f"train.variable @b{i} : tensor<{WIDTH}xf32> = #train.random_normal<stddev = 0.1>\n"
        for i in range(layers)
    )


def deep_mlp(layers: int, batch: str = "?") -> str:
    """A chain of layers; gelu has several elementwise values a layer."""
    matrix = f"tensor<{batch}x{WIDTH}xf32>"
    lines: List[str] = []
    x = "%x"
    for i in range(layers):
        activation = "nn.gelu" if i % 3 == 0 else "math.tanh"
        lines += dense(i, x, batch) + [f"%h{i} = {activation} %z{i} : {matrix}"]
        x = f"%h{i}"
    lines += squared_error(x, batch)
    lines += ["train.minimize %loss : tensor<f32> with #train.adam<lr = 0.01>", "return %loss : tensor<f32>"]
    return variables(layers) + function(f"%x: {matrix}, %t: {matrix}", lines)


def recurrent(steps: int) -> str:
    """One weight for all steps: it is updated after the last of its readers."""
    matrix = f"tensor<?x{WIDTH}xf32>"
    square = f"tensor<{WIDTH}x{WIDTH}xf32>"
    lines = [f"%w = train.read @w : {square}", f"%u = train.read @u : {square}",
             f"%i = nn.matmul %x, %u : ({matrix}, {square}) -> {matrix}"]
    h = "%x"
    for i in range(steps):
        lines += [f"%a{i} = nn.matmul {h}, %w : ({matrix}, {square}) -> {matrix}",
                  f"%s{i} = arith.addf %a{i}, %i : {matrix}",
                  f"%h{i} = math.tanh %s{i} : {matrix}"]
        h = f"%h{i}"
    lines += squared_error(h)
    lines += ["train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1, momentum = 0.9>",
              "return %loss : tensor<f32>"]
    declared = "".join(f"train.variable @{name} : {square} = #train.glorot_uniform\n" for name in "wu")
    return declared + function(f"%x: {matrix}, %t: {matrix}", lines)


def noisy(layers: int) -> str:
    """Every layer multiplies by noise: the stream has moved on when the backward
    part needs it again."""
    matrix = f"tensor<?x{WIDTH}xf32>"
    lines = ["%c0 = arith.constant 0 : index", f"%batch = tensor.dim %x, %c0 : {matrix}"]
    x = "%x"
    for i in range(layers):
        lines += dense(i, x)
        lines += [f"%n{i} = train.random #train.random_uniform<minval = 0.5, maxval = 1.5>(%batch) -> {matrix}",
                  f"%m{i} = arith.mulf %z{i}, %n{i} : {matrix}",
                  f"%h{i} = math.tanh %m{i} : {matrix}"]
        x = f"%h{i}"
    lines += squared_error(x)
    lines += ["train.minimize %loss : tensor<f32> with #train.adam<lr = 0.01>", "return %loss : tensor<f32>"]
    return variables(layers) + function(f"%x: {matrix}, %t: {matrix}", lines)


def assigned(layers: int) -> str:
    """Between the layers, variables that the layers before have read are
    assigned: what was made of their old values cannot be computed again."""
    matrix = f"tensor<?x{WIDTH}xf32>"
    vector = f"tensor<{WIDTH}xf32>"
    lines: List[str] = []
    x = "%x"
    for i in range(layers):
        lines += dense(i, x)
        lines += [f"%o{i} = train.read @scale{i % 2} : {vector}",
                  f"%r{i} = nn.broadcast %o{i} dims [1] like %z{i} : ({vector}, {matrix}) -> {matrix}",
                  f"%m{i} = arith.mulf %z{i}, %r{i} : {matrix}",
                  f"%h{i} = math.tanh %m{i} : {matrix}"]
        if i % 2 == 1:
            lines += [f"%k{i} = nn.reduce mean %h{i} axes [0] : {matrix} -> {vector}",
                      f"train.assign_add @scale{i // 2 % 2}, %k{i} : {vector}"]
        x = f"%h{i}"
    lines += squared_error(x)
    lines += ["train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>", "return %loss : tensor<f32>"]
    scales = "".join(f"train.variable @scale{i} : {vector} = #train.ones {{trainable = false}}\n" for i in range(2))
    return variables(layers) + scales + function(f"%x: {matrix}, %t: {matrix}", lines)


def looped(layers: int, iterations: int) -> str:
    """Loops, whose backward part reads what each iteration left in a buffer,
    between layers: the buffers count."""
    matrix = f"tensor<?x{WIDTH}xf32>"
    square = f"tensor<{WIDTH}x{WIDTH}xf32>"
    lines = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
             f"%count = arith.constant {iterations} : index"]
    x = "%x"
    for i in range(layers):
        lines += dense(i, x)
        lines += [f"%l{i} = scf.for %i{i} = %c0 to %count step %c1 iter_args(%s{i} = %z{i}) -> {matrix} {{",
                  f"  %p{i} = nn.matmul %s{i}, %w{i} : ({matrix}, {square}) -> {matrix}",
                  f"  %q{i} = math.tanh %p{i} : {matrix}",
                  f"  scf.yield %q{i} : {matrix}",
                  "}",
                  f"%h{i} = math.tanh %l{i} : {matrix}"]
        x = f"%h{i}"
    lines += squared_error(x)
    lines += ["train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>", "return %loss : tensor<f32>"]
    return variables(layers) + function(f"%x: {matrix}, %t: {matrix}", lines)


def feeds() -> Tuple[Array, Array]:
    generator = np.random.default_rng(1)
    return (generator.standard_normal((BATCH, WIDTH)).astype(np.float32),
            generator.standard_normal((BATCH, WIDTH)).astype(np.float32))


def train(model: Model) -> List[Array]:
    model.initialize(seed=7)
    return [model.run("step", *feeds()) for _ in range(STEPS)]


def expect_same(what: str, text: str, shares: Sequence[float], configurations: Sequence[str] = ONE_WORKER) -> None:
    """Trains with shares of the workspace that the model has without a budget."""
    for configuration in configurations:
        whole = make(text, configuration, max_dim_size=BATCH)
        losses = train(whole)
        # The test is about training, not about numbers that do not move.
        assert np.isfinite(losses).all() and losses[0] != losses[-1], losses
        size = whole.workspace_bytes("step")
        for share in shares:
            budget = int(size * share)
            case = f"{what}, {configuration}, {budget} of {size} bytes"
            model = make(text, configuration, max_dim_size=BATCH, memory_budget=budget)
            found = model.workspace_bytes("step")
            if not 0 < found <= budget:
                raise AssertionError(f"{case}: found a workspace of {found} bytes")
            expect_equal(case, train(model), losses)
            for name, value in whole.snapshot().items():
                expect_equal(f"{case}, {name}", model[name], value)


def test_deep_mlp() -> None:
    expect_same("mlp", deep_mlp(16), (0.7, 0.4))


def test_static_batch() -> None:
    expect_same("static", deep_mlp(8, str(BATCH)), (0.6,), ("optimized", "object"))


def test_recomputed_again() -> None:
    # Less than the square root of the layers: parts are computed several times.
    expect_same("deep", deep_mlp(24), (0.22,), ("optimized",))
    # There each op of a derivative has a value of its own: those of one gelu are a share of their own.
    expect_same("deep", deep_mlp(24), (0.27,), ("reference",))


def test_recurrent() -> None:
    # Shares of a workspace in which results are in the buffers of operands: that alone takes 8 % less.
    expect_same("recurrent", recurrent(16), (0.75, 0.6))


def test_noise() -> None:
    expect_same("noise", noisy(8), (0.7, 0.5))


def test_assigned() -> None:
    expect_same("assigned", assigned(8), (0.8,))


def test_loops() -> None:
    expect_same("loops", looped(6, 3), (0.8,), ("reference", "optimized", "object"))


def train_graph(graph: Graph, model: Model) -> List[Array]:
    for node, value in graph.weights:
        model[node.name[1:]] = value.astype(DTYPES[graph.element])
    model.initialize(1, [name for name in model.variables() if not name.startswith("w") or "/" in name])
    feeds = graph.draw_feeds(np.random.default_rng(1), BATCH)
    results = [model.run("step", *feeds) for _ in range(STEPS)]
    return [array for result in results for array in (result if isinstance(result, tuple) else (result,))]


def expect_graph_same(graph: Graph, configuration: str) -> int:
    """As `expect_same`, with less and less as long as it suffices: how often it did."""
    whole = make(graph.module(), configuration, ("step",), max_dim_size=BATCH)
    expected = train_graph(graph, whole)
    size = whole.workspace_bytes("step")
    for count, share in enumerate(np.arange(0.9, 0.2, -0.1)):
        budget = int(size * share)
        try:
            model = make(graph.module(), configuration, ("step",), max_dim_size=BATCH, memory_budget=budget)
        except flywheel.CompileError as error:
            if "needs a workspace of at least" not in str(error):
                raise
            return count
        case = f"{configuration}, {budget} of {size} bytes"
        if model.workspace_bytes("step") > budget:
            raise AssertionError(f"{case}: found a workspace of {model.workspace_bytes('step')} bytes")
        for i, (found, value) in enumerate(zip(train_graph(graph, model), expected)):
            expect_equal(f"{case}, result {i}", found, value)
        for name, value in whole.snapshot().items():
            expect_equal(f"{case}, {name}", model[name], value)
    return count + 1


def test_graphs() -> None:
    # Values that are recomputed from others that are recomputed.
    counts = [expect_graph_same(generate(seed, size, None), configuration) for seed, size, configuration in GRAPHS]
    assert sum(counts) > len(GRAPHS), counts


def test_out_of_reach() -> None:
    expect_error("budget", r"'step' needs a workspace of at least \d+ bytes where every dimension size is 24, "
                 r"more than the memory budget of 1000 bytes",
                 lambda: flywheel.compile(deep_mlp(4), memory_budget=1000, max_dim_size=BATCH), flywheel.CompileError)
    expect_error("negative", "compile: expected a number of bytes, .* as memory_budget, found -1",
                 lambda: flywheel.compile(deep_mlp(1), memory_budget=-1), ValueError)
    expect_error("dim_size", "max_dim_size: expected a bound within .1, 16777216., found 0",
                 lambda: flywheel.compile(deep_mlp(1), memory_budget=1 << 20, max_dim_size=0), ValueError)


run_tests([value for name, value in sorted(globals().items()) if name.startswith("test_")])
