//===- BufferizationPasses.h - Passes around bufferization ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_BUFFERIZATION_BUFFERIZATIONPASSES_H
#define FLYWHEEL_TRANSFORMS_BUFFERIZATION_BUFFERIZATIONPASSES_H

#include "flywheel/Support/PassCount.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace flywheel {
#define GEN_PASS_DECL
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_TRANSFORMS_BUFFERIZATION_BUFFERIZATIONPASSES_H
