//===- Session.h - Variables and the calls that change them -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SESSION_SESSION_H
#define FLYWHEEL_SESSION_SESSION_H

#include "flywheel/Profile/Report/Profile.h"
#include "flywheel/Runtime/StringTable.h"
#include "flywheel/Runtime/VariableCheckpoint.h"
#include "flywheel/Runtime/WorkerTeam.h"
#include "flywheel/Session/AlignedBuffer.h"
#include "flywheel/Session/Program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flywheel {

class Session;

struct SessionOptions {
  /// Keep a variable on `/cpu:0` if the device that it requests does not exist.
  bool softPlacement = false;
  /// Called with a message for each variable that soft placement moved.
  std::function<void(const std::string &)> warn;
};

/// A feed by its name.
using NamedArray = std::pair<llvm::StringRef, ArrayView>;

/// A prepared call of one entry in one session. It holds the memory that every
/// call needs, so that a call whose dimension sizes have been seen before
/// allocates nothing. Lives as long as its session.
class CallPlan {
public:
  CallPlan(Session &session, const EntrySpec &entry);

  const EntrySpec &getEntry() const { return entry; }
  /// Returns true if a GPU executes it: feeds and results may be in its memory.
  bool isOnGPU() const;

  /// Runs the entry once. `feeds` and `results` are in the order of the entry;
  /// results are written in place and have the shapes of inferResultShapes().
  /// Strings of results are views that hold until the next call, assignment or
  /// restore on these variables. On an error nothing has changed.
  ///
  /// Errors, kInvalidArgument: `You must feed a value for placeholder 'x'`;
  /// `Cannot feed value of shape (3, 5) for placeholder 'x', which has shape
  /// (?, 64)`, or `of dtype`; two feeds that disagree on a dimension size; a
  /// result buffer that does not fit; a failed check of the body.
  /// kFailedPrecondition: `Attempting to use uninitialized value W`.
  /// kResourceExhausted: no memory for the workspace.
  runtime::Status call(llvm::ArrayRef<ArrayView> feeds,
                       llvm::ArrayRef<MutableArrayView> results);

  /// The shapes of the results for these feeds. Errors: as call() has for
  /// feeds.
  runtime::Result<std::vector<runtime::Shape>>
  inferResultShapes(llvm::ArrayRef<ArrayView> feeds);

  /// Feeds given by name, in the order of the entry. A feed that is not given
  /// has null data, which call() reports. Errors: kInvalidArgument for a name
  /// that the entry does not have or that comes twice.
  runtime::Result<std::vector<ArrayView>>
  orderFeeds(llvm::ArrayRef<NamedArray> feeds) const;

private:
  runtime::Status bindFeeds(llvm::ArrayRef<ArrayView> feeds);
  runtime::Status checkBound(size_t symbol, int64_t dimSize) const;
  runtime::Status bindFeed(unsigned index, const ArrayView &feed);
  runtime::Status bindResults(llvm::ArrayRef<MutableArrayView> results);
  int64_t getDimSize(int64_t spec) const;

  // Strings: the entry sees numbers.
  void internFeeds(llvm::ArrayRef<ArrayView> feeds);
  void reserveStrings(llvm::ArrayRef<MutableArrayView> results);
  void returnStrings(llvm::ArrayRef<MutableArrayView> results);

  Session &session;
  const EntrySpec &entry;
  llvm::SmallVector<const void *> feedPointers;
  llvm::SmallVector<void *> resultPointers;
  /// For each symbolic dimension size its value, or -1 before a feed has set
  /// it, and the feed that did.
  llvm::SmallVector<int64_t> dimSizes;
  llvm::SmallVector<unsigned> dimSizeOwners;
  /// The dimension sizes for which `workspaceBytes` holds.
  llvm::SmallVector<int64_t> plannedDimSizes;
  int64_t workspaceBytes = -1;
  /// The numbers of strings, an array for each feed and each result; empty for
  /// those of other types.
  std::vector<std::vector<int64_t>> feedStrings, resultStrings;
  bool hasStrings = false;
};

/// The variables of a program, and calls on them. Not for use by several
/// threads at once; sessions of one program are independent unless they share
/// state.
class Session {
public:
  /// A session with variables of its own, none of which has a value.
  /// Errors: kInvalidArgument `Cannot assign a device` for a variable whose
  /// device this machine does not have, without soft placement;
  /// kResourceExhausted.
  static runtime::Result<std::unique_ptr<Session>>
  create(std::shared_ptr<const Program> program,
         const SessionOptions &options = {});

  /// Another session on the variables of `other`; calls of the two must not
  /// overlap.
  static std::unique_ptr<Session> share(const Session &other);

  const Program &getProgram() const { return *program; }

  /// Returns the maximum number of threads that execute a step that the
  /// compiler has shared between threads. The default is the number that the
  /// program is compiled for. Results do not depend on it.
  int32_t getThreads() const { return team.getWorkers(); }
  /// Errors: kInvalidArgument for less than 1, or for more than the program is
  /// compiled for.
  runtime::Status setThreads(int64_t threads);

  /// Measures the calls that follow, of this session only. Discards earlier
  /// measurements. Errors: kFailedPrecondition for a program that is not
  /// compiled with `profile`.
  runtime::Status startProfile();
  /// Stops measuring, and returns the measurements. Errors: kFailedPrecondition
  /// if no profile was started.
  runtime::Result<Profile> stopProfile();

  /// Gives every variable of the collection GLOBAL its initial value. The
  /// random stream of a variable depends on `seed` and on how often this state
  /// initialised it before.
  runtime::Status initialize(uint64_t seed);
  /// Initializes the variables of these names likewise. Errors: kNotFound;
  /// kFailedPrecondition `Attempting to use uninitialized value V` if an
  /// initial value is computed from a variable without a value that is not
  /// among them.
  runtime::Status initialize(uint64_t seed, llvm::ArrayRef<std::string> names);
  /// The same for the variables of a collection; of one that nothing is in, for
  /// none.
  runtime::Status initializeCollection(uint64_t seed,
                                       llvm::StringRef collection);
  /// The same for all variables that have no value; others keep theirs.
  runtime::Status initializeMissing(uint64_t seed);

  /// The prepared call of an entry, made at its first use. Errors: kNotFound.
  runtime::Result<CallPlan *> prepare(llvm::StringRef entry);
  /// Prepares and calls.
  runtime::Status call(llvm::StringRef entry, llvm::ArrayRef<ArrayView> feeds,
                       llvm::ArrayRef<MutableArrayView> results);

  /// Returns the elements of a variable in place: later calls change them.
  /// Strings are views that are valid until the next call, assignment or
  /// restore. Errors: kNotFound; kFailedPrecondition `Attempting to use
  /// uninitialized value NAME`.
  runtime::Result<ArrayView> getVariable(llvm::StringRef name) const;
  /// Copies `value` into a variable, which then has a value. Errors: kNotFound;
  /// kInvalidArgument for another shape or dtype.
  runtime::Status setVariable(llvm::StringRef name, const ArrayView &value);
  /// Copies variables from a GPU to the host for a reader on the host. If
  /// `forWriting`, the next step copies them back from the host. Errors:
  /// kFailedPrecondition for a device that is lost.
  runtime::Status bringToHost(bool forWriting) const;
  /// Errors: kNotFound.
  runtime::Result<bool> isInitialized(llvm::StringRef name) const;
  /// Names of the variables that have no value: those of GLOBAL, then those of
  /// LOCAL, each in layout order.
  std::vector<std::string> reportUninitialized() const;

  /// Returns the number of times that a variable was initialised. Errors:
  /// kNotFound.
  runtime::Result<uint64_t> getRunCounter(llvm::StringRef name) const;
  /// The seed of the last initialisation.
  uint64_t getSeed() const;

  /// Writes variables and their random streams to a checkpoint. Errors: those
  /// of runtime::saveVariables().
  runtime::Status save(const std::string &path,
                       const runtime::CheckpointOptions &options = {}) const;
  /// The same by a manager, which names, records and retains checkpoints.
  /// Returns the path written.
  runtime::Result<std::string>
  save(runtime::CheckpointManager &manager, const std::string &prefix,
       std::optional<int64_t> step,
       const runtime::CheckpointOptions &options = {}) const;
  /// Reads variables and their random streams from a checkpoint, after which
  /// they have values. Errors: those of runtime::restoreVariables().
  runtime::Status restore(const std::string &path,
                          const runtime::CheckpointOptions &options = {});
  /// Restores the latest checkpoint by the state file of a directory and
  /// returns whether there is one. Errors: those of runtime::restoreLatest().
  runtime::Result<bool>
  restoreLatest(const std::string &directory,
                const runtime::CheckpointOptions &options = {},
                const std::string &stateFile = runtime::defaultStateFile);

  /// The variables for the runtime library, which may change them. Holds as
  /// long as the state.
  runtime::ProgramState describeState() const;

private:
  friend class CallPlan;
  Session(std::shared_ptr<const Program> program,
          std::shared_ptr<AlignedBuffer> state,
          std::shared_ptr<runtime::StringTable> strings);
  runtime::Status runInitializer(uint64_t seed, const uint8_t *select);
  runtime::Status reserveWorkspace(int64_t bytes);
  /// The error that an entry's status other than 0 stands for.
  runtime::Status describeStatus(int32_t status) const;
  /// The status of an entry whose arguments fit.
  int32_t callEntry(const EntrySpec &entry, const void *const *feeds,
                    llvm::ArrayRef<int64_t> dimSizes, void *const *results);
  int32_t callFunction(const EntrySpec &entry, const void *const *feeds,
                       const int64_t *dimSizes, void *const *results);
  bool hasValue(size_t variable) const;
  void setHasValue(size_t variable);
  /// The numbers of a variable of strings.
  llvm::MutableArrayRef<int64_t> getNumbers(size_t variable) const;
  /// Forgets strings that nothing refers to, if there are many: neither a
  /// variable nor `others`.
  void collectStrings(llvm::ArrayRef<std::vector<int64_t>> others = {}) const;

  std::shared_ptr<const Program> program;
  std::shared_ptr<AlignedBuffer> state;
  std::shared_ptr<runtime::StringTable> strings;
  /// The strings that getVariable() has returned, for each variable of strings.
  mutable std::vector<std::vector<std::string_view>> variableTexts;
  AlignedBuffer workspace;
  runtime::WorkerTeam team;
  /// While a profile is taken.
  std::unique_ptr<Profiler> profiler;
  llvm::StringMap<std::unique_ptr<CallPlan>> plans;
};

} // namespace flywheel

#endif // FLYWHEEL_SESSION_SESSION_H
