//===- FusionPasses.h - Passes that put ops into one loop -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_FUSION_FUSIONPASSES_H
#define FLYWHEEL_TRANSFORMS_FUSION_FUSIONPASSES_H

#include "flywheel/Support/PassCount.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace flywheel {
#define GEN_PASS_DECL
#include "flywheel/Transforms/Fusion/FusionPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Transforms/Fusion/FusionPasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_TRANSFORMS_FUSION_FUSIONPASSES_H
