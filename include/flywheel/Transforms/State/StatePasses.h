//===- StatePasses.h - Passes on where variables live -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_STATE_STATEPASSES_H
#define FLYWHEEL_TRANSFORMS_STATE_STATEPASSES_H

#include "flywheel/Support/PassCount.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace flywheel {
#define GEN_PASS_DECL
#include "flywheel/Transforms/State/StatePasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Transforms/State/StatePasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_TRANSFORMS_STATE_STATEPASSES_H
