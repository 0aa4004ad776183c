//===- EntryMode.cpp - Calls of entries -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Feeds.h"
#include "State.h"

#include "flywheel/Runtime/AtomicFile.h"
#include "flywheel/Runtime/StringTensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <string_view>

using flywheel::runtime::Result;
using flywheel::runtime::Shape;
using flywheel::runtime::Status;

namespace flywheel::run {

/// Prints the times of the calls: the first one, in which the workspace grows,
/// and the others.
static void printTimes(std::vector<double> seconds) {
  double first = seconds.front(), total = 0.0;
  for (double time : seconds)
    total += time;
  std::sort(seconds.begin(), seconds.end());
  llvm::errs() << llvm::formatv(
      "{0} steps in {1:f3} ms: first {2:f1} us, median {3:f1} us, least "
      "{4:f1} us\n",
      seconds.size(), total * 1e3, first * 1e6,
      seconds[seconds.size() / 2] * 1e6, seconds.front() * 1e6);
}

namespace {
/// One entry with its feeds and results in memory.
struct PreparedEntry {
  std::string name;
  CallPlan *plan = nullptr;
  std::vector<OwnedArray> feeds, results;

  llvm::ArrayRef<ArgumentSpec> getResultSpecs() const {
    return plan->getEntry().results;
  }
  /// Runs the entry once.
  Status call();
  /// Reports the reason why a result is not a number.
  void warnOfNoRows() const;

private:
  void keepStrings();

  /// The strings of the results: a session's last until the next call only.
  std::vector<std::deque<std::string>> texts;
};

/// The entries that a step calls in turn.
class EntryRun {
public:
  EntryRun(Session &session, const RunOptions &options)
      : session(session), options(options) {}

  /// Creates the feeds and the memory of the results, and checks that the
  /// results for --print exist.
  Status prepare();
  /// Runs the steps.
  Status run(StateWriter &writer);
  /// Prints the results of the last step, or writes them to --save-results.
  Status report() const;

private:
  Status prepareEntry(const std::string &name, const ValueTexts &texts,
                      ValueTexts &unused);
  Status makeStep(uint64_t step);
  Status printScalars(uint64_t step) const;
  /// Returns the last result of that name, which may be ENTRY.RESULT, or null.
  const OwnedArray *findResult(llvm::StringRef name) const;
  /// Returns that result, or else the variable.
  Result<ArrayView> find(const std::string &name) const;
  Status checkName(const std::string &name) const;
  std::vector<std::string> getAllResultNames() const;
  std::vector<std::string> getScalarNames() const;

  Session &session;
  const RunOptions &options;
  std::vector<PreparedEntry> entries;
};
} // namespace

//===----------------------------------------------------------------------===//
// Before the first step
//===----------------------------------------------------------------------===//

Status EntryRun::prepareEntry(const std::string &name, const ValueTexts &texts,
                              ValueTexts &unused) {
  Result<CallPlan *> plan = session.prepare(name);
  if (!plan.isOk())
    return plan.status();
  PreparedEntry &prepared = entries.emplace_back();
  prepared.name = name;
  prepared.plan = *plan;
  llvm::SmallVector<ArrayView> views;
  for (const ArgumentSpec &feed : (*plan)->getEntry().feeds) {
    auto text = texts.find(feed.name);
    if (text == texts.end())
      return Status::invalidArgument("You must feed a value for placeholder '" +
                                     feed.name + "': --feed " + feed.name +
                                     "=...");
    Result<OwnedArray> array = makeArray(
        feed, text->second, options.getBatchSize(), options.getSeed());
    if (!array.isOk())
      return array.status();
    unused.erase(feed.name);
    prepared.feeds.push_back(std::move(*array));
  }
  for (const OwnedArray &feed : prepared.feeds)
    views.push_back(feed.view());
  Result<std::vector<Shape>> shapes = (*plan)->inferResultShapes(views);
  if (!shapes.isOk())
    return shapes.status();
  for (auto [spec, shape] : llvm::zip_equal(prepared.getResultSpecs(), *shapes))
    if (Status status =
            prepared.results.emplace_back().allocate(spec.dtype, shape);
        !status.isOk())
      return status;
  return {};
}

Status EntryRun::checkName(const std::string &name) const {
  if (findResult(name)) {
    if (options.steps > 0)
      return {};
    return Status::invalidArgument("result '" + name +
                                   "' has no value without a step");
  }
  Status status = session.getProgram().lookupVariable(name).status();
  if (status.isOk() || entries.empty())
    return status;
  std::string text = entries.size() == 1
                         ? "entry '" + entries.front().name + "' has no result"
                         : "none of the entries has the result";
  return Status::notFound(text + " '" + name + "', and " + status.message());
}

Status EntryRun::prepare() {
  Result<ValueTexts> texts = parseValueTexts("--feed", options.feeds);
  if (!texts.isOk())
    return texts.status();
  ValueTexts unused = *texts;
  for (const std::string &name : options.entries)
    if (Status status = prepareEntry(name, *texts, unused); !status.isOk())
      return status;
  if (!unused.empty())
    return makeUnusedError(unused);
  for (const std::string &name : options.prints)
    if (Status status = checkName(name); !status.isOk())
      return status;
  if (options.printEvery > 0 && getScalarNames().empty())
    return Status::invalidArgument(
        options.prints.empty()
            ? "--print-every prints scalars, and the entries have no such "
              "result"
            : "--print-every prints scalars, and --print chooses none");
  if (!options.saveResults.empty())
    return runtime::checkSavePath(options.saveResults);
  return {};
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Status PreparedEntry::call() {
  llvm::SmallVector<ArrayView> feedViews;
  llvm::SmallVector<MutableArrayView> resultViews;
  for (const OwnedArray &feed : feeds)
    feedViews.push_back(feed.view());
  for (OwnedArray &result : results)
    resultViews.push_back(result.mutableView());
  Status status = plan->call(feedViews, resultViews);
  if (status.isOk())
    keepStrings();
  return status;
}

void PreparedEntry::warnOfNoRows() const {
  const EntrySpec &entry = plan->getEntry();
  const std::string *symbol = nullptr;
  for (auto [feed, spec] : llvm::zip_equal(feeds, entry.feeds))
    for (auto [size, dim] : llvm::zip_equal(feed.shape, spec.dimSizes))
      if (size == 0 && dim < 0)
        symbol = &entry.manifest->symbols[-1 - dim];
  for (auto [result, spec] : llvm::zip_equal(results, entry.results))
    if (symbol && result.shape.empty() &&
        runtime::formatElement(result.dtype, result.buffer.data()) == "nan")
      llvm::WithColor::warning(llvm::errs())
          << "'" << spec.name << "' of entry '" << name << "' is nan where '"
          << *symbol << "' is 0: a mean over no rows is not a number\n";
}

void PreparedEntry::keepStrings() {
  texts.resize(results.size());
  for (auto [result, kept] : llvm::zip_equal(results, texts)) {
    if (result.dtype != runtime::DType::String)
      continue;
    kept.clear();
    auto *views = reinterpret_cast<std::string_view *>(result.buffer.data());
    for (size_t i = 0, e = *runtime::elementCount(result.shape); i < e; ++i)
      views[i] = kept.emplace_back(views[i]);
  }
}

Status EntryRun::makeStep(uint64_t step) {
  for (PreparedEntry &entry : entries) {
    Status status = entry.call();
    if (status.isOk())
      continue;
    std::string place = "step " + std::to_string(step);
    if (entries.size() > 1)
      place += ", entry '" + entry.name + "'";
    return Status(status.code(), status.message() + " (" + place + ")");
  }
  return {};
}

Status EntryRun::printScalars(uint64_t step) const {
  llvm::outs() << "step " << step;
  for (const std::string &name : getScalarNames()) {
    Result<ArrayView> array = find(name);
    if (!array.isOk())
      return array.status();
    llvm::outs() << "  " << name << " "
                 << runtime::formatElement(array->dtype, array->data);
  }
  llvm::outs() << "\n";
  return {};
}

Status EntryRun::run(StateWriter &writer) {
  uint64_t last = options.firstStep;
  std::vector<double> seconds;
  for (uint64_t count = 0; !entries.empty() && count < options.steps; ++count) {
    auto start = std::chrono::steady_clock::now();
    Status status = makeStep(++last);
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    seconds.push_back(elapsed.count());
    if (status.isOk() && options.printEvery > 0 &&
        last % options.printEvery == 0)
      status = printScalars(last);
    if (status.isOk())
      status = writer.afterStep(last, /*metadata=*/{});
    if (!status.isOk())
      return status;
  }
  if (!seconds.empty())
    for (const PreparedEntry &entry : entries)
      entry.warnOfNoRows();
  if (options.time && !seconds.empty())
    printTimes(seconds);
  return writer.finish(last, /*metadata=*/{});
}

//===----------------------------------------------------------------------===//
// After the last step
//===----------------------------------------------------------------------===//

const OwnedArray *EntryRun::findResult(llvm::StringRef name) const {
  for (const PreparedEntry &entry : llvm::reverse(entries))
    for (auto [spec, result] :
         llvm::zip_equal(entry.getResultSpecs(), entry.results))
      if (name == spec.name || name == entry.name + "." + spec.name)
        return &result;
  return nullptr;
}

Result<ArrayView> EntryRun::find(const std::string &name) const {
  if (const OwnedArray *result = findResult(name))
    return result->view();
  return session.getVariable(name);
}

std::vector<std::string> EntryRun::getAllResultNames() const {
  std::vector<std::string> names;
  for (const PreparedEntry &entry : entries)
    for (auto [spec, result] :
         llvm::zip_equal(entry.getResultSpecs(), entry.results)) {
      // A later entry may have a result of that name, or be the same entry.
      std::string name = spec.name;
      if (findResult(name) != &result)
        name = entry.name + "." + name;
      if (findResult(name) == &result)
        names.push_back(name);
    }
  return names;
}

std::vector<std::string> EntryRun::getScalarNames() const {
  std::vector<std::string> names =
      options.prints.empty() ? getAllResultNames() : options.prints;
  llvm::erase_if(names, [&](const std::string &name) {
    if (const OwnedArray *result = findResult(name))
      return !result->shape.empty();
    Result<size_t> variable = session.getProgram().lookupVariable(name);
    return !session.getProgram().getVariables()[*variable].shape.empty();
  });
  return names;
}

/// Appends an array to the tensors of a file; `strings` owns their bytes.
static void addTensor(const std::string &name, const ArrayView &array,
                      std::vector<runtime::TensorView> &tensors,
                      std::deque<runtime::StringTensor> &strings) {
  Shape shape(array.shape.begin(), array.shape.end());
  if (array.dtype != runtime::DType::String) {
    tensors.push_back({name, array.dtype, shape, array.data});
    return;
  }
  const auto *views = static_cast<const std::string_view *>(array.data);
  strings.push_back(runtime::packStrings(
      {views, views + runtime::elementCount(shape).value_or(0)}));
  runtime::appendStrings(name, shape, strings.back(), tensors);
}

Status EntryRun::report() const {
  std::vector<std::string> names = options.prints;
  bool isChosen = !names.empty(), isSaved = !options.saveResults.empty();
  if (!isChosen && options.steps > 0)
    names = getAllResultNames();
  std::vector<runtime::TensorView> tensors;
  std::deque<runtime::StringTensor> strings;
  for (const std::string &name : names) {
    Result<ArrayView> array = find(name);
    if (!array.isOk())
      return array.status();
    if (isChosen || !isSaved)
      printArray(name, *array);
    if (isSaved)
      addTensor(name, *array, tensors, strings);
  }
  return isSaved ? runtime::writeSafetensors(options.saveResults, tensors)
                 : Status();
}

Status runEntries(Session &session, RunOptions options) {
  if (Status status = findLatest(options); !status.isOk())
    return status;
  EntryRun entries(session, options);
  if (Status status = entries.prepare(); !status.isOk())
    return status;
  Result<StateWriter> writer = StateWriter::create(session, options);
  if (!writer.isOk())
    return writer.status();
  if (Status status = prepareVariables(session, options); !status.isOk())
    return status;
  if (Status status = entries.run(*writer); !status.isOk())
    return status;
  return entries.report();
}

} // namespace flywheel::run
