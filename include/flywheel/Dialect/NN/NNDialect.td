//===- NNDialect.td - The nn dialect -----------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNDIALECT
#define FLYWHEEL_DIALECT_NN_NNDIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/DialectBase.td"

def NN_Dialect : Dialect {
  let name = "nn";
  let cppNamespace = "::flywheel::nn";
  let summary = "Tensor ops whose gradient or lowering needs a name";
  let description = [{
    Value-semantics ops on ranked tensors that upstream dialects lack. Any
    dimension may be dynamic; dimension sizes that an op requires to be equal and that
    are not known statically are checked when a step starts. Elementwise
    arithmetic is `arith` and `math` on tensors, reshaping is `tensor`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // FLYWHEEL_DIALECT_NN_NNDIALECT
