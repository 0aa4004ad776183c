//===- Trainer.h - Epochs over a data set -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Trains any model on any columns: feeds are matched to columns by name,
// batches are in the documented order of Runtime/Shuffle.h, and the rest of an
// epoch after the last whole batch is a batch too.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SESSION_TRAINER_H
#define FLYWHEEL_SESSION_TRAINER_H

#include "flywheel/Runtime/Dataset.h"
#include "flywheel/Session/Session.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>

namespace flywheel {

/// A dense array that owns its elements.
struct OwnedArray {
  runtime::DType dtype = runtime::DType::F32;
  runtime::Shape shape;
  AlignedBuffer buffer;

  ArrayView view() const { return {dtype, shape, buffer.data()}; }
  MutableArrayView mutableView() { return {dtype, shape, buffer.data()}; }
  /// Makes it an array of that type and shape, with any elements. Errors:
  /// kInvalidArgument for an impossible shape, kResourceExhausted.
  runtime::Status allocate(runtime::DType dtype, runtime::Shape shape);
};

/// The sources of those feeds of an entry that do not read the column of their
/// name. Both maps are by the name of the feed.
struct FeedSources {
  /// Feeds that read a column of another name.
  std::map<std::string, std::string> columns;
  /// Feeds that are the same array in every call.
  std::map<std::string, std::shared_ptr<const OwnedArray>> constants;
};

/// One entry bound to the columns of a data set, to be run on any rows.
class BatchCall {
public:
  /// Errors: kNotFound for an unknown entry; kInvalidArgument for a feed
  /// without a column, a column whose examples have another shape, values that
  /// the feed's dtype cannot hold, and an entry that reads no column.
  static runtime::Result<BatchCall> create(Session &session,
                                           llvm::StringRef entry,
                                           const runtime::Dataset &data,
                                           const FeedSources &sources);

  const EntrySpec &getEntry() const { return plan->getEntry(); }
  /// Returns the number of rows that every call must have; nullopt if the entry
  /// accepts any number.
  std::optional<uint64_t> getFixedRows() const { return fixedRows; }

  /// Runs the entry on those rows. On an error no variable has changed.
  runtime::Status run(llvm::ArrayRef<uint64_t> rows);

  /// The results of the last run, in the order of the entry.
  llvm::ArrayRef<OwnedArray> getResults() const { return results; }

private:
  BatchCall() = default;
  runtime::Status bindFeed(const ArgumentSpec &feed,
                           const runtime::Dataset &data,
                           const FeedSources &sources);

  /// The source of one feed: rows of a column, or a constant.
  struct Source {
    std::optional<runtime::ColumnFeed> column;
    std::shared_ptr<const OwnedArray> constant;
    OwnedArray batch;
  };

  CallPlan *plan = nullptr;
  std::optional<uint64_t> fixedRows;
  std::vector<Source> sources;
  std::vector<OwnedArray> results;
  /// The number of rows for which the buffers are.
  std::optional<uint64_t> preparedRows;
};

/// A scalar result of an entry over many rows. A floating-point result is a
/// mean over the rows of its batch: batches are averaged, weighted by rows. An
/// integer or boolean result counts rows of its batch: batches are summed.
struct Metric {
  std::string name;
  bool isCount = false;
  /// Sum over batches of the count, or of value times rows.
  double sum = 0.0;
  uint64_t rows = 0;

  /// Mean of a value, share of a count; NaN over no rows.
  double getMean() const { return sum / static_cast<double>(rows); }
};

struct TrainerOptions {
  /// Empty to only evaluate.
  std::string trainEntry;
  /// Empty to only train.
  std::string evalEntry;
  uint64_t batchSize = 32;
  /// Share of the rows that are held out of training and evaluated on.
  double holdout = 0.0;
  /// The seed of the split and of the order of batches.
  uint64_t seed = 1;
  /// True if each epoch has an order of its own. Otherwise every epoch takes
  /// the training rows in the order of the data.
  bool shuffle = true;
  FeedSources sources;
};

/// The progress of training; kept in a checkpoint's metadata. With it and the
/// variables training continues as if it had not been interrupted.
struct TrainingProgress {
  uint64_t epochs = 0;
  uint64_t seed = 1;
  uint64_t batchSize = 32;
  double holdout = 0.0;
  bool shuffle = true;

  runtime::Metadata toMetadata() const;
  /// Returns nullopt if the metadata lacks a key; only that of `shuffle` may be
  /// missing, which is then true. Errors: kInvalidArgument for a value that is
  /// not a number.
  static runtime::Result<std::optional<TrainingProgress>>
  fromMetadata(const runtime::Metadata &metadata);
};

/// Trains and evaluates one session on one data set.
class Trainer {
public:
  /// `evalData`, if given, is read as a whole by evaluate(); otherwise it reads
  /// the held-out rows, or all rows if none are held out. The session must
  /// outlive the trainer. Errors: those of BatchCall::create() and splitRows();
  /// kInvalidArgument for a batch size of 0, for one that an entry with a fixed
  /// batch does not have, for no rows to train on, and for an eval entry
  /// without a scalar result, with results that are not, or that writes
  /// variables which are not in the collection LOCAL.
  static runtime::Result<Trainer>
  create(Session &session, const runtime::Dataset &data,
         const TrainerOptions &options,
         const runtime::Dataset *evalData = nullptr);

  /// Batches of one epoch. Rows that do not fill the batch of an entry with a
  /// fixed batch are left out of that epoch.
  uint64_t getStepsPerEpoch() const;
  uint64_t getNumTrainingRows() const { return trainingRows.size(); }
  uint64_t getNumEvalRows() const { return evalRows.size(); }

  /// The argument of onStep after each step.
  struct Step {
    uint64_t epoch = 0;
    /// From 0, within the epoch.
    uint64_t index = 0;
    uint64_t rows = 0;
    /// The result `loss`, or else the first scalar floating-point result;
    /// nullopt if there is none.
    std::optional<double> loss;
  };

  /// Trains on every training row once. Epochs count from 0; each depends only
  /// on the variables, the seed and its number. Returns the mean of the loss,
  /// or nullopt if the entry has none. Errors: those of a call, with the epoch
  /// and the step; earlier steps stay in effect.
  runtime::Result<std::optional<double>>
  trainEpoch(uint64_t epoch, llvm::function_ref<void(const Step &)> onStep);

  /// Runs the eval entry over all its rows, in their order. The variables that
  /// it writes (of LOCAL) begin with their initial values.
  runtime::Result<std::vector<Metric>> evaluate();

private:
  Trainer() = default;
  runtime::Status bindTraining(Session &session, const runtime::Dataset &data);
  runtime::Status bindEvaluation(Session &session,
                                 const runtime::Dataset &data);

  TrainerOptions options;
  std::optional<BatchCall> train, eval;
  std::vector<uint64_t> trainingRows, evalRows;
  /// The names of the variables that the eval entry writes, and the session
  /// that they are in.
  std::vector<std::string> evalWrites;
  Session *evalSession = nullptr;
  uint64_t evalBatchSize = 0;
  int lossIndex = -1;
};

} // namespace flywheel

#endif // FLYWHEEL_SESSION_TRAINER_H
