//===- NN.td - Umbrella of the nn dialect ------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NN
#define FLYWHEEL_DIALECT_NN_NN

include "flywheel/Dialect/NN/NNDialect.td"
include "flywheel/Dialect/NN/NNOps.td"

#endif // FLYWHEEL_DIALECT_NN_NN
