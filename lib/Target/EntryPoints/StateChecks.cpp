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
      denormals(denormals), prefix(toCIdentifier(manifest.model)) {}

//===----------------------------------------------------------------------===//
// Statuses
//===----------------------------------------------------------------------===//

int32_t EntryPointBuilder::getStatus(StatusKind kind, const Twine &message) {
  std::string text = message.str();
  for (auto [index, known] : llvm::enumerate(manifest.messages))
    if (known.kind == kind && known.text == text)
      return static_cast<int32_t>(index) + 1;
  manifest.messages.push_back({kind, std::move(text)});
  return static_cast<int32_t>(manifest.messages.size());
}

std::string EntryPointBuilder::getNullStateMessage() const {
  return "the state of '" + manifest.model + "' is a null pointer";
}

Value EntryPointBuilder::emitFirst(ArrayRef<Failure> failures) {
  // Selections, not branches: regions of as many levels as there are checks
  // would be too many for what recurses.
  Value status = constant(i32, 0);
  for (const Failure &failure : llvm::reverse(failures))
    status = select(failure.condition, constant(i32, failure.status), status);
  return status;
}

Value EntryPointBuilder::emitOnState(Value state, function_ref<Value()> steps) {
  int32_t nullState =
      getStatus(StatusKind::InvalidArgument, getNullStateMessage());
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
  return {isNot(low, 0), getStatus(StatusKind::InvalidArgument,
                                   "the state of '" + manifest.model +
                                       "' must be aligned to " +
                                       Twine(kStateAlignment) + " bytes")};
}

EntryPointBuilder::Failure EntryPointBuilder::checkHash(Value state) {
  return {negate(emitIsAdopted(state)),
          getStatus(StatusKind::FailedPrecondition,
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

void EntryPointBuilder::checkInitialized(const ManifestEntry &entry,
                                         Value state, Failures &failures) {
  for (int64_t index : entry.reads)
    failures.push_back(
        {negate(emitHasValue(state, index)),
         getStatus(StatusKind::FailedPrecondition,
                   getUninitializedMessage(manifest.variables[index]))});
}

} // namespace flywheel
