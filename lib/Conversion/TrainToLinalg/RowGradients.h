//===- RowGradients.h - Gradients that are rows of a table ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a gather along axis 0 is zero except for some rows, which an
// `nn.scatter_add` to zeros adds. Ops that take rows get those of a value here;
// other ops use the value.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CONVERSION_TRAINTOLINALG_ROWGRADIENTS_H
#define FLYWHEEL_LIB_CONVERSION_TRAINTOLINALG_ROWGRADIENTS_H

#include "flywheel/Dialect/NN/NN.h"

#include "mlir/IR/PatternMatch.h"

namespace flywheel {

/// A tensor that is zero except for rows: element i of `indices` [n] is the
/// index of row i of `rows` [n, I..]. The first row with an index is the row of
/// the tensor, later rows with it are zero. `order` [n] is the result of
/// `linalg_ext.argsort` for the indices.
struct RowGradient {
  mlir::Value indices, order, rows;
};

/// Finds the rows that values are sums of, and emits the ops that compute them.
class RowGradients {
public:
  explicit RowGradients(mlir::RewriterBase &rewriter) : b(rewriter) {}

  /// Returns true if `value`, of floats, is a sum of rows, or a function of
  /// such sums that is zero where they are.
  bool isRows(mlir::Value value) { return !getSource(value).isNone(); }

  /// Returns the number of elements of the table that the rows of `value`
  /// belong to; requires `isRows(value)`.
  int64_t getTableSize(mlir::Value value) { return getSource(value).tableSize; }

  /// Returns the number of rows of `value`, if it is known here; requires
  /// `isRows(value)`.
  std::optional<int64_t> getNumRows(mlir::Value value);

  /// Returns the rows of `value`, emitted once, before the op that computes it;
  /// requires `isRows(value)`.
  RowGradient get(mlir::Value value);

private:
  /// Identifies the rows that a value has: equal sources have equal indices, in
  /// the same order.
  struct Source {
    /// The indices, or the sum of two values with others, which may be rows
    /// that are added to rows.
    mlir::Value value;
    int64_t tableSize = 0;
    bool isNone() const { return !value; }
  };

  Source getSource(mlir::Value value) { return getSource(value, /*depth=*/0); }
  Source getSource(mlir::Value value, unsigned depth);
  Source computeSource(mlir::Value value, unsigned depth);
  Source getSumSource(mlir::Value sum, unsigned depth);
  Source getElementwiseSource(mlir::Operation *op, unsigned depth);

  RowGradient build(mlir::Value value);
  RowGradient buildScatter(mlir::Operation *scatter);
  RowGradient buildConcatenation(mlir::Operation *sum);
  RowGradient buildElementwise(mlir::Operation *op);
  RowGradient buildReduction(nn::ReduceOp reduce);

  mlir::RewriterBase &b;
  llvm::DenseMap<mlir::Value, Source> sources;
  llvm::DenseMap<mlir::Value, RowGradient> built;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_CONVERSION_TRAINTOLINALG_ROWGRADIENTS_H
