//===- GPU.cpp - Functions that compiled steps call for a GPU -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Needs the C library only: object files for a GPU have it in them.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/GPU.h"

#include "GPUStep.h"

#include <stdio.h>

using namespace flywheel::runtime;

/// The alignment of every buffer in bytes, because kernels access vectors of
/// elements. The driver aligns its own buffers at least as much.
static constexpr uintptr_t kAlignment = 64;

/// Held while code and tables of a program are loaded.
static bool loadLock;

static void give(ByteBuffer *result, GPUDriver::Address address,
                 int64_t bytes) {
  auto *pointer = reinterpret_cast<void *>(address);
  *result = {pointer, pointer, 0, bytes, 1};
}

static void *toPointer(int64_t address) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}

/// Returns the best image for the chip of the device; null if there is none.
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

/// Loads the module and the kernel into their slots, if they are empty.
static bool loadKernel(Step &step, const GPUImages &program, void **moduleSlot,
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

// Names as in C. NOLINTBEGIN(readability-identifier-naming)

void _mlir_ciface_flywheel_gpu_state(ByteBuffer *result, int64_t host,
                                     int64_t begin, int64_t bytes,
                                     int64_t isAMD) {
  Step &step = Step::get();
  step.begin();
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
  if (step.reserve(mirror.state, static_cast<size_t>(bytes)) &&
      mirror.isHostNewer &&
      step.copyToDevice(mirror.state.address + begin, block + begin,
                        static_cast<size_t>(bytes - begin)))
    mirror.isHostNewer = false;
  give(result, mirror.state.address, bytes);
}

void _mlir_ciface_flywheel_gpu_profile(int64_t place, int64_t counters,
                                       int64_t events, int64_t maxEvents) {
  Step &step = Step::get();
  if (step.isFailed())
    return;
  step.profile = {static_cast<char *>(toPointer(place)),
                  static_cast<size_t>(counters), static_cast<size_t>(events),
                  static_cast<size_t>(maxEvents)};
  step.check("cuEventRecord",
             step.mirror->profile.begin(*step.driver, step.mirror->stream));
}

void _mlir_ciface_flywheel_gpu_measure(int64_t kernel) {
  Step::get().kernel = kernel;
}

void _mlir_ciface_flywheel_gpu_workspace(ByteBuffer *result, int64_t bytes) {
  Step &step = Step::get();
  if (step.isFailed())
    return give(result, 0, bytes);
  step.reserve(step.mirror->workspace, static_cast<size_t>(bytes));
  give(result, step.mirror->workspace.address, bytes);
}

/// Gives kernels the caller's buffer if they can access it, or else a buffer of
/// the step. Returns true for one of the step, and sets `isThere` if the
/// caller's is on the device.
static bool giveOwnBuffer(Step &step, ByteBuffer *result, int64_t given,
                          int64_t bytes, bool &isThere) {
  auto count = static_cast<size_t>(bytes);
  auto address = static_cast<GPUDriver::Address>(given);
  isThere = step.isOnDevice(toPointer(given), count);
  bool isOwn = !isThere || address % kAlignment != 0;
  give(result, isOwn ? step.takeArgument(count) : address, bytes);
  return isOwn;
}

void _mlir_ciface_flywheel_gpu_feed(ByteBuffer *result, int64_t host,
                                    int64_t bytes) {
  Step &step = Step::get();
  bool isThere;
  if (!giveOwnBuffer(step, result, host, bytes, isThere))
    return;
  auto count = static_cast<size_t>(bytes);
  auto address = reinterpret_cast<GPUDriver::Address>(result->aligned);
  if (isThere)
    step.copyOnDevice(address, static_cast<GPUDriver::Address>(host), count);
  else
    step.copyToDevice(address, toPointer(host), count);
}

void _mlir_ciface_flywheel_gpu_result(ByteBuffer *result, int64_t host,
                                      int64_t bytes) {
  Step &step = Step::get();
  bool isThere;
  if (!giveOwnBuffer(step, result, host, bytes, isThere) || step.isFailed())
    return;
  StepResult *added = step.mirror->results.grow(1);
  if (step.checkMemory(added))
    *added = {toPointer(host),
              reinterpret_cast<GPUDriver::Address>(result->aligned),
              static_cast<size_t>(bytes), 0, isThere};
}

void _mlir_ciface_flywheel_gpu_constant(ByteBuffer *result, int64_t host,
                                        int64_t bytes, int64_t slot) {
  Step &step = Step::get();
  auto &known = *static_cast<GPUDriver::Address *>(toPointer(slot));
  SpinLock guard(loadLock);
  DeviceBuffer buffer = {};
  // Other streams may use it as soon as it is known.
  if (!known && step.reserve(buffer, static_cast<size_t>(bytes)) &&
      step.copyToDevice(buffer.address, toPointer(host),
                        static_cast<size_t>(bytes)) &&
      step.synchronize())
    known = buffer.address;
  give(result, known, bytes);
}

void _mlir_ciface_flywheel_gpu_status(ByteBuffer *result) {
  Step &step = Step::get();
  static constexpr int32_t kNone = 0;
  DeviceBuffer none = {};
  DeviceBuffer &word = step.mirror ? step.mirror->status : none;
  bool isNew = !word.address;
  if (step.reserve(word, sizeof(kNone)) && isNew)
    step.copyToDevice(word.address, &kNone, sizeof(kNone));
  give(result, word.address, sizeof(kNone));
}

int32_t _mlir_ciface_flywheel_gpu_await(int32_t isLast) {
  Step &step = Step::get();
  return step.await(isLast != 0);
}

void _mlir_ciface_flywheel_gpu_read(int64_t host, int64_t device,
                                    int64_t bytes) {
  Step &step = Step::get();
  // After a failure, the host always reads zeros.
  memset(toPointer(host), 0, static_cast<size_t>(bytes));
  if (step.isFailed())
    return;
  step.launchRecorded(/*isWholeStep=*/false);
  step.hasDecided = true;
  if (step.copyToHost(toPointer(host), static_cast<GPUDriver::Address>(device),
                      static_cast<size_t>(bytes)))
    step.synchronize();
}

int32_t _mlir_ciface_flywheel_gpu_has_failed() {
  return Step::get().isFailed() ? 1 : 0;
}

void _mlir_ciface_flywheel_gpu_write(int64_t device, int64_t host,
                                     int64_t bytes) {
  Step &step = Step::get();
  if (step.isFailed())
    return;
  step.launchRecorded(/*isWholeStep=*/false);
  step.hasDecided = true;
  step.copyToDevice(static_cast<GPUDriver::Address>(device), toPointer(host),
                    static_cast<size_t>(bytes));
}

int32_t _mlir_ciface_flywheel_gpu_finish(int64_t host, int64_t text,
                                         int32_t status) {
  Step &step = Step::get();
  if (status == 0 && !step.isOver)
    step.await(/*isLast=*/true);
  Mirror *mirror = step.mirror;
  if (!step.isFailed() && status == 0) {
    step.giveResults();
    mirror->isDeviceNewer = true;
  }
  // A failed step launches nothing more.
  if (mirror)
    mirror->launches.clear();
  if (step.isFailed()) {
    status = step.status;
    snprintf(static_cast<char *>(toPointer(host)) + text, kErrorBytes, "%s",
             step.text);
  }
  step.begin();
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
  Step &step = Step::get();
  if (step.isFailed() ||
      !loadKernel(step, *images, moduleSlot, kernel, kernelSlot, dynamicBytes))
    return;
  const uint32_t size[3] = {static_cast<uint32_t>(blocks),
                            static_cast<uint32_t>(threads),
                            static_cast<uint32_t>(dynamicBytes)};
  if (!step.mirror->launches.add(*kernelSlot, size, arguments, bytes,
                                 static_cast<uint32_t>(count), step.kernel))
    step.fail(kStatusNoDeviceMemory, "no memory for the launches of a step");
}

// NOLINTEND(readability-identifier-naming)
