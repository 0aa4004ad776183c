//===- ModifyGradients.h - Clipping and weight decay ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_MODIFYGRADIENTS_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_MODIFYGRADIENTS_H

#include "flywheel/Dialect/Train/Train.h"

namespace flywheel::train {

/// Scales `gradients` if their common Euclidean norm is above `bound`, and
/// returns their norm before that. The norm takes one pass over them.
mlir::Value clipByGlobalNorm(mlir::OpBuilder &builder, mlir::Location loc,
                             llvm::MutableArrayRef<mlir::Value> gradients,
                             double bound);

/// Changes the gradients of `apply` as its clauses say: `l2`, `clip_norm`,
/// `clip_global_norm` and `clip_value`, in this order. `parameters` are the
/// values of its variables.
void modifyGradients(mlir::OpBuilder &builder, ApplyGradientsOp apply,
                     mlir::ValueRange parameters,
                     llvm::MutableArrayRef<mlir::Value> gradients);

/// Returns the new value of variable `symbol`: `updated`, less `weight_decay`
/// times the rate times `parameter`; `updated` itself if the clause does not
/// apply.
mlir::Value decayWeights(mlir::OpBuilder &builder, ApplyGradientsOp apply,
                         mlir::Attribute symbol, mlir::Value parameter,
                         mlir::Value updated, mlir::Value rate);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_MODIFYGRADIENTS_H
