//===- KernelTable.h - The kernels that a step measures ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_PROFILE_KERNELTABLE_H
#define FLYWHEEL_LIB_PROFILE_KERNELTABLE_H

#include "flywheel/Model/Manifest.h"

#include "mlir/IR/BuiltinOps.h"

namespace flywheel {

/// The kernels of a model that is profiled, and where their counters are in the
/// block of state. The manifest says it to those that read them.
class KernelTable {
public:
  /// Reads the manifest of `module`, for a profile of up to `events` calls for
  /// each worker, behind the current end of the block. Emits an error and fails
  /// if `module` has a profile, or if `events` is negative.
  static llvm::FailureOr<KernelTable> begin(mlir::ModuleOp module,
                                            int64_t events);

  /// Adds a kernel of `entry`, which is one of the manifest, and returns its
  /// number. Its name becomes ENTRY.NAME.INDEX.
  int64_t add(ManifestEntry &entry, ManifestKernel kernel);

  /// Adds the profile to the block, and attaches the manifest to `module`.
  /// Emits an error and fails if the block would be too large.
  llvm::LogicalResult attachTo(mlir::ModuleOp module);

  Manifest manifest;
  ManifestProfile profile;
};

/// Returns the name of a kernel that computes `op`, the name of an op of the
/// source, at `location`: without its dialect, and with `_grad` for its
/// derivative.
std::string nameKernel(llvm::StringRef op, mlir::Location location);

} // namespace flywheel

#endif // FLYWHEEL_LIB_PROFILE_KERNELTABLE_H
