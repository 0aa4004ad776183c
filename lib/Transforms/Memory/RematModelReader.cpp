//===- RematModelReader.cpp - A step as a program of its memory -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RematModelReader.h"
#include "flywheel/Analysis/BufferAccesses.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace flywheel;
using flywheel::train::TrainDialect;

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// Flops of a function of the math dialect.
constexpr int64_t kMathFlops = 16;
/// Flops of a random number, and of a normal one made of it.
constexpr int64_t kDrawFlops = 100, kQuantileFlops = 160;
/// Iterations of a loop, and dimension size of a tile in one, that are not
/// known.
constexpr int64_t kUnknownTrips = 16;
constexpr int64_t kUnknownTile = 8;

/// The maximum FLOPs of one op in comparisons: those of hundreds of thousands
/// of ops can be added.
constexpr int64_t kMaxComparedFlops = int64_t{1} << 44;

static CheckedSize countFlops(Operation *op, int64_t dimSize);

static CheckedSize countFlops(Region &region, int64_t dimSize) {
  CheckedSize flops = 0;
  for (Operation &op : region.getOps())
    flops += countFlops(&op, dimSize);
  return flops;
}

/// Returns the number of iterations of `loop`. A loop from a dynamic bound on
/// computes the rest after tiles.
static int64_t countTrips(scf::ForOp loop, int64_t dimSize) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  if (!lower)
    return 1;
  int64_t range = upper.value_or(dimSize) - *lower;
  return std::max<int64_t>(0, range) / std::max<int64_t>(1, step.value_or(1));
}

/// Estimates the arithmetic of `op` for symbolic dimension sizes of `dimSize`.
static CheckedSize countFlops(Operation *op, int64_t dimSize) {
  CheckedSize inner = 0;
  for (Region &region : op->getRegions())
    inner += countFlops(region, dimSize);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return inner * countTrips(loop, dimSize);
  if (isa<scf::WhileOp>(op))
    return inner * kUnknownTrips;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    bool isTopLevel = isa<func::FuncOp>(op->getParentOp());
    CheckedSize flops = max(1, inner);
    for (int64_t range : structured.getStaticLoopRanges())
      flops *= !ShapedType::isDynamic(range) ? range
               : isTopLevel                  ? dimSize
                                             : kUnknownTile;
    return flops;
  }
  if (isa<arith::ArithDialect>(op->getDialect()))
    return 1;
  if (isa<math::MathDialect>(op->getDialect()))
    return kMathFlops;
  if (isa<train::RandomBitsOp>(op))
    return kDrawFlops;
  if (isa<train::NormalQuantileOp>(op))
    return kQuantileFlops;
  return inner;
}

//===----------------------------------------------------------------------===//
// Storages
//===----------------------------------------------------------------------===//

SmallVector<unsigned, 1> RematModelReader::getStorages(Value value) const {
  SmallVector<unsigned, 1> found;
  if (!isa<MemRefType>(value.getType()))
    return found;
  for (Value root : findRoots(value).roots)
    if (auto it = numbers.find(root); it != numbers.end())
      found.push_back(it->second);
  llvm::sort(found);
  return found;
}

void RematModelReader::addStorage(Value value, Storage storage) {
  storage.original = numbers[value] = storages.size();
  storages.push_back(value);
  program.storages.push_back(storage);
}

/// Reads a buffer. One that only one op of the step uses is a part of that op.
LogicalResult RematModelReader::readBuffer(memref::AllocOp alloc,
                                           const LiveRanges &ranges) {
  FailureOr<AffineExpr> size = sizes.getBytes(alloc);
  if (failed(size))
    return failure();
  if (isStackSlot(alloc, *size))
    return success();
  int64_t bytes =
      std::min(sizes.evaluate(*size).getSaturated(), kMaxComparedBytes);
  bool isNested = alloc->getBlock() != &function.getBody().front();
  if (isNested) {
    LiveBuffer live;
    ranges.set(live, alloc);
    if (live.begin == live.end) {
      program.ops[live.begin].scratch.push_back(bytes);
      return success();
    }
  }
  Storage storage;
  storage.bytes = bytes;
  storage.isFixed = isNested;
  addStorage(alloc, storage);
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static void add(SmallVectorImpl<unsigned> &set, ArrayRef<unsigned> numbers) {
  for (unsigned number : numbers)
    if (!llvm::is_contained(set, number))
      set.push_back(number);
}

/// Adds the accesses of `op` itself, without those of the ops inside it.
void RematModelReader::readAccesses(Operation *op, StepOp &stepOp) {
  bool isKnown = true;
  for (const BufferAccess &access : getAccesses(op)) {
    isKnown &= static_cast<bool>(access.buffer);
    if (access.buffer && access.isRead)
      add(stepOp.reads, getStorages(access.buffer));
    if (access.buffer && access.isWritten)
      add(stepOp.writes, getStorages(access.buffer));
  }
  if (isKnown)
    return;
  stepOp.isRepeatable = false;
  for (Value operand : op->getOperands())
    add(stepOp.writes, getStorages(operand));
}

void RematModelReader::readOp(Operation *op, StepOp &stepOp) {
  bool isView = isa<ViewLikeOpInterface>(op);
  // A snapshot copies the old value of a variable, which exists only once.
  if (op->hasAttr(TrainDialect::getSnapshotAttrName()) ||
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<MemRefType>))
    stepOp.isRepeatable = false;
  if (isView)
    return;
  // A copy of a buffer is put in place of it and its views only.
  for (Value result : op->getResults())
    if (!isRoot(result))
      for (unsigned number : getStorages(result))
        program.storages[number].isFixed = true;
  op->walk([&](Operation *nested) { readAccesses(nested, stepOp); });
  // Operands of which the op reads only the shape must stay live as well.
  SmallVector<unsigned> touched;
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      add(touched, getStorages(operand));
  });
  for (unsigned storage : touched)
    if (!stepOp.touches(storage))
      stepOp.reads.push_back(storage);
  stepOp.flops =
      std::min(::countFlops(op, sizes.getLargestDimSize()).getSaturated(),
               kMaxComparedFlops);
}

LogicalResult RematModelReader::read() {
  program.isStatic = sizes.getNumSymbols() == 0;
  Block &entry = function.getBody().front();
  for (Operation &op : entry.without_terminator()) {
    StepOp stepOp;
    stepOp.original = ops.size();
    program.ops.push_back(std::move(stepOp));
    ops.push_back(&op);
  }
  LiveRanges ranges(function, numberOps(function));
  for (BlockArgument argument : entry.getArguments())
    if (isa<MemRefType>(argument.getType())) {
      Storage storage;
      storage.isArgument = true;
      addStorage(argument, storage);
    }
  SmallVector<memref::AllocOp> allocs;
  function.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  for (memref::AllocOp alloc : allocs)
    if (failed(readBuffer(alloc, ranges)))
      return failure();
  for (auto [op, stepOp] : llvm::zip_equal(ops, program.ops))
    readOp(op, stepOp);
  return success();
}
