//===- BlockNumbers.h - How much work keeps a GPU busy -------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_SCHEDULE_BLOCKNUMBERS_H
#define FLYWHEEL_LIB_CODEGEN_GPU_SCHEDULE_BLOCKNUMBERS_H

#include "mlir/IR/Operation.h"

namespace flywheel {

/// The numbers of blocks that the GPU of the module around `op` executes well.
struct BlockNumbers {
  explicit BlockNumbers(mlir::Operation *op);

  /// Blocks that keep every multiprocessor busy: two for each.
  int64_t many;
  /// Blocks that are enough if more blocks would have another cost: a power of
  /// two.
  int64_t enough;
};

/// The bytes of workgroup memory that a block has on the GPU of the module
/// around `op`, and what they are for.
struct WorkgroupBytes {
  explicit WorkgroupBytes(mlir::Operation *op);

  int64_t all;
  /// Buffers that only a group uses. The rest is for tiles of contractions and
  /// for trees.
  int64_t buffers;
  /// Rows from which on they are tiled: two of them are all that a group may
  /// have.
  int64_t longRow;
  /// Tiles of the columns of such rows.
  int64_t columns;
};

/// Returns the bytes of a result that stay in the cache of the GPU of the
/// module until the launches that read it are done.
int64_t getCachedBytes(mlir::Operation *op);

/// The least rows of a block of a batch of matrix products.
inline constexpr int64_t kLeastRows = 16;

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_SCHEDULE_BLOCKNUMBERS_H
