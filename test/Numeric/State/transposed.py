# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""A10: weights that are stored transposed, as PyTorch's linear layers have them.

A value that equals the old value of a weight, such as two transpositions in a
row, is a read of the weight: it comes before the update. Every program runs
several steps in every configuration, with the same results; no step copies a
variable, so none reports a copy.
"""

from typing import Any, Dict, List, Sequence

import numpy as np

from configurations import IN_PROCESS, configurations, expect_close, run_tests

OPTIMIZERS = (
    "#train.sgd<lr = 0.1>",
    "#train.sgd<lr = 0.1, momentum = 0.9, nesterov = true>",
    "#train.momentum<lr = 0.05>",
    "#train.adam<lr = 0.01>",
    "#train.adam<lr = 0.01, amsgrad = true>",
)


class Writer:
    """Text of a step, op by op."""

    def __init__(self, batch: str, element: str = "f32") -> None:
        self.batch = batch
        self.element = element
        self.variables: List[str] = []
        self.lines: List[str] = []
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"%t{self.count}"

    def type(self, *shape: Any) -> str:
        return "tensor<" + "".join(f"{size}x" for size in shape) + self.element + ">"

    def op(self, text: str) -> str:
        name = self.name()
        self.lines.append(f"  {name} = {text}")
        return name

    def variable(self, name: str, *shape: int) -> str:
        type = self.type(*shape)
        self.variables.append(f"train.variable @{name} : {type}")
        return self.op(f"train.read @{name} : {type}")

    def transpose(self, value: str, shape: Sequence[int], permutation: Sequence[int]) -> str:
        new = [shape[dim] for dim in permutation]
        empty = self.op(f"tensor.empty() : {self.type(*new)}")
        return self.op(
            f"linalg.transpose ins({value} : {self.type(*shape)}) "
            f"outs({empty} : {self.type(*new)}) permutation = {list(permutation)}"
        )

    def linear(self, name: str, x: str, n: int, m: int, weight: str = "", rows: Any = None) -> str:
        """x w^T + b, of a weight [m, n]."""
        rows = rows or self.batch
        weight = weight or self.variable(f"{name}.w", m, n)
        bias = self.variable(f"{name}.b", m)
        w = self.transpose(weight, (m, n), (1, 0))
        return self.op(
            f"nn.dense {x}, {w}, {bias} : ({self.type(rows, n)}, {self.type(n, m)}, "
            f"{self.type(m)}) -> {self.type(rows, m)}"
        )

    def unary(self, op: str, x: str, *shape: Any) -> str:
        return self.op(f"{op} {x} : {self.type(*shape)}")

    def finish(self, arguments: str, loss: str, optimizer: str) -> str:
        return "\n".join(
            [
                *self.variables,
                f"func.func @step({arguments}) -> {self.type()} {{",
                *self.lines,
                f"  train.minimize {loss} : {self.type()} with {optimizer}",
                f"  return {loss} : {self.type()}",
                "}",
            ]
        )


def check(text: str, *feeds: Any, tolerance: float = 2e-4) -> None:
    expected: Dict[str, Any] = {}
    losses: List[Any] = []
    for configuration, model in configurations(text, IN_PROCESS):
        model.initialize(seed=3)
        found = [model.run("step", *feeds) for _ in range(3)]
        assert found[-1] != found[0], configuration
        if not expected:
            assert configuration == "reference", configuration
            expected, losses = model.snapshot(), found
        for one, other in zip(found, losses):
            expect_close(configuration, one, other, tolerance)
        for name, value in model.snapshot().items():
            expect_close(f"{configuration}: {name}", value, expected[name], tolerance)


def network(batch: str, sizes: Sequence[int], optimizer: str, tie: bool = False) -> str:
    w = Writer(batch)
    x, last = "%x", len(sizes) - 2
    tied = ""
    for i, (n, m) in enumerate(zip(sizes, sizes[1:])):
        x = w.linear(f"l{i}", x, n, m, weight=tied if tie and i == last else "")
        if tie and i == 0:
            # Used as it is by the last layer but one, and transposed here.
            tied = w.lines[0].split()[0]
        if i < last:
            x = w.unary("nn.relu", x, batch, m)
    labels = f"tensor<{batch}xi64>"
    loss = w.op(f"nn.sparse_softmax_cross_entropy {x}, %y : ({w.type(batch, sizes[-1])}, {labels}) -> {w.type()}")
    return w.finish(f"%x: {w.type(batch, sizes[0])}, %y: {labels}", loss, optimizer)


def feeds(rows: int, n: int, classes: int) -> List[Any]:
    rng = np.random.default_rng(1)
    return [
        rng.standard_normal((rows, n)).astype(np.float32),
        rng.integers(0, classes, rows, dtype=np.int64),
    ]


def test_layers() -> None:
    """One layer to four, of sizes in and out of whole tiles."""
    for optimizer in OPTIMIZERS:
        check(network("16", (64, 32, 10), optimizer), *feeds(16, 64, 10))
    for sizes in ((5, 3), (64, 10), (17, 33, 9), (40, 48, 96, 40, 12), (130, 70, 260, 3)):
        check(network("13", sizes, OPTIMIZERS[0]), *feeds(13, sizes[0], sizes[-1]))


def test_dynamic_batch() -> None:
    for optimizer in OPTIMIZERS[:4:3]:
        for rows in (1, 16, 37):
            check(network("?", (20, 32, 10), optimizer), *feeds(rows, 20, 10))


def test_tied() -> None:
    """One weight of two layers."""
    check(network("16", (24, 24, 24, 24), OPTIMIZERS[0], tie=True), *feeds(16, 24, 24))
    # Transposed by one layer and not by the other: an autoencoder.
    for optimizer in OPTIMIZERS:
        w = Writer("16")
        weight = w.variable("w", 32, 40)
        turned = w.transpose(weight, (32, 40), (1, 0))
        hidden = w.op(f"nn.dense %x, {turned} : ({w.type(16, 40)}, {w.type(40, 32)}) -> {w.type(16, 32)}")
        hidden = w.unary("nn.relu", hidden, 16, 32)
        out = w.op(f"nn.dense {hidden}, {weight} : ({w.type(16, 32)}, {w.type(32, 40)}) -> {w.type(16, 40)}")
        error = w.op(f"arith.subf {out}, %x : {w.type(16, 40)}")
        loss = w.op(f"nn.l2_loss {error} : {w.type(16, 40)} -> {w.type()}")
        check(w.finish(f"%x: {w.type(16, 40)}", loss, optimizer.replace("0.1", "0.001")), feeds(16, 40, 2)[0])


def test_twice() -> None:
    """Two steps of an optimizer in one step of the program, and an assignment."""
    text = network("16", (24, 32, 10), "#train.sgd<lr = 0.1>")
    before, minimize, after = text.partition("  train.minimize")
    body = before[before.index("\n", before.index("func.func")) + 1 :]
    again = "".join(line.replace("%t", "%u") + "\n" for line in body.splitlines())
    second = "  train.minimize %u" + after.split("%t")[1].partition("\n")[0] + "\n"
    rest = after.partition("\n")[2]
    text = before + minimize + after.partition("\n")[0] + "\n" + again + second + rest
    check(text, *feeds(16, 24, 10))


def recurrence(kind: str, batch: str, time: int, n: int, m: int, optimizer: str) -> str:
    """A recurrent network with PyTorch's weights, [gates m, n] and [gates m, m]."""
    gates = {"rnn": 1, "gru": 3, "lstm": 4}[kind]
    w = Writer(batch)
    wx = w.transpose(w.variable("wx", gates * m, n), (gates * m, n), (1, 0))
    wh = w.transpose(w.variable("wh", gates * m, m), (gates * m, m), (1, 0))
    out = w.variable("out", 3, m)
    state, wide = w.type(batch, m), w.type(batch, gates * m)
    size = ""
    if batch == "?":
        one = w.op("arith.constant 1 : index")
        size = w.op(f"tensor.dim %x, {one} : {w.type(time, batch, n)}")
    zero = w.op("arith.constant 0.0 : f32")
    empty = w.op(f"tensor.empty({size}) : {state}")
    h0 = w.op(f"linalg.fill ins({zero} : f32) outs({empty} : {state}) -> {state}")
    low, high, step = (w.op(f"arith.constant {i} : index") for i in (0, time, 1))
    w.lines.append(
        f"  %end:2 = scf.for %i = {low} to {high} step {step} iter_args(%h = {h0}, %c = {h0}) -> ({state}, {state}) {{"
    )
    rows = size or batch
    x = w.op(
        f"tensor.extract_slice %x[%i, 0, 0] [1, {rows}, {n}] [1, 1, 1] : {w.type(time, batch, n)} to {w.type(batch, n)}"
    )
    a = w.op(f"nn.dense {x}, {wx} : ({w.type(batch, n)}, {w.type(n, gates * m)}) -> {wide}")
    b = w.op(f"nn.dense %h, {wh} : ({state}, {w.type(m, gates * m)}) -> {wide}")

    def gate(value: str, i: int) -> str:
        return w.op(f"tensor.extract_slice {value}[0, {i * m}] [{rows}, {m}] [1, 1] : {wide} to {state}")

    def binary(op: str, one: str, other: str, type: str = state) -> str:
        return w.op(f"arith.{op} {one}, {other} : {type}")

    cell = "%c"
    if kind == "rnn":
        new = w.unary("math.tanh", binary("addf", a, b, wide), batch, m)
    elif kind == "gru":
        r, z = (w.unary("nn.sigmoid", binary("addf", gate(a, i), gate(b, i)), batch, m) for i in (0, 1))
        candidate = w.unary("math.tanh", binary("addf", gate(a, 2), binary("mulf", r, gate(b, 2))), batch, m)
        change = binary("mulf", z, binary("subf", "%h", candidate))
        new = binary("addf", candidate, change)
    else:
        both = binary("addf", a, b, wide)
        i, f, o = (w.unary("nn.sigmoid", gate(both, k), batch, m) for k in (0, 1, 3))
        g = w.unary("math.tanh", gate(both, 2), batch, m)
        cell = binary("addf", binary("mulf", f, "%c"), binary("mulf", i, g))
        new = binary("mulf", o, w.unary("math.tanh", cell, batch, m))
    w.lines += [f"  scf.yield {new}, {cell} : {state}, {state}", "  }"]
    turned = w.transpose(out, (3, m), (1, 0))
    y = w.op(f"nn.dense %end#0, {turned} : ({state}, {w.type(m, 3)}) -> {w.type(batch, 3)}")
    loss = w.op(f"nn.sparse_softmax_cross_entropy {y}, %y : ({w.type(batch, 3)}, tensor<{batch}xi64>) -> {w.type()}")
    return w.finish(f"%x: {w.type(time, batch, n)}, %y: tensor<{batch}xi64>", loss, optimizer)


def test_recurrences() -> None:
    rng = np.random.default_rng(2)
    x = rng.standard_normal((5, 8, 12)).astype(np.float32)
    y = rng.integers(0, 3, 8, dtype=np.int64)
    for kind in ("rnn", "gru", "lstm"):
        for batch, optimizer in (("8", OPTIMIZERS[3]), ("?", OPTIMIZERS[0])):
            check(recurrence(kind, batch, 5, 12, 16, optimizer), x, y)


def test_attention() -> None:
    """A block with PyTorch's packed projection, [3 n, n], and a feed-forward part."""
    n, rows = 24, 10
    for optimizer in OPTIMIZERS[::3]:
        w = Writer(str(rows))
        qkv = w.linear("in", "%x", n, 3 * n)
        q, k, v = (
            w.op(
                f"tensor.extract_slice {qkv}[0, {i * n}] [{rows}, {n}] [1, 1] : "
                f"{w.type(rows, 3 * n)} to {w.type(rows, n)}"
            )
            for i in range(3)
        )
        scores = w.op(
            f"nn.matmul {q}, {k} {{transpose_b}} : ({w.type(rows, n)}, {w.type(rows, n)}) -> {w.type(rows, rows)}"
        )
        weights = w.op(f"nn.softmax {scores} : {w.type(rows, rows)}")
        mixed = w.op(f"nn.matmul {weights}, {v} : ({w.type(rows, rows)}, {w.type(rows, n)}) -> {w.type(rows, n)}")
        x = w.op(f"arith.addf %x, {w.linear('out', mixed, n, n)} : {w.type(rows, n)}")
        hidden = w.unary("nn.relu", w.linear("up", x, n, 4 * n), rows, 4 * n)
        x = w.op(f"arith.addf {x}, {w.linear('down', hidden, 4 * n, n)} : {w.type(rows, n)}")
        y = w.linear("head", x, n, 5)
        loss = w.op(f"nn.sparse_softmax_cross_entropy {y}, %y : ({w.type(rows, 5)}, tensor<{rows}xi64>) -> {w.type()}")
        text = w.finish(f"%x: {w.type(rows, n)}, %y: tensor<{rows}xi64>", loss, optimizer)
        check(text, *feeds(rows, n, 5), tolerance=1e-3)


def test_convolution() -> None:
    """A filter [out, in, height, width], two of them in a row."""
    for optimizer in OPTIMIZERS[::3]:
        w = Writer("2")
        x, shape = "%x", (2, 8, 8, 3)
        for i, (n, m) in enumerate(((3, 6), (6, 4))):
            weight = w.transpose(w.variable(f"k{i}", m, n, 3, 3), (m, n, 3, 3), (2, 3, 1, 0))
            new = (2, 8, 8, m)
            x = w.op(
                f"nn.conv2d {x}, {weight} padding same : ({w.type(*shape)}, {w.type(3, 3, n, m)}) -> {w.type(*new)}"
            )
            x, shape = w.unary("nn.relu", x, *new), new
        loss = w.op(f"nn.l2_loss {x} : {w.type(*shape)} -> {w.type()}")
        text = w.finish(f"%x: {w.type(2, 8, 8, 3)}", loss, optimizer.replace("0.1", "0.001"))
        check(text, np.random.default_rng(4).standard_normal((2, 8, 8, 3)).astype(np.float32))


run_tests([test_layers, test_dynamic_batch, test_tied, test_twice, test_recurrences, test_attention, test_convolution])
