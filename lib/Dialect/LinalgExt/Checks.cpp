//===- Checks.cpp - Checks when a step runs -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Support/OpNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::linalg_ext;

std::optional<int64_t> flywheel::linalg_ext::getDimension(tensor::DimOp op) {
  std::optional<int64_t> index = op.getConstantIndex();
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!index || !type || *index < 0 || *index >= type.getRank())
    return std::nullopt;
  return index;
}

Value flywheel::linalg_ext::emitFirstCondition(OpBuilder &b,
                                               scf::WhileOp loop) {
  Block &before = loop.getBefore().front();
  // The loop itself makes its checks.
  auto isCopied = [](Operation &op) { return !isa<CheckOp>(op); };
  for (Operation &op : before.without_terminator())
    if (isCopied(op) && !isMemoryEffectFree(&op))
      return {};
  IRMapping values;
  values.map(before.getArguments(), loop.getInits());
  for (Operation &op : before.without_terminator())
    if (isCopied(op))
      b.clone(op, values);
  return values.lookupOrDefault(loop.getConditionOp().getCondition());
}

std::string NamedNumbers::add(OpFoldResult number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return std::to_string(*constant);
  auto *known = llvm::find(values, cast<Value>(number));
  if (known == values.end()) {
    if (values.size() == kMaxNamedNumbers)
      return "?";
    values.push_back(cast<Value>(number));
    known = std::prev(values.end());
  }
  return std::string(1, static_cast<char>(1 + (known - values.begin())));
}

CheckOp flywheel::linalg_ext::createCheck(OpBuilder &b, Operation *op,
                                          CheckKind kind, Value ok,
                                          const Twine &expected,
                                          const Twine &found,
                                          const NamedNumbers &numbers) {
  std::string behind = found.str();
  return CheckOp::create(b, op->getLoc(), kind, ok, b.getStringAttr(expected),
                         b.getStringAttr(getSourceOpName(op)),
                         behind.empty() ? StringAttr()
                                        : b.getStringAttr(behind),
                         numbers.getValues(), /*safe=*/false);
}

std::string CheckOp::describeSource() {
  if (!getSource())
    return "";
  std::string place = formatPlace(getLoc(), *this);
  return "in '" + getSource()->str() + "'" +
         (place.empty() ? "" : " at " + place);
}

std::string CheckOp::getMessage() {
  std::string source = describeSource();
  return getExpected().str() + (source.empty() ? "" : " " + source) +
         getFound().value_or("").str();
}

void flywheel::linalg_ext::convertAsserts(Operation *root) {
  root->walk([](cf::AssertOp op) {
    std::string text = op.getMsg().str();
    // Its own numbers do not stand for others.
    for (char &c : text)
      if (c >= 1 && static_cast<size_t>(c) <= kMaxNamedNumbers)
        c = '?';
    OpBuilder b(op);
    CheckOp::create(b, op.getLoc(), CheckKind::data, op.getArg(),
                    b.getStringAttr(text));
    op.erase();
  });
}

void flywheel::linalg_ext::lowerChecks(Operation *root) {
  root->walk([](CheckOp op) {
    OpBuilder b(op);
    cf::AssertOp::create(b, op.getLoc(), op.getOk(), op.getMessage());
    op.erase();
  });
  root->walk([](CompareSizesOp op) {
    OpBuilder b(op);
    auto predicate = op.getPredicate() == SizePredicate::eq
                         ? arith::CmpIPredicate::eq
                         : arith::CmpIPredicate::sge;
    op.replaceAllUsesWith(arith::CmpIOp::create(b, op.getLoc(), predicate,
                                                op.getLhs(), op.getRhs())
                              .getResult());
    op.erase();
  });
}
