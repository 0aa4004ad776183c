//===- FunctionalizeState.cpp - Variables to arguments and results --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionState.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Dialect/Train/TrainPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_FUNCTIONALIZESTATE
#include "flywheel/Dialect/Train/TrainPasses.h.inc"
} // namespace flywheel::train

using namespace flywheel::train;
using flywheel::linalg_ext::StoreOp;

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

/// Checks that names differ, and that a user has not set attributes of
/// arguments that later passes set.
LogicalResult FunctionState::verifyNames() {
  auto verifyAttrs = [&](ArrayRef<DictionaryAttr> all,
                         StringRef what) -> LogicalResult {
    llvm::StringMap<unsigned> owners;
    for (auto [i, attrs] : llvm::enumerate(all)) {
      if (!attrs)
        continue;
      for (NamedAttribute attr : attrs) {
        StringRef name = attr.getName();
        if (name == TrainDialect::getNameAttrName()) {
          auto text = cast<StringAttr>(attr.getValue());
          auto [it, isNew] = owners.try_emplace(text, i);
          if (!isNew)
            return function.emitOpError()
                   << "expected " << what << "s of different names, found "
                   << text << " for " << it->second << " and " << i;
        } else if (name != TrainDialect::getElementTypeAttrName() &&
                   name != TrainDialect::getDimsAttrName() &&
                   name.starts_with("train.")) {
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
  if (failed(verifyAttrs(arguments, "argument")))
    return failure();
  return verifyAttrs(results, "result");
}

void FunctionState::addStorageArguments() {
  Location loc = function.getLoc();
  for (Type type : function.getResultTypes())
    destinations.push_back(function.getBody().addArgument(type, loc));
  // In the order of the module, so that the signature does not depend on which
  // variable happens to be used first.
  llvm::DenseSet<Attribute> used, asked;
  llvm::MapVector<Attribute, AssignNthOp> lists;
  function.walk([&](Operation *op) {
    if (FlatSymbolRefAttr variable = getAccessedVariable(op))
      used.insert(variable);
    else if (auto assign = dyn_cast<AssignNthOp>(op))
      lists.try_emplace(assign.getVariablesAttr(), assign);
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
    variables[symbol] = {storage, storage, std::nullopt};
  }
  // Variables of a list are one tensor.
  for (auto [list, assign] : lists) {
    auto type = cast<RankedTensorType>(assign.getValue().getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), assign.getVariables().size());
    BlockArgument storage =
        function.getBody().addArgument(type.clone(shape), assign.getLoc());
    variables[list] = {storage, storage, std::nullopt};
  }
  auto bitType = RankedTensorType::get({}, builder.getI1Type());
  for (auto variable : module.getOps<VariableOp>()) {
    auto symbol = FlatSymbolRefAttr::get(variable.getSymNameAttr());
    if (asked.contains(symbol))
      bits[symbol] = function.getBody().addArgument(bitType, variable.getLoc());
  }
}

LogicalResult FunctionState::rewriteAccess(Operation *op) {
  if (isa<MinimizeOp, ApplyGradientsOp, GradientOp, AverageVariablesOp,
          SwapAveragesOp>(op))
    return op->emitOpError() << "expected to be expanded before variables "
                                "become arguments";
  if (isa<func::CallOp, func::CallIndirectOp, func::ConstantOp>(op))
    return op->emitOpError() << "expected every call to be inlined: a step "
                                "cannot call a recursive or external function";
  if (auto assign = dyn_cast<AssignNthOp>(op))
    return rewriteAssignNth(assign);
  auto isInitialized = dyn_cast<IsInitializedOp>(op);
  if (isInitialized && bits.contains(isInitialized.getVariableAttr())) {
    rewriteIsInitialized(isInitialized);
    return success();
  }
  FlatSymbolRefAttr symbol =
      isInitialized ? isInitialized.getVariableAttr() : getAccessedVariable(op);
  if (!symbol)
    return success();
  auto *known = variables.find(symbol);
  if (known == variables.end() || isInitialized)
    return op->emitOpError()
           << "expected a variable " << symbol << " of the module";
  VariableVersions &versions = known->second;
  if (getReadVariable(op)) {
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

/// Rewrites the assignment to an insertion of a slice into the tensor of all
/// variables of the list.
LogicalResult FunctionState::rewriteAssignNth(AssignNthOp op) {
  if (!function->hasAttr(TrainDialect::getInitializerAttrName()))
    return op.emitOpError() << "expected in the module's initializer alone";
  // The same memory must not be two arguments.
  for (auto &[other, versions] : variables)
    for (auto variable : op.getVariables().getAsRange<FlatSymbolRefAttr>()) {
      auto list = dyn_cast<ArrayAttr>(other);
      if (other != op.getVariablesAttr() &&
          (other == variable || (list && llvm::is_contained(list, variable))))
        return op.emitOpError() << "expected no other access of " << variable
                                << " in this function";
    }
  builder.setInsertionPoint(op);
  VariableVersions &versions = variables.find(op.getVariablesAttr())->second;
  auto type = cast<RankedTensorType>(op.getValue().getType());
  SmallVector<OpFoldResult> offsets{op.getNumber()};
  offsets.append(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes{builder.getIndexAttr(1)};
  llvm::append_range(
      sizes, getAsIndexOpFoldResult(builder.getContext(), type.getShape()));
  SmallVector<OpFoldResult> strides(type.getRank() + 1,
                                    builder.getIndexAttr(1));
  Value inserted =
      nn::buildInsertSlice(builder, op.getLoc(), op.getValue(),
                           versions.current, offsets, sizes, strides);
  if (inserted != versions.current)
    inserted.getDefiningOp()->setAttr(TrainDialect::getInRangeAttrName(),
                                      builder.getUnitAttr());
  versions.current = inserted;
  versions.assigned = op.getLoc();
  op.erase();
  return success();
}

/// Replaces `op` by true if the function assigned the variable before, and
/// otherwise by the variable's bit.
void FunctionState::rewriteIsInitialized(IsInitializedOp op) {
  Value result = bits.lookup(op.getVariableAttr());
  auto *it = variables.find(op.getVariableAttr());
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
    results.push_back(
        StoreOp::create(builder, ret.getLoc(), value, destination));
  for (auto &[symbol, versions] : variables)
    if (versions.current != versions.storage)
      results.push_back(
          StoreOp::create(builder, versions.assigned.value_or(ret.getLoc()),
                          versions.current, versions.storage));
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
  // All at once: a function with thousands of variables keeps one list of them.
  SmallVector<NamedAttrList> attrs;
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
    attrs.push_back(NamedAttrList(function.getArgAttrDict(i)));
    attrs.back().set(writable, builder.getBoolAttr(false));
  }
  for (auto [i, destination] : llvm::enumerate(destinations)) {
    NamedAttrList &ofResult = attrs[destination.getArgNumber()];
    ofResult.set(TrainDialect::getResultAttrName(),
                 builder.getI64IntegerAttr(i));
    ofResult.set(writable, builder.getBoolAttr(true));
  }
  for (auto &[symbol, versions] : variables) {
    NamedAttrList &ofVariable = attrs[versions.storage.getArgNumber()];
    ofVariable.set(TrainDialect::getVariableAttrName(), symbol);
    bool isWritten = versions.current != versions.storage;
    if (isWritten) {
      ofVariable.set(writable, builder.getBoolAttr(true));
      ofVariable.set(TrainDialect::getWritesAttrName(), builder.getUnitAttr());
      Value update = versions.current;
      if (auto projection = update.getDefiningOp<ProjectOp>())
        update = projection.getInput();
      Operation *op = update.getDefiningOp();
      // A value that was assigned before the update may be a copy.
      if (isa_and_nonnull<OptimizerUpdateOpInterface>(op) &&
          llvm::is_contained(op->getOperands(), versions.storage))
        ofVariable.set(TrainDialect::getUpdatedAttrName(),
                       builder.getUnitAttr());
    }
    if (versions.isRead)
      ofVariable.set(TrainDialect::getReadsAttrName(), builder.getUnitAttr());
    if (versions.isInitialValueRead)
      ofVariable.set(TrainDialect::getInitializedValueAttrName(),
                     builder.getUnitAttr());
  }
  for (auto &[symbol, bit] : bits)
    attrs[bit.getArgNumber()].set(TrainDialect::getIsInitializedAttrName(),
                                  symbol);
  function.setAllArgAttrs(llvm::map_to_vector(
      attrs, [&](const NamedAttrList &list) -> DictionaryAttr {
        return list.getDictionary(builder.getContext());
      }));
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
