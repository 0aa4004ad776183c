//===- ValueBounds.h - Bounds of dimension sizes and indices ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's analysis of bounds (`ValueBoundsConstraintSet`) asks each op for
// what it knows of its results. Some of upstream's answers crash, and one is
// wrong. These take their place, for every caller.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_VALUEBOUNDS_H
#define FLYWHEEL_INTERFACES_VALUEBOUNDS_H

#include "mlir/IR/DialectRegistry.h"

namespace flywheel {

/// Registers what ops of `arith`, `memref`, `scf` and `tensor` know of their
/// results. An op keeps the first answer that it is given: call it before
/// upstream's are registered.
void registerValueBounds(mlir::DialectRegistry &registry);

} // namespace flywheel

#endif // FLYWHEEL_INTERFACES_VALUEBOUNDS_H
