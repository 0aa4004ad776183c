//===- WorkerTeam.cpp - Threads that execute a step together --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/WorkerTeam.h"
#include "WorkerThreads.h"
#include "flywheel/Runtime/Processors.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <new>

namespace flywheel::runtime {

WorkerTeam::WorkerTeam(int32_t workers)
    : interface{{workers, &runBody, &waitForAll}, this} {}

WorkerTeam &WorkerTeam::get(flywheel_team *team) {
  return *reinterpret_cast<Interface *>(team)->self;
}

void WorkerTeam::runBody(flywheel_team *team, void (*body)(void *, int32_t),
                         void *context) {
  WorkerTeam &self = get(team);
  int32_t wanted = team->workers;
  WorkerThreads::List threads = WorkerThreads::get().borrow(wanted - 1);
  // As many as there are execute this call.
  team->workers = threads.size + 1;
  self.pending.store(threads.size, std::memory_order_relaxed);
  int32_t worker = 1;
  for (WorkerThread *thread = threads.first; thread; thread = thread->next)
    thread->start({body, context, worker++, &self.pending});
  body(context, 0);
  waitUntil([&] { return self.pending.load(std::memory_order_acquire) == 0; });
  team->workers = wanted;
  WorkerThreads::get().giveBack(threads);
}

void WorkerTeam::waitForAll(flywheel_team *team, int32_t) {
  WorkerTeam &self = get(team);
  uint32_t phase = self.phase.load(std::memory_order_relaxed);
  int32_t before = self.arrived.fetch_add(1, std::memory_order_acq_rel);
  if (before + 1 == team->workers) {
    // No worker reaches the next barrier before the phase has changed.
    self.arrived.store(0, std::memory_order_relaxed);
    self.phase.store(phase + 1, std::memory_order_release);
    return;
  }
  waitUntil(
      [&] { return self.phase.load(std::memory_order_acquire) != phase; });
}

int32_t getMaxWorkers() { return WorkerThreads::get().getLimit(); }

void setMaxWorkers(int32_t workers) { WorkerThreads::get().setLimit(workers); }

Result<std::optional<int32_t>>
getNumThreadsOfEnvironment(const char *variable) {
  const char *text = std::getenv(variable);
  if (!text || !*text)
    return std::optional<int32_t>();
  const char *end = text + std::strlen(text);
  int32_t number = 0;
  auto [rest, error] = std::from_chars(text, end, number);
  if (error != std::errc() || rest != end || number < 1 || number > kMaxThreads)
    return Status::invalidArgument(
        "expected a number from 1 to " + std::to_string(kMaxThreads) + " as " +
        std::string(variable) + ", found '" + text + "'");
  return std::optional<int32_t>(number);
}

Result<int32_t> getDefaultThreads() {
  Result<std::optional<int32_t>> given = getNumThreadsOfEnvironment();
  if (!given.isOk())
    return given.status();
  return given->value_or(std::min(countProcessors(), kMaxThreads));
}

} // namespace flywheel::runtime

//===----------------------------------------------------------------------===//
// The interface of programs in C
//===----------------------------------------------------------------------===//

using flywheel::runtime::WorkerTeam;

flywheel_team *flywheel_team_create(int32_t workers) {
  if (workers < 1)
    return nullptr;
  auto *team = new (std::nothrow) WorkerTeam(workers);
  return team ? team->get() : nullptr;
}

void flywheel_team_destroy(flywheel_team *team) {
  if (team)
    delete &WorkerTeam::get(team);
}

int32_t flywheel_max_workers(void) {
  return flywheel::runtime::getMaxWorkers();
}

void flywheel_set_max_workers(int32_t workers) {
  flywheel::runtime::setMaxWorkers(workers);
}
