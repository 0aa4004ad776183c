//===- Phases.h - The parts of a train step ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Marks of the purpose of an op, in its location, which also has the op that
// the user wrote: both outlive every lowering. Derivatives are marked when they
// are built.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SUPPORT_PHASES_H
#define FLYWHEEL_SUPPORT_PHASES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

namespace flywheel {

/// The name of the location of ops that compute a derivative.
constexpr llvm::StringLiteral kBackwardMark = "flywheel.backward";

/// Returns true if `location` is that of an op that computes a derivative. The
/// first of several locations counts.
inline bool isMarkedBackward(mlir::Location location) {
  if (auto named = llvm::dyn_cast<mlir::NameLoc>(location))
    return named.getName() == kBackwardMark ||
           isMarkedBackward(named.getChildLoc());
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location))
    return isMarkedBackward(call.getCallee());
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location))
    return !fused.getLocations().empty() &&
           isMarkedBackward(fused.getLocations().front());
  return false;
}

/// `location` with the mark of a derivative, once.
inline mlir::Location markBackward(mlir::Location location) {
  if (llvm::isa<mlir::UnknownLoc>(location) || isMarkedBackward(location))
    return location;
  return mlir::NameLoc::get(
      mlir::StringAttr::get(location.getContext(), kBackwardMark), location);
}

/// The name of the location of a loop of the program: others are over tiles.
constexpr llvm::StringLiteral kLoopMark = "flywheel.loop";

/// Returns true if `location` is that of a loop of the program.
inline bool isMarkedLoop(mlir::Location location) {
  return location
      ->walk([](mlir::Location part) {
        auto named = llvm::dyn_cast<mlir::NameLoc>(part);
        return named && named.getName() == kLoopMark
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// `location` with the mark of a loop of the program.
inline mlir::Location markLoop(mlir::Location location) {
  return mlir::NameLoc::get(
      mlir::StringAttr::get(location.getContext(), kLoopMark), location);
}

} // namespace flywheel

#endif // FLYWHEEL_SUPPORT_PHASES_H
