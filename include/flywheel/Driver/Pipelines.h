//===- Pipelines.h - Parts of stages ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the stages themselves, see Compiler.h.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_PIPELINES_H
#define FLYWHEEL_DRIVER_PIPELINES_H

#include "flywheel/Driver/CompilerOptions.h"
#include "flywheel/Driver/DriverPasses.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <memory>

namespace flywheel {

/// Creates upstream's canonicalizer, without simplification of regions: control
/// flow is structured here, patterns erase unused ops, and searching every
/// region for blocks to merge and to erase takes half of the time.
std::unique_ptr<mlir::Pass> createCanonicalizer();

/// Adds the passes of the stage `flywheel-fuse` that choose which ops there
/// are, without those that tile them.
void populateFusion(mlir::OpPassManager &pm, const CompilerOptions &options);

/// Returns the options that the passes of a plan have in common. Results do not
/// overwrite operands.
FitWorkspaceOptions makePlanOptions(const CompilerOptions &options);

/// Chooses the worker of each op, and the positions of buffers.
void populateWorkspacePlan(mlir::OpPassManager &pm,
                           const FitWorkspaceOptions &plan);

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_PIPELINES_H
