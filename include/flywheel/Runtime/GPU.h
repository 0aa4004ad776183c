//===- GPU.h - What compiled steps call for a GPU ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver of the GPU is loaded at the first call, from libcuda.so.1 or the
// file that FLYWHEEL_LIBCUDA names: a program that has code for a GPU starts on
// any machine.
//
// The state of a model has a mirror on the device, of the same layout, from its
// first step on. After a step the mirror is the newer one; what reads or writes
// the state on the host says so first, with the functions for the host below.
//
// Launches are recorded until the host waits for what they do. A whole step
// that the host need not wait in is a graph from its second time on, and then
// one launch; FLYWHEEL_GPU_GRAPHS=0 makes launches of all.
//
// What fails (no driver, no memory, a device that is lost) makes the calls of
// the same step that follow do nothing, and `finish` return a status below 0,
// with its text in the state block. A step that fails before its first launch
// has changed nothing.
//
// Object files for a GPU have these functions in them: they need the C library
// only.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_GPU_H
#define FLYWHEEL_RUNTIME_GPU_H

#include <stdint.h>

namespace flywheel::runtime {

/// Statuses of a step that fails for another reason than its feeds: below those
/// of StatusCode, which C programs get negated.
constexpr int32_t kStatusNoDevice = -7, kStatusNoDeviceMemory = -8;

/// Device code of a program, for one kind of chip.
struct GPUImage {
  /// PTX is for later chips too, but not with the instructions of one
  /// architecture alone, as sm_90a has; code for a chip is for later ones of
  /// its generation. What a simulator takes is for each.
  enum Kind : int32_t { PTX, OwnPTX, Code, OwnCode, Any };
  const void *data;
  int32_t chip;
  Kind kind;
};

/// The images of a program, of which the device takes the best one.
struct GPUImages {
  int64_t count;
  GPUImage images[1];
};

/// A buffer of bytes as MLIR passes it to C.
struct ByteBuffer {
  void *allocated, *aligned;
  int64_t offset, size, stride;
};

/// Brings the state block at `state` up to date for a reader of the host.
/// Returns false where the device cannot give it back.
bool readGPUStateOnHost(const void *state);
/// The same for a writer: the next step copies it to the device.
bool writeGPUStateOnHost(const void *state);
/// Frees what the device holds for a state block that goes away.
void releaseGPUState(const void *state);

/// What the device did for a state block since its first step. The launches are
/// those of kernels, in graphs too.
struct GPUCounters {
  int64_t launches = 0, graphs = 0, synchronizations = 0;
  int64_t bytesToDevice = 0, bytesToHost = 0;
};
GPUCounters getGPUCounters(const void *state);

} // namespace flywheel::runtime

// Names as in C. NOLINTBEGIN(readability-identifier-naming)
extern "C" {
/// Begins a step: the mirror of the block of `bytes` at `host`, whose variables
/// begin at `begin`. Device code is AMD's where `isAMD` is 1: such a step
/// fails, as HIP is not loaded.
void _mlir_ciface_flywheel_gpu_state(flywheel::runtime::ByteBuffer *result,
                                     int64_t host, int64_t begin, int64_t bytes,
                                     int64_t isAMD);
/// Has the step measure its launches: in the profile at `place` of the host,
/// counters and at most `maxEvents` events begin at the offsets. And the number
/// of the kernel that the next launch is of.
void _mlir_ciface_flywheel_gpu_profile(int64_t place, int64_t counters,
                                       int64_t events, int64_t maxEvents);
void _mlir_ciface_flywheel_gpu_measure(int64_t kernel);
/// Room for the intermediate values of the step.
void _mlir_ciface_flywheel_gpu_workspace(flywheel::runtime::ByteBuffer *result,
                                         int64_t bytes);
/// A feed on the device, and room for a result that `finish` copies to `host`.
/// What is on the device already stays where it is, unless it begins at no
/// multiple of the 64 bytes that kernels count on: that is copied there.
void _mlir_ciface_flywheel_gpu_feed(flywheel::runtime::ByteBuffer *result,
                                    int64_t host, int64_t bytes);
void _mlir_ciface_flywheel_gpu_result(flywheel::runtime::ByteBuffer *result,
                                      int64_t host, int64_t bytes);
/// A table of the program, which never changes: copied once, when the number at
/// `slot` is 0, and then what it says.
void _mlir_ciface_flywheel_gpu_constant(flywheel::runtime::ByteBuffer *result,
                                        int64_t host, int64_t bytes,
                                        int64_t slot);
/// A word that checks write their status to: 0 as long as none has failed.
void _mlir_ciface_flywheel_gpu_status(flywheel::runtime::ByteBuffer *result);
/// Has the device do what is recorded, waits for it, and returns the word,
/// which is 0 from then on, or the status below 0 of a step that has failed;
/// `isLast` where the step ends unless a check has failed.
int32_t _mlir_ciface_flywheel_gpu_await(int32_t isLast);
/// 1 where the step has failed for the device, and else 0: loops of the host
/// end with it.
int32_t _mlir_ciface_flywheel_gpu_has_failed();
/// One element: to the host, where it is 0 if the step has failed, and to the
/// device.
void _mlir_ciface_flywheel_gpu_read(int64_t host, int64_t device,
                                    int64_t bytes);
void _mlir_ciface_flywheel_gpu_write(int64_t device, int64_t host,
                                     int64_t bytes);
/// Ends the step. Returns `status`, or one below 0, with its text at
/// `host + text`.
int32_t _mlir_ciface_flywheel_gpu_finish(int64_t host, int64_t text,
                                         int32_t status);
/// The initializer, which computes on the host, is about to write the state.
void _mlir_ciface_flywheel_gpu_state_to_host(int64_t host);
/// What the C header of a model calls for the block at `state`: as
/// `writeGPUStateOnHost`, or `readGPUStateOnHost` where `write` is 0, with 0 or
/// a status; and as `releaseGPUState`.
int32_t flywheel_gpu_to_host(void *state, int32_t write);
void flywheel_gpu_release(void *state);
/// Executes a kernel with `threads` threads in each of `blocks` blocks, and so
/// many bytes of dynamic workgroup memory in each. Its arguments are at the
/// places `arguments`, of so many bytes each. The slots, null at first, are the
/// program's own, and hold what was loaded: they go with it.
void flywheel_gpu_launch(const flywheel::runtime::GPUImages *images,
                         void **moduleSlot, const char *kernel,
                         void **kernelSlot, int64_t blocks, int64_t threads,
                         int64_t dynamicBytes, void **arguments,
                         const int32_t *bytes, int64_t count);
}
// NOLINTEND(readability-identifier-naming)

#endif // FLYWHEEL_RUNTIME_GPU_H
