//===- NNOps.td - Ops of the nn dialect --------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNOPS
#define FLYWHEEL_DIALECT_NN_NNOPS

include "flywheel/Dialect/NN/NNDialect.td"
include "flywheel/Interfaces/DifferentiableOpInterface.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Every op is pure, has a rule, and infers its result type from operands and
/// attributes; a declared result type may be more or less static, never
/// contradictory.
class NN_Op<string opMnemonic, list<Trait> traits = []>
    : Op<NN_Dialect, opMnemonic, !listconcat([Pure], traits)>;

class NN_DifferentiableOp<string opMnemonic, list<Trait> traits = []>
    : NN_Op<opMnemonic, !listconcat(
        [DeclareOpInterfaceMethods<DifferentiableOpInterface>], traits)>;

def NN_FloatTensor : RankedTensorOf<[AnyFloat]>;
def NN_IntTensor : RankedTensorOf<[AnySignlessInteger]>;

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

def NN_MatmulOp : NN_DifferentiableOp<"matmul"> {
  let summary = "op(a) * op(b)";
  let description = [{
    a is [m, k] ([k, m] with `transpose_a`), b is [k, n] ([n, k] with
    `transpose_b`), the result is [m, n]. One element type; products of f16 and
    bf16 accumulate in f32.
  }];
  let arguments = (ins NN_FloatTensor:$a, NN_FloatTensor:$b,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def NN_DenseOp : NN_DifferentiableOp<"dense"> {
  let summary = "x * w + b";
  let description = [{
    x is [batch, in], w is [in, out], b is [out], the result is [batch, out].
  }];
  let arguments = (ins NN_FloatTensor:$x, NN_FloatTensor:$w, NN_FloatTensor:$b);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$x `,` $w `,` $b attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Activations and losses
//===----------------------------------------------------------------------===//

def NN_ReluOp : NN_DifferentiableOp<"relu", [SameOperandsAndResultType]> {
  let summary = "max(x, 0), element by element";
  let description = [{The derivative at 0 is 0. A NaN stays a NaN.}];
  let arguments = (ins NN_FloatTensor:$x);
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

//===----------------------------------------------------------------------===//
// Shapes and reductions
//===----------------------------------------------------------------------===//

def NN_BroadcastOp : NN_Op<"broadcast", [DeclareOpInterfaceMethods<
    DifferentiableOpInterface, ["hasDerivative"]>]> {
  let summary = "Repeats a tensor along new dimensions";
  let description = [{
    Dimension i of the input becomes dimension `dims[i]` of the result; an input
    extent of 1 stretches. `dims` is strictly increasing. The other dimensions
    repeat. Where the result has dynamic extents, `like` names a tensor of the
    result's shape; nothing but its shape is used.

    ```mlir
    %y = nn.broadcast %b dims [1] like %x
        : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, Optional<AnyRankedTensor>:$like,
                       DenseI64ArrayAttr:$dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `dims` $dims (`like` $like^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_ReductionKind : I32EnumAttr<"ReductionKind", "reduction", [
    I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"mean", 1>, I32EnumAttrCase<"max", 2>,
    I32EnumAttrCase<"min", 3>, I32EnumAttrCase<"prod", 4>]> {
  let cppNamespace = "::flywheel::nn";
}

def NN_ReduceOp : NN_DifferentiableOp<"reduce"> {
  let summary = "Reduces over some dimensions";
  let description = [{
    `axes` is strictly increasing. Reduced dimensions disappear, or stay with
    extent 1 with `keepdims`. `mean` needs a floating-point type. The derivative
    of `max` and `min` is shared equally by equal elements; that of
    `prod` is the product of the other elements (its own derivative, the second,
    is exact where no element is 0).

    ```mlir
    %s = nn.reduce sum %x axes [0] : tensor<?x10xf32> -> tensor<10xf32>
    ```
  }];
  let arguments = (ins NN_ReductionKind:$kind,
                       RankedTensorOf<[AnyFloat, AnySignlessInteger]>:$input,
                       DenseI64ArrayAttr:$axes, UnitAttr:$keepdims);
  let results = (outs RankedTensorOf<[AnyFloat, AnySignlessInteger]>:$result);
  let assemblyFormat = [{
    $kind $input `axes` $axes (`keepdims` $keepdims^)? attr-dict `:`
    type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def NN_OneHotOp : NN_Op<"one_hot"> {
  let summary = "1 at the index, 0 elsewhere";
  let description = [{
    Adds a last dimension of static extent `depth`, that of the result. An index
    outside [0, depth) gives a row of zeros. Indices carry no derivative.
  }];
  let arguments = (ins NN_IntTensor:$indices);
  let results = (outs RankedTensorOf<[AnyFloat, AnySignlessInteger]>:$result);
  let assemblyFormat = "$indices attr-dict `:` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

def NN_ArgmaxOp : NN_Op<"argmax"> {
  let summary = "Index of the largest element along a dimension";
  let description = [{
    The first of equal elements; NaN counts as largest. No derivative.
  }];
  let arguments = (ins RankedTensorOf<[AnyFloat, AnySignlessInteger]>:$input,
                       I64Attr:$axis);
  let results = (outs NN_IntTensor:$result);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif // FLYWHEEL_DIALECT_NN_NNOPS
