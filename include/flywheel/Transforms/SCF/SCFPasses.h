//===- SCFPasses.h - Passes on scf control flow -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_SCF_SCFPASSES_H
#define FLYWHEEL_TRANSFORMS_SCF_SCFPASSES_H

#include "flywheel/Support/PassCount.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace flywheel {
#define GEN_PASS_DECL
#include "flywheel/Transforms/SCF/SCFPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Transforms/SCF/SCFPasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_TRANSFORMS_SCF_SCFPASSES_H
