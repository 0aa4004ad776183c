//===- ScanStep.h - One step of a running sum -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CODEGEN_COMMON_SCANSTEP_H
#define FLYWHEEL_CODEGEN_COMMON_SCANSTEP_H

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

namespace flywheel {

/// Emits the result of a scan of no elements: 0, 1, or -inf.
mlir::Value emitScanNeutral(mlir::OpBuilder &b, linalg_ext::ScanOp op);

/// Emits the result of a scan after `element`, from its result `before`.
mlir::Value emitScanStep(mlir::OpBuilder &b, linalg_ext::ScanOp op,
                         mlir::Value before, mlir::Value element);

} // namespace flywheel

#endif // FLYWHEEL_CODEGEN_COMMON_SCANSTEP_H
