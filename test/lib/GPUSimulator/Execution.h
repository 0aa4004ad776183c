//===- Execution.h - Blocks and threads of a launch -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_LIB_GPUSIMULATOR_EXECUTION_H
#define FLYWHEEL_TEST_LIB_GPUSIMULATOR_EXECUTION_H

#include "Kernel.h"

#include <string>
#include <utility>
#include <vector>

namespace simulator {

/// The special registers of a thread: its position, and the sizes.
struct Registers {
  Dims thread, block, blockSize, gridSize;
  char *dynamicMemory = nullptr;
};

/// Executes all threads: those of a block in turn, each as far as it gets
/// without the others, and one block after the other.
/// FLYWHEEL_SIM_ORDER=reversed executes the last ones first, and shuffled:SEED
/// in an order of its own. One launch at a time. Returns the error, or nothing.
std::string execute(const Kernel &kernel, const LaunchSize &size,
                    void **arguments);

/// Ends the launch that calls it, with an error that names the kernel, the
/// block and the thread. Only for functions that kernels call.
[[noreturn]] void fail(const std::string &what);

/// Returns the registers of the thread that runs.
Registers &getRegisters();
/// Returns its number among the threads of its block.
uint32_t getThreadNumber();
/// Returns true if an address is of a variable of a thread.
bool isOnStack(const void *address);

/// The kinds of barriers.
enum class BarrierKind : uint32_t { Sync, Arrive, Count, And, Or };

/// Returns the symbols that code of the device refers to: names and addresses.
std::vector<std::pair<const char *, void *>> getSymbols();

constexpr const char *kRegistersName = "simulator.registers";
/// uint32_t (kind, site, barrier, threads, predicate). `site` is a number of
/// the instruction where all threads of a warp have to be at the same one, or
/// 0; of 0 threads all of the block have to come.
constexpr const char *kBarrierName = "simulator.barrier";
/// void (operation, site, mask of lanes, operands, results).
constexpr const char *kWarpName = "simulator.warp";

} // namespace simulator

#endif // FLYWHEEL_TEST_LIB_GPUSIMULATOR_EXECUTION_H
