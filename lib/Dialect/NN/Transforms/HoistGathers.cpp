//===- HoistGathers.cpp - Rows of tables before arithmetic ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: `arith` and `nn` ops on tensors. After: an `nn.gather` of fewer rows
// than a variable or constant has, of numbers that cheap elementwise ops
// compute from it, such as conversions and scales, gathers the rows that they
// read, and the ops compute these rows only. Refuses nothing.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace flywheel::nn {
#define GEN_PASS_DEF_NNHOISTGATHERS
#include "flywheel/Dialect/NN/NNPasses.h.inc"

/// The most ops between a table and a gather.
constexpr size_t kMaxOps = 16;

/// Returns true if computing an element of the result of `op` takes little
/// time, each from one element of each operand.
static bool isCheap(Operation *op) {
  return isa_and_present<arith::SIToFPOp, arith::UIToFPOp, arith::ExtFOp,
                         arith::TruncFOp, arith::AddFOp, arith::SubFOp,
                         arith::MulFOp, arith::NegFOp, arith::ExtSIOp,
                         arith::ExtUIOp, arith::AddIOp, arith::SubIOp,
                         arith::MulIOp>(op);
}

static bool isSplat(Value value) {
  SplatElementsAttr splat;
  return matchPattern(value, m_Constant(&splat));
}

namespace {
/// Moves one gather.
class GatherHoister {
public:
  GatherHoister(RewriterBase &rewriter, GatherOp gather)
      : rewriter(rewriter), gather(gather) {}

  /// Returns true if it was moved.
  bool run();

private:
  bool collect(Value value);
  Value getRows(Value value);
  RankedTensorType getType(Value value);
  Value broadcast(Value value, Value whole, ArrayRef<int64_t> dims);

  RewriterBase &rewriter;
  GatherOp gather;
  /// The cheap ops that compute the table.
  llvm::SmallSetVector<Operation *, 4> ops;
  /// The values of the table's shape that they read, which are gathered.
  SmallVector<Value> leaves;
  DenseMap<Value, Value> rows;
};
} // namespace

/// Visits the ops that compute `value`; returns false if they are too many.
bool GatherHoister::collect(Value value) {
  Operation *op = value.getDefiningOp();
  if (ops.contains(op) || isSplat(value))
    return true;
  if (!isCheap(op)) {
    if (!isa_and_present<BroadcastOp>(op))
      leaves.push_back(value);
    return true;
  }
  return ops.insert(op) && ops.size() <= kMaxOps &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return collect(operand); });
}

/// Returns the type of rows of `value`.
RankedTensorType GatherHoister::getType(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(gather.getIndices().getType().getShape());
  llvm::append_range(shape, type.getShape().drop_front());
  return type.clone(shape);
}

/// Returns `value` as rows of `whole`, whose dimensions `dims` it has.
Value GatherHoister::broadcast(Value value, Value whole,
                               ArrayRef<int64_t> dims) {
  RankedTensorType type = getType(whole);
  Value like = type.hasStaticShape() ? Value() : rows.lookup(leaves.front());
  return BroadcastOp::create(rewriter, whole.getLoc(), type, value, like, dims);
}

Value GatherHoister::getRows(Value value) {
  if (Value found = rows.lookup(value))
    return found;
  Location loc = value.getLoc();
  int64_t added = gather.getIndices().getType().getRank() - 1;
  Operation *op = value.getDefiningOp();
  SplatElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat))) {
    auto number = RankedTensorType::get({}, splat.getElementType());
    Value scalar =
        arith::ConstantOp::create(rewriter, loc, splat.resizeSplat(number));
    return rows[value] = broadcast(scalar, value, {});
  }
  if (auto repeat = dyn_cast_or_null<BroadcastOp>(op)) {
    Value input = repeat.getInput();
    SmallVector<int64_t> dims;
    for (int64_t dim : repeat.getDims())
      if (dim != 0)
        dims.push_back(dim + added);
    auto type = cast<RankedTensorType>(input.getType());
    bool isAlongRows = !repeat.getDims().empty() && repeat.getDims()[0] == 0;
    if (!isAlongRows)
      return rows[value] = broadcast(input, value, dims);
    // A number for each row, or the same row for all.
    Value index = gather.getIndices();
    if (type.getDimSize(0) != 1) {
      SmallVector<int64_t> all = llvm::to_vector(
          llvm::seq<int64_t>(0, gather.getIndices().getType().getRank()));
      llvm::append_range(all, dims);
      Value part = GatherOp::create(rewriter, gather.getLoc(), getType(input),
                                    input, index, /*axis=*/0);
      return rows[value] = broadcast(part, value, all);
    }
  }
  if (ops.contains(op)) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(getRows(operand));
    OperationState state(loc, op->getName(), operands,
                         {getType(op->getResult(0))}, op->getAttrs());
    return rows[value] = rewriter.create(state)->getResult(0);
  }
  return rows[value] =
             GatherOp::create(rewriter, gather.getLoc(), getType(value), value,
                              gather.getIndices(), /*axis=*/0);
}

bool GatherHoister::run() {
  RankedTensorType table = cast<RankedTensorType>(gather.getX().getType());
  RankedTensorType indices = gather.getIndices().getType();
  auto isStored = [](Value value) {
    return isa<BlockArgument>(value) || matchPattern(value, m_Constant());
  };
  if (gather.getAxis() != 0 || !isCheap(gather.getX().getDefiningOp()) ||
      !table.hasStaticShape() || !collect(gather.getX()) ||
      !llvm::any_of(leaves, isStored) ||
      (indices.hasStaticShape() &&
       indices.getNumElements() >= table.getDimSize(0)))
    return false;
  rewriter.setInsertionPoint(gather);
  // Broadcasts have the shape of a gathered value.
  for (Value leaf : leaves)
    getRows(leaf);
  rewriter.replaceOp(gather, getRows(gather.getX()));
  return true;
}

namespace {
struct NNHoistGathers : impl::NNHoistGathersBase<NNHoistGathers> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<GatherOp> gathers;
    getOperation()->walk([&](GatherOp gather) { gathers.push_back(gather); });
    for (GatherOp gather : gathers) {
      Value table = gather.getX();
      if (!GatherHoister(rewriter, gather).run())
        continue;
      ++numHoisted;
      eraseUnused(rewriter, table.getDefiningOp());
    }
  }

private:
  /// Erases `op` and the ops that only it uses, if nothing uses its result.
  static void eraseUnused(RewriterBase &rewriter, Operation *op) {
    // An op is erased when it leaves the list, and no op that remains reads it:
    // the list never has an erased op.
    llvm::SetVector<Operation *> worklist;
    if (op)
      worklist.insert(op);
    while (!worklist.empty()) {
      Operation *next = worklist.pop_back_val();
      if (!isOpTriviallyDead(next))
        continue;
      for (Value operand : next->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          worklist.insert(producer);
      rewriter.eraseOp(next);
    }
  }
};
} // namespace
} // namespace flywheel::nn
