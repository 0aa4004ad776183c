//===- FusionPasses.td - Passes that put ops into one loop -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_FUSION_FUSIONPASSES
#define FLYWHEEL_TRANSFORMS_FUSION_FUSIONPASSES

include "mlir/Pass/PassBase.td"

def FoldConversions : Pass<"flywheel-fold-conversions", "::mlir::func::FuncOp"> {
  let summary = "Convert to narrower floats where a product reads them";
  let description = [{
    Before: fused `linalg` on tensors. After: a product of two matrices that
    reads what only narrows another tensor (`arith.truncf`) reads that tensor,
    and narrows in its body. `flywheel-tile-and-fuse` narrows a tile of an operand
    at a time, in front of the kernel: weights of f32 that a step computes with
    as bf16 are never stored as that.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"];
  let statistics = [
    Statistic<"numFolded", "folded", "Operands that are converted where they are read">
  ];
}

def FuseElementwise : Pass<"flywheel-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "One op for a chain of elementwise ops";
  let description = [{
    Before: `linalg` on tensors. After: an elementwise op whose result has one
    use, by another structured op, is computed in the body of that op; but not
    where its operands would have to be kept for long instead of its one result,
    as the terms of a sum that grows with each product. A broadcast, or a little
    arithmetic on one tensor that is no variable, is computed in the body of each
    of its users, if these are elementwise ops and reductions: reading its result
    would take no less memory than reading its operand. Changes of shape between
    two ops move out of the way, but an op that writes a variable keeps the
    variable's shape, and a product of matrices its own: what follows it in
    another shape takes that of the product.
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
    rate, a batch size). After: it captures their elements, read in front of it:
    the loops that it becomes need not prove that a store leaves them alone.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // FLYWHEEL_TRANSFORMS_FUSION_FUSIONPASSES
