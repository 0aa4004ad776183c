//===- CostModels.h - Costs of ops of other dialects ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_COST_COSTMODELS_H
#define FLYWHEEL_COST_COSTMODELS_H

#include "mlir/IR/DialectRegistry.h"

namespace flywheel {

/// Gives the ops of `arith`, `linalg`, `linalg_ext`, `math`, `tensor` and
/// `train` their costs (CostOpInterface). Those of `nn` bring their own.
void registerCostModels(mlir::DialectRegistry &registry);

} // namespace flywheel

#endif // FLYWHEEL_COST_COSTMODELS_H
