//===- SizeAnalysis.h - What the sizes of tensors are made of ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_CHECKS_SIZEANALYSIS_H
#define FLYWHEEL_TRANSFORMS_CHECKS_SIZEANALYSIS_H

#include "flywheel/Interfaces/SizeOpInterfaces.h"
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

/// Sizes, and the numbers that they are computed from, as polynomials over
/// their sources: sizes of arguments, elements of tensors, quotients.
///
/// The size of a result is the one that its op derives from one operand,
/// whatever the op requires of the others: that is true even if a requirement
/// does not hold, so that no check depends on its own result.
class SizeAnalysis {
public:
  /// Returns dimension `dim` of `tensor`, which is static if its type has a
  /// static one.
  SizeExpr getSize(mlir::Value tensor, int64_t dim);
  /// Returns the same from the op, whatever the type of the result is; nullopt
  /// if only the type is known.
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
  SizeExpr getFormula(const DimSizeFormula &formula);
  /// Returns an `i1` that is true if `loop` has no iterations; nullopt if that
  /// is unknown.
  std::optional<SizeExpr> getIsEmpty(mlir::scf::ForOp loop);

  /// Returns the tensor and the dimension whose size atom `number` is; for a
  /// number, the number and dimension -1; null for a computed value.
  std::pair<mlir::Value, int64_t> getOrigin(unsigned number) const;

  /// Returns the number and the divisor whose quotient, rounded down, atom
  /// `number` is; nullopt for another one.
  std::optional<std::pair<SizeExpr, int64_t>>
  getQuotient(unsigned number) const;

  /// Returns true if the number is known to be non-negative.
  bool isNonNegative(const SizeExpr &expr);
  /// Returns true if the number is computed only by sums, products and
  /// quotients of sizes of existing tensors.
  bool isOfSizes(const SizeExpr &expr);
  /// Returns true if the number may be another one modulo 2^64: sums and
  /// products of sizes of existing tensors, and of numbers that loops count,
  /// are not, unless a constant in them is large.
  bool mayWrap(const SizeExpr &expr);
  /// Returns true if the number can be computed before `parent`.
  bool isAvailable(const SizeExpr &expr, mlir::Operation *parent);
  /// Computes the number before `parent` with `builder`, which is at `parent`
  /// or above it, as an index, or as the `i1` that it represents.
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc,
                          const SizeExpr &expr, mlir::Operation *parent);

private:
  enum class Kind { Size, Number, Compute, Not, Compare, FloorDiv };
  /// An opaque factor of a polynomial. `value` is the tensor or number, or
  /// null; `number` is the dimension, predicate or divisor.
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
  /// Returns the number that `expr`, whose divisors are positive constants, is
  /// of dimensions and symbols.
  SizeExpr getAffine(mlir::AffineExpr expr, llvm::ArrayRef<SizeExpr> dims,
                     llvm::ArrayRef<SizeExpr> symbols);
  SizeExpr getFloorDiv(SizeExpr expr, int64_t divisor);
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
