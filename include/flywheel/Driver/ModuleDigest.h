//===- ModuleDigest.h - What tells a module from others ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_MODULEDIGEST_H
#define FLYWHEEL_DRIVER_MODULEDIGEST_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace flywheel {

/// Returns 64 hexadecimal digits that are equal for equal modules, and differ
/// for others. `hasLocations` says whether the places of ops are a part of a
/// module; without, only their numbers are (see Places.h), so that modules that
/// differ in places by a bijection are equal. Takes no copy of the elements of
/// large constants.
std::string getModuleDigest(mlir::ModuleOp module, bool hasLocations);

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_MODULEDIGEST_H
