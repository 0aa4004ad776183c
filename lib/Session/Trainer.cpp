//===- Trainer.cpp - Epochs over a data set -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Session/Trainer.h"
#include "flywheel/Runtime/HalfFloat.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <cstring>

using flywheel::runtime::Dataset;
using flywheel::runtime::DType;
using flywheel::runtime::Result;
using flywheel::runtime::Status;

namespace flywheel {

template <typename T> static double load(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return static_cast<double>(value);
}

/// Returns the one element of an array as a double.
static double getScalar(const OwnedArray &array) {
  const void *data = array.buffer.data();
  uint16_t bits;
  switch (array.dtype) {
  case DType::Bool:
  case DType::U8:
    return load<uint8_t>(data);
  case DType::I8:
    return load<int8_t>(data);
  case DType::I16:
    return load<int16_t>(data);
  case DType::I32:
    return load<int32_t>(data);
  case DType::I64:
    return load<int64_t>(data);
  case DType::U16:
    return load<uint16_t>(data);
  case DType::U32:
    return load<uint32_t>(data);
  case DType::U64:
    return load<uint64_t>(data);
  case DType::F16:
    std::memcpy(&bits, data, sizeof(bits));
    return runtime::halfToFloat(bits);
  case DType::BF16:
    std::memcpy(&bits, data, sizeof(bits));
    return runtime::bfloat16ToFloat(bits);
  case DType::F32:
    return load<float>(data);
  case DType::F64:
    return load<double>(data);
  case DType::String:
    break;
  }
  return 0.0;
}

/// Returns the number of the result that is the loss, or -1.
static int findLoss(const EntrySpec &entry) {
  int first = -1;
  for (auto [index, result] : llvm::enumerate(entry.results)) {
    if (!result.dimSizes.empty() || !runtime::isFloatingPoint(result.dtype))
      continue;
    if (result.name == "loss")
      return index;
    if (first < 0)
      first = index;
  }
  return first;
}

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

static constexpr const char *kEpochsKey = "flywheel.train.epochs";
static constexpr const char *kOrderSeedKey = "flywheel.train.seed";
static constexpr const char *kBatchSizeKey = "flywheel.train.batch_size";
static constexpr const char *kHoldoutKey = "flywheel.train.holdout";
static constexpr const char *kShuffleKey = "flywheel.train.shuffle";

runtime::Metadata TrainingProgress::toMetadata() const {
  runtime::Metadata metadata = {
      {kEpochsKey, std::to_string(epochs)},
      {kOrderSeedKey, std::to_string(seed)},
      {kBatchSizeKey, std::to_string(batchSize)},
      {kHoldoutKey, runtime::formatElement(DType::F64, &holdout)}};
  if (!shuffle)
    metadata[kShuffleKey] = "0";
  return metadata;
}

Result<std::optional<TrainingProgress>>
TrainingProgress::fromMetadata(const runtime::Metadata &metadata) {
  TrainingProgress progress;
  for (auto [key, number] : {std::pair(kEpochsKey, &progress.epochs),
                             std::pair(kOrderSeedKey, &progress.seed),
                             std::pair(kBatchSizeKey, &progress.batchSize)}) {
    auto entry = metadata.find(key);
    if (entry == metadata.end())
      return std::optional<TrainingProgress>();
    if (llvm::StringRef(entry->second).getAsInteger(10, *number))
      return Status::invalidArgument("expected a number as metadata '" +
                                     entry->first + "', found '" +
                                     entry->second + "'");
  }
  auto entry = metadata.find(kHoldoutKey);
  if (entry == metadata.end())
    return std::optional<TrainingProgress>();
  if (llvm::StringRef(entry->second).getAsDouble(progress.holdout))
    return Status::invalidArgument("expected a number as metadata '" +
                                   entry->first + "', found '" + entry->second +
                                   "'");
  if (auto shuffle = metadata.find(kShuffleKey); shuffle != metadata.end())
    progress.shuffle = shuffle->second != "0";
  return std::optional<TrainingProgress>(progress);
}

//===----------------------------------------------------------------------===//
// Trainer
//===----------------------------------------------------------------------===//

Status Trainer::bindTraining(Session &session, const Dataset &data) {
  Result<BatchCall> call =
      BatchCall::create(session, options.trainEntry, data, options.sources);
  if (!call.isOk())
    return call.status();
  if (std::optional<uint64_t> rows = call->getFixedRows();
      rows && *rows != options.batchSize)
    return Status::invalidArgument(
        "entry '" + options.trainEntry + "' takes batches of " +
        std::to_string(*rows) + " rows, the batch size is " +
        std::to_string(options.batchSize));
  train = std::move(*call);
  lossIndex = findLoss(train->getEntry());
  if (trainingRows.empty() || getStepsPerEpoch() == 0)
    return Status::invalidArgument("there are too few rows to train on: " +
                                   std::to_string(trainingRows.size()));
  return {};
}

/// Returns the variables that `entry` writes, which must be in LOCAL: an
/// evaluation does not change the model.
static Result<std::vector<std::string>>
getLocalWrites(const Manifest &manifest, const ManifestEntry &entry) {
  std::vector<std::string> names;
  for (int64_t index : entry.writes) {
    const ManifestVariable &variable = manifest.variables[index];
    if (!variable.isInCollection(kLocalCollection))
      return Status::invalidArgument(
          "entry '" + entry.name + "' cannot evaluate: it writes variable '" +
          variable.name +
          "', and an evaluation may only change variables of the collection "
          "LOCAL");
    names.push_back(variable.name);
  }
  return names;
}

Status Trainer::bindEvaluation(Session &session, const Dataset &data) {
  Result<BatchCall> call =
      BatchCall::create(session, options.evalEntry, data, options.sources);
  if (!call.isOk())
    return call.status();
  eval = std::move(*call);
  for (const ArgumentSpec &result : eval->getEntry().results)
    if (!result.dimSizes.empty())
      return Status::invalidArgument("entry '" + options.evalEntry +
                                     "' cannot evaluate: its result '" +
                                     result.name + "' has shape " +
                                     result.shapeText + ", expected scalars");
  for (const ArgumentSpec &result : eval->getEntry().results)
    if (result.dtype == DType::String)
      return Status::invalidArgument(
          "entry '" + options.evalEntry + "' cannot evaluate: its result '" +
          result.name + "' is a string, expected numbers");
  if (eval->getEntry().results.empty())
    return Status::invalidArgument("entry '" + options.evalEntry +
                                   "' cannot evaluate: it has no results");
  Result<std::vector<std::string>> writes = getLocalWrites(
      session.getProgram().getManifest(), *eval->getEntry().manifest);
  if (!writes.isOk())
    return writes.status();
  evalWrites = std::move(*writes);
  evalSession = &session;
  evalBatchSize = eval->getFixedRows().value_or(options.batchSize);
  return {};
}

Result<Trainer> Trainer::create(Session &session, const Dataset &data,
                                const TrainerOptions &options,
                                const Dataset *evalData) {
  if (options.batchSize == 0)
    return Status::invalidArgument("expected a batch size of at least 1");
  Result<runtime::RowSplit> split =
      runtime::splitRows(data.numRows(), options.holdout, options.seed);
  if (!split.isOk())
    return split.status();
  if (options.holdout > 0.0 && split->heldOut.empty())
    return Status::invalidArgument(
        "expected a holdout of at least one row, found " +
        runtime::formatElement(DType::F64, &options.holdout) + " of " +
        std::to_string(data.numRows()) + " rows");
  Trainer trainer;
  trainer.options = options;
  trainer.trainingRows = std::move(split->training);
  if (evalData) {
    trainer.evalRows.resize(evalData->numRows());
    for (auto [index, row] : llvm::enumerate(trainer.evalRows))
      row = index;
  } else {
    trainer.evalRows = split->heldOut.empty() ? trainer.trainingRows
                                              : std::move(split->heldOut);
  }
  if (!options.trainEntry.empty())
    if (Status status = trainer.bindTraining(session, data); !status.isOk())
      return status;
  if (!options.evalEntry.empty())
    if (Status status =
            trainer.bindEvaluation(session, evalData ? *evalData : data);
        !status.isOk())
      return status;
  return trainer;
}

/// Batches of `size` in `rows` rows; the last may be smaller unless `isFixed`.
static uint64_t countBatches(uint64_t rows, uint64_t size, bool isFixed) {
  return isFixed ? rows / size : (rows + size - 1) / size;
}

uint64_t Trainer::getStepsPerEpoch() const {
  return countBatches(trainingRows.size(), options.batchSize,
                      train && train->getFixedRows());
}

Result<std::optional<double>>
Trainer::trainEpoch(uint64_t epoch,
                    llvm::function_ref<void(const Step &)> onStep) {
  if (!train)
    return Status::failedPrecondition("no entry to train with was given");
  std::vector<uint64_t> order = trainingRows;
  if (options.shuffle)
    order = runtime::epochOrder(std::move(order), options.seed, epoch);
  else
    llvm::sort(order);
  double sum = 0.0;
  uint64_t rowsDone = 0;
  for (uint64_t index = 0, e = getStepsPerEpoch(); index < e; ++index) {
    uint64_t begin = index * options.batchSize;
    uint64_t count =
        std::min<uint64_t>(options.batchSize, order.size() - begin);
    Status status = train->run(llvm::ArrayRef(order).slice(begin, count));
    if (!status.isOk())
      return Status(status.code(), status.message() + " (epoch " +
                                       std::to_string(epoch + 1) + ", step " +
                                       std::to_string(index + 1) + ")");
    std::optional<double> loss;
    if (lossIndex >= 0)
      loss = getScalar(train->getResults()[lossIndex]);
    sum += loss.value_or(0.0) * static_cast<double>(count);
    rowsDone += count;
    if (onStep)
      onStep({epoch, index, count, loss});
  }
  if (lossIndex < 0)
    return std::optional<double>();
  return std::optional<double>(sum / static_cast<double>(rowsDone));
}

Result<std::vector<Metric>> Trainer::evaluate() {
  if (!eval)
    return Status::failedPrecondition("no entry to evaluate with was given");
  if (!evalWrites.empty())
    if (Status status =
            evalSession->initialize(evalSession->getSeed(), evalWrites);
        !status.isOk())
      return status;
  std::vector<Metric> metrics;
  for (const ArgumentSpec &result : eval->getEntry().results)
    metrics.push_back({result.name, !runtime::isFloatingPoint(result.dtype)});
  uint64_t batches = countBatches(evalRows.size(), evalBatchSize,
                                  eval->getFixedRows().has_value());
  for (uint64_t index = 0; index < batches; ++index) {
    uint64_t begin = index * evalBatchSize;
    uint64_t count = std::min<uint64_t>(evalBatchSize, evalRows.size() - begin);
    if (Status status = eval->run(llvm::ArrayRef(evalRows).slice(begin, count));
        !status.isOk())
      return status;
    for (auto [metric, result] : llvm::zip_equal(metrics, eval->getResults())) {
      double value = getScalar(result);
      metric.sum += metric.isCount ? value : value * static_cast<double>(count);
      metric.rows += count;
    }
  }
  return metrics;
}

} // namespace flywheel
