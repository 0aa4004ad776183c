//===- TrainVariables.cpp - Declarations of variables ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariableVerifiers.h"
#include "flywheel/Dialect/Train/Device.h"
#include "flywheel/Interfaces/Effects.h"
#include "flywheel/Support/CheckedSize.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace flywheel::train;

FailureOr<VariableOp>
flywheel::train::lookupVariable(Operation *op, FlatSymbolRefAttr symbol,
                                SymbolTableCollection &symbols) {
  Operation *found = symbols.lookupNearestSymbolFrom(op, symbol.getAttr());
  if (!found)
    return op->emitOpError() << "expected the name of a variable, found no "
                                "symbol "
                             << symbol;
  if (auto variable = dyn_cast<VariableOp>(found))
    return variable;
  InFlightDiagnostic error =
      op->emitOpError() << "expected the name of a variable, found " << symbol
                        << ", which is a '" << found->getName() << "'";
  error.attachNote(found->getLoc()) << "defined here";
  return error;
}

std::optional<ScalarVariableSpec>
flywheel::train::findOptimizerScalar(Operation *op, StringRef name) {
  StringRef scope = name.rsplit('/').first, scalar = name.rsplit('/').second;
  // Those without a name of their own are numbered when they are expanded.
  auto hasScope = [&](OptimizerAttrInterface optimizer) {
    if (StringAttr given = optimizer.getGivenName())
      return given.getValue() == scope;
    StringRef suffix = scope;
    return suffix.consume_front(optimizer.getOptimizerName()) &&
           (suffix.empty() ||
            (suffix.consume_front("_") && !suffix.empty() &&
             suffix.find_first_not_of("0123456789") == StringRef::npos));
  };
  std::optional<ScalarVariableSpec> found;
  SymbolTable::getNearestSymbolTable(op)->walk([&](Operation *user) {
    OptimizerAttrInterface optimizer;
    if (auto minimize = dyn_cast<MinimizeOp>(user))
      optimizer = minimize.getOptimizer();
    else if (auto apply = dyn_cast<ApplyGradientsOp>(user))
      optimizer = apply.getOptimizer();
    if (!optimizer || !hasScope(optimizer))
      return WalkResult::advance();
    for (const ScalarVariableSpec &spec : optimizer.getScalarVariables())
      if (spec.name == scalar)
        found = spec;
    if (!found)
      found = findClauseScalar(user, scalar);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

bool flywheel::train::isVariableName(StringRef name) {
  return !name.empty() && !name.contains('\0') &&
         name.find_first_of(" \t\n\v\f\r:^") == StringRef::npos;
}

bool flywheel::train::isVariableElementType(Type type) {
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
    return true;
  if (isa<StringType>(type))
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return false;
  if (integer.getWidth() == 1)
    return integer.isSignless();
  return llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth());
}

/// Checks the list of collections, against `trainable` too.
static LogicalResult verifyCollections(VariableOp op) {
  std::optional<ArrayAttr> collections = op.getCollections();
  if (!collections)
    return success();
  llvm::SmallDenseSet<Attribute> seen;
  for (auto name : collections->getAsRange<StringAttr>()) {
    if (name.empty())
      return op.emitOpError() << "expected names of collections, found \"\"";
    if (!seen.insert(name).second)
      return op.emitOpError()
             << "expected distinct collections, found " << name << " twice";
    if (name == VariableOp::getTrainableName() &&
        op.getTrainable() == std::optional(false))
      return op.emitOpError() << "expected a variable in collection "
                                 "\"TRAINABLE\" to be trainable, found "
                                 "trainable = false";
  }
  return success();
}

/// Checks the device of the variable and the constraint of its updates.
static LogicalResult verifyPlacement(VariableOp op) {
  std::optional<StringRef> device = op.getDevice();
  if (!device || succeeded(DeviceSpec::parse(*device)))
    return success();
  return op.emitOpError()
         << "expected a device such as \"/cpu:0\", \"/gpu:1\", "
            "\"/device:GPU:1\" or \"/job:ps/task:0/cpu:0\", found \""
         << *device << "\"";
}

LogicalResult VariableOp::verify() {
  RankedTensorType type = getTensorType();
  StringRef name = getSymName();
  if (!isVariableName(name))
    return emitOpError() << "expected a name without whitespace, ':' and '^', "
                            "found \""
                         << name << "\"";
  if (!type.hasStaticShape())
    return emitOpError() << "expected a static shape, found " << type
                         << ": shape of a new variable (" << getSymName()
                         << ") must be fully defined";
  if (!isVariableElementType(type.getElementType()))
    return emitOpError()
           << "expected an element type of f16, bf16, f32, f64, i1, i8, i16, "
              "i32, i64, ui8, ui16, ui32, ui64 or !train.string, found "
           << type.getElementType();
  if (!fitsMaxSize(getStorageType(type)))
    return emitOpError() << "expected a size of at most " << kMaxSizeText
                         << " bytes, found " << type;
  if (type.getEncoding())
    return emitOpError() << "expected a type without encoding, found " << type;
  if (getStorageElementType(getDeclaredType().getElementType()) !=
          type.getElementType() &&
      getElementType())
    return emitOpError() << "expected element_type to be an element type that "
                         << type.getElementType() << " stores, found "
                         << *getElementType();
  if (failed(verifyCollections(*this)) || failed(verifyPlacement(*this)))
    return failure();
  if (ConstraintAttrInterface constraint = getConstraintAttr())
    if (failed(
            constraint.verifyConstraint([&] { return emitOpError(); }, type)))
      return failure();
  if (!getInitializer().empty()) {
    if (Attribute value = getInitialValueAttr())
      return emitOpError() << "expected one initial value, found " << value
                           << " and a region";
    return success();
  }
  Attribute value = getInitialValueOrDefault();
  if (auto initializer = dyn_cast<InitializerAttrInterface>(value))
    return initializer.verifyInitializer([&] { return emitOpError(); }, type);
  if (isa<StringType>(type.getElementType())) {
    auto strings = dyn_cast<StringsAttr>(value);
    if (!strings)
      return emitOpError() << "expected #train.strings for a variable of "
                              "strings, found "
                           << value;
    return verifyFill([&] { return emitOpError(); }, strings.getValues().size(),
                      type);
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return emitOpError() << "expected an initializer or a dense attribute as "
                            "initial value, found "
                         << value;
  if (dense.getType() != type)
    return emitOpError() << "expected an initial value of type " << type
                         << ", found " << dense.getType()
                         << ": Initializer type and variable type don't match";
  return success();
}

LogicalResult VariableOp::verifyRegions() {
  if (getInitializer().empty())
    return success();
  Operation *last = getInitializer().front().empty()
                        ? nullptr
                        : &getInitializer().front().back();
  auto yield = dyn_cast_or_null<YieldOp>(last);
  if (!yield)
    return emitOpError() << "expected the region of the initial value to end "
                            "in 'train.yield'";
  if (yield.getValue().getType() != getTensorType())
    return yield.emitOpError()
           << "expected an initial value of type " << getTensorType()
           << ", found " << yield.getValue().getType()
           << ": Initializer type and variable type don't match";
  WalkResult result = getInitializer().walk([](Operation *op) {
    if (isRecomputable(op) ||
        op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isa<ReadOp, InitializedValueOp>(op))
      return WalkResult::advance();
    op->emitOpError() << "expected an initial value to be computed without "
                         "effects, found one that may have some";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Returns the variables from which the initial value of `variable` is
/// computed, in the order of first use. The verifiers of the accesses report
/// symbols that do not resolve.
static SmallVector<VariableOp>
getInitialOperands(VariableOp variable, SymbolTableCollection &symbols) {
  llvm::SmallSetVector<Operation *, 4> operands;
  variable.getInitializer().walk([&](Operation *op) {
    FlatSymbolRefAttr symbol;
    if (auto read = dyn_cast<ReadOp>(op))
      symbol = read.getVariableAttr();
    else if (auto value = dyn_cast<InitializedValueOp>(op))
      symbol = value.getVariableAttr();
    if (!symbol)
      return;
    if (auto found = symbols.lookupNearestSymbolFrom<VariableOp>(
            variable, symbol.getAttr()))
      operands.insert(found);
  });
  return llvm::map_to_vector(
      operands, [](Operation *op) { return cast<VariableOp>(op); });
}

/// Reports, once a cycle, variables whose initial values need each other.
static LogicalResult verifyAcyclic(VariableOp start,
                                   SymbolTableCollection &symbols) {
  if (start.getInitializer().empty())
    return success();
  // Depth first; the stack is the path from `start`.
  struct Frame {
    VariableOp variable;
    SmallVector<VariableOp> operands;
    size_t next = 0;
  };
  llvm::SmallPtrSet<Operation *, 8> visited;
  SmallVector<Frame> path;
  path.push_back({start, getInitialOperands(start, symbols)});
  while (!path.empty()) {
    Frame &top = path.back();
    if (top.next == top.operands.size()) {
      path.pop_back();
      continue;
    }
    VariableOp operand = top.operands[top.next++];
    if (operand == start) {
      // The first of the cycle in the module says it.
      if (llvm::any_of(path, [&](Frame &frame) {
            return frame.variable->isBeforeInBlock(start);
          }))
        return success();
      InFlightDiagnostic error = start.emitOpError()
                                 << "expected initial values that do not need "
                                    "each other, found the cycle ";
      for (Frame &frame : path)
        error << "@" << frame.variable.getSymName() << " -> ";
      error << "@" << start.getSymName();
      for (Frame &frame : llvm::drop_begin(path))
        error.attachNote(frame.variable.getLoc())
            << "@" << frame.variable.getSymName() << " declared here";
      return error;
    }
    if (visited.insert(operand).second)
      path.push_back({operand, getInitialOperands(operand, symbols)});
  }
  return success();
}

LogicalResult VariableOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyAcyclic(*this, symbols)))
    return failure();
  FlatSymbolRefAttr owner = getSlotOfAttr();
  if (!owner)
    return success();
  FailureOr<VariableOp> variable = lookupVariable(*this, owner, symbols);
  if (failed(variable))
    return failure();
  if (*variable == *this || variable->getSlotOfAttr())
    return emitOpError() << "expected slot_of to name a parameter, found slot "
                         << owner;
  if (variable->getTensorType() == getTensorType())
    return success();
  InFlightDiagnostic error = emitOpError()
                             << "expected a slot of the type of its parameter "
                             << owner << ", " << variable->getTensorType()
                             << ", found " << getTensorType();
  error.attachNote(variable->getLoc()) << "parameter declared here";
  return error;
}

Attribute VariableOp::getInitialValueOrDefault() {
  if (Attribute value = getInitialValueAttr())
    return value;
  if (!getInitializer().empty())
    return {};
  if (isa<FloatType>(getTensorType().getElementType()))
    return GlorotUniformAttr::get(getContext(), std::nullopt);
  return ZerosAttr::get(getContext());
}

bool VariableOp::isTrainable() {
  if (std::optional<bool> given = getTrainable())
    return *given;
  if (std::optional<ArrayAttr> collections = getCollections()) {
    auto lists = [&](StringRef name) {
      return llvm::is_contained(collections->getAsValueRange<StringAttr>(),
                                name);
    };
    if (lists(getTrainableName()))
      return true;
    if (lists(getLocalName()))
      return false;
  }
  return !getSlotOf();
}

SmallVector<StringRef> VariableOp::getCollectionNames() {
  SmallVector<StringRef> names;
  if (std::optional<ArrayAttr> collections = getCollections())
    llvm::append_range(names, collections->getAsValueRange<StringAttr>());
  else
    names.push_back(getGlobalName());
  if (isTrainable() && !llvm::is_contained(names, getTrainableName()))
    names.push_back(getTrainableName());
  return names;
}

bool VariableOp::isInCollection(StringRef collection) {
  return llvm::is_contained(getCollectionNames(), collection);
}
