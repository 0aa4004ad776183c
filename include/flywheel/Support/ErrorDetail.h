//===- ErrorDetail.h - Errors that programs act upon ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of an error is for people. A front end that goes on after one, such
// as flywheel.v1 after a result whose size no feed has, reads its details.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SUPPORT_ERRORDETAIL_H
#define FLYWHEEL_SUPPORT_ERRORDETAIL_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

#include <optional>
#include <utility>
#include <vector>

namespace flywheel {

/// The errors that have details.
enum class ErrorCode : int64_t {
  /// The caller cannot tell how many elements a result has: {result, dim}.
  UnknownResultSize = 1
};

/// An error of a known kind, and where it is in numbers of that kind.
struct ErrorDetail {
  ErrorCode code;
  std::vector<int64_t> numbers;
};

/// Adds a detail to an error.
inline void attach(mlir::InFlightDiagnostic &error, mlir::MLIRContext *context,
                   const ErrorDetail &detail) {
  std::vector<int64_t> all = {static_cast<int64_t>(detail.code)};
  all.insert(all.end(), detail.numbers.begin(), detail.numbers.end());
  error.getUnderlyingDiagnostic()->getMetadata().emplace_back(
      mlir::Attribute(mlir::DenseI64ArrayAttr::get(context, all)));
}

/// Returns the detail of a diagnostic, if it has one.
inline std::optional<ErrorDetail> findDetail(mlir::Diagnostic &diagnostic) {
  for (const mlir::DiagnosticArgument &argument : diagnostic.getMetadata()) {
    if (argument.getKind() !=
        mlir::DiagnosticArgument::DiagnosticArgumentKind::Attribute)
      continue;
    if (auto all =
            llvm::dyn_cast<mlir::DenseI64ArrayAttr>(argument.getAsAttribute());
        all && !all.empty())
      return ErrorDetail{
          static_cast<ErrorCode>(all[0]),
          {all.asArrayRef().begin() + 1, all.asArrayRef().end()}};
  }
  return std::nullopt;
}

} // namespace flywheel

#endif // FLYWHEEL_SUPPORT_ERRORDETAIL_H
