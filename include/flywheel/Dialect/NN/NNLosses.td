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

def NN_SoftmaxCrossEntropyOp : NN_DifferentiableOp<"softmax_cross_entropy"> {
  let summary = "-sum(labels * log_softmax(logits)) of each row";
  let description = [{
    logits and labels are [batch, classes] of one type. The result is [batch]
    with `reduction none`, else a scalar. Numerically stable. The derivative
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
  let hasVerifier = 1;
}

def NN_SparseSoftmaxCrossEntropyOp
    : NN_DifferentiableOp<"sparse_softmax_cross_entropy"> {
  let summary = "-log_softmax(logits)[label] of each row";
  let description = [{
    logits is [batch, classes], label is [batch] of integers in [0, classes); a
    label outside is an error of the step, which then changes nothing. The
    result is [batch] with `reduction none`, else a scalar.
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

#endif // FLYWHEEL_DIALECT_NN_NNLOSSES
