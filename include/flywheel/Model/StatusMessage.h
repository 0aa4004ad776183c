//===- StatusMessage.h - Numbers in the messages of checks ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The message of a check has the bytes 1 to 4 in place of numbers: sizes, and
// indices. A call that fails stores these in the header of the state block,
// each as an i64. If the program serves modules with other places, the message
// has the number of a place between two `kPlaceMark`.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_MODEL_STATUSMESSAGE_H
#define FLYWHEEL_MODEL_STATUSMESSAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace flywheel {

/// The offset of the numbers in the header of a state block.
constexpr int64_t kStateNumbersOffset = 32;
constexpr int kMaxNumbers = 4;

/// Returns true if the message names numbers.
bool hasNumbers(llvm::StringRef message);
/// The message with "N", "M", "K" and "L" in place of the numbers.
std::string formatNumbers(llvm::StringRef message);
/// The same with the numbers of the block at `state`.
std::string formatNumbers(llvm::StringRef message, const std::byte *state);
/// The message with places in place of their numbers.
std::string formatPlaces(llvm::StringRef message,
                         llvm::ArrayRef<std::string> places);

} // namespace flywheel

#endif // FLYWHEEL_MODEL_STATUSMESSAGE_H
