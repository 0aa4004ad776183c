//===- Session.h - Variables and the calls that change them -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_SESSION_H
#define FLYWHEEL_DRIVER_SESSION_H

#include "flywheel/Driver/AlignedBuffer.h"
#include "flywheel/Driver/Program.h"
#include "flywheel/Runtime/Safetensors.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace flywheel {

class Session;

struct SessionOptions {
  /// Keep a variable on `/cpu:0` where the device that it asks for is not
  /// there.
  bool softPlacement = false;
  /// Called with what soft placement did, for each variable that it moved.
  std::function<void(const std::string &)> warn;
};

/// A feed by its name.
using NamedArray = std::pair<llvm::StringRef, ArrayView>;

/// A prepared call of one entry in one session. It holds what every call needs,
/// so that a call whose extents have been seen before allocates nothing. Lives
/// as long as its session.
class CallPlan {
public:
  CallPlan(Session &session, const EntrySpec &entry);

  const EntrySpec &getEntry() const { return entry; }

  /// Runs the entry once. `feeds` and `results` are in the order of the entry;
  /// results are written in place and have the shapes of inferResultShapes().
  /// On an error nothing has changed.
  ///
  /// Errors, kInvalidArgument: `You must feed a value for placeholder 'x'`;
  /// `Cannot feed value of shape (3, 5) for placeholder 'x', which has shape
  /// (?, 64)`, or `of dtype`; two feeds that disagree on an extent; a result
  /// buffer that does not fit; what the body checks. kFailedPrecondition:
  /// `Attempting to use uninitialized value W`. kResourceExhausted: no memory
  /// for the workspace.
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
  runtime::Status bindFeed(unsigned index, const ArrayView &feed);
  runtime::Status bindResults(llvm::ArrayRef<MutableArrayView> results);
  int64_t getExtent(int64_t spec) const;

  Session &session;
  const EntrySpec &entry;
  llvm::SmallVector<const void *> feedPointers;
  llvm::SmallVector<void *> resultPointers;
  /// For each symbolic extent its value, or -1 before a feed has set it, and
  /// the feed that did.
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<unsigned> extentOwners;
  /// The extents for which `workspaceBytes` holds.
  llvm::SmallVector<int64_t> plannedExtents;
  int64_t workspaceBytes = -1;
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

  /// Gives every variable its initial value. The random streams depend on
  /// `seed` and on how often this state was initialised before.
  runtime::Status initialize(uint64_t seed);
  /// The same for variables that have no value; others keep theirs.
  runtime::Status initializeMissing(uint64_t seed);

  /// The prepared call of an entry, made at its first use. Errors: kNotFound.
  runtime::Result<CallPlan *> prepare(llvm::StringRef entry);
  /// Prepares and calls.
  runtime::Status call(llvm::StringRef entry, llvm::ArrayRef<ArrayView> feeds,
                       llvm::ArrayRef<MutableArrayView> results);

  /// The elements of a variable, where they are: later calls change them.
  /// Errors: kNotFound; kFailedPrecondition `Attempting to use uninitialized
  /// value NAME`.
  runtime::Result<ArrayView> getVariable(llvm::StringRef name) const;
  /// Copies `value` into a variable, which then has a value. Errors: kNotFound;
  /// kInvalidArgument for another shape or dtype.
  runtime::Status setVariable(llvm::StringRef name, const ArrayView &value);
  /// Errors: kNotFound.
  runtime::Result<bool> isInitialized(llvm::StringRef name) const;
  /// Names of the variables that have no value, in layout order.
  std::vector<std::string> reportUninitialized() const;

  /// How often this state was initialised, and the last seed.
  uint64_t getRunCounter() const;
  uint64_t getSeed() const;

  /// Writes variables to a checkpoint, and with all of them (no names) the run
  /// counter and the seed. `metadata` is kept with them, after the key "model".
  /// Errors: kFailedPrecondition for a variable without a value; kNotFound for
  /// an unknown name; those of saveCheckpoint().
  runtime::Status save(const std::string &path,
                       llvm::ArrayRef<std::string> names = {},
                       const runtime::Metadata &metadata = {}) const;
  /// Reads variables from a checkpoint, after which they have values. With no
  /// names: all, and the run counter and the seed where the file has them.
  /// Errors: kNotFound for an unknown name; those of restoreCheckpoint(). On an
  /// error nothing has changed.
  runtime::Status restore(const std::string &path,
                          llvm::ArrayRef<std::string> names = {});

private:
  friend class CallPlan;
  Session(std::shared_ptr<const Program> program,
          std::shared_ptr<AlignedBuffer> state);
  runtime::Status runInitializer(std::byte *block, uint64_t seed);
  runtime::Status reserveWorkspace(int64_t bytes);
  runtime::Result<std::vector<size_t>>
  selectVariables(llvm::ArrayRef<std::string> names) const;
  bool hasValue(size_t variable) const;
  void setHasValue(size_t variable);

  std::shared_ptr<const Program> program;
  std::shared_ptr<AlignedBuffer> state;
  AlignedBuffer workspace;
  llvm::StringMap<std::unique_ptr<CallPlan>> plans;
};

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_SESSION_H
