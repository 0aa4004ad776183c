//===- Races.cpp - Accesses that no barrier separates ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Races.h"

#include "Block.h"
#include "Memory.h"

#include <cstdlib>
#include <cstring>

namespace simulator {

static bool isActive = false;

/// Pages live from one launch to the next.
static Races &getRaces() {
  static Races &races = *new Races();
  return races;
}

Races *Races::get() { return isActive ? &getRaces() : nullptr; }

void Races::begin(const Kernel &kernel, const LaunchSize &size) {
  isActive = kernel.isInstrumented;
  if (!isActive)
    return;
  Races &races = getRaces();
  ++races.launch;
  races.grid = size.grid;
  races.block = size.block;
  races.clocks.beginLaunch(size.numThreads());
}

void Races::end() { isActive = false; }

bool isLookingForRaces() {
  const char *text = std::getenv("FLYWHEEL_SIM_RACES");
  return text && std::strcmp(text, "1") == 0;
}

Races::Page &Races::getPage(uintptr_t address) {
  uintptr_t number = address / kPageBytes;
  if (!lastPage || lastNumber != number) {
    std::unique_ptr<Page> &found = pages[number];
    if (!found)
      found = std::make_unique<Page>();
    lastNumber = number;
    lastPage = found.get();
  }
  Page &page = *lastPage;
  if (page.launch != launch) {
    page.launch = launch;
    page.bytesOfCell = 4;
    page.cells.assign(kPageBytes / 4, {});
  }
  return page;
}

void Races::forget(const GuardedMemory &memory) {
  auto begin = reinterpret_cast<uintptr_t>(memory.get());
  // No other memory is on these pages.
  for (uintptr_t page = begin / kPageBytes;
       page <= (begin + memory.size()) / kPageBytes; ++page)
    if (auto found = pages.find(page); found != pages.end())
      found->second->launch = 0;
}

void Races::splitCells(Page &page) {
  std::vector<Cell> cells;
  cells.reserve(kPageBytes);
  for (const Cell &cell : page.cells)
    cells.insert(cells.end(), 4, cell);
  page.cells = std::move(cells);
  page.bytesOfCell = 1;
}

void Races::check(const Event &before, uint32_t thread, const char *did,
                  AccessKind kind, uintptr_t address) {
  if (clocks.isBefore(before, thread))
    return;
  static constexpr const char *kDoes[] = {"reads", "writes",
                                          "changes atomically"};
  std::string who = "thread " + print(getDims(before.numberInBlock(), block));
  if (before.block() != clocks.now(thread).block())
    who += " of block " + print(getDims(before.block(), grid));
  getRegisters().thread = getDims(thread, block);
  fail("a race: the thread " + std::string(kDoes[static_cast<int>(kind)]) +
       " what " + who + " " + did + ", and no barrier is between: " +
       describeAddress(reinterpret_cast<const void *>(address)));
}

void Races::accessCell(Cell &cell, uint32_t thread, AccessKind kind,
                       uintptr_t address) {
  check(cell.write, thread, "wrote", kind, address);
  Event now = clocks.now(thread);
  if (kind != AccessKind::Atomic)
    check(cell.atomic, thread, "changed atomically", kind, address);
  if (kind == AccessKind::Read) {
    Event &last = cell.reads[0];
    if (last.thread != now.thread && last.thread != Event::kNobody)
      cell.reads[last.isInWarpOf(now) ? 1 : 2] = last;
    last = now;
    return;
  }
  for (const Event &read : cell.reads)
    check(read, thread, "read", kind, address);
  if (kind == AccessKind::Atomic)
    cell.atomic = now;
  else
    cell.write = now;
}

void Races::access(uint32_t thread, const void *where, size_t bytes,
                   AccessKind kind) {
  auto address = reinterpret_cast<uintptr_t>(where);
  for (uintptr_t end = address + bytes; address < end;) {
    Page &page = getPage(address);
    uintptr_t offset = address % kPageBytes;
    uintptr_t part = std::min(end - address, kPageBytes - offset);
    if (page.bytesOfCell == 4 && (offset % 4 != 0 || part % 4 != 0))
      splitCells(page);
    for (uintptr_t i = 0; i < part; i += page.bytesOfCell)
      accessCell(page.cells[(offset + i) / page.bytesOfCell], thread, kind,
                 address + i);
    address += part;
  }
}

void lookAtAccess(const void *address, uint64_t bytes, uint32_t kind,
                  uint64_t alignment) {
  if (bytes == 0 || isOnStack(address))
    return;
  checkAlignment(address, alignment);
  checkBounds(address, bytes);
  getRaces().access(getThreadNumber(), address, bytes,
                    static_cast<AccessKind>(kind));
}

void lookAtAtomic(const void *address, uint32_t isRelease, uint32_t isAcquire) {
  getRaces().getClocks().synchronize(getThreadNumber(),
                                     reinterpret_cast<uintptr_t>(address),
                                     isRelease, isAcquire);
}

void lookAtFence() {
  if (Races *races = Races::get())
    races->getClocks().fence(getThreadNumber());
}

} // namespace simulator
