//===- LinalgEmitter.h - Emits the linalg form of one op --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_LINALGEXT_LINALGEMITTER_H
#define FLYWHEEL_DIALECT_LINALGEXT_LINALGEMITTER_H

#include "flywheel/Dialect/LinalgExt/Checks.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace flywheel {

/// One dimension size of a tensor: a number, or an SSA value, or a dimension of
/// a tensor that nothing is known about. Equal dimension sizes name equal
/// run-time numbers.
struct DimSize {
  static DimSize constant(int64_t number) { return {number, {}, 0}; }
  bool isStatic() const { return !value; }
  /// Returns this size or `other`, of which it has been checked that they are
  /// equal: the more static one.
  DimSize merge(DimSize other) const {
    return other.isStatic() ? other : *this;
  }
  bool operator==(const DimSize &other) const {
    return number == other.number && value == other.value &&
           isDimension == other.isDimension;
  }

  /// The dimension size, or the dimension of the tensor `value`.
  int64_t number = 0;
  /// An index, or with `isDimension` a tensor; null for a static size.
  mlir::Value value;
  bool isDimension = false;
};

/// Emits the body of a structured op for one point and returns the values to
/// store.
using PointFn = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// Emits the replacement of one op, before it and at its location. The sizes
/// have been checked (`flywheel-check-sizes`), and each stays that of its own
/// tensor: one that a feed brings is a feed's also where it must be 3.
class LinalgEmitter {
public:
  LinalgEmitter(mlir::RewriterBase &rewriter, mlir::Operation *op)
      : b(rewriter), op(op), loc(op->getLoc()) {
    b.setInsertionPoint(op);
  }

  /// The type that sums, products and exponentials of `type` are computed in:
  /// f32 for the 16-bit floats, `type` itself otherwise.
  mlir::Type getComputeType(mlir::Type type);

  /// Returns dimension size `dim` of `tensor`, traced through the ops that
  /// produced the tensor.
  DimSize getDimSize(mlir::Value tensor, int64_t dim);
  llvm::SmallVector<DimSize> getDimSizes(mlir::Value tensor);
  mlir::OpFoldResult materialize(DimSize dimSize);

  /// Emits a check by which the step returns an error if `ok` (i1), which
  /// depends on elements, is false; the text is followed by the op's name and
  /// place, and by `found`. `numbers` are those that both name. In a branch or
  /// a loop it may be delayed: the op is safe if `ok` is false.
  void expect(mlir::Value ok, const llvm::Twine &expected,
              const llvm::Twine &found = "",
              const linalg_ext::NamedNumbers &numbers = {});

  /// Emits a check by which the step returns an error if an element of
  /// `indices`, which the message names `what` and `which`, is outside of
  /// [0, dimension size).
  void expectInRange(mlir::Value indices, DimSize dimSize, llvm::StringRef what,
                     const llvm::Twine &which = "");

  /// A scalar constant of a floating-point or integer type.
  mlir::Value scalar(mlir::Type type, double value);
  mlir::Value scalar(mlir::TypedAttr value);

  /// The product of `dimSizes` as a number of the floating-point type `type`.
  mlir::Value countOf(llvm::ArrayRef<DimSize> dimSizes, mlir::Type type);

  /// Casts `tensor` to a type whose dimension sizes are static if they are
  /// known: those that can be traced, or `dimSizes`, which it has been checked
  /// for.
  mlir::Value refine(mlir::Value tensor) {
    return refine(tensor, getDimSizes(tensor));
  }
  mlir::Value refine(mlir::Value tensor, llvm::ArrayRef<DimSize> dimSizes);

  /// `tensor` expanded by `groups` to `type`, whose dimension sizes are
  /// `dimSizes`.
  mlir::Value expand(mlir::Value tensor, mlir::RankedTensorType type,
                     llvm::ArrayRef<mlir::ReassociationIndices> groups,
                     llvm::ArrayRef<DimSize> dimSizes);

  mlir::Value empty(llvm::ArrayRef<DimSize> dimSizes, mlir::Type type);
  mlir::Value fill(llvm::ArrayRef<DimSize> dimSizes, mlir::Value scalar);

  /// The order of the list `indices`, of which those outside of [0, `limit`)
  /// come last (`linalg_ext.argsort`).
  mlir::Value argsort(mlir::Value indices, DimSize limit);

  /// A `linalg.generic` with one result. `maps` has one map an input, then that
  /// of `init`; dimensions that the latter lacks are reductions.
  mlir::Value generic(mlir::ValueRange inputs, mlir::Value init,
                      llvm::ArrayRef<mlir::AffineMap> maps, PointFn body);

  /// A tensor of `dimSizes` and `type`, point by point; `maps` has one an
  /// input.
  mlir::Value map(llvm::ArrayRef<DimSize> dimSizes, mlir::Type type,
                  mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                  PointFn body);

  /// The map of `rank` dimensions to those in `dims`, in order.
  mlir::AffineMap select(int64_t rank, llvm::ArrayRef<int64_t> dims);
  mlir::AffineMap identity(int64_t rank);

  /// `value` in the compute type of its elements.
  mlir::Value widenTensor(mlir::Value value);
  /// Rounds `value`, of floats, to `type` element by element; returns `value`
  /// itself if it has that type.
  mlir::Value narrowTensor(mlir::Value value, mlir::Type type);

  /// Replaces the op by `value`, whose type may be more or less static than
  /// the declared one.
  void replaceWith(mlir::Value value);

  mlir::RewriterBase &b;
  mlir::Operation *op;
  mlir::Location loc;
};

/// Widens a float to `type`; returns `value` itself if it has that type.
mlir::Value widen(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                  mlir::Type type);
/// Rounds a float to `type`, to nearest even; returns `value` itself if it has
/// that type.
mlir::Value narrow(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                   mlir::Type type);

/// A signless integer as an index; a truth value is 0 or 1.
mlir::Value toIndex(mlir::OpBuilder &b, mlir::Location loc,
                    mlir::Value integer);

/// The number that every element of `value` has, if that is known here.
mlir::TypedAttr getSplat(mlir::Value value);

} // namespace flywheel

#endif // FLYWHEEL_DIALECT_LINALGEXT_LINALGEMITTER_H
