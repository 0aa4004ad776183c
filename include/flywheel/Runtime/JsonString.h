//===- JsonString.h - Strings as JSON literals ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_JSONSTRING_H
#define FLYWHEEL_RUNTIME_JSONSTRING_H

#include <string>
#include <string_view>

namespace flywheel::runtime {

/// \p text as a JSON string literal with its quotes. Control characters become
/// escapes, so the result is safe to print; other bytes pass through, so the
/// result is valid JSON if and only if \p text is valid UTF-8.
std::string quoteJson(std::string_view text);

/// Returns \p text in double quotes, for a reader: by quoteJson() if it is
/// UTF-8; otherwise with bytes beyond ASCII as `\xff`.
std::string quoteBytes(std::string_view text);

/// Returns \p name as it is, or quoted if it could be misread or harm a
/// terminal.
std::string displayName(const std::string &name);

/// True when \p text is valid UTF-8, as JSON requires.
bool isValidUtf8(std::string_view text);

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_JSONSTRING_H
