//===- TrainPasses.h - Passes of the train dialect --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAINPASSES_H
#define FLYWHEEL_DIALECT_TRAIN_TRAINPASSES_H

#include "flywheel/Support/PassCount.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace flywheel::train {
#define GEN_PASS_DECL
#include "flywheel/Dialect/Train/TrainPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Dialect/Train/TrainPasses.h.inc"
} // namespace flywheel::train

#endif // FLYWHEEL_DIALECT_TRAIN_TRAINPASSES_H
