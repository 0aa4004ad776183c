//===- Status.h - Error values of the runtime library -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime library throws nothing and links no LLVM: a call that can fail
// returns a Status, or a Result<T> if it also returns a value.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_STATUS_H
#define FLYWHEEL_RUNTIME_STATUS_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace flywheel::runtime {

/// The class of an error. The numbers are stable: they may cross a C ABI.
enum class StatusCode : int {
  /// No error.
  kOk = 0,
  /// The caller's arguments are invalid, whatever the state of the world.
  kInvalidArgument = 1,
  /// A file or a key does not exist.
  kNotFound = 2,
  /// The arguments are right, but something must be done first.
  kFailedPrecondition = 3,
  /// Out of memory.
  kResourceExhausted = 4,
  /// The operating system refused or failed a read or a write.
  kIOError = 5,
  /// A file exists and is readable, but its contents are damaged.
  kDataLoss = 6,
};

/// A stable lower-case name, e.g. "not found". Never null.
inline const char *statusCodeName(StatusCode code) {
  switch (code) {
  case StatusCode::kOk:
    return "ok";
  case StatusCode::kInvalidArgument:
    return "invalid argument";
  case StatusCode::kNotFound:
    return "not found";
  case StatusCode::kFailedPrecondition:
    return "failed precondition";
  case StatusCode::kResourceExhausted:
    return "resource exhausted";
  case StatusCode::kIOError:
    return "I/O error";
  case StatusCode::kDataLoss:
    return "data loss";
  }
  return "unknown";
}

/// Success, or an error code with a text for people.
class [[nodiscard]] Status {
public:
  /// Success.
  Status() = default;

  /// An error. \p code must not be kOk.
  Status(StatusCode code, std::string message)
      : statusCode(code), text(std::move(message)) {
    assert(code != StatusCode::kOk && "an error needs an error code");
  }

  static Status invalidArgument(std::string message) {
    return {StatusCode::kInvalidArgument, std::move(message)};
  }
  /// The same for values that no call may have, whatever sizes a program is
  /// compiled for.
  static Status invalidData(std::string message) {
    Status status = invalidArgument(std::move(message));
    status.ofData = true;
    return status;
  }
  static Status notFound(std::string message) {
    return {StatusCode::kNotFound, std::move(message)};
  }
  static Status failedPrecondition(std::string message) {
    return {StatusCode::kFailedPrecondition, std::move(message)};
  }
  static Status resourceExhausted(std::string message) {
    return {StatusCode::kResourceExhausted, std::move(message)};
  }
  static Status ioError(std::string message) {
    return {StatusCode::kIOError, std::move(message)};
  }
  static Status dataLoss(std::string message) {
    return {StatusCode::kDataLoss, std::move(message)};
  }

  bool isOk() const { return statusCode == StatusCode::kOk; }
  StatusCode code() const { return statusCode; }

  /// True for the errors of invalidData().
  bool isOfData() const { return ofData; }

  /// Empty on success.
  const std::string &message() const { return text; }

private:
  StatusCode statusCode = StatusCode::kOk;
  std::string text;
  bool ofData = false;
};

/// A value, or the error that prevented it.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : held(std::move(value)) {}
  Result(Status error) : failure(std::move(error)) {
    assert(!failure.isOk() && "a Result without a value needs an error");
  }

  bool isOk() const { return held.has_value(); }
  /// Success when there is a value.
  const Status &status() const & { return failure; }
  Status status() && { return std::move(failure); }

  /// The value; only valid when isOk().
  T &operator*() {
    assert(held && "no value: check isOk() first");
    return *held;
  }
  const T &operator*() const {
    assert(held && "no value: check isOk() first");
    return *held;
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

private:
  std::optional<T> held;
  Status failure;
};

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_STATUS_H
