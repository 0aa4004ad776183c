//===- OutlineKernels.cpp - One function for each fused group -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShareSizes.h"

#include "flywheel/Codegen/Common/CodegenCommonPasses.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Support/OpNames.h"
#include "flywheel/Support/Phases.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "flywheel/Codegen/Common/CodegenCommonPasses.h.inc"
} // namespace flywheel

using flywheel::getSourceOpName;
using flywheel::isMarkedBackward;
using flywheel::train::RandomBitsOp;
using flywheel::train::TrainDialect;

/// An elementwise op is expensive to compile if it has at least this many ops
/// in its body, a transcendental function or a random draw.
static constexpr unsigned kMinBodyOps = 4;

/// Returns true if `op` does not access some operand along contiguous rows: a
/// vector of that operand takes one access per lane, or a transposition.
static bool hasScatteredAccess(linalg::LinalgOp op) {
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || type.getRank() == 0)
      return false;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isTransposed = map.isPermutation() && !map.isIdentity();
    return isTransposed ||
           (type.getShape().back() != 1 && !type.areTrailingDimsContiguous(1));
  });
}

/// Returns true if `op` is worth a function: a tiled loop nest, a reduction, or
/// an elementwise op that computes more than a few sums, or whose code is long.
static bool isKernel(Operation &op) {
  // Ops with results are on tensors, or are loops that carry numbers.
  if (op.getNumResults() != 0)
    return false;
  // All ops that initialize variables are kernels, named ops too: many of them
  // are equal, and speed does not matter.
  if (isa<linalg::LinalgOp>(op) && op.getParentOfType<func::FuncOp>()->hasAttr(
                                       TrainDialect::getInitializerAttrName()))
    return cast<linalg::LinalgOp>(op).getNumLoops() > 0;
  if (isa<scf::ForOp>(op))
    return op.walk([](linalg::LinalgOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (structured && structured.getNumLoops() > 0 &&
      (structured.getNumReductionLoops() > 0 || hasScatteredAccess(structured)))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumLoops() == 0)
    return false;
  unsigned numOps = llvm::range_size(generic.getBody()->without_terminator());
  if (numOps >= kMinBodyOps)
    return true;
  return generic
      .walk([](Operation *nested) {
        return isa<math::MathDialect>(nested->getDialect()) ||
                       isa<RandomBitsOp>(nested)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns the `linalg.fill`, if any, that initializes the result of `kernel`,
/// a sum, with no access to memory in between: in one function with it, the sum
/// starts from a number rather than from memory.
static linalg::FillOp findFill(Operation *kernel) {
  auto sum = dyn_cast<linalg::LinalgOp>(kernel);
  if (!sum || sum.getNumReductionLoops() == 0 || sum.getNumDpsInits() != 1)
    return {};
  for (Operation *op = kernel->getPrevNode(); op; op = op->getPrevNode()) {
    auto fill = dyn_cast<linalg::FillOp>(op);
    if (fill && fill.getOutputs().front() == sum.getDpsInits().front())
      return fill;
    if (!isMemoryEffectFree(op))
      return {};
  }
  return {};
}

/// Collects the kernels of `region`, outermost first, also ops in `shared`,
/// which are kernels, too. Visits the regions of other branches and loops.
static void collectKernels(Region &region,
                           const SmallPtrSetImpl<Operation *> &shared,
                           SmallVectorImpl<Operation *> &kernels) {
  for (Operation &op : region.getOps())
    if (shared.contains(&op) || isKernel(op))
      kernels.push_back(&op);
    else if (!isa<linalg::LinalgOp>(op))
      for (Region &nested : op.getRegions())
        collectKernels(nested, shared, kernels);
}

/// Clones, at the start of `region`, the constants and the index arithmetic
/// that compute its operands: the bounds of a loop inside the function then
/// still give the sizes of its tiles, and equal functions have equal arguments.
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

/// Adds to `ops` the ops inside of `region` that compute `value`, operands
/// first. Fails if one of them depends on a loop of the region, or has an
/// effect.
static LogicalResult
collectInvariant(Value value, Region &region,
                 llvm::SmallSetVector<Operation *, 4> &ops) {
  if (!region.isAncestor(value.getParentRegion()))
    return success();
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() != 0 || !isPure(op))
    return failure();
  for (Value operand : op->getOperands())
    if (failed(collectInvariant(operand, region, ops)))
      return failure();
  ops.insert(op);
  return success();
}

/// Moves views of buffers outside of `region` before `call`, which calls it:
/// the position of a kernel's buffer in the workspace is an argument, so that
/// layers have equal functions. That of a worker's own buffer is computed from
/// the number of the worker. A stack slot belongs to the kernel.
static void hoistViews(Operation *call, Region &region) {
  SmallVector<memref::ViewOp> views;
  region.walk([&](memref::ViewOp view) {
    if (!view.getSource().getDefiningOp<memref::AllocaOp>())
      views.push_back(view);
  });
  for (memref::ViewOp view : views) {
    llvm::SmallSetVector<Operation *, 4> ops;
    if (llvm::any_of(view->getOperands(), [&](Value operand) {
          return failed(collectInvariant(operand, region, ops));
        }))
      continue;
    for (Operation *op : ops)
      op->moveBefore(call);
    view->moveBefore(call);
  }
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

/// Returns the most expensive op of `kernel`: a contraction, or else the op
/// with the most loops and the largest body.
static Operation *findRoot(Operation *kernel) {
  Operation *root = kernel;
  std::tuple<bool, unsigned, size_t> most;
  kernel->walk([&](linalg::LinalgOp op) {
    std::tuple<bool, unsigned, size_t> weight(
        linalg::isaContractionOpInterface(op) ||
            linalg::isaConvolutionOpInterface(op),
        op.getNumLoops(), op.getBlock()->getOperations().size());
    if (weight <= most)
      return;
    most = weight;
    root = op;
  });
  return root;
}

/// Formats the shape of the last result of `kernel`, as `Nx128`: N is a dynamic
/// size.
static std::string formatWrittenShape(Operation *kernel) {
  MemRefType written;
  kernel->walk([&](linalg::LinalgOp op) {
    for (Value buffer : op.getDpsInits()) {
      // Tiles are views of the whole buffer, which is a view of the workspace.
      // A cast hides a size that kernels of other sizes do not share.
      while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
        if (isa<memref::ViewOp, memref::CastOp>(view))
          break;
        buffer = view.getViewSource();
      }
      if (!buffer.getDefiningOp<memref::AllocaOp>())
        written = dyn_cast<MemRefType>(buffer.getType());
    }
  });
  std::string text;
  if (written)
    for (int64_t size : written.getShape())
      text += (text.empty() ? "" : "x") +
              (ShapedType::isDynamic(size) ? "N" : std::to_string(size));
  return text;
}

/// Returns the name that profilers and debuggers show for `kernel`, which has
/// `number` in the entry `entry`: `train_step.dense_grad.64x128.2`.
static std::string getKernelName(StringRef entry, Operation *kernel,
                                 unsigned number) {
  Operation *root = findRoot(kernel);
  StringRef op = getSourceOpName(root);
  entry.consume_back(".kernel");
  std::string name = (entry + "." + op.substr(op.rfind('.') + 1)).str();
  if (isMarkedBackward(root->getLoc()))
    name += "_grad";
  if (std::string shape = formatWrittenShape(kernel); !shape.empty())
    name += "." + shape;
  return name + "." + std::to_string(number);
}

namespace {
struct OutlineKernels : flywheel::impl::OutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (function.isExternal())
        continue;
      // Only kernels are shared: equal entries remain separate.
      function->setAttr(TrainDialect::getEntryAttrName(),
                        function.getNameAttr());
      SmallVector<Operation *> sharedOps = flywheel::shareSizes(function);
      SmallPtrSet<Operation *, 16> shared(sharedOps.begin(), sharedOps.end());
      SmallVector<Operation *> kernels;
      collectKernels(function.getBody(), shared, kernels);
      for (auto [number, kernel] : llvm::enumerate(kernels))
        outline(function, kernel, number, symbols);
    }
  }

private:
  void outline(func::FuncOp function, Operation *kernel, unsigned number,
               SymbolTable &symbols);
};
} // namespace

void OutlineKernels::outline(func::FuncOp function, Operation *kernel,
                             unsigned number, SymbolTable &symbols) {
  Location loc = kernel->getLoc();
  OpBuilder b(function);
  std::string name = getKernelName(function.getName(), kernel, number);
  auto outlined = func::FuncOp::create(b, loc, name, b.getFunctionType({}, {}));
  outlined.setPrivate();
  // Renames the function if the program has one of this name.
  symbols.insert(outlined);
  Block *body = outlined.addEntryBlock();
  linalg::FillOp fill = findFill(kernel);
  b.setInsertionPoint(kernel);
  auto call = func::CallOp::create(b, loc, outlined, ValueRange());
  kernel->moveBefore(body, body->end());
  if (fill)
    fill->moveBefore(kernel);
  b.setInsertionPointToEnd(body);
  func::ReturnOp::create(b, loc);
  Region &region = outlined.getBody();
  hoistViews(call, region);
  // The slots first: their sizes are index arithmetic.
  sinkStackSlots(region);
  sinkIndexArithmetic(b, region);
  // Walks the uses inside the region, not the uses of each value: an argument
  // that all kernels use has many.
  SmallVector<Value> operands;
  llvm::DenseMap<Value, Value> arguments;
  region.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (region.isAncestor(value.getParentRegion()))
        continue;
      auto [it, isNew] = arguments.try_emplace(value);
      if (isNew) {
        it->second = body->addArgument(value.getType(), value.getLoc());
        operands.push_back(value);
      }
      operand.set(it->second);
    }
  });
  outlined.setFunctionType(b.getFunctionType(body->getArgumentTypes(), {}));
  call.getArgOperandsMutable().assign(operands);
  ++numKernels;
}
