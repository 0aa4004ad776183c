//===- VariableCheckpoint.cpp - Checkpoints of a program's state ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/VariableCheckpoint.h"

#include "flywheel/Runtime/AtomicFile.h"
#include "flywheel/Runtime/Checkpoint.h"
#include "flywheel/Runtime/JsonString.h"
#include "flywheel/Runtime/RandomStreams.h"

#include <cstring>
#include <deque>
#include <unordered_map>
#include <unordered_set>

using namespace flywheel::runtime;

/// The metadata key of the model's name.
constexpr const char *modelKey = "model";

namespace {
/// A variable of a checkpoint and its key there.
struct Selected {
  const VariableState *variable;
  std::string key;
};
} // namespace

static uint64_t loadCounter(const void *from) {
  uint64_t value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

static void storeCounter(uint64_t value, void *to) {
  std::memcpy(to, &value, sizeof(value));
}

static std::string listNames(const std::vector<VariableState> &variables) {
  std::string names;
  for (const VariableState &variable : variables)
    names += (names.empty() ? "" : ", ") + variable.name;
  return names.empty() ? "none" : names;
}

/// Returns the variables that \p names gives, or the default ones, in that
/// order.
static Result<std::vector<Selected>>
findVariables(const ProgramState &state,
              const std::optional<std::vector<std::string>> &names) {
  std::vector<Selected> selected;
  if (!names) {
    for (const VariableState &variable : state.variables)
      if (variable.isGlobal)
        selected.push_back({&variable, variable.name});
    return selected;
  }
  std::unordered_map<std::string_view, const VariableState *> byName;
  for (const VariableState &variable : state.variables)
    byName.emplace(variable.name, &variable);
  std::unordered_set<std::string_view> seen;
  for (const std::string &name : *names) {
    auto found = byName.find(name);
    if (found == byName.end())
      return Status::notFound("model '" + state.model + "' has no variable '" +
                              name +
                              "'; it has: " + listNames(state.variables));
    if (!seen.insert(name).second)
      return Status::invalidArgument("variable '" + name + "' is given twice");
    selected.push_back({found->second, name});
  }
  return selected;
}

/// Gives the variables their keys.
static Status applyKeys(const std::map<std::string, std::string> &keys,
                        std::vector<Selected> &selected) {
  size_t numUsed = 0;
  std::unordered_set<std::string> seen;
  for (Selected &each : selected) {
    if (auto renamed = keys.find(each.key); renamed != keys.end()) {
      each.key = renamed->second;
      ++numUsed;
    }
    if (each.key.empty())
      return Status::invalidArgument("the key of variable '" +
                                     each.variable->name + "' is empty");
    if (!seen.insert(each.key).second)
      return Status::invalidArgument("duplicate key '" + each.key +
                                     "': two variables can't share it");
  }
  if (numUsed == keys.size())
    return Status();
  for (const auto &[name, key] : keys) {
    bool isUsed = false;
    for (const Selected &each : selected)
      isUsed |= each.variable->name == name;
    if (!isUsed)
      return Status::invalidArgument("key '" + key +
                                     "' is for a variable that is not among "
                                     "those to save or restore: '" +
                                     name + "'");
  }
  return Status();
}

static Result<std::vector<Selected>> select(const ProgramState &state,
                                            const CheckpointOptions &options) {
  Result<std::vector<Selected>> selected =
      findVariables(state, options.variables);
  if (!selected.isOk())
    return selected;
  if (selected->empty())
    return Status::invalidArgument("No variables to save");
  if (Status status = applyKeys(options.keys, *selected); !status.isOk())
    return status;
  return selected;
}

/// Checks that a variable of strings has a table: only the table can map the
/// numbers of strings to bytes.
static Status checkTable(const ProgramState &state,
                         const VariableState &variable) {
  if (state.strings)
    return Status();
  return Status::failedPrecondition("variable '" + variable.name +
                                    "' has strings, and the program has no "
                                    "table of strings");
}

static Result<StringTensor> loadStrings(const ProgramState &state,
                                        const VariableState &variable) {
  std::vector<std::string_view> texts;
  const char *numbers = static_cast<const char *>(variable.data);
  uint64_t count = elementCount(variable.shape).value_or(0);
  for (uint64_t i = 0; i < count; ++i) {
    int64_t number = int64_t(loadCounter(numbers + 8 * i));
    texts.push_back(state.strings->text(number));
    // Only 0 stands for the empty string.
    if (number != 0 && texts.back().empty())
      return Status::invalidArgument(
          "variable '" + variable.name + "' has the number " +
          std::to_string(number) + ", which stands for no string");
  }
  return packStrings(texts);
}

static void storeStrings(const StringTensor &tensor, const ProgramState &state,
                         const VariableState &variable) {
  char *numbers = static_cast<char *>(variable.data);
  // readStrings() has found the lengths right.
  Result<std::vector<std::string_view>> texts = unpackStrings(tensor);
  for (size_t i = 0; i < texts->size(); ++i)
    storeCounter(uint64_t(state.strings->intern((*texts)[i])), numbers + 8 * i);
}

/// Builds the metadata of a checkpoint.
static Result<Metadata> makeMetadata(const ProgramState &state,
                                     const std::vector<Selected> &selected,
                                     const CheckpointOptions &options) {
  RandomStreams streams;
  streams.seed = loadCounter(state.seed);
  for (const Selected &each : selected)
    streams.runs[each.key] = loadCounter(each.variable->runs);
  Metadata all = {{modelKey, state.model},
                  {std::string(streamsKey), formatRandomStreams(streams)}};
  for (const auto &[key, value] : options.metadata)
    if (!all.emplace(key, value).second)
      return Status::invalidArgument("can't save: the metadata key " +
                                     quoteJson(key) + " is reserved");
  return all;
}

/// Returns the random streams that \p file knows, if any.
static Result<std::optional<RandomStreams>>
readStreams(const CheckpointReader &file) {
  auto found = file.metadata().find(std::string(streamsKey));
  if (found == file.metadata().end())
    return std::optional<RandomStreams>();
  Result<RandomStreams> streams = parseRandomStreams(found->second);
  if (!streams.isOk())
    return notACheckpoint(streams.status().code(), file.path(),
                          streams.status().message());
  return std::optional<RandomStreams>(std::move(*streams));
}

/// Checks the name of the model: two models may have variables of the same
/// names and shapes with different meanings. A caller that names variables has
/// decided that they are the same.
static Status checkModel(const ProgramState &state,
                         const CheckpointReader &file,
                         const CheckpointOptions &options) {
  auto found = file.metadata().find(modelKey);
  if (options.anyModel || (options.variables && !options.isWholeModel) ||
      found == file.metadata().end() || found->second == state.model ||
      found->second == anonymousModel || state.model == anonymousModel)
    return Status();
  return Status::failedPrecondition(
      "can't restore model '" + state.model + "' from checkpoint '" +
      file.path() + "', which is of model '" + found->second +
      "': allow any model where that is meant, as after a model was renamed");
}

Status flywheel::runtime::saveVariables(const ProgramState &state,
                                        const std::string &path,
                                        const CheckpointOptions &options) {
  Result<std::vector<Selected>> selected = select(state, options);
  if (!selected.isOk())
    return selected.status();
  std::vector<TensorView> tensors;
  std::deque<StringTensor> strings;
  for (const Selected &each : *selected) {
    const VariableState &variable = *each.variable;
    if (*variable.initialized == std::byte{0})
      return Status::failedPrecondition(
          "Attempting to use uninitialized value " + variable.name);
    if (variable.dtype != DType::String) {
      tensors.push_back(
          {each.key, variable.dtype, variable.shape, variable.data});
      continue;
    }
    if (Status status = checkTable(state, variable); !status.isOk())
      return status;
    Result<StringTensor> texts = loadStrings(state, variable);
    if (!texts.isOk())
      return texts.status();
    strings.push_back(std::move(*texts));
    appendStrings(each.key, variable.shape, strings.back(), tensors);
  }
  Result<Metadata> metadata = makeMetadata(state, *selected, options);
  if (!metadata.isOk())
    return metadata.status();
  return saveCheckpoint(path, tensors, *metadata);
}

Result<std::string> flywheel::runtime::saveVariables(
    const ProgramState &state, CheckpointManager &manager,
    const std::string &prefix, std::optional<int64_t> step,
    const CheckpointOptions &options) {
  return manager.save(prefix, step, [&](const std::string &path) {
    return saveVariables(state, path, options);
  });
}

Status flywheel::runtime::restoreVariables(const ProgramState &state,
                                           const std::string &path,
                                           const CheckpointOptions &options) {
  Result<std::vector<Selected>> selected = select(state, options);
  if (!selected.isOk())
    return selected.status();
  Result<CheckpointReader> file = CheckpointReader::open(path);
  if (!file.isOk())
    return file.status();
  if (Status status = checkModel(state, *file, options); !status.isOk())
    return status;
  std::vector<RestoreTarget> targets;
  std::vector<std::pair<const VariableState *, StringTensor>> strings;
  RestoreOptions restoreOptions;
  restoreOptions.reshape = options.reshape;
  for (const Selected &each : *selected) {
    const VariableState &variable = *each.variable;
    if (variable.dtype != DType::String) {
      targets.push_back({each.key, variable.dtype, variable.shape,
                         variable.data, variable.name});
      continue;
    }
    if (Status status = checkTable(state, variable); !status.isOk())
      return status;
    Result<StringTensor> read = file->readStrings(
        each.key, variable.name, variable.shape, restoreOptions);
    if (!read.isOk())
      return read.status();
    strings.emplace_back(&variable, std::move(*read));
  }
  if (Status status = file->check(targets, restoreOptions); !status.isOk())
    return status;
  Result<std::optional<RandomStreams>> streams = readStreams(*file);
  if (!streams.isOk())
    return streams.status();

  if (state.prepare)
    state.prepare();
  Status status = file->read(targets);
  for (const Selected &each : *selected)
    *each.variable->initialized = std::byte{status.isOk()};
  for (const auto &[variable, tensor] : strings)
    storeStrings(tensor, state, *variable);
  if (!status.isOk() || !*streams)
    return status;
  for (const Selected &each : *selected)
    if (auto found = (*streams)->runs.find(each.key);
        found != (*streams)->runs.end())
      storeCounter(found->second, each.variable->runs);
  if (!options.variables || options.isWholeModel)
    storeCounter((*streams)->seed, state.seed);
  return Status();
}

Result<bool> flywheel::runtime::restoreLatest(const ProgramState &state,
                                              const std::string &directory,
                                              const CheckpointOptions &options,
                                              const std::string &stateFile) {
  if (Status status = checkStateFileName(stateFile); !status.isOk())
    return status;
  std::optional<std::string> path =
      locateLatestCheckpoint(directory, stateFile);
  if (!path)
    return false;
  if (Status status = restoreVariables(state, *path, options); !status.isOk())
    return status;
  return true;
}
