//===- DiscardableAttributes.cpp - Attributes between stages --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stages attach attributes that later stages read, possibly from a file. These
// verifiers check the kind and the place of each attribute that the dialect
// declares. The stage that looks a variable up checks that it exists: a lookup
// for each argument would make the verifier quadratic in the number of
// variables.
//
//===----------------------------------------------------------------------===//

#include "CustomVjp.h"
#include "flywheel/Dialect/Train/RandomStream.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Dialect/Train/VariableStart.h"
#include "flywheel/Support/OpNames.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace flywheel::train;
using flywheel::kFilePrefixMapAttrName;
using flywheel::kPlacesAttrName;

/// Returns true if `attribute` is a list of `T`.
template <typename T> static bool isListOf(Attribute attribute) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  return list && llvm::all_of(list, llvm::IsaPred<T>);
}

/// Returns true if `attribute` is the list of sizes of a slot: functions of the
/// symbols.
static bool isSizes(Attribute attribute) {
  return isListOf<AffineMapAttr>(attribute) &&
         llvm::all_of(
             cast<ArrayAttr>(attribute).getAsValueRange<AffineMapAttr>(),
             [](AffineMap map) {
               return map.getNumResults() == 1 && map.getNumDims() == 0;
             });
}

static bool isSlots(Attribute attribute) {
  return isListOf<ArrayAttr>(attribute) &&
         llvm::all_of(cast<ArrayAttr>(attribute), isSizes);
}

static bool isFilePrefixMap(Attribute attribute) {
  return isListOf<StringAttr>(attribute) &&
         llvm::all_of(cast<ArrayAttr>(attribute).getAsValueRange<StringAttr>(),
                      [](StringRef pair) { return pair.contains('='); });
}

static bool isPlaces(Attribute attribute) {
  auto numbers = dyn_cast<DictionaryAttr>(attribute);
  return numbers && llvm::all_of(numbers, [](NamedAttribute number) {
           return isa<IntegerAttr>(number.getValue());
         });
}

static bool isResultNumber(Attribute attribute) {
  auto number = dyn_cast<IntegerAttr>(attribute);
  return number && number.getType().isInteger(64) && number.getInt() >= 0;
}

namespace {
/// The constraint on the attribute of one name.
struct Rule {
  StringLiteral name;
  /// The kind of op or value that has the attribute.
  enum Place {
    Module,
    Function,
    Variable,
    Loop,
    Update,
    AnyOp,
    Argument,
    Value
  } place;
  /// Returns true if an attribute is of the kind that `expected` describes in
  /// words.
  bool (*holds)(Attribute);
  StringLiteral expected;
};
} // namespace

static ArrayRef<Rule> getRules() {
  using D = TrainDialect;
  constexpr auto isUnit = [](Attribute value) { return isa<UnitAttr>(value); };
  constexpr auto isSymbol = [](Attribute value) {
    return isa<FlatSymbolRefAttr>(value);
  };
  constexpr auto isStorage = [](Attribute value) {
    return isa<FlatSymbolRefAttr>(value) || isListOf<FlatSymbolRefAttr>(value);
  };
  constexpr auto isDictionary = [](Attribute value) {
    return isa<DictionaryAttr>(value);
  };
  constexpr auto isText = [](Attribute value) {
    auto text = dyn_cast<StringAttr>(value);
    return text && !text.empty();
  };
  constexpr auto isStart = [](Attribute value) {
    auto text = dyn_cast<StringAttr>(value);
    return text && flywheel::parseVariableStart(text.getValue()).has_value();
  };
  constexpr auto isType = [](Attribute value) { return isa<TypeAttr>(value); };
  constexpr auto isDimSizes = [](Attribute value) {
    return isa<DenseI64ArrayAttr>(value);
  };
  static const Rule rules[] = {
      {D::getManifestAttrName(), Rule::Module, isDictionary, "a dictionary"},
      {D::getCompilationAttrName(), Rule::Module, isDictionary, "a dictionary"},
      {D::getStringsAttrName(), Rule::Module, isListOf<StringAttr>,
       "a list of strings"},
      {flywheel::kConstantsAttrName, Rule::Module, isListOf<StringAttr>,
       "a list of strings"},
      {kFilePrefixMapAttrName, Rule::Module, isFilePrefixMap,
       "a list of 'OLD=NEW'"},
      {kPlacesAttrName, Rule::Module, isPlaces,
       "a dictionary from places to their numbers"},
      {D::getSymbolsAttrName(), Rule::Function, isListOf<StringAttr>,
       "a list of strings"},
      {D::getWorkspaceSlotsAttrName(), Rule::Function, isSlots,
       "a list of lists of affine maps from symbols to one result"},
      {D::getInitializerAttrName(), Rule::Function, isUnit, "no value"},
      {D::getEntryAttrName(), Rule::Function, isText, "the name of an entry"},
      {kStreamsAttrName, Rule::Function, isText, "the path of an object"},
      {D::getInitialReadsAttrName(), Rule::Variable,
       isListOf<FlatSymbolRefAttr>, "a list of symbols of variables"},
      {D::getInitialValuesAttrName(), Rule::Variable,
       isListOf<FlatSymbolRefAttr>, "a list of symbols of variables"},
      {flywheel::kStartAttrName, Rule::Variable, isStart,
       "'program', 'checkpoint' or 'restored'"},
      {D::getKeepsDimSizesAttrName(), Rule::Loop, isUnit, "no value"},
      {D::getInRangeAttrName(), Rule::AnyOp, isUnit, "no value"},
      {D::getLazyAttrName(), Rule::Update, isUnit, "no value"},
      {D::getSnapshotAttrName(), Rule::AnyOp, isSymbol,
       "the symbol of a variable"},
      {D::getDimsAttrName(), Rule::Argument, isListOf<StringAttr>,
       "a list of strings"},
      {D::getDimSizesAttrName(), Rule::Argument, isDimSizes, "an array of i64"},
      {D::getDimSizePlacesAttrName(), Rule::Argument, isListOf<StringAttr>,
       "a list of strings"},
      {D::getVariableAttrName(), Rule::Argument, isStorage,
       "the symbol of a variable or a list of them"},
      {D::getIsInitializedAttrName(), Rule::Argument, isSymbol,
       "the symbol of a variable"},
      {D::getResultAttrName(), Rule::Argument, isResultNumber,
       "the number of a result, an i64"},
      {D::getReadsAttrName(), Rule::Argument, isUnit, "no value"},
      {D::getWritesAttrName(), Rule::Argument, isUnit, "no value"},
      {D::getUpdatedAttrName(), Rule::Argument, isUnit, "no value"},
      {D::getInitializedValueAttrName(), Rule::Argument, isUnit, "no value"},
      {D::getWorkspaceAttrName(), Rule::Argument, isUnit, "no value"},
      {D::getNameAttrName(), Rule::Value, isText, "a name"},
      {D::getElementTypeAttrName(), Rule::Value, isType, "a type"},
  };
  return rules;
}

static const Rule *findRule(StringRef name) {
  const auto *rule = llvm::find_if(
      getRules(), [&](const Rule &rule) { return rule.name == name; });
  return rule == getRules().end() ? nullptr : rule;
}

/// Refuses an attribute that no stage reads. `where` is as for `verifyKind`.
static LogicalResult refuseUnknown(Operation *op, StringRef name,
                                   const Twine &where) {
  std::string known = TrainDialect::getVjpAttrName().str();
  for (const Rule &rule : getRules())
    known += ", " + rule.name.str();
  return op->emitOpError() << "expected an attribute that the dialect 'train' "
                              "declares, found '"
                           << name << "'" << where.str()
                           << "; it declares: " << known;
}

static StringRef describe(Rule::Place place) {
  switch (place) {
  case Rule::Module:
    return "a module";
  case Rule::Function:
    return "a function";
  case Rule::Variable:
    return "a 'train.variable'";
  case Rule::Loop:
    return "a loop";
  case Rule::Update:
    return "an update of an optimizer";
  case Rule::AnyOp:
    return "an op";
  case Rule::Argument:
    return "an argument of a function";
  case Rule::Value:
    return "an argument or a result of a function";
  }
  llvm_unreachable("unknown place");
}

/// Returns true if an attribute that belongs to `place` may be on `op` itself.
static bool belongsTo(Operation *op, Rule::Place place) {
  switch (place) {
  case Rule::Module:
    return isa<ModuleOp>(op);
  case Rule::Function:
    return isa<FunctionOpInterface>(op);
  case Rule::Variable:
    return isa<VariableOp>(op);
  case Rule::Loop:
    return isa<LoopLikeOpInterface>(op);
  case Rule::Update:
    return isa<OptimizerUpdateOpInterface>(op);
  case Rule::AnyOp:
    return true;
  case Rule::Argument:
  case Rule::Value:
    return false;
  }
  llvm_unreachable("unknown place");
}

/// Checks the kind of an attribute. `where` is empty for the op itself, and `
/// of argument 2` for an argument.
static LogicalResult verifyKind(Operation *op, const Rule &rule,
                                Attribute value, const Twine &where) {
  if (rule.holds(value))
    return success();
  return op->emitOpError() << "expected " << rule.expected << " as '"
                           << rule.name << "'" << where.str() << ", found "
                           << value;
}

LogicalResult TrainDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  if (attribute.getName() == getVjpAttrName())
    return verifyVjp(op, attribute.getValue());
  const Rule *rule = findRule(attribute.getName());
  if (!rule)
    return refuseUnknown(op, attribute.getName(), "");
  if (!belongsTo(op, rule->place))
    return op->emitOpError() << "expected '" << rule->name << "' on "
                             << describe(rule->place) << ", found it here";
  return verifyKind(op, *rule, attribute.getValue(), "");
}

/// Checks that the dimensions or elements that `attribute` describes are those
/// of a value of `type`.
static LogicalResult verifyShape(Operation *op, NamedAttribute attribute,
                                 Type type, const Twine &where) {
  // A function of the LLVM dialect has a pointer.
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped && !type.isIntOrIndexOrFloat())
    return success();
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == TrainDialect::getElementTypeAttrName()) {
    Type stored = getElementTypeOrSelf(type);
    if (getStorageElementType(cast<TypeAttr>(value).getValue()) == stored)
      return success();
    return op->emitOpError() << "expected '" << name << "'" << where.str()
                             << " to be an element type that " << stored
                             << " stores, found " << value;
  }
  if (name != TrainDialect::getDimsAttrName() &&
      name != TrainDialect::getDimSizesAttrName() &&
      name != TrainDialect::getDimSizePlacesAttrName())
    return success();
  auto list = dyn_cast<ArrayAttr>(value);
  size_t size = list ? list.size() : cast<DenseI64ArrayAttr>(value).size();
  if (shaped && shaped.hasRank() &&
      static_cast<int64_t>(size) == shaped.getRank())
    return success();
  return op->emitOpError() << "expected "
                           << (name == TrainDialect::getDimsAttrName()
                                   ? "a name"
                                   : "an element")
                           << " for each dimension of " << type << " as '"
                           << name << "'" << where.str() << ", found " << value;
}

LogicalResult TrainDialect::verifyRegionArgAttribute(Operation *op,
                                                     unsigned regionIndex,
                                                     unsigned argIndex,
                                                     NamedAttribute attribute) {
  const Rule *rule = findRule(attribute.getName());
  auto function = dyn_cast<FunctionOpInterface>(op);
  std::string where = (" of argument " + Twine(argIndex)).str();
  if (!rule)
    return refuseUnknown(op, attribute.getName(), where);
  if (!function)
    return success();
  if (rule->place != Rule::Argument && rule->place != Rule::Value)
    return op->emitOpError()
           << "expected '" << rule->name << "' on " << describe(rule->place)
           << ", found it on argument " << argIndex;
  if (failed(verifyKind(op, *rule, attribute.getValue(), where)))
    return failure();
  return verifyShape(op, attribute, function.getArgumentTypes()[argIndex],
                     where);
}

LogicalResult
TrainDialect::verifyRegionResultAttribute(Operation *op, unsigned regionIndex,
                                          unsigned resultIndex,
                                          NamedAttribute attribute) {
  const Rule *rule = findRule(attribute.getName());
  auto function = dyn_cast<FunctionOpInterface>(op);
  std::string where = (" of result " + Twine(resultIndex)).str();
  if (!rule)
    return refuseUnknown(op, attribute.getName(), where);
  if (!function)
    return success();
  if (rule->place != Rule::Value)
    return op->emitOpError()
           << "expected '" << rule->name << "' on " << describe(rule->place)
           << ", found it on result " << resultIndex;
  if (failed(verifyKind(op, *rule, attribute.getValue(), where)))
    return failure();
  return verifyShape(op, attribute, function.getResultTypes()[resultIndex],
                     where);
}
