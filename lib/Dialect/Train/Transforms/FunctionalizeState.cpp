//===- FunctionalizeState.cpp - Variables to arguments and results --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Dialect/Train/TrainPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_FUNCTIONALIZESTATE
#include "flywheel/Dialect/Train/TrainPasses.h.inc"
} // namespace flywheel::train

using namespace flywheel::train;

namespace {
/// A variable as one function sees it.
struct VariableVersions {
  BlockArgument storage;
  /// The value at the current point of the walk.
  Value current;
  /// The latest version that was put into the storage: `current`, or the one
  /// that the materialization of `current` overwrites.
  Value stored;
  /// Where `current` was assigned.
  std::optional<Location> assigned;
  /// Whether the step needs the value from before the step, or only the initial
  /// value where there is none.
  bool isRead = false;
  bool isInitialValueRead = false;

  void setStored(Value value) { current = stored = value; }
};

/// The versions that one path through the program leaves of each variable.
using PathVersions = llvm::SmallMapVector<Attribute, Value, 4>;

/// Rewrites one function.
class FunctionState {
public:
  explicit FunctionState(func::FuncOp function)
      : function(function), builder(function.getContext()) {}

  LogicalResult run();

private:
  LogicalResult verifySignature();
  LogicalResult verifyNames();
  void addStorageArguments();
  LogicalResult rewriteBlock(Block &block);
  LogicalResult rewriteAccess(Operation *op);
  LogicalResult rewriteRegions(Operation *op);
  LogicalResult rewriteIf(scf::IfOp op, ArrayRef<Attribute> written);
  LogicalResult rewriteFor(scf::ForOp op, ArrayRef<Attribute> written);
  LogicalResult rewriteWhile(scf::WhileOp op, ArrayRef<Attribute> written);
  void rewriteIsInitialized(IsInitializedOp op);
  void rewriteReturn();
  void setArgumentAttributes();

  SmallVector<Attribute> findWritten(Operation *op);
  Value materialize(Value value, Value destination, Location loc);
  void store(ArrayRef<Attribute> written);
  LogicalResult rewriteRegion(Region &region, ArrayRef<Attribute> written);
  void enterLoop(ArrayRef<Attribute> written);
  Operation *addCarried(Operation *op, ArrayRef<Attribute> written);
  void enterIteration(Region &region, unsigned numIndices,
                      ArrayRef<Attribute> written);
  void leave(Operation *op, ArrayRef<Attribute> written);

  /// The variable whose value `op` accesses, or null.
  static FlatSymbolRefAttr getAccessedVariable(Operation *op) {
    if (auto read = dyn_cast<ReadOp>(op))
      return read.getVariableAttr();
    if (auto read = dyn_cast<InitializedValueOp>(op))
      return read.getVariableAttr();
    if (auto assign = dyn_cast<AssignOp>(op))
      return assign.getVariableAttr();
    if (auto assign = dyn_cast<AssignAddOp>(op))
      return assign.getVariableAttr();
    if (auto assign = dyn_cast<AssignSubOp>(op))
      return assign.getVariableAttr();
    return {};
  }

  static bool isRead(Operation *op) {
    return isa<ReadOp, InitializedValueOp>(op);
  }

  func::FuncOp function;
  OpBuilder builder;
  SmallVector<BlockArgument> destinations;
  llvm::MapVector<Attribute, VariableVersions> variables;
  /// The initialised bits that the function asks for.
  llvm::MapVector<Attribute, BlockArgument> bits;
};
} // namespace

LogicalResult FunctionState::verifySignature() {
  auto verifyType = [&](Type type, StringRef what,
                        unsigned i) -> LogicalResult {
    if (isa<RankedTensorType>(type))
      return success();
    return function.emitOpError() << "expected a ranked tensor as " << what
                                  << " " << i << ", found " << type;
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (failed(verifyType(type, "argument", i)))
      return failure();
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(verifyType(type, "result", i)))
      return failure();
  if (!function.getBody().hasOneBlock())
    return function.emitOpError()
           << "expected one block, found several: use structured control flow";
  return success();
}

/// Names are strings that differ; what later passes say of arguments, a user
/// does not.
LogicalResult FunctionState::verifyNames() {
  auto verifyAttrs = [&](ArrayRef<DictionaryAttr> all, TypeRange types,
                         StringRef what) -> LogicalResult {
    llvm::StringMap<unsigned> owners;
    for (auto [i, attrs] : llvm::enumerate(all)) {
      if (!attrs)
        continue;
      for (NamedAttribute attr : attrs) {
        StringRef name = attr.getName();
        if (name == TrainDialect::getNameAttrName()) {
          auto text = dyn_cast<StringAttr>(attr.getValue());
          if (!text || text.empty())
            return function.emitOpError()
                   << "expected a name as '" << name << "' of " << what << " "
                   << i << ", found " << attr.getValue();
          auto [it, isNew] = owners.try_emplace(text, i);
          if (!isNew)
            return function.emitOpError()
                   << "expected " << what << "s of different names, found "
                   << text << " for " << it->second << " and " << i;
        } else if (name == TrainDialect::getElementTypeAttrName()) {
          auto declared = dyn_cast<TypeAttr>(attr.getValue());
          Type stored = getElementTypeOrSelf(types[i]);
          if (!declared || getStorageElementType(declared.getValue()) != stored)
            return function.emitOpError()
                   << "expected '" << name << "' of " << what << " " << i
                   << " to be an element type that " << stored
                   << " stores, found " << attr.getValue();
        } else if (name.starts_with("train.")) {
          return function.emitOpError()
                 << "expected no attribute '" << name << "' on " << what << " "
                 << i << ": this pass attaches it";
        }
      }
    }
    return success();
  };
  SmallVector<DictionaryAttr> arguments, results;
  function.getAllArgAttrs(arguments);
  function.getAllResultAttrs(results);
  if (failed(verifyAttrs(arguments, function.getArgumentTypes(), "argument")))
    return failure();
  return verifyAttrs(results, function.getResultTypes(), "result");
}

void FunctionState::addStorageArguments() {
  Location loc = function.getLoc();
  for (Type type : function.getResultTypes())
    destinations.push_back(function.getBody().addArgument(type, loc));
  // In the order of the module, so that the signature does not depend on which
  // variable happens to be used first.
  llvm::DenseSet<Attribute> used, asked;
  function.walk([&](Operation *op) {
    if (FlatSymbolRefAttr variable = getAccessedVariable(op))
      used.insert(variable);
    else if (auto isInitialized = dyn_cast<IsInitializedOp>(op))
      asked.insert(isInitialized.getVariableAttr());
  });
  auto module = function->getParentOfType<ModuleOp>();
  for (auto variable : module.getOps<VariableOp>()) {
    auto symbol = FlatSymbolRefAttr::get(variable.getSymNameAttr());
    if (!used.contains(symbol))
      continue;
    BlockArgument storage = function.getBody().addArgument(
        variable.getTensorType(), variable.getLoc());
    variables[symbol] = {storage, storage, storage, std::nullopt};
  }
  auto bitType = RankedTensorType::get({}, builder.getI1Type());
  for (auto variable : module.getOps<VariableOp>()) {
    auto symbol = FlatSymbolRefAttr::get(variable.getSymNameAttr());
    if (asked.contains(symbol))
      bits[symbol] = function.getBody().addArgument(bitType, variable.getLoc());
  }
}

/// The variables that `op` or an op in its regions assigns, in module order.
SmallVector<Attribute> FunctionState::findWritten(Operation *op) {
  llvm::DenseSet<Attribute> assigned;
  op->walk([&](Operation *nested) {
    if (!isRead(nested))
      if (FlatSymbolRefAttr variable = getAccessedVariable(nested))
        assigned.insert(variable);
  });
  SmallVector<Attribute> written;
  for (auto &[symbol, versions] : variables)
    if (assigned.contains(symbol))
      written.push_back(symbol);
  return written;
}

Value FunctionState::materialize(Value value, Value destination, Location loc) {
  return bufferization::MaterializeInDestinationOp::create(
             builder, loc, destination.getType(), value, destination)
      .getResult();
}

/// Puts the current versions of the variables `written` into their storage,
/// where the values are that control flow passes on.
void FunctionState::store(ArrayRef<Attribute> written) {
  for (Attribute variable : written) {
    VariableVersions &versions = variables.find(variable)->second;
    if (versions.current != versions.stored)
      versions.setStored(
          materialize(versions.current, versions.stored, *versions.assigned));
  }
}

/// Rewrites the only block of `region`; its terminator passes on the versions
/// of the variables `written`, in front of what it passes on already.
LogicalResult FunctionState::rewriteRegion(Region &region,
                                           ArrayRef<Attribute> written) {
  if (failed(rewriteBlock(region.front())))
    return failure();
  Operation *terminator = region.front().getTerminator();
  builder.setInsertionPoint(terminator);
  store(written);
  SmallVector<Value> stored;
  for (Attribute variable : written)
    stored.push_back(variables.find(variable)->second.stored);
  unsigned first = isa<scf::ConditionOp>(terminator) ? 1 : 0;
  terminator->insertOperands(first, stored);
  return success();
}

/// A loop may run no iteration: what it writes keeps its value then.
void FunctionState::enterLoop(ArrayRef<Attribute> written) {
  for (Attribute variable : written) {
    VariableVersions &versions = variables.find(variable)->second;
    if (versions.stored == versions.storage)
      versions.isRead = true;
  }
}

/// Replaces `op` by one with a further result for each of `written` and, if it
/// is a loop, the stored versions as further initial values. They come first:
/// what a while loop passes on is two lists, which agree from the front only.
Operation *FunctionState::addCarried(Operation *op,
                                     ArrayRef<Attribute> written) {
  builder.setInsertionPoint(op);
  OperationState state(op->getLoc(), op->getName());
  for (Attribute variable : written)
    state.addTypes(variables.find(variable)->second.stored.getType());
  state.addTypes(op->getResultTypes());
  state.addOperands(op->getOperands());
  state.addAttributes(op->getAttrs());
  if (isa<LoopLikeOpInterface>(op)) {
    SmallVector<Value> stored;
    for (Attribute variable : written)
      stored.push_back(variables.find(variable)->second.stored);
    unsigned first = isa<scf::ForOp>(op) ? 3 : 0;
    state.operands.insert(state.operands.begin() + first, stored.begin(),
                          stored.end());
  }
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *carrying = builder.create(state);
  op->replaceAllUsesWith(carrying->getResults().drop_front(written.size()));
  op->erase();
  return carrying;
}

/// Makes the versions that `region` begins with arguments, after the first
/// `numIndices`.
void FunctionState::enterIteration(Region &region, unsigned numIndices,
                                   ArrayRef<Attribute> written) {
  for (auto [i, variable] : llvm::enumerate(written)) {
    VariableVersions &versions = variables.find(variable)->second;
    versions.setStored(region.insertArgument(
        numIndices + i, versions.stored.getType(), versions.stored.getLoc()));
  }
}

/// The versions after `op` are its first results.
void FunctionState::leave(Operation *op, ArrayRef<Attribute> written) {
  for (auto [variable, result] : llvm::zip(written, op->getResults()))
    variables.find(variable)->second.setStored(result);
}

LogicalResult FunctionState::rewriteIf(scf::IfOp op,
                                       ArrayRef<Attribute> written) {
  PathVersions before;
  for (Attribute variable : written)
    before[variable] = variables.find(variable)->second.stored;
  auto branch = cast<scf::IfOp>(addCarried(op, written));
  if (branch.getElseRegion().empty()) {
    builder.createBlock(&branch.getElseRegion());
    scf::YieldOp::create(builder, branch.getLoc());
  }
  // A function that initialises variables says itself which ones.
  bool keeps = !function->hasAttr(TrainDialect::getInitializerAttrName());
  for (Region &region : branch->getRegions()) {
    for (auto &[variable, version] : before)
      variables.find(variable)->second.setStored(version);
    if (failed(rewriteRegion(region, written)))
      return failure();
    for (auto &[variable, version] : before) {
      VariableVersions &versions = variables.find(variable)->second;
      if (keeps && versions.stored == versions.storage)
        versions.isRead = true;
    }
  }
  leave(branch, written);
  return success();
}

LogicalResult FunctionState::rewriteFor(scf::ForOp op,
                                        ArrayRef<Attribute> written) {
  enterLoop(written);
  auto loop = cast<scf::ForOp>(addCarried(op, written));
  enterIteration(loop.getRegion(), 1, written);
  if (failed(rewriteRegion(loop.getRegion(), written)))
    return failure();
  leave(loop, written);
  return success();
}

LogicalResult FunctionState::rewriteWhile(scf::WhileOp op,
                                          ArrayRef<Attribute> written) {
  enterLoop(written);
  auto loop = cast<scf::WhileOp>(addCarried(op, written));
  for (Region &region : loop->getRegions()) {
    enterIteration(region, 0, written);
    if (failed(rewriteRegion(region, written)))
      return failure();
  }
  leave(loop, written);
  return success();
}

/// Rewrites an op with regions, which may run never, once or often.
LogicalResult FunctionState::rewriteRegions(Operation *op) {
  SmallVector<Attribute> written = findWritten(op);
  if (written.empty()) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(rewriteBlock(block)))
          return failure();
    return success();
  }
  builder.setInsertionPoint(op);
  store(written);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return rewriteIf(branch, written);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return rewriteFor(loop, written);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return rewriteWhile(loop, written);
  Operation *assignment = nullptr;
  op->walk([&](Operation *nested) {
    if (!assignment && !isRead(nested) && getAccessedVariable(nested))
      assignment = nested;
  });
  return assignment->emitOpError()
         << "expected at the top level of a function, or in an 'scf.if', "
            "'scf.for' or 'scf.while', found inside '"
         << op->getName() << "'";
}

/// Rewrites the ops of `block` in program order, from the current versions.
LogicalResult FunctionState::rewriteBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(op.getNumRegions() ? rewriteRegions(&op) : rewriteAccess(&op)))
      return failure();
  return success();
}

LogicalResult FunctionState::rewriteAccess(Operation *op) {
  if (isa<MinimizeOp, GradientOp>(op))
    return op->emitOpError() << "expected to be expanded before variables "
                                "become arguments";
  if (isa<func::CallOp, func::CallIndirectOp, func::ConstantOp>(op))
    return op->emitOpError() << "expected every call to be inlined: a step "
                                "cannot call a recursive or external function";
  if (auto isInitialized = dyn_cast<IsInitializedOp>(op)) {
    rewriteIsInitialized(isInitialized);
    return success();
  }
  FlatSymbolRefAttr symbol = getAccessedVariable(op);
  if (!symbol)
    return success();
  VariableVersions &versions = variables.find(symbol)->second;
  if (isRead(op)) {
    if (versions.current == versions.storage && !op->use_empty()) {
      bool takesInitialValue = isa<InitializedValueOp>(op);
      versions.isInitialValueRead |= takesInitialValue;
      versions.isRead |= !takesInitialValue;
    }
    op->getResult(0).replaceAllUsesWith(versions.current);
    op->erase();
    return success();
  }
  Value value = op->getOperand(0);
  if (!isa<AssignOp>(op)) {
    builder.setInsertionPoint(op);
    bool isFloat = isa<FloatType>(getElementTypeOrSelf(value));
    bool isAdd = isa<AssignAddOp>(op);
    Location loc = op->getLoc();
    Value old = versions.current;
    if (old == versions.storage)
      versions.isRead = true;
    if (isFloat && isAdd)
      value = arith::AddFOp::create(builder, loc, old, value);
    else if (isFloat)
      value = arith::SubFOp::create(builder, loc, old, value);
    else if (isAdd)
      value = arith::AddIOp::create(builder, loc, old, value);
    else
      value = arith::SubIOp::create(builder, loc, old, value);
  }
  versions.current = value;
  versions.assigned = op->getLoc();
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return success();
}

/// What was written before has a value; else the bit says.
void FunctionState::rewriteIsInitialized(IsInitializedOp op) {
  Value result = bits.lookup(op.getVariableAttr());
  auto it = variables.find(op.getVariableAttr());
  if (it != variables.end() && it->second.current != it->second.storage) {
    builder.setInsertionPoint(op);
    auto type = cast<ShapedType>(op.getType());
    result = arith::ConstantOp::create(builder, op.getLoc(),
                                       DenseElementsAttr::get(type, true));
  }
  op.getResult().replaceAllUsesWith(result);
  op.erase();
}

void FunctionState::rewriteReturn() {
  auto ret = cast<func::ReturnOp>(function.getBody().front().getTerminator());
  builder.setInsertionPoint(ret);
  SmallVector<Value> results;
  for (auto [value, destination] : llvm::zip(ret.getOperands(), destinations))
    results.push_back(materialize(value, destination, ret.getLoc()));
  for (auto &[symbol, versions] : variables) {
    if (versions.current == versions.storage)
      continue;
    store(symbol);
    results.push_back(versions.current);
  }
  ret->setOperands(results);
  SmallVector<DictionaryAttr> argAttrs;
  function.getAllArgAttrs(argAttrs);
  argAttrs.resize(function.getBody().getNumArguments(),
                  builder.getDictionaryAttr({}));
  function.setFunctionType(builder.getFunctionType(
      function.getBody().getArgumentTypes(), ret.getOperandTypes()));
  function.setAllArgAttrs(argAttrs);
}

void FunctionState::setArgumentAttributes() {
  StringRef writable = "bufferization.writable";
  StringAttr variableAttr =
      builder.getStringAttr(TrainDialect::getVariableAttrName());
  for (BlockArgument argument : function.getArguments())
    function.setArgAttr(argument.getArgNumber(), writable,
                        builder.getBoolAttr(false));
  for (auto [i, destination] : llvm::enumerate(destinations)) {
    unsigned number = destination.getArgNumber();
    function.setArgAttr(number, TrainDialect::getResultAttrName(),
                        builder.getI64IntegerAttr(i));
    function.setArgAttr(number, writable, builder.getBoolAttr(true));
  }
  for (auto &[symbol, versions] : variables) {
    unsigned number = versions.storage.getArgNumber();
    function.setArgAttr(number, variableAttr, symbol);
    bool isWritten = versions.current != versions.storage;
    if (isWritten) {
      function.setArgAttr(number, writable, builder.getBoolAttr(true));
      function.setArgAttr(number, TrainDialect::getWritesAttrName(),
                          builder.getUnitAttr());
      auto final =
          versions.current
              .getDefiningOp<bufferization::MaterializeInDestinationOp>();
      Value update = final ? final.getSource() : Value();
      if (auto projection =
              update ? update.getDefiningOp<ProjectOp>() : ProjectOp())
        update = projection.getInput();
      if (update && update.getDefiningOp<OptimizerUpdateOpInterface>())
        function.setArgAttr(number, TrainDialect::getUpdatedAttrName(),
                            builder.getUnitAttr());
    }
    if (versions.isRead)
      function.setArgAttr(number, TrainDialect::getReadsAttrName(),
                          builder.getUnitAttr());
    if (versions.isInitialValueRead)
      function.setArgAttr(number, TrainDialect::getInitializedValueAttrName(),
                          builder.getUnitAttr());
  }
  for (auto &[symbol, bit] : bits)
    function.setArgAttr(bit.getArgNumber(),
                        TrainDialect::getIsInitializedAttrName(), symbol);
}

LogicalResult FunctionState::run() {
  if (failed(verifySignature()) || failed(verifyNames()))
    return failure();
  // The names and attributes of results move to their destinations.
  SmallVector<DictionaryAttr> resultAttrs;
  function.getAllResultAttrs(resultAttrs);
  addStorageArguments();
  if (failed(rewriteBlock(function.getBody().front())))
    return failure();
  function.removeResAttrsAttr();
  rewriteReturn();
  for (auto [attrs, destination] : llvm::zip(resultAttrs, destinations))
    if (attrs)
      function.setArgAttrs(destination.getArgNumber(), attrs);
  setArgumentAttributes();
  return success();
}

namespace {
struct FunctionalizeState
    : flywheel::train::impl::FunctionalizeStateBase<FunctionalizeState> {
  void runOnOperation() override {
    for (auto nested : getOperation().getOps<ModuleOp>()) {
      nested.emitOpError() << "expected the functions and variables of a model "
                              "in one module, found a module inside it";
      return signalPassFailure();
    }
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      if (failed(FunctionState(function).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
