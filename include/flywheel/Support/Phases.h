//===- Phases.h - The parts of a train step ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an op is for is in its location, as is the op that the user wrote: both
// outlive every lowering. Derivatives are marked where they are made.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SUPPORT_PHASES_H
#define FLYWHEEL_SUPPORT_PHASES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

namespace flywheel {

/// The name of the location of what computes a derivative.
constexpr llvm::StringLiteral kBackwardMark = "flywheel.backward";

/// Whether `location` is that of an op that computes a derivative. Of several
/// locations the first counts.
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

/// Whether `location` is that of a loop of the program.
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
