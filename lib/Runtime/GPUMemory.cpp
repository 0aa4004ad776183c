//===- GPUMemory.cpp - Memory of a GPU for a program ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/GPUMemory.h"

#include "GPUDriver.h"

#include <algorithm>
#include <string>

namespace flywheel::runtime {

static Result<const GPUDriver *> getDriver() {
  char error[kErrorBytes] = {};
  if (const GPUDriver *driver = GPUDriver::get(error))
    return driver;
  return Status::failedPrecondition(error);
}

static Status describe(const GPUDriver &driver, const char *call,
                       GPUDriver::Status status) {
  char error[kErrorBytes] = {};
  driver.describe(call, status, error);
  return status == GPUDriver::kOutOfMemory ? Status::resourceExhausted(error)
                                           : Status::failedPrecondition(error);
}

Result<void *> allocateOnGPU(size_t bytes) {
  Result<const GPUDriver *> driver = getDriver();
  if (!driver.isOk())
    return driver.status();
  GPUDriver::Address address = 0;
  if (GPUDriver::Status status =
          (*driver)->allocate(&address, std::max<size_t>(bytes, 1)))
    return describe(**driver, "cuMemAlloc", status);
  return reinterpret_cast<void *>(address);
}

void freeOnGPU(void *address) {
  Result<const GPUDriver *> driver = getDriver();
  if (driver.isOk() && address)
    (*driver)->free(reinterpret_cast<GPUDriver::Address>(address));
}

/// Waits for the default stream after `copy` on it.
template <typename Copy>
static Status copyAndWait(const char *call, size_t bytes, Copy &&copy) {
  Result<const GPUDriver *> driver = getDriver();
  if (!driver.isOk() || bytes == 0)
    return driver.status();
  if (GPUDriver::Status status = copy(**driver))
    return describe(**driver, call, status);
  if (GPUDriver::Status status = (*driver)->synchronize(nullptr))
    return describe(**driver, "cuStreamSynchronize", status);
  return {};
}

Status copyToGPU(void *to, const void *from, size_t bytes) {
  return copyAndWait("cuMemcpyHtoD", bytes, [&](const GPUDriver &driver) {
    return driver.copyToDevice(reinterpret_cast<GPUDriver::Address>(to), from,
                               bytes, nullptr);
  });
}

Status copyFromGPU(void *to, const void *from, size_t bytes) {
  return copyAndWait("cuMemcpyDtoH", bytes, [&](const GPUDriver &driver) {
    return driver.copyToHost(to, reinterpret_cast<GPUDriver::Address>(from),
                             bytes, nullptr);
  });
}

Status synchronizeGPU(uintptr_t stream) {
  Result<const GPUDriver *> driver = getDriver();
  if (!driver.isOk())
    return driver.status();
  if (GPUDriver::Status status =
          (*driver)->synchronize(reinterpret_cast<void *>(stream)))
    return describe(**driver, "cuStreamSynchronize", status);
  return {};
}

} // namespace flywheel::runtime
