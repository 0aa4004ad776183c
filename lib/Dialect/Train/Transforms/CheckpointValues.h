//===- CheckpointValues.h - Values of checkpoints as attributes -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_CHECKPOINTVALUES_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_CHECKPOINTVALUES_H

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Runtime/Checkpoint.h"

namespace flywheel::train {

/// Returns the value that a checkpoint has for a variable, under its name:
/// elements, or an array of strings. Errors: those of CheckpointReader.
runtime::Result<mlir::Attribute>
readCheckpointValue(const runtime::CheckpointReader &file, VariableOp variable);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_CHECKPOINTVALUES_H
