//===- Dataset.cpp - Columns of examples, split and batched ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/Dataset.h"

#include "Convert.h"

#include "flywheel/Runtime/JsonString.h"
#include "flywheel/Runtime/Shuffle.h"

using namespace flywheel::runtime;

static std::string listNames(const std::vector<TensorInfo> &infos) {
  std::string names;
  for (const TensorInfo &info : infos)
    names += (names.empty() ? "" : ", ") + info.name;
  return names.empty() ? "none" : names;
}

/// Their order takes 128 MiB.
static constexpr uint64_t maxEmptyRows = uint64_t(1) << 24;

Result<Dataset> Dataset::load(const std::string &path,
                              const std::vector<std::string> &columns) {
  Result<SafetensorsFile> opened = SafetensorsFile::open(path);
  if (!opened.isOk())
    return opened.status();
  Dataset dataset;
  dataset.file = std::make_shared<SafetensorsFile>(std::move(*opened));
  const SafetensorsFile &file = *dataset.file;
  if (columns.empty())
    dataset.columnInfos = file.tensors();
  for (const std::string &name : columns) {
    const TensorInfo *info = file.find(name);
    if (!info)
      return Status::notFound(
          "'" + path + "' has no column " + quoteJson(name) +
          "; its columns are: " + listNames(file.tensors()));
    dataset.columnInfos.push_back(*info);
  }
  if (dataset.columnInfos.empty())
    return Status::invalidArgument("'" + path + "' has no columns");

  const TensorInfo &first = dataset.columnInfos.front();
  for (const TensorInfo &info : dataset.columnInfos) {
    if (info.shape.empty())
      return Status::invalidArgument("'" + path + "': column " +
                                     quoteJson(info.name) +
                                     " is a scalar, it has no rows");
    if (info.shape[0] != first.shape[0])
      return Status::invalidArgument(
          "'" + path + "': columns differ in their number of rows: " +
          quoteJson(first.name) + " has " + std::to_string(first.shape[0]) +
          ", " + quoteJson(info.name) + " has " +
          std::to_string(info.shape[0]));
  }
  dataset.rows = uint64_t(first.shape[0]);
  // A file can have any number of rows without bytes, but each takes its place
  // in the order of an epoch.
  if (dataset.rows > maxEmptyRows && first.byteSize() == 0)
    return Status::invalidArgument(
        "'" + path + "' has " + std::to_string(dataset.rows) +
        " rows without elements, at most " + std::to_string(maxEmptyRows) +
        " can be read");
  return dataset;
}

Result<ColumnFeed> Dataset::bind(const std::string &column, DType feed) const {
  const TensorInfo *info = nullptr;
  for (const TensorInfo &candidate : columnInfos)
    if (candidate.name == column)
      info = &candidate;
  if (!info)
    return Status::notFound("'" + file->path() + "' has no column " +
                            quoteJson(column));

  if (feed == DType::String)
    return Status::invalidArgument("column " + quoteJson(column) + " of '" +
                                   file->path() + "' has dtype " +
                                   std::string(numpyName(info->dtype)) +
                                   ", and the feed takes strings");

  ColumnFeed result;
  result.file = file;
  result.name = column;
  result.base = file->data(*info);
  result.feedDType = feed;
  result.exampleShape.assign(info->shape.begin() + 1, info->shape.end());
  result.numRows = rows;
  // The header guarantees that the size of the column does not overflow. That
  // of a row can overflow only if there are no rows.
  std::optional<uint64_t> rowBytes = byteCount(feed, result.exampleShape);
  if (!rowBytes)
    return Status::invalidArgument(
        "column " + quoteJson(column) + " of '" + file->path() +
        "': a row of shape " + formatShape(result.exampleShape) + " overflows");
  result.outputRowBytes = *rowBytes;
  result.rowElements = *rowBytes / dtypeSize(feed);
  result.inputRowBytes = result.rowElements * dtypeSize(info->dtype);
  result.convert = getConversion(info->dtype, feed);

  uint64_t count = info->byteSize() / dtypeSize(info->dtype);
  uint64_t bad = findInexact(info->dtype, feed, result.base, count);
  if (bad != count) {
    const std::byte *element = result.base + bad * dtypeSize(info->dtype);
    // Name a damaged boolean by its byte.
    DType shown = info->dtype == DType::Bool ? DType::U8 : info->dtype;
    return Status::invalidArgument(
        "column " + quoteJson(column) + " of '" + file->path() +
        "' can't be fed exactly: its dtype is " +
        std::string(numpyName(info->dtype)) + ", the feed's is " +
        std::string(numpyName(feed)) + ", and the value " +
        formatElement(shown, element) + " in row " +
        std::to_string(bad / result.rowElements) + " does not fit");
  }
  return result;
}

Status ColumnFeed::gather(const uint64_t *rows, size_t count, void *out) const {
  for (size_t i = 0; i < count; ++i)
    if (rows[i] >= numRows)
      return Status::invalidArgument(
          "column " + quoteJson(name) + " of '" + file->path() + "' has " +
          std::to_string(numRows) + " rows, there is no row " +
          std::to_string(rows[i]));
  auto *next = static_cast<std::byte *>(out);
  for (size_t i = 0; i < count; ++i, next += outputRowBytes)
    convert(base + rows[i] * inputRowBytes, next, rowElements);
  return Status();
}

Result<RowSplit> flywheel::runtime::splitRows(uint64_t numRows, double holdout,
                                              uint64_t seed) {
  if (!(holdout >= 0.0 && holdout <= 1.0))
    return Status::invalidArgument(
        "the held-out fraction must be in [0, 1], found " +
        formatElement(DType::F64, &holdout));
  RowSplit split;
  split.training.resize(numRows);
  flywheel_permutation(split.training.data(), numRows, seed);
  uint64_t numTraining = numRows - flywheel_holdout_count(numRows, holdout);
  split.heldOut.assign(split.training.begin() + int64_t(numTraining),
                       split.training.end());
  split.training.resize(numTraining);
  return split;
}

std::vector<uint64_t> flywheel::runtime::epochOrder(std::vector<uint64_t> rows,
                                                    uint64_t seed,
                                                    uint64_t epoch) {
  flywheel_shuffle(rows.data(), rows.size(), flywheel_epoch_seed(seed, epoch));
  return rows;
}
