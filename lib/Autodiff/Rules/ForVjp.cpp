//===- ForVjp.cpp - The reverse of a loop ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse of a loop is a loop in reverse order that recomputes the body
// from the values that it captures and from the initial values of the
// iteration: the loop itself is replaced by one that also keeps these in
// tensors with an element, or a slice, for each iteration. If the body only
// needs parts of a tensor, the stack keeps the values that were computed from
// these parts.
//
//===----------------------------------------------------------------------===//

#include "ForVjp.h"

#include "LoopBounds.h"
#include "LoopCut.h"
#include "Recomputation.h"

#include "flywheel/Autodiff/InlineRegion.h"
#include "flywheel/Autodiff/ReverseSweep.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace flywheel {

static Value emitZeros(OpBuilder &b, Location loc, Value like) {
  return nn::buildSplat(b, loc, like, 0.0);
}

namespace {
/// Emits the reverse of one loop.
class ForVjp {
public:
  ForVjp(scf::ForOp loop, OpBuilder &builder)
      : loop(loop), b(builder), loc(loop.getLoc()),
        yield(cast<scf::YieldOp>(loop.getBody()->getTerminator())) {}

  LogicalResult run(ArrayRef<Value> resultCotangents, ArrayRef<bool> needed,
                    MutableArrayRef<Value> inputCotangents);

private:
  /// A value of each iteration, for all iterations.
  struct Stack {
    /// Stands for the stack until it is known to be needed.
    tensor::EmptyOp tensor;
    /// The dimension sizes of the value, which are known before the loop.
    SmallVector<OpFoldResult> sizes;
    /// The value that the reverse loop reads from it.
    Value element = {};
    /// The value that `body` writes to it.
    Value value = {};
  };

  LogicalResult checkBounded();
  LogicalResult checkCarried();
  void findPaths(ArrayRef<Value> resultCotangents, ArrayRef<bool> needed);
  void emitTripCount();
  Stack emitStack(Type elementType, ArrayRef<OpFoldResult> sizes);
  void emitStacks();
  FailureOr<scf::ForOp> emitReverse(ArrayRef<Value> resultCotangents);
  void copyBody(Recomputation &again, ValueRange inputs);
  void keepParts(const Recomputation &again);
  Value emitLoad(OpBuilder &at, Stack &stack, Type type);
  Value emitStore(OpBuilder &at, Value index, Stack &stack, Value into);
  void saveWhatIsUsed();

  Value castTo(OpBuilder &at, Type type, Value value) {
    return value.getType() == type
               ? value
               : arith::IndexCastOp::create(at, loc, type, value);
  }

  scf::ForOp loop;
  OpBuilder &b;
  Location loc;
  scf::YieldOp yield;
  /// The number of iterations, and of slices that are enough for them.
  OpFoldResult tripCount, stackDimSize;
  /// The stacks of the initial values of iterations come first.
  SmallVector<Stack> stacks;
  /// The body, which may compute more values than that of the loop: those that
  /// the reverses of inner loops and branches need. `copies` maps the values
  /// that the reverse loop recomputes to its values.
  Block body;
  IRMapping copies;
  /// The number of the iteration in the reverse loop, counted from 0.
  Value position;
  /// The carried values that a derivative flows through.
  SmallVector<unsigned> carried;
  SmallVector<std::pair<Value, unsigned>> captures;
};
} // namespace

/// Fails if the trip count is unbounded: the memory for the values that are
/// kept is allocated before the loop runs.
LogicalResult ForVjp::checkBounded() {
  if (loop.getStaticTripCount())
    return success();
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         step = getConstantIntValue(loop.getStep());
  Value upper = loop.getUpperBound();
  if (upper.getType().isIndex() && lower && step && *step > 0 &&
      (getConstantBound(upper) || isBoundedByDimSizes(upper)))
    return success();
  // The user may have written the loop as an `scf.while`.
  return loop.emitError()
         << "expected a lower bound and a step that are constants, and an "
            "upper bound that a constant or dimension sizes of tensors limit, "
            "to "
            "differentiate: no room can be set aside for the iterations of "
            "another loop";
}

/// Fails if a carried value does not keep its dimension sizes: slices of a
/// stack have those of the initial values.
LogicalResult ForVjp::checkCarried() {
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    Type type = argument.getType();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor && !type.isIntOrIndexOrFloat())
      return loop.emitOpError() << "expected tensors and numbers to be carried "
                                   "to differentiate, found "
                                << type;
    for (int64_t dim = 0, e = tensor ? tensor.getRank() : 0; dim < e; ++dim)
      if (tensor.isDynamicDim(dim) && !keepsDimSize(loop, i, dim))
        return loop.emitOpError()
               << "expected carried tensors that keep their dimension sizes to "
                  "differentiate, found one of type "
               << type << " (#" << i << ") that is not known to";
  }
  return success();
}

/// Finds the carried values on a path from an input that needs a cotangent to a
/// result that has one, over any number of iterations.
void ForVjp::findPaths(ArrayRef<Value> resultCotangents,
                       ArrayRef<bool> needed) {
  captures = getNeededCaptures(loop, needed);
  unsigned numCarried = loop.getNumRegionIterArgs();
  Block *body = loop.getBody();
  SmallVector<bool> reaches(numCarried), active(numCarried);
  for (unsigned i = 0; i < numCarried; ++i) {
    reaches[i] = static_cast<bool>(resultCotangents[i]);
    active[i] = needed[loop.getNumControlOperands() + i];
  }

  SetVector<Value> sources;
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Value> ys;
    for (unsigned i = 0; i < numCarried; ++i)
      if (reaches[i])
        ys.push_back(yield.getOperand(i));
    sources = findDifferentiableSources(ys, body);
    for (unsigned i = 0; i < numCarried; ++i)
      if (!reaches[i] && sources.contains(loop.getRegionIterArg(i)))
        changed = reaches[i] = true;
  }
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Value> xs;
    for (auto [capture, input] : captures)
      xs.push_back(capture);
    for (unsigned i = 0; i < numCarried; ++i)
      if (active[i])
        xs.push_back(loop.getRegionIterArg(i));
    Activity activity = findActivity(sources, xs, body);
    for (unsigned i = 0; i < numCarried; ++i)
      if (!active[i] && reaches[i] &&
          activity.values.contains(yield.getOperand(i)))
        changed = active[i] = true;
  }
  for (unsigned i = 0; i < numCarried; ++i)
    if (reaches[i] && active[i])
      carried.push_back(i);
}

/// Emits max(0, ceil((upper - lower) / step)), before the loop, and a bound of
/// it.
void ForVjp::emitTripCount() {
  if (std::optional<APInt> count = loop.getStaticTripCount()) {
    tripCount = stackDimSize = b.getIndexAttr(count->getZExtValue());
    return;
  }
  OpBuilder before(loop);
  Value count = loop.getUpperBound();
  int64_t lower = *getConstantIntValue(loop.getLowerBound()),
          step = *getConstantIntValue(loop.getStep());
  if (lower != 0)
    count = arith::SubIOp::create(before, loc, count, loop.getLowerBound());
  if (lower != 0 || !isAtLeast(count, 0))
    count = arith::MaxSIOp::create(
        before, loc, count, arith::ConstantIndexOp::create(before, loc, 0));
  if (step != 1)
    count = arith::CeilDivUIOp::create(before, loc, count, loop.getStep());
  tripCount = stackDimSize = count;
  if (std::optional<int64_t> upper = getConstantBound(loop.getUpperBound()))
    stackDimSize = b.getIndexAttr(
        llvm::divideCeil(std::max<int64_t>(*upper - lower, 0), step));
}

/// Returns a stack for values of these dimension sizes.
ForVjp::Stack ForVjp::emitStack(Type elementType,
                                ArrayRef<OpFoldResult> sizes) {
  OpBuilder before(loop);
  SmallVector<OpFoldResult> all{stackDimSize};
  llvm::append_range(all, sizes);
  return {tensor::EmptyOp::create(before, loc, all, elementType),
          SmallVector<OpFoldResult>(sizes)};
}

void ForVjp::emitStacks() {
  OpBuilder before(loop);
  for (Value init : loop.getInitArgs()) {
    SmallVector<OpFoldResult> sizes;
    if (isa<RankedTensorType>(init.getType()))
      sizes = tensor::getMixedSizes(before, loc, init);
    stacks.push_back(emitStack(getElementTypeOrSelf(init), sizes));
  }
}

namespace {
/// The slice of a stack for one iteration.
struct StackSlice {
  SmallVector<OpFoldResult> offsets, sizes, strides;

  StackSlice(Builder &at, Value position, ArrayRef<OpFoldResult> valueSizes)
      : offsets(valueSizes.size() + 1, at.getIndexAttr(0)),
        sizes{at.getIndexAttr(1)},
        strides(valueSizes.size() + 1, at.getIndexAttr(1)) {
    offsets[0] = position;
    llvm::append_range(sizes, valueSizes);
  }
};
} // namespace

/// Marks `op` as in range: every iteration has a position of the stacks.
static Value markInRange(OpBuilder &at, Operation *op) {
  op->setAttr(train::TrainDialect::getInRangeAttrName(), at.getUnitAttr());
  return op->getResult(0);
}

/// Reads a value of `type` of iteration `position`.
Value ForVjp::emitLoad(OpBuilder &at, Stack &stack, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return markInRange(
        at, tensor::ExtractOp::create(at, loc, stack.tensor, position));
  StackSlice slice(at, position, stack.sizes);
  Value part = nn::buildExtractSlice(at, loc, tensor, stack.tensor,
                                     slice.offsets, slice.sizes, slice.strides);
  return markInRange(at, part.getDefiningOp());
}

/// Writes the value of iteration `index` of the loop to `into`.
Value ForVjp::emitStore(OpBuilder &at, Value index, Stack &stack, Value into) {
  if (!isa<RankedTensorType>(stack.value.getType()))
    return markInRange(
        at, tensor::InsertOp::create(at, loc, stack.value, into, index));
  StackSlice slice(at, index, stack.sizes);
  Value whole = nn::buildInsertSlice(at, loc, stack.value, into, slice.offsets,
                                     slice.sizes, slice.strides);
  return whole == into ? into : markInRange(at, whole.getDefiningOp());
}

FailureOr<scf::ForOp> ForVjp::emitReverse(ArrayRef<Value> resultCotangents) {
  SmallVector<Value> inits;
  for (unsigned i : carried)
    inits.push_back(resultCotangents[i] ? resultCotangents[i]
                                        : emitZeros(b, loc, loop.getResult(i)));
  for (auto [capture, input] : captures)
    inits.push_back(emitZeros(b, loc, capture));

  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value count = getValueOrCreateConstantIndexOp(b, loc, tripCount);
  auto reverse = scf::ForOp::create(b, loc, zero, count, one, inits);
  if (inits.empty())
    return reverse;
  OpBuilder in = OpBuilder::atBlockBegin(reverse.getBody());

  position =
      arith::SubIOp::create(in, loc, arith::SubIOp::create(in, loc, count, one),
                            reverse.getInductionVar());
  Type inductionType = loop.getInductionVar().getType();
  Value induction = arith::AddIOp::create(
      in, loc, loop.getLowerBound(),
      arith::MulIOp::create(in, loc, castTo(in, inductionType, position),
                            loop.getStep()));
  SmallVector<Value> inputs{induction};
  for (auto [stack, init] : llvm::zip_equal(stacks, loop.getInitArgs())) {
    stack.element = emitLoad(in, stack, init.getType());
    inputs.push_back(stack.element);
  }
  Recomputation again(in, *loop.getBody(), inputs);
  SmallVector<Value> outputs = again.getOutputs();

  SmallVector<Value> ys, xs;
  for (unsigned i : carried) {
    ys.push_back(outputs[i]);
    xs.push_back(stacks[i].element);
  }
  for (auto [capture, input] : captures)
    xs.push_back(capture);
  ReverseSweep sweep(in, ys, xs, reverse.getBody());
  ValueRange arguments = reverse.getRegionIterArgs();
  for (auto [y, cotangent] :
       llvm::zip_equal(ys, arguments.take_front(carried.size())))
    if (sweep.isActive(y))
      sweep.accumulate(loc, y, cotangent);
  if (failed(sweep.run()))
    return failure();

  SmallVector<Value> yielded;
  for (auto [n, x] : llvm::enumerate(xs)) {
    // Captures are used in every iteration.
    if (n >= carried.size()) {
      yielded.push_back(sweep.addCotangentTo(loc, arguments[n], x));
      continue;
    }
    Value cotangent = sweep.getCotangent(x);
    yielded.push_back(cotangent ? cotangent : emitZeros(in, loc, x));
  }
  scf::YieldOp::create(in, loc, yielded);
  // A cotangent has the dimension sizes of its value, which the loop keeps,
  // even if no op of the body shows that, as for a broadcast sum.
  reverse->setAttr(train::TrainDialect::getKeepsDimSizesAttrName(),
                   b.getUnitAttr());

  copyBody(again, inputs);
  eraseDeadOps(*reverse.getBody());
  keepParts(again);
  return reverse;
}

/// Copies the ops that compute an iteration of `inputs` to `body`.
void ForVjp::copyBody(Recomputation &again, ValueRange inputs) {
  for (Value input : inputs)
    copies.map(input, body.addArgument(input.getType(), loc));
  for (auto [stack, argument] :
       llvm::zip(stacks, body.getArguments().drop_front()))
    stack.value = argument;
  SmallVector<Value> outputs = again.finish(body, copies);
  OpBuilder at(b.getContext());
  at.setInsertionPointToEnd(&body);
  scf::YieldOp::create(at, yield.getLoc(), outputs);
}

/// If the reverse loop only needs parts of an iteration's initial values, reads
/// the values that were computed from these parts from stacks.
void ForVjp::keepParts(const Recomputation &again) {
  OpBuilder before(loop);
  SmallVector<Value> starts = llvm::map_to_vector(
      stacks, [](const Stack &stack) { return stack.element; });
  for (unsigned i = 0, e = loop.getNumRegionIterArgs(); i < e; ++i) {
    if (stacks[i].tensor->use_empty() ||
        !isa<RankedTensorType>(loop.getInitArgs()[i].getType()))
      continue;
    Value start = stacks[i].element;
    start.replaceUsesWithIf(loop.getInitArgs()[i], needsOnlySizes);
    Block *block = start.getParentBlock();
    std::optional<SmallVector<Value>> cut =
        findSmallerCut(start, *block, again);
    if (!cut)
      continue;
    SmallVector<Stack> parts;
    for (Value value : *cut) {
      std::optional<SmallVector<OpFoldResult>> sizes = findSizesOutside(
          before, loc, value, block, starts, loop.getInitArgs());
      if (!sizes)
        break;
      parts.push_back(emitStack(getElementTypeOrSelf(value), *sizes));
      parts.back().value = copies.lookup(value);
    }
    if (parts.size() != cut->size()) {
      for (Stack &part : parts)
        part.tensor->erase();
      continue;
    }
    OpBuilder in(block->getParentOp()->getContext());
    in.setInsertionPointAfterValue(position);
    for (auto [part, value] : llvm::zip_equal(parts, *cut)) {
      part.element = emitLoad(in, part, value.getType());
      value.replaceAllUsesWith(part.element);
    }
    stacks.append(parts);
    eraseDeadOps(*block);
  }
}

/// Replaces the loop by one that fills the stacks that the reverse reads.
void ForVjp::saveWhatIsUsed() {
  SmallVector<Stack> used;
  for (Stack &stack : stacks)
    if (!stack.tensor->use_empty())
      used.push_back(stack);
    else
      stack.tensor->erase();
  if (used.empty())
    return;

  OpBuilder before(loop);
  SmallVector<Value> inits = llvm::to_vector(loop.getInitArgs());
  for (Stack &stack : used)
    inits.push_back(stack.tensor);
  auto saving = scf::ForOp::create(before, loc, loop.getLowerBound(),
                                   loop.getUpperBound(), loop.getStep(), inits);
  saving->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  unsigned numCarried = loop.getNumRegionIterArgs();
  Block *into = saving.getBody();
  into->getOperations().splice(into->end(), body.getOperations());
  for (auto [from, to] : llvm::zip(body.getArguments(), into->getArguments())) {
    for (Stack &stack : used)
      if (stack.value == from)
        stack.value = to;
    from.replaceAllUsesWith(to);
  }
  OpBuilder in = OpBuilder::atBlockBegin(into);
  Value offset = arith::SubIOp::create(in, loc, saving.getInductionVar(),
                                       loop.getLowerBound());
  Value index = castTo(
      in, in.getIndexType(),
      arith::DivUIOp::create(in, loc, offset, loop.getStep()).getResult());
  // A part is stored where it is computed, because the tensor that it was read
  // from may be overwritten later.
  Operation *yields = into->getTerminator();
  SmallVector<Value> yielded = llvm::to_vector(yields->getOperands());
  for (auto [stack, argument] : llvm::zip_equal(
           used, saving.getRegionIterArgs().drop_front(numCarried))) {
    if (isa<OpResult>(stack.value))
      in.setInsertionPointAfterValue(stack.value);
    else
      in.setInsertionPointAfterValue(index);
    yielded.push_back(emitStore(in, index, stack, argument));
  }
  yields->setOperands(yielded);

  loop->replaceAllUsesWith(saving.getResults().take_front(numCarried));
  eraseChecks(loop);
  for (auto [stack, result] :
       llvm::zip_equal(used, saving.getResults().drop_front(numCarried)))
    stack.tensor.getResult().replaceAllUsesExcept(result, saving);
  eraseDeadOps(*into);
  into->walk<WalkOrder::PreOrder>(
      [](scf::ForOp inner) { dropUnusedResults(inner); });
}

LogicalResult ForVjp::run(ArrayRef<Value> resultCotangents,
                          ArrayRef<bool> needed,
                          MutableArrayRef<Value> inputCotangents) {
  if (failed(checkBounded()) || failed(checkCarried()))
    return failure();
  findPaths(resultCotangents, needed);
  emitTripCount();
  emitStacks();
  FailureOr<scf::ForOp> reverse = emitReverse(resultCotangents);
  if (failed(reverse))
    return failure();
  ValueRange results = reverse->getResults();
  for (auto [n, i] : llvm::enumerate(carried))
    inputCotangents[loop.getNumControlOperands() + i] = results[n];
  for (auto [n, capture] : llvm::enumerate(captures))
    inputCotangents[capture.second] = results[carried.size() + n];
  saveWhatIsUsed();
  return success();
}

LogicalResult emitForVjp(scf::ForOp loop, OpBuilder &builder,
                         ArrayRef<Value> resultCotangents,
                         ArrayRef<bool> needed,
                         MutableArrayRef<Value> inputCotangents) {
  return ForVjp(loop, builder).run(resultCotangents, needed, inputCotangents);
}

} // namespace flywheel
