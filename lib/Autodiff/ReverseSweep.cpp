//===- ReverseSweep.cpp - Cotangents through a list of ops ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Autodiff/ReverseSweep.h"

#include "flywheel/Interfaces/DifferentiableOpInterface.h"
#include "flywheel/Support/OpNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace flywheel {

/// A type that rules cannot be applied to, or null. Rules need a zero, a sign
/// and a known rank.
static Type findUnsupportedType(Operation *op) {
  auto isUnsupported = [](Type type) {
    if (!carriesDerivative(type))
      return false;
    if (isa<ShapedType>(type) && !isa<RankedTensorType, VectorType>(type))
      return true;
    return !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
        getElementTypeOrSelf(type));
  };
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (isUnsupported(type))
        return type;
  return {};
}

void ReverseSweep::accumulate(Location loc, Value value, Value cotangent) {
  Value &sum = cotangents[value];
  sum = sum ? arith::AddFOp::create(builder, loc, sum, cotangent) : cotangent;
}

LogicalResult ReverseSweep::emitMissingRule(Operation *op, Type type) {
  InFlightDiagnostic error = op->emitError()
                             << "no derivative rule for '"
                             << getSourceOpName(op) << "' on " << type;
  if (isa<scf::WhileOp>(op)) {
    error << ": found no bound of the number of its iterations";
    error.attachNote(op->getLoc())
        << "add a bound: carry an integer that each iteration changes by a "
           "constant, compare it with the largest number of iterations by "
           "'arith.cmpi', and make that the condition of the loop, or its "
           "'arith.andi' with what else ends the loop";
  }
  if (request)
    error.attachNote(request->getLoc()) << "the gradient requested here";
  return error;
}

LogicalResult ReverseSweep::propagate(Operation *op) {
  SmallVector<Value> resultCotangents;
  for (Value result : op->getResults())
    resultCotangents.push_back(llvm::is_contained(stops, result)
                                   ? Value()
                                   : cotangents.lookup(result));
  auto *reached = llvm::find_if(
      resultCotangents, [](Value value) { return static_cast<bool>(value); });
  if (reached == resultCotangents.end())
    return success();

  SmallVector<Value> inputs(op->getOperands());
  SmallVector<bool> needed;
  for (OpOperand &operand : op->getOpOperands())
    needed.push_back(isActive(operand.get()) && hasDerivative(operand));
  SmallVector<Value> captures = getDifferentiableCaptures(op);
  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  Type unsupported = findUnsupportedType(op);
  if (!rule || unsupported ||
      (!rule.differentiatesCaptures() &&
       llvm::any_of(captures, [&](Value value) { return isActive(value); })))
    return emitMissingRule(op,
                           unsupported ? unsupported : (*reached).getType());
  if (rule.differentiatesCaptures()) {
    for (Value capture : captures)
      needed.push_back(isActive(capture));
    llvm::append_range(inputs, captures);
  }

  SmallVector<Value> inputCotangents(inputs.size());
  if (failed(rule.emitVjp(builder, resultCotangents, needed, inputCotangents)))
    return failure();
  ++numRules;

  for (auto [i, cotangent] : llvm::enumerate(inputCotangents)) {
    if (!needed[i] || !cotangent)
      continue;
    if (cotangent.getType() != inputs[i].getType())
      return op->emitOpError() << "expected a derivative rule that gives a "
                                  "cotangent of type "
                               << inputs[i].getType() << " for input #" << i
                               << ", found " << cotangent.getType();
    accumulate(op->getLoc(), inputs[i], cotangent);
  }
  return success();
}

LogicalResult ReverseSweep::run() {
  for (Operation *op : llvm::reverse(activity.ops))
    if (failed(propagate(op)))
      return failure();
  return success();
}

void eraseDeadOps(Block &block) {
  SmallVector<Operation *> ops = llvm::map_to_vector(
      block.without_terminator(), [](Operation &op) { return &op; });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

} // namespace flywheel
