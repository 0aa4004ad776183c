//===- CodegenPasses.td - CPU code generation passes -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CODEGEN_CODEGENPASSES
#define FLYWHEEL_CODEGEN_CODEGENPASSES

include "mlir/Pass/PassBase.td"

def VectorizeKernels : Pass<"flywheel-vectorize-kernels", "::mlir::func::FuncOp"> {
  let summary = "Lower structured ops on buffers to vector loops";
  let description = [{
    Before: `linalg` ops on memrefs. After: loops over `vector` ops (and scalar
    loops where an op has no vector form); no `linalg` op is left.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // FLYWHEEL_CODEGEN_CODEGENPASSES
