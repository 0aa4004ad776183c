//===- Races.h - Accesses that no barrier separates -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With FLYWHEEL_SIM_RACES=1 each access of memory by a kernel is looked at: two
// of different threads to one byte, at least one of which writes, have to have
// a barrier between them, be atomic, or be in blocks of which one has heard of
// the other by an atomic operation. Accesses outside variables and buffers, and
// such as are less aligned than the instruction says, are found too.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_LIB_GPUSIMULATOR_RACES_H
#define FLYWHEEL_TEST_LIB_GPUSIMULATOR_RACES_H

#include "ThreadClocks.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace simulator {

/// The kinds of accesses.
enum class AccessKind : uint32_t { Read, Write, Atomic };

/// The accesses of a launch to memory, by which races are found.
class Races {
public:
  /// Returns the races of the launch that is executed; null if none are
  /// searched.
  static Races *get();
  static void begin(const Kernel &kernel, const LaunchSize &size);
  static void end();

  ThreadClocks &getClocks() { return clocks; }
  /// Records an access of the thread that runs, or, in an operation of several
  /// threads, of another one of its block. A race ends the launch.
  void access(uint32_t thread, const void *address, size_t bytes,
              AccessKind kind);
  /// Memory that is another one in each block.
  void forget(const GuardedMemory &memory);

private:
  struct Cell {
    Event write, atomic;
    /// The last thread that read, another one of its warp, and one of another
    /// warp or block: who writes later is at most one of them.
    Event reads[3];
  };
  struct Page {
    uint64_t launch = 0;
    /// A cell for each 4 bytes, or for each byte once an access was of fewer.
    std::vector<Cell> cells;
    unsigned bytesOfCell = 4;
  };
  static constexpr size_t kPageBytes = 4096;

  Page &getPage(uintptr_t address);
  void splitCells(Page &page);
  void check(const Event &before, uint32_t thread, const char *did,
             AccessKind kind, uintptr_t address);
  void accessCell(Cell &cell, uint32_t thread, AccessKind kind,
                  uintptr_t address);

  Dims grid = {}, block = {};
  ThreadClocks clocks;
  llvm::DenseMap<uintptr_t, std::unique_ptr<Page>> pages;
  /// The page of the last access, by its number.
  uintptr_t lastNumber = 0;
  Page *lastPage = nullptr;
  uint64_t launch = 0;
};

/// Returns true if FLYWHEEL_SIM_RACES=1.
bool isLookingForRaces();

/// Has all accesses of memory in a module for NVPTX looked at. An error names
/// an instruction that cannot be.
llvm::Error instrumentAccesses(llvm::Module &module);

/// Called by instrumented code: void (address, bytes, kind, alignment).
/// Accesses of 0 bytes do nothing.
void lookAtAccess(const void *address, uint64_t bytes, uint32_t kind,
                  uint64_t alignment);
/// void (address, whether it releases, whether it acquires).
void lookAtAtomic(const void *address, uint32_t isRelease, uint32_t isAcquire);
void lookAtFence();
constexpr const char *kAccessName = "simulator.access",
                     *kAtomicName = "simulator.atomic",
                     *kFenceName = "simulator.fence";

} // namespace simulator

#endif // FLYWHEEL_TEST_LIB_GPUSIMULATOR_RACES_H
