//===- ConversionPasses.td - Passes of Conversion ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CONVERSION_PASSES
#define FLYWHEEL_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertNNToLinalg : Pass<"convert-nn-to-linalg"> {
  let summary = "Lower nn ops and elementwise ops on tensors to linalg";
  let description = [{
    Before: `nn` ops, elementwise `arith` and `math` ops on ranked tensors and
    `tensor.splat`, with any static or dynamic shapes. After: `linalg` on
    tensors, `tensor`, and scalar `arith` and `math`; none of the former is
    left. Parts that two ops share (the row maxima, exponentials and sums of a
    loss and of the softmax of its gradient) are emitted alike, so that CSE
    merges them.

    Products, sums, means and softmax of f16 and bf16 are computed in f32 and
    rounded once. What can only be known when a step runs becomes a `cf.assert`
    at the op's location: labels within [0, classes), and equality of extents
    that an op requires to be equal where neither the types nor the producers
    prove it. No buffer is read out of bounds whatever the labels are.

    Refused with a diagnostic at the op: element types other than f16, bf16,
    f32, f64 and signless integers, and tensors with an encoding.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
    "::flywheel::linalg_ext::LinalgExtDialect"
  ];
}

def ConvertTrainUpdatesToLinalg : Pass<"convert-train-updates-to-linalg"> {
  let summary = "Lower optimizer updates to destination-style linalg";
  let description = [{
    Before: optimizer updates in value semantics (`train.sgd`, `train.adam`, any
    op with `OptimizerUpdateOpInterface`). After: each is one `linalg.generic`
    with a result for the parameter and one for each slot, whose destinations
    are the old parameter and slots: bufferization updates them in place, and
    the producer of the gradient can be fused into its loops. `train.project` of
    the new parameter is part of that op where it needs one element at a time;
    otherwise it is a sum of squares along its axis, a factor for each, and an op
    that scales the parameter as its destination. No update or projection is
    left; the pass accepts every one that verifies.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect"
  ];
}

def VerifySupportedOps : Pass<"flywheel-verify-supported-ops", "::mlir::ModuleOp"> {
  let summary = "Refuse ops and types that have no lowering";
  let description = [{
    Before: the module that a user wrote. After: the same. Refused with a
    diagnostic at the op: ops of other dialects than arith, math, tensor,
    linalg, tosa, scf, func, nn and train, single ops of those
    (docs/OpSupport.md), types other than ranked tensors and elements of f16,
    bf16, f32, f64, index and integers of 1, 8, 16, 32 or 64 bits, and ops
    beside functions that belong in one. Functions that no entry calls may hold
    anything.
  }];
  let options = [ListOption<"entries", "entries", "std::string",
                            "Entries that are kept; by default all">];
}

def ConvertTosa : Pass<"flywheel-convert-tosa", "::mlir::ModuleOp"> {
  let summary = "Lower tosa ops to ops that have derivative rules";
  let description = [{
    Before: `tosa` ops on ranked tensors, anywhere. After: none. Elementwise
    ops, reductions and floating-point products are `arith`, `math` and `nn` ops
    on tensors: a dimension size of 1 stretches where it is 1 by its type, and
    dynamic sizes are checked to be equal. The rest, convolutions, pools,
    reshapes, casts and control flow, becomes `linalg`, `tensor` and `scf` by
    upstream's conversions. Before autodiff: gradients go through.

    Refused with a diagnostic at the op: types and attributes that upstream has
    no lowering for.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::index::IndexDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::flywheel::nn::NNDialect"
  ];
  let statistics = [Statistic<"numLowered", "num-lowered",
                              "Ops that became ops on tensors here">];
}

def TestListOpSupport : Pass<"test-list-op-support"> {
  let summary = "Print every op of the upstream dialects and why it is refused";
  let description = [{
    A line for each op of arith, linalg, math, tensor and tosa: its name, a
    tab, and what is expected in its place where it has no lowering. Changes
    nothing.
  }];
}

#endif // FLYWHEEL_CONVERSION_PASSES
