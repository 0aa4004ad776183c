# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flywheel as a peer: the ops of a row write the text of a module."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from rows import Row, Values, example_text


class Tensor:
    """A value of the module's text."""

    def __init__(self, ops: Ops, name: str, shape: tuple[int, ...], element: str = "f32") -> None:
        self.ops, self.name, self.shape, self.element = ops, name, shape, element
        self.type = f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"

    def __add__(self, other: Tensor) -> Tensor:
        return self.ops.elementwise("add", self, other)

    def __mul__(self, other: Tensor) -> Tensor:
        return self.ops.elementwise("mul", self, other)

    def __sub__(self, other: Tensor) -> Tensor:
        return self.ops.elementwise("sub", self, other)


class Ops:
    """The ops of a row. Images are [batch, height, width, channels]."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def emit(self, text: str, shape: tuple[int, ...], element: str = "f32") -> Tensor:
        self.count += 1
        result = Tensor(self, f"%{self.count}", shape, element)
        self.lines.append(f"{result.name} = {text.replace('$type', result.type)}")
        return result

    def call(self, op: str, inputs: list[Tensor], shape: tuple[int, ...], attributes: str = "") -> Tensor:
        names = ", ".join(x.name for x in inputs)
        types = ", ".join(x.type for x in inputs)
        return self.emit(f"{op} {names} {attributes} : ({types}) -> $type", shape)

    def unary(self, op: str, x: Tensor) -> Tensor:
        return self.emit(f"{op} {x.name} : $type", x.shape)

    def elementwise(self, op: str, a: Tensor, b: Tensor) -> Tensor:
        if a.shape == b.shape:
            return self.emit(f"arith.{op}f {a.name}, {b.name} : $type", a.shape)
        return self.call(f"nn.{op}", [a, b], a.shape)

    def relu(self, x: Tensor) -> Tensor:
        return self.unary("nn.relu", x)

    def gelu(self, x: Tensor) -> Tensor:
        return self.unary("nn.gelu", x)

    def dense(self, x: Tensor, w: Tensor, b: Tensor | None = None) -> Tensor:
        return self.call("nn.dense", [x, w] + ([b] if b else []), (*x.shape[:-1], w.shape[1]))

    def image(self, x: Tensor) -> Tensor:
        return x

    def conv(self, x: Tensor, w: Tensor, b: Tensor | None = None) -> Tensor:
        y = self.call("nn.conv2d", [x, w], (*x.shape[:3], w.shape[3]), "padding same")
        return y if b is None else self.elementwise("add", y, b)

    def max_pool(self, x: Tensor) -> Tensor:
        n, h, w, c = x.shape
        return self.call("nn.max_pool2d", [x], (n, h // 2, w // 2, c), "window [2, 2] strides [2, 2]")

    def batch_norm(self, x: Tensor, v: Values, name: str) -> Tensor:
        gamma, beta = v[name + "_gamma"], v[name + "_beta"]
        self.count += 1
        y = Tensor(self, f"%{self.count}#0", x.shape)
        self.lines.append(
            f"%{self.count}:3 = nn.batch_norm_training {x.name} gamma {gamma.name} beta {beta.name} epsilon 1.0e-3"
            f" : ({x.type}, {gamma.type}, {beta.type}) -> ({x.type}, {gamma.type}, {beta.type})"
        )
        for i, key in ((1, "_mean"), (2, "_variance")):
            self.lines.append(f'train.moving_average @"{name}{key}", %{self.count}#{i} momentum 0.9 : {gamma.type}')
        return y

    def collapse(self, x: Tensor, groups: list[list[int]]) -> Tensor:
        shape = tuple(int(np.prod([x.shape[i] for i in group])) for group in groups)
        return self.emit(f"tensor.collapse_shape {x.name} {groups} : {x.type} into $type", shape)

    def transpose(self, x: Tensor, order: list[int]) -> Tensor:
        shape = tuple(x.shape[i] for i in order)
        empty = self.emit("tensor.empty() : $type", shape)
        return self.emit(
            f"linalg.transpose ins({x.name} : {x.type}) outs({empty.name} : {empty.type}) permutation = {order}", shape
        )

    def flat(self, x: Tensor) -> Tensor:
        return self.collapse(x, [[0], [1, 2, 3]])

    def mean(self, x: Tensor) -> Tensor:
        return self.emit(f"nn.reduce mean {x.name} axes [1, 2] : {x.type} -> $type", (x.shape[0], x.shape[3]))

    def gather(self, table: Tensor, index: Tensor) -> Tensor:
        return self.call("nn.gather", [table, index], (*index.shape, *table.shape[1:]), "axis 0")

    def layer_norm(self, x: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
        text = f"gamma {gamma.name} beta {beta.name} axes [{len(x.shape) - 1}] epsilon 1.0e-5"
        return self.emit(f"nn.layer_norm {x.name} {text} : ({x.type}, {gamma.type}, {beta.type}) -> $type", x.shape)

    def heads(self, x: Tensor, count: int) -> Tensor:
        n, t, w = x.shape
        shape = (n, t, count, w // count)
        split = self.emit(
            f"tensor.expand_shape {x.name} [[0], [1], [2, 3]] output_shape {list(shape)} : {x.type} into $type", shape
        )
        return self.transpose(split, [0, 2, 1, 3])

    def joined(self, x: Tensor) -> Tensor:
        return self.collapse(self.transpose(x, [0, 2, 1, 3]), [[0], [1], [2, 3]])

    def attention(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return self.call("nn.attention", [q, k, v], q.shape, "causal")

    def gru(self, x: Tensor, wx: Tensor, wh: Tensor, bx: Tensor, bh: Tensor) -> Tensor:
        steps, batch, width = x.shape
        bounds = [self.emit(f"arith.constant {i} : index", ()) for i in (0, steps, 1)]
        start = self.emit("arith.constant dense<0.0> : $type", (batch, width))
        one = self.emit("arith.constant dense<1.0> : $type", (batch, width))
        self.count += 1
        loop, t, h = f"%{self.count}", f"%t{self.count}", Tensor(self, f"%h{self.count}", (batch, width))
        low, high, by = (bound.name for bound in bounds)
        self.lines.append(
            f"{loop} = scf.for {t} = {low} to {high} step {by} iter_args({h.name} = {start.name}) -> ({h.type}) {{"
        )
        now = self.emit(
            f"tensor.extract_slice {x.name}[{t}, 0, 0] [1, {batch}, {width}] [1, 1, 1] : {x.type} to $type",
            (batch, width),
        )
        gates = [self.dense(now, wx, bx), self.dense(h, wh, bh)]

        def gate(of: Tensor, i: int) -> Tensor:
            return self.emit(
                f"tensor.extract_slice {of.name}[0, {i * width}] [{batch}, {width}] [1, 1] : {of.type} to $type",
                (batch, width),
            )

        reset, update = (self.unary("nn.sigmoid", gate(gates[0], i) + gate(gates[1], i)) for i in (0, 1))
        new = self.unary("math.tanh", gate(gates[0], 2) + reset * gate(gates[1], 2))
        out = (one - update) * new + update * h
        self.lines += [f"scf.yield {out.name} : {out.type}", "}"]
        return Tensor(self, loop, (batch, width))

    def squared_error(self, x: Tensor, y: Tensor) -> Tensor:
        return self.call("nn.mean_squared_error", [x, y], ())

    def cross_entropy(self, scores: Tensor, label: Tensor) -> Tensor:
        if len(scores.shape) == 3:
            scores = self.collapse(scores, [[0, 1], [2]])
            shape = (scores.shape[0],)
            label = self.emit(f"tensor.collapse_shape {label.name} [[0, 1]] : {label.type} into $type", shape, "i32")
        return self.call("nn.sparse_softmax_cross_entropy", [scores, label], ())


def optimizer_text(row: Row) -> str:
    o = row.optimizer
    return {
        "sgd": f"#train.gradient_descent<lr = {o.rate:e}>",
        "momentum": f"#train.momentum<lr = {o.rate:e}, momentum = {o.momentum:e}>",
        "nesterov": f"#train.sgd<lr = {o.rate:e}, momentum = {o.momentum:e}, nesterov = true>",
        "adam": f"#train.adam<lr = {o.rate:e}, beta_1 = {o.beta_1:e}, beta_2 = {o.beta_2:e}, epsilon = {o.epsilon:e}>",
        "adamw": f"#train.adamw<lr = {o.rate:e}, beta_1 = {o.beta_1:e}, beta_2 = {o.beta_2:e}, "
        f"epsilon = {o.epsilon:e}, weight_decay = {o.decay:e}>",
    }[o.kind]


def module_text(row: Row) -> str:
    """The module of a row that no example has."""
    o = Ops()
    lines = []
    for name, variable in row.variables.items():
        trainable = "" if variable.trainable else " {trainable = false}"
        kind = Tensor(o, "", variable.shape).type
        lines.append(f'train.variable @"{name}" : {kind} = #train.{variable.init}{trainable}')
    elements = {"float32": "f32", "int32": "i32"}
    feeds = [Tensor(o, f"%{name}", feed.shape, elements[feed.dtype]) for name, feed in row.feeds.items()]
    arguments = ", ".join(f"{feed.name}: {feed.type}" for feed in feeds)
    lines.append(f"func.func @{row.entry}({arguments}) -> tensor<f32> {{")
    if row.update_only:
        names = ", ".join(feed.name for feed in feeds)
        types = ", ".join(feed.type for feed in feeds)
        targets = ", ".join(f'@"{name}"' for name in row.variables)
        lines.append(f"train.apply_gradients {names} : {types} to [{targets}] with {optimizer_text(row)}")
        loss = o.emit("arith.constant dense<0.0> : $type", ())
        lines += o.lines
    else:
        v = {name: o.emit(f'train.read @"{name}" : $type', variable.shape) for name, variable in row.variables.items()}
        loss = row.loss(o, v, *feeds)
        lines += o.lines
        lines.append(f"train.minimize {loss.name} : tensor<f32> with {optimizer_text(row)}")
    return "\n".join([*lines, f"return {loss.name} : tensor<f32>", "}"])


class Flywheel:
    """A step of Flywheel: the session's fast path in Python."""

    def __init__(
        self,
        row: Row,
        values: Values,
        feeds: list[Any],
        still: bool,
        threads: int,
        target: str = "cpu",
        profile: bool = False,
        winograd: bool = False,
    ) -> None:
        import flywheel

        text = example_text(row, still) if row.file else module_text(row)
        start = time.perf_counter()
        options: Any = {"threads": threads} if target == "cpu" else {"target": target}
        self.program = flywheel.compile(text, entries=[row.entry], profile=profile, winograd=winograd, **options)
        self.compile_seconds = time.perf_counter() - start
        self.session = flywheel.Session(self.program)
        self.session.initialize(1)
        for name, value in values.items():
            self.session[name] = value
        (entry,) = self.program.entries
        sizes = {symbol: len(feeds[0]) for symbol in entry.symbols}
        self.workspace_bytes = entry.workspace_bytes(**sizes)
        call = self.session.entry(row.entry)
        self.step = lambda: call(*feeds)

    def weights(self) -> list[str]:
        """Returns the variables that are neither slots nor scalars of an optimizer."""
        own = [v for v in self.program.variables if v.slot_of is None and v.dtype == np.float32]
        scalars = {v.name.split("/")[0] for v in self.program.variables if v.name.endswith("/lr")}
        return [v.name for v in own if v.name.split("/")[0] not in scalars]

    def trained(self, prefix: str) -> list[str]:
        return [v.name for v in self.program.variables if v.trainable and v.name.startswith(prefix)]
