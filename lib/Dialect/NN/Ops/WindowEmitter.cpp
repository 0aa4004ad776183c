//===- WindowEmitter.cpp - Windows over images in linalg ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowEmitter.h"

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace flywheel;
using nn::PaddingKind;
using nn::WindowDim;

//===----------------------------------------------------------------------===//
// Dimension sizes
//===----------------------------------------------------------------------===//

OpFoldResult WindowEmitter::apply(AffineExpr expr, ArrayRef<Fold> symbols) {
  return affine::makeComposedFoldedAffineApply(
      e.b, e.loc, AffineMap::get(0, symbols.size(), expr), symbols);
}

DimSize WindowEmitter::toDimSize(Fold fold) {
  if (std::optional<int64_t> number = getConstantIntValue(fold))
    return DimSize::constant(*number);
  return {0, cast<Value>(fold), false};
}

WindowEmitter::WindowEmitter(LinalgEmitter &emitter, const nn::Window &window,
                             ArrayRef<DimSize> image)
    : e(emitter), window(window), image(image) {
  AffineExpr dimSize = e.b.getAffineSymbolExpr(0);
  for (auto [i, dim] : llvm::enumerate(window)) {
    dimSizes[i] = e.materialize(image[i + 1]);
    counts[i] = apply(dim.getCount(dimSize), dimSizes[i]);
    computePadding(i);
  }
}

void WindowEmitter::computePadding(unsigned i) {
  const WindowDim &dim = window[i];
  before[i] = e.b.getIndexAttr(dim.before);
  after[i] = e.b.getIndexAttr(dim.after);
  if (dim.padding != PaddingKind::same)
    return;
  AffineExpr symbol = e.b.getAffineSymbolExpr(0);
  AffineExpr zero = e.b.getAffineConstantExpr(0);
  AffineExpr sum = dim.getSamePadding(symbol);
  Fold total = apply(sum, dimSizes[i]);
  if (dim.getSpan() < dim.stride)
    total = affine::makeComposedFoldedAffineMax(
        e.b, e.loc, AffineMap::get(0, 1, {sum, zero}, e.b.getContext()),
        dimSizes[i]);
  before[i] = apply(symbol.floorDiv(2), total);
  after[i] = apply(symbol - symbol.floorDiv(2), total);
  // Padding that no window reads is harmless. It is added here because the size
  // of the padded image is then a simpler expression than the padding that is
  // needed.
  if (!getConstantIntValue(total))
    after[i] = apply(-symbol + (dim.getSpan() - 1), before[i]);
}

Value WindowEmitter::refineOutput(Value output, DimSize channels) {
  SmallVector<DimSize> found = e.getDimSizes(output);
  if (!found[0].isStatic())
    found[0] = image[0];
  for (unsigned i : {0, 1})
    found[i + 1] = getCount(i).merge(found[i + 1]);
  found[3] = channels.merge(found[3]);
  return e.refine(output, found);
}

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

bool WindowEmitter::isUnpadded() const {
  return llvm::all_of(before, isZeroInteger) &&
         llvm::all_of(after, isZeroInteger);
}

/// Returns true if `tensor` is statically known to have no elements. Upstream's
/// slice ops do not accept slices of such tensors.
static bool isEmpty(Value tensor) {
  return llvm::is_contained(cast<RankedTensorType>(tensor.getType()).getShape(),
                            0);
}

Value WindowEmitter::padSpatial(Value tensor, ArrayRef<Fold> low,
                                ArrayRef<Fold> high, Value value) {
  if (llvm::all_of(low, isZeroInteger) && llvm::all_of(high, isZeroInteger))
    return tensor;
  SmallVector<DimSize> dimSizes = e.getDimSizes(tensor), padded = dimSizes;
  AffineExpr dimSize, front, behind;
  bindSymbols(e.b.getContext(), dimSize, front, behind);
  for (unsigned i : {0, 1})
    padded[i + 1] =
        toDimSize(apply(dimSize + front + behind,
                        {e.materialize(dimSizes[i + 1]), low[i], high[i]}));
  Value result = e.empty(padded, value.getType());
  if (isEmpty(result))
    return result;
  SmallVector<Fold> offsets(dimSizes.size(), e.b.getIndexAttr(0)),
      strides(dimSizes.size(), e.b.getIndexAttr(1)), sizes;
  for (DimSize whole : padded)
    sizes.push_back(e.materialize(whole));
  // Only the border is filled: rows above and below, then columns left and
  // right of the image.
  auto fillBorder = [&](unsigned dim, Fold offset, Fold size) {
    if (isZeroInteger(size))
      return;
    offsets[dim] = offset;
    sizes[dim] = size;
    Value border = tensor::ExtractSliceOp::create(e.b, e.loc, result, offsets,
                                                  sizes, strides);
    border = linalg::FillOp::create(e.b, e.loc, value, border).getResult(0);
    result = tensor::InsertSliceOp::create(e.b, e.loc, border, result, offsets,
                                           sizes, strides);
  };
  for (unsigned i : {0, 1}) {
    Fold size = e.materialize(dimSizes[i + 1]);
    fillBorder(i + 1, e.b.getIndexAttr(0), low[i]);
    fillBorder(i + 1, apply(dimSize + front, {size, low[i]}), high[i]);
    offsets[i + 1] = low[i];
    sizes[i + 1] = size;
  }
  return tensor::InsertSliceOp::create(e.b, e.loc, tensor, result, offsets,
                                       sizes, strides);
}

Value WindowEmitter::pad(Value tensor, Value value) {
  return padSpatial(tensor, before, after, value);
}

bool WindowEmitter::emitRanges(Value image, RangeFn emit) {
  std::array<SmallVector<WindowRange>, 2> ranges;
  for (unsigned i : {0, 1}) {
    std::optional<int64_t> count = getConstantIntValue(counts[i]);
    std::optional<int64_t> front = getConstantIntValue(before[i]);
    std::optional<int64_t> dimSize = getConstantIntValue(dimSizes[i]);
    if (!count || !front || !dimSize)
      return false;
    ranges[i] = splitWindows(*count, window[i], *front, *dimSize);
  }
  size_t numParts = ranges[0].size() * ranges[1].size();
  if (isUnpadded() || numParts == 0 || numParts > kMaxWindowRanges)
    return false;
  for (const WindowRange &rows : ranges[0])
    for (const WindowRange &columns : ranges[1]) {
      std::array<WindowRange, 2> both = {rows, columns};
      std::array<int64_t, 2> sizes;
      for (auto [i, range] : llvm::enumerate(both))
        sizes[i] = (range.count - 1) * window[i].stride +
                   (range.size - 1) * window[i].dilation + 1;
      SpatialSlice slice(e, image, /*dim=*/1, {rows.offset, columns.offset},
                         sizes);
      emit(both, slice.extract(image));
    }
  return true;
}

Value WindowEmitter::emitPosition(OpBuilder &b, unsigned i, Value output,
                                  Value element) {
  const WindowDim &dim = window[i];
  auto number = [&](int64_t n) -> Value {
    return arith::ConstantIndexOp::create(b, e.loc, n);
  };
  Value start = arith::MulIOp::create(b, e.loc, output, number(dim.stride));
  Value offset = arith::MulIOp::create(b, e.loc, element, number(dim.dilation));
  Value index = arith::AddIOp::create(b, e.loc, start, offset);
  return arith::SubIOp::create(
      b, e.loc, index, getValueOrCreateConstantIndexOp(b, e.loc, before[i]));
}

Value WindowEmitter::isInside(OpBuilder &b, unsigned i, Value output,
                              Value element) {
  // As an unsigned number, a position before the image is far behind it.
  return arith::CmpIOp::create(
      b, e.loc, arith::CmpIPredicate::ult, emitPosition(b, i, output, element),
      getValueOrCreateConstantIndexOp(b, e.loc, dimSizes[i]));
}

Value WindowEmitter::countCovered(OpBuilder &b, unsigned i, Value output) {
  Value zero = arith::ConstantIndexOp::create(b, e.loc, 0);
  Value first = emitPosition(b, i, output, zero);
  Value span = arith::ConstantIndexOp::create(b, e.loc, window[i].getSpan());
  Value end = arith::AddIOp::create(b, e.loc, first, span);
  first = arith::MaxSIOp::create(b, e.loc, first, zero);
  end = arith::MinSIOp::create(
      b, e.loc, end, getValueOrCreateConstantIndexOp(b, e.loc, dimSizes[i]));
  return arith::SubIOp::create(b, e.loc, end, first);
}

//===----------------------------------------------------------------------===//
// Backward
//===----------------------------------------------------------------------===//

Value WindowPhase::emitElement(OpBuilder &b, Location loc, Value i) const {
  Value distance = arith::MulIOp::create(
      b, loc, i, arith::ConstantIndexOp::create(b, loc, step));
  Value last =
      arith::ConstantIndexOp::create(b, loc, first + (count - 1) * step);
  return arith::SubIOp::create(b, loc, last, distance);
}

/// Returns the distance of two elements of a window that reach the same phase.
static int64_t getStep(const WindowDim &dim) {
  return dim.stride / std::gcd(dim.stride, dim.dilation);
}

int64_t WindowEmitter::countPhases(unsigned i) const {
  return std::min(window[i].size, getStep(window[i]));
}

SmallVector<WindowPhase> WindowEmitter::makePhases(unsigned i) {
  const WindowDim &dim = window[i];
  AffineExpr front, dimSize;
  bindSymbols(e.b.getContext(), front, dimSize);
  SmallVector<WindowPhase> phases;
  for (int64_t element = 0; element < countPhases(i); ++element) {
    // Positions p with (p + before) mod stride = number: those that elements k
    // with k * dilation mod stride = number reach.
    int64_t number = element * dim.dilation % dim.stride;
    WindowPhase phase;
    phase.step = getStep(dim);
    phase.dilation = phase.step * dim.dilation / dim.stride;
    phase.first = element;
    phase.count = llvm::divideCeil(dim.size - element, phase.step);
    AffineExpr offset = (-front + number) % dim.stride;
    phase.offset = apply(offset, {before[i], dimSizes[i]});
    phase.size =
        apply((dimSize - offset).ceilDiv(dim.stride), {before[i], dimSizes[i]});
    if (isZeroInteger(phase.size))
      continue;
    // Position offset + m stride is reached by element k of window
    // begin + m + (first - k) dilation / stride.
    AffineExpr begin = (offset + front - number).floorDiv(dim.stride) -
                       (phase.first * dim.dilation - number) / dim.stride;
    phase.begin = apply(begin - (phase.count - 1) * phase.dilation,
                        {before[i], dimSizes[i]});
    phases.push_back(phase);
  }
  return phases;
}

void WindowEmitter::splitPhases(
    std::array<SmallVector<WindowPhase>, 2> &phases) {
  std::array<SmallVector<WindowPhase>, 2> parts;
  for (unsigned i : {0, 1})
    for (const WindowPhase &phase : phases[i]) {
      std::optional<int64_t> count = getConstantIntValue(counts[i]);
      std::optional<int64_t> begin = getConstantIntValue(phase.begin);
      std::optional<int64_t> size = getConstantIntValue(phase.size);
      std::optional<int64_t> offset = getConstantIntValue(phase.offset);
      if (!count || !begin || !size || !offset)
        return;
      // The turned window slides over the output with stride 1.
      WindowDim turned;
      turned.size = phase.count;
      turned.dilation = phase.dilation;
      SmallVector<WindowRange> ranges =
          splitWindows(*size, turned, /*before=*/-*begin, *count);
      if (ranges.empty())
        return;
      for (const WindowRange &range : ranges) {
        WindowPhase part = phase;
        part.offset =
            e.b.getIndexAttr(*offset + range.begin * window[i].stride);
        part.size = e.b.getIndexAttr(range.count);
        part.begin = e.b.getIndexAttr(range.offset);
        part.skippedFront = range.first;
        part.skippedBehind = phase.count - range.first - range.size;
        parts[i].push_back(part);
      }
    }
  if (parts[0].size() * parts[1].size() <= kMaxWindowRanges)
    phases = std::move(parts);
}

std::pair<int64_t, int64_t>
WindowEmitter::getOutputPadding(unsigned i, ArrayRef<WindowPhase> phases) {
  const WindowDim &dim = window[i];
  int64_t low = 0, high = 0;
  std::optional<int64_t> count = getConstantIntValue(counts[i]);
  for (const WindowPhase &phase : phases) {
    std::optional<int64_t> begin = getConstantIntValue(phase.begin);
    std::optional<int64_t> size = getConstantIntValue(phase.size);
    if (!count || !begin || !size)
      // Enough for any dimension size: no window begins before the image by
      // more than its span, nor ends as far behind it.
      return {(dim.getSpan() - 1) / dim.stride,
              (dim.getSpan() - 1 + dim.stride - 1) / dim.stride};
    int64_t end = *begin + *size + (phase.getNumRead() - 1) * phase.dilation;
    low = std::max(low, -*begin);
    high = std::max(high, end - *count);
  }
  return {low, high};
}

SmallVector<Value>
WindowEmitter::padOutputs(ValueRange outputs, ValueRange padValues,
                          std::array<MutableArrayRef<WindowPhase>, 2> phases) {
  SmallVector<Fold> low, high;
  for (unsigned i : {0, 1}) {
    auto [front, behind] = getOutputPadding(i, phases[i]);
    low.push_back(e.b.getIndexAttr(front));
    high.push_back(e.b.getIndexAttr(behind));
    AffineExpr begin = e.b.getAffineSymbolExpr(0) + front;
    for (WindowPhase &phase : phases[i])
      phase.begin = apply(begin, phase.begin);
  }
  SmallVector<Value> padded;
  for (auto [output, value] : llvm::zip_equal(outputs, padValues))
    padded.push_back(padSpatial(output, low, high, value));
  return padded;
}

Value WindowEmitter::scatter(Value zero, ValueRange outputs,
                             ValueRange padValues, PhaseFn emitPhase,
                             BlockFn emitBlocks, bool splits) {
  Value result = e.empty(image, zero.getType());
  if (isEmpty(result) || llvm::any_of(outputs, isEmpty))
    return result;
  // Each phase is an op, or several.
  constexpr int64_t maxPhases = 9;
  if (countPhases(0) > maxPhases / countPhases(1))
    return scatterBlocks(zero, outputs, padValues, emitBlocks);
  return scatterPhases(zero, outputs, padValues, emitPhase, splits);
}

Value WindowEmitter::scatterPhases(Value zero, ValueRange outputs,
                                   ValueRange padValues, PhaseFn emit,
                                   bool splits) {
  std::array<SmallVector<WindowPhase>, 2> phases = {makePhases(0),
                                                    makePhases(1)};
  if (splits)
    splitPhases(phases);
  SmallVector<Value> padded =
      padOutputs(outputs, padValues, {phases[0], phases[1]});
  Value result = e.empty(image, zero.getType());
  for (unsigned i : {0, 1})
    if (countPhases(i) < window[i].stride) {
      result = e.fill(image, zero);
      break;
    }
  bool isWhole = llvm::all_of(std::array{0, 1}, [&](unsigned i) {
    return window[i].stride == 1 && phases[i].size() == 1;
  });
  SmallVector<Fold> offsets(image.size(), e.b.getIndexAttr(0));
  SmallVector<Fold> strides(image.size(), e.b.getIndexAttr(1)), sizes;
  for (DimSize dimSize : image)
    sizes.push_back(e.materialize(dimSize));
  for (unsigned i : {0, 1})
    strides[i + 1] = e.b.getIndexAttr(window[i].stride);
  for (const WindowPhase &row : phases[0])
    for (const WindowPhase &column : phases[1]) {
      std::array<WindowPhase, 2> both = {row, column};
      for (unsigned i : {0, 1}) {
        offsets[i + 1] = both[i].offset;
        sizes[i + 1] = both[i].size;
      }
      SmallVector<Value> slices;
      for (Value output : padded)
        slices.push_back(sliceOutput(output, both));
      if (isWhole)
        return emit(both, result, slices);
      Value part = tensor::ExtractSliceOp::create(e.b, e.loc, result, offsets,
                                                  sizes, strides);
      result =
          tensor::InsertSliceOp::create(e.b, e.loc, emit(both, part, slices),
                                        result, offsets, sizes, strides);
    }
  return result;
}

std::pair<Blocks, WindowPhase> WindowEmitter::makeBlocks(unsigned i) {
  const WindowDim &dim = window[i];
  Blocks blocks;
  blocks.stride = dim.stride;
  blocks.dilation = dim.dilation;
  // One window alone has a block that is the image.
  if (getConstantIntValue(counts[i]) == 1)
    blocks.stride =
        std::max(dim.getSpan(), *getConstantIntValue(before[i]) +
                                    *getConstantIntValue(dimSizes[i]));
  blocks.length = std::min(dim.getSpan(), blocks.stride);
  blocks.count = llvm::divideCeil(dim.getSpan(), blocks.stride);

  // Block m has the positions p with (p + before) / stride = m. The padding of
  // `same` may be unknown here, but is at most half of a window.
  std::optional<int64_t> front = getConstantIntValue(before[i]);
  int64_t first = front ? *front / blocks.stride : 0;
  int64_t most = front ? *front : (dim.getSpan() - 1) / 2;
  AffineExpr symbol = e.b.getAffineSymbolExpr(0);
  WindowPhase phase;
  phase.count = blocks.count;
  phase.size = apply(
      (symbol + (most - 1)).floorDiv(blocks.stride) + (1 - first), dimSizes[i]);
  phase.begin = e.b.getIndexAttr(first - (blocks.count - 1));
  phase.offset = apply(symbol - first * blocks.stride, before[i]);
  blocks.number = toDimSize(phase.size);
  return {blocks, phase};
}

Value WindowEmitter::scatterBlocks(Value zero, ValueRange outputs,
                                   ValueRange padValues, BlockFn emit) {
  std::array<Blocks, 2> blocks;
  std::array<WindowPhase, 2> phases;
  SmallVector<DimSize> dimSizes = {image[0]};
  for (unsigned i : {0, 1}) {
    std::tie(blocks[i], phases[i]) = makeBlocks(i);
    dimSizes.append({blocks[i].number, DimSize::constant(blocks[i].length)});
  }
  llvm::append_range(dimSizes, ArrayRef(image).drop_front(3));
  SmallVector<Value> slices =
      padOutputs(outputs, padValues,
                 {MutableArrayRef(phases[0]), MutableArrayRef(phases[1])});
  for (Value &output : slices)
    output = sliceOutput(output, phases);
  Value joined =
      joinBlocks(emit(blocks, dimSizes, slices), zero, blocks, dimSizes);

  SmallVector<Fold> offsets(image.size(), e.b.getIndexAttr(0));
  SmallVector<Fold> strides(image.size(), e.b.getIndexAttr(1)), sizes;
  for (DimSize dimSize : image)
    sizes.push_back(e.materialize(dimSize));
  for (unsigned i : {0, 1})
    offsets[i + 1] = phases[i].offset;
  if (llvm::all_of(offsets, isZeroInteger) && e.getDimSizes(joined) == image)
    return joined;
  return tensor::ExtractSliceOp::create(e.b, e.loc, joined, offsets, sizes,
                                        strides);
}

Value WindowEmitter::joinBlocks(Value tensor, Value zero,
                                const std::array<Blocks, 2> &blocks,
                                ArrayRef<DimSize> dimSizes) {
  // Positions of a block that no window reaches are behind those that some do.
  SmallVector<DimSize> whole(dimSizes);
  for (unsigned i : {0, 1})
    whole[2 * i + 2] = DimSize::constant(blocks[i].stride);
  if (whole != dimSizes) {
    SmallVector<Fold> offsets(dimSizes.size(), e.b.getIndexAttr(0));
    SmallVector<Fold> strides(dimSizes.size(), e.b.getIndexAttr(1)), sizes;
    for (DimSize dimSize : dimSizes)
      sizes.push_back(e.materialize(dimSize));
    tensor = tensor::InsertSliceOp::create(
        e.b, e.loc, tensor, e.fill(whole, zero), offsets, sizes, strides);
  }
  SmallVector<ReassociationIndices> groups = {{0}, {1, 2}, {3, 4}};
  for (int64_t dim = 5; dim < static_cast<int64_t>(dimSizes.size()); ++dim)
    groups.push_back({dim});
  return tensor::CollapseShapeOp::create(e.b, e.loc, tensor, groups);
}

Value WindowEmitter::sliceOutput(Value output,
                                 const std::array<WindowPhase, 2> &phases) {
  SmallVector<Fold> sizes;
  for (DimSize dimSize : e.getDimSizes(output))
    sizes.push_back(e.materialize(dimSize));
  SmallVector<Fold> whole = sizes;
  SmallVector<Fold> offsets(sizes.size(), e.b.getIndexAttr(0));
  SmallVector<Fold> strides(sizes.size(), e.b.getIndexAttr(1));
  AffineExpr size = e.b.getAffineSymbolExpr(0);
  for (auto [i, phase] : llvm::enumerate(phases)) {
    offsets[i + 1] = phase.begin;
    sizes[i + 1] =
        apply(size + (phase.getNumRead() - 1) * phase.dilation, phase.size);
  }
  if (llvm::all_of(offsets, isZeroInteger) && sizes == whole)
    return output;
  return tensor::ExtractSliceOp::create(e.b, e.loc, output, offsets, sizes,
                                        strides);
}
