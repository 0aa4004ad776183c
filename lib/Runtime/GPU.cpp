//===- GPU.cpp - What compiled steps call for a GPU -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/GPU.h"

#include "GPUDriver.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace flywheel::runtime {
namespace {

/// Bytes of the text of a status in a state block, as the model's manifest has
/// it, with the terminator.
constexpr size_t kTextBytes = 512;

/// Memory of the device that grows to what is asked for.
struct DeviceBuffer {
  GPUDriver::Address address = 0;
  size_t bytes = 0;
};

/// The state of a model on the device, and what its steps use. One call at a
/// time uses it, as is so for the block of the host.
struct Mirror {
  DeviceBuffer state, workspace;
  /// Those of the feeds and results of a step, in their order.
  std::vector<DeviceBuffer> arguments;
  size_t begin = 0;
  bool isDeviceNewer = false, isHostNewer = true;
  GPUCounters counters;
};

/// What all threads share.
struct Device {
  std::mutex mutex;
  std::map<const void *, std::unique_ptr<Mirror>> mirrors;
};

/// The step that a thread is in.
struct Step {
  const GPUDriver *driver = nullptr;
  Mirror *mirror = nullptr;
  size_t numArguments = 0;
  struct Result {
    void *host;
    GPUDriver::Address device;
    size_t bytes;
  };
  std::vector<Result> results;
  int32_t status = 0;
  std::string text;

  bool isFailed() const { return status != 0; }
  void fail(int32_t code, std::string why) {
    if (isFailed())
      return;
    status = code;
    text = std::move(why);
  }
  /// Whether the call of the driver succeeded.
  bool check(const char *call, GPUDriver::Status found) {
    if (found == 0)
      return true;
    fail(found == GPUDriver::kOutOfMemory ? kStatusNoDeviceMemory
                                          : kStatusNoDevice,
         driver->describe(call, found));
    return false;
  }
};

} // namespace

static Device &getDevice() {
  static Device &device = *new Device();
  return device;
}

static thread_local Step step;

static Mirror *findMirror(const void *state) {
  Device &device = getDevice();
  std::lock_guard<std::mutex> lock(device.mutex);
  auto found = device.mirrors.find(state);
  return found == device.mirrors.end() ? nullptr : found->second.get();
}

/// Makes `buffer` hold at least `bytes`.
static bool reserve(DeviceBuffer &buffer, size_t bytes) {
  if (step.isFailed())
    return false;
  if (buffer.address && buffer.bytes >= bytes)
    return true;
  if (buffer.address)
    step.driver->free(buffer.address);
  buffer = {};
  size_t room = std::max<size_t>(bytes, 1);
  GPUDriver::Address address = 0;
  if (!step.check("cuMemAlloc", step.driver->allocate(&address, room)))
    return false;
  buffer = {address, room};
  return true;
}

static bool copyToDevice(GPUDriver::Address to, const void *from,
                         size_t bytes) {
  if (step.isFailed() || bytes == 0)
    return !step.isFailed();
  step.mirror->counters.bytesToDevice += static_cast<int64_t>(bytes);
  return step.check("cuMemcpyHtoD", step.driver->copyToDevice(to, from, bytes));
}

static bool copyToHost(void *to, GPUDriver::Address from, size_t bytes) {
  if (step.isFailed() || bytes == 0)
    return !step.isFailed();
  step.mirror->counters.bytesToHost += static_cast<int64_t>(bytes);
  return step.check("cuMemcpyDtoH", step.driver->copyToHost(to, from, bytes));
}

static void give(ByteBuffer *result, GPUDriver::Address address,
                 int64_t bytes) {
  auto *pointer = reinterpret_cast<void *>(address);
  *result = {pointer, pointer, 0, bytes, 1};
}

/// The next buffer of the step for a feed or a result.
static GPUDriver::Address takeArgument(size_t bytes) {
  if (step.isFailed())
    return 0;
  std::vector<DeviceBuffer> &arguments = step.mirror->arguments;
  if (step.numArguments == arguments.size())
    arguments.emplace_back();
  DeviceBuffer &buffer = arguments[step.numArguments++];
  return reserve(buffer, bytes) ? buffer.address : 0;
}

/// Brings the variables to the host where the device has newer ones.
static bool pull(const void *state, Mirror &mirror) {
  if (!mirror.isDeviceNewer)
    return true;
  step = {};
  step.driver = GPUDriver::get(step.text);
  if (!step.driver)
    return false;
  step.mirror = &mirror;
  auto *block = static_cast<char *>(const_cast<void *>(state));
  bool isCopied =
      copyToHost(block + mirror.begin, mirror.state.address + mirror.begin,
                 mirror.state.bytes - mirror.begin);
  mirror.isDeviceNewer = !isCopied;
  step = {};
  return isCopied;
}

bool readGPUStateOnHost(const void *state) {
  Mirror *mirror = findMirror(state);
  return !mirror || pull(state, *mirror);
}

bool writeGPUStateOnHost(const void *state) {
  Mirror *mirror = findMirror(state);
  if (!mirror)
    return true;
  bool isCurrent = pull(state, *mirror);
  mirror->isHostNewer = true;
  return isCurrent;
}

void releaseGPUState(const void *state) {
  Device &device = getDevice();
  std::unique_ptr<Mirror> mirror;
  {
    std::lock_guard<std::mutex> lock(device.mutex);
    auto found = device.mirrors.find(state);
    if (found == device.mirrors.end())
      return;
    mirror = std::move(found->second);
    device.mirrors.erase(found);
  }
  std::string error;
  const GPUDriver *driver = GPUDriver::get(error);
  if (!driver)
    return;
  mirror->arguments.insert(mirror->arguments.end(),
                           {mirror->state, mirror->workspace});
  for (DeviceBuffer &buffer : mirror->arguments)
    if (buffer.address)
      driver->free(buffer.address);
}

GPUCounters getGPUCounters(const void *state) {
  Mirror *mirror = findMirror(state);
  return mirror ? mirror->counters : GPUCounters();
}

// NOLINTBEGIN(readability-identifier-naming)
std::vector<std::pair<const char *, void *>> getGPUSymbols() {
#define FLYWHEEL_SYMBOL(name)                                                  \
  {                                                                            \
    #name, reinterpret_cast<void *>(&name)                                     \
  }
  return {FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_state),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_workspace),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_feed),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_result),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_constant),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_read),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_write),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_finish),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_state_to_host),
          FLYWHEEL_SYMBOL(flywheel_gpu_launch)};
#undef FLYWHEEL_SYMBOL
}
// NOLINTEND(readability-identifier-naming)

} // namespace flywheel::runtime

using namespace flywheel::runtime;

// Names as in C. NOLINTBEGIN(readability-identifier-naming)

static void *toPointer(int64_t address) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}

void _mlir_ciface_flywheel_gpu_state(ByteBuffer *result, int64_t host,
                                     int64_t begin, int64_t bytes) {
  step = {};
  auto *block = static_cast<char *>(toPointer(host));
  {
    Device &device = getDevice();
    std::lock_guard<std::mutex> lock(device.mutex);
    std::unique_ptr<Mirror> &mirror = device.mirrors[block];
    if (!mirror)
      mirror = std::make_unique<Mirror>();
    step.mirror = mirror.get();
  }
  std::string error;
  step.driver = GPUDriver::get(error);
  if (!step.driver)
    step.fail(kStatusNoDevice, error);
  Mirror &mirror = *step.mirror;
  mirror.begin = static_cast<size_t>(begin);
  if (reserve(mirror.state, static_cast<size_t>(bytes)) && mirror.isHostNewer &&
      copyToDevice(mirror.state.address + begin, block + begin,
                   static_cast<size_t>(bytes - begin)))
    mirror.isHostNewer = false;
  give(result, mirror.state.address, bytes);
}

void _mlir_ciface_flywheel_gpu_workspace(ByteBuffer *result, int64_t bytes) {
  reserve(step.mirror->workspace, static_cast<size_t>(bytes));
  give(result, step.mirror->workspace.address, bytes);
}

void _mlir_ciface_flywheel_gpu_feed(ByteBuffer *result, int64_t host,
                                    int64_t bytes) {
  GPUDriver::Address address = takeArgument(static_cast<size_t>(bytes));
  copyToDevice(address, toPointer(host), static_cast<size_t>(bytes));
  give(result, address, bytes);
}

void _mlir_ciface_flywheel_gpu_result(ByteBuffer *result, int64_t host,
                                      int64_t bytes) {
  GPUDriver::Address address = takeArgument(static_cast<size_t>(bytes));
  step.results.push_back(
      {toPointer(host), address, static_cast<size_t>(bytes)});
  give(result, address, bytes);
}

void _mlir_ciface_flywheel_gpu_constant(ByteBuffer *result, int64_t host,
                                        int64_t bytes, int64_t slot) {
  auto &known = *static_cast<GPUDriver::Address *>(toPointer(slot));
  std::lock_guard<std::mutex> lock(getDevice().mutex);
  DeviceBuffer buffer;
  if (!known && reserve(buffer, static_cast<size_t>(bytes)) &&
      copyToDevice(buffer.address, toPointer(host), static_cast<size_t>(bytes)))
    known = buffer.address;
  give(result, known, bytes);
}

void _mlir_ciface_flywheel_gpu_read(int64_t host, int64_t device,
                                    int64_t bytes) {
  // What the host decides on after a failure is the same each time.
  std::memset(toPointer(host), 0, static_cast<size_t>(bytes));
  copyToHost(toPointer(host), static_cast<GPUDriver::Address>(device),
             static_cast<size_t>(bytes));
}

void _mlir_ciface_flywheel_gpu_write(int64_t device, int64_t host,
                                     int64_t bytes) {
  copyToDevice(static_cast<GPUDriver::Address>(device), toPointer(host),
               static_cast<size_t>(bytes));
}

int32_t _mlir_ciface_flywheel_gpu_finish(int64_t host, int64_t text,
                                         int32_t status) {
  if (!step.isFailed())
    step.check("cuCtxSynchronize", step.driver->synchronize());
  if (!step.isFailed() && status == 0) {
    for (const Step::Result &result : step.results)
      copyToHost(result.host, result.device, result.bytes);
    step.mirror->isDeviceNewer = true;
  }
  if (step.isFailed()) {
    status = step.status;
    std::snprintf(static_cast<char *>(toPointer(host)) + text, kTextBytes, "%s",
                  step.text.c_str());
  }
  step = {};
  return status;
}

void _mlir_ciface_flywheel_gpu_state_to_host(int64_t host) {
  writeGPUStateOnHost(toPointer(host));
}

/// Loads what the slots do not hold yet.
static bool loadKernel(const void *image, void **moduleSlot, const char *kernel,
                       void **kernelSlot) {
  std::lock_guard<std::mutex> lock(getDevice().mutex);
  if (!*moduleSlot && !step.check("cuModuleLoadData",
                                  step.driver->loadModule(moduleSlot, image)))
    return false;
  return *kernelSlot ||
         step.check("cuModuleGetFunction",
                    step.driver->getFunction(kernelSlot, *moduleSlot, kernel));
}

void flywheel_gpu_launch(const void *image, void **moduleSlot,
                         const char *kernel, void **kernelSlot, int64_t blocks,
                         int64_t threads, void **arguments) {
  if (step.isFailed() || !loadKernel(image, moduleSlot, kernel, kernelSlot))
    return;
  ++step.mirror->counters.launches;
  step.check("cuLaunchKernel",
             step.driver->launch(*kernelSlot, static_cast<unsigned>(blocks), 1,
                                 1, static_cast<unsigned>(threads), 1, 1, 0,
                                 nullptr, arguments, nullptr));
}

// NOLINTEND(readability-identifier-naming)
