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

BlockNumbers::BlockNumbers(Operation *op) {
  codegen::GPUAttr gpu = codegen::lookupGPU(op);
  int64_t multiprocessors =
      gpu ? gpu.getMultiprocessors() : codegen::GPUAttr::kMultiprocessors;
  many = 2 * multiprocessors;
  enough = static_cast<int64_t>(llvm::bit_floor<uint64_t>(multiprocessors));
}

int64_t getCachedBytes(Operation *op) {
  codegen::GPUAttr gpu = codegen::lookupGPU(op);
  int64_t bytes = gpu ? gpu.getCacheBytes() : codegen::GPUAttr::kCacheBytes;
  return bytes / 5 * 2;
}

} // namespace flywheel
