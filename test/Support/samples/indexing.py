# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of slices at indices, scans and tiles of the nn dialect."""

from typing import Any, Tuple

import numpy as np
from numpy.typing import NDArray

from samples.sampling import arg, integers, sample


def factors(rng: np.random.Generator, shape: Tuple[int, ...]) -> NDArray[Any]:
    """Numbers of either sign of which some are 0."""
    return np.asarray(rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 0.0, 1.0, 1.0], shape))


def repeated(rng: np.random.Generator, shape: Tuple[int, ...]) -> NDArray[Any]:
    """Numbers of which many are equal."""
    return rng.choice([-1.0, 1.0], shape)


for x, i, y, axis in (("tensor<?x5xf64>", "tensor<4xi32>", "tensor<4x5xf64>", 0),
                      ("tensor<2x3x5xf64>", "tensor<?x2xi64>", "tensor<2x?x2x5xf64>", 1),
                      ("tensor<3xf64>", "tensor<i32>", "tensor<f64>", 0)):
    # Few indices and three slices: some slices are taken twice.
    at = ":, " * axis
    sample("nn.gather", [arg(x), arg(i, integers(0, 2), wrt=False)],
           f"%y = nn.gather %a0, %a1 axis {axis} : ({x}, {i}) -> {y}", y, jax=f"jnp.take(a0, a1, {axis})")
    sample("nn.scatter_add", [arg(x), arg(i, integers(0, 2), wrt=False), arg(y)],
           f"%y = nn.scatter_add %a0, %a1, %a2 axis {axis} : ({x}, {i}, {y}) -> {x}", x,
           jax=f"a0.at[{at}a1].add(a2)")
    # The last one of the updates of one place stays.
    sample("nn.scatter", [arg(x), arg(i, integers(0, 2), wrt=False), arg(y)],
           f"%y = nn.scatter %a0, %a1, %a2 axis {axis} : ({x}, {i}, {y}) -> {x}", x,
           jax=f"y, all = a0, (slice(None),) * {axis}\nfor at in np.ndindex(a1.shape):\n"
               "    y = y.at[(*all, int(a1[at]))].set(a2[(*all, *at)])")
for x, i, y, axis in (("tensor<?x4xf64>", "tensor<?x3xi32>", "tensor<?x3xf64>", 1),
                      ("tensor<3x2x?xf64>", "tensor<5x2x?xi64>", "tensor<5x2x?xf64>", 0),
                      ("tensor<3xf64>", "tensor<4xi32>", "tensor<4xf64>", 0)):
    sample("nn.take_along_axis", [arg(x), arg(i, integers(0, 2), wrt=False)],
           f"%y = nn.take_along_axis %a0, %a1 axis {axis} : ({x}, {i}) -> {y}", y,
           jax=f"jnp.take_along_axis(a0, a1, {axis})")
    sample("nn.scatter_add_along_axis", [arg(x), arg(i, integers(0, 2), wrt=False), arg(y)],
           f"%y = nn.scatter_add_along_axis %a0, %a1, %a2 axis {axis} : ({x}, {i}, {y}) -> {x}", x,
           jax=f"at = list(jnp.indices(a1.shape))\nat[{axis}] = a1\ny = a0.at[tuple(at)].add(a2)")
for axis, flags in ((0, ""), (1, " exclusive"), (2, " reverse"), (1, " exclusive reverse")):
    sums = f"lax.cumsum(a0, {axis}, reverse={'reverse' in flags})"
    sample("nn.cumsum", [arg("tensor<2x?x3xf64>")],
           f"%y = nn.cumsum %a0 axis {axis}{flags} : tensor<2x?x3xf64> -> tensor<2x?x3xf64>", "tensor<2x?x3xf64>",
           jax=sums + (" - a0" if "exclusive" in flags else ""))
for axis, flags, x in ((0, "", "a0"), (2, " reverse", "a0"),
                       (1, " exclusive", "jnp.concatenate([jnp.ones_like(a0[:, :1]), a0[:, :-1]], 1)"),
                       (1, " exclusive reverse", "jnp.concatenate([a0[:, 1:], jnp.ones_like(a0[:, :1])], 1)")):
    sample("nn.cumprod", [arg("tensor<2x?x3xf64>", factors)],
           f"%y = nn.cumprod %a0 axis {axis}{flags} : tensor<2x?x3xf64> -> tensor<2x?x3xf64>", "tensor<2x?x3xf64>",
           jax=f"lax.cumprod({x}, {axis}, reverse={'reverse' in flags})")
for axis, flags in ((0, ""), (1, " reverse"), (2, "")):
    sample("nn.logcumsumexp", [arg("tensor<2x?x3xf64>")],
           f"%y = nn.logcumsumexp %a0 axis {axis}{flags} : tensor<2x?x3xf64> -> tensor<2x?x3xf64>", "tensor<2x?x3xf64>",
           jax=f"lax.cumlogsumexp(a0, {axis}, reverse={'reverse' in flags})")
sample("nn.logcumsumexp", [arg("tensor<4x?xf64>", repeated)],
       "%y = nn.logcumsumexp %a0 axis 0 : tensor<4x?xf64> -> tensor<4x?xf64>", "tensor<4x?xf64>",
       jax="lax.cumlogsumexp(a0, 0)")
sample("nn.tile", [arg("tensor<?x3xf64>")],
       "%y = nn.tile %a0 multiples [1, 2] : tensor<?x3xf64> -> tensor<?x6xf64>", "tensor<?x6xf64>",
       jax="jnp.tile(a0, (1, 2))")
sample("nn.tile", [arg("tensor<2x1x3xf64>")],
       "%y = nn.tile %a0 multiples [3, 2, 1] : tensor<2x1x3xf64> -> tensor<6x2x3xf64>", "tensor<6x2x3xf64>",
       jax="jnp.tile(a0, (3, 2, 1))")
