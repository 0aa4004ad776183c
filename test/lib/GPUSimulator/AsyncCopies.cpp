//===- AsyncCopies.cpp - Copies that are over when waited for -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncCopies.h"

#include "Execution.h"
#include "Memory.h"
#include "Races.h"

#include <cstring>
#include <deque>

namespace simulator {
namespace {

struct Copy {
  char *to;
  const char *from;
  uint32_t bytes, sourceBytes;
};

/// The copies of one thread.
struct Copies {
  std::vector<Copy> uncommitted;
  std::deque<std::vector<Copy>> groups;
};

} // namespace

static std::vector<Copies> copiesOf(kMaxThreads);
/// The threads, by number, that have any.
static std::vector<uint32_t> owners;

void forgetAsyncCopies() {
  for (uint32_t thread : owners)
    copiesOf[thread] = {};
  owners.clear();
}

void beginAsyncCopy(char *to, const char *from, uint32_t bytes,
                    uint32_t sourceBytes) {
  uint32_t thread = getThreadNumber();
  if (sourceBytes > bytes)
    fail("cp.async of " + std::to_string(sourceBytes) + " bytes to " +
         std::to_string(bytes));
  checkWorkgroupAccess(to, bytes, bytes);
  if (sourceBytes) {
    checkAlignment(from, bytes);
    checkBounds(from, sourceBytes);
  }
  if (Races *races = Races::get()) {
    races->access(thread, from, sourceBytes, AccessKind::Read);
    races->access(thread, to, bytes, AccessKind::Write);
  }
  std::memset(to, GuardedMemory::kPoison, bytes);
  Copies &copies = copiesOf[thread];
  if (copies.uncommitted.empty() && copies.groups.empty())
    owners.push_back(thread);
  copies.uncommitted.push_back({to, from, bytes, sourceBytes});
}

static void finish(const std::vector<Copy> &copies) {
  for (const Copy &copy : copies) {
    std::memcpy(copy.to, copy.from, copy.sourceBytes);
    std::memset(copy.to + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
    if (Races *races = Races::get())
      races->access(getThreadNumber(), copy.to, copy.bytes, AccessKind::Write);
  }
}

void commitAsyncCopies() {
  Copies &copies = copiesOf[getThreadNumber()];
  if (copies.uncommitted.empty() && copies.groups.empty())
    owners.push_back(getThreadNumber());
  copies.groups.push_back(std::move(copies.uncommitted));
  copies.uncommitted.clear();
}

void waitForAsyncCopies(uint32_t numPending) {
  Copies &copies = copiesOf[getThreadNumber()];
  for (; copies.groups.size() > numPending; copies.groups.pop_front())
    finish(copies.groups.front());
}

void waitForAllAsyncCopies() {
  waitForAsyncCopies(0);
  Copies &copies = copiesOf[getThreadNumber()];
  finish(copies.uncommitted);
  copies.uncommitted.clear();
}

} // namespace simulator
