# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of activations."""

from samples.sampling import MATRIX, apart, arg, elementwise, sample, signed, within

for op in ("nn.sigmoid", "nn.softplus", "nn.gelu", "nn.silu"):
    elementwise(op, within(-3, 3))
sample("nn.gelu", [arg(MATRIX)], f"%y = nn.gelu %a0 {{approximate}} : {MATRIX}", MATRIX)
for op in ("nn.relu", "nn.elu", "nn.selu", "nn.softsign"):
    elementwise(op, signed(0.5, 2))
for op, attribute in (("nn.elu", "alpha 0.3"), ("nn.leaky_relu", "alpha 0.2")):
    for type in (MATRIX, "tensor<f64>"):
        sample(op, [arg(type, signed(0.5, 2))], f"%y = {op} %a0 {attribute} : {type}", type)
# The nearest kinks are 0 and 6, and -2.5 and 2.5.
elementwise("nn.relu6", apart(0.3))
elementwise("nn.hard_sigmoid", apart(0.2))
for op in ("nn.softmax", "nn.log_softmax"):
    for type in ("tensor<?x2x3xf64>", "tensor<5xf64>"):
        sample(op, [arg(type)], f"%y = {op} %a0 : {type}", type)
