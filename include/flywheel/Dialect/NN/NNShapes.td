//===- NNShapes.td - Shapes and reductions -----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNSHAPES
#define FLYWHEEL_DIALECT_NN_NNSHAPES

include "flywheel/Dialect/NN/NNBase.td"

def NN_BroadcastOp : NN_Op<"broadcast", [NN_Batchable, NN_DimSizeSource, NN_SizeRelations, DeclareOpInterfaceMethods<
    DifferentiableOpInterface, ["hasDerivative"]>], NN_FlopsEach<0>> {
  let summary = "Repeats a tensor along new dimensions";
  let description = [{
    Dimension i of the input becomes dimension `dims[i]` of the result; an input
    dimension size that is 1 by its type stretches. A dynamic dimension size does not, also where
    it turns out to be 1: other dimension sizes than the result's are an error of the
    step. `dims` is strictly increasing. The other dimensions repeat. If the result
    has dynamic dimension sizes, `like` names a tensor of the result's shape; nothing
    but its shape is used.

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

def NN_ReduceOp : NN_DifferentiableOp<"reduce", [NN_DimSizeSource, NN_Infers]> {
  let summary = "Reduces over some dimensions";
  let description = [{
    `axes` is strictly increasing. Reduced dimensions disappear, or stay with
    dimension size 1 with `keepdims`. `mean` needs a floating-point type. The derivative
    of `max` and `min` is shared equally by equal elements, and by those that are
    NaN where the extremum is; that of `prod` is the
    product of the other elements, also where some are 0. If the dimension size is
    dynamic, that takes memory for its square.

    ```mlir
    %s = nn.reduce sum %x axes [0] : tensor<?x10xf32> -> tensor<10xf32>
    ```
  }];
  let arguments = (ins NN_ReductionKind:$kind,
                       NN_NumberTensor:$input,
                       DenseI64ArrayAttr:$axes, UnitAttr:$keepdims);
  let results = (outs NN_NumberTensor:$result);
  let assemblyFormat = [{
    $kind $input `axes` $axes (`keepdims` $keepdims^)? attr-dict `:`
    type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def NN_OneHotOp : NN_Op<"one_hot", [NN_DimSizeSource], NN_FlopsEach<0>> {
  let summary = "1 at the index, 0 elsewhere";
  let description = [{
    Adds a last dimension of static dimension size `depth`, that of the result. An index
    outside [0, depth) gives a row of zeros. Indices carry no derivative.
  }];
  let arguments = (ins NN_IntTensor:$indices);
  let results = (outs NN_NumberTensor:$result);
  let assemblyFormat = "$indices attr-dict `:` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

/// Positions are i32 where the type does not say that they are i64.
def NN_PositionShapes : NN_AxisShapes<
    ["input: before... n>0 after..."], "result: before... after...",
    ["::mlir::IntegerType::get(op.getInput().getContext(), 32)"]>;

def NN_ArgmaxOp : NN_Op<"argmax", [NN_PositionShapes]> {
  let summary = "Index of the largest element along a dimension";
  let description = [{
    The first of equal elements; NaN counts as largest. No derivative.
  }];
  let arguments = (ins NN_NumberTensor:$input,
                       I64Attr:$axis);
  let results = (outs NN_IntTensor:$result);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def NN_ArgminOp : NN_Op<"argmin", [NN_PositionShapes]> {
  let summary = "Index of the smallest element along a dimension";
  let description = [{
    The first of equal elements; NaN counts as smallest. No derivative.
  }];
  let arguments = (ins NN_NumberTensor:$input,
                       I64Attr:$axis);
  let results = (outs NN_IntTensor:$result);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def NN_ArgsortOp : NN_Op<"argsort", [
    NN_Batchable, NN_DimSizeSource, NN_BatchedAlongAxis<"false">,
    InferTypeOpAdaptorWithIsCompatible], NN_FlopsEach<0>> {
  let summary = "Positions of elements in order along a dimension";
  let description = [{
    The positions along `axis` of the elements in ascending order, or with
    `descending` in descending order, as i32: NaN is the largest number, -0 is
    equal to 0, false is less than true, and equal elements stay in the order of
    their positions. On a CPU a radix sort, whose time is linear in the number of
    elements; on a GPU a merge sort. No derivative.

    ```mlir
    %order = nn.argsort %x axis 1 descending : tensor<?x50257xf32> -> tensor<?x50257xi32>
    ```
  }];
  let arguments = (ins NN_NumberTensor:$x, I64Attr:$axis, UnitAttr:$descending);
  let results = (outs NN_IntTensor:$result);
  let assemblyFormat = [{
    $x `axis` $axis (`descending` $descending^)? attr-dict `:` type($x) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def NN_TileOp : NN_CompositeOp<"tile", [NN_OneElementType, NN_Infers]> {
  let summary = "Repeats a tensor along its own dimensions";
  let description = [{
    Dimension i of the result is that of x `multiples[i]` times in a row.

    ```mlir
    %y = nn.tile %x multiples [1, 2] : tensor<?x3xf32> -> tensor<?x6xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, DenseI64ArrayAttr:$multiples);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$x `multiples` $multiples attr-dict `:` type($x) `->` type($result)";
}

#endif // FLYWHEEL_DIALECT_NN_NNSHAPES
