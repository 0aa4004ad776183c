//===- Kernel.h - What is executed, and how often ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_LIB_GPUSIMULATOR_KERNEL_H
#define FLYWHEEL_TEST_LIB_GPUSIMULATOR_KERNEL_H

#include "GuardedMemory.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace simulator {

/// Numbers in x, y and z.
using Dims = std::array<uint32_t, 3>;

/// The numbers of blocks and threads of a launch.
struct LaunchSize {
  Dims grid, block;
  size_t dynamicBytes = 0;

  uint32_t numThreads() const { return block[0] * block[1] * block[2]; }
  uint64_t numBlocks() const { return uint64_t{grid[0]} * grid[1] * grid[2]; }
};

/// A variable that each block has one of.
struct WorkgroupVariable {
  std::string name;
  GuardedMemory memory;
};

/// Workgroup memory of a block without cuFuncSetAttribute, and with it.
constexpr size_t kWorkgroupBytes = 48 << 10, kMaxWorkgroupBytes = 227 << 10;
/// Threads of a block, and those that execute together.
constexpr uint32_t kMaxThreads = 1024, kWarpSize = 32;

/// A function of the device for the host.
struct Kernel {
  std::string name;
  /// Executes one thread, from the places of its arguments.
  void (*call)(void **arguments) = nullptr;
  std::vector<size_t> argumentBytes;
  /// True if threads of a block wait for each other.
  bool isCooperative = false;
  /// True if accesses of memory are checked.
  bool isInstrumented = false;
  /// The variables of static size; their addresses are the module's.
  std::vector<const WorkgroupVariable *> variables;
  size_t staticBytes = 0;
  /// The alignment of the variable whose size the launch says; 0 without one.
  size_t dynamicAlignment = 0;
  size_t maxDynamicBytes = kWorkgroupBytes;
  /// The sizes of a block, if the kernel requires some.
  Dims requiredBlock = {0, 0, 0};
  uint32_t maxThreads = kMaxThreads;
};

/// The numbers along axes of the one with a number; "(1, 0, 0)".
Dims getDims(uint64_t number, const Dims &sizes);
std::string print(const Dims &dims);

} // namespace simulator

#endif // FLYWHEEL_TEST_LIB_GPUSIMULATOR_KERNEL_H
