//===- ContractionEmitter.cpp - What kernels of sums share ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"

#include "flywheel/Analysis/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace flywheel {

bool ContractionEmitter::emit() {
  sizes = getLoopSizes(e.b, contraction.op);
  ivs.assign(sizes.size(), e.index(0));
  // The passes and blocks after the first one add to its results.
  bool fills = contraction.passes.empty() && !contraction.block;
  if (!fills)
    fillValue = Value();
  SmallVector<unsigned> around = contraction.passes;
  llvm::append_range(around, contraction.outer);
  e.nest(around, sizes, ivs, {}, [&](ValueRange) {
    emitTiles();
    return SmallVector<Value>();
  });
  return fills;
}

void ContractionEmitter::emitStrips(ArrayRef<unsigned> loops, int64_t length,
                                    function_ref<void(const Strip &)> body) {
  if (loops.empty())
    return body({e.index(0), 1, Fold()});
  if (loops.size() > 1) {
    int64_t count = 1;
    for (unsigned loop : loops)
      count *= *getConstantIntValue(sizes[loop]);
    for (int64_t i = 0; i < count; i += length)
      body({e.index(i), std::min(length, count - i), Fold()});
    return;
  }
  Fold size = sizes[loops.front()];
  Fold end = e.alignDown(size, length);
  e.loop(e.index(0), end, length, {}, [&](Fold iv, ValueRange) {
    body({iv, length, Fold()});
    return SmallVector<Value>();
  });
  std::optional<int64_t> rest = getConstantIntValue(e.sub(size, end));
  if (rest == 0)
    return;
  e.ifGreater(size, end, [&] {
    // A static rest is a smaller tile. A dynamic one repeats the last iteration
    // as often as needed to fill the tile.
    if (rest)
      body({end, *rest, Fold()});
    else
      body({end, length, size});
  });
}

void ContractionEmitter::moveTo(ArrayRef<unsigned> loops, const Strip &strip,
                                int64_t i) {
  if (loops.empty())
    return;
  if (loops.size() > 1) {
    int64_t rest = *getConstantIntValue(strip.base) + i;
    for (unsigned loop : llvm::reverse(loops)) {
      int64_t size = *getConstantIntValue(sizes[loop]);
      ivs[loop] = e.index(rest % size);
      rest /= size;
    }
    return;
  }
  Fold index = e.add(strip.base, i);
  if (strip.size)
    index = e.min(index, e.add(strip.size, -1));
  ivs[loops.front()] = index;
}

void ContractionEmitter::ifExists(const Strip &strip, int64_t i,
                                  function_ref<void()> body) {
  if (strip.size)
    e.ifGreater(strip.size, e.add(strip.base, i), body);
  else
    body();
}

Value ContractionEmitter::widen(Value value, OpOperand *input) {
  Type element = getElementTypeOrSelf(contraction.c->get());
  if (getElementTypeOrSelf(value) == element)
    return value;
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  Operation *widening =
      getWideningOf(contraction.op.getMatchingBlockArgument(input));
  if (isa_and_present<arith::SIToFPOp>(widening))
    return arith::SIToFPOp::create(e.b, e.loc, type, value);
  if (isa_and_present<arith::UIToFPOp>(widening))
    return arith::UIToFPOp::create(e.b, e.loc, type, value);
  return arith::ExtFOp::create(e.b, e.loc, type, value);
}

} // namespace flywheel
