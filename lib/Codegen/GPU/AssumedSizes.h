//===- AssumedSizes.h - What sizes of the call count as ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_ASSUMEDSIZES_H
#define FLYWHEEL_LIB_CODEGEN_GPU_ASSUMEDSIZES_H

#include "flywheel/Model/Manifest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace flywheel {

/// What a size counts as where nothing says otherwise: it is a batch, most of
/// the time, and enough for a block to have rows. Reports are of this size.
inline constexpr int64_t kAssumedSize = 64;
/// What a number of positions of attention counts as: scores of many are what
/// must not be kept, and computing those of few again costs little.
inline constexpr int64_t kAssumedLength = 4096;
/// What a number of terms of a sum counts as: as many as a sum that is divided
/// has at least.
inline constexpr int64_t kAssumedTerms = 1024;

/// What the sizes that a call of `function` chooses count as while it is there,
/// in all that is measured of its launches: each symbolic dimension size as its
/// bound, others as the largest of these.
class AssumedSizes {
public:
  AssumedSizes(mlir::func::FuncOp function, const DimSizeBounds &bounds);
  ~AssumedSizes();
  AssumedSizes(const AssumedSizes &) = delete;
  AssumedSizes &operator=(const AssumedSizes &) = delete;

  /// " where every dimension size is 64", as `describeDimSizes`.
  std::string describe() const { return text; }

private:
  mlir::func::FuncOp function;
  std::string text;
};

/// Dimension `dim` of `buffer`, where sizes that the call chooses are assumed:
/// as 64 where nothing says otherwise.
int64_t assumeSize(mlir::Value buffer, int64_t dim);

/// The same of a number that is a size; nothing where it does not follow from
/// dimensions of buffers.
std::optional<int64_t> assumeNumber(mlir::OpFoldResult number);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_ASSUMEDSIZES_H
