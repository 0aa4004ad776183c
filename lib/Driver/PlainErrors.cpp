//===- PlainErrors.cpp - Errors of upstream in our words ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `flywheel-verify-supported-ops` refuses ops without a lowering before any
// other pass. This is for cases that it does not know: an op of a supported
// dialect in a form that some conversion does not handle.
//
//===----------------------------------------------------------------------===//

#include "PlainErrors.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace flywheel;

/// Returns true if `text` is about IR that the user has not written.
static bool isInternal(StringRef text) {
  return llvm::any_of(
      ArrayRef<StringRef>{"failed to legalize", "unrealized_conversion_cast",
                          "was not bufferized", "failed to materialize",
                          "explicitly marked illegal"},
      [&](StringRef words) { return text.contains(words); });
}

/// Returns the op name in quotes of either kind in `text`; empty without one.
static StringRef findOpName(StringRef text) {
  for (StringRef rest = text; !rest.empty();) {
    size_t open = rest.find_first_of("'\"");
    if (open == StringRef::npos)
      return {};
    size_t close = rest.find(rest[open], open + 1);
    if (close == StringRef::npos)
      return {};
    StringRef name = rest.slice(open + 1, close);
    bool isName = name.contains('.') && llvm::all_of(name, [](char c) {
                    return llvm::isAlnum(c) || c == '.' || c == '_';
                  });
    if (isName && name != "builtin.unrealized_conversion_cast")
      return name;
    rest = rest.drop_front(close + 1);
  }
  return {};
}

static LogicalResult restate(MLIRContext *context,
                             mlir::Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error ||
      !isInternal(text))
    return failure();
  StringRef name = findOpName(text);
  std::string operation;
  // Upstream notes the op that it was at.
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    if (name.empty()) {
      operation = note.str();
      name = findOpName(operation);
    }
  InFlightDiagnostic error = mlir::emitError(diagnostic.getLocation());
  if (name.empty())
    error << "this operation";
  else
    error << "'" << name << "' op";
  error << " is not supported with these types and attributes; "
           "docs/OpSupport.md lists what is";
  return success();
}

PlainErrors::PlainErrors(MLIRContext *context)
    : handler(context, [context](mlir::Diagnostic &diagnostic) {
        return restate(context, diagnostic);
      }) {}
