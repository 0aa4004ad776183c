//===- Captures.h - What regions use from outside ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_CAPTURES_H
#define FLYWHEEL_INTERFACES_CAPTURES_H

#include "mlir/IR/Region.h"
#include "llvm/ADT/SetVector.h"

namespace flywheel {

/// Returns the values from outside of `regions` that ops in these, at any
/// depth, use, in the order of their first uses. Unlike upstream's
/// `getUsedValuesDefinedAbove`, it looks at nothing around the regions: a front
/// end asks while the region that it builds is in no op yet.
llvm::SetVector<mlir::Value>
findCaptures(llvm::MutableArrayRef<mlir::Region> regions);

} // namespace flywheel

#endif // FLYWHEEL_INTERFACES_CAPTURES_H
