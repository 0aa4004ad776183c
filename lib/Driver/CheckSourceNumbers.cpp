//===- CheckSourceNumbers.cpp - Numbers that upstream must not be given ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In MLIR 22.1.8:
// * the verifier of `linalg` ops evaluates indexing maps at the bounds of their
//   loops, and does not handle a division without a value;
// * that of `tensor.concat` reads `dim` as a number without a sign, and then as
//   one with a sign;
// * those of `tensor.pad`, `linalg.pack` and `linalg.unpack` expect an operand
//   for every static number that is -9223372036854775808, which stands for one
//   that is not static;
// * affine expressions multiply constants modulo 2^64.
//
//===----------------------------------------------------------------------===//

#include "SourceLexer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace flywheel;
using llvm::StringRef;

/// The most tokens of an op that are searched.
constexpr unsigned kMaxAttributeTokens = 4096;
constexpr int64_t kDynamicNumber = std::numeric_limits<int64_t>::min();

/// Parses a number without a sign.
static std::optional<uint64_t> parseNumber(const Token &token) {
  uint64_t number;
  unsigned radix = token.text.starts_with("0x") ? 0 : 10;
  if (token.kind != Token::Number || token.text.getAsInteger(radix, number))
    return std::nullopt;
  return number;
}

//===----------------------------------------------------------------------===//
// Divisors
//===----------------------------------------------------------------------===//

namespace {
/// Reads an affine expression of constants. Upstream's arithmetic wraps.
class ConstantReader {
public:
  /// If `namesAreOne`, dimensions and symbols count as the constant 1.
  explicit ConstantReader(SourceLexer rest, bool namesAreOne = false)
      : lexer(rest), namesAreOne(namesAreOne) {}

  /// Reads the factors after a `*`; `first` is the factor before it.
  void readFactors(uint64_t first);
  /// Reads a group after its `(` and, if it is a factor, the factors after it.
  void readGroup();
  /// Returns true if a product that was read does not fit into 64 bits.
  bool hasOverflown() const { return overflows; }

  /// Reads the operand after an operator; returns none if it is not constant.
  std::optional<uint64_t> readOperand(unsigned depth = 0);

private:
  std::optional<uint64_t> readProduct(unsigned depth);
  std::optional<uint64_t> readSum(unsigned depth);
  bool consume(StringRef expected);

  uint64_t multiply(uint64_t lhs, uint64_t rhs);

  SourceLexer lexer;
  bool namesAreOne;
  bool overflows = false;
};
} // namespace

uint64_t ConstantReader::multiply(uint64_t lhs, uint64_t rhs) {
  int64_t product;
  overflows |= llvm::MulOverflow(static_cast<int64_t>(lhs),
                                 static_cast<int64_t>(rhs), product) != 0;
  return lhs * rhs;
}

void ConstantReader::readFactors(uint64_t first) {
  do {
    std::optional<uint64_t> factor = readOperand();
    if (!factor)
      return;
    first = multiply(first, *factor);
  } while (consume("*"));
}

void ConstantReader::readGroup() {
  std::optional<uint64_t> sum = readSum(/*depth=*/1);
  if (sum && consume(")") && consume("*"))
    readFactors(*sum);
}

bool ConstantReader::consume(StringRef expected) {
  SourceLexer ahead = lexer;
  if (!ahead.next().is(expected))
    return false;
  lexer = ahead;
  return true;
}

std::optional<uint64_t> ConstantReader::readOperand(unsigned depth) {
  // `SourceChecker` refuses deeper nesting.
  if (depth > kMaxNesting)
    return std::nullopt;
  if (consume("-")) {
    std::optional<uint64_t> operand = readOperand(depth + 1);
    return operand ? std::optional(-*operand) : std::nullopt;
  }
  if (consume("(")) {
    std::optional<uint64_t> sum = readSum(depth + 1);
    return sum && consume(")") ? sum : std::nullopt;
  }
  Token token = lexer.next();
  if (namesAreOne && token.kind == Token::Word)
    return 1;
  return parseNumber(token);
}

std::optional<uint64_t> ConstantReader::readProduct(unsigned depth) {
  std::optional<uint64_t> product = readOperand(depth);
  while (product && consume("*")) {
    std::optional<uint64_t> factor = readOperand(depth);
    product =
        factor ? std::optional(multiply(*product, *factor)) : std::nullopt;
  }
  return product;
}

std::optional<uint64_t> ConstantReader::readSum(unsigned depth) {
  std::optional<uint64_t> sum = readProduct(depth);
  while (sum) {
    bool isNegative = consume("-");
    if (!isNegative && !consume("+"))
      break;
    std::optional<uint64_t> term = readProduct(depth);
    if (!term)
      return std::nullopt;
    sum = isNegative ? *sum - *term : *sum + *term;
  }
  return sum;
}

std::optional<SourceProblem> flywheel::checkFactors(const Token &token,
                                                    const Token &previous,
                                                    SourceLexer rest) {
  ConstantReader reader(rest, /*namesAreOne=*/true);
  if (token.is("("))
    reader.readGroup();
  else
    reader.readFactors(parseNumber(previous).value_or(1));
  if (!reader.hasOverflown())
    return std::nullopt;
  return makeProblem(token, "expected constants of an affine expression whose "
                            "product fits into 64 bits, found a larger one");
}

std::optional<SourceProblem> flywheel::checkDivisor(SourceLexer rest) {
  std::optional<uint64_t> divisor = ConstantReader(rest).readOperand();
  if (!divisor || static_cast<int64_t>(*divisor) >= 1)
    return std::nullopt;
  return makeProblem(rest.next(),
                     "expected a divisor of 1 or more in an affine expression, "
                     "found " +
                         llvm::Twine(static_cast<int64_t>(*divisor)));
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

namespace {
/// A number and its position.
struct NumberAt {
  Token start;
  int64_t value;
};
} // namespace

static std::optional<NumberAt> readNumber(SourceLexer &lexer,
                                          const AliasTexts &aliases) {
  NumberAt number;
  number.start = resolveNext(lexer, aliases);
  bool isNegative = number.start.is("-");
  std::optional<uint64_t> value =
      parseNumber(isNegative ? lexer.next() : number.start);
  if (!value)
    return std::nullopt;
  number.value = static_cast<int64_t>(isNegative ? -*value : *value);
  return number;
}

/// Reads the numbers up to the end of a list; `lexer` is after its bracket.
static llvm::SmallVector<NumberAt> readNumbers(SourceLexer lexer,
                                               const AliasTexts &aliases) {
  llvm::SmallVector<NumberAt> numbers;
  unsigned depth = 0;
  while (true) {
    SourceLexer ahead = lexer;
    if (std::optional<NumberAt> number = readNumber(ahead, aliases))
      numbers.push_back(*number);
    Token token = lexer.next();
    depth += token.kind == Token::Open;
    if (token.kind == Token::End ||
        (token.kind == Token::Close && depth-- == 0))
      return numbers;
    // The number itself follows its sign.
    if (token.is("-"))
      lexer.next();
  }
}

namespace {
/// Finds an attribute of an op, also in aliases.
class AttributeFinder {
public:
  AttributeFinder(StringRef name, const AliasTexts &aliases)
      : name(name), aliases(aliases) {}

  /// Returns the lexer after the attribute's name and `=`; none if the op does
  /// not have the attribute.
  std::optional<SourceLexer> find(SourceLexer rest);

private:
  StringRef name;
  const AliasTexts &aliases;
  unsigned numTokens = 0;
};
} // namespace

std::optional<SourceLexer> AttributeFinder::find(SourceLexer rest) {
  while (++numTokens < kMaxAttributeTokens) {
    Token token = rest.next();
    // The types or the regions of an op follow its attributes.
    if (token.kind == Token::End || token.is("->") ||
        (token.is("(") && SourceLexer(rest).next().is("{")))
      return std::nullopt;
    if (token.kind == Token::Alias)
      if (auto known = aliases.find(token.text); known != aliases.end())
        if (auto found = find(SourceLexer(known->second)))
          return found;
    SourceLexer behind = rest;
    if (token.is(name) && behind.next().is("="))
      return behind;
  }
  return std::nullopt;
}

/// Returns the numbers of an attribute that is an array.
static llvm::SmallVector<NumberAt> findNumbers(StringRef name, SourceLexer rest,
                                               const AliasTexts &aliases) {
  std::optional<SourceLexer> value = AttributeFinder(name, aliases).find(rest);
  if (!value || !resolveNext(*value, aliases).is("array") ||
      !value->next().is("<"))
    return {};
  // The type of the elements.
  value->next();
  value->next();
  return readNumbers(*value, aliases);
}

static std::optional<SourceProblem>
checkConcat(SourceLexer rest, const AliasTexts &aliases, bool isGeneric) {
  if (isGeneric) {
    std::optional<SourceLexer> value =
        AttributeFinder("dim", aliases).find(rest);
    if (!value)
      return std::nullopt;
    rest = *value;
  } else if (!rest.next().is("dim") || !rest.next().is("(")) {
    return std::nullopt;
  }
  std::optional<NumberAt> dim = readNumber(rest, aliases);
  if (!dim || dim->value >= 0)
    return std::nullopt;
  return makeProblem(dim->start, "expected a dimension of 0 or more as 'dim' "
                                 "in 'tensor.concat', found " +
                                     llvm::Twine(dim->value));
}

/// Checks that no more than `numOperands` of the numbers of `name` stand for an
/// operand.
static std::optional<SourceProblem>
checkDynamic(StringRef name, llvm::ArrayRef<NumberAt> numbers,
             uint64_t numOperands) {
  for (const NumberAt &number : numbers)
    if (number.value == kDynamicNumber && numOperands-- == 0)
      return makeProblem(number.start,
                         "expected an operand for each number of '" + name +
                             "' that is " + llvm::Twine(kDynamicNumber) +
                             ", which stands for one, found none");
  return std::nullopt;
}

/// Checks the list of `name` in a custom form, which contains the operands.
static std::optional<SourceProblem>
checkCustomList(StringRef name, SourceLexer rest, const AliasTexts &aliases) {
  Token token = rest.next();
  if (token.is("="))
    token = rest.next();
  return token.is("[") ? checkDynamic(name, readNumbers(rest, aliases), 0)
                       : std::nullopt;
}

/// Checks the list of `name` in a generic form, whose operands are segment
/// number `segment`.
static std::optional<SourceProblem>
checkGenericList(StringRef name, unsigned segment, SourceLexer rest,
                 const AliasTexts &aliases) {
  llvm::SmallVector<NumberAt> segments =
      findNumbers("operandSegmentSizes", rest, aliases);
  // The verifier reads the sizes first.
  if (segments.size() <= segment || segments[segment].value < 0)
    return std::nullopt;
  return checkDynamic(name, findNumbers(name, rest, aliases),
                      segments[segment].value);
}

std::optional<SourceProblem> flywheel::checkNumbers(const Token &name,
                                                    SourceLexer rest,
                                                    const AliasTexts &aliases) {
  if (name.is("tensor.concat") || name.is("\"tensor.concat\""))
    return checkConcat(rest, aliases, name.kind == Token::String);
  if (name.is("low") || name.is("high") || name.is("inner_tiles"))
    return checkCustomList(name.text, rest, aliases);
  if (name.is("\"linalg.pack\""))
    return checkGenericList("static_inner_tiles", 3, rest, aliases);
  if (name.is("\"linalg.unpack\""))
    return checkGenericList("static_inner_tiles", 2, rest, aliases);
  if (!name.is("\"tensor.pad\""))
    return std::nullopt;
  if (auto problem = checkGenericList("static_low", 1, rest, aliases))
    return problem;
  return checkGenericList("static_high", 2, rest, aliases);
}
