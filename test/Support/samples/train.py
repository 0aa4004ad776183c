# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of rules of the user."""

from samples.sampling import MATRIX, arg, integers, sample

# A rule that happens to be right.
sample("train.custom_vjp", [arg(MATRIX), arg("tensor<?x3xi32>", integers(0, 3), wrt=False), arg(MATRIX)],
       f"%y, %n = train.custom_vjp %a0, %a1, %a2 : ({MATRIX}, tensor<?x3xi32>, {MATRIX}) "
       f"-> ({MATRIX}, tensor<?x3xi32>) {{\n"
       f"^bb0(%p: {MATRIX}, %i: tensor<?x3xi32>, %q: {MATRIX}):\n%s = math.sin %p : {MATRIX}\n"
       f"%t = arith.mulf %s, %q : {MATRIX}\ntrain.vjp_yield %t, %i : {MATRIX}, tensor<?x3xi32>\n}} vjp {{\n"
       f"^bb0(%p: {MATRIX}, %i: tensor<?x3xi32>, %q: {MATRIX}, %d: {MATRIX}):\n%c = math.cos %p : {MATRIX}\n"
       f"%s = math.sin %p : {MATRIX}\n%e = arith.mulf %d, %q : {MATRIX}\n%f = arith.mulf %e, %c : {MATRIX}\n"
       f"%r = arith.mulf %d, %s : {MATRIX}\ntrain.vjp_yield %f, %r : {MATRIX}, {MATRIX}\n}}", MATRIX,
       jax="jnp.sin(a0) * a2")
sample("train.parameter", [arg(MATRIX)], f"%y = train.parameter %a0 : {MATRIX}", MATRIX, jax="a0")
