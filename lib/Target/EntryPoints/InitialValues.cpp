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

bool EntryPointBuilder::isRestored(int64_t index) const {
  return manifest.variables[index].start == VariableStart::Restored;
}

int32_t EntryPointBuilder::getUninitializedStatus(int64_t index) {
  return getStatus(StatusKind::UninitializedVariable,
                   getUninitializedMessage(manifest.variables[index]));
}

Value EntryPointBuilder::emitUnless(ArrayRef<Failure> failures,
                                    llvm::function_ref<Value()> next) {
  return failures.empty() ? next() : emitThen(emitFirst(failures), next);
}

/// Sets the bytes of `needs` for the variables whose storage must get an
/// initial value before the `roots` can. Emits a status that is not 0 if one is
/// computed from a variable that has no value and, with `commit`, is not a
/// root.
Value EntryPointBuilder::emitNeeds(Value state, Value roots, Value commit,
                                   Value needs) {
  size_t count = manifest.variables.size();
  // A block that is another model's has no values.
  Value isAdopted = emitIsAdopted(state);
  LLVM::MemcpyOp::create(b, loc, needs, roots, constant(i64, count),
                         /*isVolatile=*/false);
  SmallVector<SmallVector<int64_t>> users(count), operands(count);
  for (auto [index, variable] : llvm::enumerate(manifest.variables)) {
    for (int64_t operand : variable.initialValues)
      users[operand].push_back(index);
    for (auto *needed : {&variable.initialReads, &variable.initialValues})
      llvm::append_range(operands[index], *needed);
  }
  auto hasValue = [&](int64_t index) {
    return both(isAdopted, emitHasValue(state, index));
  };
  SmallVector<int64_t> order = train::orderInitialValues(operands);
  Failures failures;
  for (int64_t index : llvm::reverse(order)) {
    if (users[index].empty())
      continue;
    Value isUsed = constant(i8, 0);
    for (int64_t user : users[index])
      isUsed = either(isUsed, load(i8, needs, user));
    Value isMissing = select(hasValue(index), constant(i8, 0), isUsed);
    if (isRestored(index))
      failures.push_back({isNot(isMissing, 0), getUninitializedStatus(index)});
    store(either(load(i8, needs, index), isMissing), needs, index);
  }
  for (auto [index, variable] : llvm::enumerate(manifest.variables))
    for (int64_t operand : variable.initialReads) {
      Value isRoot = isNot(load(i8, roots, operand), 0);
      Value willHave = either(hasValue(operand), both(commit, isRoot));
      Value isNeeded = isNot(load(i8, needs, index), 0);
      failures.push_back(
          {both(isNeeded, negate(willHave)), getUninitializedStatus(operand)});
    }
  return emitFirst(failures);
}

/// `M.evaluate(state, workspace, seed, roots, commit) -> i32` puts the initial
/// values of the variables whose byte of `roots` is 1 in their storage, and
/// those of variables without a value that they are computed from. It leaves it
/// to the caller to store the status, and to say which of them have a value
/// now.
void EntryPointBuilder::emitEvaluator(const ManifestEntry &init,
                                      func::FuncOp kernel) {
  evaluator =
      beginFunction(prefix + ".evaluate", i32, {ptr, ptr, i64, ptr, i1});
  Value state = evaluator.getArgument(0), workspace = evaluator.getArgument(1),
        roots = evaluator.getArgument(3), commit = evaluator.getArgument(4);
  size_t count = manifest.variables.size();
  Value seed = stackSlots(i64, 1), needs = stackSlots(i8, count);
  Value modeSlots = stackSlots(i32, 2);

  store(evaluator.getArgument(2), seed);
  Value status = emitNeeds(state, roots, commit, needs);
  emitReturn(emitThen(status, [&] {
    emitAdoption(state);
    Value runs = offsetBy(state, getStateRunsOffset(count));
    PackedArguments arguments{state,         workspace,     Value(),
                              nullPointer(), nullPointer(), Value()};
    return emitKernelCall(init, kernel, arguments, {seed, runs, needs},
                          Worker(), modeSlots);
  }));
}

/// Emits the status of the evaluator.
Value EntryPointBuilder::emitEvaluation(Value state, Value workspace,
                                        Value seed, Value roots, bool commit) {
  return emitCall(evaluator,
                  {state, workspace, seed, roots, constant(i1, commit)});
}

/// Stores initial values for the variables of the entry that have no value but
/// need one. `roots` has a byte for each variable.
Value EntryPointBuilder::emitMissingValues(const ManifestEntry &entry,
                                           Value state, Value workspace,
                                           Value roots) {
  fill(roots, 0, manifest.variables.size());
  Value any = constant(i1, 0);
  Failures failures;
  for (int64_t index : entry.initializedValues) {
    Value isMissing = negate(emitHasValue(state, index));
    if (isRestored(index)) {
      failures.push_back({isMissing, getUninitializedStatus(index)});
      continue;
    }
    store(extend(isMissing, i8), roots, index);
    any = either(any, isMissing);
  }
  return emitUnless(failures, [&] {
    return emitIf(
        any,
        [&] {
          return emitEvaluation(state, workspace,
                                load(i64, state, kStateSeedOffset), roots,
                                /*commit=*/false);
        },
        [&] { return constant(i32, 0); });
  });
}

/// Sets the bytes of `roots` for the variables that `select` selects, by
/// default all global variables with an initial value.
void EntryPointBuilder::emitRoots(Value select, Value roots) {
  int64_t count = manifest.variables.size();
  emitIf(isNull(select), [&] {
    fill(roots, 1, count);
    for (auto [index, variable] : llvm::enumerate(manifest.variables))
      if (!variable.isInCollection(kGlobalCollection) || isRestored(index))
        store(constant(i8, 0), roots, index);
  });
  emitIf(negate(isNull(select)), [&] {
    emitLoop(count, [&](Value index) {
      Value isSelected = isNot(load(i8, element(i8, select, index)), 0);
      store(extend(isSelected, i8), element(i8, roots, index));
    });
  });
}

/// Marks the `roots` as having values, and counts one more run.
void EntryPointBuilder::emitCommit(Value state, Value roots) {
  int64_t count = manifest.variables.size();
  Value initialized = offsetBy(state, kStateInitializedOffset);
  Value runs = offsetBy(state, getStateRunsOffset(count));
  emitLoop(count, [&](Value index) {
    Value root = load(i8, element(i8, roots, index));
    Value byte = element(i8, initialized, index);
    store(either(load(i8, byte), root), byte);
    Value run = element(i64, runs, index);
    store(add(load(i64, run), extend(root, i64)), run);
  });
}

func::FuncOp
EntryPointBuilder::emitPackedInitializer(const ManifestEntry &entry) {
  func::FuncOp func = beginFunction(getPackedSymbol(manifest, entry), i32,
                                    {ptr, ptr, ptr, ptr, ptr});
  Value state = func.getArgument(0), workspace = func.getArgument(1),
        feeds = func.getArgument(2);
  Value roots = stackSlots(i8, manifest.variables.size());
  emitReturn(emitOnState(state, [&] {
    Value seedPointer = load(ptr, element(ptr, feeds, int64_t{0}));
    Value status = emitFirst(
        {checkAlignment(state),
         Failure{isNull(seedPointer),
                 getStatus(StatusKind::NullArgument,
                           "You must feed a value for placeholder 'seed'")}});
    return emitThen(status, [&] {
      Value seed = load(i64, seedPointer);
      emitRoots(load(ptr, element(ptr, feeds, 1)), roots);
      Failures failures;
      for (int64_t index = 0, e = manifest.variables.size(); index < e; ++index)
        if (isRestored(index))
          failures.push_back(
              {isNot(load(i8, roots, index), 0),
               getStatus(StatusKind::UninitializedVariable,
                         "variable '" + manifest.variables[index].name +
                             "' has no initial value: restore it")});
      return emitUnless(failures, [&] {
        Value status = constant(i32, 0);
        if (evaluator)
          status =
              emitEvaluation(state, workspace, seed, roots, /*commit=*/true);
        else
          emitAdoption(state);
        return emitThen(status, [&] {
          emitCommit(state, roots);
          store(seed, state, kStateSeedOffset);
          return constant(i32, 0);
        });
      });
    });
  }));
  return func;
}

} // namespace flywheel
