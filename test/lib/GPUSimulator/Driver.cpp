//===- Driver.cpp - A stand-in for the driver of a GPU --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of libcuda.so.1 that the runtime uses, over memory of the host.
// Every buffer starts and ends at a page that nothing may touch, and is full of
// bytes that are NaNs. FLYWHEEL_SIM_MEMORY is the number of bytes of the
// device, FLYWHEEL_SIM_KERNELS that of the kernels after which the device is
// lost. After a kernel that failed everything fails, as on a device.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "HostCode.h"
#include "Machine.h"
#include "Memory.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>

using namespace simulator;

static size_t getMemory() {
  const char *text = std::getenv("FLYWHEEL_SIM_MEMORY");
  return text ? std::strtoull(text, nullptr, 10) : size_t{1} << 34;
}

static uint64_t getMaxKernels() {
  const char *text = std::getenv("FLYWHEEL_SIM_KERNELS");
  return text ? std::strtoull(text, nullptr, 10) : UINT64_MAX;
}

/// The least alignment of buffers of the driver.
static constexpr size_t kAlignment = 256;

/// Attributes of functions, as the driver numbers them.
enum Attribute { kMaxDynamicBytes = 8, kPreferredCarveout = 9 };

/// 16 x 2 x 1.
static std::string printSize(const Dims &dims) {
  return std::to_string(dims[0]) + " x " + std::to_string(dims[1]) + " x " +
         std::to_string(dims[2]);
}

/// Returns the reason why a device would not launch the kernel, or nothing.
static std::string refuse(const Kernel &kernel, const LaunchSize &size) {
  auto expect = [](const char *what, size_t found, size_t most) {
    return std::string("expected at most ") + std::to_string(most) + " " +
           what + ", found " + std::to_string(found);
  };
  static constexpr Dims kMaxGrid = {0x7FFFFFFF, 65535, 65535},
                        kMaxBlock = {1024, 1024, 64};
  for (int axis = 0; axis < 3; ++axis) {
    if (size.grid[axis] == 0 || size.block[axis] == 0)
      return "expected a block and a thread, found none";
    if (size.grid[axis] > kMaxGrid[axis])
      return expect("blocks along an axis", size.grid[axis], kMaxGrid[axis]);
    if (size.block[axis] > kMaxBlock[axis])
      return expect("threads along an axis", size.block[axis], kMaxBlock[axis]);
  }
  if (size.numThreads() > kernel.maxThreads)
    return expect("threads of a block", size.numThreads(), kernel.maxThreads);
  if (kernel.requiredBlock[0] && size.block != kernel.requiredBlock)
    return "expected blocks of " + printSize(kernel.requiredBlock) +
           " threads, found " + printSize(size.block);
  // More than what all kernels may have is what the attribute allows.
  size_t most = kernel.maxDynamicBytes > kWorkgroupBytes
                    ? kernel.maxDynamicBytes
                    : kWorkgroupBytes - kernel.staticBytes;
  if (size.dynamicBytes > most)
    return expect("bytes of dynamic workgroup memory", size.dynamicBytes, most);
  return "";
}

/// Executes a kernel with the arguments that are at their places now.
static Operation makeLaunch(const Kernel &kernel, const LaunchSize &size,
                            void **arguments) {
  std::vector<std::vector<char>> values;
  for (auto [number, bytes] : llvm::enumerate(kernel.argumentBytes)) {
    auto *begin = static_cast<const char *>(arguments[number]);
    values.emplace_back(begin, begin + bytes);
  }
  return [&kernel, size, values = std::move(values)]() mutable {
    std::vector<void *> places;
    for (std::vector<char> &value : values)
      places.push_back(value.data());
    Machine &machine = Machine::get();
    static const uint64_t maxKernels = getMaxKernels();
    if (machine.counters.kernels >= maxKernels)
      return machine.failure = kLaunchFailed;
    ++machine.counters.kernels;
    machine.counters.launches += !machine.isInGraph;
    std::string error = execute(kernel, size, places.data());
    if (error.empty())
      return kSuccess;
    std::fprintf(stderr, "simulator: %s\n", error.c_str());
    return machine.failure = kLaunchFailed;
  };
}

extern "C" {
int cuInit(unsigned) { return kSuccess; }

int cuDeviceGet(int *device, int number) {
  *device = number;
  return number == 0 ? kSuccess : kInvalidValue;
}

/// Returns an attribute of a device that has all that is simulated.
int cuDeviceGetAttribute(int *value, int attribute, int /*device*/) {
  enum { kMajor = 75, kMinor = 76 };
  if (attribute != kMajor && attribute != kMinor)
    return kInvalidValue;
  *value = attribute == kMajor ? 9 : 0;
  return kSuccess;
}

int cuDevicePrimaryCtxRetain(void **context, int) {
  *context = &Machine::get();
  return kSuccess;
}

int cuDevicePrimaryCtxReset_v2(int) {
  Machine &machine = Machine::get();
  std::lock_guard<std::mutex> lock(machine.mutex);
  getBuffers().clear();
  machine.used = 0;
  machine.failure = kSuccess;
  for (Stream *stream : machine.streams)
    delete stream;
  machine.streams.clear();
  return kSuccess;
}

int cuCtxSetCurrent(void *) { return kSuccess; }

int cuMemAlloc_v2(uintptr_t *address, size_t bytes) {
  Machine &machine = Machine::get();
  std::lock_guard<std::mutex> lock(machine.mutex);
  if (Status status = machine.refuseWhileCapturing())
    return status;
  if (bytes == 0)
    return kInvalidValue;
  if (machine.used + bytes > getMemory())
    return kOutOfMemory;
  GuardedMemory memory(bytes, kAlignment);
  if (!memory)
    return kOutOfMemory;
  *address = reinterpret_cast<uintptr_t>(memory.get());
  getBuffers()[*address] = std::move(memory);
  machine.used += bytes;
  ++machine.counters.allocations;
  return kSuccess;
}

int cuMemFree_v2(uintptr_t address) {
  Machine &machine = Machine::get();
  std::lock_guard<std::mutex> lock(machine.mutex);
  if (Status status = machine.refuseWhileCapturing())
    return status;
  auto found = getBuffers().find(address);
  if (found == getBuffers().end())
    return kInvalidValue;
  machine.used -= found->second.size();
  getBuffers().erase(found);
  return kSuccess;
}

int cuMemAllocHost_v2(void **memory, size_t bytes) {
  Machine &machine = Machine::get();
  std::lock_guard<std::mutex> lock(machine.mutex);
  if (Status status = machine.refuseWhileCapturing())
    return status;
  *memory = bytes == 0 ? nullptr : std::malloc(bytes);
  return bytes == 0 ? kInvalidValue : *memory ? kSuccess : kOutOfMemory;
}

int cuMemFreeHost(void *memory) {
  std::free(memory);
  return kSuccess;
}

/// Returns the kind of memory of an address; the host's is unknown.
int cuPointerGetAttribute(void *value, int attribute, uintptr_t address) {
  constexpr int kMemoryType = 2;
  constexpr unsigned kDeviceMemory = 2;
  Machine &machine = Machine::get();
  std::lock_guard<std::mutex> lock(machine.mutex);
  if (attribute != kMemoryType || !findBytes(address, 1))
    return kInvalidValue;
  *static_cast<unsigned *>(value) = kDeviceMemory;
  return kSuccess;
}

int cuModuleLoadData(void **module, const void *image) {
  auto code = HostCode::create(image);
  if (!code) {
    std::fprintf(stderr, "simulator: %s\n",
                 llvm::toString(code.takeError()).c_str());
    return kInvalidImage;
  }
  *module = code->release();
  return kSuccess;
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
  Kernel *kernel = static_cast<HostCode *>(module)->find(name);
  *function = kernel;
  return kernel ? kSuccess : kNotFound;
}

int cuFuncSetAttribute(void *function, int attribute, int value) {
  Kernel &kernel = *static_cast<Kernel *>(function);
  switch (attribute) {
  case kMaxDynamicBytes:
    if (value < 0 || kernel.staticBytes + value > kMaxWorkgroupBytes)
      return kInvalidValue;
    kernel.maxDynamicBytes = value;
    return kSuccess;
  case kPreferredCarveout:
    return value >= -1 && value <= 100 ? kSuccess : kInvalidValue;
  default:
    return kInvalidValue;
  }
}

int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                   unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned dynamicBytes, void *stream,
                   void **arguments, void ** /*extra*/) {
  const Kernel &kernel = *static_cast<Kernel *>(function);
  LaunchSize size = {
      {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, dynamicBytes};
  std::string refused = refuse(kernel, size);
  if (!refused.empty()) {
    std::fprintf(stderr, "simulator: kernel '%s': %s\n", kernel.name.c_str(),
                 refused.c_str());
    return kInvalidValue;
  }
  Machine &machine = Machine::get();
  std::lock_guard<std::mutex> lock(machine.mutex);
  return machine.enqueue(stream, makeLaunch(kernel, size, arguments));
}

int cuGetErrorName(int status, const char **name) {
  switch (status) {
  case kOutOfMemory:
    *name = "CUDA_ERROR_OUT_OF_MEMORY";
    break;
  case kInvalidImage:
    *name = "CUDA_ERROR_INVALID_IMAGE";
    break;
  case kInvalidHandle:
    *name = "CUDA_ERROR_INVALID_HANDLE";
    break;
  case kNotFound:
    *name = "CUDA_ERROR_NOT_FOUND";
    break;
  case kLaunchFailed:
    *name = "CUDA_ERROR_LAUNCH_FAILED";
    break;
  case kCaptureUnsupported:
    *name = "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
    break;
  case kCaptureInvalidated:
    *name = "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED";
    break;
  case kCaptureUnmatched:
    *name = "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED";
    break;
  case kCaptureImplicit:
    *name = "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT";
    break;
  default:
    *name = "CUDA_ERROR_INVALID_VALUE";
  }
  return kSuccess;
}
}
