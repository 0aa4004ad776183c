//===- Diagnostics.h - How diagnostics read ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One text of a diagnostic for every front end: where it is as
// `file:line:col`, the source line, what is wrong, and a note for each call
// that an inlined op came through. Operations are not printed; long types and
// attributes are cut.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_DIAGNOSTICS_H
#define FLYWHEEL_DRIVER_DIAGNOSTICS_H

#include "flywheel/Support/ErrorDetail.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace flywheel {

/// Prints diagnostics with the lines of the sources that they are about.
/// Not for use by several threads at once.
class DiagnosticPrinter {
public:
  /// Keeps the text of a module; locations have the identifier of the buffer.
  /// Sources that were not added are looked up as files.
  llvm::MemoryBufferRef addSource(std::unique_ptr<llvm::MemoryBuffer> source);

  /// Prints a diagnostic and its notes, each on lines of its own.
  void print(const mlir::Diagnostic &diagnostic, llvm::raw_ostream &os);

  /// Prints the location and the severity, which precede the message.
  void printHead(mlir::Location location, mlir::DiagnosticSeverity severity,
                 llvm::raw_ostream &os);

private:
  /// Prints where and what, and with `showsPlace` the source line and the
  /// calls.
  void printMessage(mlir::Location location, mlir::DiagnosticSeverity severity,
                    llvm::StringRef message, bool showsPlace,
                    llvm::raw_ostream &os);
  void print(const mlir::Diagnostic &diagnostic, bool showsPlace,
             llvm::raw_ostream &os);
  void printSourceLine(mlir::FileLineColRange location, llvm::raw_ostream &os);
  const llvm::MemoryBuffer *findSource(llvm::StringRef name);

  /// By identifier; null for what cannot be read.
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> sources;
};

/// Returns the text of a diagnostic, without its location and its notes: types
/// and operations in it are cut.
std::string formatMessage(const mlir::Diagnostic &diagnostic);

/// An operand whose type its op does not take.
struct OperandMismatch {
  unsigned number;
  /// The types that the op takes, as TableGen's constraint describes them.
  std::string expected;
  /// The type of the operand, printed.
  std::string found;
};

/// Returns the operand that a diagnostic is about, if a verifier that TableGen
/// generated has reported it.
std::optional<OperandMismatch>
findOperandMismatch(const mlir::Diagnostic &diagnostic);

/// A diagnostic as text, without a line break at the end.
struct DiagnosticText {
  mlir::DiagnosticSeverity severity;
  std::string text;
  /// The part of the text that is the message: what follows the place and the
  /// severity, without the source line and the notes.
  size_t messageBegin = 0, messageSize = 0;
  std::optional<OperandMismatch> operand;
  /// The name of the op that the message begins with; empty without one.
  std::string opName;
  /// The words of the message without the names, types and numbers in it: equal
  /// for messages of one kind.
  std::string kind;
};

/// Keeps what is diagnosed in a context while it lives.
class DiagnosticCollector {
public:
  DiagnosticCollector(mlir::MLIRContext *context, DiagnosticPrinter &printer);

  /// The errors, in the order in which they were found, as one text.
  std::string getErrors() const;
  /// Returns the first error, which the text of all begins with; null without
  /// one.
  const DiagnosticText *getFirstError() const;
  /// The details of the errors that have any, in that order.
  const std::vector<ErrorDetail> &getDetails() const { return details; }
  /// The warnings and remarks. Those of one kind and place are one, the first
  /// one's text with the number of the others.
  std::vector<DiagnosticText> getWarnings() const;

private:
  std::vector<DiagnosticText> diagnostics;
  std::vector<ErrorDetail> details;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_DIAGNOSTICS_H
