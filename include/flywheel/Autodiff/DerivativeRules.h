//===- DerivativeRules.h - The table of derivative rules --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Our own ops implement DifferentiableOpInterface themselves; upstream ops get
// it attached from the tables in lib/Autodiff/Rules, one file a dialect.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_AUTODIFF_DERIVATIVERULES_H
#define FLYWHEEL_AUTODIFF_DERIVATIVERULES_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OperationSupport.h"

namespace flywheel {

/// A rule for an upstream op.
struct DerivativeRule {
  /// The op's full name (`math.exp`).
  llvm::StringRef op;
  /// Attaches the rule to the op, whose dialect is loaded in the context.
  void (*attach)(mlir::MLIRContext *);
};

/// The tables, one a dialect.
llvm::ArrayRef<DerivativeRule> getArithRules();
llvm::ArrayRef<DerivativeRule> getMathRules();
llvm::ArrayRef<DerivativeRule> getTensorRules();
llvm::ArrayRef<DerivativeRule> getLinalgRules();
llvm::ArrayRef<DerivativeRule> getSCFRules();
llvm::ArrayRef<DerivativeRule> getTrainRules();

/// Attaches every table to the ops of its dialect, as the dialects load.
void registerDerivativeRules(mlir::DialectRegistry &registry);

/// Every op that has a rule, our own and upstream, or is made of such
/// (`CompositeOpInterface`), in alphabetical order. Loads
/// the dialects that rules exist for; `registerDerivativeRules` must have been
/// called on the context's registry.
llvm::SmallVector<mlir::OperationName>
getDerivativeRules(mlir::MLIRContext &context);

} // namespace flywheel

#endif // FLYWHEEL_AUTODIFF_DERIVATIVERULES_H
