//===- GPU.h - What compiled steps call for a GPU ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver of the GPU is loaded at the first call, from libcuda.so.1 or the
// file that FLYWHEEL_LIBCUDA names, so that a program with code for a GPU
// starts on any machine.
//
// The state of a model has a mirror on the device, of the same layout, from its
// first step on. After a step, the mirror is the newer one; before code reads
// or writes the state on the host, it calls the functions for the host below.
//
// Launches are recorded until the host waits for their results. A whole step in
// which the host need not wait is a graph, with one launch, from its second run
// on; with FLYWHEEL_GPU_GRAPHS=0, every kernel is launched by itself.
//
// After a failure (no driver, no memory, a device that is lost), the later
// calls of the same step do nothing, and `finish` returns a status below 0,
// with its text in the state block. A step that fails before its first launch
// has changed nothing.
//
// Object files for a GPU include these functions, which only need the C
// library.
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
  /// The chips that can run the image:
  /// * PTX: `chip` and later ones;
  /// * OwnPTX: `chip` only, as sm_90a, whose instructions other architectures
  ///   lack;
  /// * Code: `chip` and later ones of its generation;
  /// * OwnCode: `chip` only;
  /// * Any: each chip, on a simulator.
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

/// Copies newer variables of the device to the state block at `state`, for a
/// reader on the host. Returns false if the device is lost.
bool readGPUStateOnHost(const void *state);
/// The same for a writer: the next step copies it to the device.
bool writeGPUStateOnHost(const void *state);
/// Frees the device memory of a state block that is about to be freed.
void releaseGPUState(const void *state);

/// Counts of the device's work for a state block since its first step. Launches
/// are those of kernels, in graphs too.
struct GPUCounters {
  int64_t launches = 0, graphs = 0, synchronizations = 0;
  int64_t bytesToDevice = 0, bytesToHost = 0;
};
GPUCounters getGPUCounters(const void *state);

} // namespace flywheel::runtime

// Names as in C. NOLINTBEGIN(readability-identifier-naming)
extern "C" {
/// Begins a step. Returns the mirror of the block of `bytes` at `host`, whose
/// variables begin at `begin`. If `isAMD` is 1, device code is AMD's: such a
/// step fails, as HIP is not loaded.
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
/// Returns a feed on the device, or memory for a result that `finish` copies to
/// `host`. Memory that is on the device already is used as it is, unless it is
/// not aligned to the 64 bytes that kernels rely on: then it is copied there.
void _mlir_ciface_flywheel_gpu_feed(flywheel::runtime::ByteBuffer *result,
                                    int64_t host, int64_t bytes);
void _mlir_ciface_flywheel_gpu_result(flywheel::runtime::ByteBuffer *result,
                                      int64_t host, int64_t bytes);
/// Returns a table of the program, which never changes: it is copied once, when
/// the number at `slot` is 0; later calls use the address that `slot` then has.
void _mlir_ciface_flywheel_gpu_constant(flywheel::runtime::ByteBuffer *result,
                                        int64_t host, int64_t bytes,
                                        int64_t slot);
/// A word that checks write their status to: 0 as long as none has failed.
void _mlir_ciface_flywheel_gpu_status(flywheel::runtime::ByteBuffer *result);
/// Launches the recorded kernels, waits for them, and returns the status word,
/// which it resets to 0, or the status below 0 of a step that has failed.
/// `isLast` is true if the step ends unless a check has failed.
int32_t _mlir_ciface_flywheel_gpu_await(int32_t isLast);
/// Returns 1 if the step has failed on the device, and 0 otherwise: loops of
/// the host end then.
int32_t _mlir_ciface_flywheel_gpu_has_failed();
/// Copies one element to the host, as 0 if the step has failed, and to the
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
/// Functions that the C header of a model calls for the block at `state`:
/// `flywheel_gpu_to_host` calls `writeGPUStateOnHost`, or `readGPUStateOnHost`
/// if `write` is 0, and returns 0 or a status; `flywheel_gpu_release` calls
/// `releaseGPUState`.
int32_t flywheel_gpu_to_host(void *state, int32_t write);
void flywheel_gpu_release(void *state);
/// Executes a kernel with `threads` threads in each of `blocks` blocks, and
/// `dynamicBytes` bytes of dynamic workgroup memory in each. Its arguments are
/// at the addresses `arguments`, of `bytes` bytes each. The slots, initially
/// null, belong to the program and hold the loaded module and kernel.
void flywheel_gpu_launch(const flywheel::runtime::GPUImages *images,
                         void **moduleSlot, const char *kernel,
                         void **kernelSlot, int64_t blocks, int64_t threads,
                         int64_t dynamicBytes, void **arguments,
                         const int32_t *bytes, int64_t count);
}
// NOLINTEND(readability-identifier-naming)

#endif // FLYWHEEL_RUNTIME_GPU_H
