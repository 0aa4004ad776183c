//===- VectorizeKernels.cpp - Structured ops on buffers to vector loops ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_VECTORIZEKERNELS
#include "flywheel/Codegen/CodegenPasses.h.inc"

namespace {
struct VectorizeKernels : impl::VectorizeKernelsBase<VectorizeKernels> {
  void runOnOperation() override {}
};
} // namespace
} // namespace flywheel
