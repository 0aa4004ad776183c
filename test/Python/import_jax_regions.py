# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, jax
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""B6: ops of StableHLO with indices, regions and rules against JAX; see import_jax_ops.py."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from import_jax_ops import check, draw, pool, run, whole

#
# Elements at indices
#


def test_gather() -> None:
    x, i, j = draw(5, 4, 6), whole(3, 2, high=5), whole(3, 2, high=4)
    negative = np.array([-1, 0, -5, 3], np.int32)
    beyond = np.array([-9, 0, 7, 3], np.int32)
    check(
        {
            "rows": (lambda a, k: a[k], [x, i]),
            "columns": (lambda a, k: a[:, k], [x, j]),
            "last": (lambda a, k: a[..., k], [x, i]),
            "pairs": (lambda a, k, n: a[k, n], [x, i, j]),
            "apart": (lambda a, k, n: a[k, :, n], [x, i, j]),
            "points": (lambda a, k, n: a[k, n, 2], [x, i, j]),
            "negative": (lambda a, k: a[k], [x, negative]),
            "clip": (lambda a, k: a.at[k].get(mode="clip"), [x, beyond]),
            "fill": (lambda a, k: a.at[k].get(mode="fill", fill_value=7.0), [x, beyond]),
            "take": (lambda a, k: jnp.take(a, k, 1, mode="clip"), [x, beyond]),
            "along": (lambda a, k: jnp.take_along_axis(a, k, 1), [x[..., 0], whole(5, 3, high=4)]),
            "along_one": (lambda a, k: jnp.take_along_axis(a, k[:, None], 1), [x[..., 0], whole(5, high=4)]),
            "constant": (lambda a: a[jnp.array([3, 1, 1])], [x]),
            "scalar": (lambda a, k: a[k], [x, np.int32(3)]),
            "element": (lambda a, k: a[k, 1, k], [x, np.int32(3)]),
            "mask": (lambda a, k: a[k, 1:3], [x, i]),
            "slices": (
                lambda a, k: jax.vmap(lambda n: lax.dynamic_slice(a, (n, np.int32(0), np.int32(1)), (2, 4, 3)))(k),
                [x, whole(3, high=6)],
            ),
            "batched": (lambda a, k: jax.vmap(lambda row, n: row[n])(a, k), [x, whole(5, high=4)]),
            "batched_slices": (
                lambda a, k: jax.vmap(lambda row, n: lax.dynamic_slice_in_dim(row, n, 2))(a, k),
                [x, whole(5, high=4)],
            ),
            "whole": (lambda a, k: a[k], [whole(5, 3), i]),
            "flags": (lambda a, k: a[k], [whole(5, 3) > 2, i]),
            "unsigned": (lambda a, k: a[k], [x, whole(4, high=5, dtype=np.uint8)]),
            "wide": (lambda a, k: a[k], [x, whole(4, high=5, dtype=np.int64)]),
            "none": (lambda a, k: a[k], [x, whole(0)]),
            "one_hot": (lambda k: jax.nn.one_hot(k, 5), [i]),
            "slice": (lambda a, k: lax.dynamic_slice(a, (k, k * 0 + 1, k * 0), (2, 2, 6)), [x, np.int32(4)]),
            "before": (lambda a, k: lax.dynamic_slice(a, (k, k * 0 + 1, k * 0), (2, 2, 6)), [x, np.int32(-9)]),
            "index": (lambda a, k: lax.dynamic_index_in_dim(a, k, 1), [x, np.int64(2)]),
        }
    )
    check({"beyond": (lambda a, k: a[k], [x, beyond])}, derivatives=False)


def test_scatter() -> None:
    x, rows, i = draw(5, 4), draw(3, 4), np.array([4, 0, 2], np.int32)
    beyond = np.array([-9, 7, 2], np.int32)
    twice = np.array([2, 0, 2], np.int32)
    check(
        {
            "set": (lambda a, b, k: a.at[k].set(b), [x, rows, i]),
            "add": (lambda a, b, k: a.at[k].add(b), [x, rows, twice]),
            "set_column": (lambda a, b, k: a.at[:, k].set(b.T), [draw(4, 5), rows, i]),
            "subtract": (lambda a, b, k: a.at[k].subtract(b), [x, rows, i]),
            "beyond": (lambda a, b, k: (a.at[k].set(b), a.at[k].add(b)), [x, rows, beyond]),
            "clip": (lambda a, b, k: a.at[k].add(b, mode="clip"), [x, rows, beyond]),
            "points": (lambda a, b, k, n: a.at[k, n].add(b), [x, draw(3), i, np.array([3, 1, 3], np.int32)]),
            "element": (lambda a: a.at[1, 2].set(9.0), [x]),
            "row": (lambda a: a.at[1].add(a[0]), [x]),
            "part": (lambda a, b: a.at[1:4, 2].set(b), [x, draw(3)]),
            "strided": (lambda a, b: a.at[::2].set(b), [x, rows]),
            "last": (lambda a: a.at[-1].set(2.0), [x]),
            "segments": (lambda b, k: jax.ops.segment_sum(b, k, 5), [rows, twice]),
            "whole": (lambda a, k: a.at[k].add(3), [whole(5, 4), twice]),
            "update": (lambda a, b, k: lax.dynamic_update_slice(a, b, (k, k * 0)), [x, rows, np.int32(4)]),
            "column": (lambda a, b: a.at[:, 1].set(b), [x, draw(5)]),
            "zeros": (lambda a, k: a.at[k].set(1.0), [x, whole(0)]),
            "batched": (lambda a, k: jax.vmap(lambda row, n: row.at[n].add(2.0 * row[0]))(a, k), [x, whole(5, high=4)]),
            "bincount": (lambda k: jnp.bincount(k, length=5), [twice]),
        }
    )


def test_sort() -> None:
    x = draw(4, 7)
    signs = np.array([0.0, -0.0, 1.0, -np.inf, np.inf, -1.0])
    check(
        {
            "sort": (jnp.sort, [x]),
            "rows": (lambda a: jnp.sort(a, 0), [x]),
            "falling": (lambda a: jnp.sort(a, descending=True), [x]),
            "argsort": (lambda a: (jnp.argsort(a), jnp.argsort(-a, 0)), [x]),
            "top": (lambda a: lax.top_k(a, 3), [x]),
            "keys": (lambda a, k: lax.sort((k, a), num_keys=1), [draw(9), whole(9, high=3)]),
            "two": (lambda a, k: lax.sort((k, a), num_keys=2), [draw(9), whole(9, high=3)]),
            "one": (jnp.sort, [draw(1)]),
            "none": (jnp.sort, [draw(0)]),
            "whole": (jnp.sort, [whole(9)]),
            "searchsorted": (lambda a, b: jnp.searchsorted(jnp.sort(a), b), [draw(9), draw(4)]),
        }
    )
    check({"signs": (lambda a: (jnp.sort(a), jnp.argsort(a), lax.top_k(a, 6)), [signs])}, derivatives=False)
    # One key of many elements, with zeros and NaN of both signs; by several keys all pairs are compared.
    many, numbers = draw(2, 5000), whole(6000, high=50)
    many[:, :8] = [0.0, -0.0, np.nan, -np.nan, -np.inf, np.inf, 1.0, -1.0]
    check(
        {
            "large": (lambda a: (jnp.sort(a), jnp.argsort(a), jnp.argsort(a, descending=True), jnp.sort(a, 0)), [many]),
            "large_top": (lambda a: lax.top_k(a, 50), [many]),
            "large_keys": (lambda k, a: lax.sort((k, a), num_keys=1), [numbers, draw(6000)]),
            "unsigned": (lambda k: (jnp.sort(k), jnp.argsort(k)), [whole(5000, high=255, dtype=np.uint8)]),
            "flags": (lambda k: jnp.argsort(k > 20), [numbers]),
            "half": (jnp.argsort, [many.astype(np.float16)]),
        },
        derivatives=False,
    )


#
# Control
#


def test_control() -> None:
    x, w = draw(6, 3), draw(3, 3)

    def cell(carry: Any, row: Any) -> Any:
        carry = jnp.tanh(carry * 0.5 + row)
        return carry, (carry * 2, carry.sum())

    def nested(a: Any) -> Any:
        return lax.scan(lambda c, row: (lax.fori_loop(0, 3, lambda _, v: jnp.sin(v + row), c), c), a[0], a)

    check(
        {
            "scan": (lambda a: lax.scan(cell, a[0], a), [x]),
            "back": (lambda a: lax.scan(cell, a[0], a, reverse=True), [x]),
            "product": (lambda a, b: lax.scan(lambda c, row: (jnp.tanh(c @ b + row), c), a[0], a), [x, w]),
            "unrolled": (lambda a: lax.scan(cell, a[0], a, unroll=2), [x]),
            "nested": (nested, [x]),
            "counted": (lambda a: lax.fori_loop(0, 4, lambda i, v: v * 0.5 + a[i], a[0]), [x]),
            "from": (lambda a: lax.fori_loop(1, 5, lambda i, v: v + a[i] * i, a[0]), [x]),
            "filled": (lambda a: lax.fori_loop(0, 6, lambda i, v: v.at[i].set(a[i] * i), jnp.zeros_like(a)), [x]),
            "never": (lambda a: lax.fori_loop(3, 3, lambda i, v: v + a[i], a[0]), [x]),
            "mapped": (lambda a: lax.map(lambda row: jnp.cumsum(row) * row, a), [x]),
            "cond": (lambda a, k: lax.cond(k > 2, lambda v: v * 2, lambda v: jnp.sin(v), a), [x, np.int32(3)]),
            "switch": (lambda a, k: lax.switch(k, [jnp.sin, jnp.cos, jnp.tanh], a), [x, np.int32(1)]),
            "beyond": (lambda a, k: lax.switch(k, [jnp.sin, jnp.cos, jnp.tanh], a), [x, np.int32(7)]),
            "vmap": (jax.vmap(lambda row: jnp.where(row.sum() > 0, row, row * 2)), [x]),
            "jit": (jax.jit(lambda a: jax.jit(jnp.tanh)(a) + jax.jit(jnp.tanh)(2 * a)), [x]),
            "remat": (jax.checkpoint(lambda a: jnp.sin(jnp.sin(a))), [x]),
        }
    )

    def halve(a: Any) -> Any:
        return lax.while_loop(lambda v: jnp.max(jnp.abs(v)) > 0.1, lambda v: v / 2, a)

    check(
        {
            "while": (halve, [x]),
            "bound": (lambda a, n: lax.fori_loop(0, n, lambda i, v: v + a[i], a[0]), [x, np.int32(4)]),
            "pair": (lambda a: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 2, s[1] * 2), (0, a)), [x]),
        },
        derivatives=False,
    )


def test_derivative_of_derivative() -> None:
    """Functions that JAX differentiates are imported as any other."""
    check(
        {
            "grad": (jax.grad(lambda a: jnp.sum(jnp.tanh(a) ** 3)), [draw(4)]),
            "hessian": (jax.hessian(lambda a: jnp.sum(jnp.exp(a * a[0]))), [draw(3)]),
            "jvp": (lambda a, b: jax.jvp(jnp.sin, (a,), (b,)), [draw(3), draw(3)]),
            "pool": (jax.grad(lambda a: jnp.sum(pool(lax.add, 0.0, (2, 2), (2, 2), "SAME")(a) ** 2)), [draw(5, 4)]),
        }
    )


def test_own_derivatives() -> None:
    """Rules that are defined with `custom_jvp` and `custom_vjp` are the ones that hold."""

    tripled = jax.custom_jvp(lambda x: jnp.sin(x))
    tripled.defjvps(lambda t, ans, x: 3 * t * ans)

    clipped = jax.custom_vjp(lambda x, scale: (x * scale, scale))
    clipped.defvjp(
        lambda x, scale: ((x * scale, scale), (x, scale)),
        lambda saved, g: (jnp.clip(g[0], -0.5, 0.5) * saved[1], (g[0] * saved[0]).sum() + 7 * g[1]),
    )

    picked = jax.custom_vjp(lambda x, k: x[k])
    picked.defvjp(
        lambda x, k: (x[k], (x.shape, k)), lambda saved, g: (jnp.zeros(saved[0]).at[saved[1]].set(g * 2), None)
    )
    x = draw(4, 3)
    check(
        {
            "jvp": (tripled, [x]),
            "vjp": (clipped, [x, np.array(1.5)]),
            "index": (picked, [x, np.int32(2)]),
            "loop": (lambda a: lax.scan(lambda c, row: (clipped(tripled(c), row)[0], c), a[0], a), [x]),
            "jit": (lambda a: jax.jit(tripled)(a) + tripled(2 * a), [x]),
            "vmap": (jax.vmap(tripled), [x]),
            "branch": (lambda a, k: lax.cond(k > 1, tripled, jnp.cos, a), [x, np.int32(3)]),
            "stopped": (lambda a: jax.jit(lambda v: lax.stop_gradient(v) * v)(a), [x]),
            "through": (lambda a: a + lax.stop_gradient(jnp.round(a) - a), [x]),
            "sinc": (jnp.sinc, [np.array([0.0, 0.5, 2.0])]),
            "xlogy": (lambda a: jax.scipy.special.xlogy(a, a), [np.abs(x)]),
            "logaddexp": (jnp.logaddexp, [draw(3), draw(3)]),
            "infinite": (lambda a: jnp.logaddexp(a, jnp.array([-jnp.inf, -jnp.inf, 0.0])), [draw(3)]),
        }
    )


def test_random() -> None:
    """Random bits are arithmetic of integers: the same ones as JAX draws."""
    key = np.asarray(jax.random.key_data(jax.random.key(7)))
    check(
        {
            "bits": (lambda k: jax.random.bits(k, (5,)), [key]),
            "uniform": (lambda k: jax.random.uniform(k, (3, 4)), [key]),
            "normal": (lambda k: jax.random.normal(k, (7,)), [key]),
            "split": (lambda k: jax.random.split(k, 3), [key]),
            "integers": (lambda k: jax.random.randint(k, (6,), 0, 10), [key]),
            "bernoulli": (lambda k: jax.random.bernoulli(k, 0.3, (9,)), [key]),
            "permutation": (lambda k: jax.random.permutation(k, 6), [key]),
            "dropout": (lambda a, k: jnp.where(jax.random.bernoulli(k, 0.5, a.shape), a * 2, 0.0), [draw(4, 3), key]),
        }
    )


if __name__ == "__main__":
    run([test for name, test in list(globals().items()) if name.startswith("test_")])
