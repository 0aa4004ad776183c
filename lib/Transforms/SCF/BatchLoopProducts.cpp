//===- BatchLoopProducts.cpp - One product for all iterations of a loop ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: recurrences whose trip count is known, such as those of networks over
// sequences and their reverses. After:
//
// * A product of slices of a tensor from outside is computed of the whole
//   tensor before the loop.
// * A product that the iterations only sum, or only write to slices of a
//   tensor, is computed behind the loop from operands that the loop keeps for
//   it.
// * A product that an earlier loop already computed is kept there.
//
// Only products that depend on each other stay in the iterations: a few rows at
// a time are slower than all at once, and the gradient of a weight that is one
// product is computed with the weight's update.
//
//===----------------------------------------------------------------------===//

#include "IterationSlices.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Transforms/SCF/SCFPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_BATCHLOOPPRODUCTS
#include "flywheel/Transforms/SCF/SCFPasses.h.inc"
} // namespace flywheel

using namespace flywheel;

/// Products with at least this many rows in an iteration gain nothing from more
/// rows.
constexpr int64_t kManyRows = 512;

namespace {
/// rows * w + b, or rows * w^T, of a product whose rows are [m, k].
struct RowProduct {
  Operation *op;
  Value rows, w, b;
  bool transposeW;
};

/// A sum: a carried value that the iterations only add to.
struct Sum {
  unsigned carried;
  /// The addend. If rows are added to slices, the addition of rows to a slice.
  Operation *op;
  /// The tensors that the sum is computed from: [m, k] and [m, n] for a^T b;
  /// one tensor for a sum of rows, or the rows of a product. In the last case,
  /// each iteration adds to its own slice.
  SmallVector<Value, 2> operands;
  std::optional<RowProduct> product;
  Direction direction = Direction::Forward;
};
} // namespace

static bool isOutside(Value value, scf::ForOp loop) {
  return !value || loop.isDefinedOutsideOfLoop(value);
}

static std::optional<RowProduct> getRowProduct(Operation *op) {
  if (auto dense = dyn_cast<nn::DenseOp>(op))
    if (cast<RankedTensorType>(dense.getType()).getRank() == 2)
      return RowProduct{op, dense.getX(), dense.getW(), dense.getB(), false};
  if (auto product = dyn_cast<nn::MatmulOp>(op))
    if (cast<RankedTensorType>(product.getType()).getRank() == 2 &&
        !product.getTransposeA())
      return RowProduct{op, product.getA(), product.getB(), Value(),
                        product.getTransposeB()};
  return std::nullopt;
}

/// Emits the product for all of `rows`, [iterations, m, k].
static Value emitRowProduct(OpBuilder &b, const RowProduct &product,
                            Value rows) {
  Location loc = product.op->getLoc();
  auto type = cast<RankedTensorType>(rows.getType());
  auto one = cast<RankedTensorType>(product.op->getResult(0).getType());
  if (!product.transposeW) {
    auto all = RankedTensorType::get(
        {type.getDimSize(0), type.getDimSize(1), one.getDimSize(1)},
        one.getElementType());
    return nn::DenseOp::create(b, loc, all, rows, product.w, product.b);
  }
  Value flat = nn::buildRows(b, loc, rows);
  auto flatType = RankedTensorType::get(
      {cast<RankedTensorType>(flat.getType()).getDimSize(0), one.getDimSize(1)},
      one.getElementType());
  Value result =
      nn::buildMatmul(b, loc, flatType, flat, false, product.w, true);
  return nn::buildFromRows(b, loc, result, rows);
}

namespace {
/// Takes the products out of one loop.
class ProductBatcher {
public:
  ProductBatcher(RewriterBase &rewriter, scf::ForOp loop, int64_t maxBytes,
                 bool recompute)
      : rewriter(rewriter), loop(loop), maxBytes(maxBytes),
        recompute(recompute) {}

  void run();

private:
  void hoistElementwise();
  bool keepFromEarlierLoop(const RowProduct &product,
                           const IterationSlice &rows);
  void computeInFront();
  void computeInFront(const RowProduct &product, const IterationSlice &rows);
  void replaceBySlice(const RowProduct &product, const IterationSlice &slice);
  std::optional<Sum> getSum(unsigned carried);
  std::optional<Sum> getSumOfSlices(unsigned carried);
  bool keepOperands(Sum &sum);
  const ValueToKeep *findKept(Value value, Direction direction) const;
  Value emitAll(OpBuilder &b, Value value, Direction direction);
  bool fits(RankedTensorType slice, int64_t count) const;
  void computeBehind();
  Value emitSum(OpBuilder &b, const Sum &sum);

  RewriterBase &rewriter;
  scf::ForOp loop;
  int64_t maxBytes;
  bool recompute;
  IterationRange range;
  /// The values that the products behind the loop need, and the tensors that
  /// hold them for all iterations.
  SmallVector<ValueToKeep> kept;
  SmallVector<Value> wholes;
};
} // namespace

/// Returns true if one tensor of `count` slices has at most `maxBytes`.
bool ProductBatcher::fits(RankedTensorType slice, int64_t count) const {
  int64_t elements = count;
  for (int64_t size : slice.getShape())
    if (ShapedType::isStatic(size) &&
        llvm::MulOverflow(elements, size, elements))
      return false;
  return elements <=
         maxBytes * 8 / static_cast<int64_t>(slice.getElementTypeBitWidth());
}

/// Hoists elementwise ops on loop invariants, such as the narrowing of weights.
void ProductBatcher::hoistElementwise() {
  moveLoopInvariantCode(
      loop.getLoopRegions(),
      [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
      [&](Operation *op, Region *) {
        return OpTrait::hasElementwiseMappableTraits(op) && isPure(op);
      },
      [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
}

/// Returns the op of an earlier loop that computes the same as `product`, from
/// the rows that it keeps as `kept`.
static Operation *findSameProduct(const RowProduct &product,
                                  const KeptValue &kept) {
  scf::ForOp loop = kept.loop;
  for (Operation &op : *loop.getBody()) {
    std::optional<RowProduct> other = getRowProduct(&op);
    if (other && op.getName() == product.op->getName() &&
        op.getAttrDictionary() == product.op->getAttrDictionary() &&
        op.getResultTypes() == product.op->getResultTypes() &&
        other->rows == kept.value && other->w == product.w &&
        other->b == product.b)
      return &op;
  }
  return nullptr;
}

/// Handles rows that are slices of a tensor that an earlier loop kept: if the
/// iterations of that loop compute the same product of them, it keeps the
/// product too. Returns true if there is such a loop.
bool ProductBatcher::keepFromEarlierLoop(const RowProduct &product,
                                         const IterationSlice &rows) {
  std::optional<KeptValue> kept = getKeptValue(rows, range);
  Operation *op = kept ? findSameProduct(product, *kept) : nullptr;
  if (!op)
    return false;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (recompute || type.isDynamicDim(1) || !fits(type, kept->range.count))
    return true;
  ValueToKeep result{op->getResult(0), kept->slice.direction, kept->init};
  Value whole = keepInLoop(rewriter, kept->loop, result, kept->range).front();
  // Slices are read at the positions at which the rows are.
  replaceBySlice(product,
                 {whole, rows.direction, rows.first - kept->slice.first});
  return true;
}

/// Computes the product once before the loop for rows that are slices of a
/// tensor from outside.
void ProductBatcher::computeInFront(const RowProduct &product,
                                    const IterationSlice &rows) {
  auto type = cast<RankedTensorType>(product.op->getResult(0).getType());
  if (type.getDimSize(0) >= kManyRows || !fits(type, range.count))
    return;
  OpBuilder before(loop);
  Location loc = product.op->getLoc();
  Value all =
      emitRowProduct(before, product, emitWhole(before, loc, rows, range));
  replaceBySlice(product, {all, rows.direction, 0});
}

void ProductBatcher::replaceBySlice(const RowProduct &product,
                                    const IterationSlice &slice) {
  Value result = product.op->getResult(0);
  OpBuilder b(product.op);
  rewriter.replaceAllUsesWith(
      result, readSlice(b, product.op->getLoc(), slice, loop, range,
                        cast<RankedTensorType>(result.getType())));
  rewriter.eraseOp(product.op);
}

/// Returns the addend of carried value number `carried`, if the loop only adds
/// to that value and uses the addend only there; null otherwise.
static Value getAddend(scf::ForOp loop, unsigned carried) {
  BlockArgument argument = loop.getRegionIterArg(carried);
  auto add = loop.getYieldedValues()[carried].getDefiningOp<arith::AddFOp>();
  if (!add || add->getBlock() != loop.getBody() || !add->hasOneUse() ||
      !argument.hasOneUse() || *argument.user_begin() != add)
    return Value();
  Value addend = add.getLhs() == argument ? add.getRhs() : add.getLhs();
  Operation *op = addend.getDefiningOp();
  return op && op->getBlock() == loop.getBody() && addend.hasOneUse() ? addend
                                                                      : Value();
}

/// Returns true if a product or another loop result depends on floating-point
/// numbers of the previous iteration. Without a recurrence, all iterations
/// could be computed at once; they are in a loop, like parts of a batch, to
/// save memory. Sums, averages and counts depend only on themselves. Integers
/// are ignored: they are seeds of noise.
static bool isRecurrence(scf::ForOp loop) {
  Block *body = loop.getBody();
  for (auto [carried, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (!isa<FloatType>(getElementTypeOrSelf(argument.getType())))
      continue;
    SetVector<Value> reached;
    reached.insert(argument);
    for (size_t n = 0; n < reached.size(); ++n)
      for (OpOperand &use : reached[n].getUses()) {
        Operation *op = body->findAncestorOpInBlock(*use.getOwner());
        if (isa<nn::DenseOp, nn::MatmulOp>(op) ||
            (op == body->getTerminator() && use.getOperandNumber() != carried))
          return true;
        reached.insert_range(op->getResults());
      }
  }
  return false;
}

/// Returns the sum of a product whose rows are added to slices of the carried
/// value.
std::optional<Sum> ProductBatcher::getSumOfSlices(unsigned carried) {
  BlockArgument argument = loop.getRegionIterArg(carried);
  auto insert =
      loop.getYieldedValues()[carried].getDefiningOp<tensor::InsertSliceOp>();
  if (!insert || insert->getBlock() != loop.getBody() || !insert->hasOneUse() ||
      insert.getDest() != argument)
    return std::nullopt;
  auto add = insert.getSource().getDefiningOp<arith::AddFOp>();
  auto read = add ? add.getLhs().getDefiningOp<tensor::ExtractSliceOp>()
                  : tensor::ExtractSliceOp();
  if (!read || !add->hasOneUse() || !read->hasOneUse() ||
      read.getSource() != argument ||
      !read.isSameAs(insert, isEqualConstantIntOrValue) ||
      llvm::any_of(argument.getUsers(), [&](Operation *user) {
        return user != insert && user != read;
      }))
    return std::nullopt;
  std::optional<IterationSlice> place = getInsertedSlice(insert, loop, range);
  if (!place || insert.getDestType().getDimSize(0) != range.count)
    return std::nullopt;
  Value value = getInsertedValue(insert, add.getRhs());
  Operation *op = value ? value.getDefiningOp() : nullptr;
  if (!op || op->getBlock() != loop.getBody() || !value.hasOneUse())
    return std::nullopt;
  std::optional<RowProduct> product = getRowProduct(op);
  if (!product || !isOutside(product->w, loop) || !isOutside(product->b, loop))
    return std::nullopt;
  return Sum{carried, add, {product->rows}, product, place->direction};
}

std::optional<Sum> ProductBatcher::getSum(unsigned carried) {
  Value addend = getAddend(loop, carried);
  if (!addend)
    return getSumOfSlices(carried);
  Sum sum{carried, addend.getDefiningOp(), {}, std::nullopt};
  if (auto product = dyn_cast<nn::MatmulOp>(sum.op)) {
    if (cast<RankedTensorType>(product.getType()).getRank() != 2 ||
        !product.getTransposeA() || product.getTransposeB())
      return std::nullopt;
    sum.operands = {product.getA(), product.getB()};
    return sum;
  }
  if (auto reduce = dyn_cast<nn::ReduceOp>(sum.op)) {
    if (reduce.getKind() != nn::ReductionKind::sum || reduce.getKeepdims() ||
        reduce.getAxes() != ArrayRef<int64_t>{0} ||
        !isa<FloatType>(getElementTypeOrSelf(reduce.getType())))
      return std::nullopt;
    sum.operands = {reduce.getInput()};
    return sum;
  }
  return std::nullopt;
}

/// Records the values to keep for `sum`, and sets its direction. Returns false
/// if they cannot be kept, or if it is not worth it.
bool ProductBatcher::keepOperands(Sum &sum) {
  std::optional<IterationSlice> slices[2];
  for (auto [slice, operand] : llvm::zip(slices, sum.operands)) {
    slice = getIterationSlice(operand, loop, range);
    if (slice && !sum.product)
      sum.direction = slice->direction;
  }
  SmallVector<ValueToKeep> needed;
  for (auto [i, operand] : llvm::enumerate(sum.operands)) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (isOutside(operand, loop) || type.getDimSize(0) >= kManyRows)
      return false;
    if (slices[i]) {
      if (slices[i]->direction != sum.direction)
        return false;
      continue;
    }
    // The order of rows does not matter to their sum.
    if (isa<nn::ReduceOp>(sum.op) && findKept(operand, Direction::Backward))
      sum.direction = Direction::Backward;
    if (findKept(operand, sum.direction))
      continue;
    Value sizesFrom = sum.operands.size() == 2 && slices[1 - i]
                          ? slices[1 - i]->whole
                          : Value();
    // Rows that nothing else needs behind the loop are summed in it.
    if (isa<nn::ReduceOp>(sum.op) || !fits(type, range.count) ||
        llvm::is_contained(type.getShape().drop_front(),
                           ShapedType::kDynamic) ||
        (type.isDynamicDim(0) && !sizesFrom))
      return false;
    needed.push_back({operand, sum.direction, sizesFrom});
  }
  kept.append(needed);
  return true;
}

const ValueToKeep *ProductBatcher::findKept(Value value,
                                            Direction direction) const {
  const auto *found = llvm::find_if(kept, [&](const ValueToKeep &other) {
    return other.value == value && other.direction == direction;
  });
  return found == kept.end() ? nullptr : found;
}

/// Returns the values of `value` in all iterations, behind the loop.
Value ProductBatcher::emitAll(OpBuilder &b, Value value, Direction direction) {
  if (const ValueToKeep *found = findKept(value, direction))
    return wholes[found - kept.begin()];
  return emitWhole(b, loop.getLoc(), *getIterationSlice(value, loop, range),
                   range);
}

/// Emits the sum of all terms that the loop would have added to the initial
/// value.
Value ProductBatcher::emitSum(OpBuilder &b, const Sum &sum) {
  Location loc = sum.op->getLoc();
  SmallVector<Value, 2> all;
  for (Value operand : sum.operands)
    all.push_back(emitAll(b, operand, sum.direction));
  Type type = loop.getResult(sum.carried).getType();
  if (sum.product)
    return nn::buildCast(b, loc, emitRowProduct(b, *sum.product, all.front()),
                         type);
  if (all.size() == 1)
    return nn::buildSum(b, loc, all.front(), {0, 1}, type);
  return nn::buildMatmul(b, loc, type, nn::buildRows(b, loc, all[0]), true,
                         nn::buildRows(b, loc, all[1]), false);
}

void ProductBatcher::computeBehind() {
  SmallVector<Sum> sums, sumsOfRows;
  for (unsigned i = 0, e = loop.getNumResults(); i < e; ++i)
    if (std::optional<Sum> sum = getSum(i))
      (isa<nn::ReduceOp>(sum->op) ? sumsOfRows : sums).push_back(*sum);
  llvm::erase_if(sums, [&](Sum &sum) { return !keepOperands(sum); });
  llvm::erase_if(sumsOfRows, [&](Sum &sum) { return !keepOperands(sum); });
  llvm::append_range(sums, sumsOfRows);
  if (sums.empty())
    return;
  if (!kept.empty())
    wholes = keepInLoop(rewriter, loop, kept, range);

  rewriter.setInsertionPointAfter(loop);
  for (const Sum &sum : sums) {
    Value total = emitSum(rewriter, sum),
          init = loop.getInitArgs()[sum.carried];
    if (!nn::isZeros(init))
      total = arith::AddFOp::create(rewriter, sum.op->getLoc(), init, total);
    rewriter.replaceAllUsesExcept(loop.getResult(sum.carried), total,
                                  total.getDefiningOp());
    Operation *yield = loop.getBody()->getTerminator();
    Operation *last = yield->getOperand(sum.carried).getDefiningOp();
    Operation *read =
        sum.product ? sum.op->getOperand(0).getDefiningOp() : nullptr;
    rewriter.modifyOpInPlace(yield, [&] {
      yield->setOperand(sum.carried, loop.getRegionIterArg(sum.carried));
    });
    rewriter.eraseOp(last);
    rewriter.eraseOp(sum.op);
    if (read)
      rewriter.eraseOp(read);
  }
}

void ProductBatcher::run() {
  std::optional<IterationRange> iterations = IterationRange::get(loop);
  if (iterations && iterations->count > 1 && isRecurrence(loop)) {
    range = *iterations;
    hoistElementwise();
    computeInFront();
    computeBehind();
  }
}

void ProductBatcher::computeInFront() {
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
    std::optional<RowProduct> product = getRowProduct(&op);
    if (!product || !isOutside(product->w, loop) ||
        !isOutside(product->b, loop))
      continue;
    std::optional<IterationSlice> rows =
        getIterationSlice(product->rows, loop, range);
    if (rows && !keepFromEarlierLoop(*product, *rows))
      computeInFront(*product, *rows);
  }
}

namespace {
struct BatchLoopProducts
    : flywheel::impl::BatchLoopProductsBase<BatchLoopProducts> {
  using BatchLoopProductsBase::BatchLoopProductsBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    // Inner loops come first, because products move from them to outer ones.
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops)
      ProductBatcher(rewriter, loop, maxBytes, recompute).run();
  }
};
} // namespace
