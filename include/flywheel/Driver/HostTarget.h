//===- HostTarget.h - What a target's vector unit is ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_HOSTTARGET_H
#define FLYWHEEL_DRIVER_HOSTTARGET_H

#include "flywheel/Codegen/CPU/CpuTarget.h"
#include "flywheel/Driver/Compiler.h"

namespace flywheel {

/// The vector unit of a target, from its triple, CPU and features as LLVM knows
/// them; of the host where the options are empty. An unknown target counts as
/// one with 128-bit vectors and 16 registers.
CpuTarget getCpuTarget(const TargetOptions &options);

/// The control register with which the target flushes denormal numbers, as the
/// option `flush-denormals` of `flywheel-emit-entry-points` spells it; empty
/// where it is not known.
llvm::StringRef getDenormalControl(const TargetOptions &options);

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_HOSTTARGET_H
