//===- GPU.cpp - What compiled steps call for a GPU -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Needs the C library only: object files for a GPU have it in them.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/GPU.h"

#include "GPULaunches.h"

#include <stdio.h>

namespace flywheel::runtime {
namespace {

/// Results up to so many bytes come with the status, and are copied again once
/// that is known to be 0; others are copied then.
constexpr size_t kMaxStaged = size_t{1} << 16;

/// Memory of the device that grows to what is asked for.
struct DeviceBuffer {
  GPUDriver::Address address;
  size_t bytes;
};

/// Where a result goes: `staged` is where it is among what came with the
/// status.
struct StepResult {
  void *host;
  GPUDriver::Address device;
  size_t bytes, staged;
};

/// The state of a model on the device, and what its steps use. One call at a
/// time uses it, as is so for the block of the host.
struct Mirror {
  const void *host;
  Mirror *next;
  DeviceBuffer state, workspace, status;
  /// Those of the feeds and results of a step, in their order.
  List<DeviceBuffer> arguments;
  List<StepResult> results;
  LaunchList launches;
  GraphCache graphs;
  void *stream;
  /// Memory of the host that the device writes to.
  char *staging;
  size_t stagingBytes;
  size_t begin;
  bool isDeviceNewer, isHostNewer;
  GPUCounters counters;
};

/// The step that a thread is in.
struct Step {
  const GPUDriver *driver;
  Mirror *mirror;
  size_t numArguments;
  /// Whether the host has waited within the step, and whether for its end.
  bool hasDecided, isOver;
  int32_t status;
  char text[kErrorBytes];

  bool isFailed() const { return status != 0; }
  void fail(int32_t code, const char *why) {
    if (isFailed())
      return;
    status = code;
    snprintf(text, kErrorBytes, "%s", why);
  }
  /// Whether the call of the driver succeeded.
  bool check(const char *call, GPUDriver::Status found) {
    if (found == 0)
      return !isFailed();
    char why[kErrorBytes];
    driver->describe(call, found, why);
    fail(found == GPUDriver::kOutOfMemory ? kStatusNoDeviceMemory
                                          : kStatusNoDevice,
         why);
    return false;
  }
  bool checkMemory(const void *memory) {
    if (!memory)
      fail(kStatusNoDeviceMemory, "no memory for the launches of a step");
    return !isFailed();
  }
};

} // namespace

/// What all threads share.
static Mirror *mirrors;
static bool mirrorLock, loadLock;

static thread_local Step step;

static Mirror *findMirror(const void *state) {
  SpinLock guard(mirrorLock);
  Mirror *mirror = mirrors;
  while (mirror && mirror->host != state)
    mirror = mirror->next;
  return mirror;
}

static void beginStep() {
  step.driver = nullptr;
  step.mirror = nullptr;
  step.numArguments = 0;
  step.hasDecided = step.isOver = false;
  step.status = 0;
  *step.text = 0;
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
  size_t room = bytes ? bytes : 1;
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
  return step.check("cuMemcpyHtoD", step.driver->copyToDevice(
                                        to, from, bytes, step.mirror->stream));
}

/// There when the host has waited.
static bool copyToHost(void *to, GPUDriver::Address from, size_t bytes) {
  if (step.isFailed() || bytes == 0)
    return !step.isFailed();
  step.mirror->counters.bytesToHost += static_cast<int64_t>(bytes);
  return step.check("cuMemcpyDtoH", step.driver->copyToHost(
                                        to, from, bytes, step.mirror->stream));
}

static bool synchronize() {
  if (step.isFailed())
    return false;
  ++step.mirror->counters.synchronizations;
  return step.check("cuStreamSynchronize",
                    step.driver->synchronize(step.mirror->stream));
}

/// Has the device do what is recorded.
static void launchRecorded(bool isWholeStep) {
  Mirror &mirror = *step.mirror;
  if (!step.isFailed() && mirror.launches.launches.size != 0) {
    const char *call = "cuLaunchKernel";
    GPUCounters &counters = mirror.counters;
    GPUDriver::Status status;
    if (isWholeStep) {
      status = mirror.graphs.run(*step.driver, mirror.stream, mirror.launches,
                                 call, counters.graphs, counters.launches);
    } else {
      counters.launches += static_cast<int64_t>(mirror.launches.launches.size);
      status = mirror.launches.launch(*step.driver, mirror.stream);
    }
    step.check(call, status);
  }
  mirror.launches.clear();
}

static void give(ByteBuffer *result, GPUDriver::Address address,
                 int64_t bytes) {
  auto *pointer = reinterpret_cast<void *>(address);
  *result = {pointer, pointer, 0, bytes, 1};
}

static void *toPointer(int64_t address) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}

/// Whether `pointer` is one of the device.
static bool isOnDevice(const void *pointer, size_t bytes) {
  unsigned type = 0;
  return !step.isFailed() && bytes != 0 &&
         step.driver->getPointerAttribute(
             &type, GPUDriver::kMemoryType,
             reinterpret_cast<GPUDriver::Address>(pointer)) == 0 &&
         type == GPUDriver::kDeviceMemory;
}

/// The next buffer of the step for a feed or a result.
static GPUDriver::Address takeArgument(size_t bytes) {
  if (step.isFailed())
    return 0;
  List<DeviceBuffer> &arguments = step.mirror->arguments;
  if (step.numArguments == arguments.size) {
    DeviceBuffer *added = arguments.grow(1);
    if (!step.checkMemory(added))
      return 0;
    *added = {};
  }
  DeviceBuffer &buffer = arguments.items[step.numArguments++];
  return reserve(buffer, bytes) ? buffer.address : 0;
}

/// Brings the variables to the host where the device has newer ones.
static bool pull(const void *state, Mirror &mirror) {
  if (!mirror.isDeviceNewer)
    return true;
  beginStep();
  step.driver = GPUDriver::get(step.text);
  if (!step.driver)
    return false;
  step.mirror = &mirror;
  auto *block = static_cast<char *>(const_cast<void *>(state));
  bool isCopied =
      copyToHost(block + mirror.begin, mirror.state.address + mirror.begin,
                 mirror.state.bytes - mirror.begin) &&
      synchronize();
  mirror.isDeviceNewer = !isCopied;
  beginStep();
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
  Mirror *mirror = nullptr;
  {
    SpinLock guard(mirrorLock);
    for (Mirror **place = &mirrors; *place; place = &(*place)->next)
      if ((*place)->host == state) {
        mirror = *place;
        *place = mirror->next;
        break;
      }
  }
  if (!mirror)
    return;
  char error[kErrorBytes] = {};
  if (const GPUDriver *driver = GPUDriver::get(error)) {
    const DeviceBuffer own[] = {mirror->state, mirror->workspace,
                                mirror->status};
    for (const DeviceBuffer &buffer : own)
      if (buffer.address)
        driver->free(buffer.address);
    for (const DeviceBuffer &buffer : mirror->arguments)
      if (buffer.address)
        driver->free(buffer.address);
    mirror->graphs.release(*driver);
    if (mirror->staging)
      driver->freeHost(mirror->staging);
    if (mirror->stream)
      driver->destroyStream(mirror->stream);
  }
  mirror->arguments.release();
  mirror->results.release();
  mirror->launches.release();
  free(mirror);
}

GPUCounters getGPUCounters(const void *state) {
  Mirror *mirror = findMirror(state);
  return mirror ? mirror->counters : GPUCounters();
}

/// The mirror of the block, made where there is none; null without memory.
static Mirror *makeMirror(const void *block) {
  if (Mirror *known = findMirror(block))
    return known;
  auto *mirror = static_cast<Mirror *>(calloc(1, sizeof(Mirror)));
  if (!mirror)
    return nullptr;
  mirror->host = block;
  mirror->isHostNewer = true;
  SpinLock guard(mirrorLock);
  mirror->next = mirrors;
  mirrors = mirror;
  return mirror;
}

/// The best one for the chip of the device; null where there is none.
static const GPUImage *chooseImage(const GPUImages &program, int32_t chip) {
  const GPUImage *best = nullptr;
  auto rate = [&](const GPUImage &image) {
    bool isOwn =
        image.kind == GPUImage::OwnPTX || image.kind == GPUImage::OwnCode;
    bool isCode =
        image.kind == GPUImage::Code || image.kind == GPUImage::OwnCode;
    if (image.kind == GPUImage::Any)
      return 10000;
    if (isOwn ? image.chip != chip : image.chip > chip)
      return 0;
    if (isCode && image.chip / 10 != chip / 10)
      return 0;
    return 1 + 4 * image.chip + 2 * isCode + isOwn;
  };
  for (int64_t i = 0; i < program.count; ++i)
    if (rate(program.images[i]) > (best ? rate(*best) : 0))
      best = &program.images[i];
  return best;
}

/// Loads what the slots do not hold yet.
static bool loadKernel(const GPUImages &program, void **moduleSlot,
                       const char *kernel, void **kernelSlot,
                       int64_t dynamicBytes) {
  SpinLock guard(loadLock);
  if (!*moduleSlot) {
    const GPUImage *image = chooseImage(program, step.driver->chip);
    if (!image) {
      char why[kErrorBytes];
      snprintf(why, kErrorBytes,
               "no code for the GPU: it is sm_%d, and the least that the "
               "program is compiled for is another one, sm_%d",
               step.driver->chip, program.images[0].chip);
      step.fail(kStatusNoDevice, why);
      return false;
    }
    if (!step.check("cuModuleLoadData",
                    step.driver->loadModule(moduleSlot, image->data)))
      return false;
  }
  if (*kernelSlot)
    return true;
  if (!step.check("cuModuleGetFunction",
                  step.driver->getFunction(kernelSlot, *moduleSlot, kernel)))
    return false;
  return dynamicBytes == 0 ||
         step.check("cuFuncSetAttribute",
                    step.driver->setFunctionAttribute(
                        *kernelSlot, GPUDriver::kMaxDynamicBytes,
                        static_cast<int>(dynamicBytes)));
}

/// Copies the small results and the word of the checks to where the host has
/// them once it has waited. Returns the place of the word.
static const int32_t *stage() {
  Mirror &mirror = *step.mirror;
  size_t bytes = sizeof(uint64_t);
  for (StepResult &result : mirror.results) {
    if (result.bytes > kMaxStaged)
      continue;
    result.staged = bytes;
    bytes += (result.bytes + 15) / 16 * 16;
  }
  if (mirror.stagingBytes < bytes) {
    if (mirror.staging)
      step.driver->freeHost(mirror.staging);
    mirror.staging = nullptr;
    mirror.stagingBytes = 0;
    void *memory = nullptr;
    if (!step.check("cuMemAllocHost",
                    step.driver->allocateHost(&memory, 2 * bytes)))
      return nullptr;
    mirror.staging = static_cast<char *>(memory);
    mirror.stagingBytes = 2 * bytes;
  }
  memset(mirror.staging, 0, sizeof(uint64_t));
  if (mirror.status.address)
    copyToHost(mirror.staging, mirror.status.address, sizeof(int32_t));
  return reinterpret_cast<const int32_t *>(mirror.staging);
}

static int32_t await(bool isLast) {
  if (step.isFailed())
    return 0;
  Mirror &mirror = *step.mirror;
  launchRecorded(isLast && !step.hasDecided);
  const int32_t *word = stage();
  if (isLast)
    for (const StepResult &result : mirror.results)
      if (result.bytes <= kMaxStaged)
        copyToHost(mirror.staging + result.staged, result.device, result.bytes);
  step.hasDecided = true;
  step.isOver = isLast;
  if (!synchronize() || *word == 0)
    return 0;
  static constexpr int32_t kNone = 0;
  int32_t found = *word;
  copyToDevice(mirror.status.address, &kNone, sizeof(kNone));
  return found;
}

} // namespace flywheel::runtime

using namespace flywheel::runtime;

// Names as in C. NOLINTBEGIN(readability-identifier-naming)

void _mlir_ciface_flywheel_gpu_state(ByteBuffer *result, int64_t host,
                                     int64_t begin, int64_t bytes,
                                     int64_t isAMD) {
  beginStep();
  auto *block = static_cast<char *>(toPointer(host));
  step.mirror = makeMirror(block);
  char error[kErrorBytes] = {};
  if (isAMD)
    step.fail(kStatusNoDevice, "code for a GPU of AMD is compiled, but not "
                               "executed: there is no runtime over HIP");
  else if (!(step.driver = GPUDriver::get(error)))
    step.fail(kStatusNoDevice, error);
  if (!step.checkMemory(step.mirror))
    return give(result, 0, bytes);
  Mirror &mirror = *step.mirror;
  mirror.begin = static_cast<size_t>(begin);
  mirror.launches.clear();
  mirror.results.size = 0;
  if (!step.isFailed() && !mirror.stream)
    // One that waits for the default stream, on which others make feeds.
    step.check("cuStreamCreate", step.driver->createStream(&mirror.stream, 0));
  if (reserve(mirror.state, static_cast<size_t>(bytes)) && mirror.isHostNewer &&
      copyToDevice(mirror.state.address + begin, block + begin,
                   static_cast<size_t>(bytes - begin)))
    mirror.isHostNewer = false;
  give(result, mirror.state.address, bytes);
}

void _mlir_ciface_flywheel_gpu_workspace(ByteBuffer *result, int64_t bytes) {
  if (step.isFailed())
    return give(result, 0, bytes);
  reserve(step.mirror->workspace, static_cast<size_t>(bytes));
  give(result, step.mirror->workspace.address, bytes);
}

void _mlir_ciface_flywheel_gpu_feed(ByteBuffer *result, int64_t host,
                                    int64_t bytes) {
  auto count = static_cast<size_t>(bytes);
  if (isOnDevice(toPointer(host), count))
    return give(result, static_cast<GPUDriver::Address>(host), bytes);
  GPUDriver::Address address = takeArgument(count);
  copyToDevice(address, toPointer(host), count);
  give(result, address, bytes);
}

void _mlir_ciface_flywheel_gpu_result(ByteBuffer *result, int64_t host,
                                      int64_t bytes) {
  auto count = static_cast<size_t>(bytes);
  if (isOnDevice(toPointer(host), count))
    return give(result, static_cast<GPUDriver::Address>(host), bytes);
  GPUDriver::Address address = takeArgument(count);
  if (!step.isFailed()) {
    StepResult *added = step.mirror->results.grow(1);
    if (step.checkMemory(added))
      *added = {toPointer(host), address, count, 0};
  }
  give(result, address, bytes);
}

void _mlir_ciface_flywheel_gpu_constant(ByteBuffer *result, int64_t host,
                                        int64_t bytes, int64_t slot) {
  auto &known = *static_cast<GPUDriver::Address *>(toPointer(slot));
  SpinLock guard(loadLock);
  DeviceBuffer buffer = {};
  // Other streams may use it as soon as it is known.
  if (!known && reserve(buffer, static_cast<size_t>(bytes)) &&
      copyToDevice(buffer.address, toPointer(host),
                   static_cast<size_t>(bytes)) &&
      synchronize())
    known = buffer.address;
  give(result, known, bytes);
}

void _mlir_ciface_flywheel_gpu_status(ByteBuffer *result) {
  static constexpr int32_t kNone = 0;
  DeviceBuffer none = {};
  DeviceBuffer &word = step.mirror ? step.mirror->status : none;
  bool isNew = !word.address;
  if (reserve(word, sizeof(kNone)) && isNew)
    copyToDevice(word.address, &kNone, sizeof(kNone));
  give(result, word.address, sizeof(kNone));
}

int32_t _mlir_ciface_flywheel_gpu_await(int32_t isLast) {
  return await(isLast != 0);
}

void _mlir_ciface_flywheel_gpu_read(int64_t host, int64_t device,
                                    int64_t bytes) {
  // What the host decides on after a failure is the same each time.
  memset(toPointer(host), 0, static_cast<size_t>(bytes));
  if (step.isFailed())
    return;
  launchRecorded(/*isWholeStep=*/false);
  step.hasDecided = true;
  if (copyToHost(toPointer(host), static_cast<GPUDriver::Address>(device),
                 static_cast<size_t>(bytes)))
    synchronize();
}

void _mlir_ciface_flywheel_gpu_write(int64_t device, int64_t host,
                                     int64_t bytes) {
  if (step.isFailed())
    return;
  launchRecorded(/*isWholeStep=*/false);
  step.hasDecided = true;
  copyToDevice(static_cast<GPUDriver::Address>(device), toPointer(host),
               static_cast<size_t>(bytes));
}

int32_t _mlir_ciface_flywheel_gpu_finish(int64_t host, int64_t text,
                                         int32_t status) {
  if (status == 0 && !step.isOver)
    await(/*isLast=*/true);
  Mirror *mirror = step.mirror;
  if (!step.isFailed() && status == 0) {
    bool isWaiting = false;
    for (const StepResult &result : mirror->results) {
      if (result.bytes > kMaxStaged)
        isWaiting |= copyToHost(result.host, result.device, result.bytes);
      else if (result.bytes != 0)
        memcpy(result.host, mirror->staging + result.staged, result.bytes);
    }
    if (isWaiting)
      synchronize();
    mirror->isDeviceNewer = true;
  }
  // Of a step that has failed nothing is left to do.
  if (mirror)
    mirror->launches.clear();
  if (step.isFailed()) {
    status = step.status;
    snprintf(static_cast<char *>(toPointer(host)) + text, kErrorBytes, "%s",
             step.text);
  }
  beginStep();
  return status;
}

void _mlir_ciface_flywheel_gpu_state_to_host(int64_t host) {
  writeGPUStateOnHost(toPointer(host));
}

int32_t flywheel_gpu_to_host(void *state, int32_t write) {
  bool isThere = write ? writeGPUStateOnHost(state) : readGPUStateOnHost(state);
  return isThere ? 0 : kStatusNoDevice;
}

void flywheel_gpu_release(void *state) { releaseGPUState(state); }

void flywheel_gpu_launch(const GPUImages *images, void **moduleSlot,
                         const char *kernel, void **kernelSlot, int64_t blocks,
                         int64_t threads, int64_t dynamicBytes,
                         void **arguments, const int32_t *bytes,
                         int64_t count) {
  if (step.isFailed() ||
      !loadKernel(*images, moduleSlot, kernel, kernelSlot, dynamicBytes))
    return;
  const uint32_t size[3] = {static_cast<uint32_t>(blocks),
                            static_cast<uint32_t>(threads),
                            static_cast<uint32_t>(dynamicBytes)};
  if (!step.mirror->launches.add(*kernelSlot, size, arguments, bytes,
                                 static_cast<uint32_t>(count)))
    step.fail(kStatusNoDeviceMemory, "no memory for the launches of a step");
}

// NOLINTEND(readability-identifier-naming)
