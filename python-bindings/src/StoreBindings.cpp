//===- StoreBindings.cpp - Stores of variables in Python ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Arrays.h"
#include "Errors.h"
#include "Store.h"
#include "Strings.h"

#include "flywheel/Runtime/Safetensors.h"

#include "llvm/ADT/STLExtras.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

namespace nb = nanobind;
using namespace nb::literals;
using flywheel::runtime::CheckpointOptions;
using flywheel::runtime::DType;

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
    // Who has the lock may wait for the GIL, which this gives up meanwhile.
    SessionLock lock(*store->mutex);
    store->unbind(binding);
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

static nb::object getValue(PyStore &self, const std::string &name) {
  std::optional<SessionLock> lock(std::in_place, *self.store->mutex);
  ArrayView view = take(self.store->get(name));
  if (view.dtype == DType::String) {
    std::vector<std::string> texts = copyStrings(view);
    std::vector<int64_t> shape = view.shape.vec();
    lock.reset();
    nb::object array = nb::steal(makeArray(view.dtype, shape));
    if (!array.ptr() ||
        !fillStrings(reinterpret_cast<PyArrayObject *>(array.ptr()), texts))
      throw nb::python_error();
    return array;
  }
  nb::object array = nb::steal(makeArray(view.dtype, view.shape));
  if (!array.ptr())
    throw nb::python_error();
  auto *typed = reinterpret_cast<PyArrayObject *>(array.ptr());
  if (size_t bytes = PyArray_NBYTES(typed))
    std::memcpy(PyArray_DATA(typed), view.data, bytes);
  return array;
}

static void setValue(PyStore &self, const std::string &name, nb::handle value) {
  const Record *record = self.store->lookup(name);
  std::string what = "variable '" + name + "'";
  if (record && record->dtype == DType::String && mayHoldStrings(value.ptr())) {
    Strings strings;
    if (!readStrings(value.ptr(), what, strings))
      throw nb::python_error();
    SessionLock lock(*self.store->mutex);
    check(self.store->set(name, strings.view()));
    return;
  }
  if (!record)
    check(runtime::Status::notFound("there is no " + what));
  nb::object array = nb::steal(makeDenseCopy(value.ptr(), record->dtype, what));
  if (!array.ptr())
    throw nb::python_error();
  auto *typed = reinterpret_cast<PyArrayObject *>(array.ptr());
  ArrayView view{record->dtype, getShape(typed), PyArray_DATA(typed)};
  SessionLock lock(*self.store->mutex);
  check(self.store->set(name, view));
}

/// Makes room for what a restore fills: the variables of `options`, or those of
/// the checkpoint, also where nobody has asked for them yet, such as slots of
/// optimizers that no program has made so far.
static void makeRoom(Store &store, const std::string &path,
                     const CheckpointOptions &options) {
  std::vector<std::string> names = options.variables.value_or(store.getNames());
  if (!options.variables) {
    auto file = runtime::SafetensorsReader::open(path);
    // The restore says what is wrong.
    if (!file.isOk())
      return;
    // Texts are under other keys.
    llvm::erase_if(names, [&](const std::string &name) {
      return store.lookup(name)->dtype != DType::String && !file->find(name);
    });
    bool isOurs = file->metadata().count("flywheel_format");
    for (const runtime::TensorInfo &tensor : file->tensors()) {
      if (!isOurs || store.lookup(tensor.name) ||
          tensor.name.compare(0, 2, "__") == 0)
        continue;
      check(store.declare(tensor.name, tensor.dtype, tensor.shape,
                          /*isGlobal=*/true));
      names.push_back(tensor.name);
    }
  }
  for (const std::string &name : names)
    // The restore says which there are.
    if (store.lookup(name))
      check(store.reserve(name));
}

static void addBinding(nb::module_ &module) {
  nb::class_<PyBinding>(module, "Binding",
                        "A session whose variables are those of a store.")
      .def(
          "entry",
          [](nb::handle self, const std::string &name) {
            auto &binding = nb::cast<PyBinding &>(self);
            SessionLock lock(*binding.store->mutex);
            CallPlan *plan = take(binding.session->session->prepare(name));
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
            SessionLock lock(*self.store->mutex);
            check(self.store->initialize(*self.binding, names));
          },
          "names"_a,
          "Gives these variables initial values, whether they have values or "
          "not.")
      .def(
          "activate",
          [](PyBinding &self) {
            SessionLock lock(*self.store->mutex);
            check(self.binding->activate());
          },
          "Brings the values of the store to the session.");
}

static void addValues(nb::class_<PyStore> &store) {
  store
      .def(
          "declare",
          [](PyStore &self, const std::string &name, const std::string &dtype,
             const std::vector<int64_t> &shape, bool isGlobal) {
            SessionLock lock(*self.store->mutex);
            check(self.store->declare(name, getDType(dtype), shape, isGlobal));
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
            SessionLock lock(*store.store->mutex);
            Binding *binding = take(store.store->bind(*typed.session, names));
            typed.mutex = store.store->mutex;
            auto *result = new PyBinding{nb::borrow(session), store.store,
                                         &typed, binding};
            return nb::cast(result, nb::rv_policy::take_ownership);
          },
          "session"_a, "names"_a)
      .def("__getitem__", &getValue, "name"_a)
      .def("__setitem__", &setValue, "name"_a, "value"_a.none())
      .def(
          "__contains__",
          [](const PyStore &self, const std::string &name) {
            return self.store->lookup(name) != nullptr;
          },
          "name"_a)
      .def_prop_ro("names",
                   [](const PyStore &self) { return self.store->getNames(); })
      .def(
          "is_initialized",
          [](PyStore &self, const std::string &name) {
            SessionLock lock(*self.store->mutex);
            return take(self.store->isInitialized(name));
          },
          "name"_a)
      .def(
          "reset",
          [](PyStore &self, const std::vector<std::string> &names) {
            SessionLock lock(*self.store->mutex);
            check(self.store->reset(names));
          },
          "names"_a, "Takes the values of these variables away.")
      .def_prop_rw(
          "seed", [](const PyStore &self) { return self.store->seed; },
          [](PyStore &self, uint64_t seed) { self.store->seed = seed; })
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
  store
      .def(
          "save",
          [](PyStore &self, nb::handle path, nb::handle variables,
             const std::optional<nb::dict> &metadata,
             const std::string &model) {
            std::string text = getPath(path);
            CheckpointOptions options = getSaveOptions(variables, metadata);
            SessionLock lock(*self.store->mutex);
            auto state = take(self.store->describe(model));
            check(runtime::saveVariables(state, text, options));
          },
          "path"_a, "variables"_a = nb::none(), nb::kw_only(),
          "metadata"_a = nb::none(), "model"_a = "model")
      .def(
          "restore",
          [](PyStore &self, nb::handle path, nb::handle variables,
             bool reshape) {
            if (path.is_none())
              check(runtime::Status::invalidArgument(
                  "Can't load save_path when it is None"));
            std::string text = getPath(path);
            CheckpointOptions options = getCheckpointOptions(variables);
            options.reshape = reshape;
            SessionLock lock(*self.store->mutex);
            Declarations declarations(*self.store);
            makeRoom(*self.store, text, options);
            auto state = take(self.store->describe("model"));
            runtime::Status status =
                runtime::restoreVariables(state, text, options);
            self.store->invalidate();
            check(status);
            declarations.keep();
          },
          nb::arg("path").none(), "variables"_a = nb::none(), nb::kw_only(),
          "reshape"_a = false)
      .def(
          "restore_latest",
          [](PyStore &self, nb::handle directory, nb::handle variables,
             bool reshape, const std::string &stateFile) {
            std::string text = getPath(directory);
            CheckpointOptions options = getCheckpointOptions(variables);
            options.reshape = reshape;
            SessionLock lock(*self.store->mutex);
            Declarations declarations(*self.store);
            if (std::optional<std::string> path =
                    runtime::latestCheckpoint(text, stateFile))
              makeRoom(*self.store, *path, options);
            auto state = take(self.store->describe("model"));
            auto restored =
                runtime::restoreLatest(state, text, options, stateFile);
            self.store->invalidate();
            auto result = take(std::move(restored));
            declarations.keep();
            return result;
          },
          "directory"_a, "variables"_a = nb::none(), nb::kw_only(),
          "reshape"_a = false, "state_file"_a = runtime::defaultStateFile);
}

} // namespace flywheel::python
