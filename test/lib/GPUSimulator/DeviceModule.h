//===- DeviceModule.h - Device code before the host's compiler --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_LIB_GPUSIMULATOR_DEVICEMODULE_H
#define FLYWHEEL_TEST_LIB_GPUSIMULATOR_DEVICEMODULE_H

#include "Kernel.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace simulator {

/// The name of the function that loads a kernel's arguments from their places.
std::string getPackedName(llvm::StringRef kernel);

/// Makes a module for the host of one for NVPTX: without intrinsics of the
/// device; with a packed function for each kernel, which is added to `kernels`;
/// with variables of workgroup memory that are declared under the names, and
/// have the places, of `variables`.
llvm::Error
convertToHost(llvm::Module &module, llvm::StringMap<Kernel> &kernels,
              std::vector<std::unique_ptr<WorkgroupVariable>> &variables);

} // namespace simulator

#endif // FLYWHEEL_TEST_LIB_GPUSIMULATOR_DEVICEMODULE_H
