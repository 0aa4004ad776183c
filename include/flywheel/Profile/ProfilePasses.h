//===- ProfilePasses.h - Passes that measure -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PROFILE_PROFILEPASSES_H
#define FLYWHEEL_PROFILE_PROFILEPASSES_H

#include "flywheel/Support/PassCount.h"

#include "mlir/IR/BuiltinOps.h"

namespace flywheel {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "flywheel/Profile/ProfilePasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_PROFILE_PROFILEPASSES_H
