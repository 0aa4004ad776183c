//===- GPUSymbols.h - The runtime for GPUs by name --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_GPUSYMBOLS_H
#define FLYWHEEL_RUNTIME_GPUSYMBOLS_H

#include <utility>
#include <vector>

namespace flywheel::runtime {

/// The functions that code compiled in this process calls.
std::vector<std::pair<const char *, void *>> getGPUSymbols();

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_GPUSYMBOLS_H
