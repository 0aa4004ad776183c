//===- CheckpointBindings.cpp - Checkpoints in Python ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Bindings.h"
#include "Errors.h"
#include "GIL.h"
#include "Store.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using flywheel::runtime::CheckpointManager;
using flywheel::runtime::CheckpointManagerOptions;
using flywheel::runtime::CheckpointOptions;
using flywheel::runtime::CheckpointState;

namespace flywheel::python {

namespace {

/// A manager, which one thread at a time may use.
struct PyCheckpointManager {
  CheckpointManager manager;
  std::mutex mutex;
};

} // namespace

[[noreturn]] static void raiseInvalid(const std::string &message) {
  raise(ErrorKind::InvalidArgument, message);
  throw nb::python_error();
}

/// Returns the path to restore from, which programs often have from
/// latest_checkpoint().
static std::string getLoadPath(nb::handle path) {
  if (path.is_none())
    raiseInvalid("Can't load save_path when it is None");
  return getPath(path);
}

CheckpointOptions getCheckpointOptions(nb::handle variables) {
  CheckpointOptions options;
  if (variables.is_none())
    return options;
  if (nb::isinstance<nb::str>(variables))
    raiseInvalid("expected a sequence of names or a dict from keys to names, "
                 "found the str '" +
                 getText(variables, "variables") + "'");
  const char *what = "the name of a variable";
  options.variables.emplace();
  if (!nb::isinstance<nb::dict>(variables)) {
    for (nb::handle name : nb::iter(variables))
      options.variables->push_back(getText(name, what));
    return options;
  }
  for (auto [key, name] : nb::borrow<nb::dict>(variables)) {
    std::string text = getText(name, what);
    options.variables->push_back(text);
    options.keys[text] = getText(key, "a key of the checkpoint");
  }
  return options;
}

CheckpointOptions getSaveOptions(nb::handle variables,
                                 const std::optional<nb::dict> &metadata) {
  CheckpointOptions options = getCheckpointOptions(variables);
  if (metadata)
    for (auto [key, value] : *metadata)
      options.metadata[getText(key, "a key of the metadata")] =
          getText(value, "a value of the metadata");
  return options;
}

static std::optional<int64_t> getStep(nb::handle step) {
  if (step.is_none())
    return std::nullopt;
  return getInteger(step);
}

/// Runs `action` alone in the session and without the GIL.
template <typename Action>
static auto runUnlocked(PySession &self, Action action) {
  return runAlone(*self.mutex, [&] {
    GILRelease release;
    return action(*self.session);
  });
}

static void addSessionMethods(nb::class_<PySession> &session) {
  session
      .def(
          "save",
          [](PySession &self, nb::handle path, nb::handle variables,
             const std::optional<nb::dict> &metadata) {
            std::string text = getPath(path);
            CheckpointOptions options = getSaveOptions(variables, metadata);
            check(runUnlocked(
                self, [&](Session &s) { return s.save(text, options); }));
          },
          "path"_a, "variables"_a = nb::none(), nb::kw_only(),
          "metadata"_a = nb::none(),
          "Writes variables and their random streams to a checkpoint "
          "(safetensors).\n`variables`: None (the global ones), names, or a "
          "dict from keys in the file to names.\n`metadata`: a dict from str "
          "to str, kept with them. Raises FailedPreconditionError for a\n"
          "variable without a value; NotFoundError for an unknown name; "
          "InvalidArgumentError;\nOSError.")
      .def(
          "restore",
          [](PySession &self, nb::handle path, nb::handle variables,
             bool reshape, bool anyModel) {
            std::string text = getLoadPath(path);
            CheckpointOptions options = getCheckpointOptions(variables);
            options.reshape = reshape;
            options.anyModel = anyModel;
            check(runUnlocked(
                self, [&](Session &s) { return s.restore(text, options); }));
          },
          nb::arg("path").none(), "variables"_a = nb::none(), nb::kw_only(),
          "reshape"_a = false, "any_model"_a = false,
          "Reads variables and their random streams from a checkpoint; "
          "`variables` as for save.\nWith `reshape` another shape with as many "
          "elements is accepted, with `any_model`, or with\n`variables`, a "
          "checkpoint of a model of another name. Raises NotFoundError for a "
          "missing\nfile or key; InvalidArgumentError for another dtype or "
          "shape; FailedPreconditionError\nfor another model; DataLossError. "
          "Nothing has changed then.")
      .def(
          "restore_latest",
          [](PySession &self, nb::handle directory, nb::handle variables,
             bool reshape, bool anyModel, const std::string &stateFile) {
            std::string text = getPath(directory);
            CheckpointOptions options = getCheckpointOptions(variables);
            options.reshape = reshape;
            options.anyModel = anyModel;
            return take(runUnlocked(self, [&](Session &s) {
              return s.restoreLatest(text, options, stateFile);
            }));
          },
          "directory"_a, "variables"_a = nb::none(), nb::kw_only(),
          "reshape"_a = false, "any_model"_a = false,
          "state_file"_a = runtime::defaultStateFile,
          "Restores the latest checkpoint in a directory, if its state file "
          "names one, and returns\nwhether it does. Raises as restore does.");
}

static void addManager(nb::module_ &module) {
  nb::class_<PyCheckpointManager>(
      module, "CheckpointManager",
      "The base of flywheel.CheckpointManager, which checks its arguments.")
      .def(
          "__init__",
          [](PyCheckpointManager *self, std::optional<size_t> maxToKeep,
             double hours, bool padStepNumber, std::string stateFile,
             std::optional<bool> continues) {
            CheckpointManagerOptions options;
            options.maxToKeep = maxToKeep.value_or(0);
            options.keepCheckpointEveryNHours = hours;
            options.padStepNumber = padStepNumber;
            options.stateFile = std::move(stateFile);
            if (continues)
              options.list = *continues ? runtime::RetainedList::kContinued
                                        : runtime::RetainedList::kOwn;
            check(runtime::checkStateFileName(options.stateFile));
            new (self)
                PyCheckpointManager{CheckpointManager(std::move(options)), {}};
          },
          nb::kw_only(), "max_to_keep"_a = 5,
          "keep_checkpoint_every_n_hours"_a = 10000.0,
          "pad_step_number"_a = false,
          "state_file"_a = runtime::defaultStateFile,
          "continues"_a = nb::none())
      .def(
          "save",
          [](PyCheckpointManager &self, PySession &session, nb::handle prefix,
             nb::handle step, nb::handle variables,
             const std::optional<nb::dict> &metadata) {
            std::string text = getPath(prefix);
            std::optional<int64_t> number = getStep(step);
            CheckpointOptions options = getSaveOptions(variables, metadata);
            return makePath(take(runUnlocked(session, [&](Session &s) {
              std::lock_guard<std::mutex> lock(self.mutex);
              return s.save(self.manager, text, number, options);
            })));
          },
          "session"_a, "prefix"_a, "step"_a = nb::none(),
          "variables"_a = nb::none(), nb::kw_only(), "metadata"_a = nb::none(),
          "Writes PREFIX-STEP, or PREFIX without a step, and returns that "
          "path. Arguments and\nerrors as of Session.save.")
      .def(
          "save",
          [](PyCheckpointManager &self, PyStore &store, nb::handle prefix,
             nb::handle step, nb::handle variables,
             const std::optional<nb::dict> &metadata) {
            std::string text = getPath(prefix);
            std::optional<int64_t> number = getStep(step);
            CheckpointOptions options = getSaveOptions(variables, metadata);
            auto save = [&]() -> runtime::Result<std::string> {
              auto state = store.store->describe("model");
              if (!state.isOk())
                return state.status();
              std::lock_guard<std::mutex> lock(self.mutex);
              return runtime::saveVariables(*state, self.manager, text, number,
                                            options);
            };
            return makePath(take(runAlone(*store.store->mutex, save)));
          },
          "store"_a, "prefix"_a, "step"_a = nb::none(),
          "variables"_a = nb::none(), nb::kw_only(), "metadata"_a = nb::none(),
          "The same of a store.");
}

static void addState(nb::module_ &module) {
  nb::class_<CheckpointState>(module, "CheckpointState",
                              "What the state file of a directory says.")
      .def("__init__", &refuseToMake)
      .def_prop_ro(
          "model_checkpoint_path",
          [](const CheckpointState &self) { return makePath(self.latest); },
          "Path of the latest checkpoint; '' when there is none.")
      .def_prop_ro(
          "all_model_checkpoint_paths",
          [](const CheckpointState &self) {
            nb::list paths;
            for (const std::string &path : self.retained)
              paths.append(makePath(path));
            return paths;
          },
          "Paths of the retained checkpoints, oldest to newest.")
      .def_prop_ro(
          "all_model_checkpoint_timestamps",
          [](const CheckpointState &self) { return self.times; },
          "When each was saved, in seconds since 1970.")
      .def_prop_ro(
          "last_preserved_timestamp",
          [](const CheckpointState &self) { return self.lastPreserved; },
          "When the newest checkpoint that is kept for good was saved, or when "
          "training began.");
  module.def(
      "get_checkpoint_state",
      [](nb::handle directory, const std::string &stateFile) {
        return runtime::getCheckpointState(getPath(directory), stateFile);
      },
      "directory"_a, "state_file"_a = runtime::defaultStateFile,
      "The state file of a directory; None where there is no readable one.");
  module.def(
      "latest_checkpoint",
      [](nb::handle directory, const std::string &stateFile) {
        std::optional<std::string> path =
            runtime::latestCheckpoint(getPath(directory), stateFile);
        return path ? makePath(*path) : nb::none();
      },
      "directory"_a, "state_file"_a = runtime::defaultStateFile,
      "Path of the latest checkpoint in a directory; None where there is "
      "none.");
}

void addCheckpoints(nb::module_ &module, nb::class_<PySession> &session) {
  addSessionMethods(session);
  addManager(module);
  addState(module);
}

} // namespace flywheel::python
