//===- DebugScopes.h - Which line of the source code is of ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TARGET_OBJECT_DEBUGSCOPES_H
#define FLYWHEEL_LIB_TARGET_OBJECT_DEBUGSCOPES_H

#include "mlir/IR/BuiltinOps.h"

namespace flywheel {

/// Gives the functions of `module`, which is in the LLVM dialect, the scopes
/// without which their locations are not translated, and each op the place of
/// one line: the first one that its location has, which is where messages say
/// that the op is. What no op of the source became, as the checks of an entry
/// point, is on line 0, which DWARF has for such code.
void attachDebugScopes(mlir::ModuleOp module);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TARGET_OBJECT_DEBUGSCOPES_H
