//===- Processors.cpp - Processors of this process ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/Processors.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

#ifdef __linux__
#include <sched.h>
#include <unistd.h>
#endif

namespace flywheel::runtime {

/// The CPU time that the processes of a control group may take in a period.
struct Quota {
  int64_t time = 0, period = 0;
};

/// Reads the quota of the group with the folder \p group: `cpu.max` in version
/// 2 of control groups, two files in version 1. nullopt if the group has none.
static std::optional<Quota> readQuota(const std::string &group, bool isV2) {
  Quota quota;
  // Version 2 has the word "max" and version 1 the number -1 for no quota.
  if (isV2) {
    std::ifstream(group + "/cpu.max") >> quota.time >> quota.period;
  } else {
    std::ifstream(group + "/cpu.cfs_quota_us") >> quota.time;
    std::ifstream(group + "/cpu.cfs_period_us") >> quota.period;
  }
  if (quota.time <= 0 || quota.period <= 0)
    return std::nullopt;
  return quota;
}

/// Returns true if \p controllers, a list with commas, has `cpu`.
static bool hasCPU(const std::string &controllers) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');)
    if (name == "cpu")
      return true;
  return false;
}

std::optional<int32_t> getProcessorQuota(const std::string &root) {
  std::optional<int32_t> processors;
  std::ifstream groups(root + "/proc/self/cgroup");
  // A line is "number:controllers:path", without controllers in version 2.
  for (std::string line; std::getline(groups, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos)
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    bool isV2 = controllers.empty();
    if (!isV2 && !hasCPU(controllers))
      continue;
    std::string top = root + "/sys/fs/cgroup" + (isV2 ? "" : "/cpu");
    // A container may see the path of the host, and its own group at the top.
    for (std::string path = line.substr(second + 1);;
         path.resize(path.rfind('/'))) {
      if (path == "/")
        path.clear();
      if (std::optional<Quota> quota = readQuota(top + path, isV2)) {
        // Threads that wait for one another take all of their time: one more
        // than the quota has would make all of them wait for its next period.
        int64_t whole = std::max<int64_t>(quota->time / quota->period, 1);
        processors = static_cast<int32_t>(
            std::min<int64_t>(whole, processors.value_or(INT32_MAX)));
      }
      if (path.find('/') == std::string::npos)
        break;
    }
  }
  return processors;
}

int32_t countProcessors() {
  auto count = static_cast<int32_t>(std::thread::hardware_concurrency());
#ifdef __linux__
  cpu_set_t set;
  // The process may use more than the thread that asks first.
  if (sched_getaffinity(getpid(), sizeof(set), &set) == 0)
    count = CPU_COUNT(&set);
#endif
  return std::max(std::min(count, getProcessorQuota().value_or(count)), 1);
}

} // namespace flywheel::runtime
