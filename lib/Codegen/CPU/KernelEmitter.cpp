//===- KernelEmitter.cpp - Building blocks of vector kernels --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "flywheel/Analysis/BufferAccesses.h"
#include "flywheel/Analysis/Contraction.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace flywheel {

//===----------------------------------------------------------------------===//
// Classification
//===----------------------------------------------------------------------===//

bool hasVectorizableElement(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrIndexOrFloat();
}

/// Returns true if memory stores vectors of `type` like an array of `type`.
static bool isPackedInMemory(Type type) {
  if (type.isIndex())
    return true;
  unsigned width = type.getIntOrFloatBitWidth();
  return width == 8 || width == 16 || width == 32 || width == 64;
}

/// Returns the number of innermost dimensions of `type` with one element, not
/// counting the outermost dimension. The dimension before them is contiguous if
/// it has a stride of one.
static unsigned countInnermostUnits(MemRefType type) {
  ArrayRef<int64_t> shape = type.getShape();
  unsigned count = 0;
  while (count + 1 < shape.size() && shape[shape.size() - 1 - count] == 1)
    ++count;
  return count;
}

AccessKind classifyAccess(AffineMap map, Type type, unsigned dim) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    type = MemRefType::get(tensor.getShape(), tensor.getElementType());
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !map.isFunctionOfDim(dim))
    return AccessKind::Uniform;
  ArrayRef<AffineExpr> exprs =
      map.getResults().drop_back(countInnermostUnits(memref));
  for (AffineExpr expr : exprs.drop_back())
    if (expr.isFunctionOfDim(dim))
      return AccessKind::Strided;
  // The last index must advance by one when `dim` does, whatever else it adds.
  MLIRContext *context = map.getContext();
  AffineExpr last = exprs.back();
  AffineExpr next = last.replace(getAffineDimExpr(dim, context),
                                 getAffineDimExpr(dim, context) + 1);
  AffineExpr difference =
      simplifyAffineExpr(next - last, map.getNumDims(), map.getNumSymbols());
  auto constant = dyn_cast<AffineConstantExpr>(difference);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!constant || constant.getValue() != 1 ||
      failed(memref.getStridesAndOffset(strides, offset)) ||
      strides[exprs.size() - 1] != 1 ||
      !isPackedInMemory(memref.getElementType()))
    return AccessKind::Strided;
  return AccessKind::Contiguous;
}

SmallVector<OpFoldResult> getLoopSizes(OpBuilder &builder,
                                       linalg::LinalgOp op) {
  SmallVector<OpFoldResult> sizes;
  for (const Range &range : op.createLoopRanges(builder, op.getLoc()))
    sizes.push_back(range.size);
  // The ranges are from the first operand that has each loop; another one may
  // have the size statically.
  for (auto [size, known] : llvm::zip_equal(sizes, getStaticLoopSizes(op)))
    if (!ShapedType::isDynamic(known))
      size = builder.getIndexAttr(known);
  return sizes;
}

int64_t getUpperBound(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return *constant;
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, ValueBoundsConstraintSet::Variable(size),
      /*stopCondition=*/nullptr, /*closedUB=*/true);
  return succeeded(bound) ? *bound : ShapedType::kDynamic;
}

linalg::LinalgOp findPrecedingFill(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return {};
  Value output = op.getDpsInits().front();
  for (Operation *prev = op->getPrevNode(); prev; prev = prev->getPrevNode()) {
    auto fill = dyn_cast<linalg::FillOp>(prev);
    if (fill && fill.getOutputs().front() == output &&
        fill.getInputs().front().getType() ==
            getElementTypeOrSelf(output.getType()))
      return cast<linalg::LinalgOp>(prev);
    // Allocations do not access the contents of any buffer in use.
    if (!isMemoryEffectFree(prev) &&
        !isa<memref::AllocOp, memref::AllocaOp>(prev))
      return {};
  }
  return {};
}

bool isOnStack(Value value) {
  return getViewed(value).getDefiningOp<memref::AllocaOp>() != nullptr;
}

//===----------------------------------------------------------------------===//
// Index arithmetic and loops
//===----------------------------------------------------------------------===//

Value KernelEmitter::value(Fold fold) {
  return getValueOrCreateConstantIndexOp(b, loc, fold);
}

OpFoldResult KernelEmitter::add(Fold lhs, Fold rhs) {
  AffineExpr x, y;
  bindDims(b.getContext(), x, y);
  return affine::makeComposedFoldedAffineApply(b, loc, x + y, {lhs, rhs});
}

OpFoldResult KernelEmitter::sub(Fold lhs, Fold rhs) {
  AffineExpr x, y;
  bindDims(b.getContext(), x, y);
  return affine::makeComposedFoldedAffineApply(b, loc, x - y, {lhs, rhs});
}

OpFoldResult KernelEmitter::min(Fold lhs, Fold rhs) {
  std::optional<int64_t> left = getConstantIntValue(lhs);
  std::optional<int64_t> right = getConstantIntValue(rhs);
  if (left && right)
    return index(std::min(*left, *right));
  return arith::MinSIOp::create(b, loc, value(lhs), value(rhs)).getResult();
}

OpFoldResult KernelEmitter::alignDown(Fold size, int64_t step) {
  AffineExpr x;
  bindDims(b.getContext(), x);
  return affine::makeComposedFoldedAffineApply(b, loc, x.floorDiv(step) * step,
                                               {size});
}

SmallVector<Value> KernelEmitter::loop(Fold lower, Fold upper, int64_t step,
                                       ValueRange init, LoopBody body) {
  std::optional<int64_t> from = getConstantIntValue(lower);
  std::optional<int64_t> to = getConstantIntValue(upper);
  if (from && to && (unroll || *from + step >= *to)) {
    SmallVector<Value> results(init);
    for (int64_t iv = *from; iv < *to; iv += step)
      results = body(index(iv), SmallVector<Value>(results));
    return results;
  }

  auto loop = scf::ForOp::create(b, loc, value(lower), value(upper),
                                 value(index(step)), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> results =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  // A loop without results has its terminator already.
  if (!init.empty())
    scf::YieldOp::create(b, loc, results);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value>
KernelEmitter::nest(ArrayRef<unsigned> dims, ArrayRef<Fold> sizes,
                    MutableArrayRef<Fold> ivs, ValueRange init,
                    function_ref<SmallVector<Value>(ValueRange)> body) {
  if (dims.empty())
    return body(init);
  return loop(index(0), sizes[dims.front()], 1, init,
              [&](Fold iv, ValueRange args) {
                ivs[dims.front()] = iv;
                return nest(dims.drop_front(), sizes, ivs, args, body);
              });
}

SmallVector<Value>
KernelEmitter::flatNest(ArrayRef<unsigned> dims, ArrayRef<Fold> sizes,
                        MutableArrayRef<Fold> ivs, ValueRange init,
                        function_ref<SmallVector<Value>(ValueRange)> body) {
  SmallVector<unsigned> several;
  for (unsigned dim : dims) {
    ivs[dim] = index(0);
    if (getConstantIntValue(sizes[dim]) != 1)
      several.push_back(dim);
  }
  int64_t inside = 1;
  for (unsigned dim : ArrayRef(several).drop_front(!several.empty())) {
    std::optional<int64_t> size = getConstantIntValue(sizes[dim]);
    if (!size)
      return nest(several, sizes, ivs, init, body);
    inside *= *size;
  }
  if (several.size() < 2 || inside == 0)
    return nest(several, sizes, ivs, init, body);
  AffineExpr x;
  bindDims(b.getContext(), x);
  Fold count = affine::makeComposedFoldedAffineApply(b, loc, x * inside,
                                                     {sizes[several.front()]});
  return loop(index(0), count, 1, init, [&](Fold iv, ValueRange args) {
    // Unsigned: the index is never negative, which LLVM cannot tell of a signed
    // division.
    Value rest = value(iv);
    for (unsigned dim : llvm::reverse(ArrayRef(several).drop_front())) {
      Value size = value(sizes[dim]);
      ivs[dim] = b.createOrFold<arith::RemUIOp>(loc, rest, size);
      rest = b.createOrFold<arith::DivUIOp>(loc, rest, size);
    }
    ivs[several.front()] = rest;
    return body(args);
  });
}

void KernelEmitter::ifGreater(Fold lhs, Fold rhs, function_ref<void()> body) {
  std::optional<int64_t> left = getConstantIntValue(lhs);
  std::optional<int64_t> right = getConstantIntValue(rhs);
  if (left && right) {
    if (*left > *right)
      body();
    return;
  }
  Value condition = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                          value(lhs), value(rhs));
  auto ifOp = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  body();
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Lanes KernelEmitter::lanes(int64_t length, Fold iv, Fold size) {
  auto type = VectorType::get({length}, b.getI1Type());
  Fold count = sub(size, iv);
  std::optional<int64_t> constant = getConstantIntValue(count);
  Value mask;
  if (!constant)
    mask = vector::CreateMaskOp::create(b, loc, type, ValueRange{value(count)});
  else if (*constant < length)
    mask = vector::ConstantMaskOp::create(
        b, loc, type, ArrayRef<int64_t>{std::max<int64_t>(*constant, 0)});
  return {length, mask, mask ? add(size, -1) : Fold()};
}

SmallVector<Value> KernelEmitter::indices(AffineMap map, ArrayRef<Fold> ivs) {
  SmallVector<Value> result;
  for (unsigned i = 0, e = map.getNumResults(); i < e; ++i)
    result.push_back(value(affine::makeComposedFoldedAffineApply(
        b, loc, map.getSubMap({i}), ivs)));
  return result;
}

Value KernelEmitter::loadScalar(Value source, AffineMap map,
                                ArrayRef<Fold> ivs) {
  if (!isa<MemRefType>(source.getType()))
    return source;
  return memref::LoadOp::create(b, loc, source, indices(map, ivs));
}

/// Returns `source`, an operand that is contiguous along a loop, without its
/// innermost dimensions of one element: vectors are along the innermost one.
/// Drops them from `map`.
static Value dropInnermostUnits(OpBuilder &b, Location loc, Value source,
                                AffineMap &map) {
  auto type = cast<MemRefType>(source.getType());
  unsigned rank = type.getRank() - countInnermostUnits(type);
  if (rank == type.getRank())
    return source;
  map = map.getSubMap(llvm::to_vector(llvm::seq(rank)));
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, source);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)),
      strides(sizes.size(), b.getIndexAttr(1));
  MemRefType result = memref::SubViewOp::inferRankReducedResultType(
      type.getShape().take_front(rank), type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, loc, result, source, offsets, sizes,
                                   strides);
}

Value KernelEmitter::loadVector(Value source, AffineMap map, ArrayRef<Fold> ivs,
                                unsigned dim, Lanes lanes) {
  Type element = getElementTypeOrSelf(source.getType());
  auto type = VectorType::get({lanes.length}, element);
  if (classifyAccess(map, source.getType(), dim) == AccessKind::Contiguous) {
    source = dropInnermostUnits(b, loc, source, map);
    if (!lanes.mask)
      return vector::LoadOp::create(b, loc, type, source, indices(map, ivs));
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    return vector::MaskedLoadOp::create(b, loc, type, source, indices(map, ivs),
                                        lanes.mask, zero);
  }
  SmallVector<Fold> laneIvs(ivs);
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes.length; ++lane) {
    laneIvs[dim] = add(ivs[dim], lane);
    // An unused lane reads the last element again rather than one outside.
    if (lanes.mask)
      laneIvs[dim] = min(laneIvs[dim], lanes.last);
    elements.push_back(loadScalar(source, map, laneIvs));
  }
  return vector::FromElementsOp::create(b, loc, type, elements);
}

void KernelEmitter::storeVector(Value vector, Value target, AffineMap map,
                                ArrayRef<Fold> ivs, unsigned dim, Lanes lanes,
                                bool streams) {
  if (classifyAccess(map, target.getType(), dim) == AccessKind::Contiguous) {
    target = dropInnermostUnits(b, loc, target, map);
    if (lanes.mask)
      vector::MaskedStoreOp::create(b, loc, target, indices(map, ivs),
                                    lanes.mask, vector);
    else
      vector::StoreOp::create(
          b, loc, vector, target, indices(map, ivs), /*nontemporal=*/streams,
          streams ? llvm::MaybeAlign(kCacheLineBytes) : llvm::MaybeAlign());
    return;
  }
  SmallVector<Fold> laneIvs(ivs);
  auto storeLane = [&](int64_t lane) {
    Value element = vector::ExtractOp::create(b, loc, vector, lane);
    memref::StoreOp::create(b, loc, element, target, indices(map, laneIvs));
  };
  for (int64_t lane = 0; lane < lanes.length; ++lane) {
    laneIvs[dim] = add(ivs[dim], lane);
    if (lanes.mask)
      ifGreater(add(lanes.last, 1), laneIvs[dim], [&] { storeLane(lane); });
    else
      storeLane(lane);
  }
}

void KernelEmitter::transpose(MutableArrayRef<Value> rows) {
  // Bit by bit: exchange the blocks off the diagonal of each 2x2 block matrix.
  int64_t length = rows.size();
  for (int64_t bit = 1; bit < length; bit *= 2) {
    SmallVector<int64_t> even, odd;
    for (int64_t lane = 0; lane < length; ++lane) {
      bool isOdd = (lane & bit) != 0;
      even.push_back(isOdd ? length + lane - bit : lane);
      odd.push_back(isOdd ? length + lane : lane + bit);
    }
    for (int64_t row = 0; row < length; ++row) {
      if (row & bit)
        continue;
      Value first = rows[row], second = rows[row + bit];
      rows[row] = vector::ShuffleOp::create(b, loc, first, second, even);
      rows[row + bit] = vector::ShuffleOp::create(b, loc, first, second, odd);
    }
  }
}

Value KernelEmitter::broadcast(Value scalar, int64_t length) {
  auto type = VectorType::get({length}, scalar.getType());
  Attribute constant;
  if (matchPattern(scalar, m_Constant(&constant)) &&
      isa<IntegerAttr, FloatAttr>(constant))
    return arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(DenseElementsAttr::get(type, constant)));
  return vector::BroadcastOp::create(b, loc, type, scalar);
}

} // namespace flywheel
