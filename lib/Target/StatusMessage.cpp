//===- StatusMessage.cpp - Sizes in the messages of checks ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Target/StatusMessage.h"

#include <cstring>

using llvm::StringRef;

namespace flywheel {

bool hasSizes(StringRef message) {
  return message.find_first_of("\1\2") != StringRef::npos;
}

std::string formatSizes(StringRef message, StringRef first, StringRef second) {
  std::string result;
  for (char c : message) {
    if (c == '\1')
      result += first;
    else if (c == '\2')
      result += second;
    else
      result += c;
  }
  return result;
}

std::string formatSizes(StringRef message, const std::byte *state) {
  int64_t sizes[2];
  std::memcpy(sizes, state + kStateSizesOffset, sizeof(sizes));
  return formatSizes(message, std::to_string(sizes[0]),
                     std::to_string(sizes[1]));
}

} // namespace flywheel
