//===- CallPlan.cpp - Checking and making a call --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Model/CNames.h"
#include "flywheel/Model/StatusMessage.h"
#include "flywheel/Session/Session.h"

#include "llvm/ADT/STLExtras.h"

using flywheel::runtime::Result;
using flywheel::runtime::Shape;
using flywheel::runtime::Status;

namespace flywheel {

/// The data of arrays without elements, whose address may be null.
alignas(kStateAlignment) static std::byte emptyArray[kStateAlignment];

static bool hasElements(llvm::ArrayRef<int64_t> shape) {
  return !llvm::is_contained(shape, 0);
}

static std::string getDTypeText(runtime::DType dtype) {
  return std::string(runtime::numpyName(dtype));
}

static Status makeShapeError(const ArgumentSpec &spec,
                             llvm::ArrayRef<int64_t> shape) {
  return Status::invalidArgument("Cannot feed value of shape " +
                                 formatShape(shape) + " for placeholder '" +
                                 spec.name + "', which has shape " +
                                 spec.shapeText);
}

/// Returns `batch = 3, time = 5`.
static std::string formatDimSizes(const ManifestEntry &entry,
                                  llvm::ArrayRef<int64_t> dimSizes) {
  std::string text;
  for (auto [name, dimSize] : llvm::zip_equal(entry.symbols, dimSizes))
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(dimSize);
  return text;
}

static Status makeWorkspaceError(const ManifestEntry &entry,
                                 llvm::ArrayRef<int64_t> dimSizes) {
  return Status::resourceExhausted(
      "entry '" + entry.name + "' needs a workspace of more than " +
      kMaxSizeText + " bytes for " + formatDimSizes(entry, dimSizes));
}

static Status makeMissingError(const ArgumentSpec &spec) {
  return Status::invalidArgument("You must feed a value for placeholder '" +
                                 spec.name + "'");
}

CallPlan::CallPlan(Session &session, const EntrySpec &entry)
    : session(session), entry(entry), feedPointers(entry.feeds.size()),
      resultPointers(entry.results.size()),
      dimSizes(entry.manifest->symbols.size()),
      dimSizeOwners(entry.manifest->symbols.size()),
      plannedDimSizes(entry.manifest->symbols.size(), -1),
      feedStrings(entry.feeds.size()), resultStrings(entry.results.size()) {
  auto isString = [](const ArgumentSpec &spec) {
    return spec.dtype == runtime::DType::String;
  };
  hasStrings = llvm::any_of(entry.feeds, isString) ||
               llvm::any_of(entry.results, isString);
}

bool CallPlan::isOnGPU() const {
  return session.program->getManifest().isOnGPU;
}

int64_t CallPlan::getDimSize(int64_t spec) const {
  return spec >= 0 ? spec : dimSizes[-1 - spec];
}

Status CallPlan::checkBound(size_t symbol, int64_t dimSize) const {
  const std::vector<int64_t> &bounds = entry.manifest->symbolBounds;
  int64_t bound = bounds.empty() ? 0 : bounds[symbol];
  if (bound == 0 || dimSize <= bound)
    return {};
  const std::string &name = entry.manifest->symbols[symbol];
  return Status::invalidArgument(
      name + " is out of range: expected 0 <= " + name +
      " <= " + std::to_string(bound) + " in '" + entry.manifest->name +
      "', found " + std::to_string(dimSize));
}

Status CallPlan::bindFeed(unsigned index, const ArrayView &feed) {
  const ArgumentSpec &spec = entry.feeds[index];
  if (!feed.data && hasElements(feed.shape))
    return makeMissingError(spec);
  if (feed.dtype != spec.dtype)
    return Status::invalidArgument(
        "Cannot feed value of dtype " + getDTypeText(feed.dtype) +
        " for placeholder '" + spec.name + "', which has dtype " +
        getDTypeText(spec.dtype));
  if (feed.shape.size() != spec.dimSizes.size())
    return makeShapeError(spec, feed.shape);
  for (auto [dim, expected, dimSize] :
       llvm::enumerate(spec.dimSizes, feed.shape)) {
    if (expected >= 0) {
      if (dimSize != expected)
        return makeShapeError(spec, feed.shape);
      continue;
    }
    size_t symbol = -1 - expected;
    if (dimSize < 0)
      return makeShapeError(spec, feed.shape);
    if (Status status = checkBound(symbol, dimSize); !status.isOk())
      return status;
    if (dimSizes[symbol] < 0) {
      dimSizes[symbol] = dimSize;
      dimSizeOwners[symbol] = index;
    } else if (dimSizes[symbol] != dimSize) {
      std::string message = "feeds disagree on the dimension size '" +
                            entry.manifest->symbols[symbol] + "': it is " +
                            std::to_string(dimSizes[symbol]) +
                            " in placeholder '" +
                            entry.feeds[dimSizeOwners[symbol]].name + "' and " +
                            std::to_string(dimSize) + " in placeholder '" +
                            spec.name + "' of shape " + formatShape(feed.shape);
      const std::vector<std::string> &places =
          entry.manifest->feeds[index].places;
      if (!places.empty() && !places[dim].empty())
        message += ", expected equal ones " + places[dim];
      return Status::invalidArgument(std::move(message));
    }
  }
  feedPointers[index] = feed.data ? feed.data : emptyArray;
  return {};
}

Status CallPlan::bindFeeds(llvm::ArrayRef<ArrayView> feeds) {
  if (feeds.size() > entry.feeds.size())
    return Status::invalidArgument(
        "entry '" + entry.manifest->name + "' takes " +
        std::to_string(entry.feeds.size()) + " feeds, found " +
        std::to_string(feeds.size()));
  if (feeds.size() < entry.feeds.size())
    return makeMissingError(entry.feeds[feeds.size()]);
  llvm::fill(dimSizes, -1);
  for (unsigned index = 0; index < feeds.size(); ++index)
    if (Status status = bindFeed(index, feeds[index]); !status.isOk())
      return status;
  return {};
}

Status CallPlan::bindResults(llvm::ArrayRef<MutableArrayView> results) {
  if (results.size() != entry.results.size())
    return Status::invalidArgument("entry '" + entry.manifest->name + "' has " +
                                   std::to_string(entry.results.size()) +
                                   " results, found buffers for " +
                                   std::to_string(results.size()));
  for (unsigned index = 0; index < results.size(); ++index) {
    const ArgumentSpec &spec = entry.results[index];
    const MutableArrayView &result = results[index];
    bool fits = result.dtype == spec.dtype &&
                result.shape.size() == spec.dimSizes.size();
    for (size_t dim = 0; fits && dim < spec.dimSizes.size(); ++dim)
      fits = result.shape[dim] == getDimSize(spec.dimSizes[dim]);
    if (!fits) {
      Shape expected;
      for (int64_t dimSize : spec.dimSizes)
        expected.push_back(getDimSize(dimSize));
      return Status::invalidArgument(
          "expected a buffer of dtype " + getDTypeText(spec.dtype) +
          " and shape " + formatShape(expected) + " for result '" + spec.name +
          "', found dtype " + getDTypeText(result.dtype) + " and shape " +
          formatShape(result.shape));
    }
    if (!result.data && hasElements(result.shape))
      return Status::invalidArgument(
          "expected a buffer for result '" + spec.name + "' of '" +
          entry.manifest->name + "', found a null pointer");
    resultPointers[index] = result.data ? result.data : emptyArray;
  }
  return {};
}

Status CallPlan::call(llvm::ArrayRef<ArrayView> feeds,
                      llvm::ArrayRef<MutableArrayView> results) {
  if (Status status = bindFeeds(feeds); !status.isOk())
    return status;
  if (Status status = bindResults(results); !status.isOk())
    return status;
  if (workspaceBytes < 0 || plannedDimSizes != dimSizes) {
    std::optional<int64_t> bytes =
        entry.manifest->getWorkspaceBytes(dimSizes).get();
    if (!bytes)
      return makeWorkspaceError(*entry.manifest, dimSizes);
    workspaceBytes = *bytes;
    plannedDimSizes = dimSizes;
  }
  if (Status status = session.reserveWorkspace(workspaceBytes); !status.isOk())
    return status;
  if (hasStrings) {
    internFeeds(feeds);
    reserveStrings(results);
  }
  int32_t status = session.callEntry(entry, feedPointers.data(), dimSizes,
                                     resultPointers.data());
  if (status != 0)
    return session.describeStatus(status);
  if (hasStrings)
    returnStrings(results);
  return {};
}

Result<std::vector<Shape>>
CallPlan::inferResultShapes(llvm::ArrayRef<ArrayView> feeds) {
  if (Status status = bindFeeds(feeds); !status.isOk())
    return status;
  std::vector<Shape> shapes;
  for (const ArgumentSpec &spec : entry.results) {
    Shape &shape = shapes.emplace_back();
    for (int64_t dimSize : spec.dimSizes)
      shape.push_back(getDimSize(dimSize));
  }
  return shapes;
}

Result<std::vector<ArrayView>>
CallPlan::orderFeeds(llvm::ArrayRef<NamedArray> feeds) const {
  // A dimension size other than 0 and no data: not fed.
  static constexpr int64_t absent[] = {-1};
  std::vector<ArrayView> ordered(entry.feeds.size());
  for (ArrayView &view : ordered)
    view.shape = absent;
  std::vector<bool> given(entry.feeds.size(), false);
  for (const auto &[name, view] : feeds) {
    size_t index = 0;
    while (index < entry.feeds.size() && entry.feeds[index].name != name)
      ++index;
    if (index == entry.feeds.size()) {
      std::string known;
      for (const ArgumentSpec &spec : entry.feeds)
        known += (known.empty() ? "'" : ", '") + spec.name + "'";
      return Status::invalidArgument(
          "entry '" + entry.manifest->name + "' has no placeholder '" +
          name.str() + "'; it has " + (known.empty() ? "none" : known));
    }
    if (given[index])
      return Status::invalidArgument("placeholder '" + name.str() +
                                     "' is fed twice");
    given[index] = true;
    ordered[index] = view;
  }
  return ordered;
}

} // namespace flywheel
