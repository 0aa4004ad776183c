//===- CInterface.cpp - The runtime library for programs in C -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/VariableCheckpoint.h"
#include "flywheel/flywheel.h"

#include <algorithm>
#include <cstring>

using namespace flywheel::runtime;

namespace {

static_assert(FLYWHEEL_INVALID_ARGUMENT == -int(StatusCode::kInvalidArgument) &&
              FLYWHEEL_NOT_FOUND == -int(StatusCode::kNotFound) &&
              FLYWHEEL_FAILED_PRECONDITION ==
                  -int(StatusCode::kFailedPrecondition) &&
              FLYWHEEL_RESOURCE_EXHAUSTED ==
                  -int(StatusCode::kResourceExhausted) &&
              FLYWHEEL_IO_ERROR == -int(StatusCode::kIOError) &&
              FLYWHEEL_DATA_LOSS == -int(StatusCode::kDataLoss));

/// Copies \p text, as much of it as fits, and ends it with a null byte. UTF-8
/// is not cut within a character.
void copyText(const std::string &text, char *to, size_t bytes) {
  if (bytes == 0)
    return;
  size_t size = std::min(text.size(), bytes - 1);
  if (size < text.size())
    while (size && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80)
      --size;
  std::memcpy(to, text.data(), size);
  to[size] = '\0';
}

/// Whether there is a block and a description that this library understands;
/// without them no text can be kept.
bool isUsable(const flywheel_model *model, const void *state) {
  return model && state && model->version == FLYWHEEL_MODEL_VERSION;
}

/// A block of state and the model that describes it.
class Block {
public:
  Block(const flywheel_model *model, void *state)
      : model(*model), bytes(static_cast<std::byte *>(state)) {}

  /// Whether the block is one of this layout. In another nothing has a value.
  bool hasLayout() const {
    return std::memcmp(bytes, &model.layout_hash, sizeof(uint64_t)) == 0;
  }

  /// Makes a block of any content one of this layout.
  void prepare() {
    if (hasLayout())
      return;
    std::memset(bytes, 0, model.text_offset + model.text_bytes);
    std::memcpy(bytes, &model.layout_hash, sizeof(uint64_t));
  }

  /// The strings of the block, if it has some already.
  StringTable *getStrings() const {
    StringTable *table = nullptr;
    if (hasLayout())
      std::memcpy(&table, bytes + model.strings_offset, sizeof(table));
    return table;
  }

  /// The same, made where there is none yet; the block is prepared.
  StringTable &makeStrings() {
    StringTable *table = getStrings();
    if (table)
      return *table;
    std::vector<std::string> constants;
    for (size_t i = 0; i < model.num_strings; ++i)
      constants.emplace_back(model.strings[i].text, model.strings[i].bytes);
    table = new StringTable(constants);
    setStrings(table);
    return *table;
  }

  void setStrings(StringTable *table) {
    std::memcpy(bytes + model.strings_offset, &table, sizeof(table));
  }

  /// Calls \p action with the numbers and the flag of each variable of strings.
  template <typename Action> void forEachStrings(Action action) {
    for (size_t index = 0; index < model.num_variables; ++index) {
      const flywheel_variable &variable = model.variables[index];
      if (dtypeFromNumpyName(variable.dtype) != DType::String)
        continue;
      std::vector<int64_t> numbers(variable.bytes / sizeof(int64_t));
      if (!numbers.empty())
        std::memcpy(numbers.data(), bytes + variable.offset, variable.bytes);
      action(numbers, bytes[model.initialized_offset + index]);
    }
  }

  /// The variables for the library. Error: kInvalidArgument when the
  /// description contradicts itself.
  Result<ProgramState> describe() {
    ProgramState described;
    bool hasValues = hasLayout();
    described.model = model.name;
    described.seed = bytes + model.seed_offset;
    bool hasStrings = false;
    forEachStrings(
        [&](const std::vector<int64_t> &, std::byte) { hasStrings = true; });
    if (hasStrings && hasValues)
      described.strings = &makeStrings();
    for (size_t index = 0; index < model.num_variables; ++index) {
      const flywheel_variable &variable = model.variables[index];
      std::optional<DType> dtype = dtypeFromNumpyName(variable.dtype);
      Shape shape(variable.shape, variable.shape + variable.rank);
      // A block holds strings as numbers.
      bool isString = dtype == DType::String;
      if (!dtype ||
          byteCount(isString ? DType::I64 : *dtype, shape) != variable.bytes)
        return Status::invalidArgument(
            std::string("the description of variable '") + variable.name +
            "' is wrong: dtype " + variable.dtype + ", shape " +
            formatShape(shape) + ", " + std::to_string(variable.bytes) +
            " bytes");
      described.variables.push_back(
          {variable.name, *dtype, std::move(shape), bytes + variable.offset,
           hasValues ? bytes + model.initialized_offset + index : &noValue,
           bytes + model.runs_offset + index * sizeof(uint64_t),
           variable.is_global != 0});
    }
    return described;
  }

  /// Makes \p status that of the block, and a return value.
  int32_t finish(const Status &status) {
    int32_t code = -int32_t(status.code());
    std::memcpy(bytes + model.status_offset, &code, sizeof(code));
    copyText(status.message(),
             reinterpret_cast<char *>(bytes + model.text_offset),
             model.text_bytes);
    return code;
  }

private:
  const flywheel_model &model;
  std::byte *bytes;
  /// Stands for the flags of a block of another layout.
  std::byte noValue{0};
};

Result<CheckpointOptions>
convertOptions(const flywheel_checkpoint_options *options) {
  CheckpointOptions converted;
  if (!options)
    return converted;
  if (options->keys && !options->variables)
    return Status::invalidArgument("keys are for the variables that the "
                                   "options name, but they name none");
  if (options->variables)
    converted.variables.emplace();
  for (size_t i = 0; options->variables && i < options->num_variables; ++i) {
    std::string name = options->variables[i];
    if (options->keys && options->keys[i])
      converted.keys[name] = options->keys[i];
    converted.variables->push_back(std::move(name));
  }
  converted.reshape = options->reshape != 0;
  for (size_t i = 0; i < options->num_metadata; ++i)
    converted.metadata[options->metadata[2 * i]] = options->metadata[2 * i + 1];
  return converted;
}

CheckpointManagerOptions
convertOptions(const flywheel_manager_options *options) {
  const flywheel_manager_options defaults = FLYWHEEL_MANAGER_OPTIONS;
  if (!options)
    options = &defaults;
  CheckpointManagerOptions converted;
  converted.maxToKeep = options->max_to_keep;
  converted.keepCheckpointEveryNHours = options->keep_checkpoint_every_n_hours;
  converted.padStepNumber = options->pad_step_number != 0;
  if (options->state_file)
    converted.stateFile = options->state_file;
  if (options->start_time != 0)
    converted.startTime = options->start_time;
  return converted;
}

/// What a call does with a block of another layout: a restore makes it one of
/// the model's, a save finds no values in it.
enum class Access { Save, Restore };

/// Runs \p action, which gives a Status, on what the arguments describe.
template <typename Action>
int32_t run(Access access, const flywheel_model *model, void *state,
            const flywheel_checkpoint_options *options, Action action) {
  if (!isUsable(model, state))
    return FLYWHEEL_INVALID_ARGUMENT;
  Block block(model, state);
  if (access == Access::Restore)
    block.prepare();
  Result<ProgramState> described = block.describe();
  if (!described.isOk())
    return block.finish(described.status());
  Result<CheckpointOptions> converted = convertOptions(options);
  if (!converted.isOk())
    return block.finish(converted.status());
  return block.finish(action(*described, *converted));
}

Status checkGiven(const char *path, const char *what) {
  if (path)
    return Status();
  return Status::invalidArgument(std::string(what) + " when it is None");
}

constexpr const char *cannotSave = "Can't save to a path";
constexpr const char *cannotLoad = "Can't load save_path";

} // namespace

int32_t flywheel_save(const flywheel_model *model, void *state,
                      const char *path,
                      const flywheel_checkpoint_options *options) {
  return run(Access::Save, model, state, options,
             [&](const ProgramState &program,
                 const CheckpointOptions &converted) -> Status {
               if (Status status = checkGiven(path, cannotSave); !status.isOk())
                 return status;
               return saveVariables(program, path, converted);
             });
}

int32_t flywheel_save_step(const flywheel_model *model, void *state,
                           const char *prefix, int64_t step,
                           const flywheel_checkpoint_options *options,
                           const flywheel_manager_options *manager, char *path,
                           size_t path_bytes) {
  return run(
      Access::Save, model, state, options,
      [&](const ProgramState &program,
          const CheckpointOptions &converted) -> Status {
        if (Status status = checkGiven(prefix, cannotSave); !status.isOk())
          return status;
        std::optional<int64_t> number;
        if (step != FLYWHEEL_NO_STEP)
          number = step;
        CheckpointManager saver(convertOptions(manager));
        std::string expected =
            checkpointPath(prefix, number, saver.getOptions().padStepNumber);
        if (path && expected.size() >= path_bytes)
          return Status::invalidArgument("no room for the path '" + expected +
                                         "' in " + std::to_string(path_bytes) +
                                         " bytes");
        Result<std::string> written =
            saveVariables(program, saver, prefix, number, converted);
        if (!written.isOk())
          return written.status();
        if (path)
          copyText(*written, path, path_bytes);
        return Status();
      });
}

int32_t flywheel_restore(const flywheel_model *model, void *state,
                         const char *path,
                         const flywheel_checkpoint_options *options) {
  return run(Access::Restore, model, state, options,
             [&](const ProgramState &program,
                 const CheckpointOptions &converted) -> Status {
               if (Status status = checkGiven(path, cannotLoad); !status.isOk())
                 return status;
               return restoreVariables(program, path, converted);
             });
}

int32_t flywheel_restore_latest(const flywheel_model *model, void *state,
                                const char *directory, const char *state_file,
                                const flywheel_checkpoint_options *options,
                                int32_t *restored) {
  return run(Access::Restore, model, state, options,
             [&](const ProgramState &program,
                 const CheckpointOptions &converted) -> Status {
               if (Status status = checkGiven(directory, cannotLoad);
                   !status.isOk())
                 return status;
               Result<bool> result =
                   restoreLatest(program, directory, converted,
                                 state_file ? state_file : defaultStateFile);
               if (!result.isOk())
                 return result.status();
               if (restored)
                 *restored = *result;
               return Status();
             });
}

int32_t flywheel_latest_checkpoint(const char *directory,
                                   const char *state_file, char *path,
                                   size_t path_bytes) {
  if (!directory || !path)
    return FLYWHEEL_INVALID_ARGUMENT;
  std::optional<std::string> latest =
      latestCheckpoint(directory, state_file ? state_file : defaultStateFile);
  if (!latest)
    return FLYWHEEL_NOT_FOUND;
  if (latest->size() >= path_bytes)
    return FLYWHEEL_INVALID_ARGUMENT;
  copyText(*latest, path, path_bytes);
  return FLYWHEEL_OK;
}

int32_t flywheel_intern(const flywheel_model *model, void *state,
                        const char *text, size_t bytes, int64_t *number) {
  if (!isUsable(model, state))
    return FLYWHEEL_INVALID_ARGUMENT;
  Block block(model, state);
  if ((!text && bytes != 0) || !number)
    return block.finish(
        Status::invalidArgument("the string to intern, or the place for its "
                                "number, is a null pointer"));
  block.prepare();
  *number = block.makeStrings().intern({text, bytes});
  return block.finish(Status());
}

const char *flywheel_text(const flywheel_model *model, const void *state,
                          int64_t number, size_t *bytes) {
  if (!isUsable(model, state))
    return nullptr;
  flywheel_string found = {nullptr, 0};
  StringTable *table = Block(model, const_cast<void *>(state)).getStrings();
  if (number == 0)
    found = {"", 0};
  else if (number > 0 && static_cast<size_t>(number) <= model->num_strings)
    found = model->strings[number - 1];
  else if (std::string_view text = table ? table->text(number) : "";
           !text.empty())
    found = {text.data(), text.size()};
  if (bytes)
    *bytes = found.bytes;
  return found.text;
}

int32_t flywheel_collect_strings(const flywheel_model *model, void *state) {
  if (!isUsable(model, state))
    return FLYWHEEL_INVALID_ARGUMENT;
  Block block(model, state);
  block.prepare();
  std::vector<int64_t> live;
  block.forEachStrings(
      [&](const std::vector<int64_t> &numbers, std::byte hasValue) {
        if (hasValue != std::byte{0})
          live.insert(live.end(), numbers.begin(), numbers.end());
      });
  if (StringTable *table = block.getStrings())
    table->collect(live);
  return block.finish(Status());
}

void flywheel_release(const flywheel_model *model, void *state) {
  if (!isUsable(model, state))
    return;
  Block block(model, state);
  StringTable *table = block.getStrings();
  if (!table)
    return;
  delete table;
  block.setStrings(nullptr);
  block.forEachStrings([](const std::vector<int64_t> &, std::byte &hasValue) {
    hasValue = std::byte{0};
  });
}

const char *flywheel_last_error(const flywheel_model *model,
                                const void *state) {
  if (!model || !state)
    return "the model or the block of state is null";
  if (model->version != FLYWHEEL_MODEL_VERSION)
    return "the model's description has another version than the runtime "
           "library: compile the model again";
  auto *bytes = static_cast<const char *>(state);
  int32_t status;
  std::memcpy(&status, bytes + model->status_offset, sizeof(status));
  return status < 0 ? bytes + model->text_offset : "";
}
