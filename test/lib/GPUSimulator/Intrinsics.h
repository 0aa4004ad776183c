//===- Intrinsics.h - What the host does for the device's -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_LIB_GPUSIMULATOR_INTRINSICS_H
#define FLYWHEEL_TEST_LIB_GPUSIMULATOR_INTRINSICS_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace simulator {

/// Replaces the device's intrinsics by reads of registers and calls of symbols
/// of the simulator. The functions in which a thread waits for others are added
/// to `waiting`. An error names an intrinsic that there is nothing for.
llvm::Error replaceIntrinsics(llvm::Module &module,
                              llvm::SmallPtrSetImpl<llvm::Function *> &waiting);

/// The place of the variable whose size a launch says, as the registers have
/// it, read at the beginning of `function`.
llvm::Value *readDynamicMemory(llvm::Function &function);

} // namespace simulator

#endif // FLYWHEEL_TEST_LIB_GPUSIMULATOR_INTRINSICS_H
