//===- ForVjp.cpp - The reverse of a loop ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse of a loop is a loop that goes backwards and computes the body
// again, from the values that it captures and from those that the iteration
// started with: the loop itself is replaced by one that also keeps these in
// tensors with an element, or a slice, for each iteration.
//
//===----------------------------------------------------------------------===//

#include "ForVjp.h"

#include "LoopBounds.h"

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
  /// What an iteration starts with, for all iterations.
  struct Stack {
    /// Stands for the stack until it is known to be needed.
    tensor::EmptyOp tensor;
    /// What is read from it in the reverse loop.
    Value element;
  };

  LogicalResult checkBounded();
  LogicalResult checkCarried();
  void findPaths(ArrayRef<Value> resultCotangents, ArrayRef<bool> needed);
  void emitTripCount();
  void emitStacks();
  FailureOr<scf::ForOp> emitReverse(ArrayRef<Value> resultCotangents);
  Value emitLoad(OpBuilder &at, Value position, Value stack, Value like);
  Value emitStore(OpBuilder &at, Value position, Value value, Value into);
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
  SmallVector<Stack> stacks;
  /// The carried values that a derivative flows through.
  SmallVector<unsigned> carried;
  SmallVector<std::pair<Value, unsigned>> captures;
};
} // namespace

/// Every value that is kept needs room before the loop runs.
LogicalResult ForVjp::checkBounded() {
  if (loop.getStaticTripCount())
    return success();
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         step = getConstantIntValue(loop.getStep());
  Value upper = loop.getUpperBound();
  if (upper.getType().isIndex() && lower && step && *step > 0 &&
      (getConstantBound(upper) || isBoundedByDimSizes(upper)))
    return success();
  // What the user wrote may be an `scf.while`.
  return loop.emitError()
         << "expected a lower bound and a step that are constants, and an "
            "upper bound that a constant or dimension sizes of tensors limit, "
            "to "
            "differentiate: no room can be set aside for the iterations of "
            "another loop";
}

/// Slices of a stack have the dimension sizes of the initial values.
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

/// Finds what is carried on a path from an input that needs a cotangent to a
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

/// max(0, ceil((upper - lower) / step)), before the loop, and a bound of it.
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

void ForVjp::emitStacks() {
  OpBuilder before(loop);
  for (Value init : loop.getInitArgs()) {
    SmallVector<OpFoldResult> sizes{stackDimSize};
    if (isa<RankedTensorType>(init.getType()))
      llvm::append_range(sizes, tensor::getMixedSizes(before, loc, init));
    stacks.push_back({tensor::EmptyOp::create(before, loc, sizes,
                                              getElementTypeOrSelf(init)),
                      Value()});
  }
}

/// The slice of a stack at `position`.
static void getSlice(OpBuilder &at, Location loc, Value position, Value like,
                     SmallVectorImpl<OpFoldResult> &offsets,
                     SmallVectorImpl<OpFoldResult> &sizes,
                     SmallVectorImpl<OpFoldResult> &strides) {
  int64_t rank = cast<RankedTensorType>(like.getType()).getRank();
  offsets.assign(rank + 1, at.getIndexAttr(0));
  offsets[0] = position;
  strides.assign(rank + 1, at.getIndexAttr(1));
  sizes.assign(1, at.getIndexAttr(1));
  llvm::append_range(sizes, tensor::getMixedSizes(at, loc, like));
}

/// `op`, marked: every iteration has a position of the stacks.
static Value markInRange(OpBuilder &at, Operation *op) {
  op->setAttr(train::TrainDialect::getInRangeAttrName(), at.getUnitAttr());
  return op->getResult(0);
}

Value ForVjp::emitLoad(OpBuilder &at, Value position, Value stack, Value like) {
  auto type = dyn_cast<RankedTensorType>(like.getType());
  if (!type)
    return markInRange(at, tensor::ExtractOp::create(at, loc, stack, position));
  SmallVector<OpFoldResult> offsets, sizes, strides;
  getSlice(at, loc, position, like, offsets, sizes, strides);
  Value part =
      nn::buildExtractSlice(at, loc, type, stack, offsets, sizes, strides);
  return markInRange(at, part.getDefiningOp());
}

Value ForVjp::emitStore(OpBuilder &at, Value position, Value value,
                        Value into) {
  if (!isa<RankedTensorType>(value.getType()))
    return markInRange(
        at, tensor::InsertOp::create(at, loc, value, into, position));
  SmallVector<OpFoldResult> offsets, sizes, strides;
  getSlice(at, loc, position, value, offsets, sizes, strides);
  Value whole =
      nn::buildInsertSlice(at, loc, value, into, offsets, sizes, strides);
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

  // Iteration `position` of the loop, counted from 0.
  Value position =
      arith::SubIOp::create(in, loc, arith::SubIOp::create(in, loc, count, one),
                            reverse.getInductionVar());
  Type inductionType = loop.getInductionVar().getType();
  Value induction = arith::AddIOp::create(
      in, loc, loop.getLowerBound(),
      arith::MulIOp::create(in, loc, castTo(in, inductionType, position),
                            loop.getStep()));
  SmallVector<Value> inputs{induction};
  for (auto [stack, init] : llvm::zip_equal(stacks, loop.getInitArgs())) {
    stack.element = emitLoad(in, position, stack.tensor, init);
    inputs.push_back(stack.element);
  }
  SmallVector<Value> outputs = cloneBlock(in, *loop.getBody(), inputs);

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
    Value cotangent = sweep.getCotangent(x);
    // Captures are used in every iteration.
    if (n >= carried.size())
      cotangent = cotangent
                      ? arith::AddFOp::create(in, loc, arguments[n], cotangent)
                      : arguments[n];
    yielded.push_back(cotangent ? cotangent : emitZeros(in, loc, x));
  }
  scf::YieldOp::create(in, loc, yielded);
  eraseDeadOps(*reverse.getBody());
  // A cotangent has the dimension sizes of its value, which the loop keeps:
  // also where nothing in the body says so, as those of a broadcast sum.
  reverse->setAttr(train::TrainDialect::getKeepsDimSizesAttrName(),
                   b.getUnitAttr());
  return reverse;
}

/// Replaces the loop by one that fills the stacks that the reverse reads.
void ForVjp::saveWhatIsUsed() {
  SmallVector<unsigned> used;
  for (unsigned i = 0, e = stacks.size(); i < e; ++i)
    if (!stacks[i].tensor->use_empty())
      used.push_back(i);
    else
      stacks[i].tensor->erase();
  if (used.empty())
    return;

  OpBuilder before(loop);
  SmallVector<Value> inits = llvm::to_vector(loop.getInitArgs());
  for (unsigned i : used)
    inits.push_back(stacks[i].tensor);
  auto saving = scf::ForOp::create(before, loc, loop.getLowerBound(),
                                   loop.getUpperBound(), loop.getStep(), inits);
  saving->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  OpBuilder in = OpBuilder::atBlockBegin(saving.getBody());
  Value offset = arith::SubIOp::create(in, loc, saving.getInductionVar(),
                                       loop.getLowerBound());
  Value position = castTo(
      in, in.getIndexType(),
      arith::DivUIOp::create(in, loc, offset, loop.getStep()).getResult());
  unsigned numCarried = loop.getNumRegionIterArgs();
  ValueRange arguments = saving.getRegionIterArgs();
  SmallVector<Value> inputs{saving.getInductionVar()};
  llvm::append_range(inputs, arguments.take_front(numCarried));
  SmallVector<Value> saved;
  for (auto [i, stack] :
       llvm::zip_equal(used, arguments.drop_front(numCarried)))
    saved.push_back(emitStore(in, position, arguments[i], stack));
  SmallVector<Value> yielded = cloneBlock(in, *loop.getBody(), inputs);
  llvm::append_range(yielded, saved);
  scf::YieldOp::create(in, yield.getLoc(), yielded);

  loop->replaceAllUsesWith(saving.getResults().take_front(numCarried));
  for (auto [i, stack] :
       llvm::zip_equal(used, saving.getResults().drop_front(numCarried)))
    stacks[i].tensor.getResult().replaceAllUsesExcept(stack, saving);
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
