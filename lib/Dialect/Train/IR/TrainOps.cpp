//===- TrainOps.cpp - Verifiers and effects of the train dialect ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/Device.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace flywheel::train;

/// A region that is not empty: nothing would tell that one from no region.
static ParseResult parseInitialRegion(OpAsmParser &parser, Region &region) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseRegion(region))
    return failure();
  if (region.empty())
    return parser.emitError(loc) << "expected the region of an initial value "
                                    "to end in 'train.yield', found nothing";
  return success();
}

static void printInitialRegion(OpAsmPrinter &printer, Operation *,
                               Region &region) {
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

#define GET_OP_CLASSES
#include "flywheel/Dialect/Train/TrainOps.cpp.inc"

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The variable that `symbol` names, or an error at `op`.
static FailureOr<VariableOp> lookupVariable(Operation *op,
                                            FlatSymbolRefAttr symbol,
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

/// Checks that `op` uses the variable with the variable's own type.
static LogicalResult verifyAccess(Operation *op, FlatSymbolRefAttr symbol,
                                  Type type, SymbolTableCollection &symbols) {
  FailureOr<VariableOp> variable = lookupVariable(op, symbol, symbols);
  if (failed(variable))
    return failure();
  auto found = cast<RankedTensorType>(type);
  RankedTensorType expected = variable->getTensorType();
  if (expected == found)
    return success();
  StringRef what = expected.getElementType() != found.getElementType()
                       ? "element types"
                       : "shapes";
  InFlightDiagnostic error = op->emitOpError()
                             << "expected the type of variable " << symbol
                             << ", " << expected << ", found " << found << ": "
                             << what << " differ";
  error.attachNote(variable->getLoc()) << "variable declared here";
  return error;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// Element types that a variable can have.
static bool isVariableElementType(Type type) {
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

/// Whether the bytes of a tensor of a static shape can be counted in 63 bits.
static bool isAddressable(RankedTensorType type) {
  Type element = getStorageElementType(type.getElementType());
  int64_t bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  for (int64_t extent : type.getShape()) {
    if (extent == 0)
      return true;
    std::optional<int64_t> product = llvm::checkedMul(bytes, extent);
    if (!product)
      return false;
    bytes = *product;
  }
  return true;
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

/// Checks where the variable lives and what its updates are projected on.
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
  if (name.empty() || name.find_first_of(" \t\n\v\f\r:^") != StringRef::npos ||
      name.contains('\0'))
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
  if (!isAddressable(type))
    return emitOpError() << "expected a size below 2^63 bytes, found " << type;
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
    if (isMemoryEffectFree(op) ||
        op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isa<ReadOp, InitializedValueOp>(op))
      return WalkResult::advance();
    op->emitOpError() << "expected an initial value to be computed without "
                         "effects, found one that may have some";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// The variables that the initial value of `variable` is computed from, in the
/// order of first use; what no symbol resolves to is left to the accesses.
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

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyAccess(*this, getVariableAttr(), getType(), symbols);
}

void ReadOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getValue(), getVariable());
}

void ReadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), getVariableAttr(),
                       VariableResource::get());
}

LogicalResult
InitializedValueOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyAccess(*this, getVariableAttr(), getType(), symbols);
}

void InitializedValueOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getValue(), getVariable());
}

void InitializedValueOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), getVariableAttr(),
                       VariableResource::get());
}

LogicalResult
IsInitializedOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(succeeded(lookupVariable(*this, getVariableAttr(), symbols)));
}

void IsInitializedOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), getVariableAttr(),
                       VariableResource::get());
}

LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyAccess(*this, getVariableAttr(), getValue().getType(), symbols);
}

void AssignOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), getVariableAttr(),
                       VariableResource::get());
}

/// Arithmetic assigns need numbers.
template <typename OpT>
static LogicalResult verifyArithmeticAssign(OpT op,
                                            SymbolTableCollection &symbols) {
  Type type = op.getValue().getType();
  Type element = getElementTypeOrSelf(type);
  if (element.isInteger(1) || isa<StringType>(element))
    return op.emitOpError()
           << "expected a numeric element type, found " << type;
  return verifyAccess(op, op.getVariableAttr(), type, symbols);
}

static void addReadWriteEffects(
    FlatSymbolRefAttr variable,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), variable,
                       VariableResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), variable,
                       VariableResource::get());
}

LogicalResult AssignAddOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyArithmeticAssign(*this, symbols);
}

void AssignAddOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addReadWriteEffects(getVariableAttr(), effects);
}

LogicalResult AssignSubOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyArithmeticAssign(*this, symbols);
}

void AssignSubOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addReadWriteEffects(getVariableAttr(), effects);
}

//===----------------------------------------------------------------------===//
// Random values
//===----------------------------------------------------------------------===//

LogicalResult RandomOp::verify() {
  RankedTensorType type = tensorOf(getResult());
  if (getDynamicSizes().size() != static_cast<size_t>(type.getNumDynamicDims()))
    return emitOpError() << "expected " << type.getNumDynamicDims()
                         << " extents for " << type << ", found "
                         << getDynamicSizes().size();
  if (!isVariableElementType(type.getElementType()) ||
      isa<StringType>(type.getElementType()))
    return emitOpError()
           << "expected elements that a variable can have, and no "
              "strings, found "
           << type;
  if (isa<GlorotUniformAttr, HeNormalAttr, ConstantAttr>(getDistribution()) &&
      !type.hasStaticShape())
    return emitOpError() << "expected a static shape for " << getDistribution()
                         << ", found " << type;
  return getDistribution().verifyInitializer([&] { return emitOpError(); },
                                             type);
}

void RandomOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  // Of a variable that expansion makes.
  effects.emplace_back(MemoryEffects::Read::get(), VariableResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), VariableResource::get());
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

LogicalResult StringConstantOp::verify() {
  return verifyFill([&] { return emitOpError(); }, getValues().size(),
                    cast<RankedTensorType>(getType()));
}

LogicalResult StringEqualOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location>,
                                              ValueRange operands,
                                              DictionaryAttr, OpaqueProperties,
                                              RegionRange,
                                              SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(operands.front().getType());
  types.push_back(
      RankedTensorType::get(type.getShape(), IntegerType::get(context, 1)));
  return success();
}

//===----------------------------------------------------------------------===//
// Gradients and updates
//===----------------------------------------------------------------------===//

/// Checks what gradients and directional derivatives have in common.
template <typename OpTy> static LogicalResult verifyDerivative(OpTy op) {
  auto requireFloat = [&](Value value, StringRef what) -> LogicalResult {
    if (isa<FloatType>(tensorOf(value).getElementType()))
      return success();
    return op.emitOpError()
           << "expected " << what << " of a floating-point type, found "
           << value.getType();
  };
  if (op.getYs().empty())
    return op.emitOpError() << "expected at least one value to differentiate";
  if (op.getXs().empty())
    return op.emitOpError() << "expected at least one gradient target";
  for (Value y : op.getYs())
    if (failed(requireFloat(y, "differentiated values")))
      return failure();
  for (Value x : op.getXs())
    if (failed(requireFloat(x, "gradient targets")))
      return failure();
  return success();
}

LogicalResult GradientOp::verify() {
  if (failed(verifyDerivative(*this)))
    return failure();
  if (getXs().getTypes() != getGradients().getTypes())
    return emitOpError() << "expected results of the types of the gradient "
                            "targets, ("
                         << getXs().getTypes() << "), found ("
                         << getGradients().getTypes() << ")";
  if (!getGradYs().empty() && getGradYs().getTypes() != getYs().getTypes())
    return emitOpError() << "expected grad_ys of the types of the "
                            "differentiated values, ("
                         << getYs().getTypes() << "), found ("
                         << getGradYs().getTypes() << ")";
  return success();
}

LogicalResult JvpOp::verify() {
  if (failed(verifyDerivative(*this)))
    return failure();
  if (getTangents().getTypes() != getXs().getTypes())
    return emitOpError() << "expected tangents of the types of the targets, ("
                         << getXs().getTypes() << "), found ("
                         << getTangents().getTypes() << ")";
  if (getDerivatives().getTypes() != getYs().getTypes())
    return emitOpError() << "expected results of the types of the "
                            "differentiated values, ("
                         << getYs().getTypes() << "), found ("
                         << getDerivatives().getTypes() << ")";
  return success();
}

LogicalResult MinimizeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!isa<FloatType>(tensorOf(getLoss()).getElementType()))
    return emitOpError() << "expected a loss of a floating-point type, found "
                         << getLoss().getType();
  if (std::optional<ArrayAttr> list = getVarList()) {
    if (list->empty())
      return emitOpError() << "No variables to optimize: var_list is empty";
    llvm::SmallDenseSet<Attribute> seen;
    for (auto symbol : list->getAsRange<FlatSymbolRefAttr>()) {
      FailureOr<VariableOp> variable = lookupVariable(*this, symbol, symbols);
      if (failed(variable))
        return failure();
      if (!seen.insert(symbol).second)
        return emitOpError()
               << "expected distinct variables in var_list, found " << symbol
               << " twice";
      if (!isa<FloatType>(variable->getTensorType().getElementType()))
        return emitOpError()
               << "expected variables of a floating-point type in "
                  "var_list, found "
               << symbol << " of type " << variable->getTensorType();
    }
  }
  if (FlatSymbolRefAttr step = getGlobalStepAttr()) {
    FailureOr<VariableOp> variable = lookupVariable(*this, step, symbols);
    if (failed(variable))
      return failure();
    RankedTensorType type = variable->getTensorType();
    if (type.getRank() != 0 || !type.getElementType().isSignlessInteger() ||
        type.getElementType().isInteger(1))
      return emitOpError() << "expected a scalar integer variable as "
                              "global_step, found "
                           << step << " of type " << type;
  }
  return success();
}

void MinimizeOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  // Which variables are touched is known after expansion: until then, all.
  effects.emplace_back(MemoryEffects::Read::get(), VariableResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), VariableResource::get());
}

//===----------------------------------------------------------------------===//
// Optimizer updates in value semantics
//===----------------------------------------------------------------------===//

LogicalResult ProjectOp::verify() {
  return getConstraint().verifyConstraint([&] { return emitOpError(); },
                                          tensorOf(getInput()));
}

/// Checks what every update op has in common: state, gradient and results of
/// the parameter's type, rank-0 scalars of its element type.
template <typename OpT> static LogicalResult verifyUpdate(OpT op) {
  auto parameter = cast<RankedTensorType>(op.getParameter().getType());
  if (!isa<FloatType>(parameter.getElementType()))
    return op.emitOpError() << "expected a parameter of a floating-point type, "
                               "found "
                            << parameter;
  for (Value slot : op.getState())
    if (slot.getType() != parameter)
      return op.emitOpError() << "expected slots of the parameter's type "
                              << parameter << ", found " << slot.getType();
  if (op.getGradient().getType() != parameter)
    return op.emitOpError()
           << "expected a gradient of the parameter's type " << parameter
           << ", found " << op.getGradient().getType();
  auto scalar = RankedTensorType::get({}, parameter.getElementType());
  for (Value value : op.getScalars())
    if (value.getType() != scalar)
      return op.emitOpError() << "expected scalars of type " << scalar
                              << ", found " << value.getType();
  for (Value result : op->getResults())
    if (result.getType() != parameter)
      return op.emitOpError() << "expected results of the parameter's type "
                              << parameter << ", found " << result.getType();
  if (op->getNumResults() != op.getState().size())
    return op.emitOpError()
           << "expected one result for the parameter and each "
              "slot, "
           << op.getState().size() << ", found " << op->getNumResults();
  return success();
}

LogicalResult SGDOp::verify() { return verifyUpdate(*this); }
OperandRange SGDOp::getState() { return getOperands().take_front(2); }
Value SGDOp::getGradientOperand() { return getGradient(); }
OperandRange SGDOp::getScalars() { return getOperands().drop_front(3); }

SmallVector<Value> SGDOp::buildElementUpdate(OpBuilder &b, Location loc,
                                             ValueRange state, Value g,
                                             ValueRange scalars) {
  Value lr = scalars[0], momentum = scalars[1];
  Value decayed = arith::MulFOp::create(b, loc, momentum, state[1]);
  Value step = arith::MulFOp::create(b, loc, lr, g);
  Value velocity = arith::SubFOp::create(b, loc, decayed, step);
  if (!getNesterov())
    return {arith::AddFOp::create(b, loc, state[0], velocity), velocity};
  Value ahead = arith::MulFOp::create(b, loc, momentum, velocity);
  Value moved = arith::AddFOp::create(b, loc, state[0], ahead);
  return {arith::SubFOp::create(b, loc, moved, step), velocity};
}

LogicalResult MomentumOp::verify() { return verifyUpdate(*this); }
OperandRange MomentumOp::getState() { return getOperands().take_front(2); }
Value MomentumOp::getGradientOperand() { return getGradient(); }
OperandRange MomentumOp::getScalars() { return getOperands().drop_front(3); }

SmallVector<Value> MomentumOp::buildElementUpdate(OpBuilder &b, Location loc,
                                                  ValueRange state, Value g,
                                                  ValueRange scalars) {
  Value lr = scalars[0], momentum = scalars[1];
  Value decayed = arith::MulFOp::create(b, loc, momentum, state[1]);
  Value accumulator = arith::AddFOp::create(b, loc, decayed, g);
  Value direction = accumulator;
  if (getNesterov()) {
    Value ahead = arith::MulFOp::create(b, loc, momentum, accumulator);
    direction = arith::AddFOp::create(b, loc, g, ahead);
  }
  Value step = arith::MulFOp::create(b, loc, lr, direction);
  return {arith::SubFOp::create(b, loc, state[0], step), accumulator};
}

LogicalResult AdamOp::verify() {
  if (static_cast<bool>(getVhat()) != static_cast<bool>(getNewVhat()))
    return emitOpError() << "expected a new vhat exactly where vhat is given";
  if (!getEpsilon().isFinite() || getEpsilon().convertToDouble() < 0.0)
    return emitOpError() << "expected a finite epsilon >= 0, found "
                         << getEpsilon().convertToDouble();
  return verifyUpdate(*this);
}
OperandRange AdamOp::getState() {
  return getOperands().take_front(getVhat() ? 4 : 3);
}
Value AdamOp::getGradientOperand() { return getGradient(); }
OperandRange AdamOp::getScalars() { return getOperands().take_back(3); }

SmallVector<Value> AdamOp::buildElementUpdate(OpBuilder &b, Location loc,
                                              ValueRange state, Value g,
                                              ValueRange scalars) {
  Type type = g.getType();
  Value rate = scalars[0], beta1 = scalars[1], beta2 = scalars[2];
  Value one = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 1.0));
  auto mix = [&](Value beta, Value old, Value fresh) -> Value {
    Value keep = arith::MulFOp::create(b, loc, beta, old);
    Value rest = arith::SubFOp::create(b, loc, one, beta);
    Value add = arith::MulFOp::create(b, loc, rest, fresh);
    return arith::AddFOp::create(b, loc, keep, add);
  };
  Value m = mix(beta1, state[1], g);
  Value v = mix(beta2, state[2], arith::MulFOp::create(b, loc, g, g));
  SmallVector<Value> slots = {m, v};
  Value second = v;
  if (getVhat()) {
    second = arith::MaximumFOp::create(b, loc, state[3], v);
    slots.push_back(second);
  }
  Value root = math::SqrtOp::create(b, loc, second);
  Value epsilon = arith::ConstantOp::create(
      b, loc, b.getFloatAttr(type, getEpsilon().convertToDouble()));
  Value denominator = arith::AddFOp::create(b, loc, root, epsilon);
  Value numerator = arith::MulFOp::create(b, loc, rate, m);
  Value step = arith::DivFOp::create(b, loc, numerator, denominator);
  SmallVector<Value> results = {arith::SubFOp::create(b, loc, state[0], step)};
  results.append(slots);
  return results;
}
