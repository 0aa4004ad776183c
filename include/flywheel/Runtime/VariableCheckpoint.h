//===- VariableCheckpoint.h - Checkpoints of a program's state --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selects the variables that a checkpoint holds, their keys, and the metadata
// with them. Compiled in this process or linked from an object file, a program
// describes its state as a ProgramState and saves it here.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_VARIABLECHECKPOINT_H
#define FLYWHEEL_RUNTIME_VARIABLECHECKPOINT_H

#include "flywheel/Runtime/CheckpointManager.h"
#include "flywheel/Runtime/DType.h"
#include "flywheel/Runtime/Safetensors.h"
#include "flywheel/Runtime/StringTable.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace flywheel::runtime {

/// A variable and its memory. The pointers need not be aligned.
struct VariableState {
  std::string name;
  DType dtype = DType::F32;
  Shape shape;
  /// byteCount(dtype, shape) bytes; for strings their numbers, 8 bytes each.
  /// May be null when there are no elements.
  void *data = nullptr;
  /// A byte: 1 once the variable has a value, else 0.
  std::byte *initialized = nullptr;
  /// A u64: how often the variable's initialiser ran.
  void *runs = nullptr;
  /// True if it is in the collection of global variables.
  bool isGlobal = true;
};

/// The variables of a program. Whoever has one may change their values.
struct ProgramState {
  /// The name of the model.
  std::string model;
  std::vector<VariableState> variables;
  /// A u64: the seed of the last initialisation.
  void *seed = nullptr;
  /// The strings by number; null for a program without strings.
  StringTable *strings = nullptr;
  /// If it is set, a restore calls it after all checks, before it changes the
  /// first value, to prepare memory that holds something else until then.
  std::function<void()> prepare = nullptr;
};

/// The name of a model that nobody has named. Checkpoints of it are of any
/// model: those of Python's stores, whose variables no model owns.
inline constexpr std::string_view anonymousModel = "model";

/// The variables to save or restore, and options.
struct CheckpointOptions {
  /// Names of the variables; nothing stands for all global ones.
  std::optional<std::vector<std::string>> variables;
  /// In a restore, whether `variables` lists all that the model has: its name
  /// is compared, and the seed is restored, as without a list.
  bool isWholeModel = false;
  /// Maps names of variables to their keys in the checkpoint, if these differ.
  std::map<std::string, std::string> keys;
  /// In a restore, accept another shape with as many elements.
  bool reshape = false;
  /// In a restore, accept a checkpoint of a model of another name. One that
  /// names its variables accepts it anyway.
  bool anyModel = false;
  /// In a save, kept in the checkpoint's metadata, after the key "model".
  Metadata metadata;
};

/// Writes variables, and the positions of their random streams, to a
/// checkpoint.
///
/// Errors: kInvalidArgument `No variables to save`; for a variable given twice,
/// for two with one key, for an empty key, for a key of a variable that is not
/// saved, for a reserved key of the metadata, and for a number without a
/// string; kNotFound for an unknown variable; kFailedPrecondition `Attempting
/// to use uninitialized value NAME`, and for a variable of strings without a
/// table of them; those of saveCheckpoint().
Status saveVariables(const ProgramState &state, const std::string &path,
                     const CheckpointOptions &options = {});

/// The same with a step and retention. Errors: also those of
/// CheckpointManager::save(); in every case nothing is recorded.
Result<std::string> saveVariables(const ProgramState &state,
                                  CheckpointManager &manager,
                                  const std::string &prefix,
                                  std::optional<int64_t> step,
                                  const CheckpointOptions &options = {});

/// Fills variables from a checkpoint, after which they have values. Also
/// restores the positions of their random streams, if the checkpoint has them.
/// The seed is restored only with the default variables, because all of them
/// share it.
///
/// Errors: those of saveVariables() for the options; kFailedPrecondition for a
/// checkpoint of another model, unless CheckpointOptions::anyModel accepts it;
/// those of CheckpointReader; kDataLoss for malformed random streams. On an
/// error nothing has changed, except after those of CheckpointReader::read():
/// then the variables to restore have no value.
Status restoreVariables(const ProgramState &state, const std::string &path,
                        const CheckpointOptions &options = {});

/// Restores the latest checkpoint in \p directory, which may have been moved.
/// \returns whether there is one. Errors: those of restoreVariables(), also
/// when the state file names a checkpoint that does not exist.
Result<bool> restoreLatest(const ProgramState &state,
                           const std::string &directory,
                           const CheckpointOptions &options = {},
                           const std::string &stateFile = defaultStateFile);

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_VARIABLECHECKPOINT_H
