//===- Errors.h - From statuses to Python exceptions ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_ERRORS_H
#define FLYWHEEL_PYTHON_ERRORS_H

#include <nanobind/nanobind.h>

#include "flywheel/Driver/Diagnostics.h"
#include "flywheel/Runtime/Status.h"

#include <optional>
#include <string>
#include <vector>

namespace flywheel::python {

/// The exceptions of the module, by what they mean.
enum class ErrorKind {
  Compile,
  InvalidArgument,
  FailedPrecondition,
  NotFound,
  DataLoss
};

/// Makes the exception classes and adds them to the module.
void addErrors(nanobind::module_ &module);

/// Sets the Python error.
void raise(ErrorKind kind, const std::string &message);
void raise(const runtime::Status &status);

/// The errors of a compilation as one text, empty without one, and the details
/// of those that a program can act upon.
struct CompileErrors {
  std::string text;
  std::vector<ErrorDetail> details;
  /// The first error, if one was diagnosed: `text` begins with its text.
  std::optional<DiagnosticText> first;
};

/// Returns the errors that were diagnosed; `otherwise` is the text without one.
CompileErrors
takeErrors(const DiagnosticCollector &diagnostics,
           const char *otherwise = "the compiler failed without saying why");

/// Throws a CompileError. Its `details` are a tuple of (code, numbers). Its
/// `parts` are the location and severity that precede the message of the first
/// error, this message, and what follows it, or None; its `operand` is what an
/// operand was expected to be and what it is, or None; its `op` is the name of
/// the op that the message begins with.
[[noreturn]] void throwCompileError(const CompileErrors &errors);
[[noreturn]] void throwCompileError(std::string text);

/// Returns true if the Python error that is set is of this kind.
bool isRaised(ErrorKind kind);

/// Returns true if the Python error that is set is an InvalidArgument of the
/// values of a call: its attribute `_is_of_data`.
bool isRaisedOfData();

/// Emits a Python warning of the category CompileWarning, or CompileRemark, at
/// the innermost frame outside of this package. False with a Python error where
/// the filters of warnings make it one.
bool raiseWarning(bool isRemark, const std::string &message);

/// Warns of what a compiler found beside errors. After an error, which is then
/// raised, a filter that makes errors of warnings has no say.
void warn(const std::vector<DiagnosticText> &warnings, bool hasFailed);

/// Throws the Python error that a failed status stands for.
void check(const runtime::Status &status);

/// The value, or throws as check() does.
template <typename T> T take(runtime::Result<T> result) {
  check(result.status());
  return std::move(*result);
}

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_ERRORS_H
