//===- NNContractions.td - Products of matrices ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNCONTRACTIONS
#define FLYWHEEL_DIALECT_NN_NNCONTRACTIONS

include "flywheel/Dialect/NN/NNBase.td"

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

#endif // FLYWHEEL_DIALECT_NN_NNCONTRACTIONS
