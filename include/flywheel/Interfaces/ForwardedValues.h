//===- ForwardedValues.h - What branches and loops pass on ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_FORWARDEDVALUES_H
#define FLYWHEEL_INTERFACES_FORWARDEDVALUES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace flywheel {

/// The values of which `value` is one: `value` is a result of an op with
/// `RegionBranchOpInterface`, or an argument of one of its regions, and these
/// are forwarded to it. Those that come from in front of the op are first, then
/// those of its regions, in their order: of an iter_arg of a loop, the init and
/// then what an iteration yields. Empty where nothing is forwarded: an
/// induction variable, the results of other ops, the arguments of other blocks.
llvm::SmallVector<mlir::Value> getForwardedValues(mlir::Value value);

} // namespace flywheel

#endif // FLYWHEEL_INTERFACES_FORWARDEDVALUES_H
