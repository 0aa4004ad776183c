//===- GPUMemory.h - Memory of a GPU for a program --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_GPUMEMORY_H
#define FLYWHEEL_RUNTIME_GPUMEMORY_H

#include "flywheel/Runtime/Status.h"

#include <cstddef>

namespace flywheel::runtime {

/// `bytes` bytes of the device, at least one.
Result<void *> allocateOnGPU(size_t bytes);
void freeOnGPU(void *address);
/// These return when the bytes are there.
Status copyToGPU(void *to, const void *from, size_t bytes);
Status copyFromGPU(void *to, const void *from, size_t bytes);
/// Waits for all that a stream is to do. `stream` is a handle of the driver, 0
/// for the default one.
Status synchronizeGPU(uintptr_t stream);

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_GPUMEMORY_H
