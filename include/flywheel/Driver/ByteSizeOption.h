//===- ByteSizeOption.h - Options of tools that are sizes -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_BYTESIZEOPTION_H
#define FLYWHEEL_DRIVER_BYTESIZEOPTION_H

#include "llvm/Support/CommandLine.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace flywheel {

/// A number of bytes, by itself or of a unit (65536, 64KiB, 2MiB, 1GiB), or
/// nothing where `text` is no such thing.
inline std::optional<int64_t> parseByteSize(llvm::StringRef text) {
  int64_t unit = text.consume_back("KiB")   ? int64_t{1} << 10
                 : text.consume_back("MiB") ? int64_t{1} << 20
                 : text.consume_back("GiB") ? int64_t{1} << 30
                                            : 1;
  int64_t number;
  if (text.getAsInteger(10, number) || number < 0 ||
      number > std::numeric_limits<int64_t>::max() / unit)
    return std::nullopt;
  return number * unit;
}

/// Refuses text that is not a size in bytes.
class ByteSizeParser : public llvm::cl::parser<std::string> {
public:
  using parser::parser;

  /// \returns true after an error, as parsers of options do.
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             std::string &value) {
    if (!parseByteSize(text))
      return option.error("expected a number of bytes, such as 65536, 64KiB "
                          "or 2MiB, found '" +
                          text + "'");
    value = text.str();
    return false;
  }
};

/// An option that is a size in bytes.
using ByteSizeOption = llvm::cl::opt<std::string, false, ByteSizeParser>;

/// The size that was given, if one was.
inline std::optional<int64_t> getByteSize(const ByteSizeOption &option) {
  return option.getNumOccurrences() ? parseByteSize(option.getValue())
                                    : std::nullopt;
}

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_BYTESIZEOPTION_H
