//===- VerifySource.h - Ops that verifiers must not be given ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_VERIFYSOURCE_H
#define FLYWHEEL_DRIVER_VERIFYSOURCE_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace flywheel {

/// Verifies what upstream's verifiers rely on without a check, of `op` and the
/// ops in it, which have been parsed and not verified.
llvm::LogicalResult verifySource(mlir::Operation *op);

/// Emits an error at what checkSource() finds in `text`.
llvm::LogicalResult verifyTokens(mlir::MLIRContext &context,
                                 llvm::MemoryBufferRef text);

/// Makes the checks of verifyTokens() and verifySource() for a tool in which
/// upstream parses `text`. Each part between two of `splitMarker` is a module
/// of its own; there is one if that is empty. Upstream reports what does not
/// parse.
llvm::LogicalResult verifyText(mlir::MLIRContext &context,
                               llvm::MemoryBufferRef text,
                               llvm::StringRef splitMarker);

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_VERIFYSOURCE_H
