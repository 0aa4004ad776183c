//===- CheckSource.cpp - What the parser must not be given ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt 22.1.8 overflows its stack on 5000 nested branches, on 10000 nested
// arrays and on a sum of 100000 terms, does not end on a chain of aliases each
// of which names the one before twice, and crashes on `linalg.transpose`,
// `linalg.reduce` and `linalg.broadcast` with `permutation = [1, 0.0]`, an
// entry that is no integer. test/Driver/check-source.test has these inputs.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/CheckSource.h"

#include "SourceLexer.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

using namespace flywheel;
using llvm::StringRef;

namespace {
/// The size of an alias's text after all aliases in it are replaced.
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
  /// Returns true if the innermost brackets are `<{`.
  bool isInProperties() const {
    return levels.size() > 1 && levels.back().bracket == '{' &&
           levels[levels.size() - 2].bracket == '<';
  }
  std::optional<SourceProblem> checkDepth(unsigned more);
  std::optional<SourceProblem> checkList();

  struct Level {
    char bracket;
    /// The number of operators since the bracket or the last comma.
    unsigned operators = 0;
  };

  SourceLexer lexer;
  Token beforePrevious, previous, token;
  llvm::SmallVector<Level> levels;
  unsigned operatorsOutside = 0;
  llvm::StringMap<AliasSize> aliases;
  AliasTexts aliasTexts;
  /// The alias that is being defined, or nothing, the size of its text, and the
  /// start of that text.
  StringRef defined;
  AliasSize size;
  const char *definition = nullptr;
};
} // namespace

/// Returns true if no affine expression continues after `token`.
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
    // A stray `>` closes only `<`.
    if (partner == '<')
      return;
  }
}

void SourceChecker::endDefinition() {
  if (!defined.empty()) {
    aliases[defined] = size;
    aliasTexts[defined] = StringRef(definition, token.text.data() - definition);
  }
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

/// Refuses a value that is not a list of integers in the custom forms of
/// `linalg.transpose`, `linalg.reduce` and `linalg.broadcast`, which do not
/// check it. An entry of a dictionary may have any value.
std::optional<SourceProblem> SourceChecker::checkList() {
  bool isEntry = beforePrevious.is("{") || beforePrevious.is(",") ||
                 beforePrevious.is("<");
  if (isEntry || (!previous.is("permutation") && !previous.is("dimensions")))
    return std::nullopt;
  StringRef name = previous.text;
  // Looks ahead: the lexer reads these tokens again later.
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
    case Token::Word:
    case Token::String:
      if (auto problem = checkNamed(token, lexer, aliasTexts, isInProperties()))
        return problem;
      [[fallthrough]];
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
        definition = token.text.end();
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
