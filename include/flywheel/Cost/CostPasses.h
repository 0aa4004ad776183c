//===- CostPasses.h - Passes that count ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_COST_COSTPASSES_H
#define FLYWHEEL_COST_COSTPASSES_H

#include "flywheel/Cost/CostAnalysis.h"
#include "flywheel/Support/PassCount.h"

#include "mlir/IR/BuiltinOps.h"

namespace flywheel {
#define GEN_PASS_DECL
#include "flywheel/Cost/CostPasses.h.inc"

/// Creates the pass with a report to fill in, which it then does not print.
std::unique_ptr<mlir::Pass> createCountCost(const CostOptions &options,
                                            std::string title,
                                            CostReport &report);

#define GEN_PASS_REGISTRATION
#include "flywheel/Cost/CostPasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_COST_COSTPASSES_H
