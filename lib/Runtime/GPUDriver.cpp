//===- GPUDriver.cpp - The functions of the CUDA driver -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUDriver.h"

#include <cstdlib>
#include <dlfcn.h>

namespace flywheel::runtime {

std::string GPUDriver::describe(const char *call, Status status) const {
  const char *name = nullptr;
  if (getErrorName(status, &name) != 0 || !name)
    name = "an unknown error";
  return std::string(call) + " failed: " + name + " (" +
         std::to_string(status) + ")";
}

namespace {
/// What is found once in a process.
struct Loaded {
  GPUDriver driver;
  void *context = nullptr;
  std::string error;

  Loaded();

private:
  template <typename Function>
  void find(void *library, Function *&function, const char *name) {
    function = reinterpret_cast<Function *>(dlsym(library, name));
    if (!function && error.empty())
      error = std::string("the GPU's driver has no ") + name;
  }
};
} // namespace

Loaded::Loaded() {
  const char *given = std::getenv("FLYWHEEL_LIBCUDA");
  const char *path = given && *given ? given : "libcuda.so.1";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    error = std::string("no driver of a GPU: cannot load '") + path +
            "': " + (reason ? reason : "it is not there");
    return;
  }
  find(library, driver.init, "cuInit");
  find(library, driver.getDevice, "cuDeviceGet");
  find(library, driver.retainContext, "cuDevicePrimaryCtxRetain");
  find(library, driver.setContext, "cuCtxSetCurrent");
  find(library, driver.allocate, "cuMemAlloc_v2");
  find(library, driver.free, "cuMemFree_v2");
  find(library, driver.copyToDevice, "cuMemcpyHtoD_v2");
  find(library, driver.copyToHost, "cuMemcpyDtoH_v2");
  find(library, driver.loadModule, "cuModuleLoadData");
  find(library, driver.getFunction, "cuModuleGetFunction");
  find(library, driver.launch, "cuLaunchKernel");
  find(library, driver.synchronize, "cuCtxSynchronize");
  find(library, driver.getErrorName, "cuGetErrorName");
  if (!error.empty())
    return;
  int device = 0;
  const char *call = "cuInit";
  GPUDriver::Status status = driver.init(0);
  if (status == 0) {
    call = "cuDeviceGet";
    status = driver.getDevice(&device, 0);
  }
  if (status == 0) {
    call = "cuDevicePrimaryCtxRetain";
    status = driver.retainContext(&context, device);
  }
  if (status != 0)
    error = "no GPU: " + driver.describe(call, status);
}

const GPUDriver *GPUDriver::get(std::string &error) {
  // Never unloaded: the driver outlives what uses it.
  static const Loaded &loaded = *new Loaded();
  if (!loaded.error.empty()) {
    error = loaded.error;
    return nullptr;
  }
  // Current in each thread that comes.
  if (GPUDriver::Status status = loaded.driver.setContext(loaded.context)) {
    error = loaded.driver.describe("cuCtxSetCurrent", status);
    return nullptr;
  }
  return &loaded.driver;
}

} // namespace flywheel::runtime
