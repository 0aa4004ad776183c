# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""G5, G6, G16: derivatives of a `vmap` inside of a branch, a loop, a part of a batch, another `vmap`.

Each op that has a batching rule of its own, in each place, forward and reverse. The expected result is the derivative
of the same rows one by one, without `vmap` and regions."""

from typing import Any, Callable, Dict

import numpy as np

import flywheel as fw
from selection import choose

rng = np.random.default_rng(36)
ROWS = rng.uniform(0.5, 1.5, (4, 6))
V = rng.uniform(0.5, 1.5, 6)
M = rng.uniform(0.5, 1.5, (6, 2))
IMAGE = rng.uniform(0.5, 1.5, (2, 2, 1, 2))

Row = Callable[[Any, Any], Any]


@fw.custom_vjp
def tripled(x: Any) -> Any:
    return x * x


@tripled.defvjp
def _(x: Any, dy: Any) -> Any:
    return 3.0 * x * dy


def symmetric(r: Any, v: Any) -> Any:
    m = fw.reshape(r[:4] * v[:4], (2, 2))
    return fw.matmul(m, fw.transpose(m)) + 2.0 * fw.eye(2, dtype=r.dtype)


# From a row r and what all rows share, v, to a result of any shape.
OPS: Dict[str, Row] = {
    "elementwise": lambda r, v: fw.tanh(r * v) / (1.0 + fw.exp(r)),
    "where": lambda r, v: fw.where(r > 1.0, r * v, fw.sqrt(r)),
    "row @ v": lambda r, v: r @ v,
    "v @ row": lambda r, v: v @ r,
    "row @ m": lambda r, v: r @ (fw.reshape(v, (6, 1)) * M),
    "m @ row": lambda r, v: fw.transpose(fw.reshape(v, (6, 1)) * M) @ r,
    "row @ columns": lambda r, v: r @ fw.broadcast_to(fw.reshape(v, (6, 1)), (6, 2)),
    "rows @ v": lambda r, v: fw.reshape(r * r[0], (2, 3)) @ v[:3],
    "rows @ rows": lambda r, v: fw.reshape(r, (2, 3)) @ fw.reshape(r * v, (3, 2)),
    "outer": lambda r, v: fw.outer(r, v),
    "dot": lambda r, v: fw.dot(r, v * r),
    "einsum": lambda r, v: fw.einsum("ij,jk,k->i", fw.reshape(r, (2, 3)), fw.reshape(v, (3, 2)), r[:2]),
    "transpose": lambda r, v: fw.transpose(fw.reshape(r * v, (2, 3))) * fw.reshape(r, (3, 2)),
    "moveaxis": lambda r, v: fw.moveaxis(fw.reshape(r * r, (1, 2, 3)), 0, -1) @ v[:1],
    "sums": lambda r, v: fw.sum(r * v) + fw.mean(fw.reshape(r, (2, 3)), axis=0),
    "max": lambda r, v: fw.max(r * v) * fw.min(fw.reshape(r, (2, 3)), axis=1),
    "prod": lambda r, v: fw.prod(r * v) * fw.cumprod(r),
    "cumsum": lambda r, v: fw.cumsum(r * v),
    "logsumexp": lambda r, v: fw.logsumexp(r * v) + fw.nn.log_softmax(r),
    "softmax": lambda r, v: fw.nn.softmax(r * v),
    "norm": lambda r, v: fw.linalg.norm(r * v) + fw.std(r),
    "slice": lambda r, v: r[1:5:2] * v[:2],
    "index": lambda r, v: r[2] * v[3] + r[-1],
    "take": lambda r, v: fw.take(r, np.array([3, 0, 0])) * v[:3],
    "update": lambda r, v: r.at[1].add(v[0] * r[2]),
    "concatenate": lambda r, v: fw.concatenate([r, v * r, v[:2]]),
    "stack": lambda r, v: fw.stack([r * r, v * r], axis=1),
    "pad": lambda r, v: fw.pad(r * v, ((1, 2),)),
    "roll": lambda r, v: fw.roll(r * v, 2) * fw.flip(r, 0),
    "sort": lambda r, v: fw.sort(r * v) * v,
    "broadcast": lambda r, v: fw.broadcast_to(r * v, (2, 6)) * r,
    "tile": lambda r, v: fw.tile(r * v, (2,)),
    "convolution": lambda r, v: fw.nn.conv2d(fw.reshape(r * v, (1, 2, 3, 1)), IMAGE) * r[0],
    "pool": lambda r, v: fw.nn.max_pool2d(fw.reshape(r * v, (1, 2, 3, 1)), (2, 2), strides=(1, 1)) * r[0],
    "solve": lambda r, v: fw.linalg.solve(symmetric(r, v), r[:2]),
    "cholesky": lambda r, v: fw.linalg.cholesky(symmetric(r, v)),
    "det": lambda r, v: fw.linalg.det(symmetric(r, v)),
    "rule": lambda r, v: tripled(r * v),
    "scan": lambda r, v: fw.scan(lambda c, x: (c * x, c), v[0], r)[1],
    "loop": lambda r, v: fw.fori_loop(0, 3, lambda i, c: c * r, v),
    "branch": lambda r, v: fw.cond(r[0] > 1.0, lambda: r * v, lambda: r * r),
    "while": lambda r, v: fw.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * r), (0, v),
                                        max_iterations=4)[1],
    "vmap": lambda r, v: fw.vmap(lambda a, b: a * b + r[0])(r, v),
    "grad": lambda r, v: fw.grad(lambda q: fw.sum(q * q * v * r))(r),
}


def derivatives(op: Row, rows: Any, v: Any, batch: Callable[..., Any]) -> Any:
    """Returns the derivatives of the sum of squares by the shared operand and by the rows, and along both."""

    def loss(rows: Any, v: Any) -> Any:
        y = batch(op, rows, v)
        return fw.sum(y * y)

    by_rows, by_v = fw.grad(loss, argnums=(0, 1))(rows, v)
    pushed = fw.jvp(lambda r, w: batch(op, r, w), (rows, v), (rows * rows, v))[1]
    second = fw.jvp(lambda w: fw.grad(loss, argnums=1)(rows, w), (v,), (v,))[1]
    return {"rows": by_rows, "v": by_v, "jvp": pushed, "second": second}


def one_by_one(op: Row, rows: Any, v: Any) -> Any:
    return fw.stack([op(rows[i], v) for i in range(rows.shape[0])])


def columns(op: Row, rows: Any, v: Any) -> Any:
    return fw.vmap(op, in_axes=(1, None))(fw.transpose(rows), v)


Build = Callable[[Any, Any], Any]


def in_while(build: Build, rows: Any, v: Any) -> Any:
    first = fw.map_leaves(fw.zeros_like, build(rows, v))
    return fw.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, build(rows, v)), (0, first))[1]


def in_scan(build: Build, rows: Any, v: Any) -> Any:
    _, found = fw.scan(lambda c, x: (c, build(x, c)), v, fw.stack([rows, rows]))
    return fw.map_leaves(lambda x: x[1], found)


def in_vmap(build: Build, rows: Any, v: Any) -> Any:
    return fw.map_leaves(lambda x: x[1], fw.vmap(build, in_axes=(0, None))(fw.stack([rows + 1.0, rows]), v))


def in_shared_vmap(build: Build, rows: Any, v: Any) -> Any:
    """The outer vmap batches v."""
    return fw.map_leaves(lambda x: x[1], fw.vmap(lambda w: build(rows, w))(fw.stack([v + 1.0, v])))


def in_parts(build: Build, rows: Any, v: Any) -> Any:
    both = fw.concatenate([rows, rows])
    return fw.microbatch(lambda part: build(part, v), 2)(both)


PLACES: Dict[str, Callable[[Build, Any, Any], Any]] = {
    "branch": lambda build, rows, v: fw.cond(fw.sum(v) > 0.0, lambda: build(rows, v), lambda: build(rows + 1.0, v)),
    "scan": in_scan,
    "while": in_while,
    "vmap": in_vmap,
    "shared vmap": in_shared_vmap,
    "microbatch": in_parts,
}


def in_place(op: Row, place: str) -> Any:
    return fw.function(lambda rows, v: PLACES[place](lambda r, w: derivatives(op, r, w, columns), rows, v))


# All are traced, and some compiled.
CASES = [(name, place) for name in OPS for place in PLACES]
for name, place in CASES:
    in_place(OPS[name], place).trace(ROWS, V)
for name, place in choose("batched_in_regions", CASES, 0.2, group=lambda case: case[1]):
    op = OPS[name]
    wanted = fw.function(lambda rows, v, op=op: derivatives(op, rows, v, one_by_one))(ROWS, V)
    found = in_place(op, place)(ROWS, V)
    for what, value in wanted.items():
        np.testing.assert_allclose(np.asarray(found[what]), np.asarray(value), 1e-9, 1e-9,
                                   err_msg=f"{what} of {name} in {place}")  # fmt: skip

# A factor whose columns are one: no kernel reads vectors of it.
columns_of_one = fw.function(lambda a, v: fw.vmap(lambda r: r @ fw.broadcast_to(fw.reshape(v, (3, 1)), (3, 2)))(a))
a, v = ROWS[:, :3].astype(np.float32), V[:3].astype(np.float32)
np.testing.assert_allclose(columns_of_one(a, v), np.stack([a @ v, a @ v], axis=1), 1e-6)
