//===- KernelTable.cpp - The kernels that a step measures -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTable.h"

#include "flywheel/Support/CheckedSize.h"
#include "flywheel/Support/Phases.h"

using namespace mlir;

namespace flywheel {

FailureOr<KernelTable> KernelTable::begin(ModuleOp module, int64_t events) {
  FailureOr<Manifest> manifest = Manifest::readFrom(module);
  if (failed(manifest))
    return failure();
  if (manifest->profile)
    return module.emitError(
        "expected a module without a profile, found one with it");
  if (events < 0)
    return module.emitError("expected 'events' of at least 0");
  KernelTable table;
  table.profile.events = events;
  table.profile.offset = manifest->stateBytes;
  table.manifest = std::move(*manifest);
  return table;
}

int64_t KernelTable::add(ManifestEntry &entry, ManifestKernel kernel) {
  kernel.name = entry.name + "." + kernel.name + "." +
                std::to_string(entry.kernels.size());
  entry.kernels.push_back(std::move(kernel));
  return profile.kernels++;
}

LogicalResult KernelTable::attachTo(ModuleOp module) {
  CheckedSize end = CheckedSize(profile.offset) +
                    CheckedSize(profile.workers * profile.getStride());
  if (end.isTooLarge())
    return module.emitError() << "the profile ends behind the state block's "
                                 "largest size, "
                              << kMaxSizeText << " bytes";
  manifest.stateBytes = end.getSaturated();
  manifest.profile = profile;
  manifest.attachTo(module);
  return success();
}

std::string nameKernel(StringRef op, Location location) {
  StringRef name = op.contains('.') ? op.rsplit('.').second : op;
  return (name + (isMarkedBackward(location) ? "_grad" : "")).str();
}

} // namespace flywheel
