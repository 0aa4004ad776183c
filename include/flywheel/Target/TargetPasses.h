//===- TargetPasses.h - Passes at the edge of the compiler ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TARGET_TARGETPASSES_H
#define FLYWHEEL_TARGET_TARGETPASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace flywheel {
/// On a module: the last stage of compilation that it has been through, as
/// `stage`, and the options that its stages were run with, which the other
/// stages need too.
constexpr llvm::StringLiteral kCompilationAttrName = "train.compilation";

#define GEN_PASS_DECL
#include "flywheel/Target/TargetPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Target/TargetPasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_TARGET_TARGETPASSES_H
