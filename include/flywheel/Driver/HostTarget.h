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

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_HOSTTARGET_H
