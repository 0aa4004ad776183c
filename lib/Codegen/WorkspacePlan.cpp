//===- WorkspacePlan.cpp - Sizes, lives and slots of buffers --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkspacePlan.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Target/Manifest.h"

#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace flywheel;
using flywheel::train::TrainDialect;

/// Buffers inside loops of at most this size are stack slots.
constexpr int64_t kMaxStackBytes = 4096;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

std::optional<unsigned> WorkspaceSizes::getSymbol(Value value, int64_t dim) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner()->getParentOp() != function)
    return std::nullopt;
  auto extents = function.getArgAttrOfType<DenseI64ArrayAttr>(
      argument.getArgNumber(), TrainDialect::getExtentsAttrName());
  if (!extents || dim >= extents.size() || extents[dim] < 0)
    return std::nullopt;
  return extents[dim];
}

unsigned WorkspaceSizes::getNumSymbols() {
  auto names =
      function->getAttrOfType<ArrayAttr>(TrainDialect::getSymbolsAttrName());
  return names ? names.size() : 0;
}

int64_t WorkspaceSizes::evaluate(AffineExpr bytes, int64_t extent) {
  unsigned numSymbols = getNumSymbols();
  MLIRContext *context = function.getContext();
  for (unsigned i = 0; i < numSymbols; ++i)
    bytes = bytes.replace(getAffineSymbolExpr(i, context),
                          getAffineConstantExpr(extent, context));
  auto constant =
      dyn_cast<AffineConstantExpr>(simplifyAffineExpr(bytes, 0, numSymbols));
  return constant ? constant.getValue() : 0;
}

/// An upper bound of `size` as a function of the symbolic extents.
FailureOr<AffineExpr> WorkspaceSizes::getUpperBound(Value size) {
  MLIRContext *context = function.getContext();
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return getAffineConstantExpr(*constant, context);
  // Where one of several bounds is a constant, it does not grow with the feeds.
  FailureOr<int64_t> constant = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, size, nullptr, /*closedUB=*/true);
  if (succeeded(constant))
    return getAffineConstantExpr(*constant, context);
  AffineMap map;
  ValueDimList operands;
  auto isSymbol = [&](Value value, std::optional<int64_t> dim,
                      ValueBoundsConstraintSet &) {
    return dim && getSymbol(value, *dim).has_value();
  };
  if (failed(ValueBoundsConstraintSet::computeBound(
          map, operands, presburger::BoundType::UB, size, isSymbol,
          /*closedUB=*/true)) ||
      map.getNumResults() == 0)
    return failure();
  SmallVector<AffineExpr> dims, symbols;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    std::optional<unsigned> symbol =
        operand.second ? getSymbol(operand.first, *operand.second)
                       : std::nullopt;
    if (!symbol)
      return failure();
    (i < map.getNumDims() ? dims : symbols)
        .push_back(getAffineSymbolExpr(*symbol, context));
  }
  return map.getResult(0).replaceDimsAndSymbols(dims, symbols);
}

FailureOr<AffineExpr> WorkspaceSizes::getBytes(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  Type element = type.getElementType();
  if (!element.isIntOrIndexOrFloat())
    return alloc.emitError()
           << "expected a buffer of numbers, found elements of type "
           << element;
  int64_t elementBytes =
      element.isIndex() ? 8
                        : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  AffineExpr bytes = getAffineConstantExpr(elementBytes, function.getContext());
  unsigned next = 0;
  for (int64_t extent : type.getShape()) {
    if (!ShapedType::isDynamic(extent)) {
      bytes = bytes * extent;
      continue;
    }
    FailureOr<AffineExpr> bound =
        getUpperBound(alloc.getDynamicSizes()[next++]);
    if (failed(bound))
      return alloc.emitError()
             << "expected a buffer whose size is bounded by the extents of the "
                "feeds, found "
             << type;
    bytes = bytes * *bound;
  }
  return bytes;
}

bool flywheel::isStackSlot(memref::AllocOp alloc, AffineExpr bytes) {
  auto constant = dyn_cast<AffineConstantExpr>(bytes);
  return constant && constant.getValue() <= kMaxStackBytes &&
         !isa<func::FuncOp>(alloc->getParentOp());
}

//===----------------------------------------------------------------------===//
// Lives
//===----------------------------------------------------------------------===//

llvm::DenseMap<Operation *, unsigned>
flywheel::numberOps(func::FuncOp function) {
  llvm::DenseMap<Operation *, unsigned> positions;
  for (Operation &op : function.getBody().front())
    positions.try_emplace(&op, positions.size());
  return positions;
}

void flywheel::computeLiveness(
    LiveBuffer &buffer, memref::AllocOp alloc,
    const BufferViewFlowAnalysis &aliases,
    const llvm::DenseMap<Operation *, unsigned> &positions) {
  Block &block = alloc->getParentOfType<func::FuncOp>().getBody().front();
  buffer.begin = UINT_MAX;
  buffer.end = 0;
  for (Value alias : aliases.resolve(alloc))
    for (Operation *user : alias.getUsers())
      if (Operation *top = block.findAncestorOpInBlock(*user)) {
        // Views and casts do not touch the memory.
        if (top == user && isa<ViewLikeOpInterface>(user))
          continue;
        unsigned position = positions.at(top);
        buffer.begin = std::min(buffer.begin, position);
        buffer.end = std::max(buffer.end, position);
      }
  if (buffer.begin == UINT_MAX)
    buffer.begin = buffer.end =
        positions.at(block.findAncestorOpInBlock(*alloc));
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// Greedy by size: each buffer goes into the first slot where nothing is live
/// at the same time. Sizes are compared at one extent; the result is right for
/// every extent.
unsigned flywheel::assignSlots(MutableArrayRef<LiveBuffer *> buffers) {
  llvm::sort(buffers, [](const LiveBuffer *a, const LiveBuffer *b) {
    return std::make_tuple(-a->bytes, a->begin, a->end, a->number) <
           std::make_tuple(-b->bytes, b->begin, b->end, b->number);
  });
  unsigned numSlots = 0;
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    llvm::SmallDenseSet<unsigned> taken;
    for (LiveBuffer *other : buffers.take_front(i))
      if (buffer->overlaps(*other))
        taken.insert(other->slot);
    buffer->slot = 0;
    while (taken.contains(buffer->slot))
      ++buffer->slot;
    numSlots = std::max(numSlots, buffer->slot + 1);
  }
  return numSlots;
}

int64_t flywheel::getSlotBytes(ArrayRef<LiveBuffer *> buffers,
                               unsigned numSlots) {
  SmallVector<int64_t> slots(numSlots);
  for (const LiveBuffer *buffer : buffers)
    slots[buffer->slot] = std::max(slots[buffer->slot], buffer->bytes);
  int64_t total = 0;
  for (int64_t bytes : slots)
    total += llvm::alignTo(static_cast<uint64_t>(bytes), kStateAlignment);
  return total;
}
