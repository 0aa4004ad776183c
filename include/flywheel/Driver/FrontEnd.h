//===- FrontEnd.h - What a tool compiles a model with -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_FRONTEND_H
#define FLYWHEEL_DRIVER_FRONTEND_H

#include "flywheel/Driver/Compiler.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

namespace flywheel {

/// A context with every dialect, whose diagnostics go to standard error with
/// file, line, column and the source. It must outlive the modules compiled in
/// it and the programs made of them.
class FrontEnd {
public:
  FrontEnd();

  /// Parses and compiles a file, `-` for standard input, whose path is the
  /// `inputPath` of the options. On failure diagnostics have been emitted.
  llvm::FailureOr<CompiledModule> compileFile(llvm::StringRef path,
                                              CompilerOptions options);

private:
  std::shared_ptr<mlir::MLIRContext> context;
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics;
};

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_FRONTEND_H
