//===- VerifySource.h - Ops that verifiers must not be given ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_VERIFYSOURCE_H
#define FLYWHEEL_DRIVER_VERIFYSOURCE_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
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

/// Calls `use` with each module of `text` until one call fails: the parts
/// between two of `splitMarker`, or the whole of it if that is empty. Empty
/// lines in front of a part give its lines the numbers that they have in
/// `text`.
llvm::LogicalResult
forEachModule(llvm::StringRef text, llvm::StringRef splitMarker,
              llvm::function_ref<llvm::LogicalResult(llvm::StringRef)> use);

/// Makes the checks of verifyTokens() and verifySource() for a tool in which
/// upstream parses the modules of `text`. Upstream reports what does not parse.
llvm::LogicalResult verifyText(mlir::MLIRContext &context,
                               llvm::MemoryBufferRef text,
                               llvm::StringRef splitMarker);

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_VERIFYSOURCE_H
