//===- Effects.h - What ops do besides computing ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_EFFECTS_H
#define FLYWHEEL_INTERFACES_EFFECTS_H

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace flywheel {

/// Returns true if `op` and the ops in it have no effect but the allocation of
/// results, as `train.parameter` has. Such an op may be computed any number of
/// times, though two of them are not one.
inline bool isRecomputable(mlir::Operation *op) {
  std::optional<llvm::SmallVector<mlir::MemoryEffects::EffectInstance>>
      effects = mlir::getEffectsRecursively(op);
  return effects && llvm::all_of(*effects, [](const auto &effect) {
           return llvm::isa<mlir::MemoryEffects::Allocate>(effect.getEffect());
         });
}

} // namespace flywheel

#endif // FLYWHEEL_INTERFACES_EFFECTS_H
