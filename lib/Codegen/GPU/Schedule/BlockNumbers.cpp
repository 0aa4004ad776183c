//===- BlockNumbers.cpp - How much work keeps a GPU busy ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockNumbers.h"

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "llvm/ADT/bit.h"

using namespace mlir;

namespace flywheel {

using codegen::GPUAttr;

BlockNumbers::BlockNumbers(Operation *op) {
  GPUAttr gpu = codegen::lookupGPU(op);
  int64_t multiprocessors =
      gpu ? gpu.getMultiprocessors() : GPUAttr::kMultiprocessors;
  many = 2 * multiprocessors;
  enough = static_cast<int64_t>(llvm::bit_floor<uint64_t>(multiprocessors));
}

WorkgroupBytes::WorkgroupBytes(Operation *op) {
  GPUAttr gpu = codegen::lookupGPU(op);
  all = gpu ? gpu.getWorkgroupBytes() : GPUAttr::kWorkgroupBytes;
  buffers = all / 3 * 2;
  longRow = all / 3;
  columns = all / 12 * 7;
}

int64_t getCachedBytes(Operation *op) {
  GPUAttr gpu = codegen::lookupGPU(op);
  return (gpu ? gpu.getCacheBytes() : GPUAttr::kCacheBytes) / 5 * 2;
}

} // namespace flywheel
