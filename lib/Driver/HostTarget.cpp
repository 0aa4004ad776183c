//===- HostTarget.cpp - What a target's vector unit is --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/HostTarget.h"
#include "flywheel/Target/Object/TargetMachine.h"

#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <limits>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

using namespace flywheel;

static llvm::Triple getTriple(const TargetOptions &options) {
  return llvm::Triple(options.triple.empty() ? llvm::sys::getProcessTriple()
                                             : options.triple);
}

llvm::StringRef flywheel::getDenormalControl(const TargetOptions &options) {
  llvm::Triple triple = getTriple(options);
  if (triple.getArch() == llvm::Triple::x86_64)
    return "x86";
  return triple.isAArch64() ? "aarch64" : "";
}

/// The smallest cache sizes of CPUs of recent years.
constexpr int64_t kL1Bytes = 48 * 1024, kL2Bytes = 2 * 1024 * 1024;

/// Returns the sizes of this machine, or `least` if they are not known. A
/// system may report 0 or -1, as in some virtual machines, or the second-level
/// cache of a cluster.
static MachineSizes readHostSizes(MachineSizes least) {
  MachineSizes sizes = least;
#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
  int64_t l1Bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE);
  int64_t l2Bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  constexpr int64_t kSmallest = 4096;
  if (l1Bytes >= kSmallest && l2Bytes >= l1Bytes) {
    sizes.l1Bytes = l1Bytes;
    sizes.l2Bytes = l2Bytes;
  }
#endif
  sizes.cores =
      std::max(1u, llvm::hardware_concurrency().compute_thread_count());
  return sizes;
}

MachineSizes flywheel::getMachineSizes(const TargetOptions &options) {
  MachineSizes sizes = {kL1Bytes, kL2Bytes, /*cores=*/1};
  if (isHostCPU(options))
    sizes = readHostSizes(sizes);
  if (options.l1Bytes != 0)
    sizes.l1Bytes = options.l1Bytes;
  if (options.l2Bytes != 0)
    sizes.l2Bytes = options.l2Bytes;
  if (options.cores != 0)
    sizes.cores = options.cores;
  return sizes;
}
