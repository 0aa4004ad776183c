//===- Store.cpp - Values of variables that programs share ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Store.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"

#include <cstring>

using flywheel::runtime::DType;
using flywheel::runtime::ProgramState;
using flywheel::runtime::Result;
using flywheel::runtime::Status;
using flywheel::runtime::VariableState;

namespace flywheel::python {

/// Strings are numbers, of 8 bytes.
static size_t getBytes(const Record &record) {
  if (record.dtype == DType::String)
    return sizeof(int64_t) * runtime::elementCount(record.shape).value_or(0);
  return runtime::byteCount(record.dtype, record.shape).value_or(0);
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

Status Store::declare(const std::string &name, DType dtype,
                      runtime::Shape shape, bool isGlobal) {
  if (const Record *known = lookup(name)) {
    if (known->dtype == dtype && known->shape == shape)
      return {};
    return Status::invalidArgument(
        "variable '" + name + "' is " +
        std::string(runtime::numpyName(known->dtype)) +
        runtime::formatShape(known->shape) + " here, found " +
        std::string(runtime::numpyName(dtype)) + runtime::formatShape(shape));
  }
  auto record = std::make_unique<Record>();
  record->name = name;
  record->dtype = dtype;
  record->shape = std::move(shape);
  record->isGlobal = isGlobal;
  byName[name] = record.get();
  records.push_back(std::move(record));
  return {};
}

const Record *Store::lookup(const std::string &name) const {
  auto found = byName.find(name);
  return found == byName.end() ? nullptr : found->second;
}

Result<Record *> Store::find(const std::string &name) {
  auto found = byName.find(name);
  if (found == byName.end())
    return Status::notFound("there is no variable '" + name + "'");
  return found->second;
}

std::vector<std::string> Store::getNames() const {
  std::vector<std::string> names;
  for (const auto &record : records)
    if (!record->isForgotten)
      names.push_back(record->name);
  return names;
}

void Store::forget(const std::vector<std::string> &names) {
  settle();
  active = nullptr;
  for (const std::string &name : names) {
    auto found = byName.find(name);
    if (found == byName.end())
      continue;
    Record &record = *found->second;
    byName.erase(found);
    record.isForgotten = true;
    record.owner = nullptr;
    record.initialized = std::byte{0};
    record.memory = {};
  }
  eraseForgotten();
}

void Store::eraseForgotten() {
  llvm::SmallPtrSet<const Record *, 16> used;
  for (const auto &binding : bindings)
    for (const Binding::Place &place : binding->places)
      used.insert(place.record);
  llvm::erase_if(records, [&](const std::unique_ptr<Record> &record) {
    return record->isForgotten && !used.contains(record.get());
  });
}

void Store::forgetAfter(size_t number) {
  for (const auto &record : llvm::drop_begin(records, number))
    byName.erase(record->name);
  records.resize(number);
}

static bool isInitialized(const VariableState &state) {
  return *state.initialized != std::byte{0};
}

/// Copies a value of numbers, and how often it was initialised.
static void copyState(const VariableState &from, VariableState &to,
                      size_t bytes) {
  if (isInitialized(from) && bytes)
    std::memcpy(to.data, from.data, bytes);
  *to.initialized = *from.initialized;
  std::memcpy(to.runs, from.runs, sizeof(uint64_t));
}

/// Returns the state of a record in its own memory.
static VariableState describeHome(Record &record) {
  return {record.name,          record.dtype,        record.shape,
          record.memory.data(), &record.initialized, &record.runs,
          record.isGlobal};
}

/// Makes room for a value in the record's own memory.
static Status reserveHome(Record &record) {
  size_t bytes = std::max<size_t>(getBytes(record), 1);
  if (record.memory.reserve(bytes))
    return {};
  return Status::resourceExhausted("no memory for the " +
                                   std::to_string(bytes) +
                                   " bytes of variable '" + record.name + "'");
}

/// Moves the value of a record into its own memory. Without a value it needs
/// none: one that is too large must not be in the way of others.
Status Store::takeHome(Record &record) {
  if (!record.owner)
    return {};
  size_t bytes = getBytes(record);
  if (python::isInitialized(record.owner->places[record.place].state))
    if (Status status = reserveHome(record); !status.isOk())
      return status;
  if (Status status = record.owner->session->bringToHost(/*forWriting=*/false);
      !status.isOk())
    return status;
  VariableState home = describeHome(record);
  Binding::Place &place = record.owner->places[record.place];
  copyState(place.state, home, record.dtype == DType::String ? 0 : bytes);
  if (record.dtype == DType::String && record.initialized != std::byte{0}) {
    Result<ArrayView> view =
        record.owner->session->getVariable(place.state.name);
    if (!view.isOk())
      return view.status();
    auto *numbers = reinterpret_cast<int64_t *>(record.memory.data());
    const auto *views = static_cast<const std::string_view *>(view->data);
    for (size_t i = 0; i < bytes / sizeof(int64_t); ++i)
      numbers[i] = strings.intern(views[i]);
  }
  record.owner = nullptr;
  return {};
}

/// Copies the value of a record to a session.
Status Store::copyOut(Record &record, VariableState &target, Session *session) {
  if (Status status = session->bringToHost(/*forWriting=*/true); !status.isOk())
    return status;
  if (record.dtype == DType::String) {
    if (Status status = takeHome(record); !status.isOk())
      return status;
    VariableState home = describeHome(record);
    copyState(home, target, 0);
    if (record.initialized == std::byte{0})
      return {};
    Result<ArrayView> view = get(record.name);
    return view.isOk() ? session->setVariable(target.name, *view)
                       : view.status();
  }
  if (record.owner) {
    if (Status status =
            record.owner->session->bringToHost(/*forWriting=*/false);
        !status.isOk())
      return status;
    copyState(record.owner->places[record.place].state, target,
              getBytes(record));
    return {};
  }
  VariableState home = describeHome(record);
  copyState(home, target, getBytes(record));
  return {};
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

Result<Binding *> Store::bind(Session &session,
                              const std::vector<std::string> &names) {
  ProgramState state = session.describeState();
  auto binding = std::make_unique<Binding>();
  binding->store = this;
  binding->session = &session;
  Declarations declarations(*this);
  llvm::StringSet<> written;
  for (const EntrySpec &entry : session.getProgram().getEntries())
    for (int64_t index : entry.manifest->writes)
      written.insert(state.variables[index].name);
  for (auto [index, variable] : llvm::enumerate(state.variables)) {
    const std::string &name = names[index];
    if (Status status =
            declare(name, variable.dtype, variable.shape, variable.isGlobal);
        !status.isOk())
      return status;
    binding->places.push_back({byName[name], variable});
    if (written.contains(variable.name))
      binding->written.push_back(index);
  }
  declarations.keep();
  bindings.push_back(std::move(binding));
  return bindings.back().get();
}

void Store::unbind(Binding *binding) {
  settle();
  active = nullptr;
  for (Binding::Place &place : binding->places)
    if (place.record->owner == binding)
      (void)takeHome(*place.record);
  llvm::erase_if(bindings,
                 [&](const auto &other) { return other.get() == binding; });
  eraseForgotten();
}

void Store::settle() {
  if (!active)
    return;
  for (size_t index : active->written) {
    Binding::Place &place = active->places[index];
    place.record->owner = active;
    place.record->place = index;
    place.version = ++place.record->version;
  }
}

Status Binding::activate() {
  if (store->active == this)
    return {};
  store->settle();
  store->active = nullptr;
  bool isMissing = false;
  for (Place &place : places) {
    if (place.version != place.record->version) {
      if (Status status = store->copyOut(*place.record, place.state, session);
          !status.isOk())
        return status;
      place.version = place.record->version;
    }
    isMissing |= !python::isInitialized(place.state);
  }
  if (isMissing && store->initializes) {
    std::vector<std::string> missing;
    for (Place &place : places)
      if (!python::isInitialized(place.state))
        missing.push_back(place.record->name);
    return store->initialize(*this, missing);
  }
  store->active = this;
  return {};
}

Status Store::initialize(Binding &binding,
                         const std::vector<std::string> &names) {
  bool initializesOthers = std::exchange(initializes, false);
  Status status = binding.activate();
  initializes = initializesOthers;
  if (!status.isOk())
    return status;
  llvm::StringSet<> wanted;
  for (const std::string &name : names)
    wanted.insert(name);
  std::vector<std::string> own;
  for (Binding::Place &place : binding.places)
    if (wanted.contains(place.record->name))
      own.push_back(place.state.name);
  if (Status status = binding.session->initialize(seed, own); !status.isOk())
    return status;
  for (auto [index, place] : llvm::enumerate(binding.places)) {
    if (!wanted.contains(place.record->name))
      continue;
    place.record->owner = &binding;
    place.record->place = index;
    place.version = ++place.record->version;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Status Store::set(const std::string &name, const ArrayView &value) {
  Result<Record *> record = find(name);
  if (!record.isOk())
    return record.status();
  Record &found = **record;
  if (value.dtype != found.dtype)
    return Status::invalidArgument(
        "cannot assign a value of dtype " +
        std::string(runtime::numpyName(value.dtype)) + " to variable '" + name +
        "' of dtype " + std::string(runtime::numpyName(found.dtype)));
  if (value.shape != llvm::ArrayRef<int64_t>(found.shape))
    return Status::invalidArgument(
        "the shapes of a variable and its new value must be equal: cannot "
        "assign a value of shape " +
        runtime::formatShape(value.shape.vec()) + " to variable '" + name +
        "' of shape " + runtime::formatShape(found.shape));
  settle();
  active = nullptr;
  if (Status status = takeHome(found); !status.isOk())
    return status;
  if (Status status = reserveHome(found); !status.isOk())
    return status;
  size_t bytes = getBytes(found);
  if (found.dtype == DType::String) {
    const auto *views = static_cast<const std::string_view *>(value.data);
    auto *numbers = reinterpret_cast<int64_t *>(found.memory.data());
    for (size_t i = 0; i < bytes / sizeof(int64_t); ++i)
      numbers[i] = strings.intern(views[i]);
  } else if (bytes) {
    std::memcpy(found.memory.data(), value.data, bytes);
  }
  found.initialized = std::byte{1};
  ++found.version;
  return {};
}

Result<bool> Store::isInitialized(const std::string &name) {
  Result<Record *> record = find(name);
  if (!record.isOk())
    return record.status();
  settle();
  Record &found = **record;
  return (found.owner ? *found.owner->places[found.place].state.initialized
                      : found.initialized) != std::byte{0};
}

Result<ArrayView> Store::get(const std::string &name) {
  Result<bool> hasValue = isInitialized(name);
  if (!hasValue.isOk())
    return hasValue.status();
  if (!*hasValue)
    return Status::failedPrecondition("Attempting to use uninitialized value " +
                                      name);
  Record &record = *byName[name];
  if (record.owner)
    if (Status status =
            record.owner->session->bringToHost(/*forWriting=*/false);
        !status.isOk())
      return status;
  if (record.dtype != DType::String)
    return ArrayView{record.dtype, record.shape,
                     record.owner
                         ? record.owner->places[record.place].state.data
                         : record.memory.data()};
  if (Status status = takeHome(record); !status.isOk())
    return status;
  auto *numbers = reinterpret_cast<const int64_t *>(record.memory.data());
  texts.clear();
  for (size_t i = 0; i < getBytes(record) / sizeof(int64_t); ++i)
    texts.push_back(strings.text(numbers[i]));
  return ArrayView{record.dtype, record.shape, texts.data()};
}

Status Store::reset(const std::vector<std::string> &names) {
  settle();
  active = nullptr;
  for (const std::string &name : names) {
    Result<Record *> record = find(name);
    if (!record.isOk())
      return record.status();
    if (Status status = takeHome(**record); !status.isOk())
      return status;
    (*record)->initialized = std::byte{0};
    ++(*record)->version;
  }
  return {};
}

Status Store::restart(const std::vector<std::string> &names) {
  if (Status status = reset(names); !status.isOk())
    return status;
  for (const std::string &name : names)
    byName[name]->runs = 0;
  return {};
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

Status Store::reserve(const std::string &name) {
  Result<Record *> record = find(name);
  return record.isOk() ? reserveHome(**record) : record.status();
}

Result<ProgramState> Store::describe(const std::string &model) {
  settle();
  active = nullptr;
  ProgramState state;
  state.model = model;
  state.seed = &seed;
  state.strings = &strings;
  for (const auto &record : records) {
    if (record->isForgotten)
      continue;
    if (Status status = takeHome(*record); !status.isOk())
      return status;
    state.variables.push_back(describeHome(*record));
  }
  return state;
}

void Store::invalidate() {
  active = nullptr;
  for (const auto &record : records)
    ++record->version;
}

} // namespace flywheel::python
