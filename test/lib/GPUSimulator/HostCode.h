//===- HostCode.h - Device code for the host --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_LIB_GPUSIMULATOR_HOSTCODE_H
#define FLYWHEEL_TEST_LIB_GPUSIMULATOR_HOSTCODE_H

#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include <memory>
#include <string>

namespace simulator {

/// Where a thread is, as the device's registers say.
struct Place {
  uint32_t thread[3], block[3], blockSize[3], gridSize[3];
};

/// A kernel as a function of the places of its arguments.
using Kernel = void (*)(void **arguments);

/// Kernels of one module of device code, compiled for the host.
class HostCode {
public:
  /// From the size, of 8 bytes, and LLVM's bitcode for NVPTX; the
  /// code reads `place`.
  static llvm::Expected<std::unique_ptr<HostCode>> create(const void *image,
                                                          Place &place);
  llvm::Expected<Kernel> find(llvm::StringRef name) const;

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace simulator

#endif // FLYWHEEL_TEST_LIB_GPUSIMULATOR_HOSTCODE_H
