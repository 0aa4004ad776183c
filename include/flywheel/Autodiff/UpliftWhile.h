//===- UpliftWhile.h - Counted loops of while loops -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An `scf.while` whose condition limits the number of its iterations is an
// `scf.for`, which has a derivative: room for what its iterations start with
// can be set aside.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_AUTODIFF_UPLIFTWHILE_H
#define FLYWHEEL_AUTODIFF_UPLIFTWHILE_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace flywheel {

/// Replaces `loop` by an `scf.for` that computes the same, whatever the number
/// of its iterations. Its condition is a comparison of a counter with a bound
/// that stays the same, or the `arith.andi` of one with anything else; a
/// counter is an integer or index that each iteration changes by a constant.
/// The loop runs up to the bound; an iteration after the condition was false
/// passes on what it gets. Fails, and changes nothing, where there is no
/// counter.
llvm::LogicalResult upliftWhileToFor(mlir::OpBuilder &builder,
                                     mlir::scf::WhileOp loop);

} // namespace flywheel

#endif // FLYWHEEL_AUTODIFF_UPLIFTWHILE_H
