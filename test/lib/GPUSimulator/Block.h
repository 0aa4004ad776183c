//===- Block.h - Threads that wait for each other ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_LIB_GPUSIMULATOR_BLOCK_H
#define FLYWHEEL_TEST_LIB_GPUSIMULATOR_BLOCK_H

#include "Context.h"
#include "Execution.h"
#include "ThreadClocks.h"

namespace simulator {

/// A thread of a block, which has a stack of its own.
struct Thread {
  enum State { Ready, AtBarrier, InOperation, Ended };

  Context context;
  Dims id;
  State state = Ended;
  /// The number of what it waits at: a barrier, an operation of the warp.
  uint32_t number = 0;
  /// The instruction, or 0 where any may be meant.
  uint32_t site = 0;
  /// The lanes that take part in an operation, or 0 for all.
  uint32_t mask = 0;
  const uint32_t *operands = nullptr;
  uint32_t *results = nullptr;
  /// For a barrier, the thread's operand.
  bool predicate = false;
  uint32_t result = 0;
  BarrierKind kind = BarrierKind::Sync;
};

/// The threads of one block at a time, each as far as it gets without others.
class Block {
public:
  /// `lanes` and `warps` are all numbers of lanes and warps, in the order in
  /// which they are executed.
  Block(const Dims &size, std::vector<uint32_t> lanes,
        std::vector<uint32_t> warps);
  ~Block();

  /// Executes all threads from their beginning to their end.
  void run(const Kernel &kernel, void **arguments);

private:
  friend uint32_t waitAtBarrier(uint32_t, uint32_t, uint32_t, uint32_t,
                                uint32_t);
  friend void waitForWarp(uint32_t, uint32_t, uint32_t, const uint32_t *,
                          uint32_t *);

  struct Barrier {
    uint32_t expected = 0, arrived = 0;
    /// The times known to the threads that arrived, if not all of the block do.
    Times known;
  };
  static constexpr uint32_t kNumBarriers = 16;

  static void enterThread();
  uint32_t numWarps() const {
    return (static_cast<uint32_t>(threads.size()) + kWarpSize - 1) / kWarpSize;
  }
  uint32_t numLanes(uint32_t warp) const {
    return std::min(kWarpSize,
                    static_cast<uint32_t>(threads.size()) - warp * kWarpSize);
  }
  Thread *lanesOf(uint32_t warp) { return &threads[warp * kWarpSize]; }
  void resume(Thread &thread);
  /// Leaves the thread that runs until it is ready.
  void suspend();
  /// Runs the threads of a warp. Returns true if one of them did something.
  bool runWarp(uint32_t warp);
  /// Executes operations that enough lanes of a warp have reached. Returns true
  /// if there was one.
  bool executeOperations(uint32_t warp);
  uint32_t numberOf(const Thread &thread) const {
    return static_cast<uint32_t>(&thread - threads.data());
  }
  void arrive(Barrier &barrier, uint32_t expected);
  void open(uint32_t number);
  [[noreturn]] void failForDeadlock();

  std::vector<Thread> threads;
  std::vector<uint32_t> lanes, warps;
  Barrier barriers[kNumBarriers];
  Context scheduler;
  Thread *current = nullptr;
  const Kernel *kernel = nullptr;
  void **arguments = nullptr;
};

/// Returns true if an address is on the stack of a thread of a block.
bool isOnThreadStack(const void *address);

/// Functions that kernels call: see the names of symbols.
uint32_t waitAtBarrier(uint32_t kind, uint32_t site, uint32_t number,
                       uint32_t expected, uint32_t predicate);
void waitForWarp(uint32_t operation, uint32_t site, uint32_t mask,
                 const uint32_t *operands, uint32_t *results);

} // namespace simulator

#endif // FLYWHEEL_TEST_LIB_GPUSIMULATOR_BLOCK_H
