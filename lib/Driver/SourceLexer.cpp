//===- SourceLexer.cpp - Tokens of a module's text ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceLexer.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace flywheel;
using llvm::StringRef;

static bool isInWord(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.';
}

void SourceLexer::skipSpace() {
  lineStarted = false;
  while (!rest.empty()) {
    if (llvm::isSpace(rest.front())) {
      lineStarted |= rest.front() == '\n';
      rest = rest.drop_front();
    } else if (rest.starts_with("//")) {
      rest = rest.drop_until([](char c) { return c == '\n'; });
    } else {
      return;
    }
  }
}

Token SourceLexer::take(Token::Kind kind, size_t length) {
  Token token{kind, rest.take_front(length)};
  rest = rest.drop_front(length);
  return token;
}

/// Returns the length of the string at the start of the rest. A string that
/// does not end on its line is a parse error; the parser continues after it.
size_t SourceLexer::getStringLength() const {
  size_t length = 1;
  for (; length < rest.size() && rest[length] != '\n'; ++length) {
    if (rest[length] == '"')
      return length + 1;
    if (rest[length] == '\\')
      ++length;
  }
  return std::min(length, rest.size());
}

Token SourceLexer::next() {
  skipSpace();
  if (rest.empty())
    return {Token::End, rest};
  char c = rest.front();
  if (c == '"')
    return take(Token::String, getStringLength());
  if (llvm::isAlpha(c) || c == '_') {
    StringRef word = rest.take_while(isInWord);
    bool isOperator = word == "floordiv" || word == "ceildiv" || word == "mod";
    return take(isOperator ? Token::Operator : Token::Word, word.size());
  }
  if (llvm::isDigit(c)) {
    size_t length = rest.take_while(isInWord).size();
    // 1.5e-3 is one number.
    if (length < rest.size() && (rest[length] == '-' || rest[length] == '+') &&
        (rest[length - 1] == 'e' || rest[length - 1] == 'E') &&
        !rest.starts_with("0x"))
      length +=
          1 + rest.drop_front(length + 1).take_while(llvm::isDigit).size();
    return take(Token::Number, length);
  }
  if (c == '#' || c == '!' || c == '%' || c == '^' || c == '@') {
    size_t length =
        1 + rest.drop_front()
                .take_while([](char c) { return isInWord(c) || c == '-'; })
                .size();
    // The arrow after a name is not part of it.
    if (rest.take_front(length).ends_with("-") &&
        rest.drop_front(length).starts_with(">"))
      --length;
    return take(length > 1 && (c == '#' || c == '!') ? Token::Alias
                                                     : Token::Other,
                length);
  }
  for (StringRef sign : {"->", ">=", "<=", "==", "::"})
    if (rest.starts_with(sign))
      return take(Token::Other, sign.size());
  if (StringRef("([{<").contains(c))
    return take(Token::Open, 1);
  if (StringRef(")]}>").contains(c))
    return take(Token::Close, 1);
  if (StringRef("+-*").contains(c))
    return take(Token::Operator, 1);
  return take(Token::Other, 1);
}
