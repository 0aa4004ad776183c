# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of triangles and linear systems of the nn dialect."""

from typing import Any, Tuple

import numpy as np
from numpy.typing import NDArray

from samples.sampling import arg, sample


def invertible(rng: np.random.Generator, shape: Tuple[int, ...]) -> NDArray[Any]:
    """Matrices whose triangles are well conditioned, garbage elsewhere."""
    return rng.uniform(-1, 1, shape) + 3 * np.eye(shape[-1])


for kind, diagonal, jax in (("lower", "", "jnp.tril(a0)"),
                            ("upper", " diagonal 1 fill 3.0", "jnp.where(jnp.triu(jnp.ones_like(a0), 1) > 0, a0, 3.0)"),
                            ("lower", " diagonal -1 fill -2.5",
                             "jnp.where(jnp.tril(jnp.ones_like(a0), -1) > 0, a0, -2.5)")):
    sample("nn.triangle", [arg("tensor<2x?x3xf64>")],
           f"%y = nn.triangle {kind} %a0{diagonal} : tensor<2x?x3xf64>", "tensor<2x?x3xf64>", jax=jax)
for a, n, rank in (("tensor<4x4xf64>", 4, 2), ("tensor<1x1xf64>", 1, 2), ("tensor<2x3x3xf64>", 3, 3),
                   ("tensor<?x2x2xf64>", 2, 3)):
    for op, y in (("nn.cholesky", "%y"), ("nn.try_cholesky", "%y, %success")):
        # Positive definite whatever the argument is; what is added above the diagonal is not read.
        sample(op, [arg(a)],
               f"%i = arith.constant dense<{np.eye(n).tolist()}> : tensor<{n}x{n}xf64>\n"
               f"%e = nn.broadcast %i dims [{rank - 2}, {rank - 1}] like %a0 : (tensor<{n}x{n}xf64>, {a}) -> {a}\n"
               f"%u = nn.triangle upper %a0 diagonal 1 : {a}\n"
               f"%g = nn.matmul %a0, %a0 {{transpose_b}} : ({a}, {a}) -> {a}\n"
               f"%p = arith.addf %g, %e : {a}\n%q = arith.addf %p, %u : {a}\n{y} = {op} %q : {a}", a,
               jax=f"jnp.linalg.cholesky(a0 @ jnp.swapaxes(a0, -1, -2) + jnp.eye({n}))")
for kind in ("lower", "upper"):
    for flags in ("", " transpose", " unit_diagonal", " transpose unit_diagonal"):
        sample("nn.triangular_solve", [arg("tensor<4x4xf64>", invertible), arg("tensor<4x?xf64>")],
               f"%y = nn.triangular_solve {kind} %a0, %a1{flags} : (tensor<4x4xf64>, tensor<4x?xf64>) -> "
               "tensor<4x?xf64>", "tensor<4x?xf64>",
               jax=f"jax.scipy.linalg.solve_triangular(a0, a1, trans={int('transpose' in flags)}, "
                   f"lower={kind == 'lower'}, unit_diagonal={'unit_diagonal' in flags})")
for a, b in (("tensor<?x3x3xf64>", "tensor<?x3x2xf64>"), ("tensor<2x1x2x2xf64>", "tensor<2x1x2x3xf64>")):
    for flags in ("", " transpose"):
        sample("nn.triangular_solve", [arg(a, invertible), arg(b)],
               f"%y = nn.triangular_solve upper %a0, %a1{flags} : ({a}, {b}) -> {b}", b,
               jax=f"jnp.linalg.solve({'jnp.swapaxes(jnp.triu(a0), -1, -2)' if flags else 'jnp.triu(a0)'}, a1)")
# Independent columns whatever the argument is, but for chance.
sample("nn.lstsq", [arg("tensor<4x2xf64>"), arg("tensor<4x1xf64>")],
       "%c = arith.constant dense<[[1.5, 0.0], [0.0, 1.0], [3.0, 2.0], [1.0, -1.0]]> : tensor<4x2xf64>\n"
       "%s = arith.addf %a0, %c : tensor<4x2xf64>\n"
       "%y = nn.lstsq %s, %a1 : (tensor<4x2xf64>, tensor<4x1xf64>) -> tensor<2x1xf64>", "tensor<2x1xf64>",
       tolerance=1e-5, jax="jnp.linalg.lstsq(a0 + jnp.array([[1.5, 0], [0, 1], [3, 2], [1, -1]]), a1)[0]")
for a, b, x, l2, dim_sizes in (("tensor<?x2xf64>", "tensor<?x1xf64>", "tensor<2x1xf64>", " l2 0.125", (5,)),
                             ("tensor<4x3xf64>", "tensor<4x2xf64>", "tensor<3x2xf64>", " l2 0.5", ()),
                             ("tensor<2x3xf64>", "tensor<2x2xf64>", "tensor<3x2xf64>", " l2 0.25", ()),
                             ("tensor<2x?x2xf64>", "tensor<2x?x1xf64>", "tensor<2x2x1xf64>", " l2 0.5", (4,)),
                             ("tensor<?x2x3xf64>", "tensor<?x2x1xf64>", "tensor<?x3x1xf64>", " l2 0.5", (2,))):
    number = l2.split()[-1]
    sample("nn.lstsq", [arg(a, dim_sizes=dim_sizes), arg(b, dim_sizes=dim_sizes)],
           f"%y = nn.lstsq %a0, %a1{l2} : ({a}, {b}) -> {x}", x, tolerance=1e-5,
           jax=f"t = jnp.swapaxes(a0, -1, -2)\ny = jnp.linalg.solve(t @ a0 + {number} * jnp.eye(a0.shape[-1]), t @ a1)")
# A damping that the step computes.
for a, b, x, dim_sizes in (("tensor<?x2xf64>", "tensor<?x1xf64>", "tensor<2x1xf64>", (5,)),
                         ("tensor<2x3xf64>", "tensor<2x2xf64>", "tensor<3x2xf64>", ()),
                         ("tensor<2x4x2xf64>", "tensor<2x4x1xf64>", "tensor<2x2x1xf64>", ())):
    sample("nn.lstsq", [arg(a, dim_sizes=dim_sizes), arg(b, dim_sizes=dim_sizes), arg("tensor<f64>")],
           "%c = arith.constant dense<0.25> : tensor<f64>\n"
           "%s = arith.mulf %a2, %a2 : tensor<f64>\n"
           "%l = arith.addf %s, %c : tensor<f64>\n"
           f"%y = nn.lstsq %a0, %a1 l2 %l : ({a}, {b}, tensor<f64>) -> {x}", x, tolerance=1e-5,
           jax="t = jnp.swapaxes(a0, -1, -2)\n"
               "y = jnp.linalg.solve(t @ a0 + (a2 * a2 + 0.25) * jnp.eye(a0.shape[-1]), t @ a1)")
