//===- Memory.h - What an address of a kernel is of -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_LIB_GPUSIMULATOR_MEMORY_H
#define FLYWHEEL_TEST_LIB_GPUSIMULATOR_MEMORY_H

#include "Kernel.h"

#include <map>
#include <string>

namespace simulator {

/// Memory of the device, by address.
using Buffers = std::map<uintptr_t, GuardedMemory>;

/// Sets the memory of the launch that is executed. `dynamic` may be null.
void setMemory(const Kernel *kernel, const GuardedMemory *dynamic);
/// Returns the buffers of the device.
Buffers &getBuffers();
/// The buffer that an address is in, or null.
const GuardedMemory *findBuffer(const void *address);

/// Says which byte of what an address is.
std::string describeAddress(const void *address);
/// Ends the launch that accesses bytes outside a variable or buffer, unless
/// they are of neither: a constant of the module.
void checkBounds(const void *address, size_t bytes);
void checkAlignment(const void *address, size_t alignment);
/// The same for what has to be in workgroup memory.
void checkWorkgroupAccess(const void *address, size_t bytes, size_t alignment);

} // namespace simulator

#endif // FLYWHEEL_TEST_LIB_GPUSIMULATOR_MEMORY_H
