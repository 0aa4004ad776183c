# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of attention."""

import numpy as np

from samples.sampling import Arg, arg, sample, within

Q, K, V, Y = "tensor<?x2x?x3xf64>", "tensor<?x2x5x3xf64>", "tensor<?x2x5x2xf64>", "tensor<?x2x?x2xf64>"
M = "tensor<?x2x?x5xf64>"


def attention(clauses: str, jax: str, *masks: Arg) -> None:
    """Four queries, five positions, two heads; `jax` makes scores of `s`."""
    args = [arg(Q, dim_sizes=(2, 4)), arg(K, dim_sizes=(2,)), arg(V, dim_sizes=(2,)), *masks]
    types = ", ".join(a.type for a in args)
    sample("nn.attention", args, f"%y = nn.attention %a0, %a1, %a2 {clauses} : ({types}) -> {Y}", Y,
           jax=f"s = a0 @ a1.mT / np.sqrt(3)\n{jax}\ny = jax.nn.softmax(s) @ a2")


attention("", "s = s")
attention("scale 0.4", "s = s * np.sqrt(3) * 0.4")
attention("causal", "s = jnp.where(np.tri(4, 5), s, -jnp.inf)")
attention("mask %a3", "s = s + a3", arg(M, within(-2, 2), (2, 4)))
# Each query attends to something; its first position, where causal.
attention("mask %a3 causal", "s = jnp.where(a3 & np.tri(4, 5, dtype=bool), s, -jnp.inf)",
          arg(M.replace("f64", "i1"), lambda rng, shape: rng.integers(0, 2, shape).astype(bool) | (np.arange(5) == 0),
              (2, 4), wrt=False))
