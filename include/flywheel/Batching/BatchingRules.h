//===- BatchingRules.h - The tables of batching rules -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the nn dialect implement BatchableOpInterface themselves; others get
// it attached from the tables in lib/Batching, one file a dialect.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_BATCHING_BATCHINGRULES_H
#define FLYWHEEL_BATCHING_BATCHINGRULES_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OperationSupport.h"

namespace flywheel {

/// A rule for an op that does not implement `BatchableOpInterface` itself.
struct BatchingRule {
  llvm::StringRef op;
  void (*attach)(mlir::MLIRContext *);
};

/// The tables, one a dialect.
llvm::ArrayRef<BatchingRule> getLinalgBatchingRules();
llvm::ArrayRef<BatchingRule> getSCFBatchingRules();
llvm::ArrayRef<BatchingRule> getTensorBatchingRules();
llvm::ArrayRef<BatchingRule> getTrainBatchingRules();

/// Attaches every table to the ops of its dialect, as the dialects load.
void registerBatchingRules(mlir::DialectRegistry &registry);

/// Returns true if ops of that name are batched by a rule, because they act on
/// each element, or as their decomposition. Other ops are batched in a loop if
/// they have no effects.
bool hasBatchingRule(mlir::OperationName name);

} // namespace flywheel

#endif // FLYWHEEL_BATCHING_BATCHINGRULES_H
