//===- FusionPasses.td - Passes that put ops into one loop -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_FUSION_FUSIONPASSES
#define FLYWHEEL_TRANSFORMS_FUSION_FUSIONPASSES

include "mlir/Pass/PassBase.td"

def FoldConversions : Pass<"flywheel-fold-conversions", "::mlir::func::FuncOp"> {
  let summary = "Fold narrowing conversions into the products that read them";
  let description = [{
    Before: fused `linalg` on tensors. After: a product of two matrices whose
    operand only narrows another tensor (`arith.truncf`) reads that tensor, and
    narrows in its body. `flywheel-tile-and-fuse` narrows one tile of an operand
    at a time, in front of the kernel: weights of f32 that a step uses as bf16
    are never stored as bf16.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"];
  let statistics = [
    Statistic<"numFolded", "folded", "Operands that are converted where they are read">
  ];
}

def FuseElementwise : Pass<"flywheel-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Fuse chains of elementwise ops";
  let description = [{
    Before: `linalg` on tensors. After: an elementwise op whose result has one
    use, by another structured op, is computed in the body of that op, except
    where that would extend the live ranges of its operands instead of that of
    its one result, as for the terms of a sum with one more product in each
    term. A broadcast, or a little arithmetic on one tensor that is no variable,
    is computed in the body of each user, if all users are elementwise ops and
    reductions: a read of its result would take no less memory traffic than a
    read of its operand. Reshapes between two ops are moved out of the way, but
    an op that writes a variable keeps the shape of the variable, and a product
    of matrices its own: the ops after it take its shape.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
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

#endif // FLYWHEEL_TRANSFORMS_FUSION_FUSIONPASSES
