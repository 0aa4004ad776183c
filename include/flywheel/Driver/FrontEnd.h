//===- FrontEnd.h - What a tool compiles a model with -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_FRONTEND_H
#define FLYWHEEL_DRIVER_FRONTEND_H

#include "flywheel/Driver/Compiler.h"
#include "flywheel/Driver/PassCounts.h"
#include "flywheel/Driver/StepCost.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"

namespace flywheel {

/// Registers upstream's options of contexts, pass managers, printed modules and
/// timing (`--mlir-print-ir-after-all`, `--mlir-timing`, ...), and those that
/// load plugins. `--help` lists the options of `category`, and so the latter;
/// `--help-hidden` lists upstream's too. A tool calls it before it parses its
/// command line; a FrontEnd made after that follows them.
void registerUpstreamOptions(llvm::cl::OptionCategory &category);

/// A context with every dialect, whose diagnostics go to standard error with
/// file, line, column and the source: errors at once, warnings and remarks of a
/// compilation after it. It must outlive the modules compiled in it and the
/// programs made of them.
class FrontEnd {
public:
  FrontEnd();
  ~FrontEnd();

  /// Parses and compiles a file, `-` for standard input, whose path is the
  /// `inputPath` of the options. On failure diagnostics have been emitted.
  llvm::FailureOr<CompiledModule> compileFile(llvm::StringRef path,
                                              CompilerOptions options);

  /// Parses a file, and counts what its entries cost.
  llvm::FailureOr<StepCost> countFile(llvm::StringRef path,
                                      CompilerOptions options,
                                      const CostOptions &costs);

private:
  void handle(const mlir::Diagnostic &diagnostic);
  /// Prints what was held back.
  void flush();

  std::shared_ptr<mlir::MLIRContext> context;
  mlir::DefaultTimingManager timing;
  mlir::TimingScope rootTimer;
  PassCounts counts;
  DiagnosticPrinter printer;
  /// Warnings and remarks of a compilation in progress.
  std::string held;
  bool isCompiling = false;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_FRONTEND_H
