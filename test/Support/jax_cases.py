# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of JAX that record_jax.py records: `function(params, *inputs)`, whose result a loss compares with targets.

Arrays are float64 unless a case is about dtypes. None has a derivative of its own: those are calls back into JAX.
"""

from typing import Any, Callable, Dict, List, NamedTuple, Optional

import jax
from jax import lax
from jax import numpy as jnp


class Case(NamedTuple):
    """A function, its parameters by name, inputs and targets as specs of `recordings.filled`. `sizes` has names for the
    dimensions, by axis, of each input and target, whose sizes a call chooses."""

    name: str
    function: Callable[..., Any]
    params: Dict[str, Dict[str, Any]]
    inputs: List[Dict[str, Any]]
    target: Dict[str, Any]
    sizes: Optional[List[Dict[str, str]]] = None


def real(*shape: int, **more: Any) -> Dict[str, Any]:
    return {"shape": list(shape), "dtype": "float64", **more}


def whole(below: int, *shape: int) -> Dict[str, Any]:
    return {"shape": list(shape), "dtype": "int32", "below": below}


def mlp(p: Any, x: Any) -> Any:
    return jax.nn.relu(x @ p["w1"] + p["b1"]) @ p["w2"]


def scanned(p: Any, x: Any) -> Any:
    """A recurrent layer."""

    def step(h: Any, one: Any) -> Any:
        h = jnp.tanh(one @ p["w"] + h @ p["u"])
        return h, h * 2

    last, each = lax.scan(step, jnp.zeros((x.shape[1], 4)), x)
    return last + each.sum(0)


def branches(p: Any, x: Any) -> Any:
    """`cond` and `switch`, of numbers that the step computes."""
    y = x @ p["w"]
    first = lax.cond(y.sum() > 0, lambda a: jnp.sin(a), lambda a: a * 3, y)
    return lax.switch(jnp.argmax(y[0]), [lambda a: a + 1, lambda a: a * a, jnp.cos], first)


def loops(p: Any, x: Any) -> Any:
    """`fori_loop`, whose length is known, so that it has a derivative."""
    return lax.fori_loop(0, 5, lambda i, a: a + jnp.tanh(a @ p["w"]) / (i + 1), x)


def waiting(p: Any, x: Any) -> Any:
    """`while_loop`, whose length elements decide: without a derivative by what it computes."""
    count, _ = lax.while_loop(lambda s: s[1].sum() > 0.1, lambda s: (s[0] + 1, s[1] * 0.5), (0, jnp.abs(x)))
    return (x * lax.stop_gradient(count)) @ p["w"]


def convolved(p: Any, x: Any) -> Any:
    y = lax.conv_general_dilated(x, p["k"], (2, 1), "SAME", rhs_dilation=(1, 2),
                                 dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=2)  # fmt: skip
    y = lax.reduce_window(jnp.tanh(y), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 1, 1, 1), "VALID")
    return lax.conv_transpose(y, p["t"], (2, 2), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def indexed(p: Any, x: Any) -> Any:
    """Gathers, scatters, and slices at places that the step computes."""
    rows = p["table"][x] * 2
    moved = jnp.zeros((4, 3)).at[x % 4].add(rows).at[1].multiply(0.5).at[:, 0].set(p["table"][:4, 0])
    cut = lax.dynamic_slice(p["table"], (x[0] % 3, jnp.int32(0)), (2, 3))
    put = lax.dynamic_update_slice(p["table"], cut * 3, (x[1] % 4, jnp.int32(0)))
    return moved.sum() + put[:4] + jnp.take_along_axis(p["table"][:4], (x[:4, None] % 3), axis=1)


def ordered(p: Any, x: Any) -> Any:
    y = x @ p["w"]
    largest, _ = lax.top_k(y, 2)
    by_key = lax.sort_key_val(y[0], y[1])[1]
    return jnp.sort(y, axis=1) + jnp.take_along_axis(y, jnp.argsort(-y, axis=1), 1) * 2 + largest.sum() + by_key


def summed(p: Any, x: Any) -> Any:
    y = x * p["w"]
    norm = jax.nn.softmax(y, -1) + jax.nn.log_softmax(y, 0)
    total = jnp.cumsum(y, 1) + jnp.cumprod(jnp.tanh(y), 0) + lax.cumsum(y, 1, reverse=True)
    return norm + total + y.max(1, keepdims=True) + jnp.var(y, 0) + jnp.linalg.norm(y)


def promoted(p: Any, x: Any, n: Any) -> Any:
    """float32 and float16 with integers and numbers: JAX's promotion of dtypes."""
    half = x.astype(jnp.float16) * 2
    mixed = p["w"] * n + half + n // 2 - (n % 3) * 0.5
    return mixed.astype(jnp.float32) + (n > 1) + jnp.uint8(3) + (n << 1) * jnp.float32(0.25)


def attention(p: Any, x: Any) -> Any:
    q, k, v = jnp.split(x @ p["qkv"], 3, -1)
    scores = jnp.einsum("bqd,bkd->bqk", q, k) / 2
    mask = jnp.tril(jnp.ones((4, 4), bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9), -1)
    return x + jax.nn.gelu(jnp.einsum("bqk,bkd->bqd", weights, v) @ p["out"])


def algebra(p: Any, x: Any) -> Any:
    square = p["a"] @ p["a"].T + 2 * jnp.eye(3)
    lower = jnp.linalg.cholesky(square)
    return lax.linalg.triangular_solve(lower, x, left_side=False, lower=True) @ lower


def mapped(p: Any, x: Any) -> Any:
    """`vmap` of a function of a row, and a derivative inside of the function."""
    slope = jax.grad(lambda row: jnp.sum(jnp.sin(row * p["w"]) ** 2))
    return jax.vmap(lambda row: slope(row) + jnp.dot(row, p["w"]))(x)


def sized(p: Any, x: Any) -> Any:
    h = jnp.tanh(x @ p["w"])
    return h - h.mean(0) + x.reshape(-1).sum() / x.shape[0]


CASES = [
    Case("mlp", mlp, {"w1": real(4, 8), "b1": real(8), "w2": real(8, 3)}, [real(5, 4)], real(5, 3)),
    Case("scan", scanned, {"w": real(3, 4), "u": real(4, 4)}, [real(6, 2, 3)], real(2, 4)),
    Case("cond", branches, {"w": real(3, 3)}, [real(2, 3)], real(2, 3)),
    Case("fori_loop", loops, {"w": real(3, 3)}, [real(2, 3)], real(2, 3)),
    Case("while_loop", waiting, {"w": real(3, 3)}, [real(2, 3)], real(2, 3)),
    Case("conv", convolved, {"k": real(3, 3, 2, 4), "t": real(2, 2, 4, 2)}, [real(2, 6, 5, 4)], real(2, 4, 8, 2)),
    Case("gather_scatter", indexed, {"table": real(5, 3)}, [whole(5, 6)], real(4, 3)),
    Case("sort", ordered, {"w": real(3, 5)}, [real(4, 3)], real(4, 5)),
    Case("cumsum", summed, {"w": real(4, 3)}, [real(4, 3)], real(4, 3)),
    Case("dtypes", promoted, {"w": {"shape": [4], "dtype": "float32"}},
         [{"shape": [4], "dtype": "float32"}, whole(5, 4)], {"shape": [4], "dtype": "float32"}),
    Case("attention", attention, {"qkv": real(6, 18), "out": real(6, 6)}, [real(2, 4, 6)], real(2, 4, 6)),
    Case("algebra", algebra, {"a": real(3, 3)}, [real(4, 3)], real(4, 3)),
    Case("vmap_grad", mapped, {"w": real(3)}, [real(4, 3)], real(4, 3)),
    Case("dynamic_batch", sized, {"w": real(3, 2)}, [real(4, 3)], real(4, 2), [{"0": "batch"}, {"0": "batch"}]),
]  # fmt: skip
