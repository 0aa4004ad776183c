//===- DebugScopes.h - Source lines of code ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TARGET_OBJECT_DEBUGSCOPES_H
#define FLYWHEEL_LIB_TARGET_OBJECT_DEBUGSCOPES_H

#include "mlir/IR/BuiltinOps.h"

namespace flywheel {

/// Adds scopes to the functions of `module`, which is in the LLVM dialect,
/// without which their locations are not translated. Each op gets one line: the
/// first line of its location, which messages also report. Ops without a source
/// op, such as the checks of an entry point, get line 0, which DWARF reserves
/// for such code.
void attachDebugScopes(mlir::ModuleOp module);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TARGET_OBJECT_DEBUGSCOPES_H
