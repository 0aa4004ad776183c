//===- Backends.h - Our back ends -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DRIVER_BACKENDS_BACKENDS_H
#define FLYWHEEL_LIB_DRIVER_BACKENDS_BACKENDS_H

#include "flywheel/Driver/Backend.h"

namespace flywheel {

/// Fused, tiled and vectorized loops of the host.
std::unique_ptr<Backend> createCPUBackend();
/// Launches of a GPU.
std::unique_ptr<Backend> createGPUBackend();
/// One plain scalar loop nest of the host an op.
std::unique_ptr<Backend> createReferenceBackend();

} // namespace flywheel

#endif // FLYWHEEL_LIB_DRIVER_BACKENDS_BACKENDS_H
