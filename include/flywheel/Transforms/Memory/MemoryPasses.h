//===- MemoryPasses.h - Passes on what memory holds -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_MEMORY_MEMORYPASSES_H
#define FLYWHEEL_TRANSFORMS_MEMORY_MEMORYPASSES_H

#include "flywheel/Support/PassCount.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace flywheel {
/// The minimum number of bytes of a buffer that is merged with another one
/// without a conflict.
constexpr int64_t kMinReusedBytes = 1024;

#define GEN_PASS_DECL
#include "flywheel/Transforms/Memory/MemoryPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Transforms/Memory/MemoryPasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_TRANSFORMS_MEMORY_MEMORYPASSES_H
