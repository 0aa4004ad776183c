//===- NNLinearAlgebra.td - Triangles and linear systems ---*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNLINEARALGEBRA
#define FLYWHEEL_DIALECT_NN_NNLINEARALGEBRA

include "flywheel/Dialect/NN/NNBase.td"

def NN_TriangleKind : I32EnumAttr<"TriangleKind", "a triangle of a matrix", [
    I32EnumAttrCase<"lower", 0>, I32EnumAttrCase<"upper", 1>]> {
  let cppNamespace = "::flywheel::nn";
}

def NN_TriangleOp : NN_DifferentiableOp<"triangle", [SameOperandsAndResultType]> {
  let summary = "Keeps a triangle of each matrix";
  let description = [{
    x is [..., m, n]. With `lower`, element (i, j) of each matrix stays where
    j - i <= `diagonal`; with `upper`, where j - i >= `diagonal`. The others
    become `fill`, which an element type of integers must be able to hold. 0 is
    the main diagonal, 1 the one above it.

    ```mlir
    // Scores of a sequence, of which no position sees a later one.
    %masked = nn.triangle lower %scores fill -1.0e9 : tensor<?x8x8xf32>
    ```
  }];
  let arguments = (ins NN_TriangleKind:$kind,
                       RankedTensorOf<[AnyFloat, AnySignlessInteger]>:$x,
                       DefaultValuedAttr<I64Attr, "0">:$diagonal,
                       DefaultValuedAttr<F64Attr, "0.0">:$fill);
  let results = (outs RankedTensorOf<[AnyFloat, AnySignlessInteger]>:$result);
  let assemblyFormat = [{
    $kind $x (`diagonal` $diagonal^)? (`fill` $fill^)? attr-dict `:` type($x)
  }];
  let hasVerifier = 1;
}

#endif // FLYWHEEL_DIALECT_NN_NNLINEARALGEBRA
