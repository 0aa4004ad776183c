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

#endif // FLYWHEEL_CONVERSION_PASSES
