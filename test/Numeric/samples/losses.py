# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of losses."""

from samples.sampling import Arg, apart, arg, integers, sample, signed, within

REDUCTIONS = ("none", "mean", "sum")


def loss(op: str, args: list, rows: str, attributes: str = "") -> None:
    """A loss of two tensors with each reduction; `rows` is its shape without."""
    for reduction in REDUCTIONS:
        result = f"tensor<{rows}f64>" if reduction == "none" else "tensor<f64>"
        types = ", ".join(a.type for a in args)
        sample(op, args, f"%y = {op} %a0, %a1 {attributes} reduction {reduction} : ({types}) -> {result}", result)


for shape in ("?x", "?x2x"):
    logits, label = f"tensor<{shape}5xf64>", f"tensor<{shape}i32>"
    loss("nn.softmax_cross_entropy", [arg(logits), arg(logits, within(0, 1))], shape)
    loss("nn.sparse_softmax_cross_entropy", [arg(logits), arg(label, integers(0, 4), wrt=False)], shape)
sample("nn.softmax_cross_entropy", [arg("tensor<3x5xf64>"), arg("tensor<?x5xf64>", within(0, 1))],
       "%y = nn.softmax_cross_entropy %a0, %a1 : (tensor<3x5xf64>, tensor<?x5xf64>) -> tensor<f64>", "tensor<f64>")
for shape in ("", "?x3x"):
    kind = f"tensor<{shape}f64>"
    loss("nn.sigmoid_cross_entropy", [arg(kind), arg(kind, within(0, 1))], shape)


def rows(op: str, draw: object, other: object, attributes: str = "") -> None:
    """A loss of predictions, one a row, of one row, of many and of a batch of many."""
    for shape in ("", "?x", "?x2x"):
        kind = f"tensor<{shape}3xf64>"
        loss(op, [Arg(kind, arg(kind).shape, draw), Arg(kind, arg(kind).shape, other)], shape, attributes)


# Predictions and targets whose differences are not near a kink.
rows("nn.mean_squared_error", within(-2, 2), within(-2, 2))
rows("nn.mean_absolute_error", apart(0.0), apart(0.5))
rows("nn.mean_absolute_percentage_error", apart(0.1), apart(0.6))
rows("nn.mean_squared_logarithmic_error", within(0.5, 2), within(0.5, 2))
rows("nn.huber", apart(0.0), apart(0.5))
rows("nn.huber", apart(0.0), apart(0.5), "delta 2.2")
rows("nn.hinge", signed(2, 3), signed(0.7, 1.3))
rows("nn.squared_hinge", signed(2, 3), signed(0.7, 1.3))
rows("nn.categorical_hinge", apart(0.3), within(0.0, 0.4))
rows("nn.log_cosh", within(-3, -0.5), within(0.5, 3))
rows("nn.kl_divergence", within(0.1, 0.9), within(0.1, 0.9))
rows("nn.poisson", within(0.5, 2), within(0, 2))
rows("nn.cosine_proximity", signed(0.5, 2), signed(0.5, 2))
rows("nn.binary_crossentropy", within(0.1, 0.9), within(0, 1))
rows("nn.categorical_crossentropy", within(0.1, 0.9), within(0, 1))
for kind in ("tensor<?x3xf64>", "tensor<f64>"):
    sample("nn.l2_loss", [arg(kind)], f"%y = nn.l2_loss %a0 : {kind} -> tensor<f64>", "tensor<f64>")
# Extents that only one of two types knows.
sample("nn.mean_squared_error", [arg("tensor<3x?xf64>", extents=(4,)), arg("tensor<?x4xf64>")],
       "%y = nn.mean_squared_error %a0, %a1 reduction none : (tensor<3x?xf64>, tensor<?x4xf64>) -> tensor<3xf64>",
       "tensor<3xf64>")
sample("nn.sigmoid_cross_entropy", [arg("tensor<3x?xf64>", extents=(4,)), arg("tensor<?x4xf64>")],
       "%y = nn.sigmoid_cross_entropy %a0, %a1 reduction none : "
       "(tensor<3x?xf64>, tensor<?x4xf64>) -> tensor<3x4xf64>", "tensor<3x4xf64>")
