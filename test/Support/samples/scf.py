# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of control flow."""

import numpy as np

from samples.sampling import MATRIX, always, apart, arg, sample, within

INDICES = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c4 = arith.constant 4 : index\n"

# The taken branch, with captures in common, of its own, and yielded as they are.
for taken in (True, False):
    sample("scf.if", [arg("tensor<i1>", always(taken), wrt=False), arg(MATRIX),
                      arg(MATRIX), arg("tensor<f64>")],
           "%c = tensor.extract %a0[] : tensor<i1>\n%s = tensor.extract %a3[] : tensor<f64>\n"
           f"%r:2 = scf.if %c -> ({MATRIX}, f64) {{\n%p = math.sin %a1 : {MATRIX}\n%q = arith.mulf %p, %a2 : {MATRIX}\n"
           f"%t = arith.mulf %s, %s : f64\nscf.yield %q, %t : {MATRIX}, f64\n}} else {{\n"
           f"scf.yield %a1, %s : {MATRIX}, f64\n}}\n%one = arith.constant dense<1.0> : tensor<3xf64>\n"
           "%i = arith.constant 1 : index\n%f = tensor.extract %a1[%i, %i] : tensor<?x3xf64>\n"
           "%g = arith.mulf %r#1, %f : f64\n%y = tensor.insert %g into %r#0[%i, %i] : tensor<?x3xf64>", MATRIX,
           jax="y, s = (jnp.sin(a1) * a2, a3 * a3) if a0 else (a1, a3)\ny = y.at[1, 1].set(s * a1[1, 1])")
# A recurrence: what is carried, what is captured, and the position all count.
sample("scf.for", [arg("tensor<3xf64>", within(-1, 1)), arg("tensor<3x3xf64>", within(-1, 1)), arg("tensor<4x3xf64>")],
       INDICES
       + "%y = scf.for %i = %c0 to %c4 step %c1 iter_args(%h = %a0) -> tensor<3xf64> {\n"
       "%x = tensor.extract_slice %a2[%i, 0] [1, 3] [1, 1] : tensor<4x3xf64> to tensor<3xf64>\n"
       "%e = tensor.empty() : tensor<3xf64>\n%z = arith.constant 0.0 : f64\n"
       "%f = linalg.fill ins(%z : f64) outs(%e : tensor<3xf64>) -> tensor<3xf64>\n"
       "%p = linalg.matvec ins(%a1, %h : tensor<3x3xf64>, tensor<3xf64>) outs(%f : tensor<3xf64>) -> tensor<3xf64>\n"
       "%q = arith.addf %p, %x : tensor<3xf64>\n%t = math.tanh %q : tensor<3xf64>\n"
       "scf.yield %t : tensor<3xf64>\n}", "tensor<3xf64>",
       jax="lax.fori_loop(0, 4, lambda i, h: jnp.tanh(a1 @ h + a2[i]), a0)")
# Numbers and tensors that swap, from 3 by steps of 2; a count that is carried.
sample("scf.for", [arg(MATRIX, within(-1, 1)), arg(MATRIX, within(-1, 1)), arg("tensor<f64>")],
       "%l = arith.constant 3 : i32\n%u = arith.constant 8 : i32\n%t = arith.constant 2 : i32\n"
       f"%s0 = tensor.extract %a2[] : tensor<f64>\n%q0 = arith.mulf %a0, %a1 : {MATRIX}\n"
       "%r:4 = scf.for %i = %l to %u step %t iter_args(%p = %a0, %q = %q0, %s = %s0, %n = %l) "
       f"-> ({MATRIX}, {MATRIX}, f64, i32) : i32 {{\n"
       f"%f = arith.sitofp %n : i32 to f64\n%g = arith.mulf %f, %s : f64\n%sin = math.sin %g : f64\n"
       f"%m = arith.addi %n, %i : i32\n%pq = arith.mulf %p, %q : {MATRIX}\n%e = math.sin %pq : {MATRIX}\n"
       f"scf.yield %q, %e, %sin, %m : {MATRIX}, {MATRIX}, f64, i32\n}}\n"
       "%j = arith.constant 1 : index\n"
       f"%w = arith.addf %r#0, %r#1 : {MATRIX}\n%y = tensor.insert %r#2 into %w[%j, %j] : {MATRIX}", MATRIX,
       jax="p, q, s, n = a0, a0 * a1, a2, 3.0\nfor i in (3, 5, 7):\n"
           "    p, q, s, n = q, jnp.sin(p * q), jnp.sin(n * s), n + i\ny = (p + q).at[1, 1].set(s)")
# A trip count that is known when it runs, at most 4; a branch in the loop.
sample("scf.for", [arg("tensor<i64>", lambda rng, shape: np.int64(3), wrt=False), arg("tensor<3xf64>", apart(0.3))],
       INDICES
       + "%m = tensor.extract %a0[] : tensor<i64>\n%n = arith.index_cast %m : i64 to index\n"
       "%u = arith.minsi %n, %c4 : index\n"
       "%y = scf.for %i = %c0 to %u step %c1 iter_args(%h = %a1) -> tensor<3xf64> {\n"
       "%c = arith.cmpi eq, %i, %c1 : index\n"
       "%t = scf.if %c -> tensor<3xf64> {\n%p = arith.mulf %h, %a1 : tensor<3xf64>\nscf.yield %p : tensor<3xf64>\n"
       "} else {\n%p = math.sin %h : tensor<3xf64>\nscf.yield %p : tensor<3xf64>\n}\n"
       "scf.yield %t : tensor<3xf64>\n}", "tensor<3xf64>",
       jax="y = a1\nfor i in range(3):\n    y = y * a1 if i == 1 else jnp.sin(y)")
# A loop over the rows of a batch, inside of a loop.
sample("scf.for", [arg("tensor<?x3xf64>", within(-1, 1)), arg("tensor<3xf64>", within(-1, 1))],
       INDICES
       + "%n = tensor.dim %a0, %c0 : tensor<?x3xf64>\n%two = arith.constant 2 : index\n"
       "%y = scf.for %k = %c0 to %two step %c1 iter_args(%o = %a1) -> tensor<3xf64> {\n"
       "%r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %o) -> tensor<3xf64> {\n"
       "%x = tensor.extract_slice %a0[%i, 0] [1, 3] [1, 1] : tensor<?x3xf64> to tensor<3xf64>\n"
       "%p = arith.mulf %h, %x : tensor<3xf64>\n%q = math.cos %p : tensor<3xf64>\nscf.yield %q : tensor<3xf64>\n}\n"
       "scf.yield %r : tensor<3xf64>\n}", "tensor<3xf64>",
       jax="y = a1\nfor i in range(2):\n    for x in a0:\n        y = jnp.cos(y * x)")
