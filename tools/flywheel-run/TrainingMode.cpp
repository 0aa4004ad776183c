//===- TrainingMode.cpp - Epochs over a data set --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Feeds.h"
#include "Progress.h"
#include "State.h"

#include "flywheel/Runtime/Checkpoint.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using flywheel::runtime::Dataset;
using flywheel::runtime::Result;
using flywheel::runtime::Status;

namespace flywheel::run {

/// Adds the sources of the feeds of `entry` that --feed gives: constants, and
/// columns with other names. Removes from `unused` the names that the entry
/// has.
static Status addSources(const Program &program, const std::string &entry,
                         const ValueTexts &texts, const RunOptions &options,
                         FeedSources &sources, ValueTexts &unused) {
  if (entry.empty())
    return {};
  Result<const EntrySpec *> spec = program.lookupEntry(entry);
  if (!spec.isOk())
    return spec.status();
  for (const ArgumentSpec &feed : (*spec)->feeds) {
    auto text = texts.find(feed.name);
    if (text == texts.end())
      continue;
    unused.erase(feed.name);
    llvm::StringRef value = text->second;
    if (value.consume_front("column:")) {
      sources.columns[feed.name] = value.str();
      continue;
    }
    Result<OwnedArray> array = makeArray(
        feed, text->second, options.getBatchSize(), options.getSeed());
    if (!array.isOk())
      return array.status();
    sources.constants[feed.name] =
        std::make_shared<const OwnedArray>(std::move(*array));
  }
  return {};
}

static Result<TrainerOptions> makeTrainerOptions(const Program &program,
                                                 const RunOptions &options) {
  TrainerOptions result;
  result.trainEntry = options.evalOnly ? "" : options.trainEntry;
  result.evalEntry = options.evalEntry;
  result.batchSize = options.getBatchSize();
  result.holdout = options.holdout.value_or(0.0);
  result.seed = options.getSeed();
  result.shuffle = options.shuffle.value_or(true);
  Result<ValueTexts> texts = parseValueTexts("--feed", options.feeds);
  if (!texts.isOk())
    return texts.status();
  ValueTexts unused = *texts;
  for (const std::string &entry : {result.trainEntry, result.evalEntry})
    if (Status status =
            addSources(program, entry, *texts, options, result.sources, unused);
        !status.isOk())
      return status;
  if (!unused.empty())
    return makeUnusedError(unused);
  return result;
}

/// Reads the progress of the training of a checkpoint, and takes its settings
/// if the command line has none. With --resume they must not differ.
static Result<uint64_t> adoptProgress(RunOptions &options) {
  bool isResumed = !options.resume.empty();
  const std::string &path = isResumed ? options.resume : options.restore;
  if (!isResumed && !options.evalOnly)
    return uint64_t(0);
  Result<runtime::CheckpointReader> file =
      runtime::CheckpointReader::open(path);
  if (!file.isOk())
    return file.status();
  Result<std::optional<TrainingProgress>> progress =
      TrainingProgress::fromMetadata(file->metadata());
  if (!progress.isOk())
    return Status(progress.status().code(),
                  path + ": " + progress.status().message());
  if (!*progress) {
    if (isResumed)
      return Status::failedPrecondition(
          path + " does not say how far training got, so it cannot be resumed; "
                 "--restore takes its values only");
    return uint64_t(0);
  }
  auto adopt = [&](const char *name, auto &option, auto saved) -> Status {
    if (isResumed && option && *option != saved)
      return Status::invalidArgument(
          std::string("--") + name + " differs from that of the checkpoint, " +
          llvm::formatv("{0}", saved).str() +
          ": resumed training would not be the same; leave the option out, or "
          "start anew from the values with --restore");
    if (!option)
      option = saved;
    return {};
  };
  if (Status status = adopt("seed", options.seed, (*progress)->seed);
      !status.isOk())
    return status;
  if (Status status =
          adopt("batch-size", options.batchSize, (*progress)->batchSize);
      !status.isOk())
    return status;
  if (Status status = adopt("holdout", options.holdout, (*progress)->holdout);
      !status.isOk())
    return status;
  // Only reported if rows keep their order.
  if (isResumed && options.shuffle && *options.shuffle != (*progress)->shuffle)
    return Status::invalidArgument(
        "--no-shuffle differs from the checkpoint, whose training shuffled: "
        "resumed training would not be the same; leave the option out, or "
        "start anew from the values with --restore");
  options.shuffle = (*progress)->shuffle;
  return (*progress)->epochs;
}

/// Loads the columns that the feeds of `entries` read, and no others: a file
/// may have more, even of other lengths.
static Result<Dataset> loadColumns(const Program &program,
                                   const std::string &path,
                                   llvm::ArrayRef<std::string> entries,
                                   const FeedSources &sources) {
  std::vector<std::string> columns;
  for (const std::string &entry : entries) {
    if (entry.empty())
      continue;
    Result<const EntrySpec *> spec = program.lookupEntry(entry);
    if (!spec.isOk())
      return spec.status();
    for (const ArgumentSpec &feed : (*spec)->feeds) {
      auto renamed = sources.columns.find(feed.name);
      const std::string &column =
          renamed == sources.columns.end() ? feed.name : renamed->second;
      if (!sources.constants.count(feed.name) &&
          !llvm::is_contained(columns, column))
        columns.push_back(column);
    }
  }
  if (columns.empty())
    return Status::invalidArgument("no feed reads a column of the data");
  return Dataset::load(path, columns);
}

static runtime::Metadata makeMetadata(const RunOptions &options,
                                      uint64_t epochs) {
  TrainingProgress progress;
  progress.epochs = epochs;
  progress.seed = options.getSeed();
  progress.batchSize = options.getBatchSize();
  progress.holdout = options.holdout.value_or(0.0);
  progress.shuffle = options.shuffle.value_or(true);
  return progress.toMetadata();
}

/// Writes the checkpoints that are due after an epoch other than the last.
static Status saveEpoch(StateWriter &writer, const RunOptions &options,
                        uint64_t epoch) {
  runtime::Metadata metadata = makeMetadata(options, epoch);
  if (Status status = writer.afterStep(epoch, metadata); !status.isOk())
    return status;
  bool isDue = options.saveEvery > 0 && epoch % options.saveEvery == 0;
  return isDue ? writer.save(metadata) : Status();
}

static void printLoss(double loss) {
  if (std::isnan(loss))
    llvm::outs() << "nan\n";
  else
    llvm::outs() << llvm::format("%.9g\n", loss);
}

/// Warns of a loss that is not finite, once: later losses usually are not
/// either.
static void checkLoss(const Trainer::Step &step, Progress &progress,
                      bool &warned) {
  if (warned || !step.loss || std::isfinite(*step.loss))
    return;
  warned = true;
  progress.clear();
  llvm::WithColor::warning(llvm::errs())
      << "the loss is " << formatNumber(*step.loss) << " in epoch "
      << step.epoch + 1 << ", step " << step.index + 1 << "\n";
}

/// Warns of an entry that trains nothing.
static void checkTraining(const Program &program, llvm::StringRef name) {
  for (const EntrySpec &entry : program.getEntries())
    if (entry.manifest->name == name && entry.manifest->writes.empty())
      llvm::WithColor::warning(llvm::errs())
          << "'" << name << "' assigns no variable: it trains nothing\n";
}

/// Trains from epoch `begin` to --epochs. `metrics` are those of the last
/// evaluation.
static Status train(StateWriter &writer, Trainer &trainer,
                    const RunOptions &options, uint64_t begin,
                    std::vector<Metric> &metrics) {
  Progress progress(options.epochs, trainer.getStepsPerEpoch());
  bool warned = false;
  for (uint64_t epoch = begin; epoch < options.epochs; ++epoch) {
    progress.beginEpoch(epoch);
    Result<std::optional<double>> loss =
        trainer.trainEpoch(epoch, [&](const Trainer::Step &step) {
          progress.update(step);
          checkLoss(step, progress, warned);
          if (options.printLosses)
            printLoss(step.loss.value_or(NAN));
        });
    if (!loss.isOk()) {
      progress.clear();
      return loss.status();
    }
    std::string evaluation;
    if (!options.evalEntry.empty()) {
      Result<std::vector<Metric>> found = trainer.evaluate();
      if (!found.isOk()) {
        progress.clear();
        return found.status();
      }
      metrics = *found;
      evaluation = "| " + formatMetrics(metrics);
    }
    progress.endEpoch(epoch, *loss, evaluation);
    if (epoch + 1 < options.epochs)
      if (Status status = saveEpoch(writer, options, epoch + 1); !status.isOk())
        return status;
  }
  if (options.time && progress.getSteps() > 0)
    llvm::errs() << llvm::formatv(
        "{0} steps in {1:f3} s: {2:f1} us a step, with the reading of its "
        "batch\n",
        progress.getSteps(), progress.getSeconds(),
        1e6 * progress.getSeconds() / double(progress.getSteps()));
  return {};
}

Status runTraining(Session &session, RunOptions options) {
  if (Status status = findLatest(options); !status.isOk())
    return status;
  Result<uint64_t> begin = adoptProgress(options);
  if (!begin.isOk())
    return begin.status();
  Result<StateWriter> writer = StateWriter::create(session, options);
  if (!writer.isOk())
    return writer.status();
  const Program &program = session.getProgram();
  for (const std::string &name : options.prints)
    if (Result<size_t> index = program.lookupVariable(name); !index.isOk())
      return index.status();
  Result<TrainerOptions> trainerOptions = makeTrainerOptions(program, options);
  if (!trainerOptions.isOk())
    return trainerOptions.status();
  bool hasEvalData = !options.evalData.empty();
  Result<Dataset> data =
      loadColumns(program, options.data,
                  {trainerOptions->trainEntry,
                   hasEvalData ? std::string() : trainerOptions->evalEntry},
                  trainerOptions->sources);
  if (!data.isOk())
    return data.status();
  std::optional<Dataset> evalData;
  if (hasEvalData) {
    Result<Dataset> loaded =
        loadColumns(program, options.evalData, {trainerOptions->evalEntry},
                    trainerOptions->sources);
    if (!loaded.isOk())
      return loaded.status();
    evalData = std::move(*loaded);
  }
  Result<Trainer> trainer = Trainer::create(session, *data, *trainerOptions,
                                            evalData ? &*evalData : nullptr);
  if (!trainer.isOk())
    return trainer.status();
  if (Status status = prepareVariables(session, options); !status.isOk())
    return status;

  std::vector<Metric> metrics;
  if (!options.evalOnly) {
    checkTraining(program, options.trainEntry);
    if (*begin > options.epochs)
      return Status::invalidArgument(
          options.resume + " is already trained for " + std::to_string(*begin) +
          " epochs, more than --epochs=" + std::to_string(options.epochs));
    if (Status status = train(*writer, *trainer, options, *begin, metrics);
        !status.isOk())
      return status;
  }
  if (!options.evalEntry.empty()) {
    // Nothing was trained: the values are as they were loaded.
    if (metrics.empty()) {
      Result<std::vector<Metric>> found = trainer->evaluate();
      if (!found.isOk())
        return found.status();
      metrics = *found;
    }
    bool isHeldOut = evalData || options.holdout.value_or(0.0) > 0.0;
    llvm::outs() << (isHeldOut ? "test: " : "train: ") << formatMetrics(metrics)
                 << "\n";
  }
  uint64_t epochs = options.evalOnly ? *begin : options.epochs;
  if (Status status = writer->finish(epochs, makeMetadata(options, epochs));
      !status.isOk())
    return status;
  for (const std::string &name : options.prints) {
    Result<ArrayView> variable = session.getVariable(name);
    if (!variable.isOk())
      return variable.status();
    printArray(name, *variable);
  }
  return {};
}

} // namespace flywheel::run
