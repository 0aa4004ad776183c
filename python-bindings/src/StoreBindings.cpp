//===- StoreBindings.cpp - Stores of variables in Python ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Arrays.h"
#include "Errors.h"
#include "Store.h"
#include "Values.h"

#include "flywheel/Runtime/Safetensors.h"

#include "llvm/ADT/STLExtras.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using flywheel::runtime::CheckpointOptions;
using flywheel::runtime::DType;
using flywheel::runtime::Status;

namespace flywheel::python {

namespace {
/// A session in a store, which keeps it. Not the Python object of the store,
/// which keeps this.
struct PyBinding {
  nb::object sessionObject;
  std::shared_ptr<Store> store;
  PySession *session;
  Binding *binding;

  ~PyBinding() {
    if (!binding)
      return;
    store->mutex->runSoon(
        [store = store, binding = binding, session = std::move(sessionObject)] {
          store->unbind(binding);
        });
  }
};
} // namespace

static DType getDType(const std::string &name) {
  if (name == "string")
    return DType::String;
  std::optional<DType> dtype = runtime::dtypeFromNumpyName(name);
  if (!dtype)
    throw nb::type_error(("no variable has the dtype '" + name + "'").c_str());
  return *dtype;
}

static nb::object getStored(PyStore &self, const Text &name) {
  Store &store = *self.store;
  return copyValue(*store.mutex, [&] { return store.get(name); });
}

static void setStored(PyStore &self, const Text &name, nb::handle value) {
  Store &store = *self.store;
  const Record *record = store.lookup(name);
  if (!record)
    check(Status::notFound("there is no variable '" + name + "'"));
  setValue(*store.mutex, name, record->dtype, value,
           [&](const ArrayView &view) { return store.set(name, view); });
}

/// Makes room for what a restore fills: the variables of `options`, or those of
/// the checkpoint, also where nobody has asked for them yet, such as slots of
/// optimizers that no program has made so far. Their names in the store end
/// with `suffix`, where that is not empty `options` gets all of them.
static Status makeRoom(Store &store, const std::string &path,
                       const std::string &suffix, CheckpointOptions &options) {
  std::vector<std::string> names = options.variables.value_or(store.getNames());
  if (!options.variables) {
    auto file = runtime::SafetensorsReader::open(path);
    // The restore says what is wrong.
    if (!file.isOk())
      return {};
    // Names have no colon but in a suffix. Texts are under other keys.
    auto getKey = [&](const std::string &name) {
      return name.substr(0, name.size() - suffix.size());
    };
    llvm::erase_if(names, [&](const std::string &name) {
      llvm::StringRef end = llvm::StringRef(name).substr(name.find(':'));
      return end != suffix || (store.lookup(name)->dtype != DType::String &&
                               !file->find(getKey(name)));
    });
    bool isOurs = file->metadata().count("flywheel_format");
    for (const runtime::TensorInfo &tensor : file->tensors()) {
      if (!isOurs || store.lookup(tensor.name + suffix) ||
          tensor.name.compare(0, 2, "__") == 0)
        continue;
      if (Status status =
              store.declare(tensor.name + suffix, tensor.dtype, tensor.shape,
                            /*isGlobal=*/true);
          !status.isOk())
        return status;
      names.push_back(tensor.name + suffix);
    }
    auto isOurOwn = [&](const std::string &name) {
      return llvm::StringRef(name).substr(name.find(':')) == suffix;
    };
    if (!llvm::all_of(store.getNames(), isOurOwn)) {
      options.isWholeModel = true;
      options.variables.emplace();
      for (const std::string &name : store.getNames())
        if (isOurOwn(name) && store.lookup(name)->isGlobal) {
          options.variables->push_back(name);
          options.keys[name] = getKey(name);
        }
    }
  }
  for (const std::string &name : names)
    // The restore says which there are.
    if (store.lookup(name))
      if (Status status = store.reserve(name); !status.isOk())
        return status;
  return {};
}

/// Restores what `restore` reads, after room was made for the variables of
/// `path`, if any. If that fails, the store has the variables that it had
/// before.
template <typename Restore>
static auto restoreInto(Store &store, const std::optional<std::string> &path,
                        const std::string &suffix, CheckpointOptions &options,
                        Restore restore)
    -> std::invoke_result_t<Restore, runtime::ProgramState &> {
  Declarations declarations(store);
  if (path)
    if (Status status = makeRoom(store, *path, suffix, options); !status.isOk())
      return status;
  auto state = store.describe("model");
  if (!state.isOk())
    return state.status();
  auto restored = restore(*state);
  store.invalidate();
  if (restored.isOk())
    declarations.keep();
  return restored;
}

static void addBinding(nb::module_ &module) {
  nb::class_<PyBinding>(module, "Binding",
                        "A session whose variables are those of a store.")
      .def(
          "entry",
          [](nb::handle self, const Text &name) {
            auto &binding = nb::cast<PyBinding &>(self);
            CallPlan *plan = take(runAlone(*binding.store->mutex, [&] {
              return binding.session->session->prepare(name);
            }));
            PyObject *entry =
                makeEntry(self, *binding.session, *plan, binding.binding);
            if (!entry)
              throw nb::python_error();
            return nb::steal(entry);
          },
          "name"_a,
          "The callable of an entry, which works on the values of the store.")
      .def(
          "initialize",
          [](PyBinding &self, const std::vector<std::string> &names) {
            check(runAlone(*self.store->mutex, [&] {
              return self.store->initialize(*self.binding, names);
            }));
          },
          "names"_a,
          "Gives these variables initial values, whether they have values or "
          "not.")
      .def(
          "activate",
          [](PyBinding &self) {
            check(runAlone(*self.store->mutex,
                           [&] { return self.binding->activate(); }));
          },
          "Brings the values of the store to the session.");
}

static void addValues(nb::class_<PyStore> &store) {
  store
      .def(
          "declare",
          [](PyStore &self, const Text &name, const Text &dtype,
             const std::vector<int64_t> &shape, bool isGlobal) {
            DType type = getDType(dtype);
            check(runAlone(*self.store->mutex, [&] {
              return self.store->declare(name, type, shape, isGlobal);
            }));
          },
          "name"_a, "dtype"_a, "shape"_a, "is_global"_a = true,
          "Adds a variable without a value, unless it is there.")
      .def(
          "bind",
          [](nb::handle self, nb::handle session,
             const std::vector<std::string> &names) {
            auto &store = nb::cast<PyStore &>(self);
            auto &typed = nb::cast<PySession &>(session);
            if (names.size() !=
                typed.session->getProgram().getVariables().size())
              throw nb::value_error("expected a name for each variable");
            Binding *binding = take(runAlone(*store.store->mutex, [&] {
              return store.store->bind(*typed.session, names);
            }));
            typed.mutex = store.store->mutex;
            auto *result = new PyBinding{nb::borrow(session), store.store,
                                         &typed, binding};
            return nb::cast(result, nb::rv_policy::take_ownership);
          },
          "session"_a, "names"_a)
      .def("__getitem__", &getStored, "name"_a)
      .def("__setitem__", &setStored, "name"_a, "value"_a.none())
      .def(
          "__contains__",
          [](const PyStore &self, const Text &name) {
            return self.store->lookup(name) != nullptr;
          },
          "name"_a)
      .def_prop_ro("names",
                   [](const PyStore &self) { return self.store->getNames(); })
      .def(
          "is_initialized",
          [](PyStore &self, const Text &name) {
            return take(runAlone(*self.store->mutex, [&] {
              return self.store->isInitialized(name);
            }));
          },
          "name"_a)
      .def(
          "reset",
          [](PyStore &self, const std::vector<std::string> &names) {
            check(runAlone(*self.store->mutex,
                           [&] { return self.store->reset(names); }));
          },
          "names"_a, "Takes the values of these variables away.")
      .def(
          "_restart",
          [](PyStore &self, const std::vector<std::string> &names) {
            check(runAlone(*self.store->mutex,
                           [&] { return self.store->restart(names); }));
          },
          "names"_a,
          "Takes the values of random streams away, which begin again.")
      .def(
          "_forget",
          [](PyStore &self, const std::vector<std::string> &names) {
            runAlone(*self.store->mutex, [&] { self.store->forget(names); });
          },
          "names"_a, "Forgets variables that nothing refers to.")
      .def(
          "is_global",
          [](const PyStore &self, const std::string &name) {
            const Record *record = self.store->lookup(name);
            return record && record->isGlobal;
          },
          "name"_a, "Whether a variable is saved by default.")
      .def(
          "_type_of",
          [](const PyStore &self, const std::string &name)
              -> std::optional<std::pair<nb::object, nb::tuple>> {
            const Record *record = self.store->lookup(name);
            if (!record)
              return std::nullopt;
            nb::list shape;
            for (int64_t dimSize : record->shape)
              shape.append(dimSize);
            PyObject *dtype = makeDType(record->dtype);
            if (!dtype)
              throw nb::python_error();
            return std::make_pair(nb::steal(dtype), nb::tuple(shape));
          },
          "name"_a,
          "The dtype and the shape of a variable, or None where it is not "
          "there.")
      .def_prop_rw(
          "seed", [](const PyStore &self) { return self.store->seed; },
          [](PyStore &self, nb::handle seed) {
            self.store->seed = getSeed(seed);
          },
          nb::for_setter(nb::arg("seed").none()))
      .def_prop_ro("initializes",
                   [](const PyStore &self) { return self.store->initializes; });
}

void addStore(nb::module_ &module) {
  addBinding(module);
  nb::class_<PyStore> store(
      module, "Store",
      "Values of variables by name, which the programs that are bound to it "
      "share.");
  store.def(
      "__init__",
      [](PyStore *self, bool initializes) {
        new (self) PyStore{std::make_shared<Store>(initializes)};
      },
      "initializes"_a = true,
      "With `initializes`, variables get their initial values when they are "
      "first needed.");
  addValues(store);
  addCurrentStore(module, store);
  store
      .def(
          "save",
          [](PyStore &self, nb::handle path, nb::handle variables,
             const std::optional<nb::dict> &metadata,
             const std::string &model) {
            std::string text = getPath(path);
            CheckpointOptions options = getSaveOptions(variables, metadata);
            check(runAlone(*self.store->mutex, [&] {
              auto state = self.store->describe(model);
              return state.isOk()
                         ? runtime::saveVariables(*state, text, options)
                         : state.status();
            }));
          },
          "path"_a, "variables"_a = nb::none(), nb::kw_only(),
          "metadata"_a = nb::none(), "model"_a = "model")
      .def(
          "restore",
          [](PyStore &self, nb::handle path, nb::handle variables, bool reshape,
             const std::string &suffix) {
            if (path.is_none())
              check(Status::invalidArgument(
                  "Can't load save_path when it is None"));
            std::string text = getPath(path);
            CheckpointOptions options = getCheckpointOptions(variables);
            options.reshape = reshape;
            check(runAlone(*self.store->mutex, [&] {
              return restoreInto(*self.store, text, suffix, options,
                                 [&](runtime::ProgramState &state) {
                                   return runtime::restoreVariables(state, text,
                                                                    options);
                                 });
            }));
          },
          nb::arg("path").none(), "variables"_a = nb::none(), nb::kw_only(),
          "reshape"_a = false, "suffix"_a = "")
      .def(
          "restore_latest",
          [](PyStore &self, nb::handle directory, nb::handle variables,
             bool reshape, const std::string &stateFile,
             const std::string &suffix) {
            std::string text = getPath(directory);
            CheckpointOptions options = getCheckpointOptions(variables);
            options.reshape = reshape;
            return take(runAlone(*self.store->mutex, [&] {
              return restoreInto(
                  *self.store, runtime::latestCheckpoint(text, stateFile),
                  suffix, options, [&](runtime::ProgramState &state) {
                    return runtime::restoreLatest(state, text, options,
                                                  stateFile);
                  });
            }));
          },
          "directory"_a, "variables"_a = nb::none(), nb::kw_only(),
          "reshape"_a = false, "state_file"_a = runtime::defaultStateFile,
          "suffix"_a = "");
}

} // namespace flywheel::python
