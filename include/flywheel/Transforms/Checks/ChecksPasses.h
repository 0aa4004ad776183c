//===- ChecksPasses.h - Passes for checks of a step --------------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_CHECKS_CHECKSPASSES_H
#define FLYWHEEL_TRANSFORMS_CHECKS_CHECKSPASSES_H

#include "flywheel/Support/PassCount.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace flywheel {
#define GEN_PASS_DECL
#include "flywheel/Transforms/Checks/ChecksPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Transforms/Checks/ChecksPasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_TRANSFORMS_CHECKS_CHECKSPASSES_H
