# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX as a peer: one jit of the whole step, whose state is donated."""

from __future__ import annotations

import time
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax, nn
from rows import Row, Values


class Ops:
    relu, sigmoid = staticmethod(nn.relu), staticmethod(nn.sigmoid)
    leaky_relu, one_hot = staticmethod(nn.leaky_relu), staticmethod(nn.one_hot)
    mean_all, sum_all = staticmethod(jnp.mean), staticmethod(jnp.sum)

    def __init__(self, key: Any, still: bool) -> None:
        self.key, self.still = key, still
        self.moved: dict[str, Any] = {}

    def next_key(self) -> Any:
        self.key, key = jax.random.split(self.key)
        return key

    def draw_integer(self, bound: int, held: int) -> Any:
        return held if self.still else jax.random.randint(self.next_key(), (), 0, bound)

    def draw_normal(self, shape: tuple[int, ...], held: float) -> Any:
        return jnp.full(shape, held) if self.still else jax.random.normal(self.next_key(), shape)

    def dropout(self, x: Any, rate: float) -> Any:
        if self.still:
            return x
        return jnp.where(jax.random.bernoulli(self.next_key(), 1 - rate, x.shape), x / (1 - rate), 0)

    def sum_last(self, x: Any) -> Any:
        return x.sum(-1)

    def square(self, x: Any, size: int) -> Any:
        return x.reshape(-1, size, size, 1)

    def image(self, x: Any) -> Any:
        return x

    def filter(self, w: Any, size: int) -> Any:
        return w.reshape(size, size, 1, 1)

    def conv(self, x: Any, w: Any, b: Any = None, stride: int = 1) -> Any:
        layout = ("NHWC", "HWIO", "NHWC")
        y = lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=layout)
        return y if b is None else y + b

    def max_pool(self, x: Any) -> Any:
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    def batch_norm(self, x: Any, v: Values, name: str) -> Any:
        mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
        for key, value in ((name + "_mean", mean), (name + "_variance", variance)):
            self.moved[key] = lax.stop_gradient(0.9 * v[key] + 0.1 * value)
        return (x - mean) * (lax.rsqrt(variance + 1e-3) * v[name + "_gamma"]) + v[name + "_beta"]

    def flat(self, x: Any) -> Any:
        return x.reshape(len(x), -1)

    def mean(self, x: Any) -> Any:
        return x.mean((1, 2))

    def dense(self, x: Any, w: Any, b: Any = None) -> Any:
        return x @ w if b is None else x @ w + b

    def gather(self, table: Any, index: Any) -> Any:
        return table[index]

    def layer_norm(self, x: Any, gamma: Any, beta: Any) -> Any:
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(variance + 1e-5) * gamma + beta

    def heads(self, x: Any, count: int) -> Any:
        return x.reshape(*x.shape[:2], count, -1)

    def joined(self, x: Any) -> Any:
        return x.reshape(*x.shape[:2], -1)

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        return nn.dot_product_attention(q, k, v, is_causal=True)

    def gelu(self, x: Any) -> Any:
        return nn.gelu(x, approximate=False)

    def gru(self, x: Any, wx: Any, wh: Any, bx: Any, bh: Any) -> Any:
        # The products with x are one, outside of the loop.
        def cell(h: Any, a: Any) -> Any:
            ar, az, an = jnp.split(a, 3, -1)
            br, bz, bn = jnp.split(h @ wh + bh, 3, -1)
            z = nn.sigmoid(az + bz)
            return (1 - z) * jnp.tanh(an + nn.sigmoid(ar + br) * bn) + z * h, None

        return lax.scan(cell, jnp.zeros(x.shape[1:]), x @ wx + bx)[0]

    def squared_error(self, x: Any, y: Any) -> Any:
        return ((x - y) ** 2).mean()

    def cross_entropy(self, scores: Any, label: Any) -> Any:
        return -jnp.take_along_axis(nn.log_softmax(scores), label[..., None], -1).mean()

    def sigmoid_cross_entropy(self, score: Any, answer: float) -> Any:
        return (jnp.maximum(score, 0) - score * answer + jnp.log1p(jnp.exp(-jnp.abs(score)))).mean()


def update(row: Row, p: Values, m: Values, h: Values, g: Values, t: Any) -> tuple[Values, Values, Values]:
    o = row.optimizer
    if o.kind == "sgd":
        return jax.tree.map(lambda p, g: p - o.rate * g, p, g), m, h
    if o.kind in ("momentum", "nesterov"):
        m = jax.tree.map(lambda m, g: o.momentum * m + g, m, g)
        along = m if o.kind == "momentum" else jax.tree.map(lambda m, g: g + o.momentum * m, m, g)
        return jax.tree.map(lambda p, d: p - o.rate * d, p, along), m, h
    m = jax.tree.map(lambda m, g: m + (1 - o.beta_1) * (g - m), m, g)
    h = jax.tree.map(lambda h, g: h + (1 - o.beta_2) * (g * g - h), h, g)
    root = jnp.sqrt(1 - o.beta_2**t)
    rate = o.rate * root / (1 - o.beta_1**t)
    if o.kind == "adam":
        return jax.tree.map(lambda p, m, h: p - rate * m / (jnp.sqrt(h) + o.epsilon), p, m, h), m, h
    keep = 1 - o.rate * o.decay
    return jax.tree.map(lambda p, m, h: keep * p - rate * m / (jnp.sqrt(h) + o.epsilon * root), p, m, h), m, h


class Jax:
    def __init__(self, row: Row, values: Values, trained: list[str], feeds: list[Any], still: bool) -> None:
        def loss_of(p: Values, others: Values, key: Any, feeds: Any) -> Any:
            o = Ops(key, still)
            loss = row.loss(o, {**others, **p}, *feeds)
            loss, shown = loss if isinstance(loss, tuple) else (loss, loss)
            return loss, (shown, {**others, **o.moved}, o.key)

        def step(state: Any, feeds: Any) -> Any:
            p, m, h, others, key, t = state
            if row.update_only:
                g, shown = dict(zip(p, feeds, strict=True)), jnp.float32(0)
            else:
                (_, (shown, others, key)), g = jax.value_and_grad(loss_of, has_aux=True)(p, others, key, feeds)
            p, m, h = update(row, p, m, h, g, t + 1)
            return (p, m, h, others, key, t + 1), shown

        p = {name: jnp.array(values[name]) for name in trained}
        others = {name: jnp.array(value) for name, value in values.items() if name not in p}
        m = jax.tree.map(jnp.zeros_like, p) if row.optimizer.kind != "sgd" else {}
        h = jax.tree.map(jnp.zeros_like, p) if row.optimizer.kind.startswith("adam") else {}
        self.state = (p, m, h, others, jax.random.key(1), jnp.float32(0))
        self.feeds = tuple(map(jnp.array, feeds))
        start = time.perf_counter()
        self.compiled = jax.jit(step, donate_argnums=0).lower(self.state, self.feeds).compile()
        self.compile_seconds = time.perf_counter() - start
        memory = self.compiled.memory_analysis()
        self.workspace_bytes = memory.temp_size_in_bytes if memory else None

    def step(self) -> Any:
        self.state, loss = self.compiled(self.state, self.feeds)
        return loss

    def wait(self) -> None:
        jax.block_until_ready(self.state)
