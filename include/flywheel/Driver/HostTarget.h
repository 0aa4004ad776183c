//===- HostTarget.h - How a target flushes denormals ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_HOSTTARGET_H
#define FLYWHEEL_DRIVER_HOSTTARGET_H

#include "flywheel/Driver/Compiler.h"

namespace flywheel {

/// The control register with which the target flushes denormal numbers, as the
/// option `flush-denormals` of `flywheel-emit-entry-points` spells it; empty
/// where it is not known.
llvm::StringRef getDenormalControl(const TargetOptions &options);

/// The sizes of the machine for which kernels are tiled, beside the vector
/// unit.
struct MachineSizes {
  int64_t l1Bytes, l2Bytes, cores;
};

/// Those that `options` give. The others are of this machine, as far as the
/// operating system tells them, where the CPU is this one by default or as
/// `host`; of any other CPU they are the same on every machine.
MachineSizes getMachineSizes(const TargetOptions &options);

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_HOSTTARGET_H
