//===- PlanWorkspace.cpp - Place every buffer in one workspace ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkspacePlan.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Model/Manifest.h"
#include "flywheel/Transforms/Memory/MemoryPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_PLANWORKSPACE
#include "flywheel/Transforms/Memory/MemoryPasses.h.inc"
} // namespace flywheel

using namespace flywheel;
using flywheel::train::TrainDialect;

/// The maximum number of buffers live at the peak that a report lists.
constexpr unsigned kMaxReportedBuffers = 12;

namespace {
struct Buffer : LiveBuffer {
  memref::AllocOp alloc;
  /// Bytes of the buffer. If each worker has a copy of its own, the aligned
  /// bytes of one copy.
  AffineExpr size;
  /// The number of copies.
  int64_t copies = 1;
  /// The unit of the offset in the slot: the buffer begins at `offset * scale`.
  /// Null if it begins where the slot does.
  AffineExpr scale;

  /// Returns bytes of all of them.
  AffineExpr getTotal() const { return size * copies; }
};

struct PlanWorkspace : flywheel::impl::PlanWorkspaceBase<PlanWorkspace> {
  using PlanWorkspaceBase::PlanWorkspaceBase;

  void runOnOperation() override;

private:
  bool isBounded(WorkspaceSizes &sizes);
  LogicalResult checkSize(memref::AllocOp alloc, CheckedSize bytes,
                          WorkspaceSizes &sizes);
  void makeStackSlot(memref::AllocOp alloc, int64_t bytes);
  CheckedSize packSlots(MutableArrayRef<LiveBuffer *> buffers,
                        unsigned &numSlots, WorkspaceSizes &sizes);
  void emitReport(ArrayRef<LiveBuffer *> buffers, CheckedSize bytes,
                  WorkspaceSizes &sizes);
  void placeBuffers(ArrayRef<LiveBuffer *> buffers, unsigned numSlots,
                    WorkspaceSizes &sizes);

  /// The bytes of slots that hold buffers at several offsets.
  llvm::DenseMap<unsigned, AffineExpr> packedSlots;
};
} // namespace

//===----------------------------------------------------------------------===//
// Several buffers in a slot
//===----------------------------------------------------------------------===//

/// The smallest multiple of a symbolic size that is rounded up to the alignment
/// for the sake of offsets that are aligned.
constexpr int64_t kMinRoundedFactor = 1024;

/// Splits `bytes` into a number and a factor that several buffers share: 1, or
/// a size that depends on the dimension sizes of a call.
static std::pair<AffineExpr, int64_t> splitFactor(AffineExpr bytes,
                                                  unsigned numSymbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(bytes)) {
    if (constant.getValue() > kMaxComparedBytes)
      return {};
    return {getAffineConstantExpr(1, bytes.getContext()), constant.getValue()};
  }
  auto product = dyn_cast<AffineBinaryOpExpr>(bytes);
  if (!product || product.getKind() != AffineExprKind::Mul)
    return {};
  auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
  if (!factor || factor.getValue() > kMaxComparedBytes ||
      !isNeverNegative(product.getLHS(), numSymbols) ||
      (factor.getValue() % flywheel::kStateAlignment != 0 &&
       factor.getValue() < kMinRoundedFactor))
    return {};
  return {product.getLHS(), factor.getValue()};
}

/// Packs buffers whose sizes are multiples of one size into one slot, at
/// offsets that are multiples of that size, and assigns the other buffers to
/// slots that begin where they do. Returns the bytes of all slots.
CheckedSize PlanWorkspace::packSlots(MutableArrayRef<LiveBuffer *> buffers,
                                     unsigned &numSlots,
                                     WorkspaceSizes &sizes) {
  // The factors of sizes, in place of the sizes.
  llvm::MapVector<AffineExpr, std::vector<LiveBuffer>> families;
  llvm::MapVector<AffineExpr, SmallVector<Buffer *>> members;
  SmallVector<LiveBuffer *> others;
  for (LiveBuffer *buffer : buffers) {
    auto *whole = static_cast<Buffer *>(buffer);
    auto [scale, factor] =
        splitFactor(whole->getTotal(), sizes.getNumSymbols());
    whole->scale = scale;
    if (!scale) {
      others.push_back(buffer);
      continue;
    }
    LiveBuffer scaled = *buffer;
    scaled.bytes = factor;
    families[scale].push_back(scaled);
    members[scale].push_back(whole);
  }
  CheckedSize total = 0;
  unsigned numFamilies = 0;
  for (auto &[scale, family] : families) {
    SmallVector<LiveBuffer *> order =
        llvm::map_to_vector(family, [](LiveBuffer &buffer) { return &buffer; });
    AffineExpr bytes = scale * packBuffers(order);
    for (auto [whole, scaled] : llvm::zip_equal(members[scale], family)) {
      whole->offset = scaled.offset;
      whole->slot = numFamilies;
    }
    packedSlots[numFamilies++] = bytes;
    total += sizes.evaluate(bytes).alignTo(kStateAlignment);
  }
  unsigned numOthers = assignSlots(others);
  total += getSlotBytes(others, numOthers);
  for (LiveBuffer *buffer : others)
    buffer->slot += numFamilies;
  numSlots = numFamilies + numOthers;
  return total;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Emits the offset of the worker's own buffer in a slot that begins at
/// `offset`.
static Value emitOwnOffset(OpBuilder &b, const Buffer &buffer, Value offset,
                           ArrayRef<OpFoldResult> symbols) {
  Location loc = buffer.alloc->getLoc();
  Value worker = codegen::WorkerOp::create(b, loc, b.getIndexType());
  Value bytes = getValueOrCreateConstantIndexOp(
      b, loc,
      affine::makeComposedFoldedAffineApply(
          b, loc, AffineMap::get(0, symbols.size(), buffer.size), symbols));
  return arith::AddIOp::create(b, loc, offset,
                               arith::MulIOp::create(b, loc, worker, bytes));
}

void PlanWorkspace::placeBuffers(ArrayRef<LiveBuffer *> buffers,
                                 unsigned numSlots,
                                 WorkspaceSizes &workspaceSizes) {
  func::FuncOp function = getOperation();
  Block &entry = function.getBody().front();
  Location loc = function.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(&entry);
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  unsigned number = function.getNumArguments();
  (void)function.insertArgument(number, type, b.getDictionaryAttr({}), loc);
  function.setArgAttr(number, TrainDialect::getWorkspaceAttrName(),
                      b.getUnitAttr());
  Value workspace = entry.getArgument(number);

  // The symbolic dimension sizes, each from the first feed that has it.
  unsigned numSymbols = workspaceSizes.getNumSymbols();
  SmallVector<OpFoldResult> symbols(numSymbols);
  for (BlockArgument argument : entry.getArguments()) {
    auto memref = dyn_cast<MemRefType>(argument.getType());
    for (int64_t dim = 0; memref && dim < memref.getRank(); ++dim)
      if (std::optional<unsigned> symbol =
              workspaceSizes.getSymbol(argument, dim))
        if (!symbols[*symbol])
          symbols[*symbol] =
              memref::DimOp::create(b, loc, argument, dim).getResult();
  }

  // One that no feed has is the dimension of nothing.
  for (OpFoldResult &symbol : symbols)
    if (!symbol)
      symbol = b.getIndexAttr(0);

  SmallVector<SmallVector<Attribute>> slotSizes(numSlots);
  SmallVector<SmallVector<AffineExpr>> slotExprs(numSlots);
  for (LiveBuffer *buffer : buffers) {
    AffineExpr bytes = static_cast<Buffer *>(buffer)->getTotal();
    if (AffineExpr packed = packedSlots.lookup(buffer->slot))
      bytes = packed;
    if (llvm::is_contained(slotExprs[buffer->slot], bytes))
      continue;
    slotExprs[buffer->slot].push_back(bytes);
    slotSizes[buffer->slot].push_back(
        AffineMapAttr::get(AffineMap::get(0, numSymbols, bytes)));
  }
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
  SmallVector<OpFoldResult> offsets;
  OpFoldResult offset = b.getIndexAttr(0);
  for (ArrayRef<AffineExpr> exprs : slotExprs) {
    offsets.push_back(offset);
    SmallVector<OpFoldResult> sizes;
    for (AffineExpr expr : exprs)
      sizes.push_back(affine::makeComposedFoldedAffineApply(
          b, loc, AffineMap::get(0, numSymbols, expr), symbols));
    // A difference is negative if a check is going to fail, and the memory
    // behind this slot may be used before that check runs.
    if (llvm::none_of(exprs, [&](AffineExpr expr) {
          return isNeverNegative(expr, numSymbols);
        }))
      sizes.push_back(b.getIndexAttr(0));
    OpFoldResult size = sizes.front();
    for (OpFoldResult other : ArrayRef<OpFoldResult>(sizes).drop_front()) {
      std::optional<int64_t> a = getConstantIntValue(size),
                             c = getConstantIntValue(other);
      if (a && c)
        size = b.getIndexAttr(std::max(*a, *c));
      else
        size = arith::MaxSIOp::create(
                   b, loc, getValueOrCreateConstantIndexOp(b, loc, size),
                   getValueOrCreateConstantIndexOp(b, loc, other))
                   .getResult();
    }
    offset = affine::makeComposedFoldedAffineApply(
        b, loc,
        s0 + s1.ceilDiv(flywheel::kStateAlignment) * flywheel::kStateAlignment,
        {offset, size});
  }
  SmallVector<Value> offsetValues;
  for (OpFoldResult slotOffset : offsets)
    offsetValues.push_back(getValueOrCreateConstantIndexOp(b, loc, slotOffset));

  for (LiveBuffer *buffer : buffers) {
    memref::AllocOp alloc = static_cast<Buffer *>(buffer)->alloc;
    b.setInsertionPoint(alloc);
    const auto &whole = *static_cast<Buffer *>(buffer);
    Value begin = offsetValues[buffer->slot];
    if (whole.offset != 0) {
      SmallVector<OpFoldResult> operands = {offsets[buffer->slot]};
      llvm::append_range(operands, symbols);
      AffineExpr sum =
          s0 + whole.scale.shiftSymbols(numSymbols, 1) * whole.offset;
      begin = getValueOrCreateConstantIndexOp(
          b, alloc.getLoc(),
          affine::makeComposedFoldedAffineApply(
              b, alloc.getLoc(), AffineMap::get(0, numSymbols + 1, sum),
              operands));
    }
    if (whole.copies > 1)
      begin = emitOwnOffset(b, whole, begin, symbols);
    Value view =
        memref::ViewOp::create(b, alloc.getLoc(), alloc.getType(), workspace,
                               begin, alloc.getDynamicSizes());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }
  SmallVector<Attribute> slots;
  for (ArrayRef<Attribute> sizes : slotSizes)
    slots.push_back(b.getArrayAttr(sizes));
  function->setAttr(TrainDialect::getWorkspaceSlotsAttrName(),
                    b.getArrayAttr(slots));
}

/// Makes `alloc`, which is inside a loop, a buffer on the stack.
void PlanWorkspace::makeStackSlot(memref::AllocOp alloc, int64_t bytes) {
  Block &entry = getOperation().getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&entry);
  MemRefType type = alloc.getType();
  bool isStatic = type.hasStaticShape();
  auto slot = memref::AllocaOp::create(
      b, alloc.getLoc(),
      isStatic ? type : MemRefType::get({bytes}, b.getI8Type()),
      b.getI64IntegerAttr(flywheel::kStateAlignment));
  Value buffer = slot;
  if (!isStatic) {
    b.setInsertionPoint(alloc);
    Value zero = arith::ConstantIndexOp::create(b, alloc.getLoc(), 0);
    buffer = memref::ViewOp::create(b, alloc.getLoc(), type, slot, zero,
                                    alloc.getDynamicSizes());
  }
  alloc.replaceAllUsesWith(buffer);
  alloc.erase();
}

/// Returns true if the dimension sizes of the feeds cannot exceed their bounds.
bool PlanWorkspace::isBounded(WorkspaceSizes &sizes) {
  return boundDimSizes || sizes.getNumSymbols() == 0;
}

/// Checks the size of a buffer. Without a bound of the dimension sizes, a call
/// whose workspace is too large fails.
LogicalResult PlanWorkspace::checkSize(memref::AllocOp alloc, CheckedSize bytes,
                                       WorkspaceSizes &sizes) {
  if (!bytes.isTooLarge() || !isBounded(sizes))
    return success();
  return alloc.emitError() << "this needs a buffer of type " << alloc.getType()
                           << ", more than " << kMaxSizeText << " bytes"
                           << sizes.describeDimSizes();
}

/// Reports the size of the workspace, and the largest number of bytes that are
/// live at a time: no placement of these buffers takes less. Notes list the
/// buffers that are live at the peak, each at the op that first touches it:
/// empty tensors of equal types are one op by then.
void PlanWorkspace::emitReport(ArrayRef<LiveBuffer *> buffers,
                               CheckedSize bytes, WorkspaceSizes &sizes) {
  func::FuncOp function = getOperation();
  InFlightDiagnostic remark = function.emitRemark();
  remark << "the workspace of '" << function.getSymName() << "' is ";
  if (bytes.isTooLarge()) {
    remark << "more than " << kMaxSizeText << " bytes"
           << sizes.describeDimSizes();
    return;
  }
  auto [peak, liveBytes] = findPeak(buffers);
  remark << bytes.getSaturated() << " bytes" << sizes.describeDimSizes()
         << ", of which at most " << liveBytes << " are live at a time";
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front())
    ops.push_back(&op);
  // In the order of placement, the largest first.
  int64_t numOthers = 0, otherBytes = 0;
  for (auto [number, buffer] : llvm::enumerate(llvm::make_filter_range(
           buffers, [peak = peak](const LiveBuffer *buffer) {
             return buffer->begin <= peak && peak <= buffer->end;
           }))) {
    if (number >= kMaxReportedBuffers) {
      ++numOthers;
      otherBytes += buffer->bytes;
      continue;
    }
    memref::AllocOp alloc = static_cast<Buffer *>(buffer)->alloc;
    bool isInLoop = alloc->getParentOp() != function;
    remark.attachNote(isInLoop ? alloc.getLoc() : ops[buffer->begin]->getLoc())
        << buffer->bytes << " bytes of these are " << alloc.getType();
  }
  if (numOthers > 0)
    remark.attachNote(function.getLoc()) << otherBytes << " bytes of these are "
                                         << numOthers << " smaller buffers";
}

void PlanWorkspace::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  if (failed(verifyOneBlock(function)))
    return signalPassFailure();
  WorkspaceSizes sizes(function, parseDimSizeBounds(dimSize, dimSizes));
  SmallVector<memref::AllocOp> allocs;
  function.walk([&](memref::AllocOp alloc) {
    // Other memory than that of the workspace is not planned.
    if (!alloc.getType().getMemorySpace())
      allocs.push_back(alloc);
  });
  SmallVector<Buffer> buffers;
  for (memref::AllocOp alloc : allocs) {
    FailureOr<AffineExpr> bytes = sizes.getBytes(alloc);
    if (failed(bytes))
      return signalPassFailure();
    if (isStackSlot(alloc, *bytes)) {
      makeStackSlot(alloc, cast<AffineConstantExpr>(*bytes).getValue());
      continue;
    }
    Buffer buffer;
    if (isPrivate(alloc)) {
      buffer.copies = getNumWorkers(function);
      *bytes = bytes->ceilDiv(kStateAlignment) * kStateAlignment;
    }
    CheckedSize size = sizes.evaluate(*bytes * buffer.copies);
    if (failed(checkSize(alloc, size, sizes)))
      return signalPassFailure();
    buffer.bytes = size.getSaturated();
    buffer.number = buffers.size();
    buffer.alloc = alloc;
    buffer.size = *bytes;
    buffers.push_back(buffer);
  }
  llvm::DenseMap<Operation *, unsigned> positions = numberOps(function);
  LiveRanges ranges(function, positions);
  SmallVector<LiveBuffer *> order;
  for (Buffer &buffer : buffers) {
    ranges.set(buffer, buffer.alloc);
    order.push_back(&buffer);
  }
  if (getNumWorkers(function) > 1)
    extendToBarriers(order, function, positions);
  unsigned numSlots = assignSlots(order);
  CheckedSize bytes = getSlotBytes(order, numSlots);
  packedSlots.clear();
  SmallVector<std::pair<LiveBuffer *, unsigned>> slots;
  for (LiveBuffer *buffer : order)
    slots.emplace_back(buffer, buffer->slot);
  unsigned numPacked = 0;
  CheckedSize packed = packSlots(order, numPacked, sizes);
  if (packed.getSaturated() < bytes.getSaturated()) {
    numSlots = numPacked;
    bytes = packed;
  } else {
    packedSlots.clear();
    for (auto [buffer, slot] : slots) {
      buffer->slot = slot;
      buffer->offset = 0;
    }
  }
  if (bytes.isTooLarge() && isBounded(sizes)) {
    InFlightDiagnostic error =
        function.emitError()
        << "'" << function.getSymName() << "' needs a workspace of more than "
        << kMaxSizeText << " bytes" << sizes.describeDimSizes();
    error.attachNote(static_cast<Buffer *>(order.front())->alloc.getLoc())
        << "its largest buffer is " << order.front()->bytes << " bytes";
    return signalPassFailure();
  }
  if (memoryBudget >= 0 && bytes.getSaturated() > memoryBudget) {
    emitOverBudget(sizes,
                   bytes.isTooLarge() ? "more than " + Twine(kMaxSizeText)
                                      : Twine(bytes.getSaturated()),
                   memoryBudget);
    return signalPassFailure();
  }
  if (report && !order.empty())
    emitReport(order, bytes, sizes);
  placeBuffers(order, numSlots, sizes);
}
