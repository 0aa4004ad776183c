//===- TextOption.h - Options of tools that are text ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_TEXTOPTION_H
#define FLYWHEEL_DRIVER_TEXTOPTION_H

#include "llvm/Support/CommandLine.h"

#include <string>

namespace flywheel {

/// Reads text and refuses an empty one. To a tool an empty option is one that
/// was not given, so `--restore=$FILE` without a FILE would go on without it.
class NonEmptyTextParser : public llvm::cl::parser<std::string> {
public:
  using parser::parser;

  /// \returns true after an error, as parsers of options do.
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             std::string &value) {
    if (text.empty())
      return option.error("expected a value, found an empty one");
    value = text.str();
    return false;
  }
};

/// An option that is text and, where given, not empty.
using TextOption = llvm::cl::opt<std::string, false, NonEmptyTextParser>;

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_TEXTOPTION_H
