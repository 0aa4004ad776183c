//===- NNOps.td - Ops of the nn dialect --------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNOPS
#define FLYWHEEL_DIALECT_NN_NNOPS

include "flywheel/Dialect/NN/NNActivations.td"
include "flywheel/Dialect/NN/NNArithmetic.td"
include "flywheel/Dialect/NN/NNAttention.td"
include "flywheel/Dialect/NN/NNContractions.td"
include "flywheel/Dialect/NN/NNIndexing.td"
include "flywheel/Dialect/NN/NNLinearAlgebra.td"
include "flywheel/Dialect/NN/NNLosses.td"
include "flywheel/Dialect/NN/NNNormalization.td"
include "flywheel/Dialect/NN/NNConvolutions.td"
include "flywheel/Dialect/NN/NNPools.td"
include "flywheel/Dialect/NN/NNShapes.td"

#endif // FLYWHEEL_DIALECT_NN_NNOPS
