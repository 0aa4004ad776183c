//===- ValueBounds.h - Bounds of dimension sizes and indices ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's analysis of bounds (`ValueBoundsConstraintSet`) asks a model of
// each op for bounds of its results. Some of upstream's models crash, and one
// is wrong. These models replace them for every caller.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_VALUEBOUNDS_H
#define FLYWHEEL_INTERFACES_VALUEBOUNDS_H

#include "mlir/IR/DialectRegistry.h"

namespace flywheel {

/// Registers models of the bounds of results of ops of `arith`, `memref`, `scf`
/// and `tensor`. An op keeps the first model that is registered: call this
/// before upstream's are registered.
void registerValueBounds(mlir::DialectRegistry &registry);

} // namespace flywheel

#endif // FLYWHEEL_INTERFACES_VALUEBOUNDS_H
