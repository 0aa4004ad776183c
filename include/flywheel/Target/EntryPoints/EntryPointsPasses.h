//===- EntryPointsPasses.h - Functions that a user can call -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TARGET_ENTRYPOINTS_ENTRYPOINTSPASSES_H
#define FLYWHEEL_TARGET_ENTRYPOINTS_ENTRYPOINTSPASSES_H

#include "flywheel/Support/PassCount.h"

#include "mlir/IR/BuiltinOps.h"

namespace flywheel {
#define GEN_PASS_DECL
#include "flywheel/Target/EntryPoints/EntryPointsPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Target/EntryPoints/EntryPointsPasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_TARGET_ENTRYPOINTS_ENTRYPOINTSPASSES_H
