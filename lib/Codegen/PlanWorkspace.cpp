//===- PlanWorkspace.cpp - Place every buffer in one workspace ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Target/Manifest.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_PLANWORKSPACE
#include "flywheel/Codegen/CodegenPasses.h.inc"
} // namespace flywheel

using flywheel::train::TrainDialect;

namespace {
/// Buffers inside loops of at most this size are stack slots: the accumulator
/// tiles of contractions, which LLVM can keep in registers where they are
/// static.
constexpr int64_t kMaxStackBytes = 4096;
/// Stands for a symbolic extent when sizes are compared.
constexpr int64_t kTypicalExtent = 64;

/// A buffer of the step: its size and the positions in the function's block
/// between which it is live.
struct Buffer {
  memref::AllocOp alloc;
  /// Among the function's buffers, in program order.
  unsigned number;
  AffineExpr bytes;
  int64_t typicalBytes = 0;
  unsigned begin = 0, end = 0;
  unsigned slot = 0;

  bool overlaps(const Buffer &other) const {
    return begin <= other.end && other.begin <= end;
  }
};

struct PlanWorkspace : flywheel::impl::PlanWorkspaceBase<PlanWorkspace> {
  void runOnOperation() override;

private:
  FailureOr<AffineExpr> getBytes(memref::AllocOp alloc);
  FailureOr<AffineExpr> getUpperBound(Value size);
  FailureOr<AffineExpr> getExpressionBound(AffineExpr expr, unsigned numDims,
                                           ValueRange operands);
  FailureOr<AffineExpr> getExtentBound(Value buffer, int64_t dim);
  FailureOr<AffineExpr>
  getLinearBound(const ValueBoundsConstraintSet::Variable &size);
  void computeLiveness(MutableArrayRef<Buffer> buffers);
  unsigned assignSlots(SmallVectorImpl<Buffer> &buffers);
  void placeBuffers(ArrayRef<Buffer> buffers, unsigned numSlots);

  /// The number of the symbolic extent that dimension `dim` of an argument is.
  std::optional<unsigned> getSymbol(Value value, int64_t dim) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner()->getParentOp() != getOperation())
      return std::nullopt;
    auto extents = getOperation().getArgAttrOfType<DenseI64ArrayAttr>(
        argument.getArgNumber(), TrainDialect::getExtentsAttrName());
    if (!extents || dim >= extents.size() || extents[dim] < 0)
      return std::nullopt;
    return extents[dim];
  }
  unsigned getNumSymbols() {
    auto names = getOperation()->getAttrOfType<ArrayAttr>(
        TrainDialect::getSymbolsAttrName());
    return names ? names.size() : 0;
  }
};
} // namespace

/// `expr` with a symbol, from `numSymbols` on, for each product of two unknown
/// numbers: equal products are equal symbols.
static AffineExpr nameProducts(AffineExpr expr, unsigned numSymbols) {
  llvm::DenseMap<AffineExpr, AffineExpr> names;
  expr.walk([&](AffineExpr part) {
    auto product = dyn_cast<AffineBinaryOpExpr>(part);
    if (product && product.getKind() == AffineExprKind::Mul &&
        !isa<AffineConstantExpr>(product.getLHS()) &&
        !isa<AffineConstantExpr>(product.getRHS()))
      names.try_emplace(part, getAffineSymbolExpr(numSymbols + names.size(),
                                                  expr.getContext()));
  });
  return expr.replace(names);
}

/// Makes the map of a size that falls along a loop that of its first iteration.
/// Returns the largest value if that is a constant: what is left of an extent
/// after whole tiles is less than a tile, whatever the extent is.
static std::optional<int64_t>
startAtLowerBounds(AffineMap &map, SmallVectorImpl<Value> &operands) {
  MLIRContext *context = map.getContext();
  for (unsigned i = 0; i < map.getNumDims(); ++i) {
    auto argument = dyn_cast<BlockArgument>(operands[i]);
    auto loop = argument
                    ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                    : scf::ForOp();
    AffineExpr dim = getAffineDimExpr(i, context);
    AffineExpr rest = simplifyAffineExpr(map.getResult(0) + dim,
                                         map.getNumDims(), map.getNumSymbols());
    if (loop && argument == loop.getInductionVar() && !rest.isFunctionOfDim(i))
      operands[i] = loop.getLowerBound();
  }
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  affine::canonicalizeMapAndOperands(&map, &operands);
  AffineExpr named = nameProducts(map.getResult(0), map.getNumSymbols());
  named = simplifyAffineExpr(named, map.getNumDims(),
                             map.getNumSymbols() + map.getNumInputs());
  if (auto constant = dyn_cast<AffineConstantExpr>(named))
    return constant.getValue();
  auto remainder = dyn_cast<AffineBinaryOpExpr>(named);
  if (!remainder || remainder.getKind() != AffineExprKind::Mod)
    return std::nullopt;
  if (auto tile = dyn_cast<AffineConstantExpr>(remainder.getRHS()))
    return tile.getValue() - 1;
  return std::nullopt;
}

/// An upper bound of `size` as a function of the symbolic extents.
FailureOr<AffineExpr> PlanWorkspace::getUpperBound(Value size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return getAffineConstantExpr(*constant, &getContext());
  FailureOr<AffineExpr> bound = getLinearBound(size);
  if (succeeded(bound))
    return bound;
  // Products of extents, none of which is negative.
  if (auto product = size.getDefiningOp<arith::MulIOp>()) {
    FailureOr<AffineExpr> lhs = getUpperBound(product.getLhs()),
                          rhs = getUpperBound(product.getRhs());
    if (failed(lhs) || failed(rhs))
      return failure();
    return *lhs * *rhs;
  }
  if (auto apply = size.getDefiningOp<affine::AffineApplyOp>()) {
    AffineMap map = apply.getAffineMap();
    SmallVector<Value> operands(apply.getMapOperands());
    if (std::optional<int64_t> rest = startAtLowerBounds(map, operands))
      return getAffineConstantExpr(*rest, &getContext());
    return getExpressionBound(map.getResult(0), map.getNumDims(), operands);
  }
  auto read = size.getDefiningOp<memref::DimOp>();
  std::optional<int64_t> dim = read ? read.getConstantIndex() : std::nullopt;
  if (!dim)
    return failure();
  return getExtentBound(read.getSource(), *dim);
}

/// An upper bound of a sum of products of numbers that are not negative: the
/// first `numDims` of `operands` are dimensions, the others symbols.
FailureOr<AffineExpr> PlanWorkspace::getExpressionBound(AffineExpr expr,
                                                        unsigned numDims,
                                                        ValueRange operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() < 0 ? FailureOr<AffineExpr>(failure()) : expr;
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return getUpperBound(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return getUpperBound(operands[numDims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  bool isProduct = expr.getKind() == AffineExprKind::Mul;
  if (!isProduct && expr.getKind() != AffineExprKind::Add)
    return failure();
  FailureOr<AffineExpr> lhs =
      getExpressionBound(binary.getLHS(), numDims, operands);
  FailureOr<AffineExpr> rhs =
      getExpressionBound(binary.getRHS(), numDims, operands);
  if (failed(lhs) || failed(rhs))
    return failure();
  return isProduct ? *lhs * *rhs : *lhs + *rhs;
}

/// An upper bound of one extent of `buffer`, likewise.
FailureOr<AffineExpr> PlanWorkspace::getExtentBound(Value buffer, int64_t dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return getAffineConstantExpr(type.getDimSize(dim), &getContext());
  FailureOr<AffineExpr> bound = getLinearBound({buffer, dim});
  if (succeeded(bound))
    return bound;
  if (auto expand = buffer.getDefiningOp<memref::ExpandShapeOp>())
    return getUpperBound(cast<Value>(expand.getMixedOutputShape()[dim]));
  auto collapse = buffer.getDefiningOp<memref::CollapseShapeOp>();
  if (!collapse)
    return failure();
  AffineExpr product = getAffineConstantExpr(1, &getContext());
  for (int64_t source : collapse.getReassociationIndices()[dim]) {
    FailureOr<AffineExpr> factor = getExtentBound(collapse.getSrc(), source);
    if (failed(factor))
      return failure();
    product = product * *factor;
  }
  return product;
}

/// An upper bound that is linear in the symbolic extents.
FailureOr<AffineExpr>
PlanWorkspace::getLinearBound(const ValueBoundsConstraintSet::Variable &size) {
  MLIRContext *context = &getContext();
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

FailureOr<AffineExpr> PlanWorkspace::getBytes(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  Type element = type.getElementType();
  if (!element.isIntOrIndexOrFloat())
    return alloc.emitError()
           << "expected a buffer of numbers, found elements of type "
           << element;
  int64_t elementBytes =
      element.isIndex() ? 8
                        : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  AffineExpr bytes = getAffineConstantExpr(elementBytes, &getContext());
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

void PlanWorkspace::computeLiveness(MutableArrayRef<Buffer> buffers) {
  Block &block = getOperation().getBody().front();
  llvm::DenseMap<Operation *, unsigned> position;
  for (Operation &op : block)
    position[&op] = position.size();
  BufferViewFlowAnalysis aliases(getOperation());
  for (Buffer &buffer : buffers) {
    // A buffer inside a loop is live for the whole loop.
    Operation *ancestor = block.findAncestorOpInBlock(*buffer.alloc);
    buffer.begin = UINT_MAX;
    buffer.end = 0;
    for (Value alias : aliases.resolve(buffer.alloc))
      for (Operation *user : alias.getUsers())
        if (Operation *top = block.findAncestorOpInBlock(*user)) {
          // Views and casts do not touch the memory.
          if (top == user && isa<ViewLikeOpInterface>(user))
            continue;
          buffer.begin = std::min(buffer.begin, position[top]);
          buffer.end = std::max(buffer.end, position[top]);
        }
    if (buffer.begin == UINT_MAX)
      buffer.begin = buffer.end = position[ancestor];
  }
}

/// Greedy by size: each buffer goes into the first slot where nothing is live
/// at the same time. Sizes are compared at a typical extent; the result is
/// right for every extent.
unsigned PlanWorkspace::assignSlots(SmallVectorImpl<Buffer> &buffers) {
  llvm::sort(buffers, [](const Buffer &a, const Buffer &b) {
    return std::make_tuple(-a.typicalBytes, a.begin, a.end, a.number) <
           std::make_tuple(-b.typicalBytes, b.begin, b.end, b.number);
  });
  unsigned numSlots = 0;
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    llvm::SmallDenseSet<unsigned> taken;
    for (Buffer &other : MutableArrayRef<Buffer>(buffers).take_front(i))
      if (buffer.overlaps(other))
        taken.insert(other.slot);
    while (taken.contains(buffer.slot))
      ++buffer.slot;
    numSlots = std::max(numSlots, buffer.slot + 1);
  }
  return numSlots;
}

void PlanWorkspace::placeBuffers(ArrayRef<Buffer> buffers, unsigned numSlots) {
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

  // The symbolic extents, each from the first feed that has it.
  unsigned numSymbols = getNumSymbols();
  SmallVector<OpFoldResult> symbols(numSymbols);
  for (BlockArgument argument : entry.getArguments()) {
    auto memref = cast<MemRefType>(argument.getType());
    for (int64_t dim = 0; dim < memref.getRank(); ++dim)
      if (std::optional<unsigned> symbol = getSymbol(argument, dim))
        if (!symbols[*symbol])
          symbols[*symbol] =
              memref::DimOp::create(b, loc, argument, dim).getResult();
  }

  SmallVector<SmallVector<Attribute>> slotSizes(numSlots);
  SmallVector<SmallVector<AffineExpr>> slotExprs(numSlots);
  for (const Buffer &buffer : buffers)
    if (!llvm::is_contained(slotExprs[buffer.slot], buffer.bytes)) {
      slotExprs[buffer.slot].push_back(buffer.bytes);
      slotSizes[buffer.slot].push_back(
          AffineMapAttr::get(AffineMap::get(0, numSymbols, buffer.bytes)));
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

  for (const Buffer &buffer : buffers) {
    memref::AllocOp alloc = buffer.alloc;
    b.setInsertionPoint(alloc);
    Value view = memref::ViewOp::create(b, alloc.getLoc(), alloc.getType(),
                                        workspace, offsetValues[buffer.slot],
                                        alloc.getDynamicSizes());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }
  SmallVector<Attribute> slots;
  for (ArrayRef<Attribute> sizes : slotSizes)
    slots.push_back(b.getArrayAttr(sizes));
  function->setAttr(TrainDialect::getWorkspaceSlotsAttrName(),
                    b.getArrayAttr(slots));
}

void PlanWorkspace::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  Block &entry = function.getBody().front();
  SmallVector<Buffer> buffers;
  SmallVector<memref::AllocOp> allocs;
  function.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  SmallVector<int64_t> typical(getNumSymbols(), kTypicalExtent);
  for (memref::AllocOp alloc : allocs) {
    FailureOr<AffineExpr> bytes = getBytes(alloc);
    if (failed(bytes))
      return signalPassFailure();
    auto constant = dyn_cast<AffineConstantExpr>(*bytes);
    bool isInLoop = alloc->getBlock() != &entry;
    if (constant && isInLoop && constant.getValue() <= kMaxStackBytes) {
      OpBuilder b = OpBuilder::atBlockBegin(&entry);
      MemRefType type = alloc.getType();
      bool isStatic = type.hasStaticShape();
      auto slot = memref::AllocaOp::create(
          b, alloc.getLoc(),
          isStatic ? type
                   : MemRefType::get({constant.getValue()}, b.getI8Type()),
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
      continue;
    }
    AffineExpr bound = *bytes;
    for (auto [i, extent] : llvm::enumerate(typical))
      bound = bound.replace(getAffineSymbolExpr(i, &getContext()),
                            getAffineConstantExpr(extent, &getContext()));
    auto typicalBytes = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(bound, 0, typical.size()));
    buffers.push_back({alloc, static_cast<unsigned>(buffers.size()), *bytes,
                       typicalBytes ? typicalBytes.getValue() : 0});
  }
  computeLiveness(buffers);
  unsigned numSlots = assignSlots(buffers);
  placeBuffers(buffers, numSlots);
}
