//===- LabelChecks.h - Checks of the labels of losses -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_LABELCHECKS
#define FLYWHEEL_DIALECT_NN_LABELCHECKS

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/NN/NN.h"

namespace flywheel::nn {

/// Emits the check that each label of `loss` is in [0, classes).
void expectLabels(LinalgEmitter &e, SparseSoftmaxCrossEntropyOp loss);

} // namespace flywheel::nn

#endif // FLYWHEEL_DIALECT_NN_LABELCHECKS
