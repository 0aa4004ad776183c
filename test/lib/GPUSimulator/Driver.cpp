//===- Driver.cpp - A stand-in for the driver of a GPU --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of libcuda.so.1 that the runtime uses, over memory of the host.
// Every buffer ends at a page that nothing may touch, begins behind one, and is
// full of bytes that are NaNs. FLYWHEEL_SIM_ORDER=reversed executes blocks and
// threads from the last one to the first. FLYWHEEL_SIM_MEMORY is the number of
// bytes that there are.
//
//===----------------------------------------------------------------------===//

#include "HostCode.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

using namespace simulator;

namespace {
enum Status {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidImage = 200,
  kNotFound = 500
};

struct Allocation {
  char *begin;
  size_t mapped, bytes;
};

struct Machine {
  std::mutex mutex;
  Place place{};
  std::map<uintptr_t, Allocation> allocations;
  size_t used = 0;
};
} // namespace

static Machine &getMachine() {
  static Machine &machine = *new Machine();
  return machine;
}

static size_t getMemory() {
  const char *text = std::getenv("FLYWHEEL_SIM_MEMORY");
  return text ? std::strtoull(text, nullptr, 10) : size_t{1} << 34;
}

/// Bytes that no float of any width has but a NaN.
static constexpr int kPoison = 0xFF;
/// What buffers of the driver are multiples of at least.
static constexpr size_t kAlignment = 256;

extern "C" {
int cuInit(unsigned) { return kSuccess; }

int cuDeviceGet(int *device, int number) {
  *device = number;
  return number == 0 ? kSuccess : kInvalidValue;
}

int cuDevicePrimaryCtxRetain(void **context, int) {
  *context = &getMachine();
  return kSuccess;
}

int cuCtxSetCurrent(void *) { return kSuccess; }

int cuMemAlloc_v2(uintptr_t *address, size_t bytes) {
  Machine &machine = getMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  if (bytes == 0)
    return kInvalidValue;
  if (machine.used + bytes > getMemory())
    return kOutOfMemory;
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  size_t inner = (rounded + page - 1) / page * page;
  void *mapped = mmap(nullptr, inner + 2 * page, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return kOutOfMemory;
  char *begin = static_cast<char *>(mapped) + page;
  mprotect(begin, inner, PROT_READ | PROT_WRITE);
  std::memset(begin, kPoison, inner);
  // The end is what is overrun most.
  *address = reinterpret_cast<uintptr_t>(begin + inner - rounded);
  machine.allocations[*address] = {static_cast<char *>(mapped),
                                   inner + 2 * page, bytes};
  machine.used += bytes;
  return kSuccess;
}

int cuMemFree_v2(uintptr_t address) {
  Machine &machine = getMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  auto found = machine.allocations.find(address);
  if (found == machine.allocations.end())
    return kInvalidValue;
  munmap(found->second.begin, found->second.mapped);
  machine.used -= found->second.bytes;
  machine.allocations.erase(found);
  return kSuccess;
}

/// Whether these bytes are of one buffer.
static bool isAllocated(uintptr_t address, size_t bytes) {
  Machine &machine = getMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  auto next = machine.allocations.upper_bound(address);
  if (next == machine.allocations.begin())
    return false;
  auto [begin, allocation] = *std::prev(next);
  return address + bytes <= begin + allocation.bytes;
}

int cuMemcpyHtoD_v2(uintptr_t to, const void *from, size_t bytes) {
  if (!isAllocated(to, bytes))
    return kInvalidValue;
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return kSuccess;
}

int cuMemcpyDtoH_v2(void *to, uintptr_t from, size_t bytes) {
  if (!isAllocated(from, bytes))
    return kInvalidValue;
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return kSuccess;
}

int cuModuleLoadData(void **module, const void *image) {
  auto code = HostCode::create(image, getMachine().place);
  if (!code) {
    std::fprintf(stderr, "simulator: %s\n",
                 llvm::toString(code.takeError()).c_str());
    return kInvalidImage;
  }
  *module = code->release();
  return kSuccess;
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
  auto kernel = static_cast<HostCode *>(module)->find(name);
  if (!kernel) {
    llvm::consumeError(kernel.takeError());
    return kNotFound;
  }
  *function = reinterpret_cast<void *>(*kernel);
  return kSuccess;
}

int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                   unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned /*dynamicBytes*/,
                   void * /*stream*/, void **arguments, void ** /*extra*/) {
  if (gridX == 0 || gridY == 0 || gridZ == 0 || gridY > 65535 ||
      gridZ > 65535 || gridX > 0x7FFFFFFF ||
      uint64_t{blockX} * blockY * blockZ - 1 >= 1024 || blockZ > 64)
    return kInvalidValue;
  const char *order = std::getenv("FLYWHEEL_SIM_ORDER");
  bool isReversed = order && std::strcmp(order, "reversed") == 0;
  Machine &machine = getMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  Place &place = machine.place;
  place = {
      {0, 0, 0}, {0, 0, 0}, {blockX, blockY, blockZ}, {gridX, gridY, gridZ}};
  uint64_t threads = uint64_t{blockX} * blockY * blockZ;
  uint64_t blocks = uint64_t{gridX} * gridY * gridZ;
  auto kernel = reinterpret_cast<Kernel>(function);
  for (uint64_t i = 0; i < blocks; ++i) {
    uint64_t block = isReversed ? blocks - 1 - i : i;
    place.block[0] = block % gridX;
    place.block[1] = block / gridX % gridY;
    place.block[2] = block / gridX / gridY;
    for (uint64_t j = 0; j < threads; ++j) {
      uint64_t thread = isReversed ? threads - 1 - j : j;
      place.thread[0] = thread % blockX;
      place.thread[1] = thread / blockX % blockY;
      place.thread[2] = thread / blockX / blockY;
      kernel(arguments);
    }
  }
  return kSuccess;
}

int cuCtxSynchronize() { return kSuccess; }

int cuGetErrorName(int status, const char **name) {
  switch (status) {
  case kOutOfMemory:
    *name = "CUDA_ERROR_OUT_OF_MEMORY";
    return kSuccess;
  case kInvalidImage:
    *name = "CUDA_ERROR_INVALID_IMAGE";
    return kSuccess;
  case kNotFound:
    *name = "CUDA_ERROR_NOT_FOUND";
    return kSuccess;
  default:
    *name = "CUDA_ERROR_INVALID_VALUE";
    return kSuccess;
  }
}
}
