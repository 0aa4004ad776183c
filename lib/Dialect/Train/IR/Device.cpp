//===- Device.cpp - Names of devices --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/Device.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace flywheel::train;

static LogicalResult parseNumber(StringRef text,
                                 std::optional<unsigned> &number) {
  unsigned value;
  if (number || text.empty() || !llvm::all_of(text, llvm::isDigit) ||
      text.getAsInteger(10, value))
    return failure();
  number = value;
  return success();
}

/// Returns true for a word of letters, digits and underscores that starts with
/// a letter.
static bool isWord(StringRef text) {
  return !text.empty() && llvm::isAlpha(text.front()) &&
         llvm::all_of(text,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

static LogicalResult parseType(StringRef type, StringRef index,
                               DeviceSpec &spec) {
  std::optional<unsigned> number;
  if (!spec.type.empty() || !isWord(type) || failed(parseNumber(index, number)))
    return failure();
  spec.type = type.upper();
  spec.index = *number;
  return success();
}

static LogicalResult parseField(StringRef field, DeviceSpec &spec) {
  auto [key, value] = field.split(':');
  if (key == "job") {
    if (!spec.job.empty() || !isWord(value))
      return failure();
    spec.job = value.str();
    return success();
  }
  if (key == "replica")
    return parseNumber(value, spec.replica);
  if (key == "task")
    return parseNumber(value, spec.task);
  if (key == "device") {
    auto [type, index] = value.split(':');
    return parseType(type, index, spec);
  }
  if (key.equals_insensitive("cpu") || key.equals_insensitive("gpu"))
    return parseType(key, value, spec);
  return failure();
}

FailureOr<DeviceSpec> DeviceSpec::parse(StringRef text) {
  if (!text.consume_front("/"))
    return failure();
  DeviceSpec spec;
  for (StringRef field : llvm::split(text, '/'))
    if (failed(parseField(field, spec)))
      return failure();
  return spec;
}
