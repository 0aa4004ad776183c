//===- Train.td - Umbrella of the train dialect ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAIN
#define FLYWHEEL_DIALECT_TRAIN_TRAIN

include "flywheel/Dialect/Train/TrainDialect.td"
include "flywheel/Dialect/Train/TrainInterfaces.td"
include "flywheel/Dialect/Train/TrainTypes.td"
include "flywheel/Dialect/Train/TrainAttributes.td"
include "flywheel/Dialect/Train/TrainOptimizers.td"
include "flywheel/Dialect/Train/TrainModernOptimizers.td"
include "flywheel/Dialect/Train/TrainSchedules.td"
include "flywheel/Dialect/Train/TrainOps.td"
include "flywheel/Dialect/Train/TrainGradientOps.td"
include "flywheel/Dialect/Train/TrainAverages.td"
include "flywheel/Dialect/Train/TrainLeastSquares.td"

#endif // FLYWHEEL_DIALECT_TRAIN_TRAIN
