//===- HostCode.h - Device code for the host --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_LIB_GPUSIMULATOR_HOSTCODE_H
#define FLYWHEEL_TEST_LIB_GPUSIMULATOR_HOSTCODE_H

#include "Kernel.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include <memory>

namespace simulator {

/// Kernels of one module of device code, compiled for the host.
class HostCode {
public:
  /// From the size, of 8 bytes, and LLVM's bitcode for NVPTX.
  static llvm::Expected<std::unique_ptr<HostCode>> create(const void *image);
  /// The kernel with that name, or null.
  Kernel *find(llvm::StringRef name);

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<std::unique_ptr<WorkgroupVariable>> variables;
  llvm::StringMap<Kernel> kernels;
};

} // namespace simulator

#endif // FLYWHEEL_TEST_LIB_GPUSIMULATOR_HOSTCODE_H
