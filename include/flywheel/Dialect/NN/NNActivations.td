//===- NNActivations.td - Activations ----------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNACTIVATIONS
#define FLYWHEEL_DIALECT_NN_NNACTIVATIONS

include "flywheel/Dialect/NN/NNBase.td"

def NN_ReluOp : NN_DifferentiableOp<"relu", [
    NN_BatchedElementwise<1>, SameOperandsAndResultType], NN_FlopsEach<1>> {
  let summary = "max(x, 0), element by element";
  let description = [{The derivative at 0 is 0. A NaN stays a NaN.}];
  let arguments = (ins NN_FloatTensor:$x);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def NN_SigmoidOp : NN_DifferentiableOp<"sigmoid", [
    NN_BatchedElementwise<0>, SameOperandsAndResultType], NN_FlopsEach<1>> {
  let summary = "1 / (1 + exp(-x)), element by element";
  let description = [{Its derivative is y (1 - y), which no x overflows.}];
  let arguments = (ins NN_FloatTensor:$x);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def NN_SoftplusOp : NN_DifferentiableOp<"softplus", [
    NN_BatchedElementwise<0>, SameOperandsAndResultType], NN_FlopsEach<1>> {
  let summary = "log(1 + exp(x)), element by element";
  let description = [{
    Computed as max(x, 0) + log1p(exp(-|x|)). Its derivative is sigmoid(x).
  }];
  let arguments = (ins NN_FloatTensor:$x);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def NN_GeluOp : NN_CompositeOp<"gelu", [CostOpInterface, SameOperandsAndResultType]> {
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

def NN_SiluOp : NN_CompositeOp<"silu", [CostOpInterface, SameOperandsAndResultType]> {
  let summary = "x sigmoid(x), also known as swish";
  let description = [{
    After Elfwing, Uchibe and Doya, Sigmoid-Weighted Linear Units, 2017.
  }];
  let arguments = (ins NN_FloatTensor:$x);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def NN_EluOp : NN_CompositeOp<"elu", [CostOpInterface, SameOperandsAndResultType]> {
  let summary = "x where x > 0, else alpha (exp(x) - 1)";
  let description = [{
    After Clevert, Unterthiner and Hochreiter, Exponential Linear Units, 2015;
    Keras's `elu`. The derivative at 0 is alpha.
  }];
  let arguments = (ins NN_FloatTensor:$x,
                       DefaultValuedAttr<F64Attr, "1.0">:$alpha);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x (`alpha` $alpha^)? attr-dict `:` type($x)";
}

def NN_SeluOp : NN_CompositeOp<"selu", [CostOpInterface, SameOperandsAndResultType]> {
  let summary = "1.0507 elu(x) with alpha = 1.6733";
  let description = [{
    scale = 1.0507009873554805 and alpha = 1.6732632423543772: those of Klambauer
    and others, Self-Normalizing Neural Networks, 2017.
  }];
  let arguments = (ins NN_FloatTensor:$x);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def NN_LeakyReluOp : NN_CompositeOp<"leaky_relu", [CostOpInterface, SameOperandsAndResultType]> {
  let summary = "x where x > 0, else alpha x";
  let description = [{The derivative at 0 is alpha.}];
  let arguments = (ins NN_FloatTensor:$x, F64Attr:$alpha);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x `alpha` $alpha attr-dict `:` type($x)";
}

def NN_Relu6Op : NN_CompositeOp<"relu6", [CostOpInterface, SameOperandsAndResultType]> {
  let summary = "min(max(x, 0), 6)";
  let description = [{
    The derivative at 0 and at 6 is 0, as TensorFlow's. A cut-off whose bounds
    pass the derivative is `math.clampf`.
  }];
  let arguments = (ins NN_FloatTensor:$x);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def NN_HardSigmoidOp
    : NN_CompositeOp<"hard_sigmoid", [CostOpInterface, SameOperandsAndResultType]> {
  let summary = "0.2 x + 0.5, cut off at 0 and 1";
  let description = [{
    Keras 2's `hard_sigmoid`. The derivative at the bounds x = -2.5 and
    x = 2.5 is 0.2.
  }];
  let arguments = (ins NN_FloatTensor:$x);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def NN_SoftsignOp : NN_CompositeOp<"softsign", [CostOpInterface, SameOperandsAndResultType]> {
  let summary = "x / (1 + |x|)";
  let description = [{
    Element by element; Keras's `softsign`. The derivative is 1 / (1 + |x|)^2.
    At an infinity it is NaN.
  }];
  let arguments = (ins NN_FloatTensor:$x);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def NN_SoftmaxOp : NN_DifferentiableOp<"softmax", [
    NN_BatchedDense, SameOperandsAndResultType], NN_FlopsEach<5>> {
  let summary = "exp(x - max x) / sum exp(x - max x) over the last dimension";
  let description = [{
    x has at least rank 1. A row with a NaN or with +infinity, and one of
    -infinity only, is NaN; in others -infinity has share 0. A row without
    elements has an empty result. The derivative is y (dy - sum(dy y)).
  }];
  let arguments = (ins NN_FloatTensor:$x);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let hasVerifier = 1;
}

def NN_LogSoftmaxOp
    : NN_DifferentiableOp<"log_softmax", [
        NN_BatchedDense, SameOperandsAndResultType], NN_FlopsEach<5>> {
  let summary = "log(softmax(x)) over the last dimension";
  let description = [{
    Computed as (x - max x) - log(sum exp(x - max x)), which is finite where x
    is. The derivative is dy - softmax(x) sum(dy).
  }];
  let arguments = (ins NN_FloatTensor:$x);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let hasVerifier = 1;
}

#endif // FLYWHEEL_DIALECT_NN_NNACTIVATIONS
