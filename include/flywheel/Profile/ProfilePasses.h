//===- ProfilePasses.h - Passes that measure -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PROFILE_PROFILEPASSES_H
#define FLYWHEEL_PROFILE_PROFILEPASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace flywheel {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "flywheel/Profile/ProfilePasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_PROFILE_PROFILEPASSES_H
