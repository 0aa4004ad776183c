//===- GroupAccesses.cpp - What ops of a group do to buffers --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupAccesses.h"
#include "../Schedule/BlockNumbers.h"
#include "../Schedule/BlockTile.h"

#include "flywheel/Analysis/AccessMaps.h"
#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace flywheel {

bool GroupAccess::isOfRows(ArrayRef<unsigned> dims, unsigned numDims,
                           ArrayRef<int64_t> sizes) const {
  if ((!isRegular && numWhole < numDims) || map.getNumResults() < numDims)
    return false;
  for (auto [number, expr] : llvm::enumerate(map.getResults())) {
    if (number < numDims) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      // A dimension of one element is along a loop of one iteration.
      bool isOnly = expr == 0 && sizes[dims[number]] == 1;
      if (!isOnly && (!dim || dim.getPosition() != dims[number]))
        return false;
      continue;
    }
    for (unsigned dim : dims.take_front(numDims))
      if (expr.isFunctionOfDim(dim))
        return false;
  }
  return true;
}

bool hasOutputAlongReduction(linalg::LinalgOp op) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &out) {
    AffineMap map = op.getMatchingIndexingMap(&out);
    return llvm::any_of(reductions,
                        [&](unsigned dim) { return map.isFunctionOfDim(dim); });
  });
}

SmallVector<Operation *> matchCombiners(linalg::LinalgOp op) {
  SmallVector<Operation *> combiners;
  if (op.getNumReductionLoops() == 0 || hasOutputAlongReduction(op))
    return {};
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
    SmallVector<Operation *, 4> found;
    if (!matchReduction(op.getRegionOutputArgs(), i, found) ||
        found.size() != 1 || found.front()->getNumResults() != 1 ||
        !arith::getNeutralElement(found.front()))
      return {};
    combiners.push_back(found.front());
  }
  return combiners;
}

/// Returns the number of first dimensions of `buffer`, a slice of an allocation
/// or of an argument, that are whole dimensions of it.
static unsigned countWholeDims(Value buffer) {
  auto slice = buffer.getDefiningOp<memref::SubViewOp>();
  if (!slice || !slice.getDroppedDims().none())
    return 0;
  Value source = slice.getSource();
  if (!source.getDefiningOp<memref::AllocOp>() && !isa<BlockArgument>(source))
    return 0;
  unsigned count = 0;
  for (auto [offset, size, stride] :
       llvm::zip_equal(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides())) {
    FailureOr<bool> isWhole = ValueBoundsConstraintSet::areEqual(
        ValueBoundsConstraintSet::Variable(size),
        ValueBoundsConstraintSet::Variable(source, count));
    if (getConstantIntValue(offset) != 0 || getConstantIntValue(stride) != 1 ||
        failed(isWhole) || !*isWhole)
      break;
    ++count;
  }
  return count;
}

GroupAccess::GroupAccess(const BufferAccess &access)
    : BufferAccess(access), root(getViewed(buffer)),
      numWhole(countWholeDims(buffer)), map(getMap()) {
  auto type = cast<MemRefType>(buffer.getType());
  // Reshapes keep all elements, in their order.
  isRegular = getViewed<memref::ExpandShapeOp, memref::CollapseShapeOp>(
                  buffer) == root &&
              type.getLayout().isIdentity();
  shape.assign(type.getShape().begin(), type.getShape().end());
  if (!isRoot(root))
    root = {};
}

bool reducesAlongMemory(linalg::LinalgOp op) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!isa<MemRefType>(input->get().getType()) || map.getNumResults() == 0)
      continue;
    AffineExpr last = map.getResults().back();
    for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
      if (last.isFunctionOfDim(dim))
        return op.getIteratorTypesArray()[dim] ==
               utils::IteratorType::reduction;
  }
  return true;
}

GroupMember::GroupMember(linalg::LinalgOp op)
    : op(op), sizes(getStaticLoopSizes(op)) {
  for (const BufferAccess &access : getAccesses(op))
    accesses.emplace_back(access);
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr expr : out.getResults()) {
    // An output may be along a loop that reduces another output.
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || llvm::is_contained(rowDims, dim.getPosition()) ||
        op.getIteratorTypesArray()[dim.getPosition()] !=
            utils::IteratorType::parallel)
      break;
    rowDims.push_back(dim.getPosition());
  }
  SmallVector<Operation *> combiners = matchCombiners(op);
  if (combiners.size() == 1)
    combiner = combiners.front();
}

bool GroupMember::writesBufferOf(const GroupMember &other) const {
  for (const GroupAccess &mine : accesses)
    for (const GroupAccess &theirs : other.accesses)
      if (mine.isWritten &&
          (!mine.root || !theirs.root || mine.root == theirs.root))
        return true;
  return false;
}

bool GroupMember::conflictsWith(const GroupMember &other) const {
  return writesBufferOf(other) || other.writesBufferOf(*this);
}

bool GroupMember::hasRowsSideBySide(unsigned numDims) const {
  if (op.getNumReductionLoops() == 0 || numDims == 0)
    return false;
  for (const GroupAccess &access : accesses)
    if (!access.isWritten && access.map.getNumResults() != 0)
      return access.map.getResults().back().isFunctionOfDim(
          rowDims[numDims - 1]);
  return false;
}

TypedAttr GroupMember::getIdentity() const {
  return combiner ? *arith::getNeutralElement(combiner) : TypedAttr();
}

bool GroupMember::canTile(ArrayRef<int64_t> tile) const {
  for (const GroupAccess &access : accesses)
    for (AffineExpr expr : access.map.getResults()) {
      bool isTiled = false;
      for (auto [dim, size] : llvm::enumerate(tile))
        isTiled |= size != 0 && expr.isFunctionOfDim(dim);
      if (isTiled &&
          !isTileable(AffineMap::get(access.map.getNumDims(), 0, expr)))
        return false;
    }
  return true;
}

/// Returns the size of dimension `dim`, which is dynamic, if it is an operand
/// of the op that creates `buffer`; otherwise null.
static Value getDynamicSize(Value buffer, unsigned dim) {
  if (auto alloc = buffer.getDefiningOp<memref::AllocOp>())
    return alloc.getDynamicSizes()[alloc.getType().getDynamicDimIndex(dim)];
  auto slice = buffer.getDefiningOp<memref::SubViewOp>();
  return slice && slice.getDroppedDims().none()
             ? dyn_cast<Value>(slice.getMixedSizes()[dim])
             : Value();
}

std::optional<BufferDimSize> findDimSize(Value buffer, unsigned dim) {
  for (;;) {
    auto type = cast<MemRefType>(buffer.getType());
    if (!type.isDynamicDim(dim))
      return BufferDimSize{type.getDimSize(dim), Value(), 0};
    Value size = getDynamicSize(buffer, dim);
    if (!size)
      break;
    auto sized = size.getDefiningOp<memref::DimOp>();
    auto source = sized ? dyn_cast<MemRefType>(sized.getSource().getType())
                        : MemRefType();
    std::optional<int64_t> place =
        sized ? sized.getConstantIndex() : std::nullopt;
    // The size of a dimension that does not exist is undefined.
    if (!source || !place || *place < 0 || *place >= source.getRank())
      return BufferDimSize{std::nullopt, size, 0};
    buffer = sized.getSource();
    dim = *place;
  }
  if (!isa<BlockArgument>(buffer))
    return std::nullopt;
  return BufferDimSize{std::nullopt, buffer, dim};
}

/// Returns the number of iterations of loop `dim`. The size of an allocated
/// result, which other ops of the step have, takes precedence over that of an
/// argument of the function.
std::optional<BufferDimSize> GroupMember::findLoopSize(unsigned dim) const {
  if (!ShapedType::isDynamic(sizes[dim]))
    return BufferDimSize{sizes[dim], Value(), 0};
  std::optional<BufferDimSize> ofArgument;
  for (OpOperand &operand : llvm::reverse(op->getOpOperands())) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [place, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop || loop.getPosition() != dim)
        continue;
      std::optional<BufferDimSize> found = findDimSize(operand.get(), place);
      if (found && !isa<BlockArgument>(operand.get()))
        return found;
      if (found)
        ofArgument = found;
    }
  }
  return ofArgument;
}

void RowCount::multiply(const BufferDimSize &dimSize) {
  if (dimSize.known == 1 && !dimSizes.empty())
    return;
  bool isJoined = !dimSizes.empty() && dimSize.known && dimSizes.back().known;
  if (isJoined)
    *dimSizes.back().known *= *dimSize.known;
  else if (!dimSizes.empty() && isOne())
    dimSizes.front() = dimSize;
  else
    dimSizes.push_back(dimSize);
}

SmallVector<RowCount> GroupMember::getRowCounts(int64_t maxAlone) const {
  SmallVector<RowCount> counts;
  int64_t iterations = 1;
  for (int64_t size : sizes)
    iterations = ShapedType::isDynamic(size) || iterations > maxAlone
                     ? maxAlone + 1
                     : iterations * size;
  // An op with a single result element has no rows.
  if (iterations <= maxAlone ||
      op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getNumResults() == 0)
    counts.push_back(RowCount::get(1));
  bool hasColumns = isKernel(op);
  AffineMap lhs;
  if (hasColumns)
    lhs = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  SmallVector<int64_t> tile(op.getNumLoops(), 0);
  RowCount rows = RowCount::get(1);
  for (unsigned dim : rowDims) {
    tile[dim] = 1;
    // Columns of a contraction are not rows.
    if (!canTile(tile) || (hasColumns && !lhs.isFunctionOfDim(dim)))
      break;
    std::optional<BufferDimSize> dimSize = findLoopSize(dim);
    if (!dimSize)
      break;
    if (dimSize->known == 0)
      return {};
    rows.multiply(*dimSize);
    if (!rows.isOne() && !llvm::is_contained(counts, rows))
      counts.push_back(rows);
    // Several iterations can be one row, so that there are fewer rows.
    if (std::optional<int64_t> known = rows.getKnown()) {
      int64_t enough = BlockNumbers(op).enough;
      int64_t size = *known / enough;
      if (*known % enough == 0 && size > 1 && sizes[dim] % size == 0)
        counts.push_back(RowCount::get(enough));
    }
  }
  return counts;
}

unsigned GroupMember::getNumRowDims(const RowCount &count) const {
  if (count.isOne())
    return 0;
  std::optional<int64_t> known = count.getKnown();
  RowCount rows = RowCount::get(1);
  for (auto [number, dim] : llvm::enumerate(rowDims)) {
    rows.multiply(*findLoopSize(dim));
    if (rows == count)
      return number + 1;
    std::optional<int64_t> product = rows.getKnown();
    if (known && product && *product % *known == 0 &&
        sizes[dim] % (*product / *known) == 0)
      return number + 1;
  }
  llvm_unreachable("a count that the op does not have");
}

std::vector<SmallVector<unsigned>>
GroupMember::getSizeDims(const RowCount &count) const {
  std::vector<SmallVector<unsigned>> dims;
  RowCount rows = RowCount::get(1);
  for (unsigned dim : ArrayRef(rowDims).take_front(getNumRowDims(count))) {
    BufferDimSize dimSize = *findLoopSize(dim);
    if (dimSize.known == 1)
      continue;
    rows.multiply(dimSize);
    dims.resize(rows.dimSizes.size());
    dims.back().push_back(dim);
  }
  return dims;
}

int64_t GroupMember::countPerRow(const RowCount &count, int64_t unknown) const {
  int64_t iterations = 1;
  ArrayRef<unsigned> rows = ArrayRef(rowDims).take_front(getNumRowDims(count));
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(rows, dim))
      iterations = std::min<int64_t>(
          iterations * (ShapedType::isDynamic(size) ? unknown : size), 1 << 30);
  return iterations;
}

int64_t GroupMember::getRowSize(const RowCount &count) const {
  std::optional<int64_t> known = count.getKnown();
  if (count.isOne() || !known)
    return 1;
  int64_t rows = 1;
  for (unsigned dim : ArrayRef(rowDims).take_front(getNumRowDims(count)))
    rows *= sizes[dim];
  return rows / *known;
}

OpFoldResult GroupMember::emitDimSize(OpBuilder &b, unsigned dim) const {
  return op.createLoopRanges(b, op.getLoc())[dim].size;
}

SmallVector<unsigned> GroupMember::getLoopsOfResult() const {
  SmallVector<unsigned> loops;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr expr : map.getResults())
    loops.push_back(cast<AffineDimExpr>(expr).getPosition());
  return loops;
}

bool GroupMember::isProduct() const {
  if (!isKernel(op))
    return false;
  AffineMap lhs = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  AffineMap rhs = op.getMatchingIndexingMap(op.getDpsInputOperand(1));
  bool isBatched = llvm::any_of(rowDims, [&](unsigned dim) {
    return lhs.isFunctionOfDim(dim) && rhs.isFunctionOfDim(dim);
  });
  return !isBatched && canTile(chooseTile(op));
}

//===----------------------------------------------------------------------===//
// Code of a part
//===----------------------------------------------------------------------===//

GroupPart::GroupPart(linalg::LinalgOp op)
    : offsets(op.getNumLoops(),
              IntegerAttr::get(IndexType::get(op.getContext()), 0)),
      sizes(offsets) {}

linalg::LinalgOp emitPartOf(OpBuilder &b, linalg::LinalgOp op,
                            const GroupPart &part) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> offsets, ivs, bounds;
  for (const Range &range : op.createLoopRanges(b, loc))
    bounds.push_back(range.size);
  for (auto [offset, size] : llvm::zip_equal(part.offsets, part.sizes)) {
    bool isWhole = getConstantIntValue(size) == 0;
    offsets.push_back(isWhole ? b.getIndexAttr(0) : offset);
    if (!isWhole)
      ivs.push_back(offset);
  }
  SmallVector<Value> tiled = linalg::makeTiledShapes(
      b, loc, op, op->getOperands(), ivs, part.sizes, bounds,
      /*omitPartialTileCheck=*/false);
  auto clone = cast<linalg::LinalgOp>(
      mlir::clone(b, op, /*newResultTypes=*/TypeRange(), tiled));
  linalg::offsetIndices(b, clone, offsets);
  // A part of unknown size is at most as large as its bound.
  if (auto schedule = dyn_cast_if_present<codegen::BlockAttr>(
          codegen::getSchedule(clone.getOperation()))) {
    SmallVector<int64_t> tile(schedule.getTile().asArrayRef());
    for (auto [side, size] : llvm::zip_equal(tile, part.sizes))
      if (std::optional<int64_t> most = getConstantIntValue(size);
          most && *most > 0 && side > *most)
        side = *most;
    codegen::setSchedule(
        clone,
        codegen::BlockAttr::get(b.getContext(), schedule.getUnit(),
                                DenseI64ArrayAttr::get(b.getContext(), tile),
                                schedule.getDepth(), schedule.getStages()));
  }
  return clone;
}

linalg::LinalgOp GroupMember::emitPart(OpBuilder &b,
                                       const GroupPart &part) const {
  if (!fill)
    return emitPartOf(b, op, part);
  GroupPart filled(fill);
  for (auto [dim, loop] : llvm::enumerate(getLoopsOfResult())) {
    filled.offsets[dim] = part.offsets[loop];
    filled.sizes[dim] = part.sizes[loop];
  }
  linalg::LinalgOp start = emitPartOf(b, fill, filled);
  linalg::LinalgOp emitted = emitPartOf(b, op, part);
  // The same part, even if an unknown size is another value.
  Value out = emitted.getDpsInits().front();
  auto type = cast<MemRefType>(out.getType());
  if (!type.hasStaticShape() && type == start.getDpsInits().front().getType()) {
    start->moveBefore(emitted);
    start.setDpsInitOperand(0, out);
  }
  return emitted;
}

void GroupMember::erase() const {
  if (fill)
    fill->erase();
  op->erase();
}

void structureCopies(Operation *function) {
  SmallVector<memref::CopyOp> copies;
  function->walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  for (memref::CopyOp copy : copies) {
    OpBuilder b(copy);
    linalg::CopyOp::create(b, copy.getLoc(), copy.getSource(),
                           copy.getTarget());
    copy.erase();
  }
}

SmallVector<int64_t> chooseTile(linalg::LinalgOp op) {
  SmallVector<int64_t> tile(getBlockSchedule(op).getTile().asArrayRef());
  SmallVector<int64_t> sizes = getStaticLoopSizes(op);
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  constexpr int64_t kMax = codegen::BlockAttr::kMaxSide;
  for (unsigned dim : parallel)
    if (tile[dim] == 0)
      tile[dim] = ShapedType::isDynamic(sizes[dim])
                      ? kMax
                      : std::max<int64_t>(sizes[dim], 1);
  return tile;
}

scf::ForallOp createBlocks(OpBuilder &b, Location loc,
                           ArrayRef<OpFoldResult> counts) {
  SmallVector<Attribute> mapping;
  for (unsigned i = 0; i < counts.size(); ++i) {
    auto id = static_cast<gpu::MappingId>(
        static_cast<unsigned>(gpu::MappingId::LinearDim0) + i);
    mapping.push_back(gpu::GPUBlockMappingAttr::get(b.getContext(), id));
  }
  return scf::ForallOp::create(b, loc, counts, /*outputs=*/ValueRange(),
                               b.getArrayAttr(mapping));
}

} // namespace flywheel
