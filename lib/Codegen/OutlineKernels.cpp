//===- OutlineKernels.cpp - One function for each fused group -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "flywheel/Codegen/CodegenPasses.h.inc"
} // namespace flywheel

using flywheel::train::TrainDialect;

/// Whether `op` is worth a function: a tiled loop nest, or an elementwise op
/// that is expensive to compile because of what it computes.
static bool isKernel(Operation &op) {
  // A loop that carries numbers has results, which a kernel has not.
  if (isa<scf::ForOp>(op))
    return op.getNumResults() == 0 && op.walk([](linalg::LinalgOp) {
                                          return WalkResult::interrupt();
                                        }).wasInterrupted();
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumLoops() > 0 &&
         generic
             .walk([](Operation *nested) {
               return isa<math::MathDialect>(nested->getDialect())
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             })
             .wasInterrupted();
}

/// The kernels of `region`, outermost first: branches and loops that are none
/// themselves are looked into.
static void collectKernels(Region &region,
                           SmallVectorImpl<Operation *> &kernels) {
  for (Operation &op : region.getOps())
    if (isKernel(op))
      kernels.push_back(&op);
    else if (!isa<linalg::LinalgOp>(op))
      for (Region &nested : op.getRegions())
        collectKernels(nested, kernels);
}

/// Clones, at the start of `region`, the constants and the index arithmetic
/// that its operands come from: inside the function the bounds of a loop then
/// still say how large its tiles are, and equal functions have equal arguments.
static void sinkIndexArithmetic(OpBuilder &b, Region &region) {
  b.setInsertionPointToStart(&region.front());
  llvm::DenseMap<Value, Value> clones;
  std::function<Value(Value)> sink = [&](Value value) -> Value {
    Operation *op = value.getDefiningOp();
    if (!op || region.isAncestor(op->getParentRegion()) ||
        !(isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
              op) ||
          op->hasTrait<OpTrait::ConstantLike>()))
      return value;
    auto [it, isNew] = clones.try_emplace(value);
    if (!isNew)
      return it->second;
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, sink(operand));
    Value clone = b.clone(*op, mapping)->getResult(0);
    return clones[value] = clone;
  };
  SmallVector<OpOperand *> operands;
  region.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      operands.push_back(&operand);
  });
  for (OpOperand *operand : operands)
    operand->set(sink(operand->get()));
}

/// Moves the stack slots that only `region` uses to its start: a tile that is
/// an argument could not become registers.
static void sinkStackSlots(Region &region) {
  llvm::SetVector<Operation *> slots;
  region.walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      auto slot = operand.getDefiningOp<memref::AllocaOp>();
      if (slot && llvm::all_of(slot->getUsers(), [&](Operation *user) {
            return region.isAncestor(user->getParentRegion());
          }))
        slots.insert(slot);
    }
  });
  for (Operation *slot : slots)
    slot->moveBefore(&region.front(), region.front().begin());
}

namespace {
struct OutlineKernels : flywheel::impl::OutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (function.isExternal())
        continue;
      // Two entries may be equal, and stay two: only kernels are shared.
      function->setAttr(TrainDialect::getEntryAttrName(),
                        function.getNameAttr());
      SmallVector<Operation *> kernels;
      collectKernels(function.getBody(), kernels);
      for (auto [number, kernel] : llvm::enumerate(kernels))
        if (failed(outline(rewriter, function, kernel, number)))
          return signalPassFailure();
    }
  }

private:
  LogicalResult outline(RewriterBase &rewriter, func::FuncOp function,
                        Operation *kernel, unsigned number) {
    Location loc = kernel->getLoc();
    rewriter.setInsertionPoint(kernel);
    auto wrapper = scf::ExecuteRegionOp::create(rewriter, loc, TypeRange{});
    Block *body = rewriter.createBlock(&wrapper.getRegion());
    rewriter.setInsertionPointToEnd(body);
    scf::YieldOp::create(rewriter, loc);
    rewriter.moveOpBefore(kernel, body->getTerminator());
    sinkIndexArithmetic(rewriter, wrapper.getRegion());
    sinkStackSlots(wrapper.getRegion());

    std::string name = function.getName().str() + "." + std::to_string(number);
    func::CallOp call;
    FailureOr<func::FuncOp> outlined = outlineSingleBlockRegion(
        rewriter, loc, wrapper.getRegion(), name, &call);
    if (failed(outlined))
      return kernel->emitError() << "could not be outlined";
    outlined->setPrivate();
    // What is left of the wrapper is the call.
    Block &rest = wrapper.getRegion().front();
    rewriter.eraseOp(rest.getTerminator());
    rewriter.inlineBlockBefore(&rest, wrapper);
    rewriter.eraseOp(wrapper);
    ++numKernels;
    return success();
  }
};
} // namespace
