//===- TargetPasses.h - Passes at the edge of the compiler ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TARGET_TARGETPASSES_H
#define FLYWHEEL_TARGET_TARGETPASSES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace flywheel {
#define GEN_PASS_DECL
#include "flywheel/Target/TargetPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Target/TargetPasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_TARGET_TARGETPASSES_H
