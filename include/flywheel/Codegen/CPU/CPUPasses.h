//===- CPUPasses.h - Passes that write CPU kernels --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CODEGEN_CPU_CPUPASSES_H
#define FLYWHEEL_CODEGEN_CPU_CPUPASSES_H

#include "flywheel/Support/PassCount.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace flywheel {
#define GEN_PASS_DECL
#include "flywheel/Codegen/CPU/CPUPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Codegen/CPU/CPUPasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_CODEGEN_CPU_CPUPASSES_H
