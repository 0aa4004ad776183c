//===- InputOption.h - The file that a tool reads ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_INPUTOPTION_H
#define FLYWHEEL_DRIVER_INPUTOPTION_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"

#include <cstdlib>
#include <string>

namespace flywheel {

/// Takes one file and refuses a second by its name.
class InputParser : public llvm::cl::parser<std::string> {
public:
  using parser::parser;

  /// Ends the process after an error, as the parser of command lines does: of
  /// an option that is positional it takes no error.
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             std::string &value);
};

/// The file that a tool reads. It is to be `cl::Positional`, and one with
/// `cl::ZeroOrMore` or `cl::OneOrMore`: so a second one gets to the parser.
using InputOption = llvm::cl::opt<std::string, false, InputParser>;

inline bool InputParser::parse(llvm::cl::Option &option, llvm::StringRef,
                               llvm::StringRef text, std::string &value) {
  if (option.getNumOccurrences() > 1) {
    llvm::WithColor::error() << "expected one input file, found '"
                             << static_cast<InputOption &>(option).getValue()
                             << "' and '" << text << "'\n";
    std::exit(1);
  }
  value = text.str();
  return false;
}

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_INPUTOPTION_H
