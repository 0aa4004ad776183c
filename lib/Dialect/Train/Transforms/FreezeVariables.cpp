//===- FreezeVariables.cpp - Values of a checkpoint as constants ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckpointValues.h"

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Dialect/Train/TrainPasses.h"
#include "flywheel/Dialect/Train/VariableStart.h"
#include "flywheel/Model/CNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_FREEZEVARIABLES
#include "flywheel/Dialect/Train/TrainPasses.h.inc"

/// Keeps a constant narrow, as a resource, if its elements have fewer than 32
/// bits: folds would convert all of them at compile time, and the constant
/// would have two or four times the bytes. Resources are not folded. Numbers
/// that are all equal, or few, are folded.
static ElementsAttr keepNarrow(DenseElementsAttr value, StringRef name) {
  constexpr int64_t kMinElements = 64;
  unsigned width = value.getElementType().getIntOrFloatBitWidth();
  if ((width != 8 && width != 16) || value.isSplat() ||
      value.getNumElements() < kMinElements)
    return value;
  return DenseResourceElementsAttr::get(
      value.getType(), name,
      HeapAsmResourceBlob::allocateAndCopyInferAlign(value.getRawData()));
}

/// Returns a value of a checkpoint as constants have it: signless.
static Attribute toConstant(Attribute value, StringRef name) {
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements)
    return value;
  Type element = getStorageElementType(elements.getElementType());
  return keepNarrow(elements.bitcast(element), name);
}

/// Builds the result of `op`, a read of a frozen variable.
static Value buildValue(Operation *op, Attribute given) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  if (isa<IsInitializedOp>(op))
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(cast<ShapedType>(type), true));
  if (auto texts = dyn_cast<ArrayAttr>(given))
    return StringConstantOp::create(b, loc, type, texts);
  // A constant is signless.
  Value constant = arith::ConstantOp::create(b, loc, cast<TypedAttr>(given));
  if (constant.getType() == type)
    return constant;
  return tensor::BitcastOp::create(b, loc, type, constant);
}

namespace {
struct FreezeVariables : impl::FreezeVariablesBase<FreezeVariables> {
  using FreezeVariablesBase::FreezeVariablesBase;

  void runOnOperation() override {
    if (failed(findUses()) || failed(selectVariables()))
      return signalPassFailure();
    // The initial value of a frozen variable, and the values that it is
    // computed from, are not needed.
    for (auto &[name, found] : uses)
      llvm::erase_if(found.reads, [&](Operation *read) {
        auto owner = read->getParentOfType<VariableOp>();
        return owner && llvm::is_contained(selected, owner);
      });
    if (failed(loadValues()))
      return signalPassFailure();
    replaceReads();
  }

private:
  LogicalResult findUses();
  LogicalResult selectVariables();
  LogicalResult loadValues();
  void replaceReads();

  struct Uses {
    SmallVector<Operation *> reads;
    /// A use that is neither a read nor the link from a slot to its parameter.
    Operation *other = nullptr;
  };
  llvm::DenseMap<StringAttr, Uses> uses;
  SmallVector<VariableOp> selected;
  llvm::DenseMap<StringAttr, Attribute> values;
};
} // namespace

/// Finds the uses of each variable, in functions and in the initial values of
/// others.
LogicalResult FreezeVariables::findUses() {
  WalkResult result = getOperation().walk([&](Operation *op) {
    if (isa<MinimizeOp, ApplyGradientsOp, AverageVariablesOp, SwapAveragesOp>(
            op)) {
      op->emitOpError() << "expected to be expanded before variables are "
                           "frozen";
      return WalkResult::interrupt();
    }
    if (isa<VariableOp>(op))
      return WalkResult::advance();
    op->getAttrDictionary().walk([&](SymbolRefAttr symbol) {
      Uses &found = uses[symbol.getRootReference()];
      if (isa<ReadOp, InitializedValueOp, IsInitializedOp>(op))
        found.reads.push_back(op);
      else if (!found.other)
        found.other = op;
    });
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult FreezeVariables::selectVariables() {
  if (variables.empty()) {
    for (auto variable : getOperation().getOps<VariableOp>())
      if (!uses[variable.getSymNameAttr()].other)
        selected.push_back(variable);
    return success();
  }
  for (const std::string &name : variables) {
    auto variable = getOperation().lookupSymbol<VariableOp>(name);
    if (!variable)
      return getOperation().emitError()
             << "expected variables of the module to freeze, found '" << name
             << "'";
    if (Operation *other = uses[variable.getSymNameAttr()].other) {
      InFlightDiagnostic error = variable.emitError()
                                 << "cannot freeze variable '" << name
                                 << "': expected that entries only read it";
      error.attachNote(other->getLoc()) << "found '" << other->getName() << "'";
      return error;
    }
    if (!llvm::is_contained(selected, variable))
      selected.push_back(variable);
  }
  return success();
}

/// Reads the needed values from the checkpoint: none for a variable without
/// reads.
LogicalResult FreezeVariables::loadValues() {
  if (checkpoint.empty())
    return getOperation().emitError()
           << "expected the path of a checkpoint to freeze variables from, "
              "found none";
  runtime::Result<runtime::CheckpointReader> file =
      runtime::CheckpointReader::open(checkpoint);
  if (!file.isOk())
    return getOperation().emitError()
           << "cannot freeze variables: " << file.status().message();
  for (VariableOp variable : selected) {
    if (uses[variable.getSymNameAttr()].reads.empty())
      continue;
    runtime::Result<Attribute> value = readCheckpointValue(*file, variable);
    if (!value.isOk())
      return variable.emitError()
             << "cannot freeze variables: " << value.status().message();
    values[variable.getSymNameAttr()] =
        toConstant(*value, variable.getSymName());
  }
  return success();
}

void FreezeVariables::replaceReads() {
  llvm::SmallDenseSet<StringAttr> frozen;
  for (VariableOp variable : selected) {
    StringAttr name = variable.getSymNameAttr();
    frozen.insert(name);
    for (Operation *read : uses[name].reads) {
      read->getResult(0).replaceAllUsesWith(buildValue(read, values[name]));
      read->erase();
    }
  }
  SmallVector<Attribute> names;
  for (VariableOp variable : selected) {
    if (!uses[variable.getSymNameAttr()].reads.empty())
      names.push_back(variable.getSymNameAttr());
    variable.erase();
  }
  if (!names.empty())
    getOperation()->setAttr(kConstantsAttrName,
                            ArrayAttr::get(&getContext(), names));
  numVariables += selected.size();
  // A slot that is still written outlives its parameter.
  for (auto variable : getOperation().getOps<VariableOp>())
    if (FlatSymbolRefAttr owner = variable.getSlotOfAttr())
      if (frozen.contains(owner.getAttr())) {
        variable.setTrainable(variable.isTrainable());
        variable.removeSlotOfAttr();
      }
}
} // namespace flywheel::train
