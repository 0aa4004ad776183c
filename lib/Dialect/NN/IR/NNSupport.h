//===- NNSupport.h - Shared by the ops of the nn dialect --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule is written for `dy`, the cotangent of the op's only result. A
// cotangent is declared with the type of its operand, whose dimension sizes may
// be more or less static than those of the values that the rule computes it
// from.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_NN_IR_NNSUPPORT_H
#define FLYWHEEL_LIB_DIALECT_NN_IR_NNSUPPORT_H

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/NN/ElementwiseExpr.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Verifiers.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"

namespace flywheel::nn {

// Beside those of ElementwiseExpr.h.
using flywheel::narrow;
using flywheel::OpErrors;
using flywheel::tensorOf;
using flywheel::verifyDims;
using flywheel::verifyElementTypes;
using flywheel::verifyMinRank;
using flywheel::verifyRank;
using flywheel::widen;

inline mlir::FloatType floatOf(mlir::Value value) {
  return llvm::cast<mlir::FloatType>(mlir::getElementTypeOrSelf(value));
}

/// Checks that two shapes can be equal, dimension size by dimension size: a
/// dynamic one fits any. `what` names the dimension sizes of both.
llvm::LogicalResult verifySameDimSizes(OpErrors op, llvm::StringRef what,
                                       llvm::ArrayRef<int64_t> a,
                                       llvm::ArrayRef<int64_t> b);

/// Checks the declared type of `result` against the inferred shape.
llvm::LogicalResult verifyResultShape(OpErrors op, mlir::Value result,
                                      llvm::ArrayRef<int64_t> shape);

/// Infers the type of elementwise arithmetic on operands that broadcast.
llvm::LogicalResult inferBroadcast(mlir::Value lhs, mlir::Value rhs,
                                   OpErrors errors,
                                   llvm::SmallVectorImpl<mlir::Type> &types);

/// Checks that `axis` is a dimension of `value`.
llvm::LogicalResult verifyAxis(OpErrors op, int64_t axis, mlir::Value value);

/// Checks that the elements of `value` can be added.
llvm::LogicalResult verifyNumeric(OpErrors op, mlir::Value value);

//===----------------------------------------------------------------------===//
// Parts of decompositions and rules
//===----------------------------------------------------------------------===//

/// Builds `nn.reduce` without `keepdims`; returns `input` itself if `axes` is
/// empty.
mlir::Value buildReduce(mlir::OpBuilder &b, mlir::Location loc,
                        ReductionKind kind, mlir::Value input,
                        llvm::ArrayRef<int64_t> axes);

/// Casts two tensors of compatible shapes to one type. A dimension size of that
/// type is static if it is static in both types.
std::pair<mlir::Value, mlir::Value> castToCommonType(mlir::OpBuilder &b,
                                                     mlir::Location loc,
                                                     mlir::Value lhs,
                                                     mlir::Value rhs);

/// Return the smallest and the largest value of a float or integer type, as
/// `argmax` and `argmin` order them.
mlir::TypedAttr getLowestNumber(mlir::OpBuilder &b, mlir::Type type);
mlir::TypedAttr getHighestNumber(mlir::OpBuilder &b, mlir::Type type);

/// Returns `dims` behind one new dimension, that of the positions of a batch.
llvm::SmallVector<int64_t> shifted(llvm::ArrayRef<int64_t> dims);

/// Checks a pair of numbers of at least 1, for height and width. Neither may be
/// so large that computations from it overflow.
llvm::LogicalResult verifyPair(OpErrors op, llvm::StringRef what,
                               llvm::ArrayRef<int64_t> pair);

/// Returns the window of an op with attributes that have been checked.
Window makeWindow(llvm::ArrayRef<int64_t> sizes,
                  llvm::ArrayRef<int64_t> strides, PaddingAttr padding,
                  llvm::ArrayRef<int64_t> dilations);

/// Checks that numbers of windows over `image`, of rank 4, do not overflow.
llvm::LogicalResult verifyImageSize(OpErrors op, mlir::Value image);

/// Infers the shape of an output with `channels` that has an element for each
/// window over `image`, of rank 4. Fails with an error if `image` has no
/// window.
mlir::FailureOr<llvm::SmallVector<int64_t>> inferSliding(OpErrors op,
                                                         const Window &window,
                                                         mlir::Value image,
                                                         int64_t channels);

/// Reports what windows require of batch, height and width of tensors of rank
/// 4: `output` has an element for each window over `image`, at least one.
void relateWindows(const Window &window, mlir::Value image, mlir::Value output,
                   SizeRelationSink &sizes);

/// Returns the number of windows over dimension `dim` of `image`, height or
/// width.
DimSizeFormula getWindowCount(const Window &window, mlir::Value image,
                              int64_t dim);

/// Checks the declared type of an image that is a result: `like`, which may be
/// null, must have the height and width if these are dynamic.
llvm::LogicalResult verifyLike(OpErrors op, mlir::Value result,
                               mlir::Value like);

/// Parses the custom assembly `strides [2, 2] padding same dilations [1, 1]`,
/// in any order. Omitted numbers are 1; omitted padding is `valid`.
mlir::ParseResult parseSliding(mlir::OpAsmParser &parser,
                               mlir::DenseI64ArrayAttr &strides,
                               PaddingAttr &padding,
                               mlir::DenseI64ArrayAttr &dilations);
void printSliding(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                  mlir::DenseI64ArrayAttr strides, PaddingAttr padding,
                  mlir::DenseI64ArrayAttr dilations);

/// Parses `window [3, 3] strides [2, 2] padding same`, in any order; the
/// default strides are those of the window.
mlir::ParseResult parsePoolWindow(mlir::OpAsmParser &parser,
                                  mlir::DenseI64ArrayAttr &window,
                                  mlir::DenseI64ArrayAttr &strides,
                                  PaddingAttr &padding);
void printPoolWindow(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                     mlir::DenseI64ArrayAttr window,
                     mlir::DenseI64ArrayAttr strides, PaddingAttr padding);

} // namespace flywheel::nn

#endif // FLYWHEEL_LIB_DIALECT_NN_IR_NNSUPPORT_H
