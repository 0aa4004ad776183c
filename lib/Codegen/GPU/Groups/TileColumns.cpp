//===- TileColumns.cpp - Rows that workgroup memory does not hold ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: the body of a group of rows, in which a product writes rows that are
// too long for workgroup memory, like those of scores, other ops compute more
// such rows from them, element by element, and reductions are along them.
// After: each reduction, or several that are independent of each other, is in a
// loop over tiles of the columns, in which a tile of the rows is computed in
// workgroup memory and reduced. A later loop recomputes the rows: no buffer has
// them.
//
// Does not change a group in which other ops use rows.
//
//===----------------------------------------------------------------------===//

#include "../Schedule/BlockNumbers.h"
#include "../Schedule/BlockTile.h"
#include "GroupAccesses.h"

#include "flywheel/Analysis/BufferAccesses.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace flywheel;

/// Columns of a tile are a multiple of these: half of a tile of tensor cores.
static constexpr int64_t kLeastColumns = 16;

namespace {
/// A structured op of the group, and the way in which it uses long rows.
struct Member {
  enum class Kind { Other, Fill, MakesRows, ReducesRows };

  explicit Member(linalg::LinalgOp op) : op(op) {}

  /// A handle, whose methods are not `const`.
  mutable linalg::LinalgOp op;
  Kind kind = Kind::Other;
  /// The loop along columns, if the op uses rows and is not a fill.
  unsigned columns = 0;
};

/// Reductions in one loop over columns, and the members that compute the rows
/// for them, in their order, by number of the member.
struct ColumnLoop {
  SmallVector<unsigned> reductions, members;
};

class ColumnTiling {
public:
  ColumnTiling(scf::ForallOp group, ArrayRef<Value> roots);

  /// Returns true if there are rows to tile, and they can be tiled.
  bool plan();
  /// Returns the bytes of workgroup memory for tiles.
  int64_t emit();

private:
  bool isLong(Value operand) const { return rowsOf.contains(operand); }
  bool readsRows(const Member &member) const;
  void findProducts();
  bool classify(Member &member);
  std::optional<unsigned> findColumns(linalg::LinalgOp op);
  SmallVector<unsigned> collectMakers(unsigned reduction) const;
  bool canMove(ArrayRef<unsigned> moved, unsigned to) const;
  bool canJoin(const ColumnLoop &loop, ArrayRef<unsigned> makers,
               unsigned reduction) const;
  void assignMemory(const ColumnLoop &loop);
  bool chooseColumns();
  Value getTile(OpBuilder &b, Location loc, OpOperand &operand);
  void emitLoop(const ColumnLoop &loop);

  scf::ForallOp group;
  ArrayRef<Value> roots;
  std::vector<Member> members;
  /// The long buffer that a part belongs to, and its parts.
  llvm::DenseMap<Value, Value> rowsOf;
  llvm::MapVector<Value, SmallVector<memref::SubViewOp>> longBuffers;
  std::vector<ColumnLoop> loops;
  /// A buffer that has all columns, and the number of these.
  memref::AllocOp columnsOf;
  BufferDimSize columnSize;
  int64_t tile = 0;
  /// Workgroup memory for tiles: the type of the rows in each slot, and the
  /// slot of each long buffer, in each loop.
  SmallVector<MemRefType> slots;
  std::vector<llvm::DenseMap<Value, unsigned>> slotOf;
  SmallVector<Value> memory;
};
} // namespace

/// Returns true if `op` writes the buffer of `value`.
static bool writes(linalg::LinalgOp op, Value value) {
  return llvm::any_of(op.getDpsInits(), [&](Value init) {
    return getViewed(init) == getViewed(value);
  });
}

static bool isOfElements(linalg::LinalgOp op) {
  return op.getNumParallelLoops() == op.getNumLoops();
}

/// Returns the largest type of the rows of a block, whose columns may be
/// dynamic.
static MemRefType getRowsType(memref::SubViewOp part) {
  return MemRefType::get(getLargestShape(part),
                         part.getType().getElementType());
}

/// Returns the bytes of a column of rows of `type`.
static int64_t getColumnBytes(MemRefType type) {
  int64_t bytes = getElementBytes(type.getElementType());
  for (int64_t size : type.getShape().drop_back())
    bytes *= size;
  return bytes;
}

ColumnTiling::ColumnTiling(scf::ForallOp group, ArrayRef<Value> roots)
    : group(group), roots(roots) {
  for (auto op : group.getBody()->getOps<linalg::LinalgOp>())
    members.emplace_back(op);
}

/// Finds the long rows that products write, and those that are computed from
/// them element by element.
void ColumnTiling::findProducts() {
  llvm::DenseMap<Value, SmallVector<memref::SubViewOp>> candidates;
  for (Value root : roots) {
    auto buffer = root.getDefiningOp<memref::AllocOp>();
    if (!buffer || buffer->getBlock() != group->getBlock())
      continue;
    SmallVector<memref::SubViewOp> parts = collectGroupParts(buffer, group);
    // All parts must be the same rows.
    if (parts.empty() || llvm::any_of(parts, [&](memref::SubViewOp part) {
          return getRowsType(part) != getRowsType(parts.front());
        }))
      continue;
    ArrayRef<int64_t> shape = getRowsType(parts.front()).getShape();
    if (shape.empty() || ShapedType::isDynamicShape(shape.drop_back()) ||
        !findDimSize(buffer, buffer.getType().getRank() - 1))
      continue;
    candidates[root] = parts;
  }
  int64_t mostBytes = WorkgroupBytes(group).longRow;
  auto isTooLong = [&](MemRefType type) {
    return type.isDynamicDim(type.getRank() - 1) ||
           getColumnBytes(type) * type.getShape().back() > mostBytes;
  };
  for (Member &member : members) {
    if (member.op.getNumDpsInits() != 1)
      continue;
    Value out = member.op.getDpsInits().front();
    auto found = candidates.find(getViewed(out));
    if (found == candidates.end() || longBuffers.contains(found->first))
      continue;
    bool isProduct =
        isKernel(member.op) && isTooLong(getRowsType(found->second.front()));
    if (!isProduct && !(isOfElements(member.op) && readsRows(member)))
      continue;
    longBuffers[found->first] = found->second;
    for (memref::SubViewOp part : found->second)
      rowsOf[part] = found->first;
  }
}

bool ColumnTiling::readsRows(const Member &member) const {
  return llvm::any_of(member.op.getDpsInputs(),
                      [&](Value input) { return isLong(input); });
}

/// Returns the loop of `op` along the last dimension of all rows that it uses,
/// if that is one loop, and tiles of it are slices of each operand. All rows of
/// the group have the same columns.
std::optional<unsigned> ColumnTiling::findColumns(linalg::LinalgOp op) {
  std::optional<unsigned> columns;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isLong(operand.get()))
      continue;
    auto buffer = rowsOf.lookup(operand.get()).getDefiningOp<memref::AllocOp>();
    unsigned lastDim = buffer.getType().getRank() - 1;
    BufferDimSize dimSize = *findDimSize(buffer, lastDim);
    if (columnsOf && dimSize != columnSize)
      return std::nullopt;
    columnsOf = buffer;
    columnSize = dimSize;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (!last || (columns && *columns != last.getPosition()))
      return std::nullopt;
    columns = last.getPosition();
    for (AffineExpr expr : map.getResults().drop_back())
      if (expr.isFunctionOfDim(*columns))
        return std::nullopt;
  }
  if (!columns)
    return std::nullopt;
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr expr : map.getResults())
      if (expr.isFunctionOfDim(*columns) && !isa<AffineDimExpr>(expr))
        return std::nullopt;
  return columns;
}

/// Sets the kind of `member` by its use of long rows; returns false if it
/// neither computes nor reduces them.
bool ColumnTiling::classify(Member &member) {
  linalg::LinalgOp op = member.op;
  bool isAnyOut =
      llvm::any_of(op.getDpsInits(), [&](Value init) { return isLong(init); });
  if (!isAnyOut && !readsRows(member))
    return true;
  if (isa<linalg::FillOp>(op)) {
    member.kind = Member::Kind::Fill;
    return true;
  }
  std::optional<unsigned> columns = findColumns(op);
  if (!columns)
    return false;
  member.columns = *columns;
  bool isReduction =
      op.getIteratorTypesArray()[*columns] == utils::IteratorType::reduction;
  member.kind = isAnyOut ? Member::Kind::MakesRows : Member::Kind::ReducesRows;
  if (isAnyOut)
    return !isReduction && op.getNumDpsInits() == 1 &&
           (isOfElements(op) || isKernel(op));
  // Sums of narrow numbers must not be rounded once per tile.
  return isReduction && llvm::all_of(op.getDpsInits(), [](Value init) {
           Type element = getElementTypeOrSelf(init.getType());
           return !element.isF16() && !element.isBF16();
         });
}

/// Returns the members that compute the rows that the member `reduction` reads:
/// those that write them before it, and those that compute the rows that these
/// read.
SmallVector<unsigned> ColumnTiling::collectMakers(unsigned reduction) const {
  llvm::SmallDenseSet<Value> needed;
  auto need = [&](linalg::LinalgOp op) {
    for (Value input : op.getDpsInputs())
      if (Value rows = rowsOf.lookup(input))
        needed.insert(rows);
  };
  need(members[reduction].op);
  SmallVector<unsigned> makers;
  for (unsigned number = reduction; number-- > 0;) {
    const Member &member = members[number];
    if (member.kind != Member::Kind::Fill &&
        member.kind != Member::Kind::MakesRows)
      continue;
    linalg::LinalgOp op = member.op;
    if (!needed.contains(rowsOf.lookup(op.getDpsInits().front())))
      continue;
    need(op);
    makers.push_back(number);
  }
  return SmallVector<unsigned>(llvm::reverse(makers));
}

/// Returns true if no member up to `to` overwrites an operand, other than rows,
/// of `moved`.
bool ColumnTiling::canMove(ArrayRef<unsigned> moved, unsigned to) const {
  for (unsigned number : moved)
    for (Value operand : members[number].op->getOperands()) {
      if (!isa<MemRefType>(operand.getType()) || isLong(operand))
        continue;
      for (unsigned between = number + 1; between < to; ++between)
        if (!llvm::is_contained(moved, between) &&
            writes(members[between].op, operand))
          return false;
    }
  return true;
}

/// Returns true if the member `reduction`, for which `makers` compute rows, may
/// be in `loop`, whose reductions precede it.
bool ColumnTiling::canJoin(const ColumnLoop &loop, ArrayRef<unsigned> makers,
                           unsigned reduction) const {
  SmallVector<unsigned> needs(makers);
  needs.push_back(reduction);
  for (unsigned before : loop.reductions) {
    // No member before it may use their results.
    for (unsigned number = before + 1; number <= reduction; ++number) {
      linalg::LinalgOp op = members[number].op;
      bool isTaken = llvm::is_contained(needs, number) ||
                     members[number].kind == Member::Kind::Other ||
                     members[number].kind == Member::Kind::Fill;
      if (isTaken && llvm::any_of(op->getOperands(), [&](Value operand) {
            return isa<MemRefType>(operand.getType()) &&
                   writes(members[before].op, operand);
          }))
        return false;
    }
  }
  return canMove(loop.members, reduction);
}

bool ColumnTiling::plan() {
  findProducts();
  if (longBuffers.empty())
    return false;
  for (const auto &[root, parts] : longBuffers)
    for (memref::SubViewOp part : parts)
      for (Operation *user : part->getUsers())
        if (!isa<linalg::LinalgOp>(user) || user->getBlock() != group.getBody())
          return false;
  for (Member &member : members)
    if (!classify(member))
      return false;
  for (unsigned number = 0; number < members.size(); ++number) {
    if (members[number].kind != Member::Kind::ReducesRows)
      continue;
    SmallVector<unsigned> makers = collectMakers(number);
    if (makers.empty() || !canMove(makers, number))
      return false;
    if (loops.empty() || !canJoin(loops.back(), makers, number))
      loops.emplace_back();
    ColumnLoop &loop = loops.back();
    loop.reductions.push_back(number);
    llvm::append_range(loop.members, makers);
    loop.members.push_back(number);
    llvm::sort(loop.members);
    loop.members.erase(llvm::unique(loop.members), loop.members.end());
  }
  if (loops.empty())
    return false;
  for (const ColumnLoop &loop : loops)
    assignMemory(loop);
  return chooseColumns();
}

/// Gives each long buffer that `loop` computes memory for a tile: that of an
/// input which no later op reads, if one thread reads an element and writes the
/// same element, or memory that is free.
void ColumnTiling::assignMemory(const ColumnLoop &loop) {
  llvm::DenseMap<Value, unsigned> lastUse;
  for (unsigned number : loop.members)
    for (Value operand : members[number].op->getOperands())
      if (Value rows = rowsOf.lookup(operand))
        lastUse[rows] = number;
  auto &mine = slotOf.emplace_back();
  SmallVector<std::optional<unsigned>> busyUntil(slots.size());
  for (unsigned number : loop.members) {
    linalg::LinalgOp op = members[number].op;
    for (OpOperand &out : op.getDpsInitsMutable()) {
      Value rows = rowsOf.lookup(out.get());
      if (!rows || mine.contains(rows))
        continue;
      MemRefType type = getRowsType(longBuffers.find(rows)->second.front());
      std::optional<unsigned> slot;
      if (isOfElements(op))
        for (OpOperand *input : op.getDpsInputOperands()) {
          Value source = rowsOf.lookup(input->get());
          bool isOnlyUse = llvm::count(op->getOperands(), input->get()) == 1;
          if (source && isOnlyUse && lastUse[source] == number &&
              slots[mine[source]] == type &&
              op.getMatchingIndexingMap(input) ==
                  op.getMatchingIndexingMap(&out))
            slot = mine[source];
        }
      for (unsigned other = 0; !slot && other < slots.size(); ++other)
        if (slots[other] == type &&
            (!busyUntil[other] || *busyUntil[other] < number))
          slot = other;
      if (!slot) {
        slot = slots.size();
        slots.push_back(type);
        busyUntil.emplace_back();
      }
      mine[rows] = *slot;
      busyUntil[*slot] = lastUse[rows];
    }
  }
}

/// Chooses the columns of a tile: as many as memory has room for, and such that
/// all tiles are whole, if that takes at most twice as many tiles; a power of
/// two if the number of columns is not known.
bool ColumnTiling::chooseColumns() {
  int64_t bytes = 0;
  for (MemRefType type : slots)
    bytes += getColumnBytes(type);
  int64_t most = WorkgroupBytes(group).columns / std::max<int64_t>(bytes, 1) /
                 kLeastColumns * kLeastColumns;
  if (most == 0)
    return false;
  if (!columnSize.known) {
    // Like tiles of products.
    tile = std::min<int64_t>(llvm::bit_floor(static_cast<uint64_t>(most)),
                             codegen::BlockAttr::kMaxSide);
    return true;
  }
  int64_t numColumns = *columnSize.known;
  tile = std::min<int64_t>(most, llvm::alignTo(numColumns, kLeastColumns));
  for (int64_t size = most; size >= kLeastColumns && size * 2 >= most;
       size -= kLeastColumns)
    if (numColumns % size == 0) {
      tile = size;
      break;
    }
  return true;
}

/// Returns the tile in workgroup memory for `operand`, a slice of long rows.
Value ColumnTiling::getTile(OpBuilder &b, Location loc, OpOperand &operand) {
  auto slice = operand.get().getDefiningOp<memref::SubViewOp>();
  Value rows = rowsOf.lookup(operand.get());
  if (!rows)
    rows = rowsOf.lookup(slice.getSource());
  Value all = memory[slotOf.back().lookup(rows)];
  auto type = cast<MemRefType>(operand.get().getType());
  if (type.getShape() == cast<MemRefType>(all.getType()).getShape())
    return all;
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
      strides(type.getRank(), b.getIndexAttr(1));
  return memref::SubViewOp::create(b, loc, all, offsets, slice.getMixedSizes(),
                                   strides);
}

/// Emits `loop`, whose memory is the last one of `slotOf`, after its last
/// reduction.
void ColumnTiling::emitLoop(const ColumnLoop &loop) {
  linalg::LinalgOp last = members[loop.reductions.back()].op;
  OpBuilder b(last);
  Location loc = last.getLoc();
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(b, loc, number);
  };
  OpFoldResult end =
      columnsOf.getMixedSizes()[columnsOf.getType().getRank() - 1];
  auto columns = scf::ForOp::create(
      b, loc, constant(0), getValueOrCreateConstantIndexOp(b, loc, end),
      constant(tile));
  b.setInsertionPointToStart(columns.getBody());
  for (unsigned number : loop.members) {
    const Member &member = members[number];
    linalg::LinalgOp op = member.op;
    unsigned dim = member.kind == Member::Kind::Fill ? op.getNumLoops() - 1
                                                     : member.columns;
    GroupPart part(op);
    part.offsets[dim] = columns.getInductionVar();
    part.sizes[dim] = b.getIndexAttr(tile);
    linalg::LinalgOp emitted = emitPartOf(b, op, part);
    b.setInsertionPoint(emitted);
    for (OpOperand &operand : emitted->getOpOperands()) {
      auto slice = operand.get().getDefiningOp<memref::SubViewOp>();
      if (isLong(operand.get()) || (slice && isLong(slice.getSource())))
        operand.set(getTile(b, loc, operand));
    }
    b.setInsertionPointAfter(emitted);
  }
}

int64_t ColumnTiling::emit() {
  OpBuilder b = OpBuilder::atBlockBegin(group.getBody());
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  int64_t bytes = 0;
  for (MemRefType type : slots) {
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = tile;
    auto tileType =
        MemRefType::get(shape, type.getElementType(), AffineMap(), space);
    memory.push_back(memref::AllocOp::create(b, group.getLoc(), tileType));
    bytes += llvm::alignTo(
        tileType.getNumElements() * getElementBytes(type.getElementType()), 16);
  }
  // In reverse, as `getTile` reads the last memory.
  for (const ColumnLoop &loop : llvm::reverse(loops)) {
    emitLoop(loop);
    slotOf.pop_back();
  }
  for (Member &member : members)
    if (member.kind != Member::Kind::Other)
      member.op->erase();
  return bytes;
}

int64_t flywheel::tileColumns(scf::ForallOp group, ArrayRef<Value> roots) {
  ColumnTiling tiling(group, roots);
  return tiling.plan() ? tiling.emit() : 0;
}
