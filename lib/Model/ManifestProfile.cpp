//===- ManifestProfile.cpp - Layout of a profile in the state -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Model/Manifest.h"

#include "flywheel/Support/CheckedSize.h"

using namespace mlir;

namespace flywheel {

FailureOr<ManifestProfile> Manifest::beginProfile(ModuleOp module,
                                                  int64_t events) const {
  if (profile)
    return module.emitError(
        "expected a module without a profile, found one with it");
  if (events < 0)
    return module.emitError("expected 'events' of at least 0");
  ManifestProfile result;
  result.events = events;
  result.offset = stateBytes;
  return result;
}

LogicalResult Manifest::addProfile(ModuleOp module,
                                   const ManifestProfile &added) {
  CheckedSize end = CheckedSize(added.offset) +
                    CheckedSize(added.workers * added.getStride());
  if (end.isTooLarge())
    return module.emitError() << "the profile ends behind the state block's "
                                 "largest size, "
                              << kMaxSizeText << " bytes";
  stateBytes = end.getSaturated();
  profile = added;
  attachTo(module);
  return success();
}

} // namespace flywheel
