//===- Execution.cpp - Blocks and threads of a launch ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "AsyncCopies.h"
#include "Block.h"
#include "Faults.h"
#include "Memory.h"
#include "Races.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>

using namespace llvm;

namespace simulator {

Dims getDims(uint64_t number, const Dims &sizes) {
  return {static_cast<uint32_t>(number % sizes[0]),
          static_cast<uint32_t>(number / sizes[0] % sizes[1]),
          static_cast<uint32_t>(number / sizes[0] / sizes[1])};
}

std::string print(const Dims &dims) {
  return "(" + std::to_string(dims[0]) + ", " + std::to_string(dims[1]) + ", " +
         std::to_string(dims[2]) + ")";
}

namespace {

/// In which order blocks and threads are executed.
struct Order {
  enum { Forward, Reversed, Shuffled } kind = Forward;
  std::mt19937_64 random;

  Order() {
    const char *text = std::getenv("FLYWHEEL_SIM_ORDER");
    if (!text)
      return;
    StringRef name = text;
    if (name == "reversed")
      kind = Reversed;
    uint64_t seed = 0;
    if (name.consume_front("shuffled:") && !name.getAsInteger(10, seed)) {
      kind = Shuffled;
      random.seed(seed);
    }
  }

  /// The numbers below `count`.
  std::vector<uint32_t> make(uint32_t count) {
    std::vector<uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0U);
    if (kind == Reversed)
      std::reverse(numbers.begin(), numbers.end());
    if (kind == Shuffled)
      std::shuffle(numbers.begin(), numbers.end(), random);
    return numbers;
  }
};

/// The launch that is executed.
struct Launch {
  const Kernel *kernel = nullptr;
  const LaunchSize *size = nullptr;
  void **arguments = nullptr;
  Order order;
  /// The host, and the context of kernels without fibers.
  Context host, runner;
  std::string error;
};

} // namespace

static Registers registers;
static Launch *launch;

void fail(const std::string &what) {
  launch->error = "kernel '" + launch->kernel->name + "', block " +
                  print(registers.block) + ", thread " +
                  print(registers.thread) + ": " + what;
  Context left;
  switchContext(left, launch->host);
  llvm_unreachable("nothing comes back to a launch that failed");
}

Registers &getRegisters() { return registers; }

uint32_t getThreadNumber() {
  const Dims &at = registers.thread, &size = registers.blockSize;
  return at[0] + size[0] * (at[1] + size[1] * at[2]);
}

/// Threads of one block after the other, none of which waits for another one.
static void runBlockInTurn(ArrayRef<Dims> threads) {
  for (const Dims &thread : threads) {
    registers.thread = thread;
    launch->kernel->call(launch->arguments);
  }
}

static void runAll() {
  const Kernel &kernel = *launch->kernel;
  const LaunchSize &size = *launch->size;
  std::vector<Dims> threads(size.numThreads());
  for (auto [place, number] :
       zip(threads, launch->order.make(size.numThreads())))
    place = getDims(number, size.block);
  std::optional<Block> block;
  if (kernel.isCooperative)
    block.emplace(size.block, launch->order.make(kWarpSize),
                  launch->order.make(kMaxThreads / kWarpSize));
  uint64_t numBlocks = size.numBlocks();
  std::vector<uint32_t> shuffled;
  if (launch->order.kind == Order::Shuffled)
    shuffled = launch->order.make(static_cast<uint32_t>(numBlocks));
  GuardedMemory dynamic;
  if (kernel.dynamicAlignment) {
    dynamic = GuardedMemory(size.dynamicBytes, kernel.dynamicAlignment);
    registers.dynamicMemory = dynamic.get();
  }
  setMemory(&kernel, &dynamic);
  for (uint64_t i = 0; i < numBlocks; ++i) {
    uint64_t number = launch->order.kind == Order::Reversed ? numBlocks - 1 - i
                      : shuffled.empty()                    ? i
                                                            : shuffled[i];
    registers.block = getDims(number, size.grid);
    forgetAsyncCopies();
    // Each block begins with what no other one left.
    for (const WorkgroupVariable *variable : kernel.variables)
      variable->memory.poison();
    if (dynamic)
      dynamic.poison();
    if (Races *races = Races::get()) {
      races->getClocks().beginBlock(static_cast<uint32_t>(number));
      for (const WorkgroupVariable *variable : kernel.variables)
        races->forget(variable->memory);
      if (dynamic)
        races->forget(dynamic);
    }
    if (block)
      block->run(kernel, launch->arguments);
    else
      runBlockInTurn(threads);
  }
}

/// Returns the stack of kernels whose threads do not wait for each other.
static const GuardedMemory &getStack() {
  static const GuardedMemory &stack = *new GuardedMemory(1 << 20, 16);
  return stack;
}

bool isOnStack(const void *address) {
  return getStack().contains(address, 1) || isOnThreadStack(address);
}

/// The first function of the runner's stack.
static void enterRunner() {
  runAll();
  Context left;
  switchContext(left, launch->host);
}

std::string execute(const Kernel &kernel, const LaunchSize &size,
                    void **arguments) {
  Launch current;
  current.kernel = &kernel;
  current.size = &size;
  current.arguments = arguments;
  launch = &current;
  registers = {{}, {}, size.block, size.grid, nullptr};
  current.runner.prepare(getStack().get(), getStack().size(), enterRunner);
  Races::begin(kernel, size);
  {
    FaultHandler faults;
    switchContext(current.host, current.runner);
  }
  Races::end();
  setMemory(nullptr, nullptr);
  launch = nullptr;
  return std::move(current.error);
}

std::vector<std::pair<const char *, void *>> getSymbols() {
  return {
      {kRegistersName, &registers},
      {kBarrierName, reinterpret_cast<void *>(&waitAtBarrier)},
      {kWarpName, reinterpret_cast<void *>(&waitForWarp)},
      {kAccessName, reinterpret_cast<void *>(&lookAtAccess)},
      {kAtomicName, reinterpret_cast<void *>(&lookAtAtomic)},
      {kBeginCopyName, reinterpret_cast<void *>(&beginAsyncCopy)},
      {kCommitCopiesName, reinterpret_cast<void *>(&commitAsyncCopies)},
      {kWaitForCopiesName, reinterpret_cast<void *>(&waitForAsyncCopies)},
      {kWaitForAllCopiesName, reinterpret_cast<void *>(&waitForAllAsyncCopies)},
      {kFenceName, reinterpret_cast<void *>(&lookAtFence)}};
}

} // namespace simulator
