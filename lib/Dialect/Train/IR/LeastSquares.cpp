//===- LeastSquares.cpp - Verification of train.least_squares -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeastSquares.h"
#include "VariableVerifiers.h"

#include "flywheel/Dialect/Clauses.h"
#include "flywheel/Dialect/Verifiers.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::train;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

static constexpr double kDefaultRegularizer = 1e-20;
static constexpr double kDefaultMultiplier = 10.0;

static ParseResult parseNumber(OpAsmParser &parser, FloatAttr &result) {
  return parser.parseAttribute(result, parser.getBuilder().getF64Type());
}

static ParseResult parseCount(OpAsmParser &parser, IntegerAttr &result) {
  int64_t count = 0;
  if (parser.parseInteger(count))
    return failure();
  result = parser.getBuilder().getI64IntegerAttr(count);
  return success();
}

/// Parses a case of an enumeration by its name.
template <typename AttrT, typename EnumT>
static ParseResult parseCase(OpAsmParser &parser, AttrT &result,
                             std::optional<EnumT> (*symbolize)(StringRef),
                             StringRef cases) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (failed(parser.parseOptionalKeyword(&name)))
    return parser.emitError(loc) << "expected " << cases;
  std::optional<EnumT> value = symbolize(name);
  if (!value)
    return parser.emitError(loc)
           << "expected " << cases << ", found '" << name << "'";
  result = AttrT::get(parser.getContext(), *value);
  return success();
}

ParseResult flywheel::train::parseLeastSquaresClauses(
    OpAsmParser &parser, ArrayAttr &variables, IntegerAttr &maxIterations,
    std::optional<OpAsmParser::UnresolvedOperand> &damping,
    FloatAttr &regularizer, FloatAttr &multiplier, OnFailureAttr &onFailure,
    JacobianModeAttr &jacobian, SolverAttr &solver, IntegerAttr &cgIterations,
    FloatAttr &cgTolerance, UnitAttr &history) {
  Builder &builder = parser.getBuilder();
  MLIRContext *context = parser.getContext();
  regularizer = builder.getF64FloatAttr(kDefaultRegularizer);
  multiplier = builder.getF64FloatAttr(kDefaultMultiplier);
  onFailure = OnFailureAttr::get(context, OnFailure::error);
  jacobian = JacobianModeAttr::get(context, JacobianMode::automatic);
  solver = SolverAttr::get(context, Solver::cholesky);
  auto parseVariables = [&] { return parser.parseAttribute(variables); };
  auto parseIterations = [&] { return parseCount(parser, maxIterations); };
  auto parseRegularizer = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult result = parser.parseOptionalOperand(operand);
    if (!result.has_value())
      return parseNumber(parser, regularizer);
    damping = operand;
    return *result;
  };
  auto parseMultiplier = [&] { return parseNumber(parser, multiplier); };
  auto parseOnFailure = [&] {
    return parseCase(parser, onFailure, symbolizeOnFailure, "error or reject");
  };
  auto parseJacobian = [&] {
    return parseCase(parser, jacobian, symbolizeJacobianMode,
                     "auto, reverse or forward");
  };
  auto parseSolver = [&] {
    return parseCase(parser, solver, symbolizeSolver, "cholesky or cg");
  };
  auto parseCgIterations = [&] { return parseCount(parser, cgIterations); };
  auto parseCgTolerance = [&] { return parseNumber(parser, cgTolerance); };
  auto parseHistory = [&] {
    history = builder.getUnitAttr();
    return ParseResult::success();
  };
  Clause clauses[] = {{"over", parseVariables},
                      {"max_iterations", parseIterations},
                      {"regularizer", parseRegularizer},
                      {"multiplier", parseMultiplier},
                      {"on_failure", parseOnFailure},
                      {"jacobian", parseJacobian},
                      {"solver", parseSolver},
                      {"cg_iterations", parseCgIterations},
                      {"cg_tolerance", parseCgTolerance},
                      {"history", parseHistory}};
  if (parseClauses(parser, clauses))
    return failure();
  if (!maxIterations)
    return parser.emitError(parser.getCurrentLocation())
           << "expected 'max_iterations'";
  return success();
}

void flywheel::train::printLeastSquaresClauses(
    OpAsmPrinter &printer, LeastSquaresOp, ArrayAttr variables,
    IntegerAttr maxIterations, Value damping, FloatAttr regularizer,
    FloatAttr multiplier, OnFailureAttr onFailure, JacobianModeAttr jacobian,
    SolverAttr solver, IntegerAttr cgIterations, FloatAttr cgTolerance,
    UnitAttr history) {
  auto print = [&](StringRef keyword, Attribute value) {
    printer << keyword << ' ';
    printer.printAttributeWithoutType(value);
  };
  // The space in front is that of the format.
  if (variables) {
    print("over", variables);
    printer << ' ';
  }
  print("max_iterations", maxIterations);
  if (damping)
    printer << " regularizer " << damping;
  else if (regularizer.getValueAsDouble() != kDefaultRegularizer)
    print(" regularizer", regularizer);
  if (multiplier.getValueAsDouble() != kDefaultMultiplier)
    print(" multiplier", multiplier);
  if (onFailure.getValue() != OnFailure::error)
    printer << " on_failure " << stringifyOnFailure(onFailure.getValue());
  if (jacobian.getValue() != JacobianMode::automatic)
    printer << " jacobian " << stringifyJacobianMode(jacobian.getValue());
  if (solver.getValue() != Solver::cholesky)
    printer << " solver " << stringifySolver(solver.getValue());
  if (cgIterations)
    print(" cg_iterations", cgIterations);
  if (cgTolerance)
    print(" cg_tolerance", cgTolerance);
  if (history)
    printer << " history";
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

/// Returns the types of the results: the objective, the final values, the
/// history.
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
