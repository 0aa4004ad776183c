# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of losses. `jax` is the loss of each row, of p = a0 and t = a1."""

from typing import List

from samples.sampling import Arg, Draw, apart, arg, integers, sample, signed, within

OVER = {"none": "", "mean": ".mean()", "sum": ".sum()"}


def loss(op: str, args: List[Arg], rows: str, reduction: str, jax: str, attributes: str = "") -> None:
    """A loss of two tensors; `rows` is its shape without a reduction."""
    result = f"tensor<{rows}f64>" if reduction == "none" else "tensor<f64>"
    types = ", ".join(a.type for a in args)
    sample(op, args, f"%y = {op} %a0, %a1 {attributes} reduction {reduction} : ({types}) -> {result}", result,
           jax=f"({jax}){OVER[reduction]}")


# Losses of sequences; samples of one row a sample are those of the nn dialect.
SEQUENCE = "tensor<?x2x5xf64>"
for reduction in ("none", "mean"):
    loss("nn.softmax_cross_entropy", [arg(SEQUENCE), arg(SEQUENCE, within(0, 1))], "?x2x", reduction,
         "-(a1 * jax.nn.log_softmax(a0)).sum(-1)")
    loss("nn.sparse_softmax_cross_entropy",
         [arg(SEQUENCE), arg("tensor<?x2xi32>", integers(0, 4), wrt=False)], "?x2x", reduction,
         "-(jax.nn.one_hot(a1, 5) * jax.nn.log_softmax(a0)).sum(-1)")
for shape, reduction in (("", "mean"), ("?x3x", "none"), ("?x3x", "mean"), ("?x3x", "sum")):
    kind = f"tensor<{shape}f64>"
    loss("nn.sigmoid_cross_entropy", [arg(kind), arg(kind, within(0, 1))], shape, reduction,
         "-a1 * jax.nn.log_sigmoid(a0) - (1 - a1) * jax.nn.log_sigmoid(-a0)")


def rows(op: str, draw: Draw, other: Draw, jax: str, attributes: str = "") -> None:
    """A loss of predictions, of one row, of many and of a batch of many."""
    for shape, reduction in (("", "sum"), ("?x", "mean"), ("?x2x", "none")):
        kind = f"tensor<{shape}3xf64>"
        loss(op, [arg(kind, draw), arg(kind, other)], shape, reduction, jax, attributes)


# Predictions and targets whose differences are not near a kink.
rows("nn.mean_squared_error", within(-2, 2), within(-2, 2), "((a0 - a1) ** 2).mean(-1)")
rows("nn.mean_absolute_error", apart(0.0), apart(0.5), "jnp.abs(a0 - a1).mean(-1)")
rows("nn.mean_absolute_percentage_error", apart(0.1), apart(0.6),
     "100 * jnp.abs((a0 - a1) / jnp.maximum(jnp.abs(a1), 1e-7)).mean(-1)")
rows("nn.mean_squared_logarithmic_error", within(0.5, 2), within(0.5, 2),
     "((jnp.log(a0 + 1) - jnp.log(a1 + 1)) ** 2).mean(-1)")
HUBER = "jnp.where(jnp.abs(a0 - a1) <= %s, (a0 - a1) ** 2 / 2, %s * jnp.abs(a0 - a1) - %s ** 2 / 2).mean(-1)"
rows("nn.huber", apart(0.0), apart(0.5), HUBER % (1, 1, 1))
rows("nn.huber", apart(0.0), apart(0.5), HUBER % (2.2, 2.2, 2.2), "delta 2.2")
rows("nn.hinge", signed(2, 3), signed(0.7, 1.3), "jnp.maximum(1 - a1 * a0, 0).mean(-1)")
rows("nn.squared_hinge", signed(2, 3), signed(0.7, 1.3), "(jnp.maximum(1 - a1 * a0, 0) ** 2).mean(-1)")
rows("nn.categorical_hinge", apart(0.3), within(0.0, 0.4),
     "jnp.maximum(((1 - a1) * a0).max(-1) - (a1 * a0).sum(-1) + 1, 0)")
rows("nn.log_cosh", within(-3, -0.5), within(0.5, 3), "jnp.log(jnp.cosh(a0 - a1)).mean(-1)")
rows("nn.kl_divergence", within(0.1, 0.9), within(0.1, 0.9), "(a1 * jnp.log(a1 / a0)).sum(-1)")
rows("nn.poisson", within(0.5, 2), within(0, 2), "(a0 - a1 * jnp.log(a0 + 1e-7)).mean(-1)")
rows("nn.cosine_proximity", signed(0.5, 2), signed(0.5, 2),
     "-(a0 * a1).sum(-1) / jnp.sqrt((a0 ** 2).sum(-1) * (a1 ** 2).sum(-1))")
rows("nn.binary_crossentropy", within(0.1, 0.9), within(0, 1),
     "(-a1 * jnp.log(a0) - (1 - a1) * jnp.log(1 - a0)).mean(-1)")
rows("nn.categorical_crossentropy", within(0.1, 0.9), within(0, 1),
     "-(a1 * jnp.log(a0 / a0.sum(-1, keepdims=True))).sum(-1)")
for kind in ("tensor<?x3xf64>", "tensor<f64>"):
    sample("nn.l2_loss", [arg(kind)], f"%y = nn.l2_loss %a0 : {kind} -> tensor<f64>", "tensor<f64>",
           jax="(a0 ** 2).sum() / 2")
