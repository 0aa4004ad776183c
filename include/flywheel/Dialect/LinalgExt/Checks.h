//===- Checks.h - Checks when a step runs -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_LINALGEXT_CHECKS_H
#define FLYWHEEL_DIALECT_LINALGEXT_CHECKS_H

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace flywheel::linalg_ext {

/// How many numbers a message may name.
constexpr size_t kMaxNamedNumbers = 4;

/// The numbers that a message names.
class NamedNumbers {
public:
  /// The text that stands for `number`: its digits where it is constant, else a
  /// byte in whose place they are written when a call fails. "?" where there is
  /// no room for another one.
  std::string add(mlir::OpFoldResult number);
  mlir::ValueRange getValues() const { return values; }

private:
  llvm::SmallVector<mlir::Value, kMaxNamedNumbers> values;
};

/// Emits an error of the step where `ok` (i1) is false, at the location of
/// `op`. The message is followed by the name of `op`, its place in the source,
/// and `found`; `numbers` are those that the text names.
mlir::cf::AssertOp createCheck(mlir::OpBuilder &builder, mlir::Operation *op,
                               mlir::Value ok, const llvm::Twine &message,
                               const llvm::Twine &found = "",
                               const NamedNumbers &numbers = {});

/// The numbers that the message of a check of `condition` names.
llvm::SmallVector<mlir::Value> getNamedNumbers(mlir::Value condition);

/// Whether `op` is in branches and loops alone, if in any op of a function:
/// these pass on checks with the numbers that they name.
bool isInControlFlow(mlir::Operation *op);

/// Replaces `check` by one behind the branch or loop that it is in, which is
/// returned; null where that op is none that can carry it. The op passes on
/// whether the check has held so far and, of the first time that it did not,
/// the numbers that its message names.
mlir::cf::AssertOp carryOut(mlir::IRRewriter &rewriter,
                            mlir::cf::AssertOp check);

/// The dimension of a ranked tensor that `op` reads; none where its number is
/// not constant, or no dimension of the tensor.
std::optional<int64_t> getDimension(mlir::tensor::DimOp op);

/// A dimension size that is dimension `number` of `tensor`, or where that is
/// null the number itself.
struct DimSizeRoot {
  mlir::Value tensor;
  int64_t number = 0;

  bool operator==(const DimSizeRoot &other) const {
    return tensor == other.tensor && number == other.number;
  }
};

/// What dimension `dim` of `tensor` is seen to be equal to, as far as possible
/// from it: through destinations, sizes, branches and loops. Relies on
/// `flywheel-check-carried-dim-sizes`.
DimSizeRoot getDimSizeRoot(mlir::Value tensor, int64_t dim);

/// Dimension `dim` of `tensor`, which is inside of `op`, as an index in front
/// of it, where `builder` is; null where it cannot be told there.
mlir::Value getDimSizeInFrontOf(mlir::OpBuilder &builder, mlir::Operation *op,
                                mlir::Value tensor, int64_t dim);

/// The same as `createCheck` for an `ok` that dimension sizes decide: in front
/// of the branches and loops that `builder` is in, as far as `ok` can be told
/// there, and true where they would not get to the check. The body of an
/// `scf.while` is taken to be reached.
mlir::cf::AssertOp createDimSizeCheck(mlir::OpBuilder &builder,
                                      mlir::Operation *op, mlir::Value ok,
                                      const llvm::Twine &message,
                                      const llvm::Twine &found = "");

/// Makes the conditions in `root` plain ones, whose numbers no message names
/// any more: `compare_sizes` and `name_numbers`.
void lowerConditions(mlir::Operation *root);

} // namespace flywheel::linalg_ext

#endif // FLYWHEEL_DIALECT_LINALGEXT_CHECKS_H
