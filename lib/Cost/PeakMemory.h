//===- PeakMemory.h - The most memory that tensors take ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_COST_PEAKMEMORY_H
#define FLYWHEEL_LIB_COST_PEAKMEMORY_H

#include "EntrySizes.h"

namespace flywheel {

struct PeakMemory {
  CostExpr bytes;
  /// The largest tensors that are there then, the largest first.
  std::vector<std::pair<mlir::Value, CostExpr>> largest;
};

/// Returns the peak memory of the tensors of a function, if each one is live
/// from the op that defines it to its last use. Variables, feeds and constants
/// are not counted; a view counts as its source, and a result with a
/// destination as that destination. Dynamic sizes are compared as 1024.
PeakMemory findPeakMemory(mlir::func::FuncOp function, EntrySizes &sizes);

} // namespace flywheel

#endif // FLYWHEEL_LIB_COST_PEAKMEMORY_H
