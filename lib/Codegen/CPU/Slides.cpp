//===- Slides.cpp - Windows that neighbouring iterations share ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FMASchedule.h"

using namespace mlir;

namespace flywheel {

void Slide::visit(int64_t count, function_ref<void(int64_t, int64_t)> load,
                  function_ref<void(int64_t, int64_t)> use) const {
  for (int64_t place = 0; place < (count - 1) * step + size; ++place) {
    bool isLoaded = false;
    for (int64_t e = place % step; e <= std::min(place, size - 1); e += step) {
      int64_t i = (place - e) / step;
      if (i >= count)
        continue;
      if (!isLoaded)
        load(i, e);
      isLoaded = true;
      use(i, e);
    }
  }
}

/// A longer window does not fit in registers.
static constexpr int64_t kMaxWindow = 32;

std::optional<Slide> findSlide(ArrayRef<unsigned> loops, AffineMap map,
                               unsigned parallel, ArrayRef<int64_t> sizes) {
  MLIRContext *context = map.getContext();
  AffineExpr position = getAffineDimExpr(parallel, context);
  AffineMap simple = simplifyAffineMap(map);
  std::optional<Slide> best;
  for (unsigned loop : loops) {
    if (ShapedType::isDynamic(sizes[loop]) || sizes[loop] > kMaxWindow ||
        !map.isFunctionOfDim(loop) || (best && sizes[loop] <= best->size))
      continue;
    AffineExpr element = getAffineDimExpr(loop, context);
    for (int64_t step = 1; step < sizes[loop]; ++step) {
      AffineMap next =
          map.replace({{position, position + 1}, {element, element - step}},
                      map.getNumDims(), map.getNumSymbols());
      if (simplifyAffineMap(next) != simple)
        continue;
      best = {loop, sizes[loop], step};
      break;
    }
  }
  return best;
}

bool isInnermost(const Contraction &contraction, const Slide &slide) {
  linalg::LinalgOp op = contraction.op;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  return llvm::all_of(contraction.k, [&](unsigned loop) {
    return loop <= slide.loop || sizes[loop] == 1;
  });
}

std::optional<ContractionTile> chooseSlidingTile(const Contraction &contraction,
                                                 codegen::CPUAttr cpu,
                                                 ArrayRef<int64_t> sizes) {
  if (contraction.rows.size() != 1)
    return std::nullopt;
  std::optional<Slide> slide = findSlide(contraction.k, contraction.aMap,
                                         contraction.rows.front(), sizes);
  if (!slide || !isInnermost(contraction, *slide) ||
      slide->size >= cpu.getVectorRegisters() / 2)
    return std::nullopt;
  return chooseSlidingTile(getElementTypeOrSelf(contraction.c->get()), cpu,
                           sizes[contraction.rows.front()],
                           sizes[contraction.n], slide->size);
}

} // namespace flywheel
