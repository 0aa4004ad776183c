//===- SizeClasses.h - Sizes that ops require to be equal -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_CHECKS_SIZECLASSES_H
#define FLYWHEEL_LIB_TRANSFORMS_CHECKS_SIZECLASSES_H

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Transforms/Checks/SizeRelations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace flywheel {

/// The sizes of one function that are equal, in two relations. Checked: an op
/// requires both to be equal (`forEachSizeRelation`). This holds only after the
/// checks before the op have passed, so the checks themselves must not depend
/// on it: for them, sizes are equal if they are one expression. Required: also
/// the sizes of ops that may not run, if it is unknown in front of the branches
/// and loops around them whether they do; callers of the function ensure these
/// for its feeds.
class SizeClasses {
public:
  explicit SizeClasses(mlir::func::FuncOp function);

  /// Returns the sizes that the relations are about: those of the function as
  /// it was when this was made. A read that is replaced by an equal one says
  /// nothing new.
  SizeAnalysis &getAnalysis() { return sizes; }

  bool areRequired(const SizeExpr &a, const SizeExpr &b) {
    return required.isEquivalent(getId(a), getId(b));
  }
  bool areChecked(const SizeExpr &a, const SizeExpr &b) {
    return checked.isEquivalent(getId(a), getId(b));
  }
  /// Requires two feeds to agree, as the program states; callers check that.
  void addRequired(const SizeExpr &a, const SizeExpr &b) {
    required.unionSets(getId(a), getId(b));
  }
  /// Takes two feeds to agree, because callers check that.
  void addChecked(const SizeExpr &a, const SizeExpr &b) {
    checked.unionSets(getId(a), getId(b));
  }

  /// Returns the constant that the ops force `size` to be, if any.
  std::optional<int64_t> getConstant(const SizeExpr &size);

private:
  using Pair = std::pair<SizeExpr, SizeExpr>;

  bool isKnownOutside(mlir::Value value);
  bool isExcusable(mlir::Operation *op);
  unsigned getId(const SizeExpr &size);
  unsigned getLeader(const SizeExpr &size) {
    return checked.getOrInsertLeaderValue(getId(size));
  }
  void unite(const SizeExpr &a, const SizeExpr &b, bool isRequired = true,
             bool isChecked = true);
  void require(const SizeExpr &a, const SizeExpr &b) {
    unite(a, b, isReached || !isExcused, isReached);
  }
  llvm::SmallVector<Pair> pairSizes(mlir::Value a, mlir::Value b);
  void define(mlir::Value result, mlir::Value forwarded);
  void forward(mlir::Value value, mlir::Value forwarded,
               mlir::Operation *terminator);
  void addControlFlow(mlir::Operation *op);
  void addCheck(linalg_ext::CheckOp check);
  void addOp(mlir::Operation *op);
  bool areAsserted(unsigned left, unsigned right);
  bool isComputedIn(mlir::Operation *op, const SizeExpr &size);
  void requireForwarded();
  bool matchParts();

  mlir::func::FuncOp function;
  SizeAnalysis sizes;
  /// The sizes that the classes know, and their numbers.
  std::vector<SizeExpr> exprs;
  std::map<SizeExpr, unsigned> ids;
  llvm::EquivalenceClasses<unsigned> checked, required;
  /// The constants that checked sizes are.
  llvm::DenseMap<unsigned, int64_t> constants;
  /// Two sizes that are equal where a branch or a loop forwards the second one.
  struct Forwarded {
    SizeExpr value, forwarded;
    mlir::Operation *op;
  };
  std::vector<Forwarded> weak;
  /// Sizes that checks compare which always run.
  std::vector<Pair> asserted;
  /// True if the checks of the current op always run.
  bool isReached = true;
  /// True if the checks of the current op are made, if need be, in front of all
  /// branches and loops.
  bool isExcused = true;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_CHECKS_SIZECLASSES_H
