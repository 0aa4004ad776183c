//===- State.cpp - Where the values of variables come from and go ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"
#include "Feeds.h"

#include "flywheel/Runtime/AtomicFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using flywheel::runtime::CheckpointOptions;
using flywheel::runtime::Result;
using flywheel::runtime::Status;
using llvm::StringRef;

namespace flywheel::run {

//===----------------------------------------------------------------------===//
// Before the first step
//===----------------------------------------------------------------------===//

/// Returns the step in the name of a checkpoint that was saved under \p prefix,
/// or under any prefix if that is empty. Returns 0 if the name has no step or a
/// negative one, which only --global-step can store.
static uint64_t getStepOfName(StringRef path, const std::string &prefix) {
  std::string name = runtime::lastComponent(path.str());
  StringRef digits = name;
  bool isOurs = !prefix.empty() &&
                digits.consume_front(runtime::lastComponent(prefix) + "-");
  if (!isOurs)
    digits = digits.substr(digits.find_last_not_of("0123456789") + 1);
  StringRef before = StringRef(name).drop_back(digits.size());
  uint64_t step = 0;
  bool hasStep = before.ends_with("-") && !digits.getAsInteger(10, step);
  bool isNegative = !isOurs && before.ends_with("--");
  return hasStep && !isNegative ? step : 0;
}

Status findLatest(RunOptions &options) {
  if (options.restoreLatest.empty())
    return {};
  if (llvm::sys::fs::exists(options.restoreLatest) &&
      !llvm::sys::fs::is_directory(options.restoreLatest))
    return Status::invalidArgument(
        "--restore-latest: expected a directory with checkpoints, found the "
        "file '" +
        options.restoreLatest + "'; --restore reads one checkpoint");
  // A state that cannot be read does not mean that there is no checkpoint.
  Result<runtime::CheckpointState> state = runtime::readCheckpointState(
      options.restoreLatest, options.retention.stateFile);
  if (!state.isOk() && state.status().code() != runtime::StatusCode::kNotFound)
    return state.status();
  std::optional<std::string> path = runtime::locateLatestCheckpoint(
      options.restoreLatest, options.retention.stateFile);
  if (!path && options.evalOnly)
    return Status::notFound("'" + options.restoreLatest +
                            "' has no checkpoint to evaluate");
  if (!path) {
    llvm::errs() << "no checkpoint in '" << options.restoreLatest
                 << "': starting from initial values\n";
    return {};
  }
  llvm::errs() << "restoring '" << *path << "'\n";
  options.firstStep = getStepOfName(*path, options.checkpoint);
  (options.trainEntry.empty() ? options.restore : options.resume) = *path;
  return {};
}

/// Reads `NAME` and `NAME=KEY`.
static Result<CheckpointOptions>
parseSelection(const std::string &option,
               llvm::ArrayRef<std::string> arguments) {
  CheckpointOptions selection;
  if (arguments.empty())
    return selection;
  selection.variables.emplace();
  for (const std::string &argument : arguments) {
    auto [name, key] = StringRef(argument).split('=');
    bool hasKey = name.size() != argument.size();
    if (name.empty() || (hasKey && key.empty()))
      return Status::invalidArgument("expected NAME or NAME=KEY in " + option +
                                     ", found '" + argument + "'");
    selection.variables->push_back(name.str());
    if (hasKey)
      selection.keys[name.str()] = key.str();
  }
  return selection;
}

static Status setVariables(Session &session, const RunOptions &options) {
  Result<ValueTexts> texts = parseValueTexts("--set", options.sets);
  if (!texts.isOk())
    return texts.status();
  for (const auto &[name, text] : *texts) {
    Result<size_t> index = session.getProgram().lookupVariable(name);
    if (!index.isOk())
      return index.status();
    const VariableSpec &variable = session.getProgram().getVariables()[*index];
    ArgumentSpec spec;
    spec.name = name;
    spec.dtype = variable.dtype;
    spec.dimSizes.append(variable.shape.begin(), variable.shape.end());
    Result<OwnedArray> array =
        makeArray(spec, text, options.getBatchSize(), options.getSeed());
    if (!array.isOk())
      return array.status();
    if (Status status = session.setVariable(name, array->view());
        !status.isOk())
      return status;
  }
  return {};
}

static Status initializeVariables(Session &session, const RunOptions &options,
                                  uint64_t seed) {
  std::vector<std::string> names = options.initNames;
  switch (options.initialValues) {
  case InitialValues::None:
    return {};
  case InitialValues::Missing:
    return session.initializeMissing(seed);
  case InitialValues::All:
    for (const ManifestVariable &variable :
         session.getProgram().getManifest().variables)
      if (variable.isInCollection(kGlobalCollection) ||
          variable.isInCollection(kLocalCollection))
        names.push_back(variable.name);
    break;
  case InitialValues::Named:
    break;
  }
  return session.initialize(seed, names);
}

Status prepareVariables(Session &session, const RunOptions &options) {
  bool isResumed = !options.resume.empty();
  const std::string &path = isResumed ? options.resume : options.restore;
  uint64_t seed = options.getInitSeed();
  if (!path.empty()) {
    Result<CheckpointOptions> selection =
        parseSelection("--restore-variables", options.restoreVariables);
    if (!selection.isOk())
      return selection.status();
    selection->reshape = options.reshape;
    selection->anyModel = options.anyModel;
    if (Status status = session.restore(path, *selection); !status.isOk())
      return status;
    // Variables that the checkpoint does not have are initialized from its
    // seed, so that a resumed program equals one that ran without interruption.
    if (!selection->variables && !options.initSeed)
      seed = session.getSeed();
  }
  if (Status status = setVariables(session, options); !status.isOk())
    return status;
  if (Status status = initializeVariables(session, options, seed);
      !status.isOk())
    return status;
  if (options.reportUninitialized)
    for (const std::string &name : session.reportUninitialized())
      llvm::outs() << name << "\n";
  return {};
}

//===----------------------------------------------------------------------===//
// After a step
//===----------------------------------------------------------------------===//

StateWriter::StateWriter(const Session &session, const RunOptions &options)
    : session(session), options(options), manager(options.retention) {}

/// Checks that a variable can number checkpoints.
static Status checkGlobalStep(const Program &program, const std::string &name) {
  Result<size_t> index = program.lookupVariable(name);
  if (!index.isOk())
    return index.status();
  const VariableSpec &variable = program.getVariables()[*index];
  StringRef dtype(runtime::numpyName(variable.dtype));
  bool isInteger = dtype.starts_with("int") || dtype.starts_with("uint");
  if (isInteger && variable.shape.empty())
    return {};
  return Status::invalidArgument(
      "expected an integer scalar as --global-step, found variable '" + name +
      "' of dtype " + dtype.str() + " and shape " +
      runtime::formatShape(variable.shape));
}

/// Checks that writing a file at \p path for \p option does not overwrite the
/// checkpoints or their state file.
static Status checkApart(const std::string &option, const std::string &path,
                         const RunOptions &options) {
  if (path.empty() || options.checkpoint.empty())
    return {};
  std::string output = runtime::canonicalPath(path);
  std::string prefix = runtime::canonicalPath(options.checkpoint);
  if (output == runtime::joinPath(runtime::parentDirectory(prefix),
                                  options.retention.stateFile))
    return Status::invalidArgument("can't write '" + path + "' for " + option +
                                   ": it is the state file of --checkpoint");
  int64_t step;
  StringRef suffix = output;
  if (suffix.consume_front(prefix + "-") && !suffix.getAsInteger(10, step))
    return Status::invalidArgument("can't write '" + path + "' for " + option +
                                   ": it has the name of a checkpoint of "
                                   "--checkpoint");
  return {};
}

/// Checks that all outputs have different files.
static Status checkOutputs(const RunOptions &options) {
  if (Status status = checkApart("--save", options.save, options);
      !status.isOk())
    return status;
  if (Status status =
          checkApart("--save-results", options.saveResults, options);
      !status.isOk())
    return status;
  if (options.save.empty() || options.saveResults.empty() ||
      runtime::canonicalPath(options.save) !=
          runtime::canonicalPath(options.saveResults))
    return {};
  return Status::invalidArgument("--save and --save-results name one file, '" +
                                 options.save + "'");
}

Result<StateWriter> StateWriter::create(const Session &session,
                                        const RunOptions &options) {
  StateWriter writer(session, options);
  Result<CheckpointOptions> selection =
      parseSelection("--save-variables", options.saveVariables);
  if (!selection.isOk())
    return selection.status();
  writer.selection = std::move(*selection);
  if (writer.selection.variables)
    for (const std::string &name : *writer.selection.variables)
      if (Result<size_t> index = session.getProgram().lookupVariable(name);
          !index.isOk())
        return index.status();
  if (!options.save.empty())
    if (Status status = runtime::checkSavePath(options.save); !status.isOk())
      return status;
  if (Status status = checkOutputs(options); !status.isOk())
    return status;
  if (options.checkpoint.empty())
    return writer;
  Status status = writer.manager.check(options.checkpoint);
  if (status.isOk() && !options.globalStep.empty())
    status = checkGlobalStep(session.getProgram(), options.globalStep);
  if (!status.isOk())
    return status;
  return writer;
}

Result<int64_t> StateWriter::getGlobalStep() const {
  Result<ArrayView> value = session.getVariable(options.globalStep);
  if (!value.isOk())
    return value.status();
  std::string text = runtime::formatElement(value->dtype, value->data);
  int64_t step;
  if (StringRef(text).getAsInteger(10, step))
    return Status::invalidArgument(
        "the value of '" + options.globalStep +
        "' is too large to number a checkpoint: " + text);
  return step;
}

Status StateWriter::writeCheckpoint(uint64_t step,
                                    const runtime::Metadata &metadata) {
  int64_t number = static_cast<int64_t>(step);
  if (!options.globalStep.empty()) {
    Result<int64_t> value = getGlobalStep();
    if (!value.isOk())
      return value.status();
    number = *value;
  }
  lastStep = step;
  selection.metadata = metadata;
  return session.save(manager, options.checkpoint, number, selection).status();
}

Status StateWriter::afterStep(uint64_t step,
                              const runtime::Metadata &metadata) {
  bool isDue =
      options.checkpointEvery > 0 && step % options.checkpointEvery == 0;
  return isDue ? writeCheckpoint(step, metadata) : Status();
}

Status StateWriter::finish(uint64_t step, const runtime::Metadata &metadata) {
  if (!options.checkpoint.empty() && lastStep != step)
    if (Status status = writeCheckpoint(step, metadata); !status.isOk())
      return status;
  return options.save.empty() ? Status() : save(metadata);
}

Status StateWriter::save(const runtime::Metadata &metadata) {
  selection.metadata = metadata;
  return session.save(options.save, selection);
}

} // namespace flywheel::run
