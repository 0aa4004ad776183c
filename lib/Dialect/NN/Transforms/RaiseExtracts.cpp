//===- RaiseExtracts.cpp - Gathers of the reads in linalg bodies ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends lower lookups in tables, reversals and the like to reads of a
// tensor in the body of an op; nothing but the body says which elements they
// touch. As operands they have derivatives, batches, and a check of indices.
//
// An input with an index that is computed from the loops, other than by leaving
// some out, is such a read too.
//
// A read at (i, .., k, .., j) whose indices other than k are loops over whole
// dimensions is a gather of slices; any other one is a gather of numbers from
// the tensor's elements in row-major order.
//
//===----------------------------------------------------------------------===//

#include "RaiseLinalg.h"

#include "flywheel/Dialect/NN/NN.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace flywheel::nn {
namespace {
/// The elements that a body reads, as a function of the loops of its op.
struct Access {
  /// The dimension that is indexed by data; nullopt if each one is a loop.
  std::optional<int64_t> axis;
  /// The loops that are dimensions of the tensor, by dimension; -1 at `axis`.
  SmallVector<int64_t> plainLoops;
};

/// Makes one read an operand.
class ExtractRaiser {
public:
  ExtractRaiser(RewriterBase &b, linalg::GenericOp op,
                tensor::ExtractOp extract)
      : b(b), op(op), extract(extract), loc(extract.getLoc()),
        body(op.getBody()), table(extract.getTensor()) {}

  /// Returns the op that replaces `op`, or fails after an error.
  FailureOr<linalg::GenericOp> run();

private:
  using Dims = llvm::SmallSetVector<int64_t, 4>;

  FailureOr<SetVector<Operation *>> getSlice(ValueRange values);
  FailureOr<Dims> getUsedLoops(ValueRange values);
  FailureOr<Access> findAccess();
  std::optional<int64_t> getPlainLoop(int64_t dim);
  OpFoldResult getLoopSize(int64_t loop);
  FailureOr<Value> emitIndices(const Dims &loops, std::optional<int64_t> axis);
  Value emitLinearIndex(ValueRange indices, ValueRange dimSizes);
  Value emitFlatTable();
  AffineMap getMap(ArrayRef<int64_t> loops) {
    SmallVector<AffineExpr> exprs = llvm::map_to_vector(
        loops, [&](int64_t loop) { return b.getAffineDimExpr(loop); });
    return AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext());
  }
  linalg::GenericOp addOperand(Value operand, AffineMap map);

  RewriterBase &b;
  linalg::GenericOp op;
  tensor::ExtractOp extract;
  Location loc;
  Block *body;
  TypedValue<RankedTensorType> table;
};
} // namespace

/// Returns the ops of the body that `values` are computed by, in their order.
FailureOr<SetVector<Operation *>> ExtractRaiser::getSlice(ValueRange values) {
  SetVector<Operation *> found;
  SmallVector<Value> worklist(values);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == body) {
      // An accumulator has another value in each iteration.
      AffineMap map = op.getIndexingMapsArray()[argument.getArgNumber()];
      if (argument.getArgNumber() >= op.getNumDpsInputs() &&
          map.getNumResults() < op.getNumLoops())
        return extract.emitOpError()
               << "expected indices that do not depend on a running sum";
    }
    Operation *inner = value.getDefiningOp();
    inner = inner ? body->findAncestorOpInBlock(*inner) : nullptr;
    if (inner && found.insert(inner))
      inner->walk([&](Operation *nested) {
        llvm::append_range(worklist, nested->getOperands());
      });
  }
  SmallVector<Operation *> sorted = found.takeVector();
  llvm::sort(sorted, [](Operation *left, Operation *right) {
    return left->isBeforeInBlock(right);
  });
  return SetVector<Operation *>(sorted.begin(), sorted.end());
}

/// Returns the loops that `values` differ in.
FailureOr<ExtractRaiser::Dims> ExtractRaiser::getUsedLoops(ValueRange values) {
  FailureOr<SetVector<Operation *>> slice = getSlice(values);
  if (failed(slice))
    return failure();
  Dims loops;
  auto addValue = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != body)
      return;
    AffineMap map = op.getIndexingMapsArray()[argument.getArgNumber()];
    for (int64_t loop = 0; loop < op.getNumLoops(); ++loop)
      if (map.isFunctionOfDim(loop))
        loops.insert(loop);
  };
  llvm::for_each(values, addValue);
  for (Operation *inner : *slice)
    inner->walk([&](Operation *nested) {
      llvm::for_each(nested->getOperands(), addValue);
      if (auto index = dyn_cast<linalg::IndexOp>(nested))
        loops.insert(index.getDim());
    });
  SmallVector<int64_t> sorted = loops.takeVector();
  llvm::sort(sorted);
  return Dims(sorted.begin(), sorted.end());
}

/// Returns the loop that is the index of dimension `dim` of the table and
/// iterates over all of it, if the static types show that.
std::optional<int64_t> ExtractRaiser::getPlainLoop(int64_t dim) {
  auto index = extract.getIndices()[dim].getDefiningOp<linalg::IndexOp>();
  if (!index || table.getType().isDynamicDim(dim))
    return std::nullopt;
  int64_t loop = index.getDim();
  if (op.getStaticLoopRanges()[loop] != table.getType().getDimSize(dim))
    return std::nullopt;
  return loop;
}

/// Returns the access to the table if at most one dimension is indexed by data;
/// an access without loops if more dimensions are.
FailureOr<Access> ExtractRaiser::findAccess() {
  Access access;
  for (int64_t dim = 0; dim < table.getType().getRank(); ++dim) {
    std::optional<int64_t> loop = getPlainLoop(dim);
    if (loop && !llvm::is_contained(access.plainLoops, *loop)) {
      access.plainLoops.push_back(*loop);
      continue;
    }
    if (access.axis)
      return Access();
    access.axis = dim;
    access.plainLoops.push_back(-1);
  }
  if (!access.axis)
    return access;
  FailureOr<Dims> used = getUsedLoops(extract.getIndices()[*access.axis]);
  if (failed(used))
    return failure();
  if (llvm::any_of(access.plainLoops,
                   [&](int64_t loop) { return used->contains(loop); }))
    return Access();
  return access;
}

OpFoldResult ExtractRaiser::getLoopSize(int64_t loop) {
  int64_t size = op.getStaticLoopRanges()[loop];
  if (!ShapedType::isDynamic(size))
    return b.getIndexAttr(size);
  for (auto [operand, map] :
       llvm::zip_equal(op->getOperands(), op.getIndexingMapsArray()))
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (expr == b.getAffineDimExpr(loop))
        return tensor::getMixedSize(b, loc, operand, dim);
  llvm_unreachable("each loop is a dimension of an operand");
}

/// Emits the position of the element at `indices` in row-major order. It is -1,
/// which is out of range too, if one of them is out of range.
Value ExtractRaiser::emitLinearIndex(ValueRange indices, ValueRange dimSizes) {
  Value linear = arith::ConstantIndexOp::create(b, loc, 0);
  Value inside = arith::ConstantIntOp::create(b, loc, 1, 1);
  for (auto [index, dimSize] : llvm::zip_equal(indices, dimSizes)) {
    linear = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, linear, dimSize), index);
    // Unsigned, a negative index is a large one.
    inside = arith::AndIOp::create(
        b, loc, inside,
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index,
                              dimSize));
  }
  Value outside = arith::ConstantIndexOp::create(b, loc, -1);
  return arith::SelectOp::create(b, loc, inside, linear, outside);
}

/// Emits the indices along `axis`, or those of `emitLinearIndex`, for all
/// iterations of `loops`.
FailureOr<Value> ExtractRaiser::emitIndices(const Dims &loops,
                                            std::optional<int64_t> axis) {
  SmallVector<Value> indices =
      axis ? SmallVector<Value>{extract.getIndices()[*axis]}
           : SmallVector<Value>(extract.getIndices());
  FailureOr<SetVector<Operation *>> slice = getSlice(indices);
  if (failed(slice))
    return failure();

  // The loops that are left are numbered anew.
  SmallVector<AffineExpr> numbers(op.getNumLoops(), b.getAffineConstantExpr(0));
  SmallVector<OpFoldResult> sizes;
  for (auto [number, loop] : llvm::enumerate(loops)) {
    numbers[loop] = b.getAffineDimExpr(number);
    sizes.push_back(getLoopSize(loop));
  }
  auto isUsed = [&](BlockArgument argument) {
    return llvm::is_contained(indices, argument) ||
           llvm::any_of(argument.getUsers(), [&](Operation *user) {
             return slice->contains(body->findAncestorOpInBlock(*user));
           });
  };
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<BlockArgument> arguments;
  for (BlockArgument argument : body->getArguments()) {
    if (!isUsed(argument))
      continue;
    unsigned operand = argument.getArgNumber();
    inputs.push_back(op->getOperand(operand));
    maps.push_back(op.getIndexingMapsArray()[operand].replaceDimsAndSymbols(
        numbers, {}, loops.size(), 0));
    arguments.push_back(argument);
  }
  maps.push_back(b.getMultiDimIdentityMap(loops.size()));
  SmallVector<Value> dimSizes;
  if (!axis)
    for (OpFoldResult dimSize : tensor::getMixedSizes(b, loc, table))
      dimSizes.push_back(getValueOrCreateConstantIndexOp(b, loc, dimSize));

  Value init = tensor::EmptyOp::create(b, loc, sizes, b.getI64Type());
  SmallVector<utils::IteratorType> iterators(loops.size(),
                                             utils::IteratorType::parallel);
  auto emitBody = [&](OpBuilder &nested, Location, ValueRange values) {
    OpBuilder::InsertionGuard guard(b);
    b.restoreInsertionPoint(nested.saveInsertionPoint());
    IRMapping mapping;
    for (auto [argument, value] :
         llvm::zip_equal(arguments, values.drop_back()))
      mapping.map(argument, value);
    for (Operation *inner : *slice)
      b.clone(*inner, mapping)->walk([&](linalg::IndexOp index) {
        // The dims that are left keep their order.
        const auto *found =
            llvm::find(loops, static_cast<int64_t>(index.getDim()));
        index.setDim(found - loops.begin());
      });
    SmallVector<Value> cloned = llvm::map_to_vector(
        indices, [&](Value index) { return mapping.lookupOrDefault(index); });
    Value index = axis ? cloned.front() : emitLinearIndex(cloned, dimSizes);
    index = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
    linalg::YieldOp::create(b, loc, index);
  };
  return linalg::GenericOp::create(b, loc, init.getType(), inputs, init, maps,
                                   iterators, emitBody)
      .getResult(0);
}

/// Emits the elements of the table in row-major order.
Value ExtractRaiser::emitFlatTable() {
  int64_t rank = table.getType().getRank();
  if (rank == 1)
    return table;
  ReassociationIndices dims = llvm::to_vector<2>(llvm::seq<int64_t>(0, rank));
  SmallVector<ReassociationIndices> groups{dims};
  return tensor::CollapseShapeOp::create(b, loc, table, groups);
}

/// Adds an input to `op`, which its body uses in place of the read.
linalg::GenericOp ExtractRaiser::addOperand(Value operand, AffineMap map) {
  unsigned number = op.getNumDpsInputs();
  SmallVector<Value> inputs(op.getInputs());
  inputs.push_back(operand);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.insert(maps.begin() + number, map);
  auto raised = linalg::GenericOp::create(
      b, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(),
      b.getAffineMapArrayAttr(maps), op.getIteratorTypes(), op.getDocAttr(),
      op.getLibraryCallAttr());
  raised->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  raised.getRegion().takeBody(op.getRegion());
  Value element = body->insertArgument(
      number, cast<RankedTensorType>(operand.getType()).getElementType(), loc);
  b.replaceOp(extract, element);
  b.replaceOp(op, raised.getResults());
  return raised;
}

FailureOr<linalg::GenericOp> ExtractRaiser::run() {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  FailureOr<Access> access = findAccess();
  if (failed(access))
    return failure();
  bool isFlat = static_cast<int64_t>(access->plainLoops.size()) <
                table.getType().getRank();
  if (!isFlat && !access->axis)
    return addOperand(table, getMap(access->plainLoops));

  FailureOr<Dims> used =
      getUsedLoops(isFlat ? ValueRange(extract.getIndices())
                          : ValueRange(extract.getIndices()[*access->axis]));
  if (failed(used))
    return failure();
  FailureOr<Value> indices = emitIndices(*used, access->axis);
  if (failed(indices))
    return failure();
  Value source = isFlat ? emitFlatTable() : Value(table);
  int64_t axis = access->axis.value_or(0);
  auto indicesType = cast<RankedTensorType>(indices->getType());

  ArrayRef<int64_t> dimSizes =
      cast<RankedTensorType>(source.getType()).getShape();
  ArrayRef<int64_t> plain = access->plainLoops;
  SmallVector<int64_t> shape(dimSizes.take_front(axis)), loops;
  llvm::append_range(shape, indicesType.getShape());
  llvm::append_range(shape, dimSizes.drop_front(axis + 1));
  llvm::append_range(loops, plain.take_front(axis));
  llvm::append_range(loops, *used);
  llvm::append_range(loops, plain.drop_front(isFlat ? 0 : axis + 1));
  Value gathered =
      GatherOp::create(b, loc, table.getType().clone(shape), source, *indices,
                       b.getI64IntegerAttr(axis));
  return addOperand(gathered, getMap(loops));
}

/// Returns true if input number `input` has elements with a derivative, and its
/// map does more than permute and drop dimensions. No derivative rule covers
/// such a map.
static bool hasComputedMap(linalg::LinalgOp op, unsigned input) {
  return isa<FloatType>(getElementTypeOrSelf(op->getOperand(input))) &&
         !op.getIndexingMapsArray()[input].isProjectedPermutation(
             /*allowZeroInResults=*/true);
}

/// Replaces an input with a computed map by a read in the body.
static void extractInput(RewriterBase &b, linalg::GenericOp op,
                         unsigned input) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  Location loc = op.getLoc();
  SmallVector<Value> loops, indices;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    loops.push_back(linalg::IndexOp::create(b, loc, loop));
  for (AffineExpr expr : op.getIndexingMapsArray()[input].getResults())
    indices.push_back(affine::expandAffineExpr(b, loc, expr, loops, {}));
  Value element =
      tensor::ExtractOp::create(b, loc, op->getOperand(input), indices);
  op.getBody()->getArgument(input).replaceAllUsesWith(element);
}

/// Removes unused inputs with such maps, unless only they determine the number
/// of iterations of a loop.
static linalg::GenericOp dropInputs(RewriterBase &b, linalg::GenericOp op) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::BitVector dropped(op.getBody()->getNumArguments());
  for (auto [i, map] : llvm::enumerate(op.getIndexingMapsArray())) {
    bool isInput = i < op.getInputs().size();
    dropped[i] = isInput && hasComputedMap(op, i) &&
                 op.getBody()->getArgument(i).use_empty();
    if (dropped[i])
      continue;
    maps.push_back(map);
    if (isInput)
      inputs.push_back(op->getOperand(i));
  }
  if (dropped.none() ||
      !inversePermutation(concatAffineMaps(maps, op.getContext())))
    return op;
  b.setInsertionPoint(op);
  auto smaller = linalg::GenericOp::create(
      b, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(),
      b.getAffineMapArrayAttr(maps), op.getIteratorTypes(), op.getDocAttr(),
      op.getLibraryCallAttr());
  smaller->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  smaller.getRegion().takeBody(op.getRegion());
  smaller.getBody()->eraseArguments(dropped);
  b.replaceOp(op, smaller.getResults());
  return smaller;
}

LogicalResult raiseExtracts(RewriterBase &b, linalg::LinalgOp op) {
  auto inputs = llvm::seq<unsigned>(0, op.getNumDpsInputs());
  bool reads = op->walk([](tensor::ExtractOp) {
                   return WalkResult::interrupt();
                 }).wasInterrupted();
  if (!reads && llvm::none_of(inputs, [&](unsigned input) {
        return hasComputedMap(op, input);
      }))
    return success();
  b.setInsertionPoint(op);
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic)
    generic = *linalg::generalizeNamedOp(b, op);
  for (unsigned input = 0; input < generic.getNumDpsInputs(); ++input)
    if (hasComputedMap(generic, input))
      extractInput(b, generic, input);
  // In their order: one may be an index of a later one.
  SmallVector<tensor::ExtractOp> extracts;
  generic->walk([&](tensor::ExtractOp read) { extracts.push_back(read); });
  for (tensor::ExtractOp extract : extracts) {
    if (extract->getBlock() != generic.getBody())
      return extract.emitOpError()
             << "expected to be outside of control flow in the body of '"
             << generic->getName() << "', found it in '"
             << extract->getParentOp()->getName() << "'";
    // A table that is made in the body is part of it, as that of an
    // initializer.
    if (generic.getRegion().isAncestor(extract.getTensor().getParentRegion()))
      continue;
    // nn ops are on signless integers.
    auto integer = dyn_cast<IntegerType>(extract.getType());
    if (integer && !integer.isSignless())
      return extract.emitOpError()
             << "is not supported for elements of type " << integer
             << " in the body of another op: 'tensor.bitcast' makes signless "
                "integers";
    FailureOr<linalg::GenericOp> raised =
        ExtractRaiser(b, generic, extract).run();
    if (failed(raised))
      return failure();
    generic = *raised;
  }
  dropInputs(b, generic);
  return success();
}

} // namespace flywheel::nn
