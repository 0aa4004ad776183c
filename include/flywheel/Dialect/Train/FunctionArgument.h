//===- FunctionArgument.h - Roles of the arguments of steps -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From `train-functionalize-state` to `flywheel-lower-state`, a step is a
// function whose arguments are its feeds, the destinations of its results, the
// storages of its variables and its workspace. Attributes of the dialect say
// which: this view is the one place that reads them.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_FUNCTIONARGUMENT_H
#define FLYWHEEL_DIALECT_TRAIN_FUNCTIONARGUMENT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace flywheel::train {

/// An argument of a function, by its number; a view that owns nothing.
class FunctionArgument {
public:
  enum class Role {
    /// A tensor of the caller that the step reads.
    Feed,
    /// The destination of a result.
    Result,
    /// The storage of a variable.
    Variable,
    /// The storages of several variables, each a slice of dimension 0.
    Variables,
    /// The flag of a variable that says that it has a value.
    IsInitialized,
    /// The memory of all temporary buffers.
    Workspace,
  };

  FunctionArgument(mlir::func::FuncOp function, unsigned number)
      : function(function), number(number) {}

  /// Returns the argument of a function that `value` is, if it is one.
  static std::optional<FunctionArgument> get(mlir::Value value);

  unsigned getNumber() const { return number; }
  Role getRole() const;
  bool isFeed() const { return getRole() == Role::Feed; }

  /// Returns the variable whose storage it is, or the list of those whose
  /// storages it stands for; null if it has another role.
  mlir::Attribute getStorage() const;
  /// Returns the variable whose storage it is; null if it has another role.
  mlir::FlatSymbolRefAttr getVariable() const;
  /// Returns the variables whose storages it stands for; null if it has another
  /// role.
  mlir::ArrayAttr getVariables() const;
  /// Returns the variable whose flag it is; null if it has another role.
  mlir::FlatSymbolRefAttr getFlagged() const;

  /// Returns true if the step reads the value that the variable has before.
  bool isRead() const;
  /// Returns true if the step reads that value or, if there is none, the
  /// initial value.
  bool isInitializedValueRead() const;
  /// Returns true if the step writes the variable.
  bool isWritten() const;
  /// Returns true if its new value comes from an optimizer update, which has to
  /// write in place.
  bool isUpdated() const;
  /// Lets the new value come from elsewhere than an update in place.
  void removeUpdated();

  /// Returns the number of the result whose destination it is, if it is one.
  std::optional<unsigned> getResultNumber() const;

  /// Returns the name that the program gives it; null without one.
  mlir::StringAttr getGivenName() const;
  /// Returns the name that callers of the step see: the given one, or `arg`
  /// with its number.
  std::string getName() const;
  /// Returns the name that the program gives to the size of `dim`; empty
  /// without one.
  llvm::StringRef getDimName(int64_t dim) const;
  /// Returns the number of the symbolic size of `dim`; -1 if the size is static
  /// or is not known yet (before `flywheel-unify-symbolic-dims`).
  int64_t getDimSymbol(int64_t dim) const;
  /// Returns for each dimension the op that requires its symbolic size to be
  /// that of another feed, empty if it is unknown; an empty list if no
  /// dimension has one.
  llvm::SmallVector<llvm::StringRef> getDimSizePlaces() const;
  /// Returns the type of the elements that callers see.
  mlir::Type getElementType() const;

private:
  mlir::Attribute getAttr(llvm::StringRef name) const {
    return function.getArgAttr(number, name);
  }

  // Accessors of ops are not const.
  mutable mlir::func::FuncOp function;
  unsigned number;
};

} // namespace flywheel::train

#endif // FLYWHEEL_DIALECT_TRAIN_FUNCTIONARGUMENT_H
