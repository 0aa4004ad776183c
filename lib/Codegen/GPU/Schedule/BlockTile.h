//===- BlockTile.h - Tiles of a contraction on a GPU ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_SCHEDULE_BLOCKTILE_H
#define FLYWHEEL_LIB_CODEGEN_GPU_SCHEDULE_BLOCKTILE_H

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace flywheel {

/// Returns true if `op` is a contraction that reads each input several times.
bool isKernel(mlir::linalg::LinalgOp op);

/// The roles of the loops of a contraction C += A * B. Loops of one role are
/// numbered together, the last one the fastest: that along which A (rows,
/// terms) or B (columns) is contiguous.
struct ContractionLoops {
  explicit ContractionLoops(mlir::linalg::LinalgOp op);

  /// `batch` is in A, B and C, `rows` in A and C, `columns` in B and C.
  llvm::SmallVector<unsigned> batch, rows, columns, terms;
};

/// The tile that a block computes at a time, in the memory that it has.
struct BlockTile {
  BlockTile(mlir::linalg::LinalgOp op, const ContractionLoops &loops,
            codegen::BlockAttr schedule, int64_t roomBytes);

  bool usesTensorCores;
  int64_t rows, columns, depth, stages;
};

/// Return the schedule of `op`, a contraction: the one it has, or else one that
/// is chosen for a GPU; `gpu` may be null.
codegen::BlockAttr getBlockSchedule(mlir::linalg::LinalgOp op);
codegen::BlockAttr chooseBlockSchedule(mlir::linalg::LinalgOp op,
                                       codegen::GPUAttr gpu);

/// Returns the elements between neighbours along the slow dimension of a tile
/// of A or B in workgroup memory, whose fast one has `inner` of `elementBytes`:
/// such that the threads of a warp access different banks.
int64_t getTilePitch(int64_t inner, int64_t elementBytes, bool isAlongTerms,
                     bool usesTensorCores);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_SCHEDULE_BLOCKTILE_H
