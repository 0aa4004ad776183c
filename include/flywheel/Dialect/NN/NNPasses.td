//===- NNPasses.td - Passes of the nn dialect --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNPASSES
#define FLYWHEEL_DIALECT_NN_NNPASSES

include "mlir/Pass/PassBase.td"

def NNDecompose : Pass<"nn-decompose"> {
  let summary = "Replace composite ops by what they are made of";
  let description = [{
    Before: any module. After: no op implements `CompositeOpInterface`: each has
    been replaced by the ops that it is made of, which have derivative rules and
    lowerings.

    Refuses an instance that its op does not support, at the op.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect", "::flywheel::nn::NNDialect"
  ];
  let statistics = [
    Statistic<"numDecomposed", "decomposed", "Composite ops replaced">
  ];
}

#endif // FLYWHEEL_DIALECT_NN_NNPASSES
