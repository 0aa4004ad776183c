//===- NNLosses.td - Losses --------------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNLOSSES
#define FLYWHEEL_DIALECT_NN_NNLOSSES

include "flywheel/Dialect/NN/NNBase.td"

def NN_LossReduction : I32EnumAttr<"LossReduction", "how a loss is reduced over rows", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"mean", 1>, I32EnumAttrCase<"sum", 2>]> {
  let cppNamespace = "::flywheel::nn";
}

def NN_SoftmaxCrossEntropyOp : NN_DifferentiableOp<"softmax_cross_entropy", [
    NN_OneElementType, NN_Shapes<
      [NN_Shape<"logits: ... row classes">, NN_Shape<"labels: ... row classes">],
      [NN_LossShape<"... row">]>]> {
  let summary = "-sum(labels * log_softmax(logits)) of each row";
  let description = [{
    logits and labels are [..., classes] of one type and at least rank 2: all
    dimensions but the last are rows. The result is one loss a row, [...], with
    `reduction none`, else the mean or the sum of all of them, a scalar.
    Numerically stable. The derivative
    with respect to the logits is (softmax * sum(labels) - labels); with respect
    to the labels it is -log_softmax.
  }];
  let arguments = (ins NN_FloatTensor:$logits, NN_FloatTensor:$labels,
    DefaultValuedAttr<NN_LossReduction, "::flywheel::nn::LossReduction::mean">:$reduction);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $logits `,` $labels (`reduction` $reduction^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def NN_SparseSoftmaxCrossEntropyOp
    : NN_DifferentiableOp<"sparse_softmax_cross_entropy", [NN_Shapes<
        [NN_Shape<"logits: ... row classes">, NN_Shape<"label: ... row">],
        [NN_LossShape<"... row">]>]> {
  let summary = "-log_softmax(logits)[label] of each row";
  let description = [{
    logits is [..., classes] of at least rank 2, label is [...] of integers in
    [0, classes); a label outside is an error of the step, which then changes
    nothing. The result is one loss a row, [...], with `reduction none`, else
    the mean or the sum of all of them, a scalar.
  }];
  let arguments = (ins NN_FloatTensor:$logits, NN_IntTensor:$label,
    DefaultValuedAttr<NN_LossReduction, "::flywheel::nn::LossReduction::mean">:$reduction);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $logits `,` $label (`reduction` $reduction^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_SigmoidCrossEntropyOp
    : NN_DifferentiableOp<"sigmoid_cross_entropy", [
        NN_OneElementType, NN_Shapes<
          [NN_Shape<"logits: ...">, NN_Shape<"labels: ...">],
          [NN_LossShape<"...">]>]> {
  let summary = "-z log sigmoid(x) - (1 - z) log(1 - sigmoid(x)), element by element";
  let description = [{
    x = logits and z = labels have one shape. Computed as
    max(x, 0) - x z + log(1 + exp(-|x|)), TensorFlow's
    `sigmoid_cross_entropy_with_logits`. The derivative with respect to x is
    sigmoid(x) - z, with respect to z it is -x. The result has the shape of x
    with `reduction none`, else it is the mean or the sum of all elements, a
    scalar.
  }];
  let arguments = (ins NN_FloatTensor:$logits, NN_FloatTensor:$labels,
    DefaultValuedAttr<NN_LossReduction, "::flywheel::nn::LossReduction::mean">:$reduction);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $logits `,` $labels (`reduction` $reduction^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Losses of predictions, one a row
//===----------------------------------------------------------------------===//

defvar NN_RowLossShapes = [{
    p and t are [..., n] of one type and at least rank 1: all dimensions but the
    last are rows. The result is one loss a row, [...], with `reduction none`,
    else the mean or the sum of all of them, a scalar.
}];

/// A loss that compares `prediction` p with `target` t, row by row.
class NN_RowLossOp<string opMnemonic>
    : NN_CompositeOp<opMnemonic, [NN_OneElementType, NN_Shapes<
        [NN_Shape<"prediction: ... n">, NN_Shape<"target: ... n">],
        [NN_LossShape<"...">]>]> {
  let arguments = (ins NN_FloatTensor:$prediction, NN_FloatTensor:$target,
    DefaultValuedAttr<NN_LossReduction, "::flywheel::nn::LossReduction::mean">:$reduction);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $prediction `,` $target (`reduction` $reduction^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def NN_MeanSquaredErrorOp : NN_RowLossOp<"mean_squared_error"> {
  let summary = "mean((p - t)^2) of each row";
  let description = !strconcat([{
    Keras 2's `mean_squared_error`.
}], NN_RowLossShapes);
}

def NN_MeanAbsoluteErrorOp : NN_RowLossOp<"mean_absolute_error"> {
  let summary = "mean(|p - t|) of each row";
  let description = !strconcat([{
    Keras 2's `mean_absolute_error`. The derivative is 0 where p = t.
}], NN_RowLossShapes);
}

def NN_MeanAbsolutePercentageErrorOp
    : NN_RowLossOp<"mean_absolute_percentage_error"> {
  let summary = "100 mean(|p - t| / max(|t|, 1e-7)) of each row";
  let description = !strconcat([{
    Keras 2's `mean_absolute_percentage_error`.
}], NN_RowLossShapes);
}

def NN_MeanSquaredLogarithmicErrorOp
    : NN_RowLossOp<"mean_squared_logarithmic_error"> {
  let summary = "mean((log(1 + p) - log(1 + t))^2) of each row";
  let description = !strconcat([{
    Keras 2's `mean_squared_logarithmic_error`: p and t are
    raised to at least 1e-7 first.
}], NN_RowLossShapes);
}

def NN_HuberOp : NN_RowLossOp<"huber"> {
  let summary = "Mean of a loss that is quadratic near 0 and linear beyond";
  let description = !strconcat([{
    With e = p - t, the mean of each row of e^2 / 2 where |e| <= delta, and of
    delta |e| - delta^2 / 2 elsewhere (Huber, 1964; TensorFlow's `huber_loss`,
    averaged as Keras losses are).
}], NN_RowLossShapes);
  let arguments = (ins NN_FloatTensor:$prediction, NN_FloatTensor:$target,
    DefaultValuedAttr<F64Attr, "1.0">:$delta,
    DefaultValuedAttr<NN_LossReduction, "::flywheel::nn::LossReduction::mean">:$reduction);
  let assemblyFormat = [{
    $prediction `,` $target (`delta` $delta^)? (`reduction` $reduction^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_HingeOp : NN_RowLossOp<"hinge"> {
  let summary = "mean(max(1 - t p, 0)) of each row";
  let description = !strconcat([{
    Keras 2's `hinge`, of targets -1 and 1.
}], NN_RowLossShapes);
}

def NN_SquaredHingeOp : NN_RowLossOp<"squared_hinge"> {
  let summary = "mean(max(1 - t p, 0)^2) of each row";
  let description = !strconcat([{
    Keras 2's `squared_hinge`, of targets -1 and 1.
}], NN_RowLossShapes);
}

def NN_CategoricalHingeOp : NN_RowLossOp<"categorical_hinge"> {
  let summary = "max(max((1 - t) p) - sum(t p) + 1, 0) of each row";
  let description = !strconcat([{
    Keras 2's `categorical_hinge`, of targets 0 and 1.
}], NN_RowLossShapes);
}

def NN_LogCoshOp : NN_RowLossOp<"log_cosh"> {
  let summary = "mean(log(cosh(p - t))) of each row";
  let description = !strconcat([{
    Keras 2's `logcosh`. With e = |p - t| computed as
    e + log(1 + expm1(-2 e) / 2), which overflows for no e.
}], NN_RowLossShapes);
}

def NN_KLDivergenceOp : NN_RowLossOp<"kl_divergence"> {
  let summary = "sum(t log(t / p)) of each row";
  let description = !strconcat([{
    Keras 2's `kullback_leibler_divergence`: p and t are cut
    off to [1e-7, 1] first.
}], NN_RowLossShapes);
}

def NN_PoissonOp : NN_RowLossOp<"poisson"> {
  let summary = "mean(p - t log(p + 1e-7)) of each row";
  let description = !strconcat([{
    Keras 2's `poisson`.
}], NN_RowLossShapes);
}

def NN_CosineProximityOp : NN_RowLossOp<"cosine_proximity"> {
  let summary = "The negative cosine of the angle between p and t, of each row";
  let description = !strconcat([{
    Keras 2's `cosine_proximity`: -sum(n(p) n(t)) with
    n(x) = x / sqrt(max(sum(x^2), 1e-12)).
}], NN_RowLossShapes);
}

def NN_BinaryCrossentropyOp : NN_RowLossOp<"binary_crossentropy"> {
  let summary = "mean(-t log p - (1 - t) log(1 - p)) of each row";
  let description = !strconcat([{
    Keras 2's `binary_crossentropy`: p is cut off to
    [1e-7, 1 - 1e-7] first. For logits, use `nn.sigmoid_cross_entropy`.
}], NN_RowLossShapes);
}

def NN_CategoricalCrossentropyOp : NN_RowLossOp<"categorical_crossentropy"> {
  let summary = "-sum(t log(p / sum(p))) of each row";
  let description = !strconcat([{
    Keras 2's `categorical_crossentropy`: p / sum(p) is cut
    off to [1e-7, 1 - 1e-7] before the logarithm. For logits, use
    `nn.softmax_cross_entropy`.
}], NN_RowLossShapes);
}

def NN_L2LossOp : NN_CompositeOp<"l2_loss", [
    NN_Cost, NN_OneElementType,
    NN_Shapes<[NN_Shape<"x: ...">], [NN_Shape<"result:">]>]> {
  let summary = "Half the sum of the squares of all elements";
  let description = [{TensorFlow's `l2_loss`. The result is a scalar.}];
  let arguments = (ins NN_FloatTensor:$x);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
}

#endif // FLYWHEEL_DIALECT_NN_NNLOSSES
