//===- SaidDiagnostics.h - Warnings that are said again ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diagnostics of a program are of interest to everybody who runs it, also if
// the program was compiled before.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_SAIDDIAGNOSTICS_H
#define FLYWHEEL_DRIVER_SAIDDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace flywheel {

/// A warning or a remark, or a note of one.
struct SaidDiagnostic {
  mlir::DiagnosticSeverity severity;
  mlir::Location location;
  std::string message;
  std::vector<SaidDiagnostic> notes;
};

SaidDiagnostic makeSaid(const mlir::Diagnostic &diagnostic);

/// Emits them in the context of their locations.
void sayAgain(llvm::ArrayRef<SaidDiagnostic> said);

/// As text, and back; nothing for what is no such text.
std::string formatSaid(llvm::ArrayRef<SaidDiagnostic> said,
                       mlir::MLIRContext &context);
std::optional<std::vector<SaidDiagnostic>>
parseSaid(llvm::StringRef text, mlir::MLIRContext &context);

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_SAIDDIAGNOSTICS_H
