//===- AssumedSizes.h - What sizes of the call count as ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_REPORT_ASSUMEDSIZES_H
#define FLYWHEEL_LIB_CODEGEN_GPU_REPORT_ASSUMEDSIZES_H

#include "flywheel/Model/Manifest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace flywheel {

/// The assumed size of a dimension if nothing else is known: most of the time
/// it is a batch, and it is enough for a block to have rows. Reports assume
/// this size.
inline constexpr int64_t kAssumedSize = 64;
/// The assumed number of positions of attention: scores of many positions must
/// not be kept, and it costs little to compute those of few again.
inline constexpr int64_t kAssumedLength = 4096;
/// The assumed number of terms of a sum: the least with which a sum is divided.
inline constexpr int64_t kAssumedTerms = 1024;

/// While it exists, sets the assumed sizes of dimensions that a call of
/// `function` chooses, for all measurements of its launches: each symbolic
/// dimension size is assumed to be its bound, others the largest of these
/// bounds.
class AssumedSizes {
public:
  AssumedSizes(mlir::func::FuncOp function, const DimSizeBounds &bounds);
  ~AssumedSizes();
  AssumedSizes(const AssumedSizes &) = delete;
  AssumedSizes &operator=(const AssumedSizes &) = delete;

  /// Returns " where every dimension size is 64", like `describeDimSizes`.
  std::string describe() const { return text; }

private:
  mlir::func::FuncOp function;
  std::string text;
};

/// Returns the size of dimension `dim` of `buffer`. A size that the call
/// chooses is an assumed one: 64 if nothing else is known.
int64_t assumeSize(mlir::Value buffer, int64_t dim);

/// Returns the assumed value of a number that is a size; none if it does not
/// depend on dimensions of buffers alone.
std::optional<int64_t> assumeNumber(mlir::OpFoldResult number);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_REPORT_ASSUMEDSIZES_H
