//===- NNIndexing.td - Slices at indices, and scans --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNINDEXING
#define FLYWHEEL_DIALECT_NN_NNINDEXING

include "flywheel/Dialect/NN/NNBase.td"

def NN_GatherOp : NN_DifferentiableOp<"gather", [NN_AxisShapes<
    ["x: before... n after...", "indices: i..."],
    "result: before... i... after...">], NN_FlopsEach<0>> {
  let summary = "Slices at indices along one dimension";
  let description = [{
    The result has dimension `axis` of x replaced by the dimensions of `indices`,
    as NumPy's `take` does: with axis 1, x of [a, n, b] and indices of [i, j] the
    result is [a, i, j, b]. With axis 0, rows of an embedding table. An index
    outside of [0, n) is an error of the step, which then changes nothing;
    negative indices do not count from the end.

    ```mlir
    %vectors = nn.gather %table, %words axis 0
        : (tensor<1000x64xf32>, tensor<?x12xi32>) -> tensor<?x12x64xf32>
    ```

    The derivative with respect to x adds up what each slice received
    (`nn.scatter_add`); indices carry none. Upstream's `tensor.gather`, which
    says nothing of indices out of range, is refused.
  }];
  let arguments = (ins NN_NumberTensor:$x, NN_IntTensor:$indices, I64Attr:$axis);
  let results = (outs NN_NumberTensor:$result);
  let assemblyFormat = [{
    $x `,` $indices `axis` $axis attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Those of the slices, not of all that they are in.
    ::flywheel::CostExpr countBytes(::flywheel::CostSizes &sizes);
  }];
}

def NN_ScatterShapes : NN_AxisShapes<
    ["init: before... n after...", "indices: i...",
     "updates: before... i... after..."],
    "result: before... n after...">;

def NN_ScatterAddOp : NN_DifferentiableOp<"scatter_add", [NN_ScatterShapes]> {
  let summary = "Adds slices at indices along one dimension";
  let description = [{
    `init` with the slices of `updates` added to those at `indices`, one after
    the other in the order of the indices: duplicates add up. `updates` has the
    shape that `nn.gather` gives for `init`, `indices` and `axis`, and indices
    out of range are the same error. A variable that is assigned the result is
    updated in place, but for one of f16 or bf16, whose sums are in f32 and
    rounded once.

    ```mlir
    %counts = nn.scatter_add %zeros, %words, %ones axis 0
        : (tensor<1000xi32>, tensor<?xi64>, tensor<?xi32>) -> tensor<1000xi32>
    ```
  }];
  let arguments = (ins NN_NumberTensor:$init, NN_IntTensor:$indices,
                       NN_NumberTensor:$updates, I64Attr:$axis);
  let results = (outs NN_NumberTensor:$result);
  let assemblyFormat = [{
    $init `,` $indices `,` $updates `axis` $axis attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Those of the slices, not of all that they are in.
    ::flywheel::CostExpr countBytes(::flywheel::CostSizes &sizes);
  }];
}

def NN_ScatterOp : NN_DifferentiableOp<"scatter", [NN_ScatterShapes], NN_FlopsEach<0>> {
  let summary = "Replaces slices at indices along one dimension";
  let description = [{
    As `nn.scatter_add`, but a slice of `updates` takes the place of what was
    there; of several for one place the last, in the order of the indices, is the
    one that stays, and alone has a derivative.

    ```mlir
    %memory = nn.scatter %old, %slots, %entries axis 0
        : (tensor<256x16xf32>, tensor<?xi32>, tensor<?x16xf32>) -> tensor<256x16xf32>
    ```
  }];
  let arguments = (ins NN_NumberTensor:$init, NN_IntTensor:$indices,
                       NN_NumberTensor:$updates, I64Attr:$axis);
  let results = (outs NN_NumberTensor:$result);
  let assemblyFormat = [{
    $init `,` $indices `,` $updates `axis` $axis attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Those of the slices, not of all that they are in.
    ::flywheel::CostExpr countBytes(::flywheel::CostSizes &sizes);
  }];
}

def NN_TakeAlongAxisOp : NN_DifferentiableOp<"take_along_axis", [
    NN_AxisShapes<["x: before... n after...", "indices: before... i after..."],
                  "result: before... i after...">], NN_FlopsEach<0>> {
  let summary = "Elements at indices along one dimension";
  let description = [{
    NumPy's `take_along_axis`: with axis 1, element (i, j, k) of the result is
    x[i, indices[i, j, k], k]. `indices` has the rank of x and the dimension sizes of x in
    all dimensions but `axis`, of which it has as many positions as the result is
    to have; nothing is broadcast. An index outside of the dimension size of x along
    `axis` is an error of the step, which then changes nothing; negative indices
    do not count from the end.

    ```mlir
    // The number at the label of each row.
    %picked = nn.take_along_axis %rows, %labels axis 1
        : (tensor<?x10xf32>, tensor<?x1xi32>) -> tensor<?x1xf32>
    ```

    The derivative with respect to x adds up what each element received
    (`nn.scatter_add_along_axis`); indices carry none. Whole slices at indices are
    `nn.gather`.
  }];
  let arguments = (ins NN_NumberTensor:$x, NN_IntTensor:$indices, I64Attr:$axis);
  let results = (outs NN_NumberTensor:$result);
  let assemblyFormat = [{
    $x `,` $indices `axis` $axis attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_ScatterAddAlongAxisOp : NN_DifferentiableOp<"scatter_add_along_axis", [
    NN_AxisShapes<["init: before... n after...", "indices: before... i after...",
                   "updates: before... i after..."],
                  "result: before... n after...">]> {
  let summary = "Adds elements at indices along one dimension";
  let description = [{
    `init` with each element of `updates` added to the one at its index, one after
    the other in row-major order: with axis 1, updates[i, j, k] is added to
    element (i, indices[i, j, k], k). `indices` and `updates` have one shape, that
    of the result of `nn.take_along_axis` for `init`, and indices out of range are
    the same error. Sums of f16 and bf16 are in f32 and rounded once.

    ```mlir
    %counts = nn.scatter_add_along_axis %zeros, %digits, %ones axis 1
        : (tensor<?x10xi32>, tensor<?x6xi8>, tensor<?x6xi32>) -> tensor<?x10xi32>
    ```
  }];
  let arguments = (ins NN_NumberTensor:$init, NN_IntTensor:$indices,
                       NN_NumberTensor:$updates, I64Attr:$axis);
  let results = (outs NN_NumberTensor:$result);
  let assemblyFormat = [{
    $init `,` $indices `,` $updates `axis` $axis attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_ScanShapes : NN_AxisShapes<["x: before... n after..."],
                                  "result: before... n after...">;

def NN_CumsumOp : NN_DifferentiableOp<"cumsum", [
    NN_ScanShapes, NN_BatchedAlongAxis<"true">], NN_FlopsEach<1>> {
  let summary = "Running sums along one dimension";
  let description = [{
    Element k along `axis` of the result is the sum of the elements of x up to
    k: without the last with `exclusive`, those from k on with `reverse`. Sums of
    f16 and bf16 are in f32 and rounded once.
  }];
  let arguments = (ins NN_NumberTensor:$x, I64Attr:$axis, UnitAttr:$exclusive,
                       UnitAttr:$reverse);
  let results = (outs NN_NumberTensor:$result);
  let assemblyFormat = [{
    $x `axis` $axis (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict
    `:` type($x) `->` type($result)
  }];
  let hasVerifier = 1;
}

def NN_CumprodOp : NN_DifferentiableOp<"cumprod", [
    // The product of no element is 1.
    NN_ScanShapes, NN_BatchedAlongAxis<"!getExclusive()">], NN_FlopsEach<1>> {
  let summary = "Running products along one dimension";
  let description = [{
    Element k along `axis` of the result is the product of the elements of x up
    to k: without the last with `exclusive`, those from k on with `reverse`. The
    product of no element is 1. Products of f16 and bf16 are in f32 and rounded
    once.

    The derivative divides by nothing, so that it holds where elements are 0. It
    is a loop along `axis`, whose memory is that of x, and so is its derivative.

    ```mlir
    // The share of light that gets through to each layer.
    %light = nn.cumprod %clear axis 1 exclusive : tensor<?x16xf32> -> tensor<?x16xf32>
    ```
  }];
  let arguments = (ins NN_NumberTensor:$x, I64Attr:$axis, UnitAttr:$exclusive,
                       UnitAttr:$reverse);
  let results = (outs NN_NumberTensor:$result);
  let assemblyFormat = [{
    $x `axis` $axis (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict
    `:` type($x) `->` type($result)
  }];
  let hasVerifier = 1;
}

def NN_LogcumsumexpOp : NN_DifferentiableOp<"logcumsumexp", [
    // The steps have max, subtraction, exp, log1p and addition.
    NN_ScanShapes, NN_BatchedAlongAxis<"false">], NN_FlopsEach<5>> {
  let summary = "Logarithms of running sums of exponentials along one dimension";
  let description = [{
    Element k along `axis` of the result is the logarithm of the sum of the
    exponentials of the elements of x up to k, with `reverse` of those from k on:
    a running sum of numbers of which only logarithms are known. No exponential
    overflows: one step, of a and b, is max(a, b) + log1p(exp(-|a - b|)), and
    equal numbers, infinite ones too, differ by 0. Those of f16 and bf16 are in
    f32 and rounded once.

    The derivative of element k with respect to element i of x is exp(x[i] - y[k]),
    at most 1; it is 1 where both are the same infinity. It is computed by a loop
    backwards along `axis`.

    ```mlir
    // The logarithm of the distribution function of each row of scores.
    %below = nn.logcumsumexp %log_softmax axis 1 : tensor<?x16xf32> -> tensor<?x16xf32>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$x, I64Attr:$axis, UnitAttr:$reverse);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $x `axis` $axis (`reverse` $reverse^)? attr-dict `:` type($x) `->` type($result)
  }];
  let hasVerifier = 1;
}

def NN_IotaOp : NN_Op<"iota", [NN_Batchable, NN_DimSizeSource], NN_FlopsEach<0>> {
  let summary = "The number of each position along one dimension";
  let description = [{
    0, 1, 2, ... along `axis`, the same at all positions of the other dimensions.
    If the result has dynamic dimension sizes, `like` names a tensor of the result's
    shape; nothing but its shape is used. No derivative.
  }];
  let arguments = (ins Optional<AnyRankedTensor>:$like, I64Attr:$axis);
  let results = (outs NN_NumberTensor:$result);
  let assemblyFormat = [{
    `axis` $axis (`like` $like^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_CheckIndicesOp : NN_Op<"check_indices", [
    NN_Batchable, NN_DimSizeSource, AllTypesMatch<["indices", "result"]>], NN_FlopsEach<0>> {
  let summary = "Indices that are in range, or an error of the step";
  let description = [{
    The indices as they are. One outside of [0, n), where n is the size of
    dimension `axis` of `of`, is an error of the step, which names it, n and
    `axis`. Nothing but the shape of `of` is used. Several indices that become
    one, of elements in row-major order, are checked by this before.

    ```mlir
    %inside = nn.check_indices %columns of %table axis 1
        : tensor<?xi32>, tensor<1000x64xf32>
    ```
  }];
  let arguments = (ins NN_IntTensor:$indices, AnyRankedTensor:$of, I64Attr:$axis);
  let results = (outs NN_IntTensor:$result);
  let assemblyFormat = [{
    $indices `of` $of `axis` $axis attr-dict `:` type($indices) `,` type($of)
  }];
  let hasVerifier = 1;
}

#endif // FLYWHEEL_DIALECT_NN_NNINDEXING
