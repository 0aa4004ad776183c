//===- SCF.cpp - Batching rules of structured control flow ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Batches the body of a branch or loop if the condition or bounds are the same
// for all positions. A carried value may become batched in an iteration: the
// body is emitted again until the forms of carried values do not change.
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace flywheel {
namespace {
/// The storage form of a value that control flow forwards.
struct Form {
  BatchedValue::Kind kind;
  int64_t dim = 0;
  /// Zero may be taken for a diagonal value.
  bool isZero = false;

  bool operator==(const Form &other) const {
    return kind == other.kind && dim == other.dim && isZero == other.isZero;
  }
};
} // namespace

static Form getForm(Value value, Batcher &batcher) {
  BatchedValue found = batcher.lookup(value);
  if (found.isDiagonalInBlocks() && !found.isDiagonal())
    return {BatchedValue::Kind::Dense};
  return {found.kind, found.dim, batcher.isZero(value)};
}

/// Returns a form that can hold values of both forms.
static Form join(Form a, Form b) {
  using Kind = BatchedValue::Kind;
  if (a == b)
    return a;
  if (a.isZero && b.isZero)
    return {Kind::Uniform, 0, /*isZero=*/true};
  if (a.isZero && b.kind == Kind::Diagonal)
    return b;
  if (b.isZero && a.kind == Kind::Diagonal)
    return a;
  if (a.kind == Kind::Uniform && b.kind == Kind::Uniform)
    return {Kind::Uniform};
  return {Kind::Dense};
}

/// Emits `value` in `form`, which can hold its own form.
static Value emitAs(Form form, Value value, Batcher &batcher) {
  return form.kind == BatchedValue::Kind::Dense
             ? batcher.getDense(value.getLoc(), value)
             : batcher.lookup(value).value;
}

/// Says that `value` has become `emitted`, of that form.
static void setAs(Form form, Value value, Value emitted, Batcher &batcher) {
  switch (form.kind) {
  case BatchedValue::Kind::Uniform:
    return batcher.setUniform(value, emitted);
  case BatchedValue::Kind::Diagonal:
    return batcher.setDiagonal(value, emitted, form.dim);
  case BatchedValue::Kind::Dense:
    return batcher.setDense(value, emitted);
  }
}

namespace {
struct IfBatching : BatchingModel<IfBatching, scf::IfOp> {
  static LogicalResult emit(scf::IfOp op, Batcher &batcher) {
    OpBuilder &b = batcher.getBuilder();
    OpBuilder::InsertionGuard guard(b);
    auto branch = scf::IfOp::create(b, op.getLoc(), TypeRange(),
                                    batcher.getUniform(op.getCondition()),
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    Operation *last = branch;
    auto emitBlock = [&](Block *from, Block *to) {
      b.setInsertionPointToStart(to);
      return batcher.batchBody(*from);
    };
    if (failed(emitBlock(op.thenBlock(), branch.thenBlock())) ||
        failed(emitBlock(op.elseBlock(), branch.elseBlock())))
      return failure();

    // The forms of the results are known once both branches are emitted.
    SmallVector<Form> forms;
    for (auto [left, right] : llvm::zip_equal(op.thenYield().getOperands(),
                                              op.elseYield().getOperands()))
      forms.push_back(join(getForm(left, batcher), getForm(right, batcher)));
    SmallVector<Type> types;
    auto emitYield = [&](scf::YieldOp from, Block *to) {
      b.setInsertionPointToEnd(to);
      SmallVector<Value> values;
      types.clear();
      for (auto [form, value] : llvm::zip_equal(forms, from.getOperands())) {
        values.push_back(emitAs(form, value, batcher));
        types.push_back(values.back().getType());
      }
      if (!to->empty() && to->back().hasTrait<OpTrait::IsTerminator>())
        to->back().erase();
      b.setInsertionPointToEnd(to);
      scf::YieldOp::create(b, from.getLoc(), values);
    };
    emitYield(op.thenYield(), branch.thenBlock());
    emitYield(op.elseYield(), branch.elseBlock());
    b.setInsertionPointAfter(last);
    auto typed = scf::IfOp::create(b, op.getLoc(), types, branch.getCondition(),
                                   /*addThenBlock=*/false,
                                   /*addElseBlock=*/false);
    typed.getThenRegion().takeBody(branch.getThenRegion());
    typed.getElseRegion().takeBody(branch.getElseRegion());
    branch.erase();
    for (auto [form, old, result] :
         llvm::zip_equal(forms, op.getResults(), typed.getResults()))
      setAs(form, old, result, batcher);
    return success();
  }
};

struct ForBatching : BatchingModel<ForBatching, scf::ForOp> {
  /// Emits the loop for carried values of `forms`, and sets `forms` to those
  /// that its body yields.
  static FailureOr<scf::ForOp> emitLoop(scf::ForOp op, Batcher &batcher,
                                        SmallVectorImpl<Form> &forms,
                                        bool &isSettled) {
    OpBuilder &b = batcher.getBuilder();
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Value> inits;
    for (auto [form, init] : llvm::zip_equal(forms, op.getInitArgs()))
      inits.push_back(emitAs(form, init, batcher));
    auto loop = scf::ForOp::create(b, op.getLoc(),
                                   batcher.getUniform(op.getLowerBound()),
                                   batcher.getUniform(op.getUpperBound()),
                                   batcher.getUniform(op.getStep()), inits);
    loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    b.setInsertionPointToStart(loop.getBody());
    batcher.setUniform(op.getInductionVar(), loop.getInductionVar());
    for (auto [form, old, argument, init] : llvm::zip_equal(
             forms, op.getRegionIterArgs(), loop.getRegionIterArgs(), inits))
      // A value that is zero initially is assumed to stay zero until the body
      // yields another value.
      setAs(form, old, form.isZero ? init : Value(argument), batcher);
    if (failed(batcher.batchBody(*op.getBody())))
      return failure();

    auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
    isSettled = true;
    for (auto [form, value] : llvm::zip_equal(forms, yield.getOperands())) {
      Form joined = join(form, getForm(value, batcher));
      isSettled &= joined == form;
      form = joined;
    }
    if (!isSettled)
      return loop;
    SmallVector<Value> yielded;
    for (auto [form, value] : llvm::zip_equal(forms, yield.getOperands()))
      yielded.push_back(emitAs(form, value, batcher));
    if (!yielded.empty())
      scf::YieldOp::create(b, yield.getLoc(), yielded);
    return loop;
  }

  static LogicalResult emit(scf::ForOp op, Batcher &batcher) {
    SmallVector<Form> forms;
    for (Value init : op.getInitArgs())
      forms.push_back(getForm(init, batcher));
    while (true) {
      bool isSettled = false;
      FailureOr<scf::ForOp> loop = emitLoop(op, batcher, forms, isSettled);
      if (failed(loop))
        return failure();
      if (!isSettled) {
        loop->erase();
        continue;
      }
      for (auto [form, old, result] :
           llvm::zip_equal(forms, op.getResults(), loop->getResults()))
        setAs(form, old, result, batcher);
      return success();
    }
  }
};
} // namespace

ArrayRef<BatchingRule> getSCFBatchingRules() {
  static const BatchingRule rules[] = {
      batched<scf::ForOp, ForBatching>(),
      batched<scf::IfOp, IfBatching>(),
  };
  return rules;
}

} // namespace flywheel
