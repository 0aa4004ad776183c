//===- EntryPointBuilder.h - Functions that a user can call -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function has steps, each of which returns a status (i32, 0 for success):
// the first that fails ends it. Each file has the steps of one concern.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TARGET_ENTRYPOINTS_ENTRYPOINTBUILDER_H
#define FLYWHEEL_LIB_TARGET_ENTRYPOINTS_ENTRYPOINTBUILDER_H

#include "DenormalMode.h"
#include "flywheel/Model/CNames.h"
#include "flywheel/Model/Manifest.h"
#include "flywheel/Target/EntryPoints/EntryCode.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <optional>
#include <string>

namespace flywheel {

/// From this many on, variables and feeds are checked by loops: a function of
/// thousands of loads and selections takes LLVM more than linear time.
constexpr int64_t kMinLooped = 16;

/// Returns the error of a read of a variable without a value.
inline std::string getUninitializedMessage(const ManifestVariable &variable) {
  return "Attempting to use uninitialized value " + variable.name;
}

/// Emits the wrappers of `flywheel-emit-entry-points` into a module and appends
/// the messages they need to a manifest.
class EntryPointBuilder : private EntryCode {
public:
  /// `bounds` are those of the C interface.
  EntryPointBuilder(mlir::ModuleOp module, Manifest &manifest,
                    const DimSizeBounds &bounds, DenormalControl denormals);

  /// Emits the internal function that gives storage initial values, which the
  /// packed forms call; emit it before any of them. `kernel` is that of the
  /// initializer.
  void emitEvaluator(const ManifestEntry &init, mlir::func::FuncOp kernel);

  /// `M_E.packed(state, workspace, feeds, dimension sizes, results) -> i32`
  /// over the kernel of `entry`; with a team behind the results if the model is
  /// compiled for several threads.
  mlir::func::FuncOp emitPacked(const ManifestEntry &entry,
                                mlir::func::FuncOp kernel);

  /// `M_init.packed`, with the two feeds that PackedFunction describes. Also
  /// for a model without variables.
  mlir::func::FuncOp emitPackedInitializer(const ManifestEntry &entry);

  /// `M_E(s, feeds and dimension sizes..., results...) -> i32` over the packed
  /// form. It returns the kind of the message, as those below do.
  void emitCFunction(const ManifestEntry &entry, mlir::func::FuncOp packed);

  /// `M_init(s, seed) -> i32` and `M_init_some(s, seed, select) -> i32`.
  void emitCInitializers(const ManifestEntry &entry, mlir::func::FuncOp packed);

  /// `M_to_host(s, write) -> i32` and `M_release(s)` of a model whose steps a
  /// GPU executes.
  void emitGPUFunctions();

  /// `M_last_error(s) -> const char *`; call it after the functions, as it
  /// holds the texts of all messages.
  void emitLastError();

private:
  /// A condition under which a call fails, with the status that says so.
  struct Failure {
    mlir::Value condition;
    int32_t status;
    /// The status, if a loop determines which one of several it is; null
    /// otherwise.
    mlir::Value found = {};
  };
  using Failures = llvm::SmallVector<Failure>;

  // Statuses.
  /// Returns status of a message, which is added if it is new.
  int32_t getStatus(StatusKind kind, const llvm::Twine &message);
  std::string getNullStateMessage() const;
  /// Emits the status of the first of them that holds, or 0.
  mlir::Value emitFirst(llvm::ArrayRef<Failure> failures);
  /// Returns the status of the first failure whose condition holds, and the
  /// status of `next` if none holds.
  mlir::Value emitUnless(llvm::ArrayRef<Failure> failures,
                         llvm::function_ref<mlir::Value()> next);
  /// Stores the status of `steps` in the block. If the block is null, returns
  /// the status for that instead.
  mlir::Value emitOnState(mlir::Value state,
                          llvm::function_ref<mlir::Value()> steps);

  /// Emits the value that a C function returns for a status.
  mlir::Value emitCStatus(mlir::Value status);
  mlir::func::FuncOp getKindFunction();
  /// Returns the table of the kinds of all messages.
  std::string getKindsName() const { return prefix + ".kinds"; }

  // The header of a block of state.
  Failure checkAlignment(mlir::Value state);
  Failure checkHash(mlir::Value state);
  mlir::Value emitIsAdopted(mlir::Value state);
  /// Gives a block with another hash an empty header.
  void emitAdoption(mlir::Value state);
  mlir::Value emitHasValue(mlir::Value state, int64_t variable);
  /// Returns the function that finds the first byte that is 0.
  mlir::func::FuncOp getZeroFinder();
  /// Emits a status that is not 0 if a variable that the entry reads has no
  /// value.
  mlir::Value emitInitializedCheck(const ManifestEntry &entry,
                                   mlir::Value state);
  /// Marks the variables that the entry writes as having values.
  void emitWritten(const ManifestEntry &entry, mlir::Value state);

  // Arguments of the caller.
  /// Bytes of the caller.
  struct Buffer {
    mlir::Value pointer, bytes;
    /// The size of an element; null if it is not needed.
    mlir::Value elementBytes = {};
  };
  /// The conditions under which a feed is wrong, one a message.
  using FeedCheck =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(const Buffer &)>;
  mlir::Value emitByteSize(const ManifestArgument &argument,
                           mlir::Value dimSizes);
  mlir::Value emitOverlap(const Buffer &one, const Buffer &other);
  /// Returns the first status of consecutive messages; nullopt if some of the
  /// messages were known.
  std::optional<int32_t> getStatuses(llvm::ArrayRef<ManifestMessage> messages);
  /// Returns a table of `value` for each of many feeds of static sizes, with
  /// the packed form's name and `suffix`; null for few feeds, or feeds of
  /// dynamic sizes.
  mlir::Value
  getFeedTable(const ManifestEntry &entry, llvm::StringRef suffix,
               llvm::function_ref<int64_t(const ManifestArgument &)> value);
  /// Checks many feeds by a loop over tables of their sizes and alignments;
  /// `messages` are ordered by feed. Returns false, and checks nothing, if some
  /// of the messages were known.
  bool checkFeeds(const ManifestEntry &entry, mlir::Value feeds,
                  mlir::Value sizes, mlir::Value alignments,
                  llvm::ArrayRef<ManifestMessage> messages, FeedCheck check,
                  Failures &failures);
  /// Checks each feed, by a loop if possible.
  void checkEachFeed(const ManifestEntry &entry, mlir::Value feeds,
                     mlir::Value dimSizes,
                     llvm::ArrayRef<ManifestMessage> messages, FeedCheck check,
                     Failures &failures);
  /// Emits the bits of an address that elements of `bytes` bytes, a power of
  /// two in an i64, do not have on the target.
  mlir::Value emitAlignmentMask(mlir::Value bytes);
  mlir::Value emitIsUnaligned(const Buffer &buffer);
  /// Checks that feeds and results are aligned as their elements are in C.
  void checkAlignments(const ManifestEntry &entry, mlir::Value feeds,
                       mlir::Value dimSizes, mlir::Value results,
                       Failures &failures);
  /// Checks that the pointers of a C caller do not point into the workspace in
  /// its block.
  void checkWorkspace(const ManifestEntry &entry, mlir::Value state,
                      mlir::Value feeds, mlir::Value dimSizes,
                      mlir::Value results, Failures &failures);
  /// Stack memory for the bytes of feeds and results; null for few of them.
  struct Sizes {
    mlir::Value feeds, results;
  };
  /// Returns memory for `checkPointers()`. Not for use in regions.
  Sizes makeSizes(const ManifestEntry &entry);
  /// Returns whether `buffer` shares a byte with one of the first `count`
  /// buffers at `pointers`.
  mlir::Value emitOverlapWithAny(const Buffer &buffer, mlir::Value pointers,
                                 mlir::Value sizes, int64_t count);
  /// Checks that feeds and results are not null and are aligned, and that
  /// results, and the block if the step writes it, overlap no other buffer.
  void checkPointers(const ManifestEntry &entry, mlir::Value state,
                     mlir::Value feeds, mlir::Value dimSizes,
                     mlir::Value results, const Sizes &sizes,
                     Failures &failures);
  void checkNumBytes(const ManifestEntry &entry,
                     const ManifestArgument &argument, mlir::Value dimSizes,
                     const llvm::Twine &message, Failures &failures);

  // Calls of kernels.
  mlir::Value emitTensor(mlir::Type type, mlir::Value pointer,
                         const ManifestArgument &argument,
                         mlir::Value dimSizes);
  mlir::Value emitMemRef(mlir::Type type, mlir::Value pointer,
                         llvm::ArrayRef<mlir::Value> sizes);
  /// The arguments of a packed form. `team` is null if there is no team.
  struct PackedArguments {
    mlir::Value state, workspace, feeds, dimSizes, results, team;
  };
  /// The number and the team of the worker that executes a kernel; null if
  /// there is only one worker.
  struct Worker {
    mlir::Value number, team;
  };
  /// Emits the status of the kernel. `pointers` are those of the feeds.
  mlir::Value emitKernelCall(const ManifestEntry &entry,
                             mlir::func::FuncOp kernel,
                             const PackedArguments &arguments,
                             mlir::ValueRange pointers, Worker worker,
                             mlir::Value modeSlots);
  /// Returns the pointers of the feeds that a caller passes.
  llvm::SmallVector<mlir::Value> loadFeeds(const ManifestEntry &entry,
                                           mlir::Value feeds);

  // Teams.
  /// Emits a status that is not 0 if the team cannot execute the entry.
  mlir::Value emitTeamCheck(const ManifestEntry &entry, mlir::Value state,
                            mlir::Value team);
  /// Returns stack memory for the workers' context.
  mlir::Value makeContext();
  mlir::func::FuncOp emitWorkerBody(const ManifestEntry &entry,
                                    mlir::func::FuncOp kernel);
  /// Emits the status of a kernel that the workers of a team execute, or the
  /// caller alone. `context` is the memory of the workers' context.
  mlir::Value emitTeamCall(const ManifestEntry &entry, mlir::func::FuncOp body,
                           const PackedArguments &arguments,
                           mlir::Value context);

  // Initial values.
  /// Returns true if whoever runs the model restores the variable.
  bool isRestored(int64_t index) const;
  /// Returns the status of a variable without a value.
  int32_t getUninitializedStatus(int64_t index);
  mlir::Value emitNeeds(mlir::Value state, mlir::Value roots,
                        mlir::Value commit, mlir::Value needs);
  mlir::Value emitMissingValues(const ManifestEntry &entry, mlir::Value state,
                                mlir::Value workspace, mlir::Value roots);
  mlir::Value emitEvaluation(mlir::Value state, mlir::Value workspace,
                             mlir::Value seed, mlir::Value roots, bool commit);
  void emitRoots(mlir::Value select, mlir::Value roots);
  void emitCommit(mlir::Value state, mlir::Value roots);

  // Sizes and texts of the C interface.
  mlir::func::FuncOp getSizeReporter();
  mlir::Value emitDimSizeCheck(mlir::Value size, mlir::Value state,
                               llvm::StringRef name,
                               llvm::StringRef entrySymbol, int64_t bound);
  /// Emits the function that writes a text with the numbers of a state block
  /// into that block, and returns its address.
  mlir::func::FuncOp emitFormatter();
  mlir::Value emitDigits(mlir::Value number, mlir::LLVM::GlobalOp powers,
                         mlir::Value out);
  std::pair<mlir::Value, mlir::Value> emitDigit(mlir::Value number,
                                                mlir::Value weight);

  Manifest &manifest;
  const DimSizeBounds &bounds;
  DenormalControl denormals;
  std::string prefix;
  /// The statuses of the manifest's messages.
  std::map<std::pair<StatusKind, std::string>, int32_t> statuses;
  /// The tables of getFeedTable(), by name.
  llvm::StringMap<mlir::LLVM::GlobalOp> feedTables;
  /// The function of getZeroFinder(), or null before it.
  mlir::func::FuncOp zeroFinder;
  /// The function of getSizeReporter(), or null before it.
  mlir::func::FuncOp sizeReporter;
  /// The function of getKindFunction(), or null before it.
  mlir::func::FuncOp kindFunction;
  /// The function of emitEvaluator(), or null before it.
  mlir::func::FuncOp evaluator;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_TARGET_ENTRYPOINTS_ENTRYPOINTBUILDER_H
