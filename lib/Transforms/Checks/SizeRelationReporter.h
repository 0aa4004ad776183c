//===- SizeRelationReporter.h - The size relations of one op ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_CHECKS_SIZERELATIONREPORTER_H
#define FLYWHEEL_LIB_TRANSFORMS_CHECKS_SIZERELATIONREPORTER_H

#include "flywheel/Transforms/Checks/SizeRelations.h"

#include "flywheel/Interfaces/SizeOpInterfaces.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace flywheel {

inline int64_t getRank(mlir::Value tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.getType()).getRank();
}

/// Collects the requirements of one op.
class RelationReporter final : public SizeRelationSink {
public:
  RelationReporter(mlir::Operation *op, SizeAnalysis &sizes,
                   SizeRelationFn report)
      : op(op), sizes(sizes), report(report) {}

  void run();

  void equalDims(mlir::Value a, int64_t i, mlir::Value b, int64_t j,
                 llvm::StringRef nameA, llvm::StringRef nameB) override;
  void equalShapes(mlir::Value a, mlir::Value b, llvm::StringRef nameA,
                   llvm::StringRef nameB) override;
  void equalFormula(DimSizeFormula formula, mlir::Value a, int64_t i,
                    const llvm::Twine &what) override;
  void atLeast(mlir::Value a, int64_t i, int64_t number,
               const llvm::Twine &what, llvm::StringRef found) override;

private:
  void equal(SizeExpr lhs, SizeExpr rhs, const llvm::Twine &what) {
    report({std::move(lhs), std::move(rhs), what.str(), false, {}});
  }
  /// Reports that `lhs` must be at least `rhs`. `what` includes the bound, so
  /// that an error only adds the size that was found.
  void atLeast(SizeExpr lhs, int64_t rhs, const llvm::Twine &what,
               llvm::StringRef found = "\1") {
    report({std::move(lhs),
            SizeExpr::constant(rhs),
            what.str(),
            true,
            {},
            {},
            found.str()});
  }
  /// Reports that the product of these sizes must not overflow.
  void countable(std::vector<SizeExpr> dims);
  void countable(mlir::Value tensor);
  void nonNegative(llvm::ArrayRef<mlir::OpFoldResult> numbers,
                   llvm::StringRef what);

  void addResultTypes();
  void addStep(mlir::scf::ForOp loop);
  void addControlFlow();
  void addElementwise();
  void addIndexingMaps(mlir::linalg::LinalgOp structured);
  void addPack(mlir::linalg::PackOp pack);
  void addUnPack(mlir::linalg::UnPackOp unpack);
  void addTiles(llvm::ArrayRef<mlir::OpFoldResult> tiles, mlir::Value packed,
                mlir::Value plain);
  void addReshapes();
  void addSlices();
  void addDerivatives();

  mlir::Operation *op;
  SizeAnalysis &sizes;
  SizeRelationFn report;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_CHECKS_SIZERELATIONREPORTER_H
