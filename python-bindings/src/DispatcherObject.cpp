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
#include "Errors.h"
#include "Store.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

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
  Integer = 'i',
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

/// A kind of place outside of the Python function that it reads; the letters
/// are those of `_places.py`.
enum class PlaceKind : char {
  /// An item of a dict, by its key, or of a list, by its number.
  Item = 'i',
  /// The variable of a closure.
  Cell = 'c',
  /// An attribute in the dict of an object.
  Attribute = 'a',
  /// An attribute of an object that has no dict for it.
  Slot = 's',
  /// The number of items of a container.
  Length = 'n',
  /// All elements of a list, a set or a deque; the value is a tuple.
  Elements = 'e',
  /// The elements of an array, or some of them; the value is bytes.
  Bytes = 'b',
  /// The dtype and the sizes of an array; the value is a tuple of them.
  Header = 'h',
  /// The result of a call without arguments of the holder.
  Result = 'r',
  /// The class of an object.
  Class = 'k',
  /// The code of a function of Python and its defaults; the value is a tuple.
  Code = 'f'
};

/// A value that the Python function has from outside.
struct Capture {
  PlaceKind kind;
  /// References. The holder of an attribute, a slot, a class, code, bytes or a
  /// header is a weak reference to the object, or a tuple of it. An item, an
  /// attribute and a slot have a key, and that of bytes is a tuple: the steps
  /// from an element to the next one in each dimension.
  PyObject *holder, *key;
  /// A reference to the value or, if `isWeak`, to a weak reference to it; null
  /// if the holder had none.
  PyObject *value;
  bool isWeak;
};

/// Captures with references to what they have. To compare them may run Python,
/// in which they may be set: a comparison holds the list that it reads.
struct CaptureList {
  std::vector<Capture> captures;

  CaptureList() = default;
  CaptureList(const CaptureList &) = delete;
  CaptureList &operator=(const CaptureList &) = delete;
  ~CaptureList() {
    for (Capture &capture : captures) {
      Py_DECREF(capture.holder);
      Py_DECREF(capture.key);
      Py_XDECREF(capture.value);
    }
  }

  void add(const Capture &capture) {
    Py_INCREF(capture.holder);
    Py_INCREF(capture.key);
    Py_XINCREF(capture.value);
    captures.push_back(capture);
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

/// `sizes` has what the feeds so far say of symbolic dimension sizes, by
/// number; -1 where they say nothing yet.
static bool matches(FeedKind kind, const ArgumentSpec &spec, PyObject *value,
                    llvm::SmallVectorImpl<int64_t> &sizes) {
  switch (kind) {
  case FeedKind::Float:
    return PyFloat_CheckExact(value);
  case FeedKind::Integer:
    return PyLong_CheckExact(value);
  case FeedKind::Boolean:
    return PyBool_Check(value);
  case FeedKind::Array:
  case FeedKind::VaryingArray:
    break;
  }
  if (!PyArray_Check(value))
    return false;
  auto *array = reinterpret_cast<PyArrayObject *>(value);
  if (!isDense(array) || getArrayDType(array, spec.dtype) != spec.dtype)
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

/// Returns true if two objects are one, or numbers of one type with the same
/// bits, texts, or tuples of such: a program may compute an equal one before
/// each call.
static bool areEqual(PyObject *a, PyObject *b) {
  if (a == b)
    return true;
  if (!a || !b || Py_TYPE(a) != Py_TYPE(b))
    return false;
  if (PyFloat_CheckExact(a)) {
    double left = PyFloat_AS_DOUBLE(a), right = PyFloat_AS_DOUBLE(b);
    return std::memcmp(&left, &right, sizeof(double)) == 0;
  }
  if (PyTuple_CheckExact(a)) {
    Py_ssize_t count = PyTuple_GET_SIZE(a);
    if (PyTuple_GET_SIZE(b) != count)
      return false;
    for (Py_ssize_t place = 0; place < count; ++place)
      if (!areEqual(PyTuple_GET_ITEM(a, place), PyTuple_GET_ITEM(b, place)))
        return false;
    return true;
  }
  return (PyLong_CheckExact(a) || PyUnicode_CheckExact(a) ||
          PyBytes_CheckExact(a)) &&
         PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

static bool haveElements(PyObject *container, PyObject *elements) {
  Py_ssize_t count = PyTuple_GET_SIZE(elements);
  if (PyList_Check(container)) {
    if (PyList_GET_SIZE(container) != count)
      return false;
    for (Py_ssize_t place = 0; place < count; ++place)
      if (!areEqual(PyList_GET_ITEM(container, place),
                    PyTuple_GET_ITEM(elements, place)))
        return false;
    return true;
  }
  if (PyObject_Size(container) != count)
    return false;
  nb::object iterator = nb::steal(PyObject_GetIter(container));
  for (Py_ssize_t place = 0; iterator.is_valid() && place < count; ++place) {
    nb::object item = nb::steal(PyIter_Next(iterator.ptr()));
    if (!areEqual(item.ptr(), PyTuple_GET_ITEM(elements, place)))
      return false;
  }
  return iterator.is_valid();
}

/// Compares the elements of an array from `data` on, of the dimensions from
/// `dim` on, with `bytes`, which is moved behind them.
static bool hasElements(PyArrayObject *array, llvm::ArrayRef<npy_intp> steps,
                        int dim, const char *data, const char *&bytes) {
  npy_intp itemSize = PyArray_ITEMSIZE(array);
  if (dim == PyArray_NDIM(array)) {
    bool isEqual = std::memcmp(data, bytes, itemSize) == 0;
    bytes += itemSize;
    return isEqual;
  }
  npy_intp stride = PyArray_STRIDE(array, dim);
  for (npy_intp place = 0; place < PyArray_DIM(array, dim); place += steps[dim])
    if (!hasElements(array, steps, dim + 1, data + place * stride, bytes))
      return false;
  return true;
}

/// Returns true if the elements of an array that are `keys` apart in each
/// dimension are `bytes`.
static bool hasBytes(PyObject *array, PyObject *keys, PyObject *bytes) {
  if (!PyArray_Check(array))
    return false;
  auto *typed = reinterpret_cast<PyArrayObject *>(array);
  if (PyTuple_GET_SIZE(keys) != PyArray_NDIM(typed))
    return false;
  llvm::SmallVector<npy_intp, 4> steps;
  npy_intp size = PyArray_ITEMSIZE(typed);
  bool isWhole = true;
  for (int dim = 0; dim < PyArray_NDIM(typed); ++dim) {
    steps.push_back(PyLong_AsSsize_t(PyTuple_GET_ITEM(keys, dim)));
    if (steps.back() <= 0)
      return false;
    isWhole &= steps.back() == 1;
    size *= llvm::divideCeil(PyArray_DIM(typed, dim), steps.back());
  }
  if (size != PyBytes_GET_SIZE(bytes))
    return false;
  const char *data = PyArray_BYTES(typed), *expected = PyBytes_AS_STRING(bytes);
  if (isWhole && PyArray_IS_C_CONTIGUOUS(typed))
    return std::memcmp(data, expected, size) == 0;
  return hasElements(typed, steps, 0, data, expected);
}

/// Returns true if an array has a dtype and sizes. `header` is a tuple of them.
static bool hasHeader(PyObject *array, PyObject *header) {
  if (!PyArray_Check(array))
    return false;
  auto *typed = reinterpret_cast<PyArrayObject *>(array);
  int rank = PyArray_NDIM(typed);
  if (PyTuple_GET_SIZE(header) != rank + 1 ||
      reinterpret_cast<PyObject *>(PyArray_DESCR(typed)) !=
          PyTuple_GET_ITEM(header, 0))
    return false;
  for (int dim = 0; dim < rank; ++dim)
    if (PyArray_DIM(typed, dim) !=
        PyLong_AsSsize_t(PyTuple_GET_ITEM(header, dim + 1)))
      return false;
  return true;
}

/// Returns true if a function has its code, defaults and defaults of keywords
/// from a tuple of them, which has None for those that it does not have.
static bool hasCode(PyObject *function, PyObject *parts) {
  if (!PyFunction_Check(function))
    return false;
  PyObject *now[] = {PyFunction_GET_CODE(function),
                     PyFunction_GET_DEFAULTS(function),
                     PyFunction_GET_KW_DEFAULTS(function)};
  for (int part = 0; part < 3; ++part)
    if ((now[part] ? now[part] : Py_None) != PyTuple_GET_ITEM(parts, part))
      return false;
  return true;
}

/// Returns true if the value of a place of an object is the one of now. An
/// object that is gone is read by nobody.
static bool holdsMember(const Capture &capture, PyObject *value) {
  auto owner = nb::borrow(PyTuple_Check(capture.holder)
                              ? PyTuple_GET_ITEM(capture.holder, 0)
                              : PyWeakref_GetObject(capture.holder));
  if (owner.is_none())
    return true;
  switch (capture.kind) {
  case PlaceKind::Class:
    return reinterpret_cast<PyObject *>(Py_TYPE(owner.ptr())) == value;
  case PlaceKind::Code:
    return hasCode(owner.ptr(), value);
  case PlaceKind::Bytes:
    return hasBytes(owner.ptr(), capture.key, value);
  case PlaceKind::Header:
    return hasHeader(owner.ptr(), value);
  case PlaceKind::Slot: {
    nb::object now =
        nb::steal(PyObject_GenericGetAttr(owner.ptr(), capture.key));
    return areEqual(now.ptr(), value);
  }
  default:
    break;
  }
  nb::object dict = nb::steal(PyObject_GenericGetDict(owner.ptr(), nullptr));
  return dict.is_valid() && PyDict_Check(dict.ptr()) &&
         areEqual(PyDict_GetItemWithError(dict.ptr(), capture.key), value);
}

static bool holds(const Capture &capture) {
  PyObject *holder = capture.holder;
  // A lookup may run Python, such as `__eq__` of a key, which may let go of the
  // value. A weak reference has None for an object that is gone, and a value of
  // now may be None.
  nb::object kept;
  if (capture.value && capture.isWeak)
    kept = nb::borrow(PyWeakref_GetObject(capture.value));
  PyObject *value =
      kept.is_valid() && !kept.is_none() ? kept.ptr() : capture.value;
  switch (capture.kind) {
  case PlaceKind::Item:
    if (PyDict_Check(holder))
      return areEqual(PyDict_GetItemWithError(holder, capture.key), value);
    if (Py_ssize_t place = PyLong_AsSsize_t(capture.key);
        place < PyList_GET_SIZE(holder))
      return areEqual(PyList_GET_ITEM(holder, place), value);
    return !value;
  case PlaceKind::Cell:
    return areEqual(PyCell_GET(holder), value);
  case PlaceKind::Attribute:
  case PlaceKind::Slot:
  case PlaceKind::Class:
  case PlaceKind::Code:
  case PlaceKind::Bytes:
  case PlaceKind::Header:
    return holdsMember(capture, value);
  case PlaceKind::Length:
    return PyObject_Size(holder) == PyLong_AsSsize_t(value);
  case PlaceKind::Elements:
    return haveElements(holder, value);
  case PlaceKind::Result: {
    nb::object now = nb::steal(PyObject_CallNoArgs(holder));
    return areEqual(now.ptr(), value);
  }
  }
  return false;
}

/// Returns true if what the Python function has from outside are the objects
/// that it had when it was traced.
static bool holdsCaptures(PyObject *self) {
  auto *dispatcher = reinterpret_cast<DispatcherObject *>(self);
  std::shared_ptr<const CaptureList> list = *dispatcher->captures;
  if (!list)
    return true;
  for (const Capture &capture : list->captures) {
    // A slot may have no value, as before. Code of the user, such as `__eq__`
    // of a key, may fail.
    bool isHeld = holds(capture) &&
                  (capture.kind == PlaceKind::Slot ||
                   capture.kind == PlaceKind::Result || !PyErr_Occurred());
    PyErr_Clear();
    if (!isHeld)
      return false;
  }
  // Another thread may have traced anew meanwhile, for values that it sees.
  return *dispatcher->captures == list;
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

/// Returns true if a holder and a value are of the types that a kind of place
/// has.
static bool isWellFormed(const Capture &capture) {
  if (capture.isWeak && !PyWeakref_Check(capture.value))
    return false;
  PyObject *holder = capture.holder, *value = capture.value;
  bool hasOwner = PyWeakref_Check(holder) ||
                  (PyTuple_Check(holder) && PyTuple_GET_SIZE(holder) == 1);
  switch (capture.kind) {
  case PlaceKind::Item:
    return PyDict_Check(holder) ||
           (PyList_Check(holder) && PyLong_Check(capture.key));
  case PlaceKind::Cell:
    return PyCell_Check(holder);
  case PlaceKind::Code:
    if (!value || !PyTuple_Check(value) || PyTuple_GET_SIZE(value) != 3)
      return false;
    [[fallthrough]];
  case PlaceKind::Attribute:
  case PlaceKind::Slot:
  case PlaceKind::Class:
    return PyUnicode_Check(capture.key) && hasOwner;
  case PlaceKind::Length:
    return value && PyLong_Check(value);
  case PlaceKind::Elements:
    return value && PyTuple_Check(value);
  case PlaceKind::Bytes:
    return value && PyBytes_Check(value) && PyTuple_Check(capture.key) &&
           hasOwner;
  case PlaceKind::Header:
    return value && PyTuple_Check(value) && PyTuple_GET_SIZE(value) > 0 &&
           hasOwner;
  case PlaceKind::Result:
    return PyCallable_Check(holder);
  }
  return false;
}

/// Takes a list of (kind, holder, key, value or weak reference, is weak), or of
/// (kind, holder, key) without a value.
static PyObject *setCaptures(PyObject *self, PyObject *list) {
  if (!PyList_Check(list)) {
    PyErr_SetString(PyExc_TypeError, "expected a list of captures");
    return nullptr;
  }
  auto made = std::make_shared<CaptureList>();
  for (Py_ssize_t index = 0; index < PyList_GET_SIZE(list); ++index) {
    Capture capture{PlaceKind::Item, nullptr, nullptr, nullptr, false};
    int isWeak = 0, kind = 0;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(list, index), "COO|Op", &kind,
                          &capture.holder, &capture.key, &capture.value,
                          &isWeak))
      return nullptr;
    capture.kind = static_cast<PlaceKind>(kind);
    capture.isWeak = isWeak;
    if (!isWellFormed(capture)) {
      PyErr_SetString(PyExc_TypeError, "expected a kind of place, what has it, "
                                       "a key and a value of it");
      return nullptr;
    }
    made->add(capture);
  }
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
  if (list && list.use_count() == 1)
    for (const Capture &capture : list->captures) {
      Py_VISIT(capture.holder);
      Py_VISIT(capture.key);
      Py_VISIT(capture.value);
    }
  return 0;
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
