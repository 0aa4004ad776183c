//===- Targets.h - The machines that LLVM knows ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM has a list of targets to which it adds without a lock. If two threads
// add one at the same time, a target may become its own successor, and a search
// for a target then never ends.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SUPPORT_TARGETS_H
#define FLYWHEEL_SUPPORT_TARGETS_H

namespace flywheel {

/// Sets up code for the machine that this process is on, which is quick. Any
/// thread may call this before it looks for a target, any number of times.
void initializeHostTarget();

/// Sets up code for all machines: those of cross compilation, and GPUs.
void initializeAllTargets();

} // namespace flywheel

#endif // FLYWHEEL_SUPPORT_TARGETS_H
