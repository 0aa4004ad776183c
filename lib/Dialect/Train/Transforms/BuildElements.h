//===- BuildElements.h - Tensors from initializers --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_BUILDELEMENTS_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_BUILDELEMENTS_H

#include "flywheel/Dialect/Train/Train.h"

namespace flywheel::train {

/// Emits the elements that `initializer` gives a tensor of `type`, as a tensor
/// of its storage type. `key` (i64) identifies the random stream;
/// `dynamicSizes` (index) are the dimension sizes that `type` leaves open.
mlir::Value buildElements(mlir::OpBuilder &builder, mlir::Location loc,
                          InitializerAttrInterface initializer,
                          mlir::RankedTensorType type, mlir::Value key,
                          mlir::ValueRange dynamicSizes = {});

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_BUILDELEMENTS_H
