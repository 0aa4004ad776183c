//===- NNAttention.td - Attention --------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNATTENTION
#define FLYWHEEL_DIALECT_NN_NNATTENTION

include "flywheel/Dialect/NN/NNBase.td"

def NN_AttentionOp : NN_CompositeOp<"attention", [
    NN_Shapes<[NN_Shape<"q: ... t d">, NN_Shape<"k: ... s d">,
               NN_Shape<"v: ... s e">, NN_Shape<"mask: ... t s">],
              [NN_Shape<"result: ... t e">]>]> {
  let summary = "softmax(scale q k^T) v: averages of values, weighted by scores";
  let description = [{
    q is [..., t, d], k is [..., s, d] and v is [..., s, e], with equal leading
    dimension sizes (batch, heads); the result is [..., t, e] (Vaswani and others,
    Attention Is All You Need, 2017). `scale` is 1 / sqrt(d) unless given.

    `mask` is [..., t, s], as the scores are; `nn.broadcast` makes one for all
    heads or samples. One of i1 says by true which of s positions a query
    attends to; one of q's element type is added to the scores. With `causal`,
    query i attends to positions 0 to i, whatever t and s are; the other scores
    do not matter, nor does what a mask says of them.

    A query that a mask of i1 lets attend to nothing has a result of 0, and no
    derivative. If every score of a query is -infinity, as an added mask can
    make it, the result is NaN, as that of a softmax is.

    ```mlir
    %y = nn.attention %q, %k, %v causal
        : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
        -> tensor<?x8x?x64xf32>
    %z = nn.attention %q, %k, %v mask %m scale 1.25e-1
        : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>,
           tensor<?x8x?x?xi1>) -> tensor<?x8x?x64xf32>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$q, NN_FloatTensor:$k, NN_FloatTensor:$v,
                       Optional<RankedTensorOf<[AnyFloat, I1]>>:$mask,
                       UnitAttr:$causal, OptionalAttr<F64Attr>:$scale);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`mask` $mask^)? (`causal` $causal^)? (`scale` $scale^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // FLYWHEEL_DIALECT_NN_NNATTENTION
