# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of any size: ops over n elements, and structures of n parts."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np

import flywheel as fw


class Program(NamedTuple):
    """A function that is traced, and what it is called with."""

    function: Callable[..., Any]
    arguments: list[Any]


class Family(NamedTuple):
    make: Callable[[int], Program]
    # The sizes are these times 1, 2, 4, ...
    first: int
    last: int
    # The reasons for times and memory that grow by more than 1.3, by kind; see `REASONS`.
    reasons: dict[str, str]


FAMILIES: dict[str, Family] = {}


def family(first: int, last: int, **reasons: str) -> Callable[[Callable[[int], Program]], Callable[[int], Program]]:
    """Registers programs of `first` to `last` parts under the name of the function that makes them."""

    def register(make: Callable[[int], Program]) -> Callable[[int], Program]:
        FAMILIES[make.__name__] = Family(make, first, last, reasons)
        return make

    return register


def vector(n: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(n).astype(np.float32)


def matrix(rows: int, columns: int) -> Any:
    return vector(rows * columns).reshape(rows, columns)


#
# Chains
#


@family(32, 512)
def chain(n: int) -> Program:
    def run(x: Any) -> Any:
        for _ in range(n):
            x = fw.sin(x)
        return x

    return Program(run, [vector(64)])


@family(16, 256)
def chain_of_softmax(n: int) -> Program:
    def run(x: Any) -> Any:
        for _ in range(n):
            x = fw.nn.softmax(x)
        return x

    return Program(run, [matrix(4, 16)])


@family(16, 256)
def gradient_of_chain(n: int) -> Program:
    def run(x: Any) -> Any:
        for _ in range(n):
            x = fw.tanh(x)
        return fw.sum(x)

    return Program(fw.grad(run), [vector(64)])


@family(16, 128)
def products(n: int) -> Program:
    def run(x: Any, w: Any) -> Any:
        for _ in range(n):
            x = x @ w
        return x

    return Program(run, [matrix(4, 16), matrix(16, 16)])


@family(16, 256)
def where_chain(n: int) -> Program:
    def run(x: Any) -> Any:
        for k in range(n):
            x = fw.where(x > float(k), x - 1.0, x + 1.0)
        return x

    return Program(run, [vector(64)])


#
# Joins and parts
#


@family(64, 1024, compile="upstream's conversion to LLVM numbers the ops of a block again for each value that it casts")
def concatenate_feeds(n: int) -> Program:
    return Program(lambda *xs: fw.concatenate(list(xs)), [vector(8, k) for k in range(n)])


@family(16, 256)
def stack_computed(n: int) -> Program:
    return Program(lambda x: fw.stack([fw.sin(x * float(k)) for k in range(n)]), [vector(8)])


@family(16, 128)
def appends(n: int) -> Program:
    def run(x: Any) -> Any:
        y = x
        for k in range(n):
            y = fw.concatenate([y, x * float(k)])
        return y

    return Program(run, [vector(4)])


@family(16, 128)
def appends_that_are_read(n: int) -> Program:
    def run(x: Any) -> Any:
        y = h = x
        for _ in range(n):
            h = fw.tanh(h + fw.sum(y, axis=0, keepdims=True))
            y = fw.concatenate([y, h])
        return h

    return Program(run, [vector(4).reshape(1, 4)])


@family(16, 128, compile="bufferization compares the reads and writes of up to 16 nested tensors for each")
def appends_along_both(n: int) -> Program:
    def run(x: Any) -> Any:
        for k in range(n):
            x = fw.concatenate([x, x[:1] if k % 2 else x[:, :1]], axis=1 - k % 2)
        return x

    return Program(run, [matrix(2, 2)])


@family(16, 256)
def gradient_of_stack(n: int) -> Program:
    def run(x: Any) -> Any:
        return fw.sum(fw.stack([fw.sin(x * float(k)) for k in range(n)]) ** 2)

    return Program(fw.grad(run), [vector(8)])


@family(16, 256, compile="bufferization lists the uses of all parts again for each part of one tensor")
def split_and_join(n: int) -> Program:
    return Program(lambda x: fw.concatenate(fw.split(x, n)[::-1]), [vector(8 * n)])


@family(16, 128)
def updates_at(n: int) -> Program:
    def run(x: Any) -> Any:
        for k in range(n):
            x = x.at[k].set(float(k))
        return x

    return Program(run, [matrix(n, 8)])


# Each of n updates has n^2 pairs, and each pair up to n updates before it: n^4.
@family(8, 64, compile="bufferization walks back the chain of updates for each pair of a read and a write")
def updates_that_are_read(n: int) -> Program:
    def run(x: Any) -> Any:
        for k in range(n):
            x = x.at[k].add(fw.sum(x))
        return x

    return Program(run, [matrix(n, 8)])


@family(16, 256)
def slices(n: int) -> Program:
    return Program(lambda x: sum(fw.sum(x[k]) for k in range(n)), [matrix(n, 8)])


@family(16, 256)
def gradient_of_slices(n: int) -> Program:
    return Program(fw.grad(lambda x: sum(fw.sum(fw.sin(x[k])) for k in range(n))), [matrix(n, 8)])


#
# One tensor that much reads
#


@family(16, 256)
def sums_of_one(n: int) -> Program:
    return Program(lambda x: sum(fw.sum(x * float(k)) for k in range(n)), [vector(64)])


@family(16, 256)
def stacked_sums_of_one(n: int) -> Program:
    return Program(lambda x: fw.stack([fw.sum(x * float(k)) for k in range(n)]), [vector(64)])


@family(16, 256)
def outputs(n: int) -> Program:
    return Program(lambda x: tuple(fw.sum(x * float(k)) for k in range(n)), [vector(64)])


@family(16, 256)
def feeds(n: int) -> Program:
    return Program(lambda *xs: sum(fw.sum(x) for x in xs), [vector(8, k) for k in range(n)])


@family(16, 128)
def feeds_and_outputs(n: int) -> Program:
    return Program(lambda *xs: tuple(x + 1.0 for x in xs), [vector(8, k) for k in range(n)])


@family(16, 128)
def gathers_of_one(n: int) -> Program:
    return Program(lambda x, i: sum(fw.take(x, i + k) for k in range(n)),
                   [matrix(n + 8, 8), np.arange(4, dtype=np.int32)])  # fmt: skip


@family(16, 128)
def products_of_one(n: int) -> Program:
    return Program(lambda x, *ws: sum(x @ w for w in ws), [matrix(4, 8), *[matrix(8, 8) for _ in range(n)]])


#
# Functions, branches, loops
#


@family(16, 256)
def calls_of_one_function(n: int) -> Program:
    inner = fw.function(lambda x: fw.sin(x) + 1.0)

    def run(x: Any) -> Any:
        for _ in range(n):
            x = inner(x)
        return x

    return Program(run, [vector(64)])


@family(8, 64)
def nested_functions(n: int) -> Program:
    inner: Callable[[Any], Any] = fw.sin
    for _ in range(n):
        inner = fw.function(lambda x, inner=inner: inner(x) + 1.0)
    return Program(inner, [vector(64)])


@family(8, 128)
def branches(n: int) -> Program:
    def run(x: Any) -> Any:
        for k in range(n):
            x = fw.cond(fw.sum(x) > float(k), lambda x=x: x + 1.0, lambda x=x: x * 2.0)
        return x

    return Program(run, [vector(8)])


# n levels have n^2 pairs, and each of a pair has up to n regions around.
@family(4, 32, compile="bufferization compares each read with each write, through all regions around")
def nested_branches(n: int) -> Program:
    def nest(x: Any, depth: int) -> Any:
        if depth == 0:
            return x
        return fw.cond(fw.sum(x) > float(depth), lambda: nest(x + 1.0, depth - 1), lambda: x * 2.0)

    return Program(lambda x: nest(x, n), [vector(8)])


@family(8, 64)
def loops(n: int) -> Program:
    def run(x: Any) -> Any:
        for _ in range(n):
            x, _ys = fw.scan(lambda c, _: (fw.sin(c), c[0]), x, np.zeros(4, np.float32))
        return x

    return Program(run, [vector(8)])


@family(16, 128)
def unrolled_recurrence(n: int) -> Program:
    w, v = fw.Variable(shape=(16, 16), name="w"), fw.Variable(shape=(8, 16), name="v")
    sgd = fw.optimizers.SGD(lr=0.1)

    def run(x: Any) -> Any:
        h = fw.zeros((4, 16))
        for t in range(n):
            h = fw.tanh(h @ w + x[t] @ v)
        loss = fw.mean(h * h)
        sgd.minimize(loss)
        return loss

    return Program(run, [vector(n * 32).reshape(n, 4, 8)])


@family(64, 4096)
def scanned_recurrence(n: int) -> Program:
    w, v = fw.Variable(shape=(16, 16), name="w"), fw.Variable(shape=(8, 16), name="v")
    sgd = fw.optimizers.SGD(lr=0.1)

    def run(x: Any) -> Any:
        def step(h: Any, x: Any) -> Any:
            h = fw.tanh(h @ w + x @ v)
            return h, h

        h, _hs = fw.scan(step, fw.zeros((4, 16)), x)
        loss = fw.mean(h * h)
        sgd.minimize(loss)
        return loss

    return Program(run, [vector(n * 32).reshape(n, 4, 8)])


#
# Variables, layers, optimizers
#


def layers(n: int, optimizer: Callable[[], Any], clips: bool = False) -> Program:
    ws = [fw.Variable(shape=(16, 16), name=f"w{k}") for k in range(n)]
    rule = optimizer()

    def run(x: Any) -> Any:
        h = x
        for w in ws:
            h = fw.nn.relu(h @ w)
        loss = fw.mean(h * h)
        rule.minimize(loss)
        return loss

    return Program(run, [matrix(8, 16)])


for _name in ("SGD", "Momentum", "Adam", "AdamW", "RMSProp", "Adagrad", "Lamb", "Adafactor", "Lion"):
    _class = getattr(fw.optimizers, _name, None)
    if _class is not None:
        FAMILIES[f"layers_{_name}"] = Family(lambda n, rule=_class: layers(n, lambda: rule(lr=0.01)), 8, 64, {})  # type: ignore[misc]


@family(64, 1024)
def variables(n: int) -> Program:
    xs = [fw.Variable(shape=(8,), name=f"x{k}") for k in range(n)]

    def run(x: Any) -> Any:
        for one in xs:
            one.assign(one * 0.5 + x)
        return x

    return Program(run, [vector(8)])


@family(4, 64)
def convolutions(n: int) -> Program:
    ws = [fw.Variable(shape=(3, 3, 4, 4), name=f"w{k}") for k in range(n)]
    rule = fw.optimizers.SGD(lr=0.1)

    def run(x: Any) -> Any:
        for w in ws:
            x = fw.nn.relu(fw.nn.conv2d(x, w, padding="SAME"))
        loss = fw.mean(x * x)
        rule.minimize(loss)
        return loss

    return Program(run, [vector(2 * 8 * 8 * 4).reshape(2, 8, 8, 4)])


#
# Ops over n elements
#


def elements(name: str, function: Callable[[Any], Any], first: int, last: int, **reasons: str) -> None:
    """An op on a vector of n elements, and its gradient."""
    FAMILIES[f"elements_{name}"] = Family(lambda n: Program(function, [vector(n)]), first, last, reasons)
    FAMILIES[f"gradient_{name}"] = Family(
        lambda n: Program(fw.grad(lambda x: fw.sum(fw.sin(function(x)))), [vector(n)]), first, last, reasons
    )


for _name, _function in {
    "sin": fw.sin,
    "sum": fw.sum,
    "max": fw.max,
    "cumsum": fw.cumsum,
    "std": fw.std,
    "softmax": fw.nn.softmax,
    "flip": lambda x: fw.flip(x, 0),
    "roll": lambda x: fw.roll(x, 3),
    "diff": fw.diff,
    "concatenate": lambda x: fw.concatenate([x, x]),
    "reshape": lambda x: fw.reshape(x, (-1, 4)).T,
    "take": lambda x: fw.take(x, np.arange(64, dtype=np.int32)),
    "scatter": lambda x: x.at[np.arange(64, dtype=np.int32)].add(1.0),
    "update": lambda x: x.at[3:-3].set(1.0),
    "where": lambda x: fw.where(x > 0, x, -x),
    "repeat": lambda x: fw.repeat(x, 3),
    "norm": fw.linalg.norm,
}.items():
    elements(_name, _function, 1 << 14, 1 << 20)

elements("sort", fw.sort, 128, 2048, step="compares all pairs", step_memory="compares all pairs",
         compile_memory="has the pairs' constants")  # fmt: skip
elements("median", fw.median, 128, 2048, step="compares all pairs", step_memory="compares all pairs")
elements("cumprod", fw.cumprod, 128, 1024, step="its derivative is a matrix", step_memory="its derivative is a matrix")

for _name, _make in {
    "arange": lambda n: fw.arange(n),
    "linspace": lambda n: fw.linspace(0, 1, n),
    "eye": lambda n: fw.eye(1024, n // 1024),
    "tri": lambda n: fw.tri(1024, n // 1024),
    "full": lambda n: fw.full((n,), 2.5),
}.items():
    # An op of linalg takes the sizes of its loops from operands: the vector that is summed has memory.
    FAMILIES[f"made_{_name}"] = Family(lambda n, make=_make: Program(lambda: fw.sum(make(n)), []), 1 << 18, 1 << 24,  # type: ignore[misc]
                                       {"step": "32 MiB and more are not in the caches"})  # fmt: skip


@family(1 << 18, 1 << 24)
def closed_over_array(n: int) -> Program:
    array = vector(n)
    return Program(lambda x: fw.sum(x * array), [vector(n, 1)])
