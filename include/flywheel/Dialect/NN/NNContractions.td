//===- NNContractions.td - Products of matrices ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNCONTRACTIONS
#define FLYWHEEL_DIALECT_NN_NNCONTRACTIONS

include "flywheel/Dialect/NN/NNBase.td"

def NN_MatmulOp : NN_DifferentiableOp<"matmul", [NN_OneElementType, NN_Shapes<
    [NN_ShapeIf<"op.getTransposeA()", "a: ... k m", "a: ... m k">,
     NN_ShapeIf<"op.getTransposeB()", "b: ... n k", "b: ... k n">],
    [NN_Shape<"result: ... m n">]>]> {
  let summary = "op(a) * op(b)";
  let description = [{
    a is [..., m, k] ([..., k, m] with `transpose_a`), b is [..., k, n]
    ([..., n, k] with `transpose_b`), the result is [..., m, n]: one product of
    two matrices for each index of the leading dimensions, whose dimension sizes are
    equal. Nothing is broadcast: one matrix for all rows is `nn.dense`. One
    element type; products of f16 and bf16 accumulate in f32.

    ```mlir
    %scores = nn.matmul %q, %k {transpose_b}
        : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) -> tensor<?x8x?x?xf32>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$a, NN_FloatTensor:$b,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` functional-type(operands, results)";
}

def NN_DenseOp : NN_DifferentiableOp<"dense", [NN_OneElementType, NN_Shapes<
    [NN_Shape<"x: ... m in">, NN_Shape<"w: in out">, NN_Shape<"b: out">],
    [NN_Shape<"result: ... m out">]>]> {
  let summary = "x * w + b";
  let description = [{
    x is [..., in], w is [in, out], b is [out], the result is [..., out]; x has
    at least rank 2, and all its dimensions but the last are rows of one product
    of two matrices. b may be left out.

    ```mlir
    %y = nn.dense %x, %w, %b
        : (tensor<?x?x64xf32>, tensor<64x10xf32>, tensor<10xf32>) -> tensor<?x?x10xf32>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$x, NN_FloatTensor:$w,
                       Optional<NN_FloatTensor>:$b);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $w (`,` $b^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // FLYWHEEL_DIALECT_NN_NNCONTRACTIONS
