//===- HostBackend.h - Steps that the host executes -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_HOSTBACKEND_H
#define FLYWHEEL_DRIVER_HOSTBACKEND_H

#include "flywheel/Driver/Backend.h"

namespace flywheel {

/// A back end for CPUs: it has a target, and plans a step for threads
/// that share it.
class HostBackend : public Backend {
public:
  using Backend::Backend;

  /// Returns the features of code of the host that is not fused.
  static BackendFeatures getHostFeatures();

  bool takesDevice(llvm::StringRef device) const override;
  /// Returns a `#codegen.cpu`.
  mlir::Attribute makeTarget(mlir::ModuleOp module,
                             const TargetOptions &options) const override;
  /// Recomputes values if that is needed for the memory budget, shares the step
  /// between threads, and plans the workspace. Results may overwrite operands
  /// if the back end fuses ops.
  void populatePlan(mlir::OpPassManager &pm,
                    const CompilerOptions &options) const override;
};

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_HOSTBACKEND_H
