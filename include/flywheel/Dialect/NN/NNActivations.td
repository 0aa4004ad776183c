//===- NNActivations.td - Activations ----------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNACTIVATIONS
#define FLYWHEEL_DIALECT_NN_NNACTIVATIONS

include "flywheel/Dialect/NN/NNBase.td"

def NN_ReluOp : NN_DifferentiableOp<"relu", [SameOperandsAndResultType]> {
  let summary = "max(x, 0), element by element";
  let description = [{The derivative at 0 is 0. A NaN stays a NaN.}];
  let arguments = (ins NN_FloatTensor:$x);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def NN_SigmoidOp : NN_DifferentiableOp<"sigmoid", [SameOperandsAndResultType]> {
  let summary = "1 / (1 + exp(-x)), element by element";
  let description = [{Its derivative is y (1 - y), which no x overflows.}];
  let arguments = (ins NN_FloatTensor:$x);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def NN_SoftplusOp : NN_DifferentiableOp<"softplus", [SameOperandsAndResultType]> {
  let summary = "log(1 + exp(x)), element by element";
  let description = [{
    Computed as max(x, 0) + log1p(exp(-|x|)). Its derivative is sigmoid(x).
  }];
  let arguments = (ins NN_FloatTensor:$x);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def NN_GeluOp : NN_CompositeOp<"gelu", [SameOperandsAndResultType]> {
  let summary = "x times the normal distribution function of x";
  let description = [{
    x (1 + erf(x / sqrt 2)) / 2; with `approximate`,
    x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, after Hendrycks and
    Gimpel, Gaussian Error Linear Units, 2016.
  }];
  let arguments = (ins NN_FloatTensor:$x, UnitAttr:$approximate);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def NN_SoftmaxOp : NN_DifferentiableOp<"softmax", [SameOperandsAndResultType]> {
  let summary = "exp(x - max x) / sum exp(x - max x) over the last dimension";
  let arguments = (ins NN_FloatTensor:$x);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let hasVerifier = 1;
}

#endif // FLYWHEEL_DIALECT_NN_NNACTIVATIONS
