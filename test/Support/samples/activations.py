# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of activations."""

from samples.sampling import MATRIX, apart, arg, elementwise, sample, signed, within

elementwise("nn.silu", within(-3, 3), jax="jax.nn.silu(a0)")
for op in ("elu", "selu", "soft_sign"):
    elementwise(f"nn.{op.replace('_', '')}", signed(0.5, 2), jax=f"jax.nn.{op}(a0)")
for op, attribute, jax in (("nn.elu", "alpha 0.3", "jax.nn.elu(a0, 0.3)"),
                           ("nn.leaky_relu", "alpha 0.2", "jax.nn.leaky_relu(a0, 0.2)")):
    for type in (MATRIX, "tensor<f64>"):
        sample(op, [arg(type, signed(0.5, 2))], f"%y = {op} %a0 {attribute} : {type}", type, jax=jax)
# The nearest kinks are 0 and 6, and -2.5 and 2.5.
elementwise("nn.relu6", apart(0.3), jax="jax.nn.relu6(a0)")
elementwise("nn.hard_sigmoid", apart(0.2), jax="jnp.clip(0.2 * a0 + 0.5, 0, 1)")
for type in ("tensor<?x2x3xf64>", "tensor<5xf64>"):
    sample("nn.log_softmax", [arg(type)], f"%y = nn.log_softmax %a0 : {type}", type, jax="jax.nn.log_softmax(a0)")
