//===- BatchCall.cpp - An entry on rows of a data set ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Session/Trainer.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using flywheel::runtime::Dataset;
using flywheel::runtime::DType;
using flywheel::runtime::Result;
using flywheel::runtime::Shape;
using flywheel::runtime::Status;

namespace flywheel {

Status OwnedArray::allocate(DType newDType, Shape newShape) {
  std::optional<uint64_t> bytes = runtime::byteCount(newDType, newShape);
  if (!bytes)
    return Status::invalidArgument("no array can have the shape " +
                                   runtime::formatShape(newShape));
  // An array without elements has an address all the same.
  if (!buffer.reserve(std::max<uint64_t>(*bytes, 1)))
    return Status::resourceExhausted("no memory for an array of " +
                                     std::to_string(*bytes) + " bytes");
  dtype = newDType;
  shape = std::move(newShape);
  return {};
}

static std::string listColumns(const Dataset &data) {
  std::string names;
  for (const runtime::TensorInfo &info : data.columns())
    names += (names.empty() ? "" : ", ") + info.name;
  return names;
}

/// Returns true if examples of shape `row` are rows of `feed`.
static bool fitsFeed(const ArgumentSpec &feed, const Shape &row) {
  if (feed.dimSizes.size() != row.size() + 1)
    return false;
  for (auto [wanted, found] :
       llvm::zip_equal(llvm::drop_begin(feed.dimSizes), row))
    if (wanted >= 0 && wanted != found)
      return false;
  return true;
}

Status BatchCall::bindFeed(const ArgumentSpec &feed, const Dataset &data,
                           const FeedSources &given) {
  Source &source = sources.emplace_back();
  if (auto constant = given.constants.find(feed.name);
      constant != given.constants.end()) {
    source.constant = constant->second;
    return {};
  }
  auto renamed = given.columns.find(feed.name);
  const std::string &column =
      renamed == given.columns.end() ? feed.name : renamed->second;
  if (llvm::none_of(data.columns(), [&](const runtime::TensorInfo &info) {
        return info.name == column;
      }))
    return Status::invalidArgument("You must feed a value for placeholder '" +
                                   feed.name + "': the data has no column '" +
                                   column +
                                   "'; its columns are: " + listColumns(data));
  Result<runtime::ColumnFeed> bound = data.bind(column, feed.dtype);
  if (!bound.isOk())
    return bound.status();
  if (!fitsFeed(feed, bound->rowShape()))
    return Status::invalidArgument(
        "column '" + column + "', whose rows have the shape " +
        runtime::formatShape(bound->rowShape()) +
        ", does not fit the placeholder '" + feed.name + "', which has shape " +
        feed.shapeText);
  if (feed.dimSizes.front() >= 0) {
    uint64_t rows = feed.dimSizes.front();
    if (fixedRows && *fixedRows != rows)
      return Status::invalidArgument(
          "the feeds of entry '" + getEntry().manifest->name +
          "' have different numbers of rows: " + std::to_string(*fixedRows) +
          " and " + std::to_string(rows) + " of '" + feed.name + "'");
    fixedRows = rows;
  }
  source.column = std::move(*bound);
  return {};
}

Result<BatchCall> BatchCall::create(Session &session, llvm::StringRef entry,
                                    const Dataset &data,
                                    const FeedSources &sources) {
  Result<CallPlan *> plan = session.prepare(entry);
  if (!plan.isOk())
    return plan.status();
  BatchCall call;
  call.plan = *plan;
  const EntrySpec &spec = call.getEntry();
  for (const ArgumentSpec &feed : spec.feeds)
    if (Status status = call.bindFeed(feed, data, sources); !status.isOk())
      return status;
  if (llvm::none_of(call.sources,
                    [](const Source &source) { return source.column; }))
    return Status::invalidArgument("entry '" + entry.str() +
                                   "' reads no column of the data");
  call.results.resize(spec.results.size());
  return call;
}

Status BatchCall::run(llvm::ArrayRef<uint64_t> rows) {
  bool isPrepared = preparedRows == rows.size();
  llvm::SmallVector<ArrayView> feeds;
  for (Source &source : sources) {
    if (!source.column) {
      feeds.push_back(source.constant->view());
      continue;
    }
    if (!isPrepared) {
      Shape shape = source.column->rowShape();
      shape.insert(shape.begin(), rows.size());
      if (Status status = source.batch.allocate(source.column->dtype(), shape);
          !status.isOk())
        return status;
    }
    if (Status status = source.column->gather(rows.data(), rows.size(),
                                              source.batch.buffer.data());
        !status.isOk())
      return status;
    feeds.push_back(source.batch.view());
  }
  if (!isPrepared) {
    preparedRows.reset();
    Result<std::vector<Shape>> shapes = plan->inferResultShapes(feeds);
    if (!shapes.isOk())
      return shapes.status();
    for (auto [result, spec, shape] :
         llvm::zip_equal(results, getEntry().results, *shapes))
      if (Status status = result.allocate(spec.dtype, shape); !status.isOk())
        return status;
    preparedRows = rows.size();
  }
  llvm::SmallVector<MutableArrayView> outputs;
  for (OwnedArray &result : results)
    outputs.push_back(result.mutableView());
  return plan->call(feeds, outputs);
}

} // namespace flywheel
