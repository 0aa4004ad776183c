//===- TrainPasses.td - Passes of the train dialect --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAINPASSES
#define FLYWHEEL_DIALECT_TRAIN_TRAINPASSES

include "mlir/Pass/PassBase.td"

#endif // FLYWHEEL_DIALECT_TRAIN_TRAINPASSES
