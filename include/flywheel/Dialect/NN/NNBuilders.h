//===- NNBuilders.h - Building blocks of derivative rules -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Short ways to emit the few shapes of IR that derivative rules are made of.
// Every function works with dynamic dimension sizes and emits only ops that
// have rules themselves.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNBUILDERS_H
#define FLYWHEEL_DIALECT_NN_NNBUILDERS_H

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace flywheel::nn {

/// A value of the type and shape of `like` whose every element is `value`.
/// `like` is a floating-point number or an integer, or a ranked tensor or fixed
/// vector of them; of a dynamic tensor nothing but the shape is used.
mlir::Value buildSplat(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value like, double value);

/// Returns true if `value` is a tensor of floating-point numbers that are known
/// to be zero: it is a constant, or repeats one.
bool isZeros(mlir::Value value);

/// `input` as a value of `type`, which says more or less about its dimension
/// sizes.
mlir::Value buildCast(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value input, mlir::Type type);

/// op(a) * op(b) as a value of `type`; see `nn.matmul`.
mlir::Value buildMatmul(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Type type, mlir::Value a, bool transposeA,
                        mlir::Value b, bool transposeB);

/// Builds a^T a, or a a^T if `transposeB`, for a Cholesky factor, as a value of
/// `type`: computes only the lower triangle; other elements are zeros.
mlir::Value buildGram(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Type type, mlir::Value a, bool transposeB);

/// Returns `input`, [..., n] of at least rank 2, as a matrix whose rows are all
/// dimensions but the last. Returns a matrix as it is.
mlir::Value buildRows(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value input);

/// `rows`, [m, n], with the dimensions of `like`, [..., k], for its rows.
mlir::Value buildFromRows(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value rows, mlir::Value like);

/// Builds the sum of `input` over `axes` (strictly increasing), which are
/// removed from the shape. `type` may be more static than the input implies.
/// Returns the input itself if `axes` is empty and the types agree.
mlir::Value buildSum(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value input, llvm::ArrayRef<int64_t> axes,
                     mlir::Type type = {});

/// `input` repeated to the shape of `like`; dimension i of the input becomes
/// dimension `dims[i]`. See `nn.broadcast`.
mlir::Value buildBroadcast(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value input, llvm::ArrayRef<int64_t> dims,
                           mlir::Value like);

/// `reduced`, the shape of `like` without the dimensions `axes` (with dimension
/// size 1 there if `keepdims`), repeated over them to the shape of `like`.
mlir::Value buildUnreduce(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value reduced, llvm::ArrayRef<int64_t> axes,
                          bool keepdims, mlir::Value like);

/// The number of elements of `input` along `axes`, as a rank-0 tensor of the
/// floating-point type `elementType`.
mlir::Value buildCount(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value input, llvm::ArrayRef<int64_t> axes,
                       mlir::FloatType elementType);

/// Offsets, sizes and strides of one slice of `whole`, of at least rank 1,
/// along its first dimension, which it keeps.
struct SlicePlace {
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes, strides;

  SlicePlace(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value whole,
             mlir::Value position);
};

/// Builds a slice of \p source, of \p type, by default that of \p sizes. A
/// slice without elements is a `tensor.empty`: `tensor.extract_slice` has no
/// valid offset in a dimension of size 0.
mlir::Value buildExtractSlice(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::RankedTensorType type, mlir::Value source,
                              llvm::ArrayRef<mlir::OpFoldResult> offsets,
                              llvm::ArrayRef<mlir::OpFoldResult> sizes,
                              llvm::ArrayRef<mlir::OpFoldResult> strides);

mlir::Value buildExtractSlice(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value source,
                              llvm::ArrayRef<mlir::OpFoldResult> offsets,
                              llvm::ArrayRef<mlir::OpFoldResult> sizes,
                              llvm::ArrayRef<mlir::OpFoldResult> strides);

/// Builds \p dest with a slice replaced by \p source; returns \p dest if the
/// slice has no elements.
mlir::Value buildInsertSlice(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value source, mlir::Value dest,
                             llvm::ArrayRef<mlir::OpFoldResult> offsets,
                             llvm::ArrayRef<mlir::OpFoldResult> sizes,
                             llvm::ArrayRef<mlir::OpFoldResult> strides);

/// 0, 1, ..., rank - 1: the `dims` of a broadcast that adds no dimension.
llvm::SmallVector<int64_t> identityDims(int64_t rank);

/// Returns the groups of a reshape that drops dimensions of size 1, those that
/// are not kept. The group of a kept dimension includes the dropped ones after
/// it; the first group also includes those before it. Empty if no dimension is
/// kept.
llvm::SmallVector<mlir::ReassociationIndices>
unitDimGroups(llvm::ArrayRef<bool> isKept);

/// The dimensions of [0, rank) that are not in `axes`.
llvm::SmallVector<int64_t> otherDims(llvm::ArrayRef<int64_t> axes,
                                     int64_t rank);

} // namespace flywheel::nn

#endif // FLYWHEEL_DIALECT_NN_NNBUILDERS_H
