//===- SourceLexer.h - Tokens of a module's text ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DRIVER_SOURCELEXER_H
#define FLYWHEEL_LIB_DRIVER_SOURCELEXER_H

#include "flywheel/Driver/CheckSource.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace flywheel {

/// A token, as far as it matters here. A bracket is itself; everything of more
/// than one character that is not listed is a `Word`.
struct Token {
  enum Kind { End, Word, Number, String, Alias, Open, Close, Operator, Other };
  Kind kind = End;
  llvm::StringRef text;

  bool is(llvm::StringRef expected) const { return text == expected; }
};

class SourceLexer {
public:
  explicit SourceLexer(llvm::StringRef text) : rest(text) {}

  Token next();
  /// Returns true if a line ended between the last two tokens.
  bool isAtLineStart() const { return lineStarted; }

private:
  void skipSpace();
  Token take(Token::Kind kind, size_t length);
  size_t getStringLength() const;

  llvm::StringRef rest;
  bool lineStarted = true;
};

/// Returns the problem `text` at `token`.
inline SourceProblem makeProblem(const Token &token, const llvm::Twine &text) {
  return {token.text.data(), text.str()};
}

/// The text of each alias, with its sign: `#map`, `!type`.
using AliasTexts = llvm::StringMap<llvm::StringRef>;

/// Returns the next token. If that is an alias, moves `lexer` into the text of
/// the alias and returns the first token of that text.
Token resolveNext(SourceLexer &lexer, const AliasTexts &aliases);

/// Checks the op or the attribute with the name `name`, which `rest` follows:
/// the few on which upstream's custom forms crash.
/// \param isProperty it is one of the properties of an op without a custom
/// form.
std::optional<SourceProblem> checkNamed(const Token &name, SourceLexer rest,
                                        const AliasTexts &aliases,
                                        bool isProperty);

} // namespace flywheel

#endif // FLYWHEEL_LIB_DRIVER_SOURCELEXER_H
