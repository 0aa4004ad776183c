//===- UpliftWhile.h - Counted loops of while loops -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An `scf.while` whose condition limits the number of its iterations is an
// `scf.for`, which has a derivative: memory for the initial values of its
// iterations can be allocated before the loop.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_AUTODIFF_UPLIFTWHILE_H
#define FLYWHEEL_AUTODIFF_UPLIFTWHILE_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace flywheel {

/// Replaces `loop` by an `scf.for` that computes the same for any number of
/// iterations. Its condition is a comparison of a counter with an invariant
/// bound, or the `arith.andi` of one with another value; a counter is an
/// integer or index that each iteration changes by a constant. The loop runs up
/// to the bound; an iteration after the condition was false forwards its
/// arguments. Fails, and changes nothing, if there is no counter.
llvm::LogicalResult upliftWhileToFor(mlir::OpBuilder &builder,
                                     mlir::scf::WhileOp loop);

} // namespace flywheel

#endif // FLYWHEEL_AUTODIFF_UPLIFTWHILE_H
