//===- Clauses.h - Parts of an op's assembly in any order -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_CLAUSES_H
#define FLYWHEEL_DIALECT_CLAUSES_H

#include "mlir/IR/OpImplementation.h"

namespace flywheel {

/// A clause of the assembly of an op: a keyword, and the text after it.
struct Clause {
  llvm::StringRef keyword;
  llvm::function_ref<mlir::ParseResult()> parse;
  bool isPresent = false;
};

/// Parses any subset of `clauses`, in any order, each at most once. If a
/// keyword is not followed by the rest of its clause, that is an error, as for
/// any other part of the assembly; `oilist` of a declarative format ignores a
/// keyword alone.
inline mlir::ParseResult parseClauses(mlir::OpAsmParser &parser,
                                      llvm::MutableArrayRef<Clause> clauses) {
  llvm::SmallVector<llvm::StringRef> keywords;
  for (const Clause &clause : clauses)
    keywords.push_back(clause.keyword);
  llvm::StringRef found;
  llvm::SMLoc loc = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalKeyword(&found, keywords))) {
    Clause &clause = *llvm::find_if(
        clauses, [&](Clause &clause) { return clause.keyword == found; });
    if (clause.isPresent)
      return parser.emitError(loc)
             << "expected '" << clause.keyword << "' once, found it again";
    clause.isPresent = true;
    if (clause.parse())
      return mlir::failure();
    loc = parser.getCurrentLocation();
  }
  return mlir::success();
}

} // namespace flywheel

#endif // FLYWHEEL_DIALECT_CLAUSES_H
