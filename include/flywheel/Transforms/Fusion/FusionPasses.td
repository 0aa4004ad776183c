//===- FusionPasses.td - Passes that put ops into one loop -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_FUSION_FUSIONPASSES
#define FLYWHEEL_TRANSFORMS_FUSION_FUSIONPASSES

include "mlir/Pass/PassBase.td"

def FoldConversions : Pass<"flywheel-fold-conversions", "::mlir::func::FuncOp"> {
  let summary = "Fold conversions into the products that read them";
  let description = [{
    Before: fused `linalg` on tensors. After: a product of two matrices whose
    operand only narrows another tensor (`arith.truncf`) reads that tensor, and
    narrows in its body. `flywheel-tile-and-fuse` narrows one tile of an operand
    at a time, in front of the kernel: weights of f32 that a step uses as bf16
    are never stored as bf16. With `widenings` the same holds, of convolutions
    too, for what only widens a variable or a constant (`arith.extf`), or makes floats of its
    integers (`arith.sitofp`, `arith.uitofp`): weights of i8, f16 and bf16 are
    never stored as f32. An operand that is transposed for products only is read
    as it was. Variables and constants that are transposed, sliced, joined or
    gathered are moved as narrow numbers, and widened, or decoded with a scale,
    where they are read.
  }];
  let options = [
    Option<"widenings", "widenings", "bool", /*default=*/"true",
           "Also fold transpositions, and what makes numbers of variables and constants wider">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"];
  let statistics = [
    Statistic<"numFolded", "folded", "Operands that are converted where they are read">,
    Statistic<"numTransposed", "transposed", "Operands that are transposed where they are read">
  ];
}

def FuseElementwise : Pass<"flywheel-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Fuse chains of elementwise ops";
  let description = [{
    Before: `linalg` on tensors. After: an elementwise op whose result has one
    use, by another structured op, is computed in the body of that op, except
    where that would extend the live ranges of its operands instead of that of
    its one result, as for the terms of a sum with one more product in each
    term. A broadcast, or a little arithmetic on one tensor that is not a variable,
    is computed in the body of each user, if all users are elementwise ops and
    reductions: a read of its result would take no less memory traffic than a
    read of its operand. Reshapes between two ops are moved out of the way, but
    an op that writes a variable keeps the shape of the variable, and a product
    of matrices its own: the ops after it take its shape. If each row is to be
    computed by threads of its own (`keep-rows`), only the op that reads the
    product takes it, and a division that all elements of a row share may be
    repeated for each: in one shape, and with nothing stored in between, more
    ops on rows share a launch.
  }];
  let options = [
    Option<"keepRows", "keep-rows", "bool", "false",
           "Keep the shape of ops on rows, and repeat what elements of a row share">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FuseEpilogues : Pass<"flywheel-fuse-epilogues", "::mlir::func::FuncOp"> {
  let summary = "Fuse an activation with the bias of the product in front of it";
  let description = [{
    Before: fused `linalg` on tensors. After: where the elementwise op that alone
    reads a product has several readers, the first of them is one op with it, if
    it is elementwise and nothing but elementwise ops is between them; and so
    on. The op has the results of both, for `flywheel-tile-and-fuse` to compute
    in the tiles of the product: a layer whose gradient needs what its
    activation is computed from writes that and the activation, and reads neither.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
  let statistics = [
    Statistic<"numFused", "fused", "Ops that are one with the op in front of them">
  ];
}

def HoistScalars : Pass<"flywheel-hoist-scalars", "::mlir::func::FuncOp"> {
  let summary = "Read scalar operands once, in front of the op";
  let description = [{
    Before: `linalg.generic` with rank-0 tensors among its inputs (a learning
    rate, a batch size). After: its body uses their elements, which are
    extracted in front of the op: so no later pass has to prove that the stores
    of its loops do not alias them.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def RematerializeActivations
    : Pass<"flywheel-rematerialize-activations", "::mlir::func::FuncOp"> {
  let summary = "Recompute activations in the loops of their gradients";
  let description = [{
    Before: fused `linalg` on tensors. After: the value of an elementwise op, of 1
    MiB or more and at most eight cheap operations an element, that the backward
    part reads once more, as for the gradient of a weight, is computed once more
    by the elementwise op of the backward part that reads what it is computed
    from, as for the gradient of the activation. So only that is kept in
    between, and what reads the second value comes behind that op. The same
    operations compute the same bits. A value that the op itself depends on, or
    that is computed from several tensors of its size, stays.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numRecomputed", "recomputed", "Values that are computed twice">
  ];
}

def TileBatches : Pass<"flywheel-tile-batches", "::mlir::func::FuncOp"> {
  let summary = "Compute chains of batched products one batch at a time";
  let description = [{
    Before: fused `linalg` on tensors. After: a product in several batches whose
    result is larger than what it reads, such as the scores of attention, and
    the ops that compute from such large values, batch by batch, are in an
    `scf.forall` over the batches: one batch of the large values is stored, and
    found in the cache. Ops that need other results after the first loop, such
    as the gradient of attention, are in a second loop. It computes the large
    values once more, by the same ops from the same numbers: no bit of a result
    changes. Smaller values, such as the sums of rows, are stored for all
    batches. A chain is left as it is if a large value is used outside of it, or
    has fewer bytes than `min-bytes`: reading it from the cache is faster than
    computing it again.
  }];
  let options = [
    Option<"minBytes", "min-bytes", "int64_t", /*default=*/"-1",
           "The bytes of a large value from which on a loop pays; by default those of the second cache">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numLoops", "loops", "Loops over batches">
  ];
}

#endif // FLYWHEEL_TRANSFORMS_FUSION_FUSIONPASSES
