//===- GPUDriver.cpp - The functions of the CUDA driver -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUDriver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

namespace flywheel::runtime {

void GPUDriver::describe(const char *call, Status status, char *error) const {
  const char *name = nullptr;
  if (getErrorName(status, &name) != 0 || !name)
    name = "an unknown error";
  snprintf(error, kErrorBytes, "%s failed: %s (%d)", call, name, status);
}

namespace {
/// The driver's functions, found once in a process.
struct Loaded {
  bool isTried;
  GPUDriver driver;
  void *context;
  char error[kErrorBytes];

  void load();

private:
  template <typename Function>
  void find(void *library, Function *&function, const char *name) {
    function = reinterpret_cast<Function *>(dlsym(library, name));
    if (!function && !*error)
      snprintf(error, kErrorBytes, "the GPU's driver has no %s", name);
  }
};
} // namespace

void Loaded::load() {
  const char *given = getenv("FLYWHEEL_LIBCUDA");
  const char *path = given && *given ? given : "libcuda.so.1";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    snprintf(error, kErrorBytes, "no driver of a GPU: cannot load '%s': %s",
             path, reason ? reason : "it is not there");
    return;
  }
  find(library, driver.init, "cuInit");
  find(library, driver.getDevice, "cuDeviceGet");
  find(library, driver.getAttribute, "cuDeviceGetAttribute");
  find(library, driver.retainContext, "cuDevicePrimaryCtxRetain");
  find(library, driver.setContext, "cuCtxSetCurrent");
  find(library, driver.allocate, "cuMemAlloc_v2");
  find(library, driver.free, "cuMemFree_v2");
  find(library, driver.allocateHost, "cuMemAllocHost_v2");
  find(library, driver.freeHost, "cuMemFreeHost");
  find(library, driver.copyToDevice, "cuMemcpyHtoDAsync_v2");
  find(library, driver.copyToHost, "cuMemcpyDtoHAsync_v2");
  find(library, driver.copyOnDevice, "cuMemcpyDtoDAsync_v2");
  find(library, driver.getPointerAttribute, "cuPointerGetAttribute");
  find(library, driver.loadModule, "cuModuleLoadData");
  find(library, driver.getFunction, "cuModuleGetFunction");
  find(library, driver.setFunctionAttribute, "cuFuncSetAttribute");
  find(library, driver.launch, "cuLaunchKernel");
  find(library, driver.createStream, "cuStreamCreate");
  find(library, driver.destroyStream, "cuStreamDestroy_v2");
  find(library, driver.synchronize, "cuStreamSynchronize");
  find(library, driver.createEvent, "cuEventCreate");
  find(library, driver.destroyEvent, "cuEventDestroy_v2");
  find(library, driver.recordEvent, "cuEventRecord");
  find(library, driver.getElapsed, "cuEventElapsedTime");
  find(library, driver.beginCapture, "cuStreamBeginCapture_v2");
  find(library, driver.endCapture, "cuStreamEndCapture");
  find(library, driver.instantiate, "cuGraphInstantiateWithFlags");
  find(library, driver.launchGraph, "cuGraphLaunch");
  find(library, driver.destroyGraph, "cuGraphDestroy");
  find(library, driver.destroyExecutable, "cuGraphExecDestroy");
  find(library, driver.getErrorName, "cuGetErrorName");
  if (*error)
    return;
  int device = 0, major = 0, minor = 0;
  const char *call = "cuInit";
  GPUDriver::Status status = driver.init(0);
  if (status == 0) {
    call = "cuDeviceGet";
    status = driver.getDevice(&device, 0);
  }
  if (status == 0) {
    call = "cuDeviceGetAttribute";
    status = driver.getAttribute(&major, GPUDriver::kMajor, device);
  }
  if (status == 0)
    status = driver.getAttribute(&minor, GPUDriver::kMinor, device);
  if (status == 0) {
    call = "cuDevicePrimaryCtxRetain";
    status = driver.retainContext(&context, device);
  }
  driver.chip = 10 * major + minor;
  if (status != 0) {
    char reason[kErrorBytes];
    driver.describe(call, status, reason);
    snprintf(error, kErrorBytes, "no GPU: %.480s", reason);
  }
}

const GPUDriver *GPUDriver::get(char *error) {
  // Never unloaded: the driver outlives its users.
  static Loaded loaded;
  static bool lock;
  {
    SpinLock guard(lock);
    if (!loaded.isTried)
      loaded.load();
    loaded.isTried = true;
  }
  if (*loaded.error) {
    snprintf(error, kErrorBytes, "%s", loaded.error);
    return nullptr;
  }
  // Current in each thread that comes.
  if (Status status = loaded.driver.setContext(loaded.context)) {
    loaded.driver.describe("cuCtxSetCurrent", status, error);
    return nullptr;
  }
  return &loaded.driver;
}

} // namespace flywheel::runtime
