//===- CarryChecks.h - Checks out of branches and loops ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_CARRYCHECKS_H
#define FLYWHEEL_LIB_CODEGEN_CARRYCHECKS_H

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/PatternMatch.h"

namespace flywheel {

/// Replaces `check` by one behind the branch or loop that it is in, which is
/// returned; null where that op is none that can carry it.
mlir::cf::AssertOp carryOut(mlir::IRRewriter &rewriter,
                            mlir::cf::AssertOp check);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CARRYCHECKS_H
