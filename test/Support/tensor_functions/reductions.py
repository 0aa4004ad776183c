# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, products and indices."""

from typing import Any, Callable, Dict, Optional

import numpy as np

from graphs.graph import Node
from harness import Rng, choose
from tensor_functions.function import DIM_SIZES, FLOATS, INTEGERS, MAX_ELEMENTS, Array, Function, elements_of, register

REDUCTIONS: Dict[str, Callable[..., Any]] = {"sum": np.sum, "max": np.max, "min": np.min, "mean": np.mean}


@register("nn.reduce")
def make_reduction(f: Function, rng: Rng) -> Optional[Node]:
    x = f.pick(rng, *FLOATS, *INTEGERS, rank=1)
    if x is None:
        return None
    kind = choose(rng, ["sum", "max", "min", "mean"] if x.element in FLOATS else ["sum", "max", "min"])
    axes = sorted(int(i) for i in rng.choice(x.rank, int(rng.integers(1, x.rank + 1)), replace=False))
    keep = bool(rng.integers(2))
    shape = [1 if i in axes else dim_size for i, dim_size in enumerate(x.shape) if keep or i not in axes]
    numbers = REDUCTIONS[kind]

    def reduce(u: Array) -> Any:
        return numbers(u.astype(np.float64) if u.dtype.kind not in "i" else u, tuple(axes), keepdims=keep)

    return f.add(
        "nn.reduce",
        shape,
        x.element,
        [f"{{y}} = nn.reduce {kind} {{a}} axes {axes}{' keepdims' if keep else ''} : {{A}} -> {{Y}}"],
        [x],
        reduce,
    )


@register("nn.softmax")
def make_softmax(f: Function, rng: Rng) -> Optional[Node]:
    x = f.pick(rng, *FLOATS, rank=1)

    def softmax(u: Array) -> Any:
        wider = u.astype(np.float64)
        e = np.exp(wider - wider.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    return x and f.add("nn.softmax", x.shape, x.element, ["{y} = nn.softmax {a} : {A}"], [x], softmax)


def add_scan(f: Function, rng: Rng, op: str, scan: Callable[..., Any]) -> Optional[Node]:
    x = f.pick(rng, *FLOATS, rank=1)
    if x is None:
        return None
    axis, reverse = int(rng.integers(x.rank)), bool(rng.integers(2))

    def results(u: Array) -> Any:
        wider = u.astype(np.float64)
        return np.flip(scan(np.flip(wider, axis), axis), axis) if reverse else scan(wider, axis)

    return f.add(
        op,
        x.shape,
        x.element,
        [f"{{y}} = {op} {{a}} axis {axis}{' reverse' if reverse else ''} : {{A}} -> {{Y}}"],
        [x],
        results,
    )


@register("nn.cumsum")
def make_running_sum(f: Function, rng: Rng) -> Optional[Node]:
    return add_scan(f, rng, "nn.cumsum", np.cumsum)


@register("nn.cumprod")
def make_running_product(f: Function, rng: Rng) -> Optional[Node]:
    return add_scan(f, rng, "nn.cumprod", np.cumprod)


@register("nn.logcumsumexp")
def make_running_logarithm(f: Function, rng: Rng) -> Optional[Node]:
    return add_scan(f, rng, "nn.logcumsumexp", np.logaddexp.accumulate)


@register("nn.matmul")
def make_product(f: Function, rng: Rng) -> Optional[Node]:
    x = f.pick(rng, *FLOATS, rank=2)
    if x is None or x.rank != 2:
        return None
    k, element = x.shape[1], x.element
    others = [node for node in f.nodes if node.element == element and node.rank == 2 and node.shape[0] == k]
    y = choose(rng, others) if others and rng.integers(3) else f.feed((k, choose(rng, DIM_SIZES)), element)
    return f.add(
        "nn.matmul",
        (x.shape[0], y.shape[1]),
        element,
        ["{y} = nn.matmul {a}, {b} : ({A}, {B}) -> {Y}"],
        [x, y],
        lambda u, v: u.astype(np.float64) @ v.astype(np.float64),
    )


@register("nn.argmax")
def make_argmax(f: Function, rng: Rng) -> Optional[Node]:
    x = f.pick(rng, "f32", "f64", rank=1)
    if x is None:
        return None
    axis, kind = int(rng.integers(x.rank)), choose(rng, ["argmax", "argmin"])
    shape = [dim_size for i, dim_size in enumerate(x.shape) if i != axis]
    return f.add(
        f"nn.{kind}",
        shape,
        "i64",
        [f"{{y}} = nn.{kind} {{a}} axis {axis} : {{A}} -> {{Y}}"],
        [x],
        lambda u: getattr(np, kind)(u, axis),
    )


@register("nn.argsort")
def make_argsort(f: Function, rng: Rng) -> Optional[Node]:
    x = f.pick(rng, *FLOATS, *INTEGERS, rank=1)
    if x is None:
        return None
    axis = int(rng.integers(x.rank))
    return f.add(
        "nn.argsort",
        x.shape,
        "i32",
        [f"{{y}} = nn.argsort {{a}} axis {axis} : {{A}} -> {{Y}}"],
        [x],
        lambda u: np.argsort(u if u.dtype.kind == "i" else u.astype(np.float64), axis, kind="stable"),
    )


@register("nn.gather")
def make_gather(f: Function, rng: Rng) -> Optional[Node]:
    x = f.pick(rng, *FLOATS, *INTEGERS, rank=1)
    axes = [i for i in range(x.rank) if isinstance(x.shape[i], int)] if x else []
    if x is None or not axes:
        return None
    axis = choose(rng, axes)
    indices = f.feed(
        [choose(rng, DIM_SIZES) for _ in range(int(rng.integers(0, 3)))],
        choose(rng, ["i32", "i64"]),
        int(x.shape[axis]),
    )
    shape = [*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]]
    if elements_of(shape) > MAX_ELEMENTS * 4:
        return None
    return f.add(
        "nn.gather",
        shape,
        x.element,
        [f"{{y}} = nn.gather {{a}}, {{b}} axis {axis} : ({{A}}, {{B}}) -> {{Y}}"],
        [x, indices],
        lambda u, i: np.take(u, i, axis),
    )


@register("nn.take_along_axis")
def make_take_along_axis(f: Function, rng: Rng) -> Optional[Node]:
    x = f.pick(rng, *FLOATS, *INTEGERS, rank=1)
    axes = [i for i in range(x.rank) if isinstance(x.shape[i], int)] if x else []
    if x is None or not axes:
        return None
    axis = choose(rng, axes)
    shape = [*x.shape[:axis], int(rng.integers(1, 5)), *x.shape[axis + 1 :]]
    if elements_of(shape) > MAX_ELEMENTS * 4:
        return None
    indices = f.feed(shape, choose(rng, ["i32", "i64"]), int(x.shape[axis]))
    return f.add(
        "nn.take_along_axis",
        shape,
        x.element,
        [f"{{y}} = nn.take_along_axis {{a}}, {{b}} axis {axis} : ({{A}}, {{B}}) -> {{Y}}"],
        [x, indices],
        lambda u, i: np.take_along_axis(u, i, axis),
    )


@register("nn.one_hot")
def make_one_hot(f: Function, rng: Rng) -> Optional[Node]:
    x = f.pick(rng, "i32", "i64")
    if x is None or x.rank > 2:
        return None
    depth, element = int(rng.integers(1, 9)), choose(rng, ["f32", "f64", "i32"])
    if element == "i32":
        element = "f32"
    return f.add(
        "nn.one_hot",
        [*x.shape, depth],
        element,
        ["{y} = nn.one_hot {a} : {A} -> {Y}"],
        [x],
        lambda i: i[..., None] == np.arange(depth),
    )
