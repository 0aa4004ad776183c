//===- ChoiceOption.h - Options of tools that are one of a few --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_CHOICEOPTION_H
#define FLYWHEEL_DRIVER_CHOICEOPTION_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace flywheel {

/// Reads one of the names of `llvm::cl::values`, and says which ones there are
/// where it is another.
template <typename T> class ChoiceParser : public llvm::cl::parser<T> {
public:
  using llvm::cl::parser<T>::parser;

  /// \returns true after an error, as parsers of options do.
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             T &value) {
    std::string names;
    llvm::raw_string_ostream os(names);
    for (const auto &choice : this->Values) {
      if (choice.Name == text) {
        value = choice.V.getValue();
        return false;
      }
      os << (names.empty() ? "" : " or ") << choice.Name;
    }
    return option.error("expected " + llvm::Twine(names) + ", found '" + text +
                        "'");
  }
};

/// An option that is one of a few names.
template <typename T>
using ChoiceOption =
    llvm::cl::opt<T, /*ExternalStorage=*/false, ChoiceParser<T>>;

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_CHOICEOPTION_H
