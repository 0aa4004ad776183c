//===- ThreadClocks.h - What happens before what ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_LIB_GPUSIMULATOR_THREADCLOCKS_H
#define FLYWHEEL_TEST_LIB_GPUSIMULATOR_THREADCLOCKS_H

#include "Kernel.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <vector>

namespace simulator {

/// An access: who, and at which time of its own. A thread's time goes on where
/// others can come to know what it has done.
struct Event {
  /// The block and, in the lower 10 bits, the number within it.
  uint32_t thread = kNobody;
  uint32_t time = 0;

  static constexpr uint32_t kNobody = ~0U;
  static constexpr unsigned kThreadBits = 10;

  uint32_t block() const { return thread >> kThreadBits; }
  uint32_t numberInBlock() const { return thread & (kMaxThreads - 1); }
  /// Returns true if another thread is of the same warp.
  bool isInWarpOf(const Event &other) const {
    return thread / kWarpSize == other.thread / kWarpSize;
  }
};

/// The times that threads of a block have come to.
using Times = std::vector<uint32_t>;

/// The accesses of other threads that happen before the next access of each
/// thread of the block: vector clocks, which are not written out if all threads
/// of the block know the same.
class ThreadClocks {
public:
  void beginLaunch(uint32_t numThreads);
  void beginBlock(uint32_t number);

  /// The access that a thread makes now.
  Event now(uint32_t thread) const {
    return {block << Event::kThreadBits | thread, times[thread]};
  }
  /// Returns true if `event` happens before all later events of a thread.
  bool isBefore(const Event &event, uint32_t thread) const;

  /// All threads of the block wait for each other.
  void passBarrier();
  /// A thread says what it knows to those who leave with the same `times`.
  void arrive(uint32_t thread, Times &times);
  void leave(uint32_t thread, const Times &times);

  /// A thread changes `address` atomically, and says what it knows (release),
  /// gets to know what was said (acquire).
  void synchronize(uint32_t thread, uintptr_t address, bool isRelease,
                   bool isAcquire);
  void fence(uint32_t thread);

private:
  /// The times that threads released at an address, in order.
  struct Place {
    llvm::DenseMap<uint32_t, std::vector<std::pair<size_t, Times>>> said;
    size_t count = 0;
  };
  /// All that was said up to some point.
  struct Heard {
    const Place *place;
    size_t count;
  };
  Times known(uint32_t thread) const;
  uint32_t *row(uint32_t thread) {
    return &rows[size_t{thread} * times.size()];
  }
  bool isIn(const std::vector<Heard> &heard, const Event &event) const;

  uint32_t block = 0;
  Times times;
  /// The time of each thread that all threads know.
  Times floor;
  /// The later times that a thread knows: a row each, empty if there are none.
  std::vector<uint32_t> rows;
  llvm::DenseMap<uintptr_t, std::unique_ptr<Place>> places;
  /// The releases that each thread has acquired, and those that all of the
  /// block have.
  std::vector<std::vector<Heard>> heard, heardWithoutFence;
  std::vector<Heard> heardByAll;
  std::vector<bool> isFenced;
};

} // namespace simulator

#endif // FLYWHEEL_TEST_LIB_GPUSIMULATOR_THREADCLOCKS_H
