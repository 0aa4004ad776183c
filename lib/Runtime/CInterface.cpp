//===- CInterface.cpp - The runtime library for programs in C -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CInterfaceBlock.h"

using namespace flywheel::runtime;

static_assert(FLYWHEEL_INVALID_ARGUMENT == -int(StatusCode::kInvalidArgument) &&
              FLYWHEEL_NOT_FOUND == -int(StatusCode::kNotFound) &&
              FLYWHEEL_FAILED_PRECONDITION ==
                  -int(StatusCode::kFailedPrecondition) &&
              FLYWHEEL_RESOURCE_EXHAUSTED ==
                  -int(StatusCode::kResourceExhausted) &&
              FLYWHEEL_IO_ERROR == -int(StatusCode::kIOError) &&
              FLYWHEEL_DATA_LOSS == -int(StatusCode::kDataLoss));

static Result<CheckpointOptions>
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
    if (!options->variables[i])
      return Status::invalidArgument("the name of variable number " +
                                     std::to_string(i) +
                                     " of the options is a null pointer");
    std::string name = options->variables[i];
    if (options->keys && options->keys[i])
      converted.keys[name] = options->keys[i];
    converted.variables->push_back(std::move(name));
  }
  converted.reshape = options->reshape != 0;
  converted.anyModel = options->any_model != 0;
  if (options->num_metadata && !options->metadata)
    return Status::invalidArgument("the metadata of the options is a null "
                                   "pointer");
  for (size_t i = 0; i < 2 * options->num_metadata; ++i)
    if (!options->metadata[i])
      return Status::invalidArgument("metadata string number " +
                                     std::to_string(i) +
                                     " of the options is a null pointer");
  for (size_t i = 0; i < options->num_metadata; ++i)
    converted.metadata[options->metadata[2 * i]] = options->metadata[2 * i + 1];
  return converted;
}

static CheckpointManagerOptions
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

/// Runs \p action, which returns a Status, on the block that the arguments
/// describe.
template <typename Action>
static int32_t run(Access access, const flywheel_model *model, void *state,
                   const flywheel_checkpoint_options *options, Action action) {
  if (!Block::isUsable(model, state))
    return FLYWHEEL_INVALID_ARGUMENT;
  Block block(model, state);
  Result<ProgramState> described = block.describe(access);
  if (!described.isOk())
    return block.finish(described.status());
  Result<CheckpointOptions> converted = convertOptions(options);
  if (!converted.isOk())
    return block.finish(converted.status());
  return block.finish(action(*described, *converted));
}

static Status checkGiven(const char *path, const char *what) {
  if (path)
    return Status();
  return Status::invalidArgument(std::string(what) + " when it is None");
}

constexpr const char *cannotSave = "Can't save to a path";

constexpr const char *cannotLoad = "Can't load save_path";

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
                           size_t pathBytes) {
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
        if (path && expected.size() >= pathBytes)
          return Status::invalidArgument("no room for the path '" + expected +
                                         "' in " + std::to_string(pathBytes) +
                                         " bytes");
        Result<std::string> written =
            saveVariables(program, saver, prefix, number, converted);
        if (!written.isOk())
          return written.status();
        if (path)
          copyText(*written, path, pathBytes);
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
                                const char *directory, const char *stateFile,
                                const flywheel_checkpoint_options *options,
                                int32_t *restored) {
  if (restored)
    *restored = 0;
  return run(Access::Restore, model, state, options,
             [&](const ProgramState &program,
                 const CheckpointOptions &converted) -> Status {
               if (Status status = checkGiven(directory, cannotLoad);
                   !status.isOk())
                 return status;
               Result<bool> result =
                   restoreLatest(program, directory, converted,
                                 stateFile ? stateFile : defaultStateFile);
               if (!result.isOk())
                 return result.status();
               if (restored)
                 *restored = *result;
               return Status();
             });
}

int32_t flywheel_latest_checkpoint(const char *directory, const char *stateFile,
                                   char *path, size_t pathBytes) {
  if (!directory || !path)
    return FLYWHEEL_INVALID_ARGUMENT;
  std::optional<std::string> latest =
      latestCheckpoint(directory, stateFile ? stateFile : defaultStateFile);
  if (!latest)
    return FLYWHEEL_NOT_FOUND;
  if (latest->size() >= pathBytes)
    return FLYWHEEL_INVALID_ARGUMENT;
  copyText(*latest, path, pathBytes);
  return FLYWHEEL_OK;
}

const char *flywheel_last_error(const flywheel_model *model,
                                const void *state) {
  if (!model || !state)
    return "the model or the block of state is null";
  if (!Block::isUsable(model, state))
    return "the model's description has another version than the runtime "
           "library: compile the model again";
  return Block(model, const_cast<void *>(state)).getLastError();
}
