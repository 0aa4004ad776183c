//===- ParameterList.h - Text of parameters of attributes -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameter parsers that TableGen generates report `duplicate or unknown
// struct parameter name`, and the C++ type of a parameter. So this file checks
// the text before they parse it.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_IR_PARAMETERLIST_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_IR_PARAMETERLIST_H

#include "flywheel/Dialect/Train/Train.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace flywheel::train {

/// The syntax of the values of a parameter.
struct ParameterKind {
  /// As in `expected a number`.
  llvm::StringLiteral description;
  /// A POSIX expression for all of a value that can be read.
  llvm::StringLiteral pattern;
};

/// Also of an alias, such as `#rate`.
inline constexpr ParameterKind kNumber{
    "a number such as 0.1 or 1.0e-3",
    "#.+|-?(0x[0-9a-fA-F]+|[0-9]+(\\.[0-9]*([eE][-+]?[0-9]+)?)?)([ \t]*:.+)?"};
inline constexpr ParameterKind kWholeNumber{"a whole number",
                                            "-?(0x[0-9a-fA-F]+|[0-9]+)"};

inline constexpr ParameterKind kDense{"values such as dense<0.5> : tensor<f32>",
                                      "(#|dense).+"};
inline constexpr ParameterKind kStrings{
    "a list of strings such as [\"a\", \"b\"]", "[[#].+"};

/// The kind of the parameters of a type of C++.
template <typename T> extern const ParameterKind kParameterKind;
template <> inline constexpr ParameterKind kParameterKind<Real> = kNumber;
template <>
inline constexpr ParameterKind kParameterKind<std::optional<Real>> = kNumber;
template <>
inline constexpr ParameterKind kParameterKind<int64_t> = kWholeNumber;
template <>
inline constexpr ParameterKind kParameterKind<std::optional<int64_t>> =
    kWholeNumber;
template <>
inline constexpr ParameterKind kParameterKind<bool>{"true or false",
                                                    "true|false|0|1"};
template <>
inline constexpr ParameterKind kParameterKind<mlir::StringAttr>{
    "a string in quotes", "[\"#].*"};
template <>
inline constexpr ParameterKind kParameterKind<mlir::DenseI64ArrayAttr>{
    "a list of whole numbers such as [1, 2]", "\\[.*"};
template <>
inline constexpr ParameterKind kParameterKind<mlir::DenseF64ArrayAttr>{
    "a list of numbers such as [0.1, 0.2]", "\\[.*"};

struct Parameter {
  llvm::StringLiteral name;
  ParameterKind kind;
  /// True if the parameter has no default.
  bool isRequired;
};

/// Checks `NAME = VALUE, ...` up to the `>` of `#train.MNEMONIC` without
/// consuming it. Emits an error, at its location, for a name that is not in
/// `parameters`, for a repeated or missing name, and for a value of another
/// kind. The parser reports text that is not such a list.
mlir::ParseResult checkParameters(mlir::AsmParser &parser,
                                  llvm::StringRef mnemonic,
                                  llvm::ArrayRef<Parameter> parameters);

/// Looks at the value of `#train.MNEMONIC<VALUE>` likewise.
mlir::ParseResult checkOnlyParameter(mlir::AsmParser &parser,
                                     llvm::StringRef mnemonic,
                                     const ParameterKind &kind);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_IR_PARAMETERLIST_H
