# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of elementwise ops."""

import numpy as np

from samples.sampling import MATRIX, apart, arg, elementwise, integers, sample, signed, within

elementwise("arith.addf", within(-2, 2), within(-2, 2), jax="a0 + a1")
elementwise("arith.subf", within(-2, 2), within(-2, 2), jax="a0 - a1")
elementwise("arith.mulf", within(-2, 2), within(-2, 2), jax="a0 * a1")
elementwise("arith.divf", within(-2, 2), signed(0.5, 2), jax="a0 / a1")
elementwise("arith.remf", apart(0.3), lambda rng, shape: np.full(shape, 1.7) * rng.choice([-1.0, 1.0], shape),
            jax="lax.rem(a0, a1)")
elementwise("arith.negf", within(-2, 2), jax="-a0")
for op, jax in (("arith.maximumf", "jnp.maximum(a0, a1)"), ("arith.minimumf", "jnp.minimum(a0, a1)"),
                ("arith.maxnumf", "jnp.fmax(a0, a1)"), ("arith.minnumf", "jnp.fmin(a0, a1)")):
    elementwise(op, apart(0.0), apart(0.5), jax=jax)
for op, jax, left, right in (
    ("nn.add", "a0 + a1", within(-2, 2), within(-2, 2)), ("nn.sub", "a0 - a1", within(-2, 2), within(-2, 2)),
    ("nn.mul", "a0 * a1", within(-2, 2), within(-2, 2)), ("nn.div", "a0 / a1", within(-2, 2), signed(0.5, 2)),
    ("nn.max", "jnp.maximum(a0, a1)", apart(0.0), apart(0.5)),
    ("nn.min", "jnp.minimum(a0, a1)", apart(0.0), apart(0.5)),
    ("nn.pow", "a0 ** a1", within(0.5, 2), within(-2, 2)),
):
    for a, b in ((MATRIX, MATRIX), (MATRIX, "tensor<3xf64>"), ("tensor<f64>", MATRIX), (MATRIX, "tensor<?x1xf64>")):
        sample(op, [arg(a, left), arg(b, right)], f"%y = {op} %a0, %a1 : ({a}, {b}) -> {MATRIX}", MATRIX, jax=jax)
sample("arith.select",
       [arg("tensor<?x3xi1>", lambda rng, shape: rng.integers(0, 2, shape).astype(bool), wrt=False),
        arg(MATRIX), arg(MATRIX)],
       f"%y = arith.select %a0, %a1, %a2 : tensor<?x3xi1>, {MATRIX}", MATRIX,
       jax="jnp.where(a0, a1, a2)")
sample("arith.select",
       [arg("tensor<i1>", lambda rng, shape: np.bool_(True), wrt=False), arg(MATRIX), arg(MATRIX)],
       f"%c = tensor.extract %a0[] : tensor<i1>\n%y = arith.select %c, %a1, %a2 : {MATRIX}", MATRIX,
       jax="jnp.where(a0, a1, a2)")
# Single precision inside: differences see its rounding.
sample("arith.extf", [arg(MATRIX)],
       f"%t = arith.truncf %a0 : {MATRIX} to tensor<?x3xf32>\n"
       f"%y = arith.extf %t : tensor<?x3xf32> to {MATRIX}", MATRIX, tolerance=1e-2,
       jax="a0.astype(jnp.float32).astype(jnp.float64)")
sample("arith.truncf", [arg(MATRIX)],
       f"%t = arith.truncf %a0 : {MATRIX} to tensor<?x3xf32>\n"
       "%s = arith.mulf %t, %t : tensor<?x3xf32>\n"
       f"%y = arith.extf %s : tensor<?x3xf32> to {MATRIX}", MATRIX, tolerance=1e-2,
       jax="jnp.square(a0.astype(jnp.float32)).astype(jnp.float64)")

elementwise("math.absf", signed(0.5, 2), jax="jnp.abs(a0)")
elementwise("math.acos", within(-0.9, 0.9), jax="jnp.arccos(a0)")
elementwise("math.acosh", within(1.2, 3), jax="jnp.arccosh(a0)")
elementwise("math.asin", within(-0.9, 0.9), jax="jnp.arcsin(a0)")
elementwise("math.asinh", within(-2, 2), jax="jnp.arcsinh(a0)")
elementwise("math.atan", within(-2, 2), jax="jnp.arctan(a0)")
elementwise("math.atan2", signed(0.5, 2), signed(0.5, 2), jax="jnp.arctan2(a0, a1)")
elementwise("math.atanh", within(-0.9, 0.9), jax="jnp.arctanh(a0)")
elementwise("math.cbrt", signed(0.5, 2), jax="jnp.cbrt(a0)")
elementwise("math.copysign", signed(0.5, 2), signed(0.5, 2), jax="jnp.copysign(a0, a1)")
elementwise("math.cos", within(-2, 2), jax="jnp.cos(a0)")
elementwise("math.cosh", within(-2, 2), jax="jnp.cosh(a0)")
elementwise("math.erf", within(-2, 2), jax="jax.scipy.special.erf(a0)")
elementwise("math.erfc", within(-2, 2), jax="jax.scipy.special.erfc(a0)")
elementwise("math.exp", within(-2, 2), jax="jnp.exp(a0)")
elementwise("math.exp2", within(-2, 2), jax="jnp.exp2(a0)")
elementwise("math.expm1", within(-2, 2), jax="jnp.expm1(a0)")
elementwise("math.fma", within(-2, 2), within(-2, 2), within(-2, 2), jax="a0 * a1 + a2")
elementwise("math.log", within(0.5, 2), jax="jnp.log(a0)")
elementwise("math.log10", within(0.5, 2), jax="jnp.log10(a0)")
elementwise("math.log1p", within(-0.5, 2), jax="jnp.log1p(a0)")
elementwise("math.log2", within(0.5, 2), jax="jnp.log2(a0)")
elementwise("math.powf", within(0.5, 2), within(-2, 2), jax="jnp.power(a0, a1)")
elementwise("math.rsqrt", within(0.5, 2), jax="lax.rsqrt(a0)")
elementwise("math.sin", within(-2, 2), jax="jnp.sin(a0)")
elementwise("math.sinh", within(-2, 2), jax="jnp.sinh(a0)")
elementwise("math.sqrt", within(0.5, 2), jax="jnp.sqrt(a0)")
elementwise("math.tan", within(-1, 1), jax="jnp.tan(a0)")
elementwise("math.tanh", within(-2, 2), jax="jnp.tanh(a0)")
for op, jax in (("math.ceil", "jnp.ceil(a0)"), ("math.floor", "jnp.floor(a0)"),
                ("math.round", "lax.round(a0)"), ("math.roundeven", "jnp.round(a0)"), ("math.trunc", "jnp.trunc(a0)")):
    elementwise(op, apart(0.3), constant=True, jax=jax)
sample("math.clampf", [arg(MATRIX, apart(0.3)), arg(MATRIX, within(-2.1, -1.9)), arg(MATRIX, within(1.9, 2.1))],
       f"%y = math.clampf %a0 to [%a1, %a2] : {MATRIX}", MATRIX, jax="jnp.clip(a0, a1, a2)")
sample("math.fpowi", [arg(MATRIX, signed(0.5, 2)), arg("tensor<?x3xi32>", integers(-2, 3), wrt=False)],
       f"%y = math.fpowi %a0, %a1 : {MATRIX}, tensor<?x3xi32>", MATRIX, jax="a0 ** a1")
sample("math.sincos", [arg(MATRIX)],
       f"%s, %c = math.sincos %a0 : {MATRIX}\n%d = arith.mulf %c, %c : {MATRIX}\n"
       f"%y = arith.addf %s, %d : {MATRIX}", MATRIX, jax="jnp.sin(a0) + jnp.cos(a0) ** 2")
sample("math.sincos", [arg(MATRIX)], f"%s, %y = math.sincos %a0 : {MATRIX}", MATRIX, jax="jnp.cos(a0)")
