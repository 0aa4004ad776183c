//===- ReverseSweep.cpp - Cotangents through a list of ops ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Autodiff/ReverseSweep.h"

#include "flywheel/Autodiff/AddCotangents.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Interfaces/DifferentiableOpInterface.h"
#include "flywheel/Support/OpNames.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace flywheel {

/// Returns a type of `op` to which rules cannot be applied, or null. Rules need
/// a zero, a sign and a known rank.
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
  sum = sum ? addCotangents(builder, loc, sum, cotangent) : cotangent;
}

bool ReverseSweep::isOwn(Value cotangent) const {
  return isa_and_present<scf::ForOp, scf::IfOp>(cotangent.getDefiningOp()) &&
         cotangent.use_empty() && llvm::none_of(cotangents, [&](auto &entry) {
           return entry.second == cotangent;
         });
}

Value ReverseSweep::addCotangentTo(Location loc, Value sum, Value value) {
  Value cotangent = cotangents.lookup(value);
  if (!cotangent)
    return sum;
  cotangents.erase(value);
  return addCotangents(builder, loc, sum, cotangent, isOwn(cotangent));
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
    Value &sum = cotangents[inputs[i]];
    sum = sum ? addCotangents(builder, op->getLoc(), sum, cotangent,
                              isOwn(cotangent) &&
                                  llvm::count(inputCotangents, cotangent) == 1)
              : cotangent;
  }
  return success();
}

/// Returns true if `op` only moves or reshapes the elements that it reads, so
/// that their cotangent is that of its result.
static bool isRead(Operation *op) {
  return isa<nn::GatherOp, tensor::CastOp, tensor::CollapseShapeOp,
             tensor::ExpandShapeOp, tensor::ExtractOp, tensor::ExtractSliceOp>(
      op);
}

/// Returns the ops that compute the operands and captures of `op`.
static SetVector<Operation *> getProducers(Operation *op) {
  SmallVector<Value> inputs(op->getOperands());
  llvm::append_range(inputs, getDifferentiableCaptures(op));
  SetVector<Operation *> producers;
  for (Value input : inputs)
    if (Operation *producer = input.getDefiningOp())
      producers.insert(producer);
  return producers;
}

LogicalResult ReverseSweep::run() {
  // For each op, the number of its users that have not been propagated through.
  llvm::DenseMap<Operation *, unsigned> numUsers;
  for (Operation *op : activity.ops)
    numUsers.try_emplace(op, 0);
  auto forEachProducer = [&](Operation *op, auto function) {
    for (Operation *producer : getProducers(op))
      if (auto it = numUsers.find(producer); it != numUsers.end())
        function(producer, it->second);
  };
  for (Operation *op : activity.ops)
    forEachProducer(op, [](Operation *, unsigned &count) { ++count; });
  // Rows of a table that nothing else reads are added to nothing: they are
  // propagated through in the order of the program.
  auto isAddedTo = [&](Operation *read) {
    return !isa<nn::GatherOp>(read) ||
           llvm::count_if(read->getOperand(0).getUsers(), [&](Operation *user) {
             return numUsers.contains(user);
           }) > 1;
  };

  llvm::SmallPtrSet<Operation *, 32> done;
  for (Operation *last : llvm::reverse(activity.ops)) {
    if (done.contains(last))
      continue;
    // Add the cotangent of a slice to the cotangent of its tensor at once.
    // Otherwise the cotangents of all slices would stay live until the reads
    // are reached.
    SmallVector<Operation *> ready{last};
    while (!ready.empty()) {
      Operation *op = ready.pop_back_val();
      done.insert(op);
      // A rule may replace the op.
      SmallVector<Operation *> reads;
      forEachProducer(op, [&](Operation *producer, unsigned &count) {
        if (--count == 0 && isRead(producer) && isAddedTo(producer))
          reads.push_back(producer);
      });
      if (failed(propagate(op)))
        return failure();
      llvm::append_range(ready, reads);
    }
  }
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
