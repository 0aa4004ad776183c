//===- InputTile.cpp - Tiles of an input in workgroup memory --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputTile.h"
#include "../Schedule/BlockTile.h"
#include "../Schedule/KnownDivisor.h"
#include "BlockEmitter.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace flywheel {

/// Bytes of the widest memory access of a thread in PTX and AMD's code.
static constexpr int64_t kVectorBytes = 16;

/// Returns true if the last dimension of `input` is along a loop of `dims`.
static bool isLastAlong(AffineMap map, ArrayRef<unsigned> dims) {
  return map.getNumResults() != 0 && llvm::any_of(dims, [&](unsigned dim) {
           return map.getResults().back().isFunctionOfDim(dim);
         });
}

static bool isInWorkgroupMemory(Value buffer) {
  return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
      cast<MemRefType>(buffer.getType()));
}

InputTile::InputTile(ThreadEmitter &threads, OpOperand &input,
                     ArrayRef<unsigned> dims, ArrayRef<unsigned> terms,
                     int64_t side, int64_t depth, Type element,
                     bool usesTensorCores, bool canCopyAsync)
    : side(side), depth(depth), threads(threads), input(input), dims(dims),
      terms(terms), element(element) {
  isAlongTerms = isLastAlong(threads.op.getMatchingIndexingMap(&input), terms);
  pitch = getTilePitch(isAlongTerms ? depth : side, getElementBytes(element),
                       isAlongTerms, usesTensorCores);
  count = threads.count(dims);
  numTerms = threads.count(terms);
  width = chooseWidth();
  Type source = getElementTypeOrSelf(input.get().getType());
  int64_t bytes = width * getElementBytes(source);
  isAsync = canCopyAsync && source == element && bytes >= 4 &&
            !isInWorkgroupMemory(input.get()) &&
            cast<MemRefType>(input.get().getType()).isLastDimUnitStride();
}

int64_t InputTile::chooseWidth() const {
  AffineMap map = threads.op.getMatchingIndexingMap(&input);
  ArrayRef<unsigned> along = isAlongTerms ? terms : dims;
  if (map.getNumResults() == 0 || along.empty())
    return 1;
  // Vectors are along the loop whose iterations are contiguous in the tile, and
  // do not cross its end.
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!last || last.getPosition() != along.back())
    return 1;
  for (AffineExpr expr : map.getResults().drop_back())
    if (expr.isFunctionOfDim(along.back()))
      return 1;
  int64_t bytes = getElementBytes(getElementTypeOrSelf(input.get().getType()));
  int64_t found = kVectorBytes / bytes;
  while (found > 1 &&
         (getKnownDivisor(threads.sizes[along.back()]) % found != 0 ||
          !hasAlignedVectors(input.get(), found)))
    found /= 2;
  return std::max<int64_t>(found, 1);
}

int64_t InputTile::countVectors() const {
  return llvm::divideCeil(side * depth / width, kGroupBlockSize);
}

/// Returns the conjunction of both, or the one that is not null.
static Value emitBoth(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AndIOp::create(b, loc, lhs, rhs);
}

InputTile::Vector InputTile::locate(int64_t number, Value firstTerm) {
  OpBuilder &b = threads.b;
  Location loc = threads.loc;
  int64_t inner = (isAlongTerms ? depth : side) / width;
  int64_t total = side * depth / width;
  Vector vector;
  Value place = b.createOrFold<arith::AddIOp>(
      loc, thread, threads.index(number * kGroupBlockSize));
  if ((number + 1) * kGroupBlockSize > total)
    vector.isInTile = emitIsBelow(b, loc, place, threads.index(total));
  Value low = b.createOrFold<arith::RemUIOp>(loc, place, threads.index(inner));
  low = b.createOrFold<arith::MulIOp>(loc, low, threads.index(width));
  Value high = b.createOrFold<arith::DivUIOp>(loc, place, threads.index(inner));
  vector.term = isAlongTerms ? low : high;
  vector.row = isAlongTerms ? high : low;
  vector.rowNumber = arith::AddIOp::create(b, loc, first, vector.row);
  vector.termNumber = arith::AddIOp::create(b, loc, firstTerm, vector.term);
  if (!isMultipleOf(count, side))
    vector.isInside = emitIsBelow(b, loc, vector.rowNumber, count);
  if (!isMultipleOf(numTerms, depth))
    vector.isInside =
        emitBoth(b, loc, vector.isInside,
                 emitIsBelow(b, loc, vector.termNumber, numTerms));
  return vector;
}

void InputTile::emitAsyncCopy(Value firstTerm, Value slot) {
  OpBuilder &b = threads.b;
  Location loc = threads.loc;
  for (int64_t number = 0; number < countVectors(); ++number) {
    OpBuilder::InsertionGuard guard(b);
    Vector vector = locate(number, firstTerm);
    if (vector.isInTile)
      b.setInsertionPointToStart(
          scf::IfOp::create(b, loc, vector.isInTile).thenBlock());
    Value row = vector.rowNumber, term = vector.termNumber, elements;
    if (vector.isInside) {
      // Reads no element outside of the input: its index is replaced by that of
      // the first element.
      Value zero = threads.index(0);
      row = arith::SelectOp::create(b, loc, vector.isInside, row, zero);
      term = arith::SelectOp::create(b, loc, vector.isInside, term, zero);
      elements = arith::SelectOp::create(b, loc, vector.isInside,
                                         threads.index(width), zero);
    }
    threads.setIndices(dims, row);
    threads.setIndices(terms, term);
    bool isWide = width * getElementBytes(element) == kVectorBytes;
    nvgpu::DeviceAsyncCopyOp::create(
        b, loc, nvgpu::DeviceAsyncTokenType::get(b.getContext()), buffer,
        getIndices(slot, vector.row, vector.term), input.get(),
        threads.getIndices(input), b.getIndexAttr(width), elements,
        isWide ? b.getUnitAttr() : UnitAttr());
  }
}

/// Converts `value`, a float or a vector of them, to elements of type
/// `element`.
static Value emitNarrowing(OpBuilder &b, Location loc, Value value,
                           Type element) {
  if (getElementTypeOrSelf(value.getType()) == element)
    return value;
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  return arith::TruncFOp::create(b, loc, type, value);
}

Value InputTile::emitLoad(const Vector &vector) {
  OpBuilder &b = threads.b;
  Location loc = threads.loc;
  threads.setIndices(dims, vector.rowNumber);
  threads.setIndices(terms, vector.termNumber);
  if (width == 1)
    return emitNarrowing(b, loc, threads.load(input), element);
  Type source = getElementTypeOrSelf(input.get().getType());
  Value loaded = vector::LoadOp::create(
      b, loc, VectorType::get({width}, source), input.get(),
      threads.getIndices(input), /*nontemporal=*/false,
      llvm::MaybeAlign(width * getElementBytes(source)));
  return emitNarrowing(b, loc, loaded, element);
}

SmallVector<Type> InputTile::getLoadTypes() const {
  Type type = width == 1 ? element : VectorType::get({width}, element);
  return SmallVector<Type>(countVectors(), type);
}

SmallVector<Value> InputTile::emitLoads(Value firstTerm) {
  OpBuilder &b = threads.b;
  Location loc = threads.loc;
  SmallVector<Value> values;
  for (auto [number, type] : llvm::enumerate(getLoadTypes())) {
    Vector vector = locate(number, firstTerm);
    Value condition = emitBoth(b, loc, vector.isInside, vector.isInTile);
    if (!condition) {
      values.push_back(emitLoad(vector));
      continue;
    }
    auto branch =
        scf::IfOp::create(b, loc, type, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, emitLoad(vector));
    b.setInsertionPointToStart(branch.elseBlock());
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    scf::YieldOp::create(b, loc, zero);
    values.push_back(branch.getResult(0));
  }
  return values;
}

void InputTile::emitStores(ValueRange values, Value slot) {
  OpBuilder &b = threads.b;
  Location loc = threads.loc;
  for (auto [number, value] : llvm::enumerate(values)) {
    OpBuilder::InsertionGuard guard(b);
    Vector vector = locate(number, threads.index(0));
    if (vector.isInTile)
      b.setInsertionPointToStart(
          scf::IfOp::create(b, loc, vector.isInTile).thenBlock());
    SmallVector<Value> indices = getIndices(slot, vector.row, vector.term);
    if (width == 1)
      memref::StoreOp::create(b, loc, value, buffer, indices);
    else
      vector::StoreOp::create(
          b, loc, value, buffer, indices,
          /*nontemporal=*/false,
          llvm::MaybeAlign(width * getElementBytes(element)));
  }
}

} // namespace flywheel
