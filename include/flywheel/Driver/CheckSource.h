//===- CheckSource.h - What the parser must not be given --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser is recursive without a limit, and a few of its custom forms go
// on after an error with a null pointer. This check in front of it, linear in
// the text, refuses what would end the process.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_CHECKSOURCE_H
#define FLYWHEEL_DRIVER_CHECKSOURCE_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace flywheel {

/// The largest nesting depth of brackets of all kinds, with those of the
/// aliases between them.
constexpr unsigned kMaxNesting = 1024;
/// The largest number of operators of an affine expression between two brackets
/// or commas.
constexpr unsigned kMaxOperators = 1024;
/// The largest number of tokens of an alias after all aliases in it are
/// replaced.
constexpr uint64_t kMaxAliasTokens = 1 << 24;

/// A place in a text and what is wrong there.
struct SourceProblem {
  const char *position;
  std::string message;
};

/// The first thing in `text`, a module in MLIR's textual form, that the parser
/// must not see.
std::optional<SourceProblem> checkSource(llvm::StringRef text);

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_CHECKSOURCE_H
