//===- LowerWorkers.cpp - Tell a function which worker executes it --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Model/Manifest.h"
#include "flywheel/Target/EntryPoints/EntryCode.h"
#include "flywheel/Target/EntryPoints/EntryPointsPasses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_LOWERWORKERS
#include "flywheel/Target/EntryPoints/EntryPointsPasses.h.inc"

static_assert(codegen::CodegenDialect::kMaxWorkers == kMaxThreads,
              "a step has at most as many workers as a model has threads");

constexpr llvm::StringLiteral kBarrierName = "team.barrier";

static bool isWorkerOp(Operation *op) {
  return isa<codegen::WorkerOp, codegen::NumWorkersOp, codegen::BarrierOp>(op);
}

/// Returns the functions with ops of workers, and their callers.
static FailureOr<llvm::SetVector<Operation *>>
findWorkerFunctions(ModuleOp module) {
  llvm::SetVector<Operation *> functions;
  WalkResult result = module.walk([&](Operation *op) {
    if (!isWorkerOp(op))
      return WalkResult::advance();
    auto function = op->getParentOfType<func::FuncOp>();
    if (!function || function->getParentOp() != module) {
      op->emitOpError() << "expected a 'func.func' of the module around it, "
                           "found none";
      return WalkResult::interrupt();
    }
    functions.insert(function);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  llvm::StringMap<SmallVector<Operation *>> callers;
  module.walk([&](func::CallOp call) {
    callers[call.getCallee()].push_back(call->getParentOfType<func::FuncOp>());
  });
  for (size_t index = 0; index < functions.size(); ++index)
    for (Operation *caller :
         callers.lookup(cast<func::FuncOp>(functions[index]).getName()))
      if (caller)
        functions.insert(caller);
  for (Operation *op : functions) {
    auto function = cast<func::FuncOp>(op);
    StringRef attrName = codegen::CodegenDialect::getWorkersAttrName();
    if (!callers.contains(function.getName()) && !function->hasAttr(attrName))
      return function.emitOpError()
             << "expected '" << attrName
             << "', as workers execute it together, found none";
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      if (function.getArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName()))
        return function.emitOpError()
               << "expected arguments that other workers may change, found '"
               << LLVM::LLVMDialect::getNoAliasAttrName() << "' on argument "
               << i;
  }
  return functions;
}

namespace {
/// Rewrites functions. Values of the ops are made at the start of a function.
class WorkerLowering : private EntryCode {
public:
  explicit WorkerLowering(ModuleOp module) : EntryCode(module) {}

  void lower(func::FuncOp function);
  /// Passes the new arguments of the function around a call on to the callee.
  void extendCall(func::CallOp call);

private:
  Value getWorker(func::FuncOp function) {
    return function.getArgument(function.getNumArguments() - 2);
  }
  Value getTeam(func::FuncOp function) {
    return function.getArgument(function.getNumArguments() - 1);
  }
  Value emitNumWorkers(Value team);
  func::FuncOp getBarrier();

  /// The function of getBarrier(), or null before it.
  func::FuncOp barrier;
};
} // namespace

Value WorkerLowering::emitNumWorkers(Value team) {
  Value count = emitIf(
      isNull(team), [&] { return constant(i32, 1); },
      [&] { return loadNumWorkers(team); });
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), count);
}

func::FuncOp WorkerLowering::getBarrier() {
  if (barrier)
    return barrier;
  OpBuilder::InsertionGuard guard(b);
  barrier = beginFunction(kBarrierName, /*resultType=*/{}, {ptr, i32});
  barrier.setPrivate();
  Value team = barrier.getArgument(0), worker = barrier.getArgument(1);
  emitIf(negate(isNull(team)),
         [&] { callPointer(loadBarrierFunction(team), {team, worker}); });
  emitReturn();
  return barrier;
}

void WorkerLowering::lower(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isWorkerOp(op))
      ops.push_back(op);
  });
  unsigned count = function.getNumArguments();
  for (auto [index, type] :
       llvm::enumerate(std::initializer_list<Type>{b.getIndexType(), ptr}))
    if (failed(function.insertArgument(count + index, type, {}, loc)))
      llvm_unreachable("an argument can be added to a function with a body");
  Value worker = getWorker(function), team = getTeam(function), numWorkers;
  b.setInsertionPointToStart(&function.getBody().front());
  Value number = arith::IndexCastOp::create(b, loc, i32, worker);
  for (Operation *op : ops) {
    if (isa<codegen::WorkerOp>(op)) {
      op->getResult(0).replaceAllUsesWith(worker);
    } else if (isa<codegen::NumWorkersOp>(op)) {
      if (!numWorkers)
        numWorkers = emitNumWorkers(team);
      op->getResult(0).replaceAllUsesWith(numWorkers);
    } else {
      func::FuncOp callee = getBarrier();
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(op);
      func::CallOp::create(b, op->getLoc(), callee, ValueRange{team, number});
    }
  }
  // Not before: the builder's insertion point may be one of these ops.
  for (Operation *op : ops)
    op->erase();
  if (number.use_empty())
    number.getDefiningOp()->erase();
}

void WorkerLowering::extendCall(func::CallOp call) {
  auto function = call->getParentOfType<func::FuncOp>();
  call.getOperandsMutable().append(
      ValueRange{getWorker(function), getTeam(function)});
}

namespace {
struct LowerWorkers : impl::LowerWorkersBase<LowerWorkers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto functions = findWorkerFunctions(module);
    if (failed(functions))
      return signalPassFailure();
    for (auto function : module.getOps<func::FuncOp>())
      if (!functions->contains(function))
        function->removeAttr(codegen::CodegenDialect::getWorkersAttrName());
    if (functions->empty())
      return;
    if (Operation *other = module.lookupSymbol(kBarrierName)) {
      other->emitOpError() << "expected no function '" << kBarrierName
                           << "', which this pass makes";
      return signalPassFailure();
    }
    WorkerLowering lowering(module);
    llvm::StringSet<> names;
    for (Operation *function : *functions) {
      names.insert(cast<func::FuncOp>(function).getName());
      lowering.lower(cast<func::FuncOp>(function));
      ++numFunctions;
    }
    module.walk([&](func::CallOp call) {
      if (names.contains(call.getCallee()))
        lowering.extendCall(call);
    });
  }
};
} // namespace
} // namespace flywheel
