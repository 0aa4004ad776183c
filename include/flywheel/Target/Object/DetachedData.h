//===- DetachedData.h - Constants beside machine code -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TARGET_OBJECT_DETACHEDDATA_H
#define FLYWHEEL_TARGET_OBJECT_DETACHEDDATA_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace flywheel {

/// Bytes that machine code reads under a symbol, and that its object file does
/// not have.
struct DetachedData {
  std::string symbol;
  llvm::StringRef bytes;
};

/// Takes the values of large constants from `module`, which is in the LLVM
/// dialect and declares them from then on: LLVM would copy each of them three
/// times on its way to the JIT. The bytes are those of attributes, and live as
/// long as the context of the module.
std::vector<DetachedData> detachLargeConstants(mlir::ModuleOp module);

} // namespace flywheel

#endif // FLYWHEEL_TARGET_OBJECT_DETACHEDDATA_H
