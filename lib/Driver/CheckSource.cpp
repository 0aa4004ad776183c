//===- CheckSource.cpp - What the parser must not be given ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/CheckSource.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

using namespace flywheel;
using llvm::StringRef;

namespace {
/// A token, as far as it matters here. A bracket is itself; everything of more
/// than one character that is not listed is a `Word`.
struct Token {
  enum Kind { End, Word, Number, String, Alias, Open, Close, Operator, Other };
  Kind kind = End;
  StringRef text;

  bool is(StringRef expected) const { return text == expected; }
};

class SourceLexer {
public:
  explicit SourceLexer(StringRef text) : rest(text) {}

  Token next();
  /// Whether a line ended between the last two tokens.
  bool isAtLineStart() const { return lineStarted; }

private:
  void skipSpace();
  Token take(Token::Kind kind, size_t length);
  size_t getStringLength() const;

  StringRef rest;
  bool lineStarted = true;
};
} // namespace

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

/// Of the string at the start of the rest. One that does not end on its line is
/// an error of the parser, which goes on behind it.
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
    // The arrow behind a name is none of it.
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

namespace {
/// What an alias stands for, with all aliases in it replaced.
struct AliasSize {
  unsigned depth = 0;
  uint64_t tokens = 0;
};

class SourceChecker {
public:
  explicit SourceChecker(StringRef text) : lexer(text) {}

  std::optional<SourceProblem> run();

private:
  void advance() {
    beforePrevious = previous;
    previous = token;
    token = lexer.next();
  }
  void open();
  void close();
  void endDefinition();
  void useAlias();
  std::optional<SourceProblem> checkDepth(unsigned more);
  std::optional<SourceProblem> checkList();

  struct Level {
    char bracket;
    /// Since the bracket or the last comma.
    unsigned operators = 0;
  };

  SourceLexer lexer;
  Token beforePrevious, previous, token;
  llvm::SmallVector<Level> levels;
  unsigned operatorsOutside = 0;
  llvm::StringMap<AliasSize> aliases;
  /// The alias that is being defined, or nothing, and what it is made of.
  StringRef defined;
  AliasSize size;
};
} // namespace

static SourceProblem makeProblem(const Token &token, const llvm::Twine &text) {
  return {token.text.data(), text.str()};
}

/// Whether no affine expression goes on behind `token`.
static bool endsExpression(const Token &token) {
  return token.kind == Token::String || token.is(",") || token.is("=") ||
         token.is(":") ||
         (token.kind == Token::Word && token.text.contains('.'));
}

void SourceChecker::open() { levels.push_back({token.text.front()}); }

/// Closes the innermost bracket of the kind, with those inside that have no
/// partner: `<` may be part of an expression.
void SourceChecker::close() {
  char partner = llvm::StringSwitch<char>(token.text)
                     .Case(")", '(')
                     .Case("]", '[')
                     .Case("}", '{')
                     .Default('<');
  for (size_t level = levels.size(); level-- > 0;) {
    if (levels[level].bracket == partner) {
      levels.truncate(level);
      return;
    }
    // A stray `>` closes nothing but `<`.
    if (partner == '<')
      return;
  }
}

void SourceChecker::endDefinition() {
  if (!defined.empty())
    aliases[defined] = size;
  defined = {};
  size = {};
}

std::optional<SourceProblem> SourceChecker::checkDepth(unsigned more) {
  if (levels.size() + more > kMaxNesting)
    return makeProblem(token, "expected at most " + llvm::Twine(kMaxNesting) +
                                  " brackets nested in each other, with those "
                                  "that aliases stand for, found more");
  return std::nullopt;
}

void SourceChecker::useAlias() {
  auto known = aliases.find(token.text);
  if (known == aliases.end())
    return;
  size.depth =
      std::max<unsigned>(size.depth, levels.size() + known->second.depth);
  size.tokens += known->second.tokens;
}

/// The custom forms of `linalg.transpose`, `linalg.reduce` and
/// `linalg.broadcast` go on with what is no list of integers. An entry of a
/// dictionary is another thing: there, any attribute will do.
std::optional<SourceProblem> SourceChecker::checkList() {
  bool isEntry = beforePrevious.is("{") || beforePrevious.is(",") ||
                 beforePrevious.is("<");
  if (isEntry || (!previous.is("permutation") && !previous.is("dimensions")))
    return std::nullopt;
  StringRef name = previous.text;
  // A look ahead: the tokens are gone through once more.
  SourceLexer ahead = lexer;
  Token found = ahead.next();
  auto fail = [&]() {
    return makeProblem(found.kind == Token::End ? token : found,
                       "expected a list of 64-bit integers, such as [1, 0], as "
                       "'" +
                           name + "', found '" +
                           (found.text.size() > 40
                                ? found.text.take_front(40).str() + "..."
                                : found.text.str()) +
                           "'");
  };
  if (!found.is("["))
    return fail();
  found = ahead.next();
  if (found.is("]"))
    return std::nullopt;
  while (true) {
    bool isNegative = found.is("-");
    if (isNegative)
      found = ahead.next();
    int64_t value;
    bool isTruth = found.is("true") || found.is("false");
    if ((!isTruth || isNegative) &&
        (found.kind != Token::Number || found.text.getAsInteger(0, value)))
      return fail();
    found = ahead.next();
    if (found.is("]"))
      return std::nullopt;
    if (!found.is(","))
      return fail();
    found = ahead.next();
  }
}

std::optional<SourceProblem> SourceChecker::run() {
  for (advance(); token.kind != Token::End; advance()) {
    if (lexer.isAtLineStart() && levels.empty() && size.tokens > 0)
      endDefinition();
    ++size.tokens;
    unsigned &operators =
        levels.empty() ? operatorsOutside : levels.back().operators;
    switch (token.kind) {
    case Token::Open:
      open();
      size.depth = std::max<unsigned>(size.depth, levels.size());
      if (auto problem = checkDepth(0))
        return problem;
      break;
    case Token::Close:
      close();
      break;
    case Token::Operator:
      if (++operators > kMaxOperators)
        return makeProblem(token, "expected at most " +
                                      llvm::Twine(kMaxOperators) +
                                      " operators in an expression, found "
                                      "more");
      break;
    case Token::Alias:
      useAlias();
      if (auto problem = checkDepth(aliases.lookup(token.text).depth))
        return problem;
      break;
    default:
      if (endsExpression(token))
        operators = 0;
      break;
    }
    if (size.tokens > kMaxAliasTokens && !defined.empty())
      return makeProblem(token, "expected an alias that stands for at most " +
                                    llvm::Twine(kMaxAliasTokens) +
                                    " tokens, found '" + defined +
                                    "', which stands for more");
    if (token.is("=")) {
      if (previous.kind == Token::Alias && levels.empty()) {
        size = {};
        defined = previous.text;
      }
      if (auto problem = checkList())
        return problem;
    }
  }
  return std::nullopt;
}

std::optional<SourceProblem> flywheel::checkSource(StringRef text) {
  return SourceChecker(text).run();
}
