//===- OptionTable.h - The options that users give --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything about an option of a compilation but what it does: command lines,
// pipelines of flywheel-opt, the record of stages, the key of the program cache
// and Python take it from here. OptionTable.cpp has the options.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_OPTIONTABLE_H
#define FLYWHEEL_DRIVER_OPTIONTABLE_H

#include "flywheel/Driver/Backend.h"
#include "flywheel/Driver/CompilerOptions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace flywheel {

/// The value of an option; nothing for one that is not given and has no
/// default.
using OptionValue = std::variant<std::monostate, bool, int64_t, std::string,
                                 std::vector<std::string>>;

/// Returns the place of a value in the options of a compilation.
template <typename T> using OptionSlot = T &(*)(CompilerOptions &);

// The kinds of options. get() returns the value, set() sets it, or returns an
// error for one of another kind or out of range.

/// A switch, off by default.
struct FlagKind {
  OptionSlot<bool> slot;

  OptionValue get(CompilerOptions &options) const;
  llvm::Error set(CompilerOptions &options, const OptionValue &value) const;
};

/// A whole number. In a slot that always has one, numbers below `least` stand
/// for none.
struct NumberKind {
  std::variant<OptionSlot<int64_t>, OptionSlot<std::optional<int64_t>>> slot;
  int64_t least = 0;
  int64_t most = std::numeric_limits<int64_t>::max();
  /// Texts may end in KiB, MiB and GiB.
  bool countsBytes = false;

  OptionValue get(CompilerOptions &options) const;
  llvm::Error set(CompilerOptions &options, const OptionValue &value) const;
  /// Returns what a value is, for "expected ...".
  std::string describe() const;
};

/// A text; not empty where it is given.
struct TextKind {
  OptionSlot<std::string> slot;
  /// Bytes of a path, which need not be UTF-8.
  bool isPath = false;

  OptionValue get(CompilerOptions &options) const;
  llvm::Error set(CompilerOptions &options, const OptionValue &value) const;
};

/// A list of texts; commas separate them.
struct NamesKind {
  OptionSlot<std::vector<std::string>> slot;

  OptionValue get(CompilerOptions &options) const;
  llvm::Error set(CompilerOptions &options, const OptionValue &value) const;
};

/// `optimized` or `reference`.
struct LoweringKind {
  OptionSlot<std::optional<Lowering>> slot;

  OptionValue get(CompilerOptions &options) const;
  llvm::Error set(CompilerOptions &options, const OptionValue &value) const;
};

/// Bounds of dimension sizes, `64` of all or `time=256` of one; commas separate
/// them.
struct BoundsKind {
  OptionSlot<std::optional<DimSizeBounds>> slot;

  OptionValue get(CompilerOptions &options) const;
  llvm::Error set(CompilerOptions &options, const OptionValue &value) const;
};

/// The part of an option in the key of the program cache.
enum class OptionInKey {
  /// The key has its value.
  Value,
  /// The key has what it makes of the target: the CPU that `host` is.
  Target,
  /// A program with another value than the default is not kept.
  NotKept,
};

struct OptionInfo {
  /// The name in Python and in the record of a module: `memory_budget`. Dashes
  /// take the place of `_` in command lines and pipelines.
  llvm::StringLiteral name;
  std::variant<FlagKind, NumberKind, TextKind, NamesKind, LoweringKind,
               BoundsKind>
      kind;
  /// The first stage that reads it, or empty if modules do not depend on it.
  llvm::StringLiteral stage;
  OptionInKey inKey;
  /// A value in one word, for --help, and in several, for "expected ...".
  llvm::StringLiteral valueName, expected;
  /// A sentence that begins with what the option does.
  llvm::StringLiteral help;
  /// The option that has to be given with it, and one that must not; empty for
  /// none.
  llvm::StringLiteral needs = "", excludes = "";
  /// Without a value, stages leave it to the compilation that goes on.
  bool isOpen = false;
  /// The feature that a back end needs to read the option; null if every back
  /// end reads it, or none.
  bool BackendFeatures::*feature = nullptr;

  /// `memory-budget`.
  std::string getFlag() const;
  bool isFlag() const { return std::holds_alternative<FlagKind>(kind); }
  bool isList() const {
    return std::holds_alternative<NamesKind>(kind) ||
           std::holds_alternative<BoundsKind>(kind);
  }
  /// Returns true if `options` may be without a value.
  bool isOptional() const;
  /// Returns true if `options` have another value than by default, or were
  /// given this one in a text.
  bool isGiven(const CompilerOptions &options) const;
  OptionValue get(const CompilerOptions &options) const;
  /// Sets the value that get() returns. Returns an error for one of another
  /// kind or out of range, without the name of the option.
  llvm::Error set(CompilerOptions &options, const OptionValue &value) const;
  /// Sets the value that `text` is, or adds it to a list. Returns an error as
  /// set() does.
  llvm::Error parse(CompilerOptions &options, llvm::StringRef text) const;

private:
  llvm::Error parseValue(CompilerOptions &options, llvm::StringRef text) const;
};

/// Every option, in the order of the stages.
llvm::ArrayRef<OptionInfo> getOptionTable();

/// Returns the option of a name, as in Python; null if there is none.
const OptionInfo *findOption(llvm::StringRef name);

/// Returns an error if an option is given without one that it needs, or with
/// one that it excludes. `spell` returns how the user writes an option.
llvm::Error
checkOptions(const CompilerOptions &options,
             llvm::function_ref<std::string(const OptionInfo &)> spell);

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_OPTIONTABLE_H
