//===- InitialValues.cpp - Entry points that give initial values ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPointBuilder.h"
#include "flywheel/Dialect/Train/InitialOrder.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace flywheel {

/// Sets the bytes of `needs`: of the variables whose storage must get an
/// initial value so that the `roots` can have theirs. Fails where one is
/// computed from a variable that has no value and, with `commit`, is no root.
void EntryPointBuilder::emitNeeds(Value state, Value roots, Value commit,
                                  Value needs) {
  size_t count = manifest.variables.size();
  // A block that is another model's has no values.
  Value isAdopted = emitIsAdopted(state);
  LLVM::MemcpyOp::create(b, loc, needs, roots, constant(i64, count),
                         /*isVolatile=*/false);
  SmallVector<SmallVector<int64_t>> users(count);
  for (auto [index, variable] : llvm::enumerate(manifest.variables))
    for (int64_t operand : variable.initialValues)
      users[operand].push_back(index);
  auto hasValue = [&](int64_t index) -> Value {
    return LLVM::AndOp::create(b, loc, isAdopted, emitHasValue(state, index));
  };
  SmallVector<SmallVector<int64_t>> operands(count);
  for (auto [index, variable] : llvm::enumerate(manifest.variables))
    for (auto *needed : {&variable.initialReads, &variable.initialValues})
      llvm::append_range(operands[index], *needed);
  SmallVector<int64_t> order = train::orderInitialValues(operands);
  for (int64_t index : llvm::reverse(order)) {
    if (users[index].empty())
      continue;
    Value isUsed = constant(i8, 0);
    for (int64_t user : users[index])
      isUsed = LLVM::OrOp::create(b, loc, isUsed, load(i8, needs, user));
    Value isMissing = LLVM::SelectOp::create(b, loc, hasValue(index),
                                             constant(i8, 0), isUsed);
    store(LLVM::OrOp::create(b, loc, load(i8, needs, index), isMissing), needs,
          index);
  }
  for (auto [index, variable] : llvm::enumerate(manifest.variables))
    for (int64_t operand : variable.initialReads) {
      Value isRoot = emitCompare(LLVM::ICmpPredicate::ne,
                                 load(i8, roots, operand), constant(i8, 0));
      Value willHave =
          LLVM::OrOp::create(b, loc, hasValue(operand),
                             LLVM::AndOp::create(b, loc, commit, isRoot));
      Value isNeeded = emitCompare(LLVM::ICmpPredicate::ne,
                                   load(i8, needs, index), constant(i8, 0));
      Value isMissing =
          LLVM::XOrOp::create(b, loc, willHave, constant(b.getI1Type(), 1));
      failIf(LLVM::AndOp::create(b, loc, isNeeded, isMissing),
             StatusKind::FailedPrecondition,
             getUninitializedMessage(manifest.variables[operand]));
    }
}

/// `M.evaluate(state, workspace, seed, roots, commit) -> i32` puts the initial
/// values of the variables whose byte of `roots` is 1 in their storage, and
/// those of variables without a value that they are computed from. It leaves it
/// to the caller to say which of them have a value now.
void EntryPointBuilder::emitEvaluator(const ManifestEntry &init,
                                      LLVM::LLVMFuncOp kernel) {
  evaluator = beginFunction(prefix + ".evaluate", i32,
                            {ptr, ptr, i64, ptr, b.getI1Type()});
  evaluator.setLinkage(LLVM::Linkage::Internal);
  Block &arguments = evaluator.getBody().front();
  Value state = arguments.getArgument(0), workspace = arguments.getArgument(1),
        roots = arguments.getArgument(3);
  size_t count = manifest.variables.size();
  Value seed = stackSlots(i64, 1), needs = stackSlots(i8, count);
  Value modeSlots = stackSlots(i32, 2);

  addFailBlock(state);
  store(arguments.getArgument(2), seed, 0);
  emitNeeds(state, roots, arguments.getArgument(4), needs);
  emitAdoption(state);
  Value runs = offsetBy(state, getStateRunsOffset(count));
  emitKernelCall(init, kernel, state, workspace, {seed, runs, needs},
                 nullPointer(), nullPointer(), modeSlots);
  emitReturn(constant(i32, 0));
}

/// Calls the evaluator and leaves if it fails.
void EntryPointBuilder::emitEvaluation(Value state, Value workspace, Value seed,
                                       Value roots, bool commit) {
  Value flag = constant(b.getI1Type(), commit);
  failOnStatus(
      LLVM::CallOp::create(b, loc, evaluator,
                           ValueRange{state, workspace, seed, roots, flag})
          .getResult());
}

/// Puts initial values where the entry takes them and there is no value.
void EntryPointBuilder::emitInitialValues(const ManifestEntry &entry,
                                          Value state, Value workspace) {
  if (entry.initializedValues.empty())
    return;
  size_t count = manifest.variables.size();
  Value roots = stackSlots(i8, count);
  LLVM::MemsetOp::create(b, loc, roots, constant(i8, 0), constant(i64, count),
                         /*isVolatile=*/false);
  Value any = constant(b.getI1Type(), 0);
  for (int64_t index : entry.initializedValues) {
    Value isMissing = LLVM::XOrOp::create(b, loc, emitHasValue(state, index),
                                          constant(b.getI1Type(), 1));
    store(LLVM::ZExtOp::create(b, loc, i8, isMissing), roots, index);
    any = LLVM::OrOp::create(b, loc, any, isMissing);
  }
  Block *evaluate = addBlock(), *next = addBlock();
  LLVM::CondBrOp::create(b, loc, any, evaluate, next);
  b.setInsertionPointToEnd(evaluate);
  emitEvaluation(state, workspace, load(i64, state, kStateSeedOffset), roots,
                 /*commit=*/false);
  LLVM::BrOp::create(b, loc, ValueRange{}, next);
  b.setInsertionPointToEnd(next);
}

LLVM::LLVMFuncOp
EntryPointBuilder::emitPackedInitializer(const ManifestEntry &entry) {
  LLVM::LLVMFuncOp func = beginFunction(getPackedSymbol(manifest, entry), i32,
                                        {ptr, ptr, ptr, ptr, ptr});
  func.setVisibility_(LLVM::Visibility::Hidden);
  Block &arguments = func.getBody().front();
  Value state = arguments.getArgument(0), workspace = arguments.getArgument(1),
        feeds = arguments.getArgument(2);
  int64_t count = manifest.variables.size();
  Value roots = stackSlots(i8, count);

  addFailBlock(state);
  emitStateChecks(state);
  Value seed = LLVM::LoadOp::create(b, loc, ptr, element(ptr, feeds, 0));
  failIf(isNull(seed), StatusKind::InvalidArgument,
         "You must feed a value for placeholder 'seed'");
  seed = load(i64, seed, 0);
  Value select = LLVM::LoadOp::create(b, loc, ptr, element(ptr, feeds, 1));
  Block *all = addBlock(), *some = addBlock(), *next = addBlock();
  LLVM::CondBrOp::create(b, loc, isNull(select), all, some);
  b.setInsertionPointToEnd(all);
  LLVM::MemsetOp::create(b, loc, roots, constant(i8, 1), constant(i64, count),
                         /*isVolatile=*/false);
  for (auto [index, variable] : llvm::enumerate(manifest.variables))
    if (!variable.isInCollection(kGlobalCollection))
      store(constant(i8, 0), roots, index);
  LLVM::BrOp::create(b, loc, ValueRange{}, next);
  b.setInsertionPointToEnd(some);
  emitLoop(count, [&](Value index) {
    Value byte = LLVM::LoadOp::create(b, loc, i8, element(i8, select, index));
    Value isSelected =
        emitCompare(LLVM::ICmpPredicate::ne, byte, constant(i8, 0));
    LLVM::StoreOp::create(b, loc, LLVM::ZExtOp::create(b, loc, i8, isSelected),
                          element(i8, roots, index));
  });
  LLVM::BrOp::create(b, loc, ValueRange{}, next);
  b.setInsertionPointToEnd(next);

  if (evaluator) {
    emitEvaluation(state, workspace, seed, roots, /*commit=*/true);
  } else {
    emitAdoption(state);
  }

  Value initialized = offsetBy(state, kStateInitializedOffset);
  Value runs = offsetBy(state, getStateRunsOffset(count));
  emitLoop(count, [&](Value index) {
    Value root = LLVM::LoadOp::create(b, loc, i8, element(i8, roots, index));
    Value byte = element(i8, initialized, index);
    Value has = LLVM::LoadOp::create(b, loc, i8, byte);
    LLVM::StoreOp::create(b, loc, LLVM::OrOp::create(b, loc, has, root), byte);
    Value run = element(i64, runs, index);
    Value next =
        LLVM::AddOp::create(b, loc, LLVM::LoadOp::create(b, loc, i64, run),
                            LLVM::ZExtOp::create(b, loc, i64, root));
    LLVM::StoreOp::create(b, loc, next, run);
  });
  store(seed, state, kStateSeedOffset);
  store(constant(i32, 0), state, kStateStatusOffset);
  emitReturn(constant(i32, 0));
  return func;
}

} // namespace flywheel
