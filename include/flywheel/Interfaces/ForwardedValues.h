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

/// Returns the values that are forwarded to `value`, a result of an op with
/// `RegionBranchOpInterface` or an argument of one of its regions. Values from
/// outside of the op come first, then those of its regions, in their order: for
/// an iter_arg of a loop, the init and then the yielded value. Empty if no
/// value is forwarded: an induction variable, the results of other ops, the
/// arguments of other blocks.
llvm::SmallVector<mlir::Value> getForwardedValues(mlir::Value value);

} // namespace flywheel

#endif // FLYWHEEL_INTERFACES_FORWARDEDVALUES_H
