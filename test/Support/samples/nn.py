# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of the nn dialect."""

from samples.sampling import MATRIX, apart, arg, elementwise, integers, sample, signed, within

for ta in (False, True):
    for tb in (False, True):
        a = "tensor<3x?xf64>" if ta else "tensor<?x3xf64>"
        b = "tensor<2x3xf64>" if tb else "tensor<3x2xf64>"
        flags = [name for name, on in (("transpose_a", ta), ("transpose_b", tb)) if on]
        sample("nn.matmul", [arg(a, dim_sizes=(5,)), arg(b)],
               f"%y = nn.matmul %a0, %a1 {{{', '.join(flags)}}} : ({a}, {b}) -> tensor<?x2xf64>", "tensor<?x2xf64>",
               jax=f"a0{'.T' if ta else ''} @ a1{'.T' if tb else ''}")
# One product an index of the leading dimensions.
for ta in (False, True):
    for tb in (False, True):
        a = "tensor<?x2x4x?xf64>" if ta else "tensor<?x2x?x4xf64>"
        b = "tensor<?x2x3x4xf64>" if tb else "tensor<?x2x4x3xf64>"
        flags = [name for name, on in (("transpose_a", ta), ("transpose_b", tb)) if on]
        sample("nn.matmul", [arg(a, dim_sizes=(2, 5)), arg(b, dim_sizes=(2,))],
               f"%y = nn.matmul %a0, %a1 {{{', '.join(flags)}}} : ({a}, {b}) -> tensor<?x2x?x3xf64>",
               "tensor<?x2x?x3xf64>", jax=f"a0{'.mT' if ta else ''} @ a1{'.mT' if tb else ''}")
for x, y in (("tensor<?x4x3xf64>", "tensor<?x4x2xf64>"), ("tensor<?x?x3xf64>", "tensor<?x?x2xf64>"),
             ("tensor<2x?x2x3xf64>", "tensor<2x?x2x2xf64>")):
    sample("nn.dense", [arg(x, dim_sizes=(2, 4)), arg("tensor<3x2xf64>"), arg("tensor<2xf64>")],
           f"%y = nn.dense %a0, %a1, %a2 : ({x}, tensor<3x2xf64>, tensor<2xf64>) -> {y}", y, jax="a0 @ a1 + a2")
sample("nn.dense", [arg("tensor<?x?x3xf64>", dim_sizes=(2, 4)), arg("tensor<3x2xf64>")],
       "%y = nn.dense %a0, %a1 : (tensor<?x?x3xf64>, tensor<3x2xf64>) -> tensor<?x?x2xf64>", "tensor<?x?x2xf64>",
       jax="a0 @ a1")
sample("nn.dense", [arg("tensor<?x3xf64>", dim_sizes=(5,)), arg("tensor<3x2xf64>"), arg("tensor<2xf64>")],
       "%y = nn.dense %a0, %a1, %a2 : (tensor<?x3xf64>, tensor<3x2xf64>, tensor<2xf64>) -> tensor<?x2xf64>",
       "tensor<?x2xf64>", jax="a0 @ a1 + a2")
for op, jax in (("nn.sigmoid", "jax.nn.sigmoid(a0)"), ("nn.softplus", "jax.nn.softplus(a0)"),
                ("nn.gelu", "jax.nn.gelu(a0, approximate=False)")):
    elementwise(op, within(-3, 3), jax=jax)
sample("nn.gelu", [arg(MATRIX)], f"%y = nn.gelu %a0 {{approximate}} : {MATRIX}", MATRIX, jax="jax.nn.gelu(a0)")
sample("nn.relu", [arg(MATRIX, signed(0.5, 2))], f"%y = nn.relu %a0 : {MATRIX}", MATRIX, jax="jax.nn.relu(a0)")
sample("nn.relu", [arg("tensor<5xf64>", signed(0.5, 2))], "%y = nn.relu %a0 : tensor<5xf64>", "tensor<5xf64>")
sample("nn.softmax", [arg("tensor<?x2x3xf64>")], "%y = nn.softmax %a0 : tensor<?x2x3xf64>", "tensor<?x2x3xf64>",
       jax="jax.nn.softmax(a0)")
sample("nn.softmax", [arg("tensor<5xf64>")], "%y = nn.softmax %a0 : tensor<5xf64>", "tensor<5xf64>")
for reduction, loss, over in (("none", "tensor<?xf64>", ""), ("mean", "tensor<f64>", ".mean()"),
                              ("sum", "tensor<f64>", ".sum()")):
    sample("nn.softmax_cross_entropy", [arg("tensor<?x5xf64>"), arg("tensor<?x5xf64>", within(0, 1))],
           f"%y = nn.softmax_cross_entropy %a0, %a1 reduction {reduction} : "
           f"(tensor<?x5xf64>, tensor<?x5xf64>) -> {loss}", loss,
           jax=f"(-(a1 * jax.nn.log_softmax(a0)).sum(-1)){over}")
    sample("nn.sparse_softmax_cross_entropy",
           [arg("tensor<?x5xf64>"), arg("tensor<?xi32>", integers(0, 4), wrt=False)],
           f"%y = nn.sparse_softmax_cross_entropy %a0, %a1 reduction {reduction} : "
           f"(tensor<?x5xf64>, tensor<?xi32>) -> {loss}", loss,
           jax=f"(-(jax.nn.one_hot(a1, 5) * jax.nn.log_softmax(a0)).sum(-1)){over}")
sample("nn.softmax_cross_entropy", [arg("tensor<3x5xf64>"), arg("tensor<?x5xf64>", within(0, 1))],
       "%y = nn.softmax_cross_entropy %a0, %a1 : (tensor<3x5xf64>, tensor<?x5xf64>) -> tensor<f64>", "tensor<f64>")
for source, dims in (("tensor<3xf64>", "[1]"), ("tensor<?x1xf64>", "[0, 1]"), ("tensor<?xf64>", "[0]"),
                     ("tensor<1xf64>", "[1]"), ("tensor<f64>", "[]"), ("tensor<1x1xf64>", "[0, 1]")):
    sample("nn.broadcast", [arg(source), arg(MATRIX)],
           f"%y = nn.broadcast %a0 dims {dims} like %a1 : ({source}, {MATRIX}) -> {MATRIX}", MATRIX,
           jax="jnp.broadcast_to(a0[:, None] if a0.shape == (3,) and %s else a0, a1.shape)" % (dims == "[0]"))
sample("nn.broadcast", [arg("tensor<2x1xf64>")],
       "%y = nn.broadcast %a0 dims [1, 3] : (tensor<2x1xf64>) -> tensor<3x2x1x5xf64>", "tensor<3x2x1x5xf64>",
       jax="jnp.broadcast_to(a0[None, :, None, :], (3, 2, 1, 5))")
for kind in ("sum", "mean", "max", "min", "prod"):
    draw = apart(0.3)
    for axes, flat, kept in (([0], "tensor<3x?xf64>", "tensor<1x3x?xf64>"),
                             ([0, 2], "tensor<3xf64>", "tensor<1x3x1xf64>"),
                             ([0, 1, 2], "tensor<f64>", "tensor<1x1x1xf64>")):
        sample("nn.reduce", [arg("tensor<?x3x?xf64>", draw if kind != "prod" else signed(0.5, 1.5), (2, 3))],
               f"%y = nn.reduce {kind} %a0 axes {axes} : tensor<?x3x?xf64> -> {flat}", flat,
               jax=f"jnp.{kind}(a0, axis={tuple(axes)})")
        sample("nn.reduce", [arg("tensor<?x3x?xf64>", draw if kind != "prod" else signed(0.5, 1.5), (2, 3))],
               f"%y = nn.reduce {kind} %a0 axes {axes} keepdims : tensor<?x3x?xf64> -> {kept}", kept,
               jax=f"jnp.{kind}(a0, axis={tuple(axes)}, keepdims=True)")
sample("nn.reduce", [arg("tensor<?x3xf64>")],
       "%y = nn.reduce sum %a0 axes [0] keepdims : tensor<?x3xf64> -> tensor<?x3xf64>", "tensor<?x3xf64>",
       static_result="tensor<1x3xf64>")
