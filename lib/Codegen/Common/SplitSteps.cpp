//===- SplitSteps.cpp - A step as functions of bounded length -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers share their kernels, but one function calls these, which grows with
// the layers, and passes of LLVM take more than linear time for it: value
// numbering visits all uses of a condition at each branch on it, and live
// ranges of values that are used throughout cross all blocks. Parts of bounded
// length take time in proportion to the layers, and several threads generate
// code of them.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Analysis/BufferAccesses.h"
#include "flywheel/Codegen/Common/CodegenCommonPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_SPLITSTEPS
#include "flywheel/Codegen/Common/CodegenCommonPasses.h.inc"
} // namespace flywheel

/// Returns true if each part has its own copy of `op`, which costs nothing.
static bool isCloned(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() ||
         (isa<ViewLikeOpInterface>(op) && isPure(op) &&
          op->getNumRegions() == 0);
}

/// Returns the number of ops in `op`, including itself.
static int64_t countOps(Operation *op) {
  int64_t count = 0;
  op->walk([&](Operation *) { ++count; });
  return count;
}

/// Returns true if `op` can move to another function: it has no result, and
/// uses no memory on the stack, which may become registers.
static bool canMove(Operation *op) {
  if (op->getNumResults() != 0 || op->hasTrait<OpTrait::IsTerminator>())
    return false;
  return !op->walk([](Operation *nested) {
              return llvm::any_of(
                         nested->getOperands(),
                         [](Value operand) {
                           return flywheel::getViewed(operand)
                                      .getDefiningOp<memref::AllocaOp>() !=
                                  nullptr;
                         })
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            }).wasInterrupted();
}

namespace {
/// The body of a part, and the operands of its call.
class Part {
public:
  explicit Part(func::FuncOp function)
      : function(function), body(function.addEntryBlock()), builder(function) {}

  /// Moves `op` to the end of the part.
  void take(Operation *op) {
    op->moveBefore(body, body->end());
    if (values.empty())
      builder.setInsertionPoint(&body->front());
    op->walk([&](Operation *nested) {
      for (OpOperand &operand : nested->getOpOperands())
        operand.set(find(operand.get()));
    });
  }

  /// Calls the part at the insertion point of `b`.
  void finish(OpBuilder &b) {
    Location loc = function.getLoc();
    builder.setInsertionPointToEnd(body);
    func::ReturnOp::create(builder, loc);
    function.setFunctionType(
        builder.getFunctionType(body->getArgumentTypes(), {}));
    func::CallOp::create(b, loc, function, operands);
  }

private:
  /// Returns the value that stands for `value` in the part: a copy, or an
  /// argument.
  Value find(Value value) {
    if (function.getBody().isAncestor(value.getParentRegion()))
      return value;
    auto [place, isNew] = values.try_emplace(value);
    if (!isNew)
      return place->second;
    Value result;
    Operation *op = value.getDefiningOp();
    if (op && isCloned(op)) {
      IRMapping mapping;
      for (Value operand : op->getOperands())
        mapping.map(operand, find(operand));
      unsigned number = cast<OpResult>(value).getResultNumber();
      result = builder.clone(*op, mapping)->getResult(number);
    } else {
      result = body->addArgument(value.getType(), value.getLoc());
      operands.push_back(value);
    }
    // The map may have grown.
    return values[value] = result;
  }

  func::FuncOp function;
  Block *body;
  /// Before the first op that was taken: copies precede all users.
  OpBuilder builder;
  SmallVector<Value> operands;
  llvm::DenseMap<Value, Value> values;
};

struct SplitSteps : flywheel::impl::SplitStepsBase<SplitSteps> {
  using SplitStepsBase::SplitStepsBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (!function.isExternal() && countOps(function) > 2 * maxOps)
        for (Block &block : function.getBody())
          split(function, block, symbols);
  }

private:
  void split(func::FuncOp function, Block &block, SymbolTable &symbols);
  void outline(func::FuncOp function, ArrayRef<Operation *> ops,
               SymbolTable &symbols);
};
} // namespace

void SplitSteps::split(func::FuncOp function, Block &block,
                       SymbolTable &symbols) {
  SmallVector<Operation *> ops;
  int64_t count = 0;
  auto flush = [&] {
    // A part of one op is not worth a function, unless it is a long one.
    if (count > maxOps / 4)
      outline(function, ops, symbols);
    ops.clear();
    count = 0;
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (canMove(&op)) {
      int64_t own = countOps(&op);
      if (count + own > maxOps)
        flush();
      ops.push_back(&op);
      count += own;
    } else if (!isPure(&op)) {
      // The ops before may write what this op reads.
      flush();
    }
  }
  flush();
}

void SplitSteps::outline(func::FuncOp function, ArrayRef<Operation *> ops,
                         SymbolTable &symbols) {
  Location loc = ops.front()->getLoc();
  OpBuilder b(function);
  StringRef entry = function.getName();
  entry.consume_back(".kernel");
  auto outlined = func::FuncOp::create(b, loc, (entry + ".part").str(),
                                       b.getFunctionType({}, {}));
  outlined.setPrivate();
  symbols.insert(outlined);
  b.setInsertionPointAfter(ops.back());
  Part part(outlined);
  for (Operation *op : ops)
    part.take(op);
  part.finish(b);
  ++numParts;
}
