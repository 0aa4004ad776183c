//===- AsyncCopies.h - Copies that are over when waited for -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy to workgroup memory (cp.async) is made when its thread waits for it,
// as late as a device may make it. Until then there are NaNs.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_LIB_GPUSIMULATOR_ASYNCCOPIES_H
#define FLYWHEEL_TEST_LIB_GPUSIMULATOR_ASYNCCOPIES_H

#include <cstdint>

namespace simulator {

/// Forgets copies of threads of another block.
void forgetAsyncCopies();

/// Called by kernels. Copies the first `sourceBytes` of `bytes` bytes, and
/// writes zeros to the others.
void beginAsyncCopy(char *to, const char *from, uint32_t bytes,
                    uint32_t sourceBytes);
void commitAsyncCopies();
/// Waits for all groups but the last `numPending`.
void waitForAsyncCopies(uint32_t numPending);
/// Waits for what no group has, too.
void waitForAllAsyncCopies();
constexpr const char *kBeginCopyName = "simulator.copy.begin",
                     *kCommitCopiesName = "simulator.copy.commit",
                     *kWaitForCopiesName = "simulator.copy.wait",
                     *kWaitForAllCopiesName = "simulator.copy.wait.all";

} // namespace simulator

#endif // FLYWHEEL_TEST_LIB_GPUSIMULATOR_ASYNCCOPIES_H
