//===- ParameterList.cpp - Text of parameters of attributes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParameterList.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

using namespace flywheel::train;
using llvm::StringRef;

namespace {
/// A view of text that no parser has read yet, which ends with a zero.
class Scanner {
public:
  explicit Scanner(llvm::SMLoc loc) : at(loc.getPointer()) {}

  bool isAt(char character) {
    skipBlanks();
    return *at == character;
  }
  bool consume(char character) {
    bool isThere = isAt(character);
    at += isThere;
    return isThere;
  }
  /// Takes an identifier; empty if there is none.
  StringRef takeName();
  /// Takes the text up to a `,` or a `>` that is not inside of the value.
  StringRef takeValue();
  llvm::SMLoc getLoc() const { return llvm::SMLoc::getFromPointer(at); }

private:
  void skipBlanks();
  /// Skips a string or any other character.
  void skipToken();

  const char *at;
};
} // namespace

void Scanner::skipBlanks() {
  while (true) {
    while (llvm::isSpace(*at))
      ++at;
    if (!StringRef(at, *at ? 2 : 0).starts_with("//"))
      return;
    while (*at && *at != '\n')
      ++at;
  }
}

StringRef Scanner::takeName() {
  skipBlanks();
  const char *begin = at;
  while (llvm::isAlpha(*at) || *at == '_' ||
         (at != begin && llvm::isDigit(*at)))
    ++at;
  return {begin, size_t(at - begin)};
}

void Scanner::skipToken() {
  if (*at++ != '"')
    return;
  while (*at && *at != '"' && *at != '\n')
    at += at[0] == '\\' && at[1] ? 2 : 1;
  at += *at == '"';
}

StringRef Scanner::takeValue() {
  skipBlanks();
  const char *begin = at, *end = at;
  for (int depth = 0; *at && (depth > 0 || (*at != ',' && *at != '>'));
       skipBlanks()) {
    depth += StringRef("<([{").contains(*at);
    depth -= StringRef(">)]}").contains(*at);
    skipToken();
    end = at;
  }
  return {begin, size_t(end - begin)};
}

/// Emits an error at `found` that `expected` was expected.
static mlir::ParseResult refuse(mlir::AsmParser &parser, StringRef found,
                                const llvm::Twine &expected) {
  mlir::InFlightDiagnostic error =
      parser.emitError(llvm::SMLoc::getFromPointer(found.data()))
      << "expected " << expected << ", found ";
  return found.empty() ? error << "nothing" : error << "'" << found << "'";
}

static bool matches(const ParameterKind &kind, StringRef value) {
  return llvm::Regex(("^(" + kind.pattern + ")$").str()).match(value);
}

/// Returns the names, with commas in between.
static std::string joinNames(llvm::ArrayRef<Parameter> parameters) {
  std::string names;
  for (const Parameter &parameter : parameters)
    names += (names.empty() ? "" : ", ") + parameter.name.str();
  return names;
}

mlir::ParseResult
flywheel::train::checkParameters(mlir::AsmParser &parser, StringRef mnemonic,
                                 llvm::ArrayRef<Parameter> parameters) {
  std::string owner = ("of #train." + mnemonic).str();
  Scanner scanner(parser.getCurrentLocation());
  llvm::StringSet<> seen;
  // There may be none between < and >.
  for (bool isMore = !scanner.isAt('>'); isMore;
       isMore = scanner.consume(',')) {
    StringRef name = scanner.takeName();
    const Parameter *parameter =
        llvm::find_if(parameters, [&](const Parameter &parameter) {
          return parameter.name == name;
        });
    if (parameter == parameters.end())
      return refuse(parser, name.empty() ? scanner.takeValue() : name,
                    "a parameter " + owner + " (" + joinNames(parameters) +
                        ")");
    if (!seen.insert(name).second)
      return parser.emitError(llvm::SMLoc::getFromPointer(name.data()))
             << "expected '" << name << "' " << owner
             << " once, found it twice";
    if (!scanner.consume('='))
      return mlir::success();
    StringRef value = scanner.takeValue();
    if (!matches(parameter->kind, value))
      return refuse(parser, value,
                    parameter->kind.description + " for '" + name + "' " +
                        owner);
  }
  for (const Parameter &parameter : parameters)
    if (parameter.isRequired && !seen.contains(parameter.name))
      return parser.emitError(scanner.getLoc())
             << "expected '" << parameter.name << "' " << owner
             << ", which has no default";
  return mlir::success();
}

mlir::ParseResult
flywheel::train::checkOnlyParameter(mlir::AsmParser &parser, StringRef mnemonic,
                                    const ParameterKind &kind) {
  StringRef value = Scanner(parser.getCurrentLocation()).takeValue();
  if (matches(kind, value))
    return mlir::success();
  return refuse(parser, value, kind.description + " in #train." + mnemonic);
}
