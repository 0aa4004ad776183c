//===- Checks.h - Checks when a step runs -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_LINALGEXT_CHECKS_H
#define FLYWHEEL_DIALECT_LINALGEXT_CHECKS_H

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace flywheel::linalg_ext {

/// The maximum number of numbers that a message may name.
constexpr size_t kMaxNamedNumbers = 4;

/// The numbers that a message names.
class NamedNumbers {
public:
  /// Returns the text for `number`: its digits if it is constant; otherwise a
  /// byte that a failing call replaces by the digits; or "?" if there are too
  /// many numbers.
  std::string add(mlir::OpFoldResult number);
  mlir::ValueRange getValues() const { return values; }

private:
  llvm::SmallVector<mlir::Value, kMaxNamedNumbers> values;
};

/// Emits a check at the location of `op`, by which the step returns an error if
/// `ok` (i1) is false. The text is followed by the name of `op`, its place in
/// the source, and `found`; `numbers` are those that the texts name.
CheckOp createCheck(mlir::OpBuilder &builder, mlir::Operation *op,
                    CheckKind kind, mlir::Value ok, const llvm::Twine &expected,
                    const llvm::Twine &found = "",
                    const NamedNumbers &numbers = {});

/// Returns true if all ops around `op`, inside of its function, are branches
/// and loops: checks can be carried out of these, with the numbers that they
/// name.
bool isInControlFlow(mlir::Operation *op);

/// Moves `check` behind the branch or loop that it is in, and returns the new
/// check; null if that op cannot carry it. The op yields whether the check has
/// held so far and, from the first time that it failed, the numbers that its
/// message names.
CheckOp carryOut(mlir::IRRewriter &rewriter, CheckOp check);

/// Returns the dimension of a ranked tensor that `op` reads; nullopt if its
/// number is not constant, or not that of a dimension of the tensor.
std::optional<int64_t> getDimension(mlir::tensor::DimOp op);

/// Emits the condition of `loop` before its first iteration. `builder` is in
/// front of the loop. Returns null if the condition has effects: they would
/// happen twice.
mlir::Value emitFirstCondition(mlir::OpBuilder &builder,
                               mlir::scf::WhileOp loop);

/// Makes each `cf.assert` in `root` a check of data.
void convertAsserts(mlir::Operation *root);

/// Makes each `compare_sizes` in `root` an `arith.cmpi`, and each check a
/// `cf.assert`.
void lowerChecks(mlir::Operation *root);

} // namespace flywheel::linalg_ext

#endif // FLYWHEEL_DIALECT_LINALGEXT_CHECKS_H
