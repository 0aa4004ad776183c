//===- Store.h - Values of variables that programs share --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each traced function is a program of its own, with a block of state of its
// own. A store makes variables of one name one variable: it knows which block
// has the last value of each, and copies what another program needs before that
// runs. A program that runs again and again copies nothing, and asks nothing
// but whether it was the last one.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_STORE_H
#define FLYWHEEL_PYTHON_STORE_H

#include "Bindings.h"

#include "llvm/ADT/StringMap.h"

namespace flywheel::python {

class Store;

/// A program in a store: its session, and which of the store's variables are
/// its own.
class Binding {
public:
  /// Makes the values of the store those of the session, and gives initial
  /// values to variables without one where the store says so. The lock is held.
  runtime::Status activate();

private:
  friend class Store;
  struct Place {
    struct Record *record;
    runtime::VariableState state;
    /// The version that the session has; -1 for none.
    int64_t version = -1;
  };

  Store *store = nullptr;
  Session *session = nullptr;
  std::vector<Place> places;
  /// Numbers of the places that some entry writes.
  std::vector<size_t> written;
};

/// A variable of a store. Its value is in a session, or here.
struct Record {
  std::string name;
  runtime::DType dtype;
  runtime::Shape shape;
  bool isGlobal = true;
  /// The binding that holds the current value; null if `memory` holds it.
  Binding *owner = nullptr;
  size_t place = 0;
  int64_t version = 0;
  AlignedBuffer memory;
  std::byte initialized{0};
  uint64_t runs = 0;
  /// No longer a variable of the store: there for programs that have it.
  bool isForgotten = false;
};

/// Values by name. One thread at a time may use it.
class Store {
public:
  explicit Store(bool initializes) : initializes(initializes) {}

  /// Declares a variable. Errors: kInvalidArgument for another dtype or shape
  /// than it has.
  runtime::Status declare(const std::string &name, runtime::DType dtype,
                          runtime::Shape shape, bool isGlobal);
  /// Joins a session, whose variables have the names `names` here. Errors:
  /// those of declare().
  runtime::Result<Binding *> bind(Session &session,
                                  const std::vector<std::string> &names);
  void unbind(Binding *binding);

  /// Copies a value in; `data` is dense.
  runtime::Status set(const std::string &name, const ArrayView &value);
  /// Returns the elements of a variable, views of them if they are strings.
  /// Valid until the next call.
  runtime::Result<ArrayView> get(const std::string &name);
  runtime::Result<bool> isInitialized(const std::string &name);
  /// Forgets values, so that the next use initialises again.
  runtime::Status reset(const std::vector<std::string> &names);
  /// Forgets values and how often they were initialised, so that the next use
  /// initialises as the first one did.
  runtime::Status restart(const std::vector<std::string> &names);
  /// Initialises these with a session that has all of them, whether they have
  /// values or not.
  runtime::Status initialize(Binding &binding,
                             const std::vector<std::string> &names);

  /// Makes room for a value that a restore fills in. Errors: kNotFound,
  /// kResourceExhausted.
  runtime::Status reserve(const std::string &name);
  /// Returns all variables, in a form that the runtime library saves and
  /// restores. Variables without a value have no memory, unless reserve() gave
  /// them some.
  runtime::Result<runtime::ProgramState> describe(const std::string &model);
  /// After a restore: what sessions have is old.
  void invalidate();

  size_t getNumVariables() const { return records.size(); }
  /// Forgets variables, as nothing refers to them: their names are free.
  void forget(const std::vector<std::string> &names);
  /// Forgets the variables that were declared after the first `number`, which
  /// nothing else knows yet.
  void forgetAfter(size_t number);
  std::vector<std::string> getNames() const;
  const Record *lookup(const std::string &name) const;

  uint64_t seed = 0;
  bool initializes;
  std::shared_ptr<ObjectMutex> mutex = std::make_shared<ObjectMutex>();

private:
  friend class Binding;
  /// Takes note of what the last program wrote.
  void settle();
  void eraseForgotten();
  /// Copies the value of a record to memory that has room for it.
  runtime::Status copyOut(Record &record, runtime::VariableState &target,
                          Session *session);
  runtime::Result<Record *> find(const std::string &name);
  runtime::Status takeHome(Record &record);

  Binding *active = nullptr;
  std::vector<std::unique_ptr<Record>> records;
  llvm::StringMap<Record *> byName;
  std::vector<std::unique_ptr<Binding>> bindings;
  runtime::StringTable strings;
  std::vector<std::string_view> texts;
};

/// Forgets, unless what declares them succeeds, the variables that are declared
/// while it lives.
class Declarations {
public:
  explicit Declarations(Store &store)
      : store(store), numBefore(store.getNumVariables()) {}
  ~Declarations() {
    if (!isKept)
      store.forgetAfter(numBefore);
  }
  void keep() { isKept = true; }

private:
  Store &store;
  size_t numBefore;
  bool isKept = false;
};

/// The Python object of a store.
struct PyStore {
  std::shared_ptr<Store> store;
};

/// Adds what enters and leaves a store, and what asks for the current one.
void addCurrentStore(nanobind::module_ &module,
                     nanobind::class_<PyStore> &store);

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_STORE_H
