//===- FunctionState.h - The variables of one function ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_FUNCTIONSTATE_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_FUNCTIONSTATE_H

#include "VariableAccess.h"

#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

#include <optional>

namespace flywheel::train {
/// A variable, or a list of variables of which one at a time is assigned, as
/// one function sees it.
struct VariableVersions {
  mlir::BlockArgument storage;
  /// The value at the current point of the walk.
  mlir::Value current;
  /// The location of the op that assigned `current`.
  std::optional<mlir::Location> assigned;
  /// True if the step needs the value from before the step, or only the initial
  /// value of a variable without one.
  bool isRead = false;
  bool isInitialValueRead = false;
};

/// The versions that one path through the program leaves of each variable.
using PathVersions = llvm::SmallMapVector<mlir::Attribute, mlir::Value, 4>;

/// Rewrites one function.
class FunctionState {
public:
  explicit FunctionState(mlir::func::FuncOp function)
      : function(function), builder(function.getContext()) {}

  llvm::LogicalResult run();

private:
  llvm::LogicalResult verifySignature();
  llvm::LogicalResult verifyNames();
  void addStorageArguments();
  llvm::LogicalResult rewriteBlock(mlir::Block &block);
  llvm::LogicalResult rewriteAccess(mlir::Operation *op);
  llvm::LogicalResult rewriteAssignNth(AssignNthOp op);
  llvm::LogicalResult rewriteRegions(mlir::Operation *op);
  llvm::LogicalResult rewriteIf(mlir::scf::IfOp op,
                                llvm::ArrayRef<mlir::Attribute> written);
  llvm::LogicalResult rewriteFor(mlir::scf::ForOp op,
                                 llvm::ArrayRef<mlir::Attribute> written);
  llvm::LogicalResult rewriteWhile(mlir::scf::WhileOp op,
                                   llvm::ArrayRef<mlir::Attribute> written);
  void rewriteIsInitialized(IsInitializedOp op);
  void rewriteReturn();
  void setArgumentAttributes();

  llvm::SmallVector<mlir::Attribute> findWritten(mlir::Operation *op);
  llvm::LogicalResult rewriteRegion(mlir::Region &region,
                                    llvm::ArrayRef<mlir::Attribute> written);
  bool isShared(mlir::Attribute variable, mlir::Value version);
  void storeOutside(mlir::Operation *yield, const PathVersions &before);
  void enterLoop(llvm::ArrayRef<mlir::Attribute> written);
  mlir::Operation *addCarried(mlir::Operation *op,
                              llvm::ArrayRef<mlir::Attribute> written);
  void enterIteration(mlir::Region &region, unsigned numIndices,
                      llvm::ArrayRef<mlir::Attribute> written);
  void leave(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> written);

  mlir::func::FuncOp function;
  mlir::OpBuilder builder;
  llvm::SmallVector<mlir::BlockArgument> destinations;
  llvm::MapVector<mlir::Attribute, VariableVersions> variables;
  /// The initialised bits that the function asks for.
  llvm::MapVector<mlir::Attribute, mlir::BlockArgument> bits;
};

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_FUNCTIONSTATE_H
