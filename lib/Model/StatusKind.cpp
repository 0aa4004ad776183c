//===- StatusKind.cpp - Kinds of failure of a call ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Model/StatusKind.h"
#include "flywheel/Runtime/GPU.h"

#include "llvm/ADT/STLExtras.h"

using namespace flywheel;
using llvm::ArrayRef;
using llvm::StringRef;
using runtime::StatusCode;

namespace {
struct KindInfo {
  StatusKind kind;
  StringRef name;
  StatusCode code;
};
} // namespace

static constexpr KindInfo kKinds[] = {
    {StatusKind::NullState, "null_state", StatusCode::kInvalidArgument},
    {StatusKind::UnalignedState, "unaligned_state",
     StatusCode::kInvalidArgument},
    {StatusKind::NotInitialized, "not_initialized",
     StatusCode::kFailedPrecondition},
    {StatusKind::UninitializedVariable, "uninitialized_variable",
     StatusCode::kFailedPrecondition},
    {StatusKind::NullArgument, "null_argument", StatusCode::kInvalidArgument},
    {StatusKind::UnalignedArgument, "unaligned_argument",
     StatusCode::kInvalidArgument},
    {StatusKind::Overlap, "overlap", StatusCode::kInvalidArgument},
    {StatusKind::DimSize, "dim_size", StatusCode::kInvalidArgument},
    {StatusKind::Team, "team", StatusCode::kInvalidArgument},
    {StatusKind::Check, "check", StatusCode::kInvalidArgument},
    {StatusKind::Numerics, "numerics", StatusCode::kInvalidArgument},
};

static const KindInfo &getInfo(StatusKind kind) {
  return *llvm::find_if(
      kKinds, [&](const KindInfo &info) { return info.kind == kind; });
}

StringRef flywheel::getName(StatusKind kind) { return getInfo(kind).name; }

std::optional<StatusKind> flywheel::getStatusKind(StringRef name) {
  for (const KindInfo &info : kKinds)
    if (info.name == name)
      return info.kind;
  return std::nullopt;
}

StatusCode flywheel::getStatusCode(StatusKind kind) {
  return getInfo(kind).code;
}

ArrayRef<CStatus> flywheel::getCStatuses() {
  auto number = [](StatusKind kind) { return static_cast<int32_t>(kind); };
  static const CStatus statuses[] = {
      {number(StatusKind::NullState), "NULL_STATE",
       "the block is a null pointer"},
      {number(StatusKind::UnalignedState), "UNALIGNED_STATE",
       "the block is not aligned"},
      {number(StatusKind::NotInitialized), "NOT_INITIALIZED",
       "no initializer has seen the block, or it is another model's"},
      {number(StatusKind::UninitializedVariable), "UNINITIALIZED_VARIABLE",
       "a variable that is read has no value"},
      {number(StatusKind::NullArgument), "NULL_ARGUMENT",
       "a feed or a result is a null pointer"},
      {number(StatusKind::UnalignedArgument), "UNALIGNED_ARGUMENT",
       "a feed or a result is not aligned as its elements"},
      {number(StatusKind::Overlap), "OVERLAP",
       "a feed or a result shares bytes with another or with the block"},
      {number(StatusKind::DimSize), "DIM_SIZE",
       "a dimension size is negative or above its bound"},
      {number(StatusKind::Team), "TEAM",
       "the team of workers cannot execute the step"},
      {number(StatusKind::Check), "CHECK",
       "a check of the model failed: sizes, an index"},
      {number(StatusKind::Numerics), "NUMERICS",
       "a number is NaN or infinite, of a model with --check-numerics"},
      {-static_cast<int32_t>(StatusCode::kInvalidArgument), "INVALID_ARGUMENT",
       "another argument is wrong"},
      {-static_cast<int32_t>(StatusCode::kNotFound), "NOT_FOUND",
       "there is no such variable, key or file"},
      {-static_cast<int32_t>(StatusCode::kFailedPrecondition),
       "FAILED_PRECONDITION",
       "a variable has no value, a directory does not exist"},
      {-static_cast<int32_t>(StatusCode::kResourceExhausted),
       "RESOURCE_EXHAUSTED", "out of memory"},
      {-static_cast<int32_t>(StatusCode::kIOError), "IO_ERROR",
       "a file cannot be read or written"},
      {-static_cast<int32_t>(StatusCode::kDataLoss), "DATA_LOSS",
       "a file is damaged"},
      {runtime::kStatusNoDevice, "NO_DEVICE",
       "there is no device for the step, or it is lost"},
      {runtime::kStatusNoDeviceMemory, "NO_DEVICE_MEMORY",
       "the device has no memory for the step"},
  };
  return statuses;
}

StringRef flywheel::getCStatusName(StatusKind kind) {
  return llvm::find_if(getCStatuses(),
                       [&](const CStatus &status) {
                         return status.number == static_cast<int32_t>(kind);
                       })
      ->name;
}
