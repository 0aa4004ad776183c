//===- Detensorize.cpp - Integers for tensors of one ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: any module. After: loops and branches carry and yield integers
// instead of integer tensors of rank 0, and elements that are extracted from
// such a tensor are computed by scalar ops.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Autodiff/AutodiffPasses.h"
#include "flywheel/Autodiff/InlineRegion.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_DETENSORIZE
#include "flywheel/Autodiff/AutodiffPasses.h.inc"

/// Returns the type of the only element of a tensor of integers of rank 0, or
/// null.
static Type getOnlyInteger(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() != 0 ||
      !tensor.getElementType().isSignlessIntOrIndex())
    return {};
  return tensor.getElementType();
}

static Value extractOnly(OpBuilder &b, Location loc, Value tensor) {
  return tensor::ExtractOp::create(b, loc, tensor, ValueRange());
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

namespace {
/// Makes an op with regions carry and yield integers.
class ControlFlow {
public:
  explicit ControlFlow(Operation *op) : op(op), b(op->getContext()) {}

  /// Returns the number of values that are now integers.
  unsigned run();

private:
  unsigned receive(ValueRange values, Operation *before);
  void pass(MutableArrayRef<OpOperand> operands, Operation *user);

  Operation *op;
  OpBuilder b;
};

/// Computes the element that is taken of a tensor by scalar ops.
struct ComputeElement : OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractOp extract,
                                PatternRewriter &rewriter) const override;
};

struct Detensorize : impl::DetensorizeBase<Detensorize> {
  void runOnOperation() override;
};
} // namespace

/// Changes the types of `values`, arguments or results, to integers, and builds
/// tensors of them before `before` for their uses.
unsigned ControlFlow::receive(ValueRange values, Operation *before) {
  unsigned count = 0;
  b.setInsertionPoint(before);
  for (Value value : values) {
    Type type = value.getType(), element = getOnlyInteger(type);
    if (!element)
      continue;
    value.setType(element);
    auto tensor =
        tensor::FromElementsOp::create(b, value.getLoc(), type, value);
    value.replaceAllUsesExcept(tensor, tensor);
    ++count;
  }
  return count;
}

/// Extracts the operands of `user` from their tensors.
void ControlFlow::pass(MutableArrayRef<OpOperand> operands, Operation *user) {
  b.setInsertionPoint(user);
  for (OpOperand &operand : operands)
    if (getOnlyInteger(operand.get().getType()))
      operand.set(extractOnly(b, user->getLoc(), operand.get()));
}

unsigned ControlFlow::run() {
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    pass(loop.getInitsMutable(), op);
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    Block &block = region.front();
    receive(block.getArguments(), &block.front());
    Operation *terminator = block.getTerminator();
    auto condition = dyn_cast<scf::ConditionOp>(terminator);
    pass(condition ? condition.getArgsMutable()
                   : cast<scf::YieldOp>(terminator).getResultsMutable(),
         terminator);
  }
  return receive(op->getResults(), op->getNextNode());
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static LogicalResult computeStructured(PatternRewriter &b,
                                       tensor::ExtractOp extract,
                                       linalg::LinalgOp op) {
  // All operands must be single elements themselves.
  if (!op.hasPureTensorSemantics() || op.getNumLoops() != 0 ||
      op.hasIndexSemantics() || !isPure(op))
    return failure();
  for (Value operand : op->getOperands())
    if (auto tensor = dyn_cast<RankedTensorType>(operand.getType()))
      if (tensor.getRank() != 0)
        return failure();
  SmallVector<Value> elements =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) -> Value {
        return isa<RankedTensorType>(operand.getType())
                   ? extractOnly(b, extract.getLoc(), operand)
                   : operand;
      });
  unsigned number = cast<OpResult>(extract.getTensor()).getResultNumber();
  b.replaceOp(extract, cloneBlock(b, *op.getBlock(), elements)[number]);
  return success();
}

static LogicalResult computeElementwise(PatternRewriter &b,
                                        tensor::ExtractOp extract,
                                        Operation *op) {
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumRegions() != 0 ||
      op->getNumResults() != 1 || !isPure(op))
    return failure();
  SmallVector<Value> elements =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) -> Value {
        return isa<RankedTensorType>(operand.getType())
                   ? extractOnly(b, extract.getLoc(), operand)
                   : operand;
      });
  OperationState state(op->getLoc(), op->getName(), elements, extract.getType(),
                       op->getAttrs());
  b.replaceOp(extract, b.create(state));
  return success();
}

LogicalResult ComputeElement::matchAndRewrite(tensor::ExtractOp extract,
                                              PatternRewriter &rewriter) const {
  Operation *op = extract.getTensor().getDefiningOp();
  if (!op || !getOnlyInteger(extract.getTensor().getType()))
    return failure();
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return computeStructured(rewriter, extract, structured);
  return computeElementwise(rewriter, extract, op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void Detensorize::runOnOperation() {
  SmallVector<Operation *> extracts;
  getOperation().walk([&](Operation *op) {
    if (isa<scf::WhileOp, scf::ForOp, scf::IfOp>(op))
      numCarried += ControlFlow(op).run();
  });
  getOperation().walk([&](tensor::ExtractOp op) { extracts.push_back(op); });
  RewritePatternSet patterns(&getContext());
  patterns.add<ComputeElement>(&getContext());
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  (void)applyOpPatternsGreedily(extracts, std::move(patterns), config);
}

} // namespace flywheel
