//===- BlockNumbers.h - How much work keeps a GPU busy -------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_SCHEDULE_BLOCKNUMBERS_H
#define FLYWHEEL_LIB_CODEGEN_GPU_SCHEDULE_BLOCKNUMBERS_H

#include "mlir/IR/Operation.h"

namespace flywheel {

/// The numbers of blocks that the GPU of the module executes well.
struct BlockNumbers {
  explicit BlockNumbers(mlir::Operation *op);

  /// Blocks that keep every multiprocessor busy: two for each.
  int64_t many;
  /// Blocks that are enough if more blocks would have another cost: a power of
  /// two.
  int64_t enough;
};

/// Returns the bytes of a result that stay in the cache of the GPU of the
/// module until the launches that read it are done.
int64_t getCachedBytes(mlir::Operation *op);

/// The least rows of a block of a batch of matrix products.
inline constexpr int64_t kLeastRows = 16;

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_SCHEDULE_BLOCKNUMBERS_H
