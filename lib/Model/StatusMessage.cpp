//===- StatusMessage.cpp - Numbers in the messages of checks --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Model/StatusMessage.h"
#include "flywheel/Support/OpNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <cstring>
#include <optional>

using llvm::ArrayRef;
using llvm::StringRef;

namespace flywheel {

/// Returns the number that the byte stands for, from 0; none for other bytes.
static std::optional<int> getNumber(char c) {
  int number = static_cast<unsigned char>(c) - 1;
  if (number < 0 || number >= kMaxNumbers)
    return std::nullopt;
  return number;
}

bool hasNumbers(StringRef message) {
  return llvm::any_of(message, [](char c) { return getNumber(c).has_value(); });
}

static std::string format(StringRef message, ArrayRef<std::string> numbers) {
  std::string result;
  for (char c : message)
    if (std::optional<int> number = getNumber(c))
      result += numbers[*number];
    else
      result += c;
  return result;
}

std::string formatNumbers(StringRef message) {
  return format(message, {"N", "M", "K", "L"});
}

std::string formatNumbers(StringRef message, const std::byte *state) {
  int64_t numbers[kMaxNumbers];
  std::memcpy(numbers, state + kStateNumbersOffset, sizeof(numbers));
  return format(message, llvm::map_to_vector(numbers, [](int64_t n) {
                  return std::to_string(n);
                }));
}

std::string formatPlaces(StringRef message, ArrayRef<std::string> places) {
  std::string result;
  while (!message.empty()) {
    auto [text, rest] = message.split(kPlaceMark);
    auto [number, behind] = rest.split(kPlaceMark);
    result += text;
    size_t place;
    if (!number.getAsInteger(10, place) && place < places.size())
      result += places[place];
    message = behind;
  }
  return result;
}

} // namespace flywheel
