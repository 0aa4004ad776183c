//===- ExpandForLibrary.h - Code that needs only libc and libm --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TARGET_OBJECT_EXPANDFORLIBRARY_H
#define FLYWHEEL_LIB_TARGET_OBJECT_EXPANDFORLIBRARY_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace flywheel {

/// Expands instructions that LLVM would lower to calls that a C99 library does
/// not have: arithmetic and conversions of f16 and bf16, maxima and minima with
/// the NaN and signed zero of IEEE 754-2019, and rounding to even. Leaves those
/// for which the target has instructions.
void expandForLibrary(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TARGET_OBJECT_EXPANDFORLIBRARY_H
