//===- StateChecks.cpp - The header of a block of state -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPointBuilder.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace flywheel {

EntryPointBuilder::EntryPointBuilder(ModuleOp module, Manifest &manifest,
                                     const DimSizeBounds &bounds,
                                     DenormalControl denormals)
    : EntryCode(module), manifest(manifest), bounds(bounds),
      denormals(denormals), prefix(toCIdentifier(manifest.model)) {
  for (auto [index, known] : llvm::enumerate(manifest.messages))
    statuses.try_emplace({known.kind, known.text}, index + 1);
}

//===----------------------------------------------------------------------===//
// Statuses
//===----------------------------------------------------------------------===//

int32_t EntryPointBuilder::getStatus(StatusKind kind, const Twine &message) {
  auto [it, isNew] =
      statuses.try_emplace({kind, message.str()}, manifest.messages.size() + 1);
  if (isNew)
    manifest.messages.push_back({kind, it->first.second});
  return it->second;
}

std::optional<int32_t>
EntryPointBuilder::getStatuses(ArrayRef<ManifestMessage> messages) {
  int32_t first = getStatus(messages.front().kind, messages.front().text);
  for (auto [index, message] : llvm::enumerate(messages))
    if (getStatus(message.kind, message.text) !=
        first + static_cast<int32_t>(index))
      return std::nullopt;
  return first;
}

std::string EntryPointBuilder::getNullStateMessage() const {
  return "the state of '" + manifest.model + "' is a null pointer";
}

Value EntryPointBuilder::emitFirst(ArrayRef<Failure> failures) {
  // Selections, not branches: recursive passes could not handle regions nested
  // as deeply as there are checks.
  Value status = constant(i32, 0);
  for (const Failure &failure : llvm::reverse(failures))
    status = select(
        failure.condition,
        failure.found ? failure.found : constant(i32, failure.status), status);
  return status;
}

Value EntryPointBuilder::emitOnState(Value state, function_ref<Value()> steps) {
  int32_t nullState = getStatus(StatusKind::NullState, getNullStateMessage());
  return emitIf(
      isNull(state), [&] { return constant(i32, nullState); },
      [&] {
        Value status = steps();
        store(status, state, kStateStatusOffset);
        return status;
      });
}

//===----------------------------------------------------------------------===//
// The header of a block of state
//===----------------------------------------------------------------------===//

EntryPointBuilder::Failure EntryPointBuilder::checkAlignment(Value state) {
  Value low = both(getAddress(state), constant(i64, kStateAlignment - 1));
  return {isNot(low, 0), getStatus(StatusKind::UnalignedState,
                                   "the state of '" + manifest.model +
                                       "' must be aligned to " +
                                       Twine(kStateAlignment) + " bytes")};
}

EntryPointBuilder::Failure EntryPointBuilder::checkHash(Value state) {
  return {negate(emitIsAdopted(state)),
          getStatus(StatusKind::NotInitialized,
                    getNotInitializedMessage(manifest))};
}

Value EntryPointBuilder::emitIsAdopted(Value state) {
  return isEqual(load(i64, state, kStateHashOffset),
                 constant(i64, static_cast<int64_t>(manifest.layoutHash)));
}

void EntryPointBuilder::emitAdoption(Value state) {
  emitIf(negate(emitIsAdopted(state)), [&] {
    fill(state, 0, getStateHeaderBytes(manifest.variables.size()));
    store(constant(i64, static_cast<int64_t>(manifest.layoutHash)), state,
          kStateHashOffset);
  });
}

Value EntryPointBuilder::emitHasValue(Value state, int64_t variable) {
  return isNot(load(i8, state, kStateInitializedOffset + variable), 0);
}

namespace {
/// Consecutive numbers of variables.
struct VariableRange {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};
} // namespace

/// Returns the ranges of consecutive `variables`. A range also ends before a
/// variable for which `isCut` returns true.
static SmallVector<VariableRange>
findRanges(ArrayRef<int64_t> variables, function_ref<bool(int64_t)> isCut) {
  SmallVector<VariableRange> ranges;
  for (int64_t variable : variables) {
    if (!ranges.empty() && ranges.back().end == variable && !isCut(variable))
      ++ranges.back().end;
    else
      ranges.push_back({variable, variable + 1});
  }
  return ranges;
}

/// Returns `M.find_zero(bytes, count) -> i64`: the index of the first of these
/// bytes that is 0; `count`, which is at least 8, if there is none.
func::FuncOp EntryPointBuilder::getZeroFinder() {
  if (zeroFinder)
    return zeroFinder;
  OpBuilder::InsertionGuard guard(b);
  zeroFinder = beginFunction(prefix + ".find_zero", i64, {ptr, i64});
  Value bytes = zeroFinder.getArgument(0), count = zeroFinder.getArgument(1);
  // Bytes of variables are 1 or 0, so eight of them are compared at a time. The
  // last word may overlap the one before.
  constexpr int64_t kOnes = 0x0101010101010101;
  auto loadWord = [&](Value at) -> Value {
    return LLVM::LoadOp::create(b, loc, i64, at, /*alignment=*/1);
  };
  Value last = loadWord(element(i8, bytes, subtract(count, constant(i64, 8))));
  Value words = arith::ShRUIOp::create(b, loc, count, constant(i64, 3));
  Value together = emitFold(words, last, [&](Value index, Value soFar) {
    return both(soFar, loadWord(element(i64, bytes, index)));
  });
  emitReturn(emitIf(
      isEqual(together, constant(i64, kOnes)), [&] { return count; },
      [&] {
        return emitFold(count, count, [&](Value index, Value first) {
          Value at = subtract(subtract(count, constant(i64, 1)), index);
          Value isZero =
              isEqual(load(i8, element(i8, bytes, at)), constant(i8, 0));
          return select(isZero, at, first);
        });
      }));
  return zeroFinder;
}

Value EntryPointBuilder::emitInitializedCheck(const ManifestEntry &entry,
                                              Value state) {
  auto statusOf = [&](int64_t index) { return getUninitializedStatus(index); };
  // In the order of the variables, so that the statuses of a range are
  // consecutive too, if no other entry has some of them.
  llvm::for_each(entry.reads, statusOf);
  SmallVector<VariableRange> ranges =
      findRanges(entry.reads, [&](int64_t index) {
        return statusOf(index) != statusOf(index - 1) + 1;
      });
  Value status = constant(i32, 0);
  for (VariableRange range : llvm::reverse(ranges)) {
    if (range.size() < kMinLooped) {
      for (int64_t index = range.end; index-- > range.begin;)
        status = select(emitHasValue(state, index), status,
                        constant(i32, statusOf(index)));
      continue;
    }
    Value first =
        emitCall(getZeroFinder(),
                 {offsetBy(state, kStateInitializedOffset + range.begin),
                  constant(i64, range.size())});
    Value failure = add(arith::TruncIOp::create(b, loc, i32, first),
                        constant(i32, statusOf(range.begin)));
    status = select(isNot(first, range.size()), failure, status);
  }
  return status;
}

void EntryPointBuilder::emitWritten(const ManifestEntry &entry, Value state) {
  for (VariableRange range :
       findRanges(entry.writes, [](int64_t) { return false; })) {
    int64_t begin = kStateInitializedOffset + range.begin;
    if (range.size() >= kMinLooped)
      fill(offsetBy(state, begin), 1, range.size());
    else
      for (int64_t offset = 0; offset < range.size(); ++offset)
        store(constant(i8, 1), state, begin + offset);
  }
}

} // namespace flywheel
