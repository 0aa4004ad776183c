//===- SizeAnalysis.h - What the sizes of tensors are made of ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_CHECKS_SIZEANALYSIS_H
#define FLYWHEEL_TRANSFORMS_CHECKS_SIZEANALYSIS_H

#include "flywheel/Support/SizeExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"

namespace flywheel {

inline bool isRanked(mlir::Value value) {
  return llvm::isa<mlir::RankedTensorType>(value.getType());
}

/// Sizes and the numbers that they are computed from, as polynomials over what
/// they come from: sizes of arguments, elements of tensors, quotients.
///
/// The size of a result is what its op makes it of one operand, whatever the op
/// requires of the others: that holds even where a requirement does not, so
/// that no check is decided by what it checks.
class SizeAnalysis {
public:
  /// Dimension `dim` of `tensor`, which is static where its type says so.
  SizeExpr getSize(mlir::Value tensor, int64_t dim);
  /// The same from what the op does, whatever the type of the result says; none
  /// where nothing but the type is known.
  std::optional<SizeExpr> getComputedSize(mlir::OpResult result, int64_t dim);
  /// An integer, index or `i1`.
  SizeExpr getNumber(mlir::Value value);
  SizeExpr getNumber(mlir::OpFoldResult number);
  /// The product of all dimensions of `tensor`.
  SizeExpr getNumElements(mlir::Value tensor);
  /// An `i1`.
  SizeExpr getNot(SizeExpr value);
  SizeExpr getCompare(mlir::arith::CmpIPredicate predicate, SizeExpr lhs,
                      SizeExpr rhs);
  /// Whether `loop` has no iteration, an `i1`; none where that is not told.
  std::optional<SizeExpr> getIsEmpty(mlir::scf::ForOp loop);

  /// The tensor and the dimension whose size atom `number` is, or the number
  /// that it is, with dimension -1; no value for what is computed.
  std::pair<mlir::Value, int64_t> getOrigin(unsigned number) const;

  /// Whether the number is never negative, as far as can be seen.
  bool isNonNegative(const SizeExpr &expr);
  /// Whether the number is computed from sizes of tensors by sums, products and
  /// quotients alone: from sizes that there are.
  bool isOfSizes(const SizeExpr &expr);
  /// Whether the number can be computed in front of `parent`.
  bool isAvailable(const SizeExpr &expr, mlir::Operation *parent);
  /// Computes the number in front of `parent` with `builder`, which is at
  /// `parent` or above it, as an index, or an `i1` that it stands for.
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc,
                          const SizeExpr &expr, mlir::Operation *parent);

private:
  enum class Kind { Size, Number, Compute, Not, Compare };
  /// What a polynomial does not look into. `value` is the tensor or number, or
  /// null; `number` is the dimension or predicate.
  struct Atom {
    Kind kind;
    mlir::Value value;
    int64_t number = 0;
    std::vector<SizeExpr> operands;
  };
  using Key = std::tuple<Kind, const void *, const void *, int64_t,
                         std::vector<SizeExpr>>;

  SizeExpr getAtom(const Key &key, Atom atom);
  SizeExpr getSizeAtom(mlir::Value tensor, int64_t dim);
  SizeExpr getNumberAtom(mlir::Value value);
  SizeExpr computeSize(mlir::Value tensor, int64_t dim);
  SizeExpr computeNumber(mlir::Value value);
  std::optional<SizeExpr> getControlFlowSize(mlir::OpResult result,
                                             int64_t dim);
  std::optional<SizeExpr> getTensorSize(mlir::OpResult result, int64_t dim);
  std::optional<SizeExpr> getArgumentSize(mlir::BlockArgument argument,
                                          int64_t dim);
  SizeExpr getAffine(mlir::AffineExpr expr, mlir::Operation *apply);
  bool isNonNegative(const Atom &atom);
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc,
                          unsigned number, mlir::Operation *parent);

  std::vector<Atom> atoms;
  std::map<Key, unsigned> numbers;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, SizeExpr> sizes;
  llvm::DenseMap<mlir::Value, SizeExpr> values;
};

} // namespace flywheel

#endif // FLYWHEEL_TRANSFORMS_CHECKS_SIZEANALYSIS_H
