//===- StatusMessage.h - Sizes in the messages of checks --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message of a check of sizes has the bytes 1 and 2 where it names the sizes.
// A call that fails leaves these in the header of the state block, as two i64.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TARGET_STATUSMESSAGE_H
#define FLYWHEEL_TARGET_STATUSMESSAGE_H

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace flywheel {

/// Where the header of a state block has the sizes.
constexpr int64_t kStateSizesOffset = 32;

/// Whether the message names sizes.
bool hasSizes(llvm::StringRef message);
/// The message with these two in place of the sizes.
std::string formatSizes(llvm::StringRef message, llvm::StringRef first = "N",
                        llvm::StringRef second = "M");
/// The same with the sizes of the block at `state`.
std::string formatSizes(llvm::StringRef message, const std::byte *state);

} // namespace flywheel

#endif // FLYWHEEL_TARGET_STATUSMESSAGE_H
