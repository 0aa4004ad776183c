//===- VariableStart.h - Where initial values are from ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_VARIABLESTART_H
#define FLYWHEEL_DIALECT_TRAIN_VARIABLESTART_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

#include <optional>

namespace flywheel {

/// The source of the value that a model's initializer gives a variable.
enum class VariableStart {
  /// The program says it.
  Program,
  /// A checkpoint, when the model was compiled.
  Checkpoint,
  /// The initializer gives none: whoever runs the model restores it.
  Restored
};

inline llvm::StringRef getName(VariableStart start) {
  switch (start) {
  case VariableStart::Program:
    return "program";
  case VariableStart::Checkpoint:
    return "checkpoint";
  case VariableStart::Restored:
    return "restored";
  }
  return "";
}

inline std::optional<VariableStart> parseVariableStart(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<VariableStart>>(name)
      .Case("program", VariableStart::Program)
      .Case("checkpoint", VariableStart::Checkpoint)
      .Case("restored", VariableStart::Restored)
      .Default(std::nullopt);
}

/// On a variable whose initial value is not that of the program: the source of
/// its value, by name.
constexpr llvm::StringLiteral kStartAttrName("train.start");

/// On a module: the names of the variables that became constants.
constexpr llvm::StringLiteral kConstantsAttrName("train.constants");

} // namespace flywheel

#endif // FLYWHEEL_DIALECT_TRAIN_VARIABLESTART_H
