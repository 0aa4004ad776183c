//===- LeastSquares.cpp - Verification of train.least_squares -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeastSquares.h"
#include "VariableVerifiers.h"

#include "flywheel/Dialect/Verifiers.h"

using namespace mlir;
using flywheel::tensorOf;
using namespace flywheel::train;

static constexpr double kDefaultRegularizer = 1e-20;

ParseResult flywheel::train::parseRegularizer(
    OpAsmParser &parser, std::optional<OpAsmParser::UnresolvedOperand> &damping,
    FloatAttr &regularizer) {
  Type type = parser.getBuilder().getF64Type();
  regularizer = FloatAttr::get(type, kDefaultRegularizer);
  if (failed(parser.parseOptionalKeyword("regularizer")))
    return success();
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult result = parser.parseOptionalOperand(operand);
  if (!result.has_value())
    return parser.parseAttribute(regularizer, type);
  damping = operand;
  return *result;
}

void flywheel::train::printRegularizer(OpAsmPrinter &printer, Operation *,
                                       Value damping, FloatAttr regularizer) {
  if (damping) {
    printer << " regularizer " << damping;
  } else if (regularizer.getValueAsDouble() != kDefaultRegularizer) {
    printer << " regularizer ";
    printer.printAttributeWithoutType(regularizer);
  }
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

Type LeastSquaresOp::getElementType() {
  return getElementTypeOrSelf(getValues().front());
}

ValueRange LeastSquaresOp::getResiduals() {
  return getBody().front().getTerminator()->getOperands();
}

/// The types of the results: the objective, the final values, the history.
static SmallVector<Type> inferResults(LeastSquaresOp op, Type element) {
  SmallVector<Type> types{RankedTensorType::get({}, element)};
  llvm::append_range(types, op.getStarts().getTypes());
  if (!op.getHistory())
    return types;
  int64_t count = op.getMaxIterations();
  Type flag = IntegerType::get(op.getContext(), 1);
  for (Type each : {element, flag, element})
    types.push_back(RankedTensorType::get({count}, each));
  return types;
}

/// Checks the numbers that say how far the iterations go.
static LogicalResult verifyNumbers(LeastSquaresOp op) {
  // The generated getters are of unsigned numbers.
  auto verifyCount = [&](StringRef name, IntegerAttr count) -> LogicalResult {
    if (!count || count.getInt() >= 1)
      return success();
    return op.emitOpError() << "'" << name << "' needs to be at least 1, found "
                            << count.getInt();
  };
  if (failed(verifyCount("max_iterations", op.getMaxIterationsAttr())))
    return failure();
  auto isFinite = [](const APFloat &number) { return number.isFinite(); };
  if (!isFinite(op.getRegularizer()) || op.getRegularizer().isNegative())
    return op.emitOpError() << "expected a regularizer of at least 0, found "
                            << op.getRegularizerAttr().getValueAsDouble();
  double multiplier = op.getMultiplier().convertToDouble();
  if (!isFinite(op.getMultiplier()) || multiplier < 1)
    return op.emitOpError() << "expected a multiplier of at least 1, as the "
                               "regularizer never falls; found "
                            << multiplier;
  if (op.getSolver() != Solver::cg &&
      (op.getCgIterationsAttr() || op.getCgToleranceAttr()))
    return op.emitOpError() << "expected `solver cg` with cg_iterations and "
                               "cg_tolerance, found `solver cholesky`";
  if (failed(verifyCount("cg_iterations", op.getCgIterationsAttr())))
    return failure();
  if (op.getCgTolerance() &&
      (!isFinite(*op.getCgTolerance()) || op.getCgTolerance()->isNegative()))
    return op.emitOpError() << "expected a cg_tolerance of at least 0, found "
                            << op.getCgToleranceAttr().getValueAsDouble();
  return success();
}

LogicalResult LeastSquaresOp::verify() {
  if (failed(verifyNumbers(*this)))
    return failure();
  bool hasVariables = getVarList() && !getVarList()->empty();
  if (hasVariables == !getStarts().empty())
    return emitOpError() << "expected either start values or variables to "
                            "minimize over, found "
                         << (hasVariables ? "both" : "none");
  if (getResults().empty())
    return emitOpError() << "expected the objective as the first result, found "
                            "no result";
  auto objective = dyn_cast<RankedTensorType>(getResult(0).getType());
  if (!objective || objective.getRank() != 0 ||
      !(objective.getElementType().isF32() ||
        objective.getElementType().isF64()))
    return emitOpError() << "expected an objective of type tensor<f32> or "
                            "tensor<f64> as the first result, found "
                         << getResult(0).getType();
  Type element = objective.getElementType();
  auto verifyElements = [&](ValueRange values, StringRef what) {
    for (Value value : values)
      if (getElementTypeOrSelf(value) != element)
        return LogicalResult(emitOpError()
                             << "expected " << what
                             << " of the objective's element "
                                "type, "
                             << element << ", found " << value.getType());
    return success();
  };
  if (failed(verifyElements(getStarts(), "start values")) ||
      (getDamping() && failed(verifyElements(getDamping(), "a regularizer"))))
    return failure();
  SmallVector<Type> expected = inferResults(*this, element);
  if (getResultTypes() != TypeRange(expected))
    return emitOpError() << "expected as results the objective, the values of "
                            "the starts and with `history` three tensors with "
                            "an element for each iteration, ("
                         << expected << "), found (" << getResultTypes() << ")";
  return success();
}

/// Refuses unknowns that have no element.
static LogicalResult verifyUnknowns(LeastSquaresOp op, ValueRange unknowns) {
  for (Value unknown : unknowns)
    if (auto type = cast<RankedTensorType>(unknown.getType());
        type.hasStaticShape() && type.getNumElements() == 0)
      return op.emitOpError()
             << "expected values with elements to minimize over, found "
             << type;
  return success();
}

LogicalResult LeastSquaresOp::verifyRegions() {
  Block &block = getBody().front();
  if (block.getArgumentTypes() != getStarts().getTypes())
    return emitOpError() << "expected a region with arguments of the types of "
                            "the start values, ("
                         << getStarts().getTypes() << "), found ("
                         << block.getArgumentTypes() << ")";
  auto residuals =
      dyn_cast_or_null<ResidualsOp>(block.empty() ? nullptr : &block.back());
  if (!residuals)
    return emitOpError()
           << "expected 'train.residuals' at the end of the region";
  if (residuals.getResiduals().empty())
    return residuals.emitOpError() << "expected at least one residual";
  for (Value residual : residuals.getResiduals())
    if (getElementTypeOrSelf(residual) != getElementType())
      return residuals.emitOpError()
             << "expected residuals of the objective's element type, "
             << getElementType() << ", found " << residual.getType();
  return verifyUnknowns(*this, block.getArguments());
}

LogicalResult LeastSquaresOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getVarList())
    return success();
  llvm::SmallDenseSet<Attribute> seen;
  for (auto symbol : getVarList()->getAsRange<FlatSymbolRefAttr>()) {
    FailureOr<VariableOp> variable = lookupVariable(*this, symbol, symbols);
    if (failed(variable))
      return failure();
    if (!seen.insert(symbol).second)
      return emitOpError() << "expected distinct variables, found " << symbol
                           << " twice";
    if (variable->getTensorType().getElementType() != getElementType())
      return emitOpError() << "expected variables of the objective's element "
                              "type, "
                           << getElementType() << ", found " << symbol
                           << " of type " << variable->getTensorType();
    if (ArrayRef<int64_t> shape = variable->getTensorType().getShape();
        llvm::is_contained(shape, 0))
      return emitOpError()
             << "expected variables with elements to minimize over, found "
             << symbol << " of type " << variable->getTensorType();
  }
  return success();
}

void LeastSquaresOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!getVarList())
    return;
  for (auto symbol : getVarList()->getAsRange<FlatSymbolRefAttr>()) {
    effects.emplace_back(MemoryEffects::Read::get(), symbol,
                         VariableResource::get());
    effects.emplace_back(MemoryEffects::Write::get(), symbol,
                         VariableResource::get());
  }
}
