//===- StepTraffic.h - Bytes that a step moves, and has to move  -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_REPORT_STEPTRAFFIC_H
#define FLYWHEEL_LIB_CODEGEN_GPU_REPORT_STEPTRAFFIC_H

#include "AssumedSizes.h"

namespace flywheel {

/// Emits a remark with the bytes that the launches of `function` move, and
/// those that they have to move, before independent groups are merged.
void reportStepTraffic(mlir::func::FuncOp function,
                       const AssumedSizes &assumed);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_REPORT_STEPTRAFFIC_H
