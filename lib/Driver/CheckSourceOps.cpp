//===- CheckSourceOps.cpp - Ops that upstream must not be given -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt 22.1.8 crashes in its parser, before any verifier that could be run
// after checks of the ops (VerifySource.h), on
// * `linalg.generic {iterator_types = ["parallel", 7], ...}`, and on
//   `vector.contract` likewise: custom forms read each entry as a string;
// * `linalg.elementwise kind=...<exp>` of integers, `linalg.batch_matmul` and
//   `linalg.batch_reduce_matmul` of tensors of index: custom forms build a body
//   of arithmetic for any element type, and reach unreachable code;
// * `array<index: 0>`, as index has no width.
// test/Driver/check-source-ops.test has each of these inputs.
//
//===----------------------------------------------------------------------===//

#include "SourceLexer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace flywheel;
using llvm::StringRef;

/// The longest chain of aliases that is followed.
constexpr unsigned kMaxAliases = 64;
/// The most tokens between the name of an op and its operands.
constexpr unsigned kMaxTokens = 4096;

Token flywheel::resolveNext(SourceLexer &lexer, const AliasTexts &aliases) {
  Token token = lexer.next();
  for (unsigned i = 0; i < kMaxAliases && token.kind == Token::Alias; ++i) {
    auto known = aliases.find(token.text);
    if (known == aliases.end())
      break;
    lexer = SourceLexer(known->second);
    token = lexer.next();
  }
  return token;
}

/// Calls `callback` with each entry of a list: its first token, and the lexer
/// after it. Stops at a value that is not a list, which the parser refuses.
static std::optional<SourceProblem> forEachEntry(
    SourceLexer list, const AliasTexts &aliases,
    llvm::function_ref<std::optional<SourceProblem>(const Token &, SourceLexer)>
        callback) {
  if (!resolveNext(list, aliases).is("["))
    return std::nullopt;
  unsigned depth = 0;
  bool isStart = true;
  while (true) {
    SourceLexer entry = list;
    Token token = list.next();
    if (token.kind == Token::End || (depth == 0 && token.is("]")))
      return std::nullopt;
    if (isStart) {
      Token first = resolveNext(entry, aliases);
      if (auto problem = callback(first, entry))
        return problem;
    }
    depth += token.kind == Token::Open;
    if (token.kind == Token::Close && depth-- == 0)
      return std::nullopt;
    isStart = depth == 0 && token.is(",");
  }
}

static std::optional<SourceProblem>
checkIteratorTypes(SourceLexer rest, const AliasTexts &aliases,
                   bool isProperty) {
  // Only custom forms, whose attributes are not properties, read this list.
  if (!rest.next().is("=") || isProperty)
    return std::nullopt;
  return forEachEntry(
      rest, aliases,
      [&](const Token &entry, SourceLexer) -> std::optional<SourceProblem> {
        if (entry.kind == Token::String)
          return std::nullopt;
        return makeProblem(entry, "expected a list of strings, such as "
                                  "[\"parallel\", \"reduction\"], as "
                                  "'iterator_types', found '" +
                                      entry.text.take_front(40) + "'");
      });
}

static std::optional<SourceProblem> checkArrayType(SourceLexer rest,
                                                   const AliasTexts &aliases) {
  if (!rest.next().is("<"))
    return std::nullopt;
  Token type = resolveNext(rest, aliases);
  if (!type.is("index"))
    return std::nullopt;
  return makeProblem(type, "expected integers or floats as elements of an "
                           "array, such as array<i64: 1, 0>, found 'index'");
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

namespace {
enum class Element { Float, Integer, Boolean, Complex, Other };

/// The type of an operand.
struct OperandType {
  Token start;
  /// The type without spaces.
  std::string text;
  Element element;
};
} // namespace

/// Returns the kind of the elements of `type`, a type without spaces, or of
/// `type` itself.
static Element getElement(StringRef type, const AliasTexts &aliases) {
  std::string resolved;
  for (unsigned i = 0; i < kMaxAliases; ++i) {
    if (type.starts_with("!")) {
      auto known = aliases.find(type);
      if (known == aliases.end())
        return Element::Other;
      std::string text;
      SourceLexer lexer(known->second);
      for (Token token = lexer.next(); token.kind != Token::End;
           token = lexer.next())
        text += token.text;
      resolved = std::move(text);
      type = resolved;
      continue;
    }
    if (!type.consume_front("tensor<") && !type.consume_front("memref<"))
      break;
    while (true) {
      StringRef dim = type.take_while(
          [](char c) { return llvm::isDigit(c) || c == '?' || c == '*'; });
      if (dim.empty() || !type.drop_front(dim.size()).starts_with("x"))
        break;
      type = type.drop_front(dim.size() + 1);
    }
    if (type.starts_with("complex<"))
      return Element::Complex;
    type = type.take_until([](char c) { return c == ',' || c == '>'; });
  }
  if (type.starts_with("complex<"))
    return Element::Complex;
  auto isNumbered = [&](StringRef prefix) {
    return type.starts_with(prefix) && type.size() > prefix.size() &&
           llvm::isDigit(type[prefix.size()]);
  };
  if (isNumbered("f") || isNumbered("bf") || isNumbered("tf"))
    return Element::Float;
  if (type == "i1")
    return Element::Boolean;
  return isNumbered("i") || isNumbered("si") || isNumbered("ui")
             ? Element::Integer
             : Element::Other;
}

/// Reads the types after `ins` or `outs`, whose parenthesis is next.
static llvm::SmallVector<OperandType> readTypes(SourceLexer &lexer,
                                                const AliasTexts &aliases) {
  llvm::SmallVector<OperandType> types;
  Token token = lexer.next();
  while (token.kind != Token::End && !token.is(":") && !token.is(")"))
    token = lexer.next();
  if (!token.is(":"))
    return types;
  unsigned depth = 0;
  bool isStart = true;
  while (true) {
    token = lexer.next();
    depth += token.kind == Token::Open;
    if (token.kind == Token::End ||
        (token.kind == Token::Close && depth-- == 0))
      break;
    if (depth == 0 && token.is(",")) {
      isStart = true;
      continue;
    }
    if (isStart)
      types.push_back({token, "", Element::Other});
    isStart = false;
    types.back().text += token.text;
  }
  for (OperandType &type : types)
    type.element = getElement(type.text, aliases);
  return types;
}

/// Returns the first operand for which no body can be built; null if there is
/// none.
static const OperandType *
findMultiplicand(llvm::ArrayRef<OperandType> inputs,
                 llvm::ArrayRef<OperandType> outputs) {
  for (const OperandType &output : outputs)
    if (output.element == Element::Other)
      return &output;
  bool isComplex =
      !outputs.empty() && outputs.front().element == Element::Complex;
  for (const OperandType &input : inputs)
    if (input.element == Element::Other ||
        (input.element == Element::Complex && !isComplex))
      return &input;
  return nullptr;
}

static const OperandType *findOperand(StringRef kind,
                                      llvm::ArrayRef<OperandType> inputs) {
  static constexpr StringRef binary[] = {
      "add",          "sub",        "mul",        "div",
      "div_unsigned", "max_signed", "min_signed", "max_unsigned",
      "min_unsigned", "powf"};
  if (kind == "select")
    return nullptr;
  if (!llvm::is_contained(binary, kind)) {
    // Unary functions take floats only.
    for (const OperandType &input : inputs)
      if (input.element != Element::Float)
        return &input;
    return nullptr;
  }
  bool isInteger = kind.ends_with("_unsigned");
  bool isNumber = isInteger || kind == "sub" || kind == "div";
  auto getKind = [](const OperandType &input) {
    return input.element == Element::Boolean ? Element::Integer : input.element;
  };
  auto isBoolean = [](const OperandType &input) {
    return input.element == Element::Boolean;
  };
  for (const OperandType &input : inputs)
    if (input.element == Element::Other ||
        getKind(input) != getKind(inputs.front()) ||
        (isInteger && getKind(input) != Element::Integer))
      return &input;
  return isNumber && !inputs.empty() && llvm::all_of(inputs, isBoolean)
             ? &inputs.front()
             : nullptr;
}

/// Returns the value of the attribute, which may be inside of its name in one
/// of its forms.
static StringRef getElementwiseKind(SourceLexer value,
                                    const AliasTexts &aliases) {
  Token token = resolveNext(value, aliases);
  while (token.kind == Token::Alias || token.is("<") ||
         token.is("elementwise_kind"))
    token = resolveNext(value, aliases);
  return token.text;
}

static std::optional<SourceProblem>
checkElements(const Token &name, SourceLexer rest, const AliasTexts &aliases) {
  bool isElementwise = name.is("linalg.elementwise");
  StringRef kind;
  Token previous = name;
  for (unsigned i = 0;; ++i) {
    Token token = rest.next();
    if (token.kind == Token::End)
      return std::nullopt;
    if (previous.is("ins") && token.is("("))
      break;
    if (i == kMaxTokens)
      return makeProblem(name, "expected operands of '" + name.text +
                                   "' after at most " +
                                   llvm::Twine(kMaxTokens) + " tokens");
    if (previous.is("kind") && token.is("="))
      kind = getElementwiseKind(rest, aliases);
    previous = token;
  }
  llvm::SmallVector<OperandType> inputs = readTypes(rest, aliases);
  llvm::SmallVector<OperandType> outputs;
  if (rest.next().is("outs") && rest.next().is("("))
    outputs = readTypes(rest, aliases);
  const OperandType *problem = isElementwise
                                   ? findOperand(kind, inputs)
                                   : findMultiplicand(inputs, outputs);
  if (!problem)
    return std::nullopt;
  std::string op = "'" + name.text.str() + "'";
  if (isElementwise)
    op += " of kind '" + kind.str() + "'";
  return makeProblem(problem->start, "expected operands that " + op +
                                         " is defined for, found '" +
                                         problem->text + "'");
}

std::optional<SourceProblem> flywheel::checkNamed(const Token &name,
                                                  SourceLexer rest,
                                                  const AliasTexts &aliases,
                                                  bool isProperty) {
  if (name.is("iterator_types"))
    return checkIteratorTypes(rest, aliases, isProperty);
  if (name.is("array"))
    return checkArrayType(rest, aliases);
  if (name.is("linalg.elementwise") || name.is("linalg.batch_matmul") ||
      name.is("linalg.batch_reduce_matmul"))
    return checkElements(name, rest, aliases);
  return std::nullopt;
}
