//===- Processors.h - Processors of this process ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_PROCESSORS_H
#define FLYWHEEL_RUNTIME_PROCESSORS_H

#include <cstdint>
#include <optional>
#include <string>

namespace flywheel::runtime {

/// Returns the number of processors whose time the control groups of this
/// process allow it to use, rounded down but at least 1: the smallest quota
/// over period of its group and the groups above. nullopt if no group has a
/// quota. \p root is the folder that holds `proc` and `sys`, "" for the
/// system's.
std::optional<int32_t> getProcessorQuota(const std::string &root = "");

/// Returns the number of processors that this process may use, at least 1:
/// those that its first thread may run on, and no more than its quota.
int32_t countProcessors();

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_PROCESSORS_H
