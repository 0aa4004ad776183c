//===- ThreadsOption.h - How many threads execute a step --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_THREADSOPTION_H
#define FLYWHEEL_DRIVER_THREADSOPTION_H

#include "flywheel/Model/Manifest.h"

#include "llvm/Support/CommandLine.h"

#include <cstdint>
#include <optional>
#include <string>

namespace flywheel {

/// Refuses what no model can be compiled for.
class ThreadsParser : public llvm::cl::parser<std::string> {
public:
  using parser::parser;

  /// \returns true after an error, as parsers of options do.
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             std::string &value) {
    int64_t number;
    if (!text.getAsInteger(10, number) && number >= 1 &&
        number <= kMaxThreads) {
      value = text.str();
      return false;
    }
    return option.error("expected a number from 1 to " +
                        llvm::Twine(kMaxThreads) + ", found '" + text + "'");
  }
};

/// An option that is a number of threads.
using ThreadsOption = llvm::cl::opt<std::string, false, ThreadsParser>;

/// The number that was given, if one was.
inline std::optional<int64_t> getThreads(const ThreadsOption &option) {
  int64_t number;
  if (option.getNumOccurrences() == 0 ||
      llvm::StringRef(option.getValue()).getAsInteger(10, number))
    return std::nullopt;
  return number;
}

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_THREADSOPTION_H
