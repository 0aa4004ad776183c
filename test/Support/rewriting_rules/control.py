# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops and the same unrolled, functions called and in line, batches and their parts."""

from typing import Any, Callable, List

import numpy as np

import flywheel as fw
from rewriting_rules.rule import Pair, Rng, normal, pick, rule, size, sizes

CELLS = (
    lambda h, x, w: fw.tanh(h @ w + x), lambda h, x, w: h * fw.sigmoid(x) + fw.sin(x @ w),
    lambda h, x, w: fw.nn.softmax(h + x) @ w, lambda h, x, w: fw.maximum(h, x) - 0.1 * (h @ w),
    lambda h, x, w: fw.where(x > 0, h + x, h * 0.5) @ (w * 0.3), lambda h, x, w: h.at[0].add(x[-1]) * 0.9 + x @ w,
    lambda h, x, w: fw.cumsum(h * x, 1) * 0.2 + fw.flip(w[0] * h, 0),
)  # fmt: skip


@rule
def scanned(rng: Rng) -> Pair:
    steps, a, b = sizes(rng, 3)
    cell, is_reversed = pick(rng, CELLS), bool(rng.random() < 0.5)

    def loop(h: Any, xs: Any, w: Any) -> Any:
        last, all_of = fw.scan(lambda h, x: (cell(h, x, w),) * 2, h, xs, reverse=is_reversed)
        return fw.concatenate([all_of, fw.expand_dims(last, 0)], 0)

    def unrolled(h: Any, xs: Any, w: Any) -> Any:
        found: List[Any] = [None] * steps
        for i in reversed(range(steps)) if is_reversed else range(steps):
            h = found[i] = cell(h, xs[i], w)
        return fw.stack([*found, h])

    return Pair([normal(rng, a, b), normal(rng, steps, a, b), normal(rng, b, b)], loop, unrolled)


@rule
def counted(rng: Rng) -> Pair:
    steps, a, b = sizes(rng, 3)
    cell = pick(rng, CELLS)

    def loop(h: Any, xs: Any, w: Any) -> Any:
        return fw.fori_loop(0, steps, lambda i, h: cell(h, xs[i], w), h)

    def unrolled(h: Any, xs: Any, w: Any) -> Any:
        for i in range(steps):
            h = cell(h, xs[i], w)
        return h

    return Pair([normal(rng, a, b), normal(rng, steps, a, b), normal(rng, b, b)], loop, unrolled)


@rule
def until(rng: Rng) -> Pair:
    """Up to a limit, or until a number is large enough."""
    steps, n, is_counted = size(rng, 1, 5), size(rng), bool(rng.random() < 0.5)

    def loop(x: Any) -> Any:
        if is_counted:
            return fw.while_loop(lambda both: fw.logical_and(both[0] < steps, fw.sum(fw.abs(both[1])) < 1e3),
                                 lambda both: (both[0] + 1, both[1] * 1.5 + fw.sin(x)), (fw.constant(0, "int32"), x))[1]
        return fw.while_loop(lambda y: fw.sum(fw.abs(y)) < 1e3, lambda y: y * 1.5 + fw.sin(x), x, max_iterations=steps)

    def unrolled(x: Any) -> Any:
        y = x
        for _ in range(steps):
            y = fw.where(fw.sum(fw.abs(y)) < 1e3, y * 1.5 + fw.sin(x), y)
        return y

    return Pair([normal(rng, n)], loop, unrolled)


@rule
def recurrences(rng: Rng) -> Pair:
    """A loop that writes an element of a buffer and reads others."""
    n, lag = size(rng, 2, 7), size(rng, 1, 2)

    def loop(x: Any) -> Any:
        return fw.fori_loop(lag, n, lambda i, p: p.at[i].set(fw.sin(p[i - 1]) * 0.5 + p[i - lag] * x[i]), x)

    def unrolled(x: Any) -> Any:
        found = [x[i] for i in range(n)]
        for i in range(lag, n):
            found[i] = fw.sin(found[i - 1]) * 0.5 + found[i - lag] * x[i]
        return fw.stack(found)

    return Pair([normal(rng, n)], loop, unrolled)


@rule
def called(rng: Rng) -> Pair:
    a, b = sizes(rng, 2)
    cell = pick(rng, CELLS)
    return Pair([normal(rng, a, b), normal(rng, a, b), normal(rng, b, b)],
                lambda h, x, w: fw.function(cell)(fw.function(cell)(h, x, w), h, w),
                lambda h, x, w: cell(cell(h, x, w), h, w))  # fmt: skip


@rule
def branches(rng: Rng) -> Pair:
    a, b = sizes(rng, 2)
    first, second, limit = pick(rng, CELLS), pick(rng, CELLS), float(rng.normal())

    def both(h: Any, x: Any, w: Any) -> Any:
        return fw.where(fw.sum(h) > limit, first(h, x, w), second(x, h, w))

    return Pair([normal(rng, a, b), normal(rng, a, b), normal(rng, b, b)],
                lambda h, x, w: fw.cond(fw.sum(h) > limit, lambda: first(h, x, w), lambda: second(x, h, w)),
                both)  # fmt: skip


@rule
def switched_branches(rng: Rng) -> Pair:
    n, which = size(rng), int(rng.integers(-1, 4))
    ways: List[Callable[..., Any]] = [fw.sin, fw.exp, lambda x: x * x]
    index = min(max(which, 0), 2)
    return Pair([normal(rng, n)], lambda x: fw.switch(fw.cast(fw.sum(x) * 0.0, "int32") + which, ways, x), ways[index])


@rule
def mapped(rng: Rng) -> Pair:
    count, a, b = sizes(rng, 3)
    cell = pick(rng, CELLS)
    how = pick(rng, [lambda h, x, w: fw.vmap(cell, (0, 0, None))(h, x, w),
                     lambda h, x, w: fw.map(lambda pair: cell(pair[0], pair[1], w), (h, x)),
                     lambda h, x, w: fw.moveaxis(fw.vmap(lambda h, x: cell(h, x, w), (1, 2), 1)(
                         fw.moveaxis(h, 0, 1), fw.moveaxis(x, 0, 2)), 1, 0)])  # fmt: skip
    return Pair([normal(rng, count, a, b), normal(rng, count, a, b), normal(rng, b, b)], how,
                lambda h, x, w: fw.stack([cell(h[i], x[i], w) for i in range(count)]))  # fmt: skip


@rule
def batches_in_parts(rng: Rng) -> Pair:
    parts, each, a = sizes(rng, 3, 1, 4)

    def loss(x: Any, w: Any) -> Any:
        return fw.mean(fw.square(fw.tanh(x @ w)))

    def whole(x: Any, w: Any) -> Any:
        value, slope = fw.value_and_grad(loss, 1)(x, w)
        return fw.concatenate([fw.reshape(value, (1,)), fw.ravel(slope)])

    how = pick(rng, [
        lambda x, w: fw.microbatch(lambda x: whole(x, w), parts)(x),
        lambda x, w: sum((whole(x[i * each : (i + 1) * each], w) for i in range(parts)), 0.0 * w[0, 0]) / float(parts),
        lambda x, w: fw.mean(fw.vmap(lambda x: whole(fw.expand_dims(x, 0), w))(x), 0),
    ])  # fmt: skip
    return Pair([normal(rng, parts * each, a), normal(rng, a, size(rng))], whole, how)


@rule
def derivatives_by_hand(rng: Rng) -> Pair:
    n = size(rng)
    left, right = pick(rng, [
        (fw.grad(lambda x: fw.sum(fw.sin(x) * x)), lambda x: fw.cos(x) * x + fw.sin(x)),
        (lambda x: fw.jvp(fw.exp, (x,), (x,))[1], lambda x: fw.exp(x) * x),
        (fw.jacobian(lambda x: fw.cumsum(x * x, 0)), lambda x: fw.tril(fw.ones((n, n), x.dtype)) * (2.0 * x)),
        (fw.hessian(lambda x: fw.sum(x) ** 3.0), lambda x: fw.full((n, n), 6.0, x.dtype) * fw.sum(x)),
        (fw.vmap(fw.grad(lambda x: x * fw.tanh(x))), lambda x: fw.tanh(x) + x * (1.0 - fw.tanh(x) ** 2.0)),
        (lambda x: fw.jacobian(fw.sin, mode="forward")(x), lambda x: fw.diag(fw.cos(x))),
        (fw.grad(lambda x: fw.max(x) * fw.sum(x)),
         lambda x: fw.one_hot(fw.argmax(x, 0), n, dtype=x.dtype) * fw.sum(x) + fw.max(x)),
    ])  # fmt: skip
    return Pair([normal(rng, n)], left, right)


@rule
def rows_of_jacobians(rng: Rng) -> Pair:
    a, b = sizes(rng, 2)
    w = normal(rng, a, b)

    def layer(x: Any) -> Any:
        return fw.tanh(x @ fw.constant(w, x.dtype)) * fw.sum(x)

    return Pair([normal(rng, a)], fw.jacobian(layer),
                lambda x: fw.stack([fw.grad(lambda x, i=i: layer(x)[i])(x) for i in range(b)]))  # fmt: skip


@rule
def constants_and_numbers(rng: Rng) -> Pair:
    """Draws a function of a constant, and the same function of a tensor."""
    a, b = sizes(rng, 2)
    y = normal(rng, a, b).astype(np.float32).astype(np.float64)
    left, right = pick(rng, [
        (lambda x, y_: x * fw.constant(y, x.dtype) + fw.constant(y, x.dtype).sum(), lambda x, y_: x * y_ + fw.sum(y_)),
        (lambda x, y_: fw.concatenate([x, fw.constant(y, x.dtype)], 0), lambda x, y_: fw.concatenate([x, y_], 0)),
        (lambda x, y_: x @ fw.transpose(fw.constant(y, x.dtype)), lambda x, y_: x @ fw.transpose(y_)),
        (lambda x, y_: x / fw.sum(fw.constant(y * y + 1.0, x.dtype), 0), lambda x, y_: x / fw.sum(y_ * y_ + 1.0, 0)),
    ])  # fmt: skip
    return Pair([normal(rng, a, b), y], lambda x, y_: left(x, y_) + 0.0 * fw.sum(y_),
                lambda x, y_: right(x, fw.stop_gradient(y_)) + 0.0 * fw.sum(y_), is_fixed=True)  # fmt: skip
