//===- GPUPasses.h - Passes that write GPU kernels --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CODEGEN_GPU_GPUPASSES_H
#define FLYWHEEL_CODEGEN_GPU_GPUPASSES_H

#include "flywheel/Support/PassCount.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace flywheel {
#define GEN_PASS_DECL
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_CODEGEN_GPU_GPUPASSES_H
