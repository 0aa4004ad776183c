//===- NNPasses.h - Passes of the nn dialect --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNPASSES_H
#define FLYWHEEL_DIALECT_NN_NNPASSES_H

#include "flywheel/Support/PassCount.h"

namespace flywheel::nn {
#define GEN_PASS_DECL
#include "flywheel/Dialect/NN/NNPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Dialect/NN/NNPasses.h.inc"
} // namespace flywheel::nn

#endif // FLYWHEEL_DIALECT_NN_NNPASSES_H
