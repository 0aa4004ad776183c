//===- CNames.h - How a model is spelled in C -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry points, the C header and the JIT agree on names through this file.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_MODEL_CNAMES_H
#define FLYWHEEL_MODEL_CNAMES_H

#include "flywheel/Model/Manifest.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace flywheel {

/// `name`, of a model, as a C identifier, which is the prefix of others: every
/// other character becomes `_`; names that begin with a digit or `_`, which C
/// keeps for itself, keywords of C or C++ and the name of the runtime library
/// get `model_` in front: `model_int`. Never empty.
std::string toCIdentifier(llvm::StringRef name);

/// toCIdentifier() in capitals, for macros.
std::string toCMacro(llvm::StringRef name);

/// The C type of one element: `float`, `int32_t`, `uint16_t` for the bits of
/// f16 and bf16, `uint8_t` for a boolean (0 or 1), `int64_t` for the number of
/// a string. Empty for a type that has none.
llvm::StringRef getCType(mlir::Type elementType);

/// `float32`, `int64`, `bool`, `bfloat16`: the name that numpy uses; `string`;
/// empty for a type without one.
llvm::StringRef getDTypeName(mlir::Type elementType);

/// Returns `(?, 64)`, or `(batch, 64)` if `entry` is given and names the
/// dimension sizes.
std::string formatShape(const ManifestArgument &argument,
                        const ManifestEntry *entry = nullptr);
/// `(3, 5)`, `(3,)`, `()`; a dynamic dimension size is `?`.
std::string formatShape(llvm::ArrayRef<int64_t> shape);

/// Returns the C symbol of an entry, `digits_train_step`; with the suffix
/// `_entry` if it could be a keyword, a type or a macro of C: `int32_t_entry`.
std::string getEntrySymbol(const Manifest &manifest,
                           const ManifestEntry &entry);
/// The symbol of the form that a JIT session calls.
std::string getPackedSymbol(const Manifest &manifest,
                            const ManifestEntry &entry);

/// Returns the names, without the prefix, that every header declares under the
/// model's prefix. No entry can have one of them.
llvm::ArrayRef<llvm::StringRef> getReservedCNames();
/// The same of models that are compiled to be profiled.
llvm::ArrayRef<llvm::StringRef> getProfileCNames();
/// Those of models whose steps a GPU executes.
llvm::ArrayRef<llvm::StringRef> getGPUCNames();

/// One parameter of an entry's C function, after the state.
struct CParameter {
  enum class Kind { Team, Feed, DimSize, Result };
  Kind kind;
  /// Index into the entry's feeds, symbols or results; 0 for the team.
  unsigned index;
  /// Unique among the parameters.
  std::string name;
};

/// Returns the parameters in order: the team, if the model is compiled for
/// several threads; each feed, followed by the dimension sizes that it is the
/// first to use; then the results.
std::vector<CParameter> getCParameters(const Manifest &manifest,
                                       const ManifestEntry &entry);

/// The entry that gives variables their initial values has an interface of its
/// own.
inline bool isInitializer(const ManifestEntry &entry) {
  return entry.name == "init";
}

/// Returns the error about a block that no initializer has seen.
std::string getNotInitializedMessage(const Manifest &manifest);

/// Workspace in bytes that covers every entry when no symbolic dimension size
/// exceeds its bound.
CheckedSize getMaxWorkspaceBytes(const Manifest &manifest,
                                 const DimSizeBounds &bounds);

/// Offset of the workspace in the block of a caller in C, and the size of that
/// block, in bytes.
int64_t getCWorkspaceOffset(const Manifest &manifest);
CheckedSize getCStateBytes(const Manifest &manifest,
                           const DimSizeBounds &bounds);

/// The cost of a bound.
struct BoundCost {
  std::string name;
  int64_t bound;
  /// Bytes of the block for each 1 of the bound, on average from half of it on.
  int64_t bytesEach;
};

/// Returns the cost of the bound of each symbolic dimension size when the
/// others are at their bounds, in the order of the entries.
std::vector<BoundCost> getBoundCosts(const Manifest &manifest,
                                     const DimSizeBounds &bounds);

/// Returns a line on the cost of each bound that was not set explicitly and
/// takes more than half of the block. `remedy` bounds `batch` if it contains
/// NAME: "--max-dim-size=NAME=N".
std::vector<std::string> describeCostlyBounds(const Manifest &manifest,
                                              const DimSizeBounds &bounds,
                                              llvm::StringRef remedy);

/// The layout hash of a block with so large a workspace: a block of other
/// bounds is one never initialised.
uint64_t getCLayoutHash(const Manifest &manifest, const DimSizeBounds &bounds);

/// 16 digits that stand for everything in which a caller in C and the object
/// must agree: the layout and size of the block, the bounds, the parameters of
/// each function. `manifest` is that of after the emission of entry points.
std::string getInterfaceHash(const Manifest &manifest,
                             const DimSizeBounds &bounds);

/// The name of a function by which the header calls it: other in an object of
/// another interface.
std::string getLinkedSymbol(llvm::StringRef symbol,
                            llvm::StringRef interfaceHash);

/// Every symbol that the object exports under both names.
std::vector<std::string> getExportedSymbols(const Manifest &manifest);

/// Returns the number of the message about a block that no initializer has
/// seen; entry points must have been emitted.
int32_t getNotInitializedNumber(const Manifest &manifest);

} // namespace flywheel

#endif // FLYWHEEL_MODEL_CNAMES_H
