//===- Manifest.h - A compiled model from outside ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one description of a compiled model that every consumer reads: the C
// header, the JSON manifest, the JIT session, checkpoints and the Python views.
//
// State block. One block of `stateBytes`, aligned to `kStateAlignment`. With n
// variables, at these offsets:
//
//   0        u64  layout hash; another value: a block never initialised
//   8        u64  seed of the last run of the initializer
//   16       i32  status of the last call on this block
//   20       u32  reserved
//   24       u64  for the holder of the block: where it keeps strings
//   32       i64  four, the numbers that the text of the status names
//   64       u8   one byte a variable, in their order: 1 once it has a value
//   runs     u64  one counter a variable: how often its initial value was drawn
//   text     -    `kStateTextBytes`, the text of a status below 0
//   ...           the variables, each at its `offset`, aligned
//
// `runs` is 64 + n, rounded up to 8; `text` is runs + 8 n.
//
// Status. A packed form returns 0, or 1 + the index of the message in
// `messages`, or a value below 0 of which the block has the text; the block has
// the same number. A function of the C interface returns the number of the kind
// of the message instead, which does not depend on what else a model checks. A
// call that fails changes nothing but status and text.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_MODEL_MANIFEST_H
#define FLYWHEEL_MODEL_MANIFEST_H

#include "flywheel/Dialect/Train/VariableStart.h"
#include "flywheel/Model/StatusKind.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace flywheel {

/// Alignment of the state block, of each variable and of the workspace, in
/// bytes: a cache line and the widest vector register.
constexpr int64_t kStateAlignment = 64;
/// Byte offsets within the state block's header; at 32 are the numbers
/// of StatusMessage.h.
constexpr int64_t kStateHashOffset = 0;
constexpr int64_t kStateSeedOffset = 8;
constexpr int64_t kStateStatusOffset = 16;
constexpr int64_t kStateStringsOffset = 24;
constexpr int64_t kStateInitializedOffset = 64;
/// Bytes of the text of a status that names sizes or is below 0, with its
/// terminator.
constexpr int64_t kStateTextBytes = 512;

/// The offsets of the run counters, of the text and of the end in the header of
/// a block of `numVariables` variables.
inline int64_t getStateRunsOffset(size_t numVariables) {
  return llvm::alignTo(kStateInitializedOffset + numVariables, 8);
}
inline int64_t getStateTextOffset(size_t numVariables) {
  return getStateRunsOffset(numVariables) + 8 * numVariables;
}
inline int64_t getStateHeaderBytes(size_t numVariables) {
  return getStateTextOffset(numVariables) + kStateTextBytes;
}

/// The collections that matter after compilation: variables that are
/// initialised and saved by default, and variables that only exist as long as
/// the process.
constexpr llvm::StringLiteral kGlobalCollection = "GLOBAL";
constexpr llvm::StringLiteral kLocalCollection = "LOCAL";

/// A variable and its place in the block.
struct ManifestVariable {
  std::string name;
  mlir::RankedTensorType type;
  /// The offset of the first element from the start of the state block, in
  /// bytes.
  int64_t offset = 0;
  int64_t bytes = 0;
  bool trainable = true;
  /// Names of the collections that the variable is in.
  std::vector<std::string> collections = {"GLOBAL"};
  /// The device that the program requests for the variable; empty if it
  /// requests none.
  std::string device;
  /// Name of the parameter that owns this slot; empty for any other variable.
  std::string slotOf;
  /// Indices of the variables that the initial value is computed from: those
  /// that must have a value then, and those whose initial value will do.
  std::vector<int64_t> initialReads, initialValues;
  /// The source of the initial value.
  VariableStart start = VariableStart::Program;

  /// Returns the differences of this variable from a plain parameter, for a
  /// reader: `slot of W`, `not trainable`, `in LOCAL and mine`, `on /gpu:1`.
  /// Empty for a plain parameter.
  std::vector<std::string> describe() const;
  bool isInCollection(llvm::StringRef collection) const;
};

/// A feed or a fetch of an entry.
struct ManifestArgument {
  std::string name;
  mlir::RankedTensorType type;
  /// For each dimension, the number of the entry's symbolic dimension size, or
  /// -1 if it is static.
  llvm::SmallVector<int64_t> symbols;
  /// For each dimension, the op that requires its dimension size to be that of
  /// another feed: `in 'arith.addf' at f.mlir:3:8`; empty if it is unknown. The
  /// list is empty if all are unknown.
  std::vector<std::string> places;
};

/// A kernel that a profile measures. Maps are from the symbolic dimension sizes
/// of the entry, as symbols, to one result; null if the result depends on
/// another size.
struct ManifestKernel {
  /// `train_step.dense_grad.2`.
  std::string name;
  /// `forward`, `backward` or `update`.
  std::string phase;
  /// The ops of the source, with their places: `nn.dense at f.mlir:3:8`. The
  /// first is the one that takes most.
  std::vector<std::string> sources;
  /// Counts of one call: iterations of the loops, floating-point operations,
  /// bytes.
  mlir::AffineMap iterations, flops, bytes;
};

/// A public function of the module.
struct ManifestEntry {
  std::string name;
  std::vector<ManifestArgument> feeds;
  std::vector<ManifestArgument> results;
  /// Names of the symbolic dimension sizes (`batch`).
  std::vector<std::string> symbols;
  /// Bounds of the symbolic dimension sizes that every caller must observe, 0
  /// for those without one; empty if none has one.
  std::vector<int64_t> symbolBounds;
  /// Indices into `Manifest::variables`.
  std::vector<int64_t> reads, writes;
  /// The same for variables whose initial value the entry uses if they have no
  /// value.
  std::vector<int64_t> initializedValues;
  /// Workspace of one call: the sum over slots of the largest of the slot's
  /// sizes, each rounded up to `kStateAlignment`, in bytes. A size is a map
  /// from the symbolic dimension sizes, as symbols, to one result.
  std::vector<std::vector<mlir::AffineMap>> workspaceSlots;
  /// Indices into `Manifest::messages` of the checks the body makes.
  std::vector<int64_t> checks;
  /// The largest number of workers that may execute a call together; 1 for an
  /// entry that does not touch its team.
  int64_t workers = 1;
  /// The kernels of the entry that a profile measures, in the order of the
  /// program.
  std::vector<ManifestKernel> kernels;

  /// Bytes of workspace that a call with these dimension sizes needs.
  CheckedSize getWorkspaceBytes(llvm::ArrayRef<int64_t> dimSizes) const;
  /// Bytes of workspace that are enough for every call whose dimension sizes
  /// are not above `bounds`. A size that is a difference may be largest at a
  /// smaller dimension size.
  CheckedSize getMaxWorkspaceBytes(llvm::ArrayRef<int64_t> bounds) const;
};

/// Upper bounds of the symbolic dimension sizes, by name.
struct DimSizeBounds {
  /// The bound of each dimension size that is not in `named`.
  int64_t others = 1024;
  /// True if somebody has chosen `others`.
  bool isChosen = false;
  std::map<std::string, int64_t> named;

  DimSizeBounds() = default;
  /// One bound of all dimension sizes.
  DimSizeBounds(int64_t others) : others(others), isChosen(true) {}

  int64_t lookup(llvm::StringRef name) const {
    auto found = named.find(name.str());
    return found == named.end() ? others : found->second;
  }
  /// The same for a list of names.
  std::vector<int64_t> lookupAll(llvm::ArrayRef<std::string> names) const;
  /// Adds `text`, such as `time=256`, or returns an error.
  llvm::Error add(llvm::StringRef text);
  /// Returns the arguments of add() for all named bounds.
  std::vector<std::string> format() const;
};

/// Returns " where every dimension size is 64", " where 'batch' is 4 and 'time'
/// is 256", or "" without names, for texts with numbers that depend on the
/// sizes.
std::string describeDimSizes(llvm::ArrayRef<std::string> names,
                             llvm::ArrayRef<int64_t> sizes);

/// The largest bound of a dimension size: every size that is a multiple of it
/// by the dimension sizes of a type stays within 64 bits.
constexpr int64_t kMaxDimSizeBound = int64_t{1} << 24;

/// The largest number of threads that a model can be compiled for.
constexpr int64_t kMaxThreads = 256;

/// The kinds of failures of a call.
struct ManifestMessage {
  StatusKind kind = StatusKind::Check;
  std::string text;
  /// True if the values of feeds or variables are wrong, whatever their sizes.
  bool isOfData = false;
};

/// The layout of a profile in the block of state, behind the variables: for
/// each worker, `getStride()` bytes with
///
///   0        u64  how many calls of kernels were made since it was 0
///   16       -    for each kernel of all entries u64 calls, u64 ticks; on a
///                 GPU nanoseconds, and those of events since the step began
///   events   -    for each recorded call u64 kernel, u64 begin, u64 end
///
struct ManifestProfile {
  /// From the start of the block, in bytes.
  int64_t offset = 0;
  /// The number of kernels of the whole model, and the number of calls that
  /// each worker records.
  int64_t kernels = 0, workers = 1, events = 0;

  static constexpr int64_t kCountersOffset = 16, kCounterBytes = 16,
                           kEventBytes = 24;
  int64_t getEventsOffset() const {
    return kCountersOffset + kernels * kCounterBytes;
  }
  int64_t getStride() const {
    return llvm::alignTo(getEventsOffset() + events * kEventBytes,
                         kStateAlignment);
  }
};

struct Manifest {
  /// Name of the model: prefix of every C symbol.
  std::string model;
  uint64_t layoutHash = 0;
  int64_t stateBytes = 0;
  std::vector<ManifestVariable> variables;
  std::vector<ManifestEntry> entries;
  std::vector<ManifestMessage> messages;
  /// Names of the variables that are constants of the program.
  std::vector<std::string> constants;
  /// The strings that the steps name: string i has the number i + 1 in the
  /// block. Any bytes.
  std::vector<std::string> strings;
  /// The number of threads that the model is compiled for. If it is above 1,
  /// each entry but the initializer takes a team of workers.
  int64_t threads = 1;
  /// Set if the model is compiled to be profiled.
  std::optional<ManifestProfile> profile;
  /// True if a GPU executes the steps. The variables are in its memory from the
  /// first step on.
  bool isOnGPU = false;

  /// Returns in a line which values of variables the model has: "init gives w
  /// and b the values of a checkpoint". Empty for a model without variables.
  std::string describeWeights() const;

  const ManifestEntry *lookupEntry(llvm::StringRef name) const;
  /// Index of a variable, or -1.
  int64_t lookupVariable(llvm::StringRef name) const;

  /// Writes this manifest as the module attribute `train.manifest`, so that it
  /// travels with the IR, and reads it back.
  void attachTo(mlir::ModuleOp module) const;
  static llvm::FailureOr<Manifest> readFrom(mlir::ModuleOp module);

  /// The named bounds that the model was compiled with, and `others`.
  DimSizeBounds getBounds(int64_t others) const;

  /// The documented JSON form; `bounds` of the symbolic dimension sizes fix the
  /// workspace. `getCStateBytes()` of them is not too large.
  llvm::json::Value toJSON(const DimSizeBounds &bounds) const;
};

/// FNV-1a over the names, types and offsets of `variables` and over the
/// numbered strings: two blocks with the same hash have the same layout. Never
/// 0.
uint64_t computeLayoutHash(llvm::ArrayRef<ManifestVariable> variables,
                           llvm::ArrayRef<std::string> strings = {});

/// FNV-1a over texts, each ended by a separator. Never 0.
uint64_t hashTexts(llvm::ArrayRef<std::string> texts);

/// Returns the value of `size`, an expression without dimensions, for the
/// symbols `symbols`: 0 if it is negative. Interns nothing.
CheckedSize evaluateSize(mlir::AffineExpr size,
                         llvm::ArrayRef<int64_t> symbols);

/// Returns an upper bound of these values for symbols from 0 to `bounds`.
CheckedSize evaluateLargestSize(mlir::AffineExpr size,
                                llvm::ArrayRef<int64_t> bounds);

/// Returns true if `size`, such an expression, is known to be non-negative for
/// all non-negative values of its `numSymbols` symbols.
bool isNeverNegative(mlir::AffineExpr size, unsigned numSymbols);

} // namespace flywheel

#endif // FLYWHEEL_MODEL_MANIFEST_H
