//===- DispatcherObject.cpp - The fast call of a traced function ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A traced function is called like any other, and most calls are of arguments
// that it has been compiled for: to find the entry takes a few comparisons
// here, and no Python runs. Whatever is not that goes to `_dispatch` of the
// subclass.
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "Captures.h"
#include "Errors.h"
#include "Store.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <structmember.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace flywheel::python {
namespace {

/// The kind of value that a feed is given as.
enum class FeedKind : char {
  Array = 'a',
  /// An array whose varying sizes are not 1, which other programs are for.
  VaryingArray = 'v',
  Float = 'f',
  /// An integer that int32 holds, and one that it does not.
  Integer = 'i',
  LongInteger = 'l',
  Boolean = 'b'
};

/// An entry, and the calls that it is for.
struct Case {
  /// References.
  PyObject *entry, *unpack;
  /// None: the case goes when the store does.
  const Store *store;
  std::string kinds;

  bool isVarying() const {
    return llvm::is_contained(kinds, static_cast<char>(FeedKind::VaryingArray));
  }
};

struct DispatcherObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  std::vector<Case> *cases;
  /// Null if there are none.
  std::shared_ptr<const CaptureList> *captures;
};
} // namespace

/// True while calls in this thread are traced.
static thread_local bool isTracing = false;
static PyObject *dispatchName = nullptr;

//===----------------------------------------------------------------------===//
// The current store
//===----------------------------------------------------------------------===//

/// The default store; the module holds the reference.
static PyObject *defaultStore = nullptr;
static const Store *defaultStoreValues = nullptr;
/// The stores that this thread, or this task of asyncio, has entered and not
/// left: a tuple.
static PyObject *enteredStores = nullptr;

static nb::tuple getEntered() {
  PyObject *entered = nullptr;
  if (PyContextVar_Get(enteredStores, nullptr, &entered) < 0)
    throw nb::python_error();
  return nb::steal<nb::tuple>(entered);
}

static void setEntered(nb::handle entered) {
  PyObject *token = PyContextVar_Set(enteredStores, entered.ptr());
  if (!token)
    throw nb::python_error();
  Py_DECREF(token);
}

static nb::object getCurrentStore() {
  nb::tuple entered = getEntered();
  return entered.size() ? nb::object(entered[entered.size() - 1])
                        : nb::borrow(defaultStore);
}

/// Returns the values of the current store without a reference: each call asks.
static const Store *lookupCurrentStore() {
  PyObject *entered = nullptr;
  if (PyContextVar_Get(enteredStores, nullptr, &entered) < 0) {
    PyErr_Clear();
    return nullptr;
  }
  // The context keeps it.
  Py_DECREF(entered);
  Py_ssize_t count = PyTuple_GET_SIZE(entered);
  return count ? nb::inst_ptr<PyStore>(PyTuple_GET_ITEM(entered, count - 1))
                     ->store.get()
               : defaultStoreValues;
}

static nb::object enterStore(nb::object self) {
  setEntered(getEntered() + nb::make_tuple(self));
  return self;
}

/// Leaves a store. Other stores may have been entered after it, by a generator
/// that waits.
static void leaveStore(nb::handle self) {
  nb::tuple entered = getEntered();
  for (size_t index = entered.size(); index-- > 0;) {
    if (!entered[index].is(self))
      continue;
    nb::list rest(entered);
    nb::del(rest[index]);
    return setEntered(nb::tuple(rest));
  }
  throw std::runtime_error("this store was not entered in this thread");
}

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

namespace {
/// A block during which a trace and its frame are the last ones of their lists.
/// Not of Python, whose functions may end before they have done anything: when
/// a user interrupts the program.
struct Tracing {
  nb::list traces;
  nb::object trace;
  nb::list frames;
  nb::object frame;
};
} // namespace

static void removeLast(nb::list list, nb::handle item) {
  for (size_t index = list.size(); index-- > 0;)
    if (list[index].is(item)) {
      nb::del(list[index]);
      return;
    }
}

static void addTracing(nb::module_ &module) {
  nb::class_<Tracing>(module, "Tracing",
                      "A block in which calls of this thread are traced.")
      .def(nb::init<nb::list, nb::object, nb::list, nb::object>(), "traces"_a,
           "trace"_a, "frames"_a, "frame"_a)
      .def("__enter__",
           [](Tracing &self) {
             self.traces.append(self.trace);
             self.frames.append(self.frame);
             isTracing = true;
             return self.trace;
           })
      .def("__exit__", [](Tracing &self, nb::args) {
        removeLast(self.frames, self.frame);
        removeLast(self.traces, self.trace);
        isTracing = self.traces.size() != 0;
      });
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static bool fitsInt32(PyObject *integer) {
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(integer, &overflow);
  return !overflow && llvm::isInt<32>(number);
}

/// `sizes` has what the feeds so far say of symbolic dimension sizes, by
/// number; -1 where they say nothing yet.
static bool matches(FeedKind kind, const ArgumentSpec &spec, PyObject *value,
                    llvm::SmallVectorImpl<int64_t> &sizes) {
  switch (kind) {
  case FeedKind::Float:
    return PyFloat_CheckExact(value);
  case FeedKind::Integer:
    return PyLong_CheckExact(value) && fitsInt32(value);
  case FeedKind::LongInteger:
    return PyLong_CheckExact(value) && !fitsInt32(value);
  case FeedKind::Boolean:
    return PyBool_Check(value);
  case FeedKind::Array:
  case FeedKind::VaryingArray:
    break;
  }
  if (!PyArray_Check(value))
    return false;
  auto *array = reinterpret_cast<PyArrayObject *>(value);
  if (!isDense(array) || getArrayDType(array, spec.dtype) != spec.dtype ||
      isMatrix(array))
    return false;
  llvm::ArrayRef<int64_t> shape = getShape(array);
  if (shape.size() != spec.dimSizes.size())
    return false;
  return llvm::all_of(llvm::zip_equal(shape, spec.dimSizes), [&](auto pair) {
    auto [found, expected] = pair;
    if (expected >= 0)
      return found == expected;
    if (kind == FeedKind::VaryingArray && found == 1)
      return false;
    size_t symbol = -1 - expected;
    if (symbol >= sizes.size())
      sizes.resize(symbol + 1, -1);
    if (sizes[symbol] < 0)
      sizes[symbol] = found;
    return sizes[symbol] == found;
  });
}

static bool matches(const Case &known, const Store *store,
                    PyObject *const *args, size_t count) {
  const std::vector<ArgumentSpec> &feeds = *getFeeds(known.entry);
  if (known.store != store || feeds.size() != count)
    return false;
  // A feed that does not match may be of a more general program.
  llvm::SmallVector<int64_t, 4> sizes;
  for (size_t index = 0; index < count; ++index)
    if (!matches(static_cast<FeedKind>(known.kinds[index]), feeds[index],
                 args[index], sizes))
      return false;
  return true;
}

/// Returns true if what the Python function has from outside are the objects
/// that it had when it was traced.
static bool holdsCaptures(PyObject *self) {
  auto *dispatcher = reinterpret_cast<DispatcherObject *>(self);
  std::shared_ptr<const CaptureList> list = *dispatcher->captures;
  // Another thread may have traced anew meanwhile, for values that it sees.
  return !list || (list->hold() && *dispatcher->captures == list);
}

static PyObject *callDispatcher(PyObject *self, PyObject *const *args,
                                size_t nargsf, PyObject *names) {
  size_t count = PyVectorcall_NARGS(nargsf);
  if (!names && !isTracing && holdsCaptures(self)) {
    const Store *store = lookupCurrentStore();
    for (const Case &known :
         *reinterpret_cast<DispatcherObject *>(self)->cases) {
      if (!matches(known, store, args, count))
        continue;
      // The call may change the cases.
      nb::object entry = nb::borrow(known.entry);
      nb::object unpack = nb::borrow(known.unpack);
      bool isVarying = known.isVarying();
      PyObject *result = callEntry(entry.ptr(), args, count, nullptr);
      if (!result && isVarying && isRaised(ErrorKind::InvalidArgument) &&
          !isRaisedOfData()) {
        // Nothing has changed, and a program for these sizes may accept them.
        PyErr_Clear();
        break;
      }
      if (!result || unpack.is_none())
        return result;
      PyObject *unpacked = PyObject_CallOneArg(unpack.ptr(), result);
      Py_DECREF(result);
      return unpacked;
    }
  }
  size_t total = count + (names ? PyTuple_GET_SIZE(names) : 0);
  std::vector<PyObject *> all{self};
  all.insert(all.end(), args, args + total);
  return PyObject_VectorcallMethod(dispatchName, all.data(), count + 1, names);
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

static void release(Case &known) {
  Py_DECREF(known.entry);
  Py_DECREF(known.unpack);
}

static PyObject *addCase(PyObject *self, PyObject *args) {
  PyObject *entry, *store, *unpack;
  const char *kinds;
  if (!PyArg_ParseTuple(args, "OOsO", &entry, &store, &kinds, &unpack))
    return nullptr;
  const std::vector<ArgumentSpec> *feeds = getFeeds(entry);
  PyStore *typed = nullptr;
  if (!feeds || !nb::try_cast(nb::handle(store), typed) || !typed ||
      feeds->size() != std::strlen(kinds)) {
    PyErr_SetString(PyExc_TypeError,
                    "expected an entry, a store, a kind for each feed and what "
                    "unpacks results, or None");
    return nullptr;
  }
  Py_INCREF(entry);
  Py_INCREF(unpack);
  // A program for these sizes goes before one for all, which may refuse them.
  Case made{entry, unpack, typed->store.get(), kinds};
  std::vector<Case> &cases = *reinterpret_cast<DispatcherObject *>(self)->cases;
  cases.insert(made.isVarying() ? cases.end() : cases.begin(), made);
  Py_RETURN_NONE;
}

static PyObject *clearCases(PyObject *self, PyObject *) {
  std::vector<Case> old;
  old.swap(*reinterpret_cast<DispatcherObject *>(self)->cases);
  for (Case &known : old)
    release(known);
  Py_RETURN_NONE;
}

/// Sets the captures, and releases the ones from before.
static void exchangeCaptures(PyObject *self,
                             std::shared_ptr<const CaptureList> list) {
  reinterpret_cast<DispatcherObject *>(self)->captures->swap(list);
}

static PyObject *setCaptures(PyObject *self, PyObject *list) {
  std::shared_ptr<const CaptureList> made = CaptureList::parse(list);
  if (!made)
    return nullptr;
  exchangeCaptures(self, std::move(made));
  Py_RETURN_NONE;
}

static PyObject *holdsCapturesMethod(PyObject *self, PyObject *) {
  return PyBool_FromLong(holdsCaptures(self));
}

static PyObject *makeDispatcher(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *self = type->tp_alloc(type, 0);
  if (!self)
    return nullptr;
  auto *object = reinterpret_cast<DispatcherObject *>(self);
  object->vectorcall = callDispatcher;
  object->cases = new std::vector<Case>();
  object->captures = new std::shared_ptr<const CaptureList>();
  return self;
}

static int traverseDispatcher(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  for (const Case &known : *reinterpret_cast<DispatcherObject *>(self)->cases) {
    Py_VISIT(known.entry);
    Py_VISIT(known.unpack);
  }
  const std::shared_ptr<const CaptureList> &list =
      *reinterpret_cast<DispatcherObject *>(self)->captures;
  // A comparison that runs has references of its own to the list.
  return list && list.use_count() == 1 ? list->traverse(visit, arg) : 0;
}

static int clearDispatcher(PyObject *self) {
  Py_DECREF(clearCases(self, nullptr));
  exchangeCaptures(self, nullptr);
  return 0;
}

static void deleteDispatcher(PyObject *self) {
  PyObject_GC_UnTrack(self);
  clearDispatcher(self);
  delete reinterpret_cast<DispatcherObject *>(self)->cases;
  delete reinterpret_cast<DispatcherObject *>(self)->captures;
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

void addDispatcher(nb::module_ &module) {
  static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                   offsetof(DispatcherObject, vectorcall),
                                   READONLY, nullptr},
                                  {nullptr, 0, 0, 0, nullptr}};
  static PyMethodDef methods[] = {
      {"_add_case", addCase, METH_VARARGS,
       "Adds an entry: (entry, store, kinds, unpack)."},
      {"_clear_cases", clearCases, METH_NOARGS, "Forgets all entries."},
      {"_set_captures", setCaptures, METH_O,
       "Sets the values from outside, without which there is no fast call: a "
       "list of (kind, holder, key, value or weak reference, is weak)."},
      {"_holds_captures", holdsCapturesMethod, METH_NOARGS,
       "Returns true if these are the values of now."},
      {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char *>("Calls compiled entries by their feeds; "
                                     "other calls go to `_dispatch`.")},
      {Py_tp_new, reinterpret_cast<void *>(makeDispatcher)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deleteDispatcher)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverseDispatcher)},
      {Py_tp_clear, reinterpret_cast<void *>(clearDispatcher)},
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_members, members},
      {Py_tp_methods, methods},
      {0, nullptr}};
  static PyType_Spec spec = {"flywheel.Dispatcher", sizeof(DispatcherObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE |
                                 Py_TPFLAGS_HAVE_GC |
                                 Py_TPFLAGS_HAVE_VECTORCALL,
                             slots};
  dispatchName = PyUnicode_InternFromString("_dispatch");
  PyObject *type = PyType_FromSpec(&spec);
  if (!type || !dispatchName)
    throw nb::python_error();
  module.attr("Dispatcher") = nb::steal(type);
  addTracing(module);
}

void addCurrentStore(nb::module_ &module, nb::class_<PyStore> &store) {
  nb::tuple none = nb::make_tuple();
  enteredStores = PyContextVar_New("flywheel.stores", none.ptr());
  if (!enteredStores)
    throw nb::python_error();
  // Not of Python, whose functions may end before they have done anything: when
  // a user interrupts the program.
  store.def("__enter__", &enterStore)
      .def("__exit__", [](nb::handle self, nb::args) { leaveStore(self); });
  module.def("_current_store", &getCurrentStore);
  module.def("_set_default_store", [](nb::handle store) {
    defaultStoreValues = nb::cast<PyStore &>(store).store.get();
    defaultStore = store.inc_ref().ptr();
  });
}

} // namespace flywheel::python
