//===- StatusKind.h - Kinds of failure of a call ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers by which a caller in C distinguishes failures. They are part of
// the C interface: they are the same for every model, and never change.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_MODEL_STATUSKIND_H
#define FLYWHEEL_MODEL_STATUSKIND_H

#include "flywheel/Runtime/Status.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace flywheel {

/// The kinds that a model itself finds.
enum class StatusKind : int32_t {
  NullState = 1,
  UnalignedState = 2,
  NotInitialized = 3,
  UninitializedVariable = 4,
  NullArgument = 5,
  UnalignedArgument = 6,
  Overlap = 7,
  DimSize = 8,
  Team = 9,
  Check = 10,
  Numerics = 11
};

/// `not_initialized`: the name in a manifest.
llvm::StringRef getName(StatusKind kind);
std::optional<StatusKind> getStatusKind(llvm::StringRef name);

/// The class of error that a session reports.
runtime::StatusCode getStatusCode(StatusKind kind);

/// A number that a function of the C interface may return.
struct CStatus {
  int32_t number;
  /// `NOT_INITIALIZED`: the header declares it as `DIGITS_E_NOT_INITIALIZED`.
  llvm::StringRef name;
  /// For a reader of the header.
  llvm::StringRef meaning;
};

/// All of them: the positive ones are StatusKind, those below 0 are of
/// functions that the header defines, of flywheel.h, and of a GPU.
llvm::ArrayRef<CStatus> getCStatuses();

/// `NOT_INITIALIZED`: the name in C.
llvm::StringRef getCStatusName(StatusKind kind);

} // namespace flywheel

#endif // FLYWHEEL_MODEL_STATUSKIND_H
