//===- WorkerTeam.h - Threads that execute a step together ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads belong to the process, not to a team: a call of `run` borrows as many
// as are free and no more than there are cores, and gives them back. So teams
// whose calls overlap share the cores.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_WORKERTEAM_H
#define FLYWHEEL_RUNTIME_WORKERTEAM_H

#include "flywheel/Runtime/Status.h"
#include "flywheel/flywheel.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace flywheel::runtime {

/// A team of workers, the first of which is the thread that calls `run`. Only
/// one call at a time may use it. The results of a call do not depend on its
/// number of workers.
class WorkerTeam {
public:
  /// A team of at most \p workers, at least 1.
  explicit WorkerTeam(int32_t workers);
  WorkerTeam(const WorkerTeam &) = delete;
  WorkerTeam &operator=(const WorkerTeam &) = delete;

  /// Returns the team in the form that a compiled step takes.
  flywheel_team *get() { return &interface.team; }
  /// The team whose get() gives \p team.
  static WorkerTeam &get(flywheel_team *team);

  int32_t getWorkers() const { return interface.team.workers; }
  /// Not during a call.
  void setWorkers(int32_t workers) { interface.team.workers = workers; }

private:
  /// The part that a step knows comes first, so that both have one address.
  struct Interface {
    flywheel_team team;
    WorkerTeam *self;
  };

  static void runBody(flywheel_team *team, void (*body)(void *, int32_t),
                      void *context);
  static void waitForAll(flywheel_team *team, int32_t worker);

  Interface interface;
  /// Each on a cache line of its own: the number of workers that have reached
  /// the barrier, the number of times that all of them have, and the number
  /// that have not returned.
  alignas(64) std::atomic<int32_t> arrived{0};
  alignas(64) std::atomic<uint32_t> phase{0};
  alignas(64) std::atomic<int32_t> pending{0};
};

/// Returns the maximum number of workers of all teams that run at the same
/// time. Callers do not wait, but get fewer workers. The default is
/// FLYWHEEL_NUM_THREADS, or the number of processors of this process if that is
/// not set.
int32_t getMaxWorkers();
/// \p workers less than 1 stand for the default.
void setMaxWorkers(int32_t workers);

/// The largest number of threads that can execute a step together.
constexpr int32_t kMaxThreads = 256;

/// Returns the number of threads that a variable of the environment requests;
/// nullopt if it is not set. Error: kInvalidArgument for a value that is not a
/// number from 1 to `kMaxThreads`.
Result<std::optional<int32_t>>
getNumThreadsOfEnvironment(const char *variable = "FLYWHEEL_NUM_THREADS");

/// Returns the number of threads that execute a step together if nobody says
/// otherwise: FLYWHEEL_NUM_THREADS, or as many as there are processors that
/// this process may use, at most `kMaxThreads`. A quota of a control group
/// counts as that many processors. Error: that of `getNumThreadsOfEnvironment`.
Result<int32_t> getDefaultThreads();

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_WORKERTEAM_H
