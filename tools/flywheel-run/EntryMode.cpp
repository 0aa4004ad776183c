//===- EntryMode.cpp - Calls of one entry ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Feeds.h"
#include "RunOptions.h"
#include "flywheel/Runtime/FormatTensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>

using flywheel::runtime::Result;
using flywheel::runtime::Shape;
using flywheel::runtime::Status;

namespace flywheel::run {

Status initializeVariables(Session &session, const RunOptions &options) {
  if (options.restore.empty())
    return session.initializeMissing(options.getInitSeed());
  return session.restore(options.restore);
}

static void printArray(const std::string &name, const ArrayView &array) {
  Shape shape(array.shape.begin(), array.shape.end());
  llvm::outs() << name << "  " << runtime::numpyName(array.dtype) << "  "
               << runtime::formatShape(shape) << "\n";
  runtime::formatTensor(array.dtype, shape, array.data,
                        [](const std::string &text) { llvm::outs() << text; });
}

static void printArguments(llvm::StringRef title,
                           llvm::ArrayRef<ArgumentSpec> arguments) {
  for (const ArgumentSpec &argument : arguments)
    llvm::outs() << "  " << title << " " << argument.name << "  "
                 << runtime::numpyName(argument.dtype) << "  "
                 << argument.shapeText << "\n";
}

void listProgram(const Program &program) {
  llvm::outs() << "model " << program.getManifest().model << "\n";
  for (const EntrySpec &entry : program.getEntries()) {
    llvm::outs() << "entry " << entry.manifest->name << "\n";
    printArguments("feed  ", entry.feeds);
    printArguments("result", entry.results);
  }
  for (auto [variable, manifest] : llvm::zip_equal(
           program.getVariables(), program.getManifest().variables)) {
    llvm::outs() << "variable " << variable.name << "  "
                 << runtime::numpyName(variable.dtype) << "  "
                 << runtime::formatShape(variable.shape);
    for (const std::string &note : manifest.describe())
      llvm::outs() << "  " << note;
    llvm::outs() << "\n";
  }
}

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

/// One entry with its feeds and results in memory.
struct PreparedEntry {
  CallPlan *plan = nullptr;
  std::vector<OwnedArray> feeds, results;
};

static Result<PreparedEntry> prepareEntry(Session &session,
                                          const RunOptions &options) {
  PreparedEntry prepared;
  Result<CallPlan *> plan = session.prepare(options.entry);
  if (!plan.isOk())
    return plan.status();
  prepared.plan = *plan;
  Result<FeedTexts> texts = parseFeedTexts(options.feeds);
  if (!texts.isOk())
    return texts.status();
  llvm::SmallVector<ArrayView> views;
  for (const ArgumentSpec &feed : (*plan)->getEntry().feeds) {
    auto text = texts->find(feed.name);
    if (text == texts->end())
      return Status::invalidArgument("You must feed a value for placeholder '" +
                                     feed.name + "': --feed " + feed.name +
                                     "=...");
    Result<OwnedArray> array =
        makeFeed(feed, text->second, options.getBatchSize(), options.getSeed());
    if (!array.isOk())
      return array.status();
    texts->erase(text);
    prepared.feeds.push_back(std::move(*array));
  }
  if (!texts->empty())
    return Status::invalidArgument("entry '" + options.entry +
                                   "' has no placeholder '" +
                                   texts->begin()->first + "'");
  for (const OwnedArray &feed : prepared.feeds)
    views.push_back(feed.view());
  Result<std::vector<Shape>> shapes = (*plan)->inferResultShapes(views);
  if (!shapes.isOk())
    return shapes.status();
  for (auto [spec, shape] :
       llvm::zip_equal((*plan)->getEntry().results, *shapes))
    if (Status status =
            prepared.results.emplace_back().allocate(spec.dtype, shape);
        !status.isOk())
      return status;
  return prepared;
}

static Status callEntry(PreparedEntry &prepared, const RunOptions &options) {
  llvm::SmallVector<ArrayView> feeds;
  llvm::SmallVector<MutableArrayView> results;
  for (const OwnedArray &feed : prepared.feeds)
    feeds.push_back(feed.view());
  for (OwnedArray &result : prepared.results)
    results.push_back(result.mutableView());
  std::vector<double> seconds;
  for (uint64_t step = 0; step < options.steps; ++step) {
    auto start = std::chrono::steady_clock::now();
    Status status = prepared.plan->call(feeds, results);
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    if (!status.isOk())
      return Status(status.code(), status.message() + " (step " +
                                       std::to_string(step + 1) + ")");
    seconds.push_back(elapsed.count());
  }
  if (options.time && !seconds.empty())
    printTimes(seconds);
  return {};
}

/// Prints a result of the last call, or else a variable.
static Status print(const std::string &name, const Session &session,
                    const PreparedEntry &prepared) {
  if (prepared.plan)
    for (auto [spec, result] :
         llvm::zip_equal(prepared.plan->getEntry().results, prepared.results))
      if (spec.name == name) {
        printArray(name, result.view());
        return {};
      }
  Result<ArrayView> variable = session.getVariable(name);
  if (!variable.isOk()) {
    if (variable.status().code() == runtime::StatusCode::kNotFound &&
        prepared.plan)
      return Status::notFound(
          "entry '" + prepared.plan->getEntry().manifest->name +
          "' has no result '" + name + "', and " + variable.status().message());
    return variable.status();
  }
  printArray(name, *variable);
  return {};
}

Status runEntry(Session &session, const RunOptions &options) {
  PreparedEntry prepared;
  if (!options.entry.empty()) {
    Result<PreparedEntry> made = prepareEntry(session, options);
    if (!made.isOk())
      return made.status();
    prepared = std::move(*made);
  }
  if (Status status = initializeVariables(session, options); !status.isOk())
    return status;
  if (prepared.plan)
    if (Status status = callEntry(prepared, options); !status.isOk())
      return status;
  std::vector<std::string> names = options.prints;
  if (names.empty() && prepared.plan && options.steps > 0)
    for (const ArgumentSpec &result : prepared.plan->getEntry().results)
      names.push_back(result.name);
  for (const std::string &name : names)
    if (Status status = print(name, session, prepared); !status.isOk())
      return status;
  return options.save.empty() ? Status() : session.save(options.save);
}

} // namespace flywheel::run
