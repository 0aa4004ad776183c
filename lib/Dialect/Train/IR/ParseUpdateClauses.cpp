//===- ParseUpdateClauses.cpp - Syntax of the clauses of updates ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UpdateClauses.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::train;

/// Reads an attribute that is an `AttrT` and that `isValid`; a number without a
/// type has the type `type`.
template <typename AttrT>
static ParseResult parseValue(
    OpAsmParser &parser, AttrT &value, StringRef keyword, StringRef expected,
    Type type = {},
    function_ref<bool(AttrT)> isValid = [](AttrT) { return true; }) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute attribute;
  OptionalParseResult result = parser.parseOptionalAttribute(attribute, type);
  if (result.has_value() && failed(*result))
    return failure();
  if (!result.has_value())
    return parser.emitError(loc)
           << "expected " << expected << " after '" << keyword << "'";
  value = dyn_cast<AttrT>(attribute);
  if (value && isValid(value))
    return success();
  return parser.emitError(loc) << "expected " << expected << " after '"
                               << keyword << "', found " << attribute;
}

ParseResult train::parseClause(OpAsmParser &parser, FloatAttr &value,
                               StringRef keyword) {
  return parseValue<FloatAttr>(
      parser, value, keyword, "a number", parser.getBuilder().getF64Type(),
      [](FloatAttr number) { return number.getType().isF64(); });
}

ParseResult train::parseClause(OpAsmParser &parser, IntegerAttr &value,
                               StringRef keyword) {
  return parseValue<IntegerAttr>(
      parser, value, keyword, "an integer", parser.getBuilder().getI64Type(),
      [](IntegerAttr number) {
        return number.getType().isSignlessInteger(64);
      });
}

ParseResult train::parseClause(OpAsmParser &parser, FlatSymbolRefAttr &value,
                               StringRef keyword) {
  return parseValue(parser, value, keyword, "the name of a variable");
}

ParseResult train::parseClause(OpAsmParser &parser, ArrayAttr &value,
                               StringRef keyword) {
  return parseValue<ArrayAttr>(
      parser, value, keyword, "a list of variables", {}, [](ArrayAttr list) {
        return llvm::all_of(list, llvm::IsaPred<FlatSymbolRefAttr>);
      });
}

ParseResult train::parseClause(OpAsmParser &parser,
                               ScheduleAttrInterface &value,
                               StringRef keyword) {
  return parseValue(parser, value, keyword,
                    "a schedule, such as #train.cosine_rate<...>,");
}

ParseResult train::parseClause(OpAsmParser &parser, LossScaleAttr &value,
                               StringRef keyword) {
  return parseValue(parser, value, keyword, "#train.loss_scale<...>");
}

/// Reads one of the keywords of an enum.
template <typename EnumAttrT>
static ParseResult parseKeyword(OpAsmParser &parser, EnumAttrT &value,
                                StringRef keyword,
                                ArrayRef<typename EnumAttrT::ValueType> cases) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef found;
  if (succeeded(parser.parseOptionalKeyword(&found)))
    for (auto each : cases)
      if (stringifyEnum(each) == found) {
        value = EnumAttrT::get(parser.getContext(), each);
        return success();
      }
  InFlightDiagnostic error = parser.emitError(loc) << "expected ";
  llvm::interleave(
      cases, [&](auto each) { error << "'" << stringifyEnum(each) << "'"; },
      [&] { error << " or "; });
  error << " after '" << keyword << "'";
  if (!found.empty())
    error << ", found '" << found << "'";
  return error;
}

ParseResult train::parseClause(OpAsmParser &parser, SparseFormAttr &value,
                               StringRef keyword) {
  return parseKeyword(parser, value, keyword,
                      {SparseForm::exact, SparseForm::lazy});
}

ParseResult train::parseClause(OpAsmParser &parser,
                               UnconnectedVariableAttr &value,
                               StringRef keyword) {
  return parseKeyword(parser, value, keyword,
                      {UnconnectedVariable::error, UnconnectedVariable::skip});
}

void train::printClause(OpAsmPrinter &printer, Operation *, Attribute value,
                        StringRef) {
  printer.printAttributeWithoutType(value);
}

void train::printClause(OpAsmPrinter &printer, Operation *,
                        SparseFormAttr value, StringRef) {
  printer << stringifyEnum(value.getValue());
}

void train::printClause(OpAsmPrinter &printer, Operation *,
                        UnconnectedVariableAttr value, StringRef) {
  printer << stringifyEnum(value.getValue());
}

ParseResult train::parseClauseOperand(
    OpAsmParser &parser,
    std::optional<OpAsmParser::UnresolvedOperand> &operand) {
  return parser.parseOperand(operand.emplace());
}

ParseResult train::parseClauseOperands(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  return parser.parseCommaSeparatedList(
      [&] { return parser.parseOperand(operands.emplace_back()); });
}

void train::printClauseOperand(OpAsmPrinter &printer, Operation *,
                               Value operand) {
  printer << operand;
}

void train::printClauseOperands(OpAsmPrinter &printer, Operation *,
                                OperandRange operands) {
  printer << operands;
}
